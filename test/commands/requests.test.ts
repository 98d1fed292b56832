import { describe, expect, it } from "vitest";
import { openStage, type Stage } from "./stage.ts";

/** A story in step, whose guard allows no notifying write; then #1 and #2 of the app are closed. */
async function openHeld(): Promise<Stage> {
  const stage = await openStage();
  stage.writeConfig("boardsync.yaml", (config) => `${config}guard: { statuses: 0 }\n`);
  expect((await stage.run(["sync"])).code).toBe(0);
  const { github } = stage.story;
  for (const number of [1, 2]) github.close("acme/app", number, "completed");
  expect((await stage.run(["sync"])).code).toBe(4);
  return stage;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);

describe("boardsync approve", () => {
  it("shows what is held, and lets it go with the next run", async () => {
    const stage = await openHeld();
    const approved = await stage.run(["approve", "acme-app", "--yes"]);
    expect(approved.code).toBe(0);
    expect(approved.out).toContain("`guard.statuses` allows 0");
    expect(approved.out).toMatch(
      / {2}“Dark mode” \(p1\) → acme\/app#1\n {4}status: planned → completed, .*; 128 voters to notify\n/,
    );
    expect(approved.out).toContain("acme-app: 2 actions approved. The next run does it.");
    expect(stage.story.board.notifications).toEqual([]);
    expect((await stage.run(["sync"])).code).toBe(0);
    expect(stage.story.board.notifications.map(({ post }) => post)).toEqual(["p1", "p2"]);
  });

  it("lets go only what is held of the posts that are named", async () => {
    const stage = await openHeld();
    const approved = await stage.run(["approve", "acme-app", "p2", "--yes", "--json"]);
    expect(approved.json()).toEqual({
      project: "acme-app",
      actions: [
        {
          post: "p2",
          title: expect.any(String),
          kind: "patch-post",
          issue: "acme/app#2",
          changes: expect.arrayContaining([{ field: "status", from: "planned", to: "completed" }]),
          notifies: expect.any(Number),
          held: expect.stringContaining("`guard.statuses` allows 0"),
        },
      ],
      discarded: false,
      message: "1 action approved. The next run does it.",
    });
    expect((await stage.run(["sync"])).code).toBe(4);
    expect(stage.story.board.notifications.map(({ post }) => post)).toEqual(["p2"]);
  });

  it("can discard: both sides stay as they are", async () => {
    const stage = await openHeld();
    expect((await stage.run(["approve", "acme-app", "--discard", "--yes"])).code).toBe(0);
    expect((await stage.run(["sync"])).code).toBe(0);
    expect(stage.story.board.notifications).toEqual([]);
  });

  it.each([
    ["y", "2 actions approved", ["p1", "p2"]],
    ["", "Nothing was changed.", []],
  ])("asks on a terminal, and takes %j for an answer", async (answer, said, told) => {
    const stage = await openHeld();
    const asked: string[] = [];
    const ask = (question: string): Promise<string> => {
      asked.push(question);
      return Promise.resolve(answer);
    };
    expect((await stage.run(["approve", "acme-app"], { ask })).out).toContain(said);
    const voters = ["p1", "p2"].map((post) => Number(stage.story.board.post("acme-app", post)?.votes));
    expect(asked).toEqual([`Let these 2 actions go? ${sum(voters)} voters will be notified. [y/N] `]);
    await stage.run(["sync"]);
    expect(stage.story.board.notifications.map(({ post }) => post)).toEqual(told);
  });

  it("tells more than twenty alike in one line, and each of them with --full; so does the plan", async () => {
    const stage = await openStage();
    stage.writeConfig("boardsync.yaml", (config) => `${config}guard: { issues: 1 }\n`);
    const { board } = stage.story;
    for (let post = 0; post < 300; post += 1)
      board.addPost("acme-app", { title: `Wish ${post}`, status: "planned" });
    expect((await stage.run(["sync"])).code).toBe(4);
    const linesOf = ({ out }: { readonly out: string }): number => out.split("\n").length;
    const plan = await stage.run(["plan"]);
    const approval = await stage.run(["approve", "acme-app"], { ask: () => Promise.resolve("n") });
    expect(approval.out).toMatch(/ 3\d\d posts: “Dark mode” \(p1\), .* and 3\d\d more\n {4}opens an issue/);
    expect(linesOf(plan)).toBeLessThan(40);
    expect(linesOf(approval)).toBeLessThan(40);
    expect(linesOf(await stage.run(["plan", "--full"]))).toBeGreaterThan(300);
    const full = await stage.run(["approve", "acme-app", "--full"], { ask: () => Promise.resolve("n") });
    expect(linesOf(full)).toBeGreaterThan(300);
  });

  it("wants --yes where there is nobody to ask", async () => {
    const stage = await openHeld();
    const refused = await stage.run(["approve", "acme-app", "--json"]);
    expect(refused.code).toBe(2);
    expect(refused.json()).toMatchObject({ error: { code: "config" } });
    expect(refused.err).toContain("say `--yes`");
  });

  it("accepts the present size of a board that shrank", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    for (const post of ["p1", "p2", "p3", "p4"]) stage.story.board.removePost("acme-app", post);
    expect((await stage.run(["sync"])).code).toBe(4);
    expect((await stage.run(["approve", "acme-app", "--yes"])).out).toContain("board is accepted as it is");
    expect((await stage.run(["sync"])).code).toBe(0);
  });

  it.each([
    [["approve"], "missing required argument 'project'"],
    [["approve", "nope"], "The config has no project `nope`. It has: acme-app, acme-api."],
    [
      ["approve", "acme-app", "p9"],
      "Nothing of the post `p9` of acme-app is to approve. To approve are: p1, p2.",
    ],
    [["retry", "nope"], "No project of the config has a post `nope`."],
    [["release"], "missing required argument 'post'"],
    [
      ["pause", "p1", "acme-app"],
      "has a post `acme-app`. `boardsync status` lists what waits. `acme-app` is a project: name one by itself.",
    ],
    [["retry", "acme-app", "acme-api"], "`acme-api` is a project: name one by itself."],
  ])("%j is refused with what is wrong", async (args, message) => {
    const stage = await openHeld();
    const refused = await stage.run(args);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain(message);
  });

  it("has nothing to do where nothing is held", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    expect(await stage.run(["approve", "acme-app"])).toMatchObject({
      code: 0,
      out: "acme-app: Nothing is to approve.\n",
    });
    expect((await stage.run(["approve", "acme-app", "--quiet"])).out).toBe("");
  });

  it("says so before the first run", async () => {
    const stage = await openStage();
    const refused = await stage.run(["retry", "p1"]);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain("No run yet");
  });

  it("says what lets a person link or pause before anything is opened, and that does", async () => {
    const stage = await openStage();
    const { number } = stage.story.github.openIssue("acme/app", { title: "Is there", author: "maintainer" });
    const refused = await stage.run(["link", "p1", `acme/app#${number}`]);
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining("`boardsync sync --adopt` first"),
    ]);
    expect((await stage.run(["sync", "--adopt", "--project", "acme-app"])).code).toBe(0);
    expect((await stage.run(["pause", "acme-api"])).err).toContain(
      "never ran, so nothing of it waits. To link or pause before anything is written: `boardsync sync --adopt --project acme-api` first",
    );
    expect((await stage.run(["link", "p1", `acme/app#${number}`])).code).toBe(0);
    await stage.run(["sync", "--adopt"]);
    expect((await stage.run(["pause", "acme-api"])).code).toBe(0);
    expect(stage.story.github.issues("acme/app")).toHaveLength(1);
    expect(stage.story.github.issues("acme/api")).toEqual([]);
  });
});

