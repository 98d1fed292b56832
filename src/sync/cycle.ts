import { keepChangelog } from "./changelog.ts";
import { decide } from "./decide/decide.ts";
import { planContext } from "./ground/context.ts";
import { type BoardPull, type PulledCycle, startTally } from "./ground/cycle-state.ts";
import type { EntryWork } from "./ground/entries.ts";
import { checkLimits, noteLimitOf } from "./ground/lane.ts";
import { isPreview } from "./ground/order.ts";
import { noteFailure } from "./ground/report.ts";
import type { CarriedAction, PlannedAction, ProjectReport, SavedProject } from "./ground/reports.ts";
import { isFree } from "./ground/verdict.ts";
import { type Run, repositoryNames, type SyncProject, type World } from "./ground/world.ts";
import { applySaved, tellUnapplied } from "./orders/apply-saved.ts";
import { takeLinks } from "./orders/link-requests.ts";
import { undoRun } from "./orders/undo.ts";
import { rebase, rebaseMeanings, usedCategories } from "./past/rebase.ts";
import { endOldWrites, recoverPairs } from "./past/recover.ts";
import { resolveUnknown } from "./past/resolve.ts";
import { resolveImports } from "./past/resolve-imports.ts";
import { identify } from "./read/identify.ts";
import { followPosts } from "./read/namesakes.ts";
import { pullBoard } from "./read/pull-board.ts";
import { pullCategories } from "./read/pull-categories.ts";
import { pinKnown, pullNames } from "./read/pull-names.ts";
import { pullTracker } from "./read/pull-tracker.ts";
import { shareTime } from "./read/share.ts";
import { pullSignals } from "./read/signals/pull-signals.ts";
import { tellKnown, tellPlan, withNotes } from "./tell/plan.ts";
import { countRequests, reportProject } from "./tell/project-report.ts";
import { decideNotes, type NoteWrite, writeNotes } from "./write/note.ts";
import { write } from "./write/write.ts";

/** What a cycle tells beside its report, by what it was ordered to do. */
interface ToldBeside {
  /** Of a plan. */
  readonly planned?: readonly PlannedAction[];
  /** Of a plan, and of a look at an undo: what a file keeps of it. */
  readonly saved?: SavedProject | undefined;
  /** Of a plan: what is asked of the board's changelog. */
  readonly entries?: readonly EntryWork[];
  /** Of a saved plan, or an undo: what became of each action. */
  readonly carried?: readonly CarriedAction[];
}

/** What a cycle has to say. */
export interface CycleResult extends ToldBeside {
  readonly report: ProjectReport;
  /** Whether both sides were reached and the project could be decided at all. */
  readonly isDone: boolean;
}

/**
 * One project, once: read → settle what is past → decide → guard → write → tell. The same for every order. What fails is in
 * the report; only an unusable state is thrown.
 */
export async function runCycle(project: SyncProject, world: World, run: Run): Promise<CycleResult> {
  const tally = startTally();
  const before = countRequests(world);
  let pull: BoardPull | undefined;
  let told: ToldBeside | undefined;
  try {
    await checkLimits(world, repositoryNames(project.settings));
    const time = await shareTime(project, world, run);
    const found = await identify(project, world, time.board, tally);
    // A new rule may name what is known already: then it is nothing that was never seen.
    await pinKnown(found);
    await rebase(found);
    const used = await usedCategories(found);
    pull = await pullBoard(found);
    const named = await pullCategories(found, pull);
    await rebaseMeanings(named, pull, used);
    await followPosts(named, pull);
    const read = await pullTracker({ ...named, run: time.rest() });
    const cycle = await planContext({ ...named, run: time.rest(), ...read }, pull);
    told = await workOn({ ...(await finishPast(cycle)), run });
  } catch (error) {
    await noteLimitOf(world, error);
    const { board, tracker } = countRequests(world, before);
    await noteFailure(tally, { run, world, project }, error, board + tracker > 0);
  }
  const isDone = told !== undefined;
  // Of a project that could not be looked at, or not be decided.
  told ??= isPreview(run)
    ? { planned: await tellKnown(project, world, run, tally) }
    : { carried: tellUnapplied(project, run, tally) };
  const requests = countRequests(world, before);
  const report = await reportProject({ project, world, run, tally }, requests, pull, isDone);
  return { ...told, report, isDone };
}

/** Whatever is left of earlier runs, of an earlier life of the state, and of what people asked for about links. */
async function finishPast(cycle: PulledCycle): Promise<PulledCycle> {
  await endOldWrites(cycle);
  await resolveUnknown(cycle);
  await resolveImports(cycle);
  // After that, so that an issue whose opening was in doubt is read like those that were linked before.
  await pullSignals(cycle);
  const named = { ...cycle, unread: await pullNames(cycle) };
  await recoverPairs(named);
  await takeLinks(named);
  return named;
}

async function workOn(cycle: PulledCycle): Promise<ToldBeside> {
  const { order } = cycle.run;
  if (order.kind === "undo") return undoRun(cycle, order);
  const { judged, following } = await decide(cycle);
  const plan = order.kind === "plan" ? await tellPlan(cycle, judged, following) : undefined;
  const notes = (): Promise<readonly NoteWrite[]> => decideNotes(cycle, judged);
  switch (order.kind) {
    case "plan":
      return { ...(plan && withNotes(plan, await notes())), entries: await keepChangelog(cycle) };
    case "adopt":
      await keepChangelog(cycle);
      return {};
    case "apply":
      return { carried: await applySaved(cycle, judged, await notes()) };
    case "sync":
      await write(cycle, judged.filter(isFree));
      // A key that may not write notes ends what goes to the board for this project.
      await keepChangelog(cycle);
      // A write may find out that a repository has another name by now.
      await writeNotes(cycle, await notes());
      return {};
  }
}
