import { describe, expect, it } from "vitest";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import {
  addPlanned,
  hourMs,
  openStage,
  type Stage,
  type StageOptions,
  standardProject,
} from "../support/stage.ts";

const boardProjects = [
  { id: "prj_app", slug: "acme-app" },
  { id: "prj_api", slug: "acme-api" },
];
const api = { ...standardProject, project: "acme-api", repo: "acme/api" };
const apiRepository = { name: "acme/api", private: true };

/** Two projects; the first one has something wrong. */
async function openTwo(changes: StageOptions): Promise<Stage> {
  const stage = await openStage({ boardProjects, projects: [standardProject, api], ...changes });
  addPlanned(stage, 1, "acme-app");
  addPlanned(stage, 1, "acme-api");
  return stage;
}

describe("one project that can't be synced", () => {
  it.each<[string, StageOptions, string, string]>([
    [
      "is unknown to the board",
      { projects: [{ ...standardProject, project: "acme-apo" }, api] },
      "board.project",
      "The board has no project `acme-apo` that this key can see. It has: acme-app, acme-api.",
    ],
    [
      "names a repository without issues",
      { repositories: [{ name: "acme/app", hasIssues: false }, apiRepository] },
      "tracker.no-issues",
      "Issues are switched off in acme/app.",
    ],
    [
      "names an archived repository",
      { repositories: [{ name: "acme/app", archived: true }, apiRepository] },
      "tracker.archived",
      "The repository acme/app is archived",
    ],
    [
      "names a repository that our token does not see",
      { repositories: [{ name: "acme/app", visible: false }, apiRepository] },
      "tracker.missing",
      "acme/app",
    ],
  ])("because it %s is said, and the other goes on", async (_, changes, code, message) => {
    const repositories = [{ name: "acme/app", private: true }, apiRepository];
    const stage = await openTwo({ repositories, ...changes });
    const report = await stage.sync();
    expect(report).toMatchObject({
      result: "partial",
      projects: [
        { created: 0, failed: 1, errors: [{ code }] },
        { created: 1, failed: 0 },
      ],
    });
    expect(report.projects[0]?.errors[0]?.message).toContain(message);
    expect(stage.github.issues("acme/api")).toHaveLength(1);
  });

  it("comes back when what was wrong is mended, and nothing is lost", async () => {
    const stage = await openTwo({ repositories: [{ name: "acme/app", archived: true }, apiRepository] });
    await stage.sync();
    stage.github.archive("acme/app", false);
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ created: 1 }, { created: 0 }] });
  });

  it("is the same as another one, by its id: both are said to be, and neither writes", async () => {
    const stage = await openStage({
      boardProjects,
      projects: [standardProject, { ...standardProject, project: "prj_app" }, api],
      repositories: [{ name: "acme/app", private: true }, apiRepository],
    });
    addPlanned(stage, 1);
    addPlanned(stage, 1, "acme-api");
    const report = await stage.sync();
    expect(report).toMatchObject({
      result: "partial",
      projects: [
        { errors: [{ code: "board.project" }] },
        { errors: [{ code: "board.project" }] },
        { created: 1 },
      ],
    });
    expect(report.projects[0]?.errors[0]?.message).toContain("`acme-app` and `prj_app` are the same project");
    expect(stage.github.issues("acme/app")).toEqual([]);
  });

  it("is found to be the same as another one when that is added later", async () => {
    const stage = await openStage({ boardProjects });
    addPlanned(stage, 1);
    await stage.sync();
    stage.reconfigure({ projects: [standardProject, { ...standardProject, project: "prj_app" }] });
    expect(await stage.sync()).toMatchObject({ projects: [{}, { errors: [{ code: "board.project" }] }] });
    expect(stage.github.issues("acme/app")).toHaveLength(1);
  });

  it("is not chosen by chance where several projects of the board have its slug", async () => {
    const stage = await openStage({
      boardProjects: [
        { id: "prj_app", slug: "one" },
        { id: "prj_web", slug: "one" },
      ],
      projects: [{ ...standardProject, project: "one" }],
    });
    const message = expect.stringContaining("have the slug `one`: prj_app, prj_web");
    expect((await stage.syncOne()).errors).toMatchObject([{ code: "board.project", message }]);
    stage.reconfigure({ projects: [{ ...standardProject, project: "prj_web" }] });
    expect((await stage.syncOne()).errors).toEqual([]);
  });

  it("means another project than it did: its name was given away", async () => {
    const stage = await openStage({
      boardProjects: [
        { id: "prj_app", slug: "one" },
        { id: "one", slug: "two" },
      ],
      projects: [{ ...standardProject, project: "prj_app" }],
    });
    await stage.sync();
    const memory = stage.ledger.memory.project("prj_app");
    if (memory === undefined) throw new Error("The project is not known.");
    await stage.ledger.commit([{ kind: "remember-project", memory: { ...memory, id: "one" as never } }]);
    stage.clock.skip(7 * hourMs);
    const report = await stage.syncOne();
    expect(report.errors).toMatchObject([{ code: "board.project" }]);
    expect(report.errors[0]?.message).toContain(
      "now means another project of the board (prj_app, it was one)",
    );
  });
});

describe("credentials that are not accepted", () => {
  it.each<[string, { readonly boardKey?: string; readonly token?: string }, string]>([
    ["the board's key", { boardKey: "wrong" }, "board.unauthorized"],
    ["the token", { token: "wrong" }, "tracker.unauthorized"],
  ])("%s: nothing is done, at the start and later", async (_, secrets, code) => {
    const stage = await openStage();
    addPlanned(stage, 1);
    stage.useSecrets(secrets);
    expect(await stage.sync()).toMatchObject({
      result: "failed",
      projects: [{ created: 0, failed: 1, errors: [{ code }] }],
    });
    stage.useSecrets({ boardKey: stage.board.key, token: stage.github.token });
    await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    addPlanned(stage, 1);
    stage.mark();
    stage.useSecrets(secrets);
    expect(await stage.sync()).toMatchObject({ result: "failed", projects: [{ errors: [{ code }] }] });
    expect(stage.writes()).toEqual([]);
  });
});

