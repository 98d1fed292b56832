import { hash } from "node:crypto";
import { join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { connectSides, type Machine, type Sides, syncProjects } from "../../app.ts";
import { type Environment, readLogLevel } from "../../config/environment.ts";
import { isReadableByAll } from "../../config/files.ts";
import { type LoadedConfig, loadConfigAndSecrets } from "../../config/load.ts";
import type { Config } from "../../config/schema.ts";
import { findEmptySecrets, type HttpSecrets, loadSecrets, type Secrets } from "../../config/secrets.ts";
import { ConfigError } from "../../errors.ts";
import {
  createKnownSecrets,
  createLog,
  isOwnWord,
  type KnownSecrets,
  type Log,
  type Redact,
} from "../../log.ts";
import type { SyncProject } from "../../sync/ground/world.ts";
import { type Timed, tellTimes } from "../../sync/tell/times.ts";
import { failWith } from "../print/failure.ts";
import { createLogLines } from "../print/log-lines.ts";
import { createProgressBar } from "../print/progress.ts";
import type { Called, CommonOptions, Output, ProjectOptions, Terminal } from "../print/terminal.ts";
import { systemClock } from "./clock.ts";
import { configSource } from "./config-source.ts";
import { printConfig } from "./state.ts";

/** What a command that talks to both sides works with. */
export interface Session<Options extends SessionOptions = SessionOptions> extends Called<Options> {
  /** Prints no secret, whatever is written to it, and tells times in the config's zone. */
  readonly terminal: Terminal & Timed;
  /** A report without secrets in it. A table may break a text anywhere, and the terminal then knows a secret no more. */
  clean<T>(report: T): T;
  readonly config: Config;
  /** See `printConfig`. */
  readonly print: string;
  /** The config's file, absolute. */
  readonly file: string;
  readonly place: LoadedConfig["place"];
  readonly projects: readonly SyncProject[];
  readonly machine: Machine;
  readonly sides: Sides;
  /** Of the daemon's HTTP. */
  readonly http: HttpSecrets;
  /** Made of secrets that every replica has, and the state has not. */
  readonly shared: string;
  readonly log: Log;
  /** The same with config, secrets, `.env` and log level as they are by now. @throws ConfigError with all that is wrong; then nothing has changed. */
  reopen(): Session<Options>;
  /**
   * The same with the secrets, `.env` and the files that they name as they are by now; undefined where the secrets are the same.
   *
   * @throws ConfigError with everything that is wrong with them; then nothing has changed.
   */
  renew(): Session<Options> | undefined;
}

/** Loads config and secrets, connects both sides, and runs the work; what goes wrong becomes a sentence and an exit code. */
export async function inSession<Options extends SessionOptions>(
  { terminal, options }: Called<Options>,
  work: (session: Session<Options>) => Promise<number>,
): Promise<number> {
  const secrets = createKnownSecrets();
  const safe = redactTerminal(terminal, secrets.redact);
  try {
    return await work(openSession(safe, options, secrets));
  } catch (error) {
    return failWith(safe, options, error);
  } finally {
    terminal.footer?.clear();
  }
}

/** What a command that talks to both sides is called with. */
interface SessionOptions extends CommonOptions, ProjectOptions {
  /** Its log is what it has to say, at a terminal, too: a daemon's. */
  readonly isLogWanted?: boolean;
}

function openSession<Options extends SessionOptions>(
  terminal: Terminal,
  options: Options,
  secrets: KnownSecrets,
): Session<Options> {
  const source = configSource(terminal, options);
  const loaded = loadConfigAndSecrets(source);
  const { heartbeat, notices } = loaded.config;
  // Whoever knows these addresses may use them.
  secrets.add([...loaded.secrets.all, heartbeat ?? "", notices?.url ?? ""]);
  const { redact } = secrets;
  const isReported = terminal.out.isTerminal && !options.isLogWanted && !options.quiet && !options.json;
  const level = chooseLogLevel(terminal, options, source.environment);
  const log = createTerminalLog(terminal, level, redact, isReported);
  if (isReadableByAll(join(terminal.cwd, ".env"))) {
    log.warn({ file: ".env" }, "Every user of this machine can read the secrets in `.env`: `chmod 600 .env`");
  }
  if (loaded.secrets.all.some(isOwnWord)) {
    log.warn(
      {},
      "A key, a token or a password is a word that boardsync itself writes, so it can't be kept out of the output: choose another one",
    );
  }
  for (const variable of options.isLogWanted === true ? findEmptySecrets(source.environment) : [])
    log.warn({ variable }, "A secret is set to nothing, which counts as not set: what it is for is off");
  const { timezone } = loaded.config;
  const progress = createProgressBar(terminal, systemClock.now, timezone, options.quiet !== true);
  const projects = chooseProjects(syncProjects(loaded.config), options.project, loaded.file);
  const print = printConfig(loaded.config);
  const connect = (own: Secrets, environment: Environment): Session<Options> => {
    const machine: Machine = {
      clock: systemClock,
      random: Math.random,
      log,
      conceal: secrets.addPassing,
      ...(progress && { progress }),
      version: terminal.version,
      environment,
    };
    return {
      terminal: { ...terminal, times: () => tellTimes(systemClock.now(), timezone) },
      options,
      clean: (report) =>
        JSON.parse(JSON.stringify(report), (_, value: unknown) =>
          typeof value === "string" ? redact(value) : value,
        ),
      config: loaded.config,
      print,
      file: resolve(terminal.cwd, loaded.file),
      place: loaded.place,
      projects,
      machine,
      sides: connectSides(loaded.config, own, machine),
      http: own.http,
      shared: hash("sha256", JSON.stringify([own.boardApiKey, own.http.token ?? ""])),
      log,
      reopen: () => openSession(terminal, options, secrets),
      renew() {
        const now = configSource(terminal, options);
        const { secrets: next } = loadSecrets(now);
        if (isDeepStrictEqual(next, own)) return undefined;
        secrets.add(next.all);
        return connect(next, now.environment);
      },
    };
  };
  return connect(loaded.secrets, source.environment);
}

/** How much is logged. At a terminal a report says what was done: lines of a log between are noise, unless they warn. */
export function chooseLogLevel(
  terminal: Pick<Terminal, "err">,
  options: Pick<SessionOptions, "logLevel" | "quiet" | "isLogWanted">,
  environment: Environment,
): string {
  const isQuiet = terminal.err.isTerminal && options.isLogWanted !== true;
  if (options.logLevel !== undefined) return options.logLevel;
  return options.quiet === true ? "error" : readLogLevel(environment, isQuiet ? "warn" : "info");
}

/** A log on stderr: sentences at a terminal, JSON lines elsewhere. */
export function createTerminalLog(
  { err }: Pick<Terminal, "err">,
  level: string,
  redact: Redact,
  isReported = false,
): Log {
  const write = err.isTerminal ? createLogLines(err, isReported) : err.write;
  return createLog({ level, isShown: err.isTerminal, redact, write });
}

function chooseProjects(
  projects: readonly SyncProject[],
  wanted: readonly string[] | undefined,
  file: string,
): readonly SyncProject[] {
  if (wanted === undefined) return projects;
  const unknown = wanted.filter((key) => !projects.some((project) => project.key === key));
  if (unknown.length > 0) {
    const known = projects.map(({ key }) => key).join(", ");
    throw new ConfigError(unknown.map((key) => `${file} has no project \`${key}\`. It has: ${known}.`));
  }
  return projects.filter(({ key }) => wanted.includes(key));
}

/** The secrets may become known later: every write is looked at by what is known then. */
export function redactTerminal(terminal: Terminal, redact: Redact): Terminal {
  const safe = (output: Output): Output => ({ ...output, write: (text) => output.write(redact(text)) });
  return { ...terminal, out: safe(terminal.out), err: safe(terminal.err) };
}
