import { describe, expect, it } from "vitest";
import { findNames } from "../../src/story/check/check.ts";
import { lookingAt, openLooking, twoProjects } from "../support/setups.ts";
import {
  addPlanned,
  type ConfigPart,
  hourMs,
  minuteMs,
  type Stage,
  type StageOptions,
  standardProject,
} from "../support/stage.ts";

const app = "acme/app";
const repositories = [
  {
    name: app,
    private: true,
    labels: ["feedback", "doing", "other"],
    milestones: ["Next", "Later"],
    types: ["Feature", "Bug"],
  },
];

/** Something that a rule names, and what people do to it. */
interface Thing {
  readonly when: ConfigPart;
  readonly renamed: ConfigPart;
  take(stage: Stage): void;
  rename(stage: Stage, to?: string): void;
  delete(stage: Stage): void;
  /** Under the name that the rule has. */
  make(stage: Stage): void;
  leave(stage: Stage): void;
}

const label = {
  take: ({ github }: Stage) => github.label(app, 1, "doing"),
  leave: ({ github }: Stage) => github.unlabel(app, 1, "doing"),
  rename: ({ github }: Stage, to = "under way") => github.renameLabel(app, "doing", to),
  delete: ({ github }: Stage) => github.deleteLabel(app, "doing"),
  make: ({ github }: Stage) => github.addLabel(app, "doing"),
};
const milestone = {
  take: ({ github }: Stage) => github.setMilestone(app, 1, "Next"),
  leave: ({ github }: Stage) => github.setMilestone(app, 1, null),
  rename: ({ github }: Stage, to = "1.0") => github.renameMilestone(app, "Next", to),
  delete: ({ github }: Stage) => github.deleteMilestone(app, "Next"),
  make: ({ github }: Stage) => void github.addMilestone(app, "Next"),
};
const type = {
  take: ({ github }: Stage) => github.setType(app, 1, "Feature"),
  leave: ({ github }: Stage) => github.setType(app, 1, null),
  rename: ({ github }: Stage, to = "Idea") => github.renameType(app, "Feature", to),
  delete: ({ github }: Stage) => github.deleteType(app, "Feature"),
  make: ({ github }: Stage) => github.addType(app, "Feature"),
};

const things: readonly (readonly [string, Thing])[] = [
  ["a label of `labels`", { ...label, when: { labels: ["Doing"] }, renamed: { labels: ["under way"] } }],
  [
    "a label of `anyLabel`",
    { ...label, when: { anyLabel: ["doing", "else"] }, renamed: { anyLabel: ["under way", "else"] } },
  ],
  [
    "a label of `noLabel`",
    {
      ...{ ...label, take: label.leave, leave: label.take },
      ...{ when: { noLabel: ["doing"] }, renamed: { noLabel: ["under way"] } },
    },
  ],
  ["a milestone", { ...milestone, when: { milestone: "Next" }, renamed: { milestone: "1.0" } }],
  ["an issue type", { ...type, when: { type: "feature" }, renamed: { type: "Idea" } }],
];

function statusOf(stage: Stage, post = "p1"): unknown {
  return stage.board.post("acme-app", post)?.["status"];
}

/** Both posts' voters know what their issue shows: p1 has what the rule names, p2 has not. */
async function open(thing: Thing): Promise<Stage> {
  const stage = await openLooking(thing.when, 2, { repositories });
  thing.take(stage);
  stage.github.label(app, 2, "other");
  await stage.sync();
  await stage.sync();
  expect(statusOf(stage)).toBe("in_progress");
  stage.mark();
  return stage;
}

async function expectQuiet(stage: Stage, runs = 3): Promise<void> {
  for (let run = 0; run < runs; run += 1) {
    const report = await stage.syncOne();
    expect(report).toMatchObject({ failed: 0, statusWrites: 0, held: 0 });
    stage.clock.skip(hourMs * 4);
  }
  expect(stage.patches()).toEqual([]);
}

function warnings(stage: Stage, words: string): number {
  return stage.log.filter((line) => line.includes(words)).length;
}

