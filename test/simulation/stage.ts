import type { Ledger } from "../../src/ledger/ledger.ts";
import type { Log } from "../../src/log.ts";
import type { RenderedIssue } from "../../src/plan/ground/settings.ts";
import { createRenderer, type Renderer } from "../../src/plan/text/render.ts";
import type { SyncProject, World } from "../../src/sync/ground/world.ts";
import { repositoryNames } from "../../src/sync/ground/world.ts";
import { type RunResult, runProjects } from "../../src/sync/run.ts";
import { createDialect } from "../../src/tracker/github/dialect.ts";
import type { Fetch } from "../../src/tracker/github/wire/transport.ts";
import { type BoardServer, createBoardServer } from "./board-server.ts";
import { createSkewedClock, createTime, type Time } from "./clock.ts";
import type { Copy } from "./copies.ts";
import { createHubServer, type HubServer } from "./github-server.ts";
import { createWatch, type Watch } from "./invariants.ts";
import { createPeople, type People } from "./people.ts";
import { Crash, type Doom, type Life, meetDoom, startLife } from "./process.ts";
import { createRecords, type Records } from "./records.ts";
import { projectKey, type Scenario } from "./scenario.ts";
import { type Connect, connectInMemory } from "./sides.ts";
import type { State } from "./state.ts";
import { createWire, type Weather, type Wire } from "./wire.ts";

/** A bug that is planted on purpose, from outside the program. */
export interface Bug {
  /** Wraps what a process works with. */
  readonly world?: (world: World, hub: HubServer) => World;
  /** Bends what carries the requests to GitHub: it shows over HTTP only. */
  readonly carry?: (fetch: Fetch) => Fetch;
  /** Whether the journal does not wait for the disk (`synchronous=NORMAL`). */
  readonly isLoose?: boolean;
  /** Whether a second process begins although one is there. */
  readonly hasNoLock?: boolean;
}

/** Everything that one history plays on. */
export interface Stage {
  readonly scenario: Scenario;
  readonly state: State;
  readonly time: Time;
  readonly wire: Wire;
  readonly board: BoardServer;
  readonly hub: HubServer;
  readonly watch: Watch;
  readonly people: People;
  readonly records: Records;
  readonly counts: Counts;
  /** The last one that somebody made. */
  backup: Copy | undefined;
  /** One run. A process is started where none lives. */
  run(weather: Weather, end?: RunEnd): Promise<RunResult | undefined>;
  /** `plan`, on a private copy. */
  plan(weather: Weather): Promise<RunResult | undefined>;
  /** The process ends between two runs. */
  endProcess(): void;
}

/** What has happened so far. */
export interface Counts {
  runs: number;
  /** How often a process ended. */
  ends: number;
  /** How often people did what. */
  readonly acts: ReadonlyMap<string, number>;
  note(act: string): void;
}

export interface RunEnd {
  readonly doom?: Doom;
  /** The request at which a signal comes. */
  readonly stopAt?: number;
  /** The request at which somebody starts a second process; the lock sends it away. */
  readonly rivalAt?: number;
}

/** 2026-01-05, a Monday. */
const start = Date.UTC(2026, 0, 5, 9);

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

const templates = {
  title: "{{ post.title }}",
  body: "{{ post.description }}",
  postUrl: undefined,
};

const renderer = rememberTexts(
  createRenderer(templates, { dialect: createDialect("https://api.github.com") }),
);

/** Posts of other histories are worded alike: a text is made once. What is no part of the key the renderer is not shown. */
function rememberTexts({ render, ...others }: Renderer): Renderer {
  const most = 20_000;
  const texts = new Map<string, RenderedIssue>();
  return {
    ...others,
    render({ id, values: { title, description, categoryId, status, votes, url } }, context) {
      const shown = { title, description, categoryId, status, votes, url };
      const key = JSON.stringify([id, shown, context]);
      const known = texts.get(key);
      if (known !== undefined) return known;
      if (texts.size === most) texts.clear();
      const made = render({ id, values: shown }, context);
      texts.set(key, made);
      return made;
    },
  };
}

function createCounts(): Counts {
  const acts = new Map<string, number>();
  return {
    runs: 0,
    ends: 0,
    acts,
    note(act) {
      acts.set(act, (acts.get(act) ?? 0) + 1);
    },
  };
}

