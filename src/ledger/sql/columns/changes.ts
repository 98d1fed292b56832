import type { Change } from "../../change.ts";
import type { Asked } from "../store.ts";

/** How changes of some kinds are made, inside the transaction of their commit. */
export interface Carrying<Kind extends Change["kind"]> {
  readonly changes: Changes<Kind>;
}

export type Changes<Kind extends Change["kind"]> = {
  readonly [One in Kind]: (change: Extract<Change, { readonly kind: One }>) => Asked<void>;
};
