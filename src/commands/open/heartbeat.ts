import { hostname } from "node:os";
import { resolve } from "node:path";
import { isPostgresUrl } from "../../config/state-address.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { SignOfLife } from "../../ledger/orders.ts";
import { showPlace } from "../../ledger/postgres/url.ts";
import { readLastSign } from "../../ledger/sqlite/sign.ts";
import { minuteMs } from "../../model/time.ts";
import { monotonic, systemClock } from "./clock.ts";

/** A daemon writes a sign of life far more often than this. */
const maxAgeMs = minuteMs;

/** The last sign of life of a daemon on this state. */
export interface Heartbeat {
  /** Epoch ms. */
  readonly at: number;
  readonly ageMs: number;
  readonly isAlive: boolean;
  /** It was stopped, and said so. */
  readonly hasEnded: boolean;
  /** Of its HTTP; undefined where it serves none. */
  readonly address: string | undefined;
}

/** Reads the last sign of life; undefined when no daemon has ever run on this state. */
export async function readHeartbeat(ledger: Ledger): Promise<Heartbeat | undefined> {
  return judgeSign(await ledger.runs.heartbeat());
}

/** What a sign of life says now. */
export function judgeSign(found: SignOfLife | undefined): Heartbeat | undefined {
  if (found === undefined) return undefined;
  const { at, isLast: hasEnded = false, address } = found;
  // One that lies ahead was written before the clock was set back, and tells as little as an old one.
  const ageMs = Math.abs(systemClock.now() - at);
  return { at, ageMs, isAlive: !hasEnded && ageMs < maxAgeMs, hasEnded, address };
}

/** What messages call a state: a file by its whole name, a server without its password. */
export function nameState(cwd: string, state: string): string {
  return isPostgresUrl(state) ? showPlace(state) : resolve(cwd, state);
}

/** The last sign of life of a daemon here, without all the rest of a state. @param state a file, absolute; or the URL of a server. */
export async function readSignOfLife(state: string): Promise<SignOfLife | undefined> {
  if (!isPostgresUrl(state)) return readLastSign(state);
  const { readSign } = await import("../../ledger/postgres/beside.ts");
  return readSign({ url: state, host: hostname(), now: systemClock.now, monotonic });
}
