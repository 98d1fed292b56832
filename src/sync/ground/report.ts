import { type FaultDetail, ProjectError, RemoteError, StateError } from "../../errors.ts";
import type { Log } from "../../log.ts";
import type { PostId } from "../../model/post.ts";
import { dayMs } from "../../model/time.ts";
import { TemplateError } from "../../plan/text/template.ts";
import { type Cycle, endOf, type PulledCycle, type Tally } from "./cycle-state.ts";
import { closeLane, isSignalLimit, limitClosure, noteLimitOf } from "./lane.ts";
import { isPreview, isRoutine, isTakenUp } from "./order.ts";
import { postpone } from "./record.ts";
import { adviceOn, adviceOnce } from "./remedy.ts";
import type { Outcome } from "./verdict.ts";
import type { Closure, Run } from "./world.ts";

/**
 * Adds a failure to a report, each once, with what a person may do about it.
 *
 * @param about - the post or issue that failed, and a code or message in the place of the failure's own.
 */
export function noteError({ errors }: Tally, failed: NotedError, about: Partial<NotedError> = {}): void {
  const { post = failed.post, issue = failed.issue, code = failed.code, message = failed.message } = about;
  const isKnown = errors.some(
    (one) => one.post === post && one.issue === issue && one.code === code && one.message === message,
  );
  if (isKnown) return;
  const { detail, retryAt } = failed;
  const advice = adviceOn({ code, detail, post, issue });
  errors.push({
    ...(post !== undefined && { post }),
    ...(issue !== undefined && { issue }),
    code,
    message,
    ...(advice !== undefined && { advice }),
    ...(retryAt !== undefined && { until: new Date(retryAt).toISOString() }),
  });
}

/** A failure as it is noted; an error of ours is one. */
export interface NotedError {
  readonly post?: string | undefined;
  readonly issue?: string | undefined;
  readonly code: string;
  readonly message: string;
  readonly detail?: FaultDetail | undefined;
  /** Epoch ms. */
  readonly retryAt?: number | undefined;
}

/** Whether a failed read only means "later": a limit of the other side, or the end of this run's time. */
export function isPutOff(error: RemoteError): boolean {
  return error.fault === "limited" || error.fault === "aborted";
}

/** What is known where a project is put off. */
type Delayed = Pick<Cycle, "world" | "project"> & { readonly run: Pick<Run, "bounds" | "order"> };

/**
 * Notes that the whole project is left to a later run; gives the reason. For what a person has ordered that is a failure, as
 * nothing of it was done: a plan must not look like one of two sides that are in step. For what the schedule asks for it is none,
 * unless a limit ends later than the project's next run, or all runs of a day were put off, since the first one of a project where
 * none came to its end: somebody has to hear of it. One of signals alone is none, either.
 */
export async function notePutOff(
  tally: Tally,
  { run, world, project }: Delayed,
  error: RemoteError,
): Promise<Closure> {
  const closure = closureBy(error, run);
  const { code, message, until } = closure;
  tally.isPutOff = true;
  tally.putOff.push(closure);
  const now = world.clock.now();
  const isOfSignals = isSignalLimit(world, error, [project.settings.repo]);
  const isLong = !isOfSignals && until !== undefined && until - now > project.periodMs(now);
  const { memory, runs } = world.ledger;
  const { lastSuccessAt = 0, doneAt = 0 } = memory.project(project.key) ?? {};
  const endedAt = Math.max(doneAt, lastSuccessAt) || ((await runs.firstAt(project.key)) ?? now);
  const isOld = now - endedAt > Math.max(dayMs, 3 * project.periodMs(now));
  const since = isOld ? `; no run since ${new Date(endedAt).toISOString()} came to its end` : "";
  if (isLong || isOld || !isRoutine(run))
    noteError(tally, { code, message: `${message}${since}.`, retryAt: until });
  return closure;
}

/**
 * Notes that signals are left to a later run, because of a limit of their own. That is no failure, however long it lasts: what can
 * be decided without them is decided. Only a plan, which has to say what it could not look at, fails of it.
 */
export function noteSignalsPutOff({ tally, run }: Pick<Cycle, "tally" | "run">, closure: Closure): void {
  const { code, message, until } = closure;
  if (isPreview(run)) noteError(tally, { code, message: `${message}.`, retryAt: until });
  tally.areSignalsPutOff = true;
  tally.putOff.push(closure);
}

/** Whether the time of the run (`budget`) was over, and nobody has asked it to stop. */
export function isOutOfTime(error: RemoteError, { bounds }: Pick<Run, "bounds">): boolean {
  return error.fault === "aborted" && !bounds.signal.aborted;
}

/** Whether it was only the time for reading that was over: what is written has its own. */
export function isReadingOver(error: unknown, { run, world }: Pick<Cycle, "run" | "world">): boolean {
  const isEnd = error instanceof RemoteError && isOutOfTime(error, run);
  return isEnd && world.clock.now() < run.startedAt + world.policy.budgetMs;
}

