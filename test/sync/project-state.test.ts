import { describe, expect, it } from "vitest";
import type { RowCounts } from "../../src/ledger/rows.ts";
import {
  describeState,
  judgeProject,
  type Known,
  readProjectState,
} from "../../src/sync/tell/project-state.ts";
import { readReport } from "../../src/sync/tell/stored-report.ts";
import { addPlanned, minuteMs, openStage, type Stage, standardProject } from "../support/stage.ts";

const now = Date.parse("2026-03-02T09:00:00Z");
const until = "2026-03-02T10:00:00.000Z";
const none: RowCounts = {
  posts: 9,
  issues: 9,
  skipped: 0,
  waiting: 0,
  undecided: 0,
  held: 0,
  parked: 0,
  quarantined: 0,
  paused: 0,
  differs: 0,
  missing: 0,
  approvable: 0,
  voters: 0,
  unknownVotes: 0,
  nextAt: null,
};

function known(counts: Partial<RowCounts>, report: object = {}, more: Partial<Known> = {}): Known {
  return {
    now,
    counts: { ...none, ...counts },
    report: readReport({ errors: [], ...report }),
    parked: [],
    lastSuccessAt: now - minuteMs,
    ...more,
  };
}

const refused = { post: "p1", code: "board.rejected", message: "No." };
const down = { code: "board.unreachable", message: "No." };
const limit = { code: "tracker.limited", message: `GitHub wants no request before ${until}`, until };
const stopped = { code: "run.stopped", message: "the run was asked to stop" };

describe("the sentence of a project", () => {
  it.each<[what: string, given: Known, kind: string, sentence: string]>([
    ["all is well", known({}), "in-sync", "in step"],
    [
      "no run has come",
      known({}, {}, { counts: undefined, report: undefined, lastSuccessAt: undefined }),
      "later",
      "no run yet",
    ],
    ["a linked post is gone", known({ missing: 1 }), "differs", "1 linked post is not found on the board"],
    [
      "linked posts are gone, and one differs",
      known({ missing: 2000, differs: 1 }),
      "differs",
      "1 post differs from its issue and stays so; 2,000 linked posts are not found on the board",
    ],
    ["a post is paused", known({ paused: 1 }), "differs", "1 post is paused"],
    [
      "posts are paused, and one differs",
      known({ paused: 2, differs: 1 }),
      "differs",
      "2 posts are paused; 1 post differs from its issue and stays so",
    ],
    ["a post differs", known({ differs: 1 }), "differs", "1 post differs from its issue and stays so"],
    ["posts differ", known({ differs: 6 }), "differs", "6 posts differ from their issues and stay so"],
    ["a post can't be decided yet", known({ undecided: 1 }), "later", "1 post can't be decided yet"],
    [
      "a post settles, and others can't be decided yet",
      known({ waiting: 1, undecided: 2 }),
      "later",
      "1 post follows later, 2 posts can't be decided yet",
    ],
    ["a post settles", known({ waiting: 1 }), "later", "1 post follows later"],
    [
      "posts settle, and a daemon runs",
      known({ waiting: 1200 }, {}, { nextRunAt: now + 5 * minuteMs }),
      "later",
      "1,200 posts follow later, the next from 2026-03-02 09:05:00 UTC on",
    ],
    [
      "a limit has put a run off",
      known({}, { putOff: [limit] }),
      "later",
      `later: GitHub wants no request before ${until}`,
    ],
    [
      "a limit has put writes off",
      known({ waiting: 3 }, { putOff: [limit] }, { nextRunAt: now + minuteMs }),
      "later",
      `3 posts follow later, the next from 2026-03-02 10:00:00 UTC on (GitHub wants no request before ${until})`,
    ],
    [
      "a signal has ended a run",
      known({ waiting: 3 }, { putOff: [stopped] }),
      "later",
      "3 posts follow later (the run was asked to stop)",
    ],
    ["an action is held", known({ approvable: 1 }), "needs-you", "needs you (1 action)"],
    [
      "actions wait of which voters would hear",
      known({ approvable: 2, parked: 1, quarantined: 1, voters: 1202 }),
      "needs-you",
      "needs you (4 actions, 1,202 voters)",
    ],
    [
      "an action waits of which one voter would hear",
      known({ approvable: 1, voters: 1 }),
      "needs-you",
      "needs you (1 action, 1 voter)",
    ],
    [
      "the board shows some votes",
      known({ approvable: 2, voters: 7, unknownVotes: 1 }),
      "needs-you",
      "needs you (2 actions, at least 7 voters)",
    ],
    [
      "the board shows no votes",
      known({ approvable: 2, unknownVotes: 2 }),
      "needs-you",
      "needs you (2 actions, voters not known)",
    ],
    [
      "the config stops all writes",
      known({}, { writes: "none" }),
      "differs",
      "nothing is written to either side (`writes: none` in the config)",
    ],
    [
      "the config stops writes to the board",
      known({}, { writes: "issues" }),
      "differs",
      "nothing is written to the board (`writes: issues` in the config)",
    ],
    [
      "posts settle until a time",
      known({ waiting: 2, nextAt: now + minuteMs }, {}, { nextRunAt: now + 5 * minuteMs }),
      "later",
      "2 posts follow later, the next from 2026-03-02 09:01:00 UTC on",
    ],
    [
      "a full disk has kept the last run from being recorded",
      known({}, {}, { broken: "state.unusable: its disk is full" }),
      "failing",
      "failing (state.unusable: its disk is full): the last good run was at 2026-03-02 08:59:00 UTC",
    ],
    ["the whole project is held", known({}, { hold: "It shrank." }), "needs-you", "needs you (1 action)"],
    [
      "a write was refused and is parked",
      known({ parked: 1 }, { errors: [refused] }, { parked: [{ post: "p1", code: "board.rejected" }] }),
      "needs-you",
      "needs you (1 action)",
    ],
    [
      "the answer to a write was lost",
      known({ waiting: 1 }, { errors: [{ post: "p1", code: "board.unknown", message: "?" }] }),
      "later",
      "1 post follows later",
    ],
    [
      "a side is down",
      known({}, { errors: [down, { ...down, post: "p2" }] }),
      "failing",
      "failing (board.unreachable): the last good run was at 2026-03-02 08:59:00 UTC",
    ],
    [
      "a side is down and says until when",
      known({}, { errors: [{ ...down, until }] }),
      "failing",
      "failing (board.unreachable): the last good run was at 2026-03-02 08:59:00 UTC, and a pause is asked for until 2026-03-02 10:00:00 UTC",
    ],
    [
      "no run has come through",
      known({}, { errors: [refused, down] }, { lastSuccessAt: undefined }),
      "failing",
      "failing (board.rejected, board.unreachable): no good run yet",
    ],
    [
      "it is late",
      known({}, {}, { late: "it is to run every 300 s" }),
      "failing",
      "failing: the last good run was at 2026-03-02 08:59:00 UTC, and it is to run every 300 s",
    ],
    [
      "an order could not be carried out: that is no failure of the project",
      known({}, { errors: [{ post: "p1", code: "plan.moved" }, { code: "undo.refused" }] }),
      "in-sync",
      "in step",
    ],
    [
      "all of it is true at once, the most urgent first",
      known({ approvable: 2, waiting: 1, differs: 1 }, { errors: [down] }),
      "failing",
      "failing (board.unreachable): the last good run was at 2026-03-02 08:59:00 UTC; needs you (2 actions); 1 post follows later; 1 post differs from its issue and stays so",
    ],
  ])("where %s", (_, given, kind, sentence) => {
    const state = judgeProject(given);
    expect(state.kind).toBe(kind);
    expect(describeState(state)).toBe(sentence);
  });
});

