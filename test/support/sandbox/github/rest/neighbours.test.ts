import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Fixture, type Received, startFixture } from "../../github-client.ts";

let fixture: Fixture;
const repo = "/repos/acme/app";

beforeEach(async () => {
  fixture = await startFixture({
    repositories: [
      {
        name: "acme/app",
        labels: ["Bug", "area: billing"],
        milestones: ["Backlog", { title: "Old", state: "closed", dueOn: 1_767_225_600_000 }],
        collaborators: ["ada"],
        types: ["Bug", "Feature"],
      },
      { name: "acme/readable", canPush: false },
      { name: "acme/archived", archived: true },
    ],
  });
  fixture.github.openIssue("acme/app", { title: "Dark mode", labels: ["Bug"] });
  fixture.github.openIssue("acme/readable", { title: "Dark mode" });
});

afterEach(() => fixture.github.stop());

function names({ rows }: Received): readonly unknown[] {
  return rows.map((row) => row["name"]);
}

describe("the account and the repositories", () => {
  it("lists what the account sees, as GitHub describes it", async () => {
    const { rows } = await fixture.send("GET", "/user/repos");
    expect(rows.map((row) => row["full_name"])).toEqual(["acme/app", "acme/readable", "acme/archived"]);
  });

  it("says who the token belongs to", async () => {
    expect((await fixture.send("GET", "/user")).body["login"]).toBe("boardsync-bot");
  });

  it("describes a repository by name in any case and by id", async () => {
    const { github, send } = fixture;
    const id = github.addRepository({ name: "acme/secret", private: true, hasIssues: false, archived: true });
    const byName = await send("GET", "/repos/ACME/Secret");
    expect(byName.body).toMatchObject({
      id,
      full_name: "acme/secret",
      private: true,
      visibility: "private",
      has_issues: false,
      archived: true,
      permissions: { push: true },
    });
    expect((await send("GET", `/repositories/${id}`)).body).toEqual(byName.body);
    expect((await send("GET", "/repos/acme/readable")).body["permissions"]).toMatchObject({ push: false });
  });

  it("counts the open issues", async () => {
    fixture.github.openIssue("acme/app", { title: "t" });
    fixture.github.close("acme/app", 1);
    expect((await fixture.send("GET", repo)).body["open_issues_count"]).toBe(1);
  });

  it.each([
    "/repos/acme/absent",
    "/repositories/1",
    "/repos/acme",
    "/nothing",
    "/repos/acme/app/pulls",
    "/repos/acme/app/issues/",
    "/user/",
    "",
  ])("answers 404 to %s", async (path) => {
    const { github } = fixture;
    const response = await fetch(github.url + path, {
      headers: { authorization: `Bearer ${github.token}` },
    });
    expect([response.status, await response.json()]).toMatchObject([404, { message: "Not Found" }]);
  });

  it("answers 404 to a method that a path lacks", async () => {
    const headers = { authorization: `Bearer ${fixture.github.token}` };
    for (const path of ["/user", repo]) {
      const response = await fetch(fixture.github.url + path, { method: "POST", headers });
      expect(response.status).toBe(404);
    }
  });

  it("hides a repository that the token may not see", async () => {
    fixture.github.setVisible("acme/app", false);
    expect((await fixture.send("GET", repo)).status).toBe(404);
    expect((await fixture.send("GET", `${repo}/issues`)).status).toBe(404);
    fixture.github.setVisible("acme/app", true);
    expect((await fixture.send("GET", repo)).status).toBe(200);
  });

  it("is found by its id when its owner was renamed, and not at all once it was deleted", async () => {
    const { send, github } = fixture;
    const { body } = await send("GET", "/repos/acme/app");
    github.renameOwner("Acme", "umbrella");
    expect((await send("GET", "/repos/acme/app")).status).toBe(301);
    const byId = `/repositories/${body["id"]}`;
    expect((await send("GET", byId)).body["full_name"]).toBe("umbrella/app");
    github.deleteRepository("umbrella/app");
    expect((await send("GET", byId)).status).toBe(404);
    expect((await send("GET", "/repos/acme/app")).status).toBe(404);
  });

  it("redirects the old name of a renamed repository until another one takes it", async () => {
    const { github, send } = fixture;
    const { body } = await send("GET", repo);
    github.renameRepository("acme/app", "acme/product");
    const moved = `${github.url}/repositories/${body["id"]}`;
    const read = await send("GET", `${repo}/issues?state=all`);
    expect([read.status, read.headers.get("location")]).toEqual([301, `${moved}/issues?state=all`]);
    const write = await send("POST", `${repo}/issues`, { title: "t" });
    expect([write.status, write.headers.get("location")]).toEqual([307, `${moved}/issues`]);
    expect(github.issues("acme/product")).toHaveLength(1);
    expect((await send("POST", `${moved}/issues`, { title: "t" })).status).toBe(201);
    github.addRepository({ name: "acme/app" });
    expect((await send("GET", `${repo}/issues`)).rows).toEqual([]);
    expect(github.repositories).toEqual(["acme/product", "acme/readable", "acme/archived", "acme/app"]);
  });

  it("lists issue types where an organisation owns the repository", async () => {
    expect(names(await fixture.send("GET", `${repo}/issue-types`))).toEqual(["Bug", "Feature"]);
    expect((await fixture.send("GET", "/repos/acme/readable/issue-types")).status).toBe(404);
  });

  it("tells who can be assigned", async () => {
    expect((await fixture.send("GET", `${repo}/assignees/ada`)).status).toBe(204);
    expect((await fixture.send("GET", `${repo}/assignees/eve`)).status).toBe(404);
  });
});

