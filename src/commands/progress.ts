import { Writable } from "node:stream";
import type { Progress, ProgressStep } from "../sync/world.ts";
import type { Output } from "./terminal.ts";

/** Work that is done sooner needs no bar. */
const patienceMs = 2000;
const clearLine = "\r\u001b[K";

/** A bar on a terminal, for work that takes long; anywhere else nothing is shown. */
export interface ProgressBar extends Progress {
  /** Writes a text above the bar. */
  write(text: string): void;
  /** Takes the bar away. */
  stop(): void;
}

/** Only where a bar may be shown is the library loaded that draws it. */
export async function createProgressBar(
  output: Output,
  now: () => number,
  isWanted: boolean,
): Promise<ProgressBar> {
  if (!isWanted || !output.isTerminal) return { show() {}, write: output.write, stop() {} };
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
        bar.update(step.done, wordsOf(step));
        return;
      }
      if (shown !== undefined) bar.stop();
      bar.start(total, step.done, wordsOf(step));
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

function wordsOf({ project, what, done, total }: ProgressStep): Record<string, string> {
  return { project, what, amount: total === undefined ? `${done} so far` : `${done} of ${total}` };
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
