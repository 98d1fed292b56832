import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Sides } from "../../app.ts";
import { readVariable } from "../../config/environment.ts";
import { loadConfig } from "../../config/load.ts";
import { readSecrets, type SecretSource } from "../../config/secrets.ts";
import { ConfigError } from "../../errors.ts";
import { createKnownSecrets, type KnownSecrets } from "../../log.ts";
import type { PagingWay } from "../../model/page.ts";
import type { BoardProject, PostField } from "../../model/post.ts";
import type { ReadBounds } from "../../model/surroundings.ts";
import { checkTemplate } from "../../plan/text/template.ts";
import { showAsked } from "../../story/check/board.ts";
import { type ShownCategory, showCategory, sortCategories } from "../../story/check/categories.ts";
import { countCategory } from "../../story/posts.ts";
import { type Ahead, findAhead, lookAhead } from "../look/check-ahead.ts";
import { systemClock } from "../open/clock.ts";
import { configSource } from "../open/config-source.ts";
import { chooseLogLevel, createTerminalLog, exitOf, inSession, redactTerminal } from "../open/session.ts";
import { hintWithConfig } from "../open/started-as.ts";
import { failWith } from "../print/failure.ts";
import { printJson } from "../print/json.ts";
import { type CommonOptions, exitCodes, type Output, type Terminal } from "../print/terminal.ts";
import { oneLine, printLine } from "../print/text.ts";
import type { AppOptions } from "./init-app.ts";
import { askPairs, type ChosenProject, judgePairs, mayReplace, nobodyToAsk, readPairs } from "./init-ask.ts";
import { composeConfig, type InitProject, type OnBoard } from "./init-config.ts";
import {
  type ReachedBoard,
  type ReachedTracker,
  type Reaching,
  reachBoard,
  reachTracker,
} from "./init-reach.ts";
import { type Meaning, matchStatuses } from "./init-statuses.ts";

interface InitOptions extends CommonOptions, Pick<AppOptions, AppOption> {
  readonly boardUrl?: string;
  /** `PROJECT=OWNER/REPO`. */
  readonly project?: readonly string[];
  /** Of GitHub's API, where it is a GitHub Enterprise Server. */
  readonly githubUrl?: string;
  readonly output?: string;
  readonly force?: boolean;
}

/** How long the looks at the board may take. */
const lookMs = 120_000;

/** `boardsync init`: looks at the board, asks for what it can't see, and writes a commented config. */
export async function init(terminal: Terminal, options: InitOptions): Promise<number> {
  const secrets = createKnownSecrets();
  const safe = redactTerminal(terminal, secrets.redact);
  try {
    refuseAppOptions(options);
    const source = configSource(terminal, options);
    const name = options.output ?? options.config ?? readVariable(source.environment, "BOARDSYNC_CONFIG");
    const file = name ?? "config/boardsync.yaml";
    const path = resolve(terminal.cwd, file);
    const isThere = existsSync(path);
    if (isThere && options.force !== true && !(await mayReplace(safe, file)))
      return sayNothing(safe, options);
    const reaching = reachFrom(safe, options, source, secrets);
    const reached = await reachBoard(reaching, options.boardUrl);
    const { settings, board, listed } = reached;
    const pairs = options.project && readPairs(listed, options.project);
    if (pairs === undefined && safe.ask === undefined) throw nobodyToAsk("--project");
    const github = await reachTracker(reaching, options.githubUrl, pairs === undefined);
    const chosen = pairs ? await judgePairs(pairs, github.judge) : await askPairs(safe, listed, github.judge);
    if (chosen.length === 0) throw noneChosen(listed);
    const looked = await lookAtProjects(board, reaching.bounds(), chosen);
    const text = composeConfig({
      url: settings.url,
      github: github.url,
      projects: looked.projects,
      onBoard: looked.onBoard,
      way: looked.way,
      hasSchema: existsSync(join(dirname(path), "boardsync.schema.json")),
      today: new Date(systemClock.now()).toISOString().slice(0, 10),
    });
    // What we write is held against the same rules as what a person writes.
    loadConfig({ file, environment: {}, cwd: terminal.cwd, readText: () => text, checkTemplate });
    writeConfig(file, path, text, isThere);
    const known = withSecrets(terminal, reached, github);
    const ahead = await lookAtFirst(known, file, options);
    const missing = namesToSet(reached, github);
    say(hintWithConfig(safe, options.output), options, {
      file,
      board: settings.url,
      ...looked,
      isVerified: github.signedIn !== undefined,
      missing,
      ahead,
    });
    return exitOf(terminal, exitCodes.ok);
  } catch (error) {
    return failWith(safe, options, error);
  }
}

