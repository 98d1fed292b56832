import { isStuck } from "../../ledger/journal.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { ProjectMemory } from "../../ledger/memory.ts";
import type { RowCounts } from "../../ledger/rows.ts";
import type { BoardPull, Cycle, Tally } from "../ground/cycle-state.ts";
import { isRoutine } from "../ground/order.ts";
import type { ProjectReport } from "../ground/reports.ts";
import type { Run, World } from "../ground/world.ts";

/** A report names so many of the linked posts that the board no longer lists; `status` has them all. */
const mostMissingNamed = 20;

/** The report of one project, made of what this run did and of what the ledger says waits. @param isDone - whether it came to its end. */
export async function reportProject(
  { project, world, run, tally }: Pick<Cycle, "project" | "world" | "run" | "tally">,
  requests: ProjectReport["requests"],
  pull: BoardPull | undefined,
  isDone: boolean,
): Promise<ProjectReport> {
  const { ledger, clock } = world;
  const { repo, writes } = project.settings;
  const { created, adopted, issueWrites, postWrites, statusWrites, made, entryWrites, notified, errors } =
    tally;
  const hold = pull?.hold;
  const memory = ledger.memory.project(project.key);
  const counts = await countProject(ledger, memory, hold !== undefined);
  const ended = noteEnd(run, tally, isDone, clock.now());
  if (memory !== undefined && ended !== undefined)
    await ledger.commit([{ kind: "remember-project", memory: { ...memory, ...ended } }]);
  const lost =
    memory === undefined ? [] : await ledger.rows.waiting(memory.id, mostMissingNamed, ["missing"]);
  const { issues = 0, waiting = 0, held = 0, parked = 0, quarantined = 0, skipped = 0 } = counts ?? {};
  const isPutOff = tally.isPutOff || tally.areSignalsPutOff;
  const putOff = readPutOff(tally);
  return {
    project: project.key,
    repo,
    result: resultOf(tally, isDone, held + parked + quarantined > 0),
    posts: pull?.posts ?? 0,
    issues,
    created,
    adopted,
    issueWrites,
    postWrites,
    statusWrites,
    waiting: Math.max(waiting + tally.notesPutOff, Number(isPutOff)),
    held,
    parked,
    quarantined,
    skipped,
    failed: errors.length,
    requests,
    errors,
    ...(statusWrites > 0 && {
      voters: notified.unknown > 0 && notified.known === 0 ? null : notified.known,
    }),
    ...(made > 0 && { made }),
    ...(entryWrites > 0 && { entryWrites }),
    ...(hold !== undefined && { hold }),
    ...(lost.length > 0 && {
      missing: counts?.missing ?? 0,
      missingPosts: lost.map(({ post, title }) => ({ post, title })),
    }),
    ...(writes !== "all" && { writes }),
    ...(putOff.length > 0 && { putOff }),
  };
}

/** What is remembered of a run; undefined where it has not come to its end. */
function noteEnd(
  run: Run,
  { errors, isPutOff }: Tally,
  isDone: boolean,
  now: number,
): Partial<ProjectMemory> | undefined {
  if (!isRoutine(run)) return { orderedRun: run.number };
  if (!isDone || isPutOff) return undefined;
  return errors.length === 0 ? { lastSuccessAt: now } : { doneAt: now };
}

/** What a side that can't be reached, or refuses our key, puts into a report. */
const accessCodes: ReadonlySet<string> = new Set([
  "board.unreachable",
  "board.unauthorized",
  "tracker.unreachable",
  "tracker.unauthorized",
]);

/** What a signal has cut off is not all well, although nothing failed. */
function resultOf({ errors, putOff }: Tally, isDone: boolean, isWaiting: boolean): ProjectReport["result"] {
  if (!isDone && errors.some(({ code }) => accessCodes.has(code))) return "failed";
  if (errors.length > 0 || putOff.some(({ code }) => code === "run.stopped")) return "partial";
  return isWaiting ? "held" : "ok";
}

/** Each reason once. What is among the errors is no mere delay. */
function readPutOff({ putOff, errors }: Tally): NonNullable<ProjectReport["putOff"]> {
  const mere = putOff.filter(({ code }) => !errors.some((error) => error.code === code));
  const each = new Map(mere.map((one) => [`${one.code} ${one.message}`, one]));
  return [...each.values()].map(({ code, message, until, budget }) => ({
    code,
    message,
    ...(until !== undefined && { until: new Date(until).toISOString() }),
    ...(budget !== undefined && { budget }),
  }));
}

/** What both sides were asked since; the board by its tools, too. */
export function countRequests(
  { board, tools, tracker }: World,
  since: ProjectReport["requests"] = { board: 0, tracker: 0 },
): ProjectReport["requests"] {
  const asked = board.requests + (tools?.requests ?? 0);
  return { board: asked - since.board, tracker: tracker.requests - since.tracker };
}

/**
 * What waits in a project, for all who tell of it. To what its posts count is added what is no post's: drafts of its changelog that
 * are held, calls of the board's tools that are stuck, and the hold of the project as a whole.
 *
 * @param memory - undefined where it never ran.
 * @param isHeld - whether its last run held it as a whole.
 */
export async function countProject(
  { rows, toolCalls }: Pick<Ledger, "rows" | "toolCalls">,
  memory: ProjectMemory | undefined,
  isHeld: boolean,
): Promise<RowCounts | undefined> {
  if (memory === undefined) return undefined;
  const { held, approvable, parked, ...counts } = await rows.counts(memory.id);
  const drafts = memory.changelog?.entries.filter((entry) => entry.held !== undefined).length ?? 0;
  const stuck = (await toolCalls.unsettled(memory.id)).filter(isStuck).length;
  return {
    ...counts,
    held: Math.max(held, Number(isHeld)) + drafts,
    approvable: Math.max(approvable, Number(isHeld)) + drafts,
    parked: parked + stuck,
  };
}
