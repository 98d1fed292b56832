import { describe, expect, it } from "vitest";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import { foreseeHeld } from "../../src/sync/orders/approve.ts";
import { withParts, withReads } from "../simulation/with-parts.ts";
import type { SandboxFault } from "../support/sandbox/board/http.ts";
import { openPosts } from "../support/setups.ts";
import { addPlanned, hourMs, minuteMs, openStage, type Stage, standardProject } from "../support/stage.ts";

const project = "prj_app" as ProjectId;

/** A stage whose guard allows two notifying writes an hour, and where three issues have just been closed. */
async function openHeld(): Promise<Stage> {
  const stage = await openStage({ config: { guard: { statuses: 2 } } });
  addPlanned(stage, 4);
  await stage.sync();
  await stage.sync();
  stage.mark();
  for (const number of [1, 2, 3]) stage.github.close("acme/app", number, "completed");
  expect(await stage.sync()).toMatchObject({ result: "held" });
  expect(stage.writes()).toEqual([]);
  return stage;
}

async function approve(stage: Stage, ...posts: readonly string[]): Promise<void> {
  const held = await stage.ledger.rows.held(project);
  const actions = posts.length === 0 ? held : held.filter(({ post }) => posts.includes(post));
  await stage.ledger.commit([
    {
      kind: "add-request",
      request: {
        kind: "approve",
        actions,
        isWhole: posts.length === 0,
        project,
        at: stage.clock.now(),
      },
    },
  ]);
}

async function ask(
  stage: Stage,
  kind: "retry" | "release" | "discard",
  ...posts: readonly string[]
): Promise<void> {
  await stage.ledger.commit([
    {
      kind: "add-request",
      request: { kind, posts: posts as readonly PostId[], project, at: stage.clock.now() },
    },
  ]);
}

describe("an approval", () => {
  it("of new issues counts in a plan as in the run, also where `writes` keeps the board out", async () => {
    const rules = [{ when: { state: "open" as const }, set: { status: "in_progress" } }];
    const stage = await openStage({
      config: { guard: { issues: 0 } },
      projects: [{ ...standardProject, writes: "issues", rules }],
    });
    addPlanned(stage, 2);
    expect(await stage.sync()).toMatchObject({ result: "held", projects: [{ held: 2 }] });
    await approve(stage);
    const creates = (await stage.plan()).filter(({ kind }) => kind === "create-issue");
    expect(creates.map(({ when }) => when)).toEqual(["now", "now"]);
    expect(await stage.sync()).toMatchObject({ projects: [{ created: 2, held: 0 }] });
  });

  it("lets what is held go, once, and is over then", async () => {
    const stage = await openHeld();
    await approve(stage);
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ statusWrites: 3, held: 0 }] });
    expect(stage.writes()).toHaveLength(3);
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ postWrites: 0 }] });
    expect(await stage.ledger.requests.pending(project)).toEqual([]);
  });

  it("lets no second change alike go while it still waits for something else", async () => {
    const pace = { minIntervalMs: 0, createsPerHour: 2 };
    const stage = await openStage({ config: { guard: { issues: 1, statuses: 0 }, tracker: { pace } } });
    addPlanned(stage, 1);
    await stage.sync();
    await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    addPlanned(stage, 2);
    expect(await stage.syncOne()).toMatchObject({ created: 0, held: 3 });
    await approve(stage);
    expect(await stage.syncOne()).toMatchObject({ created: 1, statusWrites: 1, waiting: 1 });
    expect(stage.board.notifications.map(({ post }) => post)).toEqual(["p1"]);
    stage.clock.skip(5 * minuteMs);
    stage.github.reopen("acme/app", 1);
    stage.board.editPost("acme-app", "p1", { status: "planned", roadmapColumn: null });
    await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 0, held: 1, waiting: 1 });
    await approve(stage, "p1");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1, waiting: 1 });
  });

  it("does not count against the next hour", async () => {
    const stage = await openHeld();
    await approve(stage);
    await stage.sync();
    stage.github.close("acme/app", 4, "completed");
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ statusWrites: 1 }] });
  });

  it("of some posts leaves the others held, also where the guard has room for them", async () => {
    const stage = await openHeld();
    await approve(stage, "p2", "p3");
    expect(await stage.sync()).toMatchObject({ result: "held", projects: [{ statusWrites: 2, held: 1 }] });
    expect(stage.board.notifications.map(({ post }) => post)).toEqual(["p2", "p3"]);
    stage.clock.skip(2 * hourMs);
    expect(await stage.sync()).toMatchObject({ result: "held", projects: [{ statusWrites: 0, held: 1 }] });
  });

  it("lets nothing go that came after it, and what it names goes", async () => {
    const stage = await openHeld();
    await approve(stage);
    stage.github.close("acme/app", 4, "completed");
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ statusWrites: 4, held: 0 }] });
    await stage.sync();
    expect(await stage.ledger.requests.pending(project)).toEqual([]);
  });

  it("outlives a run that could not finish it, and then new actions count by themselves", async () => {
    const stage = await openHeld();
    await approve(stage);
    stage.board.failNext({ kind: "answer", status: 429 }, { when: ({ path }) => path.endsWith("/p2") });
    await stage.sync();
    const told = stage.board.notifications.length;
    expect(told).toBeLessThan(3);
    stage.github.close("acme/app", 4, "completed");
    await stage.sync();
    expect(stage.board.notifications).toHaveLength(4);
    await stage.sync();
    expect(await stage.ledger.requests.pending(project)).toEqual([]);
  });

  it("falls out for an action that has become another one", async () => {
    const stage = await openHeld();
    await approve(stage);
    stage.github.reopen("acme/app", 1);
    stage.github.close("acme/app", 1, "not_planned");
    stage.reconfigure({ config: { guard: { statuses: 0 } } });
    expect(await stage.sync()).toMatchObject({ projects: [{ statusWrites: 2, held: 1 }] });
    expect(stage.board.notifications.map(({ post }) => post)).toEqual(["p2", "p3"]);
  });

  it("of an import brings the PATCH along that follows an issue", async () => {
    const stage = await openStage({
      config: { guard: { issues: 1, statuses: 1 } },
      projects: [
        {
          project: "acme-app",
          repo: "acme/app",
          rules: [{ when: { state: "open" }, set: { status: "in_progress" } }],
        },
      ],
    });
    addPlanned(stage, 3);
    expect(await stage.sync()).toMatchObject({ result: "held", projects: [{ created: 0, held: 3 }] });
    await approve(stage);
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ created: 3, statusWrites: 3 }] });
  });
});