describe("a side that can't be reached", () => {
  it("the board: nothing is done", async () => {
    const stage = await openStage();
    addPlanned(stage, 1);
    stage.board.failNext({ kind: "reset" }, { times: 9 });
    expect(await stage.sync()).toMatchObject({
      result: "failed",
      projects: [{ errors: [{ code: "board.unreachable" }] }],
    });
  });

  it("one of two projects whose list can't be read: the other goes on", async () => {
    const stage = await openTwo({ repositories: [{ name: "acme/app", private: true }, apiRepository] });
    stage.board.failNext(
      { kind: "answer", status: 200, body: { hello: [1], world: [2] } },
      { when: ({ query }) => query["project"] === "prj_app" },
    );
    const report = await stage.sync();
    expect(report).toMatchObject({
      result: "partial",
      projects: [{ errors: [{ code: "board.unreadable" }] }, { created: 1 }],
    });
    expect(report.projects[0]?.errors[0]?.message).toMatch(/hello/);
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ created: 1 }, {}] });
  });

  it("GitHub's limit before the first read puts the project off, which is no failure", async () => {
    const stage = await openStage({ config: { schedule: "0 12 * * *" } });
    addPlanned(stage, 1);
    const headers = { "retry-after": "3600" };
    stage.github.failNext({
      answer: {
        kind: "answer",
        status: 403,
        headers,
        body: { message: "You have exceeded a secondary rate limit." },
      },
    });
    expect(await stage.sync()).toMatchObject({
      result: "ok",
      projects: [{ created: 0, waiting: 1, failed: 0 }],
    });
    expect(stage.log.join()).toContain("Put off to a later run");
    stage.clock.skip(hourMs);
    expect(await stage.syncOne()).toMatchObject({ created: 1, waiting: 0 });
  });
});

describe("a repository that was renamed", () => {
  it("is followed by its id, and the new name is said", async () => {
    const stage = await openStage();
    addPlanned(stage, 1);
    await stage.sync();
    stage.github.renameRepository("acme/app", "acme/product");
    stage.clock.skip(7 * hourMs);
    addPlanned(stage, 1);
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ created: 1 }] });
    expect(stage.log.join()).toContain("The repository was renamed");
    expect(stage.github.issues("acme/product")).toHaveLength(2);
  });
});

describe("records that can't be used", () => {
  it("are said, and the others are read", async () => {
    const stage = await openStage();
    const body = {
      feedback: [
        { id: "p1", title: "x", status: "planned" },
        { id: "", title: "y" },
        { id: "p3", title: "z", status: "planned" },
      ],
    };
    stage.board.failNext({ kind: "answer", status: 200, body }, { when: ({ path }) => path === "/feedback" });
    expect(await stage.syncOne()).toMatchObject({
      created: 2,
      errors: [
        {
          code: "board.incomplete",
          message: expect.stringMatching(
            /^1 of the board's 3 records can't be used, .*\. Record 2 of a page has no usable id: `id` is empty\.$/,
          ),
        },
      ],
    });
    expect(stage.log.join()).toContain("A record of the board could not be used");
  });

  it("may be linked posts: what is missing beside them is not missing, and the others go on", async () => {
    const stage = await openStage();
    addPlanned(stage, 3);
    await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    stage.mark();
    for (let run = 0; run < 3; run += 1) {
      const feedback = [{ id: "p1", status: "planned" }, { id: "p2", status: "planned" }, { id: 2 ** 53 }];
      stage.board.failNext(
        { kind: "answer", status: 200, body: { feedback } },
        { when: ({ path }) => path === "/feedback" },
      );
      expect(await stage.sync()).toMatchObject({ result: "partial" });
    }
    expect(stage.patches()).toHaveLength(1);
    const rows = await stage.ledger.rows.row("prj_app" as ProjectId, "p3" as PostId, stage.clock.now());
    expect(rows?.missing).toBe(0);
  });

  it.each<[string, readonly object[], string]>([
    ["numbers beyond 2^53", [{ id: 2 ** 53 }, { id: 2 ** 54 }], "`id` is a number beyond 9007199254740991"],
    ["empty texts", [{ id: "" }, { id: "" }], "`id` is empty"],
    ["fractions", [{ id: 0.5 }], "`id` is 0.5, and no whole number"],
  ])(
    "are the whole board where its ids are %s: no run is in step, and `check` says why",
    async (_, feedback, why) => {
      const stage = await openStage();
      addPlanned(stage, 2);
      await stage.sync();
      stage.mark();
      const body = { feedback: feedback.map((record) => ({ ...record, title: "x", status: "planned" })) };
      const failList = (): void =>
        stage.board.failNext(
          { kind: "answer", status: 200, body },
          { when: ({ path }) => path === "/feedback" },
        );
      failList();
      const { result, projects } = await stage.sync();
      const message = expect.stringContaining(why);
      expect([result, projects[0]?.errors]).toMatchObject([
        "partial",
        [{ code: "board.incomplete", message }],
      ]);
      failList();
      expect((await stage.run("plan")).plan.projects[0]?.errors).toMatchObject([
        { code: "board.incomplete", message },
      ]);
      failList();
      const findings = (await stage.check()).filter(({ level }) => level === "error");
      expect(findings).toMatchObject([{ code: "board.incomplete", message }]);
      expect(stage.writes()).toEqual([]);
    },
  );
});
