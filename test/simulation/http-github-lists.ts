import { createHash } from "node:crypto";
import type { IssueRecord } from "../../src/model/issue.ts";
import type { HubRepository } from "./github-server.ts";
import type { Read } from "./http-github.ts";
import { showIssue } from "./http-github-shapes.ts";
import type { Passage } from "./http-passage.ts";
import type { Request } from "./http-server.ts";

/** `GET …/issues`, sorted and paged as the query says. */
export function listIssues(passage: Passage, repository: HubRepository, request: Request): Read {
  const { surroundings, api } = passage;
  const { query, headers } = request;
  const all = sort(surroundings.hub.listed(repository), query);
  const rows = all.filter(keeps(passage, query));
  const { records, next } = cutPage(passage, rows, query);
  const body = records.map((record) => showIssue(api, repository.name, record));
  const link = next && `<${api}/repositories/${repository.id}/issues?${next}>; rel="next"`;
  if (!isLatest(query)) return { answer: { status: 200, body, headers: { ...(link && { link }) } } };
  const etag = `"${createHash("sha256").update(JSON.stringify(body)).digest("hex")}"`;
  if (headers["if-none-match"] === etag) return { answer: { status: 304, headers: { etag } } };
  return {
    answer: { status: 200, body, headers: { etag, ...(link && { link }) } },
    tell: () => surroundings.events.trackerShowsLatest(repository, all, etag),
  };
}

/** The one conditional request of an idle run. */
function isLatest(query: URLSearchParams): boolean {
  return query.get("sort") === "updated" && query.get("direction") === "desc";
}

function keeps({ manners }: Passage, query: URLSearchParams): (record: IssueRecord) => boolean {
  const creator = query.get("creator");
  const since = query.get("since");
  const earliest =
    since === null ? Number.NEGATIVE_INFINITY : Date.parse(since) + (manners.isSinceInclusive ? 0 : 1);
  return ({ author, issue }) =>
    (creator === null || author === creator) && Date.parse(issue.updatedAt) >= earliest;
}

function sort(records: readonly IssueRecord[], query: URLSearchParams): readonly IssueRecord[] {
  const time = query.get("sort") === "updated" ? "updatedAt" : "createdAt";
  const sign = query.get("direction") === "asc" ? 1 : -1;
  return records.toSorted(
    ({ issue: one }, { issue: other }) =>
      sign * (Date.parse(one[time]) - Date.parse(other[time]) || one.number - other.number),
  );
}

interface Page {
  readonly records: readonly IssueRecord[];
  /** The query of the next one; undefined on the last. */
  readonly next: URLSearchParams | undefined;
}

/** A page may be shorter than it was asked for. A cursor names the issue that the page before ended with. */
function cutPage(
  { surroundings, manners }: Passage,
  rows: readonly IssueRecord[],
  query: URLSearchParams,
): Page {
  const size = Math.min(Number(query.get("per_page")), surroundings.hub.traits.pageSize);
  const after = query.get("after");
  const page = Number(query.get("page") ?? 1);
  const start = manners.hasPageNumbers
    ? (page - 1) * size
    : after === null
      ? 0
      : placeBehind(rows, after, query);
  const records = rows.slice(start, start + size);
  const last = records.at(-1);
  if (last === undefined || start + size >= rows.length) return { records, next: undefined };
  const next = new URLSearchParams(query);
  if (manners.hasPageNumbers) next.set("page", String(page + 1));
  else next.set("after", `${last.issue.updatedAt} ${last.issue.createdAt} ${last.issue.number}`);
  return { records, next };
}

/** Where the first row behind a cursor's place stands, whatever became of the row itself. */
function placeBehind(rows: readonly IssueRecord[], after: string, query: URLSearchParams): number {
  const [updatedAt = "", createdAt = "", number = ""] = after.split(" ");
  const isBehind = ({ issue }: IssueRecord): boolean => {
    const [shown, there] =
      query.get("sort") === "updated" ? [issue.updatedAt, updatedAt] : [issue.createdAt, createdAt];
    const order = Date.parse(shown) - Date.parse(there) || issue.number - Number(number);
    return query.get("direction") === "asc" ? order > 0 : order < 0;
  };
  const index = rows.findIndex(isBehind);
  return index === -1 ? rows.length : index;
}
