import type { FastifyReply, FastifyRequest } from "fastify";
import type { Log } from "../log.ts";
import type { Hint } from "./hints.ts";
import type { HttpPart } from "./http.ts";
import { maxBodyBytes } from "./http-limits.ts";

/** What the receiver works with. */
export interface WebhookOptions {
  /** By which deliveries are signed, as of now; undefined turns the receiver off. */
  secret(): string | undefined;
  /** Something has happened on GitHub. Called after the answer. */
  hint(hint: Hint): Promise<void>;
  /** A delivery came; `event` is one of ours, or `other`. */
  note(event: string, outcome: "taken" | "ignored" | "refused"): void;
  /** Milliseconds since some moment, by a clock that nobody can set. */
  monotonic(): number;
  readonly log: Log;
}

/** The bodies that are being read at a time take no more than this together. */
const mostBytes = 16 * maxBodyBytes;
/** What is refused is said no more often; what was refused in between is counted. */
const quietMs = 60_000;

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
      scope.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, take) =>
        take(null, body),
      );
      scope.addHook("onRequest", async (_request, reply) => {
        if (options.secret() !== undefined) return;
        const reason = "The receiver of webhooks is off: set GITHUB_WEBHOOK_SECRET to switch it on.";
        await reply.code(404).send({ status: "not found", reason });
      });
      // Before a body is read: nobody without a signature, and no more bodies at a time than there is room for.
      scope.addHook("onRequest", async (request, reply) => {
        if (reply.sent || request.method !== "POST") return;
        if (!/^sha256=[0-9a-f]{64}$/.test(headerOf(request, "x-hub-signature-256") ?? "")) {
          await refuse("other", reply.header("connection", "close"));
          return;
        }
        const bytes = Math.min(Number(request.headers["content-length"] ?? maxBodyBytes) || 0, maxBodyBytes);
        if (reading + bytes > mostBytes) {
          const busy = { status: "busy", reason: "Too many deliveries at a time." };
          await reply.code(503).header("retry-after", "5").header("connection", "close").send(busy);
          return;
        }
        reading += bytes;
        reply.raw.once("close", () => {
          reading -= bytes;
        });
      });
      scope.post("/webhooks/github", (request, reply) => receive(options, refuse, request, reply));
      done();
    });
  };
}

type Refuse = (event: string, reply: FastifyReply) => FastifyReply;

/** Refuses what is not signed as it should be. Whoever sends many such deliveries fills no log with them. */
function createRefusal({ note, log, monotonic }: WebhookOptions): Refuse {
  let saidAt = Number.NEGATIVE_INFINITY;
  let unsaid = 0;
  return (event, reply) => {
    note(event, "refused");
    unsaid += 1;
    if (monotonic() - saidAt >= quietMs) {
      log.warn({ event, deliveries: unsaid }, "A webhook with a wrong signature was refused");
      saidAt = monotonic();
      unsaid = 0;
    }
    const reason =
      "The signature doesn't match: the webhook's secret on GitHub must be GITHUB_WEBHOOK_SECRET.";
    return reply.code(401).send({ status: "unauthorized", reason });
  };
}

async function receive(
  options: WebhookOptions,
  refuse: Refuse,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<unknown> {
  const { secret, hint, note, log } = options;
  const name = headerOf(request, "x-github-event");
  const isKnown = name !== undefined && Object.hasOwn(events, name);
  const event = isKnown ? name : "other";
  const text = Buffer.isBuffer(request.body) ? request.body.toString("utf8") : "";
  if (!(await isSigned(secret() ?? "", text, headerOf(request, "x-hub-signature-256"))))
    return refuse(event, reply);
  const delivery = parse(text);
  if (name === undefined || delivery === undefined) {
    note(event, "refused");
    return reply.code(400).send({ status: "bad request", reason: "This is no delivery of GitHub." });
  }
  if (name === "ping") {
    note(event, "ignored");
    return reply.code(204).send();
  }
  const action = textOf(delivery["action"]) ?? "";
  if (!isKnown || events[name]?.has(action) === false) {
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
  return new Webhooks({ secret }).verify(text, signature);
}

type Fields = Readonly<Record<string, unknown>>;

/** A transfer names two repositories, a sub-issue maybe another one than its parent; an item of a project only an owner. */
function readHint(delivery: Fields): Hint {
  const { repository, changes, parent_issue_repo, sub_issue_repo, organization, sender } = delivery;
  const candidates = [repository, fieldsOf(changes)["new_repository"], parent_issue_repo, sub_issue_repo];
  const repositories = candidates
    .map(fieldsOf)
    .flatMap(({ id, full_name: name }) =>
      typeof id === "number" && typeof name === "string" ? [{ id, name }] : [],
    );
  return {
    repositories,
    owner: repositories.length === 0 ? textOf(fieldsOf(organization)["login"]) : undefined,
    sender: textOf(fieldsOf(sender)["login"]),
  };
}

function parse(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function headerOf({ headers }: FastifyRequest, name: string): string | undefined {
  return textOf(headers[name]);
}
