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

describe("`roadmapOrder: byVotes`", () => {
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
