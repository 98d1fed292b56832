import type { MarkedIssue, RepositoryMemory } from "../ledger/ledger.ts";
import type { Issue, IssueRecord, IssueRef } from "../model/issue.ts";
import type { PostId, ProjectId } from "../model/post.ts";
import { parseMarker } from "../plan/marker.ts";
import type { IssueQuery } from "../tracker/tracker.ts";
import type { Cycle } from "./cycle-state.ts";

/** Two clocks and a list that lags: changes this much older than the cursor are read again. */
const overlapMs = 120_000;

/**
 * Reads what changed on the tracker since the last run, once a run for each repository, and with it every marker of ours.
 * Idle this is one conditional request a repository.
 */
export async function pullTracker(cycle: Cycle): Promise<void> {
  for (const repository of cycle.repositories.values()) {
    if (cycle.run.pulled.has(repository.repository.id)) continue;
    await pullRepository(cycle, repository);
    cycle.run.pulled.add(repository.repository.id);
  }
}

async function pullRepository(cycle: Cycle, known: RepositoryMemory): Promise<void> {
  const { ledger, clock, policy } = cycle.world;
  let memory = await pullChanges(cycle, known);
  if (memory.scannedAt === undefined) memory = await scanMarkers(cycle, memory);
  const isFull = memory.fullAt !== undefined && clock.now() - memory.fullAt < policy.fullEveryMs;
  if (!isFull) {
    await readLinkedAgain(cycle, memory);
    memory = { ...memory, fullAt: clock.now() };
  }
  ledger.memory.rememberRepository(memory);
}

/** What changed since the cursor. The cursor moves only when all of it is stored. */
async function pullChanges(cycle: Cycle, known: RepositoryMemory): Promise<RepositoryMemory> {
  const { tracker } = cycle.world;
  const query: IssueQuery = { kind: "latest", etag: known.etag };
  let memory = known;
  for await (const page of tracker.listIssues(known.repository, query, cycle.run.bounds)) {
    if (page.isUnchanged) return memory;
    store(cycle, page.issues);
    if (page.hasMore && !reachesBack(cycle, known, page.lastUpdatedAt))
      await catchUp(cycle, known, overlapStart(known.cursor));
    memory = {
      ...memory,
      etag: page.etag,
      cursor: newest([known.cursor, ...page.issues.map(({ issue }) => issue.updatedAt)]),
    };
  }
  return memory;
}

async function catchUp(
  cycle: Cycle,
  known: RepositoryMemory,
  since: string | undefined,
): Promise<ReadonlySet<number>> {
  const found = new Set<number>();
  const pages = cycle.world.tracker.listIssues(known.repository, { kind: "since", since }, cycle.run.bounds);
  for await (const page of pages) {
    store(cycle, page.issues);
    for (const { issue } of page.issues) found.add(issue.number);
  }
  return found;
}

/** The first scan of a repository: every issue that we ever opened there. Until it is complete nothing is opened. */
async function scanMarkers(cycle: Cycle, known: RepositoryMemory): Promise<RepositoryMemory> {
  const { tracker, clock, policy } = cycle.world;
  let strangers = 0;
  for (const author of [cycle.account, ...policy.trustedAuthors]) {
    const query: IssueQuery = { kind: "by", author, createdSince: undefined };
    for await (const page of tracker.listIssues(known.repository, query, cycle.run.bounds)) {
      strangers += countUnknown(cycle, page.issues);
      store(cycle, page.issues);
    }
  }
  const recoveredAt = strangers > 0 ? clock.now() : undefined;
  if (recoveredAt !== undefined) {
    cycle.world.log.warn(
      { repo: known.name, issues: strangers },
      "Issues carry markers that the state does not know: the database was lost or is old; they are adopted, and new issues wait",
    );
  }
  return { ...known, scannedAt: clock.now(), recoveredAt };
}

