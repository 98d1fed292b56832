import { RemoteError } from "../../src/errors.ts";
import type { IssueRecord, LabelledIssue } from "../../src/model/issue.ts";
import type { IssuePage, IssueQuery, Listed } from "../../src/tracker/tracker.ts";
import type { HubRepository, HubServer } from "./github-server.ts";
import type { Events } from "./watcher.ts";

/** GitHub's lists, as the tracker's port shows them. */

interface Shown {
  readonly server: HubServer;
  readonly events: Events;
}

/** A list of issues, page by page; each page is a request. */
export async function* listIssues(
  line: Shown,
  repository: HubRepository,
  query: IssueQuery,
  read: () => Promise<void>,
): AsyncGenerator<IssuePage> {
  switch (query.kind) {
    // The line plays no part in it, and no seed means another history.
    case "first": {
      const own = line.server.listed(repository).filter(({ author }) => author === query.author);
      const issues = own.toSorted((one, other) => newestFirst(other, one));
      yield { issues, isUnchanged: false, etag: undefined, lastUpdatedAt: undefined, hasMore: false };
      return;
    }
    case "latest":
      await read();
      requireIssues(repository);
      yield showLatest(line, repository, query.etag);
      return;
    case "since": {
      const { since } = query;
      const keeps = ({ issue }: IssueRecord): boolean => isSince(issue.updatedAt, since);
      yield* listByKeyset(line, repository, byChange, keeps, read);
      return;
    }
    case "by": {
      const isBy = ({ author }: IssueRecord): boolean =>
        query.author === undefined || author === query.author;
      const isNew = ({ issue }: IssueRecord): boolean => isSince(issue.createdAt, query.createdSince);
      // A number is never given twice, so that pages don't shift.
      for await (const page of listByKeyset(line, repository, newestFirst, isBy, read)) {
        const issues = page.issues.filter(isNew);
        const isEnd = issues.length < page.issues.length;
        const rows = page.issues.map(({ issue: { number, createdAt, updatedAt } }) => ({
          ...{ number, createdAt, updatedAt },
        }));
        yield { ...page, issues, rows, hasMore: page.hasMore && !isEnd };
        if (isEnd) return;
      }
    }
  }
}

function showLatest(
  { server, events }: Shown,
  repository: HubRepository,
  etag: string | undefined,
): IssuePage {
  const all = server.listed(repository).toSorted((one, other) => byChange(other, one));
  const records = all.slice(0, server.traits.pageSize);
  const tag = records.map((record) => serialOf(record)).join(" ");
  if (tag === etag) {
    return { issues: [], isUnchanged: true, etag, lastUpdatedAt: undefined, hasMore: false };
  }
  events.trackerShowsLatest(repository, all, tag);
  return {
    issues: records,
    isUnchanged: false,
    etag: tag,
    lastUpdatedAt: records.at(-1)?.issue.updatedAt,
    hasMore: all.length > records.length,
  };
}

const serials = new WeakMap<IssueRecord, string>();
let lastSerial = 0;

/** An ETag speaks of the content: a change that a whole second hides moves it, too. */
function serialOf(record: IssueRecord): string {
  const known = serials.get(record);
  if (known !== undefined) return known;
  lastSerial += 1;
  serials.set(record, String(lastSerial));
  return String(lastSerial);
}

/** By keyset: what is touched meanwhile comes again at its new place. */
async function* listByKeyset(
  { server }: Shown,
  repository: HubRepository,
  order: (one: IssueRecord, other: IssueRecord) => number,
  keeps: (record: IssueRecord) => boolean,
  read: () => Promise<void>,
): AsyncGenerator<IssuePage> {
  let last: IssueRecord | undefined;
  for (;;) {
    await read();
    requireIssues(repository);
    const after = last;
    const rest = server
      .listed(repository)
      .filter((record) => keeps(record) && (after === undefined || order(record, after) > 0))
      .toSorted(order);
    const issues = rest.slice(0, server.traits.pageSize);
    last = issues.at(-1) ?? last;
    const hasMore = rest.length > issues.length;
    yield { issues, isUnchanged: false, etag: undefined, lastUpdatedAt: last?.issue.updatedAt, hasMore };
    if (!hasMore) return;
  }
}

function isSince(time: string, since: string | undefined): boolean {
  return since === undefined || Date.parse(time) >= Date.parse(since);
}

function newestFirst({ issue: one }: IssueRecord, { issue: other }: IssueRecord): number {
  return other.number - one.number;
}

function byChange({ issue: one }: IssueRecord, { issue: other }: IssueRecord): number {
  if (one.updatedAt !== other.updatedAt) return one.updatedAt < other.updatedAt ? -1 : 1;
  return one.number - other.number;
}

/** Where issues are switched off nothing can be read of them. */
export function requireIssues(repository: HubRepository): HubRepository {
  if (repository.hasIssues) return repository;
  throw new RemoteError("tracker", "refused", "HTTP 410: Issues are disabled for this repo");
}

/** Open issues by their labels. The simulation's people all may write, but for a guest. */
export function listLabelled(
  { server }: Pick<Shown, "server">,
  repository: HubRepository,
  { labels, etag }: { readonly labels: readonly string[]; readonly etag: string | undefined },
): Listed<LabelledIssue> {
  const found = server.listed(repository).filter(({ issue }) => {
    const names = issue.labels.map((name) => name.toLowerCase());
    return issue.state === "open" && labels.every((label) => names.includes(label.toLowerCase()));
  });
  const rows = found
    .toSorted(({ issue: one }, { issue: other }) => one.number - other.number)
    .map((record) =>
      server.isOutside(repository, record) ? { ...record, isOutside: true as const } : record,
    );
  return listed(rows, etag);
}

/** A list that may be asked for conditionally. */
export function listed<T>(rows: readonly T[], etag: string | undefined): Listed<T> {
  const tag = JSON.stringify(rows);
  return tag === etag ? { kind: "unchanged" } : { kind: "listed", rows: [...rows], etag: tag };
}
