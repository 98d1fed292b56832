import { describe, expect, it } from "vitest";
import type { Issue } from "../../../src/model/issue.ts";
import type { IssueBase, Row } from "../../../src/model/link.ts";
import { type PostField, type PostId, postFields } from "../../../src/model/post.ts";
import {
  echoOnIssues,
  echoOnPost,
  echoOnUnseen,
  type OwnChange,
} from "../../../src/plan/board-rules/echo.ts";
import { rebaseIssues } from "../../../src/plan/board-rules/rebase-board.ts";
import type { BoardRule, Rule, Settings } from "../../../src/plan/ground/settings.ts";
import { planRow, recordApplied } from "../../../src/plan/plan.ts";
import {
  aim,
  done,
  type LinkParts,
  makeBase,
  makeContext,
  makeIssue,
  makeLink,
  makeRow,
  makeSettings,
  noTarget,
  untouched,
} from "../make.ts";

const seen = new Set(postFields);
const ref = { repositoryId: 7, number: 12 };
const closing: OwnChange = {
  issue: ref,
  writes: [{ field: "state", before: "open", value: "closed:completed" }],
  milestones: [],
};
const open = { status: makeBase(noTarget, "open", { foreign: "open" }) };

function linked(issue: Issue | undefined, base: Row["base"] = open, changes: LinkParts = {}): Row {
  return makeRow({ status: "open" }, { links: [makeLink(issue, changes)], base });
}

function echo(row: Row, change: OwnChange = closing, settings: Partial<Settings> = {}) {
  return echoOnPost(row, change, makeSettings(settings), seen);
}

/** What would be written to the board after all. */
function kindsOf(row: Row, settings: Partial<Settings> = {}): readonly string[] {
  return planRow(row, makeContext({ settings: makeSettings(settings) })).actions.map(({ kind }) => kind);
}