type AppOption = "organization" | "webhookUrl";

function refuseAppOptions({ organization, webhookUrl }: Pick<AppOptions, AppOption>): void {
  const given = Object.entries({
    "--organization": organization,
    "--webhook-url": webhookUrl,
  }).flatMap(([flag, value]) => (value === undefined ? [] : [`\`${flag}\``]));
  if (given.length > 0) throw new ConfigError([`${given.join(", ")}: only together with \`--github-app\`.`]);
}

function reachFrom(
  terminal: Terminal,
  options: InitOptions,
  source: SecretSource,
  secrets: KnownSecrets,
): Reaching {
  const { environment } = source;
  const { redact, addPassing: conceal } = secrets;
  const log = createTerminalLog(terminal, chooseLogLevel(terminal, options, environment), redact);
  const { version, signal } = terminal;
  const machine = { clock: systemClock, random: Math.random, log, version, environment, redact, conceal };
  return {
    terminal,
    source,
    secrets,
    machine,
    bounds: () => ({ until: systemClock.now() + lookMs, signal }),
  };
}

function noneChosen(listed: readonly BoardProject[]): ConfigError {
  const names = listed.map(({ id, slug }) => slug ?? id).join(", ");
  return new ConfigError([
    `No project was chosen, so nothing was written. The board shows: ${names || "none"}.`,
  ]);
}

/**
 * The first page of each project's posts: enough to see which statuses are in use, and which fields there are. The words of a
 * board are the same in all of its projects, so what the posts of one show is known of the others, too.
 */
async function lookAtProjects(
  board: Sides["board"],
  bounds: ReadBounds,
  chosen: readonly ChosenProject[],
): Promise<LookedAt> {
  const seenBy = new Map<ChosenProject, Seen>();
  const said = chosen.flatMap(({ notes }) => notes);
  let way: PagingWay | undefined;
  for (const one of chosen) {
    const { project } = one;
    for await (const page of board.listPosts(project.id, bounds)) {
      way ??= page.asked?.way;
      if (page.asked !== undefined) said.push(`${project.slug ?? project.id}: ${showAsked(page.asked)}`);
      if (page.end !== undefined && page.end.kind !== "complete") said.push(page.end.message);
      const statuses = page.posts.flatMap(({ values: { status } }) =>
        typeof status === "string" ? status : [],
      );
      const categories = new Map<string, { name: string | null; posts: number }>();
      for (const { values } of page.posts) countCategory(categories, values.categoryId, page.categories);
      seenBy.set(one, {
        statuses: [...new Set(statuses)],
        categories: sortCategories([...categories].map(([id, of]) => ({ id, ...of }))),
        fields: page.seen,
        hasPosts: page.posts.length > 0,
      });
      break;
    }
  }
  const all = [...seenBy.values()];
  const statuses = [...new Set(all.flatMap((seen) => seen.statuses))];
  const fields = new Set(all.flatMap((seen) => [...seen.fields]));
  return {
    projects: chosen.map((one) => {
      const own = seenBy.get(one);
      return {
        project: one.project.slug ?? one.project.id,
        repo: one.repo,
        statuses: own?.statuses ?? [],
        categories: own?.categories ?? [],
        // An empty list does not tell which fields its posts will have.
        seen: own?.hasPosts === true ? own.fields : fields,
      };
    }),
    onBoard: { statuses, fields, meanings: matchStatuses(statuses) },
    way,
    said,
  };
}

/** What the first posts of a project show. */
interface Seen {
  readonly statuses: readonly string[];
  readonly categories: readonly ShownCategory[];
  readonly fields: ReadonlySet<PostField>;
  readonly hasPosts: boolean;
}

/** The same terminal, in whose environment stands what was typed, so that it need not be typed again. */
function withSecrets(terminal: Terminal, { key }: ReachedBoard, { signedIn }: ReachedTracker): Terminal {
  const board = { BOARD_API_KEY: key, BOARD_API_KEY_FILE: undefined };
  const isToken = signedIn?.isTyped === true && signedIn.secret.kind === "token";
  const github = isToken ? { GITHUB_TOKEN: signedIn.secret.token, GITHUB_TOKEN_FILE: undefined } : {};
  return { ...terminal, env: { ...terminal.env, ...board, ...github } };
}

