import { onTestFinished } from "vitest";
import { runProgram } from "../../src/commands/program.ts";
import { createOutput, createTerminal, type Stage } from "./stage.ts";

/** A line of the daemon's log. */
export interface Line {
  readonly msg: string;
  readonly [field: string]: unknown;
}

/** A daemon that runs in this process. */
export interface RunningDaemon {
  readonly lines: readonly Line[];
  /** The first line, from the given place on, that the test looks for; it may be written already. */
  findLine(isWanted: (line: Line) => boolean, from?: number): Promise<Line>;
  /** Where its HTTP is, once it listens. */
  address(): Promise<string>;
  /** Every project has run since the place. */
  ranAll(from?: number): Promise<void>;
  /** SIGHUP. */
  hangUp(): void;
  /** SIGTERM; answers the exit code. */
  end(): Promise<number>;
}

/** Starts the daemon on a stage. It ends with the test. */
export function startDaemon(
  stage: Stage,
  args: readonly string[] = [],
  env: Readonly<Record<string, string | undefined>> = {},
  id?: string,
): RunningDaemon {
  const interruption = new AbortController();
  const lines: Line[] = [];
  const waiting = new Set<() => void>();
  const listeners = new Set<() => void>();
  let isHungUp = false;
  const write = (text: string): void => {
    lines.push(JSON.parse(text));
    for (const look of waiting) look();
  };
  const terminal = createTerminal({
    args: ["daemon", ...args],
    cwd: stage.folder,
    env: { ...stage.env, ...env },
    err: { ...createOutput(), write },
    signal: interruption.signal,
    ...(id !== undefined && { id }),
    onHangUp(listener) {
      listeners.add(listener);
      if (isHungUp) listener();
      return () => listeners.delete(listener);
    },
  });
  const running = runProgram(terminal);
  const findLine: RunningDaemon["findLine"] = (isWanted, from = 0) =>
    new Promise((resolve) => {
      const look = (): void => {
        const found = lines.slice(from).find(isWanted);
        if (found === undefined) return;
        waiting.delete(look);
        resolve(found);
      };
      waiting.add(look);
      look();
    });
  const end = (): Promise<number> => {
    interruption.abort("SIGTERM");
    return running;
  };
  onTestFinished(async () => void (await end()));
  return {
    lines,
    findLine,
    address: async () => String((await findLine(({ msg }) => msg === "Listening"))["address"]),
    async ranAll(from) {
      for (const project of ["acme-app", "acme-api"]) {
        await findLine((line) => line.msg === "Project finished" && line["project"] === project, from);
      }
    },
    hangUp() {
      isHungUp ||= listeners.size === 0;
      for (const listener of listeners) listener();
    },
    end,
  };
}
