import { describe, expect, it, onTestFinished } from "vitest";
import type { ProjectId } from "../../src/model/post.ts";
import { foreseeHeld } from "../../src/sync/orders/approve.ts";
import { type SandboxGitHub, startSandboxGitHub } from "../support/sandbox/github/github.ts";
import { openPosts, privateRepositories, twoProjects, twoRepositories } from "../support/setups.ts";
import { addPlanned, hourMs, minuteMs, openStage, type Stage, standardProject } from "../support/stage.ts";

const project = "prj_app" as ProjectId;

/** A run every minute of a few, for which the next full look is too far away. */
async function runOften(stage: Stage): Promise<void> {
  for (let run = 0; run < 3; run += 1) await stage.sync();
}

describe("a repository that is archived", () => {
  it.each([0, 7 * hourMs])(
    "is read on, the board is written, and its own writes wait (after %i ms)",
    async (ms) => {
      const stage = await openPosts(2);
      stage.github.close("acme/app", 1, "completed");
      stage.github.archive("acme/app");
      addPlanned(stage, 2);
      stage.board.editPost("acme-app", "p2", { title: "Another title" });
      stage.clock.skip(ms);
      expect(await stage.sync()).toMatchObject({
        result: "partial",
        projects: [
          {
            statusWrites: 1,
            created: 0,
            issueWrites: 0,
            waiting: 3,
            parked: 0,
            failed: 1,
            errors: [{ code: "tracker.archived" }],
          },
        ],
      });
      expect(stage.writes()).toEqual(["PATCH /feedback/p1"]);
      stage.github.archive("acme/app", false);
      expect(await stage.sync()).toMatchObject({
        result: "ok",
        projects: [{ created: 2, issueWrites: 1, waiting: 0, parked: 0 }],
      });
    },
  );

  it("where nothing is to be written is no failure", async () => {
    const stage = await openPosts(1);
    stage.github.archive("acme/app");
    stage.clock.skip(7 * hourMs);
    expect(await stage.sync()).toMatchObject({ result: "ok" });
    expect(stage.log.join()).toContain("The repository is archived");
  });

  it("in the middle of a run refuses nothing for good: what it refused waits with the others", async () => {
    const stage = await openPosts(1);
    addPlanned(stage, 3);
    stage.board.editPost("acme-app", "p1", { title: "Another title" });
    stage.atNextWrite("tracker", "before", () => stage.github.archive("acme/app"));
    expect(await stage.syncOne()).toMatchObject({
      created: 0,
      issueWrites: 0,
      waiting: 4,
      parked: 0,
      errors: [{ code: "tracker.archived" }],
    });
    expect(stage.writes()).toEqual(["PATCH /repos/acme/app/issues/1"]);
    stage.github.archive("acme/app", false);
    expect(await stage.syncOne()).toMatchObject({ created: 3, issueWrites: 1, failed: 0 });
  });

  it("between two creates parks none of them, either", async () => {
    const stage = await openPosts(0);
    addPlanned(stage, 3);
    stage.atNextWrite("tracker", "after", () => stage.github.archive("acme/app"));
    expect(await stage.syncOne()).toMatchObject({ created: 1, waiting: 2, parked: 0, failed: 1 });
    expect(stage.writes()).toHaveLength(2);
  });
});

describe("a repository whose issues are switched off", () => {
  it.each([200, 404, 410] as const)(
    "(a list answers %i) waits until they are on again",
    async (issuesOff) => {
      const stage = await openPosts(1, { quirks: { issuesOff } });
      stage.github.disableIssues("acme/app");
      addPlanned(stage, 1);
      const off = { created: 0, waiting: 1, parked: 0, errors: [{ code: "tracker.no-issues" }] };
      expect(await stage.syncOne()).toMatchObject(off);
      stage.clock.skip(7 * hourMs);
      expect(await stage.syncOne()).toMatchObject(off);
      expect(stage.writes()).toEqual([]);
      stage.github.enableIssues("acme/app");
      stage.github.close("acme/app", 1, "completed");
      expect(await stage.syncOne()).toMatchObject({ created: 1, statusWrites: 1, waiting: 0, failed: 0 });
    },
  );
});

