import { hostname } from "node:os";
import { resolve } from "node:path";
import { isPostgresUrl } from "../../config/state-address.ts";
import type { SignOfLife } from "../../ledger/orders.ts";
import { showPlace } from "../../ledger/postgres/url.ts";
import { readLastSign } from "../../ledger/sqlite/sign.ts";
import { monotonic, systemClock } from "./clock.ts";

/** What messages call a state: a file by its whole name, a server without its password. */
export function nameState(cwd: string, state: string): string {
  return isPostgresUrl(state) ? showPlace(state) : resolve(cwd, state);
}

/**
 * The last sign of life of a daemon here, without all the rest of a state.
 *
 * @param state a file, absolute; or the URL of a server.
 */
export async function readSignOfLife(state: string): Promise<SignOfLife | undefined> {
  if (!isPostgresUrl(state)) return readLastSign(state);
  const { readSign } = await import("../../ledger/postgres/beside.ts");
  return readSign({ url: state, host: hostname(), now: systemClock.now, monotonic });
}
