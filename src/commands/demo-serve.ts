import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ConfigError } from "../errors.ts";
import { type Story, startStory } from "../sandbox/story.ts";
import { systemClock } from "./clock.ts";
import { printJson } from "./json.ts";
import { exitOf } from "./session.ts";
import { type CommonOptions, exitCodes, type Terminal } from "./terminal.ts";

/** Keeps both sides up, with a config on disk, so that a person or a script can try every command on them. */
export async function serveDemo(
  terminal: Terminal,
  options: CommonOptions & { readonly port?: number },
): Promise<number> {
  const story = await start(options.port);
  const folder = mkdtempSync(join(tmpdir(), "boardsync-demo-"));
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
    const { url: board } = story.board;
    const { url: github } = story.github;
    if (options.json === true) printJson(terminal.out, { board, github, environment });
    else if (options.quiet !== true)
      terminal.out.write(explain({ ...environment, BOARD: board, GITHUB: github }));
    await untilAborted(terminal.signal);
    return exitOf(terminal, exitCodes.ok);
  } finally {
    await story.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function start(port: number | undefined): Promise<Story> {
  try {
    return await startStory({ now: systemClock.now, port });
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EADDRINUSE")) throw error;
    throw new ConfigError([`Port ${port} or the one after it is taken. Choose another with --port.`]);
  }
}

function explain(environment: Readonly<Record<string, string>>): string {
  const exports = Object.entries(environment).map(([name, value]) => `export ${name}=${value}`);
  return `A feedback board with 12 posts and a GitHub are up. In another terminal, in this folder:

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
