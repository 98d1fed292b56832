import type { Issue, LinkedPullRequest, Readable } from "../model/issue.ts";
import type { IssueFacts } from "./rules/condition.ts";
import { projectFieldKey } from "./rules/signals.ts";
import type { Condition } from "./settings.ts";

/** What an issue shows of that which a condition looks at, in words; a new condition has its words here. */
export const shownFacts: Readonly<Record<keyof Condition, (facts: IssueFacts, when: Condition) => string>> = {
  state: ({ issue }) => issue.state,
  reason: ({ issue }) => issue.stateReason ?? "none",
  labels: ({ issue }) => list(issue.labels),
  anyLabel: ({ issue }) => list(issue.labels),
  noLabel: ({ issue }) => list(issue.labels),
  assigned: ({ issue }) => (issue.assignees.length === 0 ? "nobody" : list(issue.assignees)),
  milestone: ({ issue }) => issue.milestone?.title ?? "none",
  milestoneState: ({ issue }) => issue.milestone?.state ?? "no milestone",
  type: ({ issue }) => issue.type ?? "none",
  subIssues: ({ signals }) =>
    read(signals?.subIssues, ({ total, closed }) => (total === 0 ? "none" : `${closed} of ${total} closed`)),
  projectStatus: ({ signals }, { projectStatus }) =>
    read(
      projectStatus && signals?.projectStatus?.[keyOf(projectStatus)],
      (option) => option ?? "no option, or not in the project",
    ),
  pullRequest: ({ signals }) => read(signals?.pullRequests, (found) => list(found.map(showPullRequest))),
  released: ({ issue, signals }) =>
    isMilestoneClosed(issue)
      ? "its milestone is closed"
      : read(signals?.isReleased, (isReleased) => (isReleased ? "yes" : "no")),
};

/** What a condition asks for, as the config says it. */
export function showWish(name: keyof Condition, when: Condition): string {
  if (name === "projectStatus" && when.projectStatus !== undefined) {
    const { owner, project, field, is } = when.projectStatus;
    return `${is.join(", ")} in ${field} of project ${owner}/${project}`;
  }
  const wish = when[name];
  return Array.isArray(wish) ? wish.join(", ") : String(wish);
}

function read<T>(signal: Readable<T> | undefined, show: (value: T) => string): string {
  if (signal === undefined) return "not read yet";
  return signal.kind === "known" ? show(signal.value) : `can't be read: ${signal.message}`;
}

function list(names: readonly string[]): string {
  return names.join(", ") || "none";
}

function keyOf({ owner, project, field }: NonNullable<Condition["projectStatus"]>): string {
  return projectFieldKey(owner, project, field);
}

function showPullRequest({ repository, number, state, isDraft, isOutside }: LinkedPullRequest): string {
  const who = isOutside === true ? " (by somebody without write access)" : "";
  return `${repository}#${number} ${state}${isDraft ? " (draft)" : ""}${who}`;
}

function isMilestoneClosed({ milestone }: Issue): boolean {
  return milestone?.state === "closed";
}
