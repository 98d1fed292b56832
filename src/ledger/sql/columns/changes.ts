import type { Change, SentChange } from "../../change.ts";
import type { Asked } from "../store.ts";

/** Whatever is written. */
export type AnyChange = Change | SentChange;

/** How changes of some kinds are made, inside the transaction of their commit. */
export interface Carrying<Kind extends AnyChange["kind"]> {
  readonly changes: Changes<Kind>;
}

export type Changes<Kind extends AnyChange["kind"]> = {
  readonly [One in Kind]: (change: Extract<AnyChange, { readonly kind: One }>) => Asked<void>;
};
