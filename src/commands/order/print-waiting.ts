import type { WhatWaits } from "../../sync/orders/what-waits.ts";
import { describePlanned } from "../../sync/tell/waiting-lines.ts";
import type { Terminal } from "../print/terminal.ts";
import { oneLine, printLine } from "../print/text.ts";

/** A line for each, with what it would write, from what to what, and how many voters would hear. */
export function printWaiting({ out }: Terminal, { actions }: WhatWaits): void {
  for (const action of actions) {
    const place = action.place === null ? "" : `${action.place}: `;
    printLine(out, "  ", oneLine(`${place}${describePlanned(action, true)}`));
  }
  if (actions.length === 0) printLine(out, "  ", "As of the last run nothing waits for it.");
}
