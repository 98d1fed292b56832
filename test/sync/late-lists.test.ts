import { describe, expect, it } from "vitest";
import { listNext, listNow } from "../support/listing.ts";
import type { BoardStyleOptions } from "../support/sandbox/board/style.ts";
import {
  addPlanned,
  type ConfigPart,
  minuteMs,
  openStage,
  type Stage,
  standardProject,
} from "../support/stage.ts";

/** Taken for a person's, the old status would open the issue again. */
const boardRules = [{ when: { status: "planned" }, set: { state: "open" } }];

const withoutTimes: BoardStyleOptions = { showsUpdatedAt: false };

/** One post `p1`, planned, whose issue has just been closed as completed; `listing` is the list as it was before the PATCH. */
async function openClosed(
  style: BoardStyleOptions = {},
  changes: ConfigPart = {},
  config: ConfigPart = {},
): Promise<Stage & { readonly listing: unknown }> {
  const stage = await openStage({ style, config, projects: [{ ...standardProject, ...changes }] });
  addPlanned(stage, 1);
  await stage.sync();
  await stage.sync();
  const listing = await listNow(stage);
  stage.github.close("acme/app", 1, "completed");
  await stage.sync();
  expect(statusOf(stage)).toBe("completed");
  stage.mark();
  return Object.assign(stage, { listing });
}

function statusOf({ board }: Stage): string | undefined {
  return board.post("acme-app", "p1")?.status.toLowerCase();
}

/** A run whose list is one from before. */
async function syncOn(stage: Stage, body: unknown) {
  listNext(stage, body);
  return stage.syncOne();
}

function statuses({ board }: Stage): readonly string[] {
  return board.notifications.map(({ from, to }) => `${from} → ${to}`);
}

describe.each<[string, BoardStyleOptions]>([
  ["with the record in the answer", {}],
  ["without times of change", withoutTimes],
  ["without a record in the answer", { patchAnswer: "empty" }],
  ["without both", { ...withoutTimes, patchAnswer: "empty" }],
  ["in another spelling", { spellStatus: (status) => status.replaceAll("_", " ").toUpperCase() }],
])("a list that shows a post as it was before our PATCH (%s)", (_, style) => {
  it("counts for nothing also where the run decides only after the wait", async () => {
    const stage = await openClosed(style, { boardRules });
    // GitHub takes its time in between.
    const slow = { kind: "answer", status: 502 } as const;
    stage.github.failNext({ method: "GET", answer: slow, onMet: () => stage.clock.skip(3 * minuteMs) });
    expect(await syncOn(stage, stage.listing)).toMatchObject({ failed: 0, postWrites: 0, issueWrites: 0 });
    await stage.sync();
    expect(stage.github.issue("acme/app", 1).state).toBe("closed");
  });

  it("counts for nothing: reopening puts back what was there before, and voters hear of two steps", async () => {
    const stage = await openClosed(style);
    expect(await syncOn(stage, stage.listing)).toMatchObject({ failed: 0, postWrites: 0 });
    expect((await stage.explain("p1")).next.join(" ")).toContain("still shows what was there before");
    await stage.sync();
    stage.github.reopen("acme/app", 1);
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1 });
    expect(statusOf(stage)).toBe("planned");
    expect(statuses(stage)).toHaveLength(2);
    await stage.sync();
    expect(await stage.syncOne()).toMatchObject({ result: "ok", postWrites: 0, waiting: 0 });
    expect(stage.log.join("\n")).not.toContain("did not stick");
  });

  it("counts for nothing after one that showed it already", async () => {
    const stage = await openClosed(style, {}, { waits: { patch: "5m" } });
    await stage.sync();
    await syncOn(stage, stage.listing);
    await stage.sync();
    stage.github.reopen("acme/app", 1);
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1 });
    expect(statusOf(stage)).toBe("planned");
  });

  it("moves nothing on the issue by board rules", async () => {
    const stage = await openClosed(style, { boardRules });
    for (let run = 0; run < 2; run += 1) {
      stage.clock.skip(-minuteMs / 2);
      expect(await syncOn(stage, stage.listing)).toMatchObject({ issueWrites: 0, postWrites: 0 });
    }
    await stage.sync();
    expect(await stage.syncOne()).toMatchObject({ result: "ok", issueWrites: 0, waiting: 0 });
    expect(stage.writes()).toEqual([]);
  });

  it("does not keep the issue's next step from its voters, who hear of it once", async () => {
    const stage = await openClosed(style);
    stage.github.reopen("acme/app", 1);
    expect(await syncOn(stage, stage.listing)).toMatchObject({ statusWrites: 1 });
    // Of the second PATCH, too, a list may still show what was before the first.
    await syncOn(stage, stage.listing);
    for (let run = 0; run < 4; run += 1) await stage.sync();
    expect(statuses(stage)).toHaveLength(2);
    stage.github.close("acme/app", 1, "completed");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1 });
  });

  it("is believed when `waits.patch` is over: the value did not stick, and nobody is notified for it", async () => {
    const stage = await openClosed(style);
    await syncOn(stage, stage.listing);
    stage.board.editPost("acme-app", "p1", { status: "planned", roadmapColumn: null });
    const mails = statuses(stage).length;
    for (let run = 0; run < 3; run += 1) await syncOn(stage, stage.listing);
    expect(stage.writes()).toEqual([]);
    expect(statuses(stage)).toHaveLength(mails);
    expect((await stage.explain("p1")).fields).toMatchObject([
      { field: "status", shows: expect.anything() },
      {},
    ]);
  });
});

