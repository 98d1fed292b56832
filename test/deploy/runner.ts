import { spawn } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { parse } from "yaml";
import { compiled } from "../support/compiled.ts";
import { root } from "./files.ts";

/** A step of a composite action. */
export interface Step {
  readonly id?: string;
  readonly if?: string;
  readonly uses?: string;
  readonly with?: Readonly<Record<string, string | boolean>>;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly "working-directory"?: string;
}

interface Action {
  readonly inputs: Readonly<Record<string, { readonly required?: boolean; readonly default?: string }>>;
  readonly outputs: Readonly<Record<string, { readonly value: string }>>;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

/** What a job with the action came to. */
export interface Played {
  readonly failed: boolean;
  /** The log: stdout and stderr of every step. */
  readonly log: string;
  readonly outputs: Readonly<Record<string, string>>;
  readonly summary: string;
}

/** What npm needs to reach its registry from here; nothing that would sign in or configure. */
const ownEnvironment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(BOARD|GITHUB_|RUNNER_|INPUT_)/.test(name)),
);

/** As much of GitHub's runner as the action needs: a workspace, the runner's files, and caches that are folders. */
export interface Runner {
  readonly workspace: string;
  /** The names of the caches, oldest first. */
  readonly caches: readonly string[];
  play(inputs: Readonly<Record<string, string>>): Promise<Played>;
}

/**
 * Plays the action that stands in `code`, step by step. `isInstalled`: its packages are there, and `npm ci` is left out.
 */
export function startRunner({
  code,
  isInstalled,
}: {
  readonly code: string;
  readonly isInstalled: boolean;
}): Runner {
  const place = makePlace();
  const workspace = join(place, "workspace");
  mkdirSync(workspace);
  mkdirSync(join(place, "caches"));
  const action_path = join(code, "config/deploy/action");
  const action = readAction(join(action_path, "action.yml"));
  const caches: string[] = [];
  let runId = 100;

  async function play(given: Readonly<Record<string, string>>): Promise<Played> {
    runId += 1;
    const job = mkdtempSync(join(place, "job-"));
    const [output, summary] = [join(job, "output"), join(job, "summary")];
    for (const file of [output, summary]) writeFileSync(file, "");
    const inputs = completeInputs(action, given);
    const steps: Record<string, { outputs: Record<string, string> }> = {};
    const fill = (text: string): string =>
      fillIn(text, { inputs, steps, github: { run_id: String(runId), run_attempt: "1", action_path } });
    const env = {
      ...ownEnvironment,
      ...compiled,
      PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`,
      RUNNER_TEMP: job,
      GITHUB_WORKSPACE: workspace,
      GITHUB_OUTPUT: output,
      GITHUB_STEP_SUMMARY: summary,
    };
    let [failed, log] = [false, ""];
    for (const step of action.runs.steps) {
      if (failed && step.if !== "always()") continue;
      if (step.uses !== undefined) {
        useCache(
          step.uses,
          mapValues(step.with ?? {}, (value) => fill(String(value))),
        );
      } else if (!(isInstalled && step.run?.startsWith("npm ci"))) {
        const folder = fill(step["working-directory"] ?? workspace);
        const ended = await runBash(step.run ?? "", folder, { ...env, ...mapValues(step.env ?? {}, fill) });
        failed ||= ended.code !== 0;
        log += ended.log;
        if (step.id !== undefined) steps[step.id] = { outputs: readOutputs(output) };
      }
    }
    const outputs = mapValues(action.outputs, ({ value }) => fill(value));
    return { failed, log, outputs, summary: readFileSync(summary, "utf8") };
  }

  function useCache(
    uses: string,
    { path = "", key = "", "restore-keys": start = key }: Record<string, string>,
  ): void {
    const here = join(workspace, path);
    if (uses.startsWith("actions/cache/restore@")) {
      const found = caches.findLast((name) => name.startsWith(start));
      rmSync(here, { recursive: true, force: true });
      if (found !== undefined) cpSync(join(place, "caches", found), here, { recursive: true });
    } else if (uses.startsWith("actions/cache/save@")) {
      if (caches.includes(key) || !existsSync(here)) return;
      cpSync(here, join(place, "caches", key), { recursive: true });
      caches.push(key);
    }
  }

  return { workspace, caches, play };
}

/** A folder that is gone after the test. */
export function makePlace(): string {
  const place = mkdtempSync(join(tmpdir(), "boardsync-action-"));
  onTestFinished(() => rmSync(place, { recursive: true, force: true }));
  return place;
}

/** What a checkout holds of what the action runs, without packages. */
export function checkOut(): string {
  const code = join(makePlace(), "code");
  mkdirSync(code);
  const dotfiles = readdirSync(root).filter((name) => name === ".npmrc");
  for (const name of ["package.json", "package-lock.json", "tsconfig.json", "src", "config", ...dotfiles])
    cpSync(join(root, name), join(code, name), { recursive: true });
  return code;
}

export function readAction(file: string): Action {
  return parse(readFileSync(file, "utf8"));
}

function completeInputs(action: Action, given: Readonly<Record<string, string>>): Record<string, string> {
  const unknown = Object.keys(given).filter((name) => action.inputs[name] === undefined);
  const missing = Object.entries(action.inputs).filter(
    ([name, { required }]) => required === true && given[name] === undefined,
  );
  if (unknown.length + missing.length > 0) throw new Error(`inputs: ${[...unknown, ...missing].join(", ")}`);
  return mapValues(action.inputs, ({ default: standard = "" }, name) => given[name] ?? standard);
}

/** Puts values in the place of expressions such as `inputs.config`, the only ones that the action has. */
function fillIn(text: string, contexts: object): string {
  return text.replaceAll(/\$\{\{ ([\w.-]+) \}\}/g, (_, path: string) =>
    String(path.split(".").reduce<unknown>((value, name) => Object(value)[name], contexts) ?? ""),
  );
}

function mapValues<T, R>(
  record: Readonly<Record<string, T>>,
  change: (value: T, name: string) => R,
): Record<string, R> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value, name)]));
}

function readOutputs(file: string): Record<string, string> {
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
}

/** As the runner starts `shell: bash`. */
function runBash(script: string, cwd: string, env: Readonly<Record<string, string>>) {
  const child = spawn("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", script], { cwd, env });
  let log = "";
  const add = (chunk: unknown): void => {
    log += String(chunk);
  };
  child.stdout.on("data", add);
  child.stderr.on("data", add);
  return new Promise<{ readonly code: number | null; readonly log: string }>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve({ code, log }));
  });
}
