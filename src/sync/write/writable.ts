import type { RepositoryMemory } from "../../ledger/memory.ts";
import type { Action } from "../../plan/action.ts";
import type { WriteOutcome } from "../../tracker/tracker.ts";
import type { PulledCycle } from "../ground/cycle-state.ts";
import { isLookedAt, lookOnce } from "../ground/looks.ts";
import { postpone } from "../ground/record.ts";
import { noteError } from "../ground/report.ts";
import type { Closure } from "../ground/world.ts";
import { askAgain, asProjectError } from "../read/find-repository.ts";

type AnyAction = Pick<Action, "post" | "kind">;

/**
 * Asks for a repository once a run, before the first write of any project to its issues: whether it is still the same, not archived, with
 * its issues on, and as private as it was. Where it can't be written to, the action waits, and that is said once a run.
 *
 * @returns the repository as it is now; undefined when the action waits.
 */
export async function openForWrites(
  cycle: PulledCycle,
  known: RepositoryMemory,
  action: AnyAction,
): Promise<RepositoryMemory | undefined> {
  const current = currentMemory(cycle, known);
  const beganAt = cycle.run.bounds.until - cycle.world.policy.budgetMs;
  const isFresh = current.checkedAt >= beganAt && !isLookedAt(cycle, lookOf(known, "second"));
  const closure = isFresh ? closureOf(current) : await ask(cycle, known);
  if (closure === undefined) return currentMemory(cycle, known);
  wait(cycle, action, closure);
  return undefined;
}

/**
 * A write was refused: perhaps because of the repository, which may have been archived, or lost its issues, a moment ago.
 * Then the refusal is none of this write's, and it waits like every other one. Asked once a run.
 */
export async function isClosedNow(
  cycle: PulledCycle,
  known: RepositoryMemory,
  action: AnyAction,
  outcome: WriteOutcome,
): Promise<boolean> {
  if (outcome.kind !== "rejected" || ![403, 404, 410].includes(outcome.status)) return false;
  const closure = await ask(cycle, known, "second");
  if (closure === undefined) return false;
  wait(cycle, action, closure);
  return true;
}

/** The second look of a run is there for a refusal, and what it has shown counts from then on. */
type Turn = "first" | "second";

async function ask(
  cycle: PulledCycle,
  known: RepositoryMemory,
  turn: Turn = isLookedAt(cycle, lookOf(known, "second")) ? "second" : "first",
): Promise<Closure | undefined> {
  try {
    await lookOnce(cycle, lookOf(known, turn), () => askAgain(known, cycle.world, cycle.run));
    return closureOf(currentMemory(cycle, known));
  } catch (error) {
    const { code, message } = asProjectError(error);
    return { code, message };
  }
}

function lookOf({ repository: { id } }: RepositoryMemory, turn: Turn): string {
  return `${turn} look before writes to ${id}`;
}

function currentMemory({ world: { ledger } }: PulledCycle, known: RepositoryMemory): RepositoryMemory {
  return ledger.memory.repositoryById(known.repository.id) ?? known;
}

/** Reading goes on there, and so do the board's writes; only what would be written to its issues waits. */
function closureOf({ name, repository }: RepositoryMemory): Closure | undefined {
  if (repository.isArchived) {
    const message = `The repository ${name} is archived, so nothing can be written to its issues: that waits until it is unarchived.`;
    return { code: "tracker.archived", message };
  }
  if (repository.hasIssues) return undefined;
  const message = `Issues are switched off in ${name}. Switch them on in the repository's settings; what is to be written there waits.`;
  return { code: "tracker.no-issues", message };
}

function wait(cycle: PulledCycle, action: AnyAction, closure: Closure): void {
  noteError(cycle.tally, closure);
  postpone(cycle, action, closure.message);
}
