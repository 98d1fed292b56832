import type { Answer } from "../../loopback/loopback.ts";
import { findLabel, typeOf } from "../state/changes.ts";
import { listedIssue, type StoredIssue } from "../state/state.ts";
import { type Call, invalid, notFound, refuse } from "./answer.ts";
import { issueShape } from "./shapes.ts";

const defaultPageSize = 30;
const maxRowsByNumber = 10_000;

/** `GET …/issues`: issues and pull requests, as they were before the lag. */
export function listIssues(call: Call): Answer {
  const { state, repository, quirks } = call;
  const refusal = refuseOff(call) ?? refuseQuery(call);
  if (refusal) return refusal;
  const sorted = sortedIssues(call);
  const page = quirks.paging === "cursor" ? pageByCursor(call, sorted) : pageByNumber(call, "issues", sorted);
  return {
    ...page,
    body: page.body.map((issue) => issueShape(state, repository, issue)),
  };
}

/**
 * All rows of a list, in their order. The pages of a list are asked for one after another, so that of the last one is kept,
 * for as long as nothing changes: of a repository with 200,000 issues each page would take a quarter of a second otherwise.
 */
function sortedIssues(call: Call): readonly StoredIssue[] {
  const { state, repository, query, quirks } = call;
  const { page: _, after: __, ...asked } = Object.fromEntries(query);
  const now = state.clock.now();
  const key = JSON.stringify([asked, quirks.since, repository.versions, repository.hasIssues]);
  // Times pass while a list lags, and labels are renamed without a new version of any issue.
  const isLate = state.lag.listMs > 0 || repository.listedAt > now;
  const isKept = !isLate && !query.has("labels");
  const { lastList: last } = repository;
  if (isKept && last?.key === key && last.at <= now) return last.rows;
  const keep = issueFilter(call);
  const found = [...repository.issues.keys()]
    .map((number) => listedIssue(state, repository, number, state.lag.listMs))
    .filter((issue) => issue !== undefined)
    .filter((issue) => issue.fate.kind === "here" && (repository.hasIssues || issue.isPullRequest))
    .filter(keep);
  const rows = sortIssues(found, query);
  repository.lastList = isKept ? { key, at: now, rows } : undefined;
  return rows;
}

/** The refusal of a list where issues are switched off, if that is how it is answered. */
function refuseOff({ repository, quirks }: Call): Answer | undefined {
  if (repository.hasIssues || quirks.issuesOff === 200) return undefined;
  return quirks.issuesOff === 404 ? notFound() : refuse(410, "Issues are disabled for this repo");
}

const allowed: Readonly<Record<string, readonly string[]>> = {
  state: ["open", "closed", "all"],
  sort: ["created", "updated", "comments"],
  direction: ["asc", "desc"],
};

function refuseQuery(call: Call): Answer | undefined {
  const { query } = call;
  for (const [field, values] of Object.entries(allowed)) {
    const value = query.get(field);
    if (value !== null && !values.includes(value)) {
      return invalid({ resource: "Issue", field, code: "invalid", value });
    }
  }
  const since = query.get("since");
  if (since !== null && Number.isNaN(Date.parse(since))) {
    return invalid({ resource: "Issue", field: "since", code: "invalid", value: since });
  }
  if (!query.has("after") && positive(query.get("page"), 1) * pageSize(call) > maxRowsByNumber) {
    return refuse(
      422,
      "Pagination with the page parameter is not supported for large datasets, please use cursor based pagination (after/before)",
    );
  }
  return undefined;
}

function issueFilter({ repository, query, quirks }: Call): (issue: StoredIssue) => boolean {
  const wanted = query.get("state") ?? "open";
  const creator = query.get("creator");
  const labels = (query.get("labels") ?? "").split(",").filter((name) => name !== "");
  const ids = labels.map((name) => findLabel(repository, name)?.id ?? -1);
  const since = query.get("since");
  const earliest =
    since === null ? undefined : toSecond(Date.parse(since)) + (quirks.since === "exclusive" ? 1 : 0);
  return (issue) =>
    (wanted === "all" || issue.state === wanted) &&
    (creator === null || issue.author === creator) &&
    ids.every((id) => issue.labels.includes(id)) &&
    (earliest === undefined || toSecond(issue.updatedAt) >= earliest) &&
    matches(query.get("milestone"), issue.milestone === null ? [] : [String(issue.milestone)]) &&
    matches(query.get("assignee"), issue.assignees) &&
    matches(query.get("type"), asList(typeOf(repository, issue)?.name));
}

