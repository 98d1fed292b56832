import { describe, expect, it } from "vitest";
import type { AcceptedPatch, FieldBase, Row } from "../../../src/model/link.ts";
import { type FieldValue, type PostField, postFields } from "../../../src/model/post.ts";
import { dayMs, hourMs } from "../../../src/model/time.ts";
import { echoOnPost } from "../../../src/plan/board-rules/echo.ts";
import type { PlanContext, Rule, Settings } from "../../../src/plan/ground/settings.ts";
import { adoptRow, planRow, recordApplied } from "../../../src/plan/plan.ts";
import { rebaseRow } from "../../../src/plan/rules/rebase.ts";
import { unseenConditions } from "../../../src/plan/select.ts";
import {
  aim,
  makeAdopted,
  makeBase,
  makeContext,
  makeLink,
  makeRow,
  makeSettings,
  noTarget,
  scheduled,
  untouched,
} from "../make.ts";

const now = 1_000_000_000;
const rules: readonly Rule[] = [{ when: { milestone: "any" }, set: { roadmapOrder: "byVotes" } }];

function linked(
  votes: FieldValue | undefined,
  order: FieldValue,
  base?: FieldBase,
  changes: Partial<Row> = {},
): Row {
  const values = { roadmapOrder: order, ...(votes !== undefined && { votes }) };
  const bases = base === undefined ? {} : { roadmapOrder: base };
  return makeRow(values, { links: [makeLink(scheduled)], base: bases, ...changes });
}

function plan(row: Row, settings: Partial<Settings> = {}, more: Partial<PlanContext> = {}) {
  return planRow(row, makeContext({ settings: makeSettings({ rules, ...settings }), now, ...more }));
}

function sentAt(at: number): readonly AcceptedPatch[] {
  return [{ at, writes: [{ field: "roadmapOrder", value: -3 }] }];
}

/** In step, by a write of ours. */
const ours = makeBase(aim(-5), -5, { foreign: 7, written: { sent: -5, shown: -5 } });

