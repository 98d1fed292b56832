import type { PostField, ProjectId } from "../../src/model/post.ts";
import type { Rule, Select, Settings } from "../../src/plan/ground/settings.ts";
import { defaultRules } from "../../src/plan/rules/rules.ts";
import { boardHash } from "../../src/plan/text/marker.ts";
import type { Policy } from "../../src/sync/ground/world.ts";
import { pickWeighted, type Random } from "./random.ts";

const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

export const projectId = "prj_1" as ProjectId;
export const projectKey = "acme-app";
/** The projects of the board: the second one is there where people move posts between the two. */
export const boardProjects = [
  { id: projectId, slug: projectKey, name: "Acme" },
  { id: "prj_2" as ProjectId, slug: "acme-next", name: "Acme, next" },
] as const;
export const ourLogin = "boardsync-bot";
export const categories = ["cat_1", "cat_api"] as const;
export const statuses = ["open", "planned", "in_progress", "completed", "closed"] as const;
export const columns = ["PLANNED", "IN_PROGRESS", "COMPLETED"] as const;
export const ownRepo = "acme/app";
export const otherRepo = "acme/api";
/** Where people work on what the issues ask for: pull requests and sub-issues. */
export const workRepo = "acme/work";
/** A repository that no config names. */
export const elsewhere = "acme/attic";

/** The config, and how the two sides behave. Fixed for a whole history, but for what people change in the middle of it. */
export interface Scenario {
  settings: Omit<Settings, "project">;
  readonly policy: Policy;
  readonly board: BoardTraits;
  readonly github: GitHubTraits;
  /** How wrong the program's clock is. */
  skewMs: number;
  /** Every run is a process of its own, as from cron; else one process lives until it is restarted. */
  readonly isOneShot: boolean;
  /** Of a request: how likely it is to meet a fault in a step with faults. */
  readonly faultRate: number;
  /** Of a request: how likely people are to act while it is under way. */
  readonly peopleRate: number;
  /** A second connection watches, and a crash opens the database anew from copies of its files, as after a power cut. */
  readonly hasPowerCuts: boolean;
  readonly posts: number;
  /** What few histories have of what the two sides may do; absent where there is nothing of it. */
  readonly quirks?: Quirks;
  /** Whether it has settings that few projects have (`wishes.ts`). */
  readonly isWishing?: boolean;
  /** What the board's own tools are there for; absent where it has none. */
  readonly tools?: ToolTraits;
  /** Of a state that two replicas share: how long a lease holds by itself. */
  readonly leaseMs?: number;
}

/** What is drawn apart (`quirks.ts`). */
export interface Quirks {
  /** The board's lists show what a post was before a write of ours for a while, now and then. */
  readonly hasLateLists: boolean;
  /** Posts that the board sorts alike come twice, or on no page. */
  readonly hasTies: boolean;
  /** What people do beside all else. */
  readonly acts: "names" | "reasons" | "refusals" | "moves";
  /** Where the issues of a second project of the board go, between which and the first one people move posts; absent where there is none. */
  readonly secondRepo?: string;
}

export interface ToolTraits {
  /** Whether labelled issues become posts. */
  readonly hasPosts: boolean;
  /** Whether releases become entries of the changelog. */
  readonly hasEntries: boolean;
  /** Whether these can be listed. */
  readonly hasList: boolean;
}

export interface BoardTraits {
  readonly pageSize: number;
  /** Fields that no record shows. */
  readonly hidden: readonly PostField[];
  /** Shows `In Progress` for `in_progress`. */
  readonly respells: boolean;
  /** Takes a PATCH of the status, answers 200, and changes nothing. */
  readonly ignoresStatus: boolean;
  /** Answers 400 to this status. */
  readonly refuses: string | undefined;
  /** Moves the post in its roadmap itself when the status changes. */
  readonly movesColumn: boolean;
  /** What a PATCH answers. */
  readonly answers: "record" | "nothing";
}

export interface GitHubTraits {
  readonly pageSize: number;
  /** A change is in the lists at most this much later. */
  readonly lagMs: number;
  readonly canPush: boolean;
  /** Whether it answers what rules look at beside the records of issues. */
  readonly hasGraphql: boolean;
  /** Whether the token can read the repository that no config names. */
  readonly showsElsewhere: boolean;
}

/** Draws a scenario. */
export function drawScenario(random: Random, hasGraphql: boolean): Scenario {
  const posts = drawPosts(random);
  const rules = drawRules(random, { hasGraphql });
  const settings = drawSettings(random, rules);
  const waits = random.pick([
    { createMs: 15 * minuteMs, patchMs: 2 * minuteMs },
    { createMs: 2 * minuteMs, patchMs: 30 * secondMs },
  ]);
  return {
    settings,
    policy: drawPolicy(random, waits),
    board: drawBoard(random, settings, posts),
    github: {
      pageSize: drawPageSize(random, posts),
      lagMs: random.chance(0.5) ? 0 : Math.min(100 * secondMs, waits.createMs * 0.8),
      canPush: random.chance(0.9),
      hasGraphql,
      showsElsewhere: random.chance(0.5),
    },
    skewMs: random.chance(0.6) ? 0 : random.between(-90, 90) * secondMs,
    isOneShot: random.chance(0.3),
    faultRate: random.pick([0, 0.05, 0.2, 0.5]),
    peopleRate: random.pick([0, 0.05, 0.1, 0.2]),
    hasPowerCuts: random.chance(0.02),
    posts,
  };
}

