import { RemoteError } from "../../../errors.ts";
import type { IssueRecord, Repository } from "../../../model/issue.ts";
import type { ReadBounds } from "../../../model/surroundings.ts";
import { readInstant } from "../../../model/time.ts";
import type { IssuePage, IssueQuery, NumberedRow } from "../../tracker.ts";
import { type Access, addressRepository } from "../wire/access.ts";
import { call } from "../wire/client.ts";
import { endless, type ListRequest, type Page } from "../wire/pages.ts";
import {
  completeRecord,
  type IssueRow,
  type IssueRows,
  isMarkOf,
  type RepositoryMark,
  readIssueRows,
} from "../wire/shapes.ts";

/** The listing of the port; see `IssueQuery` for what each query promises. */
export function listIssues(
  access: Access,
  repository: Repository,
  query: IssueQuery,
  bounds: ReadBounds,
): AsyncIterable<IssuePage> {
  switch (query.kind) {
    case "latest":
      return listLatest(access, repository, query.etag, bounds);
    case "since":
      return listSince(access, repository, query.since, bounds);
    case "by":
      return listByAuthor(access, repository, query, bounds);
    case "first":
      return listFirst(access, repository, query.author, bounds);
  }
}

async function* listLatest(
  access: Access,
  repository: Repository,
  etag: string | undefined,
  bounds: ReadBounds,
): AsyncGenerator<IssuePage> {
  const record = createPageRecorder(access, repository);
  const request = describeList(access, repository, { sort: "updated", direction: "desc" });
  const page = await access.pages.first({ ...request, etag }, bounds);
  const found = readIssueRows(page.data);
  const firstUpdatedAt = found.rows[0]?.updatedAt;
  yield {
    ...(await record(found, bounds)),
    isUnchanged: page.isUnchanged,
    etag: page.etag,
    ...(firstUpdatedAt !== undefined && { firstUpdatedAt }),
    hasMore: hasMore(page, found),
  };
}

/**
 * Reads by time and not by page numbers: when an issue is touched meanwhile, another one moves up over a page's edge and would
 * be skipped. Each step asks from one second before the last row, because GitHub does not say whether `since` includes its own
 * second; rows that come again are left out here. When those two seconds fill a whole page, the pages within them are
 * followed. A page that is too heavy is asked for again from the last step on, with smaller ones.
 */
async function* listSince(
  access: Access,
  repository: Repository,
  since: string | undefined,
  bounds: ReadBounds,
): AsyncGenerator<IssuePage> {
  const record = createPageRecorder(access, repository);
  const sorting = { sort: "updated", direction: "asc" };
  let asked = since;
  /** The page that is gone on from; undefined for a step. */
  let before: Page | undefined;
  /** Times of the rows that the next answer may show again, by number and time. */
  let shown = new Map<string, string>();
  for (let count = 0; ; count += 1) {
    if (count >= access.pageLimit) throw endless(repository.name);
    const request = describeList(access, repository, { ...sorting, since: asked });
    const page: Page = await (before === undefined
      ? access.pages.first(request, bounds)
      : access.pages.after(before, request, bounds));
    const found = readIssueRows(page.data);
    const { rows } = found;
    const fresh = rows.filter((row) => !shown.has(rowKey(row)));
    for (const row of rows) shown.set(rowKey(row), row.updatedAt);
    const last = rows.at(-1)?.updatedAt;
    const step = last === undefined ? undefined : secondBefore(last);
    const isStep = step !== undefined && isLater(step, asked) && hasMore(page, found);
    yield { ...(await record(found, bounds, fresh)), hasMore: isStep || page.next !== undefined };
    if (isStep) {
      asked = step;
      before = undefined;
      shown = new Map([...shown].filter(([, time]) => !isLater(step, time)));
    } else if (page.next === undefined) {
      return;
    } else {
      before = page;
    }
  }
}

