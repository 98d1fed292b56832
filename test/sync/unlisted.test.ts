import { describe, expect, it } from "vitest";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import { readProjectState } from "../../src/sync/tell/project-state.ts";
import { addPlanned, openStage, type Stage } from "../support/stage.ts";

const project = "prj_app" as ProjectId;
const warning = "The board no longer lists linked posts";

/** Three linked posts, of which the board takes the first away. */
async function openWithout(): Promise<Stage> {
  const stage = await openStage();
  addPlanned(stage, [{ title: "Dark mode" }, {}, {}]);
  await stage.sync();
  stage.board.removePost("acme-app", "p1");
  return stage;
}

const warnings = (stage: Stage): readonly string[] => stage.log.filter((line) => line.includes(warning));

async function stateOf({ ledger, clock }: Stage): Promise<string> {
  return (await readProjectState(ledger, "acme-app", { now: clock.now() })).kind;
}

describe("a linked post that the board no longer lists", () => {
  it("is counted and named from the first list on, is no failure, and is warned of once", async () => {
    const stage = await openWithout();
    for (let run = 0; run < 3; run += 1) {
      expect(await stage.sync()).toMatchObject({
        result: "ok",
        projects: [{ missing: 1, missingPosts: [{ post: "p1", title: "Dark mode" }], failed: 0, errors: [] }],
      });
      expect(warnings(stage)).toHaveLength(1);
    }
    expect(warnings(stage)[0]).toContain('"posts":["p1"]');
    expect(await stateOf(stage)).toBe("differs");
    const [line, ...others] = await stage.ledger.rows.waiting(project, 10, ["missing"]);
    expect(others).toEqual([]);
    expect(line).toMatchObject({ post: "p1", kind: "missing", title: "Dark mode", issues: [{ number: 1 }] });
    expect((await stage.explain("p1")).next).toEqual([
      "The post was missing from two complete lists or more: nothing is written to it until it is listed again.",
    ]);
  });

  it("says of one list that it decides nothing yet, and keeps its time with the second", async () => {
    const stage = await openWithout();
    await stage.sync();
    const [first] = await stage.ledger.rows.waiting(project, 10, ["missing"]);
    await stage.sync();
    const [second] = await stage.ledger.rows.waiting(project, 10, ["missing"]);
    expect(first?.message).toContain("one list of the board lacks the post");
    expect(second?.message).toContain("the board no longer lists the post");
    expect(second?.since).toBe(first?.since);
  });

  it("is over when it is listed again, and begins anew when it goes once more", async () => {
    const stage = await openWithout();
    await stage.sync();
    await stage.sync();
    stage.board.restorePost("acme-app", "p1");
    expect(await stage.syncOne()).not.toHaveProperty("missing");
    expect(await stateOf(stage)).toBe("in-sync");
    stage.board.removePost("acme-app", "p1");
    const report = await stage.syncOne();
    expect(report).toMatchObject({ missing: 1 });
    expect(warnings(stage)).toHaveLength(2);
  });

  it("is over when its issue is taken from it", async () => {
    const stage = await openWithout();
    await stage.sync();
    const post = "p1" as PostId;
    const at = stage.clock.now();
    const repositoryId = Number(stage.ledger.memory.repository("acme/app")?.repository.id);
    await stage.ledger.commit([
      {
        kind: "add-request",
        request: { kind: "unlink", project, post, issues: [{ repositoryId, number: 1 }], at },
      },
    ]);
    const report = await stage.syncOne();
    expect(report).not.toHaveProperty("missing");
    expect(report).not.toHaveProperty("missingPosts");
  });

  it("counts when the board has answered that it does not know it, and is warned of by the next list", async () => {
    const stage = await openStage();
    addPlanned(stage, 3);
    await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    stage.atNextWrite("board", "before", () => stage.board.removePost("acme-app", "p1"));
    expect(await stage.syncOne()).toMatchObject({ missing: 1 });
    const [line] = await stage.ledger.rows.waiting(project, 10, ["missing"]);
    expect(line?.message).toContain("says that it does not know the post");
    expect(warnings(stage)).toHaveLength(0);
    await stage.sync();
    await stage.sync();
    expect(warnings(stage)).toHaveLength(1);
  });

  it("is none of those that were never linked, and a list that can't be trusted counts none", async () => {
    const stage = await openStage();
    addPlanned(stage, [{}, {}, {}, { status: "open" }]);
    await stage.sync();
    stage.board.removePost("acme-app", "p4");
    expect(await stage.syncOne()).not.toHaveProperty("missing");
    for (const post of ["p1", "p2"]) stage.board.removePost("acme-app", post);
    expect(await stage.syncOne()).not.toHaveProperty("missing");
    expect(warnings(stage)).toEqual([]);
  });

  it("is not warned of by a plan: the run that follows does", async () => {
    const stage = await openWithout();
    await stage.plan();
    expect(warnings(stage)).toEqual([]);
    await stage.sync();
    expect(warnings(stage)).toHaveLength(1);
  });

  it("is named among the first 20 of many", async () => {
    const stage = await openStage({ config: { guard: { issues: 100 } } });
    addPlanned(stage, 50);
    await stage.sync();
    await stage.sync();
    for (let post = 1; post <= 24; post += 1) stage.board.removePost("acme-app", `p${post}`);
    const report = await stage.syncOne();
    expect([report.missing, report.missingPosts?.length]).toEqual([24, 20]);
    expect(warnings(stage)[0]).toContain('"more":4');
  });
});
