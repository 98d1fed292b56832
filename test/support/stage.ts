import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished } from "vitest";
import { buildWorld, connectSides, type Sides, syncProjects } from "../../src/app.ts";
import { loadConfigAndSecrets } from "../../src/config/load.ts";
import { suggest } from "../../src/config/suggest.ts";
import { StateError } from "../../src/errors.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { openLedger } from "../../src/ledger/sqlite/sqlite.ts";
import { createKnownSecrets, createLog } from "../../src/log.ts";
import type { PostId } from "../../src/model/post.ts";
import type { Clock } from "../../src/model/surroundings.ts";
import { checkAll } from "../../src/story/check/check.ts";
import type { Finding } from "../../src/story/check/findings.ts";
import { type Explanation, explainPost } from "../../src/story/explain/explain.ts";
import { type RebuildReport, rebuildProjects } from "../../src/story/rebuild/rebuild.ts";
import type { Order } from "../../src/sync/ground/order.ts";
import type {
  PlannedAction,
  ProjectReport,
  RunReport,
  SavedPlan,
  SavedProject,
} from "../../src/sync/ground/reports.ts";
import type { SyncProject, World } from "../../src/sync/ground/world.ts";
import { readPlan, writePlan } from "../../src/sync/orders/plan-file.ts";
import { type RunResult, runProjects } from "../../src/sync/run.ts";
import { createAppKey } from "./app-key.ts";
import { validateRequests } from "./openapi.ts";
import { type SandboxBoard, startSandboxBoard } from "./sandbox/board/board.ts";
import type { SandboxRequest } from "./sandbox/board/http.ts";
import type { SandboxProject } from "./sandbox/board/state.ts";
import type { BoardStyleOptions } from "./sandbox/board/style.ts";
import type { AppSetup } from "./sandbox/github/app/app.ts";
import { type SandboxGitHub, startSandboxGitHub } from "./sandbox/github/github.ts";
import type { SandboxQuirks } from "./sandbox/github/rest/answer.ts";
import type { LoggedRequest } from "./sandbox/github/server.ts";
import type { RepositorySetup } from "./sandbox/github/state/repositories.ts";

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;

/** A part of the config, as YAML would hold it. */
export type ConfigPart = Readonly<Record<string, unknown>>;

/** An order that needs no more said. */
export type SimpleOrder = "sync" | "plan" | "adopt";

export interface StageOptions {
  /** Default: `acme-app`, with the id `prj_app`. */
  readonly boardProjects?: readonly SandboxProject[];
  /** Default: `acme/app`, with the labels `feedback` and `in progress`. */
  readonly repositories?: readonly RepositorySetup[];
  readonly style?: BoardStyleOptions;
  /** Signs in as a GitHub App, installed where this says, and not by a token. */
  readonly app?: NonNullable<AppSetup["installations"]>;
  /** Of GitHub, where its documents are silent. */
  readonly quirks?: Partial<SandboxQuirks>;
  /** Starts the deadlines of requests, which are the machine's otherwise. */
  readonly after?: NonNullable<Clock["after"]>;
  /** Keys of the config besides `projects`; `board` and `tracker` need no address. */
  readonly config?: ConfigPart;
  /** Default: one project, `standardProject`. */
  readonly projects?: readonly ConfigPart[];
}

const stageApp = { id: 4711, slug: "feedback-sync", ...createAppKey() };

/** Rules with a status, a column, and nothing for an open issue without labels. */
export const standardProject: ConfigPart = {
  project: "acme-app",
  repo: "acme/app",
  select: { statuses: ["planned", "in_progress"] },
  issue: { labels: ["feedback"] },
  rules: [
    {
      when: { state: "closed", reason: "completed" },
      set: { status: "completed", roadmapColumn: "COMPLETED" },
    },
    { when: { state: "closed", reason: ["not_planned", "duplicate"] }, set: { status: "closed" } },
    { when: { labels: ["in progress"] }, set: { status: "in_progress", roadmapColumn: "IN_PROGRESS" } },
  ],
};

