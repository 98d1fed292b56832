import { describe, expect, it } from "vitest";
import type { Issue } from "../../src/model/issue.ts";
import type { FieldBase, FieldWrite, LinkedIssue, Row, Target } from "../../src/model/link.ts";
import type { FieldValue } from "../../src/model/post.ts";
import type { Note, PatchPost } from "../../src/plan/ground/action.ts";
import { doubtSignature, refusalSignature } from "../../src/plan/ground/identity.ts";
import { isInDoubt } from "../../src/plan/ground/obstacle.ts";
import type { PlanContext, Settings } from "../../src/plan/ground/settings.ts";
import { adoptRow, planRow, recordApplied } from "../../src/plan/plan.ts";
import {
  aim,
  done,
  makeAdopted,
  makeBase,
  makeContext,
  makeIssue,
  makeLink,
  makeParked,
  makeRow,
  makeSettings,
  noTarget,
  postId,
  quarantine,
  scheduled,
  started,
  statusRules,
  unreadable,
  untouched,
} from "./make.ts";

const now = 1_000_000;

/** A post with a status, linked to an issue that boardsync opened. */
function linked(
  issue: Issue,
  status: FieldValue | undefined,
  base?: FieldBase,
  changes: Partial<Row> = {},
): Row {
  return makeRow(status === undefined ? {} : { status, votes: 4 }, {
    links: [makeLink(issue)],
    base: base === undefined ? {} : { status: base },
    ...changes,
  });
}

/** The PATCH that sets the status. */
function patch(
  before: FieldValue | undefined,
  value: FieldValue,
  reason: string,
  target: Target = aim(value),
): PatchPost {
  return {
    kind: "patch-post",
    post: postId,
    writes: [{ field: "status", before, value, target }],
    reason,
    notifies: 4,
    hold: undefined,
  };
}

function plan(row: Row, settings: Partial<Settings> = {}, at = now) {
  return planRow(row, makeContext({ settings: makeSettings(settings), now: at }));
}

const closed = "issue #12 closed as completed → rule 1";

/** What is said of a status that the board shows and one that the issue asks for. */
function apart(shown: string, wanted: string, why: string): Note {
  const message = `status is \`${shown}\` on the board, the issue asks for \`${wanted}\`: ${why}`;
  return { kind: "disagreement", field: "status", message };
}

