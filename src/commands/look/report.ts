import { connectBoard, connectTracker, type GuardedMachine } from "../../app.ts";
import { createAliases } from "../../config/aliases.ts";
import { concealConfig, concealProblem, mostProjects } from "../../config/concealed.ts";
import { type ConfigSource, loadConfig } from "../../config/load.ts";
import { locateState, nameFile } from "../../config/place.ts";
import type { Config } from "../../config/schema.ts";
import {
  hiddenOf,
  listSecrets,
  passwordsOfState,
  readBoardKey,
  readGitHubSecret,
} from "../../config/secrets.ts";
import { ConfigError, StateError } from "../../errors.ts";
import { knownSchema } from "../../ledger/sqlite/base.ts";
import { readSqliteVersions } from "../../ledger/sqlite/versions.ts";
import { createKnownSecrets, type KnownSecrets } from "../../log.ts";
import type { ReadBounds } from "../../model/surroundings.ts";
import type { Names } from "../../story/report/names.ts";
import { type BoardFacts, lookAtBoard, lookAtTracker } from "../../story/report/sides.ts";
import { readStateFacts } from "../../story/report/state.ts";
import { systemClock } from "../open/clock.ts";
import { configSource } from "../open/config-source.ts";
import { readHeartbeat } from "../open/heartbeat.ts";
import { createTerminalLog, exitOf, redactTerminal } from "../open/session.ts";
import { placeNamed, placeOfState, readState, type StatePlace } from "../open/state.ts";
import { failWith } from "../print/failure.ts";
import { printJson } from "../print/json.ts";
import { type CommonOptions, exitCodes, type Terminal } from "../print/terminal.ts";
import { type BugReport, printBugReport, type StateReport } from "../reports/bug-report.ts";

/** How long each side is looked at. */
const lookMs = 60_000;

interface ReportOptions extends CommonOptions {
  readonly offline?: boolean;
}

/**
 * `boardsync report`: what a maintainer has to know who sees nothing else, and anybody may read. Whatever is broken is a part of
 * it, so it needs neither a config, nor a secret, nor a state.
 */
export async function report(terminal: Terminal, options: ReportOptions): Promise<number> {
  const secrets = createKnownSecrets();
  const safe = redactTerminal(terminal, secrets.redact);
  try {
    const found = await gather(safe, options, secrets);
    if (options.json === true) printJson(safe.out, found);
    else if (options.quiet !== true) printBugReport(safe.out, found);
    if (options.quiet !== true) safe.err.write(`${advice}\n`);
    return exitOf(terminal, exitCodes.ok);
  } catch (error) {
    return failWith(safe, options, error);
  }
}

const advice =
  "Names, addresses, templates, texts of posts and secrets are left out; statuses and the names of the board's fields are not. Read it before you paste it where others can.";

async function gather(terminal: Terminal, options: ReportOptions, secrets: KnownSecrets): Promise<BugReport> {
  const { sqlite, driver } = readSqliteVersions();
  const { node = "unknown", platform = "unknown", arch = "unknown", libc } = terminal.runtime?.() ?? {};
  const versions = {
    ...{ boardsync: terminal.version, node, platform, arch, libc: libc ?? null, sqlite, driver },
    schema: knownSchema,
  };
  const source = attempt(() => configSource(terminal, options));
  if ("problems" in source) {
    const access = "not looked at: .env can't be read";
    const config = { read: false, problems: [".env can't be read"] } as const;
    const state = unread("file", access);
    return { versions, config, secrets: [], board: notAsked(access), tracker: { access }, state };
  }
  const found = readConfig(source.value);
  const aliases = createAliases(found.config);
  const names: Names = { ...aliases, project: (key) => aliases.of("project", key) };
  // What the config names first has the first number, whatever is looked at later.
  const settings = found.config && concealConfig(found.config, aliases);
  const sides = await lookAtSides(terminal, options, { source: source.value, found, names, secrets });
  return {
    versions,
    config: settings === undefined ? { read: false, problems: found.problems } : { read: true, settings },
    secrets: listSecrets(source.value.environment),
    ...sides,
    state: await lookAtState(terminal, source.value, found.config, names),
  };
}

/** A config, or what is wrong with it. */
interface FoundConfig {
  readonly config: Config | undefined;
  readonly problems: readonly string[];
}

function readConfig(source: ConfigSource): FoundConfig {
  const loaded = attempt(() => loadConfig(source));
  if ("value" in loaded) return { config: loaded.value.config, problems: [] };
  return { config: undefined, problems: loaded.problems.map((one) => concealProblem(one, nameFile(source))) };
}

type Attempt<T> = { readonly value: T } | { readonly problems: readonly string[] };

