import { expect, it } from "vitest";
import { addPlanned, openStage, type Stage, standardProject } from "../support/stage.ts";

/** A project without `rules`, and posts in these columns of the roadmap. */
async function openBare(...columns: readonly (string | null)[]): Promise<Stage> {
  const { project, repo, select, issue } = standardProject;
  const stage = await openStage({ projects: [{ project, repo, select, issue }] });
  addPlanned(
    stage,
    columns.map((roadmapColumn) => ({ roadmapColumn })),
  );
  return stage;
}

function columns(stage: Stage): readonly unknown[] {
  return stage.patches().map(({ path, body }) => [path, body]);
}

it("without rules, a board with history stays as it is at first, and nobody is notified", async () => {
  const stage = await openBare("COMPLETED", "IN_PROGRESS", "PLANNED", null);
  for (let run = 0; run < 3; run += 1) {
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ statusWrites: 0 }] });
  }
  expect(stage.patches()).toEqual([]);
});

it("without rules, an assignee or a pull request moves the column, and so does the end of the work", async () => {
  const stage = await openBare("PLANNED", "PLANNED", "PLANNED");
  await stage.sync();
  stage.mark();
  stage.github.assign("acme/app", 1, "octocat");
  const { number } = stage.github.openPullRequest("acme/app", { title: "A thing" });
  stage.github.linkPullRequest({ repository: "acme/app", number: 2 }, { repository: "acme/app", number });
  expect(await stage.syncOne()).toMatchObject({ postWrites: 2, statusWrites: 0 });
  expect(columns(stage)).toEqual([
    ["/feedback/p1", { roadmapColumn: "IN_PROGRESS" }],
    ["/feedback/p2", { roadmapColumn: "IN_PROGRESS" }],
  ]);
  stage.mark();
  stage.github.mergePullRequest("acme/app", number);
  stage.github.close("acme/app", 2, "completed");
  stage.github.close("acme/app", 3, "not_planned");
  await stage.sync();
  expect(columns(stage)).toEqual([["/feedback/p2", { roadmapColumn: "COMPLETED" }]]);
});

it("without rules, a post waits for pull requests that can't be read only where they decide", async () => {
  const stage = await openBare("PLANNED", "PLANNED");
  await stage.sync();
  stage.github.assign("acme/app", 1, "octocat");
  const fault = { type: "FORBIDDEN", message: "Resource not accessible by personal access token" };
  for (const number of [1, 2]) {
    stage.github.breakField({ repository: "acme/app", number }, "closedByPullRequestsReferences", fault);
  }
  stage.mark();
  expect(await stage.sync()).toMatchObject({
    result: "partial",
    projects: [{ postWrites: 1, errors: [{ post: "p2", code: "tracker.undecided" }] }],
  });
  expect(columns(stage)).toEqual([["/feedback/p1", { roadmapColumn: "IN_PROGRESS" }]]);
});
