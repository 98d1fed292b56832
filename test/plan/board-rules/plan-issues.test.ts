import { describe, expect, it } from "vitest";
import type { Issue, IssueField } from "../../../src/model/issue.ts";
import type { FieldBase, IssueBase, Row } from "../../../src/model/link.ts";
import type { FieldValue } from "../../../src/model/post.ts";
import { carriesMark } from "../../../src/plan/board-rules/issue-writes.ts";
import type { ChangeIssue, CommentIssue, Decision } from "../../../src/plan/ground/action.ts";
import { refusalSignature } from "../../../src/plan/ground/identity.ts";
import { fieldsOf } from "../../../src/plan/ground/issue-fields.ts";
import type { BoardRule, Settings } from "../../../src/plan/ground/settings.ts";
import { adoptRow, planRow } from "../../../src/plan/plan.ts";
import {
  aim,
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
  untouched,
} from "../make.ts";

const now = 1_000_000;

const boardRules: readonly BoardRule[] = [
  { when: { status: "declined" }, set: { state: "closed", reason: "not_planned", addLabels: ["declined"] } },
  { when: { archived: true }, set: { state: "closed" } },
  { when: { status: "planned" }, set: { milestone: "Next" } },
];
const commenting: readonly BoardRule[] = [
  { when: { status: "declined" }, set: { state: "closed", comment: "Declined" } },
];
const dropped = makeIssue({ state: "closed", stateReason: "not_planned", labels: ["Declined"] });
const finished = makeIssue({ state: "closed", stateReason: "completed" });

/** The base of a post's status, so that the pair is not new. */
function statusBase(status: FieldValue, target = noTarget): Row["base"] {
  return { status: makeBase(target, status, { foreign: status }) };
}

/** A field of an issue that agrees with the post. */
function agreed(target: FieldBase["target"], shown: FieldValue | undefined): FieldBase {
  return makeBase(target, shown, { foreign: shown });
}

/** All fields of the rules, as they stand while no rule matches. */
const atRest: IssueBase = {
  state: agreed(noTarget, "open"),
  "label:declined": agreed(noTarget, false),
  milestone: agreed(noTarget, null),
};
/** The same after the post was declined, written by us. */
const declinedByUs: IssueBase = {
  state: makeBase(aim("closed:not_planned"), "closed:not_planned", {
    foreign: "open",
    written: { sent: "closed:not_planned", shown: "closed:not_planned" },
  }),
  "label:declined": makeBase(aim(true), true, { foreign: false, written: { sent: true, shown: true } }),
  milestone: agreed(noTarget, null),
};

function linked(
  issue: Issue,
  status: FieldValue,
  base: IssueBase | "none" = atRest,
  changes: Partial<Row> = {},
): Row {
  return makeRow(
    { status, votes: 4, title: "Dark mode" },
    {
      links: [makeLink(issue, base === "none" ? {} : { base })],
      base: statusBase(status),
      ...changes,
    },
  );
}

function plan(
  row: Row,
  settings: Partial<Settings> = {},
  more: Partial<Parameters<typeof makeContext>[0]> = {},
): Decision {
  return planRow(row, makeContext({ settings: makeSettings({ boardRules, ...settings }), now, ...more }));
}

/** What issue #12 gets, field by field. */
function writesOf({ actions }: Decision): Readonly<Partial<Record<IssueField, FieldValue>>> {
  const change = actions.find((action): action is ChangeIssue => action.kind === "change-issue");
  return Object.fromEntries(
    change?.changes.flatMap(({ writes }) => writes).map(({ field, value }) => [field, value]) ?? [],
  );
}

function commentOf({ actions }: Decision): CommentIssue | undefined {
  return actions.find((action): action is CommentIssue => action.kind === "comment-issue");
}

function kindsOf({ actions }: Decision): readonly string[] {
  return actions.map(({ kind }) => kind);
}

