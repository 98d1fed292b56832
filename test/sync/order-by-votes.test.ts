import { describe, expect, it } from "vitest";
import { hourMs } from "../../src/model/time.ts";
import { addPlanned, openStage, type Stage, standardProject } from "../support/stage.ts";

const rules = [
  { when: { state: "closed" }, set: { status: "completed" } },
  { when: { state: "open" }, set: { status: "planned", roadmapColumn: "PLANNED", roadmapOrder: "byVotes" } },
];

/** The column as the board shows it. */
function column({ board }: Stage): readonly string[] {
  return board
    .posts("acme-app")
    .toSorted((one, other) => Number(one.roadmapOrder) - Number(other.roadmapOrder))
    .map(({ id }) => id);
}

/** A board that numbers a column anew, from 0 on. */
function renumber(stage: Stage): void {
  for (const [place, id] of column(stage).entries())
    stage.board.editPost("acme-app", id, { roadmapOrder: place });
}

describe("`roadmapOrder: byVotes`", () => {
  it("pauses no post where the board numbers its column anew, for our PATCH or a person's", async () => {
    const stage = await openStage({ projects: [{ ...standardProject, rules, conflict: "pause" }] });
    addPlanned(stage, [{ votes: 3 }, { votes: 40 }, { votes: 12 }]);
    for (let run = 0; run < 4; run += 1) {
      await stage.sync();
      renumber(stage);
    }
    stage.board.editPost("acme-app", "p1", { votes: 99 });
    stage.clock.skip(7 * hourMs);
    for (let run = 0; run < 3; run += 1) {
      await stage.sync();
      renumber(stage);
    }
    expect(column(stage)[0]).toBe("p1");
    for (const number of [1, 2, 3]) stage.github.close("acme/app", number, "completed");
    for (let run = 0; run < 2; run += 1) await stage.sync();
    expect(stage.board.notifications).toHaveLength(3);
  });

  it("that the board refuses keeps no other place from being written", async () => {
    const fixed = { when: { state: "closed" }, set: { roadmapOrder: 7 } };
    const byVotes = { when: { state: "open" }, set: { roadmapOrder: "byVotes" } };
    const stage = await openStage({ projects: [{ ...standardProject, rules: [fixed, byVotes] }] });
    addPlanned(stage, [{ votes: 30 }]);
    const when = ({ method, body }: { readonly method: string; readonly body: unknown }): boolean =>
      method === "PATCH" && Number(Object(body).roadmapOrder) < 0;
    stage.board.failNext(
      { kind: "answer", status: 422, body: { error: "Not below 0" } },
      { times: 1000, when },
    );
    for (let run = 0; run < 3; run += 1) await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    for (let run = 0; run < 2; run += 1) await stage.sync();
    expect(stage.board.post("acme-app", "p1")?.roadmapOrder).toBe(7);
  });

  it("that the board refuses is not sent again with every vote", async () => {
    const stage = await openStage({ projects: [{ ...standardProject, rules }] });
    addPlanned(stage, [{ votes: 30 }]);
    const isOrder = ({ method, body }: { readonly method: string; readonly body: unknown }): boolean =>
      method === "PATCH" && Object.hasOwn(Object(body), "roadmapOrder");
    const body = { error: { message: "roadmapOrder must be 0 or more" } };
    stage.board.failNext({ kind: "answer", status: 422, body }, { times: 1000, when: isOrder });
    for (let run = 0; run < 4; run += 1) await stage.sync();
    stage.mark();
    for (let run = 0; run < 5; run += 1) {
      stage.board.editPost("acme-app", "p1", { votes: 31 + run });
      expect(await stage.syncOne()).toMatchObject({ parked: 1, failed: 0 });
    }
    expect(stage.patches()).toEqual([]);
  });

  it("keeps the column by votes, with no mail and no PATCH in between", async () => {
    const stage = await openStage({ projects: [{ ...standardProject, rules }] });
    addPlanned(stage, [{ votes: 3 }, { votes: 40 }, { votes: 12 }]);
    for (let run = 0; run < 4; run += 1) await stage.sync();
    expect(column(stage)).toEqual(["p2", "p3", "p1"]);
    stage.mark();
    stage.board.editPost("acme-app", "p1", { votes: 99 });
    await stage.sync();
    expect(stage.writes().filter((write) => write.includes("roadmapOrder"))).toEqual([]);
    expect(column(stage)).toEqual(["p2", "p3", "p1"]);
    stage.clock.skip(6 * hourMs);
    await stage.sync();
    expect(column(stage)).toEqual(["p1", "p2", "p3"]);
    expect(stage.board.notifications).toEqual([]);
    stage.mark();
    await stage.sync();
    await stage.sync();
    expect(stage.writes()).toEqual([]);
    expect((await stage.explain("p1")).fields).toMatchObject([
      { field: "status" },
      { field: "roadmapColumn" },
      { field: "roadmapOrder", asks: { value: -99 }, shows: -99, agreed: { asks: { value: -99 } } },
    ]);
  });
});
