import type { Reason } from "../../model/causes.ts";
import type { Field, FieldBase, FieldWrite, Target } from "../../model/link.ts";
import type { FieldValue, RuleField } from "../../model/post.ts";
import type { Note } from "../ground/action.ts";
import { fillNull, isSameTarget, isSameValue, isSettable, showTarget, showValue } from "../ground/fields.ts";
import { labelOf } from "../ground/issue-fields.ts";
import type { Conflict, Settings } from "../ground/settings.ts";
import { agree, confirm, isOurs, isUnconfirmed, layRules, noBase, noTarget } from "./base.ts";

/**
 * One field, as the rules and the side that they write to have it now. The words are those of a post's field, which follows
 * the issue; of an issue's field, which follows the post, P is the value.
 */
export interface FieldFacts<Name extends Field = RuleField> {
  readonly field: Name;
  readonly sides: Sides;
  /** T. */
  readonly target: Target;
  /** P; undefined for an unseen field, and while the post is missing. */
  readonly post: FieldValue | undefined;
  /** Whether the board no longer lists the post. It may come back, so nothing that depends on P is given up. */
  readonly isMissing: boolean;
  /** Whether P is what the board has acknowledged of our write, and its list does not show that yet. */
  readonly isLate?: boolean;
  readonly base: FieldBase | undefined;
  /** Whether a field without a base has its first plan to come: boardsync opened every issue of the pair. Any other one was taken as it was. */
  readonly isOpened: boolean;
  /** What rules more advanced than the matching one would set. */
  readonly advanced: readonly FieldValue[];
}

/** What the sides of a field are called. */
export interface Sides {
  /** The one that is written: `the board`. */
  readonly written: string;
  /** The one whose rules ask: `the issue`. */
  readonly asking: string;
}

/** Of a post's field. */
export const postSides: Sides = { written: "the board", asking: "the issue" };

export interface FieldPolicy extends Pick<Settings, "whenNoRule" | "settleMs"> {
  /** What becomes of a field that was moved while another value was asked for. */
  readonly conflict: "write" | "keep" | "hold" | "pause";
}

export interface FieldDecision<Name extends Field = RuleField> {
  /** The base from now on; where there is a write, it holds until that is applied. */
  readonly base: FieldBase;
  readonly write: FieldWrite<Name> | undefined;
  /** Why the write waits for a person; undefined when it may go by itself. */
  readonly hold: Reason | undefined;
  readonly notes: readonly Note[];
  /** What will be written when the time of `settle` is over, if nothing changes until then; absent where nothing will be. */
  readonly later?: Pick<FieldDecision<Name>, "hold"> & { readonly write: FieldWrite<Name> };
  /** Set where both sides were moved, and the one that would be written keeps what it shows. */
  readonly isKept?: true;
  /** Why nothing is written for the post from now on, until a person resumes it. Absent where nothing stops it. */
  readonly pauses?: string;
}

/** What becomes of a field that both sides have changed; the map of the config may name it. */
export function conflictOf(field: Field, { conflict }: Pick<Settings, "conflict">): Conflict {
  if (typeof conflict === "string") return conflict;
  const key = labelOf(field) === undefined ? field : "labels";
  return (conflict as Readonly<Partial<Record<string, Conflict>>>)[key] ?? conflict.default ?? "tracker";
}

/** A field as it is decided: its base has taken in what is known by now. */
interface Case<Name extends Field> extends FieldFacts<Name> {
  readonly base: FieldBase;
  readonly policy: FieldPolicy;
  readonly now: number;
}

/** Decides one field by itself; the rows are those of the case table in `plan.ts`. */
export function decideField<Name extends Field>(
  facts: FieldFacts<Name>,
  policy: FieldPolicy,
  now: number,
): FieldDecision<Name> {
  const { field, target, post, isLate } = facts;
  const known = facts.base && layRules(field, facts.base, target);
  const isOpening = facts.isOpened && (known === undefined || isOpeningBase(known));
  // `isAwaited`: our own change of the issue, or other rules, have moved the target; that is not written to the post.
  const isTaken = known === undefined ? !isOpening : known.isAwaited === true;
  if (isTaken) return takeAsItIs(facts);
  if (known === undefined || isOpening)
    return decideOpening({ ...facts, base: known ?? noBase, policy, now });
  const { base, isOther } = isLate === true ? { base: known, isOther: false } : confirm(field, known, post);
  const one = { ...facts, base, policy, now };
  const pauses = policy.conflict === "pause" ? whyPaused(one) : undefined;
  if (pauses !== undefined) {
    // Row 32: for whoever resumes the post, what the person has made of it is where it starts from.
    const moved = { ...base, post, foreign: post, written: undefined };
    return { ...decideMoved({ ...one, base: moved }), pauses };
  }
  const decision = decideMoved(one);
  // Row 31: no base rests on what no listing has shown; and where a person's change is to pause the post, it may be one.
  if (isLate === true && (decision.write === undefined || policy.conflict === "pause")) {
    const base = { ...known, pending: decision.base.pending };
    return { ...decision, write: undefined, hold: undefined, base };
  }
  // Row 9; while the side stands still, the decision says so itself.
  return isOther && decision.notes.every(({ kind }) => kind !== "did-not-stick")
    ? { ...decision, notes: [noteNotStuck(one), ...decision.notes] }
    : decision;
}

