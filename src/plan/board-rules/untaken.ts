import type { IssueField } from "../../model/issue.ts";
import { type FieldBase, type LinkedIssue, type Row, type Target, withValues } from "../../model/link.ts";
import type { FieldValue, PostField, RuleField } from "../../model/post.ts";
import { isUnconfirmed, leftBy } from "../fields/base.ts";
import { isSameTarget, isSameValue, readField } from "../ground/fields.ts";
import type { Settings } from "../ground/settings.ts";
import { type BoardDerivation, deriveBoard } from "./board-rules.ts";

/**
 * The board made something else of our last PATCH than its answer told, and this look is the first that shows it: gives what the
 * board rules would make of the post otherwise. undefined where the answer was right. A field that the board never shows counts as
 * it was sent.
 */
export function findUntaken(
  { post, missing, base }: Row,
  settings: Pick<Settings, "boardRules" | "openCategories">,
  seen: ReadonlySet<PostField>,
): BoardDerivation | undefined {
  const told = Object.entries(base).flatMap(([name, known]) => {
    const field = name as RuleField;
    const shown = readField(post, field, seen);
    const isOther = shown === undefined || isUntaken(field, known, shown);
    return isOther ? [{ field, value: known.written && leftBy(known.written), shown }] : [];
  });
  if (told.every(({ shown }) => shown === undefined)) return undefined;
  const values = Object.fromEntries(told.map(({ field, value }) => [field, value]));
  return deriveBoard(withValues({ post, missing }, values), settings, seen);
}

/** Whether the post shows its old value, or the one that was sent. Any other value is what people have made of it since. */
function isUntaken(field: RuleField, base: FieldBase, shown: FieldValue): boolean {
  const { written, foreign } = base;
  if (written === undefined || !isUnconfirmed(base) || isSameValue(field, shown, leftBy(written)))
    return false;
  return isSameValue(field, shown, foreign) || isSameValue(field, shown, written.sent);
}

/** Whether a board rule asks for this field only because of that: the field goes back to its old value. */
export function isPutBack(
  { base }: LinkedIssue,
  field: IssueField,
  target: Target,
  untaken: BoardDerivation | undefined,
): boolean {
  const known = base?.[field];
  const expected = untaken?.targets.get(field);
  if (known === undefined || expected === undefined) return false;
  return !isSameTarget(field, target, known.target) && isSameTarget(field, expected, known.target);
}
