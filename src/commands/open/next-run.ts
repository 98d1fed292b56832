import type { Config } from "../../config/schema.ts";
import { createTimes, nextTime } from "../../config/times.ts";
import { describeLate } from "../../daemon/readiness.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { minuteMs } from "../../model/time.ts";
import type { Moment } from "../../sync/tell/project-state.ts";
import { systemClock } from "./clock.ts";
import { judgeSign } from "./heartbeat.ts";

/**
 * What the daemon that is running on this state knows of a project beside what the state tells: when it runs next, that it is late,
 * and what has broken its last run off. Nothing where none is running. One that is silent, and was not stopped, may have no room to
 * write on its disk: where nobody has run the project in its place since, it is late, too.
 */
export async function readMoment(config: Config, key: string, ledger: Ledger): Promise<Omit<Moment, "now">> {
  const sign = await ledger.runs.heartbeat();
  const beat = judgeSign(sign);
  if (beat === undefined || beat.hasEnded) return {};
  const { lastSuccessAt } = ledger.memory.project(key) ?? {};
  const late = lateSince(config, key, lastSuccessAt);
  if (!beat.isAlive) return beat.at >= (lastSuccessAt ?? beat.at) - minuteMs ? { late } : {};
  return { nextRunAt: nextTimeOf(config, key), late, broken: sign?.broken?.[key] };
}

/** As the daemon judges it, but by the times of the schedule since the last success. */
function lateSince(config: Config, key: string, lastSuccessAt: number | undefined): string | undefined {
  if (lastSuccessAt === undefined) return undefined;
  const now = systemClock.now();
  const { next, periodMs } = createTimes(expressionOf(config, key), config.timezone);
  // A pause of the schedule makes none late.
  if (next(next(next(lastSuccessAt))) > now) return undefined;
  const known = { periodMs: periodMs(now), lastSuccessAt, succeededAt: undefined, times: [] };
  return describeLate(known, { wall: now, monotonic: 0 });
}

function expressionOf({ projects, schedule }: Config, key: string): string {
  return projects.find((one) => one.project === key)?.schedule ?? schedule;
}

/** The next time that the config names for a project, epoch ms; undefined where it has no schedule. */
export function nextTimeOf(config: Config, key: string): number | undefined {
  return nextTime(expressionOf(config, key), config.timezone, systemClock.now());
}
