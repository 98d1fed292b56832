import { RemoteError } from "../../../errors.ts";
import type { SignalledIssue } from "../../../ledger/pulls.ts";
import type { Issue, IssueRef, RepositoryName } from "../../../model/issue.ts";
import type { ProjectId } from "../../../model/post.ts";
import type { Cycle } from "../../ground/cycle-state.ts";
import { checkSignalLimits } from "../../ground/limits.ts";
import { isPutOff } from "../../ground/report.ts";

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
  { world }: Cycle,
  issues: readonly Pick<Issue, "nodeId" | "repositoryId">[],
): Promise<ReadonlyMap<string, RepositoryName>> {
  const names = issues.map(({ nodeId, repositoryId }) => {
    const name = world.ledger.memory.repositoryById(repositoryId)?.repository.name;
    return name === undefined ? [] : [[nodeId, name] as const];
  });
  const repositories = new Map(names.flat());
  await checkSignalLimits(world, new Set(repositories.values()));
  return repositories;
}

/** Issues that are asked for together. */
export interface SignalBatch {
  /** Asks as soon as there are as many as a request takes. */
  add(issue: SignalledIssue): Promise<void>;
  /** Takes one along that is not ours, where the last request has room for it. */
  fill(issue: SignalledIssue): void;
  hasRoom(): boolean;
  /** Asks for the rest. */
  end(): Promise<void>;
}

/** @param work asks for as many as a request takes. */
export function createPart(work: (issues: readonly SignalledIssue[]) => Promise<void>): SignalBatch {
  let own: SignalledIssue[] = [];
  const others: SignalledIssue[] = [];
  return {
    async add(issue) {
      if (own.push(issue) < issuesPerRequest) return;
      const full = own;
      own = [];
      await work(full);
    },
    fill(issue) {
      const isIn = [...own, ...others].some((one) => one.issue.nodeId === issue.issue.nodeId);
      if (!isIn) others.push(issue);
    },
    hasRoom: () => own.length > 0 && own.length + others.length < issuesPerRequest,
    async end() {
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
