import type { ToolPurpose } from "../../src/board/tools.ts";
import type { Send } from "../../src/http/send.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { Log } from "../../src/log.ts";
import type { RenderedIssue } from "../../src/plan/ground/settings.ts";
import { createRenderer, type Renderer } from "../../src/plan/text/render.ts";
import type { Order } from "../../src/sync/ground/order.ts";
import type { SavedPlan } from "../../src/sync/ground/reports.ts";
import type { SyncProject, World } from "../../src/sync/ground/world.ts";
import { type RunResult, runProjects } from "../../src/sync/run.ts";
import { createDialect } from "../../src/tracker/github/dialect.ts";
import { type BoardServer, createBoardServer } from "./board-server.ts";
import { createSkewedClock, createTime, type Time } from "./clock.ts";
import type { Copy } from "./copies.ts";
import { createHubServer, type HubServer } from "./github-server.ts";
import { createWatch, type Watch } from "./invariants.ts";
import { createPeople, type People } from "./people.ts";
import { placesOf, repositoriesOf } from "./places.ts";
import { Crash, type Doom, type Life, meetDoom, standStill, startLife } from "./process.ts";
import { createRecords, type Records } from "./records.ts";
import { type Crew, createCrew, isUnreachable } from "./replicas.ts";
import type { Scenario } from "./scenario.ts";
import { type Connect, connectInMemory } from "./sides.ts";
import type { State } from "./state.ts";
import type { Omission } from "./state-server.ts";
import { createSimTools, createToolServer, type ToolServer } from "./tools.ts";
import type { Events } from "./watcher.ts";
import { createWire, type Weather, type Wire } from "./wire.ts";

/** A bug that is planted on purpose, from outside the program. */
export interface Bug {
  /** Wraps what a process works with. */
  readonly world?: (world: World, hub: HubServer, replica: ReplicaPlace | undefined) => World;
  /** Plays it where it shows: what every history begins with, whatever its seed draws. */
  readonly scenario?: (scenario: Scenario) => Scenario;
  /** Bends the settings of the project; the checks go by what the config says. */
  readonly settings?: (settings: Scenario["settings"]) => Scenario["settings"];
  /** Bends what a person has ordered. */
  readonly order?: (order: Order) => Order;
  /** What the server of a shared state leaves out. */
  readonly omits?: Omission;
  /** Bends what carries the requests to GitHub: it shows over HTTP only. */
  readonly carry?: (send: Send) => Send;
  /** Whether the journal does not wait for the disk (`synchronous=NORMAL`). */
  readonly isLoose?: boolean;
  /** Whether a second process begins although one is there. */
  readonly hasNoLock?: boolean;
}

/** Which replica of a shared state a world is of. */
export interface ReplicaPlace {
  readonly index: number;
  /** The state without the hold of a run: what is written to it is not compared with any lease. */
  readonly unheld: Ledger;
}

/** Everything that one history plays on. */
export interface Stage {
  readonly scenario: Scenario;
  readonly state: State;
  readonly time: Time;
  readonly wire: Wire;
  readonly board: BoardServer;
  readonly tools: ToolServer;
  readonly hub: HubServer;
  readonly watch: Watch;
  readonly people: People;
  readonly records: Records;
  readonly counts: Counts;
  /** The last one that somebody made. */
  backup: Copy | undefined;
  /** As somebody saved it last. */
  savedPlan: SavedPlan | undefined;
  readonly projects: readonly SyncProject[];
  /** One run. A process is started where none lives. */
  run(weather: Weather, end?: RunEnd): Promise<RunResult | undefined>;
  /** `plan`, or what an undo would do, on a private copy. */
  look(weather: Weather, order?: Order): Promise<RunResult | undefined>;
  /** The process ends between two runs; of a shared state, all of them. */
  endProcess(): void;
  /** Where two replicas share the state. */
  readonly crew: Crew | undefined;
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
  /** What a person orders; left out for what the schedule asks for. */
  readonly command?: Order | undefined;
  readonly doom?: Doom | undefined;
  /** The request at which a signal comes. */
  readonly stopAt?: number;
  /** The request at which somebody does something. */
  readonly actAt?: number;
  readonly act?: (() => void) | undefined;
  /** The request at which somebody starts a second process; the lock sends it away. */
  readonly rivalAt?: number;
  /** The projects, in the order in which they have their turn; left out for all, in turns. */
  readonly order?: readonly number[];
  /** Which replica; left out for the next one. */
  readonly index?: number;
  /** Its process stands still in the middle. */
  readonly freeze?: Freeze;
}

