import { describe, expect, it } from "vitest";
import type { Issue, Pin, Signals } from "../../../src/model/issue.ts";
import type { FieldBase, LinkedIssue, Row } from "../../../src/model/link.ts";
import type { Condition, Rule } from "../../../src/plan/ground/settings.ts";
import { awaitAnew, awaitDropped, awaitLost, awaitOthers } from "../../../src/plan/lost-names.ts";
import { isFulfilled } from "../../../src/plan/rules/conditions.ts";
import {
  isRenamed,
  keepCarried,
  lostOf,
  namesOfRules,
  newsOfPin,
  pinNames,
} from "../../../src/plan/rules/pins.ts";
import { projectFieldKey } from "../../../src/plan/rules/signals.ts";
import { type LinkParts, makeBase, makeIssue, makeLink, makeRow, makeSettings } from "../make.ts";

const doing: Pin = { repositoryId: 7, kind: "label", name: "Doing", id: "LA_1", now: "doing" };
const next: Pin = { repositoryId: 7, kind: "milestone", name: "Next", id: "3", now: "Next" };
const any: Pin = { repositoryId: 7, kind: "milestone", name: "any", id: "3 4", now: "any" };
const bug: Pin = { repositoryId: 7, kind: "type", name: "Bug", id: "IT_1", now: "Bug" };

/** Nothing was read beside the record. */
const unread = { reason: { kind: "named", reason: null } } as const;