function decideMoved<Name extends Field>(one: Case<Name>): FieldDecision<Name> {
  return isSameTarget(one.field, one.target, one.base.target) ? decideSteady(one) : decideChanged(one);
}

/**
 * Row 32. What the board made of our own write is no person's change, and neither is one that gives the issue what it asks for.
 *
 * @returns why the post is paused; undefined where it is not.
 */
function whyPaused({ field, target, post, sides, base }: Case<Field>): string | undefined {
  if (post === undefined || base.post === undefined || isUnconfirmed(base)) return undefined;
  if (isSameValue(field, post, base.post)) return undefined;
  const asked = target.kind === "value" ? target : base.target;
  if (asked.kind === "none" || isSameValue(field, post, asked.value)) return undefined;
  return `${field} was set to ${showValue(post)} on ${sides.written}, and ${sides.asking} asks for ${showTarget(target)}`;
}

/**
 * Row 30: an issue was closed for a reason that no rule names. T stays what it was, and the post as it is; that is said.
 *
 * @param why in words.
 */
export function decideUnnamed<Name extends Field>(
  facts: Omit<FieldFacts<Name>, "target" | "advanced">,
  why: string,
  policy: FieldPolicy,
  now: number,
): FieldDecision<Name> {
  const { field, base } = facts;
  const stays: Note = { kind: "disagreement", field, message: `${field} stays as it is: ${why}` };
  // Whatever the rules ask for first becomes T₀: that is still to come.
  if (base?.isAwaited === true) return record(base, [stays]);
  const target = base?.target ?? noTarget;
  const decision = decideField({ ...facts, target, advanced: [] }, policy, now);
  const others = decision.notes.filter(({ kind }) => kind !== "disagreement");
  const { pauses } = decision;
  return { ...record(decision.base, [...others, stays]), ...(pauses !== undefined && { pauses }) };
}

/** Rows 5 and 20: nobody knows how the two sides came to be as they are, so they become the base. Where they differ, that is said. */
export function takeAsItIs(
  facts: Pick<FieldFacts<Field>, "field" | "sides" | "target" | "post" | "base">,
  why = "both sides are taken as they are",
): FieldDecision<never> {
  const { field, target, post, base } = facts;
  const isApart = target.kind === "value" && post !== undefined && !isSameValue(field, post, target.value);
  return record(agree(field, base, target, post), isApart ? [noteApart(facts, target.value, why)] : []);
}

/** Rows 1 to 4 and 19, 20: the first plan of a pair that boardsync opened. */
function decideOpening<Name extends Field>(one: Case<Name>): FieldDecision<Name> {
  const { field, target, post, base, advanced } = one;
  if (target.kind === "none" || isSameValue(field, post, target.value)) {
    return record(agree(field, base, target, post));
  }
  if (post !== undefined && advanced.some((value) => isSameValue(field, post, value)))
    return takeAsItIs(one, "a more advanced rule sets that, and a first plan moves no post backwards");
  return settle(one, (waiting) => write(waiting, target.value));
}

/** Whether boardsync opened the issue and has not made its first write yet. */
function isOpeningBase({ target, post, pending }: FieldBase): boolean {
  return target.kind === "none" && post === undefined && pending !== undefined;
}

/**
 * Rows 6 to 10, 20 and 28: the side has not moved, so nothing is written by itself, whatever the post shows. For as
 * long as the two differ that is said.
 */
function decideSteady<Name extends Field>(one: Case<Name>): FieldDecision<Name> {
  const { field, post, base, policy } = one;
  const steady = { ...base, pending: undefined };
  if (post === undefined || isSameValue(field, post, base.post)) {
    if (base.ruled !== undefined) return decideRuled({ ...one, base: steady }, base.ruled.from);
    return record(steady, notesApart(one));
  }
  // Row 33: it pauses the post once the issue asks for anything else.
  const isKept = policy.conflict === "pause" && base.target.kind === "none" && !isUnconfirmed(base);
  if (isKept) return record(steady);
  const moved = agree(field, undefined, base.target, post);
  return record(moved, isUnconfirmed(base) ? [noteNotStuck(one)] : notesApart(one));
}

/** Row 28: only the rules have moved. What they ask for now is ready to be sent, once a person lets it go. */
function decideRuled<Name extends Field>(one: Case<Name>, from: Target): FieldDecision<Name> {
  const { field, target, post, base, isMissing } = one;
  const { write: wanted } = target.kind === "none" ? decideReturn(one) : write(one, target.value);
  if (wanted === undefined || isSameValue(field, post, wanted.value)) {
    return record(isMissing ? base : agree(field, base, target, post));
  }
  const why = `the rules have changed: they asked for ${showTarget(from)}, and now ${field} would become ${showValue(wanted.value)}`;
  return { base, write: wanted, hold: { cause: "rules-changed", why }, notes: [] };
}