/** A stage that holds two new issues, for posts that 7 people have voted for; open issues ask for `in_progress`. */
async function openImport(status: string): Promise<Stage> {
  const stage = await openStage({
    config: { guard: { issues: 1, statuses: 25 } },
    projects: [
      {
        project: "acme-app",
        repo: "acme/app",
        rules: [{ when: { state: "open" }, set: { status: "in_progress" } }],
      },
    ],
  });
  addPlanned(stage, [
    { status, votes: 7 },
    { status, votes: 7 },
  ]);
  expect(await stage.syncOne()).toMatchObject({ created: 0, held: 2 });
  return stage;
}

describe("what an approval has shown", () => {
  const shown = { followUp: "planned", none: "in_progress" } as const;
  it.each([
    {
      name: "a mail that follows where none was shown",
      status: shown.none,
      change: (stage: Stage) => stage.board.editPost("acme-app", "p1", { status: "planned" }),
      expected: { created: 1, statusWrites: 0, held: 1 },
    },
    {
      name: "another change of status than the one that was shown",
      status: shown.followUp,
      change: (stage: Stage) => stage.board.editPost("acme-app", "p1", { status: "under_review" }),
      expected: { created: 1, statusWrites: 1, held: 1 },
    },
    {
      name: "another target than the one that was shown",
      status: shown.followUp,
      change: (stage: Stage) =>
        stage.reconfigure({
          projects: [
            {
              project: "acme-app",
              repo: "acme/app",
              rules: [{ when: { state: "open" }, set: { status: "completed" } }],
            },
          ],
        }),
      expected: { created: 0, statusWrites: 0, held: 2 },
    },
    {
      name: "another text",
      status: shown.followUp,
      change: (stage: Stage) => stage.board.editPost("acme-app", "p1", { title: "Something else" }),
      expected: { created: 1, statusWrites: 1, held: 1 },
    },
  ])("$name is held anew", async ({ status, change, expected }) => {
    const stage = await openImport(status);
    await approve(stage);
    change(stage);
    const mailed = stage.board.notifications.length;
    expect(await stage.syncOne()).toMatchObject(expected);
    expect(stage.board.notifications).toHaveLength(mailed + expected.statusWrites);
    expect(await stage.syncOne()).toMatchObject({ created: 0, statusWrites: 0, held: expected.held });
    await approve(stage);
    expect(await stage.syncOne()).toMatchObject({ created: expected.held, held: 0 });
    await stage.sync();
    expect(await stage.ledger.requests.pending(project)).toEqual([]);
  });

  it.each([
    {
      name: "more votes for what was shown",
      status: shown.followUp,
      change: (stage: Stage) => stage.board.editPost("acme-app", "p1", { votes: 111 }),
      statusWrites: 2,
    },
    {
      name: "less than was shown: nothing is left to mail",
      status: shown.followUp,
      change: (stage: Stage) => stage.board.editPost("acme-app", "p1", { status: "in_progress" }),
      statusWrites: 1,
    },
    {
      name: "more votes where no mail follows",
      status: shown.none,
      change: (stage: Stage) => stage.board.editPost("acme-app", "p1", { votes: 111 }),
      statusWrites: 0,
    },
  ])("$name goes", async ({ status, change, statusWrites }) => {
    const stage = await openImport(status);
    await approve(stage);
    change(stage);
    expect(await stage.syncOne()).toMatchObject({ created: 2, statusWrites, held: 0 });
  });

  it("is told apart from what has become of it meanwhile, also where the guard has room", async () => {
    const stage = await openHeld();
    await approve(stage);
    stage.github.reopen("acme/app", 1);
    stage.github.close("acme/app", 1, "not_planned");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 2, held: 1 });
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 0, held: 1 });
    expect((await stage.ledger.rows.held(project))[0]?.message).toContain("approved");
    await approve(stage);
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1, held: 0 });
    expect(stage.board.post("acme-app", "p1")?.status).toBe("closed");
  });

  it("is told apart from what has become of it in the middle of the run that writes it", async () => {
    const stage = await openHeld();
    stage.reconfigure({ config: { guard: { statuses: 2 }, board: { concurrency: 1 } } });
    await approve(stage);
    stage.atNextWrite("board", "before", () => {
      stage.board.editPost("acme-app", "p2", { status: "under_review" });
      stage.clock.skip(2 * minuteMs);
    });
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 2 });
    expect(stage.board.post("acme-app", "p2")?.status).toBe("under_review");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 0, held: 1 });
    await approve(stage);
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1, held: 0 });
  });

  it("says nothing of a change that comes when it has been carried out", async () => {
    const stage = await openHeld();
    await approve(stage);
    stage.board.failNext({ kind: "answer", status: 429 }, { when: ({ path }) => path.endsWith("/p2") });
    await stage.sync();
    const [told] = stage.board.notifications;
    stage.github.reopen("acme/app", 1);
    stage.github.close("acme/app", 1, "not_planned");
    expect(told?.post).toBe("p1");
    expect(await stage.syncOne()).toMatchObject({ held: 0 });
    expect(stage.board.post("acme-app", "p1")?.status).toBe("closed");
  });
});

