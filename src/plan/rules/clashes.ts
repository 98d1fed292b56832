import type { Condition } from "../settings.ts";
import { includesName, stateOf } from "./condition.ts";

/** Two parts of one `when` that no issue fulfils together, in words; undefined where they go together. */
type Clash = (when: Condition) => string | undefined;

const clashes: readonly Clash[] = [
  ({ state, reason }) =>
    state !== undefined && reason?.every((one) => stateOf(one) !== state)
      ? `an issue that is ${state} is never ${reason.join(" or ")}`
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

/** Why no issue whatever can fulfil `when`, in words; undefined where nothing is seen that speaks against it. */
export function findClash(when: Condition): string | undefined {
  for (const clash of clashes) {
    const why = clash(when);
    if (why !== undefined) return why;
  }
  return undefined;
}
