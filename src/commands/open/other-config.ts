import type { Config } from "../../config/schema.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { ToldTimes } from "../../sync/tell/times.ts";
import type { Output } from "../print/terminal.ts";
import { oneLine, paint, printLine } from "../print/text.ts";
import { judgeSign } from "./heartbeat.ts";
import { printWhole } from "./state.ts";

/** A daemon at work by another config than the file holds now, as `--json` prints it. */
export interface OtherConfig {
  readonly who: string;
  /** When it read the one that it works by, ISO 8601. */
  readonly readAt: string;
}

/** The daemons at work that have not read the config as it is now: whatever changed in it since does not count for them yet. */
export async function findOtherConfigs(config: Config, ledger: Ledger): Promise<readonly OtherConfig[]> {
  const sign = await ledger.runs.heartbeat();
  const replicas = await ledger.runs.replicas();
  const single = sign !== undefined && judgeSign(sign)?.isAlive === true ? [sign] : [];
  const print = printWhole(config);
  return (replicas.length > 0 ? replicas : single).flatMap(({ who, config: known }) =>
    known === undefined || known.print === print
      ? []
      : [{ who, readAt: new Date(known.readAt).toISOString() }],
  );
}

/** As a sentence. */
export function describeOtherConfig({ who, readAt }: OtherConfig): string {
  return `The ${who}, works by the config that it read at ${readAt}. The file says something else now, and that does not count yet: send the daemon SIGHUP, or start it again. \`boardsync pause --all\` stops all writes at once.`;
}

/** What the file says does not count yet: whoever has just pulled a switch in it must know. */
export function printOtherConfigs(out: Output, times: ToldTimes, others: readonly OtherConfig[]): void {
  for (const { who, readAt } of others) {
    const said = describeOtherConfig({ who, readAt: times.name(Date.parse(readAt)) });
    printLine(out, paint(out, "yellow", "! "), oneLine(said));
  }
}