describe("a change of an issue that we made", () => {
  it("lets a post that nobody has seen yet take what its rules ask for as it is, where it matters to them", () => {
    const settings = makeSettings({});
    const post = "p9" as PostId;
    const awaited = { target: noTarget, isAwaited: true };
    expect(echoOnUnseen(post, done, closing, settings)).toMatchObject({ status: awaited });
    const label = { field: "label:idle", before: false, value: true } as const;
    expect(
      echoOnUnseen(post, makeIssue({ labels: ["idle"] }), { ...closing, writes: [label] }, settings),
    ).toEqual({});
  });

  it("is no change of the target: the board is told nothing", () => {
    const base = echo(linked(done));
    expect(base).toEqual({ status: makeBase(aim("completed"), "open", { foreign: "open" }) });
    expect(kindsOf(linked(done))).toEqual(["patch-post"]);
    expect(kindsOf(linked(done, base))).toEqual([]);
  });

  it("is none either where no plan has been made yet, or the post is not shown", () => {
    expect(echo(linked(done, {})).status).toEqual(makeBase(aim("completed"), "open", { foreign: "open" }));
    const target = { target: aim("completed") };
    expect(echo({ ...linked(done), seenAt: undefined }).status).toMatchObject({ ...target, post: "open" });
    expect(echo({ ...linked(done, {}), missing: 2 }).status).toMatchObject({ ...target, post: undefined });
  });

  it("leaves what the issue asked for where it was closed for a reason that no rule names", () => {
    const dropped = makeIssue({ state: "closed", stateReason: "not_planned" });
    expect(
      echo(linked(dropped), {
        ...closing,
        writes: [{ field: "state", before: "open", value: "closed:not_planned" }],
      }),
    ).toEqual({});
    const reopening = {
      ...closing,
      writes: [{ field: "state" as const, before: "closed:not_planned", value: "open" }],
    };
    const rules: readonly Rule[] = [
      { when: { reason: ["completed"] }, set: { status: "completed" } },
      { when: { state: "open" }, set: { status: "planned" } },
    ];
    expect(echo(linked(untouched), reopening, { rules }).status).toMatchObject({ target: aim("planned") });
  });

  it("is none either where nobody could say what the issue asked for before", () => {
    const rules: readonly Rule[] = [
      { when: { state: "closed" }, set: { status: "completed" } },
      { when: { pullRequest: "open" }, set: { status: "in_progress" } },
    ];
    expect(echo(linked(done), closing, { rules }).status).toMatchObject({ target: aim("completed") });
  });

  it("leaves what people changed beside it a change", () => {
    const rules: readonly Rule[] = [{ when: { labels: ["started"] }, set: { status: "in_progress" } }];
    const both = makeIssue({ state: "closed", stateReason: "completed", labels: ["started"] });
    const base = echo(linked(both), closing, { rules });
    expect(base).toEqual({});
    expect(kindsOf(linked(both, base), { rules })).toEqual(["patch-post"]);
  });

  it.each<[OwnChange["writes"][number], Issue]>([
    [{ field: "label:started", before: false, value: true }, makeIssue({ labels: ["Started"] })],
    [
      { field: "milestone", before: null, value: "Next" },
      makeIssue({ milestone: { number: 1, title: "Next", state: "open" } }),
    ],
  ])("can be any of its fields: %j", (write, issue) => {
    expect(echo(linked(issue), { ...closing, writes: [write] }).status?.target.kind).toBe("value");
  });

  it.each([
    ["first", ["started", "other"], ["1", "2"]],
    ["last", ["other", "started"], ["2", "1"]],
    ["alone", ["started"], ["1"]],
  ])("is told from the other labels where names are known by ids: %s", (_, labels, labelIds) => {
    const pins = [
      { ...{ repositoryId: 7, kind: "label" as const }, name: "started", id: "1", now: "started" },
    ];
    const rules: readonly Rule[] = [{ when: { labels: ["started"] }, set: { status: "in_progress" } }];
    const row = linked(makeIssue({ labels, labelIds }), open, { pins });
    const added = { field: "label:started", before: false, value: true } as const;
    expect(echo(row, { ...closing, writes: [added] }, { rules }).status?.target).toEqual(aim("in_progress"));
    const other = { field: "label:other", before: false, value: true } as const;
    expect(echo(row, { ...closing, writes: [other] }, { rules })).toEqual({});
  });

  it.each<[OwnChange["writes"][number], number]>([
    [{ field: "label:started", before: true, value: false }, 1],
    [{ field: "milestone", before: "Next", value: null }, 1],
    [{ field: "milestone", before: "Later", value: null }, 1],
    [{ field: "comment", before: undefined, value: "key" }, 0],
  ])("may take something away, or be none that rules look at: %j", (write, moved) => {
    const base = { status: makeBase(aim("in_progress"), "open") };
    const change = {
      ...closing,
      writes: [write],
      milestones: [{ number: 1, title: "Next", state: "open" as const }],
    };
    expect(Object.keys(echo(linked(untouched, base), change))).toHaveLength(moved);
  });

  it("of an issue that is one of several moves the target only as far as that one decides", () => {
    const other = makeLink(makeIssue({ number: 13 }));
    const row = { ...linked(done), links: [makeLink(done), other] };
    expect(echo(row)).toEqual({});
    expect(echo(row, closing, { several: "any" })).toMatchObject({ status: { target: aim("completed") } });
  });

  it("whose meaning can't be told yet is taken as it is as soon as it can", () => {
    const rules: readonly Rule[] = [
      { when: { state: "closed", released: true }, set: { status: "completed" } },
      { when: { state: "closed" }, set: { status: "closed" } },
    ];
    const base = echo(linked(done), closing, { rules });
    expect(base.status?.isAwaited).toBe(true);
    const first = echo(linked(done, {}), closing, { rules });
    const later = { signals: { isReleased: { kind: "known", value: true } } } as const;
    for (const known of [base, first]) {
      const row = linked(done, known, later);
      const decision = planRow(row, makeContext({ settings: makeSettings({ rules }) }));
      expect(decision.actions).toEqual([]);
      expect(decision.base.status).toEqual(makeBase(aim("completed"), "open", { foreign: "open" }));
    }
  });

  it("that no rule looks at leaves what people changed a change, though nobody can say yet what that asks for", () => {
    const rules: readonly Rule[] = [
      { when: { pullRequest: "open" }, set: { status: "in_progress" } },
      { when: { state: "closed" }, set: { status: "closed" } },
    ];
    const writes = [{ field: "milestone", before: null, value: "Next" }] as const;
    const issue = makeIssue({ milestone: { number: 1, title: "Next", state: "open" } });
    expect(echo(linked(issue), { ...closing, writes }, { rules })).toEqual({});
    expect(echo(linked(issue), closing, { rules }).status?.isAwaited).toBeUndefined();
    const closed = makeIssue({ state: "closed", stateReason: "completed" });
    expect(echo(linked(closed), closing, { rules }).status?.isAwaited).toBe(true);
  });

  it.each<[string, (pins: LinkParts["pins"]) => Row]>([
    ["an issue", (pins) => linked(makeIssue({ labels: ["doing"] }), open, { ...(pins && { pins }) })],
    [
      "one that a duplicate follows",
      (pins) =>
        linked(makeIssue({ number: 9, state: "closed", stateReason: "duplicate" }), open, {
          signals: { canonical: { kind: "known", value: ref } },
          canonical: { issue: makeIssue({ labels: ["doing"] }), ...(pins && { pins }) },
        }),
    ],
  ])(
    "that gives %s a label whose name means nothing now is not told when it means something again",
    (_, rowOf) => {
      const rules: readonly Rule[] = [{ when: { labels: ["doing"] }, set: { status: "in_progress" } }];
      const settings = { rules, followDuplicates: true };
      const pins = [{ repositoryId: 7, kind: "label", name: "doing", id: "LA_1", now: undefined }] as const;
      const labelled = {
        ...closing,
        writes: [{ field: "label:doing", before: false, value: true }],
      } as const;
      expect(echo(rowOf(pins), labelled, settings).status?.isAwaited).toBe(true);
      const other = { ...closing, writes: [{ field: "label:other", before: false, value: true }] } as const;
      expect(echo(rowOf(pins), other, settings)).toEqual({});
    },
  );

  it("that makes an issue one that nobody will work on is no small thing, whatever the rules look at", () => {
    const rules: readonly Rule[] = [{ when: { pullRequest: "open" }, set: { status: "in_progress" } }];
    const dropped = makeIssue({ state: "closed", stateReason: "not_planned" });
    const writes = [{ field: "state", before: "open", value: "closed:not_planned" }] as const;
    expect(echo(linked(dropped), { ...closing, writes }, { rules }).status?.isAwaited).toBe(true);
  });

  it("that closes it as a duplicate makes it one of no other issue", () => {
    const rules: readonly Rule[] = [{ when: { reason: ["duplicate"] }, set: { status: "closed" } }];
    const duplicate = makeIssue({ state: "closed", stateReason: "duplicate" });
    const writes = [{ field: "state", before: "open", value: "closed:duplicate" }] as const;
    const settings = { rules, followDuplicates: true };
    expect(echo(linked(duplicate), { ...closing, writes }, settings).status?.target).toEqual(aim("closed"));
  });

  it("is none either for an issue that is a duplicate of it", () => {
    const duplicate = makeIssue({ number: 9, state: "closed", stateReason: "duplicate" });
    const other = { repositoryId: 7, number: 10 };
    const rowOf = (canonical: Issue, base: Row["base"] = open): Row =>
      linked(duplicate, base, {
        signals: { canonical: { kind: "known", value: ref } },
        canonical: { issue: canonical },
      });
    const settings = { followDuplicates: true };
    const base = echo(rowOf(done), closing, settings);
    expect(base.status?.target).toEqual(aim("completed"));
    expect(kindsOf(rowOf(done), settings)).toEqual(["patch-post"]);
    expect(kindsOf(rowOf(done, base), settings)).toEqual([]);
    expect(echo(rowOf(done), { ...closing, issue: other }, settings)).toEqual({});
  });

  it("of an issue that can't be read by now leaves nothing to be said", () => {
    expect(echo(linked(undefined)).status?.isAwaited).toBe(true);
  });
});

