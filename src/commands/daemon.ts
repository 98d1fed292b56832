import { resolve } from "node:path";
import { buildWorld } from "../app.ts";
import { runDaemon } from "../daemon/daemon.ts";
import { serveHttp } from "../daemon/http.ts";
import { createSchedule } from "../daemon/schedule.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { runProjects } from "../sync/run.ts";
import { printJson } from "./json.ts";
import { inSession, type Session } from "./session.ts";
import { withState } from "./state.ts";
import { type CommonOptions, exitCodes, type Terminal } from "./terminal.ts";

/** `boardsync daemon`: holds the state, and runs until SIGTERM or SIGINT. */
export async function daemon(terminal: Terminal, options: CommonOptions): Promise<number> {
  return inSession(terminal, options, (session) => {
    const { config, log } = session;
    const state = resolve(terminal.cwd, config.state);
    return withState(terminal, log, "daemon", state, async (ledger) => {
      const http = config.http === false ? undefined : await serveHttp(config.http);
      if (http !== undefined) log.info({ address: http.address }, "Listening");
      try {
        await runUntilSignal(terminal, session, ledger);
        if (options.json === true) printJson(terminal.out, { stopped: String(terminal.signal.reason) });
        return exitCodes.ok;
      } finally {
        await http?.close();
      }
    });
  });
}

function runUntilSignal(terminal: Terminal, session: Session, ledger: Ledger): Promise<void> {
  const { config, sides, projects, log } = session;
  // Nobody watches a daemon: its log says what it does.
  const { progress: _, ...machine } = session.machine;
  const world = buildWorld(config, sides, ledger, machine);
  const expressions = new Map(config.projects.map(({ project, schedule }) => [project, schedule]));
  return runDaemon({
    projects: projects.map(({ key }) => ({
      key,
      schedule: createSchedule(expressions.get(key) ?? config.schedule, config.timezone),
      lastRunAt: ledger.runs.last(key)?.finishedAt,
    })),
    runProject: async (key) => {
      const chosen = projects.filter((project) => project.key === key);
      await runProjects(chosen, world, "sync", terminal.signal);
    },
    beat: (at) => ledger.runs.beat(at, `daemon, process ${terminal.pid}`),
    clock: machine.clock,
    random: machine.random,
    log,
    signal: terminal.signal,
  });
}
