import type { RepositoryMemory } from "../ledger/ledger.ts";
import type { RepositoryName } from "../model/issue.ts";
import type { IssueQuery } from "../tracker/tracker.ts";
import type { Cycle } from "./cycle-state.ts";
import { asProjectError } from "./identify.ts";
import { overlapMs, scanMarkers, storeRecords } from "./markers.ts";
import { noteError } from "./report.ts";

/**
 * Reads what changed on the tracker since the last run, once a run for each repository, and with it every marker of ours.
 * Idle this is one conditional request a repository.
 *
 * @returns the repositories that could be read, as they are known now. One that posts are routed to may be gone: that is
 *   said, and its posts wait.
 * @throws ProjectError when the project's own repository is gone.
 * @throws RemoteError when the tracker can't be asked.
 */
export async function pullTracker(cycle: Cycle): Promise<ReadonlyMap<RepositoryName, RepositoryMemory>> {
  const pulled = new Map<RepositoryName, RepositoryMemory>();
  for (const [name, known] of cycle.repositories) {
    try {
      pulled.set(name, await pullOnce(cycle, known));
    } catch (error) {
      const problem = asProjectError(error);
      if (name === cycle.settings.repo) throw problem;
      noteError(cycle.tally, { code: problem.code, message: problem.message });
    }
  }
  return pulled;
}

async function pullOnce(cycle: Cycle, known: RepositoryMemory): Promise<RepositoryMemory> {
  if (cycle.run.pulled.has(known.repository.id)) return known;
  const memory = await pullRepository(cycle, known);
  cycle.run.pulled.add(known.repository.id);
  return memory;
}

async function pullRepository(cycle: Cycle, known: RepositoryMemory): Promise<RepositoryMemory> {
  const { ledger, clock, policy } = cycle.world;
  let memory = await pullChanges(cycle, known);
  memory = await scanMarkers(cycle, memory);
  const isFull = memory.fullAt !== undefined && clock.now() - memory.fullAt < policy.fullEveryMs;
  if (!isFull) {
    await readLinkedAgain(cycle, memory);
    memory = { ...memory, fullAt: clock.now() };
  }
  if (memory !== known) ledger.memory.rememberRepository(memory);
  return memory;
}

/** What changed since the cursor. The cursor moves only when all of it is stored. */
async function pullChanges(cycle: Cycle, known: RepositoryMemory): Promise<RepositoryMemory> {
  const { tracker } = cycle.world;
  const query: IssueQuery = { kind: "latest", etag: known.etag };
  let memory = known;
  for await (const page of tracker.listIssues(known.repository, query, cycle.run.bounds)) {
    if (page.isUnchanged) return memory;
    storeRecords(cycle, page.issues);
    if (page.hasMore && !reachesBack(cycle, known, page.lastUpdatedAt)) await catchUp(cycle, known);
    memory = {
      ...memory,
      etag: page.etag,
      cursor: newest([known.cursor, ...page.issues.map(({ issue }) => issue.updatedAt)]),
    };
  }
  return memory;
}

/** The first page was not all: every change since the cursor, oldest first. */
async function catchUp(cycle: Cycle, { repository, cursor }: RepositoryMemory): Promise<void> {
  const since = cursor === undefined ? undefined : new Date(Date.parse(cursor) - overlapMs).toISOString();
  const pages = cycle.world.tracker.listIssues(repository, { kind: "since", since }, cycle.run.bounds);
  for await (const page of pages) storeRecords(cycle, page.issues);
}

/**
 * Looks at every linked issue anew: a list may hide a change, and a label's or milestone's rename moves no time. Nearly all
 * are ours, so the list of ours shows them a hundred at a time; the others are read one by one.
 */
async function readLinkedAgain(cycle: Cycle, memory: RepositoryMemory): Promise<void> {
  const { ledger, tracker, clock, log } = cycle.world;
  const linked = ledger.pulls.linkedIssues(memory.repository.id);
  if (linked.length === 0) return;
  const found = new Set<number>();
  const query: IssueQuery = { kind: "by", author: cycle.account, createdSince: undefined };
  for await (const page of tracker.listIssues(memory.repository, query, cycle.run.bounds)) {
    storeRecords(cycle, page.issues);
    for (const { issue } of page.issues) found.add(issue.number);
  }
  for (const ref of linked) {
    if (found.has(ref.number)) continue;
    const answer = await tracker.readIssue(ref, cycle.run.bounds);
    if (answer.kind === "found") storeRecords(cycle, [answer.record]);
    else if (answer.kind === "gone") ledger.absences.set(ref, { kind: "deleted", since: clock.now() });
    if (answer.kind === "found") continue;
    log.warn(
      { repo: memory.name, issue: ref.number, answer: answer.kind },
      "A linked issue is not where it was",
    );
  }
}

/**
 * Whether a page that others follow holds everything that changed since the cursor. Before the first cursor that is so as
 * long as no issue is linked: there was nothing that could have changed.
 */
function reachesBack(
  { world }: Cycle,
  { cursor, repository }: RepositoryMemory,
  lastUpdatedAt: string | undefined,
): boolean {
  if (cursor === undefined) return world.ledger.pulls.linkedIssues(repository.id).length === 0;
  return lastUpdatedAt === undefined || Date.parse(lastUpdatedAt) < Date.parse(cursor) - overlapMs;
}

function newest(times: readonly (string | undefined)[]): string | undefined {
  return times
    .filter((time) => time !== undefined)
    .sort()
    .at(-1);
}
