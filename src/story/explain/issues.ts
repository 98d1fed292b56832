import type { Issue } from "../../model/issue.ts";
import type { LinkedIssue } from "../../model/link.ts";
import { viewIssue } from "../../plan/explain.ts";
import type { ExplainedIssue } from "./explanation.ts";
import { type Explaining, nameOf } from "./sources.ts";

/** A linked issue, held against every rule. */
export function explainIssue(explaining: Explaining, linked: LinkedIssue): ExplainedIssue {
  // What an issue that is gone showed last counts for nothing.
  const known: LinkedIssue = linked.isGone ? { ...linked, issue: undefined } : linked;
  const { counts, match, rules, doubt } = viewIssue(known, explaining.settings);
  const { issue, link } = known;
  const isDuplicate = counts !== undefined && counts !== issue;
  return {
    issue: nameOf(explaining, link.issue),
    origin: link.origin,
    facts: issue === undefined ? null : pickFacts(issue),
    duplicateOf: isDuplicate ? nameOf(explaining, counts) : null,
    remarks: [
      ...remarksOn(explaining, linked),
      ...(doubt === undefined ? [] : [`Can't be decided: ${doubt}.`]),
    ],
    match: match ?? null,
    rules,
  };
}

function pickFacts(issue: Issue): ExplainedIssue["facts"] {
  const { state, stateReason, labels, assignees, milestone, type, updatedAt } = issue;
  return { state, stateReason, labels, assignees, milestone, type, updatedAt };
}

function remarksOn(explaining: Explaining, linked: LinkedIssue): readonly string[] {
  const { ledger } = explaining;
  const { link, others = [] } = linked;
  const paused = ledger.memory.repositoryById(link.issue.repositoryId)?.pausedAt;
  const remarks = [
    link.origin === "opened"
      ? "boardsync opened it."
      : "It was there, and was linked by its mark or by a person.",
    describeAbsence(explaining, linked),
    paused !== undefined &&
      `So many issues of its repository were not found at ${new Date(paused).toISOString()} that nothing is believed of any.`,
    linked.isReadOnly && "An account that is only trusted opened it: it is read and never written.",
    linked.isChanging && "A change of ours is under way, so what it shows may be our own doing.",
    linked.mayArrive &&
      "A change of ours that it showed got no answer and may arrive once more: until that can't be, nothing is written to it, and what people make of that change waits.",
    linked.canonical?.isChanging &&
      "A change of ours to the issue that it is a duplicate of is under way, so what that one shows may be our own doing.",
    others.length > 0 && `It stands for further posts, too: ${others.map(({ id }) => id).join(", ")}.`,
  ];
  return remarks.filter((remark) => typeof remark === "string");
}

function describeAbsence({ ledger }: Explaining, { link }: LinkedIssue): string | undefined {
  const absence = ledger.absences.of(link.issue);
  if (absence === undefined) return undefined;
  const when = absence.since === 0 ? "" : ` at ${new Date(absence.since).toISOString()}`;
  switch (absence.kind) {
    case "missing":
      return `It was not found${when}; it is asked for again before that counts.`;
    case "lost":
      return `It is not found any more, first seen${when}: deleted, made a discussion, or hidden from the token.`;
    case "deleted":
      return `It is deleted, seen${when}.`;
    case "moved":
      return `It was moved to ${absence.name}#${absence.to.number}, seen${when}.`;
  }
}
