import { createHash } from "node:crypto";
import {
  nodeId,
  showComment,
  showIssue,
  showLabels,
  showNode,
  showRelease,
  showRepository,
} from "./github-shapes.ts";
import type { DemoIssue, DemoRepository, DemoState } from "./github-state.ts";
import type { DemoAnswer, DemoRequest } from "./loopback.ts";

/** The endpoints of the demo's GitHub. What it doesn't know, such as issue types and Apps, is 404, as on an old server. */

/** A request for something in a repository. */
interface DemoCall {
  readonly state: DemoState;
  readonly repository: DemoRepository;
  /** What the route's pattern names. */
  readonly parts: Readonly<Record<string, string>>;
  readonly asked: DemoRequest;
}

type Endpoint = (call: DemoCall) => DemoAnswer;

/** Paths below a repository, which itself is `/repos/{owner}/{repo}` or `/repositories/{id}`. */
const routes: readonly (readonly [method: string, path: RegExp, endpoint: Endpoint])[] = [
  ["GET", /^$/, ({ repository }) => ok(showRepository(repository))],
  ["GET", /^\/issues$/, listIssues],
  ["POST", /^\/issues$/, createIssue],
  ["GET", /^\/issues\/(?<number>\d+)$/, withIssue((call, issue) => ok(show(call, issue)))],
  ["PATCH", /^\/issues\/(?<number>\d+)$/, withIssue(editIssue)],
  ["POST", /^\/issues\/(?<number>\d+)\/labels$/, withIssue(addLabels)],
  ["DELETE", /^\/issues\/(?<number>\d+)\/labels\/(?<name>[^/]+)$/, withIssue(removeLabel)],
  [
    "GET",
    /^\/issues\/(?<number>\d+)\/comments$/,
    withIssue((call, { comments }) => page(call, comments.map(showComment))),
  ],
  ["POST", /^\/issues\/(?<number>\d+)\/comments$/, withIssue(createComment)],
  ["GET", /^\/labels$/, (call) => page(call, showLabels(call.repository, call.repository.labels))],
  ["POST", /^\/labels$/, createLabel],
  ["GET", /^\/milestones$/, (call) => page(call, [])],
  ["GET", /^\/releases$/, (call) => page(call, call.repository.releases.toReversed().map(showRelease))],
  ["POST", /^\/releases$/, createRelease],
  ["GET", /^\/assignees\/(?<login>[^/]+)$/, findAssignee],
];

/** Makes the function that answers every request. */
export function answerGitHub(state: DemoState, token: string): (asked: DemoRequest) => DemoAnswer {
  return (asked) => {
    const [, given] = /^(?:bearer|token) (\S+)$/i.exec(asked.headers.authorization ?? "") ?? [];
    if (given === undefined) return refuse(401, "Requires authentication");
    if (given !== token) return refuse(401, "Bad credentials");
    const answer = route(state, asked);
    return asked.method === "GET" ? tag(answer, asked) : answer;
  };
}

function route(state: DemoState, asked: DemoRequest): DemoAnswer {
  const { method, path } = asked;
  switch (`${method} ${path}`) {
    case "GET /user":
      return ok({ login: state.login, type: "User" });
    case "GET /meta":
      return ok({});
    case "POST /graphql":
      return answerQuery(state, asked);
  }
  const [, name, id, rest = ""] = /^\/(?:repos\/([^/]+\/[^/]+)|repositories\/(\d+))(\/.*)?$/.exec(path) ?? [];
  const repository = state.repositories.find(
    (one) => one.name.toLowerCase() === name?.toLowerCase() || String(one.id) === id,
  );
  if (repository === undefined) return notFound();
  for (const [wanted, pattern, endpoint] of routes) {
    const match = wanted === method ? pattern.exec(rest) : null;
    if (match === null) continue;
    const parts = Object.entries(match.groups ?? {}).map(([part, text]) => [part, decodeURIComponent(text)]);
    return endpoint({ state, repository, parts: Object.fromEntries(parts), asked });
  }
  return notFound();
}

/** A query about issues by their ids gets all there is to say of them; any other is 404. */
function answerQuery(state: DemoState, { body }: DemoRequest): DemoAnswer {
  const { ids } = Object(body["variables"]);
  if (!Array.isArray(ids)) return notFound();
  const nodes = state.repositories.flatMap((repository) =>
    [...repository.issues.values()].map((issue) => [nodeId(issue), showNode(repository, issue)] as const),
  );
  const known = new Map<unknown, object>(nodes);
  return ok({ data: { nodes: ids.map((id: unknown) => known.get(id) ?? null) } });
}

