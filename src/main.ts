#!/usr/bin/env node
/**
 * The process edge, and the only file that touches `process`. It loads nothing else before it knows that this Node.js can
 * run it: a native module would crash an older one without a word.
 */
import { randomBytes } from "node:crypto";
import { readFileSync, writeSync } from "node:fs";
import type { Interface } from "node:readline/promises";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import type { Keys, Output, OwnPlace, OwnProcess, Terminal } from "./commands/print/terminal.ts";

const oldestNode: readonly [number, number] = [22, 19];
/** How long the write in hand may take after a signal, before it is left as an unknown outcome. */
const graceMs = 8000;
/** A launcher such as npm passes on a signal that the terminal has sent to all: only a later one is a person's second. */
const echoMs = 500;
/** Where nobody says how wide the output is. */
const defaultColumns = 80;
/** The number of stderr among the open files of a process. */
const standardError = 2;
/** The byte that a terminal sends for Ctrl-C, where it sends no signal for it. */
const interruptKey = 3;

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1])) {
  process.stderr.write(
    `boardsync needs Node.js ${oldestNode.join(".")} or newer, and this is ${process.versions.node}: start it with a newer one (in a checkout, \`npm ci\` brings one).\n`,
  );
  process.exitCode = 2;
} else {
  await main();
}

async function main(): Promise<void> {
  // What is new in memory is soon over here. V8 gives it ever more room otherwise, a third of what a large import takes.
  setFlagsFromString("--semi-space-growth-factor=1");
  process.on("uncaughtException", dieOf);
  // Without a listener Node.js opens its inspector, and whoever reaches that port reads every secret.
  process.on("SIGUSR1", () => undefined);
  const { runProgram } = await import("./commands/program.ts");
  const { startedAs } = await import("./commands/open/started-as.ts");
  const interruption = new AbortController();
  let command: string | undefined;
  let isEcho = false;
  let isHungUp = false;
  let onHangUp = (): void => {
    isHungUp = true;
  };
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const) {
    const leave = (): void => process.exit(command === "daemon" ? 0 : code);
    process.on(signal, () => {
      if (interruption.signal.aborted && !isEcho) leave();
      if (interruption.signal.aborted) return;
      interruption.abort(signal);
      isEcho = true;
      setTimeout(() => {
        isEcho = false;
      }, echoMs).unref();
      setTimeout(leave, graceMs).unref();
    });
  }
  const cwd = workingDirectory();
  if (cwd === undefined) return;
  const terminal: Terminal = {
    args: process.argv.slice(2),
    env: process.env,
    cwd,
    version: readVersion(),
    command: startedAs({ script: String(process.argv[1]), cwd, env: process.env }),
    pid: process.pid,
    id: randomBytes(3).toString("hex"),
    out: outputOf(process.stdout),
    err: outputOf(process.stderr),
    signal: interruption.signal,
    onHangUp(listener) {
      onHangUp = listener;
      if (isHungUp) listener();
      return () => {
        onHangUp = () => undefined;
      };
    },
    startAgain,
    ...(process.stdin.isTTY &&
      process.stdout.isTTY && {
        ask,
        askSecret,
        takeKeys: () => takeKeys(interruption.signal),
      }),
  };
  const code = await runProgram(terminal, (name) => {
    command = name;
    // From here on: a daemon that is still opening its state is not ended by what is to make it read its config.
    if (name === "daemon") process.on("SIGHUP", () => onHangUp());
  });
  process.exitCode ??= code;
}

/** undefined, and said, where somebody has removed it: a release was replaced, say, in the place from which cron starts. */
function workingDirectory(): string | undefined {
  try {
    return process.cwd();
  } catch {
    process.stderr.write("The working directory of this process is gone: start it from another one.\n");
    process.exitCode = 2;
    return undefined;
  }
}

/** What no command has caught is a mistake of ours. Its words may hold anything, so only where it happened is told. */
function dieOf(error: unknown): void {
  const { name, message, stack } = error instanceof Error ? error : new Error(typeof error);
  const frames = String(stack)
    .replace(message, "")
    .match(/^ +at .*$/gm);
  // Nobody may know any more whether a bar stands in this line.
  const line = process.stderr.isTTY ? "\r\u001b[K" : "";
  process.stderr.write(
    `${line}This is a mistake in boardsync (${name}). Please report it with these lines:\n${(frames ?? []).join("\n")}\n`,
  );
  process.exit(1);
}