describe("a field without a base", () => {
  it("row 1: a new issue that a rule matches moves its post at once", () => {
    expect(plan(linked(done, "open"))).toEqual({
      post: postId,
      actions: [patch("open", "completed", closed)],
      base: { status: makeBase(noTarget, undefined, { pending: { target: aim("completed"), since: now } }) },
      issueBases: [],
      notes: [],
      standing: { kind: "linked", reason: "linked to #12" },
      stopped: [],
      settling: undefined,
      dueAt: undefined,
    });
  });

  it("row 2: a new issue whose post already stands there is agreed", () => {
    const decision = plan(linked(started, "In Progress"));
    expect(decision.actions).toEqual([]);
    expect(decision.base).toEqual({
      status: makeBase(aim("in_progress"), "In Progress", { foreign: "In Progress" }),
    });
  });

  it("row 3: a board with history is not moved backwards by its first plan", () => {
    const decision = plan(linked(scheduled, "completed"));
    expect(decision.actions).toEqual([]);
    expect(decision.base).toEqual({
      status: makeBase(aim("planned"), "completed", { foreign: "completed" }),
    });
    expect(decision.notes).toEqual([
      {
        kind: "disagreement",
        field: "status",
        message:
          "status is `completed` on the board, the issue asks for `planned`: a more advanced rule sets that, and a first plan moves no post backwards",
      },
    ]);
  });

  it("row 3: a post that stands where a less advanced rule would put it is moved on", () => {
    expect(plan(linked(started, "planned")).actions).toEqual([
      patch("planned", "in_progress", "issue #12 open → rule 2"),
    ]);
  });

  it("row 3: a first write that is still settling moves no post backwards either", () => {
    const row = linked(done, "in_progress");
    const first = plan(row, { settleMs: 600 });
    const later = { ...row, links: [makeLink(scheduled)], base: first.base };
    const decision = plan(later, { settleMs: 600 }, now + 1000);
    expect(decision.actions).toEqual([]);
    expect(decision.notes.map(({ kind }) => kind)).toEqual(["disagreement"]);
  });

  it("row 4: a new issue that no rule matches is recorded", () => {
    const decision = plan(linked(untouched, "open"));
    expect(decision.actions).toEqual([]);
    expect(decision.base).toEqual({ status: makeBase(noTarget, "open", { foreign: "open" }) });
  });

  it("row 5: an adopted pair is taken as it is, and said where it differs", () => {
    const decision = plan(linked(done, "open", undefined, { links: [makeAdopted(done)] }));
    expect(decision.actions).toEqual([]);
    expect(decision.base).toEqual({ status: makeBase(aim("completed"), "open", { foreign: "open" }) });
    expect(decision.notes).toEqual([
      {
        kind: "disagreement",
        field: "status",
        message:
          "status is `open` on the board, the issue asks for `completed`: both sides are taken as they are",
      },
    ]);
  });

  it.each([
    ["the same value", makeAdopted(done), "Completed"],
    ["no rule", makeAdopted(untouched), "open"],
  ])("row 5: an adopted pair with %s has nothing to say", (_, link, status) => {
    const decision = plan(linked(done, status, undefined, { links: [link] }));
    expect([decision.actions, decision.notes]).toEqual([[], []]);
  });

  it("row 5: one adopted issue among opened ones makes the whole pair adopted", () => {
    const links = [makeLink(done), makeAdopted({ ...done, number: 13 })];
    expect(plan(linked(done, "open", undefined, { links })).actions).toEqual([]);
  });

  it("row 5: an adopted pair has no first plan, also where its post could not be seen then", () => {
    const unseen = linked(started, "completed", makeBase(noTarget, undefined), {
      links: [makeAdopted(started)],
    });
    const first = plan(unseen);
    const again = plan({ ...unseen, base: first.base });
    for (const { actions } of [first, again])
      expect(actions).toEqual([patch("completed", "in_progress", "issue #12 open → rule 2")]);
  });

  it("row 1: a field that could not be decided with the others has its first plan once it can be", () => {
    const rules = [{ when: { state: "closed" as const }, set: { onRoadmap: false } }, ...statusRules];
    const base = { onRoadmap: makeBase(noTarget, true) };
    const row = makeRow({ status: "open", votes: 4, onRoadmap: true }, { links: [makeLink(started)], base });
    expect(plan(row, { rules }).actions).toEqual([patch("open", "in_progress", "issue #12 open → rule 3")]);
  });

  it("row 26: what just this record shows, and nobody can read, is not written over; the other fields are", () => {
    const rules = [{ when: { state: "closed" as const }, set: { status: "completed", onRoadmap: false } }];
    const row = makeRow({ onRoadmap: true }, { links: [makeLink(done)] });
    const { actions, notes } = plan({ ...row, post: { ...row.post, unread: ["status"] } }, { rules });
    expect(actions.map((action) => action.kind === "patch-post" && action.writes)).toEqual([
      [{ field: "onRoadmap", before: true, value: false, target: aim(false) }],
    ]);
    const told = { kind: "undecided", message: expect.stringContaining("a `status` that can't be read") };
    expect(notes).toMatchObject([told]);
    const at = (target: string) => ({
      ...row,
      post: { ...row.post, unread: ["status" as const] },
      base: { status: makeBase(aim(target), target) },
    });
    expect(plan(at("completed"), { rules }).notes).not.toContainEqual(told);
    expect(plan(at("open"), { rules }).notes).toContainEqual(expect.objectContaining(told));
    const lost = { ...at("completed"), links: [{ ...makeLink(done), known: undefined }] };
    expect(plan(lost, { rules }).actions).toEqual([]);
  });

  it("a first write that was put off is still a first write, whatever the other fields recorded", () => {
    const rules = [{ when: { state: "closed" as const }, set: { status: "completed", onRoadmap: false } }];
    const row = makeRow({ status: "open", onRoadmap: false }, { links: [makeLink(done)] });
    const first = plan(row, { rules, writes: "issues" });
    expect(first.actions).toEqual([]);
    const second = plan({ ...row, base: first.base }, { rules });
    expect(second.actions.map((action) => action.kind === "patch-post" && action.writes)).toEqual([
      [{ field: "status", before: "open", value: "completed", target: aim("completed") }],
    ]);
  });
});

