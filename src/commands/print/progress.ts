import type { Progress, ProgressStep } from "../../sync/ground/world.ts";
import { nameClock } from "../../sync/tell/times.ts";
import type { Terminal } from "./terminal.ts";
import { cutOff, oneLine } from "./text.ts";

/** Work that is done sooner needs no bar. */
const patienceMs = 2000;
/** A bar that is drawn more often only flickers. */
const pauseMs = 200;
const barWidth = 30;

/** A bar in the last line of a terminal, for long work; undefined where none may be shown: nobody works out then what it would tell. */
export function createProgressBar(
  { footer, err }: Pick<Terminal, "footer" | "err">,
  now: () => number,
  timeZone: string,
  isWanted: boolean,
): Progress | undefined {
  if (!isWanted || footer === undefined) return undefined;
  const startedAt = now();
  let shown: { readonly name: string; readonly at: number } | undefined;
  return {
    show(step) {
      const at = now();
      if (at - startedAt < patienceMs) return;
      const name = `${step.project} ${step.what}`;
      if (shown?.name === name && at - shown.at < pauseMs) return;
      // The last column stays free: a cursor that stands behind it belongs to the next line on some terminals.
      footer.show(cutOff(oneLine(drawBar(step, at, timeZone)), err.columns() - 1));
      shown = { name, at };
    },
  };
}

function drawBar(
  { project, what, done, total, doneAt }: ProgressStep,
  now: number,
  timeZone: string,
): string {
  const head = `${project}: ${what}`;
  if (total === undefined) return `${head} ${done.toLocaleString("en")} so far`;
  const filled = Math.min(barWidth, Math.floor((barWidth * done) / Math.max(1, total)));
  const bar = "█".repeat(filled) + "░".repeat(barWidth - filled);
  const extent = `${done.toLocaleString("en")} of ${total.toLocaleString("en")}`;
  const end = doneAt === undefined ? "" : `, done about ${nameClock(doneAt, now, timeZone)}`;
  return `${head} ${bar} ${extent}${end}`;
}
