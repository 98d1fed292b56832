import { describe, expect, it } from "vitest";
import type { FieldBase, Row } from "../../../src/model/link.ts";
import { type PostField, postFields } from "../../../src/model/post.ts";
import type { Rule, RuleSettings, Settings } from "../../../src/plan/ground/settings.ts";
import { planRow, recordApplied } from "../../../src/plan/plan.ts";
import { rebaseRow, retargetNow, retargetWrites } from "../../../src/plan/rules/rebase.ts";
import {
  aim,
  done,
  known,
  makeBase,
  makeContext,
  makeIssue,
  makeLink,
  makePullRequest,
  makeRow,
  makeSettings,
  noTarget,
  scheduled,
  started,
  statusRules,
} from "../make.ts";

const now = 5_000;

/** `completed` is called `shipped` by now. */
const renamed: readonly Rule[] = [
  { when: { state: "closed", reason: ["completed"] }, set: { status: "shipped" } },
  ...statusRules.slice(1),
];
const before: RuleSettings = makeSettings();

function rebase(
  row: Row,
  settings: Partial<Settings>,
  { from = before, seen = postFields }: { from?: RuleSettings | undefined; seen?: readonly PostField[] } = {},
): Partial<Record<string, FieldBase>> {
  return rebaseRow(row, { before: from, settings: makeSettings(settings), seen: new Set(seen), now });
}

/** A closed issue whose post is `completed`, both sides in step. */
function completed(base: Partial<FieldBase> = {}, status = "completed"): Row {
  return makeRow(
    { status, votes: 4 },
    { links: [makeLink(done)], base: { status: makeBase(aim("completed"), status, base) } },
  );
}

/** The row with the bases that a change of the rules has given it. */
function replaceRules(row: Row, settings: Partial<Settings>, from?: RuleSettings): Row {
  return { ...row, base: { ...row.base, ...rebase(row, settings, from === undefined ? {} : { from }) } };
}

function plan(row: Row, settings: Partial<Settings>) {
  return planRow(row, makeContext({ settings: makeSettings(settings), now: now + 1 }));
}

