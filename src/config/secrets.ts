import { createPrivateKey } from "node:crypto";
import { resolve } from "node:path";
import { ConfigError } from "../errors.ts";
import { type Environment, readVariable } from "./environment.ts";
import { explainReadFault, type ReadText } from "./files.ts";
import {
  findAddressFault,
  isAddress,
  isForShell,
  isPostgresUrl,
  passwordsIn,
  shellsPart,
} from "./state-address.ts";

/** How to sign in at GitHub: by a personal access token, or as a GitHub App with the PEM of its key. */
export type GitHubSecret =
  | { readonly kind: "token"; readonly token: string }
  | { readonly kind: "app"; readonly appId: string; readonly privateKey: string };

/** What a run needs to be let in on both sides. Never log it; `all` is for the redaction of the log. */
export interface Secrets {
  readonly boardApiKey: string;
  readonly github: GitHubSecret;
  /** Of the daemon's HTTP. */
  readonly http: HttpSecrets;
  /** Every secret value that was found. */
  readonly all: readonly string[];
}

/** What guards the doors of the daemon's HTTP; undefined where nobody has set it. */
export interface HttpSecrets {
  /** `GITHUB_WEBHOOK_SECRET`, by which deliveries are signed. */
  readonly webhook: string | undefined;
  /** `BOARDSYNC_HTTP_TOKEN`, which opens the status page and its orders. */
  readonly token: string | undefined;
  /** `BOARDSYNC_HTTP_READ_TOKEN`, with which the status page is only read. */
  readonly readToken: string | undefined;
}

/** Where secrets come from. */
export interface SecretSource {
  readonly environment: Environment;
  /** The directory that names of files are relative to, absolute. */
  readonly cwd: string;
  readonly readText: ReadText;
}

const appNames = ["GITHUB_APP_ID", "GITHUB_APP_PRIVATE_KEY"] as const;
const stateUrl = "BOARDSYNC_STATE_URL";

/** What nobody has to set. */
const optional = [
  { key: "webhook", name: "GITHUB_WEBHOOK_SECRET", meaning: "the secret of the webhook" },
  { key: "token", name: "BOARDSYNC_HTTP_TOKEN", meaning: "a token for the status page and its orders" },
  { key: "readToken", name: "BOARDSYNC_HTTP_READ_TOKEN", meaning: "a token for reading the status page" },
] as const;

/** Every secret by its variable. */
const secretNames = [
  "BOARD_API_KEY",
  "GITHUB_TOKEN",
  ...appNames,
  ...optional.map(({ name }) => name),
  stateUrl,
];

/**
 * The secrets, from the environment or the files that it names.
 *
 * @throws ConfigError with every secret that is missing or unusable; the messages name variables, never values.
 */
export function loadSecrets(source: SecretSource): { readonly secrets: Secrets } {
  const problems: string[] = [];
  const boardApiKey = collect(readSecret("BOARD_API_KEY", "the board's API key", source), problems);
  const github = readGitHub(source, problems);
  const http = readHttp(source, problems);
  if (boardApiKey === undefined || github === undefined || problems.length > 0)
    throw new ConfigError(problems);
  const doors = Object.values(http).filter((secret) => secret !== undefined);
  const all = [boardApiKey, ...hiddenOf(github), ...doors, ...passwordsOfState(source)];
  return { secrets: { boardApiKey, github, http, all } };
}

/** The board's key alone, before there is a config; undefined where it is not set. @throws ConfigError when it can't be used. */
export function readBoardKey(source: SecretSource): string | undefined {
  if (!isGiven("BOARD_API_KEY", source.environment)) return undefined;
  return usable(readSecret("BOARD_API_KEY", "the board's API key", source));
}

/** A secret as a person has typed it. @throws ConfigError when none looks like that. */
export function judgeTyped(typed: string, subject: "The board's key" | "The token"): string {
  const value = typed.trim();
  return usable(findQuotes(value, subject) ?? judgeHeader(value, subject));
}

