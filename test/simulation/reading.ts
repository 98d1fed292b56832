import type { Issue, LinkedPullRequest, Readable, Signals } from "../../src/model/issue.ts";
import type { Target } from "../../src/model/link.ts";
import { type FieldValue, type RuleField, ruleFields } from "../../src/model/post.ts";
import type { Condition, Rule, Settings } from "../../src/plan/ground/settings.ts";

/**
 * The rules, read once more by somebody who has not read `src/plan/rules`: what each field of a post is to be, from the true
 * facts of its issues. What the program sends is held against this.
 */

/** An issue that counts for a post: a linked one, or the one that it is a duplicate of. */
export interface CountingIssue {
  /** Labels and milestone by the names that they had first: a name is an identity here. */
  readonly issue: Issue;
  readonly signals: Signals | undefined;
  /** Names of labels and milestones that are gone from its repository. */
  readonly gone: ReadonlySet<string>;
}

/** What a field is to be; `unknown` where that hangs on something that nobody can know: it stays as it was. */
export type Asked = Target | { readonly kind: "unknown" };

/** Yes, no, or nobody knows. */
type Answer = boolean | undefined;

/** Where an issue may stand for one field: at the rules that may give it its value, the earliest first. */
type Standing = readonly number[];

/**
 * What the rules ask for, field by field. Each field takes its value from the first rule that matches and names the field.
 * Of several issues each stands where that rule is; `all` goes by the last of them, `any` by the first, `primary` by the first
 * link. What nobody will work on counts only where there is nothing else.
 *
 * @param issues those of a post in the order of its links; undefined for one of which nothing is known.
 */
export function readRules(
  issues: readonly (CountingIssue | undefined)[],
  { rules, several }: Pick<Settings, "rules" | "several">,
): ReadonlyMap<RuleField, Asked> {
  const asked = new Map<RuleField, Asked>();
  if (issues.length === 0) return asked;
  const alive = issues.filter((one) => one === undefined || !isDropped(one.issue));
  const counted = alive.length > 0 ? alive : issues;
  const deciding = several === "primary" ? counted.slice(0, 1) : counted;
  const answers = deciding.map((one) => rules.map(({ when }) => one && matches(one, when, rules)));
  for (const field of ruleFields) {
    const values = rules.map(({ set }) => set[field]);
    if (values.every((value) => value === undefined)) continue;
    const standings = answers.map((of) => standingOf(of, values));
    const outermost = several === "all" ? Math.max : Math.min;
    const first = outermost(...standings.map((standing) => standing.at(0) ?? 0));
    const last = outermost(...standings.map((standing) => standing.at(-1) ?? 0));
    const possible = standings.flat().filter((index) => index >= first && index <= last);
    // Where it makes no difference, it need not be known.
    const isSure = possible.every((index) => values[index] === values[first]);
    asked.set(field, isSure ? targetOf(values[first]) : { kind: "unknown" });
  }
  return asked;
}

/** An issue that no rule gives a value stands after all of them. */
function standingOf(answers: readonly Answer[], values: readonly (FieldValue | undefined)[]): Standing {
  const naming = answers.flatMap((answer, index) => (values[index] === undefined ? [] : [{ answer, index }]));
  const last = naming.find(({ answer }) => answer === true)?.index ?? answers.length;
  const unsure = naming.filter(({ answer, index }) => answer === undefined && index < last);
  return [...unsure.map(({ index }) => index), last];
}

function targetOf(value: FieldValue | undefined): Target {
  return value === undefined ? { kind: "none" } : { kind: "value", value };
}

/** Nobody will work on it. */
function isDropped({ state, stateReason }: Issue): boolean {
  return state === "closed" && (stateReason === "not_planned" || stateReason === "duplicate");
}

/** Whether an issue fulfils all of a rule's conditions: one no is enough for a no. */
function matches(counting: CountingIssue, when: Condition, rules: readonly Rule[]): Answer {
  const answers = [...recordAnswers(counting, when, rules), ...signalAnswers(counting, when)];
  if (answers.includes(false)) return false;
  return answers.includes(undefined) ? undefined : true;
}