async function ask(question: string): Promise<string | undefined> {
  const answer = await askOn(process.stdout, (reader) => reader.question(question));
  if (answer === undefined) process.stdout.write("\n");
  return answer;
}

/** What is typed goes nowhere; the question is put once the terminal has ceased to show what is typed. */
async function askSecret(question: string): Promise<string | undefined> {
  const { Writable } = await import("node:stream");
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const answer = await askOn(silent, (reader) => {
    process.stdout.write(question);
    return reader.question("");
  });
  process.stdout.write("\n");
  return answer;
}

/** undefined where the input ends. */
async function askOn(
  output: NodeJS.WritableStream,
  put: (reader: Interface) => Promise<string>,
): Promise<string | undefined> {
  const { createInterface } = await import("node:readline/promises");
  const reader = createInterface({ input: process.stdin, output, terminal: true });
  const ended = new Promise<undefined>((resolve) => reader.once("close", () => resolve(undefined)));
  reader.once("SIGINT", () => process.exit(130));
  try {
    return await Promise.race([put(reader), ended]);
  } finally {
    reader.close();
  }
}

/** Until they are released, no key is shown, and the terminal sends no signal for Ctrl-C: it is a key like the others. */
function takeKeys(signal: AbortSignal): Keys {
  const { stdin } = process;
  let onKey = (): void => undefined;
  const hear = (keys: Buffer): void => {
    if (keys.includes(interruptKey)) process.kill(process.pid, "SIGINT");
    else onKey();
  };
  stdin.setRawMode(true).on("data", hear).resume();
  return {
    next: (mostMs) =>
      new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(timer);
          signal.removeEventListener("abort", end);
          resolve();
        };
        const timer = setTimeout(end, signal.aborted ? 0 : mostMs);
        signal.addEventListener("abort", end);
        onKey = end;
      }),
    release: () => void stdin.off("data", hear).pause().setRawMode(false),
  };
}

async function startAgain(args: readonly string[], { cwd, env }: OwnPlace): Promise<OwnProcess> {
  const { spawn } = await import("node:child_process");
  const main = fileURLToPath(import.meta.url);
  const child = spawn(process.execPath, [...process.execArgv, main, ...args], { cwd, env, stdio: "ignore" });
  const kill = (): void => void child.kill("SIGKILL");
  process.on("exit", kill);
  const ended = new Promise<void>((resolve) => {
    child.once("exit", resolve).once("error", () => resolve());
  }).finally(() => process.off("exit", kill));
  return { ended, kill };
}

function readVersion(): string {
  // Our own file: it has a version.
  const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
  return version;
}

function outputOf(stream: NodeJS.WriteStream): Output {
  let isLost = false;
  const place = stream === process.stdout ? stream : outlive(stream);
  stream.on("error", (error: NodeJS.ErrnoException) => {
    isLost ||= stream === process.stdout || error.code === "EPIPE";
    // A reader that went away (`boardsync status | head`) is no failure, and no reason to break off what is being done.
    if (error.code === "EPIPE" || stream !== process.stdout) return;
    process.exitCode = 1;
    process.stderr.write(`The output could not be written (${error.code}).\n`);
  });
  const { env } = process;
  const columns = Number(env["COLUMNS"]);
  return {
    isTerminal: stream.isTTY === true,
    hasColours: stream.isTTY === true && !env["NO_COLOR"] && env["TERM"] !== "dumb",
    columns: () => stream.columns || (columns >= 1 ? columns : defaultColumns),
    write: (text) => {
      if (!isLost) place.write(text);
    },
  };
}

/**
 * The log goes on once its disk has room again: Node.js gives a stream up after its first error. The first line that can be written
 * then comes after one that says how many are missing.
 */
function outlive(stream: NodeJS.WriteStream): { write(text: string): void } {
  let lost = 0;
  let isBroken = false;
  stream.on("error", () => {
    isBroken = true;
  });
  const writeDirectly = (text: string): void => {
    try {
      if (lost > 0) {
        const missing = {
          level: "warn",
          time: new Date().toISOString(),
          lost,
          msg: "Lines of the log are lost",
        };
        // What was written last may have been cut off in its middle.
        writeSync(
          standardError,
          `\n${text.startsWith("{") ? JSON.stringify(missing) : `${missing.msg}: ${lost}`}\n`,
        );
        lost = 0;
      }
      writeSync(standardError, text);
    } catch {
      lost += 1;
    }
  };
  return {
    write(text) {
      if (isBroken) writeDirectly(text);
      else
        stream.write(text, (error) => {
          if (error) lost += 1;
        });
    },
  };
}