it("a list that is late in one of two fields is believed of the other", async () => {
  const stage = await openClosed(withoutTimes);
  const late = JSON.parse(JSON.stringify(await listNow(stage)));
  late.feedback[0].roadmapColumn = null;
  await syncOn(stage, late);
  stage.board.editPost("acme-app", "p1", { status: "paused" });
  const moved = JSON.parse(JSON.stringify(await listNow(stage)));
  moved.feedback[0].roadmapColumn = null;
  stage.clock.skip(-minuteMs / 2);
  await syncOn(stage, moved);
  await stage.sync();
  stage.github.reopen("acme/app", 1);
  await stage.sync();
  // The status is a person's by now, and the column is ours.
  expect(statusOf(stage)).toBe("paused");
});

it("what may be a person's old value is not written over where a person's change is to pause the post", async () => {
  const stage = await openClosed(withoutTimes, { conflict: "pause" }, { waits: { patch: "150s" } });
  stage.board.editPost("acme-app", "p1", { status: "planned", roadmapColumn: null });
  stage.github.reopen("acme/app", 1);
  stage.github.label("acme/app", 1, "in progress");
  expect(await stage.syncOne()).toMatchObject({ statusWrites: 0, failed: 0 });
  for (let run = 0; run < 3; run += 1) await stage.sync();
  expect(statusOf(stage)).toBe("planned");
  expect(await stage.syncOne()).toMatchObject({ statusWrites: 0 });
  expect((await stage.explain("p1")).next.join(" ")).toContain("boardsync resume");
});

it("a person who sets the old value again is heard at once where the board shows when", async () => {
  const stage = await openClosed({}, { boardRules });
  stage.clock.skip(1000);
  stage.board.editPost("acme-app", "p1", { status: "planned" });
  stage.clock.skip(-minuteMs / 2);
  expect(await stage.syncOne()).toMatchObject({ issueWrites: 1, postWrites: 0 });
});

it.each<[BoardStyleOptions, string]>([
  [withoutTimes, "open"],
  // Nobody can tell a person from a board that did not take the value.
  [{ ...withoutTimes, patchAnswer: "empty" }, "closed"],
])(
  "a person who sets the old value again is heard after `waits.patch` elsewhere: %o",
  async (style, state) => {
    const stage = await openClosed(style, { boardRules });
    stage.board.editPost("acme-app", "p1", { status: "planned", roadmapColumn: null });
    expect(await stage.syncOne()).toMatchObject({ issueWrites: 0, postWrites: 0 });
    await stage.sync();
    await stage.sync();
    expect(stage.github.issue("acme/app", 1).state).toBe(state);
    expect(stage.patches()).toEqual([]);
  },
);

