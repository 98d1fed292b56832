import type { Answer } from "../../loopback/loopback.ts";
import { findRepository, type GitHubState, type StoredRepository } from "../state/state.ts";
import { type Call, type Endpoint, notFound, redirect, refuse, type SandboxQuirks } from "./answer.ts";
import { createIssue, editIssue, getIssue } from "./issues.ts";
import { listIssues } from "./lists.ts";
import {
  addLabels,
  checkAssignee,
  createComment,
  createLabel,
  createMilestone,
  getRepository,
  listComments,
  listEvents,
  listLabels,
  listMilestones,
  listReleases,
  listTypes,
  removeLabel,
} from "./neighbours.ts";
import { accountShape, repositoryShape } from "./shapes.ts";

/** Paths below a repository, which itself is `/repos/{owner}/{repo}` or `/repositories/{id}`. */
const routes: readonly (readonly [method: string, path: string, endpoint: Endpoint])[] = [
  ["GET", "", getRepository],
  ["GET", "/issues", listIssues],
  ["POST", "/issues", createIssue],
  ["GET", "/issues/{number}", getIssue],
  ["PATCH", "/issues/{number}", editIssue],
  ["POST", "/issues/{number}/labels", addLabels],
  ["DELETE", "/issues/{number}/labels/{name}", removeLabel],
  ["GET", "/issues/{number}/comments", listComments],
  ["GET", "/issues/{number}/events", listEvents],
  ["POST", "/issues/{number}/comments", createComment],
  ["GET", "/labels", listLabels],
  ["POST", "/labels", createLabel],
  ["GET", "/milestones", listMilestones],
  ["POST", "/milestones", createMilestone],
  ["GET", "/releases", listReleases],
  ["GET", "/issue-types", listTypes],
  ["GET", "/assignees/{login}", checkAssignee],
];

/** A request of an account that was let in. */
export interface RoutedRequest {
  readonly method: string;
  /** Below the API's root, still encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly text: string;
  readonly account: string;
  /** Refuses what the App may not do whose token it was sent with; left out for a person's. */
  readonly guard?: (asked: GuardedRequest) => Answer | undefined;
}

/** What an App asks of a repository; `rest` is the path below it. */
export interface GuardedRequest {
  readonly method: string;
  readonly repository: StoredRepository;
  readonly rest: string;
}

/** Finds the endpoint of a request and asks it. */
export function route(state: GitHubState, quirks: SandboxQuirks, request: RoutedRequest): Answer {
  const { method, path, query, account, guard } = request;
  if (!isDecodable(path)) return refuse(400, "Bad Request");
  if (path === "/user") {
    if (guard !== undefined) return refuse(403, "Resource not accessible by integration");
    return method === "GET" ? { status: 200, body: accountShape(state, account) } : notFound();
  }
  if (path === "/user/repos" && method === "GET" && guard === undefined) {
    const seen = [...state.repositories.values()].filter(({ isVisible }) => isVisible);
    return { status: 200, body: seen.map((repository) => repositoryShape(state, repository, account)) };
  }
  if (path === "/meta" && method === "GET") {
    return { status: 200, body: { verifiable_password_authentication: false, ...serverVersion(quirks) } };
  }
  const place = locate(state, path);
  if (!place?.repository.isVisible) return notFound();
  const { repository, rest } = place;
  const refusal = guard?.({ method, repository, rest });
  if (refusal) return refusal;
  if (place.isFormerName) {
    const search = query.size === 0 ? "" : `?${query}`;
    const url = `${state.url}/repositories/${repository.id}${rest}${search}`;
    return redirect(method === "GET" ? 301 : 307, url);
  }
  for (const [routeMethod, routePath, endpoint] of routes) {
    const parts = routeMethod === method ? matchPath(routePath, rest) : undefined;
    if (parts === undefined) continue;
    const body = parseBody(request.text);
    if (body === undefined) return refuse(400, "Problems parsing JSON");
    const isApp = guard !== undefined;
    const call: Call = { state, repository, account, isApp, parts, query, body, quirks };
    return endpoint(call);
  }
  return notFound();
}

/** Only an Enterprise Server tells its version. */
function serverVersion({ enterprise }: SandboxQuirks): object {
  return enterprise === undefined ? {} : { installed_version: enterprise };
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

interface Place {
  readonly repository: StoredRepository;
  readonly rest: string;
  readonly isFormerName: boolean;
}

function locate(state: GitHubState, path: string): Place | undefined {
  const byId = /^\/repositories\/(?<id>\d+)(?<rest>\/.*)?$/u.exec(path)?.groups;
  if (byId) {
    const repository = state.repositories.get(Number(byId["id"]));
    return repository && { repository, rest: byId["rest"] ?? "", isFormerName: false };
  }
  const byName = /^\/repos\/(?<name>[^/]+\/[^/]+)(?<rest>\/.*)?$/u.exec(path)?.groups;
  const name = decodeURIComponent(byName?.["name"] ?? "");
  const repository = findRepository(state, name);
  if (repository === undefined) return undefined;
  const isFormerName = repository.name.toLowerCase() !== name.toLowerCase();
  return { repository, rest: byName?.["rest"] ?? "", isFormerName };
}

function matchPath(template: string, path: string): Readonly<Record<string, string>> | undefined {
  const wanted = template.split("/");
  const given = path.split("/");
  if (wanted.length !== given.length) return undefined;
  const parts: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = decodeURIComponent(given[index] ?? "");
    if (part.startsWith("{")) parts[part.slice(1, -1)] = value;
    else if (part !== value) return undefined;
  }
  return parts;
}

function parseBody(text: string): Readonly<Record<string, unknown>> | undefined {
  if (text === "") return {};
  try {
    const parsed: unknown = JSON.parse(text);
    return isRecord(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