describe("the issue's side has not moved", () => {
  it("row 6: nothing is done, and nothing is recorded", () => {
    const decision = plan(linked(done, "completed", makeBase(aim("completed"), "Completed")));
    expect([decision.actions, decision.base, decision.notes]).toEqual([[], {}, []]);
  });

  it("row 6: a target that went back before it was acted on never happened", () => {
    const pending = { target: aim("completed"), since: 1 };
    const decision = plan(
      linked(started, "in_progress", makeBase(aim("in_progress"), "in_progress", { pending })),
    );
    expect(decision.actions).toEqual([]);
    expect(decision.base).toEqual({ status: makeBase(aim("in_progress"), "in_progress") });
  });

  it("row 7: a post that a person moved stays where it is", () => {
    const written = { sent: "in_progress", shown: "in_progress" };
    const decision = plan(
      linked(started, "later", makeBase(aim("in_progress"), "in_progress", { foreign: "open", written })),
    );
    expect(decision.actions).toEqual([]);
    expect(decision.notes).toEqual([apart("later", "in_progress", "it stays so until the issue changes")]);
    expect(decision.base).toEqual({ status: makeBase(aim("in_progress"), "later", { foreign: "later" }) });
  });

  it("row 8: the board's spelling of what was sent is remembered", () => {
    const written = { sent: "in_progress", shown: undefined };
    const decision = plan(
      linked(
        started,
        "In Progress",
        makeBase(aim("in_progress"), "in_progress", { foreign: "open", written }),
      ),
    );
    expect([decision.actions, decision.notes]).toEqual([[], []]);
    expect(decision.base).toEqual({
      status: makeBase(aim("in_progress"), "In Progress", {
        foreign: "open",
        written: { sent: "in_progress", shown: "In Progress" },
      }),
    });
  });

  it("row 8: an answer that still showed the old value is forgotten once the listing shows what was sent", () => {
    const written = { sent: "in_progress", shown: "open" };
    const decision = plan(
      linked(
        started,
        "in_progress",
        makeBase(aim("in_progress"), "in_progress", { foreign: "open", written }),
      ),
    );
    expect(decision.notes).toEqual([]);
    expect(decision.base.status?.written).toEqual({ sent: "in_progress", shown: "in_progress" });
  });

  it("row 6: two sides that differ are listed for as long as they do", () => {
    const row = linked(started, "later", makeBase(aim("in_progress"), "later", { foreign: "later" }));
    const decision = plan(row);
    expect([decision.actions, decision.base]).toEqual([[], {}]);
    expect(decision.notes).toEqual([apart("later", "in_progress", "it stays so until the issue changes")]);
  });

  it("row 6: what our write left is no write that did not stick when only the rules ask for more", () => {
    const written = { sent: "doing", shown: "Doing" };
    const row = linked(started, "Doing", makeBase(aim("in_progress"), "Doing", { foreign: "open", written }));
    expect(plan(row).notes).toEqual([apart("Doing", "in_progress", "it stays so until the issue changes")]);
  });

  it("row 9: another value than the one sent is said for as long as it stands, and stays ours", () => {
    const written = { sent: "in_progress", shown: "doing" };
    const row = linked(
      started,
      "doing",
      makeBase(aim("in_progress"), "in_progress", { foreign: "open", written }),
    );
    const decision = plan(row);
    expect(decision.actions).toEqual([]);
    expect(decision.notes).toEqual([
      {
        kind: "did-not-stick",
        field: "status",
        message:
          "status was sent as `in_progress`, and the board shows `doing`: it did not take the value, or someone has changed it since; it is not sent again",
      },
    ]);
    expect(decision.base).toEqual({
      status: makeBase(aim("in_progress"), "doing", { foreign: "open", written }),
    });
    const again = plan({ ...row, base: decision.base });
    expect([again.actions, again.base, again.notes]).toEqual([[], {}, decision.notes]);
  });

  it("row 9: is said beside what the issue's side does meanwhile", () => {
    const written = { sent: "in_progress", shown: "doing" };
    const base = makeBase(aim("in_progress"), "in_progress", { foreign: "open", written });
    const decision = plan(linked(done, "doing", base));
    expect(decision.notes.map(({ kind }) => kind)).toEqual(["did-not-stick"]);
    expect(decision.actions).toHaveLength(1);
  });

  it.each([
    ["an answer without a record", undefined],
    ["an answer that showed a third value", "doing"],
  ])("row 10: a write that did not stick after %s is never sent again for this change", (_, shown) => {
    const written = { sent: "in_progress", shown };
    const row = linked(
      started,
      "open",
      makeBase(aim("in_progress"), "in_progress", { foreign: "new", written }),
    );
    const decision = plan(row);
    expect(decision.actions).toEqual([]);
    expect(decision.notes.map(({ kind }) => kind)).toEqual(["did-not-stick"]);
    expect(decision.base).toEqual({ status: makeBase(aim("in_progress"), "open", { foreign: "open" }) });
    const again = plan({ ...row, base: decision.base });
    expect([again.actions, again.base]).toEqual([[], {}]);
    expect(again.notes).toEqual([apart("open", "in_progress", "it stays so until the issue changes")]);
  });
});

