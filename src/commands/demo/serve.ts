import { randomBytes } from "node:crypto";
import { rmSync } from "node:fs";
import { type HttpServer, serveHttp } from "../../daemon/http.ts";
import { createCode } from "../../daemon/page/gate.ts";
import { pagePart } from "../../daemon/page/page.ts";
import { stateOf } from "../../daemon/page/seals.ts";
import { createQueue } from "../../daemon/queue.ts";
import { products } from "../../demo/company.ts";
import { type Story, startStory } from "../../demo/story.ts";
import { ConfigError, StateHeldError } from "../../errors.ts";
import { sum } from "../../select.ts";
import { quoteForShell } from "../../sync/ground/remedy.ts";
import { monotonic, systemClock } from "../open/clock.ts";
import { closing, openBeside } from "../open/state.ts";
import { viewConfig } from "../open/status-page.ts";
import { type CommonOptions, exitCodes, exitOf, type Terminal } from "../print/terminal.ts";
import { printJson } from "../print/text.ts";
import { type Connected, connectStory, makeStoryFolder, untilAborted } from "./stage.ts";

/** Keeps both sides up, with a config on disk and the status page over its state, so that every command can be tried on them. */
export async function serveDemo(
  terminal: Terminal,
  options: CommonOptions & { readonly port?: number },
): Promise<number> {
  const { port } = options;
  const folder = makeStoryFolder();
  let story: Story | undefined;
  let page: HttpServer | undefined;
  try {
    story = await start(port);
    const connected = connectStory(terminal, {
      story,
      settings: `${story.config}http: { port: 0 }\n`,
      folder,
      clock: systemClock,
      logLevel: options.logLevel ?? "warn",
    });
    const { environment } = connected;
    page = await servePage(terminal, connected, port === undefined ? 0 : port + 2).catch((error: unknown) => {
      throw error instanceof ConfigError ? portTaken(port) : error;
    });
    const { url: board } = story.board;
    const { url: github } = story.github;
    if (options.json === true) printJson(terminal.out, { board, github, page: page.address, environment });
    else if (options.quiet !== true)
      terminal.out.write(
        explainTrial(terminal.command, story, { ...environment, BOARD: board, GITHUB: github }, page.address),
      );
    await untilAborted(terminal.signal);
    return exitOf(terminal, exitCodes.ok);
  } finally {
    await page?.close();
    await story?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function start(port: number | undefined): Promise<Story> {
  try {
    return await startStory({ now: systemClock.now, port });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EADDRINUSE")) throw error;
    throw portTaken(port);
  }
}

function portTaken(port: number | undefined): ConfigError {
  return new ConfigError([`Port ${port} or one of the two after it is taken. Choose another with --port.`]);
}

/**
 * The page that a daemon would serve, by the address that opens it. It opens the state for each request, and for each run that
 * is ordered on it: the commands that are tried have it in between.
 */
async function servePage(terminal: Terminal, connected: Connected, port: number): Promise<HttpServer> {
  const { config, projects, place, sides, log, redact, run } = connected;
  const { version, signal } = terminal;
  // The next run takes the order up, whoever makes it.
  const queue = createQueue((key, error) => {
    if (!(error instanceof StateHeldError))
      log.error({ project: key, err: error }, "The run ended with an error");
  });
  // It is gone with the demo, whatever becomes of the state.
  const state = stateOf({ pageKey: randomBytes(32).toString("hex"), identity: "demo" }, "");
  const { code } = createCode(state.codeKey);
  const part = pagePart({
    gate: () => ({ token: undefined, readToken: undefined }),
    state: () => state,
    url: () => undefined,
    // As often as anybody likes: it is gone with the demo.
    takeCode: async (given) => given === code,
    clock: systemClock,
    monotonic,
    version,
    command: terminal.command,
    view: () => viewConfig(config, projects, sides.tracker),
    read: async (work) => {
      const ledger = await openBeside(place, "demo");
      return ledger && closing(ledger, work);
    },
    orders: {
      isOn: () => true,
      tracker: () => sides.tracker,
      start(key) {
        const chosen = projects.filter((project) => project.key === key);
        queue.add(key, async () => void (await run({ kind: "sync" }, chosen)), "follow");
      },
      log,
      signal,
    },
    redact,
  });
  const server = await serveHttp({ host: "127.0.0.1", port }, log, [part]);
  return {
    address: `${server.address}/?code=${code}`,
    async close() {
      await server.close();
      await queue.close();
    },
  };
}

/**
 * What `demo --serve` prints. What is indented is for the browser, where it is an address, or for a shell, line by line and in
 * this order; the rest are sentences. No comments: not every shell takes one that is typed.
 */
function explainTrial(
  command: string,
  { board }: Story,
  environment: Readonly<Record<string, string>>,
  page: string,
): string {
  const posts = sum(products.map(({ slug }) => board.posts(slug).length));
  const exports = Object.entries(environment).map(
    ([name, value]) => `  export ${name}=${quoteForShell(value)}`,
  );
  return `A board with ${posts} posts and a GitHub are up, with a status page that takes orders:

  ${page}

In another terminal, in this folder:

${exports.join("\n")}

See what would be done, and do it:

  ${command} check
  ${command} plan
  ${command} sync
  ${command} status

A customer edits post p2, and its issue follows:

  curl -fsS -o /dev/null -X PATCH -H "Authorization: Bearer $BOARD_API_KEY" \\
    -H "Content-Type: application/json" -d '{"title":"Export to CSV and Excel"}' \\
    "$BOARD/feedback/p2?project=acme-app"
  ${command} sync

A developer closes issue #1, and its post follows:

  curl -fsS -o /dev/null -X PATCH -H "Authorization: Bearer $GITHUB_TOKEN" \\
    -d '{"state":"closed","state_reason":"completed"}' $GITHUB/repos/acme/app/issues/1
  ${command} sync

Why a post is as it is, and what was written on either side:

  ${command} explain p1
  ${command} history

Take back what the last run has written:

  ${command} undo 3 --yes

Ctrl-C ends it.
`;
}
