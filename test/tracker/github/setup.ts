import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect } from "vitest";
import { RemoteError } from "../../../src/errors.ts";
import type { ProxySettings } from "../../../src/http/connections.ts";
import { createSender, type Send } from "../../../src/http/send.ts";
import type { IssueRecord, Repository } from "../../../src/model/issue.ts";
import type { Clock, ReadBounds } from "../../../src/model/surroundings.ts";
import { createGitHubTracker, type GitHubOptions } from "../../../src/tracker/github/github.ts";
import type { IssuePage, IssueQuery, Listed, Tracker } from "../../../src/tracker/tracker.ts";
import { createDeadlines, type Deadlines } from "../../support/deadlines.ts";
import { type ApiRequest, validateRequests } from "../../support/openapi.ts";
import {
  type SandboxGitHub,
  type SandboxGitHubOptions,
  startSandboxGitHub,
} from "../../support/sandbox/github/github.ts";

/** When every fake clock starts. */
export const start = Date.parse("2026-01-05T10:00:00Z");
export const token = "ghp_ThisIsTheSecretToken0123456789";

/** A clock that stands still but for its sleeps, which take no time. */
export interface FakeClock extends Clock {
  readonly after: Deadlines["after"];
  readonly sleeps: readonly number[];
  pass(ms: number): void;
  /** The deadlines of all requests under way have passed. */
  passDeadlines(): void;
}

export function createFakeClock(): FakeClock {
  let now = start;
  const sleeps: number[] = [];
  const { after, pass: passDeadlines } = createDeadlines();
  return {
    after,
    passDeadlines,
    sleeps,
    now: () => now,
    sleep: (ms) => {
      sleeps.push(ms);
      now += ms;
      return Promise.resolve();
    },
    pass: (ms) => {
      now += ms;
    },
  };
}

/** Bounds that nothing ends. */
export function unbounded(): ReadBounds {
  return { until: Number.POSITIVE_INFINITY, signal: new AbortController().signal };
}

export interface LogLine {
  readonly level: string;
  readonly fields: object;
  readonly message: string;
}

/** What a test may want otherwise. */
export interface OwnOptions extends Partial<Omit<GitHubOptions, "clock" | "log" | "url" | "sender">> {
  readonly proxy?: ProxySettings;
  readonly timeoutMs?: number;
  readonly bodyBytes?: number;
  /** In the place of the network. */
  readonly send?: Send;
}

/** An adapter with its surroundings. */
export interface Fixture {
  readonly tracker: Tracker;
  readonly clock: FakeClock;
  readonly logged: readonly LogLine[];
}