function withIssue(endpoint: (call: DemoCall, issue: DemoIssue) => DemoAnswer): Endpoint {
  return (call) => {
    const issue = call.repository.issues.get(Number(call.parts["number"]));
    return issue === undefined ? notFound() : endpoint(call, issue);
  };
}

function listIssues(call: DemoCall): DemoAnswer {
  const { query } = call.asked;
  const state = query.get("state") ?? "open";
  const creator = query.get("creator");
  const since = Date.parse(query.get("since") ?? "");
  const time = query.get("sort") === "updated" ? "updatedAt" : "createdAt";
  const direction = query.get("direction") === "asc" ? 1 : -1;
  const rows = [...call.repository.issues.values()]
    .filter((issue) => state === "all" || issue.state === state)
    .filter(({ author }) => creator === null || author === creator)
    .filter(({ updatedAt }) => Number.isNaN(since) || inSeconds(updatedAt) >= inSeconds(since))
    .toSorted((a, b) => direction * (inSeconds(a[time]) - inSeconds(b[time]) || a.id - b.id))
    .map((issue) => show(call, issue));
  return page(call, rows);
}

function createIssue(call: DemoCall): DemoAnswer {
  const { state, repository, asked } = call;
  const refusal = asked.body["title"] === undefined ? invalid(missing("title")) : refuseFields(call);
  if (refusal !== undefined) return refusal;
  const now = state.now();
  const start: DemoIssue = {
    id: state.nextId(),
    number: repository.issues.size + 1,
    author: state.login,
    title: "",
    body: null,
    state: "open",
    stateReason: null,
    labels: [],
    assignees: [],
    comments: [],
    createdAt: now,
    updatedAt: now,
    closedAt: null,
    closedBy: null,
  };
  // An issue begins open, whatever is asked for.
  const { state: _, ...fields } = editedFields(call);
  const issue = state.save(repository, start, fields);
  const location = `${state.url}/repos/${repository.name}/issues/${issue.number}`;
  return { status: 201, headers: { location }, body: show(call, issue) };
}

function editIssue(call: DemoCall, issue: DemoIssue): DemoAnswer {
  const refusal = refuseFields(call);
  return refusal ?? ok(show(call, call.state.save(call.repository, issue, editedFields(call))));
}

function show({ state, repository }: DemoCall, issue: DemoIssue) {
  return showIssue(state, repository, issue);
}

function findAssignee({ state, parts }: DemoCall): DemoAnswer {
  return state.people.includes(parts["login"] ?? "") ? { status: 204 } : notFound();
}

function addLabels(call: DemoCall, issue: DemoIssue): DemoAnswer {
  return refuseFields(call) ?? keepLabels(call, issue, [...issue.labels, ...textsIn(call, "labels")]);
}

function removeLabel(call: DemoCall, issue: DemoIssue): DemoAnswer {
  const name = call.parts["name"]?.toLowerCase();
  const left = issue.labels.filter((label) => label.toLowerCase() !== name);
  if (left.length === issue.labels.length) return refuse(404, "Label does not exist");
  return keepLabels(call, issue, left);
}

function keepLabels({ state, repository }: DemoCall, issue: DemoIssue, names: readonly string[]): DemoAnswer {
  const { labels } = state.save(repository, issue, { labels: state.spell(repository, names) });
  return ok(showLabels(repository, labels));
}

function createComment({ state, repository, asked }: DemoCall, issue: DemoIssue): DemoAnswer {
  const { body } = asked.body;
  if (typeof body !== "string" || body === "") return invalid(missing("body"));
  const comment = { id: state.nextId(), author: state.login, body, createdAt: state.now() };
  state.save(repository, issue, { comments: [...issue.comments, comment] });
  return { status: 201, body: showComment(comment) };
}

function createLabel({ state, repository, asked }: DemoCall): DemoAnswer {
  const { name } = asked.body;
  if (typeof name !== "string" || isBlank(name)) return invalid(missing("name"));
  const before = repository.labels.length;
  const spelled = state.spell(repository, [name]);
  if (repository.labels.length === before) return invalid({ field: "name", code: "already_exists" });
  return { status: 201, body: showLabels(repository, spelled)[0] };
}

