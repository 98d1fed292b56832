import { resolve } from "node:path";
import { connectBoard, connectTracker, type GuardedMachine } from "../../app.ts";
import {
  concealConfig,
  concealProblem,
  createStandIns,
  mostProjects,
  showYaml,
} from "../../config/concealed.ts";
import { parseConfigDocument } from "../../config/document.ts";
import { type Attempt, attempt, type ConfigSource, loadConfig } from "../../config/load.ts";
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
import { escapeControls } from "../../escape.ts";
import { knownSchema } from "../../ledger/sqlite/migrate.ts";
import { readSqliteVersions } from "../../ledger/sqlite/versions.ts";
import { createKnownSecrets, type KnownSecrets } from "../../log.ts";
import type { ReadBounds } from "../../model/surroundings.ts";
import { minuteMs } from "../../model/time.ts";
import { type Facts, lookAtBoard, lookAtTracker, type Names, readStateFacts } from "../../story/report.ts";
import { systemClock } from "../open/clock.ts";
import { configSource } from "../open/config-source.ts";
import { readHeartbeat } from "../open/heartbeat.ts";
import { createTerminalLog, exitOf, redactTerminal } from "../open/session.ts";
import { closing, placeNamed, placeOfState, readState } from "../open/state.ts";
import { failWith } from "../print/failure.ts";
import { type CommandCall, type CommonOptions, exitCodes, type Terminal } from "../print/terminal.ts";
import { printJson } from "../print/text.ts";

/** How long each side is looked at. */
const lookMs = minuteMs;

interface ReportOptions extends CommonOptions {
  readonly offline?: boolean;
}

/**
 * `boardsync report`: what a maintainer has to know who sees nothing else, and anybody may read. Whatever is broken is a part of
 * it, so it needs neither a config, nor a secret, nor a state.
 */
export async function report({ terminal, options }: CommandCall<ReportOptions>): Promise<number> {
  const secrets = createKnownSecrets();
  const safe = redactTerminal(terminal, secrets.redact);
  try {
    const found = await gather(safe, options, secrets);
    if (options.json === true) printJson(safe.out, found);
    else if (options.quiet !== true)
      safe.out.write(
        `### boardsync ${terminal.version}\n\n\`\`\`yaml\n${escapeControls(showYaml(found))}\`\`\`\n`,
      );
    if (options.quiet !== true) safe.err.write(`${advice}\n`);
    return exitOf(terminal, exitCodes.ok);
  } catch (error) {
    return failWith(safe, options, error);
  }
}

const advice =
  "Names, addresses, templates, texts of posts and secrets are left out; statuses and the names of the board's fields are not. Read it before you paste it where others can.";

async function gather(terminal: Terminal, options: ReportOptions, secrets: KnownSecrets): Promise<Facts> {
  const { sqlite, driver } = readSqliteVersions();
  const { node = "unknown", platform = "unknown", arch = "unknown", libc } = terminal.runtime?.() ?? {};
  const versions = {
    ...{ boardsync: terminal.version, node, platform, arch, libc: libc ?? null },
    ...{ sqlite, "better-sqlite3": driver, schema: knownSchema },
  };
  const source = attempt(() => configSource(terminal, options));
  if ("problems" in source) {
    const unread = { access: ".env can't be read" };
    return { versions, config: { problems: [unread.access] }, board: unread, tracker: unread, state: unread };
  }
  const loaded = attempt(() => loadConfig(source.value).config);
  const config = "value" in loaded ? loaded.value : undefined;
  const file = resolve(source.value.cwd, nameFile(source.value));
  const content = config && parseConfigDocument(source.value.readText(file)).content;
  const names = createStandIns(content);
  const gathered = { terminal, options, secrets, source: source.value, config, names };
  return {
    versions,
    // First, so that what the config names first has the first number.
    config:
      "value" in loaded
        ? concealConfig(content, names)
        : { problems: loaded.problems.map((one) => concealProblem(one, nameFile(source.value))) },
    secrets: groupSecrets(source.value),
    ...(await lookAtSides(gathered)),
    state: await lookAtState(gathered),
  };
}

const origins = { variable: "set", file: "set by a file", both: "set twice", nowhere: "not set" } as const;

/** Names of variables, by where their values come from. */
function groupSecrets({ environment }: ConfigSource): Facts {
  const secrets = listSecrets(environment);
  const groups = Object.entries(origins).map(([from, words]) => [
    words,
    secrets.filter((secret) => secret.from === from).map(({ name }) => name),
  ]);
  return Object.fromEntries(groups.filter(([, named]) => named?.length));
}

/** What the report is made of. */
interface Gathered {
  readonly terminal: Terminal;
  readonly options: ReportOptions;
  readonly secrets: KnownSecrets;
  readonly source: ConfigSource;
  /** undefined where it can't be read. */
  readonly config: Config | undefined;
  readonly names: Names;
}

/** Asks each side that can be asked. Of one that can not, the report says why. */
async function lookAtSides(gathered: Gathered): Promise<Facts> {
  const { terminal, options, secrets, source, config, names } = gathered;
  const key = attempt(() => readBoardKey(source));
  const github = attempt(() => readGitHubSecret(source));
  if ("value" in key) secrets.add([key.value ?? ""]);
  if ("value" in github && github.value !== undefined) secrets.add(hiddenOf(github.value));
  secrets.add(passwordsOfState(source));
  if (options.offline === true || config === undefined) {
    const unasked = { access: `not asked: ${config ? "--offline" : "the config can't be read"}` };
    return { board: unasked, tracker: unasked };
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
  const repositories = config.projects.map(({ repo }) => repo);
  return {
    board: await askWith(key, (secret) =>
      lookAtBoard(connectBoard(config.board, secret, machine), keysOf(config), names, bound()),
    ),
    tracker: await askWith(github, (secret) =>
      lookAtTracker(connectTracker(config.tracker, secret, machine, repositories), bound()),
    ),
  };
}

async function askWith<Secret>(
  secret: Attempt<Secret | undefined>,
  ask: (secret: Secret) => Promise<Facts>,
): Promise<Facts> {
  if ("problems" in secret) return { access: "not asked: its secret can't be used" };
  if (secret.value === undefined) return { access: "not asked: its secret is not set" };
  try {
    return await ask(secret.value);
  } catch (error) {
    // Such as the address of a proxy that is none.
    if (error instanceof ConfigError) return { access: "not asked: a setting of the environment is wrong" };
    throw error;
  }
}

/** The projects that the report is about. */
function keysOf(config: Config | undefined): readonly string[] {
  return (config?.projects ?? []).slice(0, mostProjects).map(({ project }) => project);
}

async function lookAtState({ terminal, source, config, names }: Gathered): Promise<Facts> {
  let kind = "unknown";
  try {
    const place = config ? placeOfState(terminal, config) : placeNamed(terminal, await locateState(source));
    kind = place.server === undefined ? "file" : "PostgreSQL";
    const ledger = await readState(place);
    if (ledger === undefined) return { kind, access: "there is none yet" };
    return await closing(ledger, async () => {
      const beat = await readHeartbeat(ledger);
      const daemon = beat && { alive: beat.isAlive, lastSign: new Date(beat.at).toISOString() };
      return {
        ...{ kind, access: "ok", daemon: daemon ?? "none has run" },
        ...(await readStateFacts(ledger, keysOf(config), names)),
      };
    });
  } catch (error) {
    if (error instanceof StateError) return { kind, access: error.code, schema: error.schema ?? null };
    if (error instanceof ConfigError) return { kind, access: "not looked at: its place can't be read" };
    throw error;
  }
}
