import { configJsonSchema } from "../../config/json-schema.ts";
import { exitCodes, type Terminal } from "../print/terminal.ts";
import { printJson } from "../print/text.ts";

/** `boardsync schema`: the JSON Schema of the config, as `config/boardsync.schema.json` has it. */
export function schema(terminal: Terminal): number {
  printJson(terminal.out, configJsonSchema());
  return exitCodes.ok;
}