describe("the mail that an approved issue has shown", () => {
  it("needs no second approval after the issue's answer was lost", async () => {
    const stage = await openImport("planned");
    stage.reconfigure({ config: { guard: { issues: 1, statuses: 0 } } });
    await approve(stage);
    stage.github.failNext({ method: "POST", path: /\/issues$/, applied: true, answer: { kind: "reset" } });
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1 });
    for (let run = 0; run < 20; run += 1) await stage.sync();
    expect(stage.board.notifications.map(({ post }) => post).sort()).toEqual(["p1", "p2"]);
    expect(await stage.ledger.requests.pending(project)).toEqual([]);
  });

  it("needs none where the board could not take it at once", async () => {
    const stage = await openImport("planned");
    stage.reconfigure({ config: { guard: { issues: 1, statuses: 0 } } });
    await approve(stage);
    const isPatch = ({ method }: { readonly method: string }): boolean => method === "PATCH";
    stage.board.failNext({ kind: "answer", status: 429 }, { when: isPatch });
    expect(await stage.syncOne()).toMatchObject({ created: 2, statusWrites: 0, held: 0 });
    stage.clock.skip(2 * hourMs);
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 2, held: 0 });
  });

  it("is held where it was not shown", async () => {
    const stage = await openImport("in_progress");
    stage.reconfigure({ config: { guard: { issues: 1, statuses: 0 } } });
    await approve(stage);
    stage.github.failNext({ method: "POST", path: /\/issues$/, applied: true, answer: { kind: "reset" } });
    await stage.sync();
    stage.board.editPost("acme-app", "p1", { status: "planned" });
    const mailed = stage.board.notifications.length;
    for (let run = 0; run < 20; run += 1) await stage.sync();
    expect(stage.board.notifications).toHaveLength(mailed);
  });
});

