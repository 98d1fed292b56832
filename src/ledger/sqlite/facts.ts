import { hash } from "node:crypto";
import type { Issue } from "../../model/issue.ts";
import { type FieldValue, type Post, type PostField, postFields } from "../../model/post.ts";

/** A post as it is stored: the known fields that its record showed, always in the same order, and nothing else. */
export function encodePost(post: Post): string {
  const values: Partial<Record<PostField, FieldValue>> = {};
  for (const field of postFields) {
    const value = post.values[field];
    if (value !== undefined) values[field] = value;
  }
  return JSON.stringify(values);
}

/** What `encodePost` has written. */
export function decodePost(facts: string): Post["values"] {
  return JSON.parse(facts);
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
  const { createdAt, updatedAt } = issue;
  const facts: Issue = {
    repositoryId,
    number,
    nodeId,
    state,
    stateReason,
    labels,
    assignees,
    milestone,
    type,
    locked,
    createdAt,
    updatedAt,
  };
  return JSON.stringify(facts);
}

/** What `encodeIssue` has written. */
export function decodeIssue(facts: string): Issue {
  return JSON.parse(facts);
}

/** A value of a field; undefined where there is none. */
export function encodeValue(value: FieldValue | undefined): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

/** What `encodeValue` has written. */
export function decodeValue(value: string | null): FieldValue | undefined {
  return value === null ? undefined : JSON.parse(value);
}
