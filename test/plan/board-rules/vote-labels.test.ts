import { describe, expect, it } from "vitest";
import type { Issue, IssueField } from "../../../src/model/issue.ts";
import type { FieldBase, IssueBase, LinkedIssue, Row } from "../../../src/model/link.ts";
import type { FieldValue } from "../../../src/model/post.ts";
import { voteLabel } from "../../../src/plan/board-rules/vote-labels.ts";
import { applied } from "../../../src/plan/fields/base.ts";
import type { ChangeIssue, Decision } from "../../../src/plan/ground/action.ts";
import { labelOf } from "../../../src/plan/ground/issue-fields.ts";
import type { Settings } from "../../../src/plan/ground/settings.ts";
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
  quarantine,
} from "../make.ts";

const issue = {
  labels: ["feedback"],
  categoryLabels: {},
  assignees: [],
  voteLabels: { 50: "votes: 50+", 10: "Votes: 10+", 200: "votes: 200+" },
};
const low = "label:votes: 10+";
const middle = "label:votes: 50+";

/** A label that we have set. */
const ours = makeBase(aim(true), true, { foreign: false, written: { sent: true, shown: true } });
/** One that a person has set, or for which we have asked while it was there. */
const theirs = makeBase(aim(true), true, { foreign: true });
/** One that we have taken away. */
const gone = makeBase(noTarget, false, { foreign: false });

/** Not new: its status was looked at before. */
const known = { status: makeBase(noTarget, "open", { foreign: "open" }) };

function linked(
  votes: FieldValue,
  labels: readonly string[],
  base: IssueBase = {},
  changes: Partial<LinkedIssue> = {},
): Row {
  const bases = Object.keys(base).length > 0 && { base };
  const links = [makeLink(makeIssue({ labels }), { ...bases, ...changes })];
  return makeRow({ status: "open", votes }, { links, base: known });
}

function plan(row: Row, changes: Partial<Settings> = {}): Decision {
  return planRow(row, makeContext({ settings: makeSettings({ issue, ...changes }) }));
}

/** "-votes: 10+": what is taken away, and given. */
function writesOf({ actions }: Decision): readonly string[] {
  return actions
    .filter((action): action is ChangeIssue => action.kind === "change-issue")
    .flatMap(({ changes }) => changes.flatMap(({ writes }) => writes))
    .map(({ field, value }) => `${value === true ? "+" : "-"}${labelOf(field)}`);
}

/** The row once what it asks for is done. */
function carryOut(row: Row): Row {
  const decision = plan(row);
  const [action] = decision.actions;
  const writes = action?.kind === "change-issue" ? (action.changes[0]?.writes ?? []) : [];
  const [link] = row.links;
  if (link?.known === undefined) throw new Error("the row has no issue");
  const base: Partial<Record<IssueField, FieldBase>> = { ...link.base, ...decision.issueBases[0]?.base };
  let labels = [...link.known.issue.labels];
  for (const write of writes) {
    base[write.field] = applied(base[write.field], write, undefined);
    const name = String(labelOf(write.field));
    labels = labels.filter((label) => label.toLowerCase() !== name);
    if (write.value === true) labels.push(name);
  }
  return { ...row, links: [{ ...link, base, known: { issue: { ...link.known.issue, labels } } }] };
}

function withVotes(row: Row, votes: number): Row {
  return { ...row, post: { ...row.post, values: { ...row.post.values, votes } } };
}

function labelsOf({ links }: Row): readonly string[] {
  const shown: readonly Issue[] = links.flatMap((link) => link.known?.issue ?? []);
  return shown.flatMap(({ labels }) => labels);
}

describe("the label for so many votes", () => {
  it.each<[FieldValue | undefined, string | undefined]>([
    [9, undefined],
    [10, "Votes: 10+"],
    [49, "Votes: 10+"],
    [50, "votes: 50+"],
    [1000, "votes: 200+"],
    ["many", undefined],
    [undefined, undefined],
  ])("%s", (votes, label) => {
    expect(voteLabel(votes, { issue })).toBe(label);
  });

  it("is given to a new issue, beside the others", () => {
    const [create] = plan(makeRow({ status: "open", votes: 60 })).actions;
    expect(create).toMatchObject({ kind: "create-issue", labels: ["feedback", "votes: 50+"] });
    expect(voteLabel(60, { issue: { ...issue, voteLabels: {} } })).toBeUndefined();
  });
});