export function createFixture(url: string, own: OwnOptions & { clock?: FakeClock } = {}): Fixture {
  const { proxy = {}, timeoutMs = 5_000, bodyBytes, send, clock = createFakeClock(), ...options } = own;
  const sender = createSender({ proxy, timeoutMs, clock, ...(bodyBytes !== undefined && { bodyBytes }) });
  const logged: LogLine[] = [];
  const write = (level: string) => (fields: object, message: string) => {
    logged.push({ level, fields, message });
  };
  const log = { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") };
  const tracker = createGitHubTracker({
    url,
    token,
    sender: send === undefined ? sender : { requests: 0, answers: new Map(), send },
    random: () => 0.5,
    log,
    ...options,
    clock,
  });
  return { tracker, clock, logged };
}

/** In the place of the network: this answer, whatever is asked. */
export function answering(
  body: string,
  more: { status?: number; headers?: Record<string, string> } = {},
): Send {
  const { status = 200, headers = { "content-type": "application/json" } } = more;
  return () => Promise.resolve({ kind: "answer", status, headers, body: Buffer.from(body) });
}

const cleanups: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

export interface SandboxFixture extends Fixture {
  readonly github: SandboxGitHub;
}

/** An adapter on a sandbox; whatever it asked must agree with GitHub's OpenAPI description in the end. */
export async function startSandbox(
  options: SandboxGitHubOptions = {},
  own: OwnOptions = {},
): Promise<SandboxFixture> {
  const clock = createFakeClock();
  const github = await startSandboxGitHub({
    clock,
    token,
    repositories: [{ name: "acme/app" }],
    ...options,
  });
  cleanups.push(async () => {
    await github.stop();
    expect(validateRequests(github.requests)).toEqual([]);
  });
  return { github, ...createFixture(github.url, { ...own, clock }) };
}

export interface ServerFixture extends Fixture {
  readonly url: string;
  /** Method and URL of each request so far. */
  readonly seen: readonly string[];
}

export type Reply = (
  response: ServerResponse,
  request: { readonly method: string; readonly url: string; readonly count: number },
) => void;

/** An adapter on a server that answers just what the test says. */
export async function startServer(reply: Reply, own: OwnOptions = {}): Promise<ServerFixture> {
  const seen: string[] = [];
  const requests: ApiRequest[] = [];
  const server = createServer((incoming, response) => {
    response.setHeader("date", new Date(start).toUTCString());
    void readText(incoming).then((text) => {
      const { method = "", url = "" } = incoming;
      seen.push(`${method} ${url}`);
      const { pathname, searchParams } = new URL(url, "http://test");
      const body = text === "" ? undefined : JSON.parse(text);
      requests.push({ method, path: pathname, query: Object.fromEntries(searchParams), body });
      reply(response, { method, url, count: seen.length });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanups.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    expect(validateRequests(requests)).toEqual([]);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, seen, ...createFixture(url, own) };
}

async function readText(incoming: IncomingMessage): Promise<string> {
  let text = "";
  for await (const chunk of incoming) text += String(chunk);
  return text;
}

/** Answers with JSON, as GitHub does. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  response.writeHead(status, { "content-type": "application/json; charset=utf-8", ...headers }).end(text);
}

/** The repository that servers of these tests have. */
export const repository: Repository = {
  id: 42,
  name: "acme/app",
  hasIssues: true,
  isArchived: false,
  isPrivate: false,
  canPush: true,
};

/** An issue as GitHub's JSON, of the repository above. */
export function issueJson(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: 9_000_001,
    node_id: "I_1",
    number: 7,
    repository_url: "https://api.github.com/repos/acme/app",
    title: "A title",
    body: "A body",
    state: "open",
    state_reason: null,
    user: { login: "octocat" },
    labels: [],
    assignees: [],
    milestone: null,
    locked: false,
    created_at: "2026-01-05T10:00:00Z",
    updated_at: "2026-01-05T10:00:00Z",
    ...changes,
  };
}

export function repositoryJson(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    id: 42,
    full_name: "acme/app",
    has_issues: true,
    archived: false,
    private: false,
    permissions: { push: true },
    ...changes,
  };
}

/** All pages of a listing. */
export async function collectPages(
  tracker: Tracker,
  of: Repository,
  query: IssueQuery,
  bounds = unbounded(),
): Promise<readonly IssuePage[]> {
  const pages: IssuePage[] = [];
  for await (const page of tracker.listIssues(of, query, bounds)) pages.push(page);
  return pages;
}

/** All records of a listing. */
export async function collectIssues(
  tracker: Tracker,
  of: Repository,
  query: IssueQuery,
): Promise<readonly IssueRecord[]> {
  return (await collectPages(tracker, of, query)).flatMap((page) => page.issues);
}

/** What makes the next request for a list conditional. */
export function etagOf(listed: Listed<unknown>): string | undefined {
  return listed.kind === "listed" ? listed.etag : undefined;
}

/** The error that a read ends with; anything but a RemoteError fails the test. */
export async function failureOf(read: Promise<unknown>): Promise<RemoteError> {
  const error = await read.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof RemoteError) return error;
  throw new Error("There should have been a RemoteError.", { cause: error });
}
