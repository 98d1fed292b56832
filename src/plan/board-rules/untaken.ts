import type { IssueField } from "../../model/issue.ts";
import type { FieldBase, LinkedIssue, Row, Target } from "../../model/link.ts";
import type { FieldValue, PostField, RuleField } from "../../model/post.ts";
import { isUnconfirmed } from "../fields/base.ts";
import { isSameTarget, isSameValue, readField } from "../ground/fields.ts";
import type { Settings } from "../ground/settings.ts";
import { type BoardDerivation, deriveBoard } from "./board-rules.ts";

/**
 * The board did not take our last PATCH, and this look is the first that shows it: gives what the board rules would make of the
 * post if it had. undefined where the board took it. A field that the board never shows counts as it was sent.
 */
export function findUntaken(
  { post, missing, base }: Row,
  {
    settings,
    seen,
  }: { readonly settings: Pick<Settings, "boardRules">; readonly seen: ReadonlySet<PostField> },
): BoardDerivation | undefined {
  const sent = Object.entries(base).flatMap(([name, known]) => {
    const field = name as RuleField;
    const shown = readField(post, field, seen);
    return shown !== undefined && isUntaken(field, known, shown) ? [[field, known.written?.sent]] : [];
  });
  if (sent.length === 0) return undefined;
  const unseen = Object.entries(base).flatMap(([name, { written }]) =>
    readField(post, name as RuleField, seen) === undefined ? [[name, written?.sent]] : [],
  );
  const values = { ...post.values, ...Object.fromEntries([...unseen, ...sent]) };
  return deriveBoard({ post: { ...post, values }, missing }, settings, seen);
}

/** Whether the post shows its old value, or the one in the board's answer. Any other value is what people have made of it since. */
function isUntaken(field: RuleField, base: FieldBase, shown: FieldValue): boolean {
  const { written, foreign } = base;
  if (written === undefined || !isUnconfirmed(base) || isSameValue(field, shown, written.sent)) return false;
  return isSameValue(field, shown, foreign) || isSameValue(field, shown, written.shown);
}

/** Whether a board rule asks for this field only because the board did not take our PATCH: the field goes back to its old value. */
export function isPutBack(
  { base }: LinkedIssue,
  field: IssueField,
  target: Target,
  untaken: BoardDerivation | undefined,
): boolean {
  const known = base?.[field];
  if (known === undefined || untaken?.kind !== "derived" || isSameTarget(field, target, known.target))
    return false;
  const expected = untaken.targets.get(field);
  return expected !== undefined && isSameTarget(field, expected, known.target);
}