describe("rules that change", () => {
  it("row 28: make a target that is written only when a person lets it go", () => {
    const row = replaceRules(completed(), { rules: renamed });
    expect(row.base.status).toEqual(
      makeBase(aim("shipped"), "completed", { ruled: { from: aim("completed"), since: now } }),
    );
    const { actions, base } = plan(row, { rules: renamed });
    expect(actions).toMatchObject([
      {
        writes: [{ field: "status", before: "completed", value: "shipped", target: aim("shipped") }],
        notifies: 4,
        hold: {
          cause: "rules-changed",
          why: "the rules have changed: they asked for `completed`, and now status would become `shipped`: `boardsync approve` lets it go, `--discard` leaves both sides as they are",
        },
      },
    ]);
    expect(base).toEqual({});
  });

  it("leave a base alone that they make nothing else of", () => {
    expect(rebase(completed(), { rules: renamed.slice(1), whenNoRule: "keep" })).toMatchObject({
      status: { target: noTarget },
    });
    expect(rebase(completed(), { several: "any" })).toEqual({});
  });

  it("keep the base of a field whose issue has moved since, so that the change is written", () => {
    const row = makeRow(
      { status: "planned" },
      { links: [makeLink(done)], base: { status: makeBase(aim("planned"), "planned") } },
    );
    expect(rebase(row, { rules: renamed })).toEqual({});
    expect(plan(row, { rules: renamed }).actions).toMatchObject([
      { writes: [{ value: "shipped" }], hold: undefined },
    ]);
  });

  it("hold nothing where the post stands already where they want it", () => {
    const row = replaceRules(completed({}, "Shipped"), { rules: renamed });
    const decision = plan(row, { rules: renamed });
    expect([decision.actions, decision.notes]).toEqual([[], []]);
    expect(decision.base.status?.ruled).toBeUndefined();
  });

  it("hold nothing any more when they are changed back", () => {
    const row = replaceRules(completed(), { rules: renamed });
    const back = rebase(row, {}, { from: makeSettings({ rules: renamed }) });
    expect(back).toEqual({ status: makeBase(aim("completed"), "completed") });
  });

  it("and change again ask for the last target, from the first", () => {
    const again = [{ ...renamed[0], set: { status: "live" } }, ...renamed.slice(1)] as readonly Rule[];
    const row = replaceRules(completed(), { rules: renamed });
    expect(rebase(row, { rules: again }, { from: makeSettings({ rules: renamed }) })).toEqual({
      status: makeBase(aim("live"), "completed", { ruled: { from: aim("completed"), since: now } }),
    });
  });

  it("hold what `restore` would put back where no rule is left", () => {
    const rules = statusRules.slice(1);
    const row = replaceRules(
      completed({ foreign: "open", written: { sent: "completed", shown: "completed" } }),
      {
        rules,
      },
    );
    expect(plan(row, { rules }).actions).toMatchObject([
      {
        writes: [{ value: "open", target: noTarget }],
        hold: { cause: "rules-changed", why: expect.stringContaining("asked for `completed`") },
      },
    ]);
    const kept = plan(row, { rules, whenNoRule: "keep" });
    expect([kept.actions, kept.notes]).toEqual([[], []]);
  });

  it("that name a field for the first time hold what they ask of it", () => {
    const rules = [{ when: { state: "closed" as const }, set: { status: "completed", onRoadmap: false } }];
    const row = makeRow(
      { status: "completed", onRoadmap: true, isReviewed: true },
      { links: [makeLink(done)], base: { status: makeBase(aim("completed"), "completed") } },
    );
    const based = rebase(row, { rules });
    expect(based).toEqual({
      onRoadmap: makeBase(aim(false), true, { foreign: true, ruled: { from: noTarget, since: now } }),
    });
    expect(plan({ ...row, base: { ...row.base, ...based } }, { rules }).actions).toMatchObject([
      { writes: [{ field: "onRoadmap", value: false }], notifies: 0, hold: { cause: "rules-changed" } },
    ]);
  });

  it("that name a field which stands where they want it, or which they ask nothing of here, hold nothing", () => {
    const rules = [
      { when: { state: "closed" as const }, set: { status: "completed", onRoadmap: true } },
      { when: { state: "open" as const }, set: { isReviewed: true } },
    ];
    const row = makeRow(
      { status: "completed", onRoadmap: true, isReviewed: false },
      { links: [makeLink(done)], base: { status: makeBase(aim("completed"), "completed") } },
    );
    expect(rebase(row, { rules })).toEqual({
      onRoadmap: makeBase(aim(true), true, { foreign: true }),
      isReviewed: makeBase(noTarget, false, { foreign: false }),
    });
  });

  it("hold what they ask for of a field that could not be decided before, but where they ask for the same", () => {
    const row = makeRow(
      { status: "open", onRoadmap: true, votes: 4 },
      { links: [makeLink(done)], base: { onRoadmap: makeBase(noTarget, true) } },
    );
    expect(rebase(row, { rules: [{ when: { state: "closed" }, set: { status: "completed" } }] })).toEqual({});
    const { actions } = plan(replaceRules(row, { rules: renamed }), { rules: renamed });
    expect(actions).toMatchObject([{ writes: [{ value: "shipped" }], hold: { cause: "rules-changed" } }]);
  });

  it("that name a field of a missing post ask for it without having seen it", () => {
    const rules = [{ when: { state: "closed" as const }, set: { status: "completed", onRoadmap: false } }];
    expect(rebase({ ...completed(), missing: 1 }, { rules })).toEqual({
      onRoadmap: makeBase(aim(false), undefined, { ruled: { from: noTarget, since: now } }),
    });
  });

  it("that name a field no more forget what they asked of it", () => {
    const rules = [{ when: { state: "closed" as const }, set: { roadmapColumn: "COMPLETED" } }];
    const row = replaceRules(completed(), { rules });
    expect(row.base).toMatchObject({
      status: makeBase(noTarget, "completed"),
      roadmapColumn: { target: aim("COMPLETED") },
    });
    expect(plan(row, { rules }).actions).toMatchObject([{ hold: { cause: "rules-changed" } }]);
  });

  it("ask blindly, and held, for a field that the board does not show", () => {
    const row = makeRow(
      { votes: 1 },
      { links: [makeLink(done)], base: { status: makeBase(aim("completed"), undefined) } },
    );
    const based = rebase(row, { rules: renamed }, { seen: ["votes"] });
    const { actions } = planRow(
      { ...row, base: based },
      makeContext({ settings: makeSettings({ rules: renamed }), seen: new Set(["votes"]), now }),
    );
    expect(actions).toMatchObject([{ writes: [{ value: "shipped" }], hold: { cause: "rules-changed" } }]);
  });

  it("wait while the post is missing, and say so", () => {
    const row = { ...replaceRules(completed(), { rules: renamed }), missing: 2 as const };
    const decision = plan(row, { rules: renamed });
    expect([decision.actions, decision.base]).toEqual([[], {}]);
    expect(decision.notes).toMatchObject([{ kind: "disagreement" }]);
    const restored = replaceRules(
      completed({ foreign: "open", written: { sent: "completed", shown: "completed" } }),
      { rules: statusRules.slice(1) },
    );
    const missing = plan({ ...restored, missing: 2 }, { rules: statusRules.slice(1) });
    expect([missing.actions, missing.base]).toEqual([[], {}]);
  });

  it("give way to a person who moves the post, and to a change of the issue", () => {
    const row = replaceRules(completed(), { rules: renamed });
    const moved = plan({ ...row, post: { ...row.post, values: { status: "archived" } } }, { rules: renamed });
    expect(moved.actions).toEqual([]);
    expect(moved.base.status).toEqual(makeBase(aim("shipped"), "archived", { foreign: "archived" }));
    const reopened = plan({ ...row, links: [makeLink(started)] }, { rules: renamed });
    expect(reopened.actions).toMatchObject([{ writes: [{ value: "in_progress" }], hold: undefined }]);
  });

  it("wait for what goes by itself, and are said meanwhile", () => {
    const rules = [
      { when: { state: "closed" as const }, set: { status: "shipped", roadmapColumn: "COMPLETED" } },
    ];
    const row = makeRow(
      { status: "completed", roadmapColumn: "PLANNED" },
      {
        links: [makeLink(done)],
        base: {
          status: makeBase(aim("shipped"), "completed", { ruled: { from: aim("completed"), since: 1 } }),
          roadmapColumn: makeBase(noTarget, "PLANNED"),
        },
      },
    );
    const { actions, notes } = plan(row, { rules });
    expect(actions).toMatchObject([{ writes: [{ field: "roadmapColumn" }], hold: undefined }]);
    expect(notes).toMatchObject([{ kind: "held", cause: "rules-changed", field: "status" }]);
  });

  it("count every pair as in step where the rules before are not known", () => {
    const row = makeRow(
      { status: "planned" },
      { links: [makeLink(done)], base: { status: makeBase(aim("planned"), "planned") } },
    );
    const context = { before: undefined, settings: makeSettings(), seen: new Set(postFields), now };
    expect(rebaseRow(row, context)).toEqual({
      status: makeBase(aim("completed"), "planned", { ruled: { from: aim("planned"), since: now } }),
    });
    expect(rebaseRow(makeRow({}, { links: [makeLink(done)] }), context)).toEqual({});
    const set = { status: "planned", roadmapColumn: "PLANNED" } as const;
    const wider = makeSettings({ rules: [{ when: { state: "closed" }, set }] });
    const placed = { ...row, post: makeRow({ status: "planned", roadmapColumn: "PLANNED" }).post };
    expect(rebaseRow(placed, { ...context, settings: wider })).toEqual({
      roadmapColumn: makeBase(aim("PLANNED"), "PLANNED", { foreign: "PLANNED" }),
    });
  });

  it("count a pair as in step where a fact is missing by which the rules before would tell", () => {
    const from = makeSettings({ rules: [{ when: { pullRequest: "open" }, set: { status: "planned" } }] });
    expect(rebase(completed({}, "planned"), {}, { from })).toEqual({});
    const row = makeRow(
      { status: "planned" },
      { links: [makeLink(done)], base: { status: makeBase(aim("planned"), "planned") } },
    );
    expect(rebase(row, {}, { from })).toEqual({
      status: makeBase(aim("completed"), "planned", { ruled: { from: aim("planned"), since: now } }),
    });
  });

  it("that follow duplicates from now on hold what this alone would change", () => {
    const links = [
      makeLink(makeIssue({ state: "closed", stateReason: "duplicate" }), {
        signals: { canonical: known({ repositoryId: 7, number: 7 }) },
        canonical: { issue: { ...done, number: 7 } },
      }),
    ];
    const row = makeRow({ status: "open" }, { links, base: { status: makeBase(noTarget, "open") } });
    expect(rebase(row, { followDuplicates: true })).toEqual({
      status: makeBase(aim("completed"), "open", { ruled: { from: noTarget, since: now } }),
    });
    expect(plan({ ...row, base: {} }, { followDuplicates: true }).actions).toMatchObject([
      {
        writes: [{ value: "completed" }],
        reason: "issue #12, a duplicate of #7, closed as completed → rule 1",
      },
    ]);
  });

  it("go by the last facts of an issue that is gone, and by nothing where there are none", () => {
    const gone = { ...completed(), links: [makeLink(done, { isGone: true })] };
    expect(rebase(gone, { rules: renamed })).toMatchObject({ status: { target: aim("shipped") } });
    const unread = { ...completed(), links: [makeLink(undefined)] };
    expect(rebase(unread, { rules: renamed })).toEqual({ status: waitingFrom("completed") });
  });
});

