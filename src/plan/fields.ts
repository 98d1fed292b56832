import type { Target } from "../model/link.ts";
import type { FieldValue, Post, PostField, RuleField } from "../model/post.ts";

/**
 * Whether two values of a field count as the same. A status is compared without case, spaces, `-` and `_`: boards show
 * "In Progress" for the `in_progress` that they were sent.
 */
export function isSameValue(
  field: RuleField,
  one: FieldValue | undefined,
  other: FieldValue | undefined,
): boolean {
  return foldValue(field, one) === foldValue(field, other);
}

/** A value of a field as it is compared. */
export function foldValue(field: RuleField, value: FieldValue | undefined): FieldValue | undefined {
  return field === "status" && typeof value === "string" ? foldStatus(value) : value;
}

/** Whether two targets of a field ask for the same. */
export function isSameTarget(field: RuleField, one: Target, other: Target): boolean {
  if (one.kind === "none" || other.kind === "none") return one.kind === other.kind;
  return isSameValue(field, one.value, other.value);
}

/** A status as it is compared. */
export function foldStatus(status: string): string {
  return status.toLowerCase().replace(/[\s_-]+/g, "");
}

/** A post's value of a field: null where just this record leaves it out, undefined where the board never shows it. */
export function readField(
  post: Post,
  field: PostField,
  seen: ReadonlySet<PostField>,
): FieldValue | undefined {
  return post.values[field] ?? (seen.has(field) ? null : undefined);
}

/** Whether the board's API takes this value: only a category can be cleared with null. */
export function isSettable(field: RuleField, value: FieldValue): boolean {
  return value !== null || field === "categoryId";
}

/** A target for a sentence. */
export function showTarget(target: Target): string {
  return target.kind === "none" ? "nothing" : showValue(target.value);
}

/** A value for a sentence; cut, because it may be anything. */
export function showValue(value: FieldValue | undefined): string {
  if (value === undefined) return "not shown by the board";
  const text = String(value);
  return `\`${text.length > 80 ? `${text.slice(0, 79).toWellFormed()}…` : text}\``;
}