describe("a post that comes under a board rule", () => {
  it("changes its issue, with a reason", () => {
    const decision = plan(linked(untouched, "declined"));
    expect(decision.actions).toEqual([
      {
        kind: "change-issue",
        post: postId,
        changes: [
          {
            issue: { repositoryId: 7, number: 12 },
            seenAt: "2026-01-02T00:00:00Z",
            writes: [
              {
                field: "state",
                before: "open",
                value: "closed:not_planned",
                target: aim("closed:not_planned"),
              },
              { field: "label:declined", before: false, value: true, target: aim(true) },
            ],
          },
        ],
        reason: "the post: status is `declined` → board rule 1",
        hold: undefined,
      },
    ]);
    expect(decision.issueBases).toEqual([
      {
        issue: { repositoryId: 7, number: 12 },
        base: {
          state: { ...atRest.state, pending: { target: aim("closed:not_planned"), since: now } },
          "label:declined": { ...atRest["label:declined"], pending: { target: aim(true), since: now } },
        },
      },
    ]);
  });

  it("leaves alone what the issue shows already, whatever its reason and the case of its labels", () => {
    const decision = plan(linked(dropped, "declined"));
    expect(decision.actions).toEqual([]);
    expect(decision.issueBases[0]?.base).toMatchObject({
      state: { target: aim("closed:not_planned"), written: undefined },
      "label:declined": { target: aim(true) },
    });
  });

  it("writes nothing again, whatever people make of the issue afterwards", () => {
    const reopened = makeIssue({ stateReason: "reopened", labels: ["declined"] });
    const decision = plan(linked(reopened, "declined", declinedByUs));
    expect(decision.actions).toEqual([]);
    expect(decision.issueBases[0]?.base.state).toEqual({
      ...agreed(aim("closed:not_planned"), "open"),
    });
    expect(decision.notes).toEqual([
      {
        kind: "disagreement",
        field: "state",
        message:
          "state is `open` on issue #12, the post asks for `closed:not_planned`: it stays so until the post changes",
      },
    ]);
  });

  it("writes at once to an issue that boardsync has just opened", () => {
    const decision = plan(linked(untouched, "declined", "none", { base: {} }));
    expect(writesOf(decision)).toEqual({ state: "closed:not_planned", "label:declined": true });
    const later = { ...linked(untouched, "declined", decision.issueBases[0]?.base) };
    expect(writesOf(plan(later))).toEqual({ state: "closed:not_planned", "label:declined": true });
  });

  it("takes both as they are where the rule is newer than the pair, or the issue was found", () => {
    const known = plan(linked(untouched, "declined", "none"));
    const found = plan(makeRow({ status: "declined" }, { links: [makeAdopted(untouched)] }));
    for (const decision of [known, found]) {
      expect(writesOf(decision)).toEqual({});
      expect(decision.issueBases[0]?.base.state).toEqual(agreed(aim("closed:not_planned"), "open"));
      expect(decision.notes.map(({ kind }) => kind)).toEqual(["disagreement", "disagreement"]);
    }
  });
});

describe("a post that a board rule no longer matches", () => {
  it("puts back what was there before, where the issue still shows what we wrote", () => {
    const decision = plan(linked(dropped, "open", declinedByUs));
    expect(writesOf(decision)).toEqual({ state: "open", "label:declined": false });
    expect(decision.actions).toMatchObject([
      { reason: "the post → no board rule any more; state, label declined back to what it was before" },
    ]);
  });

  it("puts nothing back with `keep`, or where people have changed it since", () => {
    expect(writesOf(plan(linked(dropped, "open", declinedByUs), { whenNoRule: "keep" }))).toEqual({});
    const reopened = makeIssue({ labels: ["declined"] });
    expect(writesOf(plan(linked(reopened, "open", declinedByUs)))).toEqual({ "label:declined": false });
  });

  it("never takes back what others had done before us", () => {
    const base = { ...atRest, state: agreed(aim("closed:not_planned"), "closed:completed") };
    expect(writesOf(plan(linked(finished, "open", base)))).toEqual({});
  });

  it("clears a milestone that we set, and gives back the one before", () => {
    const set = (foreign: FieldValue): IssueBase => ({
      ...atRest,
      milestone: makeBase(aim("Next"), "Next", { foreign, written: { sent: "Next", shown: "Next" } }),
    });
    const issue = makeIssue({ milestone: { number: 1, title: "Next", state: "open" } });
    const links = (base: IssueBase): Row =>
      linked(issue, "open", base, { base: statusBase("open", aim("planned")) });
    expect(writesOf(plan(links(set(null))))).toEqual({ milestone: null });
    expect(writesOf(plan(links(set("Later"))))).toEqual({ milestone: "Later" });
  });
});

