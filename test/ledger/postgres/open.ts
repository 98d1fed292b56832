import type { SharedLedger } from "../../../src/ledger/ledger.ts";
import { openSharedLedger, type SharedOptions } from "../../../src/ledger/postgres/postgres.ts";
import { noon } from "../samples.ts";

/** A replica with a clock and timers of its own. */
export function openShared(url: string, options: Partial<SharedOptions> = {}): Promise<SharedLedger> {
  return openSharedLedger({ ...sharedOptions(url), ...options });
}

export function sharedOptions(url: string): SharedOptions {
  return {
    url,
    version: "1.0.0",
    who: "sync, process 1 on host box",
    host: "box",
    config: () => "",
    leaseMs: 30_000,
    requestMs: 10_000,
    follows: false,
    now: () => noon,
    monotonic: () => 0,
    repeat: () => () => undefined,
  };
}
