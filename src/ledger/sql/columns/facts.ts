import { hash } from "node:crypto";
import { type Issue, type Readable, refOf, type Signals } from "../../../model/issue.ts";
import { type FieldValue, type Post, type PostField, postFields } from "../../../model/post.ts";
import { stored } from "../../stored.ts";
import { issueShape, postShape, signalsShape, valueShape } from "./shapes.ts";

/** A post as it is stored: the known fields that its record showed, always in the same order, what of it can't be read, and nothing else. */
export function encodePost(post: Post): string {
  const values: Partial<Record<PostField, FieldValue>> = {};
  for (const field of postFields) {
    const value = post.values[field];
    if (value !== undefined) values[field] = value;
  }
  const { unread } = post;
  return JSON.stringify(unread === undefined ? values : { ...values, unread });
}

const readPost = stored("post_facts.facts", postShape);

/** What `encodePost` has written. */
export function decodePost(facts: string): Omit<Post, "id"> {
  const { unread, ...values } = readPost(facts);
  return unread === undefined ? { values } : { values, unread };
}

/** Tells two stored posts apart without reading the old one. */
export function hashFacts(facts: string): string {
  return hash("sha256", facts, "base64");
}

/** An issue as it is stored: the facts of the model, always in the same order, and nothing else. */
export function encodeIssue(issue: Issue): string {
  const { repositoryId, number, nodeId, state, stateReason, labels, assignees, type, locked } = issue;
  const milestone = issue.milestone && {
    number: issue.milestone.number,
    title: issue.milestone.title,
    state: issue.milestone.state,
  };
  const formerMilestone = milestone === null ? issue.formerMilestone : undefined;
  const { createdAt, updatedAt } = issue;
  const facts: Issue = {
    repositoryId,
    number,
    nodeId,
    state,
    stateReason,
    ...(issue.closed && { closed: { at: issue.closed.at, by: issue.closed.by } }),
    labels,
    ...(issue.labelIds && { labelIds: issue.labelIds }),
    assignees,
    milestone,
    ...(formerMilestone !== undefined && { formerMilestone }),
    type,
    ...(issue.typeId !== undefined && { typeId: issue.typeId }),
    locked,
    createdAt,
    updatedAt,
  };
  return JSON.stringify(facts);
}

/** What `encodeIssue` has written. */
export const decodeIssue = stored("issues.facts", issueShape);

/** What is known of an issue beside its record, with what else is known on top. */
export function mergeSignals(below: Signals, above: Signals): Signals {
  const projectStatus = { ...below.projectStatus, ...above.projectStatus };
  return { ...below, ...above, projectStatus };
}

/** Signals as they are stored: those of the model, always in the same order, whatever order they were read in. */
export function encodeSignals({
  pullRequests,
  subIssues,
  projectStatus,
  isReleased,
  canonical,
}: Signals): string {
  const ordered = {
    pullRequests: encodeReadable(pullRequests, (linked) =>
      linked.map(({ repository, number, state, isDraft, isOutside }) => ({
        ...{ repository, number, state, isDraft },
        ...(isOutside && { isOutside }),
      })),
    ),
    subIssues: encodeReadable(subIssues, ({ total, closed }) => ({ total, closed })),
    projectStatus: encodeStatuses(projectStatus ?? {}),
    isReleased: encodeReadable(isReleased, (value) => value),
    canonical: encodeReadable(
      canonical,
      (end) =>
        end && {
          ...refOf(end),
          ...(end.isOutside && { isOutside: end.isOutside }),
        },
    ),
  };
  return JSON.stringify(ordered);
}

function encodeStatuses(
  statuses: NonNullable<Signals["projectStatus"]>,
): Readonly<Record<string, unknown>> | undefined {
  const keys = Object.keys(statuses).sort();
  if (keys.length === 0) return undefined;
  return Object.fromEntries(keys.map((key) => [key, encodeReadable(statuses[key], (option) => option)]));
}

function encodeReadable<T>(
  readable: Readable<T> | undefined,
  order: (value: T) => unknown,
): object | undefined {
  if (readable === undefined) return undefined;
  return readable.kind === "known" ? { kind: "known", value: order(readable.value) } : readable;
}

/** What `encodeSignals` has written. */
export const decodeSignals = stored("signals.signals", signalsShape);

/** A value of a field; undefined where there is none. */
export function encodeValue(value: FieldValue | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

/** What `encodeValue` has written into a column. */
export function valueReader(place: string): (value: string | null) => FieldValue | undefined {
  const read = stored(place, valueShape);
  return (value) => (value === null ? undefined : read(value));
}
