import { describe, expect, it } from "vitest";
import { addPlanned, minuteMs, openStage, type Stage, standardProject } from "../support/stage.ts";

const other = {
  ...standardProject,
  rules: [
    { when: { state: "closed" }, set: { status: "done", onRoadmap: true } },
    { when: { labels: ["in progress"] }, set: { status: "in_progress" } },
    { when: { state: "open" }, set: { status: "accepted" } },
  ],
};

/** Three posts: completed, in progress, and untouched since the issue was opened. */
async function openThree(): Promise<Stage> {
  const stage = await openStage();
  addPlanned(stage, 3);
  await stage.sync();
  stage.github.close("acme/app", 1, "completed");
  stage.github.label("acme/app", 2, "in progress");
  await stage.sync();
  await stage.sync();
  stage.mark();
  return stage;
}

function noted(stage: Stage): readonly string[] {
  const id = stage.ledger.memory.project("acme-app")?.id;
  if (id === undefined) return [];
  return stage.ledger.rows.waiting(id, 99).map(({ post, kind }) => `${post} ${kind}`);
}

describe("rules that change", () => {
  it("write nothing by themselves: posts that differ from what they ask are listed", async () => {
    const stage = await openThree();
    stage.reconfigure({ projects: [other] });
    for (let run = 0; run < 3; run += 1) expect(await stage.sync()).toMatchObject({ result: "ok" });
    expect(stage.writes()).toEqual([]);
    expect(noted(stage)).toEqual(["p1 disagreement", "p1 disagreement", "p3 disagreement"]);
    expect(stage.log.join()).toContain("The rules have changed");
    stage.mark();
    stage.github.label("acme/app", 3, "in progress");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1 });
    expect(stage.patches().map(({ path }) => path)).toEqual(["/feedback/p3"]);
  });

  it("lose no change that happens at the same time", async () => {
    const stage = await openThree();
    stage.github.close("acme/app", 2, "completed");
    stage.reconfigure({ projects: [other] });
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1 });
    expect(stage.patches().map(({ path, body }) => [path, body])).toEqual([
      ["/feedback/p2", { status: "done", onRoadmap: true }],
    ]);
  });

  it("lose no change that was read and not decided yet", async () => {
    const route = [{ category: "cat_api", repo: "acme/api" }];
    const stage = await openThree();
    stage.github.addRepository({ name: "acme/api", private: true });
    stage.reconfigure({ projects: [{ ...standardProject, route }] });
    await stage.sync();
    stage.github.close("acme/app", 2, "completed");
    const answer = { kind: "answer", status: 401, body: { message: "Bad credentials" } } as const;
    stage.github.failNext({ path: "/repos/acme/api/issues", answer });
    expect(await stage.syncOne()).toMatchObject({ failed: 1, postWrites: 0 });
    stage.reconfigure({ projects: [{ ...other, route }] });
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1 });
    expect(stage.board.post("acme-app", "p2")?.status).toBe("done");
  });

  it("lose no change that waits from before", async () => {
    const stage = await openThree();
    stage.reconfigure({ config: { settle: "10m" } });
    stage.github.close("acme/app", 3, "completed");
    await stage.sync();
    stage.reconfigure({ projects: [other] });
    await stage.sync();
    stage.clock.skip(11 * minuteMs);
    await stage.sync();
    expect(stage.board.post("acme-app", "p3")?.status).toBe("done");
    expect(stage.board.post("acme-app", "p1")?.status).toBe("completed");
  });

  it("don't touch a post whose write has just been made", async () => {
    const stage = await openThree();
    stage.github.close("acme/app", 3, "completed");
    await stage.sync();
    stage.mark();
    stage.reconfigure({ projects: [other] });
    for (let run = 0; run < 3; run += 1) await stage.sync();
    expect(stage.writes()).toEqual([]);
  });

  it("still put back what was there before our write, once no rule matches any more", async () => {
    const stage = await openThree();
    stage.reconfigure({ projects: [{ ...standardProject, several: "any" }] });
    await stage.sync();
    stage.github.reopen("acme/app", 1);
    await stage.sync();
    expect(stage.patches().map(({ body }) => body)).toEqual([{ status: "planned" }]);
  });

  it("are no other rules when only another setting changes", async () => {
    const stage = await openThree();
    stage.reconfigure({ projects: [{ ...standardProject, content: "once" }] });
    await stage.sync();
    expect(stage.writes()).toEqual([]);
    expect(stage.log.join()).not.toContain("The rules have changed");
  });
});
