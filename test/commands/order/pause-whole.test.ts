import { describe, expect, it } from "vitest";
import { openStage, type Stage } from "../stage.ts";

/** A story in step, of which an issue of each project is closed. */
async function openClosed(): Promise<Stage> {
  const stage = await openStage();
  expect((await stage.run(["sync"])).code).toBe(0);
  stage.story.github.close("acme/app", 1, "completed");
  return stage;
}

const mailed = ({ story }: Stage) => story.board.notifications.map(({ post }) => post);

describe("boardsync pause PROJECT", () => {
  it("stops all writes for it, says so everywhere, and `resume` lets them go on", async () => {
    const stage = await openClosed();
    const paused = await stage.run(["pause", "acme-app"]);
    expect(paused).toMatchObject({ code: 0 });
    expect(paused.out).toBe(
      "acme-app: from now on nothing is written for acme-app, to either side, until `boardsync resume acme-app`; a run that is under way stops before its next write.\n",
    );
    expect((await stage.run(["sync"])).code).toBe(0);
    expect(mailed(stage)).toEqual([]);
    expect((await stage.run(["pause", "acme-app", "--json"])).json()).toMatchObject({
      project: "acme-app",
      all: false,
      paused: true,
      wasPaused: true,
      underWay: false,
      message: expect.stringMatching(/^it is paused already, since 20/),
    });
    const { out } = await stage.run(["status"]);
    expect(out).toMatch(/≠ acme-app: paused as a whole since .*: nothing is written to either side/);
    expect(out).toContain("  → boardsync resume acme-app\n");
    expect(out).toMatch(/paused: acme-app\/p1 [^\n]*\n +status: planned → completed/);
    expect((await stage.run(["status", "--json"])).json()).toMatchObject({
      projects: [
        { state: "differs", pausedSince: expect.stringMatching(/^20/), resume: "boardsync resume acme-app" },
        { pausedSince: null, resume: null },
      ],
    });
    expect((await stage.run(["check"])).out).toMatch(/! acme-app: It is paused since .*\[run\.paused\]/);
    expect((await stage.run(["plan"])).out).toContain("a person has paused the project");

    let question = "";
    const ask = (text: string): Promise<string> => {
      question = text;
      return Promise.resolve("y");
    };
    const resumed = await stage.run(["resume", "acme-app"], { ask });
    expect(question).toMatch(
      /^Resume acme-app\? As of the last run, \d+ voters will be notified\. \[y\/N\] $/,
    );
    expect(resumed.out).toMatch(/^ {2}p1 “.*”: status: planned → completed/);
    expect(resumed.out).toContain("acme-app: the pause ends with the next run");
    expect((await stage.run(["sync"])).code).toBe(0);
    expect(mailed(stage)).toEqual(["p1"]);
    expect((await stage.run(["resume", "acme-app", "--yes"])).out).toBe("acme-app: It is not paused.\n");
  });

  it("can be resumed without a word to anybody, and asks first", async () => {
    const stage = await openClosed();
    await stage.run(["pause", "acme-app"]);
    const ask = (): Promise<string> => Promise.resolve("n");
    expect((await stage.run(["resume", "acme-app"], { ask })).out).toContain(
      "acme-app: Nothing was changed.",
    );
    expect(await stage.run(["resume", "acme-app"])).toMatchObject({ code: 2 });
    expect((await stage.run(["resume", "acme-app", "--discard", "--yes", "--json"])).json()).toMatchObject({
      project: "acme-app",
      requested: true,
      discarded: true,
    });
    await stage.run(["sync"]);
    await stage.run(["sync"]);
    expect(mailed(stage)).toEqual([]);
    expect(stage.story.board.post("acme-app", "p1")?.status).toBe("planned");
  });

  it("takes back a resume that no run has taken up", async () => {
    const stage = await openClosed();
    await stage.run(["pause", "acme-app"]);
    await stage.run(["resume", "acme-app", "--yes"]);
    expect((await stage.run(["pause", "acme-app"])).out).toContain(
      "the resume that was asked for is taken back",
    );
    await stage.run(["sync"]);
    expect(mailed(stage)).toEqual([]);
  });

  it("needs a project of the config, or a post", async () => {
    const stage = await openClosed();
    const { code, err } = await stage.run(["pause", "acme-ap"]);
    expect(code).toBe(2);
    expect(err).toContain("The config has no project `acme-ap`. It has: acme-app, acme-api.");
    for (const words of [[], ["acme-app", "--all"], ["--all", "--code", "x"], ["p1", "--code", "x"]])
      expect(await stage.run(["pause", ...words])).toMatchObject({ code: 2 });
  });
});

describe("boardsync pause --all", () => {
  it("stops everything, and ends as one; a project that is paused by itself stays so", async () => {
    const stage = await openClosed();
    await stage.run(["pause", "acme-api"]);
    expect((await stage.run(["pause", "--all"])).out).toMatch(
      /^From now on nothing is written for any project/,
    );
    await stage.run(["sync"]);
    expect(mailed(stage)).toEqual([]);
    const status = await stage.run(["status"]);
    expect(status.out).toMatch(/acme-app: all projects are paused since/);
    expect(status.out).toContain("  → boardsync resume --all\n");
    expect((await stage.run(["resume", "acme-app", "--yes"])).out).toContain(
      "All projects are paused: `boardsync resume --all` ends that.",
    );
    const resumed = await stage.run(["resume", "--all", "--yes"]);
    expect(resumed.out).toContain("Paused by themselves, too, and stay so: acme-api.");
    await stage.run(["sync"]);
    expect(mailed(stage)).toEqual(["p1"]);
    expect((await stage.run(["status", "--json"])).json()).toMatchObject({
      projects: [{ resume: null }, { resume: "boardsync resume acme-api" }],
    });
    await stage.run(["resume", "--all", "--yes"]);
    await stage.run(["sync"]);
    expect((await stage.run(["resume", "--all", "--yes", "--json"])).json()).toMatchObject({
      project: null,
      all: true,
      requested: false,
      message: "No project is paused.",
    });
  });
});

describe("several posts, or those of a project", () => {
  it("are paused and resumed as one", async () => {
    const stage = await openClosed();
    stage.story.github.close("acme/app", 2, "completed");
    expect((await stage.run(["pause", "acme-app", "p1", "acme-app/p2", "p1"])).out).toContain(
      "From now on nothing is written for 2 posts",
    );
    await stage.run(["sync"]);
    expect(mailed(stage)).toEqual([]);
    let question = "";
    const ask = (text: string): Promise<string> => {
      question = text;
      return Promise.resolve("y");
    };
    const resumed = await stage.run(["resume", "acme-app"], { ask });
    expect(question).toMatch(/^Resume these 2 posts\? As of the last run, \d+ voters will be notified/);
    expect(resumed.out).toMatch(/acme-app\/p1: .*planned → completed/);
    await stage.run(["sync"]);
    expect(mailed(stage)).toEqual(["p1", "p2"]);
    expect((await stage.run(["resume", "p1", "p2", "--yes", "--json"])).json()).toEqual({
      project: null,
      requested: false,
      discarded: false,
      message: "None of them is paused.",
      posts: [],
    });
  });

  it("all that is wrong is said at once", async () => {
    const stage = await openClosed();
    const { code, err } = await stage.run(["pause", "p1", "nope", "nada"]);
    expect(code).toBe(2);
    expect(err).toContain("`nope`");
    expect(err).toContain("`nada`");
  });
});
