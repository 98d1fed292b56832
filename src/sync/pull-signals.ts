import { RemoteError } from "../errors.ts";
import type { SignalledIssue } from "../ledger/signals.ts";
import type { IssueRef, Signals } from "../model/issue.ts";
import { isSignalNeeded } from "../plan/asked.ts";
import { neededSignals, projectFieldKey, type SignalNeeds } from "../plan/signals.ts";
import { isDuplicate } from "../plan/standing.ts";
import type { Cycle } from "./cycle-state.ts";
import { followDuplicates } from "./follow-duplicates.ts";
import { isPutOff, noteError } from "./report.ts";
import { createSignalReader, type ReadMode, type SignalReader } from "./signal-reader.ts";

/** The tracker answers for this many issues in one request. */
const issuesPerRequest = 100;

/**
 * Reads signals where rules look at them. What can't be asked for is a failure that is said. What was read of an issue before
 * counts meanwhile, as an issue that no list has shown counts as it was; where nothing was read, its posts stay as they are.
 *
 * @throws RemoteError when the tracker wants no request now, or the run is to end.
 */
export async function pullSignals(cycle: Cycle): Promise<void> {
  try {
    await readSignals(cycle, "all");
  } catch (error) {
    if (!(error instanceof RemoteError) || isPutOff(error)) throw error;
    const message = `${error.message} The rules look at what could not be read now (pull requests, projects, releases, sub-issues or duplicates); for issues of which it was read before, that counts until the next run.`;
    noteError(cycle.tally, { code: error.code, message });
  }
}

/**
 * Reads what issues' own records do not show: of every linked issue whose decision may hang on it, once a run. Nothing is
 * asked where no rule names a signal, nor for issues that are decided without one; for a hundred others it is one request.
 *
 * @param mode `unknown` before other rules are laid over the bases: what was known then is left for the pull to renew.
 * @throws RemoteError
 */
export async function readSignals(cycle: Cycle, mode: ReadMode): Promise<void> {
  const needs = neededSignals(cycle.settings);
  const isNamed = looksBesideRecord(needs);
  if (!isNamed && !needs.duplicates) return;
  const reader = createSignalReader(cycle, mode);
  const duplicates = collect((issues) => followDuplicates(cycle, reader, issues));
  const others = collect((issues) => readOthers(cycle, reader, needs, issues));
  for (const found of eachUnread(cycle, needs, mode)) {
    if (needs.duplicates && isDuplicate(found.issue)) await duplicates.add(found);
    else if (isNamed && isSignalNeeded(found.issue, found.signals, cycle.settings)) await others.add(found);
  }
  await duplicates.end();
  await others.end();
}

/** Whether rules look at anything that an issue's own record does not show, but for what it is a duplicate of. */
export function looksBesideRecord({ pullRequests, subIssues, released, projects }: SignalNeeds): boolean {
  return pullRequests || subIssues || released || projects.length > 0;
}

/** Hands issues on in parts of a request's size. */
function collect(work: (issues: readonly SignalledIssue[]) => Promise<void>) {
  let part: SignalledIssue[] = [];
  const end = async (): Promise<void> => {
    const full = part;
    part = [];
    if (full.length > 0) await work(full);
  };
  return {
    end,
    async add(issue: SignalledIssue): Promise<void> {
      if (part.push(issue) === issuesPerRequest) await end();
    },
  };
}

/** Linked issues of the repositories that this run has pulled, each once a run for the same needs. */
function* eachUnread(cycle: Cycle, needs: SignalNeeds, mode: ReadMode): Generator<SignalledIssue> {
  const { world, run, memory } = cycle;
  const pulled = new Set([...cycle.repositories.values()].map(({ repository }) => repository.id));
  const print = `${mode} ${JSON.stringify(needs)}`;
  let after: IssueRef | undefined;
  for (;;) {
    const found = world.ledger.signals.linked(memory.id, after, issuesPerRequest);
    for (const one of found) {
      const name = `${print} ${one.issue.nodeId}`;
      if (!pulled.has(one.issue.repositoryId) || run.asked.has(name)) continue;
      run.asked.add(name);
      yield one;
    }
    after = found.at(-1)?.issue;
    if (found.length < issuesPerRequest) return;
  }
}

async function readOthers(
  cycle: Cycle,
  reader: SignalReader,
  needs: SignalNeeds,
  issues: readonly SignalledIssue[],
): Promise<void> {
  const { ledger } = cycle.world;
  const answers = await reader.read(issues.map(({ issue, signals }) => ({ nodeId: issue.nodeId, signals })));
  ledger.transaction(() => {
    for (const { issue } of issues) {
      const answer = answers.get(issue.nodeId);
      if (answer?.fault === undefined) reader.store(issue, answer?.signals ?? {});
      else if (reader.store(issue, unseen(needs))) lookAgain(cycle, issue);
    }
  });
}

const notFound = { kind: "unknown", message: "the tracker does not find the issue by its id" } as const;

function unseen({ pullRequests, subIssues, released, projects }: SignalNeeds): Signals {
  const keys = projects.map(({ owner, project, field }) => projectFieldKey(owner, project, field));
  return {
    ...(pullRequests && { pullRequests: notFound }),
    ...(subIssues && { subIssues: notFound }),
    ...(released && { isReleased: notFound }),
    ...(keys.length > 0 && { projectStatus: Object.fromEntries(keys.map((key) => [key, notFound])) }),
  };
}

/** It may be hidden from us, or gone: the next run looks at every linked issue of its repository, which tells. */
function lookAgain({ world: { ledger } }: Cycle, { repositoryId }: IssueRef): void {
  const memory = ledger.memory.repositoryById(repositoryId);
  if (memory !== undefined) ledger.memory.rememberRepository({ ...memory, fullAt: undefined });
}