describe("what names mean", () => {
  const names = { label: ["Doing"], milestone: ["Next"], type: ["Bug"] };
  const lists = {
    labels: [{ id: "LA_1", name: "doing" }, { name: "without id" }],
    milestones: [
      { number: 2, title: "Next", state: "closed" },
      { number: 3, title: "Next", state: "open" },
    ] as const,
    types: [{ id: "IT_1", name: "Bug" }],
  };

  it("is all that is called so when they are seen first; an open milestone stands before a closed one", () => {
    expect(pinNames(7, [], names, lists)).toEqual([doing, { ...next, id: "3 2" }, bug]);
  });

  it.each<[string, readonly Pin[], object, readonly Pin[]]>([
    ["nothing yet, of what was never seen", [], { labels: [] }, []],
    ["nothing yet, of what has no id", [], { labels: [{ name: "doing" }] }, []],
    [
      "the same under another name",
      [doing],
      { labels: [{ id: "LA_1", name: "x" }] },
      [{ ...doing, now: "x" }],
    ],
    [
      "the same, and another one that is called so now",
      [doing],
      {
        labels: [
          { id: "LA_2", name: "doing" },
          { id: "LA_1", name: "x" },
        ],
      },
      [{ ...doing, id: "LA_1 LA_2", now: "x" }],
    ],
    [
      "both under other names",
      [{ ...doing, id: "LA_1 LA_2", now: "x" }],
      {
        labels: [
          { id: "LA_1", name: "x" },
          { id: "LA_2", name: "y" },
        ],
      },
      [{ ...doing, id: "LA_1 LA_2", now: "x, y" }],
    ],
    [
      "the one of them that is left",
      [{ ...doing, id: "LA_1 LA_2", now: "x" }],
      { labels: [{ id: "LA_2", name: "doing" }] },
      [{ ...doing, id: "LA_2" }],
    ],
    ["nobody knows what, once it was deleted", [doing], { labels: [] }, [{ ...doing, now: undefined }]],
    [
      "what was made anew",
      [{ ...doing, now: undefined }],
      { labels: [{ id: "LA_2", name: "DOING" }] },
      [{ ...doing, id: "LA_2", now: "DOING" }],
    ],
    ["no title in another case", [], { milestones: [{ number: 1, title: "next", state: "open" }] }, []],
  ])("is %s", (_, known, changes, expected) => {
    const nothing = { labels: [], milestones: [], types: [] };
    expect(pinNames(7, known, names, { ...nothing, ...changes })).toEqual(expected);
  });

  it("is not what is known under another name: two may have changed their names", () => {
    const [one, two] = ["1", "2"].map((id): Pin => ({ ...doing, name: `n${id}`, id, now: `n${id}` }));
    const labels = [
      { id: "1", name: "n2" },
      { id: "2", name: "n1" },
    ];
    const named = { label: ["n1", "n2"], milestone: [], type: [] };
    expect(
      pinNames(
        7,
        [one, two].flatMap((pin) => pin ?? []),
        named,
        { ...lists, labels },
      ),
    ).toEqual([
      { ...one, now: "n2" },
      { ...two, now: "n1" },
    ]);
  });

  it("is asked of every name in a rule once, and of all milestones where a rule looks at whether there is one", () => {
    const conditions: readonly Condition[] = [
      { labels: ["a", "b"], milestone: "any" },
      { anyLabel: ["A", "c"], milestone: "none", type: "Bug" },
      { noLabel: ["d"], milestone: "Next", type: "bug" },
    ];
    expect(namesOfRules(conditions.map((when) => ({ when })))).toEqual({
      ...{ label: ["a", "b", "c", "d"], milestone: ["any", "Next"], type: ["Bug"] },
    });
  });

  it.each<[Condition, readonly string[]]>([
    [{ state: "open" }, []],
    [{ milestone: "Next" }, ["Next"]],
    [{ milestone: "Next", milestoneState: "open" }, ["Next", "any"]],
    [{ milestone: "Any", milestoneState: "closed" }, ["Any", "any"]],
    [{ milestoneState: "closed" }, ["any"]],
    [{ released: true }, ["any"]],
    [{ released: false }, ["any"]],
  ])("of milestones: %j names %j", (when, expected) => {
    expect(namesOfRules([{ when }]).milestone).toEqual(expected);
  });

  it("is, of all milestones, those that are listed", () => {
    const all = { label: [], milestone: ["any"], type: [] };
    const milestones = [10, 9].map((number) => ({ number, title: "x", state: "open" }) as const);
    expect(pinNames(7, [], all, { ...lists, milestones })).toEqual([{ ...any, id: "9 10" }]);
    expect(pinNames(7, [any], all, { ...lists, milestones: [] })).toEqual([{ ...any, id: "" }]);
  });

  it.each<[Pin | undefined, Pin, string | undefined]>([
    [undefined, doing, undefined],
    [doing, doing, undefined],
    [doing, { ...doing, now: "x" }, "renamed"],
    [{ ...doing, now: "x" }, { ...doing, now: "x" }, undefined],
    [{ ...doing, now: "x" }, doing, undefined],
    [doing, { ...doing, now: undefined }, "deleted"],
    [{ ...doing, now: undefined }, { ...doing, now: undefined }, undefined],
    [doing, { ...doing, id: "LA_2" }, "made anew"],
    [undefined, any, undefined],
    [any, { ...any, id: "3 4 5" }, undefined],
    [any, { ...any, id: "4 5" }, "one deleted"],
  ])("%j, then %j: %s", (before, now, expected) => {
    expect(newsOfPin(before, now)).toBe(expected);
  });

  it.each<[Pin | undefined, Pin, Pin | undefined]>([
    [undefined, doing, undefined],
    [doing, { ...doing, now: "x" }, undefined],
    [doing, { ...doing, now: undefined }, { ...doing, now: undefined }],
    [doing, { ...doing, id: "LA_2" }, doing],
    [
      { ...doing, id: "LA_1 LA_2" },
      { ...doing, id: "LA_1" },
      { ...doing, id: "LA_2" },
    ],
    [any, any, undefined],
    [any, { ...any, id: "4 5" }, { ...any, id: "3" }],
    [any, { ...any, id: "" }, any],
  ])("%j, then %j: %j is lost", (before, now, expected) => {
    expect(lostOf(before, now)).toEqual(expected);
  });

  it("is what it was for as long as issues carry it, whatever a list lacks", () => {
    const gone = { ...doing, now: undefined };
    expect([keepCarried(doing, gone, ["LA_1"]), keepCarried(doing, gone, ["LA_2"])]).toEqual([doing, gone]);
    const two = { ...doing, id: "LA_1 LA_2" };
    expect(keepCarried(two, { ...doing, id: "LA_2" }, ["LA_1"])).toEqual({ ...doing, id: "LA_2 LA_1" });
    expect(keepCarried(any, { ...any, id: "5" }, ["4", "6"])).toEqual({ ...any, id: "4 5" });
  });

  it("is called otherwise where only the case is another one, of a milestone alone", () => {
    expect(isRenamed(doing)).toBe(false);
    expect(isRenamed({ ...next, now: "next" })).toBe(true);
    expect(isRenamed({ ...next, now: undefined })).toBe(false);
  });
});