describe("the issue's side has moved", () => {
  it("row 11: both sides came to the same by themselves", () => {
    const decision = plan(
      linked(done, "Completed", makeBase(aim("planned"), "planned", { foreign: "open" })),
    );
    expect(decision.actions).toEqual([]);
    expect(decision.base).toEqual({
      status: makeBase(aim("completed"), "Completed", { foreign: "Completed" }),
    });
  });

  it("row 11: the value that the board shows for what is asked for counts as that", () => {
    const written = { sent: "in_progress", shown: "doing" };
    const decision = plan(
      linked(started, "doing", makeBase(noTarget, "doing", { foreign: "open", written })),
    );
    expect(decision.actions).toEqual([]);
    expect(decision.base).toEqual({
      status: makeBase(aim("in_progress"), "doing", { foreign: "open", written }),
    });
  });

  it("row 12: a target waits until it has stood for `settle`, and says until when", () => {
    const base = makeBase(aim("planned"), "planned");
    const first = plan(linked(done, "planned", base), { settleMs: 600 });
    expect(first.actions).toEqual([]);
    expect(first.dueAt).toBe(now + 600);
    expect(first.notes).toEqual([
      {
        kind: "settling",
        field: "status",
        until: now + 600,
        message: "status becomes `completed`, unless the issue changes again before 1970-01-01T00:16:40.600Z",
      },
    ]);
    const pending = { target: aim("completed"), since: now };
    expect(first.base).toEqual({ status: { ...base, pending } });

    const row = linked(done, "planned", { ...base, pending });
    expect(plan(row, { settleMs: 600 }, now + 599).actions).toEqual([]);
    expect(plan(row, { settleMs: 600 }, now + 600).actions).toEqual([patch("planned", "completed", closed)]);
  });

  it("row 12: another target starts the wait anew", () => {
    const pending = { target: aim("completed"), since: now - 599 };
    const row = linked(started, "planned", makeBase(aim("planned"), "planned", { pending }));
    expect(plan(row, { settleMs: 600 }).base.status?.pending).toEqual({
      target: aim("in_progress"),
      since: now,
    });
  });

  it("row 12: the loss of every rule settles, too", () => {
    const written = { sent: "planned", shown: "planned" };
    const row = linked(
      untouched,
      "planned",
      makeBase(aim("planned"), "planned", { foreign: "open", written }),
    );
    const decision = plan(row, { settleMs: 600 });
    expect(decision.actions).toEqual([]);
    expect(decision.notes.map(({ message }) => message)).toEqual([
      "status has no rule any more, unless the issue changes again before 1970-01-01T00:16:40.600Z",
    ]);
  });

  it("row 12: the soonest of several waits decides when the row is looked at again", () => {
    const rules = [{ when: { state: "closed" as const }, set: { status: "completed", onRoadmap: false } }];
    const base = {
      status: makeBase(aim("planned"), "planned", {
        pending: { target: aim("completed"), since: now - 100 },
      }),
      onRoadmap: makeBase(noTarget, true),
    };
    const row = makeRow({ status: "planned", onRoadmap: true }, { links: [makeLink(done)], base });
    expect(plan(row, { rules, settleMs: 600 }).dueAt).toBe(now + 500);
  });

  it("row 13: a post that nobody touched follows its issue", () => {
    const decision = plan(linked(done, "planned", makeBase(aim("planned"), "Planned")));
    expect(decision.actions).toEqual([patch("planned", "completed", closed)]);
  });

  it("row 14: with `conflict: tracker` the issue wins, and the person's value is what a restore goes back to", () => {
    const row = linked(done, "later", makeBase(aim("planned"), "planned", { foreign: "open" }));
    const decision = plan(row, { conflict: "tracker" });
    const write = patch("later", "completed", closed);
    expect(decision.actions).toEqual([write]);
    expect(recordApplied(row, write, undefined).status?.foreign).toBe("later");
  });

  it("row 15: with `conflict: board` the person wins, and it is said", () => {
    const row = linked(done, "later", makeBase(aim("planned"), "planned", { foreign: "open" }));
    const decision = plan(row, { conflict: "board" });
    expect(decision.actions).toEqual([]);
    expect(decision.base).toEqual({ status: makeBase(aim("completed"), "later", { foreign: "later" }) });
    expect(decision.notes).toEqual([
      {
        kind: "disagreement",
        field: "status",
        message: "status is `later` on the board, the issue asks for `completed`: the board's side wins",
      },
    ]);
    const again = plan({ ...row, base: decision.base }, { conflict: "board" });
    expect([again.actions, again.base]).toEqual([[], {}]);
    expect(again.notes).toEqual([apart("later", "completed", "it stays so until the issue changes")]);
  });

  it("row 16: with `conflict: hold` a person is asked, and asked again, while other fields go on", () => {
    const rules = [{ when: { state: "closed" as const }, set: { status: "completed", onRoadmap: false } }];
    const base = { status: makeBase(aim("planned"), "planned"), onRoadmap: makeBase(noTarget, true) };
    const row = makeRow({ status: "later", onRoadmap: true }, { links: [makeLink(done)], base });
    const decision = plan(row, { rules, conflict: "hold" });
    expect(decision.actions).toMatchObject([{ writes: [{ field: "onRoadmap", value: false }], notifies: 0 }]);
    expect(decision.notes).toEqual([
      {
        kind: "held",
        cause: "conflict",
        field: "status",
        message:
          "status was set to `later` on the board while the issue asks for `completed`: a person has to choose",
      },
    ]);
    const again = plan({ ...row, base: { ...base, ...decision.base } }, { rules, conflict: "hold" }, now + 5);
    expect(again.notes).toEqual(decision.notes);
    expect(again.base).toEqual({});
  });

  const ours = makeBase(aim("planned"), "Planned", {
    foreign: "open",
    written: { sent: "planned", shown: "Planned" },
  });

  it("row 17: when no rule matches any more, the last value that was not ours comes back", () => {
    const row = linked(makeIssue({ stateReason: "reopened" }), "Planned", ours);
    const write = patch(
      "Planned",
      "open",
      "issue #12 reopened → no rule any more; status back to what it was before",
      noTarget,
    );
    expect(plan(row).actions).toEqual([write]);
    expect(recordApplied(row, write, undefined)).toEqual({
      status: makeBase(noTarget, "open", { foreign: "open" }),
    });
  });

  it("row 17: a value that the board gave to ours is undone as well", () => {
    const written = { sent: "planned", shown: "soon" };
    const row = linked(untouched, "soon", { ...ours, post: "soon", written });
    expect(plan(row).actions).toMatchObject([
      { writes: [{ before: "soon", value: "open", target: noTarget }] },
    ]);
  });

  it("row 17: a category may be cleared again", () => {
    const rules = [{ when: { state: "closed" as const }, set: { categoryId: "shipped" } }];
    const written = { sent: "shipped", shown: "shipped" };
    const base = { categoryId: makeBase(aim("shipped"), "shipped", { foreign: null, written }) };
    const row = makeRow({ categoryId: "shipped" }, { links: [makeLink(untouched)], base });
    expect(plan(row, { rules }).actions).toMatchObject([{ writes: [{ field: "categoryId", value: null }] }]);
  });

  it.each<[string, FieldBase, FieldValue, Partial<Settings>, Partial<FieldBase>]>([
    [
      "`whenNoRule: keep`",
      ours,
      "Planned",
      { whenNoRule: "keep" },
      { foreign: "open", written: ours.written },
    ],
    ["a post that a person moved", ours, "later", {}, { foreign: "later" }],
    [
      "a value that boardsync never wrote",
      makeBase(aim("planned"), "planned"),
      "planned",
      {},
      { foreign: "planned" },
    ],
    [
      "no known value to go back to",
      { ...ours, foreign: undefined },
      "Planned",
      {},
      { foreign: undefined, written: ours.written },
    ],
    [
      "a value that the API can't write",
      { ...ours, foreign: null },
      "Planned",
      {},
      { foreign: null, written: ours.written },
    ],
    ["a value that is there already", { ...ours, foreign: "Planned" }, "Planned", {}, { foreign: "Planned" }],
  ])("row 18: %s is only recorded", (_, base, status, settings, expected) => {
    const decision = plan(linked(untouched, status, base), settings);
    expect([decision.actions, decision.notes]).toEqual([[], []]);
    expect(decision.base).toEqual({ status: makeBase(noTarget, status, expected) });
  });
});

