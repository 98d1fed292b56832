import { join } from "node:path";
import { connectSides, type Machine, type Sides, syncProjects } from "../../app.ts";
import { type Environment, readLogLevel } from "../../config/environment.ts";
import { isReadableByAll } from "../../config/files.ts";
import { loadConfigAndSecrets } from "../../config/load.ts";
import type { Config } from "../../config/schema.ts";
import type { HttpSecrets } from "../../config/secrets.ts";
import { ConfigError } from "../../errors.ts";
import { createKnownSecrets, createLog, type KnownSecrets, type Log, type Redact } from "../../log.ts";
import type { SyncProject } from "../../sync/ground/world.ts";
import { failWith } from "../print/failure.ts";
import { createProgressBar, type ProgressBar } from "../print/progress.ts";
import {
  type CommonOptions,
  exitCodes,
  type Output,
  type ProjectOptions,
  type Terminal,
} from "../print/terminal.ts";
import { systemClock } from "./clock.ts";
import { configSource } from "./config-source.ts";

/** What a command that talks to both sides works with. */
export interface Session {
  /** Prints no secret, whatever is written to it. */
  readonly terminal: Terminal;
  /** A report without secrets in it. A table may break a text anywhere, and the terminal then knows a secret no more. */
  clean<T>(report: T): T;
  readonly config: Config;
  readonly projects: readonly SyncProject[];
  readonly machine: Machine;
  readonly sides: Sides;
  /** Of the daemon's HTTP. */
  readonly http: HttpSecrets;
  readonly log: Log;
  /**
   * The same with config, secrets, `.env` and log level as they are by now.
   *
   * @throws ConfigError with everything that is wrong; then nothing has changed.
   */
  reopen(): Session;
}

/** Loads config and secrets, connects both sides, and runs the work; what goes wrong becomes a sentence and an exit code. */
export async function inSession(
  terminal: Terminal,
  options: CommonOptions & ProjectOptions,
  work: (session: Session) => Promise<number>,
): Promise<number> {
  const secrets = createKnownSecrets();
  const bar = await createProgressBar(terminal.err, systemClock.now, options.quiet !== true);
  const safe = redactTerminal(bar === undefined ? terminal : beside(bar, terminal), secrets.redact);
  try {
    return await work(openSession(safe, options, secrets, bar));
  } catch (error) {
    bar?.stop();
    return failWith(safe, options, error);
  } finally {
    bar?.stop();
  }
}

/** The log goes above the bar, and a report takes its place. */
function beside(bar: ProgressBar, terminal: Terminal): Terminal {
  const { out, err } = terminal;
  return {
    ...terminal,
    err: { ...err, write: bar.write },
    out: {
      ...out,
      write(text) {
        bar.stop();
        out.write(text);
      },
    },
  };
}

function openSession(
  terminal: Terminal,
  options: CommonOptions & ProjectOptions,
  secrets: KnownSecrets,
  bar: ProgressBar | undefined,
): Session {
  const source = configSource(terminal, options);
  const loaded = loadConfigAndSecrets(source);
  const { heartbeat, notices } = loaded.config;
  // Whoever knows these addresses may use them.
  secrets.add([...loaded.secrets.all, heartbeat ?? "", notices?.url ?? ""]);
  const { redact } = secrets;
  const log = openLog(terminal, options, source.environment, redact);
  if (isReadableByAll(join(terminal.cwd, ".env"))) {
    log.warn({ file: ".env" }, "Every user of this machine can read the secrets in `.env`: `chmod 600 .env`");
  }
  const machine: Machine = {
    clock: systemClock,
    random: Math.random,
    log,
    conceal: secrets.addPassing,
    ...(bar && { progress: bar }),
    version: terminal.version,
    environment: source.environment,
  };
  return {
    terminal,
    clean: (report) =>
      JSON.parse(JSON.stringify(report), (_, value: unknown) =>
        typeof value === "string" ? redact(value) : value,
      ),
    config: loaded.config,
    projects: chooseProjects(syncProjects(loaded.config), options.project, loaded.file),
    machine,
    sides: connectSides(loaded.config, loaded.secrets, machine),
    http: loaded.secrets.http,
    log,
    reopen: () => openSession(terminal, options, secrets, bar),
  };
}

function openLog(terminal: Terminal, options: CommonOptions, environment: Environment, redact: Redact): Log {
  const level = options.logLevel ?? (options.quiet === true ? "error" : readLogLevel(environment));
  return createTerminalLog(terminal, level, redact);
}

/** A log on stderr: readable at a terminal, JSON lines elsewhere. */
export function createTerminalLog({ err }: Pick<Terminal, "err">, level: string, redact: Redact): Log {
  return createLog({
    level,
    isReadable: err.isTerminal,
    hasColours: err.hasColours,
    redact,
    write: (line) => err.write(line),
  });
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

/** 130 and 143 where a signal ended the work early, as a shell would say it. */
export function exitOf(terminal: Terminal, code: number): number {
  if (!terminal.signal.aborted) return code;
  return terminal.signal.reason === "SIGINT" ? exitCodes.interrupted : exitCodes.terminated;
}
