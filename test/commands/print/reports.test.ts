import { expect, it } from "vitest";
import { widthOf } from "../../../src/commands/print/text.ts";
import { printPlan } from "../../../src/commands/reports/plan.ts";
import { printRun } from "../../../src/commands/reports/run.ts";
import { printLook } from "../../../src/commands/reports/undo.ts";
import { printRebuild } from "../../../src/commands/run/rebuild.ts";
import type { RepositoryName } from "../../../src/model/issue.ts";
import type { PostId } from "../../../src/model/post.ts";
import type { RebuiltProject } from "../../../src/story/rebuild/rebuild.ts";
import type { PlannedAction, ProjectReport, RunReport } from "../../../src/sync/ground/reports.ts";
import { tellTimes } from "../../../src/sync/tell/times.ts";
import { createOutput } from "../stage.ts";

const post = "0198f6e2-7a31-7c55-9e0b-4a4f0c5d2b11" as PostId;
const repo = "an-organisation-with-a-long-name/and-its-repository" as RepositoryName;
const issue = `${repo}#123456`;
const now = Date.parse("2026-03-02T10:00:00Z");

const action: PlannedAction = {
  kind: "patch-post",
  post,
  title: "A title of a post that goes on and on, beyond what a line of a terminal can show of it",
  issue,
  before: { status: "in_progress" },
  fields: { status: "completed", roadmapColumn: "COMPLETED", title: "word ".repeat(60) },
  reason: `issue ${issue} closed as completed → rule 1`,
  notifies: 1_234_567,
  when: "later",
  notBefore: "2026-03-02T10:12:00.000Z",
};

const project: ProjectReport = {
  result: "ok",
  project: "a-project-with-a-name-of-its-own",
  repo,
  posts: 99_999,
  issues: 88_888,
  created: 7777,
  adopted: 6666,
  issueWrites: 5555,
  postWrites: 4444,
  statusWrites: 3333,
  voters: 1_234_567,
  waiting: 2222,
  held: 1111,
  parked: 999,
  quarantined: 888,
  skipped: 1,
  failed: 777,
  requests: { board: 1, tracker: 1 },
  errors: [],
};

const run: RunReport = {
  run: 1,
  result: "ok",
  startedAt: "2026-03-02T10:00:00.000Z",
  durationMs: 1,
  projects: [project],
};

const rebuilt: RebuiltProject = {
  ...project,
  kept: 10_000,
  found: 20_000,
  disagreements: [],
  duplicates: [],
  strangers: [],
  edited: [],
  unreadable: [],
  orphans: [],
  absent: [],
  otherBoards: 30_000,
  waitsUntil: null,
} as unknown as RebuiltProject;

const tables: Readonly<Record<string, (terminal: Parameters<typeof printRun>[0]) => void>> = {
  sync: (terminal) => printRun(terminal, {}, run, []),
  plan: (terminal) =>
    printPlan(
      terminal,
      {},
      {
        plan: { projects: [{ project: project.project, repo, actions: [action], errors: [] }] },
        report: run,
        projectsAfter: [],
        otherConfigs: [],
      },
      undefined,
    ),
  undo: (terminal) =>
    printLook(terminal, [{ kind: "patch-post", post, signature: "s", lines: [action] }], run),
  rebuild: (terminal) => printRebuild(terminal, {}, { ...run, projects: [rebuilt] }),
};

it.each(
  Object.entries(tables).flatMap(([name, print]) => [80, 60].map((columns) => ({ name, columns, print }))),
)("the table of $name fits $columns columns, whatever stands in it", ({ columns, print }) => {
  const out = createOutput({ isTerminal: true, columns });
  const { signal } = new AbortController();
  print({ out, signal, times: () => tellTimes(now, "Europe/Berlin") });
  expect(Math.max(...out.text().split("\n").map(widthOf))).toBeLessThanOrEqual(columns);
});

it("ids stay whole in a pipe of which nobody knows the width, and times are told in the config's zone", () => {
  const out = createOutput({ columns: 80 });
  const { signal } = new AbortController();
  tables["plan"]?.({ out, signal, times: () => tellTimes(now, "Europe/Berlin") });
  expect(out.text()).toContain(post);
  expect(out.text()).toContain(issue);
  expect(out.text()).toContain("in 12 minutes (11:12)");
});
