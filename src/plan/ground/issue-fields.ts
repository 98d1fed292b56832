import type { Issue, IssueField, Milestone } from "../../model/issue.ts";
import type { Field, FieldWrite } from "../../model/link.ts";
import type { FieldValue } from "../../model/post.ts";
import { hashText } from "./hash.ts";
import type { IssueChange } from "./settings.ts";

/** An issue's state as one value: `open`, or `closed`, with the reason where one is named. */
export type StateValue = "open" | "closed" | `closed:${string}`;

const labelPrefix = "label:";

/** The field that a label is. */
export function labelField(label: string): IssueField {
  return `${labelPrefix}${label.toLowerCase()}`;
}

/** The name of a field's label, in lower case; undefined for a field that is none. */
export function labelOf(field: Field): string | undefined {
  return field.startsWith(labelPrefix) ? field.slice(labelPrefix.length) : undefined;
}

/**
 * What an issue shows of a field. undefined for a comment: whether one was made is known from our writing only, as with a
 * field that a board does not show.
 */
export function readIssueField(issue: Issue, field: IssueField): FieldValue | undefined {
  switch (field) {
    case "state":
      return stateValue(issue.state, issue.stateReason);
    case "milestone":
      return issue.milestone?.title ?? null;
    case "comment":
      return undefined;
    default:
      return issue.labels.some((label) => labelField(label) === field);
  }
}

/** What a board rule sets, field by field. */
export function fieldsOf(set: IssueChange): ReadonlyMap<IssueField, FieldValue> {
  const { state, reason, addLabels = [], removeLabels = [], milestone, comment } = set;
  const fields = new Map<IssueField, FieldValue>();
  if (state !== undefined) fields.set("state", stateValue(state, reason ?? null));
  if (milestone !== undefined) fields.set("milestone", milestone);
  for (const label of removeLabels) fields.set(labelField(label), false);
  for (const label of addLabels) fields.set(labelField(label), true);
  if (comment !== undefined) fields.set("comment", hashText(comment).slice(0, 16));
  return fields;
}

/** The parts of a state's value. */
export function splitState(value: FieldValue): Pick<Issue, "state" | "stateReason"> {
  const [state, ...reason] = String(value).split(":");
  if (state === "open") return { state, stateReason: null };
  return { state: "closed", stateReason: reason.length === 0 ? null : reason.join(":") };
}

/**
 * The issue as it is with the given values: what it was before a write of ours, or is after one whose answer does not show it.
 *
 * @param milestones those that are known by their titles; another one counts as open.
 */
export function withFields(
  issue: Issue,
  values: readonly Pick<FieldWrite<IssueField>, "field" | "value">[],
  milestones: readonly Milestone[],
): Issue {
  return values.reduce((shown, { field, value }) => withField(shown, field, value, milestones), issue);
}

function withField(
  issue: Issue,
  field: IssueField,
  value: FieldValue,
  milestones: readonly Milestone[],
): Issue {
  const milestoneOf = (title: string): Milestone =>
    milestones.find((known) => known.title === title) ?? { number: 0, title, state: "open" };
  switch (field) {
    case "state":
      return { ...issue, ...splitState(value) };
    case "milestone":
      return { ...issue, milestone: value === null ? null : milestoneOf(String(value)) };
    case "comment":
      return issue;
    default: {
      const name = field.slice(labelPrefix.length);
      const gone = new Set(issue.labels.flatMap((label, at) => (isSameName(label, name) ? [at] : [])));
      const added = value === true ? [name] : [];
      const pick = (all: readonly string[]): readonly string[] => all.filter((_, at) => !gone.has(at));
      return {
        ...issue,
        labels: [...pick(issue.labels), ...added],
        // In step with the names, or the one that goes would leave its id to the next.
        ...(issue.labelIds && { labelIds: [...pick(issue.labelIds), ...added.map(() => "")] }),
      };
    }
  }
}

function stateValue(state: Issue["state"], reason: string | null): StateValue {
  return state === "open" || reason === null ? state : `closed:${reason}`;
}

/** The state of an issue that a write was planned for: its `updatedAt`; '' where it is not known. */
export function seenAtOf(known: { readonly issue: Pick<Issue, "updatedAt"> } | undefined): string {
  return known?.issue.updatedAt ?? "";
}

/** The tracker's labels, types, logins and options are the same name in any case. */
export function isSameName(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Whether a name is among others, in any case. */
export function includesName(names: readonly string[], wanted: string): boolean {
  return names.some((name) => isSameName(name, wanted));
}