describe("a field that the board does not show", () => {
  const blind = makeContext({ seen: new Set(["title"]), now });

  it("row 19: is written once per change of its target", () => {
    const row = makeRow({}, { links: [makeLink(done)] });
    const [action] = planRow(row, blind).actions;
    expect(action).toEqual({ ...patch(undefined, "completed", closed), notifies: null });
    const base = recordApplied(row, action as PatchPost, undefined);
    expect(base.status).toEqual(
      makeBase(aim("completed"), "completed", { written: { sent: "completed", shown: undefined } }),
    );
    const after = planRow({ ...row, base }, blind);
    expect([after.actions, after.base]).toEqual([[], {}]);
    const moved = planRow({ ...row, base, links: [makeLink(started)] }, blind);
    expect(moved.actions).toMatchObject([{ writes: [{ value: "in_progress" }] }]);
  });

  it("row 20: is never restored", () => {
    const base = makeBase(aim("completed"), "completed", {
      written: { sent: "completed", shown: undefined },
    });
    const decision = planRow(makeRow({}, { links: [makeLink(untouched)], base: { status: base } }), blind);
    expect(decision.actions).toEqual([]);
    expect(decision.base).toEqual({ status: { ...base, target: noTarget } });
  });

  it("row 20: is recorded without a note where the pair was adopted", () => {
    const decision = planRow(makeRow({}, { links: [makeAdopted(done)] }), blind);
    expect([decision.actions, decision.notes]).toEqual([[], []]);
    expect(decision.base).toEqual({ status: makeBase(aim("completed"), undefined) });
  });

  it("is a person's own value from the moment that the board shows it", () => {
    const row = linked(done, "open", makeBase(aim("completed"), undefined));
    expect(plan(row).base).toEqual({ status: makeBase(aim("completed"), "open", { foreign: "open" }) });
  });

  it("has no conflict on the first look, where the issue has moved as well", () => {
    const row = linked(done, "open", makeBase(aim("planned"), undefined));
    expect(plan(row, { conflict: "hold" }).actions).toEqual([patch("open", "completed", closed)]);
  });
});