it("without `waits.patch` the first list after a PATCH is believed", async () => {
  const style = { ...withoutTimes, patchAnswer: "empty" } as const;
  const stage = await openClosed(style, {}, { waits: { patch: "0s" } });
  await syncOn(stage, stage.listing);
  expect(stage.log.join("\n")).toContain("A change did not stick");
});

it("a record that is older than the answer counts for nothing, whatever it shows", async () => {
  const stage = await openClosed();
  const older = JSON.parse(JSON.stringify(stage.listing));
  older.feedback[0].status = "paused";
  await syncOn(stage, older);
  await stage.sync();
  stage.github.reopen("acme/app", 1);
  await stage.sync();
  expect(statusOf(stage)).toBe("planned");
});

it("a clock that is set back begins the wait anew, and ends it", async () => {
  const stage = await openClosed(withoutTimes);
  stage.clock.skip(-60 * minuteMs);
  await syncOn(stage, stage.listing);
  for (let run = 0; run < 3; run += 1) await syncOn(stage, stage.listing);
  expect((await stage.explain("p1")).next.join(" ")).not.toContain("still shows what was there before");
});

it("a PATCH whose answer was lost is as late as any other once it is known to be taken", async () => {
  const stage = await openStage({ style: withoutTimes, projects: [standardProject] });
  addPlanned(stage, 1);
  await stage.sync();
  await stage.sync();
  const listing = await listNow(stage);
  stage.github.close("acme/app", 1, "completed");
  const lost = { kind: "answer", status: 502, applied: true } as const;
  stage.board.failNext(lost, { when: ({ method }) => method === "PATCH" });
  await stage.sync();
  stage.clock.skip(3 * minuteMs);
  await stage.sync();
  await syncOn(stage, listing);
  await stage.sync();
  stage.github.reopen("acme/app", 1);
  await stage.sync();
  expect(statusOf(stage)).toBe("planned");
  expect(statuses(stage)).toEqual(["planned → completed", "completed → planned"]);
});

it("an undo right after the run finds what that has written, although the list is late", async () => {
  const stage = await openClosed(withoutTimes);
  const run = (await stage.ledger.runs.last("acme-app"))?.run ?? 0;
  listNext(stage, stage.listing, 2);
  stage.clock.skip(-1.5 * minuteMs);
  const agreed = await stage.lookAtUndo(run);
  await stage.run({ kind: "undo", run, agreed });
  expect(statusOf(stage)).toBe("planned");
});

it("a write that was lost where a person had put back the old value counts as in doubt, not as one that did not stick", async () => {
  const stage = await openClosed(withoutTimes);
  stage.board.editPost("acme-app", "p1", { status: "planned", roadmapColumn: null });
  stage.github.reopen("acme/app", 1);
  stage.github.label("acme/app", 1, "in progress");
  stage.board.failNext({ kind: "answer", status: 502 }, { when: ({ method }) => method === "PATCH" });
  await stage.sync();
  for (let run = 0; run < 3; run += 1) await stage.sync();
  expect(stage.patches()).toHaveLength(1);
  expect(await stage.syncOne()).toMatchObject({ parked: 1 });
});

it("a write that was lost where a person moved the post since is no answer that a list could be late for", async () => {
  const boardRules = [
    { when: { status: "completed" }, set: { addLabels: ["shipped"] } },
    { when: { onRoadmap: true }, set: { addLabels: ["on the roadmap"] } },
  ];
  const rules = [
    { when: { state: "closed" }, set: { status: "completed", onRoadmap: true } },
    { when: { state: "open" }, set: { status: "planned", onRoadmap: false } },
  ];
  const stage = await openStage({ projects: [{ ...standardProject, rules, boardRules }] });
  addPlanned(stage, 1);
  await stage.sync();
  await stage.sync();
  stage.github.close("acme/app", 1, "completed");
  stage.board.failNext({ kind: "answer", status: 502 }, { when: ({ method }) => method === "PATCH" });
  await stage.sync();
  stage.board.editPost("acme-app", "p1", { status: "declined" });
  for (let run = 0; run < 5; run += 1) await stage.sync();
  expect(stage.board.post("acme-app", "p1")).toMatchObject({ status: "declined", onRoadmap: false });
  expect(stage.github.issue("acme/app", 1).labels).toEqual(["feedback"]);
});
