import type { Answer } from "../../loopback/loopback.ts";
import {
  addComment,
  changeIssue,
  findLabel,
  labelIds,
  createLabel as storeLabel,
  createMilestone as storeMilestone,
} from "../state/changes.ts";
import { listedIssue } from "../state/state.ts";
import { type Call, invalid, notFound, refuse } from "./answer.ts";
import { canPush, labelNames, refuseKinds, refuseLabels, refuseNewLabel } from "./checks.ts";
import { findForRead, findForWrite } from "./issues.ts";
import { pageByNumber } from "./lists.ts";
import {
  commentShape,
  issueEventShape,
  labelShape,
  labelShapes,
  milestoneShape,
  releaseShape,
  repositoryShape,
  repositoryUrl,
  typeShape,
} from "./shapes.ts";

const noPush = "Must have admin rights to Repository.";
const maxCommentCharacters = 65_536;

/** `GET /repos/{owner}/{repo}`. */
export function getRepository({ state, repository, account }: Call): Answer {
  return { status: 200, body: repositoryShape(state, repository, account) };
}

/** `GET …/labels`. */
export function listLabels(call: Call): Answer {
  const { state, repository } = call;
  const page = pageByNumber(call, "labels", [...repository.labels.values()]);
  return { ...page, body: page.body.map((label) => labelShape(state, repository, label)) };
}

/** `POST …/labels`. */
export function createLabel(call: Call): Answer {
  const { state, repository, body } = call;
  if (!canPush(call)) return notFound();
  if (repository.isArchived) return refuse(403, "Repository was archived so is read-only.");
  const refusal = refuseNewLabel(call);
  if (refusal) return refusal;
  const label = labelShape(
    state,
    repository,
    storeLabel(state, repository, {
      name: String(body["name"]),
      ...(typeof body["color"] === "string" && { color: body["color"] }),
      ...(typeof body["description"] === "string" && { description: body["description"] }),
    }),
  );
  return { status: 201, headers: { location: String(label["url"]) }, body: label };
}

/** `POST …/issues/{number}/labels`: adds and keeps the others. */
export function addLabels(call: Call): Answer {
  const { state, repository } = call;
  const { issue, refusal } = findForWrite(call);
  if (refusal) return refusal;
  if (!canPush(call)) return refuse(403, noPush);
  const names = labelNames(call.body);
  const present = labelShapes(state, repository, issue).map((label) => String(label["name"]));
  const fault = refuseKinds(call) ?? refuseLabels(names, present);
  if (fault) return fault;
  const labels = [...new Set([...issue.labels, ...labelIds(state, repository, names)])];
  const changed = changeIssue(state, repository, issue, { labels, by: call.account });
  return { status: 200, body: labelShapes(state, repository, changed) };
}

/** `DELETE …/issues/{number}/labels/{name}`: 404 when the issue has no such label. */
export function removeLabel(call: Call): Answer {
  const { state, repository, parts } = call;
  const { issue, refusal } = findForWrite(call);
  if (refusal) return refusal;
  if (!canPush(call)) return refuse(403, noPush);
  const label = findLabel(repository, parts["name"] ?? "");
  if (label === undefined || !issue.labels.includes(label.id)) return refuse(404, "Label does not exist");
  const labels = issue.labels.filter((id) => id !== label.id);
  const changed = changeIssue(state, repository, issue, { labels });
  return { status: 200, body: labelShapes(state, repository, changed) };
}

/** `GET …/milestones`: by the day that they are due, those without one last. */
export function listMilestones(call: Call): Answer {
  const { state, repository, query } = call;
  const wanted = query.get("state") ?? "open";
  const rows = [...repository.milestones.values()]
    .filter((milestone) => wanted === "all" || milestone.state === wanted)
    .toSorted((a, b) => (a.dueOn ?? Number.MAX_VALUE) - (b.dueOn ?? Number.MAX_VALUE));
  const page = pageByNumber(call, "milestones", rows);
  return { ...page, body: page.body.map((milestone) => milestoneShape(state, repository, milestone)) };
}

