import { includesName } from "../ground/issue-fields.ts";
import type { Condition, Rule } from "../ground/settings.ts";
import { isImplied, stateOf } from "./conditions.ts";
import { ruledFields } from "./rules.ts";

/* Rules that never decide anything, for the check of a config. */

/** Rules of which, for each field that they name, an earlier rule takes everything that they would match. */
export function shadowedRules(
  rules: readonly Rule[],
): readonly { readonly index: number; readonly by: readonly number[] }[] {
  return rules.flatMap((rule, index) => {
    const earlier = rules.slice(0, index);
    const by = ruledFields([rule]).map((field) =>
      earlier.findIndex(({ when, set }) => set[field] !== undefined && isImplied(rule.when, when)),
    );
    return by.includes(-1) ? [] : [{ index, by: [...new Set(by)].toSorted((one, other) => one - other) }];
  });
}

/** Rules that no issue whatever can match, each with the reason. */
export function impossibleRules(
  rules: readonly Rule[],
): readonly { readonly index: number; readonly why: string }[] {
  return rules.flatMap(({ when }, index) => {
    const [why] = clashes.flatMap((clash) => clash(when) ?? []);
    return why === undefined ? [] : [{ index, why }];
  });
}

/** Two parts of one `when` that no issue fulfils together, in words; undefined where they go together. */
const clashes: readonly ((when: Condition) => string | undefined)[] = [
  ({ state, reason }) =>
    state !== undefined && reason?.every((one) => stateOf(one) !== state)
      ? `an issue that is ${state} is never ${reason.map(nameReason).join(" or ")}`
      : undefined,
  ({ labels = [], noLabel = [] }) => {
    const both = labels.find((label) => includesName(noLabel, label));
    return both === undefined ? undefined : `\`labels\` and \`noLabel\` both name ${both}`;
  },
  ({ anyLabel, noLabel = [] }) =>
    anyLabel?.every((label) => includesName(noLabel, label))
      ? "`noLabel` names all of `anyLabel`"
      : undefined,
  ({ milestone, milestoneState }) =>
    milestone === "none" && milestoneState !== undefined
      ? "an issue without a milestone has no `milestoneState`"
      : undefined,
  ({ milestoneState, released }) =>
    milestoneState === "closed" && released === false
      ? "an issue whose milestone is closed counts as `released`"
      : undefined,
];

function nameReason(reason: string): string {
  return reason === "other" ? "closed for another reason" : reason;
}
