import { randomBytes } from "node:crypto";
import { buildWorld, connectSides, type Machine, syncProjects } from "../../app.ts";
import { readTextFile } from "../../config/files.ts";
import { loadConfigAndSecrets } from "../../config/load.ts";
import type { Config } from "../../config/schema.ts";
import { type HttpServer, serveHttp } from "../../daemon/http.ts";
import { createCode } from "../../daemon/page/gate.ts";
import type { OrderOptions } from "../../daemon/page/orders/orders.ts";
import { pagePart } from "../../daemon/page/page.ts";
import { StateHeldError } from "../../errors.ts";
import { redactor } from "../../log.ts";
import { runProjects } from "../../sync/run.ts";
import { monotonic, systemClock } from "../open/clock.ts";
import { createTerminalLog } from "../open/session.ts";
import { openBeside, placeOfState, withState } from "../open/state.ts";
import { viewConfig } from "../open/status-page.ts";
import type { CommonOptions, Terminal } from "../print/terminal.ts";

/**
 * The page that a daemon would serve, by the address that opens it. It opens the state for each request, and for each run that
 * is ordered on it: the commands that are tried have it in between.
 *
 * @param environment - the secrets, and the config's file.
 */
export async function servePage(
  terminal: Terminal,
  { logLevel }: CommonOptions,
  port: number,
  environment: Readonly<Record<string, string>> & { readonly BOARDSYNC_CONFIG: string },
): Promise<HttpServer> {
  const file = environment.BOARDSYNC_CONFIG;
  const { config, secrets } = loadConfigAndSecrets({ file, environment, cwd: "/", readText: readTextFile });
  const redact = redactor(secrets.all);
  const log = createTerminalLog(terminal, logLevel ?? "warn", redact);
  const { version, signal } = terminal;
  const machine: Machine = { clock: systemClock, random: Math.random, log, version, environment: {} };
  const sides = connectSides(config, secrets, machine);
  const runner = createRunner(terminal, config, sides, machine);
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
    view: () => viewConfig(config, syncProjects(config), sides.tracker, undefined),
    read: async (work) => {
      const ledger = await openBeside(terminal, "demo", placeOfState(terminal, config));
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
      projects: () => config.projects.map(({ project }) => project),
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
function createRunner(
  terminal: Terminal,
  config: Config,
  sides: ReturnType<typeof connectSides>,
  machine: Machine,
): Pick<OrderOptions, "start"> & { ended(): Promise<void> } {
  const { log } = machine;
  const place = placeOfState(terminal, config);
  const run = async (key: string): Promise<void> => {
    const projects = syncProjects(config).filter((project) => project.key === key);
    try {
      await withState(terminal, log, "demo", place, projects, (ledger) =>
        runProjects(projects, buildWorld(config, sides, ledger, machine), { kind: "sync" }, terminal.signal),
      );
    } catch (error) {
      // The next run takes the order up, whoever makes it.
      const isHeld = error instanceof StateHeldError;
      if (!isHeld) log.error({ project: key, err: error }, "The run ended with an error");
    }
  };
  let last = Promise.resolve();
  return {
    start(key) {
      last = last.then(() => run(key));
    },
    ended: () => last,
  };
}
