import { describe, expect, it } from "vitest";
import type { PlannedChange } from "../../src/model/link.ts";
import { describeNotified } from "../../src/sync/ground/voters.ts";
import { tellTimes } from "../../src/sync/tell/times.ts";
import {
  describePlanned,
  groupWaiting,
  joinFields,
  type Waiting,
} from "../../src/sync/tell/waiting-lines.ts";

const patch: PlannedChange = {
  place: "acme/app#1",
  changes: [{ field: "status", from: "planned", to: "completed" }],
  notifies: 202,
};

describe("what would be written", () => {
  it("is told as it is, also where a time stands in a title", () => {
    const title = "Outage of 2026-01-31T09:00:00Z";
    const planned = { place: null, changes: [{ field: "title", from: "Outage", to: title }], notifies: 0 };
    const said = tellTimes(Date.parse("2026-01-31T10:00:00Z"), "UTC").tell(describePlanned(planned, true));
    expect(said).toBe(`title: “Outage” → “${title}”`);
  });

  it.each<[string, PlannedChange, string]>([
    ["a change of status", patch, "status: planned → completed; 202 voters to notify"],
    ["one voter", { ...patch, notifies: 1 }, "status: planned → completed; 1 voter to notify"],
    [
      "a board without votes",
      { ...patch, notifies: null },
      "status: planned → completed; voters to notify, the board doesn't show how many",
    ],
    [
      "a field that was empty, and one that the board doesn't show",
      {
        place: null,
        changes: [
          { field: "roadmapColumn", from: null, to: "PLANNED" },
          { field: "isReviewed", to: true },
        ],
        notifies: 0,
      },
      "roadmapColumn: – → PLANNED, isReviewed: true",
    ],
    ["a new issue", { place: "acme/app", changes: [], notifies: 0 }, "opens an issue in acme/app"],
    [
      "a new issue, and the change that follows",
      { ...patch, place: "acme/app" },
      "opens an issue in acme/app, then status: planned → completed; 202 voters to notify",
    ],
    [
      "a text",
      { place: "acme/app#1", changes: [{ field: "title", to: "Dark mode" }], notifies: 0 },
      "title: “Dark mode”",
    ],
  ])("of %s", (_, planned, words) => {
    expect(describePlanned(planned, true)).toBe(words);
  });

  it("names a text by its field alone where no texts of posts may be quoted", () => {
    const planned = { place: "acme/app#1", changes: [{ field: "title", to: "Dark mode" }], notifies: 0 };
    expect(describePlanned(planned, false)).toBe("title");
  });

  it.each([
    [0, 0, ""],
    [5, 0, "5 voters to notify"],
    [5, 1, "at least 5 voters to notify"],
    [0, 2, "voters to notify, the board doesn't show how many"],
  ])("is heard by %i voters and those of %i posts without votes: %s", (voters, unknown, words) => {
    expect(describeNotified({ known: voters, unknown })).toBe(words);
  });
});

/** A held line of a post. */
function held(post: number, more: Partial<Waiting> = {}): Waiting {
  return {
    post: `p${post}`,
    kind: "held",
    cause: "guard",
    message: "many",
    planned: { ...patch, place: `acme/app#${post}` },
    ...more,
  };
}

