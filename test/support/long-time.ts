import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildWorld, type Sides, syncProjects } from "../../src/app.ts";
import type { PagePlace, PostPage } from "../../src/board/board.ts";
import { loadConfigAndSecrets } from "../../src/config/load.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { openLedger } from "../../src/ledger/sqlite/sqlite.ts";
import type { IssueRecord, Repository } from "../../src/model/issue.ts";
import { type Post, type PostId, type ProjectId, postFields } from "../../src/model/post.ts";
import type { Clock } from "../../src/model/surroundings.ts";
import type { RunReport } from "../../src/sync/ground/reports.ts";
import type { Progress } from "../../src/sync/ground/world.ts";
import { runProjects } from "../../src/sync/run.ts";
import type { IssueWrite, Listed } from "../../src/tracker/tracker.ts";

const pageSize = 100;

/** What days and years are played with. */
export interface LongTimeOptions {
  /** Of the config, beside the two sides. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Posts of each project, all of them planned. */
  readonly posts: Readonly<Record<string, number>>;
  /** What a run works with instead of the ledger. */
  readonly bend?: (ledger: Ledger) => Ledger;
  readonly log?: (level: string, fields: object, message: string) => void;
}

/** The program with its real ledger, between two sides in memory that never fail and never wait, on a clock of its own. */
export interface LongTime {
  readonly clock: Clock & { skip(ms: number): void };
  readonly ledger: Ledger;
  /** When issues were opened, and for which project, oldest first. */
  readonly opened: readonly { readonly at: number; readonly project: string }[];
  /** One run of these projects, or of all; time passes only while it waits. */
  run(projects?: readonly string[], progress?: Progress): Promise<RunReport>;
  /** A person closes an issue, by its number; or opens it again. */
  toggle(number: number): void;
  addPost(project: string): void;
  /** Another process goes on with the state. */
  restart(): void;
  /** Another process goes on with a backup that is made now. */
  putBack(): Promise<void>;
  close(): void;
}

/** Opens a state on tmpfs where there is one: what is played here is about counts and sizes, and not about a disk. */
export function openLongTime(options: LongTimeOptions): LongTime {
  const shared = "/dev/shm";
  const folder = mkdtempSync(join(existsSync(shared) ? shared : tmpdir(), "boardsync-long-"));
  const clock = createClock();
  const board = createBoard(options.posts);
  const tracker = createTracker(clock);
  const state = join(folder, "state.db");
  const open = (): Ledger => openLedger(state, { now: clock.now(), version: "0.0.0" });
  let ledger = open();
  const text = JSON.stringify({
    board: { url: "https://feedback.example.com/api/v1" },
    tracker: { kind: "github" },
    guard: { issues: 1_000_000, statuses: 1_000_000, flips: 100 },
    projects: Object.keys(options.posts).map((project) => ({
      project,
      repo: "acme/app",
      rules: [{ when: { state: "closed" }, set: { status: "completed" } }],
    })),
    ...options.config,
  });
  const { config } = loadConfigAndSecrets({
    file: "long-time.yaml",
    environment: { BOARD_API_KEY: "long-time-board-key", GITHUB_TOKEN: "long-time-github-token" },
    cwd: folder,
    readText: () => text,
  });
  const projects = syncProjects(config);
  const tell = (level: string) => (fields: object, message: string) => options.log?.(level, fields, message);
  const log = { debug: tell("debug"), info: tell("info"), warn: tell("warn"), error: tell("error") };
  const machine = { clock, random: () => 0.5, log, version: "0.0.0", environment: {} };
  const { signal } = new AbortController();
  return {
    clock,
    get ledger() {
      return ledger;
    },
    opened: tracker.opened,
    async run(keys, progress) {
      const world = buildWorld(
        config,
        { board: board.port, tracker: tracker.port, tools: undefined },
        options.bend?.(ledger) ?? ledger,
        {
          ...machine,
          ...(progress && { progress }),
        },
      );
      const chosen = projects.filter(({ key }) => keys?.includes(key) ?? true);
      return (await runProjects(chosen, world, { kind: "sync" }, signal)).report;
    },
    toggle: tracker.toggle,
    addPost: board.add,
    restart() {
      ledger.close();
      ledger = open();
    },
    async putBack() {
      const copy = join(folder, "backup.db");
      await ledger.copyTo(copy, clock.now());
      ledger.close();
      copyFileSync(copy, state);
      ledger = open();
    },
    close() {
      ledger.close();
      rmSync(folder, { recursive: true });
    },
  };
}

function createClock(): LongTime["clock"] {
  let now = Date.parse("2026-03-02T08:00:00Z");
  const skip = (ms: number): void => {
    now += ms;
  };
  return {
    now: () => now,
    skip,
    sleep: (ms, signal) => {
      if (signal?.aborted !== true) skip(Math.ceil(ms));
      return Promise.resolve();
    },
  };
}

