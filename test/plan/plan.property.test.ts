import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Issue } from "../../src/model/issue.ts";
import type { Row } from "../../src/model/link.ts";
import type { FieldValue } from "../../src/model/post.ts";
import { changeOf, type Decision, type PatchPost } from "../../src/plan/ground/action.ts";
import { canonical } from "../../src/plan/ground/identity.ts";
import type { Rule, Settings } from "../../src/plan/ground/settings.ts";
import { planRow, recordApplied } from "../../src/plan/plan.ts";
import { deriveTarget } from "../../src/plan/rules/rules.ts";
import {
  done,
  makeAdopted,
  makeContext,
  makeIssue,
  makeLink,
  makeRow,
  makeSettings,
  scheduled,
  started,
  untouched,
} from "./make.ts";

/** A small world without faults: one post, one issue, people on both sides, and a board that takes what it is sent. */

const rules: readonly Rule[] = [
  { when: { reason: ["completed"] }, set: { status: "completed", roadmapColumn: "COMPLETED" } },
  { when: { labels: ["started"] }, set: { status: "in_progress", onRoadmap: true } },
  { when: { milestone: "any" }, set: { status: "planned", roadmapColumn: "PLANNED", categoryId: "c1" } },
];

/** What people do, and the planner's turn. */
type Step =
  | { readonly kind: "issue"; readonly issue: Issue }
  | {
      readonly kind: "post";
      readonly field: "status" | "onRoadmap" | "categoryId";
      readonly value: FieldValue;
    }
  | { readonly kind: "plan"; readonly isApplied: boolean; readonly isAnswered: boolean };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("issue" as const),
      issue: fc.constantFrom(untouched, done, started, scheduled, makeIssue({ stateReason: "reopened" })),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.constantFrom<Step>(
      { kind: "post", field: "status", value: "open" },
      { kind: "post", field: "status", value: "Planned" },
      { kind: "post", field: "status", value: "completed" },
      { kind: "post", field: "onRoadmap", value: false },
      { kind: "post", field: "categoryId", value: null },
      { kind: "post", field: "categoryId", value: "c2" },
    ),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("plan" as const),
      isApplied: fc.boolean(),
      isAnswered: fc.boolean(),
    }),
  },
);
const history = fc.array(step, { maxLength: 30 });

const settings: fc.Arbitrary<Settings> = fc
  .record({
    whenNoRule: fc.constantFrom("restore" as const, "keep" as const),
    conflict: fc.constantFrom("tracker" as const, "board" as const, "hold" as const, "pause" as const),
    settleMs: fc.constantFrom(0, 2),
  })
  .map((chosen) => makeSettings({ ...chosen, rules, guard: { issues: 50, statuses: 25, flips: 1000 } }));

/** How the board spells a status that it was sent. */
const spelling = fc.constantFrom<(status: FieldValue) => FieldValue>(
  (status) => status,
  (status) => String(status).replaceAll("_", " ").toUpperCase(),
  (status) => (status === "in_progress" ? "doing" : status),
);

const start = fc
  .record({ isAdopted: fc.boolean(), issue: fc.constantFrom(untouched, done, started, scheduled) })
  .map(({ isAdopted, issue }) =>
    makeRow(
      { status: "open", onRoadmap: false, roadmapColumn: "PLANNED", categoryId: null, votes: 2 },
      { links: [isAdopted ? makeAdopted(issue) : makeLink(issue)] },
    ),
  );

type Spell = (status: FieldValue) => FieldValue;

function patchIn(decision: Decision): PatchPost | undefined {
  return decision.actions.find((action) => action.kind === "patch-post");
}

function record(row: Row, decision: Decision): Row {
  return { ...row, base: { ...row.base, ...decision.base } };
}

/** The board takes a PATCH. */
function send(row: Row, patch: PatchPost, spell: Spell, isAnswered: boolean): Row {
  const change = changeOf(patch);
  const spelled = change.status === undefined ? change : { ...change, status: spell(change.status) };
  const post = { ...row.post, values: { ...row.post.values, ...spelled } };
  return { ...row, post, base: { ...row.base, ...recordApplied(row, patch, isAnswered ? post : undefined) } };
}

function statusTarget(row: Row, chosen: Settings): unknown {
  const derived = deriveTarget(row.links, chosen).get("status");
  return derived?.kind === "derived" ? derived.target : undefined;
}

interface Turn {
  readonly before: Row;
  readonly decision: Decision;
  readonly after: Row;
  readonly now: number;
}

/** Plays a history; each planner's turn is looked at by `check`. */
function play(
  first: Row,
  steps: readonly Step[],
  chosen: Settings,
  spell: Spell,
  check: (turn: Turn) => void,
): Row {
  let row = first;
  for (const [now, next] of steps.entries()) {
    switch (next.kind) {
      case "issue":
        row = { ...row, links: row.links.map((linked) => ({ ...linked, known: { issue: next.issue } })) };
        break;
      case "post":
        row = { ...row, post: { ...row.post, values: { ...row.post.values, [next.field]: next.value } } };
        break;
      case "plan": {
        const before = row;
        const decision = planRow(row, makeContext({ settings: chosen, now }));
        const patch = patchIn(decision);
        row = record(row, decision);
        if (patch !== undefined && next.isApplied) row = send(row, patch, spell, next.isAnswered);
        check({ before, decision, after: row, now });
      }
    }
  }
  return row;
}

