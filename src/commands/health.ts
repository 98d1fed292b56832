import { resolve } from "node:path";
import { locateState } from "../config/load.ts";
import { systemClock } from "./clock.ts";
import { failWith } from "./failure.ts";
import { printJson } from "./output.ts";
import { configSource } from "./session.ts";
import { readState } from "./state.ts";
import { type CommonOptions, exitCodes, type Terminal } from "./terminal.ts";

/** A daemon writes a sign of life far more often than this. */
const maxAgeMs = 60_000;

/** `boardsync health`: whether the daemon on this state is alive. Needs no config, no secret and no port. */
export function health(terminal: Terminal, options: CommonOptions): number {
  try {
    const state = resolve(terminal.cwd, locateState(configSource(terminal, options)));
    const ledger = readState(state);
    const beat = ledger?.runs.heartbeat();
    ledger?.close();
    const ageMs = beat === undefined ? undefined : systemClock.now() - beat.at;
    const isAlive = ageMs !== undefined && ageMs < maxAgeMs;
    const message =
      ageMs === undefined
        ? `No daemon has ever run on ${state}.`
        : `The daemon's last sign of life is ${Math.max(0, Math.round(ageMs / 1000))} s old${isAlive ? "" : ": it is not running, or it hangs"}.`;
    if (options.json === true) printJson(terminal.out, { alive: isAlive, ageMs: ageMs ?? null, message });
    else if (options.quiet !== true) terminal.out.write(`${message}\n`);
    return isAlive ? exitCodes.ok : exitCodes.partial;
  } catch (error) {
    failWith(terminal, options, error);
    return exitCodes.partial;
  }
}
