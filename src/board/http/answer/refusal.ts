import { basename } from "node:path";
import { type Concerned, type FaultDetail, RemoteError, type RemoteFault } from "../../../errors.ts";
import { readRetryAfter } from "../../../http/headers.ts";
import { type AskedKind, type Said, whoseRefusal } from "../../../http/refusal.ts";
import type { NoAnswer, Reply } from "../../../http/send.ts";
import { isObject, readKey } from "./access.ts";
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
  const words = findWords(body.value);
  if (words.length > 0) return `"${excerpt(words.join("; "))}"`;
  return `JSON without a message, with the keys ${listNames(keysOf([body.value]), excerpt)}`;
}

/** What an answer says, as far as it tells whose refusal it is. */
function readSaid({ status, headers }: Reply, body: Body): Said {
  const value = body.kind === "json" ? body.value : undefined;
  const error = readKey(value, "error");
  const named = [error, ...["code", "type"].flatMap((name) => [readKey(error, name), readKey(value, name)])];
  return {
    status,
    // Only the answer's own sentence tells of a limit, or of rights: a complaint about a field may quote such words.
    words: [...placesOfSentence(value), ...findComplaints(value)].filter(isString).slice(0, 1),
    codes: named.filter((code) => typeof code === "string"),
    namesTime: headers["retry-after"] !== undefined,
    hasNothingLeft: false,
  };
}

/**
 * The shapes that error bodies usually have: `{ message }`, `{ error: "…" }`, `{ error: { message } }`; and after that what a check of
 * single fields complains of beside or below it: `errors`, `issues` or `details`, as a list or by field.
 */
function findWords(value: unknown): readonly string[] {
  const sentence = placesOfSentence(value)
    .map(readSentence)
    .find((text) => text !== undefined);
  const error = readKey(value, "error");
  const places = [error, value].flatMap((place) => [place, readKey(place, "details")]);
  const complaints = places.flatMap(findComplaints);
  return [...new Set(sentence === undefined ? complaints : [sentence, ...complaints])];
}

/** What stands where an answer's own sentence stands; a list there holds complaints. */
function placesOfSentence(value: unknown): readonly unknown[] {
  const error = readKey(value, "error");
  return [readKey(error, "message"), readKey(value, "message"), error, readKey(value, "detail"), value];
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}

function readSentence(value: unknown): string | undefined {
  if (isString(value)) return value;
  const sentences = Array.isArray(value) ? value.filter(isString) : [];
  return sentences.length === 0 ? undefined : sentences.join("; ");
}

/** Where complaints stand, as a list. */
const complaintNames = ["issues", "details", "formErrors", "errors", "fieldErrors"];
/** Where they may also stand as an object, by the field that each is about. */
const namesByField = ["errors", "fieldErrors"];

function findComplaints(value: unknown): string[] {
  return complaintNames.flatMap((name) => {
    const found = readKey(value, name);
    if (Array.isArray(found)) return found.flatMap(readComplaint);
    const byField = namesByField.includes(name) && isObject(found) ? Object.entries(found) : [];
    return byField.flatMap(([field, about]) => sayComplaint(field, readSentence(about)));
  });
}

function readComplaint(complaint: unknown): string[] {
  if (typeof complaint === "string") return [complaint];
  const field = ["path", "field", "property"].map((name) => readKey(complaint, name)).find(Boolean);
  const sentence = readSentence(readKey(complaint, "message")) ?? readSentence(readKey(complaint, "detail"));
  return sayComplaint(Array.isArray(field) ? field.join(".") : field, sentence);
}

function sayComplaint(field: unknown, sentence: string | undefined): string[] {
  if (sentence === undefined) return [];
  return [typeof field === "string" && field !== "" ? `${field}: ${sentence}` : sentence];
}

/** Why something that the board was asked for did not come, or was not done. */
export interface Fault {
  /**
   * What it says of a write. `unsent`: nothing was done, and it may be tried again. `rejected`: a definite no to what was asked.
   * `unknown`: it may have been done.
   */
  readonly kind: "unsent" | "limited" | "unauthorized" | "missing" | "rejected" | "unknown" | "aborted";
  /** What a read ends with, where its kind does not tell. */
  readonly fault?: RemoteFault;
  readonly message: string;
  readonly retryAt?: number | undefined;
  readonly detail?: FaultDetail | undefined;
  /** Whether it is the key itself that was refused. */
  readonly concerns?: Concerned;
}

/** What was asked, and how sentences call it. */
export interface Asked {
  readonly kind: AskedKind;
  readonly url: URL;
  /** Who answers: `The board`. */
  readonly who: string;
  /** What it may refuse: `the change`. */
  readonly what: string;
  /** What it may not know: `this post`. */
  readonly named: string;
  /** The setting that holds the address. */
  readonly setting: string;
  /** Of a write: the statuses by which it is certain that nothing was done. */
  readonly definite?: ReadonlySet<number>;
  readonly excerpt: Excerpt;
  /** Epoch ms. */
  readonly now: number;
}