describe("both sides at once", () => {
  /** The issue was closed as completed, the post declined by people; none of it has been seen before. */
  const both = linked(finished, "declined", atRest, { base: statusBase("open") });

  it("`tracker`: the post follows, and the board rules wait for the post as it will be", () => {
    const decision = plan(both);
    expect(kindsOf(decision)).toEqual(["patch-post"]);
    expect(decision.issueBases).toEqual([]);
  });

  it("`tracker`: where no PATCH goes, the board rules wait for none", () => {
    const settings = makeSettings({ boardRules });
    const decision = planRow(both, makeContext({ settings, now, isBoardReadOnly: true }));
    expect(writesOf(decision)).toEqual({ "label:declined": true });
  });

  it("`board`: the post stays, and the issue follows where it shows something else", () => {
    const decision = plan(both, { conflict: "board" });
    expect(kindsOf(decision)).toEqual(["change-issue"]);
    expect(writesOf(decision)).toEqual({ "label:declined": true });
  });

  it("`hold`: the post waits for a person, and so does the issue", () => {
    const decision = plan(both, { conflict: "hold" });
    expect(decision.actions).toMatchObject([
      { kind: "patch-post", hold: { cause: "conflict", why: expect.stringContaining("declined") } },
    ]);
    expect(decision.issueBases).toEqual([]);
  });

  it("`hold`: the issue waits also while what nobody has to choose is written first", () => {
    const rules = [
      { when: { state: "closed" as const }, set: { status: "completed", roadmapColumn: "COMPLETED" } },
    ];
    const row = {
      ...both,
      base: { ...both.base, roadmapColumn: makeBase(noTarget, null, { foreign: null }) },
    };
    const decision = plan(row, { conflict: "hold", rules });
    expect(decision.actions).toMatchObject([{ kind: "patch-post", writes: [{ field: "roadmapColumn" }] }]);
    expect(decision.issueBases).toEqual([]);
  });

  it("the issue waits also while what it asks for settles, and no longer than that", () => {
    const settling = plan(both, { settleMs: 600 });
    expect(settling.notes.map(({ kind }) => kind)).toEqual(["settling"]);
    expect(kindsOf(settling)).toEqual([]);
    const back = { ...linked(untouched, "declined", atRest), base: settling.base };
    expect(kindsOf(plan(back, { settleMs: 600 }))).toEqual(["change-issue"]);
  });

  it("what settles to no rule at all stops no change of the issue", () => {
    const base = { status: makeBase(aim("completed"), "open", { foreign: "open" }) };
    const decision = plan(linked(untouched, "declined", atRest, { base }), { settleMs: 600 });
    expect(decision.notes.map(({ kind }) => kind)).toEqual(["settling"]);
    expect(kindsOf(decision)).toEqual(["change-issue"]);
  });

  it("a PATCH that leaves the rule of the post what it is stops no change of the issue", () => {
    const rules = [{ when: { state: "closed" as const }, set: { roadmapColumn: "COMPLETED" } }];
    const row = { ...both, base: { roadmapColumn: makeBase(noTarget, null, { foreign: null }) } };
    expect(kindsOf(plan(row, { rules }))).toEqual(["patch-post", "change-issue"]);
  });

  it("a PATCH after which nobody can say what the post asks for stops it", () => {
    const rules = [{ when: { state: "closed" as const }, set: { status: "completed" } }];
    const category = { when: { category: "cat_1" }, set: { state: "closed" as const } };
    const seen = new Set(["status"] as const);
    const context = makeContext({
      settings: makeSettings({ rules, boardRules: [...boardRules.slice(0, 1), category] }),
      seen,
      now,
    });
    expect(kindsOf(planRow(both, context))).toEqual(["patch-post"]);
  });

  it("a PATCH that hides the post from every rule stops it", () => {
    const rules = [{ when: { state: "closed" as const }, set: { isArchived: true } }];
    const row = { ...both, base: { isArchived: makeBase(noTarget, null, { foreign: null }) } };
    const missing = [{ when: { archived: false, status: "declined" }, set: { state: "closed" as const } }];
    expect(kindsOf(plan(row, { rules, boardRules: missing }))).toEqual(["patch-post"]);
  });
});

