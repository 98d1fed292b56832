import type { Answer } from "../../loopback/loopback.ts";
import {
  changeIssue,
  findType,
  type IssueChange,
  labelIds,
  openIssue,
  setIssueState,
} from "../state/changes.ts";
import { issueAsOf, type StoredIssue } from "../state/state.ts";
import { type Call, invalid, notFound, redirect, refuse } from "./answer.ts";
import {
  canPush,
  labelNames,
  logins,
  refuseKinds,
  refuseReferences,
  refuseTexts,
  refuseWrite,
} from "./checks.ts";
import { issueShape, repositoryUrl } from "./shapes.ts";

/** The issue that a path names, or the answer that it gets instead. */
export type FoundIssue =
  | { readonly issue: StoredIssue; readonly refusal?: undefined }
  | { readonly issue?: undefined; readonly refusal: Answer };

/** Finds an issue for a read: it may lag. */
export function findForRead(call: Call): FoundIssue {
  const { state, repository, parts } = call;
  const issue = issueAsOf(state, repository, Number(parts["number"]), state.lag.readMs);
  if (issue === undefined) return { refusal: notFound() };
  const gone = refuseGone(call, issue);
  if (gone) return { refusal: gone };
  if (issue.fate.kind === "moved") return { refusal: movedTo(call, issue) };
  if (!repository.hasIssues && !issue.isPullRequest) {
    return { refusal: refuse(410, "Issues are disabled for this repo") };
  }
  return { issue };
}

/** Finds an issue for a write: never lags; a transferred one is answered as the quirk says. */
export function findForWrite(call: Call): FoundIssue {
  const { state, repository, parts, quirks } = call;
  const issue = issueAsOf(state, repository, Number(parts["number"]), 0);
  if (issue === undefined) return { refusal: notFound() };
  const gone = refuseGone(call, issue);
  if (gone) return { refusal: gone };
  if (issue.fate.kind === "moved") {
    return { refusal: quirks.movedWrite === 301 ? movedTo(call, issue) : notFound() };
  }
  const refusal = refuseWrite(call);
  return refusal ? { refusal } : { issue };
}

/** The answer for an issue that was deleted, or made a discussion. */
function refuseGone({ quirks }: Call, { fate }: StoredIssue): Answer | undefined {
  const isHidden = fate.kind === "converted" && quirks.converted === 404;
  if (isHidden) return notFound();
  const isGone = fate.kind === "deleted" || fate.kind === "converted";
  return isGone ? refuse(410, "This issue was deleted") : undefined;
}

/** 301 to where a transferred issue lives now; 404 when that is not visible. */
function movedTo({ state }: Call, issue: StoredIssue): Answer {
  if (issue.fate.kind !== "moved") return notFound();
  const target = state.repositories.get(issue.fate.repositoryId);
  if (!target?.isVisible) return notFound();
  return redirect(301, `${state.url}/repositories/${target.id}/issues/${issue.fate.number}`);
}

/** `GET …/issues/{number}`. */
export function getIssue(call: Call): Answer {
  const { issue, refusal } = findForRead(call);
  return refusal ?? { status: 200, body: issueShape(call.state, call.repository, issue) };
}

/** `POST …/issues`. Without push access labels, assignees, milestone and type are dropped without a word. */
export function createIssue(call: Call): Answer {
  const { state, repository, body, account } = call;
  if (!("title" in body)) return refuse(422, 'Invalid request.\n\n"title" wasn\'t supplied.');
  const refusal = refuseWrite(call) ?? refuseKinds(call) ?? refuseTexts(call) ?? refuseReferences(call);
  if (refusal) return refusal;
  const issue = openIssue(state, repository, {
    title: String(body["title"]),
    body: typeof body["body"] === "string" ? body["body"] : null,
    author: account,
    isPullRequest: false,
    labels: [],
    assignees: [],
    milestone: null,
    type: null,
    ...referencesOf(call),
  });
  return {
    status: 201,
    headers: { location: `${repositoryUrl(state, repository)}/issues/${issue.number}` },
    body: issueShape(state, repository, issue),
  };
}

/** `PATCH …/issues/{number}`, for the author and whoever may push. */
export function editIssue(call: Call): Answer {
  const { state, repository, body, account } = call;
  const { issue, refusal } = findForWrite(call);
  if (refusal) return refusal;
  if (issue.author !== account && !canPush(call)) return refuse(403, "Must have admin rights to Repository.");
  const fault = refuseKinds(call) ?? refuseTexts(call) ?? refuseReferences(call);
  if (fault) return fault;
  if (body["state"] === "closed" && body["state_reason"] === "reopened") {
    return invalid({ resource: "Issue", field: "state_reason", code: "invalid" });
  }
  const changed = changeIssue(state, repository, issue, {
    ...textsOf(body),
    ...referencesOf(call),
    by: account,
  });
  const wanted = body["state"];
  const reason = typeof body["state_reason"] === "string" ? body["state_reason"] : undefined;
  const saved =
    wanted === "open" || wanted === "closed"
      ? setIssueState(state, repository, changed, { state: wanted, reason, by: account })
      : changed;
  return { status: 200, body: issueShape(state, repository, saved) };
}

function textsOf(body: Call["body"]): IssueChange {
  const { title, body: text } = body;
  return {
    ...(title !== undefined && { title: String(title) }),
    ...(text === null && { body: null }),
    ...(typeof text === "string" && { body: text }),
  };
}

function referencesOf(call: Call): IssueChange {
  const { state, repository, body } = call;
  if (!canPush(call)) return {};
  const { milestone, type } = body;
  return {
    ...("labels" in body && { labels: labelIds(state, repository, labelNames(body)) }),
    ...("assignees" in body && { assignees: [...new Set(logins(body))] }),
    ...(milestone !== undefined && { milestone: milestone === null ? null : Number(milestone) }),
    ...(type !== undefined && { type: findType(repository, type)?.id ?? null }),
  };
}
