import { configJsonSchema } from "../../config/json-schema.ts";
import { type CommandCall, exitCodes } from "../print/terminal.ts";
import { printJson } from "../print/text.ts";

/** `boardsync schema`: the JSON Schema of the config, as `config/boardsync.schema.json` has it. */
export function schema({ terminal }: CommandCall): number {
  printJson(terminal.out, configJsonSchema());
  return exitCodes.ok;
}