/** `GET …/releases`: the newest first; drafts are shown to whoever may push. */
export function listReleases(call: Call): Answer {
  const { state, repository } = call;
  const rows = (state.signals.releases.get(repository.id) ?? [])
    .filter(({ isDraft }) => !isDraft || canPush(call))
    .toReversed();
  const page = pageByNumber(call, "releases", rows);
  return { ...page, body: page.body.map((release) => releaseShape(state, repository, release)) };
}

/** `POST …/milestones`. */
export function createMilestone(call: Call): Answer {
  const { state, repository, body, account } = call;
  if (!canPush(call)) return notFound();
  const title = typeof body["title"] === "string" ? body["title"] : "";
  if (title.trim() === "") return invalid({ resource: "Milestone", field: "title", code: "missing_field" });
  if ([...repository.milestones.values()].some((milestone) => milestone.title === title)) {
    return invalid({ resource: "Milestone", field: "title", code: "already_exists" });
  }
  const fault = refuseKinds(call);
  if (fault) return fault;
  const { state: wanted, description, due_on: due } = body;
  const milestone = storeMilestone(state, repository, {
    title,
    creator: account,
    ...(wanted === "closed" && { state: "closed" }),
    ...(typeof description === "string" && { description }),
    ...(typeof due === "string" && { dueOn: Date.parse(due) }),
  });
  const shape = milestoneShape(state, repository, milestone);
  return { status: 201, headers: { location: String(shape["url"]) }, body: shape };
}

/** `GET …/issues/{number}/comments`, by ascending id; 404 once the issue was transferred. */
export function listComments(call: Call): Answer {
  const { state, repository } = call;
  const { issue, refusal } = findForRead(call);
  if (refusal) return refusal.status === 301 ? notFound() : refusal;
  const { comments = [] } = listedIssue(state, repository, issue.number, state.lag.readMs) ?? {};
  const page = pageByNumber(call, `issues/${issue.number}/comments`, comments);
  return { ...page, body: page.body.map((comment) => commentShape(state, repository, issue, comment)) };
}

/** `GET …/issues/{number}/events`, oldest first: those of set labels, and of the state; 404 once the issue was transferred. */
export function listEvents(call: Call): Answer {
  const { state, repository } = call;
  const { issue, refusal } = findForRead(call);
  if (refusal) return refusal.status === 301 ? notFound() : refusal;
  const events = [...issue.labelled, ...issue.turns].toSorted((one, other) => one.at - other.at);
  const page = pageByNumber(call, `issues/${issue.number}/events`, events);
  return { ...page, body: page.body.map((event) => issueEventShape(state, repository, event)) };
}

/** `POST …/issues/{number}/comments`. */
export function createComment(call: Call): Answer {
  const { state, repository, body, account } = call;
  const { issue, refusal } = findForWrite(call);
  if (refusal) return refusal.status === 301 ? notFound() : refusal;
  if (issue.isLocked) return refuse(403, "Unable to create comment because issue is locked.");
  const text = typeof body["body"] === "string" ? body["body"] : "";
  if (text.trim() === "") return invalid({ resource: "IssueComment", field: "body", code: "missing_field" });
  if ([...text].length > maxCommentCharacters) {
    const message = "Body is too long (maximum is 65536 characters)";
    return invalid({ resource: "IssueComment", field: "data", code: "unprocessable", message });
  }
  const comment = addComment(state, repository, issue, { author: account, body: text });
  const shape = commentShape(state, repository, issue, comment);
  return {
    status: 201,
    headers: { location: `${repositoryUrl(state, repository)}/issues/comments/${comment.id}` },
    body: shape,
  };
}

/** `GET …/issue-types`: 404 where no organisation owns the repository. */
export function listTypes({ repository }: Call): Answer {
  if (repository.types === undefined) return notFound();
  return { status: 200, body: repository.types.map((type) => typeShape(type)) };
}

/** `GET …/assignees/{login}`: 204 when that account can be assigned. */
export function checkAssignee({ repository, parts }: Call): Answer {
  return repository.collaborators.has(parts["login"] ?? "") ? { status: 204 } : notFound();
}
