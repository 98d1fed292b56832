import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Fixture, startFixture } from "../../github-client.ts";

let fixture: Fixture;
const issues = "/repos/acme/app/issues";

beforeEach(async () => {
  fixture = await startFixture({
    repositories: [
      {
        name: "acme/app",
        labels: ["Bug"],
        milestones: ["Backlog", { title: "Old", state: "closed" }],
        collaborators: ["ada"],
        types: ["Feature"],
      },
      { name: "acme/readable", canPush: false, labels: ["Bug"], milestones: ["Backlog"] },
      { name: "acme/archived", archived: true },
      { name: "acme/silent", hasIssues: false },
    ],
  });
});

afterEach(() => fixture.github.stop());

describe("creating an issue", () => {
  it("answers 201 with the place and everything that was asked for", async () => {
    const { send, github } = fixture;
    const created = await send("POST", issues, {
      title: "Dark mode",
      body: "Please.",
      labels: ["bug", { name: "feedback" }, "feedback"],
      assignees: ["ada"],
      milestone: 1,
      type: "Feature",
    });
    expect(created.status).toBe(201);
    expect(created.headers.get("location")).toBe(`${github.url}/repos/acme/app/issues/1`);
    expect(github.issue("acme/app", 1)).toEqual({
      id: created.body["id"],
      number: 1,
      isPullRequest: false,
      title: "Dark mode",
      body: "Please.",
      author: "boardsync-bot",
      state: "open",
      stateReason: null,
      labels: ["Bug", "feedback"],
      assignees: ["ada"],
      milestone: "Backlog",
      type: "Feature",
      isLocked: false,
      comments: 0,
      createdAt: "2026-01-05T10:00:00Z",
      updatedAt: "2026-01-05T10:00:00Z",
      closedAt: null,
      closedBy: null,
    });
  });

  it("makes a label that the repository lacks, without a word", async () => {
    await fixture.send("POST", issues, { title: "Dark mode", labels: ["feedback"] });
    expect(fixture.github.labels("acme/app")).toEqual(["Bug", "feedback"]);
  });

  it("drops labels, assignees, milestone and type of a caller who may not push", async () => {
    const { send, github } = fixture;
    const wanted = { title: "Dark mode", labels: ["x"], assignees: ["nobody"], milestone: 9, type: "None" };
    const created = await send("POST", "/repos/acme/readable/issues", wanted);
    expect(created.status).toBe(201);
    expect(github.issue("acme/readable", 1)).toMatchObject({
      labels: [],
      assignees: [],
      milestone: null,
      type: null,
    });
    expect(github.labels("acme/readable")).toEqual(["Bug"]);
  });

  it.each([
    ["no title", {}, undefined],
    ["a title of a wrong type", { title: true }, undefined],
    ["labels of a wrong type", { title: "t", labels: [{ id: 1 }] }, undefined],
    ["labels that are no list", { title: "t", labels: "bug" }, undefined],
    ["a label that is null", { title: "t", labels: [null] }, undefined],
    ["a label whose name is a number", { title: "t", labels: [{ name: 1 }] }, undefined],
    ["an empty title", { title: " " }, { resource: "Issue", field: "title", code: "missing_field" }],
    [
      "a title of 257 characters",
      { title: "t".repeat(257) },
      {
        resource: "Issue",
        field: "title",
        code: "custom",
        message: "title is too long (maximum is 256 characters)",
      },
    ],
    [
      "a body of 65,537 characters",
      { title: "t", body: "b".repeat(65_537) },
      {
        resource: "Issue",
        field: "body",
        code: "custom",
        message: "body is too long (maximum is 65536 characters)",
      },
    ],
    [
      "an assignee who can't be assigned",
      { title: "t", assignees: ["ada", "eve"] },
      { value: "eve", resource: "Issue", field: "assignees", code: "invalid" },
    ],
    [
      "a milestone that isn't there",
      { title: "t", milestone: 9 },
      { value: 9, resource: "Issue", field: "milestone", code: "invalid" },
    ],
    [
      "a type that isn't there",
      { title: "t", type: "Epic" },
      { value: "Epic", resource: "Issue", field: "type", code: "invalid" },
    ],
    [
      "a label of 51 characters",
      { title: "t", labels: ["l".repeat(51)] },
      { value: "l".repeat(51), resource: "Label", field: "name", code: "invalid" },
    ],
    [
      "more than 100 labels",
      { title: "t", labels: Array.from({ length: 101 }, (_, index) => `label ${index}`) },
      {
        resource: "Issue",
        field: "labels",
        code: "custom",
        message: "Issues cannot have more than 100 labels",
      },
    ],
  ])("refuses %s with 422 and creates nothing", async (_, wanted, error) => {
    const refused = await fixture.send("POST", issues, wanted);
    expect(refused.status).toBe(422);
    expect(refused.body["errors"]).toEqual(error && [error]);
    expect(fixture.github.issues("acme/app")).toEqual([]);
    expect(fixture.github.labels("acme/app")).toEqual(["Bug"]);
  });

  it.each([
    ["65,536 characters beyond the basic plane as a body", { title: "t", body: "💡".repeat(65_536) }],
    ["a title of 256 characters", { title: "t".repeat(256) }],
    ["a number as a title", { title: 42 }],
    ["a closed milestone", { title: "t", milestone: "2" }],
    ["null where null is allowed", { title: "t", body: null, milestone: null, type: null }],
  ])("accepts %s", async (_, wanted) => {
    const created = await fixture.send("POST", issues, wanted);
    expect(created.status).toBe(201);
  });

  it.each([
    ["acme/archived", 403, "Repository was archived so is read-only."],
    ["acme/silent", 410, "Issues are disabled for this repo"],
    ["acme/absent", 404, "Not Found"],
  ])("is refused in %s with %i", async (name, status, message) => {
    const refused = await fixture.send("POST", `/repos/${name}/issues`, { title: "t" });
    expect([refused.status, refused.body["message"]]).toEqual([status, message]);
  });

  it.each(["{", "[]", "null"])("answers 400 to the body %s", async (text) => {
    const refused = await fixture.send("POST", issues, text);
    expect([refused.status, refused.body["message"]]).toEqual([400, "Problems parsing JSON"]);
  });
});

