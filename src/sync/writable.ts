import type { RepositoryMemory } from "../ledger/memory.ts";
import type { Action } from "../plan/action.ts";
import type { WriteOutcome } from "../tracker/tracker.ts";
import type { PulledCycle } from "./cycle-state.ts";
import { askAgain, asProjectError } from "./find-repository.ts";
import { postpone } from "./record.ts";
import { noteError } from "./report.ts";
import type { Closure } from "./world.ts";

type AnyAction = Pick<Action, "post" | "kind">;

/**
 * Asks for a repository once a run, before the first write to its issues: whether it is still the same, not archived, with
 * its issues on, and as private as it was. Where it can't be written to, the action waits, and that is said once a run.
 *
 * @returns the repository as it is now; undefined when the action waits.
 */
export async function openForWrites(
  cycle: PulledCycle,
  known: RepositoryMemory,
  action: AnyAction,
): Promise<RepositoryMemory | undefined> {
  const { ledger, policy } = cycle.world;
  const { id } = known.repository;
  const current = (): RepositoryMemory => ledger.memory.repositoryById(id) ?? known;
  if (!cycle.tally.gates.has(id)) {
    const beganAt = cycle.run.bounds.until - policy.budgetMs;
    const isFresh = current().checkedAt >= beganAt;
    const closure = isFresh ? closureOf(current()) : await ask(cycle, known);
    cycle.tally.gates.set(id, { closure, isSecond: false });
  }
  const closure = cycle.tally.gates.get(id)?.closure;
  if (closure === undefined) return current();
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
  const { gates } = cycle.tally;
  const { id } = known.repository;
  if (gates.get(id)?.isSecond !== true) {
    gates.set(id, { closure: await ask(cycle, known), isSecond: true });
  }
  const closure = gates.get(id)?.closure;
  if (closure === undefined) return false;
  wait(cycle, action, closure);
  return true;
}

async function ask(cycle: PulledCycle, known: RepositoryMemory): Promise<Closure | undefined> {
  try {
    return closureOf(await askAgain(known, cycle.world, cycle.run));
  } catch (error) {
    const { code, message } = asProjectError(error);
    return { code, message };
  }
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
