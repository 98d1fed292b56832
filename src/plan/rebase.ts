import type { FieldBase, LinkedIssue, Row, Target } from "../model/link.ts";
import { type PostField, type RuleField, ruleFields } from "../model/post.ts";
import type { FieldWrite } from "./action.ts";
import { isSameTarget, isSameValue, readField } from "./fields.ts";
import { deriveTarget, ruledFields } from "./rules.ts";
import type { RuleSettings, Settings } from "./settings.ts";

/** What other rules are laid over: the rules before, and what was known when they were replaced. */
export interface RebaseContext {
  /** undefined where they are not known any more: every pair then counts as in step with them. */
  readonly before: RuleSettings | undefined;
  readonly settings: Settings;
  readonly seen: ReadonlySet<PostField>;
  /** Epoch ms. */
  readonly now: number;
}

/** For one field, what the rules before and the rules now make of the same issues. */
interface Turn {
  /** undefined where what the rules before made of it can't be said (any more): what is there counts as in step with them. */
  readonly from: Target | undefined;
  readonly to: Target;
}

const none: Target = { kind: "none" };

/**
 * The bases of a row after its rules were replaced. That is no change of any issue: T₀ becomes what the new rules make of
 * the facts that are known, and where the post stands elsewhere it is marked (`ruled`), so that a person is asked. A field
 * whose issues have moved since its base was made keeps the base, so that the real change is written as any other.
 *
 * @returns the bases that change.
 */
export function rebaseRow(row: Row, context: RebaseContext): Readonly<Partial<Record<RuleField, FieldBase>>> {
  const turns = turnRules(row, context);
  const isUnplanned = Object.keys(row.base).length === 0;
  // The first plan of a pair goes by the rules of its time, whichever these are.
  if (turns === undefined || isUnplanned) return {};
  const bases = [...turns].flatMap(([field, turn]): [RuleField, FieldBase][] => {
    const base = rebaseField(row, field, turn, context);
    return base === undefined ? [] : [[field, base]];
  });
  return Object.fromEntries(bases);
}

/** The writes of a PATCH whose outcome is open, with what T₀ becomes once it is known to be applied. */
export function retargetWrites<Write extends Pick<FieldWrite, "field" | "target">>(
  row: Row,
  writes: readonly Write[],
  context: RebaseContext,
): readonly Write[] {
  const turns = turnRules(row, context);
  return writes.map((write) => {
    const turn = turns?.get(write.field);
    if (turn === undefined) return write;
    const wasAsked = turn.from === undefined || isSameTarget(write.field, write.target, turn.from);
    return wasAsked ? { ...write, target: turn.to } : write;
  });
}

function rebaseField(
  { post, base, missing }: Row,
  field: RuleField,
  { from = base[field]?.target ?? none, to }: Turn,
  { seen, settings, now }: RebaseContext,
): FieldBase | undefined {
  const shown = missing > 0 ? undefined : readField(post, field, seen);
  const isNamed = ruledFields(settings.rules).includes(field);
  const known = base[field];
  if (known === undefined) {
    if (!isNamed || from.kind !== "none") return undefined;
    const ruled = isAsked(field, to, shown) ? undefined : { from, since: now };
    return { target: to, post: shown, foreign: shown, written: undefined, pending: undefined, ruled };
  }
  const isInStep = isSameTarget(field, from, known.target);
  if (!isInStep || isSameTarget(field, to, known.target)) return undefined;
  const first = known.ruled?.from ?? known.target;
  const isBack = isSameTarget(field, to, first);
  const ruled = isBack || !isNamed ? undefined : { from: first, since: known.ruled?.since ?? now };
  return { ...known, target: to, pending: undefined, ruled };
}

function isAsked(field: RuleField, target: Target, shown: FieldBase["post"]): boolean {
  return target.kind === "none" || isSameValue(field, shown, target.value);
}

/** undefined where the facts of the issues decide nothing. */
function turnRules(row: Row, { before, settings }: RebaseContext): ReadonlyMap<RuleField, Turn> | undefined {
  const now = deriveKnown(row.links, settings);
  if (now === undefined) return undefined;
  const then = before === undefined ? undefined : deriveKnown(row.links, before);
  const fields = ruleFields.filter((field) => now.has(field) || row.base[field] !== undefined);
  return new Map(
    fields.map((field) => {
      const from = then === undefined ? undefined : (then.get(field) ?? none);
      return [field, { from, to: now.get(field) ?? none }];
    }),
  );
}

/** The targets by the last facts of the issues; those of issues that are gone count where there are no others. */
function deriveKnown(
  links: readonly LinkedIssue[],
  rules: RuleSettings,
): ReadonlyMap<RuleField, Target> | undefined {
  const derived = deriveTarget(links, rules);
  if (derived.kind === "derived") return derived.targets;
  const last = deriveTarget(
    links.map((link) => ({ ...link, isGone: false })),
    rules,
  );
  return last.kind === "derived" ? last.targets : undefined;
}
