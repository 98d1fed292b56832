import type { MarkedIssue, RepositoryMemory } from "../ledger/ledger.ts";
import type { Issue, IssueRecord, IssueRef } from "../model/issue.ts";
import type { PostId, ProjectId } from "../model/post.ts";
import { parseMarker } from "../plan/marker.ts";
import type { IssueQuery } from "../tracker/tracker.ts";
import type { Cycle } from "./cycle-state.ts";
import { askAccount } from "./identify.ts";

/** Two clocks and a list that lags: changes this much older than the cursor are read again. */
export const overlapMs = 120_000;

/** Stores what a listing showed: the facts of linked issues, and whatever carries our marker. */
export function storeRecords(cycle: Cycle, records: readonly IssueRecord[]): void {
  const marked = records.flatMap((record) => markedBy(cycle, record));
  cycle.world.ledger.pulls.storeIssues(
    records.map(({ issue }) => issue),
    marked,
  );
}

/** The first scan of a repository: every issue that we ever opened there. Until it is complete nothing is opened. */
export async function scanMarkers(cycle: Cycle, known: RepositoryMemory): Promise<RepositoryMemory> {
  const { tracker, clock, policy, log } = cycle.world;
  let unknown = 0;
  for (const author of [cycle.account, ...policy.trustedAuthors]) {
    const query: IssueQuery = { kind: "by", author, createdSince: undefined };
    for await (const page of tracker.listIssues(known.repository, query, cycle.run.bounds)) {
      unknown += countUnknown(cycle, page.issues);
      storeRecords(cycle, page.issues);
    }
  }
  if (unknown > 0) {
    log.warn(
      { repo: known.name, issues: unknown },
      "Issues carry markers that the state does not know: the database was lost or is old; they are adopted, and new issues wait",
    );
  }
  const scannedAt = clock.now();
  return { ...known, scannedAt, recoveredAt: unknown > 0 ? scannedAt : known.recoveredAt };
}

/**
 * The issues of ours that were opened in a repository since a time, by the post of this project that their marker names,
 * lowest number first. Complete, or it throws: a list that breaks off proves nothing.
 */
export async function findMarked(
  cycle: Cycle,
  repository: RepositoryMemory,
  createdSince: number,
): Promise<ReadonlyMap<PostId, readonly Issue[]>> {
  const author = await askAccount(cycle.world, cycle.run);
  const query: IssueQuery = {
    kind: "by",
    author,
    createdSince: new Date(createdSince - overlapMs).toISOString(),
  };
  const found = new Map<PostId, Map<number, Issue>>();
  for await (const page of cycle.world.tracker.listIssues(repository.repository, query, cycle.run.bounds)) {
    storeRecords(cycle, page.issues);
    for (const record of page.issues) {
      const posts = markedBy({ ...cycle, account: author }, record).flatMap(({ project, posts }) =>
        project === cycle.memory.id ? posts : [],
      );
      for (const post of posts) {
        found.set(post, (found.get(post) ?? new Map()).set(record.issue.number, record.issue));
      }
    }
  }
  return new Map([...found].map(([post, issues]) => [post, sortByNumber([...issues.values()])]));
}

function sortByNumber(issues: readonly Issue[]): readonly Issue[] {
  return issues.toSorted((one, other) => one.number - other.number);
}

/** The marker of an issue, when it is ours: written by our own account or a trusted one, for this board. */
function markedBy({ world: { policy }, account }: Cycle, record: IssueRecord): readonly MarkedIssue[] {
  const author = record.author?.toLowerCase();
  if (![account, ...policy.trustedAuthors].some((ours) => ours.toLowerCase() === author)) return [];
  const marker = parseMarker(record.body);
  if (marker === undefined || marker.board !== policy.boardHash) return [];
  const issue: IssueRef = { repositoryId: record.issue.repositoryId, number: record.issue.number };
  const isOwn = author === account.toLowerCase();
  return [{ issue, isOwn, project: marker.project, posts: marker.posts }];
}

function countUnknown(cycle: Cycle, records: readonly IssueRecord[]): number {
  const { ledger, clock } = cycle.world;
  const isLinked = (project: ProjectId, post: PostId, issue: IssueRef): boolean =>
    ledger.rows.row(project, post, clock.now())?.links.some(({ link }) => isSameIssue(link.issue, issue)) ??
    false;
  return records
    .flatMap((record) => markedBy(cycle, record))
    .filter(({ project, posts, issue }) => !posts.every((post) => isLinked(project, post, issue))).length;
}

function isSameIssue(one: IssueRef, other: IssueRef): boolean {
  return one.number === other.number && one.repositoryId === other.repositoryId;
}