describe("a create whose answer was lost", () => {
  /** Sends one that is applied, and waits until it is looked up. */
  async function openLost(): Promise<Stage> {
    const stage = await openPosts(0);
    addPlanned(stage, 1);
    stage.github.failNext({ method: "POST", path: /issues$/, applied: true, answer: { kind: "reset" } });
    await stage.sync();
    stage.clock.skip(20 * minuteMs);
    return stage;
  }

  it("is not taken for one that was never made while issues are off and no list shows any", async () => {
    const stage = await openLost();
    stage.github.disableIssues("acme/app");
    await runOften(stage);
    stage.github.enableIssues("acme/app");
    await runOften(stage);
    expect(stage.github.issues("acme/app")).toHaveLength(1);
  });

  it("nor because its repository's name leads to another one", async () => {
    const stage = await openLost();
    stage.github.renameRepository("acme/app", "acme/product");
    stage.github.addRepository({ name: "acme/app", private: true });
    await runOften(stage);
    expect(stage.github.issues("acme/product")).toHaveLength(1);
    expect(stage.github.issues("acme/app")).toEqual([]);
  });
});

describe("a repository that is renamed", () => {
  it.each<[string, (stage: Stage) => void, string]>([
    ["itself", ({ github }) => github.renameRepository("acme/app", "acme/product"), "acme/product"],
    ["with its owner", ({ github }) => github.renameOwner("acme", "umbrella"), "umbrella/app"],
  ])("%s is followed at once, and its new name is said", async (_, rename, name) => {
    const stage = await openPosts(2);
    rename(stage);
    stage.github.close(name, 1, "completed");
    stage.board.editPost("acme-app", "p2", { title: "Another title" });
    addPlanned(stage, 1);
    expect(await stage.sync()).toMatchObject({
      result: "ok",
      projects: [{ created: 1, issueWrites: 1, statusWrites: 1 }],
    });
    expect(stage.writes()).toEqual([
      "PATCH /feedback/p1",
      `PATCH /repos/${name}/issues/2`,
      `POST /repos/${name}/issues`,
    ]);
    expect(stage.log.filter((line) => line.includes("The repository was renamed"))).toHaveLength(1);
    await runOften(stage);
    expect(stage.log.filter((line) => line.includes("The repository was renamed"))).toHaveLength(1);
    expect(stage.github.issues(name)).toHaveLength(3);
  });

  it("is never taken for another one that has got its old name", async () => {
    const stage = await openPosts(2);
    stage.github.renameRepository("acme/app", "acme/product");
    stage.github.addRepository({ name: "acme/app", private: true, labels: ["in progress"] });
    for (const title of ["Theirs", "Theirs, too"]) stage.github.openIssue("acme/app", { title });
    stage.github.close("acme/app", 1, "completed");
    stage.board.editPost("acme-app", "p2", { title: "Another title" });
    addPlanned(stage, 1);
    expect(await stage.syncOne()).toMatchObject({ created: 1, issueWrites: 1, statusWrites: 0, failed: 0 });
    expect(stage.github.issues("acme/app").map(({ title }) => title)).toEqual(["Theirs", "Theirs, too"]);
    stage.github.close("acme/product", 1, "completed");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1 });
  });

  it("is looked at as a whole then, whatever was read under its old name meanwhile", async () => {
    // A rule that looks at labels would show it at once: those of our issues are not among the other repository's.
    const rules = [{ when: { state: "closed" }, set: { status: "completed" } }];
    const stage = await openPosts(1, { projects: [{ ...standardProject, rules }] });
    stage.github.renameRepository("acme/app", "acme/product");
    stage.github.addRepository({ name: "acme/app", private: true });
    await stage.sync();
    addPlanned(stage, 1);
    await stage.sync();
    stage.mark();
    await stage.sync();
    const path = "GET /repos/acme/product/issues";
    expect(stage.reads()).toEqual(["GET /feedback", path, path]);
  });

  it("or gone, with another one in its place, is refused: nothing is read or written there", async () => {
    const stage = await openPosts(2);
    stage.github.deleteRepository("acme/app");
    stage.github.addRepository({ name: "acme/app", private: true });
    for (const title of ["Theirs", "Theirs, too"]) stage.github.openIssue("acme/app", { title });
    stage.github.close("acme/app", 1, "completed");
    stage.board.editPost("acme-app", "p2", { title: "Another title" });
    addPlanned(stage, 1);
    for (const ms of [0, 7 * hourMs]) {
      stage.clock.skip(ms);
      const report = await stage.syncOne();
      expect(report).toMatchObject({ created: 0, issueWrites: 0, statusWrites: 0 });
      expect(report.errors).toMatchObject([{ code: "tracker.replaced" }]);
    }
    expect(stage.writes()).toEqual([]);
  });
});

