import { namesLimit } from "../../../http/refusal.ts";
import { isObject, readKey } from "./access.ts";
import type { Fault } from "./refusal.ts";
import type { Excerpt } from "./wording.ts";

/**
 * What an answer like `{ "success": false, "error": "…" }` says; undefined where it does not say no.
 *
 * @returns `isDefinite`: whether it says that it failed; an `error` alone may be a warning beside a success.
 */
export function readNo(
  answer: unknown,
): { readonly words: string; readonly isDefinite: boolean } | undefined {
  if (!isObject(answer)) return undefined;
  const status = readKey(answer, "status");
  const says = (words: RegExp): boolean => typeof status === "string" && words.test(status);
  const flags = ["success", "ok"].map((name) => readKey(answer, name));
  const isFailed = flags.includes(false);
  if (!isFailed && (flags.includes(true) || says(/^(?:ok|success|succeeded)$/i))) return undefined;
  const errors = ["error", "errors"].flatMap((name) => readWords(readKey(answer, name)));
  const isDefinite = isFailed || says(/^(?:error|failed|failure)$/i);
  if (isDefinite || errors.length > 0)
    return { words: [...errors, ...readWords(readKey(answer, "message"))].join(" "), isDefinite };
  // Some servers put every answer into a frame: `{ "result": … }`.
  const [inner, ...others] = Object.values(answer);
  return others.length === 0 ? readNo(inner) : undefined;
}

/**
 * What an answer says that holds nothing but words: `{ "message": "We are down for maintenance" }`. For reads alone: a change may
 * be answered with a yes in words.
 */
export function readWordsAlone(answer: unknown): string | undefined {
  const isFlat =
    isObject(answer) && Object.values(answer).every((one) => one === null || typeof one !== "object");
  if (!isFlat) return undefined;
  if (["success", "ok"].some((name) => readKey(answer, name) === true)) return undefined;
  return readWords(readKey(answer, "message"))[0];
}

/** What an `error` says, in whatever form; nothing where there is none. */
function readWords(error: unknown): readonly string[] {
  if (typeof error === "string") return error.trim() === "" ? [] : [error];
  if (error === true) return [""];
  if (Array.isArray(error)) return error.flatMap(readWords);
  if (!isObject(error) || Object.keys(error).length === 0) return [];
  const message = readKey(error, "message");
  return [typeof message === "string" ? message : JSON.stringify(error)];
}

/**
 * Words that leave open whether something was done, and of trouble that passes: it is looked up, and asked for once more. A number
 * alone may be a limit of what was asked.
 */
const ofDoubt: readonly RegExp[] = [
  /\b(?:try|retry)(?: it| this)? (?:again )?(?:later|soon|shortly|in (?:a|an|some|\d+)\b)/i,
  /\bmaintenance mode\b|\b(?:in|under|for|scheduled|undergoing|performing) maintenance\b/i,
  /\bdatabase (?:table )?(?:is )?locked\b|\bdeadlock\b/i,
  /\boverloaded\b|\b(?:server|service|system|database) is (?:too )?busy\b/i,
  /\btemporar(?:y|ily) (?:error|failure|problem|outage|down|offline|disabled)\b/i,
  /\bquota (?:is |was |has been )?(?:exceeded|reached)\b/i,
  /^\W*(?:please )?slow down\b/i,
  /\btime[d ]*-?out\b/i,
  /\binternal (?:server )?error/i,
  /\b(?:service|server|temporarily|currently) (?:is )?unavailable/i,
  /\bbad gateway/i,
  /\b(?:http|status|code|error)\W{0,3}50[0-4]\b|^\W*50[0-4]\b/i,
];

/** Words about who asks. That something is not allowed, or forbidden, in a post is a refusal of that post. */
const ofRights: readonly RegExp[] = [
  /\b(?:un-?auth(?:ori[sz]ed|enticated)|forbidden)\b(?! \w)/i,
  /\b(?:access|permission) (?:is |was )?denied/i,
  /\b(?:lacks?|have|has|missing|insufficient|without|no|requires?|needs?) (?:(?:the|an?y?|required|necessary|sufficient) )*(?:permissions?|scopes?|access|authori[sz]ation)\b/i,
  /\binsufficient.(?:scope|permission)/i,
  /\bnot (?:allowed|permitted|authori[sz]ed) to\b/i,
  /\b(?:invalid|expired|revoked) (?:api[ -]?)?(?:key|token|credentials?)\b/i,
  /\b(?:http|status|code|error)\W{0,3}40[13]\b|^\W*40[13]\b/i,
];

function names(words: readonly RegExp[], text: string): boolean {
  return words.some((word) => word.test(text));
}

/** What a no comes to, by its words, in an answer that is a success by its form: HTTP 200, or a tool that names no error. */
export function sayNo(text: string, who: string, excerpt: Excerpt): Fault {
  const said = text.trim() === "" ? "without a word" : `"${excerpt(text)}"`;
  const message = `${who}: ${said}.`;
  if (namesLimit(text)) return { kind: "limited", message };
  if (names(ofRights, text)) return { kind: "unauthorized", message, detail: "forbidden" };
  if (names(ofDoubt, text)) return { kind: "unknown", fault: "unreachable", message, detail: "server" };
  return { kind: "rejected", message, detail: "said" };
}
