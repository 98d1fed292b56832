import type { Output } from "./terminal.ts";

/** One JSON document on stdout. */
export function printJson(output: Output, document: object): void {
  output.write(`${JSON.stringify(document, null, 2)}\n`);
}