describe("a condition", () => {
  const renamed: readonly Pin[] = [
    { ...doing, now: "x" },
    { ...next, now: "1.0" },
    { ...bug, now: "Defect" },
  ];
  const deleted = renamed.map((pin) => ({ ...pin, now: undefined }));
  const has = makeIssue({
    ...{ labels: ["x"], labelIds: ["LA_1"], type: "Defect", typeId: "IT_1" },
    milestone: { number: 3, title: "1.0", state: "open" },
  });
  const other = makeIssue({
    ...{ labels: ["y"], labelIds: ["LA_9"], type: "Task", typeId: "IT_9" },
    milestone: { number: 9, title: "2.0", state: "open" },
  });
  const bare = makeIssue({ labels: [], milestone: null, type: null });

  it.each<[Condition, boolean]>([
    [{ labels: ["doing"] }, true],
    [{ anyLabel: ["none", "doing"] }, true],
    [{ noLabel: ["doing"] }, false],
    [{ milestone: "Next" }, true],
    [{ type: "bug" }, true],
  ])("%j goes by what its name means, and is unknown once that was deleted", (when, expected) => {
    const holds = (issue: typeof has, pins: readonly Pin[]) => isFulfilled({ issue, ...unread, pins }, when);
    expect(holds(has, renamed)).toBe(expected);
    for (const issue of [other, bare]) expect(holds(issue, renamed)).toBe(!expected);
    for (const issue of [has, other, bare])
      expect(holds(issue, deleted)).toMatchObject({
        kind: "unknown",
        message: expect.stringContaining("deleted"),
      });
  });

  it("goes by the name where the facts hold no ids, and by what was made under it since", () => {
    const labelled = (labels: readonly string[], labelIds?: readonly string[]) =>
      isFulfilled(
        { issue: makeIssue({ labels, ...(labelIds && { labelIds }) }), ...unread, pins: renamed },
        { labels: ["doing"] },
      );
    expect(labelled(["Doing"])).toBe(true);
    expect(labelled(["doing"], ["LA_7"])).toBe(true);
    expect(labelled(["x"])).toBe(false);
  });

  it("does not take for its own what another name of the rules means", () => {
    const swapped: readonly Pin[] = [
      { ...doing, now: "other" },
      { ...doing, name: "other", id: "LA_2", now: "doing" },
    ];
    const issue = makeIssue({ labels: ["doing"], labelIds: ["LA_2"] });
    const holds = (label: string) => isFulfilled({ issue, ...unread, pins: swapped }, { labels: [label] });
    expect([holds("doing"), holds("other")]).toEqual([false, true]);
  });

  it.each<[Condition, boolean]>([
    [{ milestone: "any" }, false],
    [{ milestone: "none" }, true],
    [{ milestoneState: "open" }, false],
    [{ milestoneState: "closed" }, false],
    [{ released: true }, false],
    [{ released: false }, true],
  ])("%j is unknown of an issue whose milestone was deleted, while that is looked at", (when, expected) => {
    const signals = { isReleased: { kind: "known", value: false } } as const;
    const holds = (issue: Issue, pin: Pin) => isFulfilled({ issue, ...unread, signals, pins: [pin] }, when);
    const lost = { ...any, now: undefined };
    const robbed = makeIssue({ formerMilestone: 4 });
    expect(holds(robbed, lost)).toMatchObject({
      kind: "unknown",
      message: expect.stringContaining("deleted"),
    });
    expect(holds(robbed, any)).toBe(expected);
    for (const issue of [makeIssue(), makeIssue({ formerMilestone: 5 })])
      expect(holds(issue, lost)).toBe(expected);
    const milestone = { number: 9, title: "2.0", state: "open" } as const;
    expect(holds(makeIssue({ milestone }), lost)).not.toHaveProperty("kind");
  });

  it("`released` holds of an issue that a release contains, whatever became of its milestone", () => {
    const signals = { isReleased: { kind: "known", value: true } } as const;
    const facts = {
      issue: makeIssue({ formerMilestone: 4 }),
      ...unread,
      signals,
      pins: [{ ...any, now: undefined }],
    };
    expect(isFulfilled(facts, { released: true })).toBe(true);
    expect(isFulfilled(facts, { released: false })).toBe(false);
  });

  it("is no where one part is no, whatever else is unknown", () => {
    const facts = { issue: bare, ...unread, pins: deleted };
    expect(isFulfilled(facts, { labels: ["doing", "never"] })).toBe(false);
    expect(
      isFulfilled({ ...facts, issue: makeIssue({ labels: ["never"] }) }, { anyLabel: ["doing", "never"] }),
    ).toBe(true);
  });
});

