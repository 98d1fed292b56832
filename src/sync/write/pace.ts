import { OutdatedError } from "../../errors.ts";
import type { SentChange } from "../../ledger/change.ts";
import type { Backlog } from "../../ledger/journal.ts";
import type { Ledger, Sent, SentOf } from "../../ledger/ledger.ts";
import type { ProjectId } from "../../model/post.ts";
import { dayMs, hourMs } from "../../model/time.ts";
import {
  estimateEnd,
  isTooFar,
  type NextWrite,
  nextWriteAt,
  type PaceLimits,
  partOf,
  timesOf,
} from "../../plan/pace.ts";
import { inOrder, sum } from "../../select.ts";
import { isOpen, type PulledCycle } from "../ground/cycle-state.ts";
import { closeLane, type Lane } from "../ground/lane.ts";
import { isPreview, isRoutine } from "../ground/order.ts";
import type { Judged, Outcome } from "../ground/verdict.ts";

/** What other projects have left to write is read anew after so long: it changes once a run of theirs. */
const othersMs = 5000;

/** So often others may be quicker; each time it is looked at anew when the next write may leave. */
const mostAttempts = 100;

/** So many of the last writes tell whether others have written, too: an hour may have seen very many. */
const mostSeen = 100;

/** Whether a write opens an issue: these have limits of their own. */
export type PacedKind = "create" | "other";

/**
 * Waits until the tracker's pace allows one more write. The interval and the minute's limit are waited out; the hour's limit,
 * the budget and a signal end the lane for this run, and a used-up part of the hour ends it for this project. Nothing is taken yet: what the write is made of is read after this wait, and may show that none is needed.
 *
 * @returns false when nothing may be sent in this run any more.
 */
export async function awaitPace(cycle: PulledCycle, lane: Lane, kind: PacedKind): Promise<boolean> {
  const { clock, policy } = cycle.world;
  for (;;) {
    if (!isOpen(cycle, lane)) return false;
    const now = clock.now();
    const { until, signal } = cycle.run.bounds;
    const recent = await readRecent(cycle, lane, now);
    const next = nextWriteAt(recent, kind, policy.pace, now);
    const own = nextOwnWrite(await ownPart(cycle, lane, now), kind, now);
    if (isTooFar(next, now, until)) {
      const message = `the pace allows no more writes to the tracker before ${new Date(next.at).toISOString()}`;
      closeLane(cycle.run, lane, { code: "tracker.pace", message, until: next.at });
    } else if (isTooFar(own, now, until)) {
      const message = "other projects share the pace of this token, and it is their turn";
      closeLane(cycle.course, lane, { code: "tracker.pace", message });
    } else {
      const at = Math.max(next.at, own.at);
      if (at <= now) return true;
      await clock.sleep(at - now, signal);
    }
  }
}

/**
 * Waits like `awaitPace`, which mostly has been done by now, and writes down that a write is about to leave.
 *
 * @param also what is recorded as one with that, of a time in epoch ms.
 * @returns undefined when nothing may be sent in this run any more.
 */
export async function takePace(
  cycle: PulledCycle,
  { lane, kind, of }: { readonly lane: Lane; readonly kind: PacedKind; readonly of: SentOf },
  also: (at: number) => readonly SentChange[],
): Promise<Sent | undefined> {
  const { ledger, clock } = cycle.world;
  const { budget } = lane;
  const isCreate = kind === "create";
  for (let attempt = 1; await awaitPace(cycle, lane, kind); attempt += 1) {
    const at = clock.now();
    const recent = await readRecent(cycle, lane, at);
    const seen = seenOf(recent.all, at);
    let sent: Sent;
    try {
      const paced = { kind: "pace-write", at, isCreate, budget, project: cycle.memory.id, seen } as const;
      sent = await ledger.commitSent([paced, ...also(at)], of);
    } catch (error) {
      if (!(error instanceof OutdatedError) || attempt === mostAttempts) throw error;
      cycle.run.recent.delete(budget);
      continue;
    }
    recent.all.push(at);
    if (isCreate) recent.creates.push(at);
    return sent;
  }
  return undefined;
}

/** How many of the writes that are known were made since a time, which is an hour ago, or when the last hundred of them began. */
function seenOf(known: readonly number[], now: number): { readonly since: number; readonly writes: number } {
  const last = known.slice(-mostSeen);
  const since = last.length < mostSeen ? now - hourMs : Math.min(...last, now);
  return { since, writes: known.length - 1 - known.findLastIndex((time) => time < since) };
}

/** What the tracker was sent in the last hour, of all projects. In a plan what would be sent of those before is among it. */
export async function readRecent({ world, run }: PulledCycle, { budget }: Lane, now: number) {
  const known = run.recent.get(budget);
  if (known !== undefined) return known;
  const recent = timesOf(await world.ledger.pace.writes(now - hourMs, budget));
  run.recent.set(budget, recent);
  return recent;
}

/** A project's part of the hour, and what it has written in the last one. */
export interface OwnPart {
  readonly limits: PaceLimits;
  readonly recent: ReturnType<typeof timesOf>;
}