/** A board and a GitHub on loopback, a clock of its own, a state in a folder of its own, and the program between them. */
export interface Stage {
  readonly board: SandboxBoard;
  readonly github: SandboxGitHub;
  readonly clock: StageClock;
  readonly ledger: Ledger;
  /** Every line of the log so far. */
  readonly log: readonly string[];
  /** One run, a minute after whatever was before. */
  /** Of all projects, or of those with these keys. */
  sync(keys?: readonly string[]): Promise<RunReport>;
  /** One run of a stage with one project: its report. */
  syncOne(): Promise<ProjectReport>;
  adopt(): Promise<RunReport>;
  /** Plans on a private copy of the state, as the command does; the lines of all projects. */
  plan(): Promise<readonly PlannedAction[]>;
  run(order: Order | SimpleOrder, world?: World, keys?: readonly string[]): Promise<RunResult>;
  /** The same, as `plan --out` saves it and `apply` reads it. */
  savePlan(): Promise<SavedPlan>;
  /** What an undo of a run would take back. */
  lookAtUndo(run: number): Promise<readonly SavedProject[]>;
  /** Of all projects, or of those with these keys. */
  rebuild(keys?: readonly string[]): Promise<RebuildReport>;
  /** What `explain` tells of a post; asks neither side. */
  explain(post: string, project?: string): Promise<Explanation>;
  check(): Promise<readonly Finding[]>;
  /** Closes and opens the state, as another process would. */
  restart(): void;
  /** Goes on with an empty state. */
  loseState(): void;
  /** Makes a backup, as the command does, or a copy without a stamp, as a snapshot of the disk; `putBack` goes on with it. */
  backUp(kind?: "unstamped"): Promise<void>;
  putBack(): void;
  /** Another config from now on; in the middle of a run as by SIGHUP. */
  reconfigure(changes: Pick<StageOptions, "config" | "projects">): void;
  /** Other secrets from now on. */
  useSecrets(secrets: { readonly boardKey?: string; readonly token?: string }): void;
  /** The process dies in the middle of the next write to a side: before it leaves, or when its answer is there. */
  crashAt(side: "board" | "tracker", when: "before" | "after"): void;
  /** Something happens around the next write to a side. */
  atNextWrite(side: "board" | "tracker", when: "before" | "after", act: () => void | Promise<void>): void;
  /** Another world in every run from now on: a part of the program that has a mistake in it. */
  bend(change: (world: World) => World): void;
  /** Ends the run that is under way, as a signal does. */
  stop(): void;
  /** Takes the requests so far for granted: `writes` and `reads` count from here. */
  mark(): void;
  /** Requests since the mark that change something, as `POST /repos/…`, oldest first: the board's, then GitHub's. */
  writes(): readonly string[];
  /** Requests since the mark that change nothing. */
  reads(): readonly string[];
  patches(): readonly SandboxRequest[];
  /** How much has been written to the state since it was opened. */
  writtenBytes(): number;
  /** Content of every file of the state, one after another. */
  stateBytes(): string;
}

export interface StageClock extends Clock {
  skip(ms: number): void;
}

/** Opens a stage; the end of the test closes it and holds every request to GitHub against GitHub's own description. */
export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const clock = createStageClock();
  const board = await startSandboxBoard({
    projects: options.boardProjects ?? [{ id: "prj_app", slug: "acme-app", name: "Acme App" }],
    key: "stage-board-key-0123456789",
    now: clock.now,
    ...(options.style && { style: options.style }),
  });
  const github = await startSandboxGitHub({
    clock,
    token: "stage-github-token-0123456789",
    ...(options.quirks && { quirks: options.quirks }),
    ...(options.app && { app: { ...stageApp, installations: options.app } }),
    repositories: options.repositories ?? [
      { name: "acme/app", private: true, labels: ["feedback", "in progress"] },
    ],
  });
  const folder = mkdtempSync(join(tmpdir(), "boardsync-stage-"));
  const all: LoggedRequest[] = [];
  const stage = createStage(options, clock, board, github, folder, all);
  onTestFinished(async () => {
    stage.ledger.close();
    await board.close();
    await github.stop();
    rmSync(folder, { recursive: true, force: true });
    expect(validateRequests([...all, ...github.requests])).toEqual([]);
  });
  return stage;
}