describe("a repository that disappears as a whole", () => {
  it("stops its project, and goes on where it was when it is back", async () => {
    const stage = await openPosts(3);
    stage.github.setVisible("acme/app", false);
    for (const ms of [0, 7 * hourMs]) {
      stage.clock.skip(ms);
      expect(await stage.syncOne()).toMatchObject({ parked: 0, errors: [{ code: "tracker.missing" }] });
    }
    stage.github.setVisible("acme/app", true);
    stage.github.close("acme/app", 1, "completed");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1, failed: 0 });
    expect(stage.writes()).toEqual(["PATCH /feedback/p1"]);
  });
});

describe("a repository that turns public", () => {
  const turn = async (stage: Stage): Promise<void> => {
    stage.github.setPrivate("acme/app", false);
    addPlanned(stage, 2);
    expect(await stage.sync()).toMatchObject({ result: "held", projects: [{ created: 0, held: 2 }] });
  };

  it("holds its new issues from the first moment on, and says so in every run; the rest goes on", async () => {
    const stage = await openPosts(1);
    await turn(stage);
    stage.github.close("acme/app", 1, "completed");
    expect(await stage.syncOne()).toMatchObject({ created: 0, held: 2, statusWrites: 1 });
    expect(stage.log.filter((line) => line.includes("has turned public")).length).toBeGreaterThan(0);
    expect(stage.writes()).toEqual(["PATCH /feedback/p1"]);
    const held = (await stage.plan()).map(({ kind, held: why }) => `${kind}: ${why}`);
    expect(held).toHaveLength(2);
    expect(held.join()).toContain("boardsync approve acme-app");
  });

  it("opens them, and later ones, once a person has approved the project", async () => {
    const stage = await openPosts(0);
    await turn(stage);
    await approve(stage);
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ created: 2, held: 0 }] });
    addPlanned(stage, 1);
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ created: 1 }] });
  });

  it("opens the one of a post that a person let go, and holds the others", async () => {
    const stage = await openPosts(0);
    await turn(stage);
    await approve(stage, "p2");
    expect(await stage.syncOne()).toMatchObject({ created: 1, held: 1 });
    expect(stage.github.issues("acme/app").map(({ title }) => title)).toEqual(["Post 2"]);
  });

  it.each([
    { noticed: "right before the write", ms: 0 },
    { noticed: "at the beginning of the run", ms: 7 * hourMs },
  ])("holds what was approved while it was private, noticed $noticed", async ({ ms }) => {
    const stage = await openStage({ config: { guard: { issues: 1 } } });
    addPlanned(stage, 2);
    expect(await stage.syncOne()).toMatchObject({ created: 0, held: 2 });
    await approve(stage);
    stage.github.setPrivate("acme/app", false);
    stage.clock.skip(ms);
    for (let run = 0; run < 2; run += 1) expect(await stage.syncOne()).toMatchObject({ created: 0, held: 2 });
    await approve(stage);
    expect(await stage.syncOne()).toMatchObject({ created: 2, held: 0 });
  });

  it("holds them also where the config calls it by its new name from then on", async () => {
    const stage = await openPosts(0);
    await turn(stage);
    stage.github.renameRepository("acme/app", "acme/product");
    stage.reconfigure({ projects: [{ ...standardProject, repo: "acme/product" }] });
    expect(await stage.syncOne()).toMatchObject({ created: 0, held: 2 });
  });

  it("holds what was let go for another reason, also where the yes came after it turned public", async () => {
    const stage = await openStage({ config: { guard: { issues: 1 } } });
    addPlanned(stage, 2);
    await stage.sync();
    const asked = await foreseeHeld({ ledger: stage.ledger }, { key: "acme-app", project }, [], false);
    stage.github.setPrivate("acme/app", false);
    stage.clock.skip(7 * hourMs);
    expect(await stage.syncOne()).toMatchObject({ created: 0, held: 2 });
    if ("asks" in asked) await stage.ledger.commit(asked.asks({ at: stage.clock.now() }));
    expect(await stage.syncOne()).toMatchObject({ created: 0, held: 2 });
  });

  it("is accepted for the project that was asked, and for no other one", async () => {
    const stage = await openPosts(1, {
      boardProjects: twoProjects,
      projects: [standardProject, { ...standardProject, project: "acme-api" }],
    });
    stage.github.setPrivate("acme/app", false);
    stage.clock.skip(7 * hourMs);
    addPlanned(stage, 2);
    addPlanned(stage, 2, "acme-api");
    await stage.sync();
    await approve(stage);
    for (const created of [2, 0]) {
      expect(await stage.sync()).toMatchObject({ projects: [{ created, held: 0 }, { held: 2 }] });
    }
  });

  it("is not accepted by who approves new issues of another one", async () => {
    const stage = await openStage({ ...twoRepositories, config: { guard: { issues: 1 } } });
    for (const categoryId of ["cat_api", "cat_app"]) {
      addPlanned(stage, [{ categoryId }]);
      await stage.sync();
    }
    stage.github.setPrivate("acme/api", false);
    stage.clock.skip(7 * hourMs);
    addPlanned(stage, 3);
    await stage.sync();
    await approve(stage);
    expect(await stage.syncOne()).toMatchObject({ created: 3 });
    addPlanned(stage, [{ categoryId: "cat_api" }]);
    expect(await stage.syncOne()).toMatchObject({ created: 0, held: 1 });
  });

  it("goes on when it is private again", async () => {
    const stage = await openPosts(0);
    await turn(stage);
    stage.github.setPrivate("acme/app");
    stage.clock.skip(7 * hourMs);
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ created: 2, held: 0 }] });
  });

  it("was public from the beginning holds nothing", async () => {
    const stage = await openStage({ repositories: [{ name: "acme/app", labels: ["feedback"] }] });
    addPlanned(stage, 1);
    expect(await stage.syncOne()).toMatchObject({ created: 1, held: 0 });
    addPlanned(stage, 1);
    stage.clock.skip(7 * hourMs);
    expect(await stage.syncOne()).toMatchObject({ created: 1, held: 0 });
  });
});