/**
 * The project's own part of the hour: while others wait, each has an equal one, so that five posts do not wait for five thousand.
 * undefined where nobody else waits; and what a person has ordered waits for nobody.
 */
export async function ownPart(
  { world, run, course, memory }: PulledCycle,
  { budget }: Lane,
  now: number,
): Promise<OwnPart | undefined> {
  const { ledger, policy } = world;
  if (!isRoutine(run) && !isPreview(run)) return undefined;
  const named = policy.projectKeys.map((key) => ledger.memory.project(key)?.id);
  if (course.others === undefined || Math.abs(now - course.others.at) >= othersMs)
    course.others = { at: now, backlogs: await ledger.pace.backlogs() };
  const others = othersIn(course.others.backlogs, { project: memory.id, budget }, now).filter(({ project }) =>
    named.includes(project),
  );
  if (others.length === 0) return undefined;
  const own = (await ledger.pace.writes(now - hourMs, budget)).filter(({ project }) => project === memory.id);
  return { limits: partOf(policy.pace, others.length + 1), recent: timesOf(own) };
}

/** When the project's part allows a write: at once where it has none of its own. */
export function nextOwnWrite(part: OwnPart | undefined, kind: PacedKind, now: number): NextWrite {
  return part === undefined ? { at: now, limit: "none" } : nextWriteAt(part.recent, kind, part.limits, now);
}

/**
 * Remembers what this run leaves because a budget of the tracker takes nothing more in it, and says how far an import is and
 * when it will be done.
 */
export async function noteBacklogs(
  cycle: PulledCycle,
  outcomes: ReadonlyMap<Judged, Outcome>,
): Promise<void> {
  const { world, memory, project, run } = cycle;
  const { ledger } = world;
  const now = world.clock.now();
  const known = await readOwn(ledger, memory.id);
  const ended = [...outcomes].flatMap(([{ kind, lanes }, { kind: end }]) =>
    lanes.flatMap(({ side, budget }) => (side === "tracker" ? [{ kind, budget, end }] : [])),
  );
  for (const budget of new Set([...ended, ...known].map((one) => one.budget))) {
    const own = ended.filter((one) => one.budget === budget);
    const waiting = isOpen(cycle, { side: "tracker", budget }) ? [] : own.filter(({ end }) => end === "wait");
    const ofCreates = waiting.filter(({ kind }) => kind === "create-issue").length;
    const created = own.filter(({ kind, end }) => kind === "create-issue" && end === "done").length;
    const before = known.find((one) => one.budget === budget);
    // An order that names its actions leaves all the others.
    const rest = isRoutine(run) ? undefined : before;
    const creates = Math.max(ofCreates, (rest?.creates ?? 0) - created);
    const others = Math.max(waiting.length - ofCreates, rest?.others ?? 0);
    if (creates + others === 0 && before === undefined) continue;
    const left = { creates, others, created };
    await ledger.commit([{ kind: "note-backlog", project: memory.id, budget, left, at: now }]);
  }
  const progress = await readImport({ ledger, pace: world.policy.pace }, memory.id, now);
  if (progress === undefined) return;
  const doneAt = new Date(progress.doneAt).toISOString();
  world.log.info({ run: run.number, project: project.key, ...progress, doneAt }, "Import goes on");
}

/** What other projects have left that share a pace. One that has not run for a day holds up nobody. */
export function othersIn(
  backlogs: readonly Backlog[],
  { project, budget }: Pick<Backlog, "project" | "budget">,
  now: number,
): readonly Backlog[] {
  return backlogs.filter((one) => one.budget === budget && one.project !== project && now - one.at < dayMs);
}

/**
 * How far the import of a project was when its last run ended; undefined where no issues are left to be opened.
 *
 * @returns `done`: issues opened since there was more to open than one run could. `doneAt`: when the last one will be opened by the
 *   pace that holds, epoch ms.
 */
export async function readImport({ ledger, pace }: Sources, project: ProjectId, now: number) {
  const own = (await readOwn(ledger, project)).filter(({ creates }) => creates > 0);
  if (own.length === 0) return undefined;
  const done = sum(own.map(({ created }) => created));
  return {
    done,
    total: done + sum(own.map(({ creates }) => creates)),
    doneAt: Math.max(...(await inOrder(own, (backlog) => estimate({ ledger, pace }, backlog, now)))),
  };
}

/** When so many more issues will have been opened, epoch ms: others that share the pace open as many meanwhile. */
export async function estimate(
  { ledger, pace }: Sources,
  whose: Pick<Backlog, "project" | "budget" | "creates">,
  now: number,
): Promise<number> {
  const others = othersIn(await ledger.pace.backlogs(), whose, now);
  const recent = timesOf(await ledger.pace.writes(now - hourMs, whose.budget));
  const between = sum(others.map(({ creates }) => Math.min(creates, whose.creates)));
  return estimateEnd(recent, whose.creates + between, pace, now);
}

interface Sources {
  readonly ledger: Ledger;
  readonly pace: PaceLimits;
}

async function readOwn(ledger: Ledger, project: ProjectId): Promise<readonly Backlog[]> {
  return (await ledger.pace.backlogs()).filter((one) => one.project === project);
}
