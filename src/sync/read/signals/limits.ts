import { RemoteError } from "../../../errors.ts";
import type { SignalledIssue } from "../../../ledger/pulls.ts";
import type { IssueRef, RepositoryName } from "../../../model/issue.ts";
import { type Cycle, issueKey } from "../../ground/cycle-state.ts";
import { isSignalLimit, noteLimitOf, signalLimitOf } from "../../ground/limits.ts";
import { closureBy, isReadingOver, noteSignalsPutOff } from "../../ground/report.ts";
import type { Closure } from "../../ground/world.ts";

/**
 * Asks for issues, but for those whose signals a limit of their own, or the end of the time for reading, puts off: these wait,
 * and all the rest of the run goes on.
 *
 * @returns the issues that were asked for.
 */
export async function workWithinLimits(
  cycle: Cycle,
  issues: readonly SignalledIssue[],
  work: (issues: readonly SignalledIssue[]) => Promise<void>,
): Promise<readonly SignalledIssue[]> {
  let open = await withoutLimited(cycle, issues);
  while (open.length > 0) {
    try {
      await work(open);
      return open;
    } catch (error) {
      const names = open.map(({ issue }) => nameOfRepository(cycle, issue));
      const isLater = isSignalLimit(cycle.world, error, names) || isReadingOver(error, cycle);
      if (!(error instanceof RemoteError) || !isLater) throw error;
      await noteLimitOf(cycle.world, error);
      const rest = await withoutLimited(cycle, open);
      // A field of an owner that has none of these issues is what can't be asked for.
      if (rest.length === open.length) putOffSignals(cycle, open, closureBy(error, cycle.run));
      open = rest.length === open.length ? [] : rest;
    }
  }
  return [];
}

async function withoutLimited(
  cycle: Cycle,
  issues: readonly SignalledIssue[],
): Promise<readonly SignalledIssue[]> {
  const byRepository = Map.groupBy(issues, ({ issue }) => nameOfRepository(cycle, issue));
  const limited = new Set<RepositoryName>();
  for (const [name, some] of byRepository) {
    const closure = await signalLimitOf(cycle.world, name);
    if (closure === undefined) continue;
    limited.add(name);
    putOffSignals(cycle, some, closure);
  }
  return issues.filter(({ issue }) => !limited.has(nameOfRepository(cycle, issue)));
}

function putOffSignals(cycle: Cycle, issues: readonly SignalledIssue[], closure: Closure): void {
  for (const { issue } of issues) {
    cycle.course.unasked.set(issueKey(issue), closure);
    cycle.course.stale.add(issueKey(issue));
  }
  noteSignalsPutOff(cycle, closure);
}

function nameOfRepository({ world: { ledger } }: Cycle, { repositoryId }: IssueRef): RepositoryName {
  return ledger.memory.repositoryById(repositoryId)?.repository.name ?? "";
}
