import type { ListEnd } from "../../board.ts";

/** How a listing ends, and what that has to be held against. */

/** The address of the next page, or how the listing ended. `isOpen`: no sign leads on, and yet there may be more. */
export type Step =
  | { readonly kind: "next"; readonly url: URL }
  | { readonly kind: "end"; readonly end: ListEnd; readonly isOpen?: true };

/** Sizes that boards cut their lists at. */
export const usualSizes: ReadonlySet<number> = new Set([
  10, 15, 20, 24, 25, 30, 40, 48, 50, 60, 64, 75, 100, 120, 125, 128, 150, 200, 250, 256, 300, 400, 500, 512,
  1000, 1024, 2000, 2500, 5000, 10_000,
]);

interface Told {
  readonly pages: number;
  readonly pageCount: number;
  readonly read: number;
  readonly total: number;
  readonly isSingle: boolean;
}

export const otherTotal = "`list: { total: false }` if its total counts something else than these posts";

/** What an answer says there is beside what was read. A list that is over and is not all there is was read in part. */
export function findRest({ pages, pageCount, read, total, isSingle }: Told): Step | undefined {
  // Infinity stands for a number that no answer has shown.
  if (read < total && total !== Number.POSITIVE_INFINITY) {
    return incomplete(
      `The board says that there are ${total} posts, but its list ended after ${read}. Correct board.paging, or set ${otherTotal}.`,
    );
  }
  // A person may have said that the first page is all, whatever the board says of further ones.
  if (isSingle || pages >= pageCount || pageCount === Number.POSITIVE_INFINITY) return undefined;
  return incomplete(
    `The board says that there are ${pageCount} pages, but its list ended after ${pages}. Set board.paging, such as \`paging: { kind: page, param: page }\`.`,
  );
}

/** All was read. */
export const complete: Step = { kind: "end", end: { kind: "complete" } };

/** The board promises more under a sign that has no value. */
export const promised = incomplete(
  "The board says that more posts follow, but does not say where. Set board.paging to where the next cursor stands, such as `paging: { kind: cursor, next: meta.nextCursor }`.",
);

/** What was read is a part. */
export function incomplete(message: string): Step {
  return { kind: "end", end: { kind: "incomplete", message } };
}
