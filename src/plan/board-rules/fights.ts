import { bareIssue, type Issue } from "../../model/issue.ts";
import { type Post, type PostField, type PostId, postFields, type RuleField } from "../../model/post.ts";
import { fieldsOf, withFields } from "../ground/issue-fields.ts";
import type { BoardRule, Settings } from "../ground/settings.ts";
import { matchFields } from "../rules/rules.ts";
import { conditionsOf, deriveBoard } from "./board-rules.ts";

const seen: ReadonlySet<PostField> = new Set(postFields);

/** Issues without anything else that rules look at: open, and closed as most are. */
const bare = bareIssue({ repositoryId: 0, number: 0 });
const starts: readonly Issue[] = [bare, { ...bare, state: "closed", stateReason: "completed" }];

/**
 * Board rules that fight with a rule: a board rule changes the issue, and for the issue as it is then a rule asks for another
 * post than the one that the board rule looks at. Nothing loops, because our own change of an issue is never told to the
 * board. But the two sides differ for as long as the post stays there, and people ought to know.
 *
 * @returns both by their indexes.
 */
export function fightingRules({ rules, boardRules }: Pick<Settings, "rules" | "boardRules">) {
  return boardRules.flatMap((boardRule, index) => {
    const example = Object.fromEntries(
      conditionsOf(boardRule.when).map(({ field, wanted }) => [field, wanted]),
    );
    const answers = starts
      .flatMap((start) => newlyMatched(start, boardRule, rules))
      .filter(({ rule, field }) => !matches({ ...example, [field]: rules[rule]?.set[field] }, boardRule))
      .map(({ rule }) => rule);
    return [...new Set(answers)].map((rule) => ({ boardRule: index, rule }));
  });
}

/** For each field, the rule that it certainly comes under because of what a board rule does to an issue, if any does. */
function newlyMatched(
  start: Issue,
  { set }: BoardRule,
  rules: Settings["rules"],
): readonly { readonly field: RuleField; readonly rule: number }[] {
  const values = [...fieldsOf(set)].map(([field, value]) => ({ field, value }));
  const before = matchFields({ issue: start }, rules);
  return [...matchFields({ issue: withFields(start, values, []) }, rules)].flatMap(
    ([field, { possible }]) => {
      const [rule = rules.length, ...others] = possible;
      const isNew = others.length === 0 && rule < rules.length && before.get(field)?.possible[0] !== rule;
      return isNew ? [{ field, rule }] : [];
    },
  );
}

/** A post that is missing is not written, so no rule takes it away. */
function matches(values: Post["values"], boardRule: BoardRule): boolean {
  if (boardRule.when.missing === true) return true;
  const post: Post = { id: "" as PostId, values };
  return deriveBoard({ post, missing: 0 }, { boardRules: [boardRule] }, seen)?.rule !== undefined;
}
