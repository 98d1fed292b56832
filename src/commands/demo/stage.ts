import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildWorld, connectSides, type Machine, syncProjects } from "../../app.ts";
import { readTextFile } from "../../config/files.ts";
import { loadConfigAndSecrets } from "../../config/load.ts";
import type { Story } from "../../demo/story.ts";
import { ConfigError } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { redactor } from "../../log.ts";
import type { Clock } from "../../model/surroundings.ts";
import type { Order } from "../../sync/ground/order.ts";
import type { SyncProject } from "../../sync/ground/world.ts";
import { type RunResult, runProjects } from "../../sync/run.ts";
import { createTerminalLog } from "../open/session.ts";
import { placeOfState, withPrivateCopy, withState } from "../open/state.ts";
import type { CommonOptions, Terminal } from "../print/terminal.ts";

/** The two sides, and boardsync between them, whose clock can be put forward. */
export type Stage = ReturnType<typeof openStage>;

/** What a story needs beside the sides' own config: a pause before voters hear, and a limit that one script can break. */
const settings = "settle: 10m\nguard: { statuses: 2 }\nhttp: false\n";

/** Sets the stage. @param folder - gets config and state, and is the caller's to delete. */
export function openStage(
  terminal: Terminal,
  options: CommonOptions,
  { story, clock, folder }: { readonly story: Story; readonly clock: StoryClock; readonly folder: string },
) {
  const { signal, startAgain } = terminal;
  const { config, environment, place, runOn, run } = connectStory(terminal, {
    story,
    settings: `${story.appConfig}${settings}`,
    folder,
    clock,
    // What boardsync warns of, such as a write that was under way, is what the story tells.
    logLevel: options.logLevel ?? "error",
  });
  const look = (order: Order): Promise<RunResult> => withPrivateCopy(place, (copy) => runOn(copy, order));
  return {
    story,
    config,
    now: clock.now,
    /** Lets time pass. */
    skip: clock.skip,
    sync: () => run({ kind: "sync" }),
    /** What a run would do now, and what would wait. Nothing is written. */
    plan: () => look({ kind: "plan" }),
    /** Takes back what a run has written. */
    async undo(number: number) {
      const { saved } = await look({ kind: "undo", run: number, agreed: undefined });
      return run({ kind: "undo", run: number, agreed: saved });
    },
    /**
     * Runs `boardsync sync` as a process of its own, and kills it when GitHub has opened so many issues and not yet answered;
     * false where it ends by itself before. undefined where no process can be started.
     */
    syncAndKill:
      startAgain &&
      (async (issues: number): Promise<boolean> => {
        const isReached = story.github.hangAt(issues).then(() => true);
        const env = { ...onlyForOthers(terminal.env), ...environment };
        const child = await startAgain(["sync", "--quiet"], { cwd: folder, env });
        const isStopped = untilAborted(signal).then(() => false);
        const wasAlive = await Promise.race([isReached, isStopped, child.ended.then(() => false)]);
        child.kill();
        await child.ended;
        signal.throwIfAborted();
        return wasAlive;
      }),
  };
}

/** What boardsync is put between both sides with. */
interface Connecting {
  readonly story: Story;
  /** The config, but for the place of the state. */
  readonly settings: string;
  /** Gets config and state, and is the caller's to delete. */
  readonly folder: string;
  readonly clock: Clock;
  readonly logLevel: string;
}

/**
 * A folder for config and state, the caller's to delete. Make it before anything listens, which would keep the process alive.
 *
 * @throws ConfigError where none can be made.
 */
export function makeStoryFolder(): string {
  try {
    return mkdtempSync(join(tmpdir(), "boardsync-demo-"));
  } catch (error) {
    throw new ConfigError([
      `The demo can make no folder in ${tmpdir()} (${String(Object(error).code)}): set TMPDIR to one that this user may write.`,
    ]);
  }
}

/** boardsync between both sides of a story. */
export type Connected = ReturnType<typeof connectStory>;

/** Writes the config, and connects both sides by it. */
export function connectStory(terminal: Terminal, { story, settings, folder, clock, logLevel }: Connecting) {
  const file = join(folder, "boardsync.yaml");
  // JSON is YAML: no folder's name can break it.
  writeFileSync(file, `${settings}state: ${JSON.stringify(join(folder, "state.db"))}\n`);
  const { board, github } = story;
  const environment = { BOARD_API_KEY: board.key, GITHUB_TOKEN: github.token, BOARDSYNC_CONFIG: file };
  const source = { file, environment, cwd: folder, readText: readTextFile };
  const { config, secrets } = loadConfigAndSecrets(source);
  const redact = redactor(secrets.all);
  const log = createTerminalLog(terminal, logLevel, redact);
  const { version, signal } = terminal;
  // Both sides are on this machine: no proxy has a part in it.
  const machine: Machine = { clock, random: Math.random, log, version, environment: {} };
  const sides = connectSides(config, secrets, machine);
  const place = placeOfState(terminal, config);
  const projects = syncProjects(config);
  const runOn = (ledger: Ledger, order: Order, chosen: readonly SyncProject[] = projects) =>
    runProjects(chosen, buildWorld(config, sides, ledger, machine), order, signal);
  /** One run on the state, which nobody else has meanwhile. */
  const run = (order: Order, chosen = projects) =>
    withState(place, log, "demo", chosen, (ledger) => runOn(ledger, order, chosen));
  return { config, environment, projects, place, sides, log, redact, runOn, run };
}

export async function untilAborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, "abort");
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
  return { now: () => Date.now() + ahead, sleep: async (ms) => skip(ms), skip };
}