describe("labels of a repository", () => {
  it("are listed page by page", async () => {
    const page = await fixture.send("GET", `${repo}/labels?per_page=1`);
    expect(names(page)).toEqual(["Bug"]);
    expect(page.headers.get("link")).toMatch(/\/repositories\/\d+\/labels\?per_page=1&page=2>; rel="next"/u);
  });

  it("can be made, with a colour and a description or without", async () => {
    const wanted = { name: "new", color: "ff0000", description: "fresh" };
    const created = await fixture.send("POST", `${repo}/labels`, wanted);
    expect([created.status, created.body]).toMatchObject([201, wanted]);
    const plain = await fixture.send("POST", `${repo}/labels`, { name: "plain" });
    expect(plain.body).toMatchObject({ name: "plain", color: "ededed", description: null });
  });

  it.each([
    [{ name: "bug" }, { resource: "Label", field: "name", code: "already_exists" }],
    [{}, { resource: "Label", field: "name", code: "missing_field" }],
    [
      { name: "x", color: "#ff0000" },
      { resource: "Label", field: "color", code: "invalid" },
    ],
    [
      { name: "l".repeat(51) },
      {
        resource: "Label",
        field: "name",
        code: "custom",
        message: "name is too long (maximum is 50 characters)",
      },
    ],
  ])("can't be made by %j", async (wanted, error) => {
    const refused = await fixture.send("POST", `${repo}/labels`, wanted);
    expect([refused.status, refused.body["errors"]]).toEqual([422, [error]]);
  });

  it("can't be made without push access or in an archive", async () => {
    expect((await fixture.send("POST", "/repos/acme/readable/labels", { name: "x" })).status).toBe(404);
    expect((await fixture.send("POST", "/repos/acme/archived/labels", { name: "x" })).status).toBe(403);
  });

  it("keep their issues when renamed", () => {
    fixture.github.renameLabel("acme/app", "Bug", "defect");
    expect(fixture.github.issue("acme/app", 1).labels).toEqual(["defect"]);
  });

  it("are on no issue any more when deleted, and no issue's time moves", () => {
    const { github, clock } = fixture;
    const { updatedAt } = github.issue("acme/app", 1);
    clock.pass(2000);
    github.deleteLabel("acme/app", "Bug");
    expect(github.issue("acme/app", 1)).toMatchObject({ labels: [], updatedAt });
    expect(github.labels("acme/app")).not.toContain("Bug");
    expect(() => github.deleteLabel("acme/app", "Bug")).toThrow('no label "Bug" in acme/app');
  });
});