/** A process that is stopped in its run, while the other replica has its turn. */
export interface Freeze {
  /** How long it stands still before the other one begins. */
  readonly ms: number;
  /** How many points it passes before. */
  readonly left: number;
  /** How many points the other one passes before the first goes on in the middle of its run; undefined: after that. */
  readonly back: number | undefined;
  /** Of the other one. */
  readonly doom: Doom | undefined;
  weather(): Weather;
}

/** 2026-01-05, a Monday. */
const start = Date.UTC(2026, 0, 5, 9);

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };

const templates = {
  title: "{{ post.title }}",
  body: "{{ post.description }}",
  postUrl: undefined,
};

const renderer = rememberTexts(createRenderer(templates, createDialect("https://api.github.com")));

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

/** What a process has of both sides for as long as it lives. */
type Sides = Pick<World, "board" | "tracker" | "tools" | "clock">;

function requestsOf({ board, tracker, tools }: Pick<Sides, "board" | "tracker" | "tools">): number {
  return board.requests + tracker.requests + (tools?.requests ?? 0);
}

function purposesOf({ tools }: Scenario): readonly ToolPurpose[] {
  return [
    ...(tools?.hasPosts === true ? (["feedbackCreate"] as const) : []),
    ...(tools?.hasEntries === true
      ? (["changelogCreate", "changelogUpdate", "changelogPublish"] as const)
      : []),
    ...(tools?.hasEntries === true && tools.hasList ? (["changelogList"] as const) : []),
  ];
}

/** Nothing is learnt from what a process is shown that can no longer record it, or that a look on a copy forgets. */
function eventsOf(events: Events, life: Life): Events {
  const shown = [
    "boardShows",
    "boardListEnds",
    "trackerShowsLatest",
    "trackerAsked",
    "trackerLimits",
    "signalsAsked",
    "signalsLimits",
  ] as const satisfies readonly (keyof Events)[];
  const heard = shown.map((name) => [
    name,
    (...told: unknown[]): void => {
      const isLook = life.mode === "plan" && !asked.has(name);
      if (!life.isDeposed && !isLook) (events[name] as (...told: unknown[]) => void)(...told);
    },
  ]);
  return Object.assign(Object.create(events), Object.fromEntries(heard));
}

const asked: ReadonlySet<keyof Events> = new Set(["trackerAsked", "signalsAsked"]);

