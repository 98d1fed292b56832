import { Writable } from "node:stream";
import type { Progress, ProgressStep } from "../../sync/ground/world.ts";
import type { Output } from "./terminal.ts";

/** Work that is done sooner needs no bar. */
const patienceMs = 2000;
const clearLine = "\r\u001b[K";

/** A bar on a terminal, for work that takes long. */
export interface ProgressBar extends Progress {
  /** Writes a text above the bar. */
  write(text: string): void;
  /** Takes the bar away. */
  stop(): void;
}

/**
 * undefined where no bar may be shown: the library that draws it is not loaded then, and nobody works out what it would tell.
 */
export async function createProgressBar(
  output: Output,
  now: () => number,
  isWanted: boolean,
): Promise<ProgressBar | undefined> {
  if (!isWanted || !output.isTerminal) return undefined;
  const { SingleBar } = await import("cli-progress");
  const bar = new SingleBar({
    stream: asStream(output),
    format: "{project}: {what} {bar} {amount}",
    barsize: 30,
    fps: 5,
    clearOnComplete: true,
    hideCursor: true,
    linewrap: false,
    gracefulExit: false,
  });
  const startedAt = now();
  let shown: string | undefined;
  return {
    show(step) {
      if (now() - startedAt < patienceMs) return;
      const name = `${step.project} ${step.what}`;
      const total = step.total ?? step.done;
      if (shown === name) {
        bar.setTotal(total);
        bar.update(step.done, wordsOf(step, now()));
        return;
      }
      if (shown !== undefined) bar.stop();
      bar.start(total, step.done, wordsOf(step, now()));
      shown = name;
    },
    write(text) {
      if (shown === undefined) {
        output.write(text);
        return;
      }
      output.write(`${clearLine}${text}`);
      bar.updateETA();
    },
    stop() {
      if (shown !== undefined) bar.stop();
      shown = undefined;
    },
  };
}

function wordsOf({ project, what, done, total, doneAt }: ProgressStep, now: number): Record<string, string> {
  const amount =
    total === undefined
      ? `${done.toLocaleString("en")} so far`
      : describeExtent({ done, total, doneAt }, now);
  return { project, what, amount };
}

/** What the library draws on. */
function asStream(output: Output): NodeJS.WritableStream {
  const stream = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      output.write(text);
      done();
    },
  });
  return Object.assign(stream, { isTTY: output.isTerminal, columns: output.columns });
}

/** How far something is that the pace draws out; `doneAt` is epoch ms. */
interface Extent {
  readonly done: number;
  readonly total: number;
  readonly doneAt: number | undefined;
}

/** As `1,240 of 5,000, done about 14:30`; with the day where that is not today, by the clock of this machine. */
export function describeExtent({ done, total, doneAt }: Extent, now: number): string {
  const amount = `${done.toLocaleString("en")} of ${total.toLocaleString("en")}`;
  return doneAt === undefined ? amount : `${amount}, done about ${nameTime(doneAt, now)}`;
}

function nameTime(at: number, now: number): string {
  const [day, today] = [at, now].map((time) => new Date(time).toLocaleDateString("sv"));
  const time = new Date(at).toLocaleTimeString("sv", { hour: "2-digit", minute: "2-digit" });
  return day === today ? time : `${day} ${time}`;
}
