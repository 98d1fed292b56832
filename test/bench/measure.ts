import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";

/** What one process used, by the operating system's accounting: its start, and whatever it loads, included. */
export interface Usage {
  readonly wallMs: number;
  /** User and system time of all its threads. */
  readonly cpuMs: number;
  readonly peakRssMb: number;
}

/** A program and how it is started; `args` are those of Node. */
export interface Command {
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** What a process used, and what it said on stdout. */
export interface Measured extends Usage {
  readonly output: string;
}

/**
 * Loaded into every process that is measured, and plain JavaScript, so that it costs next to nothing. On Linux the peak is
 * `VmHWM`: `maxRSS` there begins with that of the parent, from which the process was forked.
 */
const accountant = `data:text/javascript,${encodeURIComponent(`
  import { readFileSync, writeSync } from "node:fs";
  process.on("exit", () => {
    const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
    let peakKb = maxRSS;
    try { peakKb = Number(/VmHWM:\\s*(\\d+)/.exec(readFileSync("/proc/self/status", "utf8"))[1]); } catch {}
    writeSync(3, JSON.stringify({ cpuMs: (userCPUTime + systemCPUTime) / 1000, peakRssMb: peakKb / 1024 }));
  });
`)}`;

/**
 * Runs a process to its end.
 *
 * @param isDone what a process waits for that would not end by itself: then it gets a SIGTERM.
 * @throws Error with what it said when it fails.
 */
export async function measure(command: Command, isDone?: Promise<unknown>): Promise<Measured> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [`--import=${accountant}`, ...command.args], {
    cwd: command.cwd,
    env: command.env,
    stdio: ["ignore", "pipe", "pipe", "pipe"],
  });
  // All three are pipes that the child writes to; Node's type of the third covers the other direction, too.
  const pipes = [child.stdout, child.stderr, child.stdio[3]] as readonly Readable[];
  const readings = pipes.map((pipe) => text(pipe));
  void isDone?.finally(() => child.kill());
  const [code] = await once(child, "exit");
  const wallMs = performance.now() - startedAt;
  const [output = "", complaint = "", accounted = ""] = await Promise.all(readings);
  if (code !== 0) throw new Error(`A measured program ended with exit code ${code}:\n${complaint}${output}`);
  return { wallMs, output, ...JSON.parse(accounted) };
}