describe("a PATCH that we made", () => {
  const boardRules: readonly BoardRule[] = [
    { when: { status: "completed" }, set: { state: "closed", addLabels: ["shipped"] } },
  ];
  const writes = [{ field: "status", before: "open", value: "completed" }] as const;
  const atRest: IssueBase = { state: makeBase(noTarget, "open", { foreign: "open" }) };

  it("is no change of the post for its issues", () => {
    const row = linked(untouched, open, { base: atRest });
    expect(echoOnIssues(row, writes, { boardRules }, seen)).toEqual([
      {
        issue: ref,
        base: {
          state: makeBase(aim("closed"), "open", { foreign: "open" }),
          "label:shipped": makeBase(aim(true), false, { foreign: false }),
        },
      },
    ]);
  });

  it("leaves what people changed on the post beside it a change", () => {
    const archived = [{ when: { archived: true }, set: { state: "closed" as const } }];
    const post = { ...linked(untouched).post, values: { status: "open", isArchived: true } };
    expect(echoOnIssues({ ...linked(untouched), post }, writes, { boardRules: archived }, seen)).toEqual([]);
  });

  it("keeps what is known of an issue that can't be read", () => {
    const row = linked(undefined, open, { base: atRest });
    const [bases] = echoOnIssues(row, writes, { boardRules }, seen);
    expect(bases?.base.state).toEqual(makeBase(aim("closed"), "open", { foreign: "open" }));
  });

  it("whose meaning can't be told says nothing, and one that can be told from now on counts", () => {
    const hidden = [{ when: { reviewed: true }, set: { state: "closed" as const } }, ...boardRules];
    const status = new Set<PostField>(["status"]);
    expect(echoOnIssues(linked(untouched), writes, { boardRules: hidden }, status)).toEqual([]);
    const blind = [{ field: "status", before: undefined, value: "completed" }] as const;
    const row = makeRow({}, { links: [makeLink(untouched)] });
    expect(echoOnIssues(row, blind, { boardRules }, new Set())).toHaveLength(1);
  });
});