describe("an issue that people changed while the post asks for something else", () => {
  /** People reopened the issue, after we had closed it for another rule; the post is declined now. */
  const base: IssueBase = { ...atRest, state: agreed(aim("open"), "closed:completed") };
  const row = linked(untouched, "declined", base);

  it.each([
    ["tracker", {}, ["the issue's"]],
    ["board", { state: "closed:not_planned" }, []],
  ] as const)("`%s` decides which side wins", (conflict, state, notes) => {
    const decision = plan(row, { conflict, rules: [] });
    expect(writesOf(decision)).toEqual({ ...state, "label:declined": true });
    expect(decision.notes.length).toBe(notes.length);
  });

  it("`hold` asks, and what nobody has to decide goes by itself", () => {
    const decision = plan(row, { conflict: "hold", rules: [] });
    expect(writesOf(decision)).toEqual({ "label:declined": true });
    expect(decision.notes).toEqual([
      {
        kind: "held",
        cause: "conflict",
        field: "state",
        message:
          "state was set to `open` on issue #12 while the post asks for `closed:not_planned`: a person has to choose",
      },
    ]);
  });

  it("`hold` holds the whole change where there is nothing else", () => {
    const only = [{ when: { status: "declined" }, set: { state: "closed" as const } }];
    const decision = plan(row, { conflict: "hold", rules: [], boardRules: only });
    expect(decision.actions).toMatchObject([
      {
        kind: "change-issue",
        hold: {
          cause: "conflict",
          why: "state was set to `open` on issue #12 while the post asks for `closed`: a person has to choose: `boardsync approve` lets it go, `--discard` leaves both sides as they are",
        },
      },
    ]);
  });
});

