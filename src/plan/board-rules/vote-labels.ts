import type { Issue, IssueField } from "../../model/issue.ts";
import type { FieldBase, LinkedIssue, Row, Target } from "../../model/link.ts";
import type { FieldValue, PostField } from "../../model/post.ts";
import { isOurs, noBase, noTarget } from "../fields/base.ts";
import { readField } from "../ground/fields.ts";
import { labelField, readIssueField } from "../ground/issue-fields.ts";
import { absence } from "../ground/obstacle.ts";
import type { Settings } from "../ground/settings.ts";

/*
 * Labels by votes (`issue.voteLabels`): an issue has the label of the highest number that its post has reached, and none of the
 * others. Each label is a field of the issue that the case table decides, so one that a person has set is never taken away, and
 * one that a person has taken away does not come back until the post's votes cross a number.
 */

/** What votes make of one label of an issue. */
export interface VoteAsk {
  readonly field: IssueField;
  readonly target: Target;
  /** What is known of the field, or what counts as known where nothing is. */
  readonly base: FieldBase;
}

type VoteSettings = Pick<Settings, "issue">;

/** The label for so many votes; undefined below the lowest number, and where nobody can count them. */
export function voteLabel(votes: FieldValue | undefined, { issue }: VoteSettings): string | undefined {
  return typeof votes === "number" ? labelsOf(issue).find((one) => votes >= one.votes)?.label : undefined;
}

/**
 * What a post's votes ask of the labels of one of its issues. Nothing is asked for where the board shows no votes. Of a post that
 * is archived or missing nothing changes; what its issue was opened with is remembered as ours all the same.
 */
export function voteAsks(
  row: Row,
  linked: LinkedIssue,
  { issue: settings }: VoteSettings,
  seen: ReadonlySet<PostField>,
): readonly VoteAsk[] {
  const { known, claimed = [] } = linked;
  if (settings.voteLabels === undefined || known === undefined) return [];
  const votes = readField(row.post, "votes", seen);
  if (typeof votes !== "number") return [];
  const labels = labelsOf(settings).map((one) => ({
    ...one,
    ...stateOf(row, linked, known.issue, one.field),
  }));
  if (absence(row) !== undefined) {
    const opened = linked.base === undefined ? labels.filter(({ isNews }) => !isNews) : [];
    return opened.map(({ field, base }) => ({ field, base, target: present }));
  }
  const wanted = labels.find((one) => votes >= one.votes);
  // It has a higher one by a person, or for another post: that is the one, then.
  const isTaken = labels
    .slice(0, wanted === undefined ? labels.length : labels.indexOf(wanted))
    .some(({ field, shown, base }) => shown && (claimed.includes(field) || !isOurs(field, base, shown)));
  const given = isTaken ? undefined : wanted;
  // Most issues have none of most labels: nothing is remembered of these. What goes goes first, or there would be two for a moment.
  const gone = labels.filter((one) => one !== given && !one.isNews);
  return [
    ...gone.map(({ field, base }) => ({ field, base, target: noTarget })),
    ...(given === undefined ? [] : [{ field: given.field, base: given.base, target: present }]),
  ];
}

/** The labels, and from how many votes on an issue has each: the highest number first. */
function labelsOf({ voteLabels = {} }: Settings["issue"]) {
  return Object.entries(voteLabels)
    .map(([votes, label]) => ({ votes: Number(votes), label, field: labelField(label) }))
    .toSorted((one, other) => other.votes - one.votes);
}

const present: Target = { kind: "value", value: true };

/**
 * How a label stands on an issue; `isNews`: nothing of ours was ever known of it. One that is there and that nobody has asked for is a
 * person's, unless we have just opened the issue with it.
 */
function stateOf(row: Row, { base, link }: LinkedIssue, issue: Issue, field: IssueField) {
  const shown = readIssueField(issue, field) === true;
  const known = base?.[field];
  if (known !== undefined) return { shown, base: known, isNews: false };
  const isNew = base === undefined && Object.keys(row.base).length === 0;
  if (shown && isNew && link.origin === "opened") {
    const opened = { target: present, post: true, foreign: false, written: { sent: true, shown: true } };
    return { shown, base: { ...noBase, ...opened }, isNews: false };
  }
  return { shown, base: { ...noBase, post: shown, foreign: shown }, isNews: true };
}
