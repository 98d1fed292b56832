import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { systemClock } from "../../src/commands/open/clock.ts";
import type { Output, Terminal } from "../../src/commands/print/terminal.ts";
import { runProgram } from "../../src/commands/program.ts";
import type { AppSetup } from "../support/sandbox/github/app/app.ts";
import { type Story, startStory } from "../support/sandbox/story.ts";

/** What a command printed, and its exit code. */
export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** stdout as the one JSON document that it must be. */
  readonly json: () => unknown;
}

export interface RunOptions {
  /** Set, or with undefined taken away, on top of the stage's environment. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly isTerminal?: boolean;
  readonly hasColours?: boolean;
  readonly columns?: number;
  /** How the program was started; default: `boardsync`. */
  readonly command?: string;
  readonly signal?: AbortSignal;
  readonly ask?: (question: string) => Promise<string | undefined>;
  readonly askSecret?: (question: string) => Promise<string | undefined>;
  readonly takeKeys?: Terminal["takeKeys"];
  readonly startAgain?: Terminal["startAgain"];
}

/** The story's two sides, and a folder with a config for them. */
export interface Stage {
  readonly story: Story;
  readonly folder: string;
  /** The config's file. */
  readonly file: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Writes another config: the story's, changed. Answers its file. */
  writeConfig(name: string, change: (config: string) => string): string;
  /** Runs a command in this process, in the stage's folder. */
  run(args: readonly string[], options?: RunOptions): Promise<Ran>;
}

/** Output that ends in a text. */
export function createOutput(options: RunOptions = {}): Output & { readonly text: () => string } {
  let text = "";
  return {
    isTerminal: options.isTerminal ?? false,
    hasColours: options.hasColours ?? false,
    columns: () => options.columns ?? 120,
    write: (more) => {
      text += more;
    },
    text: () => text,
  };
}

/** What a command gets of a process that is none: nobody sits before it, and what is not given is empty. */
export function createTerminal(given: Partial<Terminal>): Terminal {
  return {
    args: [],
    env: {},
    cwd: "/",
    version: "1.2.3",
    command: "boardsync",
    pid: 4711,
    out: createOutput(),
    err: createOutput(),
    signal: new AbortController().signal,
    ...given,
  };
}

/** Runs a command in this process. */
export async function runCommand(
  args: readonly string[],
  surroundings: Pick<Terminal, "env" | "cwd">,
  options: RunOptions = {},
): Promise<Ran> {
  const out = createOutput(options);
  const err = createOutput(options);
  const { ask, askSecret, takeKeys, startAgain, command, signal } = options;
  const code = await runProgram(
    createTerminal({
      ...{ args, ...surroundings, out, err, ask, askSecret, takeKeys, startAgain },
      ...(command !== undefined && { command }),
      ...(signal && { signal }),
    }),
  );
  return { code, out: out.text(), err: err.text(), json: () => JSON.parse(out.text()) };
}

/** A folder that is gone after the test. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "boardsync-commands-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** By it a daemon runs every project at its start, and nothing by itself until January: no test meets a tick of the clock. */
const schedule = "0 0 1 1 *";

const surroundings = `state: state.db\nhttp: { port: 0 }\nschedule: "${schedule}"\n`;

/** Pauses of seconds pass in a moment, for as long as a test goes on: whoever waits for a time looks at the clock again. */
function hurry(): void {
  vi.spyOn(systemClock, "sleep").mockImplementation((ms, signal) =>
    sleep(ms > longestPauseMs ? ms : Math.min(ms, 50), signal),
  );
}

const longestPauseMs = 10_000;
const { sleep } = systemClock;

/** Both sides, up until the test ends. */
export async function openStage(app?: AppSetup): Promise<Stage> {
  hurry();
  const folder = makeFolder();
  const story = await startStory({ now: Date.now, ...(app && { app }) });
  onTestFinished(() => story.close());
  const writeConfig: Stage["writeConfig"] = (name, change) => {
    const file = join(folder, name);
    writeFileSync(file, change(`${story.config}${surroundings}`));
    return file;
  };
  const file = writeConfig("boardsync.yaml", (config) => config);
  const env = {
    BOARD_API_KEY: story.board.key,
    GITHUB_TOKEN: story.github.token,
    BOARDSYNC_CONFIG: file,
  };
  return {
    story,
    folder,
    file,
    env,
    writeConfig,
    run: (args, options = {}) => runCommand(args, { env: { ...env, ...options.env }, cwd: folder }, options),
  };
}

/** An address on which nobody listens. */
export const deadUrl = "http://127.0.0.1:9/api/v1";