describe("a discarded action", () => {
  it("is never done: both sides stay as they are", async () => {
    const stage = await openHeld();
    await ask(stage, "discard", "p1", "p2", "p3");
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ statusWrites: 0, held: 0 }] });
    stage.clock.skip(2 * hourMs);
    await stage.sync();
    expect(stage.writes()).toEqual([]);
    stage.github.reopen("acme/app", 1);
    await stage.sync();
    expect(stage.board.post("acme-app", "p1")?.status).toBe("planned");
  });
});

describe("a change that is discarded before its issue changes again", () => {
  it("takes nothing along that nobody was shown", async () => {
    const stage = await openPosts(1, { config: { guard: { statuses: 0 } } });
    stage.github.label("acme/app", 1, "in progress");
    expect(await stage.syncOne()).toMatchObject({ held: 1 });
    const seen = await foreseeHeld({ ledger: stage.ledger }, { key: "acme-app", project }, [], true);
    if ("asks" in seen) await stage.ledger.commit(seen.asks({ at: stage.clock.now() }));
    stage.github.close("acme/app", 1, "completed");
    expect(await stage.syncOne()).toMatchObject({ held: 1 });
    expect(await stage.ledger.rows.held(project)).toMatchObject([
      { planned: { changes: expect.arrayContaining([expect.objectContaining({ to: "completed" })]) } },
    ]);
  });
});

describe("a discarded change that has become another one", () => {
  it("is held, whatever the guard allows by now", async () => {
    const stage = await openPosts(4, { config: { guard: { statuses: 1 } } });
    for (const number of [1, 2]) stage.github.close("acme/app", number, "completed");
    expect(await stage.syncOne()).toMatchObject({ held: 2 });
    const seen = await foreseeHeld({ ledger: stage.ledger }, { key: "acme-app", project }, [], true);
    if ("asks" in seen) await stage.ledger.commit(seen.asks({ at: stage.clock.now() }));
    stage.github.reopen("acme/app", 1);
    stage.github.close("acme/app", 1, "not_planned");
    for (let run = 0; run < 2; run += 1)
      expect(await stage.syncOne()).toMatchObject({ held: 1, statusWrites: 0 });
    expect(stage.board.notifications).toEqual([]);
  });
});

describe("a discarded new issue", () => {
  it("is not opened, nor asked about again, until a person says `retry`", async () => {
    const stage = await openStage({ config: { guard: { issues: 1 } } });
    addPlanned(stage, 2);
    expect(await stage.syncOne()).toMatchObject({ created: 0, held: 2 });
    await ask(stage, "discard", "p1", "p2");
    for (let run = 0; run < 2; run += 1)
      expect(await stage.syncOne()).toMatchObject({ created: 0, held: 0, skipped: 2 });
    expect(await stage.plan()).toEqual([]);
    await ask(stage, "retry", "p1");
    expect(await stage.syncOne()).toMatchObject({ created: 1, held: 0 });
  });
});

describe("a retry", () => {
  it("sends once more what the board has refused", async () => {
    const stage = await openStage();
    addPlanned(stage, 1);
    await stage.sync();
    stage.board.failNext({ kind: "answer", status: 422 }, { when: ({ method }) => method === "PATCH" });
    stage.github.close("acme/app", 1, "completed");
    expect(await stage.sync()).toMatchObject({ result: "partial", projects: [{ parked: 1 }] });
    expect(await stage.sync()).toMatchObject({ result: "held", projects: [{ postWrites: 0 }] });
    await ask(stage, "retry", "p1");
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ postWrites: 1, parked: 0 }] });
  });
});

