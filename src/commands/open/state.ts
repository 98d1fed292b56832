import { hash } from "node:crypto";
import { readdirSync, statfsSync, statSync } from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import type { Config } from "../../config/schema.ts";
import { isPostgresUrl } from "../../config/state-address.ts";
import { StateError, StateHeldError } from "../../errors.ts";
import type { HeldProjects, Ledger, SharedLedger, Taken } from "../../ledger/ledger.ts";
import type { SharedOptions } from "../../ledger/postgres/postgres.ts";
import { acquireState } from "../../ledger/sqlite/lock.ts";
import {
  type LedgerCopy,
  openLedger,
  openLedgerCopy,
  openLedgerReadOnly,
} from "../../ledger/sqlite/sqlite.ts";
import type { Log } from "../../log.ts";
import { minuteMs } from "../../model/time.ts";
import type { Terminal } from "../print/terminal.ts";
import { followClock, monotonic, systemClock } from "./clock.ts";
import { nameState } from "./heartbeat.ts";

/** Where a state is: a file, or a server that several processes work on; and who works on it there. */
export interface StatePlace {
  readonly terminal: Terminal;
  /** As messages call it: a server without its password. */
  readonly name: string;
  /** undefined for a file. */
  readonly server: ServerPlace | undefined;
}

type ServerPlace = Pick<SharedOptions, "url" | "config" | "leaseMs" | "requestMs">;

/** A request that is under way when a lease ends could be made a second time by whoever has the next one. */
const spareMs = 5_000;

/** Where a config has its state. @param print - see `printConfig`; of the config of the moment. */
export function placeOfState(
  terminal: Terminal,
  config: Config,
  print: () => string = () => printConfig(config),
): StatePlace {
  const { cwd } = terminal;
  const { state, board, tracker } = config;
  if (!isPostgresUrl(state)) return { terminal, name: resolve(cwd, state), server: undefined };
  const requestMs = Math.max(board.timeout, tracker.timeout);
  const leaseMs = Math.max(config.lease, requestMs + spareMs);
  return { terminal, name: nameState(cwd, state), server: { url: state, config: print, requestMs, leaseMs } };
}

/** What decides what is written: two replicas that differ in it would undo each other's work. */
export function printConfig({ board, tracker, settle, guard, waits, projects }: Config): string {
  return printOf({ board, tracker, settle, guard, waits, projects });
}

/** All of a config that a daemon takes up when it reads it anew; what only a restart changes may differ from machine to machine. */
export function printWhole({ state: _, http: __, lease: ___, ...config }: Config): string {
  return printOf(config);
}

function printOf(settings: object): string {
  return hash("sha256", JSON.stringify(settings)).slice(0, 16);
}

/** Holds projects for one command, and lets go of them whatever happens. Of a file that is the whole state. */
export async function withState<T>(
  place: StatePlace,
  log: Log,
  command: string,
  projects: readonly { readonly key: string }[],
  work: (ledger: Ledger) => Promise<T>,
): Promise<T> {
  return withStateToTake(place, log, command, async (_, take) => {
    const hold = await take(projects.map(({ key }) => key));
    if (hold.kind === "taken") throw new StateHeldError(describeTaken(place, hold));
    try {
      return await work(hold.ledger);
    } finally {
      await hold.release();
    }
  });
}

/** Works on an opened state, and closes it whatever happens. */
export async function closing<T>(ledger: Ledger, work: (ledger: Ledger) => Promise<T>): Promise<T> {
  try {
    return await work(ledger);
  } finally {
    ledger.close();
  }
}

function describeTaken({ name }: StatePlace, { project, who, isOtherConfig }: Taken): string {
  return isOtherConfig
    ? `The project ${project} at ${name} is worked on by ${who || "a daemon"} with another config: give both the same one, or stop that one.`
    : `The project ${project} at ${name} is held by ${who}.`;
}

/** Takes projects for a run. */
export type Take = SharedLedger["take"];

/** The state for a process that takes its projects one by one. Nobody else has a file meanwhile. */
export async function withStateToTake<T>(
  { terminal, name, server }: StatePlace,
  log: Log,
  command: string,
  work: (ledger: Ledger, take: Take) => Promise<T>,
): Promise<T> {
  const who = whoIs(terminal, command);
  if (server !== undefined) {
    const ledger = await openServer(terminal, server, who, command === "daemon");
    sayClock(log, ledger);
    return closing(ledger, () => work(ledger, ledger.take));
  }
  const options = stateOptions(terminal);
  const lock = acquireState(name, who, options);
  try {
    if (lock.copy !== undefined) sayCopy(log, name, lock.copy);
    sayNetwork(log, name);
    const ledger = openLedger(name, options);
    const hold: HeldProjects = { kind: "held", ledger, release: async () => undefined };
    const file = fileAt(name);
    const take: Take = async () => {
      if (fileAt(name) !== file)
        throw new StateError(describeGone(name), { brief: "its file was removed or replaced" });
      return hold;
    };
    return await closing(ledger, () => work(ledger, take));
  } finally {
    lock.release();
  }
}

