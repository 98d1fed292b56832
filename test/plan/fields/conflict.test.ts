import { describe, expect, it } from "vitest";
import type { FieldBase, Row } from "../../../src/model/link.ts";
import type { FieldValue } from "../../../src/model/post.ts";
import { conflictOf } from "../../../src/plan/fields/decide.ts";
import type { Rule, Settings } from "../../../src/plan/ground/settings.ts";
import { planRow, recordApplied } from "../../../src/plan/plan.ts";
import {
  aim,
  done,
  makeBase,
  makeContext,
  makeIssue,
  makeLink,
  makeRow,
  makeSettings,
  noTarget,
  scheduled,
  untouched,
} from "../make.ts";

const now = 1_000_000;

function plan(row: Row, settings: Partial<Settings> = {}, at = now) {
  return planRow(row, makeContext({ settings: makeSettings(settings), now: at }));
}

describe("who wins a conflict", () => {
  it("is the same for every field, or named by field", () => {
    expect(conflictOf("status", { conflict: "board" })).toBe("board");
    const conflict = { status: "hold", labels: "board", state: "pause", default: "tracker" } as const;
    const fields = ["status", "roadmapColumn", "label:bug", "state", "milestone"] as const;
    expect(fields.map((field) => conflictOf(field, { conflict }))).toEqual([
      "hold",
      "tracker",
      "board",
      "pause",
      "tracker",
    ]);
    expect(conflictOf("onRoadmap", { conflict: { status: "hold" } })).toBe("tracker");
  });

  it("differs from field to field of one post", () => {
    const rules: readonly Rule[] = [
      { when: { state: "closed" }, set: { status: "completed", onRoadmap: false } },
    ];
    const base = { status: makeBase(aim("planned"), "planned"), onRoadmap: makeBase(aim(true), true) };
    const values = { status: "later", onRoadmap: null, votes: 1 };
    const row = makeRow(values, { links: [makeLink(done)], base });
    const conflict = { status: "board", onRoadmap: "hold" } as const;
    expect(plan(row, { rules, conflict }).notes.map(({ message }) => message)).toEqual([
      "status is `later` on the board, the issue asks for `completed`: the board's side wins",
    ]);
    expect(
      plan({ ...row, post: { ...row.post, values: { ...values, onRoadmap: true } } }, { rules, conflict })
        .actions,
    ).toMatchObject([{ writes: [{ field: "onRoadmap", value: false }], hold: undefined }]);
  });
});