it.each<[string, SandboxFault]>([
  ["refused", { kind: "answer", status: 422, body: { error: "Not now" } }],
  ["in doubt", { kind: "reset" }],
])("`retry` sends an approved change once more where it was %s, past the guard", async (_, fault) => {
  const stage = await openPosts(1, {
    config: { guard: { statuses: 0 } },
    style: { showsUpdatedAt: false },
  });
  stage.github.close("acme/app", 1, "completed");
  await stage.sync();
  await approve(stage);
  stage.board.failNext(fault, { when: ({ method }) => method === "PATCH" });
  for (let run = 0; run < 4; run += 1) {
    await stage.sync();
    stage.clock.skip(minuteMs);
  }
  await ask(stage, "retry", "p1");
  expect(await stage.syncOne()).toMatchObject({ statusWrites: 1, held: 0 });
});

describe("what a person asked for and a run failed to do", () => {
  it("is asked for still, of that post alone", async () => {
    const stage = await openPosts(2);
    for (const issue of [1, 2]) stage.github.close("acme/app", issue, "completed");
    const isPatch = ({ method }: { readonly method: string }): boolean => method === "PATCH";
    stage.board.failNext({ kind: "answer", status: 422 }, { when: isPatch, times: 2 });
    expect(await stage.syncOne()).toMatchObject({ parked: 2 });
    await ask(stage, "discard", "p1", "p2");
    let isFailing = true;
    stage.bend((world) => {
      const ledger = withReads(world.ledger, ({ rows }) => ({
        rows: withParts(rows, {
          row: async (project, post, now) => {
            if (isFailing && post === "p1") throw new Error("a mistake");
            return rows.row(project, post, now);
          },
        }),
      }));
      return { ...world, ledger };
    });
    expect(await stage.syncOne()).toMatchObject({ postWrites: 0, parked: 1, errors: [{ code: "internal" }] });
    expect(await stage.ledger.requests.pending(project)).toMatchObject([{ kind: "discard", posts: ["p1"] }]);
    isFailing = false;
    expect(await stage.syncOne()).toMatchObject({ postWrites: 0, parked: 0, failed: 0 });
    expect(await stage.ledger.requests.pending(project)).toEqual([]);
  });
});

describe("a release", () => {
  it("ends a quarantine, and counts the flips anew", async () => {
    const stage = await openStage({ config: { guard: { flips: 2 } } });
    addPlanned(stage, 1);
    await stage.sync();
    const flip = async (): Promise<void> => {
      stage.github.close("acme/app", 1, "completed");
      await stage.sync();
      stage.github.reopen("acme/app", 1);
      await stage.sync();
    };
    await flip();
    stage.github.close("acme/app", 1, "completed");
    expect(await stage.sync()).toMatchObject({
      result: "held",
      projects: [{ quarantined: 1, postWrites: 0 }],
    });
    await ask(stage, "release", "p1");
    expect(await stage.sync()).toMatchObject({
      result: "ok",
      projects: [{ quarantined: 0, statusWrites: 1 }],
    });
  });
});