describe("a post whose name in a rule has begun to mean another thing", () => {
  const rules = [
    { when: { state: "closed" }, set: { status: "completed" } },
    { when: { labels: ["doing"] }, set: { status: "in_progress" } },
  ] as const;
  const settings = makeSettings({ rules });
  const lost: readonly Pin[] = [{ ...doing, id: "LA_3" }];
  const base = { status: makeBase({ kind: "value", value: "in_progress" }, "in_progress") };
  const bases = (issue: Issue, changes: Partial<Row> = {}) =>
    awaitLost(makeRow({}, { links: [makeLink(issue)], base, ...changes }), lost, lost, settings);

  it("waits for the first target after that", () => {
    expect(bases(makeIssue())).toMatchObject({ status: { target: base.status.target, isAwaited: true } });
  });

  it("does not where the issue carries another name of the rules, which means what it meant", () => {
    const rules = [
      { when: { type: "Bug" }, set: { status: "planned" } },
      { when: { labels: ["Doing"] }, set: { status: "in_progress" } },
    ];
    const awaited = (type: string | null) =>
      awaitLost(
        makeRow({}, { links: [makeLink(makeIssue({ type, typeId: type === null ? "" : "IT_1" }))], base }),
        [...lost, bug],
        lost,
        makeSettings({ rules }),
      );
    expect(awaited("Bug")).toEqual({});
    expect(awaited(null)).toHaveProperty("status.isAwaited", true);
  });

  it("does not where a rule above decides, or nothing was planned for it yet", () => {
    expect(bases(makeIssue({ state: "closed" }))).toEqual({});
    expect(bases(makeIssue(), { base: {} })).toEqual({});
  });

  it.each<[FieldBase["target"], boolean]>([
    [{ kind: "none" }, false],
    [{ kind: "value", value: "completed" }, true],
  ])("does not where %o was to be written, and its issue asks for that still", (target, isAwaited) => {
    const waiting = { status: { ...base.status, pending: { target, since: 0 } } };
    expect("status" in bases(makeIssue(), { base: waiting })).toBe(isAwaited);
  });

  it("does also where the issue that it is a duplicate of hangs on it", () => {
    const issue = makeIssue({ number: 8, state: "closed", stateReason: "duplicate" });
    const signals = { canonical: { kind: "known", value: { repositoryId: 7, number: 7 } } } as const;
    const linked = makeLink(issue, { signals, canonical: { issue: makeIssue() } });
    expect(
      awaitLost(makeRow({}, { links: [linked], base }), lost, lost, { ...settings, followDuplicates: true }),
    ).toHaveProperty("status.isAwaited", true);
  });
});

describe("a post that hangs on a field of a project which was made anew", () => {
  const projectStatus = { owner: "acme", project: 7, field: "Status", is: ["Doing"] };
  const rules = [
    { when: { state: "closed" as const }, set: { status: "completed" } },
    { when: { projectStatus }, set: { status: "in_progress" } },
  ];
  const key = projectFieldKey(projectStatus);
  const base = { status: makeBase({ kind: "value", value: "in_progress" }, "in_progress") };
  const bases = (issue: Issue, signals?: Signals) =>
    awaitAnew(
      makeRow({}, { links: [makeLink(issue, signals && { signals })], base }),
      key,
      makeSettings({ rules }),
    );

  it("takes what its issues show from then on as it is", () => {
    const doing: Signals = { projectStatus: { [key]: { kind: "known", value: "Doing" } } };
    expect(bases(makeIssue(), doing)).toHaveProperty("status.isAwaited", true);
    expect(bases(makeIssue())).toHaveProperty("status.isAwaited", true);
  });

  it("does not where a rule above decides", () => {
    expect(bases(makeIssue({ state: "closed" }))).toEqual({});
  });
});