describe.each(things)("%s that a rule names", (_, thing) => {
  it("still matches when it is renamed, which is said once", async () => {
    const stage = await open(thing);
    thing.rename(stage);
    await expectQuiet(stage);
    expect(warnings(stage, "was renamed")).toBe(1);
    expect(await findNames(stage.ledger, ["acme-app"])).toMatchObject([
      { level: "warning", message: expect.stringContaining("write the new one into the rules") },
    ]);
    // Whoever is given it, or loses it, has changed the issue.
    if (thing.leave === label.take) stage.github.label(app, 1, "under way");
    else if (thing.when["type"] !== undefined) stage.github.setType(app, 1, null);
    else if (thing.when["milestone"] !== undefined) stage.github.setMilestone(app, 1, null);
    else stage.github.unlabel(app, 1, "under way");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1 });
    expect(statusOf(stage)).toBe("planned");
  });

  it("mails nobody when the rule is then corrected", async () => {
    const stage = await open(thing);
    thing.rename(stage);
    await stage.sync();
    stage.reconfigure({ projects: [lookingAt(thing.renamed)] });
    await expectQuiet(stage);
  });

  it("mails nobody when the rule is corrected before any run has seen the new name", async () => {
    const stage = await open(thing);
    thing.rename(stage);
    stage.reconfigure({ projects: [lookingAt(thing.renamed)] });
    await stage.sync();
    expect(stage.patches()).toEqual([]);
  });

  it("is unknown once it was deleted: posts stay as they are, and that is said", async () => {
    const stage = await open(thing);
    thing.delete(stage);
    for (let run = 0; run < 2; run += 1) {
      const report = await stage.syncOne();
      expect(report).toMatchObject({ statusWrites: 0 });
      expect(report.errors).toContainEqual(
        expect.objectContaining({
          post: "p1",
          code: "tracker.undecided",
          message: expect.stringContaining("which was deleted on the tracker"),
        }),
      );
    }
    // A rule above it still decides.
    stage.github.close(app, 2, "completed");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1 });
    expect(statusOf(stage, "p2")).toBe("completed");
    expect(statusOf(stage)).toBe("in_progress");
    expect(warnings(stage, "was deleted:")).toBe(1);
    expect(await findNames(stage.ledger, ["acme-app"])).toMatchObject([
      { level: "error", message: expect.stringContaining("was deleted") },
    ]);
  });

  it.each([
    ["at once", 0],
    ["after a run has missed it", 1],
  ])("mails nobody when it was deleted and is made anew %s, and counts from then on", async (_, runs) => {
    const stage = await open(thing);
    thing.delete(stage);
    for (let run = 0; run < runs; run += 1) await stage.sync();
    thing.make(stage);
    await expectQuiet(stage);
    thing.take(stage);
    await stage.sync();
    expect(statusOf(stage)).toBe("in_progress");
    stage.mark();
    thing.leave(stage);
    expect(await stage.syncOne()).toMatchObject({ failed: 0, statusWrites: 1 });
  });

  it.each<[string, (stage: Stage) => void]>([
    [
      "was lost on its way",
      ({ board }) =>
        board.failNext({ kind: "answer", status: 502 }, { when: ({ method }) => method === "PATCH" }),
    ],
    [
      "settles",
      (stage) => stage.reconfigure({ projects: [lookingAt(thing.when)], config: { settle: "10m" } }),
    ],
  ])("does not forget a change that %s when it is deleted and made anew", async (_, delay) => {
    const stage = await open(thing);
    delay(stage);
    thing.leave(stage);
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 0 });
    thing.delete(stage);
    thing.make(stage);
    // To delete a label gives an issue back what it was without it.
    const isGivenBack = thing.leave === label.take;
    for (let run = 0; run < 3; run += 1) {
      await stage.sync();
      stage.clock.skip(11 * minuteMs);
    }
    expect(statusOf(stage)).toBe(isGivenBack ? "in_progress" : "planned");
  });

  it("mails nobody when it is renamed and another one is made under its name, which matches as well", async () => {
    const stage = await open(thing);
    thing.rename(stage);
    thing.make(stage);
    await expectQuiet(stage);
    if (thing.leave === label.take) return;
    thing.take(stage);
    await expectQuiet(stage);
  });

  it.each(["rename", "delete"] as const)(
    "mails nobody when that other one has the same happen to it: %s",
    async (act) => {
      const stage = await openLooking(thing.when, 2, { repositories });
      thing.rename(stage);
      await stage.sync();
      thing.make(stage);
      thing.take(stage);
      await stage.sync();
      await stage.sync();
      stage.mark();
      if (act === "delete") thing.delete(stage);
      else thing.rename(stage, "another");
      await expectQuiet(stage);
    },
  );

  it("mails nobody when it is deleted while lists lag", async () => {
    const stage = await open(thing);
    stage.github.setLag({ listMs: 90_000 });
    thing.delete(stage);
    await stage.sync();
    thing.make(stage);
    await expectQuiet(stage);
  });

  it.each([403, 500])("mails nobody while its list answers %i, when it was deleted", async (status) => {
    const stage = await open(thing);
    thing.delete(stage);
    stage.clock.skip(hourMs);
    // So the issue is listed without it.
    stage.github.comment(app, 1, "Any news?");
    const path = /\/(labels|milestones|issue-types)$/;
    stage.github.failNext({ method: "GET", path, times: 6, answer: { kind: "answer", status } });
    expect(await stage.syncOne()).toMatchObject({ failed: 1, statusWrites: 0 });
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 0 });
    thing.make(stage);
    for (let run = 0; run < 3; run += 1) await stage.sync();
    expect(stage.patches()).toEqual([]);
  });

  it("means nothing new in the state of another project of the repository before that has seen it", async () => {
    const stage = await open(thing);
    thing.rename(stage);
    await stage.sync();
    stage.restart();
    await expectQuiet(stage, 2);
  });
});

