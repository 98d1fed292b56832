/** @module-tag long */
import { expect, it } from "vitest";
import { openSample } from "./month.ts";

const repo = "paperclip-dev/paperclip";

it("a month of a small open-source project: labels, a hand up, a word of thanks", async () => {
  const { stage, on } = await openSample("samples/open-source", [
    { name: repo, labels: ["feedback", "accepted", "in progress"], collaborators: ["robin"] },
  ]);
  const { board, github } = stage;
  const nothing = { board: [], github: [], mails: [] };

  const arrival = await on(1, "three ideas, of which two are read and wanted by many", () => {
    board.addPost("paperclip", { title: "Dark mode", status: "open", votes: 40, isReviewed: true });
    board.addPost("paperclip", { title: "A sidebar", status: "open", votes: 12, isReviewed: true });
    board.addPost("paperclip", { title: "Spam, spam", status: "open", votes: 90, isReviewed: false });
  });
  expect(arrival).toEqual({
    ...nothing,
    github: [`POST /repos/${repo}/issues`, `POST /repos/${repo}/issues`],
  });
  expect(github.issues(repo).map(({ title }) => title)).toEqual(["Dark mode", "A sidebar"]);

  const accepted = await on(3, "dark mode is accepted", () => github.label(repo, 1, "accepted"));
  expect(accepted.board).toEqual([
    "p1: status planned, roadmapColumn PLANNED, roadmapPublic true, onRoadmap true",
  ]);
  expect(accepted.mails).toEqual(["p1: open → planned, to 40"]);

  const slip = await on(5, "a label by mistake, taken back before anyone could hear of it", () => {
    github.label(repo, 2, "accepted");
    github.unlabel(repo, 2, "accepted");
  });
  expect(slip).toEqual(nothing);

  const start = await on(8, "Robin takes it", () => github.assign(repo, 1, "robin"));
  expect(start.mails).toEqual(["p1: planned → in_progress, to 40"]);

  const done = await on(20, "it is done", () => github.close(repo, 1, "completed"));
  expect(done.mails).toEqual(["p1: in_progress → completed, to 40"]);

  const declined = await on(22, "the sidebar is declined on the board", () => {
    board.editPost("paperclip", "p2", { status: "declined" });
  });
  expect(declined.mails).toEqual([]);
  expect(declined.board).toEqual([]);
  expect(github.issue(repo, 2)).toMatchObject({
    state: "closed",
    stateReason: "not_planned",
    labels: ["feedback", "declined"],
  });
  expect(github.comments(repo, 2).map(({ body }) => body)).toEqual([
    expect.stringContaining("Declined on the feedback board. Thank you for the idea!"),
  ]);

  const bug = await on(25, "a bug in dark mode: reopened, and still Robin's", () => github.reopen(repo, 1));
  expect(bug.mails).toEqual(["p1: completed → in_progress, to 40"]);

  const again = await on(28, "and closed again", () => github.close(repo, 1, "completed"));
  expect(again.mails).toEqual(["p1: in_progress → completed, to 40"]);
  expect(await on(31, "the month is over", () => undefined)).toEqual(nothing);
});
