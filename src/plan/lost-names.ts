import type { Pin } from "../model/issue.ts";
import { type FieldBase, type Row, withPins } from "../model/link.ts";
import type { RuleField } from "../model/post.ts";
import { awaitTarget } from "./board-rules/echo.ts";
import { isSameTarget } from "./ground/fields.ts";
import type { RuleSettings } from "./ground/settings.ts";
import { type Derivation, deriveTarget } from "./rules/rules.ts";

/**
 * The bases of a row after something that its rules name was deleted on the tracker. Whoever deletes a label takes it off every
 * issue at once, and that is no change of these issues. So where the decision hangs on such a name, the first target that can
 * be evaluated afterwards becomes the base, and is not written. What was to be written before, and is asked for without it as well,
 * still is.
 *
 * @param pins all of the project's, as they are now.
 * @param lost those of them that have just lost what they meant.
 */
export function awaitLost(
  row: Row,
  pins: readonly Pin[],
  lost: readonly Pin[],
  settings: RuleSettings,
): Row["base"] {
  // The first plan of a pair takes the issues as they are then.
  if (Object.keys(row.base).length === 0) return {};
  const now = derive(row, pins, settings);
  const without = pins.map((pin) => (lost.includes(pin) ? { ...pin, now: undefined } : pin));
  const unknown = [...derive(row, without, settings)].filter(([, { kind }]) => kind === "unknown");
  return Object.fromEntries(
    unknown.flatMap(([field]): [RuleField, FieldBase][] => {
      const base = row.base[field];
      const found = now.get(field);
      const isAsked =
        base?.pending !== undefined &&
        found?.kind === "derived" &&
        isSameTarget(field, base.pending.target, found.target);
      return isAsked ? [] : [[field, awaitTarget(base)]];
    }),
  );
}

/** What the rules make of a row's issues where names mean what these pins say. */
function derive({ links }: Row, pins: readonly Pin[], settings: RuleSettings): Derivation {
  return deriveTarget(
    links.map((linked) => withPins(linked, pins)),
    settings,
  );
}
