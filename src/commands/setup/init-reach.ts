import {
  connectBoard,
  connectTracker,
  type GuardedMachine,
  listRepositories,
  type Sides,
} from "../../app.ts";
import { type Config, configSchema } from "../../config/schema.ts";
import {
  type GitHubSecret,
  hiddenOf,
  readBoardKey,
  readGitHubSecret,
  type SecretSource,
} from "../../config/secrets.ts";
import { suggest } from "../../config/suggest.ts";
import { ConfigError, RemoteError } from "../../errors.ts";
import type { KnownSecrets } from "../../log.ts";
import type { BoardProject } from "../../model/post.ts";
import type { ReadBounds } from "../../model/surroundings.ts";
import { describeExposure, findObstacles } from "../../story/check/tracker.ts";
import type { Terminal } from "../print/terminal.ts";
import { oneLine } from "../print/text.ts";
import {
  askBoard,
  askGitHub,
  askKey,
  askToken,
  type JudgeRepository,
  judgeBoard,
  judgeGitHub,
  mostAttempts,
} from "./init-ask.ts";

/** What both sides are reached with. */
export interface Reaching {
  readonly terminal: Terminal;
  readonly source: SecretSource;
  /** Told each secret before it is used. */
  readonly secrets: KnownSecrets;
  readonly machine: GuardedMachine;
  /** Of one look, from now on: nobody's typing counts. */
  bounds(): ReadBounds;
}

/** A board that has accepted the key. */
export interface ReachedBoard {
  readonly settings: Config["board"];
  readonly board: Sides["board"];
  readonly key: string;
  /** Whether it is not the environment's. */
  readonly isKeyTyped: boolean;
  readonly listed: readonly BoardProject[];
}

/** Asks a person as often as it takes; where there is nobody, the first failure ends it. */
export async function reachBoard(reaching: Reaching, given: string | undefined): Promise<ReachedBoard> {
  const { terminal, source, secrets, machine } = reaching;
  let settings = given === undefined ? undefined : judgeBoard(given);
  let key = readBoardKey(source);
  let isKeyTyped = key === undefined;
  for (let attempt = 1; ; attempt += 1) {
    settings ??= await askBoard(terminal);
    key ??= await askKey(terminal);
    secrets.add([key]);
    try {
      const first = connectBoard(settings, key, forFirst(reaching));
      await first.verifyKey(reaching.bounds());
      const listed = await first.listProjects(reaching.bounds());
      return { settings, board: connectBoard(settings, key, machine), key, isKeyTyped, listed };
    } catch (error) {
      const slip = slipOf(error);
      if (terminal.ask === undefined || slip === undefined || attempt === mostAttempts) throw error;
      sayAgain(terminal, error, slip === "secret" && !isKeyTyped ? "BOARD_API_KEY" : undefined);
      if (slip === "address") settings = undefined;
      else {
        key = undefined;
        isKeyTyped = true;
      }
    }
  }
}

/** GitHub, as far as it could be asked. */
export interface ReachedTracker {
  /** Of its API; undefined for that of github.com. */
  readonly url: string | undefined;
  /** undefined where nobody has given a token. */
  readonly signedIn: { readonly secret: GitHubSecret; readonly isTyped: boolean } | undefined;
  /** Looks at a repository; without a token it takes every name. */
  readonly judge: JudgeRepository;
}

/**
 * The same for GitHub. A token may be left out, and nothing is asked then.
 *
 * @param isAsked - whether a person is asked for what no flag and no variable says.
 */