describe("a comment", () => {
  const settings = { boardRules: commenting, rules: [] };
  const rest: IssueBase = { state: agreed(noTarget, "open"), comment: makeBase(noTarget, undefined) };
  const text = aim(fieldsOf({ comment: "Declined" }).get("comment") ?? null);

  it("is made with its text and a mark of its own", () => {
    const decision = plan(linked(untouched, "declined", rest), settings);
    expect(kindsOf(decision)).toEqual(["change-issue", "comment-issue"]);
    const [comment] = commentOf(decision)?.comments ?? [];
    expect(comment?.write.target).toEqual(text);
    expect(comment?.body).toMatch(/^<!-- boardsync:comment [0-9a-f]{32} -->\nDeclined \(Dark mode\)$/);
    expect(carriesMark(`\n${comment?.body}`, String(comment?.write.value))).toBe(true);
    expect(carriesMark(`> ${comment?.body}`, String(comment?.write.value))).toBe(false);
  });

  it.each([
    ["a label", makeIssue({ labels: ["triage"] }), true],
    ["the state", makeIssue({ state: "closed", stateReason: "completed" }), false],
  ])("%s that people have kept takes it along only where nothing else is left to say", (_, issue, isSaid) => {
    const set = {
      state: "open",
      addLabels: ["declined"],
      removeLabels: ["triage"],
      comment: "Declined",
    } as const;
    const base: IssueBase = { ...atRest, ...rest, "label:triage": agreed(noTarget, false) };
    const decision = plan(linked(issue, "declined", base), {
      ...settings,
      conflict: "tracker",
      boardRules: [{ when: { status: "declined" }, set }],
    });
    expect([writesOf(decision)["label:declined"], commentOf(decision) !== undefined]).toEqual([true, isSaid]);
  });

  it("keeps its mark for as long as the rule holds, and gets another one the next time", () => {
    const keyAt = (since: number): FieldValue | undefined => {
      const base = { ...rest, comment: makeBase(noTarget, undefined, { pending: { target: text, since } }) };
      return commentOf(plan(linked(untouched, "declined", base), settings))?.comments[0]?.write.value;
    };
    expect(keyAt(5)).toBe(keyAt(5));
    expect(keyAt(6)).not.toBe(keyAt(5));
  });

  it("is made alone where the issue shows already what it goes with", () => {
    const done = { ...rest, state: agreed(noTarget, "closed:completed") };
    expect(kindsOf(plan(linked(finished, "declined", done), settings))).toEqual(["comment-issue"]);
  });

  it("is made once, and never taken back", () => {
    const base = {
      ...rest,
      comment: makeBase(text, undefined, { written: { sent: "k", shown: undefined } }),
    };
    expect(commentOf(plan(linked(untouched, "declined", base), settings))).toBeUndefined();
    const ended = plan(linked(untouched, "open", base), settings);
    expect(ended.actions).toEqual([]);
    expect(ended.issueBases[0]?.base.comment?.target).toEqual(noTarget);
  });

  it("whose template gives nothing for this post is not made, and counts as made", () => {
    const decision = plan(linked(untouched, "declined", rest), settings, { renderComment: () => " \n" });
    expect(kindsOf(decision)).toEqual(["change-issue"]);
    expect(decision.issueBases[0]?.base.comment?.target).toEqual(text);
  });

  it("is not made where the issue's side has won, nor while a person has to choose", () => {
    const moved = { ...rest, state: agreed(aim("open"), "closed:completed") };
    // Nor is its text: a template that fails on this post stops nothing then.
    const renderComment = (): never => {
      throw new Error("memory alloc limit exceeded");
    };
    const won = plan(linked(untouched, "declined", moved), settings, { renderComment });
    expect(won.actions).toEqual([]);
    expect(won.issueBases[0]?.base.comment?.target).toEqual(text);
    const held = plan(linked(untouched, "declined", moved), { ...settings, conflict: "hold" });
    expect(kindsOf(held)).toEqual(["change-issue"]);
    expect(held.issueBases[0]?.base.comment).toBeUndefined();
  });
});

