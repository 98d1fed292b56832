import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildWorld, connectSides, type Machine, syncProjects } from "../../app.ts";
import { loadConfigAndSecrets } from "../../config/load.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { redactor } from "../../log.ts";
import type { Clock } from "../../model/surroundings.ts";
import { type Story, startStory } from "../../sandbox/story.ts";
import { runProjects } from "../../sync/run.ts";
import { tellTimes } from "../../sync/tell/times.ts";
import { createTerminalLog, exitOf } from "../open/session.ts";
import { openPrivateState } from "../open/state.ts";
import { failWith } from "../print/failure.ts";
import { printJson } from "../print/json.ts";
import { type CommonOptions, exitCodes, type Terminal } from "../print/terminal.ts";
import { serveDemo } from "./serve.ts";
import { type Runner, tellStory } from "./tell.ts";

/** Wider lines are hard to read, however wide the terminal is. */
const maxColumns = 100;

/** What `demo` takes beside the common options. */
export interface DemoOptions extends CommonOptions {
  readonly serve?: boolean;
  readonly port?: number;
}

/** `boardsync demo`: a board and a GitHub on loopback, and a few days of a small company. No account, no trace. */
export async function demo(terminal: Terminal, options: DemoOptions): Promise<number> {
  try {
    return options.serve === true ? await serveDemo(terminal, options) : await play(terminal, options);
  } catch (error) {
    return failWith(terminal, options, error);
  }
}

async function play(terminal: Terminal, options: DemoOptions): Promise<number> {
  const { out } = terminal;
  const clock = createStoryClock();
  const story = await startStory({ now: clock.now, port: undefined });
  const folder = mkdtempSync(join(tmpdir(), "boardsync-demo-"));
  const ledger = openPrivateState(terminal, join(folder, "state.db"));
  try {
    const isSilent = options.json === true || options.quiet === true;
    const told = await tellStory({
      out: {
        ...out,
        // It is told to people, whatever it is written to: its lines are broken.
        isTerminal: true,
        columns: Math.min(maxColumns, out.columns),
        write: (text) => (isSilent ? undefined : out.write(text)),
      },
      signal: terminal.signal,
      times: () => tellTimes(clock.now(), "UTC"),
      story,
      run: createRunner(terminal, options, story, ledger, clock),
      skip: clock.skip,
    });
    if (options.json === true) printJson(out, told);
    const isGood = told.runs.every(({ result }) => result === "ok");
    return exitOf(terminal, isGood ? exitCodes.ok : exitCodes.partial);
  } finally {
    ledger.close();
    await story.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function createRunner(
  terminal: Terminal,
  options: DemoOptions,
  story: Story,
  ledger: Ledger,
  clock: Clock,
): Runner {
  const { config, secrets } = loadConfigAndSecrets({
    file: "demo.yaml",
    environment: { BOARD_API_KEY: story.board.key, GITHUB_TOKEN: story.github.token },
    cwd: terminal.cwd,
    readText: () => story.config,
  });
  const machine: Machine = {
    clock,
    random: Math.random,
    log: createTerminalLog(terminal, options.logLevel ?? "warn", redactor(secrets.all)),
    version: terminal.version,
    // Both sides are on this machine: no proxy has a part in it.
    environment: {},
  };
  const world = buildWorld(config, connectSides(config, secrets, machine), ledger, machine);
  return (kind) => runProjects(syncProjects(config), world, { kind }, terminal.signal);
}

/** The demo's clock: pauses cost nothing, and days can be skipped. */
interface StoryClock extends Clock {
  skip(ms: number): void;
}

function createStoryClock(): StoryClock {
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