/** Says that the two sides differ: the board made something else of our write, or a person or a first look has left it so. */
function notesApart(one: Case<Field>): readonly Note[] {
  const { field, target, post, sides, base } = one;
  if (post === undefined || target.kind === "none" || isSameValue(field, post, target.value)) return [];
  const isOther = isOurs(field, base, post) && !isSameValue(field, post, base.written?.sent);
  if (isOther) return [noteNotStuck(one)];
  return [noteApart(one, target.value, `it stays so until ${sides.asking} changes`)];
}

/** Rows 11 to 19: the side has moved. */
function decideChanged<Name extends Field>(one: Case<Name>): FieldDecision<Name> {
  const { field, target, post, base } = one;
  if (target.kind === "none") return settle(one, decideReturn);
  const { value } = target;
  if (isSameValue(field, post, value)) return record(agree(field, base, target, post));
  const isUntouched = post === undefined || base.post === undefined || isSameValue(field, post, base.post);
  // This is what the board has made of the same value before.
  if (isOurs(field, base, post) && isSameValue(field, base.written?.sent, value))
    return record(agree(field, base, target, post), [noteNotStuck(one)]);
  return settle(one, (waiting) => (isUntouched ? write(waiting, value) : decideConflict(waiting, value)));
}

/** Row 12: a target that has not stood long enough is remembered, and nothing else. */
function settle<Name extends Field>(
  one: Case<Name>,
  act: (waiting: Case<Name>) => FieldDecision<Name>,
): FieldDecision<Name> {
  const { field, target, sides, base, policy, now } = one;
  const { pending } = base;
  const since = pending !== undefined && isSameTarget(field, pending.target, target) ? pending.since : now;
  const waiting = { ...base, pending: { target, since } };
  const decision = act({ ...one, base: waiting });
  const until = since + policy.settleMs;
  if (now >= until) return decision;
  const outcome = target.kind === "value" ? `becomes ${showValue(target.value)}` : "has no rule any more";
  const message = `${field} ${outcome}, unless ${sides.asking} changes again before ${new Date(until).toISOString()}`;
  const { write: later, hold } = decision;
  const settling = record(waiting, [{ kind: "settling", field, until, message }]);
  return later === undefined ? settling : { ...settling, later: { write: later, hold } };
}

/** Rows 14 to 16: P is neither what it was nor what it should become. */
function decideConflict<Name extends Field>(one: Case<Name>, value: FieldValue): FieldDecision<Name> {
  const { field, post, sides, policy } = one;
  switch (policy.conflict) {
    case "write":
      return write(one, value);
    case "keep":
      return { ...takeAsItIs(one, `${sides.written}'s side wins`), isKept: true };
    case "pause":
    case "hold": {
      const why = `${field} was set to ${showValue(post)} on ${sides.written} while ${sides.asking} asks for ${showValue(value)}: a person has to choose`;
      return { ...write(one, value), hold: { cause: "conflict", why } };
    }
  }
}

/** Rows 17, 18 and 20: no rule names the field any more. */
function decideReturn<Name extends Field>(one: Case<Name>): FieldDecision<Name> {
  const { field, post, base, isMissing, policy } = one;
  if (isMissing) return record(base);
  const foreign = base.foreign === null ? fillNull(field) : base.foreign;
  const isReturning = policy.whenNoRule === "restore" && foreign !== undefined && isSettable(field, foreign);
  // A list that leaves the field out tells nothing of what is to be put back.
  if (isReturning && post === undefined && base.written !== undefined) return record(base);
  const isRestored = isReturning && isOurs(field, base, post) && !isSameValue(field, post, foreign);
  return isRestored ? write(one, foreign) : record(agree(field, base, noTarget, post));
}

function record(base: FieldBase, notes: readonly Note[] = []): FieldDecision<never> {
  return { base, write: undefined, hold: undefined, notes };
}

function write<Name extends Field>(
  { field, post, target, base }: Case<Name>,
  value: FieldValue,
): FieldDecision<Name> {
  return { base, write: { field, before: post, value, target }, hold: undefined, notes: [] };
}

type ApartFacts = Pick<FieldFacts<Field>, "field" | "post" | "sides">;

function noteApart({ field, post, sides }: ApartFacts, value: FieldValue, why: string): Note {
  const message = `${field} is ${showValue(post)} on ${sides.written}, ${sides.asking} asks for ${showValue(value)}: ${why}`;
  return { kind: "disagreement", field, message };
}

function noteNotStuck({ field, post, sides, base: { written } }: Case<Field>): Note {
  const message = `${field} was sent as ${showValue(written?.sent)}, and ${sides.written} shows ${showValue(post)}: it did not take the value, or someone has changed it since; it is not sent again`;
  return { kind: "did-not-stick", field, message };
}