describe("nothing is written to an issue", () => {
  const row = linked(untouched, "declined");
  const link = row.links[0] ?? makeLink(untouched);

  it.each<[string, Row]>([
    ["that can't be read", { ...row, links: [{ ...link, known: undefined }] }],
    ["that is gone", { ...row, links: [{ ...link, isGone: true }] }],
    ["that a trusted account opened", { ...row, links: [{ ...link, text: "read-only" }] }],
    ["while a change of it is under way", { ...row, links: [{ ...link, isChanging: true }] }],
    ["while a PATCH of the post is under way", { ...row, openIntents: ["patch-post"] }],
    ["before a listing has shown what our last PATCH did", { ...row, seenAt: undefined }],
    ["while the post is missing from one pull", { ...row, missing: 1 }],
    ["for a missing post that no rule asks for", { ...row, missing: 2 }],
  ])("%s", (_, stopped) => {
    expect(writesOf(plan(stopped))).toEqual({});
    expect(plan(stopped).issueBases).toEqual([]);
  });

  it("while a change for this post is under way, or this one was refused", () => {
    const [action] = plan(row).actions;
    if (action === undefined) throw new Error("No action.");
    const signature = refusalSignature(action, makeSettings({ boardRules }));
    expect(writesOf(plan({ ...row, openIntents: ["change-issue"] }))).toEqual({});
    expect(writesOf(plan({ ...row, notes: [makeParked("change-issue", signature)] }))).toEqual({});
    expect(writesOf(plan({ ...row, notes: [makeParked("change-issue", "another")] }))).not.toEqual({});
  });

  it("of a quarantined post, and that is said", () => {
    const decision = plan({ ...row, notes: [quarantine] });
    expect(writesOf(decision)).toEqual({});
    expect(decision.notes).toEqual([
      {
        kind: "quarantined",
        message:
          "its status flapped too often, so its issues are not changed either; `boardsync release` goes on with it",
      },
    ]);
  });

  it("that the project's `writes` forbids, and that a rule does not ask for", () => {
    expect(writesOf(plan(row, { writes: "none" }))).toEqual({});
    expect(writesOf(plan(row, { writes: "issues" }))).not.toEqual({});
    expect(plan(row, { boardRules: [] }).issueBases).toEqual([]);
  });
});

describe("posts and issues in all numbers", () => {
  it("a post with several issues changes each", () => {
    const other = makeIssue({ number: 13 });
    const row = linked(untouched, "declined");
    const decision = plan({ ...row, links: [...row.links, makeLink(other, { base: atRest })] });
    expect(decision.actions).toMatchObject([
      { changes: [{ issue: { number: 12 } }, { issue: { number: 13 } }] },
    ]);
  });

  it("an archived post is not written, and its issue is", () => {
    const row = makeRow(
      { status: "open", isArchived: true },
      { links: [makeLink(untouched, { base: atRest })], base: statusBase("open") },
    );
    expect(writesOf(plan(row))).toEqual({ state: "closed" });
  });

  it("a missing post changes its issue where a rule asks for that", () => {
    const missing = [{ when: { missing: true }, set: { state: "closed" as const } }];
    const row = { ...linked(untouched, "open"), missing: 2, seenAt: undefined } as const;
    expect(writesOf(plan(row, { boardRules: missing }))).toEqual({ state: "closed" });
  });

  it("no PATCH is planned while a change of an issue is under way: what it shows may be our own doing", () => {
    const base = { status: makeBase(noTarget, "open", { foreign: "open" }) };
    const row = linked(finished, "open", atRest, { base });
    expect(kindsOf(plan(row))).toEqual(["patch-post"]);
    const changing = { ...row, links: row.links.map((one) => ({ ...one, isChanging: true as const })) };
    // Whatever becomes of it, and for whichever post it was: the next run looks again.
    expect(plan(changing)).toMatchObject({ actions: [], base: {}, notes: [], dueAt: now });
    const canonical = { issue: finished, isChanging: true } as const;
    const following = { ...row, links: [makeLink(finished, { base: atRest, canonical })] };
    expect(plan(following)).toMatchObject({ actions: [], base: {}, notes: [], dueAt: now });
  });

  describe("what was sent, counts as made and may arrive once more", () => {
    const sent = (value: string) => [{ field: "state", value }] as const;
    const base = { status: makeBase(noTarget, "open", { foreign: "open" }) };
    const row = linked(finished, "open", atRest, { base });
    const withSent = (value: string) => ({
      ...row,
      links: row.links.map((one) => ({ ...one, mayArrive: sent(value) })),
    });

    it("stops no PATCH where the issue still shows it, and the next run looks again", () => {
      expect(plan(withSent("closed:completed"))).toMatchObject({
        actions: [{ kind: "patch-post" }],
        dueAt: now,
      });
    });

    it("stops every PATCH where people have made something else of it, of a duplicate's issue, too", () => {
      expect(plan(withSent("open"))).toMatchObject({ actions: [], base: {}, notes: [], dueAt: now });
      const canonical = { issue: finished, mayArrive: sent("open") } as const;
      const following = { ...row, links: [makeLink(finished, { base: atRest, canonical })] };
      expect(plan(following)).toMatchObject({ actions: [], base: {}, notes: [], dueAt: now });
    });

    it("would undo what a board rule asks for now, so that waits", () => {
      const [first] = linked(untouched, "declined", atRest, { base }).links;
      const asking = linked(untouched, "declined", atRest, { base });
      expect(kindsOf(plan(asking))).toContain("change-issue");
      const links = first === undefined ? [] : [{ ...first, mayArrive: sent("open") }];
      expect(kindsOf(plan({ ...asking, links }))).not.toContain("change-issue");
    });
  });
});