describe("names", () => {
  it("that were exchanged mean what they meant", async () => {
    const rules = [
      { when: { labels: ["doing"] }, set: { status: "in_progress" } },
      { when: { labels: ["other"] }, set: { status: "planned" } },
    ];
    const stage = await openLooking({ labels: ["doing"] }, 2, {
      repositories,
      projects: [{ ...standardProject, rules }],
    });
    stage.github.label(app, 1, "doing");
    stage.github.label(app, 2, "other");
    await stage.sync();
    expect([statusOf(stage), statusOf(stage, "p2")]).toEqual(["in_progress", "planned"]);
    stage.mark();
    stage.github.renameLabel(app, "doing", "x");
    stage.github.renameLabel(app, "other", "doing");
    stage.github.renameLabel(app, "x", "other");
    await expectQuiet(stage);
  });

  it("that nobody has seen yet match nothing, and match from the first sight on", async () => {
    const stage = await openLooking({ labels: ["never"] }, 1, { repositories });
    expect(await stage.syncOne()).toMatchObject({ failed: 0, statusWrites: 0 });
    stage.github.label(app, 1, "never");
    expect(await stage.syncOne()).toMatchObject({ failed: 0, statusWrites: 1 });
  });
});

describe.each<[string, ConfigPart, (stage: Stage) => void]>([
  ["`milestone: any`", { milestone: "any" }, milestone.take],
  ["`milestone: none`", { milestone: "none" }, milestone.leave],
  ["`milestoneState: open`", { milestoneState: "open" }, milestone.take],
  [
    "`milestoneState: closed`",
    { milestoneState: "closed" },
    (stage) => {
      milestone.take(stage);
      stage.github.closeMilestone(app, "Next");
    },
  ],
  [
    "`released`",
    { released: true },
    (stage) => {
      milestone.take(stage);
      stage.github.closeMilestone(app, "Next");
    },
  ],
])("a milestone of any title, where a rule looks at %s", (_, when, fulfil) => {
  const isNone = when["milestone"] === "none";
  // The milestone that people will delete; under `none` its issue goes the other way.
  const start = async (options: StageOptions = {}): Promise<Stage> => {
    const stage = await openLooking(when, 2, { repositories, ...options });
    fulfil(stage);
    if (isNone) milestone.take(stage);
    // p2 has another one, which stays.
    stage.github.setMilestone(app, 2, "Later");
    stage.clock.skip(hourMs);
    for (let run = 0; run < 3; run += 1) {
      await stage.sync();
      stage.clock.skip(hourMs);
    }
    expect(statusOf(stage)).toBe(isNone ? "planned" : "in_progress");
    stage.mark();
    return stage;
  };

  it.each<[string, (stage: Stage) => Promise<void>]>([
    ["is deleted", async ({ github }) => github.deleteMilestone(app, "Next")],
    [
      "is deleted and made anew at once",
      async ({ github }) => {
        github.deleteMilestone(app, "Next");
        github.addMilestone(app, "Next");
      },
    ],
    [
      "is deleted and made anew later",
      async (stage) => {
        stage.github.deleteMilestone(app, "Next");
        await stage.sync();
        stage.github.addMilestone(app, "Next");
      },
    ],
    [
      "is deleted while lists lag",
      async ({ github }) => {
        github.setLag({ listMs: 90_000 });
        github.deleteMilestone(app, "Next");
      },
    ],
    [
      "is deleted before all lists are read for another reason",
      async (stage) => {
        stage.github.deleteMilestone(app, "Next");
        stage.clock.skip(7 * hourMs);
      },
    ],
    [
      "is deleted after its issue was changed otherwise",
      async ({ github }) => {
        github.deleteMilestone(app, "Next");
        github.label(app, 1, "other");
      },
    ],
    [
      "is left out of one list",
      async ({ github }) =>
        github.failNext({ path: "/milestones", answer: { kind: "answer", status: 200, body: [] } }),
    ],
    [
      "is left out of one list, and deleted later",
      async (stage) => {
        stage.github.failNext({ path: "/milestones", answer: { kind: "answer", status: 200, body: [] } });
        await stage.sync();
        stage.github.deleteMilestone(app, "Next");
      },
    ],
  ])("mails nobody when it %s", async (_, act) => {
    const stage = await start();
    await act(stage);
    await expectQuiet(stage);
  });

  it("is said when it is deleted, and what people then change is told", async () => {
    const stage = await start();
    stage.github.deleteMilestone(app, "Next");
    await expectQuiet(stage);
    expect(warnings(stage, "A milestone was deleted, and the rules look at whether issues have any")).toBe(1);
    expect(await findNames(stage.ledger, ["acme-app"])).toEqual([]);
    stage.github.setMilestone(app, 1, "Later");
    await stage.sync();
    stage.github.close(app, 1, "completed");
    expect(await stage.syncOne()).toMatchObject({ failed: 0, statusWrites: 1 });
    expect(statusOf(stage)).toBe("completed");
  });

  it("is told of where people took it off the issue, or closed the issue before they deleted it", async () => {
    const stage = await start();
    stage.github.setMilestone(app, 1, null);
    stage.github.close(app, 2, "completed");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 2 });
    stage.github.deleteMilestone(app, "Next");
    stage.github.deleteMilestone(app, "Later");
    stage.mark();
    await expectQuiet(stage);
  });

  it("does not keep back what people change on an issue without it in the meantime", async () => {
    const stage = await start();
    stage.github.deleteMilestone(app, "Next");
    stage.github.setMilestone(app, 2, null);
    if (!isNone && when["milestone"] !== "any" && when["milestoneState"] !== "open")
      stage.github.close(app, 2, "completed");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1 });
    expect(statusOf(stage, "p2")).not.toBe(isNone ? "planned" : "in_progress");
  });

  it("mails nobody when it is deleted while changes settle", async () => {
    const stage = await start({ config: { settle: "10m" } });
    stage.github.deleteMilestone(app, "Next");
    await expectQuiet(stage);
  });

  it("mails nobody of any project when it is deleted", async () => {
    const other = { ...lookingAt(when), project: "acme-api" };
    const stage = await start({ boardProjects: twoProjects, projects: [lookingAt(when), other] });
    addPlanned(stage, 1, "acme-api");
    await stage.sync();
    stage.github.setMilestone(app, 3, "Next");
    await stage.sync();
    await stage.sync();
    expect(stage.board.posts("acme-api")).toMatchObject([{ status: isNone ? "planned" : "in_progress" }]);
    stage.mark();
    stage.github.deleteMilestone(app, "Next");
    for (let run = 0; run < 3; run += 1) expect(await stage.sync()).toMatchObject({ result: "ok" });
    expect(stage.patches()).toEqual([]);
  });
});

describe("a milestone that a board rule sets", () => {
  it("mails nobody when it is deleted, nor is it set again", async () => {
    const boardRules = [{ when: { status: "reviewed" }, set: { milestone: "Next" } }];
    const projects = [{ ...lookingAt({ milestone: "any" }), boardRules }];
    const stage = await openLooking({}, 1, { repositories, projects });
    stage.board.editPost("acme-app", "p1", { status: "reviewed" });
    for (let run = 0; run < 3; run += 1) await stage.sync();
    expect(stage.github.issue(app, 1).milestone).toBe("Next");
    const status = statusOf(stage);
    stage.mark();
    stage.github.deleteMilestone(app, "Next");
    await expectQuiet(stage);
    expect(stage.writes()).toEqual([]);
    expect(statusOf(stage)).toBe(status);
  });
});