/** What is wrong with config or secrets, as a value. */
function attempt<T>(work: () => T): Attempt<T> {
  try {
    return { value: work() };
  } catch (error) {
    if (error instanceof ConfigError) return { problems: error.problems };
    throw error;
  }
}

function notAsked(access: string): BoardFacts {
  return { access, projects: null, lists: [] };
}

interface SidesToAsk {
  readonly source: ConfigSource;
  readonly found: FoundConfig;
  readonly names: Names;
  readonly secrets: KnownSecrets;
}

/** Asks each side that can be asked. Of one that can not, the report says why. */
async function lookAtSides(
  terminal: Terminal,
  options: ReportOptions,
  { source, found: { config }, names, secrets }: SidesToAsk,
): Promise<Pick<BugReport, "board" | "tracker">> {
  const key = attempt(() => readBoardKey(source));
  const github = attempt(() => readGitHubSecret(source));
  if ("value" in key) secrets.add([key.value ?? ""]);
  if ("value" in github && github.value !== undefined) secrets.add(hiddenOf(github.value));
  secrets.add(passwordsOfState(source));
  if (options.offline === true || config === undefined) {
    const access = options.offline === true ? "not asked: --offline" : "not asked: the config can't be read";
    return { board: notAsked(access), tracker: { access } };
  }
  const machine: GuardedMachine = {
    clock: systemClock,
    random: Math.random,
    log: createTerminalLog(terminal, options.logLevel ?? "error", secrets.redact),
    conceal: secrets.addPassing,
    redact: secrets.redact,
    version: terminal.version,
    environment: source.environment,
  };
  // Each side has its own: one that hangs takes nothing from the other.
  const bound = (): ReadBounds => ({ until: systemClock.now() + lookMs, signal: terminal.signal });
  const keys = keysOf(config);
  const repositories = config.projects.map(({ repo }) => repo);
  return {
    board: await askWith(key, "the board's key", notAsked, (secret) =>
      lookAtBoard(connectBoard(config.board, secret, machine), keys, names, bound()),
    ),
    tracker: await askWith(
      github,
      "a secret of GitHub",
      (access) => ({ access }),
      async (secret) => ({
        access: await lookAtTracker(connectTracker(config.tracker, secret, machine, repositories), bound()),
      }),
    ),
  };
}

async function askWith<Secret, Facts>(
  secret: Attempt<Secret | undefined>,
  what: string,
  otherwise: (access: string) => Facts,
  ask: (secret: Secret) => Promise<Facts>,
): Promise<Facts> {
  if ("problems" in secret) return otherwise(`not asked: ${what} can't be used`);
  if (secret.value === undefined) return otherwise(`not asked: ${what} is not set`);
  try {
    return await ask(secret.value);
  } catch (error) {
    // Such as the address of a proxy that is none.
    if (error instanceof ConfigError) return otherwise("not asked: a setting of the environment is wrong");
    throw error;
  }
}

async function lookAtState(
  terminal: Terminal,
  source: ConfigSource,
  config: Config | undefined,
  names: Names,
): Promise<StateReport> {
  let place: StatePlace | undefined;
  try {
    place = config ? placeOfState(terminal, config) : placeNamed(terminal, await locateState(source));
    return await readPlace(terminal, place, config, names);
  } catch (error) {
    const { BOARDSYNC_STATE_URL: url, BOARDSYNC_STATE_URL_FILE: file } = source.environment;
    const kind = (place === undefined ? (url ?? file) : place.server) === undefined ? "file" : "postgres";
    if (error instanceof StateError) return { ...unread(kind, error.code), schema: error.schema ?? null };
    if (error instanceof ConfigError) return unread(kind, "not looked at: its place can't be read");
    throw error;
  }
}

/** The projects that the report is about. */
function keysOf(config: Config | undefined): readonly string[] {
  return (config?.projects ?? []).slice(0, mostProjects).map(({ project }) => project);
}

function unread(kind: StateReport["kind"], access: string): StateReport {
  return { kind, access, schema: null, daemon: null, replicas: 0, facts: null };
}

async function readPlace(
  terminal: Terminal,
  place: StatePlace,
  config: Config | undefined,
  names: Names,
): Promise<StateReport> {
  const kind = place.server === undefined ? "file" : "postgres";
  const ledger = await readState(terminal, place);
  if (ledger === undefined) return unread(kind, "there is none yet");
  try {
    const beat = await readHeartbeat(ledger);
    const facts = await readStateFacts(ledger, keysOf(config), names, systemClock.now());
    return {
      kind,
      access: "ok",
      schema: facts.schema,
      daemon: beat === undefined ? null : { alive: beat.isAlive, ageSeconds: Math.round(beat.ageMs / 1000) },
      replicas: (await ledger.runs.replicas()).length,
      facts,
    };
  } finally {
    ledger.close();
  }
}