describe("a repository that was renamed", () => {
  const rename = ({ github }: Stage): void => github.renameRepository("acme/app", "acme/product");

  it.each<[string, (stage: Stage) => Promise<unknown>]>([
    ["after a run", (stage) => stage.sync()],
    ["before any run", () => Promise.resolve()],
  ])("goes on where the config calls it by its new name, %s", async (_, follow) => {
    const stage = await openPosts(1, twoRepositories);
    rename(stage);
    stage.clock.skip(7 * hourMs);
    await follow(stage);
    stage.reconfigure({ projects: [{ ...standardProject, repo: "acme/product" }] });
    expect(await stage.syncOne()).toMatchObject({ errors: [] });
    stage.github.close("acme/product", 1, "completed");
    addPlanned(stage, 1);
    expect(await stage.syncOne()).toMatchObject({ errors: [], created: 1, statusWrites: 1 });
    expect(stage.ledger.memory.repository("acme/app")).toBeUndefined();
    expect(stage.ledger.memory.repository("acme/product")?.name).toBe("acme/product");
  });

  it.each(["first", "last"])(
    "is no new one that has got its former name, of which the config speaks %s",
    async (place) => {
      const stage = await openStage({
        boardProjects: twoProjects,
        repositories: privateRepositories("acme/app"),
        projects: [standardProject],
      });
      addPlanned(stage, 2);
      for (let run = 0; run < 2; run += 1) await stage.sync();
      rename(stage);
      stage.clock.skip(7 * hourMs);
      await stage.sync();
      stage.github.addRepository({ name: "acme/app", private: true, labels: ["feedback", "in progress"] });
      const corrected = { ...standardProject, repo: "acme/product" };
      const other = { ...standardProject, project: "acme-api", repo: "acme/app" };
      stage.reconfigure({ projects: place === "last" ? [corrected, other] : [other, corrected] });
      addPlanned(stage, 2, "acme-api");
      for (let run = 0; run < 2; run += 1) await stage.sync();
      expect(stage.github.issues("acme/app")).toHaveLength(2);
      expect(stage.github.issues("acme/product")).toHaveLength(2);
    },
  );

  it("is one for all names that the config has for it", async () => {
    const api = { ...standardProject, project: "acme-api" };
    const stage = await openStage({
      boardProjects: twoProjects,
      repositories: privateRepositories("acme/app"),
      projects: [standardProject, api],
    });
    for (const project of ["acme-app", "acme-api"]) addPlanned(stage, 1, project);
    await stage.sync();
    rename(stage);
    const route = [{ category: "cat_new", repo: "acme/product" }];
    stage.reconfigure({
      projects: [
        { ...standardProject, route },
        { ...api, repo: "acme/product" },
      ],
    });
    for (const project of ["acme-app", "acme-api"]) addPlanned(stage, [{ categoryId: "cat_new" }], project);
    for (let run = 0; run < 3; run += 1) {
      expect((await stage.sync()).projects.flatMap(({ errors }) => errors)).toEqual([]);
      stage.restart();
      stage.clock.skip(4 * hourMs);
    }
    expect(stage.github.issues("acme/product")).toHaveLength(4);
    const names = ["acme/app", "ACME/Product"].map((name) => stage.ledger.memory.repository(name as "a/b"));
    expect(names[0]).toMatchObject({ name: "acme/app", otherNames: ["acme/product"] });
    expect(names[1]).toBe(names[0]);
  });
});

