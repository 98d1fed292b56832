import type { Field, FieldBase, FieldWrite, Target } from "../../model/link.ts";
import type { FieldValue } from "../../model/post.ts";
import { isSameTarget, isSameValue, isStill } from "../ground/fields.ts";

/** How a field's base moves. Nothing here decides whether something is written. */

/** Where no rule asks for anything. */
export const noTarget: Target = { kind: "none" };

/** A target of this value; none asks for nothing. */
export function targetOf(value: FieldValue | undefined): Target {
  return value === undefined ? noTarget : { kind: "value", value };
}

/** Where nothing is known of a field yet. */
export const noBase: FieldBase = {
  target: noTarget,
  post: undefined,
  foreign: undefined,
  written: undefined,
  pending: undefined,
  ruled: undefined,
};

/** Nothing waits: neither a target that is new, nor one that other rules have made. */
const nothingPending = { pending: undefined, ruled: undefined } as const;

/** Whether a value of the post is what our last write left there. */
export function isOurs(field: Field, base: FieldBase | undefined, post: FieldValue | undefined): boolean {
  return base?.written !== undefined && post !== undefined && isStill(field, post, leftBy(base.written));
}

/** What a write left, as far as the board has told: it may take one for another value, or not at all. */
export function leftBy({ sent, shown }: NonNullable<FieldBase["written"]>): FieldValue {
  return shown === undefined ? sent : shown;
}

/** Whether no listing has shown yet what became of our last write. */
export function isUnconfirmed({ written, post }: FieldBase): boolean {
  return written !== undefined && (written.shown === undefined || written.shown !== post);
}

/**
 * The first look at a field after our write. The board may show what was sent, in its own spelling; or the other value
 * that its answer already showed (`isOther`): both are the doing of our write, so `restore` may still undo it.
 */
export function confirm(
  field: Field,
  base: FieldBase,
  post: FieldValue | undefined,
): { readonly base: FieldBase; readonly isOther: boolean } {
  if (post === undefined || base.written === undefined || !isUnconfirmed(base))
    return { base, isOther: false };
  const { sent } = base.written;
  const isSent = isStill(field, post, sent);
  if (!isSent && !isOurs(field, base, post)) return { base, isOther: false };
  return { base: { ...base, post, written: { sent, shown: post } }, isOther: !isSent };
}

/** Both sides as they are. What our last write left stays ours; any other value is what a restore goes back to. */
export function agree(
  field: Field,
  base: FieldBase | undefined,
  target: Target,
  post: FieldValue | undefined,
): FieldBase {
  if (post === undefined) {
    return { ...nothingPending, target, post: base?.post, foreign: base?.foreign, written: base?.written };
  }
  if (base !== undefined && isOurs(field, base, post)) {
    const isHandedBack = target.kind === "none" && isSameValue(field, post, base.foreign);
    const written = isHandedBack ? undefined : base.written;
    return { ...nothingPending, target, post, foreign: base.foreign, written };
  }
  return { ...nothingPending, target, post, foreign: post, written: undefined };
}

/** The rules can't be evaluated now: the first target that can be evaluated becomes the new base, and is not written. */
export function awaitTarget(base: FieldBase | undefined): FieldBase {
  return { ...(base ?? noBase), ruled: undefined, isAwaited: true };
}

/**
 * The rules were replaced while they could not be evaluated; now they can. What they ask for becomes T₀, because new rules alone
 * are no reason to write.
 */
export function layRules(field: Field, base: FieldBase, target: Target): FieldBase {
  const { isAwaited, ruled, ...known } = base;
  if (isAwaited !== true || ruled === undefined) return base;
  return { ...known, target, ruled: isSameTarget(field, target, ruled.from) ? undefined : ruled };
}

/**
 * After the other side accepted a write. P₀ is what was sent, also where the answer shows another value: the next listing
 * tells whether that one stayed.
 *
 * @param shown what the answer shows of the field, if anything.
 */
export function applied(
  base: FieldBase | undefined,
  write: FieldWrite<Field>,
  shown: FieldValue | undefined,
): FieldBase {
  const { field, before, value, target } = write;
  const known = base === undefined ? undefined : confirm(field, base, before).base;
  // The write was sent before the rules could be evaluated again: the next target becomes the base, and is not written.
  const awaited = base?.isAwaited === true && {
    isAwaited: true as const,
    ruled: base.ruled && { ...base.ruled, from: target },
  };
  return {
    ...nothingPending,
    ...awaited,
    target,
    post: value,
    foreign: before === undefined || isOurs(field, known, before) ? known?.foreign : before,
    // A value that was put back is the board's own again.
    written: target.kind === "none" ? undefined : { sent: value, shown },
  };
}

/** Bases that are already what they should be are left out: nothing is recorded for a row at rest. */
export function changedBases<Name extends Field>(
  known: Readonly<Partial<Record<Name, FieldBase>>>,
  decided: readonly { readonly field: Name; readonly base: FieldBase }[],
): Readonly<Partial<Record<Name, FieldBase>>> {
  const changed: Partial<Record<Name, FieldBase>> = {};
  for (const { field, base } of decided) {
    const before = known[field];
    if (before === undefined || !isSameBase(before, base)) changed[field] = base;
  }
  return changed;
}

/** Whether two bases hold the same, to the letter; what one of them leaves out is undefined. */
function isSameBase(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false;
  return holdsAll(one, other) && holdsAll(other, one);
}

type Parts = Readonly<Record<string, unknown>>;

function holdsAll(one: object, other: object): boolean {
  for (const key in one) {
    if (!isSameBase((one as Parts)[key], (other as Parts)[key])) return false;
  }
  return true;
}