describe("what is to be written stays out of the plan", () => {
  const base = makeBase(aim("planned"), "planned");
  const waiting = { status: { ...base, pending: { target: aim("completed"), since: now } } };
  const write = patch("planned", "completed", closed);
  const statusWrite: FieldWrite = {
    field: "status",
    before: "planned",
    value: "completed",
    target: aim("completed"),
  };

  it.each<[string, Row, string]>([
    [
      "an archived post",
      makeRow({ status: "planned", isArchived: true }, { links: [makeLink(done)], base: { status: base } }),
      "status would become `completed`, but the post is archived",
    ],
    [
      "a missing post",
      linked(done, "planned", base, { missing: 1, missingSince: 1 }),
      "status would become `completed`, but the board no longer lists the post",
    ],
    [
      "a post that the board does not know where it is to be changed",
      linked(done, "planned", base, { missing: 1 }),
      "status would become `completed`, but the board says that it does not know the post",
    ],
  ])("row 21: for %s, and it is said", (_, row, message) => {
    const decision = plan(row);
    expect(decision.actions).toEqual([]);
    expect(decision.base).toEqual(waiting);
    expect(decision.notes).toEqual([{ kind: "disagreement", field: "status", message }]);
  });

  it.each<[string, Target, FieldValue, Issue]>([
    ["agrees with a target that moved", aim("planned"), "completed", done],
    ["was left by our write, which no rule asks for any more", aim("in_progress"), "in_progress", untouched],
  ])(
    "row 21: what a missing post showed last %s, and T₀ stays until it is back",
    (_, target, shown, issue) => {
      const written = { sent: shown, shown };
      const known = makeBase(target, shown, { foreign: "open", ...(issue === untouched && { written }) });
      const missing = linked(issue, shown, known, { missing: 2 });
      const { actions, base: recorded } = plan(missing);
      expect([actions, recorded.status]).toMatchObject([[], { ...known, pending: { since: now } }]);
      const back = linked(issue, shown, recorded.status, { missing: 0 });
      expect(plan(back).actions.length).toBe(issue === untouched ? 1 : 0);
    },
  );

  it("row 5: a missing post's pair is taken as it is without what the post showed last", () => {
    const { base: recorded } = adoptRow(linked(done, "planned", base, { missing: 1 }), makeContext());
    expect(recorded.status).toEqual({ ...base, target: aim("completed") });
  });

  it.each<[string, Row, string]>([
    [
      "is quarantined",
      linked(done, "planned", base, { notes: [quarantine] }),
      "its status flapped too often; `boardsync release` goes on with it",
    ],
    [
      "has flapped",
      linked(done, "planned", base, { statusWrites: [1, 2, 3] }),
      "its status was written 3 times in 24 hours and would change again; `guard.flips` allows 3",
    ],
  ])("row 22: for a post that %s, and it is said", (_, row, message) => {
    const decision = plan(row);
    expect(decision.actions).toEqual([]);
    expect(decision.base).toEqual(waiting);
    expect(decision.notes).toEqual([{ kind: "quarantined", message }]);
  });

  it("row 22: the last change that `flips` allows still goes, and so does one that notifies nobody", () => {
    expect(plan(linked(done, "planned", base, { statusWrites: [1, 2] })).actions).toEqual([write]);
    const rules = [{ when: { state: "closed" as const }, set: { onRoadmap: false } }];
    const row = makeRow(
      { onRoadmap: true },
      { links: [makeLink(done)], base: { onRoadmap: makeBase(noTarget, true) }, statusWrites: [1, 2, 3] },
    );
    expect(plan(row, { rules }).actions).toHaveLength(1);
  });

  it("row 23: the same write as the refused one waits, another one goes", () => {
    const same = makeParked(
      "patch-post",
      refusalSignature(write, makeSettings(), linked(done, "planned", base).post),
    );
    const decision = plan(linked(done, "planned", base, { notes: [same] }));
    expect([decision.actions, decision.base, decision.notes]).toEqual([[], waiting, []]);
    expect(plan(linked(started, "planned", base, { notes: [same] })).actions).toHaveLength(1);
    const other = makeParked("create-issue", same.action.signature);
    expect(plan(linked(done, "planned", base, { notes: [other] })).actions).toEqual([write]);
  });

  it("row 23: other settings let a refused write go again, but none whose outcome is in doubt", () => {
    const settings = { conflict: "hold" } as const;
    const refused = makeParked(
      "patch-post",
      refusalSignature(write, makeSettings(), linked(done, "planned", base).post),
    );
    expect(plan(linked(done, "planned", base, { notes: [refused] }), settings).actions).toEqual([write]);
    const unsure = makeParked("patch-post", doubtSignature(write));
    expect(plan(linked(done, "planned", base, { notes: [unsure] }), settings).actions).toEqual([]);
  });

  it.each<[string, FieldWrite, boolean]>([
    [
      "with another field beside it",
      { field: "onRoadmap", before: true, value: false, target: noTarget },
      true,
    ],
    ["that the post shows moved", { ...statusWrite, before: "open" }, true],
    ["in another spelling", { ...statusWrite, value: "Completed" }, true],
    ["with another value", { ...statusWrite, value: "closed" }, false],
  ])("row 23: a status in doubt stops a PATCH %s: %s", (_, other, isStopping) => {
    const writes = other.field === "status" ? [other] : [statusWrite, other];
    const unsure = makeParked("patch-post", doubtSignature({ ...write, writes }));
    const { actions } = plan(linked(done, "planned", base, { notes: [unsure] }));
    expect(actions).toEqual(isStopping ? [] : [write]);
  });

  it("row 24: while the outcome of a PATCH is open, not even a base moves", () => {
    const row = linked(done, "completed", base, { openIntents: ["patch-post"] });
    const decision = plan(row);
    expect([decision.actions, decision.base, decision.notes]).toEqual([[], {}, []]);
  });

  it.each(["issues", "none"] as const)("row 25: with `writes: %s`, silently", (writes) => {
    const decision = plan(linked(done, "planned", base), { writes });
    expect([decision.actions, decision.base, decision.notes]).toEqual([[], waiting, []]);
  });

  it.each<[string, LinkedIssue, string]>([
    ["can't be read", makeLink(undefined), "issue #12 can't be read"],
    ["is gone", makeLink(done, { isGone: true }), "every linked issue is gone from the tracker"],
  ])("row 26: where the issue %s, nothing changes and it is said", (_, link, message) => {
    const decision = plan(linked(done, "planned", base, { links: [link] }));
    expect([decision.actions, decision.base]).toEqual([[], {}]);
    expect(decision.notes).toEqual([{ kind: "undecided", cause: "undecided", message }]);
  });

  it("row 26: where the issue shows more than can be read, which only people can end", () => {
    const tooMany = { ...unreadable("more than 100 pull requests"), isTooLarge: true } as const;
    const link = makeLink(done, { signals: { pullRequests: tooMany } });
    const rules = [{ when: { pullRequest: "merged" as const }, set: { status: "completed" } }];
    const decision = plan(linked(done, "planned", base, { links: [link] }), { rules });
    expect([decision.actions, decision.base]).toEqual([[], {}]);
    expect(decision.notes).toMatchObject([{ kind: "undecided", cause: "too-large" }]);
  });
});

