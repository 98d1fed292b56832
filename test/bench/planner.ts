import { pathToFileURL } from "node:url";
import type { Issue, Signals } from "../../src/model/issue.ts";
import type { Row } from "../../src/model/link.ts";
import { type PostId, type ProjectId, postFields } from "../../src/model/post.ts";
import type { PlanContext, Rule, Settings } from "../../src/plan/ground/settings.ts";
import { adoptRow, planRow } from "../../src/plan/plan.ts";
import { createRenderer, type Renderer } from "../../src/plan/text/render.ts";
import { createDialect } from "../../src/tracker/github/dialect.ts";

/** What is planned, and how often. */
export interface PlannerOptions {
  /** Different posts; a tenth of them is linked. */
  readonly posts: number;
  /** How often all of them are planned; the median counts. */
  readonly rounds: number;
}

/** How fast the planner is, in posts for each second of CPU time. */
export interface PlannerFigures {
  /** All posts of a board on which nothing has changed: a tenth linked, the others not selected. */
  readonly board: number;
  /** Of these the linked ones alone, by signals and labels, without their texts. */
  readonly linked: number;
  /** The same with their texts, as `content: follow` has them rendered and compared. */
  readonly texts: number;
  /** Those that are not selected. */
  readonly unlinked: number;
}

const project = "prj_bench" as ProjectId;
const now = Date.parse("2026-03-02T08:00:00Z");

const rules: readonly Rule[] = [
  {
    when: { state: "closed", reason: ["completed"] },
    set: { status: "completed", roadmapColumn: "COMPLETED" },
  },
  {
    when: { state: "closed", reason: ["not_planned", "duplicate"] },
    set: { status: "closed", onRoadmap: false },
  },
  { when: { labels: ["in progress"] }, set: { status: "in_progress", roadmapColumn: "IN_PROGRESS" } },
  { when: { pullRequest: "open" }, set: { status: "in_progress", roadmapColumn: "IN_PROGRESS" } },
  { when: { milestone: "any" }, set: { status: "planned", roadmapColumn: "PLANNED", onRoadmap: true } },
];

const settings: Settings = {
  project,
  repo: "acme/app",
  writes: "all",
  select: { statuses: ["planned", "in_progress"], archived: false, isArchivedDefault: true },
  route: [],
  issue: { labels: ["feedback"], categoryLabels: {}, assignees: [] },
  content: "follow",
  rules,
  whenNoRule: "restore",
  conflict: "tracker",
  several: "all",
  followDuplicates: true,
  boardRules: [],
  backlink: false,
  settleMs: 0,
  guard: { issues: 50, statuses: 25, flips: 3 },
};

/** Plans unchanged rows, and nothing else: no database, no requests. */
export function measurePlanner({ posts, rounds }: PlannerOptions): PlannerFigures {
  const templates = { title: "{{ post.title }}", body: "{{ post.description }}", postUrl: undefined };
  const renderer = createRenderer(templates, createDialect("https://api.github.com"));
  const context = contextOf(renderer);
  const rows = Array.from({ length: posts }, (_, index) =>
    index % 10 === 0 ? linkedRow(index, context) : plainRow(index, "under_review"),
  );
  const linked = rows.filter(({ links }) => links.length > 0);
  const unlinked = rows.filter(({ links }) => links.length === 0);
  const once: PlanContext = { ...context, settings: { ...settings, content: "once" } };
  return {
    board: measure(rows, once, rounds),
    linked: measure(linked, once, rounds),
    texts: measure(linked, context, rounds),
    unlinked: measure(unlinked, once, rounds),
  };
}

function contextOf(renderer: Renderer): PlanContext {
  return {
    settings,
    seen: new Set(postFields),
    statuses: [],
    render: (post, others) => renderer.render(post, { board: "bench", project, others }),
    renderComment: (template, post) =>
      renderer.comment(template, post, { board: "bench", project, others: [] }),
    now,
    pinsOf: () => [],
    patchMs: 120_000,
    fullEveryMs: 21_600_000,
  };
}

function plainRow(index: number, status: string): Row {
  return {
    post: {
      id: `post_${index}` as PostId,
      values: {
        title: `Post ${index} wants something that many others want, too`,
        description: `As a customer of many years I would like to see number ${index}. `.repeat(8),
        status,
        votes: index % 97,
        categoryId: "cat_bench",
        onRoadmap: false,
        isArchived: false,
        isReviewed: true,
        createdAt: "2026-01-01T00:00:00Z",
      },
    },
    seenAt: now,
    missing: 0,
    links: [],
    base: {},
    openIntents: [],
    statusWrites: [],
  };
}

/** A row on which both sides are as they were at its last plan. */
function linkedRow(index: number, context: PlanContext): Row {
  const issue = issueOf(index);
  const plain = plainRow(index, "planned");
  const { titleHash, blockHash } = context.render(plain.post, []);
  const row: Row = {
    ...plain,
    links: [
      {
        link: { post: plain.post.id, issue: { repositoryId: 7, number: issue.number }, origin: "opened" },
        known: { issue, signals: signalsOf(index) },
        isGone: false,
        text: { content: { titleHash, blockHash }, others: [] },
      },
    ],
  };
  const { base } = adoptRow(row, context);
  return { ...row, base };
}

/** Open ones, some with a label, some done. */
function issueOf(index: number): Issue {
  const isDone = index % 30 === 0;
  return {
    repositoryId: 7,
    number: index + 1,
    nodeId: `I_${index}`,
    state: isDone ? "closed" : "open",
    stateReason: isDone ? "completed" : null,
    labels: index % 20 === 0 ? ["feedback", "in progress"] : ["feedback"],
    assignees: [],
    milestone: null,
    type: null,
    locked: false,
    createdAt: "2026-01-01T00:00:00Z",
    updatedAt: "2026-01-02T00:00:00Z",
  };
}

function signalsOf(index: number): Signals {
  const pull = { repository: "acme/app", number: index, state: "open", isDraft: false } as const;
  return { pullRequests: { kind: "known", value: index % 50 === 0 ? [pull] : [] } };
}

/** @throws when a row is not unchanged after all. */
function measure(rows: readonly Row[], context: PlanContext, rounds: number): number {
  const rates = Array.from({ length: rounds }, () => {
    const before = process.cpuUsage();
    let actions = 0;
    for (const row of rows) actions += planRow(row, context).actions.length;
    const { user, system } = process.cpuUsage(before);
    if (actions > 0) throw new Error("The planner's bench has rows that something is to be done for.");
    return rows.length / ((user + system) / 1_000_000);
  });
  return Math.round(rates.toSorted((one, other) => one - other)[Math.floor(rounds / 2)] ?? 0);
}

/** `node test/bench/planner.ts [POSTS] [ROUNDS]` prints the figures as JSON. */
function main([posts = "100000", rounds = "9"]: readonly string[]): void {
  const options = { posts: Number(posts), rounds: Number(rounds) };
  process.stdout.write(`${JSON.stringify({ ...options, ...measurePlanner(options) })}\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) main(process.argv.slice(2));
