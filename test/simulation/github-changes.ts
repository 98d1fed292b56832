import type { Issue } from "../../src/model/issue.ts";
import type { IssueWrite } from "../../src/tracker/tracker.ts";
import type { HubIssue, HubServer } from "./github-server.ts";
import { ourLogin } from "./scenario.ts";

/** A write to an issue that is there. */
export type ChangeWrite = Exclude<IssueWrite, { kind: "create-issue" | "create-label" }>;

/** Why GitHub would not take a write to an issue; undefined where it does. */
export function refusalOf(hub: HubServer, { record }: HubIssue, write: ChangeWrite): string | undefined {
  const { locked } = record.issue;
  if (write.kind === "add-comment") {
    return locked ? "Unable to create comment because issue is locked." : undefined;
  }
  const isOurs = record.author === ourLogin;
  const isLabel = write.kind === "add-labels" || write.kind === "remove-label";
  return hub.canPush || (isOurs && !isLabel) ? undefined : "Resource not accessible.";
}

/** What a write makes of an issue. Without push access a milestone is dropped without a word. */
export function changeIssue(hub: HubServer, issue: HubIssue, write: ChangeWrite, lagMs: number): void {
  switch (write.kind) {
    case "edit-issue": {
      const { title, body } = write;
      const facts = { ...stateOf(write), ...milestoneOf(hub, issue, write) };
      hub.change(
        issue,
        { issue: facts, ...(title !== undefined && { title }), ...(body !== undefined && { body }) },
        lagMs,
      );
      return;
    }
    case "add-labels": {
      const { labels } = issue.record.issue;
      const isNew = (name: string): boolean => !labels.some((label) => isSameLabel(label, name));
      hub.change(issue, { issue: { labels: [...labels, ...write.labels.filter(isNew)] } }, lagMs);
      return;
    }
    case "remove-label": {
      const labels = issue.record.issue.labels.filter((label) => !isSameLabel(label, write.label));
      hub.change(issue, { issue: { labels } }, lagMs);
      return;
    }
    case "add-comment":
      hub.comment(issue, { author: ourLogin, body: write.body }, lagMs);
  }
}

type EditWrite = Extract<ChangeWrite, { kind: "edit-issue" }>;

function stateOf({ state, stateReason }: EditWrite): Partial<Issue> {
  if (state === undefined) return {};
  return { state, stateReason: stateReason ?? (state === "closed" ? "completed" : "reopened") };
}

function milestoneOf(hub: HubServer, { repository }: HubIssue, { milestone }: EditWrite): Partial<Issue> {
  if (milestone === undefined || !hub.canPush) return {};
  return { milestone: repository.milestones.find(({ number }) => number === milestone) ?? null };
}

function isSameLabel(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
