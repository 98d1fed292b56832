import { z } from "zod";
import { type FaultDetail, RemoteError, type RemoteFault } from "../../../errors.ts";
import { type Said, whoseRefusal } from "../../../http/refusal.ts";
import { webSiteOf } from "../../../model/dialect.ts";
import type { ClientAnswer } from "./client.ts";
import { word } from "./shapes.ts";
import { viaHeader } from "./transport.ts";
import type { Quote } from "./words.ts";

/** How many of the single errors of a 422 are shown. */
const shownErrorsLimit = 5;

const errorShape = z.object({
  message: word,
  code: word,
  type: word,
  field: word,
  resource: word,
  value: z.unknown().optional(),
});

/** One of the single errors of a refusal. */
export type SingleError = Partial<z.output<typeof errorShape>>;

/** What an error of GitHub's says; without a message it is none of GitHub's. Single errors are objects or plain text. */
const refusalShape = z
  .object({
    message: word,
    errors: z
      .array(z.union([errorShape, z.string().transform((message) => ({ message }))]).catch({}))
      .catch([]),
    // Of a 451: such as `dmca`.
    block: z.object({ reason: word }).optional().catch(undefined),
  })
  .catch({ errors: [] });

/** What an answer that is no success says. */
export function readRefusal({ data }: Pick<ClientAnswer, "data">): {
  readonly message?: string | undefined;
  readonly errors: readonly SingleError[];
  readonly block?: { readonly reason?: string | undefined } | undefined;
} {
  return refusalShape.parse(data);
}

/** Whether GitHub itself says so, and not a proxy or another server in its place: its errors are JSON with a message. */
export function isGitHubError(answer: ClientAnswer): boolean {
  return answer.status >= 400 && readRefusal(answer).message !== undefined;
}

/** What an error answer says, as far as it tells whose refusal it is. A page of a proxy has no words of GitHub's. */
export function readSaid(answer: ClientAnswer): Said {
  const { status, headers } = answer;
  const { message, errors } = readRefusal(answer);
  const isText = (text: string | undefined): text is string => text !== undefined;
  return {
    status,
    words: [message, ...errors.map((error) => error.message)].filter(isText),
    codes: errors.flatMap(({ code, type }) => [code, type]).filter(isText),
    namesTime: headers["retry-after"] !== undefined,
    hasNothingLeft: hasNothingLeft(answer),
  };
}

/** Whether it refuses the token, and not what was asked for with it. */
export function isOfCredential(answer: ClientAnswer): boolean {
  return whoseRefusal(readSaid(answer), "read") === "credential";
}

/** Whether the budget that an answer speaks of is used up. */
export function hasNothingLeft({ headers }: ClientAnswer): boolean {
  return String(headers["x-ratelimit-remaining"]) === "0";
}

/** GitHub's own words for an error answer, single errors and the permission that is missing included. */
export function quoteAnswer(answer: ClientAnswer, quote: Quote): string {
  const { message, errors, block } = readRefusal(answer);
  if (message === undefined) return `the answer is not GitHub's${sayVia(answer, quote)}`;
  const parts = [message, ...(block?.reason === undefined ? [] : [block.reason])];
  const all = [...parts, ...errors.slice(0, shownErrorsLimit).map(describeError)].filter(Boolean);
  const words = quote(all.join("; ") || "it gives no reason");
  return `${words}${sayNeed(answer, words, quote)}`;
}

/** What the token lacks, and where a person lets it in, in brackets. */
function sayNeed(answer: ClientAnswer, words: string, quote: Quote): string {
  const need = describeNeed(answer, words);
  const sso = readSsoAddress(answer);
  // An address that holds something secret is not shown in part.
  const door = sso === undefined || quote(sso.slice(0, 250)) !== sso.slice(0, 250) ? undefined : sso;
  const parts = [
    need && quote(need),
    door && `the organisation has SAML single sign-on: authorize the token for it at ${door}`,
  ].filter((part) => part !== undefined);
  return parts.length === 0 ? "" : ` (${parts.join("; ")})`;
}

/** Longer ones are none of GitHub's. */
const longestAddress = 1000;

/**
 * Where a person lets the token in to an organisation with SAML single sign-on, as the answer names it; undefined where it names none,
 * or one that is not the server's own.
 * https://docs.github.com/en/rest/authentication/authenticating-to-the-rest-api#authenticating-with-saml-single-sign-on
 */
function readSsoAddress({ headers, url }: ClientAnswer): string | undefined {
  const address = /^required;\s*url=(\S+)$/i.exec(String(headers["x-github-sso"] ?? "").trim())?.[1];
  if (address === undefined || address.length > longestAddress || !URL.canParse(address)) return undefined;
  const found = new URL(address);
  const isOwn = found.origin === webSiteOf(url) && found.username === "" && found.password === "";
  return isOwn ? found.href : undefined;
}

