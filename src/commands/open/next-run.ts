import type { Config } from "../../config/schema.ts";
import { nextTime } from "../../config/times.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { systemClock } from "./clock.ts";
import { readHeartbeat } from "./heartbeat.ts";

/** When the daemon that is running on this state runs a project next, ISO 8601; null where none is running. */
export async function nextRunOf(
  config: Config,
  key: string,
  ledger: Ledger | undefined,
): Promise<string | null> {
  if ((await readHeartbeat(ledger))?.isAlive !== true) return null;
  const at = nextTimeOf(config, key);
  return at === undefined ? null : new Date(at).toISOString();
}

/** The next time that the config names for a project, epoch ms; undefined where it has no schedule. */
export function nextTimeOf({ projects, schedule, timezone }: Config, key: string): number | undefined {
  const project = projects.find((one) => one.project === key);
  return nextTime(project?.schedule ?? schedule, timezone, systemClock.now());
}
