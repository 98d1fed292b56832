import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Fixture, startFixture } from "../../github-client.ts";

let fixture: Fixture;

beforeEach(async () => {
  fixture = await startFixture({
    repositories: [
      {
        name: "acme/app",
        labels: ["bug", "api"],
        milestones: ["Backlog", { title: "1.0", dueOn: 1_767_225_600_000 }],
      },
      { name: "acme/other", labels: ["Bug"], milestones: ["Backlog", "1.0"] },
      { name: "elsewhere/app" },
    ],
  });
});

afterEach(() => fixture.github.stop());

describe("people", () => {
  it("open issues and pull requests that share one sequence of numbers", () => {
    const { github } = fixture;
    expect(github.openIssue("acme/app", { title: "a" })).toMatchObject({ number: 1, author: "octocat" });
    const pull = github.openPullRequest("acme/app", { title: "b", author: "ada" });
    expect(pull).toMatchObject({ number: 2, isPullRequest: true, author: "ada" });
    expect(github.openIssue("acme/app", { title: "c" }).number).toBe(3);
    expect(github.issues("acme/app").map(({ title }) => title)).toEqual(["a", "c"]);
  });

  it("change everything that an issue has", () => {
    const { github } = fixture;
    github.openIssue("acme/app", { title: "a", labels: ["bug"], body: "text" });
    github.edit("acme/app", 1, { title: "b", body: null });
    github.label("acme/app", 1, "api", "new", "bug");
    github.unlabel("acme/app", 1, "bug", "absent");
    github.assign("acme/app", 1, "ada", "eve");
    github.setMilestone("acme/app", 1, "Backlog");
    github.setType("acme/app", 1, "Feature");
    github.lock("acme/app", 1);
    expect(github.issue("acme/app", 1)).toMatchObject({
      ...{ title: "b", body: null, labels: ["api", "new"], assignees: ["ada", "eve"] },
      ...{ milestone: "Backlog", type: "Feature", isLocked: true },
    });
    github.unlock("acme/app", 1);
    github.assign("acme/app", 1);
    github.setMilestone("acme/app", 1, null);
    github.setType("acme/app", 1, null);
    expect(github.issue("acme/app", 1)).toMatchObject({
      ...{ assignees: [], milestone: null, type: null, isLocked: false },
    });
  });

  it("close for a reason, and reopen", () => {
    const { github, clock } = fixture;
    github.openIssue("acme/app", { title: "a" });
    clock.pass(1000);
    github.close("acme/app", 1, "not_planned");
    expect(github.issue("acme/app", 1)).toMatchObject({
      ...{ state: "closed", stateReason: "not_planned" },
      ...{ closedAt: "2026-01-05T10:00:01Z", closedBy: "octocat", updatedAt: "2026-01-05T10:00:01Z" },
    });
    github.reopen("acme/app", 1);
    expect(github.issue("acme/app", 1)).toMatchObject({
      ...{ state: "open", stateReason: "reopened", closedAt: null, closedBy: null },
    });
    github.close("acme/app", 1);
    expect(github.issue("acme/app", 1).stateReason).toBe("completed");
  });

  it("transfer within an owner: labels stay by name, a milestone by title and due date", () => {
    const { github, clock } = fixture;
    const opened = github.openIssue("acme/app", {
      ...{ title: "a", labels: ["bug", "api"], assignees: ["ada"], milestone: "Backlog" },
    });
    github.openIssue("acme/app", { title: "b", milestone: "1.0" });
    github.close("acme/app", 1);
    github.comment("acme/app", 1, "Done.");
    clock.pass(1000);
    const moved = github.transfer("acme/app", 1, "acme/other");
    expect(moved).toMatchObject({
      ...{ number: 1, labels: ["Bug"], assignees: ["ada"], milestone: "Backlog", comments: 1 },
      ...{ state: "closed", createdAt: opened.createdAt, updatedAt: "2026-01-05T10:00:01Z" },
    });
    expect(moved.id).not.toBe(opened.id);
    expect(github.transfer("acme/app", 2, "acme/other").milestone).toBeNull();
    expect(github.issues("acme/app")).toEqual([]);
  });

  it("transfer neither to another owner nor from private to public", () => {
    const { github } = fixture;
    github.openIssue("acme/app", { title: "a" });
    expect(() => github.transfer("acme/app", 1, "elsewhere/app")).toThrow("GitHub moves no issue");
    github.setPrivate("acme/app");
    expect(() => github.transfer("acme/app", 1, "acme/other")).toThrow("GitHub moves no issue");
    github.setPrivate("acme/app", false);
    expect(github.transfer("acme/app", 1, "acme/other").title).toBe("a");
  });

  it("can't touch what isn't there", () => {
    const { github } = fixture;
    github.openIssue("acme/app", { title: "a" });
    github.deleteIssue("acme/app", 1);
    expect(() => github.issue("acme/app", 1)).toThrow("no issue acme/app#1");
    expect(() => github.close("acme/app", 2)).toThrow("no issue acme/app#2");
    expect(() => github.issues("acme/absent")).toThrow("no repository acme/absent");
    expect(() => github.closeMilestone("acme/app", "2.0")).toThrow('no milestone "2.0" in acme/app');
    expect(() => github.renameLabel("acme/app", "x", "y")).toThrow('no label "x" in acme/app');
  });
});

