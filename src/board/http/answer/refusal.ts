import { RemoteError } from "../../../errors.ts";
import { type Said, whoseRefusal } from "../../../http/refusal.ts";
import { readRetryAfter } from "../../../http/repeat.ts";
import { readKey } from "./access.ts";
import type { Body } from "./body.ts";
import { keysOf } from "./shape.ts";
import { type Excerpt, listNames, showAddress } from "./wording.ts";

/**
 * What the board said in an answer that is a no: its own words where it has some, safe and cut. Of anything else only the
 * keys: it may be the record itself, with a person's name and notes.
 *
 * @param via - the proxy that may have answered in the board's place.
 */
export function quoteAnswer(body: Body, excerpt: Excerpt, via?: string): string {
  const doubt = via === undefined ? "" : `; ${via} may have given it`;
  if (body.kind === "empty") return `no explanation${doubt}`;
  if (body.kind === "unreadable") return `it answered with ${body.reason}${doubt}`;
  const message = findMessage(body.value);
  if (message !== undefined) return `"${excerpt(message)}"`;
  return `JSON without a message, with the keys ${listNames(keysOf([body.value]), excerpt)}`;
}

/** What an answer tells beside its body. */
interface Told {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** What an answer says, as far as it tells whose refusal it is. */
function readSaid({ status, headers }: Told, body: Body): Said {
  const value = body.kind === "json" ? body.value : undefined;
  const error = readKey(value, "error");
  const named = [error, ...["code", "type"].flatMap((name) => [readKey(error, name), readKey(value, name)])];
  const words = findMessage(value);
  return {
    status,
    words: words === undefined ? [] : [words],
    codes: named.filter((code) => typeof code === "string"),
    namesTime: headers["retry-after"] !== undefined,
    hasNothingLeft: false,
  };
}

/** The shapes that error bodies usually have: `{ message }`, `{ error: "…" }`, `{ error: { message } }`, `{ errors: [ … ] }`. */
function findMessage(value: unknown): string | undefined {
  const errors = readKey(value, "errors");
  const first = Array.isArray(errors) ? errors[0] : undefined;
  const error = readKey(value, "error");
  const candidates = [
    readKey(error, "message"),
    readKey(value, "message"),
    error,
    readKey(value, "detail"),
    readKey(first, "message"),
    first,
    value,
  ];
  return candidates.find((candidate) => typeof candidate === "string");
}

/** Where a redirect pointed, without its query: the query of an address may hold what is nobody's business. */
export function quoteRedirect(location: string | undefined, asked: URL, excerpt: Excerpt): string {
  if (location === undefined || !URL.canParse(location, asked.href)) return "an address that can't be read";
  return excerpt(showAddress(new URL(location, asked)));
}

/** Turns an answer to a read that is not 2xx, and in which the board said this, into the error that ends the pull. */
export function explainRefusal(
  url: URL,
  answer: Told,
  body: Body,
  said: string,
  { now, excerpt }: { readonly now: number; readonly excerpt: Excerpt },
): RemoteError {
  const { status, headers } = answer;
  const place = showAddress(url);
  const retryAt = readRetryAfter(headers, now);
  const options = retryAt === undefined ? {} : { retryAt };
  const detail = body.kind === "unreadable" && body.detail === "page" ? "page" : undefined;
  if (status === 304) {
    const message = `${place} answered that nothing has changed (HTTP 304), but was not asked that. A proxy in between may answer for the board.`;
    return new RemoteError("board", "refused", message);
  }
  if (status >= 300 && status < 400) {
    const target = quoteRedirect(headers["location"], url, excerpt);
    const message = `${place} redirects to ${target} (HTTP ${status}). Redirects are not followed, because the key must not travel: set board.url to the address itself.`;
    return new RemoteError("board", "refused", message, { detail: "told" });
  }
  if (isLimited(answer, body)) {
    const message = `The board limits requests (HTTP ${status}): ${said}.${sayPause(retryAt)}`;
    return new RemoteError("board", "limited", message, options);
  }
  if (status === 401 || status === 403) {
    const message = `The board refused the key (HTTP ${status}): ${said}.`;
    const why = detail ?? (status === 403 ? "forbidden" : undefined);
    const concerns = status === 401 ? "all" : "asked";
    return new RemoteError("board", "unauthorized", message, { detail: why, concerns });
  }
  if (status === 404) {
    const project = url.searchParams.get("project");
    const what = project === null ? place : `the project "${excerpt(project)}"`;
    const message = `The board does not know ${what} (HTTP 404): ${said}.`;
    return new RemoteError("board", "missing", message, { detail });
  }
  if (status >= 500) {
    const message = `The board failed (HTTP ${status}) at ${place}: ${said}.${sayPause(retryAt)}`;
    return new RemoteError("board", "unreachable", message, { ...options, detail: "server" });
  }
  return new RemoteError("board", "refused", `${place} was refused (HTTP ${status}): ${said}.`, { detail });
}

/** Whether an answer is a limit, in whatever status it comes. */
export function isLimited(answer: Told, body: Body): boolean {
  return whoseRefusal(readSaid(answer, body), "read") === "limit";
}

/** The pause that it asks for, as a sentence. */
export function sayPause(retryAt: number | undefined): string {
  return retryAt === undefined ? "" : ` It asks for a pause until ${new Date(retryAt).toISOString()}.`;
}