export function createStage(
  scenario: Scenario,
  state: State,
  bug: Bug,
  connect: Connect = connectInMemory,
): Stage {
  const time = createTime(start);
  const wire = createWire(time);
  const board = createBoardServer(time, scenario.board);
  const hub = createHubServer(time, scenario.github);
  const watch = createWatch(time, scenario, state, hub);
  const records = createRecords(time, watch.looks);
  const counts = createCounts();
  const people = createPeople(board, hub, watch.events, scenario, state, counts.note);
  const project: SyncProject = {
    key: projectKey,
    get settings() {
      return scenario.settings;
    },
    templates,
    renderer,
    periodMs: () => Number.POSITIVE_INFINITY,
  };
  let process: { readonly life: Life; readonly world: World } | undefined;

  const worldOf = (life: Life, ledger: Ledger): World => {
    const { events, violate } = watch;
    const clock = createSkewedClock(
      time,
      () => scenario.skewMs,
      () => meetDoom(life, "await", "before"),
    );
    const world: World = {
      ...connect({ board, hub, wire, events, life, scenario, clock, violate, carry: bug.carry }),
      ledger: records.hear(ledger),
      clock,
      log: silent,
      policy: { ...scenario.policy, repositories: repositoryNames(scenario.settings) },
    };
    return bug.world?.(world, hub) ?? world;
  };
  const startProcess = (): { readonly life: Life; readonly world: World } => {
    const life = startLife();
    if (bug.isLoose === true) state.loosen();
    return { life, world: worldOf(life, state.open(life)) };
  };
  const go = async (
    world: World,
    life: Life,
    mode: "sync" | "plan" | "adopt",
    end: RunEnd,
  ): Promise<RunResult | undefined> => {
    const controller = new AbortController();
    let requests = 0;
    let rival: Promise<void> | undefined;
    wire.watch = () => {
      requests += 1;
      if (requests === end.stopAt) controller.abort();
      if (requests === end.rivalAt && bug.hasNoLock === true) rival = startRival();
    };
    try {
      const result = await runProjects([project], world, { kind: mode }, controller.signal);
      await rival;
      if (life.isDead) watch.violate("no bug", "a run goes on after its process has ended");
      for (const { errors } of result.report.projects) {
        const bug = errors.find(({ code }) => code === "internal");
        if (bug !== undefined) watch.violate("no bug", bug.message);
      }
      return result;
    } catch (error) {
      if (!(error instanceof Crash))
        watch.violate("no bug", `a run throws ${error instanceof Error ? error.stack : error}`);
      life.isDead = true;
      return undefined;
    }
  };
  /** A process that does not know of the other one. */
  const startRival = async (): Promise<void> => {
    const life = startLife();
    const { signal } = new AbortController();
    // What the two do to each other is for the checks to say.
    await runProjects([project], worldOf(life, state.open(life)), { kind: "sync" }, signal).catch(
      () => undefined,
    );
    life.isDead = true;
  };
  return {
    scenario,
    state,
    time,
    wire,
    board,
    hub,
    watch,
    people,
    records,
    counts,
    backup: undefined,
    async run(weather, end = {}) {
      if (scenario.isOneShot) endProcess();
      process ??= startProcess();
      const { life, world } = process;
      Object.assign(life, { awaits: 0, commits: 0, doom: end.doom });
      wire.weather = weather;
      counts.runs += 1;
      const startedAt = time.now();
      const before = world.board.requests + world.tracker.requests;
      watch.events.runBegins();
      const result = await go(world, life, "sync", end);
      if (life.isDead) {
        endProcess();
        if (scenario.hasPowerCuts) state.cutPower();
      }
      watch.events.runEnds();
      checkBounds(world.board.requests + world.tracker.requests - before, time.now() - startedAt);
      return result;
    },
    plan(weather) {
      if (scenario.isOneShot) endProcess();
      const life: Life = {
        ...startLife(),
        mode: "plan",
        closedUntil: process?.life.closedUntil ?? 0,
      };
      wire.weather = weather;
      return state.onCopy(life, (ledger) => go(worldOf(life, ledger), life, "plan", {}));
    },
    endProcess,
  };

  function endProcess(): void {
    if (process === undefined) return;
    process.life.isDead = true;
    process = undefined;
    counts.ends += 1;
    watch.events.processEnds();
  }

  /** I14. */
  function checkBounds(requests: number, durationMs: number): void {
    const size = board.posts.length + hub.repositories.reduce((sum, { issues }) => sum + issues.length, 0);
    if (requests > 40 + 10 * size)
      watch.violate("I14", `a run sends ${requests} requests for ${size} posts and issues`);
    const slackMs = 60_000;
    if (durationMs > scenario.policy.budgetMs + slackMs)
      watch.violate(
        "I14",
        `a run takes ${Math.round(durationMs / 1_000)} s; its budget is ${scenario.policy.budgetMs / 1_000} s`,
      );
  }
}
