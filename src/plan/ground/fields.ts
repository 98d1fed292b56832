import type { Field, FieldWrite, Target } from "../../model/link.ts";
import type { FieldValue, Post, PostField } from "../../model/post.ts";
import type { Settings } from "./settings.ts";

/**
 * Whether two values of a field count as the same. A status is compared without case, spaces, `-` and `_`: boards show
 * "In Progress" for the `in_progress` that they were sent. An issue's state is compared without its reason: the tracker
 * changes that together with the state only.
 */
export function isSameValue(
  field: Field,
  one: FieldValue | undefined,
  other: FieldValue | undefined,
): boolean {
  return one === other || foldValue(field, one) === foldValue(field, other);
}

/**
 * Whether a field still shows what a write has left there. An issue that was closed for another reason was closed by somebody else,
 * where both reasons are known.
 */
export function isStill(field: Field, shown: FieldValue | undefined, left: FieldValue): boolean {
  const isReasoned = field === "state" && [shown, left].every((state) => String(state).includes(":"));
  return isReasoned ? shown === left : isSameValue(field, shown, left);
}

/** A value of a field as it is compared. */
export function foldValue(field: Field, value: FieldValue | undefined): FieldValue | undefined {
  if (value === null) return fillNull(field);
  if (typeof value !== "string") return value;
  if (field === "state") return value.replace(/:.*/s, "");
  return field === "status" ? foldStatus(value) : value;
}

/** Whether two targets of a field ask for the same. */
export function isSameTarget(field: Field, one: Target, other: Target): boolean {
  if (one.kind === "none" || other.kind === "none") return one.kind === other.kind;
  return isSameValue(field, one.value, other.value);
}

/** A name as it is compared: without case, in one of the forms that Unicode has for it. */
export function foldName(name: string): string {
  return name.normalize("NFC").toLowerCase();
}

/** A status as it is compared. */
export function foldStatus(status: string): string {
  return foldName(status).replace(/[\s_-]+/g, "");
}

/**
 * A status in the board's own spelling, where posts show it only in another case or with other separators than the rule. What
 * no post shows stays as it is.
 *
 * @param shown the statuses that posts show, the most common first.
 */
export function spellStatus(status: string, shown: readonly string[]): string {
  if (shown.includes(status)) return status;
  return shown.find((one) => foldStatus(one) === foldStatus(status)) ?? status;
}

/** A write as the board has to be sent it: it may know a status only as it shows it. */
export function spellWrite(write: FieldWrite, shown: readonly string[]): FieldWrite {
  const { field, value } = write;
  return field === "status" && typeof value === "string"
    ? { ...write, value: spellStatus(value, shown) }
    : write;
}

/** What a field counts as where a record leaves it out and others show it. All other fields are then null: not chosen, or not known. */
const empties: Readonly<Partial<Record<Field | PostField, FieldValue>>> = {
  roadmapOrder: 0,
  roadmapPublic: false,
  onRoadmap: false,
  isReviewed: false,
  isArchived: false,
  title: "",
  description: "",
  votes: 0,
};

/** Whether just this record shows what can't be read in a field: nobody knows what is in it, and it is not written over. */
export function isUnread({ unread }: Post, field: PostField, seen: ReadonlySet<PostField>): boolean {
  return unread?.includes(field) === true && seen.has(field);
}

/**
 * A post's value of a field, for whoever looks at one: the empty value where just this record leaves it out, undefined where
 * the board never shows it, or shows what can't be read.
 */
export function readField(
  post: Post,
  field: PostField,
  seen: ReadonlySet<PostField>,
): FieldValue | undefined {
  const shown = post.values[field];
  if ((shown ?? undefined) !== undefined) return shown;
  if (!seen.has(field) || isUnread(post, field, seen)) return undefined;
  return shown === null ? fillNull(field) : (empties[field] ?? null);
}

/**
 * What null stands for, where a record shows it, or where an earlier version has stored it for what a record left out. Of an
 * order it is a value of its own: the post has no place in its column.
 */
export function fillNull(field: Field | PostField): FieldValue {
  return field === "roadmapOrder" ? null : (empties[field] ?? null);
}

/** How many voters a change of status notifies; null where the board shows no votes, or what is no count (weighted, or below zero). */
export function votersOf(post: Post, seen: ReadonlySet<PostField>): number | null {
  const votes = readField(post, "votes", seen);
  return typeof votes === "number" && Number.isSafeInteger(votes) && votes >= 0 ? votes : null;
}

/** Whether the board's or the tracker's API takes this value: only a category and a milestone can be cleared with null. */
export function isSettable(field: Field, value: FieldValue): boolean {
  return value !== null || field === "categoryId" || field === "milestone";
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

/** The words that may mean a post's category. Unknown is never no. */
export function openWordsOf(
  { values: { categoryId } }: Post,
  { openCategories: open }: Pick<Settings, "openCategories">,
): readonly string[] {
  if (open === undefined || categoryId === undefined || categoryId === null) return [];
  const id = String(categoryId);
  return Object.entries(open.words).flatMap(([word, ids]) =>
    word !== id && (ids?.includes(id) ?? !open.known.includes(id)) ? [word] : [],
  );
}
