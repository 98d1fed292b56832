import { lstatSync, readFileSync, renameSync, rmSync, type Stats, statSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { explainReadFault } from "../../config/files.ts";
import { ConfigError } from "../../errors.ts";
import type { SavedPlan } from "../../sync/ground/reports.ts";
import type { World } from "../../sync/ground/world.ts";
import { isPlan, readPlan, refusePlan } from "../../sync/orders/plan-file.ts";
import type { Session } from "../open/session.ts";
import type { Terminal } from "../print/terminal.ts";

/** A plan of 100,000 posts stays below that. */
const sizeLimit = 256 * 1024 * 1024;

/** What SQLite, and who has the state, keep beside its file. */
const besideState = ["", "-wal", "-shm", ".lock"];

/**
 * Looks whether a plan may be saved there: a file that is there is replaced only where it is an earlier plan.
 *
 * @param state - `StatePlace.name`: a state may come to be there.
 * @throws ConfigError when it may not.
 */
export function refusePlanFile({ cwd }: Pick<Terminal, "cwd">, file: string, state: string): void {
  const path = resolve(cwd, file);
  if (besideState.some((end) => path === `${state}${end}`))
    throw new ConfigError([`The plan is not saved at ${path}: that is the state's own. Name another file.`]);
  const refuse = (what: string): never => {
    throw new ConfigError([
      `The plan is not saved at ${path}: ${what}, and was left as it is. Name another file.`,
    ]);
  };
  const found = lookAt(path);
  if (found === undefined) return;
  if (found.isSymbolicLink()) refuse("that is a link to another file");
  if (!found.isFile()) refuse("that is no file");
  if (!isPlan(readText(path)) && found.size > 0) {
    refuse("that file is no plan of boardsync");
  }
}

/**
 * Saves a plan for `apply`; an earlier one that is there is replaced, and nothing else. Nobody else may read it: it tells what
 * a board has.
 *
 * @throws ConfigError when the file can't be written.
 */
export function savePlan(
  terminal: Pick<Terminal, "cwd" | "pid">,
  file: string,
  state: string,
  text: string,
): void {
  const path = resolve(terminal.cwd, file);
  refusePlanFile(terminal, file, state);
  // Beside it and then in its place: what is there at that moment is replaced as such, and no link is followed.
  const beside = `${path}.${terminal.pid}.tmp`;
  try {
    try {
      writeFileSync(beside, text, { mode: 0o600, flag: "wx" });
      renameSync(beside, path);
    } finally {
      rmSync(beside, { force: true });
    }
  } catch (error) {
    throw cannotSave(path, error);
  }
}

function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw cannotSave(path, error);
  }
}

function cannotSave(path: string, error: unknown): ConfigError {
  return new ConfigError([`The plan can't be saved at ${path} (${String(Object(error).code)}).`]);
}

/**
 * The plan in a file.
 *
 * @throws ConfigError when there is none, or it can't be used.
 */
export function loadPlan({ cwd }: Pick<Terminal, "cwd">, file: string): SavedPlan {
  const plan = readPlan(readText(resolve(cwd, file)));
  if (typeof plan === "string") {
    throw new ConfigError([`${file} ${plan}. \`boardsync plan --out today.plan\` makes one.`]);
  }
  return plan;
}

/**
 * Refuses a plan that was made of another board or state, or by another version.
 *
 * @throws ConfigError
 */
export function refuseOldPlan(
  { terminal: { version: program }, projects }: Session,
  plan: SavedPlan,
  { policy: { boardHash: board }, ledger: { identity: state, memory } }: World,
): void {
  const problems = refusePlan(plan, { program, board, state, projects, memory });
  if (problems.length > 0) throw new ConfigError(problems);
}

function readText(path: string): string {
  try {
    if (statSync(path).size > sizeLimit) throw Object.assign(new Error("too large"), { code: "EFBIG" });
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new ConfigError([
      `The plan ${path} can't be read: ${explainReadFault(error)}. \`boardsync plan --out today.plan\` makes one.`,
    ]);
  }
}
