import type { AuditEntry } from "../../ledger/journal.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { ProjectMemory } from "../../ledger/memory.ts";
import { type Cause, letGoBy } from "../../model/causes.ts";
import type { Issue } from "../../model/issue.ts";
import type { LinkOrigin, Row, Target } from "../../model/link.ts";
import type { FieldValue, PostField } from "../../model/post.ts";
import type { BoardRuleView } from "../../plan/board-rules/board-rules.ts";
import type { Decision } from "../../plan/ground/action.ts";
import type { Settings } from "../../plan/ground/settings.ts";
import type { RuleView } from "../../plan/rules/explain.ts";
import type { SelectView } from "../../plan/select.ts";
import type { PlannedAction } from "../../sync/ground/reports.ts";
import type { Policy, SyncProject } from "../../sync/ground/world.ts";
import { showOrDash } from "../../sync/tell/waiting-lines.ts";
import { type StateKind, stateWords } from "../../sync/tell/words.ts";

/** The story of one post, as `explain --json` prints it: everything that is known of it, and what comes next. */
export interface Explanation {
  /** `project` of the config. */
  readonly project: string;
  readonly post: string;
  readonly title: string | null;
  readonly standing: Decision["standing"];
  /** How old the facts are that all of this rests on. */
  readonly facts: {
    /** The last list that showed all that the board has; null before the first. */
    readonly board: Age | null;
    /** The last run without a failure, which has read every changed issue; null before the first. */
    readonly tracker: Age | null;
  };
  /** Whether the post would become an issue, condition by condition; it decides about opening only. */
  readonly select: {
    readonly isSelected: boolean;
    readonly repo: string;
    readonly conditions: readonly SelectView[];
  };
  readonly issues: readonly ExplainedIssue[];
  /** What the rules make of all of its issues together. */
  readonly rules: {
    /** The issue that decides, of the fields with the most advanced rule; null where there is none, or while that can't be said. */
    readonly issue: string | null;
    /** The first rule that decides about any field, counted from 1; null where none does, or while that can't be said. */
    readonly rule: number | null;
    readonly message: string;
  };
  readonly fields: readonly ExplainedField[];
  /** The post, held against every board rule; the first that holds is the one. */
  readonly boardRules: readonly BoardRuleView[];
  /** The fields of its issues that board rules set: `agreed.asks` is what they asked for, `shows` what the issue shows. */
  readonly issueFields: readonly (ExplainedField & { readonly issue: string })[];
  /** Everything that waits for a person or a time, with what ends it. */
  readonly waits: readonly ExplainedWait[];
  /** What the next run would do as far as can be told from the recorded facts. */
  readonly actions: readonly PlannedAction[];
  /** What happens next and when, as sentences. */
  readonly next: readonly string[];
  /** Newest first; `boardsync history` has them all. */
  readonly writes: readonly ExplainedWrite[];
}

/** A time, and how long ago that is. */
export interface Age {
  readonly at: string;
  readonly ageSeconds: number;
}

/** A linked issue, held against every rule. */
export interface ExplainedIssue {
  /** `owner/name#number`. */
  readonly issue: string;
  readonly origin: LinkOrigin;
  /** What was read of it last; null while nothing of it can be relied on. */
  readonly facts: Omit<Issue, "repositoryId" | "number" | "nodeId" | "locked" | "createdAt"> | null;
  /** The issue in whose place it was closed, and that counts for it; else null. */
  readonly duplicateOf: string | null;
  /** What is special about it, as sentences. */
  readonly remarks: readonly string[];
  /** The first rule that decides about any field, counted from 1; null where none does, or while that can't be said. */
  readonly match: number | null;
  readonly rules: readonly RuleView[];
}

/** A rule of either direction. */
export type AnyRule = RuleView | Explanation["boardRules"][number];

/** A field that rules set: what both sides say of it, and what they agreed on last. */
export interface ExplainedField {
  readonly field: string;
  /** What the rules ask for now; null while that can't be said. */
  readonly asks: Target | null;
  /** The rule that asks for it, counted from 1; null where none does, or while that can't be said. */
  readonly rule: number | null;
  /** What the post showed last; null for an empty field and for one that the board does not show. */
  readonly shows: FieldValue;
  readonly isSeen: boolean;
  /** What both sides agreed on last; null before the first plan of the pair. */
  readonly agreed: { readonly asks: Target; readonly shows: FieldValue } | null;
  /** The last value that boardsync did not write: what `whenNoRule: restore` goes back to. */
  readonly lastNotOurs: FieldValue;
  /** Since when another target than the agreed one is known; null where none is. */
  readonly pendingSince: string | null;
}

/** One thing that waits. */
export interface ExplainedWait {
  readonly kind: "paused" | "held" | "parked" | "quarantined" | "unknown" | "asked" | "said";
  /** One of a closed list (src/model/causes.ts); null for what a person has asked for. */
  readonly cause: Cause | null;
  readonly code: string | null;
  readonly message: string;
  readonly since: string | null;
  /** The command that ends it; null for what ends by itself. */
  readonly command: string | null;
}

/** One write to either side. */
export interface ExplainedWrite {
  readonly at: string;
  readonly run: number;
  readonly side: "board" | "tracker";
  readonly kind: string;
  readonly issue: string | null;
  readonly fields: AuditEntry["fields"];
  readonly reason: string;
  readonly outcome: string;
  readonly message: string | null;
  /** How many voters were notified of it: 0 where nobody was notified, null where it is not known how many they were. */
  readonly voters: number | null;
}

/** What an explanation is made of: recorded facts and the config, never a request. */
export interface ExplainSources {
  readonly ledger: Ledger;
  readonly policy: Pick<Policy, "boardHash" | "waits" | "fullEveryMs" | "projectKeys">;
  /** Epoch ms. */
  readonly now: number;
}

/** What the parts of an explanation share. */
export interface Explaining extends ExplainSources {
  readonly project: SyncProject;
  readonly memory: ProjectMemory;
  readonly settings: Settings;
  readonly row: Row;
  /** The fields that the board shows. */
  readonly seen: ReadonlySet<PostField>;
}

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

/**
 * What a rule decides, after what it sets: nothing, all of that, or some of it.
 *
 * @param deciding the board rule that decides, counted from 1.
 */
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
