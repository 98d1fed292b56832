import type { ToldTimes } from "../../sync/tell/times.ts";
import { describeOtherConfig } from "../open/other-config.ts";
import type { Output } from "../print/terminal.ts";
import { oneLine, paint, printLine } from "../print/text.ts";

/** A daemon at work by another config than the file holds now, as `--json` prints it. */
export interface OtherConfigLine {
  readonly who: string;
  /** When it read the one that it works by, ISO 8601. */
  readonly readAt: string;
}

/** What the file says does not count yet: whoever has just pulled a switch in it must know. */
export function printOtherConfigs(out: Output, times: ToldTimes, others: readonly OtherConfigLine[]): void {
  for (const { who, readAt } of others) {
    const said = describeOtherConfig({ who, readAt: Date.parse(readAt) }, times.name);
    printLine(out, paint(out, "yellow", "! "), oneLine(said));
  }
}