describe("owners", () => {
  it("archive and open again, give and take push access, add labels", async () => {
    const { github, send } = fixture;
    github.archive("acme/app");
    expect((await send("GET", "/repos/acme/app")).body["archived"]).toBe(true);
    github.archive("acme/app", false);
    github.setPush("acme/app", false);
    const { body } = await send("GET", "/repos/acme/app");
    expect(body).toMatchObject({ archived: false, permissions: { push: false } });
    github.setPush("acme/app", true, "ada");
    expect((await send("GET", "/repos/acme/app/assignees/ada")).status).toBe(204);
    github.addLabel("acme/app", "new");
    expect(github.labels("acme/app")).toEqual(["bug", "api", "new"]);
  });
});

describe("labels, milestones and types", () => {
  it("keep their ids when they are renamed, and go from every issue when they are deleted, which moves no time", async () => {
    const other = await startFixture({
      repositories: [
        { name: "acme/app", labels: ["bug"], milestones: ["Next"], types: ["Bug", "Feature"] },
        { name: "acme/api", types: ["Bug", "Feature"] },
      ],
    });
    const { github, send, clock } = other;
    github.openIssue("acme/app", { title: "a", labels: ["bug"], milestone: "Next", type: "feature" });
    const shown = async () => (await send("GET", "/repos/acme/app/issues/1")).body as Record<string, unknown>;
    const before = await shown();
    clock.pass(60_000);
    github.renameLabel("acme/app", "bug", "defect");
    github.renameMilestone("acme/app", "Next", "1.0");
    github.renameType("acme/app", "Feature", "Idea");
    const renamed = await shown();
    for (const part of ["labels", "milestone", "type"]) {
      const ids = [before, renamed].map((one) => JSON.stringify(one[part]).match(/"node_id":"[^"]+"/u)?.[0]);
      expect(ids[1]).toBe(ids[0]);
    }
    expect(github.issue("acme/app", 1)).toMatchObject({
      ...{ labels: ["defect"], milestone: "1.0", type: "Idea" },
    });
    expect(JSON.stringify((await send("GET", "/repos/acme/api/issue-types")).rows)).toContain("Idea");
    github.deleteLabel("acme/app", "defect");
    github.deleteMilestone("acme/app", "1.0");
    github.deleteType("acme/app", "Idea");
    expect(await shown()).toMatchObject({
      ...{ labels: [], milestone: null, type: null, updated_at: before["updated_at"] },
    });
    expect(github.addMilestone("acme/app", "Next")).toBe(2);
    github.addType("acme/app", "Feature");
    const types = (await send("GET", "/repos/acme/app/issue-types")).rows;
    expect(types).toMatchObject([
      { id: 1, name: "Bug" },
      { id: 2, name: "Feature" },
    ]);
    expect(() => github.renameType("acme/app", "Task", "x")).toThrow('no type "Task" in acme/app');
    await github.stop();
  });
});

describe("ids", () => {
  it("are the same in every sandbox, whatever was read in between", async () => {
    const { github, send } = fixture;
    const other = await startFixture({ repositories: [{ name: "acme/app", labels: ["bug", "api"] }] });
    await other.send("GET", "/user");
    const plain = await startFixture({ repositories: [{ name: "acme/app", labels: ["bug", "api"] }] });
    const ids = [other, plain].map((one) => one.github.openIssue("acme/app", { title: "a" }).id);
    const users = [(await other.send("GET", "/user")).body["id"], (await send("GET", "/user")).body["id"]];
    await Promise.all([other.github.stop(), plain.github.stop()]);
    expect(ids[0]).toBe(ids[1]);
    expect(users[0]).toBe(users[1]);
    expect(github.openIssue("acme/app", { title: "a" }).id).not.toBe(1);
  });
});