function createStage(
  options: StageOptions,
  clock: StageClock,
  board: SandboxBoard,
  github: SandboxGitHub,
  folder: string,
  validated: LoggedRequest[],
): Stage {
  const log: string[] = [];
  let state = 1;
  let parts = { config: options.config ?? {}, projects: options.projects ?? [standardProject] };
  let secrets = { boardKey: board.key, token: github.token };
  let interrupt: Interrupt | undefined;
  let bend = (world: World): World => world;
  let abort = new AbortController();
  let boardMark = 0;

  const open = (file: string): Ledger => openLedger(file, { now: clock.now(), version: "0.0.0" });
  const stateFile = (): string => join(folder, `state-${state}.db`);
  let ledger = open(stateFile());

  const environmentNow = () => ({
    BOARD_API_KEY: secrets.boardKey,
    ...(options.app === undefined
      ? { GITHUB_TOKEN: secrets.token }
      : { GITHUB_APP_ID: String(stageApp.id), GITHUB_APP_PRIVATE_KEY: stageApp.privateKey }),
  });
  /** A config is read once, for all the runs that go by it. */
  let read: { readonly key: string; readonly loaded: ReturnType<typeof loadConfigAndSecrets> } | undefined;
  const load = () => {
    const { board: boardPart, tracker: trackerPart, ...rest } = parts.config;
    const text = JSON.stringify({
      ...rest,
      board: { url: board.url, retries: 0, ...(boardPart as object) },
      tracker: { url: github.url, pace: { minIntervalMs: 0 }, ...(trackerPart as object) },
      projects: parts.projects,
    });
    const environment = environmentNow();
    const key = JSON.stringify([text, environment]);
    if (read?.key !== key) {
      const loaded = loadConfigAndSecrets({
        file: "stage.yaml",
        environment,
        cwd: folder,
        readText: () => text,
      });
      read = { key, loaded };
    }
    return read.loaded;
  };

  /** As a daemon has them, for all the runs that go by one config. */
  let sides: ({ readonly of: unknown } & ReturnType<typeof makeSides>) | undefined;
  const makeSides = (loaded: ReturnType<typeof load>) => {
    const known = createKnownSecrets();
    known.add(loaded.secrets.all);
    const machine = {
      clock: options.after === undefined ? clock : { ...clock, after: options.after },
      conceal: known.addPassing,
      random: () => 0.5,
      log: createLog({
        level: "debug",
        isShown: false,
        redact: known.redact,
        write: (line) => log.push(line),
      }),
      version: "0.0.0",
      environment: environmentNow(),
    };
    const both = interruptible(connectSides(loaded.config, loaded.secrets, machine), async (side, when) => {
      if (interrupt?.side !== side || interrupt.when !== when) return;
      const { act } = interrupt;
      interrupt = undefined;
      await act();
    });
    return { both, machine };
  };

  const connect = (): { readonly world: World; readonly projects: readonly SyncProject[] } => {
    const loaded = load();
    const began = parts;
    const changedAt = () => (parts === began ? undefined : clock.now());
    if (sides?.of !== loaded) sides = { of: loaded, ...makeSides(loaded) };
    return {
      world: bend({ ...buildWorld(loaded.config, sides.both, ledger, sides.machine), changedAt }),
      projects: syncProjects(loaded.config),
    };
  };

  const run = async (
    order: Order | SimpleOrder,
    given?: World,
    keys?: readonly string[],
  ): Promise<RunResult> => {
    clock.skip(minuteMs);
    const { world, projects } = connect();
    abort = new AbortController();
    const whole: Order = typeof order === "string" ? { kind: order } : order;
    return runProjects(chosen(projects, keys), given ?? world, whole, abort.signal);
  };

  const chosen = (projects: readonly SyncProject[], keys?: readonly string[]): readonly SyncProject[] =>
    projects.filter(({ key }) => keys?.includes(key) ?? true);

  const runOnCopy = async (order: Order | SimpleOrder): Promise<RunResult> => {
    const file = join(folder, "plan.db");
    await ledger.copyTo(file, undefined);
    const copy = open(file);
    try {
      return await run(order, { ...connect().world, ledger: copy });
    } finally {
      copy.close();
      for (const name of readdirSync(folder)) if (name.startsWith("plan.db")) rmSync(join(folder, name));
    }
  };

  return {
    board,
    github,
    clock,
    log,
    get ledger() {
      return ledger;
    },
    run,
    sync: async (keys) => (await run("sync", undefined, keys)).report,
    async syncOne() {
      const { projects } = (await run("sync")).report;
      const [only] = projects;
      if (only === undefined || projects.length > 1) throw new Error("The stage has not just one project.");
      return only;
    },
    adopt: async () => (await run("adopt")).report,
    rebuild(keys) {
      clock.skip(minuteMs);
      const { world, projects } = connect();
      abort = new AbortController();
      return rebuildProjects(chosen(projects, keys), world, abort.signal);
    },
    plan: async () => (await runOnCopy("plan")).plan.projects.flatMap(({ actions }) => actions),
    async savePlan() {
      const { saved } = await runOnCopy("plan");
      const origin = { program: "0.0.0", board: "board", madeAt: clock.now(), state: ledger.identity };
      const plan = readPlan(writePlan({ ...origin, projects: saved }));
      if (typeof plan === "string") throw new Error(plan);
      return plan;
    },
    lookAtUndo: async (number) => (await runOnCopy({ kind: "undo", run: number, agreed: undefined })).saved,
    async explain(post, key = "acme-app") {
      const { world, projects } = connect();
      const project = projects.find((one) => one.key === key);
      const sources = { ledger, policy: world.policy, now: clock.now() };
      const story = project && (await explainPost(project, post as PostId, sources));
      if (story === undefined) throw new Error(`There is no post ${post} to explain.`);
      return story;
    },
    async check() {
      const { world, projects } = connect();
      const bounds = { until: clock.now() + hourMs, signal: new AbortController().signal };
      return (await checkAll(projects, world, bounds, suggest)).findings;
    },
    restart() {
      ledger.close();
      sides = undefined;
      ledger = open(stateFile());
    },
    loseState() {
      ledger.close();
      sides = undefined;
      state += 1;
      ledger = open(stateFile());
    },
    backUp: (kind) => ledger.copyTo(join(folder, "backup.db"), kind === undefined ? clock.now() : undefined),
    putBack() {
      ledger.close();
      sides = undefined;
      state += 1;
      copyFileSync(join(folder, "backup.db"), stateFile());
      ledger = open(stateFile());
    },
    reconfigure(changes) {
      parts = { config: changes.config ?? parts.config, projects: changes.projects ?? parts.projects };
    },
    useSecrets(changes) {
      secrets = { ...secrets, ...changes };
    },
    crashAt(side, when) {
      const act = (): void => {
        // The one error that ends a run at once; any other would be the failure of one post.
        throw new StateError("The process died.");
      };
      interrupt = { side, when, act };
    },
    atNextWrite(side, when, act) {
      interrupt = { side, when, act };
    },
    bend(change) {
      bend = change;
    },
    stop: () => abort.abort("SIGTERM"),
    mark() {
      validated.push(...github.requests);
      github.clearRequests();
      boardMark = board.requests.length;
    },
    writes: () => [...board.requests.slice(boardMark), ...github.requests].filter(isWrite).map(nameOf),
    reads: () =>
      [...board.requests.slice(boardMark), ...github.requests]
        .filter((request) => !isWrite(request))
        .map(nameOf),
    patches: () => board.requests.slice(boardMark).filter(isWrite),
    writtenBytes: () => statSync(`${stateFile()}-wal`).size,
    stateBytes: () =>
      readdirSync(folder)
        .map((name) => readFileSync(join(folder, name), "latin1"))
        .join("\n"),
  };
}

