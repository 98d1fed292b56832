import { resolve } from "node:path";
import { parseEnv } from "node:util";
import { ConfigError } from "../errors.ts";
import { explainReadFault, isAbsent, type ReadText } from "./files.ts";
import { quote } from "./paths.ts";
import { suggest } from "./suggest.ts";

/** Environment variables with a value, those of `.env` included; made by `loadEnvironment`. */
export type Environment = Readonly<Record<string, string>>;

/** What the config may take from the machine; `main.ts` has the real ones. */
export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The working directory, absolute. */
  readonly cwd: string;
  readonly readText: ReadText;
}

/**
 * The environment, with what `.env` in the working directory adds to it. The real environment wins, and wins over both
 * forms of a secret: `BOARD_API_KEY_FILE` in it hides a `BOARD_API_KEY` of the file.
 *
 * @throws ConfigError when there is a `.env` that can't be read.
 */
export function loadEnvironment({ env, cwd, readText }: Surroundings): Environment {
  const real = Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, unquote(name, value)]],
    ),
  );
  const added = Object.entries(parseEnv(readDotEnv(cwd, readText))).filter(
    ([name]) => !formsOf(name).some((form) => Object.hasOwn(real, form)),
  );
  return { ...Object.fromEntries(added.map(([name, value]) => [name, String(value)])), ...real };
}

/** `docker run --env-file` and systemd's older forms keep the quotes around a value; none of ours has any. */
function unquote(name: string, value: string): string {
  const isOurs = /^(?:BOARD|BOARDSYNC|GITHUB)_|_PROXY$|^NODE_EXTRA_CA_CERTS$/i.test(name);
  return isOurs ? value.trim().replace(/^(["'])(.*)\1$/s, "$2") : value;
}

function formsOf(name: string): readonly string[] {
  const base = name.replace(/_FILE$/, "");
  return [base, `${base}_FILE`];
}

function readDotEnv(cwd: string, readText: ReadText): string {
  try {
    return readText(resolve(cwd, ".env"));
  } catch (fault) {
    // A directory of this name belongs to another tool (Python's virtualenv makes one).
    const { code } = Object(fault);
    if (isAbsent(fault) || code === "EISDIR") return "";
    // Where the folder is closed (`sudo -u boardsync …` in /root), nobody knows whether there is one.
    const also = code === "EACCES" ? `, or not look into ${cwd}: then start from another folder` : "";
    throw new ConfigError([`.env: ${explainReadFault(fault)}${also}`]);
  }
}

/** The value of a variable; undefined when it is not set or empty, as compose files leave what nobody has set. */
export function readVariable(environment: Environment, name: string): string | undefined {
  const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
  return value === "" ? undefined : value;
}

/** The levels of the log, from the most talkative. */
export const logLevels = ["trace", "debug", "info", "warn", "error", "fatal"] as const;
/** One of `logLevels`. */
export type LogLevel = (typeof logLevels)[number];

/** The log level that the environment asks for, else `otherwise`. @throws ConfigError when `BOARDSYNC_LOG_LEVEL` is no level. */
export function readLogLevel(environment: Environment, otherwise: LogLevel): LogLevel {
  const wanted = readVariable(environment, "BOARDSYNC_LOG_LEVEL") ?? otherwise;
  const level = logLevels.find((known) => known === wanted);
  if (level !== undefined) return level;
  throw new ConfigError([
    `BOARDSYNC_LOG_LEVEL must be one of ${logLevels.join(", ")}, not ${quote(wanted)}${suggest(wanted, logLevels)}`,
  ]);
}
