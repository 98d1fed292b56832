import { describe, expect, it } from "vitest";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import { addPlanned, minuteMs, openStage, type Stage, standardProject } from "../support/stage.ts";

const project = "prj_app" as ProjectId;

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

async function approve(stage: Stage, ...posts: readonly string[]): Promise<void> {
  const held = await stage.ledger.rows.held(project);
  const actions = posts.length === 0 ? held : held.filter(({ post }) => posts.includes(post));
  const at = stage.clock.now();
  await stage.ledger.commit([
    { kind: "add-request", request: { kind: "approve", actions, isWhole: posts.length === 0, project, at } },
  ]);
}

async function noted(stage: Stage): Promise<readonly string[]> {
  const id = stage.ledger.memory.project("acme-app")?.id;
  if (id === undefined) return [];
  return (await stage.ledger.rows.waiting(id, 99)).map(({ post, kind }) => `${post} ${kind}`);
}

describe("rules that change", () => {
  it("write nothing by themselves: what they alone would change is held", async () => {
    const stage = await openThree();
    stage.reconfigure({ projects: [other] });
    for (let run = 0; run < 3; run += 1) {
      expect(await stage.sync()).toMatchObject({ result: "held", projects: [{ held: 2 }] });
    }
    expect(stage.writes()).toEqual([]);
    expect(await noted(stage)).toEqual(["p1 held", "p3 held"]);
    expect(stage.log.join()).toContain("The rules have changed");
    stage.mark();
    stage.github.label("acme/app", 3, "in progress");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1, held: 1 });
    expect(stage.patches().map(({ path }) => path)).toEqual(["/feedback/p3"]);
  });

  it("say of each post what they asked for before and what they ask for now", async () => {
    const stage = await openThree();
    stage.reconfigure({ projects: [other] });
    const lines = await stage.plan();
    expect(lines.map(({ post, fields, notifies }) => [post, fields, notifies])).toEqual([
      ["p1", { status: "done", onRoadmap: true }, 3],
      ["p3", { status: "accepted" }, 3],
    ]);
    expect(lines[1]?.held).toBe(
      "the rules have changed: they asked for nothing, and now status would become `accepted`: `boardsync approve` lets it go, `--discard` leaves both sides as they are",
    );
  });

  it("are followed once a person has let them, each post once", async () => {
    const stage = await openThree();
    stage.reconfigure({ projects: [other] });
    await stage.sync();
    await approve(stage);
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ statusWrites: 2, held: 0 }] });
    expect(stage.patches().map(({ path, body }) => [path, body])).toEqual([
      ["/feedback/p1", { status: "done", onRoadmap: true }],
      ["/feedback/p3", { status: "accepted" }],
    ]);
    stage.mark();
    for (let run = 0; run < 3; run += 1) expect(await stage.sync()).toMatchObject({ result: "ok" });
    expect(stage.writes()).toEqual([]);
  });

  it("are followed for some posts, and given up for others", async () => {
    const stage = await openThree();
    stage.reconfigure({ projects: [other] });
    await stage.sync();
    await approve(stage, "p3");
    await stage.ledger.commit([
      {
        kind: "add-request",
        request: { kind: "discard", posts: ["p1" as PostId], project, at: stage.clock.now() },
      },
    ]);
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ statusWrites: 1, held: 0 }] });
    await stage.sync();
    expect(stage.patches().map(({ path }) => path)).toEqual(["/feedback/p3"]);
    expect(await noted(stage)).toEqual(["p1 disagreement", "p1 disagreement"]);
  });

  it("hold nothing any more that a person has decided on the board", async () => {
    const stage = await openThree();
    stage.reconfigure({ projects: [other] });
    await stage.sync();
    stage.board.editPost("acme-app", "p1", { status: "shipped" });
    stage.board.editPost("acme-app", "p3", { status: "accepted" });
    expect(await stage.syncOne()).toMatchObject({ held: 1 });
    expect((await noted(stage)).toSorted()).toEqual(["p1 disagreement", "p1 held"]);
    expect(stage.writes()).toEqual([]);
  });

  it("hold nothing any more once they are as they were", async () => {
    const stage = await openThree();
    stage.reconfigure({ projects: [other] });
    await stage.sync();
    stage.reconfigure({ projects: [standardProject] });
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ held: 0 }] });
    expect(stage.writes()).toEqual([]);
  });

  it("fill no guard: a change of an issue still goes", async () => {
    const stage = await openThree();
    stage.reconfigure({ config: { guard: { statuses: 3 } }, projects: [other] });
    stage.github.close("acme/app", 2, "completed");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1, held: 2 });
  });

  it("are no reason to repeat a write whose answer was lost under the rules before", async () => {
    const stage = await openThree();
    stage.github.close("acme/app", 3, "completed");
    stage.board.failNext({ kind: "reset", applied: true }, { when: ({ method }) => method === "PATCH" });
    expect(await stage.syncOne()).toMatchObject({ failed: 1 });
    stage.reconfigure({ projects: [other] });
    stage.mark();
    stage.clock.skip(5 * minuteMs);
    for (let run = 0; run < 3; run += 1) await stage.sync();
    expect(stage.board.post("acme-app", "p3")?.status).toBe("completed");
    expect(stage.writes()).toEqual([]);
  });

  it("that take a field away and give it back hold what they ask for then", async () => {
    const stage = await openThree();
    const columnOnly = {
      ...standardProject,
      rules: [{ when: { state: "closed" }, set: { roadmapColumn: "COMPLETED" } }],
    };
    stage.reconfigure({ projects: [columnOnly] });
    await stage.sync();
    stage.reconfigure({ projects: [other] });
    expect(await stage.sync()).toMatchObject({ result: "held" });
    expect(stage.writes()).toEqual([]);
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

  it("are laid over the bases also where the config calls the project by another name", async () => {
    const stage = await openThree();
    stage.reconfigure({ projects: [{ ...other, project: "prj_app" }] });
    for (let run = 0; run < 2; run += 1) await stage.sync();
    stage.reconfigure({ projects: [standardProject] });
    for (let run = 0; run < 2; run += 1) await stage.sync();
    expect(stage.patches()).toEqual([]);
    expect(stage.log.filter((line) => line.includes("The rules have changed"))).toHaveLength(2);
  });
});
