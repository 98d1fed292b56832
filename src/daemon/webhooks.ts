import type { FastifyReply, FastifyRequest } from "fastify";
import type { Log } from "../log.ts";
import { minuteMs } from "../model/time.ts";
import type { Hint } from "./hints.ts";
import type { HttpPart } from "./http.ts";
import { type RefusalReason, refusals } from "./webhook-refusals.ts";

/** What the receiver works with. */
export interface WebhookOptions {
  /** By which deliveries are signed, as of now; undefined turns the receiver off. */
  secret(): string | undefined;
  /** Something has happened on GitHub. Called after the answer. */
  hint(hint: Hint): Promise<void>;
  /** A delivery came; `event` is one of ours, or `other`. `reason`: why nothing was made of it. */
  note(event: string, outcome: DeliveryOutcome, reason?: RefusalReason): void;
  /** Milliseconds since some moment, by a clock that nobody can set. */
  monotonic(): number;
  readonly log: Log;
}

/** What was made of a delivery. */
export type DeliveryOutcome = "taken" | "ignored" | "refused";

/** GitHub sends up to 25 MB for a push, and far less for the events that are asked for. */
const maxBodyBytes = 1024 * 1024;
/** The bodies that are being read at a time take no more than this together. */
const mostBytes = 16 * maxBodyBytes;
/** What is refused is said no more often, for each reason; what was refused in between is counted. */
const quietMs = minuteMs;

/** What may change how a rule, or the selection, sees an issue: each event with its actions, or with all of them. */
const events: Readonly<Record<string, ReadonlySet<string> | undefined>> = {
  issues: undefined,
  label: undefined,
  milestone: undefined,
  projects_v2_item: undefined,
  // Of what goes on in a pull request all day, only this is looked at.
  pull_request: new Set(["opened", "closed", "reopened", "edited", "converted_to_draft", "ready_for_review"]),
  release: undefined,
  repository: undefined,
  sub_issues: undefined,
};

/**
 * `POST /webhooks/github`. A delivery that is signed as it should be is a hint that a run is worth its while, and nothing
 * more: what has happened is read from GitHub by that run. So one that is forged by no one, replayed, late, or out of order
 * does no harm.
 */
export function webhookPart(options: WebhookOptions): HttpPart {
  const refuse = createRefusal(options);
  let reading = 0;
  return (server) => {
    void server.register((scope, _options, done) => {
      scope.removeAllContentTypeParsers();
      // The signature is one of the bytes, whatever they mean.
      scope.addContentTypeParser(
        "*",
        { parseAs: "buffer", bodyLimit: largestBytes },
        (_request, body, take) => take(null, body),
      );
      // Before a body is read: nobody without a signature, and no more bodies at a time than there is room for.
      scope.addHook("onRequest", async (request, reply) => {
        if (options.secret() === undefined) return void (await refuse("off", request, reply));
        if (request.method !== "POST") return;
        const refused = findFault(request, mostBytes - reading);
        if (refused !== undefined) {
          if (refused === "busy") reply.header("retry-after", "5");
          await refuse(refused, request, reply.header("connection", "close"));
          return;
        }
        const bytes = bytesOf(request);
        reading += bytes;
        reply.raw.once("close", () => {
          reading -= bytes;
          if (!request.raw.complete) refuse("incomplete", request, reply);
        });
      });
      scope.setErrorHandler((error, request, reply) => {
        if (!request.raw.complete && isOfClient(error)) {
          const reason = Object(error).statusCode === 413 ? "size" : "incomplete";
          return refuse(reason, request, reply);
        }
        throw error;
      });
      scope.post("/webhooks/github", (request, reply) => receive(options, refuse, request, reply));
      done();
    });
  };
}

const jsonType = "application/json";
const formType = "application/x-www-form-urlencoded";
/** A form writes a byte as three, where it is no letter of ASCII. */
const largestBytes = 3 * maxBodyBytes;

/** What can be told from the head alone. */
function findFault(request: FastifyRequest, room: number): RefusalReason | undefined {
  if (!/^sha256=[0-9a-f]{64}$/i.test(headerOf(request, "x-hub-signature-256") ?? "")) return "unsigned";
  const type = typeOf(request);
  if (type !== jsonType && type !== formType) return "type";
  if (Number(request.headers["content-length"] ?? 0) > limitOf(type)) return "size";
  return bytesOf(request) > room ? "busy" : undefined;
}

/** Without its parameters, in small letters. */
function typeOf(request: FastifyRequest): string {
  return (request.headers["content-type"] ?? "").replace(/;.*$/s, "").trim().toLowerCase();
}

function limitOf(type: string): number {
  return type === formType ? largestBytes : maxBodyBytes;
}

function bytesOf(request: FastifyRequest): number {
  const limit = limitOf(typeOf(request));
  return Math.min(Number(request.headers["content-length"] ?? limit) || 0, limit);
}

