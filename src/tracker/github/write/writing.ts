import { RemoteError } from "../../../errors.ts";
import type { NoAnswer } from "../../../http/send.ts";
import type { Repository } from "../../../model/issue.ts";
import type { IssueWrite, WriteOutcome } from "../../tracker.ts";
import { type ClientAnswer, type ClientRequest, call } from "../wire/client.ts";
import { isRepositoryName, splitName } from "../wire/shapes.ts";
import { classifyAnswer, type Writing } from "./outcomes.ts";

/** Colour of a label that boardsync makes; people may change it. */
const labelColor = "ededed";

/**
 * Sends a write exactly once, or not at all while a limit holds, and says what became of it. Never throws: from the
 * moment that a request may have left, only an answer in GitHub's own shape tells what happened.
 */
export async function sendWrite(
  writing: Writing,
  repository: Repository,
  write: IssueWrite,
): Promise<WriteOutcome> {
  const retryAt = writing.gate.closedUntil();
  if (retryAt !== undefined) {
    return { kind: "limited", retryAt, message: "GitHub's limit still holds; nothing was sent" };
  }
  const request = describeWrite(repository, write);
  if (!("endpoint" in request)) return request;
  let answer: ClientAnswer | NoAnswer;
  try {
    answer = await writing.send(request);
  } catch (error) {
    return outcomeUnsigned(error);
  }
  if ("kind" in answer) {
    return { kind: answer.kind === "unsent" ? "unsent" : "unknown", message: `GitHub ${answer.message}` };
  }
  return classifyAnswer(writing, answer, repository, write);
}

/** Nothing to sign it with: it has not left. @throws what is no failure of signing in */
function outcomeUnsigned(error: unknown): WriteOutcome {
  if (!(error instanceof RemoteError)) throw error;
  const { fault, message, retryAt, detail } = error;
  if (fault === "limited" && retryAt !== undefined) return { kind: "limited", retryAt, message };
  const isRefused = fault === "unauthorized" || fault === "missing";
  return isRefused ? { kind: "unauthorized", message, detail } : { kind: "unsent", message };
}

function describeWrite(repository: Repository, write: IssueWrite): ClientRequest | WriteOutcome {
  if (!isRepositoryName(repository.name)) return unspeakable("this is not the name of a repository", []);
  const place = splitName(repository.name);
  const issue = (number: number) => ({ ...place, issue_number: number });
  switch (write.kind) {
    case "create-issue":
      return call(({ rest }) => rest.issues.create, {
        ...place,
        title: write.title,
        body: write.body,
        labels: [...write.labels],
        assignees: [...write.assignees],
        milestone: write.milestone,
        type: write.type,
      });
    case "edit-issue":
      return call(({ rest }) => rest.issues.update, {
        ...issue(write.number),
        title: write.title,
        body: write.body,
        state: write.state,
        state_reason: write.stateReason,
        milestone: write.milestone,
      });
    case "add-labels":
      return call(({ rest }) => rest.issues.addLabels, { ...issue(write.number), labels: [...write.labels] });
    case "remove-label":
      // Without this a label called `..` or nothing at all would aim the DELETE at another address: at all labels.
      return write.label.isWellFormed() && !/^\.{0,2}$/.test(write.label)
        ? call(({ rest }) => rest.issues.removeLabel, { ...issue(write.number), name: write.label })
        : unspeakable("this label's name can't be part of an address", ["labels"]);
    case "create-label":
      return call(({ rest }) => rest.issues.createLabel, { ...place, name: write.name, color: labelColor });
    case "add-comment":
      return call(({ rest }) => rest.issues.createComment, { ...issue(write.number), body: write.body });
  }
}

function unspeakable(message: string, fields: readonly string[]): WriteOutcome {
  return { kind: "rejected", status: 422, message, fields };
}
