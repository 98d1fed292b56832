import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildWorld, connectSides, type Machine, syncProjects } from "../../app.ts";
import { readTextFile } from "../../config/files.ts";
import { loadConfigAndSecrets } from "../../config/load.ts";
import type { Config } from "../../config/schema.ts";
import type { Story } from "../../demo/story.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { redactor } from "../../log.ts";
import type { Clock } from "../../model/surroundings.ts";
import type { Order } from "../../sync/ground/order.ts";
import { type RunResult, runProjects } from "../../sync/run.ts";
import { createTerminalLog } from "../open/session.ts";
import { placeOfState, withPrivateCopy, withState } from "../open/state.ts";
import type { CommonOptions, Terminal } from "../print/terminal.ts";

/** The two sides, and boardsync between them, whose clock can be put forward. */
export interface Stage {
  readonly story: Story;
  readonly config: Config;
  now(): number;
  /** Lets time pass. */
  skip(ms: number): void;
  /** One run. */
  sync(): Promise<RunResult>;
  /** What a run would do now, and what would wait. Nothing is written. */
  plan(): Promise<RunResult>;
  /** Takes back what a run has written. */
  undo(run: number): Promise<RunResult>;
  /**
   * Runs `boardsync sync` as a process of its own, and kills it when GitHub has opened so many issues and not yet answered;
   * false where it ends by itself before. undefined where no process can be started.
   */
  readonly syncAndKill: ((issues: number) => Promise<boolean>) | undefined;
}

/** What a story needs beside the sides' own config: a pause before voters hear, and a limit that one script can break. */
const settings = "settle: 10m\nguard: { statuses: 2 }\nhttp: false\n";

/**
 * Sets the stage.
 *
 * @param folder - gets config and state, and is the caller's to delete.
 */
export function openStage(
  terminal: Terminal,
  options: CommonOptions,
  { story, clock, folder }: { readonly story: Story; readonly clock: StoryClock; readonly folder: string },
): Stage {
  const file = join(folder, "boardsync.yaml");
  // JSON is YAML: no folder's name can break it.
  writeFileSync(file, `${story.appConfig}${settings}state: ${JSON.stringify(join(folder, "state.db"))}\n`);
  const environment = {
    BOARD_API_KEY: story.board.key,
    GITHUB_TOKEN: story.github.token,
    BOARDSYNC_CONFIG: file,
  };
  const { config, secrets } = loadConfigAndSecrets({
    file,
    environment,
    cwd: folder,
    readText: readTextFile,
  });
  // What boardsync warns of, such as a write that was under way, is what the story tells.
  const log = createTerminalLog(terminal, options.logLevel ?? "error", redactor(secrets.all));
  const { version, signal, startAgain } = terminal;
  // Both sides are on this machine: no proxy has a part in it.
  const machine: Machine = { clock, random: Math.random, log, version, environment: {} };
  const sides = connectSides(config, secrets, machine);
  const projects = syncProjects(config);
  const place = placeOfState(terminal, config);
  const runOn = (ledger: Ledger, order: Order): Promise<RunResult> =>
    runProjects(projects, buildWorld(config, sides, ledger, machine), order, signal);
  const run = (order: Order): Promise<RunResult> =>
    withState(terminal, log, "demo", place, projects, (ledger) => runOn(ledger, order));
  const look = (order: Order): Promise<RunResult> =>
    withPrivateCopy(terminal, place, (copy) => runOn(copy, order));
  return {
    story,
    config,
    now: clock.now,
    skip: clock.skip,
    sync: () => run({ kind: "sync" }),
    plan: () => look({ kind: "plan" }),
    async undo(number) {
      const { saved } = await look({ kind: "undo", run: number, agreed: undefined });
      return run({ kind: "undo", run: number, agreed: saved });
    },
    syncAndKill:
      startAgain &&
      (async (issues) => {
        const isReached = story.github.hangAt(issues).then(() => true);
        const env = { ...onlyForOthers(terminal.env), ...environment };
        const child = await startAgain(["sync", "--quiet"], { cwd: folder, env });
        const isStopped = new Promise<false>((resolve) => {
          if (signal.aborted) resolve(false);
          signal.addEventListener("abort", () => resolve(false), { once: true });
        });
        const wasAlive = await Promise.race([isReached, isStopped, child.ended.then(() => false)]);
        child.kill();
        await child.ended;
        signal.throwIfAborted();
        return wasAlive;
      }),
  };
}

/** What no board, no GitHub and no proxy of the person's own is named in. */
function onlyForOthers(env: Terminal["env"]): Terminal["env"] {
  const isOurs = (name: string): boolean => /^(?:BOARD|GITHUB_)|_PROXY$/i.test(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isOurs(name)));
}

/** The story's clock: pauses cost nothing, and minutes can be skipped. */
export interface StoryClock extends Clock {
  skip(ms: number): void;
}

/** Begins at the machine's time. */
export function createStoryClock(): StoryClock {
  let ahead = 0;
  const skip = (ms: number): void => {
    ahead += ms;
  };
  return {
    now: () => Date.now() + ahead,
    sleep: (ms) => {
      skip(ms);
      return Promise.resolve();
    },
    skip,
  };
}