describe("a post without an issue", () => {
  it.each<[string, Partial<Row>, string]>([
    ["a person wants none for", { unlinkedAt: 1 }, "a person wants no issue for it"],
    ["the board no longer lists", { missing: 1 }, "the board no longer lists the post"],
    ["is an issue that may become one", { isImport: true }, "an issue that may become a post (`import`)"],
  ])("that %s gets none", (_, changes, reason) => {
    expect(plan(makeRow({ status: "open" })).actions.map(({ kind }) => kind)).toEqual(["create-issue"]);
    const decision = plan(makeRow({ status: "open" }, changes));
    expect([decision.actions, decision.stopped]).toEqual([[], []]);
    expect(decision.standing).toEqual({ kind: "skipped", reason: expect.stringContaining(reason) });
  });

  it("is not told a category by a word of which nobody knows yet what it means", () => {
    const rules = [
      { when: { state: "closed" as const }, set: { status: "completed", categoryId: "Mobile" } },
    ];
    const fieldsBy = (open: readonly string[]): unknown => {
      const [patch] = plan(makeRow({ status: "planned", categoryId: "cat_1" }, { links: [makeLink(done)] }), {
        rules,
        ...(open.length > 0 && { openCategories: { words: {}, written: open, known: [] } }),
      }).actions;
      return patch?.kind === "patch-post" && patch.writes.map(({ field }) => field);
    };
    expect([fieldsBy([]), fieldsBy(["Mobile"]), fieldsBy(["Other"])]).toEqual([
      ["status", "categoryId"],
      ["status"],
      ["status", "categoryId"],
    ]);
  });

  it("gets none while nobody knows whether its category is one that the config names", () => {
    const openCategories = { words: { Security: null }, written: [], known: ["cat_1"] };
    const planIn = (categoryId: string) => plan(makeRow({ status: "open", categoryId }), { openCategories });
    expect(planIn("cat_1").actions.map(({ kind }) => kind)).toEqual(["create-issue"]);
    const reason = 'nobody knows yet whether its category is the config\'s "Security"';
    expect(planIn("cat_9")).toMatchObject({ actions: [], standing: { kind: "skipped", reason } });
  });
});

describe("one PATCH", () => {
  it("carries every field that differs, and restores beside what a rule sets", () => {
    const rules = [
      { when: { state: "closed" as const }, set: { status: "completed", isReviewed: true } },
      {
        when: { labels: ["started"] },
        set: { status: "in_progress", onRoadmap: true, roadmapColumn: "IN_PROGRESS" },
      },
    ];
    const written = { sent: true, shown: true };
    const base = {
      status: makeBase(aim("in_progress"), "in_progress"),
      onRoadmap: makeBase(aim(true), true, { foreign: false, written }),
      roadmapColumn: makeBase(aim("IN_PROGRESS"), "IN_PROGRESS"),
      isReviewed: makeBase(noTarget, true),
    };
    const values = { status: "in_progress", onRoadmap: true, roadmapColumn: "IN_PROGRESS", isReviewed: true };
    const issue = makeIssue({ state: "closed", stateReason: null });
    const decision = plan(makeRow(values, { links: [makeLink(issue)], base }), { rules });
    expect(decision.actions).toEqual([
      {
        kind: "patch-post",
        post: postId,
        writes: [
          { field: "status", before: "in_progress", value: "completed", target: aim("completed") },
          { field: "onRoadmap", before: true, value: false, target: noTarget },
        ],
        reason: "issue #12 closed → rule 1; onRoadmap back to what it was before",
        notifies: 0,
      },
    ]);
  });
});

describe("after the board accepted a PATCH", () => {
  const write = patch("open", "in_progress", "because");

  it.each<[string, FieldValue | undefined]>([
    ["nothing", undefined],
    ["what was sent", "in_progress"],
    ["another value", "doing"],
  ])("the base holds what was sent and that the answer showed %s", (_, shown) => {
    const row = linked(
      started,
      "open",
      makeBase(aim("planned"), "open", { pending: { target: aim("x"), since: 1 } }),
    );
    const answer = { id: postId, values: shown === undefined ? {} : { status: shown } };
    expect(recordApplied(row, write, answer)).toEqual({
      status: makeBase(aim("in_progress"), "in_progress", {
        foreign: "open",
        written: { sent: "in_progress", shown },
      }),
    });
  });

  it("a second write in a row keeps the value that was there before the first", () => {
    const written = { sent: "planned", shown: undefined };
    const row = linked(started, "Planned", makeBase(aim("planned"), "planned", { foreign: "open", written }));
    const second = patch("Planned", "in_progress", "because");
    expect(recordApplied(row, second, undefined).status?.foreign).toBe("open");
  });
});

describe("row 31: while the list still shows the post as it was before our write", () => {
  const written = { sent: "completed", shown: undefined };
  const base = makeBase(aim("completed"), "completed", { foreign: "open", written });
  const sent = [{ field: "status", before: "open", value: "completed" }] as const;
  const late = (issue: Issue) =>
    linked(issue, "open", base, { accepted: [{ at: now - 1000, writes: sent }] });

  it("nothing is written or recorded, and the next run looks again", () => {
    const decision = plan(late(done));
    expect([decision.actions, decision.base, decision.notes]).toEqual([[], {}, []]);
    expect(decision.dueAt).toBe(now);
    const shown = plan(linked(done, "completed", base));
    expect(shown.base.status?.written).toEqual({ sent: "completed", shown: "completed" });
  });

  it("of what settles only the time is recorded, so that it goes on", () => {
    const settling = plan(late(started), { settleMs: 600 });
    expect(settling.actions).toEqual([]);
    expect(settling.base).toEqual({
      status: { ...base, pending: { target: aim("in_progress"), since: now } },
    });
  });

  it("what the issue asks for by now goes, over what was acknowledged", () => {
    const reason = "issue #12 open → rule 2";
    const decision = plan(late(started));
    expect(decision.actions).toEqual([patch("completed", "in_progress", reason)]);
    // The board may refuse it: then no listing has shown yet what became of the write before.
    expect(decision.base.status).toMatchObject({ post: "completed", written });
  });
});

