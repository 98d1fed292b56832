import type { IssueField } from "../../model/issue.ts";
import type { FieldBase, LinkedIssue, Target } from "../../model/link.ts";
import type { FieldValue } from "../../model/post.ts";
import { changedFields, deriveBoard } from "../../plan/board-rules/board-rules.ts";
import { readIssueField } from "../../plan/board-rules/issue-fields.ts";
import { readField } from "../../plan/fields/fields.ts";
import { type Derivation, ruledFields } from "../../plan/rules/rules.ts";
import type { ExplainedField, Explanation } from "./explanation.ts";
import { type Explaining, nameOf } from "./sources.ts";

/** The fields of the post that rules set. */
export function explainFields(
  { row, settings, seen }: Explaining,
  derived: Derivation,
): readonly ExplainedField[] {
  const targets = derived.kind === "derived" ? derived.targets : undefined;
  return ruledFields(settings.rules).map((field) =>
    explainField(field, row.base[field], readField(row.post, field, seen), targets?.get(field)),
  );
}

/** The fields of its issues that board rules set. */
export function explainIssueFields(explaining: Explaining): Explanation["issueFields"] {
  const { row, settings, seen } = explaining;
  const derived = deriveBoard(row, settings, seen);
  const targets = derived.kind === "derived" ? derived.targets : undefined;
  return row.links.flatMap((linked) =>
    fieldsOf(linked, changedFields(settings.boardRules)).map((field) => ({
      issue: nameOf(explaining, linked.link.issue),
      ...explainField(
        field,
        linked.base?.[field],
        linked.issue && readIssueField(linked.issue, field),
        targets?.get(field),
      ),
    })),
  );
}

/** What rules that are gone have set is still remembered. */
function fieldsOf({ base = {} }: LinkedIssue, named: readonly IssueField[]): readonly IssueField[] {
  return [...new Set([...named, ...(Object.keys(base) as IssueField[])])];
}

function explainField(
  field: string,
  base: FieldBase | undefined,
  shown: FieldValue | undefined,
  asks: Target | undefined,
): ExplainedField {
  const pending = base?.pending?.since;
  return {
    field,
    asks: asks ?? null,
    shows: shown ?? null,
    isSeen: shown !== undefined,
    agreed: base === undefined ? null : { asks: base.target, shows: base.post ?? null },
    lastNotOurs: base?.foreign ?? null,
    pendingSince: pending === undefined ? null : new Date(pending).toISOString(),
  };
}
