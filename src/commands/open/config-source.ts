import { loadEnvironment } from "../../config/environment.ts";
import { readTextFile } from "../../config/files.ts";
import type { ConfigSource } from "../../config/load.ts";
import { checkTemplate } from "../../plan/text/template.ts";
import type { CommonOptions, Terminal } from "../print/terminal.ts";

/** Where the config of a command comes from. */
export function configSource(terminal: Terminal, options: CommonOptions): ConfigSource {
  const environment = loadEnvironment({ env: terminal.env, cwd: terminal.cwd, readText: readTextFile });
  return { file: options.config, environment, cwd: terminal.cwd, readText: readTextFile, checkTemplate };
}