describe("a PATCH of ours that the board accepted and did not take", () => {
  const sent = { sent: "in_progress", shown: undefined };
  const base = {
    status: makeBase(aim("in_progress"), "in_progress", { foreign: "declined", written: sent }),
  };
  const rules = [{ when: { state: "open" as const }, set: { status: "in_progress" } }];

  it("moves no issue when the next look shows the post as it was before", () => {
    const row = linked(untouched, "declined", atRest, { base });
    const decision = plan(row, { rules });
    expect(decision.actions).toEqual([]);
    expect(decision.issueBases[0]?.base.state?.target).toEqual(aim("closed:not_planned"));
    expect(writesOf(plan(linked(untouched, "declined", atRest), { rules: [] }))).toMatchObject({
      state: "closed:not_planned",
    });
  });

  it("moves none either where the board never shows a field that went along", () => {
    const shownRules: readonly BoardRule[] = [
      { when: { status: "declined" }, set: { state: "closed", reason: "not_planned" } },
      { when: { onRoadmap: true }, set: { milestone: "Next" } },
    ];
    const onRoadmap = makeBase(aim(true), true, { written: { sent: true, shown: undefined } });
    const unseen = { ...base, onRoadmap, roadmapColumn: makeBase(noTarget, undefined) };
    const issueBase = { state: agreed(noTarget, "open"), milestone: agreed(aim("Next"), null) };
    const row = linked(untouched, "declined", issueBase, { base: unseen });
    const decision = planRow(
      row,
      makeContext({
        settings: makeSettings({ boardRules: shownRules, rules, conflict: "hold" }),
        seen: new Set(["status"]),
        now,
      }),
    );
    expect(decision.actions).toEqual([]);
    expect(decision.issueBases[0]?.base.state?.target).toEqual(aim("closed:not_planned"));
  });

  it("moves none where its answer showed the post as it was, and the board took it all the same", () => {
    const late = makeBase(aim("in_progress"), "in_progress", {
      foreign: "declined",
      written: { sent: "in_progress", shown: "declined" },
    });
    const started: BoardRule = { when: { status: "in_progress" }, set: { addLabels: ["started"] } };
    const issueBase = { "label:started": agreed(noTarget, false) };
    const row = linked(untouched, "in_progress", issueBase, { base: { status: late } });
    const decision = plan(row, { rules, boardRules: [started] });
    expect(decision.actions).toEqual([]);
    expect(decision.issueBases[0]?.base["label:started"]?.target).toEqual(aim(true));
  });

  it("is no reason to overlook what people have made of the post since", () => {
    const row = linked(untouched, "planned", atRest, { base });
    expect(writesOf(plan(row, { rules }))).toEqual({ milestone: "Next" });
  });
});

