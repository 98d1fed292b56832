import { describe, expect, it } from "vitest";
import type { ProjectId } from "../../src/model/post.ts";
import { addPlanned, openStage, type Stage, type StageOptions } from "../support/stage.ts";

const project = "prj_app" as ProjectId;
const repo = "acme/app";

async function pause({ ledger, clock }: Stage, id: ProjectId | "all" = project): Promise<void> {
  await ledger.commit([{ kind: "pause-whole", project: id === "all" ? undefined : id, at: clock.now() }]);
}

async function resume({ ledger, clock }: Stage, isDiscard = false): Promise<void> {
  const request = { kind: "resume-project", isDiscard, project, at: clock.now() } as const;
  await ledger.commit([{ kind: "add-request", request }]);
}

/** Posts with their issues, in step. */
async function openPairs(count = 2, options: StageOptions = {}): Promise<Stage> {
  const stage = await openStage(options);
  addPlanned(stage, count);
  await stage.sync();
  await stage.sync();
  stage.mark();
  return stage;
}

const statusOf = ({ board }: Stage, post: string) => board.post("acme-app", post)?.status;
const isPatch = ({ method }: { readonly method: string }): boolean => method === "PATCH";

describe.each([
  ["a paused project", project, "a person has paused the project"],
  ["a pause of all projects", "all", "a person has paused all projects"],
] as const)("%s", (_, id, words) => {
  it("writes nothing to either side, and fails nothing", async () => {
    const stage = await openPairs();
    await pause(stage, id);
    stage.github.close(repo, 1, "completed");
    addPlanned(stage, 1);
    expect(await stage.sync()).toMatchObject({
      result: "ok",
      projects: [{ held: 0, waiting: 0, postWrites: 0, created: 0 }],
    });
    expect(stage.writes()).toEqual([]);
    expect(await stage.plan()).toContainEqual(
      expect.objectContaining({
        post: "p1",
        when: "held",
        letGoBy: "resume",
        held: expect.stringContaining(words),
      }),
    );
    const { waits } = await stage.explain("p1");
    expect(waits).toMatchObject([
      { kind: "paused", command: `boardsync resume ${id === "all" ? "--all" : "acme-app"}` },
    ]);
  });

  it("that comes in the middle of a run lets not one write more leave", async () => {
    const stage = await openPairs(3, { config: { board: { concurrency: 1 } } });
    for (const number of [1, 2, 3]) stage.github.close(repo, number, "completed");
    addPlanned(stage, 1);
    stage.atNextWrite("board", "before", () => pause(stage, id));
    expect(await stage.sync()).toMatchObject({
      result: "ok",
      projects: [{ statusWrites: 1, created: 0 }],
    });
    expect(stage.board.notifications.map(({ post }) => post)).toEqual(["p1"]);
    expect(stage.writes()).toHaveLength(1);
    const waits = await stage.ledger.rows.waiting(project, 9);
    expect(waits.map(({ post, kind }) => `${post} ${kind}`)).toEqual(["p2 paused", "p3 paused", "p4 paused"]);
    expect((await stage.ledger.journal.open(project)).filter(({ state }) => state !== "PREPARED")).toEqual(
      [],
    );
  });
});

describe("a paused project", () => {
  it("keeps what was held before as held, and lets none of it go for an approval", async () => {
    const stage = await openPairs(2, { config: { guard: { statuses: 0 } } });
    for (const number of [1, 2]) stage.github.close(repo, number, "completed");
    expect(await stage.sync()).toMatchObject({ result: "held" });
    await pause(stage);
    const actions = await stage.ledger.rows.held(project);
    const at = stage.clock.now();
    await stage.ledger.commit([
      { kind: "add-request", request: { kind: "approve", actions, isWhole: true, project, at } },
    ]);
    expect(await stage.sync()).toMatchObject({ projects: [{ held: 2, statusWrites: 0 }] });
    await resume(stage);
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ statusWrites: 2 }] });
  });

  it("says of what settles that it is paused, and tells it after its end", async () => {
    const stage = await openPairs(1, { config: { settle: "10m" } });
    stage.github.close(repo, 1, "completed");
    await stage.sync();
    await pause(stage);
    await stage.sync();
    expect(await stage.ledger.rows.waiting(project, 9)).toMatchObject([
      { kind: "paused", cause: "project-paused", planned: { notifies: 3 } },
      { kind: "paused", cause: "project-paused", planned: { notifies: 0 } },
    ]);
    await resume(stage);
    stage.clock.skip(11 * 60_000);
    await stage.sync();
    await stage.sync();
    expect(statusOf(stage, "p1")).toBe("completed");
  });

  it("is not undone, and no saved plan is applied to it", async () => {
    const stage = await openPairs();
    stage.github.close(repo, 1, "completed");
    const plan = await stage.savePlan();
    const { run } = await stage.sync();
    await pause(stage);
    stage.mark();
    await stage.run({ kind: "apply", plan });
    await stage.run({ kind: "undo", run, agreed: await stage.lookAtUndo(run) });
    expect(stage.writes()).toEqual([]);
  });

  it("tells at its end what has come together", async () => {
    const stage = await openPairs();
    await pause(stage);
    stage.github.close(repo, 1, "completed");
    await stage.sync();
    await resume(stage);
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ statusWrites: 1 }] });
    expect(await stage.ledger.rows.waiting(project, 9)).toEqual([]);
  });

  it("takes at its end both sides as they are where that is asked for, but for what is in doubt", async () => {
    const stage = await openPairs(2, { config: { waits: { patch: "10m" } } });
    const board = { kind: "answer", status: 502, applied: true } as const;
    stage.github.close(repo, 1, "completed");
    stage.board.failNext(board, { when: isPatch });
    await stage.sync();
    await pause(stage);
    stage.github.close(repo, 2, "completed");
    addPlanned(stage, 1);
    await stage.sync();
    await resume(stage, true);
    stage.mark();
    await stage.sync();
    expect(await stage.ledger.rows.wholePauses(project)).toEqual([]);
    expect(await stage.ledger.rows.waiting(project, 9)).toMatchObject([
      { post: "p1", kind: "intent" },
      { post: "p1", kind: "paused" },
      { post: "p2", kind: "disagreement" },
      { post: "p2", kind: "disagreement" },
    ]);
    stage.clock.skip(20 * 60_000);
    await stage.sync();
    await stage.sync();
    await stage.sync();
    expect(stage.writes()).toEqual([]);
    expect(stage.board.notifications.map(({ post }) => post)).toEqual(["p1"]);
    expect(await stage.ledger.requests.pending(project)).toEqual([]);
    stage.github.reopen(repo, 2);
    stage.github.close(repo, 2, "not_planned");
    await stage.sync();
    expect(statusOf(stage, "p2")).toBe("closed");
  });
});
