import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { type Answer, parseBody, type Reply, sendReply } from "../loopback/loopback.ts";
import type { AskedFor, FaultQueue, SandboxFault } from "./faults.ts";
import { answer, type Gate, type RawRequest } from "./gate.ts";
import { refuse } from "./rest/answer.ts";

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
    text(incoming)
      .then((text) => serve(parts, incoming, response, text))
      .catch(() => response.destroy());
  });
}

function isGraphQL({ basePath }: ServerParts, { url = "" }: IncomingMessage): boolean {
  return url.split("?", 1)[0] === `${basePath.replace(/\/v3$/u, "")}/graphql`;
}

function serve(parts: ServerParts, incoming: IncomingMessage, response: ServerResponse, text: string): void {
  const { method = "", url = "" } = incoming;
  const [fullPath = "", search] = url.split("?", 2);
  const isQuery = isGraphQL(parts, incoming);
  const path = isQuery ? "/graphql" : fullPath.slice(parts.basePath.length);
  const query = new URLSearchParams(search);
  const request: RawRequest = { method, path, query, headers: incoming.headers, text };
  const finish = parts.log(describe(request, parts.gate.state.clock.now()));
  const isBelowRoot = isQuery || fullPath.startsWith(`${parts.basePath}/`);
  const apply = (): Answer => (isBelowRoot ? answer(parts.gate, request) : refuse(404, "Not Found"));
  const reply = replyTo(parts, parts.faults.take(method, path, readAsked(request)), apply);
  if ("answer" in reply) finish(reply.answer.status);
  sendReply(response, reply, "application/json; charset=utf-8");
}

function readAsked({ query, text }: RawRequest): AskedFor {
  const ids: unknown = Object(Object(parseBody(text)).variables).ids;
  return { rows: Number(query.get("per_page") ?? 0), ids: Array.isArray(ids) ? ids.map(String) : [] };
}

function describe(request: RawRequest, at: number): Omit<LoggedRequest, "status"> {
  const headers = Object.entries(request.headers)
    .filter(([name]) => name !== "authorization")
    .map(([name, value]) => [name, String(value)] as const);
  return {
    method: request.method,
    path: request.path,
    query: Object.fromEntries(request.query),
    body: parseBody(request.text),
    headers: Object.fromEntries(headers),
    at,
  };
}

/** What the client gets, which the log hears of where it is an answer. */
function replyTo(parts: ServerParts, fault: SandboxFault | undefined, apply: () => Answer): Reply {
  if (fault === undefined) return { kind: "whole", answer: apply() };
  const wrong = fault.answer;
  if (wrong.kind === "truncate" || wrong.kind === "cut") {
    const answer = apply();
    fault.onMet?.();
    return { kind: wrong.kind === "cut" ? "cut" : "half", answer };
  }
  if (fault.applied === "late") parts.postpone(apply);
  else if (fault.applied === true) apply();
  fault.onMet?.();
  return wrong.kind === "answer" ? { kind: "whole", answer: wrong } : { kind: wrong.kind };
}