describe("a post whose status was written too often", () => {
  it("has its issues left alone, too", () => {
    const issue = makeIssue({ labels: ["started"] });
    const base = { status: makeBase(noTarget, "declined", { foreign: "declined" }) };
    const row = (statusWrites: readonly number[]): Row =>
      linked(issue, "declined", atRest, { base, statusWrites });
    const rules = [{ when: { labels: ["started"] }, set: { status: "archived" } }];
    const settings = { rules, boardRules: [{ when: { category: "c1" }, set: { state: "closed" as const } }] };
    const filed = (one: Row): Row => ({
      ...one,
      post: { ...one.post, values: { ...one.post.values, categoryId: "c1" } },
    });
    expect(kindsOf(plan(filed(row([])), settings))).toEqual(["patch-post", "change-issue"]);
    const loud = plan(filed(row([now - 3, now - 2, now - 1])), settings);
    expect(kindsOf(loud)).toEqual([]);
    expect(new Set(loud.notes.map(({ kind }) => kind))).toEqual(new Set(["quarantined"]));
  });
});

describe("a post that comes under no board rule any more, while another post of its issue still does", () => {
  const claimed = (fields: readonly IssueField[], issue = dropped): Row => {
    const row = linked(issue, "open", declinedByUs);
    return { ...row, links: row.links.map((one) => ({ ...one, claimed: fields })) };
  };

  it("leaves what that one asks for, says so, and is looked at again", () => {
    const decision = plan(claimed(["state"]));
    expect(writesOf(decision)).toEqual({ "label:declined": false });
    expect(decision.notes.filter((note) => "field" in note && note.field === "state")).toEqual([
      {
        kind: "disagreement",
        field: "state",
        message: "state stays `closed:not_planned` on issue #12: another post of the issue still asks for it",
      },
    ]);
    expect(decision.dueAt).toBe(now);
    expect(decision.issueBases[0]?.base.state).toMatchObject({
      target: aim("closed:not_planned"),
      pending: { target: noTarget, since: now },
    });
    const later = plan(claimed([]));
    expect(writesOf(later)).toEqual({ state: "open", "label:declined": false });
    expect(later.dueAt).toBeUndefined();
  });

  it("gives up what people have changed meanwhile", () => {
    const decision = plan(claimed(["state", "label:declined"], untouched));
    expect(decision).toMatchObject({ actions: [], notes: [], dueAt: undefined });
    expect(decision.issueBases[0]?.base.state).toEqual(agreed(noTarget, "open"));
  });
});

describe("both sides taken as they are", () => {
  it("record every field of the issue, and say where they differ", () => {
    const context = makeContext({ settings: makeSettings({ boardRules }) });
    const decision = adoptRow(linked(untouched, "declined"), context);
    expect(decision.actions).toEqual([]);
    expect(decision.issueBases[0]?.base.state).toEqual(agreed(aim("closed:not_planned"), "open"));
    expect(decision.notes.length).toBe(2);
  });

  it("are so for the issue, too, where nobody can say what it asks for: no comment is made twice", () => {
    const settings = { boardRules: commenting, followDuplicates: true };
    const duplicate = makeIssue({ state: "closed", stateReason: "duplicate" });
    const row = linked(duplicate, "declined", { comment: agreed(noTarget, undefined) });
    expect(kindsOf(plan(row, settings))).toContain("comment-issue");
    const context = makeContext({ settings: makeSettings(settings), now });
    const { actions, notes, issueBases } = adoptRow(row, context);
    expect([actions, notes[0]?.kind]).toEqual([[], "undecided"]);
    const [adopted] = issueBases;
    const links = row.links.map((one) => ({ ...one, base: { ...one.base, ...adopted?.base } }));
    expect(kindsOf(plan({ ...row, links }, settings))).toEqual([]);
  });

  it("know nothing of the issues without board rules", () => {
    expect(adoptRow(linked(untouched, "declined"), makeContext()).issueBases).toEqual([]);
  });

  it("say nothing of the issue's fields while nobody knows what became of our PATCH", () => {
    const row = { ...linked(untouched, "declined"), openIntents: ["patch-post"] } as const;
    const context = makeContext({ settings: makeSettings({ boardRules }) });
    expect(adoptRow(row, context).issueBases).toEqual([]);
  });
});
