import type { IssueField } from "../../model/issue.ts";
import type { FieldBase, IssueBases, Row } from "../../model/link.ts";
import type { PostField } from "../../model/post.ts";
import { noTarget } from "../fields/base.ts";
import { asWritten } from "../fields/late.ts";
import { isSameTarget } from "../ground/fields.ts";
import type { BoardRule, Settings } from "../ground/settings.ts";
import { type BoardDerivation, deriveBoard } from "./board-rules.ts";

/** What other board rules are laid over. */
export interface BoardRebase {
  /** undefined where the posts are read otherwise than they were: whatever the base asks for was asked by the rules before. */
  readonly before: readonly BoardRule[] | undefined;
  readonly settings: Pick<Settings, "boardRules">;
  readonly seen: ReadonlySet<PostField>;
}

/**
 * The bases of the issues' fields after the board rules were replaced. New rules are no change of any post, so nothing is
 * written because of them; where the two sides differ by now, that is said. If a post has moved since the base of a field was
 * made, the field keeps its base: that change is a real one, and is written like any other. A field without a base gets one
 * with the next decision.
 *
 * @returns the bases that change.
 */
export function rebaseIssues(known: Row, { before, settings, seen }: BoardRebase): readonly IssueBases[] {
  const row = asListed(asWritten(known), { before, settings, seen });
  const then = before && deriveBoard(row, { boardRules: before }, seen);
  const now = deriveBoard(row, settings, seen);
  return row.links.flatMap(({ link, base = {} }): readonly IssueBases[] => {
    const changed: Partial<Record<IssueField, FieldBase>> = {};
    for (const field of Object.keys(base) as IssueField[]) {
      const known = base[field];
      const to = targetIn(row, now, field);
      if (known === undefined || to === undefined || isSameTarget(field, to, known.target)) continue;
      // A label by votes is none of the rules'.
      if (before === undefined && now?.targets.has(field) === false) continue;
      const from = targetIn(row, then, field) ?? known.target;
      if (isSameTarget(field, from, known.target)) {
        changed[field] = { ...known, target: to, pending: undefined };
      }
    }
    return Object.keys(changed).length === 0 ? [] : [{ issue: link.issue, base: changed }];
  });
}

/** A missing post about which neither the old nor the new rules say anything is taken as the lists showed it last. */
function asListed(row: Row, { before, settings, seen }: BoardRebase): Row {
  const isDecided = [before ?? [], settings.boardRules].some(
    (boardRules) => deriveBoard(row, { boardRules }, seen) !== undefined,
  );
  return row.missing === 0 || isDecided ? row : { ...row, missing: 0 };
}

/** What the rules make of one field. Rules for a missing post leave the fields alone that they don't name: undefined. */
function targetIn(
  { missing }: Row,
  derived: BoardDerivation | undefined,
  field: IssueField,
): FieldBase["target"] | undefined {
  return derived && (derived.targets.get(field) ?? (missing > 0 ? undefined : noTarget));
}
