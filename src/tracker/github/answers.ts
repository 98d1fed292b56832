import { RemoteError, type RemoteFault } from "../../errors.ts";
import type { Answer } from "./client.ts";
import { isObject } from "./shapes.ts";
import type { Quote } from "./words.ts";

/** How many of the single errors of a 422 are shown. */
const shownErrorsLimit = 5;

/** Whether GitHub itself says so, and not a proxy or another server in its place: its errors are JSON with a message. */
export function isGitHubError(answer: Answer): boolean {
  return answer.status >= 400 && isObject(answer.data) && typeof answer.data["message"] === "string";
}

/** GitHub's own words for an error answer, single errors and the permission that is missing included. */
export function quoteAnswer(answer: Answer, quote: Quote): string {
  if (!isObject(answer.data) || typeof answer.data["message"] !== "string") {
    return "the answer is not GitHub's";
  }
  const errors = listErrors(answer).slice(0, shownErrorsLimit).map(describeError);
  const words = [answer.data["message"], ...errors].join("; ");
  const needed = answer.headers["x-accepted-github-permissions"];
  return answer.status === 403 && needed !== undefined
    ? quote(`${quote(words)} (the token needs ${needed})`)
    : quote(words);
}

/** The single errors of a 422; both shapes of GitHub's description, objects and plain text. */
export function listErrors(answer: Answer): readonly unknown[] {
  const errors = isObject(answer.data) ? answer.data["errors"] : undefined;
  return Array.isArray(errors) ? errors : [];
}

/** The error for an answer that a read can do nothing with. `subject` says what was asked for, such as `acme/app`. */
export function refuseAnswer(answer: Answer, subject: string, quote: Quote): RemoteError {
  const { status } = answer;
  const words = quoteAnswer(answer, quote);
  if (status < 400) {
    return new RemoteError(
      "tracker",
      "unreadable",
      `GitHub answered ${status} for ${subject}, without a result.`,
    );
  }
  if (!isGitHubError(answer) && status < 500) {
    return new RemoteError(
      "tracker",
      status === 401 || status === 403 ? "unauthorized" : "unreadable",
      `The server answered ${status} for ${subject} with something that is not GitHub's API: check tracker.url and the proxy.`,
    );
  }
  return new RemoteError("tracker", faultOf(status), describeRefusal(status, subject, words));
}

function faultOf(status: number): RemoteFault {
  if (status === 401 || status === 403) return "unauthorized";
  if (status === 404) return "missing";
  return status >= 500 ? "unreachable" : "refused";
}

function describeRefusal(status: number, subject: string, words: string): string {
  if (status === 401) return `GitHub does not accept the token (401): ${words}.`;
  if (status === 404)
    return `GitHub answered 404 for ${subject}: it does not exist or the token can't see it.`;
  return `GitHub answered ${status} for ${subject}: ${words}.`;
}

function describeError(error: unknown): string {
  if (!isObject(error)) return typeof error === "string" ? error : "an error without words";
  const { field, message, code, value } = error;
  return [field, message ?? code, value]
    .filter((part) => typeof part === "string")
    .map((part) => part.slice(0, 100))
    .join(" ");
}