describe("labels by votes", () => {
  it("are given to issues that are there already, with their reason", () => {
    const decision = plan(linked(12, ["bug"]));
    expect(writesOf(decision)).toEqual(["+votes: 10+"]);
    expect(decision.actions).toMatchObject([{ reason: "the post has 12 votes → `issue.voteLabels`" }]);
    expect(writesOf(plan({ ...linked(12, []), links: [makeAdopted(makeIssue())] }))).toEqual(["+votes: 10+"]);
  });

  it("move one at a time, the old one first, and nothing is asked for again", () => {
    let row = carryOut(linked(12, ["bug"]));
    for (const [votes, label] of [
      [60, "votes: 50+"],
      [300, "votes: 200+"],
      [49, "votes: 10+"],
    ] as const) {
      const [first, second, ...others] = writesOf(plan(withVotes(row, votes)));
      expect([first?.[0], second, others]).toEqual(["-", `+${label}`, []]);
      row = carryOut(withVotes(row, votes));
      expect(labelsOf(row)).toEqual(["bug", label]);
      expect([plan(row).actions, plan(row).notes]).toEqual([[], []]);
    }
    row = carryOut(withVotes(row, 3));
    expect(labelsOf(row)).toEqual(["bug"]);
    expect(plan(row).actions).toEqual([]);
  });

  it("move whatever `whenNoRule` says, and mail nobody", () => {
    const decision = plan(linked(60, ["Votes: 10+"], { [low]: ours }), {
      whenNoRule: "keep",
      settleMs: 60_000,
    });
    expect(writesOf(decision)).toEqual(["-votes: 10+", "+votes: 50+"]);
    expect(decision.actions.map(({ kind }) => kind)).toEqual(["change-issue"]);
  });

  it("that a new issue was opened with are ours", () => {
    const opened = (votes: number) => ({ ...linked(votes, ["feedback", "Votes: 10+"]), base: {} });
    expect(plan(opened(12)).issueBases[0]?.base[low]).toEqual(ours);
    expect(writesOf(plan(opened(60)))).toEqual(["-votes: 10+", "+votes: 50+"]);
    const found = { ...opened(60), links: [makeAdopted(makeIssue({ labels: ["votes: 10+"] }))] };
    expect(writesOf(plan(found))).toEqual(["+votes: 50+"]);
  });

  it.each<[string, Partial<Row>]>([
    ["missing", { missing: 1 }],
    ["archived", { post: makeRow({ votes: 3, isArchived: true }).post }],
  ])("that an issue was opened with are ours, also where the post was %s at the first look", (_, state) => {
    const opened = { ...linked(3, ["votes: 10+"]), base: {}, ...state };
    const { actions, issueBases } = plan(opened);
    expect([actions, issueBases[0]?.base[low]]).toEqual([[], ours]);
    expect(writesOf(plan(linked(3, ["votes: 10+"], issueBases[0]?.base)))).toEqual(["-votes: 10+"]);
    const later = { ...linked(3, ["votes: 10+"]), ...state };
    expect(plan(later).issueBases).toEqual([]);
  });

  it("that a person has set stay", () => {
    expect(plan(linked(12, ["votes: 10+"])).issueBases[0]?.base[low]).toEqual(theirs);
    expect(writesOf(plan(linked(60, ["votes: 10+"], { [low]: theirs })))).toEqual(["+votes: 50+"]);
    expect(writesOf(plan(linked(3, ["votes: 10+"], { [low]: theirs })))).toEqual([]);
  });

  it("give way to a higher one that a person has set", () => {
    expect(writesOf(plan(linked(12, ["votes: 50+"])))).toEqual([]);
    expect(writesOf(plan(linked(3, ["votes: 50+"])))).toEqual([]);
    expect(writesOf(plan(linked(12, ["votes: 50+", "votes: 10+"], { [low]: ours })))).toEqual([
      "-votes: 10+",
    ]);
  });

  it("that a person has taken away stay away until the votes cross a number, and that is said", () => {
    const decision = plan(linked(12, [], { [low]: ours }));
    expect(decision.actions).toEqual([]);
    expect(decision.notes.map(({ message }) => message)).toEqual([
      "label:votes: 10+ is `false` on issue #12, the post asks for `true`: it stays so until the post changes",
    ]);
    const left = { [low]: makeBase(aim(true), false, { foreign: false }) };
    expect(writesOf(plan(linked(60, [], left)))).toEqual(["+votes: 50+"]);
    expect(writesOf(plan(linked(12, [], { [low]: gone })))).toEqual(["+votes: 10+"]);
  });

  it("of an issue of several posts are those of the post with the most votes", () => {
    // The other post has given it the higher one: this one takes its own away.
    expect(writesOf(plan(linked(12, ["votes: 10+", "votes: 50+"], { [low]: ours })))).toEqual([
      "-votes: 10+",
    ]);
    // Both have asked for one, and the other post still does.
    const shared = plan(linked(12, ["votes: 50+"], { [middle]: ours }, { claimed: [middle] }));
    expect([shared.actions, shared.dueAt]).toEqual([[], 1_000_000]);
    expect(shared.notes.map(({ message }) => message)).toEqual([
      "label:votes: 50+ stays `true` on issue #12: another post of the issue still asks for it",
    ]);
  });

  it.each<[string, Row]>([
    ["no votes are shown", linked("many", [], { [low]: ours })],
    ["the post is missing", { ...linked(3, ["votes: 10+"], { [low]: ours }), missing: 1 }],
    [
      "the post is archived",
      { ...linked(3, ["votes: 10+"], { [low]: ours }), post: makeRow({ votes: 3, isArchived: true }).post },
    ],
    ["no list has shown the post since our last PATCH", { ...linked(60, []), seenAt: undefined }],
    ["a PATCH is under way", { ...linked(60, []), openIntents: ["patch-post"] }],
    ["the issue is gone", linked(60, [], {}, { isGone: true })],
    ["it is one that we only read", linked(60, [], {}, { text: "read-only" })],
    ["it is being changed", linked(60, [], {}, { isChanging: true })],
    ["one is being written", { ...linked(60, []), openIntents: ["change-issue"] }],
  ])("stay as they are where %s", (_, row) => {
    expect(writesOf(plan(row))).toEqual([]);
  });

  it("count no votes where just this record shows none", () => {
    const row = { ...linked(0, ["votes: 10+"], { [low]: ours }), post: makeRow({ status: "open" }).post };
    expect(plan(row).actions).toMatchObject([{ reason: "the post has 0 votes → `issue.voteLabels`" }]);
  });

  it("are left as they are where both sides are taken so, and given afterwards", () => {
    const row = linked(60, []);
    const adopted = adoptRow(row, makeContext({ settings: makeSettings({ issue }) }));
    expect([adopted.actions, adopted.issueBases, adopted.dueAt]).toEqual([[], [], makeContext().now]);
    expect(writesOf(plan(row))).toEqual(["+votes: 50+"]);
  });

  it("are this post's too, at once, where the issue has them already", () => {
    const adopted = adoptRow(linked(60, ["votes: 50+"]), makeContext({ settings: makeSettings({ issue }) }));
    const target = { kind: "value", value: true };
    expect(adopted.issueBases).toMatchObject([{ base: { "label:votes: 50+": { target, foreign: true } } }]);
  });

  it("are left where a person discards them, until the votes cross a number", () => {
    const row = linked(60, []);
    const left = adoptRow(row, makeContext({ settings: makeSettings({ issue }) }), "leave");
    expect([left.actions, left.dueAt]).toEqual([[], undefined]);
    const [link] = row.links.map((one) => ({ ...one, base: left.issueBases[0]?.base ?? {} }));
    const discarded = { ...row, links: link === undefined ? [] : [link] };
    expect(writesOf(plan(discarded))).toEqual([]);
    expect(writesOf(plan(withVotes(discarded, 12)))).toEqual(["+votes: 10+"]);
  });

  it("go with what board rules ask for, and with a refusal", () => {
    const boardRules = [{ when: { status: "open" }, set: { addLabels: ["triage"] } }];
    const base = { "label:triage": gone } as const;
    const decision = plan(linked(12, [], base), { boardRules });
    expect(writesOf(decision)).toEqual(["+triage", "+votes: 10+"]);
    expect(decision.actions).toMatchObject([
      { reason: "the post: status is `open` → board rule 1; the post has 12 votes → `issue.voteLabels`" },
    ]);
    const quarantined = { ...linked(12, []), notes: [quarantine] };
    expect(plan(quarantined).stopped).toHaveLength(1);
    const notes = [makeParked("change-issue", "another one")];
    expect(writesOf(plan({ ...linked(12, []), notes }))).toEqual(["+votes: 10+"]);
  });
});
