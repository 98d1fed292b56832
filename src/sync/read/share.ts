import type { Row } from "../../model/link.ts";
import { isAllowed } from "../../plan/ground/obstacle.ts";
import type { Cycle } from "../ground/cycle-state.ts";
import { isRoutine, namesActions, takesAsItIs } from "../ground/order.ts";
import { dueRows } from "../ground/rows.ts";
import { isLetGoByPerson } from "../ground/standing.ts";
import { type Run, repositoryNames, type SyncProject, type World } from "../ground/world.ts";
import { isListOpen } from "./read-list.ts";

/**
 * Reading takes at most this part of what is left of the run, while something is known that could be written: else a list
 * that is longer than a run's time would leave none to any write, run after run.
 */
const readingPart = 1 / 2;
/** What comes first takes this part of that: what is read after it is needed for any write. */
const firstPart = 3 / 4;
/** Where one slow page has used up all of it, or nothing is known yet, the tracker is looked at for this part of the rest. */
const leastPart = 1 / 4;

/**
 * How long a project may read, as the run that those see who read: as long as it lasts where nothing is known that could be written.
 *
 * @returns `rest`: for what is read once the board's list is.
 */
export async function shareTime(project: SyncProject, world: World, run: Run) {
  const { clock } = world;
  const now = clock.now();
  const whole = run.bounds.until - now;
  const until = (end: number): Run => ({ ...run, bounds: { ...run.bounds, until: Math.floor(end) } });
  if (!(await isAnythingKnown(project, world, run))) {
    // A list that took all of it would be read anew by every run, and the tracker by none.
    return { board: isRoutine(run) ? until(now + whole * (1 - leastPart)) : run, rest: () => run };
  }
  return {
    board: until(now + whole * readingPart * firstPart),
    rest: () => {
      // Before all marks of a repository are known no issue is opened there, and that search begins anew in every run.
      const names = repositoryNames(project.settings);
      const { memory } = world.ledger;
      if (names.some((name) => memory.repository(name)?.scannedAt === undefined)) return run;
      const then = clock.now();
      return until(Math.max(now + whole * readingPart, then + (run.bounds.until - then) * leastPart));
    },
  };
}

/** The run for a read that can be left to another run: where reading has a share only, the reads behind it need some of that. */
export function partOfReading({ run, world: { clock, policy } }: Pick<Cycle, "run" | "world">): Run {
  const { until } = run.bounds;
  if (until >= run.startedAt + policy.budgetMs) return run;
  const now = clock.now();
  return { ...run, bounds: { ...run.bounds, until: Math.floor(now + (until - now) * firstPart) } };
}

/**
 * Whether there is something from before this run that it could write: an order of a person, or a row that is due and not held.
 * A list of which earlier runs have read a part is as good as that: what this part shows has to be written in this run, too.
 */
async function isAnythingKnown({ key, settings }: SyncProject, world: World, run: Run): Promise<boolean> {
  const { ledger } = world;
  const memory = ledger.memory.project(key);
  if (memory === undefined || takesAsItIs(run) || !isAllowed({ kind: "create-issue" }, settings))
    return false;
  if (
    namesActions(run) ||
    isListOpen(world, memory.id) ||
    (await ledger.requests.pending(memory.id)).length > 0
  )
    return true;
  for await (const { rows } of dueRows(world, memory.id, run)) {
    // What a person has to let go, or nobody can decide, is due in every run.
    const mayBeWritten = ({ notes = [] }: Row): boolean =>
      notes.every((note) => !isLetGoByPerson(note) && note.kind !== "undecided");
    if (rows.some(mayBeWritten)) return true;
  }
  return false;
}