describe("taking both sides as they are", () => {
  it("records every field, writes nothing, and lists what differs", () => {
    const decision = adoptRow(linked(done, "open", makeBase(aim("planned"), "planned")), makeContext());
    expect(decision.actions).toEqual([]);
    expect(decision.base).toEqual({ status: makeBase(aim("completed"), "open", { foreign: "open" }) });
    expect(decision.notes.map(({ kind }) => kind)).toEqual(["disagreement"]);
    expect(decision.standing).toEqual({ kind: "linked", reason: "linked to #12" });
  });

  it("takes a row that can't be decided as soon as it can, and then is over", () => {
    const known = makeBase(noTarget, "open", { foreign: "open" });
    const row = linked(done, "open", known, { links: [makeLink(undefined)] });
    const decision = adoptRow(row, makeContext());
    expect(decision.base).toEqual({ status: { ...known, isAwaited: true } });
    expect(decision.notes.map(({ kind }) => kind)).toEqual(["undecided"]);
    const later = plan({ ...linked(done, "open"), base: decision.base });
    expect(later.actions).toEqual([]);
    expect(later.base).toEqual({ status: makeBase(aim("completed"), "open", { foreign: "open" }) });
    expect(plan(linked(done, "open", known)).actions.map(({ kind }) => kind)).toEqual(["patch-post"]);
  });

  it("says of a value that the board did not take before that it does not stick, without sending it again", () => {
    const written = { sent: "completed", shown: "planned" };
    const row = linked(done, "planned", makeBase(aim("planned"), "planned", { foreign: "open", written }));
    const decision = plan(row);
    expect(decision.actions).toEqual([]);
    expect(decision.notes.map(({ kind }) => kind)).toEqual(["did-not-stick"]);
  });

  it("opens no issue", () => {
    const decision = adoptRow(makeRow({ status: "open" }), makeContext());
    expect([decision.actions, decision.standing.kind]).toEqual([[], "wanted"]);
  });

  it("gives the same again", () => {
    const row = linked(done, "open");
    const { base } = adoptRow(row, makeContext());
    expect(adoptRow({ ...row, base }, makeContext()).base).toEqual({});
    expect(plan({ ...row, base }).actions).toEqual([]);
  });
});

it("names every linked issue, and those that are gone", () => {
  const links = [makeLink(done), makeLink({ ...done, number: 13 }, { isGone: true })];
  expect(plan(linked(done, "completed", undefined, { links })).standing.reason).toBe(
    "linked to #12, #13 (gone)",
  );
});

it("looks only at fields that a rule sets", () => {
  const row = makeRow({ status: "open", onRoadmap: true }, { links: [makeLink(done)] });
  expect(Object.keys(plan(row, { rules: statusRules }).base)).toEqual(["status"]);
});

it("a new issue is promised no PATCH that hangs on a name which was deleted", () => {
  const rules = [{ when: { noLabel: ["doing"] }, set: { status: "planned" } }];
  const context = makeContext({ settings: makeSettings({ rules }) });
  const followUps = (pinsOf: PlanContext["pinsOf"]) =>
    planRow(makeRow({ status: "open" }), { ...context, pinsOf }).actions.map(
      (action) => action.kind === "create-issue" && action.followUp?.writes.map(({ value }) => value),
    );
  const pin = { repositoryId: 7, kind: "label", name: "doing", id: "LA_1" } as const;
  expect(followUps(() => [{ ...pin, now: "doing" }])).toEqual([["planned"]]);
  expect(followUps(() => [{ ...pin, now: undefined }])).toEqual([undefined]);
});

describe("a list that shows less than the one before", () => {
  const linked = (): Row => {
    const text = { content: { titleHash: "old", blockHash: "old" }, others: [] };
    return makeRow(
      { title: "New", description: "New", status: "open" },
      { links: [makeLink(untouched, { text })] },
    );
  };

  it("changes no text, and what it would change is due at once", () => {
    const { actions, dueAt } = planRow(linked(), makeContext({ isCut: true, now: 7 }));
    expect(actions.map(({ kind }) => kind)).not.toContain("update-issue");
    expect(dueAt).toBe(7);
    expect(planRow(linked(), makeContext({ now: 7 })).actions.map(({ kind }) => kind)).toContain(
      "update-issue",
    );
  });

  it("does not end that a status is put back", () => {
    const written = { sent: "completed", shown: "completed" };
    const base = { status: makeBase(aim("completed"), "completed", { foreign: "open", written }) };
    const rules = [{ when: { state: "closed" as const }, set: { status: "completed" } }];
    const context = makeContext({ settings: makeSettings({ rules }) });
    const row = makeRow({ status: "" }, { links: [makeLink(untouched)], base });
    expect(planRow(row, context).actions).toEqual([]);
    expect(planRow(row, context).base.status?.target).toEqual(aim("completed"));
  });
});

it("a post is in doubt while a write of it is under way, or a change of its issue", () => {
  const row = makeRow({}, { links: [makeLink(done)] });
  expect(isInDoubt(row)).toBe(false);
  expect(isInDoubt({ ...row, openIntents: ["patch-post"] })).toBe(true);
  expect(isInDoubt({ ...row, links: [makeLink(done, { isChanging: true })] })).toBe(true);
});
