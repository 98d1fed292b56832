/** @module-tag long */
import { expect, it } from "vitest";
import { openSample } from "./month.ts";

const repo = "acme/monorepo";

it("a month of several products in one repository", async () => {
  const { stage, on } = await openSample("samples/products", [
    { name: repo, private: true, milestones: ["Spring"] },
  ]);
  const { board, github } = stage;
  const nothing = { board: [], github: [], mails: [] };

  const opened = await on(1, "each product plans something", () => {
    board.addPost("desktop", { title: "Two windows", votes: 9, status: "planned" });
    board.addPost("mobile", { title: "A widget", votes: 20, status: "planned" });
    board.addPost("legacy", { title: "One more year", votes: 200, status: "planned" });
  });
  expect(opened.github.filter((write) => write === `POST /repos/${repo}/issues`)).toHaveLength(2);
  expect(github.issues(repo).map(({ title, labels }) => [title, labels])).toEqual([
    ["Desktop: Two windows", ["feedback", "product: desktop"]],
    ["Mobile: A widget", ["feedback", "product: mobile"]],
  ]);

  const planned = await on(3, "both are for spring", () => {
    github.setMilestone(repo, 1, "Spring");
    github.setMilestone(repo, 2, "Spring");
  });
  expect(planned.mails).toEqual([]);
  expect(planned.board).toEqual([
    "p1: roadmapColumn PLANNED, onRoadmap true",
    "p2: roadmapColumn PLANNED, onRoadmap true",
  ]);

  const started = await on(9, "someone opens a draft for the widget", () => {
    const { number } = github.openPullRequest(repo, { title: "Widget" });
    github.linkPullRequest({ repository: repo, number: 2 }, { repository: repo, number });
    github.setDraft(repo, number, true);
  });
  expect(started.mails).toEqual(["p2: planned → in_progress, to 20"]);

  const given = await on(12, "two windows won't be", () => github.close(repo, 1, "not_planned"));
  expect(given.mails).toEqual(["p1: planned → closed, to 9"]);

  const done = await on(20, "the widget is there", () => {
    github.mergePullRequest(repo, 3);
    github.close(repo, 2, "completed");
  });
  expect(done.mails).toEqual(["p2: in_progress → completed, to 20"]);

  expect(
    await on(
      31,
      "the month is over, and nothing was written for the product that is only watched",
      () => undefined,
    ),
  ).toEqual(nothing);
  expect(board.post("legacy", "p3")?.status).toBe("planned");
});