function createBoard(sizes: LongTimeOptions["posts"]) {
  const posts = new Map<string, Post[]>();
  let requests = 0;
  const add = (project: string): void => {
    const own = posts.get(project) ?? [];
    const id = `${project}-${own.length + 1}` as PostId;
    const values = {
      title: `Wish ${id}`,
      description: "So that it is easier. ".repeat(8),
      status: "planned",
      votes: 3,
    };
    own.push({ id, values });
    posts.set(project, own);
  };
  for (const [project, size] of Object.entries(sizes))
    for (let post = 0; post < size; post += 1) add(project);
  const seen = new Set(postFields);
  const port: Sides["board"] = {
    answers: new Map(),
    get requests() {
      return requests;
    },
    verifyKey: () => Promise.resolve(),
    listProjects: () =>
      Promise.resolve([...posts.keys()].map((id) => ({ id: id as ProjectId, name: id, slug: id }))),
    async *listPosts(project) {
      await Promise.resolve();
      const own = posts.get(project) ?? [];
      for (let from = 0; from === 0 || from < own.length; from += pageSize) {
        requests += 1;
        const isLast = from + pageSize >= own.length;
        const page: PostPage = {
          place: String(from) as PagePlace,
          posts: own.slice(from, from + pageSize),
          ids: own.slice(from, from + pageSize).map(({ id }) => id),
          seen,
          shape: { items: "data", id: "id", paging: "offset", keys: [] },
          unusable: [],
          end: isLast ? { kind: "complete" } : undefined,
        };
        yield page;
      }
    },
    patchPost(project, id, change) {
      requests += 1;
      const own = posts.get(project) ?? [];
      const at = own.findIndex((post) => post.id === id);
      own[at] = { id, values: { ...own[at]?.values, ...change } };
      return Promise.resolve({ kind: "applied", post: own[at], seen });
    },
  };
  return { port, add };
}

function createTracker(clock: Clock) {
  const repository: Repository = {
    id: 10,
    name: "acme/app",
    hasIssues: true,
    isArchived: false,
    isPrivate: true,
    canPush: true,
  };
  const records: IssueRecord[] = [];
  const opened: { at: number; project: string }[] = [];
  let requests = 0;
  let changes = 0;
  const now = (): string => `${new Date(clock.now()).toISOString().slice(0, 19)}Z`;
  const change = (number: number, facts: Partial<IssueRecord["issue"]>): IssueRecord => {
    const known = records[number - 1];
    if (known === undefined) throw new Error(`There is no issue ${number}.`);
    changes += 1;
    const record = { ...known, issue: { ...known.issue, ...facts, updatedAt: now() } };
    records[number - 1] = record;
    return record;
  };
  const create = (write: IssueWrite & { readonly kind: "create-issue" }): IssueRecord => {
    const number = records.length + 1;
    const { title, body } = write;
    const project = /Wish (.*)-\d+$/.exec(title)?.[1] ?? "";
    opened.push({ at: clock.now(), project });
    const issue: IssueRecord["issue"] = {
      repositoryId: repository.id,
      number,
      nodeId: `I_${number}`,
      state: "open",
      stateReason: null,
      labels: write.labels,
      assignees: [],
      milestone: null,
      type: null,
      locked: false,
      createdAt: now(),
      updatedAt: now(),
    };
    records.push({ issue, author: "syncer", title, body });
    changes += 1;
    return { issue, author: "syncer", title, body };
  };
  const listed = (): Promise<Listed<never>> => Promise.resolve({ kind: "listed", rows: [], etag: "none" });
  const port: Sides["tracker"] = {
    answers: new Map(),
    get requests() {
      return requests;
    },
    account: () => Promise.resolve({ login: "syncer" }),
    server: () => Promise.resolve("memory"),
    repository: () => Promise.resolve(repository),
    catalogue: () =>
      Promise.resolve({
        labels: [{ name: "feedback" }],
        milestones: [],
        labelsEtag: "one",
        milestonesEtag: "none",
      }),
    labels: listed,
    milestones: listed,
    issueTypes: listed,
    releases: listed,
    isAssignable: () => Promise.resolve(true),
    labelled: listed,
    events: () => Promise.resolve([]),
    labellers: () => Promise.resolve(new Map()),
    async *listIssues(_, query) {
      await Promise.resolve();
      requests += 1;
      const etag = String(changes);
      const isUnchanged = query.kind === "latest" && query.etag === etag;
      if (isUnchanged) {
        yield { issues: [], isUnchanged, etag, lastUpdatedAt: undefined, hasMore: false };
        return;
      }
      const newest = records.toSorted(
        (one, other) => Date.parse(other.issue.updatedAt) - Date.parse(one.issue.updatedAt),
      );
      const since = query.kind === "since" ? (query.since ?? "") : "";
      const found =
        query.kind === "latest"
          ? newest.slice(0, pageSize)
          : newest.filter(({ issue }) => issue.updatedAt >= since).toReversed();
      yield {
        issues: found,
        isUnchanged,
        etag,
        lastUpdatedAt: found.at(-1)?.issue.updatedAt,
        hasMore: query.kind === "latest" && records.length > pageSize,
      };
    },
    readIssue: ({ number }) => {
      requests += 1;
      const record = records[number - 1];
      return Promise.resolve(record === undefined ? { kind: "missing" } : { kind: "found", record });
    },
    comments: () => one([]),
    projectField: () => Promise.reject(new Error("There are no projects here.")),
    readSignals: () => one([]),
    write(_, write) {
      requests += 1;
      if (write.kind !== "create-issue") return Promise.resolve({ kind: "applied", record: undefined });
      return Promise.resolve({ kind: "applied", record: create(write) });
    },
    budgetOf: () => "",
  };
  return {
    port,
    opened,
    toggle(number: number) {
      const isOpen = records[number - 1]?.issue.state === "open";
      change(
        number,
        isOpen ? { state: "closed", stateReason: "completed" } : { state: "open", stateReason: "reopened" },
      );
    },
  };
}

async function* one<T>(value: T): AsyncGenerator<T> {
  yield await Promise.resolve(value);
}