function recordAnswers(
  { issue, gone }: CountingIssue,
  when: Condition,
  rules: readonly Rule[],
): readonly Answer[] {
  const labels = issue.labels.map((label) => label.toLowerCase());
  const has = (name: string): Answer => (gone.has(name) ? undefined : labels.includes(name.toLowerCase()));
  const title = issue.milestone?.title;
  const answers: Answer[] = [];
  if (when.state !== undefined) answers.push(issue.state === when.state);
  if (when.reason !== undefined) answers.push(hasReason(issue, when.reason, rules));
  if (when.labels !== undefined) answers.push(...when.labels.map(has));
  if (when.anyLabel !== undefined) answers.push(anyOf(when.anyLabel.map(has)));
  if (when.noLabel !== undefined) answers.push(not(anyOf(when.noLabel.map(has))));
  if (when.assigned !== undefined) answers.push(issue.assignees.length > 0 === when.assigned);
  if (when.milestone === "any") answers.push(title !== undefined);
  else if (when.milestone === "none") answers.push(title === undefined);
  else if (when.milestone !== undefined)
    answers.push(gone.has(when.milestone) ? undefined : title === when.milestone);
  if (when.milestoneState !== undefined) answers.push(issue.milestone?.state === when.milestoneState);
  return answers;
}

/** Of a closed issue whose reason no rule names, or that has none, nobody can say what its reason is. */
function hasReason(
  { state, stateReason }: Issue,
  reasons: readonly string[],
  rules: readonly Rule[],
): Answer {
  if (state === "open") return stateReason === "reopened" && reasons.includes("reopened");
  if (stateReason !== null && reasons.includes(stateReason)) return true;
  const named = rules.flatMap(({ when }) => when.reason ?? []);
  if (stateReason !== null && named.includes(stateReason)) return false;
  return named.includes("other") ? reasons.includes("other") : undefined;
}

function signalAnswers({ issue, signals }: CountingIssue, when: Condition): readonly Answer[] {
  const answers: Answer[] = [];
  const { subIssues, projectStatus, pullRequest, released } = when;
  if (subIssues !== undefined)
    answers.push(
      ask(signals?.subIssues, ({ total, closed }) =>
        subIssues === "some-closed" ? closed > 0 : total > 0 && closed === total,
      ),
    );
  if (projectStatus !== undefined) {
    const { owner, project, field, is } = projectStatus;
    const option = signals?.projectStatus?.[`${owner}/${project}/${field}`.toLowerCase()];
    answers.push(ask(option, (chosen) => chosen !== null && is.includes(chosen)));
  }
  if (pullRequest !== undefined) answers.push(ask(signals?.pullRequests, (all) => isAt(pullRequest, all)));
  if (released !== undefined) {
    const isReleased = ask(signals?.isReleased, (its) => its);
    answers.push(
      issue.milestone?.state === "closed"
        ? released
        : isReleased === undefined
          ? undefined
          : released === isReleased,
    );
  }
  return answers;
}

/** People of a history may all write to the repository: whose pull request it is makes no difference. */
function isAt(
  wish: NonNullable<Condition["pullRequest"]>,
  pullRequests: readonly LinkedPullRequest[],
): boolean {
  const open = pullRequests.filter(({ state }) => state === "open");
  const isMerged = pullRequests.some(({ state }) => state === "merged");
  const [wanted = ""] = wish.split(" ");
  switch (wanted) {
    case "open":
      return open.length > 0;
    case "ready":
      return open.some(({ isDraft }) => !isDraft);
    case "merged":
      return isMerged && open.length === 0;
    default:
      return !isMerged && open.length === 0;
  }
}

function ask<Value>(signal: Readable<Value> | undefined, question: (value: Value) => boolean): Answer {
  return signal?.kind === "known" ? question(signal.value) : undefined;
}

function anyOf(answers: readonly Answer[]): Answer {
  if (answers.includes(true)) return true;
  return answers.includes(undefined) ? undefined : false;
}

function not(answer: Answer): Answer {
  return answer === undefined ? undefined : !answer;
}