/** What a read that only means "later" closes its lane with. */
export function closureBy(error: RemoteError, run: Pick<Run, "bounds">): Closure {
  return error.fault === "limited" ? limitClosure(error, error.retryAt) : endOf(run);
}

/**
 * Puts the failure of a whole project into its tally. A limit, or a signal, only puts the project off; and so does the end of the
 * run's time, where other projects have used it up. Of an order that no later run takes up, the advice says that.
 *
 * @param hasAsked - whether either side was asked anything for this project.
 * @throws StateError: without the state no project can go on.
 */
export async function noteFailure(
  tally: Tally,
  delayed: Delayed,
  error: unknown,
  hasAsked: boolean,
): Promise<void> {
  const { run, world, project } = delayed;
  const { log } = world;
  if (error instanceof RemoteError && hasAsked && isOutOfTime(error, run)) {
    if (tally.errors.length === 0) noteError(tally, { code: "run.budget", message: outOfTime });
  } else if (error instanceof RemoteError && isPutOff(error)) {
    await notePutOff(tally, delayed, error);
    log.warn({ code: error.code, reason: error.message }, "Put off to a later run");
  } else if (error instanceof RemoteError || error instanceof ProjectError) {
    noteError(tally, error);
  } else {
    noteBug(tally, { project: project.key }, error, log);
  }
  if (isTakenUp(run)) return;
  for (const [index, { advice = "", ...rest }] of tally.errors.entries())
    tally.errors[index] = { ...rest, advice: adviceOnce(advice) };
}

const outOfTime =
  "The time of the run (`budget`) was over before both sides had been read, so nothing was decided.";

/** The longest part of an unexpected error's text that a report quotes; the log has all of it. */
const maxQuote = 300;

/**
 * Puts an error that nobody foresaw into the tally, for one post or for all of a project, and its stack into the log. Where
 * a request had left, its line in the journal makes the next run look up what became of it.
 *
 * @returns the failure in words.
 * @throws StateError: that is no mistake of ours, and nothing goes on without the state.
 */
export function noteBug(
  tally: Tally,
  where: { readonly project: string; readonly post?: PostId },
  error: unknown,
  log: Log,
): string {
  if (error instanceof StateError) throw error;
  log.error({ ...where, err: error }, "A mistake in boardsync: please report it with this line");
  const words = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  const quote = words.length > maxQuote ? `${words.slice(0, maxQuote).toWellFormed()}…` : words;
  const message = `A mistake in boardsync (${quote}). What had not been sent is not sent in this run, and nothing is sent twice; the next run tries again. Please report it: the log has the details.`;
  // What a mistake leads to in later steps is the same mistake.
  const isKnown = tally.errors.some(({ code, post }) => code === "internal" && post === where.post);
  if (!isKnown) noteError(tally, { post: where.post, code: "internal", message });
  return message;
}

/**
 * Does what belongs to one post. Whatever fails in it is the failure of this post alone; a limit or a refused credential also
 * ends its lane for this run, and only a state that can't be used ends more.
 *
 * @throws StateError
 */
export async function attempt<T>(
  cycle: PulledCycle,
  post: PostId,
  work: () => Promise<T>,
): Promise<T | Outcome> {
  try {
    return await work().catch((error: unknown) => noteRead(cycle, post, error));
  } catch (error) {
    return notePost(cycle, post, error);
  }
}

/**
 * The same for what asks nobody. A row that can't be decided stays due: the others go on, and the next run tries again.
 *
 * @returns undefined where it failed.
 * @throws StateError
 */
export async function attemptNow<T>(
  cycle: Cycle,
  post: PostId,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    notePost(cycle, post, error);
    return undefined;
  }
}

async function noteRead(cycle: PulledCycle, post: PostId, error: unknown): Promise<Outcome> {
  if (!(error instanceof RemoteError)) throw error;
  await noteLimitOf(cycle.world, error);
  const { code, message, fault, concerns } = error;
  if (fault === "unauthorized" && concerns === "all") closeLane(cycle.run, error, { code, message });
  if (isPutOff(error)) {
    const closure = closureBy(error, cycle.run);
    // The end of the time closes every lane by itself; that of reading closes none for what is written.
    if (fault === "limited") closeLane(cycle.run, error, closure);
    return postpone(cycle, closure);
  }
  noteError(cycle.tally, error, { post });
  return { kind: "failed", why: message };
}

function notePost({ tally, world, project }: Cycle, post: PostId, error: unknown): Outcome {
  if (!(error instanceof TemplateError)) {
    return { kind: "failed", why: noteBug(tally, { project: project.key, post }, error, world.log) };
  }
  const why = `A template of the config fails on this post, so nothing is written for it: ${error.message}. Correct the template; the next run tries again.`;
  noteError(tally, { post, code: "config.template", message: why });
  return { kind: "failed", why };
}