/** How to sign in at GitHub, before there is a config; undefined where nothing is set. @throws ConfigError when it can't be used. */
export function readGitHubSecret(source: SecretSource): GitHubSecret | undefined {
  if (!["GITHUB_TOKEN", ...appNames].some((name) => isGiven(name, source.environment))) return undefined;
  const problems: string[] = [];
  const secret = readGitHub(source, problems);
  if (problems.length > 0) throw new ConfigError(problems);
  return secret;
}

function usable(reading: SecretReading): string {
  if ("value" in reading) return reading.value;
  throw new ConfigError([reading.problem]);
}

/** Secrets that nobody has to set, set to nothing: that counts as none, and what they are for is off. Somebody may have wanted it. */
export function findEmptySecrets(environment: Environment): readonly string[] {
  const isEmpty = (name: string): boolean =>
    [name, `${name}_FILE`].some((form) => Object.hasOwn(environment, form) && !isGiven(name, environment));
  return optional.map(({ name }) => name).filter(isEmpty);
}

/** Of what people think up themselves. */
const shortest = 5;

function readHttp(source: SecretSource, problems: string[]): HttpSecrets {
  // One that is set and can't be used is a mistake all the same.
  const found = optional.map(({ key, name, meaning }) => {
    const isSet = isGiven(name, source.environment);
    const value = isSet ? collect(readSecret(name, meaning, source), problems) : undefined;
    if (value !== undefined && value.length < shortest)
      problems.push(
        `${name} has fewer than ${shortest} characters, which anybody can guess: set it to a long random one (\`openssl rand -hex 32\`)`,
      );
    return [key, value];
  });
  const http: HttpSecrets = Object.fromEntries(found);
  if (http.token !== undefined && http.token === http.readToken)
    problems.push(
      "BOARDSYNC_HTTP_READ_TOKEN is the same as BOARDSYNC_HTTP_TOKEN: whoever may only read would give orders, too. Set it to another value",
    );
  return http;
}

function readGitHub(source: SecretSource, problems: string[]): GitHubSecret | undefined {
  const app = appNames.filter((name) => isGiven(name, source.environment));
  if (app.length === 0) {
    const meaning =
      "a GitHub token (or sign in as a GitHub App, with GITHUB_APP_ID and GITHUB_APP_PRIVATE_KEY)";
    const token = collect(readSecret("GITHUB_TOKEN", meaning, source), problems);
    return token === undefined ? undefined : { kind: "token", token };
  }
  if (isGiven("GITHUB_TOKEN", source.environment)) {
    problems.push(
      `GITHUB_TOKEN and ${app.join(" and ")} are all set: keep GITHUB_TOKEN to sign in by a personal access token, or the other two to sign in as a GitHub App`,
    );
    return undefined;
  }
  const [idName, keyName] = appNames;
  const appId = collect(
    readSecret(idName, "the App's id, as its settings on GitHub show it", source),
    problems,
  );
  const key = "the App's private key, the PEM file that GitHub gives";
  const privateKey = collect(readSecret(keyName, key, source, judgeKey), problems);
  return appId === undefined || privateKey === undefined ? undefined : { kind: "app", appId, privateKey };
}

/** The id of an App is no secret. Of its key each line is one, so that no part of it is shown, either. */
function hiddenOf(github: GitHubSecret): readonly string[] {
  if (github.kind === "token") return [github.token];
  return github.privateKey.split("\n").filter((line) => line !== "" && !line.startsWith("-----"));
}

/** A secret, or the sentence that says why there is none. */
type SecretReading = { readonly value: string } | { readonly problem: string };

function collect(reading: SecretReading, problems: string[]): string | undefined {
  if ("value" in reading) return reading.value;
  problems.push(reading.problem);
  return undefined;
}

function isGiven(name: string, environment: Environment): boolean {
  return [name, `${name}_FILE`].some((form) => readVariable(environment, form) !== undefined);
}

/** Says whether a value can be what it is to be; `subject` begins the sentence where it can't. */
type Judge = (value: string, subject: string) => SecretReading;

