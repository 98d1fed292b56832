import { readdirSync } from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import type { Ledger } from "../../ledger/ledger.ts";
import { acquireState } from "../../ledger/sqlite/file/lock.ts";
import { openLedger, openLedgerCopy, openLedgerReadOnly } from "../../ledger/sqlite/sqlite.ts";
import type { Log } from "../../log.ts";
import type { Terminal } from "../print/terminal.ts";
import { systemClock } from "./clock.ts";

/** Holds the state for one command, and lets go of it whatever happens. */
export async function withState<T>(
  terminal: Terminal,
  log: Log,
  command: string,
  state: string,
  work: (ledger: Ledger) => Promise<T>,
): Promise<T> {
  const options = stateOptions(terminal);
  const lock = acquireState(state, `${command}, process ${terminal.pid} on ${hostname()}`, options);
  try {
    if (lock.copy !== undefined) sayCopy(log, state, lock.copy);
    const ledger = openLedger(state, options);
    try {
      return await work(ledger);
    } finally {
      ledger.close();
    }
  } finally {
    lock.release();
  }
}

/** Copies are small, and nobody else deletes them: what piles up is named. */
function sayCopy(log: Log, state: string, copy: string): void {
  const folder = dirname(state);
  const older = readdirSync(folder)
    .filter((name) => name.startsWith(`${basename(state)}.before-v`))
    .map((name) => join(folder, name))
    .filter((file) => file !== copy);
  log.warn(
    { copy, ...(older.length > 0 && { older }) },
    "The state was of an older version and has been brought up to date; `copy` holds it as it was, and can be deleted when all is well",
  );
}

/** The state for a command that changes nothing and works beside a daemon; undefined when there is none yet. */
export function readState(state: string): Ledger | undefined {
  return openLedgerReadOnly(state);
}

/** The state for short writes beside a daemon; undefined when there is none yet. */
export function openBeside(terminal: Terminal, state: string): Ledger | undefined {
  const known = openLedgerReadOnly(state);
  known?.close();
  return known && openLedger(state, stateOptions(terminal));
}

/**
 * Works on a copy of the state that nobody else knows, and leaves no trace, however the process ends.
 *
 * @param work - `isKnown`: whether there was a state to copy.
 */
export async function withPrivateCopy<T>(
  terminal: Terminal,
  state: string,
  work: (ledger: Ledger, isKnown: boolean) => Promise<T>,
): Promise<T> {
  const { ledger, isKnown } = openLedgerCopy(state, stateOptions(terminal));
  try {
    return await work(ledger, isKnown);
  } finally {
    ledger.close();
  }
}

/** A state of one's own, that nobody else knows. */
export function openPrivateState(terminal: Terminal, file: string): Ledger {
  return openLedger(file, stateOptions(terminal));
}

function stateOptions(terminal: Terminal): { readonly now: number; readonly version: string } {
  return { now: systemClock.now(), version: terminal.version };
}
