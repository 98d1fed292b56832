import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { FaultQueue, SandboxFault } from "./faults.ts";
import { answer, type Gate, type RawRequest } from "./gate.ts";
import { type Answer, refuse } from "./rest/answer.ts";

const maxRequestBytes = 4 * 1024 * 1024;

/** One request as the log keeps it. */
export interface LoggedRequest {
  readonly method: string;
  /** Below the API's root, still encoded, without query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Parsed JSON; the text as it came when that can't be; undefined without a body. */
  readonly body: unknown;
  /** In lower case and without `authorization`. */
  readonly headers: Readonly<Record<string, string>>;
  /** By the sandbox's clock. */
  readonly at: number;
  /** What was answered; undefined for a connection that was reset or left hanging, or is still being served. */
  readonly status: number | undefined;
}

/** What the server needs besides the gate. */
export interface ServerParts {
  readonly gate: Gate;
  readonly faults: FaultQueue;
  /** Path of the API's root, such as `/api/v3`; empty for none. */
  readonly basePath: string;
  log(request: Omit<LoggedRequest, "status">): (status: number) => void;
  /** Takes a request that shall have its effect later. */
  postpone(apply: () => void): void;
}

/** The HTTP side: reads requests, sends answers, plays faults. */
export function createGitHubServer(parts: ServerParts): Server {
  return createServer((incoming, response) => {
    // A server's times are of one clock; without this the answer would show the machine's.
    response.setHeader("date", new Date(parts.gate.state.clock.now()).toUTCString());
    readText(incoming).then(
      (text) => serve(parts, incoming, response, text),
      () => response.destroy(),
    );
  });
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of incoming) {
    bytes += chunk.length;
    if (bytes > maxRequestBytes) throw new Error("The request is too large.");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function serve(parts: ServerParts, incoming: IncomingMessage, response: ServerResponse, text: string): void {
  const { method = "", url = "" } = incoming;
  const [fullPath = "", search] = url.split("?", 2);
  const isGraphQL = fullPath === `${parts.basePath.replace(/\/v3$/u, "")}/graphql`;
  const path = isGraphQL ? "/graphql" : fullPath.slice(parts.basePath.length);
  const query = new URLSearchParams(search);
  const request: RawRequest = { method, path, query, headers: incoming.headers, text };
  const finish = parts.log(describe(request, parts.gate.state.clock.now()));
  const isBelowRoot = isGraphQL || fullPath.startsWith(`${parts.basePath}/`);
  const apply = (): Answer => (isBelowRoot ? answer(parts.gate, request) : refuse(404, "Not Found"));
  const fault = parts.faults.take(method, path);
  if (fault) playFault(parts, fault, { apply, response, finish });
  else send(response, apply(), finish);
}

function describe(request: RawRequest, at: number): Omit<LoggedRequest, "status"> {
  const headers = Object.entries(request.headers)
    .filter(([name]) => name !== "authorization")
    .map(([name, value]) => [name, String(value)] as const);
  return {
    method: request.method,
    path: request.path,
    query: Object.fromEntries(request.query),
    body: parse(request.text),
    headers: Object.fromEntries(headers),
    at,
  };
}

function parse(text: string): unknown {
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

interface Exchange {
  readonly apply: () => Answer;
  readonly response: ServerResponse;
  readonly finish: (status: number) => void;
}

function playFault(parts: ServerParts, fault: SandboxFault, exchange: Exchange): void {
  const { apply, response, finish } = exchange;
  const wrong = fault.answer;
  if (wrong.kind === "truncate" || wrong.kind === "cut") {
    sendHalf(response, apply(), finish, wrong.kind === "cut");
    return;
  }
  if (fault.applied === "late") parts.postpone(apply);
  else if (fault.applied === true) apply();
  if (wrong.kind === "answer") send(response, wrong, finish);
  else if (wrong.kind === "reset") response.socket?.resetAndDestroy();
}

function send(response: ServerResponse, sent: Answer, finish: (status: number) => void): void {
  finish(sent.status);
  if (sent.body === undefined) {
    response.writeHead(sent.status, { ...sent.headers }).end();
    return;
  }
  const text = typeof sent.body === "string" ? sent.body : JSON.stringify(sent.body);
  response.writeHead(sent.status, { "content-type": contentType(sent.body), ...sent.headers }).end(text);
}

function sendHalf(
  response: ServerResponse,
  sent: Answer,
  finish: (status: number) => void,
  isCut: boolean,
): void {
  finish(sent.status);
  const bytes = Buffer.from(JSON.stringify(sent.body ?? null));
  const half = bytes.subarray(0, Math.floor(bytes.length / 2));
  const length = isCut ? bytes.length : half.length;
  response.writeHead(sent.status, {
    "content-type": contentType(sent.body),
    ...sent.headers,
    "content-length": String(length),
  });
  if (isCut) response.write(half, () => response.socket?.resetAndDestroy());
  else response.end(half);
}

function contentType(body: unknown): string {
  return typeof body === "string" ? "text/html; charset=utf-8" : "application/json; charset=utf-8";
}
