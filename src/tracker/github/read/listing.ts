import { RemoteError } from "../../../errors.ts";
import type { IssueRecord, Repository } from "../../../model/issue.ts";
import { readInstant } from "../../../model/time.ts";
import type { IssuePage, IssueQuery } from "../../tracker.ts";
import { type Access, addressRepository } from "../wire/access.ts";
import { call } from "../wire/client.ts";
import { endless, type ListRequest, type Page } from "../wire/pages.ts";
import {
  type IssueRow,
  type IssueRows,
  isMarkOf,
  type RepositoryMark,
  readIssueRows,
} from "../wire/shapes.ts";

/** The listing of the port; see `IssueQuery` for what each query promises. */
export async function* listIssues(
  access: Access,
  repository: Repository,
  query: IssueQuery,
): AsyncGenerator<IssuePage> {
  const { pages } = access;
  switch (query.kind) {
    case "since":
      yield* listSince(access, repository, query.since);
      return;
    case "by":
      yield* listByAuthor(access, repository, query);
      return;
    case "latest": {
      const request = describeList(access, repository, { sort: "updated", direction: "desc" });
      const page = await pages.first({ ...request, etag: query.etag });
      const found = readIssueRows(page.data, repository.id);
      const firstUpdatedAt = found.rows[0]?.updatedAt;
      const shown = await createPageReader(access, repository)(page, found);
      yield { ...shown, etag: page.etag, ...(firstUpdatedAt !== undefined && { firstUpdatedAt }) };
      return;
    }
    case "first": {
      const sorting = { creator: query.author, sort: "created", direction: "asc" };
      const page = await pages.first(describeList(access, repository, sorting));
      const found = readIssueRows(page.data, repository.id);
      yield { ...(await createPageReader(access, repository)(page, found)), rows: found.rows };
    }
  }
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
): AsyncGenerator<IssuePage> {
  const read = createPageReader(access, repository);
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
      ? access.pages.first(request)
      : access.pages.after(before, request));
    const found = readIssueRows(page.data, repository.id);
    const { rows } = found;
    const fresh = rows.filter((row) => !shown.has(rowKey(row)));
    for (const row of rows) shown.set(rowKey(row), row.updatedAt);
    const last = rows.at(-1)?.updatedAt;
    const step = last === undefined ? undefined : secondBefore(last);
    const record = await read(page, found, fresh);
    const isStep = step !== undefined && isLater(step, asked) && record.hasMore;
    yield { ...record, hasMore: isStep || page.next !== undefined };
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
  { author: creator, createdSince }: IssueQuery & { readonly kind: "by" },
): AsyncGenerator<IssuePage> {
  const read = createPageReader(access, repository);
  const request = describeList(access, repository, { creator, sort: "created", direction: "desc" });
  let pages: number | undefined;
  for await (const page of access.pages.all(request)) {
    pages = page.last ?? (page.next === undefined ? (pages ?? 1) : pages);
    const found = readIssueRows(page.data, repository.id);
    const { rows } = found;
    const wanted = rows.filter((row) => !isLater(createdSince ?? row.createdAt, row.createdAt));
    // Newest first: the first row that is too old ends the list.
    const isEnd = wanted.length < rows.length;
    const hasMore = !isEnd && page.next !== undefined;
    yield { ...(await read(page, found, wanted)), rows, hasMore, ...(pages !== undefined && { pages }) };
    if (isEnd) return;
  }
}

function describeList(
  { quote }: Access,
  repository: Repository,
  parameters: Readonly<Record<string, string | undefined>>,
): ListRequest {
  const { name } = repository;
  return {
    list: "issues",
    ...call(({ rest }) => rest.issues.listForRepo, {
      ...addressRepository(name, quote),
      state: "all",
      ...parameters,
    }),
    subject: name,
    repository,
  };
}

/**
 * What pages of a list show, of which the rows that are wanted become records. An issue says the name of its repository only, and
 * a list that was redirected shows the new one: each name that is not the expected one is looked up once.
 */
function createPageReader({ find }: Access, repository: Repository) {
  const accepted = new Set<RepositoryMark>();
  const requireOwn = async (mark: RepositoryMark): Promise<void> => {
    if (isMarkOf(mark, repository) || accepted.has(mark)) return;
    const shown = await find(mark);
    if (shown.id !== repository.id) {
      const message = `GitHub's list of ${repository.name} holds an issue of ${shown.name}.`;
      throw new RemoteError("tracker", "unreadable", message);
    }
    accepted.add(shown.name).add(mark);
  };
  return async (page: Page, { rows, odd }: IssueRows, wanted: readonly IssueRow[] = rows) => {
    const issues: IssueRecord[] = [];
    for (const { content } of wanted) {
      if (content === undefined) continue;
      await requireOwn(content.mark);
      issues.push(content.recordIn(repository.id));
    }
    return {
      issues,
      ...(odd.length > 0 && { odd }),
      isUnchanged: page.isUnchanged,
      etag: undefined,
      lastUpdatedAt: rows.at(-1)?.updatedAt,
      // GitHub may hide rows of a page, so a short page with a `Link` goes on, and so does a full one without.
      hasMore: page.next !== undefined || rows.length + odd.length >= page.size,
    };
  };
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
