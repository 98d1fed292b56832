import { existsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { connectBoard, connectTools, type GuardedMachine } from "../../app.ts";
import { type ConfigSource, loadConfig } from "../../config/load.ts";
import { nameFile } from "../../config/place.ts";
import { configSchema } from "../../config/schema.ts";
import { judgeTyped, readBoardKey, readGitHubSecret } from "../../config/secrets.ts";
import { ConfigError, RemoteError } from "../../errors.ts";
import { createKnownSecrets, type KnownSecrets } from "../../log.ts";
import type { ReadBounds } from "../../model/surroundings.ts";
import { inOrder } from "../../select.ts";
import { proposeTools, showProposal } from "../../story/check/tool-proposals.ts";
import { lookAtList } from "../../story/posts.ts";
import { check } from "../look/check.ts";
import { systemClock } from "../open/clock.ts";
import { configSource } from "../open/config-source.ts";
import { chooseLogLevel, createTerminalLog, redactTerminal } from "../open/session.ts";
import { hintWithConfig } from "../open/started-as.ts";
import { isAgreed } from "../print/agree.ts";
import { failWith } from "../print/failure.ts";
import {
  type CommandCall,
  type CommonOptions,
  exitCodes,
  exitOf,
  type Output,
  type Terminal,
} from "../print/terminal.ts";
import { printJson, printLine } from "../print/text.ts";
import { askPairs, askUntil, judgeBoard, judgeGitHub, readPairs } from "./init-ask.ts";
import { composeConfig } from "./init-config.ts";
import { offerDotEnv, writeText } from "./init-dotenv.ts";

interface InitOptions extends CommonOptions {
  readonly boardUrl?: string;
  /** `PROJECT=OWNER/REPO`. */
  readonly project?: readonly string[];
  /** Of a GitHub Enterprise Server, or of its API. */
  readonly githubUrl?: string;
  readonly output?: string;
  readonly force?: boolean;
}

/** How long a look at the board may take. */
const lookMs = 120_000;

/** `boardsync init`: asks for what the board can't show, writes a commented config, and lets `check` look at it. */
export async function init({ terminal, options }: CommandCall<InitOptions>): Promise<number> {
  const secrets = createKnownSecrets();
  const own = hintWithConfig(terminal, options.output);
  const safe = redactTerminal(own, secrets.redact);
  const { project: _, ...common } = options;
  const isTold = options.json !== true && options.quiet !== true;
  const out: Output = isTold ? safe.out : { ...safe.out, write: () => undefined };
  try {
    const source = configSource(terminal, options);
    const file = options.output ?? nameFile(source);
    if (file === "-")
      throw new ConfigError(["`--output -` is no file: name one; `init` talks on the terminal."]);
    const isThere = existsSync(resolve(terminal.cwd, file));
    if (isThere && options.force !== true && !(await mayReplace(safe, file))) {
      printLine(out, "", "Nothing was written.");
      if (options.json === true) printJson(safe.out, { file: null, projects: [] });
      return exitCodes.ok;
    }
    const { text, board, projects, unset } = await ask(safe, options, source, file, secrets);
    // What we write is held against the same rules as what a person writes.
    loadConfig({ ...source, file, environment: {}, readText: () => text });
    writeText(terminal, file, text, { mode: 0o644, flag: isThere ? "w" : "wx" });
    printLine(out, "", `${file} is written. It holds no secret.`);
    const written = { file, board, projects };
    if (Object.values(unset).includes(undefined)) {
      if (options.json === true) printJson(safe.out, written);
      await offerDotEnv(safe, out, unset);
      printLine(out, "→ ", "Then: `boardsync check`, `boardsync plan`, `boardsync sync`.");
      return exitOf(terminal, exitCodes.ok);
    }
    printLine(out, "", "`boardsync check` says of it:");
    const known = { ...own, env: { ...own.env, ...unset } };
    const code = await check({ terminal: known, options: { ...common, config: file } }, written);
    if (!terminal.signal.aborted) await offerDotEnv(safe, out, unset);
    // The file is written, whatever could not be reached.
    return code === exitCodes.unreachable ? exitCodes.partial : code;
  } catch (error) {
    return failWith(safe, options, error);
  }
}

async function mayReplace(terminal: Terminal, file: string): Promise<boolean> {
  if (terminal.ask !== undefined) return isAgreed(terminal, {}, `${file} is there already. Replace it?`);
  throw new ConfigError([
    `${file} is there already: \`--force\` replaces it, \`--output FILE\` writes another.`,
  ]);
}

/** Asks for what no flag and no variable says, looks at the board, and composes the config. */
async function ask(
  terminal: Terminal,
  options: InitOptions,
  source: ConfigSource,
  file: string,
  secrets: KnownSecrets,
) {
  const github = options.githubUrl === undefined ? undefined : judgeGitHub(options.githubUrl);
  const isSignedIn = readGitHubSecret(source) !== undefined;
  const url = await askUntil(terminal, {
    given: options.boardUrl,
    by: "--board-url",
    text: "The address of the board's API, such as https://feedback.example.com/api/v1: ",
    judge: judgeBoard,
  });
  const { environment } = source;
  const { redact } = secrets;
  const log = createTerminalLog(terminal, chooseLogLevel(terminal, options, environment), redact);
  const { version } = terminal;
  const machine = { clock: systemClock, random: Math.random, log, redact, version, environment };
  const given = readBoardKey(source);
  const { key, board, listed } = await askUntil(terminal, {
    given,
    by: "BOARD_API_KEY",
    isSecret: true,
    text: "The board's API key (Settings → API; it is not shown): ",
    async judge(typed) {
      const key = judgeTyped(typed, "The board's key");
      secrets.add([key]);
      const board = connectBoard(configSchema.shape.board.parse({ url }), key, machine);
      return { key, board, listed: await board.listProjects(boundsOf(terminal)) };
    },
  });
  const pairs = options.project ? readPairs(listed, options.project) : await askPairs(terminal, listed);
  if (pairs.length === 0) {
    const names = listed.map(({ id, slug }) => slug ?? id).join(", ");
    const message = `No project was chosen, so nothing was written. The board shows: ${names || "none"}.`;
    throw new ConfigError([message]);
  }
  const looked = await inOrder(pairs, async ({ project, repo }) => {
    const shown = await lookAtList(board, project.id, boundsOf(terminal), 1);
    // A list of unknown shape is what the config is for: `check` says what to write into it.
    const isOfShape = shown.fault?.fault === "unreadable" && shown.fault.detail === undefined;
    if (shown.fault !== undefined && !isOfShape) throw shown.fault;
    return { project: project.slug ?? project.id, repo, shown };
  });
  const tools = await findTools(url, key, machine, boundsOf(terminal));
  const token = isSignedIn || options.project ? undefined : await askToken(terminal, github);
  secrets.add([token ?? ""]);
  return {
    text: composeConfig({
      url,
      github,
      projects: looked,
      tools,
      hasSchema: existsSync(resolve(terminal.cwd, dirname(file), "boardsync.schema.json")),
      today: new Date(systemClock.now()).toISOString().slice(0, 10),
    }),
    board: url,
    projects: looked.map(({ shown, ...pair }) => ({ ...pair, statuses: [...shown.statuses.keys()] })),
    unset: {
      ...(given === undefined && { BOARD_API_KEY: key }),
      ...(!isSignedIn && { GITHUB_TOKEN: token }),
    },
  };
}

/** The config's lines for the board's own tools, where it has a hosted MCP server that they can be found on. Calls none of them. */
async function findTools(
  url: string,
  key: string,
  machine: GuardedMachine,
  bounds: ReadBounds,
): Promise<readonly string[]> {
  const board = { ...configSchema.shape.board.parse({ url }), retries: 0 };
  try {
    return proposeTools(await connectTools(board, key, machine).describe(bounds)).map(showProposal);
  } catch (error) {
    if (error instanceof RemoteError) return [];
    throw error;
  }
}

/** A person may have no token at hand yet. */
async function askToken(terminal: Terminal, github: string | undefined): Promise<string | undefined> {
  if (terminal.askSecret === undefined) return undefined;
  return askUntil(terminal, {
    by: "GITHUB_TOKEN",
    isSecret: true,
    text: `A GitHub token (for ${github ?? "github.com"}; it is not shown; empty: later): `,
    judge: (typed) => (typed === "" ? undefined : judgeTyped(typed, "The token")),
  });
}

/** Of one look, from now on: nobody's typing counts. */
function boundsOf({ signal }: Terminal): ReadBounds {
  return { until: systemClock.now() + lookMs, signal };
}