describe("labels of an issue", () => {
  it("are added beside the others, unknown ones made", async () => {
    const { send, github, clock } = fixture;
    clock.pass(2000);
    const added = await send("POST", `${repo}/issues/1/labels`, { labels: ["bug", "new"] });
    expect([added.status, names(added)]).toEqual([200, ["Bug", "new"]]);
    expect(github.issue("acme/app", 1).updatedAt).toBe("2026-01-05T10:00:02Z");
  });

  it("are removed one by one, 404 when absent", async () => {
    const { send, github } = fixture;
    github.label("acme/app", 1, "area: billing");
    const path = `${repo}/issues/1/labels/${encodeURIComponent("area: billing")}`;
    const removed = await send("DELETE", path);
    expect([removed.status, names(removed)]).toEqual([200, ["Bug"]]);
    const again = await send("DELETE", path);
    expect([again.status, again.body["message"]]).toEqual([404, "Label does not exist"]);
    expect((await send("DELETE", `${repo}/issues/1/labels/absent`)).status).toBe(404);
  });

  it("are not more than 100, and none longer than 50 characters", async () => {
    const { send, github } = fixture;
    github.label("acme/app", 1, ...Array.from({ length: 99 }, (_, index) => `label ${index}`));
    expect((await send("POST", `${repo}/issues/1/labels`, { labels: ["bug"] })).status).toBe(200);
    expect((await send("POST", `${repo}/issues/1/labels`, { labels: ["more"] })).status).toBe(422);
    expect((await send("POST", `${repo}/issues/1/labels`, { labels: ["l".repeat(51)] })).status).toBe(422);
  });

  it.each([
    ["POST", "/repos/acme/readable/issues/1/labels", 403],
    ["DELETE", "/repos/acme/readable/issues/1/labels/bug", 403],
    ["POST", "/repos/acme/app/issues/9/labels", 404],
    ["DELETE", "/repos/acme/app/issues/9/labels/bug", 404],
  ])("%s %s is refused with %i", async (method, path, status) => {
    expect((await fixture.send(method, path, method === "POST" ? { labels: ["x"] } : undefined)).status).toBe(
      status,
    );
  });
});