export async function reachTracker(
  reaching: Reaching,
  given: string | undefined,
  isAsked: boolean,
): Promise<ReachedTracker> {
  const { terminal, source, secrets, machine } = reaching;
  let url = given === undefined ? undefined : judgeGitHub(given);
  let isUrlKnown = given !== undefined || !isAsked;
  let secret = readGitHubSecret(source);
  let isTyped = false;
  for (let attempt = 1; ; attempt += 1) {
    if (!isUrlKnown) url = await askGitHub(terminal);
    isUrlKnown = true;
    if (secret === undefined && (isAsked || isTyped)) {
      isTyped = true;
      secret = await askToken(terminal);
    }
    if (secret === undefined) {
      return { url, signedIn: undefined, judge: (name) => Promise.resolve({ name, notes: [] }) };
    }
    secrets.add(hiddenOf(secret));
    const settings = configSchema.shape.tracker.parse(url === undefined ? {} : { url });
    try {
      await connectTracker(settings, secret, forFirst(reaching)).account(reaching.bounds());
      const tracker = connectTracker(settings, secret, machine);
      return { url, signedIn: { secret, isTyped }, judge: judgeBy(reaching, settings, secret, tracker) };
    } catch (error) {
      const slip = slipOf(error);
      if (terminal.ask === undefined || slip === undefined || attempt === mostAttempts) throw error;
      // The two halves of an App are files: nobody types them.
      if (slip === "secret" && secret.kind === "app") throw error;
      sayAgain(terminal, error, slip === "secret" && !isTyped ? "GITHUB_TOKEN" : undefined);
      if (slip === "address") isUrlKnown = false;
      else {
        secret = undefined;
        isTyped = true;
      }
    }
  }
}

/** A person who waits had rather be asked again than see it tried again. */
function forFirst({ terminal, machine }: Reaching): GuardedMachine {
  return terminal.ask === undefined ? machine : { ...machine, retries: 0 };
}

/** What a person may have mistyped, where that is what a failure comes from. */
function slipOf(error: unknown): "address" | "secret" | undefined {
  if (!(error instanceof RemoteError)) return undefined;
  const { fault, detail } = error;
  if (fault === "aborted" || fault === "limited") return undefined;
  return fault === "unauthorized" && detail !== "page" ? "secret" : "address";
}

/** @param variable - where the secret came from that was refused. */
function sayAgain({ err }: Terminal, error: unknown, variable: string | undefined): void {
  const message = error instanceof Error ? error.message : String(error);
  err.write(`${oneLine(variable === undefined ? message : `${message} It came from ${variable}.`)}\n`);
}

/** Looks at each repository, and knows a near name for one that is not there. */
function judgeBy(
  { machine, bounds }: Reaching,
  settings: Config["tracker"],
  secret: GitHubSecret,
  tracker: Sides["tracker"],
): JudgeRepository {
  let visible: Promise<readonly string[]> | undefined;
  return async (name) => {
    try {
      const repository = await tracker.repository(name, bounds());
      const obstacles = findObstacles(name, repository).map(({ message }) => message);
      if (obstacles.length > 0) throw new ConfigError(obstacles);
      const exposure = describeExposure(repository.name, repository);
      const isRenamed = repository.name.toLowerCase() !== name.toLowerCase();
      const notes = [isRenamed && `${name} is called ${repository.name} now.`, exposure];
      return {
        name: isRenamed ? repository.name : name,
        notes: notes.filter((note) => typeof note === "string"),
      };
    } catch (error) {
      if (!(error instanceof RemoteError) || error.fault !== "missing") throw error;
      visible ??= listRepositories(settings, secret, machine, bounds()).catch(() => []);
      const near = suggestRepository(name, await visible);
      throw new ConfigError([
        near === "" ? error.message : `There is no repository \`${name}\`, or the token can't see it${near}`,
      ]);
    }
  };
}

/** A name that is near, or the same name of another owner. */
function suggestRepository(name: string, visible: readonly string[]): string {
  const near = suggest(name, visible);
  if (near !== "") return near;
  const own = name.slice(name.indexOf("/")).toLowerCase();
  const namesake = visible.find((one) => one.toLowerCase().endsWith(own));
  return namesake === undefined ? "" : ` — did you mean \`${namesake}\`?`;
}
