import type { Change, SentChange } from "../../change.ts";
import type { Asked } from "../store.ts";
import type { StandingNotes } from "./notes.ts";

/** Whatever is written. */
export type AnyChange = Change | SentChange;

/** How changes of some kinds are made, inside the transaction of their commit. */
export interface Carrying<Kind extends AnyChange["kind"]> {
  readonly changes: Changes<Kind>;
}

/** @param standing - notes that were read for many posts of the commit at once. */
export type Changes<Kind extends AnyChange["kind"]> = {
  readonly [One in Kind]: (
    change: Extract<AnyChange, { readonly kind: One }>,
    standing?: StandingNotes,
  ) => Asked<void>;
};
