import { describe, expect, it } from "vitest";
import { says, startFront } from "../hostile/front.ts";
import { addPlanned, hourMs, minuteMs, openStage, type Stage, standardProject } from "../support/stage.ts";

const yearMs = 365 * 24 * hourMs;

/** The program's clock is wrong by this much from now on; those of the two sides go on as they were. */
function misset(stage: Stage, ms: number): void {
  stage.bend((world) => ({
    ...world,
    clock: { now: () => stage.clock.now() + ms, sleep: stage.clock.sleep },
  }));
}

/** Two issues of which one was closed, and a third post; what is under way has an unknown outcome. */
async function openInDoubt(settle = "0s"): Promise<Stage> {
  const stage = await openStage({
    config: { settle, guard: { statuses: 2 }, tracker: { pace: { minIntervalMs: 0, createsPerHour: 3 } } },
  });
  addPlanned(stage, 2);
  expect(await stage.syncOne()).toMatchObject({ created: 2 });
  return stage;
}

/** What voters have heard of, in order. */
const told = (stage: Stage): readonly string[] =>
  stage.board.requests.filter(({ method }) => method === "PATCH").map(({ path }) => path);

describe.each([
  ["an hour ahead", hourMs],
  ["ten years ahead", 10 * yearMs],
  ["an hour behind", -hourMs],
  ["ten years behind", -10 * yearMs],
])("a clock that was %s and is set right", (_, wrongMs) => {
  it("opens each issue once, although the answer was lost", async () => {
    const stage = await openInDoubt();
    misset(stage, wrongMs);
    stage.github.failNext({
      method: "POST",
      path: /\/issues$/,
      applied: "late",
      answer: { kind: "answer", status: 502 },
    });
    addPlanned(stage, 1);
    await stage.sync();
    misset(stage, 0);
    await stage.sync();
    stage.github.landLate();
    for (let run = 0; run < 3; run += 1) {
      stage.clock.skip(16 * minuteMs);
      await stage.sync();
    }
    expect(stage.github.issues("acme/app")).toHaveLength(3);
    expect(await stage.syncOne()).toMatchObject({ issues: 3, waiting: 0, failed: 0 });
  });

  it("tells voters once, neither earlier than `settle` says nor never", async () => {
    const stage = await openInDoubt("30m");
    misset(stage, wrongMs);
    stage.github.close("acme/app", 1, "completed");
    await stage.sync();
    misset(stage, 0);
    await stage.sync();
    stage.clock.skip(40 * minuteMs);
    await stage.sync();
    stage.clock.skip(40 * minuteMs);
    await stage.sync();
    expect(told(stage)).toEqual(["/feedback/p1"]);
    expect(await stage.syncOne()).toMatchObject({ waiting: 0, failed: 0, held: 0 });
  });

  it("lets the pace, the guard and the full look go on within their own time", async () => {
    const stage = await openInDoubt();
    misset(stage, wrongMs);
    for (const number of [1, 2]) stage.github.close("acme/app", number, "completed");
    addPlanned(stage, 1);
    await stage.sync();
    misset(stage, 0);
    await stage.sync();
    stage.clock.skip(61 * minuteMs);
    addPlanned(stage, 3);
    expect(await stage.syncOne()).toMatchObject({ created: 3, held: 0, waiting: 0 });
    stage.github.close("acme/app", 3, "completed");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1, held: 0 });
    stage.clock.skip(7 * hourMs);
    stage.mark();
    await stage.sync();
    expect(stage.reads()).toContain("GET /projects");
  });
});

it("a clock that is ahead of GitHub's hides no issue from the look for a lost answer", async () => {
  const stage = await openInDoubt();
  const front = await startFront();
  stage.reconfigure({
    config: { tracker: { url: front.pass(stage.github.url), pace: { minIntervalMs: 0 } } },
  });
  misset(stage, 10 * yearMs);
  // The list of changes lags, so that only the look through our own issues can show it.
  front.instead("GET", "sort=updated", says("[]"), 9);
  stage.github.failNext({
    method: "POST",
    path: /\/issues$/,
    applied: true,
    answer: { kind: "answer", status: 502 },
  });
  addPlanned(stage, 1);
  await stage.sync();
  stage.clock.skip(16 * minuteMs);
  expect(await stage.syncOne()).toMatchObject({ created: 1, failed: 0 });
  expect(stage.github.issues("acme/app")).toHaveLength(3);
});

it("a clock that was set back is said once, and a small step is not", async () => {
  const stage = await openStage({ projects: [standardProject] });
  misset(stage, 2 * hourMs);
  await stage.sync();
  misset(stage, 0);
  await stage.sync();
  await stage.sync();
  const said = stage.log.filter((line) => line.includes("The clock was set back"));
  expect(said).toEqual([expect.stringMatching(/"level":"warn".*"aheadMs":71\d{5}/)]);
  stage.clock.skip(-minuteMs - 1000);
  await stage.sync();
  expect(stage.log.filter((line) => line.includes("The clock was set back"))).toHaveLength(1);
});
