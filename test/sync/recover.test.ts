import { describe, expect, it } from "vitest";
import { addPlanned, minuteMs, openStage, type Stage } from "../support/stage.ts";

/** Two pairs in step, and a backup of them; then #1 is closed, and a third post gets its issue. */
async function openOld(): Promise<Stage> {
  const stage = await openStage();
  addPlanned(stage, 2);
  await stage.sync();
  await stage.sync();
  await stage.backUp();
  stage.github.close("acme/app", 1, "completed");
  addPlanned(stage, 1);
  await stage.sync();
  await stage.sync();
  expect(stage.board.notifications).toHaveLength(1);
  stage.putBack();
  stage.mark();
  return stage;
}

describe("a backup that was put back", () => {
  it("repeats no notification and opens no issue twice", async () => {
    const stage = await openOld();
    expect(await stage.sync()).toMatchObject({
      result: "ok",
      projects: [{ adopted: 1, postWrites: 0, created: 0 }],
    });
    for (let run = 0; run < 3; run += 1) await stage.sync();
    expect(stage.writes()).toEqual([]);
    expect(stage.board.notifications).toHaveLength(1);
    expect(stage.github.issues("acme/app")).toHaveLength(3);
    expect(stage.log.join("\n")).toContain("a copy that was put back");
  });

  it("writes nothing for what changed while it was away, and everything that changes from then on", async () => {
    const stage = await openOld();
    stage.github.close("acme/app", 2, "completed");
    await stage.sync();
    await stage.sync();
    expect(stage.writes()).toEqual([]);
    stage.github.reopen("acme/app", 2);
    stage.github.label("acme/app", 2, "in progress");
    await stage.sync();
    expect(stage.board.notifications.at(-1)).toMatchObject({ post: "p2", to: "in_progress" });
  });

  it("lets new issues wait as long as a request of the life in between may take", async () => {
    const stage = await openOld();
    addPlanned(stage, 1);
    expect(await stage.sync()).toMatchObject({ projects: [{ created: 0, waiting: 1 }] });
    stage.clock.skip(15 * minuteMs);
    expect(await stage.sync()).toMatchObject({ projects: [{ created: 1, waiting: 0 }] });
  });

  it("is taken as it is only once", async () => {
    const stage = await openOld();
    await stage.sync();
    stage.restart();
    stage.github.reopen("acme/app", 1);
    stage.github.label("acme/app", 1, "in progress");
    expect(await stage.sync()).toMatchObject({ projects: [{ statusWrites: 1 }] });
  });

  it("forgets what people had asked of it", async () => {
    const stage = await openStage({ config: { guard: { statuses: 0 } } });
    addPlanned(stage, 1);
    await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    await stage.sync();
    const project = stage.ledger.memory.project("acme-app")?.id;
    if (project === undefined) throw new Error("the project has run");
    const actions = stage.ledger.rows.held(project);
    stage.ledger.requests.add({ kind: "approve", actions, isWhole: true, project, at: stage.clock.now() });
    await stage.backUp();
    stage.putBack();
    stage.mark();
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ statusWrites: 0, held: 0 }] });
    expect(stage.ledger.requests.pending(project)).toEqual([]);
  });
});
