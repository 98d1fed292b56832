import type { IssueField } from "../../model/issue.ts";
import type { FieldBase, LinkedIssue, Target } from "../../model/link.ts";
import type { FieldValue } from "../../model/post.ts";
import { changedFields, deriveBoard } from "../../plan/board-rules/board-rules.ts";
import { voteAsks } from "../../plan/board-rules/vote-labels.ts";
import { asWritten } from "../../plan/fields/late.ts";
import { readField } from "../../plan/ground/fields.ts";
import { readIssueField } from "../../plan/ground/issue-fields.ts";
import { inNumbers } from "../../plan/rules/by-votes.ts";
import { type Derivation, ruledFields } from "../../plan/rules/rules.ts";
import { nameIssue } from "../../sync/ground/cycle-state.ts";
import type { Explaining } from "./explaining.ts";

/** A field that rules set: what both sides say of it, and what they agreed on last. */
export type ExplainedField = ReturnType<typeof explainField>;

/** The fields of the post that rules set. */
export function explainFields(
  { row, settings, seen }: Explaining,
  derived: Derivation,
): readonly ExplainedField[] {
  const { post } = asWritten(row);
  return ruledFields(settings.rules).map((field) => {
    const found = derived.get(field);
    const target = found?.kind === "derived" ? inNumbers(found, row, seen) : undefined;
    const asks = found?.kind === "derived" && target !== undefined ? { ...found, target } : undefined;
    return explainField(field, row.base[field], readField(post, field, seen), asks);
  });
}

/** The fields of its issues that board rules set: `agreed.asks` is what they asked for, `shows` what the issue shows. */
export function explainIssueFields(explaining: Explaining) {
  const { row, settings, seen } = explaining;
  const derived = deriveBoard(row, settings, seen);
  const asksOf = (linked: LinkedIssue, field: IssueField): Asks | undefined => {
    const byVotes = voteAsks(row, linked, settings, seen).find((ask) => ask.field === field);
    if (byVotes !== undefined) return { target: byVotes.target, rule: undefined };
    const target = derived?.targets.get(field);
    return target && { target, rule: derived?.rule };
  };
  return row.links.flatMap((linked) =>
    fieldsOf(linked, explaining).map((field) => ({
      issue: nameIssue({ world: explaining }, linked.link.issue),
      ...explainField(
        field,
        linked.base?.[field],
        linked.known && readIssueField(linked.known.issue, field),
        asksOf(linked, field),
      ),
    })),
  );
}

/** The fields of an issue that board rules and votes decide. What rules that are gone have set is still remembered. */
function fieldsOf(linked: LinkedIssue, { row, settings, seen }: Explaining): readonly IssueField[] {
  const byVotes = voteAsks(row, linked, settings, seen).map(({ field }) => field);
  const remembered = Object.keys(linked.base ?? {}) as IssueField[];
  return [...new Set([...changedFields(settings.boardRules), ...byVotes, ...remembered])];
}

/** What rules ask of a field, and the index of the rule that does. */
interface Asks {
  readonly target: Target;
  readonly rule: number | undefined;
}

function explainField(
  field: string,
  base: FieldBase | undefined,
  shown: FieldValue | undefined,
  asks: Asks | undefined,
) {
  const pending = base?.pending?.since;
  return {
    field,
    /** What the rules ask for now; null while that can't be said. */
    asks: asks?.target ?? null,
    /** The rule that asks for it, counted from 1; null where none does, or while that can't be said. */
    rule: asks?.target.kind === "value" && asks.rule !== undefined ? asks.rule + 1 : null,
    /** What the post showed last; null for an empty field and for one that the board does not show. */
    shows: shown ?? null,
    isSeen: shown !== undefined,
    /** What both sides agreed on last; null before the first plan of the pair. */
    agreed: base === undefined ? null : { asks: base.target, shows: base.post ?? null },
    /** The last value that boardsync did not write: what `whenNoRule: restore` goes back to. */
    lastNotOurs: base?.foreign ?? null,
    /** Since when another target than the agreed one is known; null where none is. */
    pendingSince: pending === undefined ? null : new Date(pending).toISOString(),
  };
}
