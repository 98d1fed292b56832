import { resolve } from "node:path";
import { ConfigError } from "../errors.ts";
import { readVariable } from "./environment.ts";
import { findAll } from "./paths.ts";
import { readStatePlace, type SecretSource } from "./secrets.ts";

/** The config file when nothing names another. */
export const defaultFile = "config/boardsync.yaml";

/** The state file when nothing names another, as in the schema. */
const defaultState = "data/boardsync.db";

/** Where the config is. */
export interface ConfigPlace extends SecretSource {
  /** What `--config` names; undefined without it. */
  readonly file: string | undefined;
}

/** The config file, as it was named. */
export function nameFile({ file, environment }: ConfigPlace): string {
  return file ?? readVariable(environment, "BOARDSYNC_CONFIG") ?? defaultFile;
}

/**
 * The state file for a command that must work whatever is wrong with the config (`health`): `BOARDSYNC_STATE` or `BOARDSYNC_STATE_URL`, else what
 * the config file says as far as it can be read, else the default. As it was named: relative to the working directory.
 * A container asks it every half a minute, so that nothing is loaded for it but what reads YAML, and that only without the
 * variable.
 */
export async function locateState(place: ConfigPlace): Promise<string> {
  const override = readStatePlace(place);
  if ("problem" in override) throw new ConfigError([override.problem]);
  if (override.value !== undefined) return override.value;
  try {
    const text = place.readText(resolve(place.cwd, nameFile(place)));
    const { parseConfigDocument } = await import("./document.ts");
    const state = findAll(parseConfigDocument(text).content, "state")[0]?.value;
    return typeof state === "string" ? state : defaultState;
  } catch {
    return defaultState;
  }
}