export function createStage(
  scenario: Scenario,
  state: State,
  bug: Bug,
  connect: Connect = connectInMemory,
): Stage {
  const time = createTime(start);
  const wire = createWire(time);
  const board = createBoardServer(time, scenario.board, placesOf(scenario).length);
  const hub = createHubServer(time, scenario.github);
  const tools = createToolServer(wire, board);
  const watch = createWatch(time, scenario, state, hub);
  const records = createRecords(time, watch.looks);
  const counts = createCounts();
  const people = createPeople(board, hub, watch.events, scenario, state, counts.note);
  const projects = placesOf(scenario).map(
    ({ key }, index): SyncProject => ({
      key,
      get settings() {
        const { settings = scenario.settings } = placesOf(scenario)[index] ?? {};
        return bug.settings?.(settings) ?? settings;
      },
      templates,
      renderer,
      periodMs: () => Number.POSITIVE_INFINITY,
    }),
  );
  /** One project is its own order. */
  const inTurn = ({ order }: RunEnd): readonly SyncProject[] => {
    if (order !== undefined) return order.flatMap((index) => projects[index] ?? []);
    return counts.runs % 2 === 0 ? projects : projects.toReversed();
  };
  let process: { readonly life: Life; readonly world: World } | undefined;

  const sidesOf = (life: Life, events: Events): Sides => {
    const clock = createSkewedClock(
      time,
      () => scenario.skewMs,
      () => meetDoom(life, "await", "before"),
      () => standStill(life),
    );
    const { violate } = watch;
    const line = { tools, board, hub, wire, events, life, scenario };
    const purposes = purposesOf(scenario);
    return {
      tools: purposes.length === 0 ? undefined : createSimTools(line, purposes),
      ...connect({ board, hub, wire, events, life, scenario, clock, violate, carry: bug.carry }),
      clock,
    };
  };
  const joinWorld = (sides: Sides, ledger: Ledger, replica?: ReplicaPlace): World => {
    const world: World = {
      ...sides,
      ledger: records.hear(ledger),
      log: silent,
      policy: { ...scenario.policy, repositories: repositoriesOf(scenario) },
    };
    return bug.world?.(world, hub, replica) ?? world;
  };
  const worldOf = (life: Life, ledger: Ledger): World =>
    joinWorld(sidesOf(life, eventsOf(watch.events, life)), ledger);
  const startProcess = (): { readonly life: Life; readonly world: World } => {
    const life = startLife();
    if (bug.isLoose === true) state.loosen();
    return { life, world: worldOf(life, state.open(life)) };
  };
  const go = async (
    world: World,
    life: Life,
    command: Order,
    end: RunEnd,
  ): Promise<RunResult | undefined> => {
    const controller = new AbortController();
    let requests = 0;
    let rival: Promise<void> | undefined;
    wire.watch = () => {
      requests += 1;
      if (requests === end.stopAt) controller.abort();
      if (requests === end.actAt) end.act?.();
      if (requests === end.rivalAt && bug.hasNoLock === true && crew === undefined) rival = startRival();
    };
    try {
      const result = await runProjects(
        inTurn(end),
        world,
        bug.order?.(command) ?? command,
        controller.signal,
      );
      await rival;
      if (life.isDead) watch.violate("no bug", "a run goes on after its process has ended");
      for (const { errors } of result.report.projects) {
        const bug = errors.find(({ code }) => code === "internal");
        if (bug !== undefined) watch.violate("no bug", bug.message);
      }
      return result;
    } catch (error) {
      // Whoever can't reach a shared state ends its run, and lives on.
      if (crew !== undefined && isUnreachable(error)) return undefined;
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
    await runProjects(projects, worldOf(life, state.open(life)), { kind: "sync" }, signal).catch(
      () => undefined,
    );
    life.isDead = true;
  };
  const crew: Crew | undefined =
    state.replicas &&
    createCrew<Sides>({
      replicas: state.replicas,
      scenario,
      time,
      wire,
      counts,
      totals: watch.totals,
      events: watch.events,
      violate: watch.violate,
      omits: bug.omits,
      connect: (life) => sidesOf(life, eventsOf(watch.events, life)),
      go({ life, sides, ledger: unheld, index }, ledger, end) {
        return go(joinWorld(sides, ledger, { index, unheld }), life, { kind: "sync" }, end);
      },
      async measure(sides, isTimed, run) {
        const startedAt = time.now();
        const before = requestsOf(sides);
        const result = await run();
        if (isTimed()) checkBounds(requestsOf(sides) - before, time.now() - startedAt);
        return result;
      },
    });
  return {
    scenario,
    crew,
    state,
    time,
    wire,
    board,
    tools,
    hub,
    watch,
    people,
    records,
    counts,
    backup: undefined,
    savedPlan: undefined,
    projects,
    async run(weather, end = {}) {
      if (crew !== undefined) return crew.run(weather, end);
      if (scenario.isOneShot) endProcess();
      process ??= startProcess();
      const { life, world } = process;
      const command = end.command ?? { kind: "sync" };
      const mode = command.kind === "apply" ? "sync" : command.kind;
      Object.assign(life, { awaits: 0, commits: 0, doom: end.doom, mode });
      wire.weather = weather;
      const startedAt = time.now();
      const before = requestsOf(world);
      watch.events.runBegins();
      const result = await go(world, life, command, end);
      counts.runs += 1;
      if (life.isDead) {
        endProcess();
        if (scenario.hasPowerCuts) state.cutPower();
      }
      for (const { names } of hub.repositories) names.endRun(result !== undefined);
      watch.events.runEnds();
      checkBounds(requestsOf(world) - before, time.now() - startedAt);
      return result;
    },
    look(weather, order = { kind: "plan" }) {
      if (scenario.isOneShot) endProcess();
      const life: Life = {
        ...startLife(),
        mode: "plan",
        closedUntil: crew?.closedUntil() ?? process?.life.closedUntil ?? 0,
        signalsUntil: process?.life.signalsUntil ?? 0,
      };
      wire.weather = weather;
      return state.onCopy(life, (ledger) => go(worldOf(life, ledger), life, order, {}));
    },
    endProcess,
  };

  function endProcess(): void {
    crew?.endProcesses();
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
