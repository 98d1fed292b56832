import type { Reply } from "../../http/send.ts";
import type { Post, PostId } from "../../model/post.ts";
import type { PatchOutcome } from "../board.ts";
import { isObject, readKey, readPath } from "./answer/access.ts";
import { readBody } from "./answer/body.ts";
import { readNo, sayNo } from "./answer/no.ts";
import { type FieldNames, pickRecord } from "./answer/record.ts";
import { type Asked, type Fault, judge, quoteAnswer } from "./answer/refusal.ts";
import { idNamesKnown } from "./answer/shape.ts";

export interface PatchReading extends Pick<Asked, "url" | "excerpt" | "now"> {
  readonly post: PostId;
  readonly names: FieldNames & { readonly id?: string | undefined };
}

/** Statuses by which the board says for good that it did nothing. */
const definite: ReadonlySet<number> = new Set([400, 409, 410, 413, 422]);

/**
 * What became of a PATCH. Only what surely did not happen is called so: everything that is not listed here may have been
 * applied, and stays `unknown`.
 *
 * | reply | outcome |
 * |---|---|
 * | 2xx, JSON or empty | applied |
 * | 2xx that says that it failed (`success: false`), without the post | by its words (`answer/no.ts`) |
 * | 2xx with an `error` alone, without the post | limited, unauthorized by its words, else unknown |
 * | 2xx with another body | unknown |
 * | any other | see `judge` |
 */
export function classifyPatch(reply: Reply, reading: PatchReading): PatchOutcome {
  const { excerpt, now, url } = reading;
  const { status } = reply;
  const body = readBody(reply, excerpt);
  if (reply.kind === "answer" && status >= 200 && status < 300) {
    const value = body.kind === "json" ? body.value : undefined;
    const post = findPost(value, reading);
    const no = post === undefined ? readNo(value) : undefined;
    if (body.kind !== "unreadable" && no === undefined) return { kind: "applied", post };
    const who = `The board refused the change (HTTP ${status})`;
    const refused = no && sayNo(no.words, who, excerpt);
    // An error alone may be a warning beside a success.
    if (refused !== undefined && (refused.kind !== "rejected" || no?.isDefinite))
      return outcomeOf(refused, status);
    const said = quoteAnswer(body, excerpt, reply.via);
    const message = `The board's answer does not say whether the change was made (HTTP ${status}): ${said}.`;
    return { kind: "unknown", message };
  }
  const asked = { kind: "post", url, who: "The board", what: "the change", named: "this post" } as const;
  return outcomeOf(judge(reply, body, { ...asked, setting: "board.url", definite, excerpt, now }), status);
}

function outcomeOf({ kind, message, retryAt, detail }: Fault, status: number): PatchOutcome {
  if (kind === "rejected") return { kind, status, message };
  if (kind === "limited") return { kind, retryAt, message };
  if (kind === "unauthorized") return { kind, message, detail };
  if (kind === "missing" || kind === "unsent") return { kind, message };
  return { kind: "unknown", message, ...(retryAt !== undefined && { retryAt }) };
}

/** Names under which an answer may hold the one record. */
const recordNames = ["feedback", "post", "data", "item", "result", "record"];

/**
 * The record of the patched post: the answer itself, or one or two levels below it. The record of another post is ignored.
 */
function findPost(value: unknown, reading: PatchReading): Post | undefined {
  const below = recordNames.map((name) => readKey(value, name));
  const deeper = below.flatMap((inner) => recordNames.map((name) => readKey(inner, name)));
  for (const record of [value, ...below, ...deeper].filter(isObject)) {
    const names = reading.names.id === undefined ? idNamesKnown : [reading.names.id];
    const idName = names.find((name) => String(readPath(record, name)) === reading.post);
    const { post } = pickRecord(record, idName, reading.names);
    if (post !== undefined) return post;
  }
  return undefined;
}