describe("a change that a person has to let go, beside one that goes by itself", () => {
  /** Its issue is closed, which asks for a status and a column, and somebody has moved the status meanwhile. */
  async function openMoved(): Promise<Stage> {
    const stage = await openStage({ projects: [{ ...standardProject, conflict: "hold" }] });
    addPlanned(stage, 1);
    await stage.sync();
    await stage.sync();
    stage.mark();
    stage.github.close("acme/app", 1, "completed");
    stage.board.editPost("acme-app", "p1", { status: "under review" });
    return stage;
  }

  it("is planned, and held in the very run that sends the other", async () => {
    const stage = await openMoved();
    const actions = await stage.plan();
    expect(actions.map(({ fields, when, letGoBy }) => ({ fields, when, letGoBy }))).toEqual([
      { fields: { roadmapColumn: "COMPLETED" }, when: "now", letGoBy: undefined },
      { fields: { status: "completed" }, when: "held", letGoBy: "approve" },
    ]);
    expect(await stage.sync()).toMatchObject({ result: "held", projects: [{ postWrites: 1, held: 1 }] });
    expect(await stage.ledger.rows.counts(project)).toMatchObject({ approvable: 1, voters: 3 });
    expect(await stage.sync()).toMatchObject({ result: "held", projects: [{ postWrites: 0, held: 1 }] });
  });

  it("stays held where its reason goes before the other could be sent", async () => {
    const stage = await openMoved();
    const limited = { kind: "answer", status: 429, headers: { "retry-after": "60" } } as const;
    stage.board.failNext(limited, { when: ({ method }) => method === "PATCH" });
    expect(await stage.syncOne()).toMatchObject({ postWrites: 0, waiting: 1, held: 1 });
    stage.clock.skip(10 * minuteMs);
    stage.board.editPost("acme-app", "p1", { status: "planned" });
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 0, held: 1 });
    await approve(stage);
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1, held: 0 });
  });

  it("goes once it is approved, whichever run has shown it", async () => {
    const stage = await openMoved();
    await stage.sync();
    await approve(stage);
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ statusWrites: 1, held: 0 }] });
    expect(stage.board.post("acme-app", "p1")).toMatchObject({ status: "completed" });
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ postWrites: 0 }] });
  });
});

describe("a board that shrank", () => {
  it("mails nobody where a person accepts its size, and discards what it alone holds", async () => {
    const stage = await openStage();
    addPlanned(stage, 6);
    await stage.sync();
    for (const post of ["p1", "p2", "p3", "p4"]) stage.board.removePost("acme-app", post);
    for (const number of [5, 6]) stage.github.close("acme/app", number, "completed");
    expect(await stage.sync()).toMatchObject({ result: "held" });
    const seen = await foreseeHeld(stage, { key: "acme-app", project }, [], true);
    expect(seen).toMatchObject({ counted: "2 actions", notified: "No voter will be notified." });
    if ("asks" in seen) await stage.ledger.commit(seen.asks({ at: stage.clock.now() }));
    for (let run = 0; run < 3; run += 1) await stage.sync();
    expect(stage.patches()).toEqual([]);
    expect(await stage.ledger.requests.pending(project)).toEqual([]);
  });

  it("is held anew where it shrank further than a person was shown", async () => {
    const stage = await openStage();
    addPlanned(stage, 6);
    await stage.sync();
    for (const post of ["p1", "p2", "p3", "p4"]) stage.board.removePost("acme-app", post);
    const accept = async (): Promise<void> => {
      const seen = await foreseeHeld(stage, { key: "acme-app", project }, [], false);
      if ("asks" in seen) await stage.ledger.commit(seen.asks({ at: stage.clock.now() }));
    };
    expect((await stage.syncOne()).hold).toContain("only 2 of the 6");
    await accept();
    stage.board.removePost("acme-app", "p5");
    expect((await stage.syncOne()).hold).toContain("only 1 of the 6");
    expect((await stage.syncOne()).hold).toContain("only 1 of the 6");
    await accept();
    expect(await stage.sync()).toMatchObject({ result: "ok" });
    expect(await stage.ledger.requests.pending(project)).toEqual([]);
  });

  it("is taken as it is once a person says so", async () => {
    const stage = await openStage();
    addPlanned(stage, 6);
    await stage.sync();
    for (const post of ["p1", "p2", "p3", "p4"]) stage.board.removePost("acme-app", post);
    expect(await stage.sync()).toMatchObject({ result: "held" });
    await stage.ledger.commit([
      { kind: "add-request", request: { kind: "accept-size", project, at: stage.clock.now() } },
    ]);
    expect(await stage.sync()).toMatchObject({ result: "ok" });
    expect(await stage.ledger.requests.pending(project)).toEqual([]);
    expect(await stage.sync()).toMatchObject({ result: "ok" });
    expect((await stage.ledger.rows.row(project, "p1" as PostId, stage.clock.now()))?.missing).toBe(2);
  });

  it("shows what it alone holds, and who would be notified of it, before a person accepts its size", async () => {
    const stage = await openStage();
    addPlanned(stage, 6);
    await stage.sync();
    for (const post of ["p1", "p2", "p3", "p4"]) stage.board.removePost("acme-app", post);
    for (const post of ["p5", "p6"]) stage.board.editPost("acme-app", post, { votes: 111 });
    for (const number of [5, 6]) stage.github.close("acme/app", number, "completed");
    expect(await stage.sync()).toMatchObject({ result: "held" });
    const seen = await foreseeHeld(stage, { key: "acme-app", project }, [], false);
    expect(seen).toMatchObject({
      actions: [
        { post: "p5", kind: "patch-post", planned: { notifies: 111 } },
        { post: "p5", kind: "update-issue" },
        { post: "p6", kind: "patch-post", planned: { notifies: 111 } },
        { post: "p6", kind: "update-issue" },
      ],
      notified: "222 voters will be notified.",
    });
    expect(await stage.ledger.rows.counts(project)).toMatchObject({ approvable: 0, voters: 222 });
    if ("asks" in seen) await stage.ledger.commit(seen.asks({ at: stage.clock.now() }));
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ statusWrites: 2 }] });
  });
});