describe("board rules that were replaced", () => {
  const before: readonly BoardRule[] = [{ when: { status: "declined" }, set: { state: "closed" } }];
  const base: IssueBase = {
    state: makeBase(aim("closed"), "closed:completed", { pending: { target: noTarget, since: 1 } }),
  };
  const declined = makeRow({ status: "declined" }, { links: [makeLink(done, { base })] });

  function replace(row: Row, boardRules: readonly BoardRule[], known: ReadonlySet<PostField> = seen) {
    return rebaseIssues(row, { before, settings: { boardRules }, seen: known })[0]?.base;
  }

  it("make another target without making a change of it", () => {
    const reopening: readonly BoardRule[] = [{ when: { status: "declined" }, set: { state: "open" } }];
    expect(replace(declined, reopening)).toEqual({ state: makeBase(aim("open"), "closed:completed") });
    expect(replace(declined, [])).toEqual({ state: makeBase(noTarget, "closed:completed") });
  });

  it("go by what the lists showed last of a post that is missing and that nobody decides", () => {
    expect(replace({ ...declined, missing: 1 }, [])).toEqual({
      state: makeBase(noTarget, "closed:completed"),
    });
    const gone: readonly BoardRule[] = [{ when: { missing: true }, set: { state: "open" } }];
    expect(replace({ ...declined, missing: 2 }, gone)).toEqual({
      state: makeBase(aim("open"), "closed:completed"),
    });
  });

  it("make no change of it either where posts are read otherwise than they were, also of one that is missing", () => {
    for (const missing of [0, 1] as const) {
      const row = { ...declined, missing, post: makeRow({ status: "planned" }).post };
      const context = { before: undefined, settings: { boardRules: before }, seen };
      expect(rebaseIssues(row, context)[0]?.base).toEqual({ state: makeBase(noTarget, "closed:completed") });
      const byVotes = { links: [makeLink(done, { base: { "label:many": makeBase(aim(true), true) } })] };
      expect(rebaseIssues({ ...row, ...byVotes }, context)).toEqual([]);
    }
  });

  it("leave what they still ask for, and what the post has changed since", () => {
    expect(replace(declined, before)).toBeUndefined();
    expect(replace({ ...declined, post: makeRow({ status: "planned" }).post }, [])).toBeUndefined();
    expect(replace(makeRow({ status: "declined" }, { links: [makeLink(done)] }), [])).toBeUndefined();
  });

  it("look at the post as our own PATCH has left it, until a list shows it again", () => {
    const kept: IssueBase = { state: makeBase(noTarget, "open") };
    const written = {
      status: makeBase(aim("planned"), "planned", { written: { sent: "planned", shown: undefined } }),
      roadmapColumn: makeBase(noTarget, undefined),
    };
    const row = makeRow(
      { status: "declined" },
      { links: [makeLink(untouched, { base: kept })], base: written },
    );
    const planned: readonly BoardRule[] = [{ when: { status: "planned" }, set: { state: "closed" } }];
    expect(replace({ ...row, seenAt: undefined }, planned)).toEqual({
      state: makeBase(aim("closed"), "open"),
    });
    expect(replace(row, planned)).toBeUndefined();
  });

  it("leave everything where the board does not show what they look at", () => {
    const hidden: readonly BoardRule[] = [{ when: { archived: true }, set: { state: "open" } }];
    expect(replace(declined, hidden, new Set<PostField>(["status"]))).toBeUndefined();
  });

  it("end what rules have asked for of which the board does not show any more what they look at", () => {
    const hidden: readonly BoardRule[] = [{ when: { archived: true }, set: { state: "open" } }];
    const context = { before: hidden, settings: { boardRules: [] }, seen: new Set<PostField>(["status"]) };
    expect(rebaseIssues(declined, context)[0]?.base).toEqual({
      state: makeBase(noTarget, "closed:completed"),
    });
  });

  it("move of a missing post only what a rule for missing posts names", () => {
    const gone: readonly BoardRule[] = [{ when: { missing: true }, set: { state: "open" } }];
    const missing = { ...declined, missing: 2 } as const;
    expect(replace(missing, gone)).toEqual({ state: makeBase(aim("open"), "closed:completed") });
    expect(replace(missing, [{ when: { missing: true }, set: { addLabels: ["gone"] } }])).toBeUndefined();
  });
});

it("a PATCH that is found to be applied afterwards leaves the next target to be taken as it is", () => {
  const row = linked(done, { status: makeBase(noTarget, "open", { isAwaited: true }) });
  const writes = [{ field: "status", before: "open", value: "planned", target: aim("planned") }] as const;
  const patch = {
    kind: "patch-post",
    post: row.post.id,
    writes,
    reason: "",
    notifies: 0,
    hold: undefined,
  } as const;
  const base = recordApplied(row, patch, undefined);
  expect(base.status).toMatchObject({ target: aim("planned"), isAwaited: true, ruled: undefined });
  const applied = { ...linked(done, base), post: makeRow({ status: "planned" }).post };
  expect(planRow(applied, makeContext()).actions).toEqual([]);
});
