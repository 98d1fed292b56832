import { describe, expect, it } from "vitest";
import type { PullMeasure } from "../../src/model/post.ts";
import { type GuardedAction, guard, isShrunk } from "../../src/plan/guard.ts";

const limits = { issues: 2, statuses: 3 };
const create: GuardedAction = { issues: 1, isNotifying: false };
const change: GuardedAction = { ...create, issues: 3 };
const patch: GuardedAction = { ...create, issues: 0 };
const loud: GuardedAction = { ...patch, isNotifying: true };

describe("the guard", () => {
  it.each<[string, readonly GuardedAction[], number, readonly [boolean, boolean]]>([
    ["nothing planned", [], 99, [false, false]],
    ["as many issues as allowed", [create, create], 0, [false, false]],
    ["one issue too many", [create, create, create], 0, [true, false]],
    ["one change of more issues than allowed", [change], 0, [true, false]],
    ["silent writes to posts", [patch, patch, patch, patch, patch], 0, [false, false]],
    ["as many notifying writes as allowed", [loud, loud, loud], 0, [false, false]],
    ["one notifying write too many", [loud, loud, loud, loud], 0, [false, true]],
    ["one too many within the last 60 minutes", [loud, loud], 2, [false, true]],
    ["nothing notifying after a loud hour", [create, patch], 99, [false, false]],
    [
      "a new issue whose PATCH notifies counts as both",
      [{ ...create, isNotifying: true }, create, create, loud, loud, loud],
      0,
      [true, true],
    ],
  ])("%s", (_, planned, statusWrites, expected) => {
    const { holdIssues, holdStatuses } = guard(planned, { statusWrites }, limits);
    expect([holdIssues !== undefined, holdStatuses !== undefined]).toEqual(expected);
  });

  it("says how many there are, and what is allowed", () => {
    expect(guard([create, create, create, loud, loud], { statusWrites: 2 }, limits)).toEqual({
      holdIssues: "3 issues would be created or changed by this run, and `guard.issues` allows 2",
      holdStatuses:
        "2 posts would notify their voters, and `guard.statuses` allows 3 in 60 minutes: 2 did already",
    });
    const one = guard([{ ...loud, issues: 1 }], { statusWrites: 3 }, { issues: 0, statuses: 3 });
    expect(one.holdIssues).toMatch(/^1 issue would be created or changed /);
    expect(one.holdStatuses).toMatch(/^1 post would notify its voters, and .*: 3 did already$/);
  });
});

it.each<[string, PullMeasure, string | undefined]>([
  ["an empty board without links", { posts: 0, linked: 0, linkedSeen: 0 }, undefined],
  ["a board that shows everything", { posts: 9, linked: 4, linkedSeen: 4 }, undefined],
  [
    "a board that suddenly shows nothing",
    { posts: 0, linked: 1, linkedSeen: 0 },
    "the board shows no post at all, 1 of this project have issues",
  ],
  ["the only linked post, removed", { posts: 9, linked: 1, linkedSeen: 0 }, undefined],
  ["half of what is linked", { posts: 9, linked: 4, linkedSeen: 2 }, undefined],
  [
    "less than half of what is linked",
    { posts: 9, linked: 5, linkedSeen: 2 },
    "the board shows only 2 of the 5 posts that have issues",
  ],
  [
    "both linked posts gone",
    { posts: 9, linked: 2, linkedSeen: 0 },
    "the board shows only 0 of the 2 posts that have issues",
  ],
])("%s is judged", (_, measure, expected) => {
  expect(isShrunk(measure)).toBe(expected);
});