/** The variables that the next command will miss. */
function namesToSet({ isKeyTyped }: ReachedBoard, { signedIn }: ReachedTracker): readonly string[] {
  const isTokenThere = signedIn !== undefined && !signedIn.isTyped;
  return [...(isKeyTyped ? ["BOARD_API_KEY"] : []), ...(isTokenThere ? [] : ["GITHUB_TOKEN"])];
}

/** What the first sync would do, where the keys of both sides are known; nothing where a side can't be asked. */
async function lookAtFirst(
  terminal: Terminal,
  config: string,
  { quiet = false, logLevel }: CommonOptions,
): Promise<readonly Ahead[]> {
  if (readSecrets(configSource(terminal, {})).kind === "faulty") return [];
  let ahead: readonly Ahead[] = [];
  const options = { config, quiet, ...(logLevel !== undefined && { logLevel }) };
  await inSession(terminal, options, async (session) => {
    ({ ahead } = session.clean(await lookAhead(session)));
    return exitCodes.ok;
  });
  return ahead;
}

function writeConfig(file: string, path: string, text: string, isThere: boolean): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text, { mode: 0o644, flag: isThere ? "w" : "wx" });
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
    throw new ConfigError([`${file} can't be written (${code}), so nothing was.`]);
  }
}

function sayNothing({ out }: Terminal, options: InitOptions): number {
  if (options.json === true) printJson(out, { file: null, projects: [] });
  else if (options.quiet !== true) out.write("Nothing was written.\n");
  return exitCodes.ok;
}

const meaningNames: Readonly<Record<Meaning, string>> = {
  planned: "planned",
  inProgress: "in progress",
  completed: "closed as completed",
  closed: "closed as not planned",
};

/** What the board has shown. */
interface LookedAt {
  readonly projects: readonly InitProject[];
  readonly onBoard: OnBoard;
  readonly way: PagingWay | undefined;
  /** About its lists, as sentences. */
  readonly said: readonly string[];
}

interface Written extends LookedAt {
  /** Whether GitHub was asked for the repositories. */
  readonly isVerified: boolean;
  /** Variables that are to be set. */
  readonly missing: readonly string[];
  readonly ahead: readonly Ahead[];
  readonly file: string;
  readonly board: string;
}

function say({ out }: Terminal, options: InitOptions, written: Written): void {
  const { file, board, projects, onBoard, way, said, isVerified, missing, ahead } = written;
  if (options.json === true) {
    const shown = projects.map(({ seen: _, ...project }) => project);
    const { meanings } = onBoard;
    printJson(out, {
      file,
      board,
      projects: shown,
      meanings,
      verified: isVerified,
      ...(way !== undefined && { paging: way }),
      ahead,
    });
  }
  if (options.json === true || options.quiet === true) return;
  for (const { project, repo, statuses, categories } of projects) {
    const inUse = statuses.join(", ") || "none seen";
    printLine(out, "✓ ", oneLine(`${project} → ${repo}; statuses in use: ${inUse}`));
    if (categories.length === 0) continue;
    const counted = categories.slice(0, mostCategories).map(showCategory).join(", ");
    printLine(out, "  ", oneLine(`categories on the first page of posts: ${counted}`));
  }
  sayMeanings(out, onBoard);
  if (!isVerified) printLine(out, "! ", unverifiedWords);
  for (const line of said) printLine(out, "! ", oneLine(line));
  for (const { subject, message } of findAhead(ahead)) printLine(out, "", oneLine(`${subject}: ${message}`));
  printLine(out, "", `${file} is written. It holds no secret.`);
  if (missing.length > 0) {
    const lines = missing.map((name) => `${name}=…`).join(" and ");
    printLine(out, "→ ", `Put ${lines} into the environment, or into .env in this folder.`);
  }
  printLine(out, "→ ", "Then: `boardsync check`, `boardsync plan`, `boardsync sync`.");
}

/** More than these are no help in a line. */
const mostCategories = 20;

const unverifiedWords =
  "The repositories were not looked at, because there is no GitHub token: `boardsync check` does that once there is one.";

function sayMeanings(out: Output, { meanings }: OnBoard): void {
  for (const [meaning, name] of Object.entries(meaningNames) as [Meaning, string][]) {
    const status = meanings[meaning];
    const words = status === undefined ? "no status means that" : `the status \`${status}\``;
    printLine(out, "  ", oneLine(`${name}: ${words}`));
  }
}
