import { resolve } from "node:path";
import { ConfigError } from "../errors.ts";
import { type CheckTemplate, findInconsistencies } from "./consistency.ts";
import { type ConfigDocument, type Problem, parseConfigDocument } from "./document.ts";
import { readVariable } from "./environment.ts";
import { explainReadFault, isAbsent } from "./files.ts";
import { type Fault, formatPath } from "./paths.ts";
import { type ConfigPlace, defaultFile, nameFile } from "./place.ts";
import { type Config, configSchema } from "./schema.ts";
import { loadSecrets, readStatePlace, type Secrets } from "./secrets.ts";
import { isPostgresUrl } from "./state-address.ts";
import { host } from "./values.ts";
import { toFaults, unquoted, wordIssue } from "./wording.ts";

/** Where the config comes from. */
export interface ConfigSource extends ConfigPlace {
  /** Applied to every template of the config, those of the board's tools, too; without it none is looked into. */
  readonly checkTemplate?: CheckTemplate;
}

/** A config in which nothing is wrong. */
export interface LoadedConfig {
  readonly config: Config;
  /** The file that it was read from, as it was named. */
  readonly file: string;
  /** Where a setting stands, as `FILE:LINE:COLUMN`; of what is not there, the part around it. */
  readonly place: (path: Fault["path"]) => string;
}

/**
 * The config: the file, with what the environment overrides (`BOARDSYNC_STATE`, `BOARDSYNC_STATE_URL`, `BOARDSYNC_HTTP_HOST`).
 *
 * @throws ConfigError with everything that is wrong, one line each: `FILE:LINE:COLUMN: path: message`.
 */
export function loadConfig(source: ConfigSource): LoadedConfig {
  const file = nameFile(source);
  const parsed = parseConfig(readConfigText(source, file), source.checkTemplate);
  const place = (path: Fault["path"]): string => {
    const { line, column } = parsed.locate({ path, at: "key" });
    return `${file}:${line}:${column}`;
  };
  const httpHost = readVariable(source.environment, "BOARDSYNC_HTTP_HOST");
  const problems = parsed.problems.map(
    ({ line, column, message }) => `${file}:${line}:${column}: ${message}`,
  );
  const hostIssues = httpHost === undefined ? [] : (host().safeParse(httpHost).error?.issues ?? []);
  problems.push(...hostIssues.map(({ message }) => `BOARDSYNC_HTTP_HOST ${message}`));
  const statePlace = readStatePlace(source);
  if ("problem" in statePlace) problems.push(statePlace.problem);
  if (parsed.config === undefined || "problem" in statePlace || problems.length > 0)
    throw new ConfigError(problems);
  // Else each replica would take a file of its own, and open an issue of its own for each post.
  if (
    statePlace.value !== undefined &&
    isPostgresUrl(parsed.config.state) &&
    !isPostgresUrl(statePlace.value)
  ) {
    const problem = `${file}: state: names a PostgreSQL server, and BOARDSYNC_STATE the file ${statePlace.value}; set BOARDSYNC_STATE to nothing, or BOARDSYNC_STATE_URL to the server's address`;
    throw new ConfigError([problem]);
  }
  const state = statePlace.value ?? parsed.config.state;
  const http =
    parsed.config.http === false || httpHost === undefined
      ? parsed.config.http
      : { ...parsed.config.http, host: httpHost };
  return { config: { ...parsed.config, state, http }, file, place };
}

/** `loadConfig` and `loadSecrets` in one, for commands that talk to both sides. @throws ConfigError with all that is wrong with either. */
export function loadConfigAndSecrets(source: ConfigSource): LoadedConfig & { readonly secrets: Secrets } {
  const loaded = attempt(() => loadConfig(source));
  const found = attempt(() => loadSecrets(source));
  if ("value" in loaded && "value" in found) return { ...loaded.value, ...found.value };
  throw new ConfigError([loaded, found].flatMap((one) => ("problems" in one ? one.problems : [])));
}

/** What was loaded, or everything that is wrong with it. */
type Attempt<T> = { readonly value: T } | { readonly problems: readonly string[] };

/** What is wrong with config or secrets, as a value. */
export function attempt<T>(load: () => T): Attempt<T> {
  try {
    return { value: load() };
  } catch (error) {
    if (error instanceof ConfigError) return { problems: error.problems };
    throw error;
  }
}

function readConfigText({ cwd, readText }: ConfigSource, file: string): string {
  const path = resolve(cwd, file);
  try {
    return readText(path);
  } catch (fault) {
    const reason = `${file}: ${explainReadFault(fault, { name: file, path })}`;
    if (!isAbsent(fault)) throw new ConfigError([reason]);
    throw new ConfigError([
      `${reason}. Name the config with --config FILE or with BOARDSYNC_CONFIG, or put it at ${defaultFile}; \`boardsync init\` writes one from what your board shows`,
    ]);
  }
}

/** The config of a text, or everything that is wrong with it, in the order of its lines. */
function parseConfig(text: string, checkTemplate: CheckTemplate | undefined) {
  const document = parseConfigDocument(text);
  const { locate } = document;
  if (document.content === undefined) return { config: undefined, problems: document.problems, locate };
  if (document.content === null) {
    const message = "the file is empty; `boardsync init` writes one from what your board shows";
    return { config: undefined, problems: [{ line: 1, column: 1, message }], locate };
  }
  const { data, error } = configSchema.safeParse(document.content, { error: wordIssue });
  const lineOf = (path: Fault["path"]): number => locate({ path, at: "value" }).line;
  const problems = [
    ...document.problems,
    ...findDistinct(toFaults(error?.issues ?? [], document.content), document),
    ...findDistinct(findInconsistencies(document.content, { checkTemplate, lineOf }), document),
  ];
  const sorted = problems.toSorted((one, other) => one.line - other.line || one.column - other.column);
  return { config: data, problems: sorted, locate };
}

/** Nobody mends more than this before the next look; to word and find each of a whole file that is wrong takes minutes. */
const faultLimit = 100;

/** Projects that share a part by a YAML alias share what is wrong with it; it is said once, for the first of them. */
function findDistinct(faults: Iterable<Fault>, document: ConfigDocument): readonly Problem[] {
  const problems = new Map<string, Problem>();
  for (const fault of faults) {
    const { line, column } = document.locate(fault);
    if (problems.size === faultLimit) {
      const message = "there are more mistakes further down; mend these first";
      problems.set("more", { line, column, message });
      break;
    }
    const written = fault.message === unquoted ? document.write(fault.path) : undefined;
    const said = written === undefined ? fault.message : `${unquoted}, ${JSON.stringify(written)}`;
    const place = `${line}:${column}:${fault.path.at(-1)}: ${said}`;
    if (problems.has(place)) continue;
    problems.set(place, { line, column, message: `${formatPath(fault.path)}: ${said}` });
  }
  return [...problems.values()];
}