describe("rules that change while nobody can say what they ask for", () => {
  const looking: readonly Rule[] = [
    { when: { pullRequest: "open" }, set: { status: "in_progress" } },
    { when: { pullRequest: "none" }, set: { status: "planned", onRoadmap: true } },
  ];
  const unread = replaceRules(completed(), { rules: looking });
  const read = (row: Row, pullRequest: "open" | "none"): Row => ({
    ...row,
    links: [
      makeLink(done, { signals: { pullRequests: known(pullRequest === "open" ? [makePullRequest()] : []) } }),
    ],
  });

  it("hold what they alone have made as soon as that is known", () => {
    expect(unread.base.status).toEqual(waitingFrom("completed"));
    expect(plan(unread, { rules: looking })).toMatchObject({ actions: [], base: {} });
    const [action] = plan(read(unread, "none"), { rules: looking }).actions;
    expect(action).toMatchObject({
      writes: [
        { field: "status", value: "planned" },
        { field: "onRoadmap", value: true },
      ],
      hold: {
        cause: "rules-changed",
        why: expect.stringMatching(/the rules have changed.*`completed`.*`planned`/),
      },
    });
  });

  it("hold nothing where they ask for what was asked for before", () => {
    const same = [{ when: { pullRequest: "none" }, set: { status: "completed" } }] as const;
    const row = read(replaceRules(completed(), { rules: same }), "none");
    const decision = plan(row, { rules: same });
    expect(decision.actions).toEqual([]);
    expect(decision.base).toEqual({ status: makeBase(aim("completed"), "completed") });
  });

  it("and give way to what changes once it was known", () => {
    const first = plan(read(unread, "none"), { rules: looking });
    const row = read({ ...unread, base: { ...unread.base, ...first.base } }, "open");
    const [action] = plan(row, { rules: looking, settleMs: 0 }).actions;
    expect(action).toMatchObject({ writes: [{ field: "status", value: "in_progress" }], hold: undefined });
  });

  it("and change again before they were, hold by what was asked for first", () => {
    const again = replaceRules(unread, { rules: renamed }, makeSettings({ rules: looking }));
    expect(again.base.status).toEqual(
      makeBase(aim("shipped"), "completed", { ruled: { from: aim("completed"), since: now } }),
    );
    const back = replaceRules(unread, {}, makeSettings({ rules: looking }));
    expect(plan(back, {}).actions).toEqual([]);
    expect(
      replaceRules(unread, { rules: looking.slice(1) }, makeSettings({ rules: looking })).base.status,
    ).toEqual(unread.base.status);
  });

  it("keep what our own change of an issue has left to be taken as it is", () => {
    const echo = completed({ isAwaited: true });
    expect(rebase(echo, { rules: renamed })).toEqual({});
  });

  it("forget what they name no more", () => {
    const none = [{ when: { pullRequest: "none" }, set: { onRoadmap: true } }] as const;
    expect(rebase(completed(), { rules: none })["status"]).toEqual(makeBase(noTarget, "completed"));
  });

  it("keep the base of a field whose issue has moved since", () => {
    const moved = { ...completed(), links: [makeLink(scheduled)] };
    expect(rebase(moved, { rules: looking })["status"]).toBeUndefined();
  });
});