/**
 * What the token lacks, where the answer to a refused request names it: fine-grained tokens and Apps by permissions, classic
 * tokens by scopes. GitHub names permissions in other refusals, too; only its words tell that they are the reason.
 */
function describeNeed({ status, headers }: ClientAnswer, words: string): string | undefined {
  if (status !== 403 && status !== 404) return undefined;
  const permissions = headers["x-accepted-github-permissions"];
  if (permissions !== undefined) {
    const names = namePermissions(String(permissions));
    const [, who] = /not accessible by (integration|personal access token)/i.exec(words) ?? [];
    if (who === undefined) return `this needs ${names}`;
    return `${who === "integration" ? "the App" : "the token"} lacks ${names}`;
  }
  const accepted = listNames(headers["x-accepted-oauth-scopes"]);
  const held = listNames(headers["x-oauth-scopes"]);
  if (accepted.length === 0 || accepted.some((scope) => held.includes(scope))) return undefined;
  return `the token has the scopes ${held.join(", ") || "none"}, and this needs ${accepted.join(" or ")}`;
}

/** `issues=write,metadata=read; contents=read` in words; a semicolon separates alternatives. */
function namePermissions(header: string): string {
  return header
    .split(";")
    .map((set) => set.trim().replaceAll("=", ": ").replaceAll(/,\s*/g, " and "))
    .join(", or ");
}

function listNames(header: string | number | undefined): readonly string[] {
  return String(header ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
}

/**
 * The error for an answer that a read can do nothing with. `subject` says what was asked for, such as `acme/app`.
 *
 * @param retryAt - epoch ms, where the answer asks for a pause.
 */
export function refuseAnswer(
  answer: ClientAnswer & { readonly budget?: string },
  subject: string,
  quote: Quote,
  retryAt?: number,
): RemoteError {
  const { status, budget = "" } = answer;
  const concerns = isOfCredential(answer) ? "all" : "asked";
  const words = quoteAnswer(answer, quote);
  if (status < 400 && !isPage(answer)) {
    const message = `GitHub answered ${status} for ${subject}, without a result.`;
    return new RemoteError("tracker", "unreadable", message, { detail: "page" });
  }
  if (!isGitHubError(answer) && status < 500) {
    const message = `The server answered ${status} for ${subject} with something that is not GitHub's API${sayVia(answer, quote)}.`;
    const fault = status === 401 || status === 403 ? "unauthorized" : "unreadable";
    return new RemoteError("tracker", fault, message, { budget, detail: "page", concerns });
  }
  const [fault, detail] =
    meanings[status] ?? (status < 500 ? ["refused", "said"] : ["unreachable", "server"]);
  const pause = retryAt === undefined ? "" : ` It asks for a pause until ${new Date(retryAt).toISOString()}.`;
  const message = `${describeRefusal(answer, subject, words, quote)}${pause}`;
  return new RemoteError("tracker", fault, message, {
    budget,
    detail: concerns === "all" ? undefined : detail,
    concerns,
    ...(retryAt !== undefined && { retryAt }),
  });
}

function sayVia({ headers }: ClientAnswer, quote: Quote): string {
  const via = headers[viaHeader];
  return via === undefined ? "" : `; ${quote(String(via))} may have given it`;
}

/** Whether it is text where GitHub's API answers with JSON: of a proxy, or of another server. */
export function isPage({ data }: ClientAnswer): boolean {
  return typeof data === "string" && data.trim() !== "";
}

/** What is to be done about GitHub's own refusals depends on the status; of a 404 the fault says it all. */
const meanings: Readonly<Record<number, readonly [fault: RemoteFault, detail?: FaultDetail]>> = {
  401: ["unauthorized", "said"],
  403: ["unauthorized", "forbidden"],
  404: ["missing"],
  410: ["refused", "gone"],
  451: ["refused", "blocked"],
};

function describeRefusal(
  answer: ClientAnswer & { readonly budget?: string },
  subject: string,
  said: string,
  quote: Quote,
): string {
  const { status } = answer;
  const words = said.replace(/\.$/, "");
  if (isOfCredential(answer)) return `GitHub does not accept the token (${status}): ${words}.`;
  if (status === 404)
    return `GitHub answered 404 for ${subject}: it does not exist or ${describeBlind(answer)}${sayNeed(answer, words, quote)}.`;
  const meaning = status === 451 ? "it is blocked for legal reasons: " : "";
  return `GitHub answered ${status} for ${subject}: ${meaning}${words}.`;
}

/** Whoever asks as an App has no token that could be changed. Its budget is named by the owner whose installation asks. */
function describeBlind({ budget = "" }: { readonly budget?: string }): string {
  const [owner = ""] = budget.split(" ");
  return owner === ""
    ? "the token can't see it"
    : `the GitHub App's installation on ${owner} does not include it`;
}

function describeError({ field, message, code, value }: SingleError): string {
  const parts = [field, message ?? code, value].filter((part) => typeof part === "string");
  return parts.map((part) => part.slice(0, 100)).join(" ") || "an error without words";
}