describe("reading an issue", () => {
  it("answers 404, 410 and 301 for one that is absent, deleted or transferred", async () => {
    const { send, github } = fixture;
    github.addRepository({ name: "acme/other" });
    github.openIssue("acme/app", { title: "deleted" });
    github.openIssue("acme/app", { title: "transferred" });
    github.deleteIssue("acme/app", 1);
    github.transfer("acme/app", 2, "acme/other");
    expect((await send("GET", `${issues}/3`)).status).toBe(404);
    const deleted = await send("GET", `${issues}/1`);
    expect([deleted.status, deleted.body["message"]]).toEqual([410, "This issue was deleted"]);
    const moved = await send("GET", `${issues}/2`);
    expect(moved.status).toBe(301);
    const there = await send("GET", String(moved.headers.get("location")));
    expect(there.body).toMatchObject({ number: 1, title: "transferred" });
    expect(there.body["repository_url"]).toBe(`${github.url}/repos/acme/other`);
  });

  it("answers 404 for one that was transferred out of sight", async () => {
    const { send, github } = fixture;
    github.addRepository({ name: "acme/hidden", visible: false });
    github.openIssue("acme/app", { title: "transferred" });
    github.transfer("acme/app", 1, "acme/hidden");
    expect((await send("GET", `${issues}/1`)).status).toBe(404);
  });

  it.each([404, 410] as const)(
    "answers %i for one that was made a discussion, as the quirk says",
    async (converted) => {
      const quirky = await startFixture({ repositories: [{ name: "acme/app" }], quirks: { converted } });
      quirky.github.openIssue("acme/app", { title: "an idea" });
      quirky.github.convertToDiscussion("acme/app", 1);
      const answers = [
        await quirky.send("GET", `${issues}/1`),
        await quirky.send("PATCH", `${issues}/1`, {}),
      ];
      await quirky.github.stop();
      expect(answers.map(({ status }) => status)).toEqual([converted, converted]);
      expect(quirky.github.issues("acme/app")).toEqual([]);
    },
  );

  it("answers 410 where issues were disabled, but shows pull requests", async () => {
    const { send, github } = fixture;
    github.openIssue("acme/app", { title: "an issue" });
    github.openPullRequest("acme/app", { title: "a pull request" });
    github.disableIssues("acme/app");
    expect((await send("GET", `${issues}/1`)).status).toBe(410);
    const pull = await send("GET", `${issues}/2`);
    expect(pull.body["pull_request"]).toMatchObject({ url: `${github.url}/repos/acme/app/pulls/2` });
    github.enableIssues("acme/app");
    expect((await send("GET", `${issues}/1`)).status).toBe(200);
  });

  it("may show a change late", async () => {
    const { send, github, clock } = fixture;
    github.setLag({ readMs: 2000 });
    github.openIssue("acme/app", { title: "late" });
    expect((await send("GET", `${issues}/1`)).status).toBe(404);
    clock.pass(2000);
    github.close("acme/app", 1);
    expect((await send("GET", `${issues}/1`)).body["state"]).toBe("open");
    clock.pass(2000);
    expect((await send("GET", `${issues}/1`)).body["state"]).toBe("closed");
  });

  it("has no author when the account was deleted", async () => {
    fixture.github.openIssue("acme/app", { title: "t", author: null });
    expect((await fixture.send("GET", `${issues}/1`)).body["user"]).toBeNull();
  });
});

