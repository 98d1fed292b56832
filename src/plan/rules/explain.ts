import type { Issue, LinkedPullRequest, Readable } from "../../model/issue.ts";
import type { LinkedIssue } from "../../model/link.ts";
import type { PostChange, RuleField } from "../../model/post.ts";
import { targetOf } from "../fields/base.ts";
import { isSameTarget } from "../ground/fields.ts";
import type { Condition } from "../ground/settings.ts";
import { type IssueFacts, isFulfilled, type Truth } from "./conditions.ts";
import { type PlaceSettings, placeOf } from "./place.ts";
import { type Doubt, matchField, ruledFields } from "./rules.ts";
import { projectFieldKey } from "./signals.ts";

/** One condition, beside what it was held against. */
export interface ConditionView {
  /** As the config calls it. */
  readonly name: string;
  readonly wants: string;
  readonly shows: string;
  readonly verdict: TruthName;
}

/** What can't be read is neither a yes nor a no. */
export type TruthName = "holds" | "fails" | "unknown";

/** A rule, held against one issue. */
export interface RuleView {
  /** Counted from 1, as reasons name it. */
  readonly rule: number;
  readonly verdict: TruthName;
  /** Every condition that it names; a rule without any always holds. */
  readonly conditions: readonly ConditionView[];
  readonly set: PostChange;
  /** The fields that take their value from this rule, as far as this issue decides. */
  readonly decides: readonly RuleField[];
}

/** A linked issue, held against every rule. */
export interface IssueView {
  readonly linked: LinkedIssue;
  /** The issue that counts: the linked one, or the one that it is a duplicate of; undefined while it is not known. */
  readonly counts: Issue | undefined;
  /** What keeps it from being said which rule decides about a field; each once. */
  readonly doubts: readonly Doubt[];
  /** The first rule that decides about any field, counted from 1; undefined where none does, or while that can't be said. */
  readonly match: number | undefined;
  /** None while nothing is known of the issue that counts. */
  readonly rules: readonly RuleView[];
}

/** Holds a linked issue against every rule, for a person who asks why. It decides nothing: `deriveTarget` does. */
export function viewIssue(linked: LinkedIssue, settings: PlaceSettings): IssueView {
  const { rules: given } = settings;
  const { facts, verdicts } = placeOf(linked, settings);
  const matches = ruledFields(given).map((field) => ({ field, ...matchField(field, verdicts, given) }));
  // What is in doubt does not matter where all rules that it may be set the same.
  const isSure = ({ field, possible }: (typeof matches)[number]): boolean => {
    const last = targetOf(given[Math.max(...possible)]?.set[field]);
    return possible.every((index) => isSameTarget(field, targetOf(given[index]?.set[field]), last));
  };
  const sure = matches.filter(isSure);
  const unsure = matches.filter((match) => !isSure(match));
  const doubts = unsure.map(({ doubt }) => doubt).filter((doubt) => doubt !== undefined);
  const rules =
    facts === undefined
      ? []
      : given.map(({ when, set }, index): RuleView => {
          const decided = sure.filter(({ possible }) => possible.at(-1) === index);
          return {
            rule: index + 1,
            verdict: nameTruth(verdicts[index]),
            conditions: viewConditions(facts, when),
            set,
            decides: decided.map(({ field }) => field),
          };
        });
  return {
    linked,
    counts: facts?.issue,
    doubts: [...new Map(doubts.map((doubt) => [doubt.message, doubt])).values()],
    match: rules.find(({ decides }) => decides.length > 0)?.rule,
    rules,
  };
}

function viewConditions(facts: IssueFacts, when: Condition): readonly ConditionView[] {
  return namesOf(when).map((name) => {
    const verdict = nameTruth(isFulfilled(facts, { [name]: when[name] }));
    return { name, wants: showWish(name, when), shows: shownFacts[name](facts, when), verdict };
  });
}

function namesOf(when: Condition): readonly (keyof Condition)[] {
  const known = Object.keys(shownFacts) as (keyof Condition)[];
  return known.filter((name) => when[name] !== undefined);
}

function nameTruth(verdict: Truth | undefined): TruthName {
  if (typeof verdict !== "boolean") return "unknown";
  return verdict ? "holds" : "fails";
}

/** What an issue shows of that which a condition looks at, in words; a new condition has its words here. */
export const shownFacts: Readonly<Record<keyof Condition, (facts: IssueFacts, when: Condition) => string>> = {
  state: ({ issue }) => issue.state,
  reason: ({ issue, reason }) =>
    `${issue.stateReason ?? "none"}${reason.kind === "unnamed" ? ", which no rule names" : ""}`,
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
      projectStatus && signals?.projectStatus?.[projectFieldKey(projectStatus)],
      (option) => option ?? "no option, or not in the project",
    ),
  pullRequest: ({ signals }) => read(signals?.pullRequests, (found) => list(found.map(showPullRequest))),
  released: ({ issue, signals }) =>
    issue.milestone?.state === "closed"
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

function showPullRequest({ repository, number, state, isDraft, isOutside }: LinkedPullRequest): string {
  const who = isOutside === true ? " (by somebody without write access)" : "";
  return `${repository}#${number} ${state}${isDraft ? " (draft)" : ""}${who}`;
}