/**
 * What a reply comes to that is no success. The first row that fits counts; what an answer begins with counts also where its end
 * is lost.
 *
 * | reply | a write | a read |
 * |---|---|---|
 * | no connection | unsent | unreachable |
 * | no answer | unknown | unreachable |
 * | a 2xx that is cut off, too large, too late | unknown | unreadable |
 * | a limit, in whatever status (`http/refusal.ts`) | limited | limited |
 * | 403 that names the post: it is locked, or merged into another | rejected | – |
 * | 401, 403 | unauthorized | unauthorized |
 * | 3xx | unknown | refused |
 * | 404 | missing | missing |
 * | 5xx | unknown | unreachable |
 * | other 4xx | rejected where that is definite, else unknown | refused |
 */
export function judge(reply: Reply, body: Body, asked: Asked): Fault {
  const { url, who, what, definite, excerpt } = asked;
  const { status, headers } = reply;
  if (reply.kind !== "answer" && status < 300) return judgeSilence(reply, url);
  const place = showAddress(url);
  const said =
    reply.kind === "answer"
      ? quoteAnswer(body, excerpt, reply.via)
      : `its explanation could not be read, as it ${reply.message}`;
  const inWords = `(HTTP ${status}): ${said}.`;
  const retryAt = readRetryAfter(headers, asked.now);
  const whose = whoseRefusal(readSaid(reply, body), asked.kind);
  const page = body.kind === "unreadable" && body.detail === "page" ? "page" : undefined;
  if (whose === "limit") {
    const message = `${who} limits requests ${inWords}${sayPause(retryAt)}`;
    return { kind: "limited", message, retryAt };
  }
  const isOfPost = asked.kind === "post" && status === 403 && whose === "asked";
  if (isOfPost) return { kind: "rejected", message: `${who} refused ${what} ${inWords}` };
  if (whose === "credential" || status === 403) {
    const isKey = whose === "credential";
    const message = `${who} refused the key ${inWords}`;
    const detail = page ?? (isKey ? undefined : "forbidden");
    return { kind: "unauthorized", message, detail, concerns: isKey ? "all" : "asked" };
  }
  if (status === 304) {
    const message = `${place} answered that nothing has changed (HTTP 304), but was not asked that. A proxy in between may answer for the board.`;
    return { kind: "unknown", fault: "refused", message };
  }
  if (status < 400) {
    const target = showTarget(headers["location"], url, excerpt);
    // An API that has moved is asked for the same there, with or without a slash. A login or maintenance page is to get no key.
    const isSame = URL.canParse(target) && basename(new URL(target).pathname) === basename(url.pathname);
    const isMoved = isSame && target !== place;
    const hint = isMoved ? `: set ${asked.setting} to the address itself` : "";
    const message = `${place} redirects to ${target} (HTTP ${status}). Redirects are not followed, because the key must not travel${hint}.`;
    return { kind: "unknown", fault: "refused", message, detail: isMoved ? "told" : "page" };
  }
  if (status === 404)
    return { kind: "missing", message: `${who} does not know ${asked.named} ${inWords}`, detail: page };
  if (status >= 500) {
    const message = `${who} failed (HTTP ${status}) at ${place}: ${said}.${sayPause(retryAt)}`;
    return { kind: "unknown", fault: "unreachable", message, retryAt, detail: "server" };
  }
  if (definite?.has(status) === false)
    return { kind: "unknown", fault: "refused", message: `${who} gave no usable answer ${inWords}`, retryAt };
  return { kind: "rejected", message: `${who} refused ${what} ${inWords}`, detail: page };
}

/** Nothing, or not all of a success, has come. */
function judgeSilence(reply: NoAnswer, url: URL): Fault {
  const { kind, status } = reply;
  if (kind === "aborted") return { kind, message: "The run was ended." };
  const message = `${showAddress(url)} ${reply.message}.`;
  if (kind === "oversized") return { kind: "unknown", message, detail: "told" };
  const detail = reply.detail ?? (status > 0 ? "cut" : undefined);
  if (kind === "unsent") return { kind, message, detail };
  return { kind: "unknown", fault: status > 0 ? "unreadable" : "unreachable", message, detail };
}

const faults: Readonly<Record<Fault["kind"], RemoteFault>> = {
  unsent: "unreachable",
  limited: "limited",
  unauthorized: "unauthorized",
  missing: "missing",
  rejected: "refused",
  unknown: "unreadable",
  aborted: "aborted",
};

/** A fault of a read: what ends it. */
export function errorOf({ kind, fault, message, retryAt, detail, concerns }: Fault): RemoteError {
  return new RemoteError("board", fault ?? faults[kind], message, {
    detail,
    ...(retryAt !== undefined && { retryAt }),
    ...(concerns !== undefined && { concerns }),
  });
}

/** Where a redirect pointed, without its query: the query of an address may hold what is nobody's business. */
function showTarget(location: string | undefined, asked: URL, excerpt: Excerpt): string {
  if (location === undefined || !URL.canParse(location, asked.href)) return "an address that can't be read";
  return excerpt(showAddress(new URL(location, asked)));
}

/** The pause that it asks for, as a sentence. */
function sayPause(retryAt: number | undefined): string {
  return retryAt === undefined ? "" : ` It asks for a pause until ${new Date(retryAt).toISOString()}.`;
}
