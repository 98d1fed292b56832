import type { Field, FieldBase, FieldWrite, SentValue } from "../../model/link.ts";
import type { FieldValue } from "../../model/post.ts";
import { fillNull, isSameValue, isSettable, isStill, showValue } from "../ground/fields.ts";
import { isOurs, noTarget } from "./base.ts";

/** How the write of a field is taken back. `already`: it shows what was there before. */
export type Reversal<Name extends Field> =
  | { readonly kind: "write"; readonly write: FieldWrite<Name> }
  | { readonly kind: "already" }
  | { readonly kind: "refused"; readonly message: string };

/** Several writes of the same fields, oldest first, as one: what was before the first of them, and what the last one sent. */
export function mergeWritten<Name extends Field>(
  written: readonly SentValue<Name>[],
): readonly SentValue<Name>[] {
  const merged = new Map<Name, SentValue<Name>>();
  for (const one of written) {
    const first = merged.get(one.field);
    merged.set(one.field, first === undefined ? one : { ...first, value: one.value });
  }
  return [...merged.values()].filter(({ field, before, value }) => !isSameValue(field, before, value));
}

/**
 * Takes back the write of one field, unless somebody has touched it since. T₀ stays what the rules ask for, so that they
 * don't write the same again: the two sides differ then, and that is said.
 *
 * @param shown what the field shows now; undefined where it is not shown.
 */
export function reverseField<Name extends Field>(
  { field, before: known, value }: SentValue<Name>,
  shown: FieldValue | undefined,
  base: FieldBase | undefined,
): Reversal<Name> {
  const refuse = (message: string): Reversal<Name> => ({ kind: "refused", message: `${field}: ${message}` });
  const before = known === null ? fillNull(field) : known;
  if (shown === undefined || before === undefined)
    return refuse("what it shows, or showed before, is not known");
  if (isSameValue(field, shown, before)) return { kind: "already" };
  if (!isStill(field, shown, value) && !isOurs(field, base, shown)) {
    return refuse(`it shows ${showValue(shown)} by now, and not the ${showValue(value)} that was written`);
  }
  if (!isSettable(field, before)) return refuse("it was empty before, and the API can't empty it");
  const target = base?.target ?? noTarget;
  return { kind: "write", write: { field, before: shown, value: before, target } };
}
