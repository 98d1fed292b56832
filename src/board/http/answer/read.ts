import { hash } from "node:crypto";
import { RemoteError } from "../../../errors.ts";
import { type Patience, repeatRead } from "../../../http/repeat.ts";
import type { Answer, Reply, Send } from "../../../http/send.ts";
import type { ReadBounds } from "../../../model/surroundings.ts";
import { readBody } from "./body.ts";
import { readNo, readWordsAlone, sayNo } from "./no.ts";
import { errorOf, judge } from "./refusal.ts";
import { showsRecords } from "./shape.ts";
import { signHeadersOf } from "./signs.ts";
import { type Excerpt, showAddress } from "./wording.ts";

export interface JsonAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly value: unknown;
}

/** A page that was read before. */
export interface KnownAnswer {
  readonly digest: string;
  /** Headers by which the board says whether it has changed; none where it is not asked that. */
  readonly conditions: Readonly<Record<string, string>>;
}

/** A page. Its `digest` stands for all of the answer that anybody reads. */
export type PageAnswer =
  | { readonly kind: "unchanged"; readonly headers: Readonly<Record<string, string>>; readonly bytes: number }
  | (JsonAnswer & { readonly kind: "read"; readonly digest: string; readonly bytes: number });

/** Reads of the board. Every failure is a `RemoteError`; the ones that may pass are tried again inside the bounds. */
export type Reader = ReturnType<typeof createReader>;

export interface ReaderOptions extends Patience {
  readonly send: Send;
  /** What every request says of who asks. */
  readonly headers: Readonly<Record<string, string>>;
  readonly excerpt: Excerpt;
}

/** Makes the reader: repetitions and the meaning of every status in one place. */
export function createReader(options: ReaderOptions) {
  const { clock, send, excerpt } = options;
  const failureOf = (reply: Reply, url: URL): RemoteError => {
    const body = readBody(reply, excerpt);
    const project = url.searchParams.get("project");
    const what = showAddress(url);
    const named = project === null ? what : `the project "${excerpt(project)}"`;
    const asked = { kind: "read", url, who: "The board", what, named, setting: "board.url" } as const;
    const fault = judge(reply, body, { ...asked, excerpt, now: clock.now() });
    const advice = " Let the board send smaller pages: board.paging.sizeParam and size.";
    return errorOf(reply.kind === "oversized" ? { ...fault, message: `${fault.message}${advice}` } : fault);
  };
  /** Repeats while the failure may pass: 429, 5xx and whatever the network does. */
  const ask = (url: URL, bounds: ReadBounds, conditions: KnownAnswer["conditions"] = {}): Promise<Answer> => {
    const headers = { ...options.headers, ...conditions };
    const attempt = async (): Promise<Answer | RemoteError> => {
      if (bounds.signal.aborted) throw new RemoteError("board", "aborted", "The run was ended.");
      if (clock.now() >= bounds.until) {
        const message = "The time of this run (budget) was over before the board was asked.";
        throw new RemoteError("board", "aborted", message);
      }
      const reply = await send({ method: "GET", url, headers, signal: bounds.signal });
      if (reply.kind === "answer" && reply.status >= 200 && reply.status < 300) return reply;
      // Only who named something can be told that it is still the same.
      const isAwaited = Object.keys(conditions).length > 0;
      if (reply.kind === "answer" && reply.status === notModified && isAwaited) return reply;
      const failure = failureOf(reply, url);
      const isCutOff = failure.fault === "unreadable" && reply.kind === "lost";
      if (failure.fault === "unreachable" || failure.fault === "limited" || isCutOff) return failure;
      // A definite no and an answer that is too large won't pass.
      throw failure;
    };
    return repeatRead(attempt, options, bounds);
  };
  const readJson = (url: URL, answer: Answer, wanted?: string): unknown => {
    const body = readBody(answer, excerpt);
    const place = showAddress(url);
    if (body.kind !== "json") {
      const { reason, detail } =
        body.kind === "empty" ? ({ reason: "an empty body", detail: "page" } as const) : body;
      throw new RemoteError("board", "unreadable", `${place} answered with ${reason}.`, { detail });
    }
    const no = readNo(body.value);
    const alone = no === undefined ? readWordsAlone(body.value) : undefined;
    if (alone !== undefined) {
      const words = sayNo(alone, `${place} answered without a list (HTTP ${answer.status})`, excerpt);
      throw errorOf(words.kind === "rejected" ? { ...words, fault: "unreadable" } : words);
    }
    // An error alone may be a warning beside what was asked for.
    if (no === undefined || (!no.isDefinite && showsRecords(body.value, wanted))) return body.value;
    throw errorOf(sayNo(no.words, `${place} answered with a no (HTTP ${answer.status})`, excerpt));
  };
  return {
    /** Takes any 2xx, whatever its body. */
    ask,
    /** Takes a 2xx with a JSON body. @param wanted - the key of the list in it; left out for a list of posts. */
    async askJson(url: URL, bounds: ReadBounds, wanted?: string): Promise<JsonAnswer> {
      const answer = await ask(url, bounds);
      return { headers: answer.headers, value: readJson(url, answer, wanted) };
    },
    /** A page that was read before counts as unchanged where the board says so, or sends exactly the same bytes. */
    async askPage(url: URL, bounds: ReadBounds, known: KnownAnswer | undefined): Promise<PageAnswer> {
      const answer = await ask(url, bounds, known?.conditions);
      const { headers } = answer;
      if (answer.status === notModified) return { kind: "unchanged", headers, bytes: 0 };
      const digest = digestOf(answer.body, headers);
      const bytes = answer.body.length;
      if (digest === known?.digest) return { kind: "unchanged", headers, bytes };
      return { kind: "read", headers, digest, bytes, value: readJson(url, answer) };
    },
  };
}

const notModified = 304;

/** Of what a page is read from: its body, and the headers that may say how the list goes on. */
function digestOf(bytes: Uint8Array, headers: Answer["headers"]): string {
  const digest = hash("sha256", bytes, "base64");
  const told = signHeadersOf(headers);
  return told.length === 0 ? digest : `${digest} ${hash("sha256", JSON.stringify(told), "base64")}`;
}