describe("a repository on another server than before (`tracker.url`)", () => {
  async function moveTo(stage: Stage, names: readonly string[]): Promise<SandboxGitHub> {
    const { clock, github } = stage;
    const repositories = privateRepositories(...names);
    const server = await startSandboxGitHub({ clock, token: github.token, repositories });
    onTestFinished(() => server.stop());
    stage.reconfigure({ config: { tracker: { url: server.url } } });
    return server;
  }

  it("is not taken for what has its number there: nobody hears of a stranger's issues", async () => {
    const stage = await openPosts(3);
    const server = await moveTo(stage, ["stranger/public", "acme/app"]);
    for (const number of [1, 2, 3]) {
      server.openIssue("stranger/public", { title: `Theirs ${number}` });
      server.close("stranger/public", number, "completed");
    }
    for (let run = 0; run < 2; run += 1) {
      expect(await stage.syncOne()).toMatchObject({
        errors: [{ code: "tracker.replaced", message: expect.stringContaining("another repository there") }],
      });
      stage.clock.skip(7 * hourMs);
    }
    expect(stage.board.notifications).toEqual([]);
  });

  it("goes on where it is the same one: only the address is another", async () => {
    const stage = await openPosts(1);
    const server = await moveTo(stage, ["acme/app"]);
    const { title, body } = stage.github.issue("acme/app", 1);
    server.openIssue("acme/app", { title, body, author: "boardsync-bot" });
    server.close("acme/app", 1, "completed");
    stage.clock.skip(7 * hourMs);
    expect(await stage.syncOne()).toMatchObject({ errors: [], statusWrites: 1 });
  });
});

