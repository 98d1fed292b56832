import { describe, expect, it } from "vitest";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import { openPosts } from "../support/setups.ts";
import { addPlanned, type ConfigPart, openStage, type Stage, standardProject } from "../support/stage.ts";

const project = "prj_app" as ProjectId;
const repo = "acme/app";
const config = { board: { concurrency: 1 } };

interface Change {
  readonly name: string;
  readonly projects?: readonly ConfigPart[];
  readonly config?: ConfigPart;
}

/** What SIGHUP may bring in the middle of a run. */
const changes: readonly Change[] = [
  { name: "writes: none", projects: [{ ...standardProject, writes: "none" }] },
  { name: "writes: issues", projects: [{ ...standardProject, writes: "issues" }] },
  { name: "another repository", projects: [{ ...standardProject, repo: "acme/other" }] },
  {
    name: "other rules",
    projects: [{ ...standardProject, rules: [{ when: { state: "closed" }, set: { status: "closed" } }] }],
  },
  { name: "the end of the project", projects: [{ ...standardProject, project: "acme-other" }] },
  { name: "another board", config: { board: { concurrency: 1, url: "http://127.0.0.1:9/api/v1" } } },
  { name: "anything else", config: { board: { concurrency: 1 }, keep: "30d" } },
];

const back = { projects: [standardProject], config };

/** Six posts with an issue each. Every issue was closed; every title is another one; two posts are new. */
async function openBusy(): Promise<Stage> {
  const stage = await openPosts(6, { config });
  for (let number = 1; number <= 6; number += 1) stage.github.close(repo, number, "completed");
  for (let number = 1; number <= 6; number += 1)
    stage.board.editPost("acme-app", `p${number}`, { title: `Another title ${number}` });
  addPlanned(stage, 2);
  stage.mark();
  return stage;
}

describe("a config that is read anew in the middle of a run", () => {
  it.each(changes)(
    "($name) stops what has not left yet, and says so; later all of it goes, once",
    async (change) => {
      const stage = await openBusy();
      stage.atNextWrite("board", "after", () => stage.reconfigure(change));
      const report = await stage.syncOne();
      expect(report).toMatchObject({ statusWrites: 1, failed: 0, parked: 0, result: "ok" });
      expect(report.putOff).toEqual([
        {
          code: "config.changed",
          message: expect.stringMatching(
            /^another config was read at 2026-.*, and the next run goes by that$/,
          ),
        },
      ]);
      expect(stage.patches()).toHaveLength(1);
      expect(stage.writes()).toHaveLength(1);
      expect(report.waiting).toBe(8);
      stage.reconfigure(back);
      await stage.sync();
      await stage.sync();
      expect(stage.board.notifications.map(({ post }) => post)).toEqual(["p1", "p2", "p3", "p4", "p5", "p6"]);
      expect(stage.github.issues(repo)).toHaveLength(8);
      expect(await stage.ledger.journal.open(project)).toEqual([]);
      stage.mark();
      expect(await stage.syncOne()).toMatchObject({ waiting: 0, parked: 0, failed: 0 });
      expect(stage.writes()).toEqual([]);
    },
  );

  it.each(changes)("($name) stops new issues, or the PATCHes that follow them", async (change) => {
    const open = [{ when: { state: "open" }, set: { status: "in_progress" } }];
    const ruled = { ...standardProject, rules: open };
    const stage = await openStage({ config, projects: [ruled] });
    addPlanned(stage, 3);
    const projects = change.projects?.map((part) =>
      change.name === "other rules" ? part : { ...part, rules: open },
    );
    stage.atNextWrite("tracker", "after", () =>
      stage.reconfigure({ ...change, ...(projects && { projects }) }),
    );
    const report = await stage.syncOne();
    expect(report).toMatchObject({
      created: 1,
      postWrites: 0,
      failed: 0,
      parked: 0,
    });
    stage.reconfigure({ ...back, projects: [ruled] });
    await stage.sync();
    await stage.sync();
    expect(stage.board.notifications.map(({ post }) => post)).toEqual(["p1", "p2", "p3"]);
    expect(stage.github.issues(repo)).toHaveLength(3);
  });

  it("stops the very request that is about to leave, and the state knows that it did not", async () => {
    const stage = await openBusy();
    stage.bend((world) => ({
      ...world,
      ledger: Object.assign(Object.create(world.ledger), {
        assertHeld: async () => {
          stage.reconfigure({ projects: [{ ...standardProject, writes: "none" }] });
          await world.ledger.assertHeld();
        },
      }),
    }));
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 0, waiting: 8, parked: 0 });
    expect(stage.writes()).toEqual([]);
    expect(await stage.ledger.journal.open(project)).toMatchObject([{ state: "PREPARED", attempts: 0 }]);
  });

  it("stops an undo and a saved plan as well", async () => {
    const stage = await openBusy();
    const plan = await stage.savePlan();
    const none = { projects: [{ ...standardProject, writes: "none" }] };
    stage.atNextWrite("board", "after", () => stage.reconfigure(none));
    const { report, carried } = await stage.run({ kind: "apply", plan });
    expect(report.projects).toMatchObject([{ statusWrites: 1 }]);
    expect(carried.get("acme-app")?.map(({ outcome }) => outcome)).toContain("waiting");
    stage.reconfigure(back);
    const agreed = await stage.lookAtUndo(report.run);
    stage.atNextWrite("board", "before", () => stage.reconfigure(none));
    stage.mark();
    await stage.run({ kind: "undo", run: report.run, agreed });
    expect(stage.patches().length).toBeLessThanOrEqual(1);
  });
});

describe("a pause of all posts of a project in the middle of a run", () => {
  it("stops all that has not left yet", async () => {
    const stage = await openBusy();
    stage.atNextWrite("board", "after", async () => {
      const at = stage.clock.now();
      const posts = [
        "p1",
        "p2",
        "p3",
        "p4",
        "p5",
        "p6",
        "p7",
        "p8",
      ] as readonly string[] as readonly PostId[];
      await stage.ledger.commit(posts.map((post) => ({ kind: "pause", project, post, at })));
    });
    await stage.sync();
    expect(stage.writes()).toEqual(["PATCH /feedback/p1"]);
  });
});