describe("in any history of both sides", () => {
  it("planning after applying gives nothing", () => {
    fc.assert(
      fc.property(start, history, settings, spelling, (first, steps, chosen, spell) => {
        const last = play(first, steps, chosen, spell, () => {});
        const context = makeContext({ settings: chosen, now: 1_000_000 });
        // Once for what is still to settle, once for what the board made of it, and the same for what a person lets go.
        let row = last;
        for (const now of [1_000_000, 1_000_050, 1_000_100, 1_000_150]) {
          const decision = planRow(row, { ...context, now });
          const patch = patchIn(decision);
          row = record(row, decision);
          if (patch !== undefined) row = send(row, patch, spell, true);
        }
        row = record(row, planRow(row, { ...context, now: 1_000_200 }));
        const rest = planRow(row, { ...context, now: 1_000_300 });
        expect([rest.actions, rest.base]).toEqual([[], {}]);
      }),
      { numRuns: 400 },
    );
  });

  it("a PATCH that was applied is not planned again", () => {
    fc.assert(
      fc.property(start, history, settings, spelling, (first, steps, chosen, spell) => {
        const applied = steps.map((next) => (next.kind === "plan" ? { ...next, isApplied: true } : next));
        play(first, applied, chosen, spell, ({ decision, after, now }) => {
          const patch = patchIn(decision);
          if (patch === undefined) return;
          const again = planRow(after, makeContext({ settings: chosen, now })).actions;
          // What waits for a person comes after what goes by itself.
          const isNext =
            again.some((next) => next.kind === "patch-post" && next.hold !== undefined) &&
            patch.hold === undefined;
          expect(isNext ? [] : again).toEqual([]);
        });
      }),
      { numRuns: 400 },
    );
  });

  it("the same input gives the same plan, and leaves its input alone", () => {
    fc.assert(
      fc.property(start, history, settings, spelling, (first, steps, chosen, spell) => {
        play(first, steps, chosen, spell, ({ before, decision, now }) => {
          const text = canonical(before);
          expect(planRow(before, makeContext({ settings: chosen, now }))).toEqual(decision);
          expect(canonical(before)).toBe(text);
        });
      }),
      { numRuns: 400 },
    );
  });

  it("recording a plan without carrying it out changes nothing about what is to be done", () => {
    fc.assert(
      fc.property(start, history, settings, spelling, (first, steps, chosen, spell) => {
        play(first, steps, chosen, spell, ({ before, decision, now }) => {
          const again = planRow(record(before, decision), makeContext({ settings: chosen, now }));
          expect(again.actions).toEqual(decision.actions);
        });
      }),
      { numRuns: 400 },
    );
  });

  it("a status is never written while its target stays what it was", () => {
    fc.assert(
      fc.property(start, history, settings, spelling, (first, steps, chosen, spell) => {
        play(first, steps, chosen, spell, ({ before, decision }) => {
          const base = before.base.status;
          if (base === undefined || base.pending !== undefined) return;
          if (canonical(base.target) !== canonical(statusTarget(before, chosen) as object)) return;
          expect(patchIn(decision)?.writes.some(({ field }) => field === "status") ?? false).toBe(false);
        });
      }),
      { numRuns: 400 },
    );
  });

  it("voters hear at most once per change of the target", () => {
    fc.assert(
      fc.property(start, history, settings, spelling, (first, steps, chosen, spell) => {
        let writes = 0;
        let changes = 0;
        let target = "before the first plan";
        const applied = steps.map((next) => (next.kind === "plan" ? { ...next, isApplied: true } : next));
        play(first, applied, chosen, spell, ({ before, decision }) => {
          const next = canonical(statusTarget(before, chosen) as object);
          if (next !== target) changes += 1;
          target = next;
          writes += patchIn(decision)?.writes.filter(({ field }) => field === "status").length ?? 0;
          expect(writes).toBeLessThanOrEqual(changes);
        });
      }),
      { numRuns: 400 },
    );
  });

  it("what a person set is not overwritten as long as the issue stays where it is", () => {
    fc.assert(
      fc.property(start, history, settings, spelling, (first, steps, chosen, spell) => {
        const context = makeContext({ settings: chosen, now: 1_000_000 });
        const last = play(first, steps, chosen, spell, () => {});
        const settled = record(last, planRow(last, context));
        const patch = patchIn(planRow(last, context));
        const calm = patch === undefined ? settled : send(settled, patch, spell, true);
        fc.pre(Object.values(calm.base).every(({ pending }) => pending === undefined));
        const moved = { ...calm, post: { ...calm.post, values: { ...calm.post.values, status: "mine" } } };
        expect(planRow(moved, { ...context, now: 4_000_000 }).actions).toEqual([]);
      }),
      { numRuns: 400 },
    );
  });
});
