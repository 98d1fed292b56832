import { readRetryAfter } from "../../http/repeat.ts";
import type { Reply } from "../../http/send.ts";
import type { Post, PostId } from "../../model/post.ts";
import type { PatchOutcome } from "../board.ts";
import { isObject, readKey, readPath } from "./answer/access.ts";
import { type Body, readBody } from "./answer/body.ts";
import { readNo, sayNo } from "./answer/no.ts";
import { type FieldNames, pickRecord } from "./answer/record.ts";
import { isLimited, quoteAnswer, quoteRedirect, sayPause } from "./answer/refusal.ts";
import { idNamesKnown } from "./answer/shape.ts";
import { type Excerpt, showAddress } from "./answer/wording.ts";

export interface PatchReading {
  readonly post: PostId;
  readonly url: URL;
  readonly names: FieldNames & { readonly id?: string | undefined };
  /** See `readBody`. */
  readonly depth: number;
  readonly excerpt: Excerpt;
  /** Epoch ms. */
  readonly now: number;
}

/**
 * What became of a PATCH. Only what surely did not happen is called so: everything that is not listed here may have been
 * applied, and stays `unknown`.
 *
 * | reply | outcome |
 * |---|---|
 * | 2xx, JSON or empty | applied |
 * | 2xx that says that it failed (`success: false`), without the post | by its words (`answer/no.ts`) |
 * | 2xx with an `error` alone, without the post | limited, unauthorized by its words, else unknown |
 * | a limit, in whatever status (`http/refusal.ts`) | limited |
 * | 400, 409, 410, 413, 422 | rejected |
 * | 401, 403 | unauthorized |
 * | 404 | missing |
 * | no connection | unsent |
 * | 2xx with another body, 3xx, other 4xx, 5xx, cut off, too large, too late | unknown |
 */
export function classifyPatch(reply: Reply, reading: PatchReading): PatchOutcome {
  const { depth, excerpt, now, url } = reading;
  const { status, headers } = reply;
  if (reply.kind === "unsent") return { kind: "unsent", message: `${showAddress(url)} ${reply.message}.` };
  const isWhole = reply.kind === "answer";
  const body: Body = isWhole
    ? readBody(reply, depth, excerpt)
    : { kind: "unreadable", reason: "a body that is not whole" };
  const said = isWhole ? quoteAnswer(body, excerpt, reply.via) : `it ${reply.message}`;
  if (status >= 200 && status < 300 && body.kind !== "unreadable") {
    const value = body.kind === "json" ? body.value : undefined;
    const post = findPost(value, reading);
    const no = post === undefined ? readNo(value) : undefined;
    if (no === undefined) return { kind: "applied", post };
    const refused = sayNo(no.words, `The board refused the change (HTTP ${status})`, excerpt);
    if (refused.kind !== "rejected") return refused;
    // It may be a warning beside a success.
    if (!no.isDefinite) return { kind: "unknown", message: explainUnknown(reply, said, reading) };
    return { ...refused, status };
  }
  const retryAt = readRetryAfter(headers, now);
  if (isLimited(reply, body)) {
    const message = `The board limits requests (HTTP ${status}): ${said}.${sayPause(retryAt)}`;
    return { kind: "limited", retryAt, message };
  }
  if ([400, 409, 410, 413, 422].includes(status)) {
    return { kind: "rejected", status, message: `The board refused the change (HTTP ${status}): ${said}.` };
  }
  if (status === 401 || status === 403) {
    const message = `The board refused the key (HTTP ${status}): ${said}.`;
    const isPage = body.kind === "unreadable" && body.detail === "page";
    const detail = isPage ? "page" : status === 403 ? "forbidden" : undefined;
    return { kind: "unauthorized", message, detail };
  }
  if (status === 404) {
    return { kind: "missing", message: `The board does not know this post (HTTP 404): ${said}.` };
  }
  const message = explainUnknown(reply, said, reading);
  return { kind: "unknown", message, ...(retryAt !== undefined && { retryAt }) };
}

function explainUnknown(reply: Reply, said: string, reading: PatchReading): string {
  if (reply.kind === "lost" || reply.kind === "aborted")
    return `${showAddress(reading.url)} ${reply.message}.`;
  if (reply.status >= 300 && reply.status < 400) {
    const target = quoteRedirect(reply.headers["location"], reading.url, reading.excerpt);
    return `The board redirected the change to ${target} (HTTP ${reply.status}), which was not followed.`;
  }
  return `The board's answer does not say whether the change was made (HTTP ${reply.status}): ${said}.`;
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