describe("boardsync retry", () => {
  it("sends again what the board has refused", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    stage.story.board.failNext(
      { kind: "answer", status: 422, body: '{"error":"no such status"}' },
      { when: ({ method }) => method === "PATCH" },
    );
    stage.story.github.close("acme/app", 1, "completed");
    expect((await stage.run(["sync"])).code).toBe(1);
    expect((await stage.run(["sync"])).code).toBe(4);
    const retried = await stage.run(["retry", "acme-app/p1"]);
    expect(retried.code).toBe(0);
    expect(retried.out).toMatch(
      /^ {2}acme-app\/p1: .*no such status.*\nacme-app\/p1: the next run tries again what was refused/,
    );
    expect((await stage.run(["sync"])).code).toBe(0);
    expect(stage.story.board.post("acme-app", "p1")?.status).toBe("completed");
  });

  it("has nothing to do where nothing is parked", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    expect((await stage.run(["retry", "p1"])).out).toBe(
      "  acme-app/p1: Nothing of this post is to retry.\nacme-app/p1: Nothing is to retry.\n",
    );
    expect((await stage.run(["retry", "p1", "--json"])).json()).toEqual({
      project: "acme-app",
      post: "p1",
      requested: false,
      waits: null,
      message: "Nothing is to retry.",
    });
    expect((await stage.run(["retry", "p1", "--quiet"])).out).toBe("");
  });
});

describe("boardsync release", () => {
  it("ends the quarantine of a post that flapped", async () => {
    const stage = await openStage();
    stage.writeConfig("boardsync.yaml", (config) => `${config}guard: { flips: 0 }\n`);
    await stage.run(["sync"]);
    stage.story.github.close("acme/app", 1, "completed");
    expect((await stage.run(["sync"])).code).toBe(4);
    stage.writeConfig("boardsync.yaml", (config) => `${config}guard: { flips: 1 }\n`);
    const released = await stage.run(["release", "p1"]);
    expect(released.out).toContain("acme-app/p1: the next run ends the quarantine, and goes on.");
    expect((await stage.run(["sync"])).code).toBe(0);
    expect((await stage.run(["release", "p1"])).out).toContain("This post is not to release.");
  });
});

describe("boardsync backup", () => {
  it("copies the state, and refuses to write over a file", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    expect((await stage.run(["backup", "one.db"])).out).toBe(
      `The state is copied to ${stage.folder}/one.db.\n`,
    );
    expect((await stage.run(["backup", "two.db", "--json"])).json()).toEqual({
      file: `${stage.folder}/two.db`,
    });
    expect((await stage.run(["backup", "three.db", "--quiet"])).out).toBe("");
    const refused = await stage.run(["backup", "one.db"]);
    expect(refused.code).toBe(1);
    expect(refused.err).toContain("one.db");
    const env = { BOARDSYNC_STATE: "one.db" };
    expect((await stage.run(["status", "--json"], { env })).json()).toMatchObject({
      projects: [{ issues: 4 }, { issues: 2 }],
    });
  });
});
