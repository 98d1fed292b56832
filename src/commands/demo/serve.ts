import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectSides, syncProjects } from "../../app.ts";
import { readTextFile } from "../../config/files.ts";
import { loadConfigAndSecrets } from "../../config/load.ts";
import { type HttpServer, serveHttp } from "../../daemon/http.ts";
import { createCode } from "../../daemon/page/gate.ts";
import { pagePart } from "../../daemon/page/page.ts";
import { ConfigError } from "../../errors.ts";
import { redactor } from "../../log.ts";
import { type Story, startStory } from "../../sandbox/story.ts";
import { monotonic, systemClock } from "../open/clock.ts";
import { createTerminalLog, exitOf } from "../open/session.ts";
import { placeOfState, readState } from "../open/state.ts";
import { viewConfig } from "../open/status-page.ts";
import { printJson } from "../print/json.ts";
import { type CommonOptions, exitCodes, type Terminal } from "../print/terminal.ts";

/** What `demo --serve` takes. */
type ServeOptions = CommonOptions & { readonly port?: number };

/**
 * Keeps both sides up, with a config on disk and the status page over the state that it names, so that a person or a script can
 * try every command on them.
 */
export async function serveDemo(terminal: Terminal, options: ServeOptions): Promise<number> {
  const story = await start(options.port);
  const folder = mkdtempSync(join(tmpdir(), "boardsync-demo-"));
  let page: HttpServer | undefined;
  try {
    const file = join(folder, "boardsync.yaml");
    // JSON is YAML: no folder's name can break it.
    writeFileSync(
      file,
      `${story.config}state: ${JSON.stringify(join(folder, "state.db"))}\nhttp: { port: 0 }\n`,
    );
    const environment = {
      BOARD_API_KEY: story.board.key,
      GITHUB_TOKEN: story.github.token,
      BOARDSYNC_CONFIG: file,
    };
    page = await servePage(terminal, options, environment);
    const { url: board } = story.board;
    const { url: github } = story.github;
    if (options.json === true) printJson(terminal.out, { board, github, page: page.address, environment });
    else if (options.quiet !== true)
      terminal.out.write(explain({ ...environment, BOARD: board, GITHUB: github }, page.address));
    await untilAborted(terminal.signal);
    return exitOf(terminal, exitCodes.ok);
  } finally {
    await page?.close();
    await story.close();
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

/** The page that a daemon would serve, by the address that opens it. It opens the state for each request: the commands that are tried have it in between. */
async function servePage(
  terminal: Terminal,
  { port, logLevel }: ServeOptions,
  environment: Readonly<Record<string, string>> & { readonly BOARDSYNC_CONFIG: string },
): Promise<HttpServer> {
  const file = environment.BOARDSYNC_CONFIG;
  const { config, secrets } = loadConfigAndSecrets({ file, environment, cwd: "/", readText: readTextFile });
  const redact = redactor(secrets.all);
  const log = createTerminalLog(terminal, logLevel ?? "warn", redact);
  const { version } = terminal;
  const machine = { clock: systemClock, random: Math.random, log, version, environment: {} };
  const projects = syncProjects(config);
  const { tracker } = connectSides(config, secrets, machine);
  const { code } = createCode();
  const part = pagePart({
    gate: () => ({ token: undefined, readToken: undefined }),
    // As often as anybody likes: it is gone with the demo.
    takeCode: async (given) => given === code,
    clock: systemClock,
    monotonic,
    version,
    command: terminal.command,
    view: () => viewConfig(config, projects, tracker, undefined),
    read: async (work) => {
      const ledger = await readState(terminal, placeOfState(terminal, config));
      try {
        return ledger && (await work(ledger));
      } finally {
        ledger?.close();
      }
    },
    redact,
  });
  try {
    const where = { host: "127.0.0.1", port: port === undefined ? 0 : port + 2 };
    const server = await serveHttp(where, log, [part]);
    return { ...server, address: `${server.address}/?code=${code}` };
  } catch (error) {
    if (error instanceof ConfigError) throw portTaken(port);
    throw error;
  }
}

function explain(environment: Readonly<Record<string, string>>, page: string): string {
  const exports = Object.entries(environment).map(([name, value]) => `export ${name}=${value}`);
  return `A feedback board with 12 posts and a GitHub are up, and the status page: ${page}

In another terminal, in this folder:

${exports.join("\n")}

npx boardsync check
npx boardsync plan
npx boardsync sync
npx boardsync status

# close an issue as a developer would, edit a post as a customer would, and sync again
curl -X PATCH -H "Authorization: Bearer $GITHUB_TOKEN" -H "User-Agent: me" \\
  -d '{"state":"closed","state_reason":"completed"}' $GITHUB/repos/acme/app/issues/1
curl -X PATCH -H "Authorization: Bearer $BOARD_API_KEY" -H "Content-Type: application/json" \\
  -d '{"title":"Export to CSV and Excel"}' "$BOARD/feedback/p2?project=acme-app"
npx boardsync sync

Ctrl-C ends it.
`;
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
