import { createTimes } from "../../config/times.ts";
import { createCrier } from "../../daemon/announce.ts";
import { createDaemon, type Daemon, type DaemonProject } from "../../daemon/daemon.ts";
import { healthPart } from "../../daemon/health.ts";
import { findConcerned, isOwn } from "../../daemon/hints.ts";
import type { HttpPart, HttpPlace, HttpServer } from "../../daemon/http.ts";
import { createMetrics, metricsPart } from "../../daemon/metrics.ts";
import { printOf } from "../../daemon/page/gate.ts";
import { pagePart } from "../../daemon/page/page.ts";
import { stateOf } from "../../daemon/page/seals.ts";
import { describeLate } from "../../daemon/readiness.ts";
import { createRelease } from "../../daemon/release.ts";
import { createTimekeeper } from "../../daemon/timekeeper.ts";
import { webhookPart } from "../../daemon/webhooks.ts";
import { nameBreak } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { Log } from "../../log.ts";
import { inOrder } from "../../select.ts";
import { readProjectState } from "../../sync/tell/project-state.ts";
import { monotonic } from "../open/clock.ts";
import { nextTimeOf } from "../open/next-run.ts";
import { inSession, type Session } from "../open/session.ts";
import { placeOfState, printWhole, withStateToTake } from "../open/state.ts";
import { viewConfig } from "../open/status-page.ts";
import { type CommandCall, exitCodes } from "../print/terminal.ts";
import { printJson } from "../print/text.ts";
import { announceOptions } from "./carry-out.ts";
import { createObeyer, type Post } from "./obey.ts";
import { createRenewal, readAnew } from "./reload.ts";
import { createRunner } from "./turn.ts";

/** `boardsync daemon`: holds the state, and runs until SIGTERM or SIGINT. SIGHUP makes it read its config anew. */
export async function daemon({ terminal, options }: CommandCall): Promise<number> {
  return inSession({ terminal, options: { ...options, isLogWanted: true } }, (session) => {
    const current = { session };
    const place = placeOfState(terminal, session.config, () => current.session.print);
    return withStateToTake(place, session.log, "daemon", async (ledger, take) => {
      await runUntilSignal(current, { ledger, take });
      if (options.json === true) printJson(terminal.out, { stopped: String(terminal.signal.reason) });
      return exitCodes.ok;
    });
  });
}

/** @param current - `session`: the one of the moment. */
async function runUntilSignal(
  current: { session: Session },
  { ledger, take }: Pick<Post, "ledger" | "take">,
): Promise<void> {
  const { session: first } = current;
  const { terminal, machine } = first;
  const { clock, random } = machine;
  const session = (): Session => current.session;
  let readAt = clock.now();
  const metrics = createMetrics(ledger, terminal.version);
  const beat = (at: number, isLast: boolean): Promise<void> => {
    const broken = breaksOf(crew);
    const sign = {
      at,
      who: `daemon, process ${terminal.pid}`,
      ...(isLast && { isLast }),
      address: http?.address,
      ...(broken.size > 0 && { broken: Object.fromEntries(broken) }),
      config: { print: printWhole(session().config), readAt },
    };
    return ledger.commit([{ kind: "beat", sign }]);
  };
  const renew = createRenewal(session, (next) => {
    current.session = next;
  });
  const crier = createCrier(() => ({
    ...announceOptions(current.session, ledger),
    broken: breaksOf(crew),
    note: metrics.noteCall,
  }));
  const post: Post = { session, readAt: () => readAt, ledger, take, metrics, renew, crier };
  const projects = await planTurns(first, ledger);
  const crew = createDaemon({
    projects,
    runProject: createRunner(post, (key) => crew.hint(key, false)),
    rest: createRelease(),
    beat,
    people: createObeyer(post),
    clock,
    monotonic,
    timekeeper: createTimekeeper({ clock, monotonic, log: followLog(post) }),
    random,
    log: followLog(post),
    about: {
      version: terminal.version,
      config: first.file,
      state: placeOfState(terminal, first.config).name,
      isNew: projects.every(({ lastRunAt }) => lastRunAt === undefined),
    },
    signal: terminal.signal,
  });
  let http: Awaited<ReturnType<typeof listen>>;
  const reload = async (): Promise<void> => {
    const next = await readAnew(current.session, async (session) => {
      crew.reschedule(await planTurns(session, ledger));
      current.session = session;
      readAt = clock.now();
      // Whoever asks now how it stands is told of this config. What fails is written with the next sign of life.
      if (!terminal.signal.aborted) await beat(clock.now(), false).catch(() => undefined);
    });
    metrics.noteReload(next !== undefined);
  };
  let reloaded = Promise.resolve();
  let ignoreHangUps: (() => void) | undefined;
  try {
    http = await listen(post, crew);
    // One that came until now counts from here on: nothing is rescheduled that has not been started.
    ignoreHangUps = terminal.onHangUp?.(() => {
      reloaded = reloaded.then(reload);
    });
    await crew.run();
  } finally {
    ignoreHangUps?.();
    await reloaded;
    await crier.end();
    await http?.close();
  }
}