describe("an approval that is still open", () => {
  it("opens an issue also where one more has voted, and it gets another label for that", async () => {
    const issue = { labels: ["feedback"], voteLabels: { 10: "v10" } };
    const guard = { issues: 1 };
    const stage = await openStage({ config: { guard }, projects: [{ ...standardProject, issue }] });
    addPlanned(stage, [{ votes: 9 }, { votes: 9 }, { votes: 9 }]);
    expect(await stage.syncOne()).toMatchObject({ held: 3 });
    await approve(stage);
    stage.board.editPost("acme-app", "p1", { votes: 10 });
    for (let run = 0; run < 3; run += 1) await stage.sync();
    expect(stage.github.issues("acme/app")).toHaveLength(3);
  });

  it.each([5 * minuteMs, 25 * hourMs])("lets no second change alike go, %i ms later", async (later) => {
    const stage = await openPosts(2, { config: { guard: { statuses: 0 } } });
    for (const number of [1, 2]) stage.github.close("acme/app", number, "completed");
    expect(await stage.syncOne()).toMatchObject({ held: 2 });
    await stage.ledger.commit([{ kind: "pause", project, post: "p2" as PostId, at: stage.clock.now() }]);
    await approve(stage);
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1 });
    stage.clock.skip(later);
    stage.github.reopen("acme/app", 1);
    stage.board.editPost("acme-app", "p1", { status: "planned", roadmapColumn: null });
    await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 0, held: 1 });
  });
});

describe("what `retry` or `apply` lets go", () => {
  const isPatch = { when: ({ method }: { readonly method: string }) => method === "PATCH" };
  const limit = { kind: "answer", status: 429, headers: { "retry-after": "60" } } as const;

  it.each<[string, (stage: Stage) => Promise<unknown>]>([
    [
      "retry",
      async (stage) => {
        stage.board.failNext({ kind: "answer", status: 422, body: { error: "no" } }, isPatch);
        expect(await stage.syncOne()).toMatchObject({ parked: 1 });
        await ask(stage, "retry", "p1");
        stage.board.failNext(limit, isPatch);
        await stage.sync();
      },
    ],
    [
      "apply",
      async (stage) => {
        const plan = await stage.savePlan();
        stage.board.failNext(limit, isPatch);
        await stage.run({ kind: "apply", plan });
      },
    ],
  ])("and %s had to leave waiting makes no other change wait for a person", async (_, order) => {
    const stage = await openPosts(1);
    stage.github.label("acme/app", 1, "in progress");
    await order(stage);
    stage.clock.skip(10 * minuteMs);
    stage.github.close("acme/app", 1, "completed");
    await stage.sync();
    expect(stage.board.notifications.map(({ to }) => to)).toEqual(["completed"]);
  });

  it("is no new issue in a repository that has turned public since", async () => {
    const stage = await openStage();
    const answer = { kind: "answer", status: 422, body: { message: "Validation Failed" } } as const;
    stage.github.failNext({ method: "POST", path: /\/issues$/u, answer });
    addPlanned(stage, 1);
    expect(await stage.syncOne()).toMatchObject({ parked: 1 });
    await ask(stage, "retry", "p1");
    stage.github.setPrivate("acme/app", false);
    stage.clock.skip(7 * hourMs);
    for (let run = 0; run < 2; run += 1) await stage.sync();
    expect(stage.github.issues("acme/app")).toEqual([]);
  });
});