/** A release is published at once. */
function createRelease({ state, repository, asked }: DemoCall): DemoAnswer {
  const { tag_name: tag, name, body } = asked.body;
  if (typeof tag !== "string" || isBlank(tag)) return invalid(missing("tag_name"));
  const { releases } = repository;
  if (releases.some((one) => one.tag === tag)) return invalid({ field: "tag_name", code: "already_exists" });
  const url = `${state.url}/${repository.name}/releases/tag/${tag}`;
  const release = { id: state.nextId(), tag, name: textOf(name), body: textOf(body), url, at: state.now() };
  releases.push(release);
  return { status: 201, body: showRelease(release) };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

const kinds: Readonly<Record<string, (value: unknown) => boolean>> = {
  title: (value) => typeof value === "string" && !isBlank(value),
  body: (value) => value === null || typeof value === "string",
  state: (value) => value === "open" || value === "closed",
  labels: isTexts,
  assignees: isTexts,
};

/** The refusal of fields of an issue that can't be. */
function refuseFields(call: DemoCall): DemoAnswer | undefined {
  const wrong = Object.entries(call.asked.body).find(([name, value]) => kinds[name]?.(value) === false);
  if (wrong !== undefined)
    return invalid({ field: wrong[0], code: isBlank(wrong[1]) ? "missing_field" : "invalid" });
  const strangers = textsIn(call, "assignees").filter((login) => !call.state.people.includes(login));
  if (strangers.length === 0) return undefined;
  return invalid(...strangers.map((value) => ({ value, field: "assignees", code: "invalid" })));
}

/** What a request asks of an issue; every field was checked by `refuseFields`. */
function editedFields(call: DemoCall): Partial<DemoIssue> {
  const { title, body, state, state_reason: reason } = call.asked.body;
  const labels = "labels" in call.asked.body && call.state.spell(call.repository, textsIn(call, "labels"));
  return {
    ...(typeof title === "string" && { title }),
    ...((body === null || typeof body === "string") && { body }),
    ...((state === "open" || state === "closed") && { state }),
    ...(typeof reason === "string" && { stateReason: reason }),
    ...(labels && { labels }),
    ...("assignees" in call.asked.body && { assignees: textsIn(call, "assignees") }),
  };
}

function textsIn({ asked }: DemoCall, field: string): readonly string[] {
  const value = asked.body[field];
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function inSeconds(epochMs: number): number {
  return Math.floor(epochMs / 1000);
}

/** One page by `page` and `per_page`, with `Link` to the next. */
function page({ state, repository, asked }: DemoCall, rows: readonly unknown[]): DemoAnswer {
  const size = Math.min(100, positive(asked.query.get("per_page"), 30));
  const number = positive(asked.query.get("page"), 1);
  const body = rows.slice((number - 1) * size, number * size);
  if (number * size >= rows.length) return ok(body);
  const query = new URLSearchParams(asked.query);
  query.set("page", String(number + 1));
  const below = asked.path.replace(/^\/(?:repos\/[^/]+\/[^/]+|repositories\/\d+)/, "");
  const next = `${state.url}/repositories/${repository.id}${below}?${query}`;
  return { status: 200, headers: { link: `<${next}>; rel="next"` }, body };
}

function positive(text: string | null, otherwise: number): number {
  const number = Number(text);
  return Number.isInteger(number) && number > 0 ? number : otherwise;
}

/** What has not changed since it was asked for is not sent again. */
function tag(answer: DemoAnswer, { path, query, headers }: DemoRequest): DemoAnswer {
  if (answer.status !== 200) return answer;
  const seen = JSON.stringify([path, query.toString(), answer.body]);
  const etag = `W/"${createHash("sha256").update(seen).digest("hex")}"`;
  if (headers["if-none-match"] === etag) return { status: 304, headers: { etag } };
  return { ...answer, headers: { ...answer.headers, etag } };
}

function ok(body: unknown): DemoAnswer {
  return { status: 200, body };
}

function notFound(): DemoAnswer {
  return refuse(404, "Not Found");
}

function invalid(...errors: readonly { field: string; code: string; value?: string }[]): DemoAnswer {
  return { status: 422, body: { message: "Validation Failed", errors, status: "422" } };
}

function missing(field: string) {
  return { field, code: "missing_field" };
}

function isBlank(value: unknown): boolean {
  return typeof value === "string" && value.trim() === "";
}

function refuse(status: number, message: string): DemoAnswer {
  const body = { message, documentation_url: "https://docs.github.com/rest", status: String(status) };
  return { status, body };
}
