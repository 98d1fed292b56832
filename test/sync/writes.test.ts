import { describe, expect, it } from "vitest";
import { privateRepositories, twoProjects } from "../support/setups.ts";
import { addPlanned, hourMs, openStage, standardProject } from "../support/stage.ts";

const three = privateRepositories("acme/app", "acme/api", "acme/web");

describe("`writes`", () => {
  it("issues: nothing is sent to the board", async () => {
    const stage = await openStage({ projects: [{ ...standardProject, writes: "issues" }] });
    addPlanned(stage, 1);
    await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    stage.board.editPost("acme-app", "p1", { description: "Changed." });
    stage.mark();
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ issueWrites: 1, postWrites: 0 }] });
    expect(stage.writes()).toEqual(["PATCH /repos/acme/app/issues/1"]);
    stage.reconfigure({ projects: [standardProject] });
    expect(await stage.syncOne()).toMatchObject({ postWrites: 1 });
  });

  it("none: nothing is sent at all, and `plan` shows what would be", async () => {
    const stage = await openStage({ projects: [{ ...standardProject, writes: "none" }] });
    addPlanned(stage, 2);
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ created: 0, held: 0 }] });
    expect(await stage.plan()).toMatchObject([
      { kind: "create-issue", post: "p1", held: "`writes: none` in the config" },
      { kind: "create-issue", post: "p2", held: "`writes: none` in the config" },
    ]);
    expect(stage.writes()).toEqual([]);
  });

  it("issues: `plan` shows the write to the board that would follow as held", async () => {
    const rules = [{ when: { labels: ["feedback"] }, set: { status: "in_progress" } }];
    const stage = await openStage({ projects: [{ ...standardProject, rules, writes: "issues" }] });
    addPlanned(stage, 1);
    const planned = await stage.plan();
    expect(planned.map(({ kind, held }) => [kind, held])).toEqual([
      ["create-issue", undefined],
      ["patch-post", "`writes: issues` in the config"],
    ]);
  });
});

describe("routing", () => {
  const project = {
    ...standardProject,
    issue: { labels: ["feedback"], categoryLabels: { cat_web: "area: web" } },
    route: [
      { category: "cat_api", repo: "acme/api" },
      { label: "area: web", repo: "acme/web" },
      { status: "in_progress", repo: "acme/web" },
    ],
  };

  it("sends posts to other repositories by category, label and status, and follows them there", async () => {
    const stage = await openStage({ repositories: three, projects: [project] });
    addPlanned(stage, [{ categoryId: "cat_api" }, { categoryId: "cat_web" }, { status: "in_progress" }, {}]);
    expect(await stage.syncOne()).toMatchObject({ created: 4, issues: 4, failed: 0 });
    const titles = (name: string): readonly string[] => stage.github.issues(name).map(({ title }) => title);
    expect([titles("acme/api"), titles("acme/web"), titles("acme/app")]).toEqual([
      ["Post 1"],
      ["Post 2", "Post 3"],
      ["Post 4"],
    ]);
    stage.github.close("acme/api", 1, "completed");
    await stage.sync();
    expect(stage.board.post("acme-app", "p1")?.status).toBe("completed");
    // A linked post stays where it is.
    stage.board.editPost("acme-app", "p2", { categoryId: "cat_api" });
    expect(await stage.syncOne()).toMatchObject({ created: 0, issues: 4 });
  });

  it("goes on following an issue whose route was taken out of the config, and opens none there", async () => {
    const stage = await openStage({ repositories: three, projects: [project] });
    addPlanned(stage, [{ categoryId: "cat_api" }, {}]);
    await stage.sync();
    stage.reconfigure({ projects: [standardProject] });
    addPlanned(stage, [{ categoryId: "cat_api" }]);
    expect(await stage.syncOne()).toMatchObject({ created: 1, failed: 0 });
    stage.github.close("acme/api", 1, "completed");
    stage.board.editPost("acme-app", "p1", { description: "Changed." });
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1, issueWrites: 1, failed: 0 });
    expect(stage.board.post("acme-app", "p1")?.status).toBe("completed");
    expect(stage.github.issue("acme/api", 1).body).toContain("Changed.");
    expect(stage.github.issues("acme/api")).toHaveLength(1);
  });

  it("is no failure for ever where such a repository is gone: its posts stay as they are", async () => {
    const stage = await openStage({ repositories: three, projects: [project], config: { fullEvery: "1h" } });
    addPlanned(stage, [{ categoryId: "cat_api" }, {}]);
    await stage.sync();
    stage.reconfigure({ projects: [standardProject] });
    await stage.sync();
    stage.github.setVisible("acme/api", false);
    for (let run = 0; run < 2; run += 1) {
      expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ issues: 2, failed: 0 }] });
      stage.clock.skip(hourMs);
    }
    expect(stage.log.join()).toContain("a repository that the config no longer names can't be read");
  });

  it("to a repository that was never there is said, and nothing is opened: no post may have its issue there", async () => {
    const stage = await openStage({ repositories: three.slice(0, 1), projects: [project] });
    addPlanned(stage, [{ categoryId: "cat_api" }, {}]);
    const report = await stage.sync();
    expect(report).toMatchObject({ result: "partial", projects: [{ created: 0, waiting: 2 }] });
    expect(report.projects[0]?.errors.map(({ code }) => code)).toEqual([
      "tracker.missing",
      "tracker.missing",
    ]);
    expect(report.projects[0]?.errors[0]?.message).toContain("acme/api");
    for (const name of ["acme/api", "acme/web"]) stage.github.addRepository({ name, private: true });
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ created: 2, waiting: 0 }] });
  });

  it("to a repository that disappears between two checks is said, and stops no other post", async () => {
    const stage = await openStage({ repositories: three, projects: [project] });
    addPlanned(stage, [{ categoryId: "cat_api" }, {}]);
    await stage.sync();
    stage.github.setVisible("acme/api", false);
    addPlanned(stage, [{ categoryId: "cat_api" }, {}]);
    stage.board.editPost("acme-app", "p1", { description: "Changed." });
    const report = await stage.syncOne();
    expect(report).toMatchObject({
      created: 1,
      waiting: 2,
      failed: 1,
      errors: [{ code: "tracker.missing" }],
    });
    stage.github.setVisible("acme/api", true);
    expect(await stage.syncOne()).toMatchObject({ created: 1, issueWrites: 1, waiting: 0, failed: 0 });
  });

  it("two projects may share a repository: it is read once a run", async () => {
    const stage = await openStage({
      boardProjects: twoProjects,
      projects: [standardProject, { ...standardProject, project: "acme-api" }],
    });
    addPlanned(stage, 2);
    addPlanned(stage, 2, "acme-api");
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ created: 2 }, { created: 2 }] });
    await stage.sync();
    stage.mark();
    await stage.sync();
    expect(stage.reads()).toEqual([
      "GET /feedback",
      "GET /feedback",
      "GET /repos/acme/app/issues",
      "GET /repos/acme/app/labels",
    ]);
  });
});
