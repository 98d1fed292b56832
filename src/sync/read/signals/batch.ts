import { RemoteError } from "../../../errors.ts";
import type { SignalledIssue } from "../../../ledger/pulls.ts";
import type { Issue, IssueRef, RepositoryName } from "../../../model/issue.ts";
import type { ProjectId } from "../../../model/post.ts";
import { type Cycle, noteStale } from "../../ground/cycle-state.ts";
import { checkSignalLimits, isSignalLimit, noteLimitOf, signalLimitOf } from "../../ground/lane.ts";
import { closureBy, isPutOff, isReadingOver, noteSignalsPutOff } from "../../ground/report.ts";
import type { Closure } from "../../ground/world.ts";

/** The tracker answers for this many issues in one request. */
const issuesPerRequest = 100;

/** The linked issues of a project that can be relied on, as many at a time as a request takes, in their order. @param after the issue behind which they begin. */
export async function* linkedPages(
  { world: { ledger } }: Cycle,
  project: ProjectId,
  only?: "duplicates",
  after?: IssueRef,
): AsyncGenerator<readonly SignalledIssue[]> {
  for (;;) {
    const found = await ledger.signals.linked(project, after, issuesPerRequest, only);
    yield found;
    after = found.at(-1)?.issue;
    if (found.length < issuesPerRequest) return;
  }
}

/**
 * The names of issues' repositories, by the issues' node ids: what is asked for counts there.
 *
 * @throws RemoteError while one of them wants no request.
 */
export async function repositoriesOf(
  cycle: Cycle,
  issues: readonly Pick<Issue, "nodeId" | "repositoryId">[],
): Promise<ReadonlyMap<string, RepositoryName>> {
  const names = issues.map((issue) => [issue.nodeId, nameOf(cycle, issue)] as const);
  const repositories = new Map(names.filter(([, name]) => name !== ""));
  await checkSignalLimits(cycle.world, new Set(repositories.values()));
  return repositories;
}

/** Asks for as many issues as a request takes. */
export type SignalWork = (issues: readonly SignalledIssue[]) => Promise<void>;

/** Issues that are asked for together. */
export type SignalBatch = ReturnType<typeof createPart>;

/** Nothing is in it yet. */
export function createPart(work: SignalWork) {
  let own: SignalledIssue[] = [];
  const others: SignalledIssue[] = [];
  return {
    /** Asks as soon as there are as many as a request takes. */
    async add(issue: SignalledIssue): Promise<void> {
      if (own.push(issue) < issuesPerRequest) return;
      const full = own;
      own = [];
      await work(full);
    },
    /** Takes one along that is not ours, where the last request has room for it. */
    fill(issue: SignalledIssue): void {
      const isIn = [...own, ...others].some((one) => one.issue.nodeId === issue.issue.nodeId);
      if (!isIn) others.push(issue);
    },
    hasRoom: () => own.length > 0 && own.length + others.length < issuesPerRequest,
    /** Asks for the rest. */
    async end(): Promise<void> {
      const rest = own;
      own = [];
      if (rest.length === 0) return;
      try {
        await work([...rest, ...others]);
      } catch (error) {
        if (others.length === 0 || !(error instanceof RemoteError) || isPutOff(error)) throw error;
        // What goes wrong with issues of other projects must not keep this one from its own.
        await work(rest);
      }
    },
  };
}

/**
 * Asks for issues, but for those whose signals a limit of their own, or the end of the time for reading, puts off: these wait,
 * and all the rest of the run goes on.
 *
 * @returns the issues that were asked for.
 */
export async function workWithinLimits(
  cycle: Cycle,
  issues: readonly SignalledIssue[],
  work: SignalWork,
): Promise<readonly SignalledIssue[]> {
  let open = await withoutLimited(cycle, issues);
  while (open.length > 0) {
    try {
      await work(open);
      return open;
    } catch (error) {
      const names = open.map(({ issue }) => nameOf(cycle, issue));
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
  const limited: SignalledIssue[] = [];
  for (const [name, some] of Map.groupBy(issues, ({ issue }) => nameOf(cycle, issue))) {
    const closure = await signalLimitOf(cycle.world, name);
    if (closure === undefined) continue;
    limited.push(...some);
    putOffSignals(cycle, some, closure);
  }
  return limited.length === 0 ? issues : issues.filter((one) => !limited.includes(one));
}

function putOffSignals(cycle: Cycle, issues: readonly SignalledIssue[], closure: Closure): void {
  for (const { issue } of issues) noteStale(cycle, issue, closure);
  noteSignalsPutOff(cycle, closure);
}

/** The name of an issue's repository; '' where none is known. */
function nameOf({ world }: Cycle, { repositoryId }: Pick<IssueRef, "repositoryId">): RepositoryName {
  return world.ledger.memory.repositoryById(repositoryId)?.repository.name ?? "";
}