describe("an issue that is locked", () => {
  it("still follows its post, and is looked at like any other", async () => {
    const stage = await openPosts(1);
    stage.github.lock("acme/app", 1);
    stage.board.editPost("acme-app", "p1", { title: "Another title" });
    expect(await stage.syncOne()).toMatchObject({ issueWrites: 1, failed: 0 });
    stage.github.close("acme/app", 1, "completed");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1 });
  });

  it("to us parks what GitHub refuses, in its words", async () => {
    const stage = await openPosts(1);
    stage.board.editPost("acme-app", "p1", { title: "Another title" });
    const message = "Unable to update issue because it is locked.";
    stage.github.failNext({ method: "PATCH", answer: { kind: "answer", status: 403, body: { message } } });
    const report = await stage.syncOne();
    expect(report).toMatchObject({ parked: 1, errors: [{ post: "p1", code: "tracker.rejected" }] });
    expect(report.errors[0]?.message).toContain(message);
    expect(await stage.sync()).toMatchObject({ result: "held", projects: [{ issueWrites: 0 }] });
  });
});

describe("a post that changes", () => {
  it("its category keeps its issue, wherever a new one of its kind would go", async () => {
    const stage = await openPosts(1, twoRepositories);
    stage.board.editPost("acme-app", "p1", { categoryId: "cat_api" });
    await runOften(stage);
    stage.github.close("acme/app", 1, "completed");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1, issues: 1 });
    expect(stage.github.issues("acme/api")).toEqual([]);
  });

  it("its status keeps its issue, though it would not be selected any more", async () => {
    const stage = await openPosts(1);
    stage.board.editPost("acme-app", "p1", { status: "open" });
    await stage.sync();
    stage.github.label("acme/app", 1, "in progress");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1, issues: 1 });
  });

  it("by being archived gets no write and no other issue, and goes on when it comes back", async () => {
    const stage = await openPosts(1);
    stage.board.editPost("acme-app", "p1", { isArchived: true, title: "Another title" });
    stage.github.close("acme/app", 1, "completed");
    await runOften(stage);
    expect(stage.writes()).toEqual([]);
    stage.board.editPost("acme-app", "p1", { isArchived: false });
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1, issueWrites: 1, created: 0, issues: 1 });
  });

  it("by going missing keeps its issue, and goes on when it comes back", async () => {
    const stage = await openPosts(3);
    const feedback = ["p2", "p3"].map((post) => stage.board.post("acme-app", post));
    stage.board.failNext(
      { kind: "answer", status: 200, body: { feedback } },
      { times: 3, when: ({ path }) => path === "/feedback" },
    );
    stage.github.close("acme/app", 1, "completed");
    await runOften(stage);
    expect(stage.patches()).toEqual([]);
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1, created: 0, issues: 3 });
    expect(stage.github.issues("acme/app")).toHaveLength(3);
  });
});

async function approve(stage: Stage, post?: string): Promise<void> {
  const project = stage.ledger.memory.project("acme-app")?.id;
  if (project === undefined) throw new Error("The project is not known.");
  const held = await stage.ledger.rows.held(project);
  const actions = post === undefined ? held : held.filter((action) => action.post === post);
  const isWhole = post === undefined;
  await stage.ledger.commit([
    { kind: "add-request", request: { kind: "approve", actions, isWhole, project, at: stage.clock.now() } },
  ]);
}