describe("editing an issue", () => {
  beforeEach(() => {
    fixture.github.openIssue("acme/app", { title: "Dark mode", body: "Please.", labels: ["Bug"] });
    fixture.clock.pass(5000);
  });

  it("changes the fields that are named and no other", async () => {
    const { send, github } = fixture;
    const before = github.issue("acme/app", 1);
    const edited = await send("PATCH", `${issues}/1`, { title: "Night mode", milestone: 1 });
    expect(edited.status).toBe(200);
    const updatedAt = "2026-01-05T10:00:05Z";
    const after = { ...before, title: "Night mode", milestone: "Backlog", updatedAt };
    expect(github.issue("acme/app", 1)).toEqual(after);
  });

  it("replaces labels and assignees, and takes body, milestone and type off by null", async () => {
    const { send, github } = fixture;
    await send("PATCH", `${issues}/1`, { milestone: 1, type: "Feature", body: "More." });
    await send("PATCH", `${issues}/1`, {
      ...{ labels: ["feedback"], assignees: ["ada"] },
      ...{ body: null, milestone: null, type: null },
    });
    expect(github.issue("acme/app", 1)).toMatchObject({
      ...{ labels: ["feedback"], assignees: ["ada"] },
      ...{ body: null, milestone: null, type: null },
    });
  });

  it("leaves updated_at alone when nothing changes", async () => {
    const edited = await fixture.send("PATCH", `${issues}/1`, { title: "Dark mode", state: "open" });
    expect(edited.body["updated_at"]).toBe("2026-01-05T10:00:00Z");
  });

  it.each([
    [{ state: "closed" }, "completed"],
    [{ state: "closed", state_reason: null }, "completed"],
    [{ state: "closed", state_reason: "not_planned" }, "not_planned"],
    [{ state: "closed", state_reason: "duplicate" }, "duplicate"],
  ])("closes by %j as %s", async (change, reason) => {
    const { body } = await fixture.send("PATCH", `${issues}/1`, change);
    expect(body).toMatchObject({
      state: "closed",
      state_reason: reason,
      closed_at: "2026-01-05T10:00:05Z",
      closed_by: { login: "boardsync-bot" },
    });
  });

  it("ignores a reason that comes without a change of state", async () => {
    const { send } = fixture;
    const open = await send("PATCH", `${issues}/1`, { state_reason: "completed" });
    expect(open.body["state_reason"]).toBeNull();
    await send("PATCH", `${issues}/1`, { state: "closed" });
    const closed = await send("PATCH", `${issues}/1`, { state: "closed", state_reason: "not_planned" });
    expect(closed.body["state_reason"]).toBe("completed");
  });

  it("reads as reopened after reopening", async () => {
    const { send } = fixture;
    await send("PATCH", `${issues}/1`, { state: "closed" });
    const { body } = await send("PATCH", `${issues}/1`, { state: "open", state_reason: "reopened" });
    expect(body).toMatchObject({
      state: "open",
      state_reason: "reopened",
      closed_at: null,
      closed_by: null,
    });
  });

  it.each([
    { state: "done" },
    { state_reason: "wontfix" },
    { state: "closed", state_reason: "reopened" },
    { title: "" },
    { milestone: 9 },
  ])("refuses %j with 422", async (change) => {
    const before = fixture.github.issue("acme/app", 1);
    expect((await fixture.send("PATCH", `${issues}/1`, change)).status).toBe(422);
    expect(fixture.github.issue("acme/app", 1)).toEqual(before);
  });

  it("is for the author and whoever may push; the author alone sets no labels", async () => {
    const { send, github } = fixture;
    github.openIssue("acme/readable", { title: "theirs" });
    github.openIssue("acme/readable", { title: "ours", author: github.login });
    const theirs = await send("PATCH", "/repos/acme/readable/issues/1", { title: "x" });
    expect(theirs.status).toBe(403);
    const ours = await send("PATCH", "/repos/acme/readable/issues/2", { title: "x", labels: ["Bug"] });
    expect([ours.status, ours.body["title"], ours.body["labels"]]).toEqual([200, "x", []]);
  });

  it("is refused for absent and deleted issues, and in archived repositories", async () => {
    const { send, github } = fixture;
    expect((await send("PATCH", `${issues}/9`, { title: "x" })).status).toBe(404);
    github.archive("acme/app");
    expect((await send("PATCH", `${issues}/1`, { title: "x" })).status).toBe(403);
    github.deleteIssue("acme/app", 1);
    expect((await send("PATCH", `${issues}/1`, { title: "x" })).status).toBe(410);
  });

  it.each([301, 404] as const)("answers %i for a transferred issue, as the quirk says", async (status) => {
    const quirky = await startFixture({
      repositories: [{ name: "acme/app" }, { name: "acme/other" }],
      quirks: { movedWrite: status },
    });
    quirky.github.openIssue("acme/app", { title: "t" });
    quirky.github.transfer("acme/app", 1, "acme/other");
    const { status: answered } = await quirky.send("PATCH", `${issues}/1`, { title: "x" });
    await quirky.github.stop();
    expect(answered).toBe(status);
    expect(quirky.github.issue("acme/other", 1).title).toBe("t");
  });
});