/** Which file has this name; undefined where none has. */
function fileAt(name: string): string | undefined {
  const known = statSync(name, { throwIfNoEntry: false });
  return known && `${known.dev} ${known.ino}`;
}

function describeGone(name: string): string {
  return `The state file ${name} was removed or replaced under this process, which writes nothing any more: start it again. \`boardsync help lost\` says what it does then.`;
}

/** Where there is no state, and what comes next. */
export function describeNone(name: string): string {
  return `No run yet: there is no state at ${name}. Next: \`boardsync plan\`, then \`boardsync sync\`. If there was one: \`boardsync help lost\`.`;
}

async function openServer(
  terminal: Terminal,
  server: ServerPlace,
  who: string,
  follows: boolean,
): Promise<SharedLedger> {
  const { openSharedLedger } = await import("../../ledger/postgres/postgres.ts");
  const ledger = await openSharedLedger({ ...serverOptions(terminal, server, who), follows });
  const stop = followClock(ledger.now);
  const { close } = ledger;
  return Object.assign(ledger, {
    close() {
      stop();
      close();
    },
  });
}

/** What a server is asked with. */
export function serverOptions(terminal: Terminal, server: ServerPlace, who: string): SharedOptions {
  return {
    ...server,
    who,
    host: hostname(),
    version: terminal.version,
    follows: false,
    now: systemClock.now,
    monotonic,
    repeat(everyMs, work) {
      let isBusy = false;
      const tick = async (): Promise<void> => {
        // A server that does not answer would be asked by ever more at once.
        if (isBusy) return;
        isBusy = true;
        // What fails is tried again: a lease that could not be prolonged is found when something is to be written.
        await work().catch(() => undefined);
        isBusy = false;
      };
      const timer = setInterval(() => void tick(), everyMs);
      timer.unref();
      return () => clearInterval(timer);
    },
  };
}

/** A clock that is corrected by more than this is worth a word. */
const notableMs = minuteMs;

function sayClock(log: Log, { clockAheadMs }: SharedLedger): void {
  if (Math.abs(clockAheadMs) < notableMs) return;
  log.warn(
    { aheadMs: clockAheadMs },
    "The clock of this machine is not that of the state's server, which counts for all replicas; set it right",
  );
}

/** What Linux calls the types of these file systems, in statfs(2): NFS, and SMB in its versions. */
const networkTypes: ReadonlySet<number> = new Set([0x6969, 0x517b, 0xff534d42, 0xfe534d42]);

/** There a lock may hold nobody off, and two processes that write break the file: https://sqlite.org/wal.html */
function sayNetwork(log: Log, state: string): void {
  if (isOnNetwork(dirname(state)))
    log.warn(
      { state },
      "The state is on a network file system, where its lock may hold nobody off: two processes could write at once, and break it. Move it to a local disk or to PostgreSQL (`boardsync state copy`)",
    );
}

/** What can't be told is no reason to stop. */
function isOnNetwork(folder: string): boolean {
  try {
    return networkTypes.has(statfsSync(folder).type);
  } catch {
    return false;
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
export async function readState({ terminal, name, server }: StatePlace): Promise<Ledger | undefined> {
  if (server === undefined) return openLedgerReadOnly(name);
  const { openSharedReader } = await import("../../ledger/postgres/beside.ts");
  return openSharedReader(serverOptions(terminal, server, ""));
}

/**
 * The state for short writes beside a daemon; undefined when there is none yet.
 *
 * @param follows whether what others write is to be seen without a question, on a server.
 */
export async function openBeside(
  { terminal, name, server }: StatePlace,
  command: string,
  follows = false,
): Promise<Ledger | undefined> {
  if (server !== undefined) {
    const { hasSharedState } = await import("../../ledger/postgres/beside.ts");
    if (!(await hasSharedState(server.url))) return undefined;
    return openServer(terminal, server, whoIs(terminal, command), follows);
  }
  const known = openLedgerReadOnly(name);
  known?.close();
  return known && openLedger(name, stateOptions(terminal));
}

/**
 * Works on a copy of the state that nobody else knows, and leaves no trace, however the process ends.
 *
 * @param work - `isKnown`: whether there was a state to copy.
 */
export async function withPrivateCopy<T>(
  place: StatePlace,
  work: (ledger: Ledger, isKnown: boolean) => Promise<T>,
): Promise<T> {
  const { ledger, isKnown } = await openCopy(place);
  return closing(ledger, () => work(ledger, isKnown));
}

async function openCopy({ terminal, name, server }: StatePlace): Promise<LedgerCopy> {
  if (server === undefined) return openLedgerCopy(name, stateOptions(terminal));
  const { openSharedCopy } = await import("../../ledger/postgres/beside.ts");
  return openSharedCopy(serverOptions(terminal, server, ""));
}

/** A process as messages name it, and as others on its state tell it from themselves. */
export function whoIs({ pid, id }: Terminal, command: string): string {
  return `${command}, process ${pid} on ${hostname()}${id === undefined ? "" : `#${id}`}`;
}

/** What a file is opened with. */
export function stateOptions(terminal: Terminal): { readonly now: number; readonly version: string } {
  return { now: systemClock.now(), version: terminal.version };
}
