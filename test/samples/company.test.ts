/** @module-tag long */
import { expect, it } from "vitest";
import { openSample } from "./month.ts";

const app = "acme/app";
const api = "acme/api";
const plan = { owner: "acme", number: 7 };

it("a month of a company: a project, pull requests, releases, a duplicate, an epic", async () => {
  const { stage, on } = await openSample("samples/company", [
    { name: app, private: true, types: ["Feature", "Bug"], collaborators: ["dana"] },
    { name: api, private: true, types: ["Feature", "Bug"], collaborators: ["dana"] },
  ]);
  const { board, github } = stage;
  const nothing = { board: [], github: [], mails: [] };
  github.addProject(plan, { Status: ["Backlog", "Ready", "In progress", "In review", "Done"] });

  await on(1, "product plans four posts, one of them of the API", () => {
    for (const [title, votes, categoryId] of [
      ["Export to Excel", 60, "cat_app"],
      ["A spreadsheet, please", 25, "cat_app"],
      ["Webhooks", 30, "cat_api"],
      ["A new editor", 80, "cat_app"],
    ] as const) {
      board.addPost("acme-app", { title, votes, categoryId, status: "planned", internalNote: "" });
    }
  });
  expect(github.issues(app).map(({ title }) => title)).toEqual([
    "Export to Excel",
    "A spreadsheet, please",
    "A new editor",
  ]);
  expect(github.issues(api)).toMatchObject([
    { title: "Webhooks", labels: ["customer feedback", "area: api"], type: "Feature" },
  ]);
  expect(board.post("acme-app", "p1")?.internalNote).toBe("Tracked in acme/app#1");

  const started = await on(4, "Dana drags two cards to In progress", () => {
    for (const [repository, number] of [
      [app, 1],
      [api, 1],
    ] as const) {
      github.addToProject(plan, { repository, number });
      github.setProjectStatus(plan, { repository, number }, "In progress");
    }
  });
  expect(started.mails).toEqual(["p1: planned → in_progress, to 60", "p3: planned → in_progress, to 30"]);

  const renamed = await on(6, "the option gets another name, and soon its old one again", () => {
    github.renameOption(plan, "Status", "In review", "Review");
    github.renameOption(plan, "Status", "Review", "In review");
  });
  expect(renamed).toEqual(nothing);

  const duplicate = await on(8, "the spreadsheet is the export, under another name", () => {
    github.closeAsDuplicate({ repository: app, number: 2 }, { repository: app, number: 1 });
  });
  expect(duplicate.mails).toEqual(["p2: planned → in_progress, to 25"]);

  const epic = await on(10, "the editor is an epic, and its first part is done", () => {
    for (const title of ["Paste", "Undo"]) github.openIssue(app, { title, author: "dana" });
    const parts = github.issues(app).filter(({ author }) => author === "dana");
    for (const { number } of parts) {
      github.addSubIssue({ repository: app, number: 3 }, { repository: app, number });
    }
    github.close(app, parts[0]?.number ?? 0, "completed");
  });
  expect(epic.mails).toEqual(["p4: planned → in_progress, to 80"]);

  const merged = await on(15, "the export is merged and closed: done, but not out yet", () => {
    const { number } = github.openPullRequest(app, { title: "Export" });
    github.linkPullRequest({ repository: app, number: 1 }, { repository: app, number });
    github.mergePullRequest(app, number);
    github.close(app, 1, "completed");
  });
  expect(merged.mails).toEqual([]);

  const draft = await on(17, "a release is drafted", () =>
    github.publishRelease(app, { tag: "v2.0.0", isDraft: true }),
  );
  expect(draft).toEqual(nothing);

  const shipped = await on(
    20,
    "and published: everyone who asked for it hears, also under the other name",
    () => {
      github.publishRelease(app, { tag: "v2.0.1" });
    },
  );
  expect(shipped.mails).toEqual(["p1: in_progress → shipped, to 60", "p2: in_progress → shipped, to 25"]);

  const archived = await on(24, "product archives the webhooks", () => {
    board.editPost("acme-app", "p3", { isArchived: true });
  });
  expect(archived.mails).toEqual([]);
  expect(github.issue(api, 1)).toMatchObject({ state: "closed", stateReason: "not_planned" });
  expect(github.comments(api, 1)).toHaveLength(1);

  expect(await on(31, "the month is over", () => undefined)).toEqual(nothing);
});
