import { describe, expect, it } from "vitest";
import { votersWhoHeard } from "../../src/ledger/journal.ts";
import { describeHeard, readNotified } from "../../src/sync/tell/notified.ts";
import { hourMs, minuteMs, openStage, type Stage, standardProject } from "../support/stage.ts";

const rules = [{ when: { state: "closed" }, set: { status: "completed" } }];
const isPatch = { when: ({ method }: { readonly method: string }) => method === "PATCH" };

/** Posts that are planned, with these votes; the issue of each has just been closed. */
async function openClosed(...votes: readonly (number | undefined)[]): Promise<Stage> {
  const stage = await openStage({ projects: [{ ...standardProject, rules }] });
  for (const count of votes)
    stage.board.addPost("acme-app", { status: "planned", ...(count !== undefined && { votes: count }) });
  await stage.sync();
  for (const [index] of votes.entries()) stage.github.close("acme/app", index + 1, "completed");
  return stage;
}

/** Each write to the board, the oldest first: what came of it, and how many heard. */
async function heard({ ledger }: Stage): Promise<readonly (readonly [string, number | null])[]> {
  const id = ledger.memory.project("acme-app")?.id;
  if (id === undefined) throw new Error("There was no run.");
  const lines = await ledger.journal.history(id, undefined, 50);
  return lines
    .filter(({ side }) => side === "board")
    .map((line) => [line.outcome, votersWhoHeard(line)] as const)
    .toReversed();
}

async function heardLately({ ledger, clock }: Stage): Promise<string> {
  const id = ledger.memory.project("acme-app")?.id;
  const found = id && (await readNotified(ledger, id, clock.now()));
  return found === undefined ? "nobody" : describeHeard(found);
}

describe("who heard of a write", () => {
  it("stands in the history, the report and the log, by their number when it was written", async () => {
    const stage = await openClosed(96, 3);
    const before = stage.log.length;
    expect(await stage.syncOne()).toMatchObject({ postWrites: 2, statusWrites: 2, voters: 99 });
    stage.board.editPost("acme-app", "p1", { votes: 500 });
    await stage.sync();
    expect(await heard(stage)).toEqual([
      ["applied", 96],
      ["applied", 3],
    ]);
    const lines = stage.log.slice(before).map((line): Record<string, unknown> => JSON.parse(line));
    expect(lines.filter(({ msg }) => msg === "Post patched").map(({ voters }) => voters)).toEqual([96, 3]);
    const finished = lines.filter(({ msg }) => msg === "Project finished");
    expect(finished.map(({ voters }) => voters)).toEqual([99, undefined]);
    expect(await heardLately(stage)).toBe("99 voters of 2 changes");
    stage.clock.skip(24 * hourMs);
    expect(await heardLately(stage)).toBe("nobody");
  });

  it("is nobody where the status stays, and where the board refuses the change", async () => {
    const roadmap = [{ when: { state: "closed" }, set: { roadmapColumn: "COMPLETED" } }];
    const stage = await openStage({ projects: [{ ...standardProject, rules: roadmap }] });
    stage.board.addPost("acme-app", { status: "planned", votes: 7 });
    await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    expect(await stage.syncOne()).toMatchObject({ postWrites: 1, statusWrites: 0 });
    expect(await heard(stage)).toEqual([["applied", 0]]);

    const refused = await openClosed(7);
    refused.board.failNext({ kind: "answer", status: 422, body: { error: "No." } }, isPatch);
    expect(await refused.syncOne()).toMatchObject({ parked: 1, statusWrites: 0 });
    expect(await heard(refused)).toEqual([["rejected", 0]]);
  });

  it("is known of a write whose answer was lost, too, and told by the run that has found it", async () => {
    const stage = await openClosed(96);
    stage.board.failNext({ kind: "answer", status: 502, applied: true }, isPatch);
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 0 });
    expect(await heard(stage)).toEqual([["unknown", 96]]);
    stage.board.editPost("acme-app", "p1", { votes: 500 });
    stage.clock.skip(3 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1, voters: 96 });
    expect(await heard(stage)).toEqual([["applied", 96]]);
  });

  it("is not known where the board shows no votes", async () => {
    const stage = await openStage({
      projects: [{ ...standardProject, rules }],
      config: { board: { fields: { votes: "elsewhere" } } },
    });
    stage.board.addPost("acme-app", { status: "planned", votes: 7 });
    await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1, voters: null });
    expect(await heard(stage)).toEqual([["applied", null]]);
  });
});
