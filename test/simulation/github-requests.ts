import { whoseRefusal } from "../../src/http/refusal.ts";
import type { IssueRecord } from "../../src/model/issue.ts";
import type { IssueWrite, WriteOutcome } from "../../src/tracker/tracker.ts";
import type { Answer } from "../support/sandbox/loopback/loopback.ts";

/** The tracker's writes as GitHub knows them: requests and answers. */

/** A request that writes; its path is below the repository's own. */
export interface WriteRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

/** A write as GitHub is asked for it, below a repository's path. */
export function requestOf(write: IssueWrite): WriteRequest {
  switch (write.kind) {
    case "create-issue": {
      const { kind: _, ...body } = write;
      return { method: "POST", path: "/issues", body };
    }
    case "edit-issue": {
      const { kind: _, number, stateReason, ...body } = write;
      return {
        method: "PATCH",
        path: `/issues/${number}`,
        body: { ...body, state_reason: stateReason },
      };
    }
    case "add-labels":
      return { method: "POST", path: `/issues/${write.number}/labels`, body: { labels: write.labels } };
    case "remove-label": {
      const path = `/issues/${write.number}/labels/${encodeURIComponent(write.label)}`;
      return { method: "DELETE", path };
    }
    case "create-label":
      return { method: "POST", path: "/labels", body: { name: write.name } };
    case "add-comment":
      return { method: "POST", path: `/issues/${write.number}/comments`, body: { body: write.body } };
  }
}

/** The write that a request means, as the port calls it, its parts in the same order. */
export function readWrite({ method, path, body }: WriteRequest): IssueWrite {
  const number = Number(path.split("/")[2]);
  // The description of GitHub's API has been asked whether the body is what it should be.
  const parts = body as Omit<Extract<IssueWrite, { kind: "create-issue" }>, "kind">;
  if (method === "POST" && path === "/issues") {
    const { title, body: text, labels, assignees, milestone, type } = parts;
    return { kind: "create-issue", title, body: text, labels, assignees, milestone, type };
  }
  if (method === "POST" && path === "/labels")
    return { kind: "create-label", name: (body as { name: string }).name };
  const part = path.split("/")[3];
  if (method === "POST" && part === "labels") return { kind: "add-labels", number, labels: parts.labels };
  if (method === "POST" && part === "comments") return { kind: "add-comment", number, body: parts.body };
  if (method === "DELETE" && part === "labels") {
    return { kind: "remove-label", number, label: decodeURIComponent(path.split("/")[4] ?? "") };
  }
  if (method !== "PATCH") throw new Error(`${method} …${path} is no write of the program.`);
  const { title, body: text, state, state_reason: stateReason, milestone } = body as EditBody;
  return {
    kind: "edit-issue",
    number,
    ...(title !== undefined && { title }),
    ...(text !== undefined && { body: text }),
    ...(state !== undefined && { state }),
    ...(stateReason !== undefined && { stateReason }),
    ...(milestone !== undefined && { milestone }),
  };
}

type EditWrite = Extract<IssueWrite, { kind: "edit-issue" }>;

interface EditBody extends Pick<EditWrite, "title" | "body" | "state" | "milestone"> {
  readonly state_reason?: NonNullable<EditWrite["stateReason"]>;
}

/** What GitHub's answer means to the program: a label that is not there is one that is taken off. */
export function readAnswer(
  write: IssueWrite,
  { status, body }: Answer,
  record: IssueRecord | undefined,
): WriteOutcome {
  if (status < 300) return { kind: "applied", record };
  if (status < 400) return { kind: "unknown", message: `HTTP ${status}.` };
  // GitHub says in every refusal why.
  const { message } = body as { message: string };
  const isAlreadySo = message === "Label does not exist" || (write.kind === "create-label" && status === 422);
  if (isAlreadySo) return { kind: "applied", record };
  const said = { status, words: [message], codes: [], namesTime: false, hasNothingLeft: false };
  const whose = whoseRefusal(said, write.kind === "create-label" ? "label" : "issue");
  return whose === "place"
    ? { kind: "forbidden", message }
    : { kind: "rejected", status, message, fields: [] };
}
