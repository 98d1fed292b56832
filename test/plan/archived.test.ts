import { describe, expect, it } from "vitest";
import type { FieldBase, Row } from "../../src/model/link.ts";
import type { PostChange } from "../../src/model/post.ts";
import { absence } from "../../src/plan/ground/obstacle.ts";
import type { Rule, Settings } from "../../src/plan/ground/settings.ts";
import { planRow, wishesOf } from "../../src/plan/plan.ts";
import {
  aim,
  done,
  makeBase,
  makeContext,
  makeLink,
  makeRow,
  makeSettings,
  noTarget,
  started,
  untouched,
} from "./make.ts";

const rules: readonly Rule[] = [
  { when: { state: "closed" }, set: { status: "completed", isArchived: true } },
  { when: { labels: ["started"] }, set: { status: "in_progress", isArchived: false } },
];

const archived = { sent: true, shown: true };
const byUs = makeBase(aim(true), true, { foreign: false, written: archived });
const completed = makeBase(aim("completed"), "completed", {
  foreign: "open",
  written: { sent: "completed", shown: "completed" },
});

function rowOf(isArchived: FieldBase, issue = untouched, shown: boolean | null = true): Row {
  const base = { status: completed, isArchived };
  return makeRow({ status: "completed", isArchived: shown }, { links: [makeLink(issue)], base });
}

function changesOf(row: Row, changes: Partial<Settings> = {}): PostChange | undefined {
  const { actions } = planRow(row, makeContext({ settings: makeSettings({ rules, ...changes }) }));
  return actions.flatMap((action) =>
    action.kind === "patch-post"
      ? [Object.fromEntries(action.writes.map(({ field, value }) => [field, value]))]
      : [],
  )[0];
}

describe("a post that a rule has archived", () => {
  it.each<[string, Row, Partial<Settings>, PostChange | undefined]>([
    [
      "is brought back with its status when no rule matches",
      rowOf(byUs),
      {},
      { status: "open", isArchived: false },
    ],
    [
      "is brought back by a rule that asks for that",
      rowOf(byUs, started),
      {},
      { status: "in_progress", isArchived: false },
    ],
    ["stays with `whenNoRule: keep`", rowOf(byUs), { whenNoRule: "keep" }, undefined],
    [
      "gets other changes of its issue",
      rowOf(byUs, started),
      { rules: withoutArchiving() },
      { status: "in_progress" },
    ],
    [
      "is brought back also before a list has shown what our write left",
      rowOf(makeBase(aim(true), true, { foreign: false, written: { sent: true, shown: undefined } })),
      {},
      { status: "open", isArchived: false },
    ],
    [
      "is brought back where an earlier version stored null for what it had been",
      rowOf(makeBase(aim(true), true, { foreign: null, written: archived })),
      {},
      { status: "open", isArchived: false },
    ],
  ])("%s", (_, row, changes, expected) => {
    expect(changesOf(row, changes)).toEqual(expected);
  });

  it("is in use: what it asks for can still be told", () => {
    expect(absence(rowOf(byUs))).toBeUndefined();
    const row = rowOf(byUs);
    expect(wishesOf(row, planRow(row, makeContext({ settings: makeSettings({ rules }) })))).toHaveLength(1);
  });
});

/** The rule that archives is gone; what it did is left alone, and the status goes on. */
function withoutArchiving(): readonly Rule[] {
  return [{ when: { labels: ["started"] }, set: { status: "in_progress" } }];
}

describe("a post that a person has archived", () => {
  const touched = makeBase(aim(true), false, { foreign: false });

  it.each<[string, FieldBase]>([
    ["before our rule asked for it", makeBase(aim(true), true, { foreign: true })],
    ["without any rule", makeBase(noTarget, true, { foreign: true })],
    ["after a person had taken ours back", touched],
    [
      "although the board had not kept ours",
      makeBase(aim(true), false, { written: { sent: true, shown: false } }),
    ],
    ["after we had brought it back", makeBase(aim(false), false, { written: { sent: false, shown: false } })],
  ])("%s stays, and gets no write", (_, base) => {
    for (const issue of [untouched, started]) expect(changesOf(rowOf(base, issue))).toBeUndefined();
    expect(absence(rowOf(base))).toBe("the post is archived");
  });

  it("is a person's from then on when they bring it back and archive it again", () => {
    const settings = makeSettings({ rules });
    const back = planRow(rowOf(byUs, done, false), makeContext({ settings }));
    expect(back.base.isArchived).toEqual(makeBase(aim(true), false, { foreign: false }));
    const again = planRow(rowOf(touched, done), makeContext({ settings }));
    expect(again.base.isArchived).toEqual(makeBase(aim(true), true, { foreign: true }));
    expect(changesOf(rowOf(makeBase(aim(true), true, { foreign: true })))).toBeUndefined();
  });
});