/** A base that waits for what new rules ask for. */
function waitingFrom(status: string): FieldBase {
  const ruled = { from: aim(status), since: now };
  return makeBase(aim(status), status, { ruled, isAwaited: true });
}

describe("a PATCH whose outcome is open", () => {
  const writes = [{ field: "status", value: "completed", target: aim("completed") }] as const;

  it("is no reason for another one once other rules stand", () => {
    const context = {
      before,
      settings: makeSettings({ rules: renamed }),
      seen: new Set(postFields),
      now,
    };
    expect(retargetWrites(completed(), writes, context)).toEqual([
      { field: "status", value: "completed", target: aim("shipped") },
    ]);
    const moved = { ...completed(), links: [makeLink(scheduled)] };
    expect(retargetWrites(moved, writes, context)).toEqual(writes);
    const unread = { ...completed(), links: [makeLink(undefined)] };
    expect(retargetWrites(unread, writes, context)).toEqual(writes);
    const roadmapOnly = makeSettings({ rules: [{ when: {}, set: { onRoadmap: true } }] });
    const first = { ...completed(), base: {} };
    expect(retargetWrites(first, writes, { ...context, settings: roadmapOnly })).toEqual(writes);
  });

  it("is none either where nobody can say yet what they ask for", () => {
    const patching = makeRow(
      { status: "open" },
      {
        links: [makeLink(done)],
        base: { status: makeBase(noTarget, "open") },
        openIntents: ["patch-post"],
      },
    );
    const looking = [{ when: { pullRequest: "none" }, set: { status: "planned" } }] as const;
    const row = replaceRules(patching, { rules: looking });
    const patch = {
      kind: "patch-post",
      post: row.post.id,
      writes: writes.map((write) => ({ ...write, before: "open" })),
      reason: "",
      notifies: 0,
      hold: undefined,
    } as const;
    const base = recordApplied(row, patch, undefined);
    expect(base.status).toMatchObject({
      target: aim("completed"),
      isAwaited: true,
      ruled: { from: aim("completed") },
    });
    const links = [makeLink(done, { signals: { pullRequests: known([]) } })];
    const applied = {
      ...row,
      openIntents: [],
      base,
      links,
      post: { ...row.post, values: { status: "completed" } },
    };
    expect(plan(applied, { rules: looking }).actions).toMatchObject([{ hold: { cause: "rules-changed" } }]);
  });

  it("is none either where nobody can say any more what the rules before made of the issue", () => {
    const context = { settings: makeSettings({ rules: renamed }), seen: new Set(postFields), now };
    const asked = [{ field: "status", value: "completed", target: aim("shipped") }];
    expect(retargetWrites(completed(), writes, { ...context, before: undefined })).toEqual(asked);
    const looking = { when: { pullRequest: "none" }, set: { status: "planned" } } as const;
    const unread = { ...before, rules: [looking, ...statusRules] };
    expect(retargetWrites(completed(), writes, { ...context, before: unread })).toEqual(asked);
  });
});

it("an issue without any rule stays without", () => {
  const row = makeRow(
    { status: "open" },
    { links: [makeLink(makeIssue())], base: { status: makeBase(noTarget, "open") } },
  );
  expect(rebase(row, { rules: renamed })).toEqual({});
});

describe("a PATCH that is under way when both sides are taken as they are", () => {
  const write = { field: "status", target: aim("completed") } as const;

  it("was asked for by what the issues ask for by now", () => {
    const settings = makeSettings();
    expect(retargetNow({ links: [makeLink(started)] }, [write], settings)).toEqual([
      { ...write, target: aim("in_progress") },
    ]);
    expect(retargetNow({ links: [makeLink(undefined)] }, [write], settings)).toEqual([write]);
  });

  it("keeps an order by votes", () => {
    const rules = [{ when: {}, set: { roadmapOrder: "byVotes" } }];
    const order = { field: "roadmapOrder", target: aim(-3) } as const;
    expect(retargetNow({ links: [makeLink(done)] }, [order], makeSettings({ rules }))).toEqual([order]);
  });
});
