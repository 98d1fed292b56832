import { type Cause, letGoBy } from "../../model/causes.ts";
import type { Target } from "../../model/link.ts";
import { showOrDash } from "../../sync/tell/waiting-lines.ts";
import { type StateKind, stateWords } from "../../sync/tell/words.ts";
import type { ExplainedIssue, Explanation } from "./explain.ts";
import type { ExplainedField } from "./fields.ts";
import type { ExplainedWait } from "./next.ts";

/** A rule of either direction. */
export type AnyRule = ExplainedIssue["rules"][number] | Explanation["boardRules"][number];

/** What happens next, without what the story has already said among what waits. */
export function comingOf({ next, waits }: Pick<Explanation, "next" | "waits">): readonly string[] {
  const said = new Set(waits.map(({ message }) => message.replace(/\.$/, "")));
  const commands = waits.flatMap(({ command }) => (command === null ? [] : [`: \`${command}\`.`]));
  return next.filter(
    (sentence) =>
      !said.has(sentence.replace(/\.$/, "")) && !commands.some((command) => sentence.endsWith(command)),
  );
}

/** What the rules come to, where the rule that decides is not already marked as that. */
export function tellRules({ issues, rules }: Pick<Explanation, "issues" | "rules">): string | undefined {
  const isMarked = issues.length === 1 && rules.rule !== null && issues[0]?.duplicateOf === null;
  return isMarked ? undefined : rules.message;
}

/** "selected, for acme/app", and whether that still matters. */
export function describeSelection({ select, standing }: Pick<Explanation, "select" | "standing">): string {
  const opens = select.isSelected ? `selected, for ${select.repo}` : "not selected";
  return standing.kind === "linked"
    ? `${opens}. The post has its issue already, so this no longer matters`
    : opens;
}

/** What is special about an issue, and which one counts in its place. */
export function remarksOn({ remarks, duplicateOf }: ExplainedIssue): readonly string[] {
  if (duplicateOf === null) return remarks;
  return [...remarks, `It was closed in favour of ${duplicateOf}, which counts for it.`];
}

/** Each run tries these again, though nothing but a change elsewhere ends them. */
const triedAgain: ReadonlySet<Cause> = new Set(["closed", "undecided"]);

/** Of which state of its project a wait is a part. */
export function stateOfExplained({ kind, cause }: Pick<ExplainedWait, "kind" | "cause">): StateKind {
  switch (kind) {
    case "held":
    case "parked":
    case "quarantined":
      return "needs-you";
    case "unknown":
    case "asked":
      return "later";
    case "paused":
    case "said":
      return cause === null || letGoBy(cause) === "time" || triedAgain.has(cause) ? "later" : "differs";
  }
}

/** How a person calls a wait. */
export function nameWait(wait: Pick<ExplainedWait, "kind" | "cause">): string {
  return wait.kind === "paused" ? wait.kind : stateWords[stateOfExplained(wait)];
}

/** What a rule sets: "status: completed, isReviewed: true". */
export function describeSet({ set }: AnyRule): string {
  return Object.entries(set)
    .map(([field, value]) => `${field}: ${String(value)}`)
    .join(", ");
}

/** What a rule decides of what it sets: nothing, all, or some. @param deciding - the board rule that decides, counted from 1. */
export function describeDecided(tried: AnyRule, deciding: number | null): string | undefined {
  if (!("decides" in tried)) return tried.rule === deciding ? "decides" : undefined;
  const { decides, set } = tried;
  if (decides.length === 0) return undefined;
  return decides.length === Object.keys(set).length ? "decides" : `decides ${decides.join(", ")}`;
}

/** What a rule wants of one thing, and what that shows. */
export function describeCondition({ name, wants, shows }: AnyRule["conditions"][number]): string {
  return `${name}: ${wants} – it shows: ${shows}`;
}

/** The board rule that decides, counted from 1; null where none does, or while that can't be said. */
export function findDeciding(boardRules: Explanation["boardRules"]): number | null {
  const first = boardRules.find(({ verdict }) => verdict !== "fails");
  return first?.verdict === "holds" ? first.rule : null;
}

/** What an issue shows: "closed as not planned; labels bug, ui; type Bug". */
export function describeFacts(facts: NonNullable<ExplainedIssue["facts"]>): string {
  const { state, stateReason, labels, assignees, milestone, type } = facts;
  return [
    describeIssueState(state, stateReason),
    labels.length > 0 && `labels ${labels.join(", ")}`,
    assignees.length > 0 && `assigned to ${assignees.join(", ")}`,
    milestone !== null && `milestone ${milestone.title} (${milestone.state})`,
    type !== null && `type ${type}`,
  ]
    .filter((part) => part !== false)
    .join("; ");
}

/** The state of an issue: "closed as not planned". */
export function describeIssueState(state: string, reason: string | null): string {
  return reason === null ? state : `${state} as ${reason.replaceAll("_", " ")}`;
}

/** The columns of a table of fields: what the rules and one side say of each, now and when they agreed last. */
export function fieldColumns(
  side: "post" | "issue",
): readonly { readonly title: string; show(field: ExplainedField): string }[] {
  return [
    { title: "field", show: ({ field }) => field },
    { title: "rules ask now", show: showAsked },
    { title: `${side} shows now`, show: ({ shows, isSeen }) => (isSeen ? showOrDash(shows) : "not shown") },
    {
      title: "rules asked when last in step",
      show: ({ agreed }) => (agreed === null ? "–" : showTarget(agreed.asks)),
    },
    {
      title: `${side} showed when last in step`,
      show: ({ agreed }) => (agreed === null ? "–" : showOrDash(agreed.shows)),
    },
  ];
}

function showAsked({ asks, rule }: ExplainedField): string {
  if (asks === null) return "?";
  return rule === null ? showTarget(asks) : `${showTarget(asks)} (rule ${rule})`;
}

function showTarget(target: Target): string {
  return target.kind === "none" ? "nothing" : showOrDash(target.value);
}