/** Looks at every linked issue anew: a list may hide a change, and a label's or milestone's rename moves no time. */
async function readLinkedAgain(cycle: Cycle, memory: RepositoryMemory): Promise<void> {
  const { ledger, tracker, log } = cycle.world;
  const linked = ledger.pulls.linkedIssues(memory.repository.id);
  if (linked.length === 0) return;
  const found = memory.fullAt === undefined ? new Set<number>() : await catchUp(cycle, memory, undefined);
  for (const ref of linked) {
    if (found.has(ref.number)) continue;
    const answer = await tracker.readIssue(ref, cycle.run.bounds);
    if (answer.kind === "found") store(cycle, [answer.record]);
    else if (answer.kind === "gone") ledger.pulls.setGone(ref, true);
    else
      log.warn(
        { repo: memory.name, issue: ref.number, answer: answer.kind },
        "A linked issue is not where it was",
      );
  }
}

function store(cycle: Cycle, records: readonly IssueRecord[]): void {
  const marked = records.flatMap((record) => markedBy(cycle, record));
  cycle.world.ledger.pulls.storeIssues(
    records.map(({ issue }) => issue),
    marked,
  );
}

/** The marker of an issue, when it is ours: written by our own account or a trusted one, for this board. */
function markedBy(cycle: Cycle, record: IssueRecord): readonly MarkedIssue[] {
  const { policy } = cycle.world;
  if (record.author === null || ![cycle.account, ...policy.trustedAuthors].includes(record.author)) return [];
  const marker = parseMarker(record.body);
  if (marker === undefined || marker.board !== policy.boardHash) return [];
  const issue: IssueRef = { repositoryId: record.issue.repositoryId, number: record.issue.number };
  return [{ issue, project: marker.project, posts: marker.posts }];
}

function countUnknown(cycle: Cycle, records: readonly IssueRecord[]): number {
  const { ledger } = cycle.world;
  const isLinked = (project: ProjectId, post: PostId, { number, repositoryId }: IssueRef): boolean =>
    ledger.rows
      .row(project, post, 0)
      ?.links.some(({ link }) => link.issue.number === number && link.issue.repositoryId === repositoryId) ??
    false;
  return records
    .flatMap((record) => markedBy(cycle, record))
    .filter(({ project, posts, issue }) => !posts.every((post) => isLinked(project, post, issue))).length;
}

/**
 * Every issue of ours that carries a marker for a post, opened since a time. Complete, or it throws: a list that breaks
 * off proves nothing.
 */
export async function findMarked(
  cycle: Cycle,
  repository: RepositoryMemory,
  post: PostId,
  createdSince: number,
): Promise<readonly Issue[]> {
  const query: IssueQuery = {
    kind: "by",
    author: cycle.account,
    createdSince: new Date(createdSince - overlapMs).toISOString(),
  };
  const found = new Map<number, Issue>();
  for await (const page of cycle.world.tracker.listIssues(repository.repository, query, cycle.run.bounds)) {
    store(cycle, page.issues);
    for (const record of page.issues) {
      const isOurs = markedBy(cycle, record).some(
        (marked) => marked.project === cycle.memory.id && marked.posts.includes(post),
      );
      if (isOurs) found.set(record.issue.number, record.issue);
    }
  }
  return [...found.values()].sort((one, other) => one.number - other.number);
}

function overlapStart(cursor: string | undefined): string | undefined {
  return cursor === undefined ? undefined : new Date(Date.parse(cursor) - overlapMs).toISOString();
}

/**
 * Whether a page that others follow holds everything that changed since the cursor. Before the first cursor that is so as
 * long as no issue is linked: there was nothing that could have changed.
 */
function reachesBack(cycle: Cycle, known: RepositoryMemory, lastUpdatedAt: string | undefined): boolean {
  if (known.cursor === undefined)
    return cycle.world.ledger.pulls.linkedIssues(known.repository.id).length === 0;
  return lastUpdatedAt === undefined || Date.parse(lastUpdatedAt) < Date.parse(known.cursor) - overlapMs;
}

function newest(times: readonly (string | undefined)[]): string | undefined {
  return times
    .filter((time) => time !== undefined)
    .sort()
    .at(-1);
}