function isOfClient(error: unknown): boolean {
  const { statusCode, code }: { statusCode?: unknown; code?: unknown } = Object(error);
  return code === "ECONNRESET" || (typeof statusCode === "number" && statusCode < 500);
}

/** @param event - one of ours, where it is known who says so. */
type Refuse = (
  reason: RefusalReason,
  request: FastifyRequest,
  reply: FastifyReply,
  event?: string,
) => FastifyReply;

/** Refuses, and says and counts it once. Whoever sends many such deliveries fills no log with them. */
function createRefusal({ note, log, monotonic }: WebhookOptions): Refuse {
  const said = new Map<RefusalReason, { readonly at: number; readonly unsaid: number }>();
  const refused = new WeakSet<FastifyRequest>();
  return (reason, request, reply, event = "other") => {
    if (refused.has(request)) return reply;
    refused.add(request);
    const isUnwanted = reason === "event";
    note(event, isUnwanted ? "ignored" : "refused", reason);
    const { at, unsaid } = said.get(reason) ?? { at: Number.NEGATIVE_INFINITY, unsaid: 0 };
    const deliveries = unsaid + 1;
    if (monotonic() - at >= quietMs) {
      const fields = { reason, event: isUnwanted ? eventNameOf(request)?.slice(0, 100) : event, deliveries };
      log[isUnwanted ? "info" : "warn"](fields, refusals[reason].said);
      said.set(reason, { at: monotonic(), unsaid: 0 });
    } else said.set(reason, { at, unsaid: deliveries });
    const { code, status, why } = refusals[reason];
    return reply.code(code).send(why === undefined ? { status } : { status, reason: why });
  };
}

/** The name of the event, in GitHub's spelling. */
function eventNameOf(request: FastifyRequest): string | undefined {
  return headerOf(request, "x-github-event")?.trim().toLowerCase();
}

/** One of ours. */
function knownEvent(request: FastifyRequest): string | undefined {
  const name = eventNameOf(request);
  return name !== undefined && Object.hasOwn(events, name) ? name : undefined;
}

async function receive(
  options: WebhookOptions,
  refuse: Refuse,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { secret, hint, note, log } = options;
  const event = knownEvent(request);
  const isForm = typeOf(request) === formType;
  const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
  if (body.length > limitOf(typeOf(request))) return refuse("size", request, reply);
  const text = body.toString("utf8");
  if (!(await isSigned(secret() ?? "", text, headerOf(request, "x-hub-signature-256"))))
    return refuse("signature", request, reply, event);
  const json = isForm ? new URLSearchParams(text).get("payload") : text;
  if (json === null) return refuse("payload", request, reply, event);
  const delivery = parse(json);
  if (delivery === undefined) return refuse("unreadable", request, reply, event);
  const name = eventNameOf(request);
  if (name === undefined) return refuse("unnamed", request, reply);
  if (name === "ping") {
    note("other", "ignored");
    return reply.code(204).send();
  }
  if (event === undefined) return refuse("event", request, reply);
  const action = textOf(delivery["action"]) ?? "";
  if (events[event]?.has(action) === false) {
    note(event, "ignored");
    return reply.code(202).send({ status: "ignored" });
  }
  note(event, "taken");
  reply.code(202).send({ status: "accepted" });
  log.debug({ event, action, delivery: headerOf(request, "x-github-delivery") }, "A webhook came");
  await hint(readHint(delivery));
  return reply;
}

/** Takes the same time whatever is wrong with it. */
async function isSigned(secret: string, text: string, signature: string | undefined): Promise<boolean> {
  if (secret === "" || text === "" || signature === undefined) return false;
  // Loaded with the first delivery: most daemons never get one.
  const { Webhooks } = await import("@octokit/webhooks");
  return new Webhooks({ secret }).verify(text, signature.toLowerCase());
}

type JsonFields = Readonly<Record<string, unknown>>;

/** A transfer names two repositories, a sub-issue maybe another one than its parent; an item of a project only an owner. */
function readHint(delivery: JsonFields): Hint {
  const { repository, changes, parent_issue_repo, sub_issue_repo, organization, sender } = delivery;
  const candidates = [repository, Object(changes).new_repository, parent_issue_repo, sub_issue_repo];
  const repositories = candidates.flatMap((one) => {
    const { id, full_name: name } = Object(one);
    return typeof id === "number" && typeof name === "string" ? [{ id, name }] : [];
  });
  return {
    repositories,
    owner: repositories.length === 0 ? textOf(Object(organization).login) : undefined,
    sender: textOf(Object(sender).login),
  };
}

function parse(text: string): JsonFields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as JsonFields) : undefined;
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function headerOf({ headers }: FastifyRequest, name: string): string | undefined {
  return textOf(headers[name]);
}
