import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { explainReadFault } from "../config/files.ts";
import { ConfigError } from "../errors.ts";
import { readPlan } from "../sync/plan-file.ts";
import type { SavedPlan } from "../sync/world.ts";
import type { Terminal } from "./terminal.ts";

/** A plan of 100,000 posts stays below that. */
const sizeLimit = 256 * 1024 * 1024;

/**
 * Saves a plan for `apply`; one that is there is replaced. Nobody else may read it: it tells what a board has.
 *
 * @throws ConfigError when the file can't be written.
 */
export function savePlan({ cwd }: Pick<Terminal, "cwd">, file: string, text: string): void {
  const path = resolve(cwd, file);
  try {
    writeFileSync(path, text, { mode: 0o600 });
    // One that was there keeps its mode.
    if (statSync(path).isFile()) chmodSync(path, 0o600);
  } catch (error) {
    throw new ConfigError([`The plan can't be saved at ${path} (${String(Object(error).code)}).`]);
  }
}

/**
 * The plan in a file.
 *
 * @throws ConfigError when there is none, or it can't be used.
 */
export function loadPlan({ cwd }: Pick<Terminal, "cwd">, file: string): SavedPlan {
  const plan = readPlan(readText(resolve(cwd, file), file));
  if (typeof plan === "string") {
    throw new ConfigError([`${file} ${plan}. \`boardsync plan --out ${file}\` makes one.`]);
  }
  return plan;
}

function readText(path: string, file: string): string {
  try {
    if (statSync(path).size > sizeLimit) throw Object.assign(new Error("too large"), { code: "EFBIG" });
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new ConfigError([
      `The plan ${path} can't be read: ${explainReadFault(error)}. \`boardsync plan --out ${file}\` makes one.`,
    ]);
  }
}
