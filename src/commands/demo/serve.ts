import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HttpServer } from "../../daemon/http.ts";
import { products } from "../../demo/company.ts";
import { type Story, startStory } from "../../demo/story.ts";
import { ConfigError } from "../../errors.ts";
import { systemClock } from "../open/clock.ts";
import { exitOf } from "../open/session.ts";
import { type CommonOptions, exitCodes, type Terminal } from "../print/terminal.ts";
import { printJson } from "../print/text.ts";
import { servePage } from "./serve-page.ts";
import { connectStory, untilAborted } from "./stage.ts";
import { explainTrial } from "./try.ts";

/**
 * Keeps both sides up, with a config on disk and the status page over the state that it names, so that a person or a script can
 * try every command on them.
 */
export async function serveDemo(
  terminal: Terminal,
  options: CommonOptions & { readonly port?: number },
): Promise<number> {
  const { port } = options;
  const story = await start(port);
  const folder = mkdtempSync(join(tmpdir(), "boardsync-demo-"));
  let page: HttpServer | undefined;
  try {
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
        explainTrial({
          command: terminal.command,
          posts: products.reduce((sum, { slug }) => sum + story.board.posts(slug).length, 0),
          environment: { ...environment, BOARD: board, GITHUB: github },
          page: page.address,
        }),
      );
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