interface Interrupt {
  readonly side: "board" | "tracker";
  readonly when: "before" | "after";
  act(): void | Promise<void>;
}

/** Both sides, with a place before and after each write where something may happen. */
function interruptible(
  sides: Sides,
  happen: (side: Interrupt["side"], when: Interrupt["when"]) => Promise<void>,
): Sides {
  const { board, tracker } = sides;
  return {
    ...sides,
    board: Object.assign(Object.create(board), {
      patchPost: async (...given: Parameters<typeof board.patchPost>) => {
        await happen("board", "before");
        const outcome = await board.patchPost(...given);
        await happen("board", "after");
        return outcome;
      },
    }),
    tracker: Object.assign(Object.create(tracker), {
      write: async (...given: Parameters<typeof tracker.write>) => {
        await happen("tracker", "before");
        const outcome = await tracker.write(...given);
        await happen("tracker", "after");
        return outcome;
      },
    }),
  };
}

function createStageClock(): StageClock {
  let now = Date.parse("2026-03-02T08:00:00Z");
  return {
    now: () => now,
    sleep: (ms, signal) => {
      if (signal?.aborted !== true) now += ms;
      return Promise.resolve();
    },
    skip: (ms) => {
      now += ms;
    },
  };
}

function isWrite({ method, path }: { readonly method: string; readonly path: string }): boolean {
  return method !== "GET" && path !== "/graphql" && !path.endsWith("/access_tokens");
}

function nameOf({ method, path }: { readonly method: string; readonly path: string }): string {
  return `${method} ${path}`;
}

/** Adds planned posts, in order; `count` of them, or one for each set of fields. */
export function addPlanned(
  { board }: Stage,
  posts: number | readonly Parameters<SandboxBoard["addPost"]>[1][],
  project = "acme-app",
): readonly string[] {
  const fields = typeof posts === "number" ? Array.from({ length: posts }, () => ({})) : posts;
  return fields.map((field) => board.addPost(project, { status: "planned", votes: 3, ...field }));
}
