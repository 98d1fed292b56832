/** @module-tag long */
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { acquireState } from "../../../src/ledger/sqlite/lock.ts";
import { openStage, type Stage } from "../stage.ts";

/** A story in step, with run 1 that has opened its issues and run 2 that has told p1's voters that it is done. */
async function openTold(): Promise<Stage> {
  const stage = await openStage();
  await stage.run(["sync"]);
  stage.story.github.close("acme/app", 1, "completed");
  expect((await stage.run(["sync"])).code).toBe(0);
  expect(stage.story.board.notifications).toHaveLength(1);
  return stage;
}

const statusOf = ({ story }: Stage, post: string) => story.board.post("acme-app", post)?.status;

describe("boardsync undo", () => {
  it.each([
    ["y", "1 undone", "planned"],
    ["", "Nothing was changed.", "completed"],
  ])(
    "shows what it would do and who would hear of it, asks, and takes %j for an answer",
    async (answer, said, left) => {
      const stage = await openTold();
      const asked: string[] = [];
      const undone = await stage.run(["undo", "2"], {
        ask: (question) => {
          asked.push(question);
          return Promise.resolve(answer);
        },
      });
      expect(undone.code).toBe(0);
      expect(asked).toEqual(["Undo this, 1 write? 128 voters will be notified. [y/N] "]);
      expect(undone.out).toContain(
        "status: completed → planned, roadmapColumn: COMPLETED → PLANNED; 128 voters to notify",
      );
      expect(undone.out).toContain("1 write to undo; 128 voters to notify");
      expect(undone.out).toContain(said);
      expect(statusOf(stage, "p1")).toBe(left);
    },
  );

  it("tells a script what became of each write, and the rules leave it so", async () => {
    const stage = await openTold();
    const undone = await stage.run(["undo", "2", "--yes", "--json"]);
    expect(undone.code).toBe(0);
    expect(undone.json()).toMatchObject({
      run: 3,
      undone: 2,
      result: "ok",
      projects: [{ project: "acme-app", actions: [{ post: "p1", kind: "patch-post", outcome: "done" }] }],
    });
    await stage.run(["sync"]);
    expect(statusOf(stage, "p1")).toBe("planned");
    const again = await stage.run(["undo", "2", "--yes", "--json"]);
    expect(again.code).toBe(0);
    expect(again.json()).toMatchObject({ run: null, projects: [{ actions: [{ outcome: "already" }] }] });
  });

  it("closes the issues that a run has opened, in every project", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    const undone = await stage.run(["undo", "1", "--yes"]);
    expect(undone.code).toBe(0);
    const { github } = stage.story;
    const states = ["acme/app", "acme/api"].flatMap((name) => github.issues(name).map(({ state }) => state));
    expect(states.every((state) => state === "closed")).toBe(true);
    expect(stage.story.board.notifications).toEqual([]);
  });

  it("names what it leaves, with the reason, and exits 1", async () => {
    const stage = await openTold();
    stage.story.board.editPost("acme-app", "p1", { status: "open" });
    const undone = await stage.run(["undo", "2", "--yes"]);
    expect(undone.code).toBe(1);
    expect(undone.out).toContain("[undo.refused]");
    expect(undone.out).toContain("it shows `open` by now");
    expect(statusOf(stage, "p1")).toBe("open");
  });

  it("wants --yes where there is nobody to ask", async () => {
    const stage = await openTold();
    const refused = await stage.run(["undo", "2", "--json"]);
    expect(refused.code).toBe(2);
    expect(refused.json()).toMatchObject({ error: { code: "config" } });
    expect(statusOf(stage, "p1")).toBe("completed");
  });

  it.each([
    ["9", "There is no run 9: the last one is 2."],
    ["two", "`two` is no run"],
    ["0", "`0` is no run"],
    ["1e0", "`1e0` is no run"],
  ])("says of %j that there is no such run", async (name, said) => {
    const stage = await openTold();
    const refused = await stage.run(["undo", name]);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain(said);
  });

  it("says of a run that wrote nothing that there is nothing to undo", async () => {
    const stage = await openTold();
    await stage.run(["sync"]);
    expect(await stage.run(["undo", "3"])).toMatchObject({
      code: 0,
      out: "Undo of run 3: It has written nothing that this state still knows of.\n",
    });
    expect((await stage.run(["undo", "3", "--json"])).json()).toMatchObject({ run: null, projects: [] });
  });

  it("refuses a run of a project that the config does not name any more", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    stage.writeConfig("boardsync.yaml", (config) => config.replace("project: acme-api", "project: prj_api"));
    const refused = await stage.run(["undo", "1", "--yes"]);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain("does not name any more");
  });

  it("writes nothing where another process holds the state", async () => {
    const stage = await openTold();
    const lock = acquireState(join(stage.folder, "state.db"), "daemon", { now: 0, version: "1.2.3" });
    onTestFinished(() => lock.release());
    expect((await stage.run(["undo", "2", "--yes", "--json"])).code).toBe(5);
  });

  it("does nothing where a side can't be reached", async () => {
    const stage = await openTold();
    const undone = await stage.run(["undo", "2", "--yes", "--json"], {
      env: { BOARD_API_KEY: "another-key-0123456789" },
    });
    expect(undone.code).toBe(3);
    expect(undone.json()).toMatchObject({ run: null, error: { code: "board.unauthorized" } });
  });
});

it("says that nobody is notified where nobody is", async () => {
  const stage = await openStage();
  await stage.run(["sync"]);
  const asked: string[] = [];
  const ask = (question: string): Promise<string> => {
    asked.push(question);
    return Promise.resolve("n");
  };
  await stage.run(["undo", "1"], { ask });
  expect(asked).toEqual(["Undo this, 6 writes? No voter will be notified. [y/N] "]);
});