describe("milestones", () => {
  it("are listed by state and counted", async () => {
    const { send, github } = fixture;
    github.setMilestone("acme/app", 1, "Backlog");
    github.openIssue("acme/app", { title: "closed", milestone: "Backlog" });
    github.close("acme/app", 2);
    const open = await send("GET", `${repo}/milestones`);
    expect(open.rows).toMatchObject([{ number: 1, title: "Backlog", open_issues: 1, closed_issues: 1 }]);
    const closed = await send("GET", `${repo}/milestones?state=closed`);
    expect(closed.rows).toMatchObject([{ number: 2, state: "closed", due_on: "2026-01-01T00:00:00Z" }]);
    expect((await send("GET", `${repo}/milestones?state=all`)).rows).toHaveLength(2);
  });

  it("are closed, reopened and renamed by people", async () => {
    const { send, github } = fixture;
    github.closeMilestone("acme/app", "Backlog");
    github.renameMilestone("acme/app", "Backlog", "1.0");
    github.reopenMilestone("acme/app", "Old");
    expect((await send("GET", `${repo}/milestones?state=all`)).rows).toMatchObject([
      { title: "Old", state: "open", closed_at: null },
      { title: "1.0", state: "closed", closed_at: "2026-01-05T10:00:00Z" },
    ]);
  });

  it("are made as they are asked for, and listed by the day that they are due", async () => {
    const asked = { title: "Soon", state: "closed", description: "The next", due_on: "2025-12-01T08:00:00Z" };
    const created = await fixture.send("POST", `${repo}/milestones`, asked);
    expect(created.body).toMatchObject({ ...asked, number: 3, closed_at: "2026-01-05T10:00:00Z" });
    const listed = await fixture.send("GET", `${repo}/milestones?state=all`);
    expect(listed.rows.map(({ title }) => title)).toEqual(["Soon", "Old", "Backlog"]);
    for (const odd of [{ state: "done" }, { due_on: "soon" }, { description: 1 }]) {
      const refused = await fixture.send("POST", `${repo}/milestones`, { title: "Odd", ...odd });
      expect(refused.status).toBe(422);
    }
  });

  it("can be made once, by whoever may push", async () => {
    const { send, github } = fixture;
    const created = await send("POST", `${repo}/milestones`, { title: "Next" });
    expect([created.status, created.body]).toMatchObject([201, { number: 3, title: "Next", state: "open" }]);
    expect((await send("POST", `${repo}/milestones`, { title: "Next" })).status).toBe(422);
    expect((await send("POST", `${repo}/milestones`, {})).status).toBe(422);
    expect((await send("POST", "/repos/acme/readable/milestones", { title: "Next" })).status).toBe(404);
    expect(github.addMilestone("acme/app", "Later")).toBe(4);
  });
});

describe("comments", () => {
  const path = `${repo}/issues/1/comments`;

  it("are added, counted and listed by age", async () => {
    const { send, github, clock } = fixture;
    clock.pass(3000);
    github.comment("acme/app", 1, "First.");
    const created = await send("POST", path, { body: "Second." });
    expect(created.status).toBe(201);
    expect(created.headers.get("location")).toContain("/issues/comments/");
    const listed = await send("GET", path);
    expect(listed.rows.map((row) => row["body"])).toEqual(["First.", "Second."]);
    expect(github.issue("acme/app", 1)).toMatchObject({ comments: 2, updatedAt: "2026-01-05T10:00:03Z" });
    expect(github.comments("acme/app", 1)).toEqual([
      { author: "octocat", body: "First." },
      { author: "boardsync-bot", body: "Second." },
    ]);
  });

  it("are refused on a locked issue", async () => {
    const { send, github } = fixture;
    github.lock("acme/app", 1);
    const refused = await send("POST", path, { body: "Hello." });
    expect(refused.status).toBe(403);
    expect(refused.body["message"]).toBe("Unable to create comment because issue is locked.");
    github.unlock("acme/app", 1);
    expect((await send("POST", path, { body: "Hello." })).status).toBe(201);
  });

  it.each([
    [{}, { resource: "IssueComment", field: "body", code: "missing_field" }],
    [{ body: "c".repeat(65_537) }, { resource: "IssueComment", field: "data", code: "unprocessable" }],
  ])("are refused when empty or too long", async (wanted, error) => {
    const refused = await fixture.send("POST", path, wanted);
    expect(refused.status).toBe(422);
    expect(refused.body["errors"]).toMatchObject([error]);
  });

  it("are not redirected with a transferred issue, and are gone with a deleted one", async () => {
    const { send, github } = fixture;
    github.addRepository({ name: "acme/other" });
    github.transfer("acme/app", 1, "acme/other");
    expect((await send("GET", path)).status).toBe(404);
    expect((await send("POST", path, { body: "Hello." })).status).toBe(404);
    github.deleteIssue("acme/other", 1);
    expect((await send("GET", "/repos/acme/other/issues/1/comments")).status).toBe(410);
    const late = await send("POST", "/repos/acme/other/issues/1/comments", { body: "Hello." });
    expect(late.status).toBe(410);
  });
});
