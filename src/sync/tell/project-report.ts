import { isStuck } from "../../ledger/journal.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { ProjectMemory } from "../../ledger/memory.ts";
import type { RowCounts } from "../../ledger/rows.ts";
import type { BoardPull, Tally } from "../ground/cycle-state.ts";
import { isRoutine } from "../ground/order.ts";
import type { ProjectReport } from "../ground/reports.ts";
import type { Run, SyncProject, World } from "../ground/world.ts";

/** A report names so many of the linked posts that the board no longer lists; `status` has them all. */
const mostMissingNamed = 20;

/** The report of one project, made of what this run did and of what the ledger says waits. */
export async function reportProject(
  project: SyncProject,
  world: World,
  run: Run,
  tally: Tally,
  before: { readonly board: number; readonly tracker: number },
  { pull, isDone }: { readonly pull: BoardPull | undefined; readonly isDone: boolean },
): Promise<ProjectReport> {
  const { ledger, tracker, clock } = world;
  const memory = ledger.memory.project(project.key);
  const counts = await countProject(ledger, memory, pull?.hold !== undefined);
  const ended = noteEnd(run, tally, isDone, clock.now());
  if (memory !== undefined && ended !== undefined)
    await ledger.commit([{ kind: "remember-project", memory: { ...memory, ...ended } }]);
  const lost =
    memory === undefined ? [] : await ledger.rows.waiting(memory.id, mostMissingNamed, ["missing"]);
  const { held = 0, parked = 0, quarantined = 0 } = counts ?? {};
  const waiting = (counts?.waiting ?? 0) + tally.notesPutOff;
  return {
    project: project.key,
    repo: project.settings.repo,
    result: resultOf(tally, isDone, held + parked + quarantined > 0),
    posts: pull?.posts ?? 0,
    issues: counts?.issues ?? 0,
    created: tally.created,
    adopted: tally.adopted,
    issueWrites: tally.issueWrites,
    postWrites: tally.postWrites,
    statusWrites: tally.statusWrites,
    waiting: Math.max(waiting, Number(tally.isPutOff || tally.areSignalsPutOff)),
    held,
    parked,
    quarantined,
    skipped: counts?.skipped ?? 0,
    failed: tally.errors.length,
    requests: { board: boardRequests(world) - before.board, tracker: tracker.requests - before.tracker },
    errors: tally.errors,
    ...(tally.statusWrites > 0 && {
      voters: tally.notified.unknown > 0 && tally.notified.known === 0 ? null : tally.notified.known,
    }),
    ...(tally.made > 0 && { made: tally.made }),
    ...(tally.entryWrites > 0 && { entryWrites: tally.entryWrites }),
    ...(pull?.hold !== undefined && { hold: pull.hold }),
    ...(counts !== undefined &&
      lost.length > 0 && {
        missing: counts.missing,
        missingPosts: lost.map(({ post, title }) => ({ post, title })),
      }),
    ...(project.settings.writes !== "all" && { writes: project.settings.writes }),
    ...readPutOff(tally),
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
function readPutOff({ putOff, errors }: Tally): Pick<ProjectReport, "putOff"> {
  const mere = putOff.filter(({ code }) => !errors.some((error) => error.code === code));
  if (mere.length === 0) return {};
  const each = new Map(
    mere.map(({ code, message, until, budget }) => [
      `${code} ${message}`,
      {
        code,
        message,
        ...(until !== undefined && { until: new Date(until).toISOString() }),
        ...(budget !== undefined && { budget }),
      },
    ]),
  );
  return { putOff: [...each.values()] };
}

/** What the board was asked for so far, by its tools, too. */
export function boardRequests({ board, tools }: Pick<World, "board" | "tools">): number {
  return board.requests + (tools?.requests ?? 0);
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
