/** @module-tag long */
import { expect, it } from "vitest";
import { type News, openSample } from "./month.ts";

/**
 * Every sample, step by step up its ladder and down again: a milestone, a label, a pull request, closed as completed, reopened;
 * then closed for no reason, reopened, and closed as not planned. No field is taken back that a matching rule still names, and
 * voters hear of each step once.
 */

interface Ladder {
  readonly sample: string;
  readonly project: string;
  readonly repo: string;
  readonly labels: readonly string[];
}

const ladders: readonly (Ladder & { readonly wanted: readonly (readonly string[])[] })[] = [
  {
    sample: "sample",
    project: "acme-app",
    repo: "acme/app",
    labels: ["in progress"],
    wanted: [
      ["p1: roadmapColumn PLANNED, roadmapPublic true, onRoadmap true"],
      ["p1: status in_progress, roadmapColumn IN_PROGRESS", "p1: planned → in_progress, to 20"],
      [],
      ["p1: status completed, roadmapColumn COMPLETED", "p1: in_progress → completed, to 20"],
      ["p1: status in_progress, roadmapColumn IN_PROGRESS", "p1: completed → in_progress, to 20"],
      [],
      [],
      ["p1: status closed, roadmapColumn PLANNED, onRoadmap false", "p1: in_progress → closed, to 20"],
    ],
  },
  {
    sample: "samples/open-source",
    project: "paperclip",
    repo: "paperclip-dev/paperclip",
    labels: ["accepted", "in progress"],
    wanted: [
      [],
      ["p1: roadmapColumn PLANNED, roadmapPublic true, onRoadmap true"],
      ["p1: status in_progress, roadmapColumn IN_PROGRESS", "p1: planned → in_progress, to 20"],
      [],
      ["p1: status completed, roadmapColumn COMPLETED", "p1: in_progress → completed, to 20"],
      ["p1: status in_progress, roadmapColumn IN_PROGRESS", "p1: completed → in_progress, to 20"],
      [],
      [],
      ["p1: status declined, roadmapPublic false, onRoadmap false", "p1: in_progress → declined, to 20"],
    ],
  },
  {
    sample: "samples/company",
    project: "acme-app",
    repo: "acme/app",
    labels: ["in progress"],
    wanted: [
      [],
      [],
      [
        "p1: status in_progress, roadmapColumn IN_PROGRESS, onRoadmap true",
        "p1: planned → in_progress, to 20",
      ],
      [],
      [],
      [],
      [],
      ["p1: status declined, onRoadmap false", "p1: in_progress → declined, to 20"],
    ],
  },
  {
    sample: "samples/products",
    project: "desktop",
    repo: "acme/monorepo",
    labels: ["in progress"],
    wanted: [
      ["p1: roadmapColumn PLANNED, onRoadmap true"],
      [],
      ["p1: status in_progress, roadmapColumn IN_PROGRESS", "p1: planned → in_progress, to 20"],
      ["p1: status completed, roadmapColumn COMPLETED", "p1: in_progress → completed, to 20"],
      ["p1: status in_progress, roadmapColumn IN_PROGRESS", "p1: completed → in_progress, to 20"],
      [],
      [],
      ["p1: status closed, onRoadmap false", "p1: in_progress → closed, to 20"],
    ],
  },
];

it.each(ladders)("$sample", async ({ sample, project, repo, labels, wanted }) => {
  const names = [...new Set([repo, "acme/app", "acme/api"])].filter(
    (name) => name.split("/")[0] === repo.split("/")[0],
  );
  const { stage, on } = await openSample(
    sample,
    names.map((name) => ({ name, private: true, milestones: ["Next"], types: ["Feature"] })),
  );
  const { board, github } = stage;
  github.addProject(
    { owner: "acme", number: 7 },
    { Status: ["Backlog", "Ready", "In progress", "In review", "Done"] },
  );
  await on(1, "a post that people want", () => {
    const values = { status: "planned", votes: 20, isReviewed: true, onRoadmap: false, roadmapPublic: false };
    board.addPost(project, { title: "Dark mode", ...values });
  });
  const [{ number = 0 } = {}] = github.issues(repo);
  const steps: readonly (readonly [string, () => void])[] = [
    ["a milestone", () => github.setMilestone(repo, number, "Next")],
    ...labels.map((label) => [`the label ${label}`, () => github.label(repo, number, label)] as const),
    [
      "a pull request",
      () => {
        const request = github.openPullRequest(repo, { title: "Dark mode" });
        github.linkPullRequest({ repository: repo, number }, { repository: repo, number: request.number });
      },
    ],
    ["closed as completed", () => github.close(repo, number, "completed")],
    ["reopened", () => github.reopen(repo, number)],
    ["closed without a reason", () => github.close(repo, number, null)],
    ["reopened again", () => github.reopen(repo, number)],
    ["closed as not planned", () => github.close(repo, number, "not_planned")],
  ];
  const told: News[] = [];
  for (const [day, [what, act]] of steps.entries()) told.push(await on(day + 2, what, act));
  expect(told.map((news) => [...news.board, ...news.mails])).toEqual(wanted);
});