describe("`roadmapOrder: byVotes`", () => {
  it("sorts ascending as the votes go down, on posts that are there already, and mails nobody", () => {
    const orders = [0, 5, 12].map((votes) => plan(linked(votes, 7)).actions);
    expect(orders).toMatchObject(
      [0, -5, -12].map((value) => [
        { writes: [{ field: "roadmapOrder", before: 7, value }], notifies: 0, hold: undefined },
      ]),
    );
    const found = { ...linked(5, 7), links: [makeAdopted(scheduled)] };
    expect(plan(found).actions).toHaveLength(1);
    expect(plan(linked(5, -5)).actions).toEqual([]);
  });

  it("is asked for once, and again when the votes change", () => {
    const row = linked(5, 7);
    const [action] = plan(row).actions;
    const base = action?.kind === "patch-post" ? recordApplied(row, action, undefined) : {};
    const inStep = (votes: number) => ({ ...linked(votes, -5), base });
    expect([plan(inStep(5)).actions, plan(inStep(5)).notes]).toEqual([[], []]);
    expect(plan(inStep(6)).actions).toMatchObject([{ writes: [{ before: -5, value: -6 }] }]);
  });

  it("is sent of one post at most as often as `fullEvery`, however often its votes change", () => {
    const accepted = sentAt(now - hourMs);
    const first = plan(linked(6, -5, ours, { accepted }));
    expect([first.actions, first.dueAt]).toEqual([[], now + 5 * hourMs]);
    const base = first.base.roadmapOrder;
    const later = now + 4 * hourMs;
    const again = plan(linked(9, -5, base, { accepted }), {}, { now: later });
    expect([again.actions, again.dueAt]).toEqual([[], now + 5 * hourMs]);
    const due = plan(linked(9, -5, again.base.roadmapOrder, { accepted }), {}, { now: now + 5 * hourMs });
    expect(due.actions).toMatchObject([{ writes: [{ value: -9 }] }]);
    expect(plan(linked(6, -5, ours)).actions).toHaveLength(1);
  });

  it("waits whole where `fullEvery` is longer than the journal tells", () => {
    const decision = plan(linked(6, -5, ours), {}, { fullEveryMs: 2 * dayMs });
    expect([decision.actions, decision.dueAt]).toEqual([[], now + 2 * dayMs]);
    expect(plan(linked(6, 7), {}, { fullEveryMs: 2 * dayMs }).actions).toHaveLength(1);
  });

  it("never comes with a status, nor with anything else", () => {
    const set = { status: "planned", roadmapColumn: "PLANNED", roadmapOrder: "byVotes" };
    const both = { rules: [{ when: { milestone: "any" }, set }] };
    const values = { status: "open", roadmapColumn: "COMPLETED", roadmapOrder: 7, votes: 5 };
    const base = {
      status: makeBase(noTarget, "open"),
      roadmapColumn: makeBase(noTarget, "COMPLETED"),
    };
    const row = makeRow(values, { links: [makeLink(scheduled)], base });
    const [first, ...others] = plan(row, both).actions;
    expect(others).toEqual([]);
    expect(first).toMatchObject({ writes: [{ field: "status" }, { field: "roadmapColumn" }], notifies: 5 });
    const done = {
      ...makeRow({ ...values, status: "planned", roadmapColumn: "PLANNED" }, { links: row.links }),
      base: {
        ...base,
        status: makeBase(aim("planned"), "planned"),
        roadmapColumn: makeBase(aim("PLANNED"), "PLANNED"),
      },
    };
    expect(plan(done, both).actions).toMatchObject([{ writes: [{ field: "roadmapOrder" }], notifies: 0 }]);
    const settling = plan(row, { ...both, settleMs: 60_000 });
    expect(settling.actions).toMatchObject([{ writes: [{ field: "roadmapOrder" }], notifies: 0 }]);
    expect(settling.settling?.writes.map(({ field }) => field)).toEqual(["status", "roadmapColumn"]);
  });

  it("goes back to what was there when no rule asks for it any more", () => {
    const decision = plan(linked(5, -5, ours, { links: [makeLink(untouched)] }));
    expect(decision.actions).toMatchObject([{ writes: [{ before: -5, value: 7 }] }]);
  });

  it("goes back by itself, too: what else is restored comes first", () => {
    const set = { onRoadmap: true, roadmapOrder: "byVotes" };
    const both = { rules: [{ when: { milestone: "any" }, set }] };
    const onRoadmap = makeBase(aim(true), true, { foreign: false, written: { sent: true, shown: true } });
    const links = [makeLink(untouched)];
    const values = { onRoadmap: true, roadmapOrder: -5, votes: 5 };
    const row = makeRow(values, { links, base: { onRoadmap, roadmapOrder: ours } });
    expect(plan(row, both).actions).toMatchObject([{ writes: [{ field: "onRoadmap", value: false }] }]);
    const left = makeRow({ ...values, onRoadmap: false }, { links, base: { roadmapOrder: ours } });
    expect(plan(left, both).actions).toMatchObject([{ writes: [{ field: "roadmapOrder", value: 7 }] }]);
  });

  it("leaves a post where a person has put it, until its votes change", () => {
    const moved = plan(linked(5, 3, ours));
    expect(moved.actions).toEqual([]);
    const base = moved.base.roadmapOrder;
    expect(plan(linked(5, 3, base)).actions).toEqual([]);
    expect(plan(linked(6, 3, base)).actions).toHaveLength(1);
    expect(plan(linked(6, 3, ours), { conflict: { roadmapOrder: "board" } }).actions).toEqual([]);
  });

  it("asks for nothing where the board shows no votes, and that is said", () => {
    expect(plan(linked(undefined, 7), {}, { seen: new Set(["roadmapOrder"]) }).actions).toEqual([]);
    const seen = new Set<PostField>(postFields.filter((field) => field !== "votes"));
    expect(unseenConditions(makeSettings({ rules }), seen)).toEqual(["rules.set.roadmapOrder"]);
  });

  describe("where the rules change", () => {
    const numbered: readonly Rule[] = [{ when: { milestone: "any" }, set: { roadmapOrder: 10 } }];
    const unordered: readonly Rule[] = [{ when: { milestone: "any" }, set: { onRoadmap: true } }];
    const closed: readonly Rule[] = [{ when: { state: "closed" }, set: { roadmapOrder: 99 } }];
    const inStep = { onRoadmap: makeBase(aim(true), true) };

    function replace(row: Row, from: readonly Rule[], to: readonly Rule[], seen = new Set(postFields)): Row {
      const settings = makeSettings({ rules: to });
      const bases = rebaseRow(row, { before: makeSettings({ rules: from }), settings, seen, now: 1 });
      return { ...row, base: { ...row.base, ...bases } };
    }

    it.each<[string, Row, readonly Rule[], readonly Rule[], FieldValue]>([
      ["begin to name it", { ...linked(5, 3), base: inStep }, unordered, rules, -5],
      ["named a number", linked(5, 10, makeBase(aim(10), 10)), numbered, rules, -5],
      ["name a number", linked(6, -5, ours), rules, numbered, 10],
      ["ask for nothing", linked(6, -5, ours), rules, closed, 7],
    ])("what they %s for is held, and no vote lets it go", (_, row, from, to, value) => {
      const held = [{ writes: [{ field: "roadmapOrder", value }], hold: { cause: "rules-changed" } }];
      const replaced = replace(row, from, to);
      expect(plan(replaced, { rules: to }).actions).toMatchObject(held);
      const values = { ...replaced.post.values, votes: 9 };
      const later = plan({ ...replaced, post: { ...replaced.post, values } }, { rules: to }).actions;
      expect(later).toMatchObject([{ hold: { cause: "rules-changed" } }]);
    });

    it("it goes on as it is where both ask for it, whatever its votes were", () => {
      const others = [...closed, ...rules];
      for (const votes of [5, 6]) {
        const row = linked(votes, -5, ours);
        expect(replace(row, rules, others).base).toEqual(row.base);
      }
      const asked = linked(6, 3, makeBase(noTarget, 3));
      expect(replace(asked, rules, others).base).toEqual(asked.base);
    });

    it("it waits where the board shows no votes", () => {
      const seen = new Set<PostField>(["roadmapOrder"]);
      const { base } = replace(linked(undefined, 10, makeBase(aim(10), 10)), numbered, rules, seen);
      expect(base.roadmapOrder).toMatchObject({ target: aim(10), isAwaited: true });
    });
  });

  it("is not written where only our own change of the issue asks for it", () => {
    const milestone = { field: "milestone", before: null, value: "Next" } as const;
    const change = { issue: { repositoryId: 7, number: 12 }, writes: [milestone], milestones: [] };
    const row = linked(5, 7, makeBase(noTarget, 7));
    const base = echoOnPost(row, change, makeSettings({ rules }), new Set(postFields));
    expect(base.roadmapOrder?.target).toEqual(aim(-5));
    expect(plan({ ...row, base }).actions).toEqual([]);
    const unseen = linked(undefined, 7, makeBase(noTarget, 7));
    expect(echoOnPost(unseen, change, makeSettings({ rules }), new Set())).toEqual({});
  });

  it("is left as it is where a person discards it, until the votes change", () => {
    const ruled = { from: noTarget, since: 1 };
    const row = linked(5, 7, makeBase(aim(-5), 7, { ruled }));
    const context = makeContext({ settings: makeSettings({ rules }), now });
    const left = adoptRow(row, context, "leave");
    expect([left.base.roadmapOrder, left.dueAt]).toEqual([makeBase(aim(-5), 7, { foreign: 7 }), undefined]);
    const base = left.base;
    expect(plan({ ...row, base }).actions).toEqual([]);
    expect(plan({ ...linked(6, 7), base }).actions).toMatchObject([{ writes: [{ value: -6 }] }]);
    const unseen = linked(undefined, 7);
    expect(adoptRow(unseen, { ...context, seen: new Set() }, "leave").base).toEqual({});
  });

  it("is not taken as it is where both sides are: the next plan sorts the post", () => {
    const row = linked(5, 7);
    const adopted = adoptRow(row, makeContext({ settings: makeSettings({ rules }), now }));
    expect(adopted).toMatchObject({ base: {}, dueAt: now });
    expect(adoptRow(row, makeContext()).dueAt).toBeUndefined();
    expect(plan(row).actions).toHaveLength(1);
  });
});