describe("a post one of whose issues is gone", () => {
  const rules = [
    { when: { state: "closed" as const }, set: { status: "completed" } },
    { when: { labels: ["doing"] }, set: { status: "in_progress" } },
  ];
  const settings = makeSettings({ rules, several: "all" });
  const base = { status: makeBase({ kind: "value", value: "in_progress" }, "in_progress") };
  const doingOne = makeLink(makeIssue({ number: 1, labels: ["doing"] }));
  const gone = { repositoryId: doingOne.link.issue.repositoryId, number: 1 };
  const basesWith = (links: readonly LinkedIssue[], outcome: "gone" | "back" = "gone") =>
    awaitOthers(makeRow({}, { links: [doingOne, ...links], base }), gone, settings, outcome);
  const doing = makeLink(makeIssue({ number: 2, labels: ["doing"] }));
  const closed = makeLink(makeIssue({ number: 2, state: "closed" }));
  const unknown = { ...closed, known: undefined };

  it("takes what the others come to as it is, as soon as that is known", () => {
    expect(basesWith([closed])).toHaveProperty("status.isAwaited", true);
    expect(basesWith([unknown])).toHaveProperty("status.isAwaited", true);
  });

  it("goes on where they come to the same, or none is left", () => {
    expect(basesWith([doing])).toEqual({});
    expect(basesWith([])).toEqual({});
    expect(basesWith([{ ...closed, isGone: true }])).toEqual({});
  });

  it("takes what all of them come to as it is when that one is there again", () => {
    expect(basesWith([closed], "back")).toHaveProperty("status.target.value", "in_progress");
    expect(basesWith([unknown], "back")).toHaveProperty("status.isAwaited", true);
    expect(basesWith([doing], "back")).toEqual({});
  });

  it("goes on when it is there again alone, unless the other one has decided meanwhile", () => {
    expect(basesWith([], "back")).toEqual({});
    const told = { status: makeBase({ kind: "value", value: "completed" }, "completed") };
    const row = makeRow({}, { links: [doingOne, { ...closed, isGone: true }], base: told });
    expect(awaitOthers(row, gone, settings, "back")).toHaveProperty("status.target.value", "in_progress");
  });
});

describe("a post of which an issue is a duplicate of one that is gone", () => {
  const rules = [
    { when: { state: "closed" as const, reason: ["completed" as const] }, set: { status: "completed" } },
    { when: { labels: ["doing"] }, set: { status: "in_progress" } },
  ];
  const settings = makeSettings({ rules, several: "all", followDuplicates: true });
  const base = { status: makeBase({ kind: "value", value: "in_progress" }, "in_progress") };
  const end = makeIssue({ number: 9, labels: ["doing"] });
  const gone = { repositoryId: end.repositoryId, number: end.number };
  const signals: Signals = { canonical: { kind: "known", value: gone } };
  const closed = makeIssue({ number: 1, state: "closed", stateReason: "duplicate" });
  const duplicate = makeLink(closed, { signals, canonical: { issue: end } });
  const done = makeLink(makeIssue({ number: 2, state: "closed", stateReason: "completed" }));
  const basesWith = (links: readonly LinkedIssue[], outcome: "gone" | "back" = "gone") =>
    awaitOthers(makeRow({}, { links, base }), gone, settings, outcome);

  it("takes what the others come to as it is, and what all do once that one is there again", () => {
    expect(basesWith([duplicate, done])).toHaveProperty("status.isAwaited", true);
    expect(basesWith([duplicate, done], "back")).toHaveProperty("status.target.value", "in_progress");
  });

  it("takes what the rules for duplicates come to as it is, too, where nothing else is left", () => {
    const closing = { when: { reason: ["duplicate" as const] }, set: { status: "closed" } };
    const named = { ...settings, rules: [...rules, closing] };
    for (const links of [[duplicate], [duplicate, { ...done, isGone: true }]]) {
      const row = makeRow({}, { links, base });
      expect(awaitOthers(row, gone, named, "gone")).toHaveProperty("status.isAwaited", true);
      expect(awaitOthers(row, gone, named, "back")).toHaveProperty("status.target.value", "in_progress");
      // No rule names what is left: the post stays as it is.
      expect(basesWith(links)).toEqual({});
    }
  });
});