async function planTurns({ config, projects }: Session, ledger: Ledger): Promise<readonly DaemonProject[]> {
  const expressions = new Map(config.projects.map(({ project, schedule }) => [project, schedule]));
  return inOrder(projects, async ({ key }) => ({
    key,
    schedule: createTimes(expressions.get(key) ?? config.schedule, config.timezone),
    lastRunAt: (await ledger.runs.last(key))?.finishedAt,
  }));
}

async function listen(post: Post, crew: Daemon): Promise<Pick<HttpServer, "address" | "close"> | undefined> {
  const { session, ledger, metrics } = post;
  const { terminal, config, machine, log } = session();
  if (config.http === false) return undefined;
  const { serveHttp } = await import("../../daemon/http.ts");
  const http = () => session().config.http || undefined;
  /** What the state does not tell of the projects. */
  const judge = () => {
    const now = { wall: machine.clock.now(), monotonic: monotonic() };
    const broken = breaksOf(crew);
    return crew.timetable().map(({ key, schedule, ...times }) => {
      const periodMs = schedule.periodMs(now.wall);
      const { lastSuccessAt } = ledger.memory.project(key) ?? {};
      const late = describeLate({ ...times, periodMs, lastSuccessAt }, now);
      return { key, periodMs, now: now.wall, late, broken: broken.get(key) };
    });
  };
  const parts = [
    healthPart(async () => {
      // All that lateness is told by is held in this process: only a question shows that the state itself is gone.
      await ledger.runs.heartbeat();
      const late = judge().filter((one) => one.late !== undefined);
      return inOrder(late, async (one) => ({ ...one, state: await readProjectState(ledger, one.key, one) }));
    }),
    pagePart({
      gate: () => session().http,
      state: () => stateOf(ledger, session().shared),
      url: () => http()?.url,
      takeCode: (code) => ledger.runs.takePage(printOf(code), machine.clock.now()),
      clock: machine.clock,
      monotonic,
      version: machine.version,
      command: terminal.command,
      view() {
        const { config: now, projects, sides } = session();
        const judged = judge();
        return viewConfig(now, projects, sides.tracker, (key) => ({
          ...judged.find((one) => one.key === key),
          nextRunAt: nextTimeOf(now, key),
        }));
      },
      read: (work) => work(ledger),
      orders: {
        isOn: () => http()?.orders === true,
        tracker: () => session().sides.tracker,
        start: crew.start,
        log: followLog(post),
        signal: terminal.signal,
      },
      redact: (text) => session().clean(text),
    }),
    metricsPart(metrics, () => ({ projects: judge(), sides: session().sides })),
  ];
  const receiver = webhookPart({
    secret: () => session().http.webhook,
    hint: async (hint) => {
      for (const key of await findConcerned(hint, session().projects, ledger))
        crew.hint(key, isOwn(hint, ledger));
    },
    note: metrics.noteDelivery,
    monotonic,
    log: followLog(post),
  });
  const { host, port, webhooksPort } = config.http;
  const open = async (
    place: Pick<HttpPlace, "port" | "setting">,
    served: readonly HttpPart[],
  ): Promise<HttpServer> => {
    const server = await serveHttp({ host, ...place }, followLog(post), served);
    log.info({ address: server.address }, "Listening");
    return server;
  };
  if (webhooksPort === undefined) return open({ port }, [...parts, receiver]);
  // Whoever shows this one to the world shows nothing else of the daemon.
  const hooks = await open({ port: webhooksPort, setting: "http.webhooksPort" }, [receiver]);
  try {
    const server = await open({ port }, parts);
    return {
      address: server.address,
      async close() {
        await Promise.all([hooks.close(), server.close()]);
      },
    };
  } catch (error) {
    await hooks.close();
    throw error;
  }
}

/** What has ended the last run of a project with an error, by its key, in a word. */
function breaksOf(crew: Pick<Daemon, "timetable">): ReadonlyMap<string, string> {
  const broken = crew.timetable().filter((turn) => turn.broken !== undefined);
  return new Map(broken.map(({ key, broken: error }) => [key, nameBreak(error)]));
}

/** A log at the level of the moment. */
function followLog({ session }: Post): Log {
  return {
    debug: (fields, message) => session().log.debug(fields, message),
    info: (fields, message) => session().log.info(fields, message),
    warn: (fields, message) => session().log.warn(fields, message),
    error: (fields, message) => session().log.error(fields, message),
  };
}
