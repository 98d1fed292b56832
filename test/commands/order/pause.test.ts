import { describe, expect, it } from "vitest";
import { openStage, type Stage } from "../stage.ts";

/** A story in step, of which #1 of the app is closed: `p1` has something to tell. */
async function openClosed(config = ""): Promise<Stage> {
  const stage = await openStage();
  stage.writeConfig("boardsync.yaml", (text) => `${text}${config}`);
  expect((await stage.run(["sync"])).code).toBe(0);
  stage.story.github.close("acme/app", 1, "completed");
  return stage;
}

/** The same, of which `p1` is paused, and a run has looked. */
async function openPaused(): Promise<Stage> {
  const stage = await openClosed();
  await stage.run(["pause", "p1"]);
  expect((await stage.run(["sync"])).code).toBe(0);
  return stage;
}

const statusOf = (stage: Stage) => stage.story.board.post("acme-app", "p1")?.status;

describe("boardsync pause", () => {
  it("writes nothing for the post from then on, and says so once more when it is asked again", async () => {
    const stage = await openClosed();
    const paused = await stage.run(["pause", "acme-app/p1"]);
    expect(paused.code).toBe(0);
    expect(paused.out).toBe(
      "  acme-app/p1: As of the last run nothing waits for it.\nacme-app/p1: from now on nothing is written for this post, to either side, until `boardsync resume POST`.\n",
    );
    expect((await stage.run(["sync"])).code).toBe(0);
    expect(statusOf(stage)).toBe("planned");
    expect((await stage.run(["pause", "p1"])).out).toMatch(
      /status: planned → completed[^\n]*voters? to notify\nacme-app\/p1: it is paused already, since \d\d:\d\d UTC \(/,
    );
  });

  it("lists what is held of it already", async () => {
    const stage = await openClosed("guard: { statuses: 0 }\n");
    expect((await stage.run(["sync"])).code).toBe(4);
    expect((await stage.run(["pause", "p1", "--json"])).json()).toEqual({
      project: "acme-app",
      post: "p1",
      paused: true,
      since: expect.stringMatching(/^20/),
      wasPaused: false,
      actions: [
        {
          place: "acme/app#1",
          changes: expect.arrayContaining([{ field: "status", from: "planned", to: "completed" }]),
          notifies: expect.any(Number),
          message: expect.stringContaining("`guard.statuses` allows 0"),
        },
      ],
      underWay: false,
      message: expect.stringContaining("from now on nothing is written for this post"),
    });
    expect((await stage.run(["sync"])).code).toBe(0);
    expect((await stage.run(["pause", "p1", "--quiet"])).out).toBe("");
  });

  it("says of a write that has left already that it can't be called back", async () => {
    const stage = await openClosed();
    const answer = { kind: "answer", status: 502, body: "{}" } as const;
    stage.story.board.failNext(answer, { when: ({ method }) => method === "PATCH" });
    await stage.run(["sync"]);
    expect((await stage.run(["pause", "p1"])).out).toContain("A write for it has left already");
    expect((await stage.run(["pause", "p1", "p2", "--json"])).json()).toMatchObject({
      posts: [
        { post: "p1", wasPaused: true, underWay: true },
        { post: "p2", wasPaused: false, underWay: false },
      ],
    });
  });

  it("takes back that it was to be resumed", async () => {
    const stage = await openPaused();
    await stage.run(["resume", "p1", "--yes"]);
    expect((await stage.run(["pause", "p1", "--json"])).json()).toMatchObject({
      message: expect.stringContaining("the resume that was asked for is taken back"),
    });
    await stage.run(["resume", "p1", "--yes"]);
    expect((await stage.run(["pause", "p1"])).out).toContain("the resume that was asked for is taken back");
    await stage.run(["sync"]);
    expect(statusOf(stage)).toBe("planned");
  });

  it("shows in `status`, with what ends it", async () => {
    const stage = await openPaused();
    const { out } = await stage.run(["status"]);
    expect(out).toContain("acme-app: 1 post is paused.");
    expect(out).toMatch(/≠ paused: acme-app\/p1 [^\n]*\n {4}status: planned → completed[^\n]*to notify/);
    expect(out).toContain("  → boardsync resume acme-app/p1");
    expect((await stage.run(["status", "--json"])).json()).toMatchObject({
      projects: [{ state: "differs", paused: 1, held: 0, voters: 0 }, {}],
    });
  });

  it("needs a post that a run has seen", async () => {
    const stage = await openClosed();
    expect(await stage.run(["pause", "nope"])).toMatchObject({ code: 2 });
  });
});

describe("boardsync resume", () => {
  it("shows what has come together, asks with the voters, and lets it be told", async () => {
    const stage = await openPaused();
    let question = "";
    const ask = (text: string): Promise<string> => {
      question = text;
      return Promise.resolve("y");
    };
    const { out } = await stage.run(["resume", "p1"], { ask });
    expect(out).toMatch(/^ {2}acme-app\/p1: acme\/app#1: [^\n]*status: planned → completed/);
    expect(out).toContain("acme-app/p1: the pause ends with the next run");
    expect(question).toMatch(
      /^Resume this post\? As of the last run, \d+ voters will be notified\. \[y\/N\] $/,
    );
    expect((await stage.run(["sync"])).code).toBe(0);
    expect(statusOf(stage)).toBe("completed");
  });

  it("can discard", async () => {
    const stage = await openPaused();
    let question = "";
    const ask = (text: string): Promise<string> => {
      question = text;
      return Promise.resolve("yes");
    };
    await stage.run(["resume", "p1", "--discard"], { ask });
    expect(question).toBe("Leave both sides as they are? No voter will be notified. [y/N] ");
    expect((await stage.run(["sync"])).code).toBe(0);
    expect(statusOf(stage)).toBe("planned");
    expect((await stage.run(["resume", "p1", "--discard", "--yes", "--json"])).json()).toEqual({
      project: "acme-app",
      post: "p1",
      requested: false,
      discarded: false,
      actions: [],
      message: "it is not paused.",
    });
    expect(await stage.run(["resume", "p1", "--yes"])).toMatchObject({
      code: 0,
      out: "acme-app/p1: it is not paused.\n",
    });
  });

  it("changes nothing where nobody agrees, or is there to be asked", async () => {
    const stage = await openPaused();
    const ask = (): Promise<string> => Promise.resolve("n");
    expect((await stage.run(["resume", "p1"], { ask })).out).toMatch(
      /\nacme-app\/p1: Nothing was changed\.\n$/,
    );
    expect(await stage.run(["resume", "p1"])).toMatchObject({ code: 2 });
    await stage.run(["sync"]);
    expect(statusOf(stage)).toBe("planned");
    const quiet = await stage.run(["resume", "p1", "--yes", "--quiet"]);
    expect(quiet).toMatchObject({ code: 0, out: "" });
    await stage.run(["sync"]);
    expect(statusOf(stage)).toBe("completed");
  });
});