describe("what is alike", () => {
  const many = Array.from({ length: 21 }, (_, post) => held(post));

  it("is a group above 20, with its voters and three examples", () => {
    const [group, ...others] = groupWaiting(many, false);
    expect(others).toEqual([]);
    expect(group).toMatchObject({ lines: many, shown: many.slice(0, 3), isGroup: true });
    expect(group?.notified).toBe("4,242 voters to notify");
    expect(groupWaiting(many.slice(1), false)).toMatchObject([{ isGroup: false, shown: many.slice(1) }]);
    expect(groupWaiting(many, true)).toMatchObject([{ isGroup: false, shown: many }]);
  });

  it("counts posts of which the board shows no votes by themselves", () => {
    const planned = { ...patch, notifies: null };
    const lines = [...many.slice(1), held(30, { planned }), held(31, { planned })];
    expect(groupWaiting(lines, false)).toMatchObject([{ notified: "at least 4,040 voters to notify" }]);
  });

  it.each<[string, Partial<Waiting>]>([
    ["another kind", { kind: "quarantined" }],
    ["another reason", { message: "another" }],
    ["another value", { planned: { ...patch, changes: [{ field: "status", to: "closed" }] } }],
    ["another repository", { planned: { ...patch, place: "acme/api#7" } }],
  ])("is not what has %s", (_, more) => {
    expect(groupWaiting([...many, held(40, more)], false)).toHaveLength(2);
  });

  it("says of its reason what is the same for all, where that names each one's own post and issue", () => {
    const gone = (post: number) =>
      held(post, { message: `acme/app#${post} was deleted. \`boardsync retry p${post}\` opens another.` });
    const lost = many.map((_, post) => gone(post));
    const [group, ...others] = groupWaiting(lost, false);
    expect(others).toEqual([]);
    expect(group?.shown[0]?.message).toBe("The issue was deleted. `boardsync retry POST` opens another.");
    expect(group?.lines).toEqual(lost);
    expect(groupWaiting(lost.slice(1), false).flatMap(({ shown }) => shown)).toEqual(lost.slice(1));
    const unread = many.map((_, post) => held(post, { message: `issue #${post}: rule 2 can't be read` }));
    expect(groupWaiting(unread, false)[0]?.shown[0]?.message).toBe("the issue: rule 2 can't be read");
    const ofOne = many.map((_, post) => held(post, { message: "issue #7: rule 2 can't be read" }));
    expect(groupWaiting(ofOne, false)[0]?.shown[0]?.message).toBe("issue #7: rule 2 can't be read");
  });

  it("may have another title", () => {
    const titled = (to: string) => ({ ...patch, changes: [{ field: "title", to }] });
    const lines = [held(1, { planned: titled("a") }), held(2, { planned: titled("b") })];
    expect(groupWaiting(lines, false)).toHaveLength(1);
  });
});

it("the fields of a post that settle are one line, of what is written together", () => {
  const settling = (post: string, field: string, notifies: number | null): Waiting => ({
    post,
    kind: "settling",
    cause: "settling",
    message: field,
    planned: { place: "acme/app#1", changes: [{ field, from: "a", to: "b" }], notifies },
  });
  const lines = [
    settling("p1", "status", 5),
    held(3),
    settling("p2", "status", null),
    settling("p1", "roadmapColumn", 0),
    settling("p2", "roadmapColumn", 0),
  ];
  const said = joinFields(lines).map((line) => `${line.post} ${describePlanned(line.planned, true)}`);
  expect(said).toEqual([
    "p1 status: a → b, roadmapColumn: a → b; 5 voters to notify",
    "p3 status: planned → completed; 202 voters to notify",
    "p2 status: a → b, roadmapColumn: a → b; voters to notify, the board doesn't show how many",
  ]);
});

it.each([
  [["status is `a`: it stays so", "title is `b`: it stays so"], "status is `a`; title is `b`: it stays so"],
  [
    ["status is `a`: it stays so", "title is `b`: so does this"],
    "status is `a`: it stays so; title is `b`: so does this",
  ],
  [["it stays so", "it stays so"], "it stays so"],
  [
    [
      "status stays: no rule names it (`reason: other` would)",
      "title stays: no rule names it (`reason: other` would)",
    ],
    "status stays; title stays: no rule names it (`reason: other` would)",
  ],
])("the fields of a post that differ are one line: %j", (messages, said) => {
  const lines = messages.map(
    (message): Waiting => ({
      post: "p1",
      kind: "disagreement",
      cause: "differs",
      message,
      planned: undefined,
    }),
  );
  expect(joinFields(lines).map(({ message }) => message)).toEqual([said]);
});
