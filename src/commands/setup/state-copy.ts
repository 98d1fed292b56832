import { resolve } from "node:path";
import { loadEnvironment } from "../../config/environment.ts";
import { readTextFile } from "../../config/files.ts";
import { readStatePlace } from "../../config/secrets.ts";
import {
  findAddressFault,
  holdsPassword,
  isAddress,
  isForShell,
  isPostgresUrl,
  shellsPart,
} from "../../config/state-address.ts";
import { ConfigError, StateError } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { showPlace } from "../../ledger/postgres/url.ts";
import { acquireState } from "../../ledger/sqlite/lock.ts";
import { openLedger, openLedgerReadOnly, readImage, writeImage } from "../../ledger/sqlite/sqlite.ts";
import { EarlierFormError } from "../../ledger/stored.ts";
import { nameState } from "../open/heartbeat.ts";
import { closing, serverOptions, stateOptions, whoIs } from "../open/state.ts";
import { type CommandCall, exitCodes, type Terminal } from "../print/terminal.ts";
import { printJson, printLine } from "../print/text.ts";

/** `boardsync state copy FROM TO`: moves a whole state between a file and a PostgreSQL server. Needs no config. */
export async function copyState({ terminal, options, args }: CommandCall): Promise<number> {
  const [, from = "", to = ""] = args;
  const [source, target] = [from, to].map((place) => locate(terminal, place)) as [string, string];
  await takeOutState(terminal, source, (image) => fillState(terminal, target, image));
  const [old, made] = [nameState(terminal.cwd, source), nameState(terminal.cwd, target)];
  if (options.json === true) printJson(terminal.out, { from: old, to: made });
  else if (options.quiet !== true) {
    printLine(terminal.out, "", `The state of ${old} is at ${made} now.`);
    const next = `Next: set \`state: ${made}\` in the config. ${old} stays as it is, and counts as an old copy from now on.`;
    printLine(terminal.out, "", next);
  }
  return exitCodes.ok;
}

/** A file, absolute; or a URL, with the password of `BOARDSYNC_STATE_URL` where that names the same database. */
function locate({ cwd, env }: Terminal, place: string): string {
  if (isForShell(place)) throw new ConfigError([`\`${place}\` ${shellsPart}.`]);
  if (!isPostgresUrl(place) && !isAddress(place)) return resolve(cwd, place);
  if (findAddressFault(place) !== undefined) throw new ConfigError([noAddress]);
  if (holdsPassword(place)) throw new ConfigError([passwordTyped]);
  const known = readStatePlace({
    environment: loadEnvironment({ env, cwd, readText: readTextFile }),
    cwd,
    readText: readTextFile,
  });
  if ("problem" in known) throw new ConfigError([known.problem]);
  const url = known.value;
  return url !== undefined && isPostgresUrl(url) && showPlace(url) === showPlace(place) ? url : place;
}

const noAddress = "That is no address of a database: write postgres://host:5432/database.";
const passwordTyped =
  "The URL holds a password, which everybody could see in the list of processes: leave it out, and set BOARDSYNC_STATE_URL to the whole one";

/**
 * Takes a whole state from where nobody is at work with it.
 *
 * @param state a file, absolute; or the URL of a server.
 * @param keep puts it somewhere else. When that has come true, the old one counts as an old copy.
 */
async function takeOutState(
  terminal: Terminal,
  state: string,
  keep: (image: Buffer) => Promise<void>,
): Promise<void> {
  const options = stateOptions(terminal);
  if (isPostgresUrl(state)) {
    const { emptyServer } = await import("../../ledger/postgres/beside.ts");
    return emptyServer(serverOf(terminal, state), keep);
  }
  let known: Ledger | undefined;
  try {
    known = openLedgerReadOnly(state);
  } catch (error) {
    if (!(error instanceof EarlierFormError)) throw error;
    const { readEarlierImage } = await import("../../ledger/sqlite/earlier.ts");
    // Nobody works with it any more, so it needs no word that it is an old copy.
    return keep(readEarlierImage(state, options));
  }
  if (known === undefined) throw new StateError(`There is no state at ${state}.`);
  known.close();
  const lock = acquireState(state, whoIs(terminal, "state copy"), options);
  try {
    await closing(openLedger(state, options), async (ledger) => {
      await keep(readImage(state, options));
      await ledger.commit([{ kind: "declare-old", at: options.now }]);
    });
  } finally {
    lock.release();
  }
}

/** Puts a whole state to where there is none. */
async function fillState(terminal: Terminal, state: string, image: Buffer): Promise<void> {
  if (isPostgresUrl(state)) {
    const { fillServer } = await import("../../ledger/postgres/beside.ts");
    return fillServer(serverOf(terminal, state), image);
  }
  return writeImage(image, state, stateOptions(terminal));
}

/** Of a server that is only asked, for no run. */
function serverOf(terminal: Terminal, url: string): ReturnType<typeof serverOptions> {
  const server = { url, config: () => "", leaseMs: 5_000, requestMs: 0 };
  return serverOptions(terminal, server, whoIs(terminal, "state copy"));
}