async function* listByAuthor(
  access: Access,
  repository: Repository,
  query: { readonly author: string | undefined; readonly createdSince: string | undefined },
  bounds: ReadBounds,
): AsyncGenerator<IssuePage> {
  const record = createPageRecorder(access, repository);
  const request = describeList(access, repository, {
    creator: query.author,
    sort: "created",
    direction: "desc",
  });
  let pages: number | undefined;
  for await (const page of access.pages.all(request, bounds)) {
    pages = page.last ?? (page.next === undefined ? (pages ?? 1) : pages);
    const found = readIssueRows(page.data);
    const { rows } = found;
    const wanted = rows.filter((row) => !isLater(query.createdSince ?? row.createdAt, row.createdAt));
    // Newest first: the first row that is too old ends the list.
    const isEnd = wanted.length < rows.length;
    yield {
      ...(await record(found, bounds, wanted)),
      rows: rows.map(numbered),
      hasMore: !isEnd && page.next !== undefined,
      ...(pages !== undefined && { pages }),
    };
    if (isEnd) return;
  }
}

async function* listFirst(
  access: Access,
  repository: Repository,
  creator: string,
  bounds: ReadBounds,
): AsyncGenerator<IssuePage> {
  const request = describeList(access, repository, { creator, sort: "created", direction: "asc" });
  const page = await access.pages.first(request, bounds);
  const found = readIssueRows(page.data);
  yield {
    ...(await createPageRecorder(access, repository)(found, bounds)),
    rows: found.rows.map(numbered),
    hasMore: hasMore(page, found),
  };
}

function describeList(
  access: Access,
  repository: Repository,
  parameters: Readonly<Record<string, string | undefined>>,
): ListRequest {
  return {
    list: "issues",
    ...call(({ rest }) => rest.issues.listForRepo, {
      ...addressRepository(repository.name, access.quote),
      state: "all",
      ...parameters,
    }),
    subject: repository.name,
    repository,
  };
}

/**
 * What pages of a list show, of which the rows that are wanted become records. An issue says the name of its repository only, and
 * a list that was redirected shows the new one: each name that is not the expected one is looked up once.
 */
function createPageRecorder({ find }: Access, repository: Repository) {
  const accepted = new Set<string>();
  const requireOwn = async (mark: RepositoryMark, bounds: ReadBounds): Promise<void> => {
    if (isMarkOf(mark, repository) || (mark.kind === "name" && accepted.has(mark.name))) return;
    const shown = await find(mark.kind === "name" ? mark.name : mark.id, bounds);
    if (shown.id !== repository.id) {
      const message = `GitHub's list of ${repository.name} holds an issue of ${shown.name}.`;
      throw new RemoteError("tracker", "unreadable", message);
    }
    accepted.add(shown.name).add(mark.kind === "name" ? mark.name : shown.name);
  };
  return async ({ rows, odd }: IssueRows, bounds: ReadBounds, wanted: readonly IssueRow[] = rows) => {
    const issues: IssueRecord[] = [];
    for (const { content } of wanted) {
      if (content === undefined) continue;
      await requireOwn(content.mark, bounds);
      issues.push(completeRecord(content, repository.id));
    }
    const ofRepository = { repositoryId: repository.id };
    return {
      issues,
      ...(odd.length > 0 && {
        odd: odd.map(({ number, ...rest }) => ({ issue: { ...ofRepository, number }, ...rest })),
      }),
      isUnchanged: false,
      etag: undefined,
      lastUpdatedAt: rows.at(-1)?.updatedAt,
    };
  };
}

function numbered({ number, createdAt, updatedAt }: IssueRow): NumberedRow {
  return { number, createdAt, updatedAt };
}

/** GitHub may hide rows of a page, so a short page with a `Link` goes on, and so does a full one without. */
function hasMore(page: Page, { rows, odd }: IssueRows): boolean {
  return page.next !== undefined || rows.length + odd.length >= page.size;
}

function rowKey(row: IssueRow): string {
  return `${row.number}@${row.updatedAt}`;
}

/** A second earlier, in the form that GitHub takes: without fractions. */
function secondBefore(time: string): string {
  return new Date(readInstant(time) - 1_000).toISOString().replace(/\.\d+Z$/, "Z");
}

function isLater(time: string, than: string | undefined): boolean {
  return than === undefined || readInstant(time) > readInstant(than);
}
