import { printJson } from "../print/json.ts";
import { type CommonOptions, exitCodes, type Terminal } from "../print/terminal.ts";
import { printLine } from "../print/text.ts";

/** Tells what came of an order, as a sentence or as JSON. */
export function tell(
  { out }: Terminal,
  { json, quiet }: CommonOptions,
  document: { readonly project: string | null; readonly post?: string; readonly [field: string]: unknown },
  message: string,
): number {
  const { project, post } = document;
  if (json === true) printJson(out, document);
  else if (quiet !== true)
    printLine(
      out,
      project === null ? "" : `${post === undefined ? project : `${project}/${post}`}: `,
      message,
    );
  return exitCodes.ok;
}