function asList(name: string | undefined): readonly string[] {
  return name === undefined ? [] : [name];
}

/** `none`, `*`, or one of the values. */
function matches(wanted: string | null, values: readonly string[]): boolean {
  if (wanted === null) return true;
  if (wanted === "none") return values.length === 0;
  return wanted === "*" ? values.length > 0 : values.includes(wanted);
}

function sortIssues(issues: readonly StoredIssue[], query: URLSearchParams): readonly StoredIssue[] {
  const isAscending = query.get("direction") === "asc";
  return issues.toSorted((a, b) => compare(placeOf(a, query), placeOf(b, query)) * (isAscending ? 1 : -1));
}

/** Where an issue stands in the order asked for. Issues of the same second stand by id. */
type PlaceInOrder = readonly [key: number, id: number];

function placeOf(issue: StoredIssue, query: URLSearchParams): PlaceInOrder {
  const sort = query.get("sort");
  if (sort === "comments") return [issue.comments.length, issue.id];
  return [toSecond(sort === "updated" ? issue.updatedAt : issue.createdAt), issue.id];
}

function compare(a: PlaceInOrder, b: PlaceInOrder): number {
  return a[0] - b[0] || a[1] - b[1];
}

function toSecond(epochMs: number): number {
  return Math.floor(epochMs / 1000);
}

interface Page<Row> {
  readonly status: 200;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: readonly Row[];
}

/** One page by `page` and `per_page`, with `Link` to the others by the repository's numeric id. */
export function pageByNumber<Row>(call: Call, folder: string, rows: readonly Row[]): Page<Row> {
  const size = pageSize(call);
  const page = positive(call.query.get("page"), 1);
  const last = Math.max(1, Math.ceil(rows.length / size));
  const links: (readonly [string, number])[] = [];
  if (page > 1) links.push(["prev", Math.min(page - 1, last)]);
  if (page < last) links.push(["next", page + 1], ["last", last]);
  if (page > 1) links.push(["first", 1]);
  return {
    status: 200,
    headers: linkHeader(links.map(([rel, to]) => [rel, listUrl(call, folder, { page: String(to) })])),
    body: rows.slice((page - 1) * size, page * size),
  };
}

/** One page behind the place that `after` names: no change shifts it. There is no `last`, as GitHub warns. */
function pageByCursor(call: Call, rows: readonly StoredIssue[]): Page<StoredIssue> {
  const { query } = call;
  const after = query.get("after");
  const rest = after === null ? rows : rows.filter((issue) => isBehind(placeOf(issue, query), after, query));
  const size = pageSize(call);
  const body = rest.slice(0, size);
  const end = body.at(-1);
  if (end === undefined || rest.length <= size) return { status: 200, headers: {}, body };
  const next = {
    after: Buffer.from(placeOf(end, query).join(":")).toString("base64url"),
    page: String(positive(query.get("page"), 1) + 1),
  };
  return { status: 200, headers: linkHeader([["next", listUrl(call, "issues", next)]]), body };
}

function isBehind(place: PlaceInOrder, cursor: string, query: URLSearchParams): boolean {
  const [key = "", id = ""] = Buffer.from(cursor, "base64url").toString("utf8").split(":");
  const order = compare(place, [Number(key), Number(id)]);
  return query.get("direction") === "asc" ? order > 0 : order < 0;
}

function pageSize({ query, quirks }: Call): number {
  return Math.min(quirks.pageSize, positive(query.get("per_page"), defaultPageSize));
}

function positive(text: string | null, otherwise: number): number {
  const number = Number(text);
  return Number.isInteger(number) && number > 0 ? number : otherwise;
}

function listUrl(call: Call, folder: string, changes: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(call.query);
  for (const [name, value] of Object.entries(changes)) query.set(name, value);
  return `${call.state.url}/repositories/${call.repository.id}/${folder}?${query}`;
}

function linkHeader(links: readonly (readonly [string, string])[]): Readonly<Record<string, string>> {
  if (links.length === 0) return {};
  return { link: links.map(([rel, url]) => `<${url}>; rel="${rel}"`).join(", ") };
}
