import { escapeJson } from "../../escape.ts";
import type { Output } from "./terminal.ts";

/** One JSON document on stdout. A person may look at it: nothing in it commands a terminal. */
export function printJson(output: Output, document: object): void {
  output.write(`${escapeJson(JSON.stringify(document, null, 2))}\n`);
}
