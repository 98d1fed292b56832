import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Terminal } from "../../../src/commands/print/terminal.ts";
import { compiled } from "../../support/compiled.ts";

/** The program as it runs without being built. */
export const main = fileURLToPath(new URL("../../../src/main.ts", import.meta.url));

/** How a process was started, and what ended it. */
interface Started {
  readonly args: readonly string[];
  readonly env: Terminal["env"];
  signal?: NodeJS.Signals | null;
}

/** Starts real processes, as a terminal does, and keeps what became of them. `change` gives other arguments. */
export function createStarter(change = (args: readonly string[]) => args) {
  const started: Started[] = [];
  const startAgain: NonNullable<Terminal["startAgain"]> = async (args, { cwd, env }) => {
    const one: Started = { args, env };
    started.push(one);
    const child = spawn(process.execPath, [main, ...change(args)], {
      cwd,
      env: { ...compiled, ...env },
      stdio: "ignore",
    });
    const ended = new Promise<void>((resolve) => {
      child.once("exit", (_, signal) => {
        one.signal = signal;
        resolve();
      });
    });
    const kill = (): void => void child.kill("SIGKILL");
    onTestFinished(async () => {
      kill();
      await ended;
    });
    return { ended, kill };
  };
  return { started, startAgain };
}
