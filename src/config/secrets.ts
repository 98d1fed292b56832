import { resolve } from "node:path";
import { ConfigError } from "../errors.ts";
import { type Environment, readVariable } from "./environment.ts";
import { explainReadFault, type ReadText } from "./files.ts";

/** What a run needs to be let in on both sides. Never log it; `all` is for the redaction of the log. */
export interface Secrets {
  readonly boardApiKey: string;
  readonly githubToken: string;
  /** Every secret value that was found, those that nothing uses yet included. */
  readonly all: readonly string[];
}

/** Where secrets come from. */
export interface SecretSource {
  readonly environment: Environment;
  /** The directory that the names of secret files are relative to, absolute. */
  readonly cwd: string;
  readonly readText: ReadText;
}

/** Secrets with what is to be said about them, or everything that is wrong. */
export type SecretsResult =
  | { readonly kind: "found"; readonly secrets: Secrets; readonly warnings: readonly string[] }
  | { readonly kind: "faulty"; readonly problems: readonly string[] };

/**
 * The secrets, from the environment or the files that it names.
 *
 * @throws ConfigError with every secret that is missing or unusable; the messages name variables, never values.
 */
export function loadSecrets(source: SecretSource): { secrets: Secrets; warnings: readonly string[] } {
  const result = readSecrets(source);
  if (result.kind === "faulty") throw new ConfigError(result.problems);
  return result;
}

const appNames = ["GITHUB_APP_ID", "GITHUB_APP_PRIVATE_KEY"] as const;
const unusedNames = ["GITHUB_WEBHOOK_SECRET", "BOARDSYNC_HTTP_TOKEN"] as const;

/** As `loadSecrets`, with what is wrong as a value. */
export function readSecrets(source: SecretSource): SecretsResult {
  const problems: string[] = [];
  const boardApiKey = collect(readSecret("BOARD_API_KEY", "the board's API key", source), problems);
  const app = appNames.filter((name) => isGiven(name, source.environment));
  const hasToken = isGiven("GITHUB_TOKEN", source.environment);
  const githubToken =
    app.length > 0 && !hasToken
      ? collect(refuseApp(app), problems)
      : collect(readSecret("GITHUB_TOKEN", "a GitHub token", source), problems);
  if (boardApiKey === undefined || githubToken === undefined) return { kind: "faulty", problems };
  const unused = [...app, ...unusedNames.filter((name) => isGiven(name, source.environment))];
  const all = [boardApiKey, githubToken, ...unused.flatMap((name) => peek(name, source))];
  const warnings = unused.map((name) => `${name} is not used yet in this version`);
  return { kind: "found", secrets: { boardApiKey, githubToken, all }, warnings };
}

/** A secret, or the sentence that says why there is none. */
type Reading = { readonly value: string } | { readonly problem: string };

function collect(reading: Reading, problems: string[]): string | undefined {
  if ("value" in reading) return reading.value;
  problems.push(reading.problem);
  return undefined;
}

function refuseApp(given: readonly string[]): Reading {
  const names = given.join(" and ");
  return {
    problem: `${names}: signing in as a GitHub App is not available yet in this version; set GITHUB_TOKEN to a personal access token`,
  };
}

function isGiven(name: string, environment: Environment): boolean {
  return [name, `${name}_FILE`].some((form) => readVariable(environment, form) !== undefined);
}

function readSecret(name: string, meaning: string, source: SecretSource): Reading {
  const direct = readVariable(source.environment, name);
  const file = readVariable(source.environment, `${name}_FILE`);
  if (direct !== undefined && file !== undefined) {
    return { problem: `${name} and ${name}_FILE are both set; keep one of them` };
  }
  if (direct !== undefined) return judge(direct, name);
  if (file !== undefined) return readSecretFile(`${name}_FILE`, file, source);
  const state = Object.hasOwn(source.environment, name) ? "is empty" : "is not set";
  return {
    problem: `${name} ${state}: set it to ${meaning}, or set ${name}_FILE to the name of a file that holds it`,
  };
}

function readSecretFile(name: string, file: string, { cwd, readText }: SecretSource): Reading {
  const subject = `${name} names ${JSON.stringify(file)}`;
  try {
    // Editors and `echo` end a file with a line break that is no part of the secret.
    const value = readText(resolve(cwd, file)).replace(/[\r\n]+$/, "");
    return value === "" ? { problem: `${subject}, and that file is empty` } : judge(value, subject);
  } catch (fault) {
    return { problem: `${subject}: ${explainReadFault(fault)}` };
  }
}

/** Anything but visible ASCII would break the header that carries the secret, and is a slip of the clipboard. */
function judge(value: string, subject: string): Reading {
  if (/^[\x21-\x7e]+$/.test(value)) return { value };
  return { problem: `${subject}: the value holds a space, a line break or a character that no key has` };
}

/** A secret that nothing uses yet, for redaction only: whatever is wrong with it, it must not be shown. */
function peek(name: string, { environment, cwd, readText }: SecretSource): readonly string[] {
  const direct = readVariable(environment, name);
  const file = readVariable(environment, `${name}_FILE`);
  const read = (): string[] => {
    try {
      return file === undefined ? [] : [readText(resolve(cwd, file)).trim()];
    } catch {
      return [];
    }
  };
  return [...(direct === undefined ? [] : [direct]), ...read()];
}
