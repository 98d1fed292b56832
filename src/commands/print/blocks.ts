import { countVoters, describeNotified } from "../../sync/ground/voters.ts";
import { byVoters, examplesOfGroup, groupAlike } from "../../sync/tell/waiting-lines.ts";
import { count } from "../../sync/tell/words.ts";
import type { Output } from "./terminal.ts";
import { cutOff, hint, oneLine, paint, wrap } from "./text.ts";

/** What is told of one thing that is decided about a post, wherever it is told. */
export interface Block {
  readonly post: string;
  /** Of the post; null where the board shows none. */
  readonly title: string | null;
  /** `owner/name#number`, or `owner/name` of an issue that is still to be opened; null without one. */
  readonly place: string | null;
  /** What is written, with what stands there now. */
  readonly what: string;
  /** Voters who would be notified; null where the board does not show how many. */
  readonly notifies: number | null;
  /** When and why; '' where the heading says it all. */
  readonly why: string;
}

const longestTitle = 60;
/** Before what is said of the line above. */
export const indent = "    ";

/** “Dark mode” (p1) */
export function namePost({ post, title }: Pick<Block, "post" | "title">): string {
  return title === null || title === "" ? post : `“${cutOff(oneLine(title), longestTitle)}” (${post})`;
}

/**
 * Prints blocks in 80 columns or less, those with most voters first.
 *
 * @param likenessOf what more than a few blocks have in common to be told as one.
 * @param isFull whether each is shown all the same.
 */
export function printBlocks<B extends Block>(
  out: Output,
  blocks: readonly B[],
  likenessOf: (block: B) => string,
  isFull = false,
): void {
  for (const { first, all } of groupAlike(blocks.toSorted(byVoters), likenessOf, isFull)) {
    const isGroup = all.length > 1;
    const names = all.slice(0, examplesOfGroup).map(namePost);
    const more = all.length - names.length;
    const place = first.place === null || isGroup ? "" : ` → ${first.place}`;
    const head = isGroup
      ? `${count(all.length, "post")}: ${names.join(", ")}${more > 0 ? ` and ${more.toLocaleString("en")} more` : ""}`
      : `${namePost(first)}${place}`;
    printWrapped(out, "  ", head, "bold");
    const notified = describeNotified(countVoters(all.map(({ notifies }) => notifies)));
    printWrapped(out, indent, [first.what, notified].filter((part) => part !== "").join("; "));
    if (first.why !== "" && !isGroup) printWrapped(out, indent, first.why);
  }
}

/** On as many lines as the terminal needs; what others wrote in it becomes harmless. */
export function printWrapped(out: Output, margin: string, text: string, look?: "bold"): void {
  const lines = wrap(hint(out, oneLine(text)), Math.max(20, out.columns() - margin.length));
  for (const line of lines) out.write(`${margin}${look === undefined ? line : paint(out, look, line)}\n`);
}
