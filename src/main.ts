#!/usr/bin/env node
/**
 * The process edge, and the only file that touches `process`. It imports nothing before it knows that this Node.js can run
 * the rest: a native module would crash an older one without a word.
 */
import type { Output, Terminal } from "./commands/terminal.ts";

const oldestNode: readonly [number, number] = [22, 19];
/** How long the write in hand may take after a signal, before it is left as an unknown outcome. */
const graceMs = 8000;

const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1])) {
  process.stderr.write(
    `boardsync needs Node.js ${oldestNode.join(".")} or newer, and this is ${process.versions.node}: run it with a newer one, or with \`npx boardsync\` after \`npm ci\`.\n`,
  );
  process.exitCode = 2;
} else {
  await main();
}

async function main(): Promise<void> {
  const { runProgram } = await import("./commands/program.ts");
  const { version } = await readManifest();
  const interruption = new AbortController();
  for (const [signal, code] of [
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const) {
    process.on(signal, () => {
      const isDaemon = process.argv[2] === "daemon";
      if (interruption.signal.aborted && !isDaemon) process.exit(code);
      interruption.abort(signal);
      setTimeout(() => process.exit(isDaemon ? 0 : code), graceMs).unref();
    });
  }
  // A reader that went away (`boardsync status | head`) is no failure.
  for (const stream of [process.stdout, process.stderr]) {
    stream.on("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EPIPE") process.exit(process.exitCode ?? 0);
      throw error;
    });
  }
  const terminal: Terminal = {
    args: process.argv.slice(2),
    env: process.env,
    cwd: process.cwd(),
    version,
    pid: process.pid,
    out: outputOf(process.stdout),
    err: outputOf(process.stderr),
    signal: interruption.signal,
  };
  process.exitCode = await runProgram(terminal);
}

async function readManifest(): Promise<{ readonly version: string }> {
  const { readFile } = await import("node:fs/promises");
  return JSON.parse(await readFile(new URL("../package.json", import.meta.url), "utf8"));
}

function outputOf(stream: NodeJS.WriteStream): Output {
  return {
    isTerminal: stream.isTTY === true,
    columns: stream.columns ?? 120,
    write: (text) => {
      stream.write(text);
    },
  };
}