function readSecret(
  name: string,
  meaning: string,
  source: SecretSource,
  judge: Judge = judgeHeader,
): SecretReading {
  const direct = readVariable(source.environment, name);
  const file = readVariable(source.environment, `${name}_FILE`);
  if (direct !== undefined && file !== undefined) {
    return { problem: `${name} and ${name}_FILE are both set; keep one of them` };
  }
  if (direct !== undefined) return findQuotes(direct, name) ?? judge(direct, name);
  if (file !== undefined) return readSecretFile(`${name}_FILE`, file, source, judge);
  const state = Object.hasOwn(source.environment, name) ? "is empty" : "is not set";
  return {
    problem: `${name} ${state}: set it to ${meaning}, or set ${name}_FILE to the name of a file that holds it`,
  };
}

function readSecretFile(
  name: string,
  file: string,
  { cwd, readText }: SecretSource,
  judge: Judge,
): SecretReading {
  const subject = `${name} names ${JSON.stringify(file)}`;
  const path = resolve(cwd, file);
  try {
    // Editors and `echo` end a file with a line break that is no part of the secret.
    const value = readText(path).replace(/[\r\n]+$/, "");
    if (value === "") return { problem: `${subject}, and that file is empty` };
    return findQuotes(value, subject) ?? judge(value, subject);
  } catch (fault) {
    return { problem: `${subject}: ${explainReadFault(fault, { name: file, path })}` };
  }
}

/** Those around a variable's value are taken off where the environment is read; a file, a prompt and a second pair keep them. */
function findQuotes(value: string, subject: string): { readonly problem: string } | undefined {
  return /^(["']).*\1$/s.test(value)
    ? { problem: `${subject}: the value stands in quotes; leave them out` }
    : undefined;
}

/** Anything but visible ASCII would break the header that carries the secret, and is a slip of the clipboard. */
function judgeHeader(value: string, subject: string): SecretReading {
  const pasted = secretNames.find((name) => value.replace(/^export\s+/, "").startsWith(`${name}=`));
  if (pasted !== undefined)
    return { problem: `${subject}: the value begins with ${pasted}=; leave that out` };
  // systemd's env files and others don't put in what a variable holds.
  if (/^\$(?:\{\w+\}|[A-Z_]{4,})$/.test(value))
    return {
      problem: `${subject}: the value is the name of a variable, and nothing has put in what that holds`,
    };
  if (/^[\x21-\x7e]+$/.test(value)) return { value };
  return { problem: `${subject}: the value holds a space, a line break or a character that no key has` };
}

/** An environment variable often holds the file on one line, with `\n` where it had line breaks. */
function judgeKey(value: string, subject: string): SecretReading {
  const pem = value.replaceAll("\\r", "").replaceAll("\\n", "\n").replaceAll("\r", "").trim();
  try {
    if (createPrivateKey(pem).asymmetricKeyType === "rsa") return { value: pem };
  } catch {
    // The library's words may quote the value.
  }
  return {
    problem: `${subject}: the value is no RSA private key in PEM form; give the whole file that GitHub made, from its line BEGIN to its line END, with line breaks or with \\n in their place`,
  };
}

/** Where the environment says the state is, in the place of what the config says: a server before a file; no value where it says nothing. */
export function readStatePlace(source: SecretSource): SecretReading | { readonly value: undefined } {
  if (!isGiven(stateUrl, source.environment)) {
    const value = readVariable(source.environment, "BOARDSYNC_STATE");
    if (value !== undefined && isForShell(value)) return { problem: `BOARDSYNC_STATE ${shellsPart}` };
    const quoted = value === undefined ? undefined : findQuotes(value, "BOARDSYNC_STATE");
    if (quoted !== undefined) return quoted;
    return value !== undefined && isAddress(value) ? judgeUrl(value, "BOARDSYNC_STATE") : { value };
  }
  return readSecret(stateUrl, "the URL of a PostgreSQL database", source, judgeUrl);
}

/** What must be in no log of the URL: it may hold a password. */
function passwordsOfState(source: SecretSource): readonly string[] {
  const place = readStatePlace(source);
  if (!("value" in place) || place.value === undefined || !isPostgresUrl(place.value)) return [];
  return passwordsIn(place.value);
}

function judgeUrl(value: string, subject: string): SecretReading {
  const fault = findAddressFault(value);
  return fault === undefined ? { value } : { problem: `${subject}: ${fault}` };
}
