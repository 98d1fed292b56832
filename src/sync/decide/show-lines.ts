import type { IssueRef } from "../../model/issue.ts";
import type { Row } from "../../model/link.ts";
import type { Action, Decision } from "../../plan/ground/action.ts";
import { issueKey, type PulledCycle } from "../ground/cycle-state.ts";
import { describeAction } from "../ground/describe.ts";
import { isPreview, showsIssue } from "../ground/order.ts";
import type { IssueDraft, PlannedAction } from "../ground/reports.ts";

/**
 * What a plan shows of each action of a row; nothing in a run that is no plan. A field that an earlier post of the run asks for is
 * not given back on the same issue: that is recorded when the turn of the later one comes.
 */
export function showLines(
  cycle: PulledCycle,
  row: Row,
  decision: Decision,
): readonly (readonly PlannedAction[])[] {
  if (!isPreview(cycle.run)) return [];
  const lines = decision.actions.map((action) => {
    const told = describeAction(cycle, row, withoutClaimed(cycle, action));
    const draft = draftOf(action);
    if (draft === undefined || !showsIssue(cycle.run, cycle.project.key, row.post.id)) return told;
    // A PATCH that follows is no part of the issue.
    return told.map((line) => (line.kind === action.kind ? { ...line, draft } : line));
  });
  claimFields(cycle, decision);
  return lines;
}

function draftOf(action: Action): IssueDraft | undefined {
  if (action.kind === "update-issue") {
    const { title, block } = action;
    return { ...(title !== undefined && { title }), ...(block !== undefined && { body: block }) };
  }
  if (action.kind !== "create-issue") return undefined;
  const { title, body, labels, assignees, milestone, type } = action;
  const named = { ...(milestone !== undefined && { milestone }), ...(type !== undefined && { type }) };
  return { title, body, labels, assignees, ...named };
}

function withoutClaimed({ course }: PulledCycle, action: Action): Action {
  if (action.kind !== "change-issue") return action;
  const changes = action.changes.map(({ issue, writes, ...rest }) => ({
    ...rest,
    issue,
    writes: writes.filter(
      ({ field, target }) => target.kind === "value" || !course.claimed.has(nameField(issue, field)),
    ),
  }));
  return { ...action, changes: changes.filter(({ writes }) => writes.length > 0) };
}

function claimFields({ course }: PulledCycle, { issueBases }: Decision): void {
  for (const { issue, base } of issueBases) {
    for (const [field, asked] of Object.entries(base)) {
      const target = asked?.pending?.target ?? asked?.target;
      if (target?.kind === "value") course.claimed.add(nameField(issue, field));
    }
  }
}

function nameField(issue: IssueRef, field: string): string {
  return `${issueKey(issue)} ${field}`;
}