describe("a post whose issue was in a milestone that was deleted", () => {
  const rules = [
    { when: { state: "closed" }, set: { status: "completed" } },
    { when: { milestone: "any" }, set: { status: "planned" } },
  ] as const;
  const base = { status: makeBase({ kind: "value", value: "planned" }, "planned") };
  const lost: readonly Pin[] = [{ ...any, id: "4" }];
  const bases = (issue: Issue, pins: readonly Pin[] = [{ ...any, id: "3" }], all: readonly Rule[] = rules) =>
    awaitLost(makeRow({}, { links: [makeLink(issue)], base }), pins, lost, makeSettings({ rules: all }));

  it("waits for the next target, and no other post does", () => {
    expect(bases(makeIssue({ formerMilestone: 4 }))).toHaveProperty("status.isAwaited", true);
    for (const issue of [
      makeIssue(),
      makeIssue({ formerMilestone: 3 }),
      makeIssue({ formerMilestone: 4, state: "closed" }),
    ])
      expect(bases(issue)).toEqual({});
  });

  it("waits for that while signals can't be read, but not while a name that was deleted keeps it undecided", () => {
    const issue = makeIssue({ formerMilestone: 4 });
    const named = [{ when: { labels: ["doing"] }, set: { status: "in_progress" } }, ...rules];
    const pulled = [{ when: { pullRequest: "open" }, set: { status: "in_progress" } }, ...rules] as const;
    expect(bases(issue, [any, { ...doing, now: undefined }], named)).toEqual({});
    expect(bases(issue, [any], pulled)).toHaveProperty("status.isAwaited", true);
  });
});

describe("a post whose issue was transferred", () => {
  const rules: readonly Rule[] = [
    { when: { state: "closed" }, set: { status: "completed" } },
    { when: { labels: ["doing"] }, set: { status: "in_progress" } },
    { when: { milestone: "any", noLabel: ["blocked"] }, set: { status: "planned" } },
  ];
  const settings = makeSettings({ rules });
  const base = { status: makeBase({ kind: "value", value: "planned" }, "planned") };
  const from = { repositoryId: 7, number: 12 };
  const milestone = { number: 4, title: "1.0", state: "open" } as const;
  const move = (
    before: Partial<Issue>,
    now: Partial<Issue>,
    pins: readonly Pin[] = [],
    parts: LinkParts = {},
  ) =>
    awaitDropped(
      makeRow({}, { links: [makeLink(makeIssue(before), parts)], base }),
      from,
      makeIssue({ repositoryId: 8, number: 1, ...now }),
      pins,
      settings,
    );

  it.each<[string, Partial<Issue>, Partial<Issue>, boolean]>([
    ["lost nothing", { labels: ["Doing"], milestone }, { labels: ["doing"], milestone }, false],
    ["lost a label that a rule names", { labels: ["doing"] }, {}, true],
    ["lost a label that no rule names", { labels: ["other"] }, {}, false],
    ["lost a label of `noLabel`", { labels: ["blocked"], milestone }, { milestone }, true],
    ["lost its milestone", { milestone }, {}, true],
    ["has another milestone of that title", { milestone }, { milestone: { ...milestone, number: 9 } }, false],
    ["lost a label and was closed", { labels: ["doing"] }, { state: "closed" }, false],
    ["lost its milestone and was given a label", { milestone }, { labels: ["doing"] }, false],
    ["got a label", {}, { labels: ["doing"] }, false],
  ])("and %s", (_, before, now, isAwaited) => {
    expect("status" in move(before, now)).toBe(isAwaited);
  });

  it("waits also where a name was deleted or renamed in the place before, and is not there in the new one", () => {
    const renamed = { labels: ["x"], labelIds: ["LA_1"] };
    expect(move(renamed, { labels: ["x"] }, [], { pins: [{ ...doing, now: "x" }] })).toHaveProperty("status");
    expect(move({}, {}, [], { pins: [{ ...doing, now: undefined }] })).toHaveProperty("status");
  });

  it("does not where the name means what the issue carries in the new place", () => {
    const there = [{ ...doing, repositoryId: 8, id: "LA_8", now: "x" }];
    expect(move({ labels: ["doing"] }, { labels: ["x"], labelIds: ["LA_8"] }, there)).toEqual({});
  });

  it("waits also where a duplicate stands for it, and not for another issue of the post", () => {
    const duplicate = makeIssue({ number: 8, state: "closed", stateReason: "duplicate" });
    const signals = { canonical: { kind: "known", value: from } } as const;
    const of = (links: readonly LinkedIssue[]) =>
      awaitDropped(makeRow({}, { links, base }), from, makeIssue({ repositoryId: 8 }), [], {
        ...settings,
        followDuplicates: true,
      });
    const labelled = { issue: makeIssue({ labels: ["doing"] }) };
    expect(of([makeLink(duplicate, { signals, canonical: labelled })])).toHaveProperty("status");
    expect(of([makeLink(makeIssue({ number: 9, labels: ["doing"] }))])).toEqual({});
  });
});
