import { randomBytes } from "node:crypto";
import { type HttpServer, serveHttp } from "../../daemon/http.ts";
import { createCode } from "../../daemon/page/gate.ts";
import type { OrderOptions } from "../../daemon/page/orders/orders.ts";
import { pagePart } from "../../daemon/page/page.ts";
import { StateHeldError } from "../../errors.ts";
import { monotonic, systemClock } from "../open/clock.ts";
import { openBeside } from "../open/state.ts";
import { viewConfig } from "../open/status-page.ts";
import type { Terminal } from "../print/terminal.ts";
import type { Connected } from "./stage.ts";

/**
 * The page that a daemon would serve, by the address that opens it. It opens the state for each request, and for each run that
 * is ordered on it: the commands that are tried have it in between.
 */
export async function servePage(terminal: Terminal, connected: Connected, port: number): Promise<HttpServer> {
  const { config, projects, place, sides, log, redact } = connected;
  const { version, signal } = terminal;
  const runner = createRunner(connected);
  // It is gone with the demo, whatever becomes of the state.
  const state = { pageKey: randomBytes(32).toString("hex"), identity: "demo" };
  const { code } = createCode(state.pageKey);
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
    view: () => viewConfig(config, projects, sides.tracker, undefined),
    read: async (work) => {
      const ledger = await openBeside(terminal, "demo", place);
      try {
        return ledger && (await work(ledger));
      } finally {
        ledger?.close();
      }
    },
    orders: {
      isOn: () => true,
      tracker: () => sides.tracker,
      start: runner.start,
      projects: () => projects.map(({ key }) => key),
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
      await runner.ended();
    },
  };
}

/** Runs what is ordered on the page, one after another. */
function createRunner({
  projects,
  log,
  run,
}: Connected): Pick<OrderOptions, "start"> & { ended(): Promise<void> } {
  const runOne = async (key: string): Promise<void> => {
    const chosen = projects.filter((project) => project.key === key);
    try {
      await run({ kind: "sync" }, chosen);
    } catch (error) {
      // The next run takes the order up, whoever makes it.
      const isHeld = error instanceof StateHeldError;
      if (!isHeld) log.error({ project: key, err: error }, "The run ended with an error");
    }
  };
  let last = Promise.resolve();
  return {
    start(key) {
      last = last.then(() => runOne(key));
    },
    ended: () => last,
  };
}
