import { decide } from "./decide/decide.ts";
import { planContext } from "./ground/context.ts";
import { type Cycle, type PulledCycle, startTally } from "./ground/cycle-state.ts";
import { checkLimits, noteLimitOf } from "./ground/limits.ts";
import { noteFailure, reportProject } from "./ground/report.ts";
import type {
  CarriedAction,
  PlannedAction,
  ProjectReport,
  Run,
  SavedProject,
  SyncProject,
  World,
} from "./ground/world.ts";
import { applySaved } from "./orders/apply-saved.ts";
import { saveNotes } from "./orders/plan-file.ts";
import { undoRun } from "./orders/undo.ts";
import { adoptNamed } from "./past/adopt-named.ts";
import { takeLinks } from "./past/link-requests.ts";
import { rebase } from "./past/rebase.ts";
import { endOldWrites, recoverPairs } from "./past/recover.ts";
import { resolveUnknown } from "./past/resolve.ts";
import { identify } from "./read/identify.ts";
import { pullBoard } from "./read/pull-board.ts";
import { pullTracker } from "./read/pull-tracker.ts";
import { repositoryNames } from "./read/repositories.ts";
import { pullSignals } from "./read/signals/pull-signals.ts";
import { apply } from "./write/apply.ts";
import { decideNotes, writeNotes } from "./write/backlinks.ts";

/** What a cycle has to say: the report of its project, and what it planned. */
export interface CycleResult {
  readonly report: ProjectReport;
  readonly planned: readonly PlannedAction[];
  /** Of mode `plan`: what a file keeps of it. */
  readonly saved: SavedProject | undefined;
  readonly carried: readonly CarriedAction[];
  /** Whether both sides were reached and the project could be decided at all. */
  readonly isDone: boolean;
}

/**
 * One project, once: pull → plan → guard → apply → record. The same for `plan`, `sync` and the daemon. What fails is in
 * the report; only an unusable state is thrown.
 */
export async function runCycle(project: SyncProject, world: World, run: Run): Promise<CycleResult> {
  const tally = startTally();
  const before = { board: world.board.requests, tracker: world.tracker.requests };
  let isDone = false;
  try {
    checkLimits(world, repositoryNames(project.settings));
    const cycle = await identify(project, world, run, tally);
    await rebase(cycle);
    const pulled = await pull(cycle);
    endOldWrites(pulled);
    await resolveUnknown(pulled);
    // After that, so that an issue whose opening was in doubt is read like those that were linked before.
    await pullSignals(pulled);
    await adoptNamed(pulled);
    await recoverPairs(pulled);
    await takeLinks(pulled);
    if (run.undo === undefined) await planAndApply(pulled);
    else await undoRun(pulled, run.undo);
    isDone = true;
  } catch (error) {
    noteLimitOf(world, error);
    const hasAsked = world.board.requests > before.board || world.tracker.requests > before.tracker;
    noteFailure(tally, { run, world, project }, error, hasAsked);
  }
  const report = reportProject(project, world, run, tally, before, isDone);
  const { planned, saved, carried } = tally;
  return { report, planned, saved, carried, isDone };
}

async function planAndApply(pulled: PulledCycle): Promise<void> {
  const wanted = await decide(pulled);
  const notes = decideNotes(pulled, wanted);
  if (pulled.run.mode === "sync") {
    await apply(pulled, wanted);
    await writeNotes(pulled, notes);
  }
  if (pulled.run.mode === "plan") saveNotes(pulled, notes);
  if (pulled.run.mode === "apply") await applySaved(pulled, wanted, notes);
}

async function pull(cycle: Cycle): Promise<PulledCycle> {
  const board = await pullBoard(cycle);
  const repositories = await pullTracker(cycle);
  return planContext({ ...cycle, repositories }, board);
}