async function stateOf(stage: Stage, key = "acme-app"): Promise<string> {
  return describeState(await readProjectState(stage.ledger, key, { now: stage.clock.now() }));
}

describe("a project after a run", () => {
  it("is not in step while a post settles", async () => {
    const stage = await openStage({ config: { settle: "10m" } });
    addPlanned(stage, 1);
    await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    const at = stage.clock.now() + 11 * minuteMs;
    await stage.sync();
    const until = new Date(at).toISOString().slice(0, 19).replace("T", " ");
    expect(await stateOf(stage)).toBe(`1 post follows later, the next from ${until} UTC on`);
  });

  it("is not in step where a post differs and stays so", async () => {
    const stage = await openStage();
    addPlanned(stage, 1);
    await stage.sync();
    stage.board.editPost("acme-app", "p1", { isArchived: true });
    stage.github.close("acme/app", 1, "completed");
    await stage.sync();
    expect(await stateOf(stage)).toBe("1 post differs from its issue and stays so");
  });

  it("is not called in step where `writes` stops what differs", async () => {
    const stage = await openStage();
    addPlanned(stage, 1);
    await stage.sync();
    stage.reconfigure({ projects: [{ ...standardProject, writes: "none" }] });
    stage.github.close("acme/app", 1, "completed");
    await stage.sync();
    expect(await stateOf(stage)).toBe("nothing is written to either side (`writes: none` in the config)");
  });

  it("says what a signal has left undone", async () => {
    const stage = await openStage();
    addPlanned(stage, 4);
    stage.atNextWrite("tracker", "after", stage.stop);
    await stage.sync();
    expect(await stateOf(stage)).toBe("3 posts follow later (the run was asked to stop)");
    await stage.sync();
    expect(await stateOf(stage)).toBe("in step");
  });

  it.each([
    ["0 12 * * *", "later: the board wants no request before 2026-"],
    ["*/5 * * * *", "failing (board.limited): no good run yet, and a pause is asked for until 2026-"],
  ])(
    "says the limit that put it off, with its end, as a failure where the next run at %s comes before it",
    async (schedule, said) => {
      const stage = await openStage({ config: { schedule } });
      const headers = { "retry-after": "3600" };
      stage.board.failNext({ kind: "answer", status: 429, headers });
      await stage.sync();
      expect(await stateOf(stage)).toContain(said);
    },
  );

  it("tells of itself alone: another one that fails or is held changes nothing", async () => {
    const stage = await openStage({
      boardProjects: [
        { id: "prj_app", slug: "acme-app" },
        { id: "prj_api", slug: "acme-api" },
      ],
      projects: [
        { ...standardProject, repo: "acme/gone" },
        { ...standardProject, project: "acme-api" },
      ],
    });
    const { result, projects } = await stage.sync();
    expect(result).toBe("partial");
    expect(projects.map((project) => project.result)).toEqual(["partial", "ok"]);
    expect(await stateOf(stage)).toMatch(/^failing \(tracker\.missing\)/);
    expect(await stateOf(stage, "acme-api")).toBe("in step");
  });
});
