import { hash } from "node:crypto";
import type { Issue, Signals } from "../../../model/issue.ts";
import { type FieldValue, type Post, type PostField, postFields } from "../../../model/post.ts";
import { issueShape, postShape, signalsShape, valueShape } from "../../shapes.ts";
import { stored } from "../../stored.ts";

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
  const { formerMilestone: _, ...others } = issue;
  return JSON.stringify(issueShape().parse(issue.milestone === null ? issue : others));
}

/** What `encodeIssue` has written. */
export const decodeIssue = stored("issues.facts", issueShape);

/** What is known of an issue beside its record, with what else is known on top. */
export function mergeSignals(below: Signals, above: Signals): Signals {
  const projectStatus = { ...below.projectStatus, ...above.projectStatus };
  return { ...below, ...above, projectStatus };
}

/** Signals as they are stored: those of the model, always in the same order, whatever order they were read in. */
export function encodeSignals({ projectStatus = {}, ...signals }: Signals): string {
  const keys = Object.keys(projectStatus).sort();
  const statuses = Object.fromEntries(keys.map((key) => [key, projectStatus[key]]));
  return JSON.stringify(
    signalsShape().parse({ ...signals, ...(keys.length > 0 && { projectStatus: statuses }) }),
  );
}

/** What `encodeSignals` has written. */
export const decodeSignals = stored("signals.signals", signalsShape);

/** A value of a field; undefined where there is none. */
export function encodeValue(value: FieldValue | undefined): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}

/** What `encodeValue` has written into a column. */
export function valueReader(place: string): (value: string | undefined) => FieldValue | undefined {
  const read = stored(place, valueShape);
  return (value) => (value === undefined ? undefined : read(value));
}
