import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { type Answer, parseBody, type Reply, sendReply } from "../loopback/loopback.ts";
import { answerConditionally, answerList } from "./list.ts";
import type { BoardState, PostFields } from "./state.ts";
import { type BoardStyle, showRecord } from "./style.ts";

/** The HTTP face of the sandbox board. */

/** A request as it arrived, answered or not. */
export interface SandboxRequest {
  readonly method: string;
  /** Path below the base address, percent-encoded as sent: `/`, `/projects`, `/feedback`, `/feedback/p1`. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** The JSON body; undefined without one. */
  readonly body: unknown;
  /** Epoch ms. */
  readonly at: number;
}

/**
 * What goes wrong with a request. `applied` says whether it takes effect all the same; default no. `truncate` answers as
 * usual (so a PATCH is applied) and cuts the body in half.
 */
export type SandboxFault =
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      /** Text, or anything else as JSON; default none. */
      readonly body?: unknown;
      readonly applied?: boolean;
    }
  | { readonly kind: "hang"; readonly applied?: boolean }
  | { readonly kind: "reset"; readonly applied?: boolean }
  | { readonly kind: "truncate" };

export interface ResponderOptions {
  readonly key: string;
  readonly now: () => number;
  readonly state: BoardState;
  readonly style: () => BoardStyle;
  /** Every request is added here before it is answered. */
  readonly requests: SandboxRequest[];
  /** What goes wrong with this request, if anything. */
  readonly takeFault: (request: SandboxRequest) => SandboxFault | undefined;
}

const basePath = "/api/v1";

/** Makes the function that answers every request of the server. */
export function createResponder(options: ResponderOptions) {
  return async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = new URL(incoming.url ?? "/", `http://${incoming.headers.host ?? "127.0.0.1"}`);
    const request = await readRequest(incoming, url, options.now());
    options.requests.push(request);
    const fault = options.takeFault(request);
    sendReply(
      response,
      replyTo(fault, () => answer(request, url, options)),
      "application/json",
    );
  };
}

function replyTo(fault: SandboxFault | undefined, apply: () => Answer): Reply {
  if (fault === undefined) return { kind: "whole", answer: apply() };
  if (fault.kind === "truncate") return { kind: "cut", answer: apply() };
  if (fault.applied === true) apply();
  return fault.kind === "answer" ? { kind: "whole", answer: fault } : { kind: fault.kind };
}

async function readRequest(incoming: IncomingMessage, url: URL, at: number): Promise<SandboxRequest> {
  const headers = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
  return {
    method: incoming.method ?? "",
    path: url.pathname.startsWith(basePath) ? url.pathname.slice(basePath.length) || "/" : url.pathname,
    query: Object.fromEntries(url.searchParams),
    headers: Object.fromEntries(headers),
    body: parseBody(await text(incoming)),
    at,
  };
}

function answer(request: SandboxRequest, url: URL, options: ResponderOptions): Answer {
  const { state } = options;
  if (request.headers["authorization"] !== `Bearer ${options.key}`) {
    return refuse(401, "The API key is missing or wrong.");
  }
  const isRead = request.method === "GET";
  if (isRead && request.path === "/") return { status: 200, body: { ok: true } };
  if (isRead && request.path === "/projects")
    return { status: 200, body: { projects: listProjects(options) } };
  const [, id] = /^\/feedback\/([^/]+)$/.exec(request.path) ?? [];
  const isKnown = isRead ? request.path === "/feedback" : request.method === "PATCH" && id !== undefined;
  if (!isKnown) return refuse(404, "There is nothing here.");

  const named = request.query["project"] ?? fieldsOf(request.body)["project"];
  if (typeof named !== "string" || named === "") return refuse(400, "The project is missing.");
  const project = state.findProject(named);
  if (project === undefined) return refuse(404, "There is no such project, or the key may not see it.");
  if (id !== undefined) return patch(request, project.id, decodeURIComponent(id), url, options);
  const posts = state.posts(project.id);
  const asked = { headers: request.headers, now: options.now() };
  return answerConditionally(answerList(posts, url, options.style()), posts, options.style(), asked);
}

function listProjects({ state, now }: ResponderOptions): unknown[] {
  const time = new Date(now()).toISOString();
  return state.projects.map((project) => ({
    ...project,
    description: "",
    primaryColor: "#336699",
    createdAt: time,
    updatedAt: time,
  }));
}

/** What a PATCH may change, and the types it takes. */
const writable: Readonly<Record<string, (value: unknown) => boolean>> = {
  title: isText,
  description: isText,
  categoryId: (value) => value === null || isText(value),
  status: isText,
  internalNote: (value) => value === null || isText(value),
  isArchived: isFlag,
  isReviewed: isFlag,
  onRoadmap: isFlag,
  roadmapColumn: (value) => ["PLANNED", "IN_PROGRESS", "COMPLETED"].some((column) => column === value),
  roadmapOrder: (value) => typeof value === "number",
  roadmapPublic: isFlag,
};

function patch(
  request: SandboxRequest,
  project: string,
  id: string,
  url: URL,
  { state, style }: ResponderOptions,
): Answer {
  if (state.post(project, id) === undefined) return refuse(404, "There is no such post in this project.");
  const { project: _, ...fields } = fieldsOf(request.body);
  for (const [name, value] of Object.entries(fields)) {
    const accepts = Object.hasOwn(writable, name) ? writable[name] : undefined;
    if (accepts === undefined) return refuse(400, `The field ${name} can't be written.`);
    if (!accepts(value)) return refuse(422, `The field ${name} has a value that is not allowed.`);
  }
  // Every field was checked by name and type above.
  const change = fields as PostFields;
  if (state.refuses(change)) return refuse(400, "This status is not known here.");
  state.patchPost(project, id, change);
  const post = state.post(project, id);
  const { patchAnswer } = style();
  if (patchAnswer === "empty" || post === undefined) return { status: 204 };
  const record = showRecord(post, style(), url.href);
  return { status: 200, body: patchAnswer === "wrapped" ? { feedback: record } : record };
}

function fieldsOf(body: unknown): Record<string, unknown> {
  return typeof body === "object" && body !== null ? { ...body } : {};
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isFlag(value: unknown): boolean {
  return typeof value === "boolean";
}

function refuse(status: number, message: string): Answer {
  return { status, body: { error: { message } } };
}
