import type { FieldBase, FieldWrite, LinkedIssue, Row, Target } from "../../model/link.ts";
import { type PostField, type RuleField, ruleFields } from "../../model/post.ts";
import { layRules, noTarget } from "../fields/base.ts";
import { isSameTarget, isSameValue, readField } from "../ground/fields.ts";
import type { RuleSettings, Settings } from "../ground/settings.ts";
import { inNumbers, isByVotes } from "./by-votes.ts";
import { type Derivation, deriveTarget, ruledFields } from "./rules.ts";

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
interface RuleChange {
  /** undefined where nobody can tell (any more) what the old rules made of it: the pair then counts as in step with them. */
  readonly from: Target | undefined;
  /** undefined while it can't be said what the rules now make of it. */
  readonly to: Target | undefined;
}

/**
 * The bases of a row after its rules were replaced. New rules are no change of any issue: T₀ becomes what they make of the
 * facts that are known. Where the post shows something else, the base is marked (`ruled`), so that a person is asked. If the
 * issues of a field have moved since its base was made, the field keeps the base: that change is a real one, and is written
 * like any other. Where the new rules can't be evaluated yet, the first target that can be evaluated counts as made by
 * the new rules alone: it becomes the base, and a person is asked.
 *
 * @returns the bases that change.
 */
export function rebaseRow(row: Row, context: RebaseContext): Readonly<Partial<Record<RuleField, FieldBase>>> {
  // The first plan of a pair goes by the rules of its time, whichever these are.
  if (Object.keys(row.base).length === 0) return {};
  const bases = [...turnRules(row, context)].flatMap(([field, turn]): [RuleField, FieldBase][] => {
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
    const { from = write.target, to } = turns.get(write.field) ?? {};
    return to !== undefined && isSameTarget(write.field, write.target, from)
      ? { ...write, target: to }
      : write;
  });
}

/** The same where nobody's rules have changed, and both sides are taken as they are. */
export function retargetNow<Write extends Pick<FieldWrite, "field" | "target">>(
  { links }: Pick<Row, "links">,
  writes: readonly Write[],
  settings: Settings,
): readonly Write[] {
  const derived = deriveTarget(links, settings);
  return writes.map((write) => {
    const found = derived.get(write.field);
    return found?.kind === "derived" && !isByVotes(found) ? { ...write, target: found.target } : write;
  });
}

function rebaseField(
  row: Row,
  field: RuleField,
  { from = row.base[field]?.target ?? noTarget, to }: RuleChange,
  context: RebaseContext,
): FieldBase | undefined {
  const known = row.base[field];
  if (known === undefined) return firstBase(row, field, { from, to }, context);
  // A base that waits for its first target does not tell whether the issues have moved since.
  const isWaiting = known.isAwaited === true;
  if (isWaiting && known.ruled === undefined) return undefined;
  // A PATCH that the rules before asked for may still turn out to be applied.
  const isOpen = to === undefined && row.openIntents.includes("patch-post");
  const isInStep = isWaiting || isOpen || isSameTarget(field, from, known.target);
  if (!isInStep || (to !== undefined && isSameTarget(field, to, known.target))) return undefined;
  const ruled = { from: known.ruled?.from ?? known.target, since: known.ruled?.since ?? context.now };
  const waiting: FieldBase = { ...known, pending: undefined, ruled, isAwaited: true };
  if (to === undefined) return waiting;
  const laid = layRules(field, waiting, to);
  return isRuled(field, context) ? laid : { ...laid, ruled: undefined };
}

/** A field that the old rules did not name, or that could not be decided by them yet: its first plan is still to come where they ask for the same. */
function firstBase(
  { post, missing }: Row,
  field: RuleField,
  { from = noTarget, to }: RuleChange,
  context: RebaseContext,
): FieldBase | undefined {
  if (from.kind !== "none" && (to === undefined || isSameTarget(field, from, to))) return undefined;
  const shown = missing > 0 ? undefined : readField(post, field, context.seen);
  const base = { post: shown, foreign: shown, written: undefined, pending: undefined };
  const ruled = { from, since: context.now };
  if (to === undefined) return { ...base, target: noTarget, ruled, isAwaited: true };
  const isAsked = to.kind === "none" || isSameValue(field, shown, to.value);
  return { ...base, target: to, ruled: isAsked ? undefined : ruled };
}

function isRuled(field: RuleField, { settings }: Pick<RebaseContext, "settings">): boolean {
  return ruledFields(settings.rules).includes(field);
}

function turnRules(row: Row, context: RebaseContext): ReadonlyMap<RuleField, RuleChange> {
  const { before, settings } = context;
  const then = before && deriveKnown(row.links, before);
  const now = deriveKnown(row.links, settings);
  const fields = ruleFields.filter((field) => isRuled(field, { settings }) || row.base[field] !== undefined);
  return new Map(
    fields.map((field) => {
      const known = row.base[field]?.target ?? noTarget;
      const from = then && targetIn(then, field, undefined);
      // Where an issue was closed for a reason that no rule names, T stays what it was.
      const to = targetIn(now, field, known);
      return [field, inOrders(field, { from, to }, known, row, context)];
    }),
  );
}

/** An order that the votes make moves with them: whatever number it was, the rules before asked for it. */
function inOrders(
  field: RuleField,
  { from, to }: RuleChange,
  known: Target,
  row: Row,
  { seen }: RebaseContext,
): RuleChange {
  const wasByVotes = from !== undefined && isByVotes({ field, target: from });
  const then = wasByVotes && known.kind === "value" ? known : from;
  if (to === undefined || !isByVotes({ field, target: to })) return { from: then, to };
  return { from: then, to: wasByVotes ? then : inNumbers({ field, target: to }, row, seen) };
}

/** The target of one field: nothing where no rule names it, undefined while it can't be said. */
function targetIn(derivation: Derivation, field: RuleField, unnamed: Target | undefined): Target | undefined {
  const derived = derivation.get(field);
  if (derived === undefined) return noTarget;
  if (derived.kind === "derived") return derived.target;
  return derived.kind === "unnamed" ? unnamed : undefined;
}

/** The targets by the last facts of the issues; those of issues that are gone count where there are no others. */
function deriveKnown(links: readonly LinkedIssue[], rules: RuleSettings): Derivation {
  const isGone = links.every((link) => link.isGone);
  return deriveTarget(isGone ? links.map((link) => ({ ...link, isGone: false })) : links, rules);
}
