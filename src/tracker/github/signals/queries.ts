import type { RepositoryName } from "../../../model/issue.ts";
import type { ProjectField } from "../../tracker.ts";
import { splitName } from "../wire/shapes.ts";
import type { QueryRequest } from "./querying.ts";

/**
 * Every GraphQL query that is ever sent; a test validates each one against GitHub's schema. Each part of an issue's query is
 * one line: where a server or a token refuses a part, GitHub names the line, and the rest is asked for without it.
 */

/** A part of the query about issues, which can be left out by itself. */
export type SignalPart =
  | "pullRequests"
  | "released"
  | "subIssues"
  | "duplicates"
  | "projects"
  | "facts"
  | "type"
  | "editors";

/** A query with its variables. */
type FilledQuery = Pick<QueryRequest, "text" | "variables">;

/** A query, and which part each of its lines belongs to; undefined for lines that none does. */
export interface PartedQuery extends FilledQuery {
  readonly partOfLine: readonly (SignalPart | undefined)[];
}

/**
 * An issue has 100 sub-issues at most, 10 assignees and 100 labels, and is seldom in more than a project or two. Pull requests that
 * name it may be any number; a page of 100 costs as many points as one of ten.
 */
const parts: Readonly<Record<Exclude<SignalPart, "projects">, string>> = {
  pullRequests:
    "pullRequests: closedByPullRequestsReferences(first: 100, includeClosedPrs: true) { totalCount nodes { number state isDraft authorAssociation repository { nameWithOwner } } }",
  released:
    "released: closedByPullRequestsReferences(first: 100, includeClosedPrs: true) { totalCount nodes { state mergedAt mergeCommit { oid } repository { nameWithOwner } } }",
  subIssues: "subIssues: subIssues(first: 100) { totalCount nodes { state } }",
  duplicates:
    "duplicates: timelineItems(last: 20, itemTypes: [MARKED_AS_DUPLICATE_EVENT, UNMARKED_AS_DUPLICATE_EVENT]) { pageInfo { hasPreviousPage } nodes { __typename ... on MarkedAsDuplicateEvent { canonical { ...canonical } duplicate { ...canonical } } ... on UnmarkedAsDuplicateEvent { canonical { ...canonical } duplicate { ...canonical } } } }",
  facts:
    "facts: repository { databaseId } number state stateReason(enableDuplicate: true) locked createdAt updatedAt labels(first: 100) { totalCount nodes { id name } } assignees(first: 20) { totalCount nodes { login } } milestone { number title state }",
  type: "type: issueType { id name }",
  editors: "editors: userContentEdits(last: 100) { totalCount nodes { editor { login } } }",
};

const canonical =
  "fragment canonical on IssueOrPullRequest { __typename ... on PullRequest { id } ... on Issue { id number author { login } authorAssociation repository { databaseId nameWithOwner } } }";

/** A single-select field of a project: its id, and the name that it is looked up by. */
export type AskedField = Pick<ProjectField, "fieldId" | "name">;

/**
 * The query about up to 100 issues, by their ids. GitHub looks a value up by the name of its field, `$name0`, and answers null for a
 * name that is no longer right. So the query also asks for each of the single-select fields by its id, `$field0` and so on, to see
 * its name of today.
 */
export function signalQuery(
  wanted: ReadonlySet<SignalPart>,
  ids: readonly string[],
  known: readonly AskedField[],
): PartedQuery {
  const lines: (readonly [text: string, part?: SignalPart])[] = [];
  const fields = [...(wanted.has("projects") ? known : []).entries()];
  const indexes = fields.map(([index]) => index);
  const declared = ["$ids: [ID!]!", ...indexes.map((index) => `$field${index}: ID!, $name${index}: String!`)];
  lines.push([`query Signals(${declared.join(", ")}) {`]);
  for (const index of indexes) {
    const shown = "{ ... on ProjectV2SingleSelectField { id name options { id name } } }";
    lines.push([`field${index}: node(id: $field${index}) ${shown}`, "projects"]);
  }
  lines.push(["nodes(ids: $ids) { __typename ... on Issue { id"]);
  for (const part of wanted) {
    lines.push([part === "projects" ? itemsOf(indexes) : parts[part], part]);
  }
  lines.push(["} } }"]);
  if (wanted.has("duplicates")) lines.push([canonical, "duplicates"]);
  const named = fields.flatMap(([index, { fieldId, name }]) => [
    [`field${index}`, fieldId],
    [`name${index}`, name],
  ]);
  return {
    text: lines.map(([text]) => text).join("\n"),
    variables: { ids, ...Object.fromEntries(named) },
    partOfLine: lines.map(([, part]) => part),
  };
}

/** Items that the project has archived keep their values, so they count. */
function itemsOf(fields: readonly number[]): string {
  const value =
    "{ __typename ... on ProjectV2ItemFieldSingleSelectValue { optionId name field { ... on ProjectV2SingleSelectField { id } } } }";
  const values = fields.map((index) => `field${index}: fieldValueByName(name: $name${index}) ${value}`);
  return `projects: projectItems(first: 20, includeArchived: true) { totalCount nodes { type project { id } ${values.join(" ")} } }`;
}

/** The query for the fields of one project, of a user or an organisation. */
export const projectFieldQuery = `query ProjectField($owner: String!, $number: Int!) {
repositoryOwner(login: $owner) { __typename ... on ProjectV2Owner { projectV2(number: $number) {
id closed fields(first: 100) { totalCount nodes { __typename ... on ProjectV2FieldCommon { name } ... on ProjectV2SingleSelectField { id options { id name } } } }
} } } }`;

/** The newest releases of repositories: `repository0` and so on. */
export function releaseQuery(names: readonly RepositoryName[]): FilledQuery {
  const releases =
    "releases(first: 100, orderBy: { field: CREATED_AT, direction: DESC }) { totalCount nodes { isDraft isPrerelease createdAt publishedAt tagName tag { id } tagCommit { oid } } }";
  const ask = (index: number) =>
    `repository${index}: repository(owner: $owner${index}, name: $repo${index}) { ${releases} }`;
  return fillEach("Releases", { owner: "String!", repo: "String!" }, names.map(splitName), ask);
}

/** A commit that is behind a tag, by the tag's id, is part of it. */
export interface Pair {
  readonly tag: string;
  readonly commit: string;
}

/** Compares tags with commits: `comparison0` and so on. */
export function comparisonQuery(pairs: readonly Pair[]): FilledQuery {
  const ask = (index: number) =>
    `comparison${index}: node(id: $tag${index}) { ... on Ref { compare(headRef: $commit${index}) { status } } }`;
  return fillEach("Comparisons", { tag: "ID!", commit: "String!" }, pairs, ask);
}

/** Asks the same for each of some rows, whose values are the variables: of the first `$owner0` and so on. */
function fillEach<Row extends object>(
  title: string,
  types: Readonly<Record<keyof Row, string>>,
  rows: readonly Row[],
  ask: (index: number) => string,
): FilledQuery {
  const names = Object.keys(types) as (keyof Row & string)[];
  const all = rows.flatMap((row, index) =>
    names.map((name) => [name, `${name}${index}`, row[name]] as const),
  );
  const declared = all.map(([name, variable]) => `$${variable}: ${types[name]}`);
  return {
    text: [`query ${title}(${declared.join(", ")}) {`, ...rows.map((_, index) => ask(index)), "}"].join("\n"),
    variables: Object.fromEntries(all.map(([, variable, value]) => [variable, value])),
  };
}
