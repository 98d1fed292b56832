import { z } from "zod";
import { readRetryAfter } from "../../../http/headers.ts";
import { whoseRefusal } from "../../../http/refusal.ts";
import type { Repository } from "../../../model/issue.ts";
import { type IssueWrite, type OptionalValue, optionalValues, type WriteOutcome } from "../../tracker.ts";
import { isGitHubError, quoteAnswer, readRefusal, readSaid, type SingleError } from "../wire/answers.ts";
import type { ClientAnswer } from "../wire/client.ts";
import type { ReaderOptions } from "../wire/reader.ts";
import { isMarkOf, readIssueRow } from "../wire/shapes.ts";

const applied: WriteOutcome = { kind: "applied", record: undefined };

/** Statuses by which GitHub says that it did nothing, provided that the body is GitHub's. */
const refusals: ReadonlySet<number> = new Set([400, 403, 404, 410, 413, 422, 451]);

/** What writes are sent with. */
export type Writing = Pick<ReaderOptions, "send" | "gate" | "quote" | "clock">;

/** The outcome that an answer proves; `unknown` where it proves nothing. */
export function classifyAnswer(
  { quote, gate, clock }: Writing,
  answer: ClientAnswer,
  repository: Repository,
  write: IssueWrite,
): WriteOutcome {
  const retryAt = gate.observe(answer);
  if (retryAt !== undefined) return { kind: "limited", retryAt, message: quoteAnswer(answer, quote) };
  if (answer.status < 300) return classifySuccess(answer, repository, write);
  if (answer.status < 400) return unknown(answer, "it redirects, and the write was not sent again");
  const words = quoteAnswer(answer, quote);
  if (!isGitHubError(answer)) return unknown(answer, words);
  const whose = whoseRefusal(readSaid(answer), write.kind === "create-label" ? "label" : "issue");
  if (whose === "credential") {
    const message = `GitHub does not accept the token (${answer.status}): ${words}`;
    return { kind: "unauthorized", message, againAfterMs: answer.againAfterMs };
  }
  if (!refusals.has(answer.status))
    return { ...unknown(answer, words), retryAt: readRetryAfter(answer.headers, clock.now()) };
  if (isAlreadySo(answer, write)) return applied;
  if (whose === "place") {
    const isArchived = /\barchived\b/i.test(readRefusal(answer).message ?? "");
    return { kind: "forbidden", message: words, ...(isArchived && { isArchived }) };
  }
  const { status } = answer;
  return { kind: "rejected", status, message: words, ...readComplaints(answer, write) };
}

const labels = [200, z.array(z.unknown()), "not the issue's labels"] as const;

/** What shows that a write was made, no more of the answer is looked at; and what an answer is that shows something else. */
const proofs: Readonly<
  Record<IssueWrite["kind"], readonly [status: number, shape: z.ZodType, otherwise: string]>
> = {
  "create-issue": [201, z.unknown(), "not 201"],
  "edit-issue": [200, z.unknown(), "not 200"],
  "add-labels": labels,
  "remove-label": labels,
  "create-label": [201, z.object({}), "not a label"],
  "add-comment": [201, z.object({ id: z.number() }), "not a comment"],
};

/** Of an issue with its record, if it is one of the repository that was asked for, and of the number. */
function classifySuccess(answer: ClientAnswer, repository: Repository, write: IssueWrite): WriteOutcome {
  const [status, shape, otherwise] = proofs[write.kind];
  if (answer.status !== status || !shape.safeParse(answer.data).success) return unknown(answer, otherwise);
  if (write.kind !== "create-issue" && write.kind !== "edit-issue") return applied;
  try {
    const { number, content } = readIssueRow(answer.data);
    const isIt = write.kind === "create-issue" || write.number === number;
    if (isIt && content !== undefined && isMarkOf(content.mark, repository))
      return { kind: "applied", record: content.recordIn(repository.id) };
  } catch {
    return unknown(answer, "it holds no readable issue");
  }
  return unknown(answer, "it shows another issue than the one that was written");
}

function unknown(answer: ClientAnswer, reason: string): WriteOutcome & { readonly kind: "unknown" } {
  return { kind: "unknown", message: `GitHub answered ${answer.status}: ${reason}` };
}

/** Refusals that mean: it is as it was to become. */
function isAlreadySo(answer: ClientAnswer, write: IssueWrite): boolean {
  if (write.kind === "remove-label" && answer.status === 404) {
    return readRefusal(answer).message === "Label does not exist";
  }
  return (
    write.kind === "create-label" &&
    answer.status === 422 &&
    readRefusal(answer).errors.some(({ code }) => code === "already_exists")
  );
}

const fieldNames: Readonly<Record<string, string>> = {
  title: "title",
  body: "body",
  data: "body",
  assignee: "assignees",
  assignees: "assignees",
  label: "labels",
  labels: "labels",
  milestone: "milestone",
  type: "type",
  state: "state",
  state_reason: "state_reason",
  name: "name",
};

type Rejected = WriteOutcome & { readonly kind: "rejected" };

/**
 * What a 422 complains of. The fields: as it names them, or else as its words do. What of a new issue it names: as the value of an
 * error, or in the words of one.
 */
function readComplaints(answer: ClientAnswer, write: IssueWrite): Pick<Rejected, "fields" | "named"> {
  if (answer.status !== 422) return { fields: [] };
  const { message, errors } = readRefusal(answer);
  const complaints = [{ message }, ...errors].map((error: SingleError) => {
    const words = error.message ?? "";
    const values = [error.value].flat().filter((one) => typeof one === "string" || typeof one === "number");
    return { fields: nameField(error, write), told: findFields(words), values: values.map(String), words };
  });
  const fields = complaints.flatMap((one) => one.fields);
  const told = complaints.flatMap((one) => one.told);
  const single = errors.length === 0 ? complaints : complaints.slice(1);
  const isNamed = ({ field, value }: OptionalValue): boolean =>
    single.some(
      (one) =>
        (one.fields.length > 0 ? one.fields : one.told).includes(field) &&
        (one.values.length > 0
          ? one.values.some((shown) => shown.toLowerCase() === value.toLowerCase())
          : hasWord(one.words, value)),
    );
  const named = write.kind === "create-issue" ? optionalValues(write).filter(isNamed) : [];
  return {
    fields: [...new Set(fields.length > 0 ? fields : told)],
    ...(named.length > 0 && { named }),
  };
}

/** Whether a text names something, and not only a longer word that it is a part of. */
function hasWord(text: string, word: string): boolean {
  const [folded, wanted] = [text.toLowerCase(), word.toLowerCase()];
  for (let at = folded.indexOf(wanted); at !== -1; at = folded.indexOf(wanted, at + 1)) {
    const isBegun = at > 0 && /[\w-]/.test(folded[at - 1] ?? "");
    const isOpen = /[\w-]/.test(folded[at + wanted.length] ?? "");
    if (!isBegun && !isOpen) return true;
  }
  return false;
}

function nameField({ resource, field = "" }: SingleError, write: IssueWrite): readonly string[] {
  // A label that an issue can't get is complained of as a label without a valid name.
  if (resource === "Label" && write.kind !== "create-label") return ["labels"];
  const name = Object.hasOwn(fieldNames, field) ? fieldNames[field] : undefined;
  return name === undefined ? [] : [name];
}

function findFields(text: string): readonly string[] {
  const words = text.toLowerCase().matchAll(/\b(?:title|body|assignees?|labels?|milestone|type)\b/g);
  return [...words].flatMap(([word]) => fieldNames[word] ?? []);
}
