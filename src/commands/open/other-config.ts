import type { Config } from "../../config/schema.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { judgeSign } from "./heartbeat.ts";
import { printWhole } from "./state.ts";

/** A daemon at work that works by another config than the file holds now. */
export interface OtherConfig {
  readonly who: string;
  /** When it read the one that it works by, epoch ms. */
  readonly readAt: number;
}

/** The daemons at work that have not read the config as it is now: whatever changed in it since does not count for them yet. */
export async function findOtherConfigs(
  config: Config,
  ledger: Ledger | undefined,
): Promise<readonly OtherConfig[]> {
  if (ledger === undefined) return [];
  const sign = await ledger.runs.heartbeat();
  const replicas = await ledger.runs.replicas();
  const single = sign !== undefined && judgeSign(sign)?.isAlive === true ? [sign] : [];
  const print = printWhole(config);
  return (replicas.length > 0 ? replicas : single).flatMap(({ who, config: known }) =>
    known === undefined || known.print === print ? [] : [{ who, readAt: known.readAt }],
  );
}

/** As a sentence. */
export function describeOtherConfig({ who, readAt }: OtherConfig, showTime: (at: number) => string): string {
  return `The ${who}, works by the config that it read at ${showTime(readAt)}. The file says something else now, and that does not count yet: send the daemon SIGHUP, or start it again. \`boardsync pause --all\` stops all writes at once.`;
}

/** As `--json` prints them. */
export function toOtherConfigs(found: readonly OtherConfig[]) {
  return found.map(({ who, readAt }) => ({ who, readAt: new Date(readAt).toISOString() }));
}