/** One or two are enough for nearly everything that can go wrong; changes that shift pages take three. */
function drawPosts(random: Random): number {
  const posts = pickWeighted(random, { one: 25, two: 45, three: 22, more: 8 });
  return posts === "more" ? random.between(4, 8) : { one: 1, two: 2, three: 3 }[posts];
}

/** Of posts as of issues; what is on one page only has no paging that can go wrong. */
function drawPageSize(random: Random, posts: number): number {
  return random.pick(posts <= 2 ? [100, 1, 1] : [100, 2, 1, 1]);
}

export function drawRules(random: Random, { hasGraphql }: Pick<GitHubTraits, "hasGraphql">): readonly Rule[] {
  const full: readonly Rule[] = [
    {
      when: { state: "closed", reason: ["completed"] },
      set: { status: "completed", roadmapColumn: "COMPLETED" },
    },
    {
      when: { state: "closed", reason: ["not_planned", "duplicate"] },
      set: { status: "closed", onRoadmap: false },
    },
    {
      when: { state: "open", labels: ["in progress"] },
      set: { status: "in_progress", roadmapColumn: "IN_PROGRESS", onRoadmap: true },
    },
    { when: { milestone: "any" }, set: { status: "planned", roadmapColumn: "PLANNED", onRoadmap: true } },
  ];
  const always: readonly Rule[] = [
    { when: { state: "closed" }, set: { status: "completed" } },
    { when: { state: "open", assigned: true }, set: { status: "in_progress" } },
    { when: {}, set: { status: "planned" } },
  ];
  const defaults = defaultRules().filter(({ when }) => hasGraphql || when.pullRequest === undefined);
  return random.pick([full, full, full, always, always, defaults]);
}

function drawSettings(random: Random, rules: readonly Rule[]): Omit<Settings, "project"> {
  return {
    repo: ownRepo,
    writes: pickWeighted(random, { all: 20, issues: 1, none: 1 }),
    select: drawSelect(random),
    route: drawRoute(random),
    issue: drawIssueSettings(random),
    content: random.chance(0.7) ? "follow" : "once",
    rules,
    whenNoRule: random.chance(0.7) ? "restore" : "keep",
    conflict: pickWeighted(random, { tracker: 6, board: 2, hold: 2 }),
    several: "all",
    followDuplicates: false,
    boardRules: [],
    backlink: false,
    settleMs: drawSettle(random),
    guard: drawGuard(random),
  };
}

export function drawRoute(random: Random): Settings["route"] {
  return random.chance(0.3) ? [{ category: "cat_api", repo: otherRepo }] : [];
}

export function drawIssueSettings(random: Random): Settings["issue"] {
  return {
    labels: random.chance(0.5) ? ["feedback"] : [],
    categoryLabels: random.chance(0.3) ? { cat_1: "area: billing" } : {},
    assignees: random.chance(0.2) ? ["maintainer"] : [],
    ...(random.chance(0.2) && { milestone: "Backlog" }),
  };
}

export function drawSettle(random: Random): number {
  return random.pick([0, 0, 0, 0, 5 * minuteMs, 30 * minuteMs]);
}

export function drawGuard(random: Random): Settings["guard"] {
  return random.pick([
    { issues: 50, statuses: 25, flips: 3 },
    { issues: 50, statuses: 25, flips: 20 },
    { issues: 50, statuses: 1, flips: 1 },
    { issues: 1, statuses: 1, flips: 3 },
    { issues: 3, statuses: 2, flips: 3 },
  ]);
}

export function drawSelect(random: Random): Select {
  const archived = { archived: false, isArchivedDefault: true };
  return random.pick<Select>([
    archived,
    archived,
    archived,
    { ...archived, statuses: ["planned", "in_progress"] },
    { ...archived, minVotes: 3 },
    { ...archived, reviewed: true },
  ]);
}

function drawPolicy(random: Random, waits: Policy["waits"]): Policy {
  return {
    boardHash: boardHash("https://feedback.example.com/api/v1"),
    boardUrl: "https://feedback.example.com/api/v1",
    fields: {},
    formerBoards: [],
    trackerUrl: "https://api.github.example.com",
    fullEveryMs: 6 * hourMs,
    budgetMs: random.pick([10 * minuteMs, 10 * minuteMs, 30 * secondMs]),
    waits,
    pace: random.pick([
      { minIntervalMs: secondMs, createsPerMinute: 20, createsPerHour: 150, writesPerHour: 450 },
      { minIntervalMs: 2 * secondMs, createsPerMinute: 2, createsPerHour: 5, writesPerHour: 8 },
    ]),
    projectKeys: [projectKey],
    repositories: [ownRepo, otherRepo],
    trustedAuthors: [],
    concurrency: random.pick([1, 4]),
    keepMs: 180 * 24 * hourMs,
  };
}

function drawBoard(random: Random, { rules, select }: Omit<Settings, "project">, posts: number): BoardTraits {
  const mayHide: PostField[] = ["updatedAt", "isArchived", "roadmapColumn", "onRoadmap", "url"];
  if (select.minVotes === undefined) mayHide.push("votes");
  if (rules.length > 2 && random.chance(0.1) && select.statuses === undefined) mayHide.push("status");
  return {
    pageSize: drawPageSize(random, posts),
    hidden: random.chance(0.6) ? [] : mayHide.filter(() => random.chance(0.4)),
    respells: random.chance(0.3),
    ignoresStatus: random.chance(0.06),
    refuses: random.chance(0.06) ? random.pick(["in_progress", "completed"]) : undefined,
    movesColumn: random.chance(0.15),
    answers: random.chance(0.7) ? "record" : "nothing",
  };
}