describe("row 32: with `conflict: pause` a person's change pauses the post", () => {
  const conflict = "pause";

  function moved(
    shown: FieldValue,
    base: FieldBase = makeBase(aim("planned"), "planned", { foreign: "open" }),
    changes: Partial<Row> = {},
    issue = scheduled,
  ): Row {
    return makeRow(
      { status: shown, votes: 4 },
      { links: [makeLink(issue)], base: { status: base }, ...changes },
    );
  }

  it("where the issue stands still, and says why", () => {
    const row = moved("later");
    const decision = plan(row, { conflict });
    expect(decision.pauses).toBe("status was set to `later` on the board, and the issue asks for `planned`");
    expect(decision.actions).toEqual([]);
    expect(decision.base).toEqual({ status: makeBase(aim("planned"), "later", { foreign: "later" }) });
    expect(decision.notes.map(({ kind }) => kind)).toEqual(["disagreement"]);
    expect(plan({ ...row, base: decision.base }, { conflict }).pauses).toBeUndefined();
  });

  it("where the issue asks for something else, which goes when the post is resumed", () => {
    const row = moved("later", undefined, {}, done);
    const decision = plan(row, { conflict });
    expect(decision.pauses).toBe(
      "status was set to `later` on the board, and the issue asks for `completed`",
    );
    expect(decision.actions).toMatchObject([
      { kind: "patch-post", writes: [{ before: "later", value: "completed" }], hold: undefined },
    ]);
    const resumed = plan({ ...row, base: decision.base }, { conflict });
    expect([resumed.pauses, resumed.actions]).toEqual([undefined, decision.actions]);
    const [patch] = resumed.actions;
    const applied = patch?.kind === "patch-post" ? recordApplied(row, patch, undefined) : {};
    expect(applied.status).toMatchObject({ post: "completed", foreign: "later" });
  });

  it("at once, also while the issue's side settles", () => {
    const decision = plan(moved("later", undefined, {}, done), { conflict, settleMs: 60_000 });
    expect(decision.pauses).toContain("asks for `completed`");
    expect([decision.actions, decision.dueAt]).toEqual([[], now + 60_000]);
  });

  it("where the issue asks for nothing any more, and what the person has set stays", () => {
    const decision = plan(moved("later", undefined, {}, untouched), { conflict });
    expect(decision.pauses).toBe("status was set to `later` on the board, and the issue asks for nothing");
    expect([decision.actions, decision.base.status?.post]).toEqual([[], "later"]);
  });

  it("where the issue was closed for a reason that no rule names", () => {
    const issue = makeIssue({ state: "closed", stateReason: "not_planned" });
    const rules: readonly Rule[] = [
      { when: { state: "closed", reason: ["completed"] }, set: { status: "done" } },
    ];
    const decision = plan(moved("later", undefined, {}, issue), { conflict, rules });
    expect(decision.pauses).toContain("set to `later`");
    expect(decision.notes.map(({ message }) => message)).toEqual([expect.stringContaining("stays as it is")]);
  });

  it("once the issue asks for something, where nothing was asked for when the person moved it", () => {
    const row = moved("later", makeBase(noTarget, "open"), {}, untouched);
    const { base } = plan(row, { conflict });
    const asked = { ...row, base: { ...row.base, ...base }, links: [makeLink(done)] };
    const decision = plan(asked, { conflict });
    expect([decision.pauses, decision.actions.length]).toEqual([
      "status was set to `later` on the board, and the issue asks for `completed`",
      1,
    ]);
    expect(decision.base.status).toMatchObject({ post: "later", foreign: "later" });
    // Whoever takes it back has moved nothing.
    const back = moved("open", { ...makeBase(noTarget, "open"), ...base.status }, {}, done);
    expect(plan(back, { conflict }).pauses).toBeUndefined();
  });

  it.each<[string, Row]>([
    ["nobody has moved it", moved("planned")],
    ["the person gives the issue what it asks for", moved("completed", undefined, {}, done)],
    ["the issue has never asked for anything", moved("later", makeBase(noTarget, "open"), {}, untouched)],
    ["nothing was known of it", moved("later", makeBase(aim("planned"), undefined))],
    [
      "it is the first look after our own write, and the board may have made something else of it",
      moved("later", makeBase(aim("planned"), "planned", { written: { sent: "planned", shown: undefined } })),
    ],
    ["the post is missing", moved("later", undefined, { missing: 1 })],
  ])("not where %s", (_, row) => {
    expect(plan(row, { conflict }).pauses).toBeUndefined();
  });

  it("and holds what is in conflict where nobody can tell whether a person moved it", () => {
    const written = { sent: "planned", shown: undefined };
    const row = moved("later", makeBase(aim("planned"), "planned", { written }), {}, done);
    const decision = plan(row, { conflict });
    expect([decision.pauses, decision.actions]).toMatchObject([undefined, [{ hold: { cause: "conflict" } }]]);
  });

  it("not where the board may have moved the roadmap by itself, after a status of ours", () => {
    const rules: readonly Rule[] = [
      { when: { milestone: "any" }, set: { status: "planned", roadmapColumn: "PLANNED" } },
    ];
    const base = {
      status: makeBase(aim("planned"), "planned"),
      roadmapColumn: makeBase(aim("PLANNED"), "PLANNED"),
    };
    const values = { status: "planned", roadmapColumn: "IN_PROGRESS" };
    const row = (changes: Partial<Row>) =>
      makeRow(values, { links: [makeLink(scheduled)], base, ...changes });
    const accepted = (field: "status" | "onRoadmap") => [{ at: 0, writes: [{ field, value: "planned" }] }];
    const pausesOf = (changes: Partial<Row>) => plan(row(changes), { rules, conflict }).pauses;
    expect(pausesOf({})).toContain("roadmapColumn was set to `IN_PROGRESS`");
    expect(pausesOf({ accepted: accepted("onRoadmap") })).toContain("roadmapColumn");
    expect(pausesOf({ accepted: accepted("status") })).toBeUndefined();
  });
});
