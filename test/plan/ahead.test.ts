import { describe, expect, it } from "vitest";
import type { Row } from "../../src/model/link.ts";
import { signatureOf } from "../../src/plan/ground/identity.ts";
import type { PlanContext } from "../../src/plan/ground/settings.ts";
import { isUndecidable, planRow, wishesOf } from "../../src/plan/plan.ts";
import {
  aim,
  done,
  makeBase,
  makeContext,
  makeLink,
  makeParked,
  makeRow,
  makeSettings,
  quarantine,
} from "./make.ts";

const base = { status: makeBase(aim("planned"), "planned") };
const row = makeRow({ status: "planned" }, { links: [makeLink(done)], base });
const [wanted] = planRow(row, makeContext()).actions;

function wished(asking: Row, context: PlanContext) {
  return wishesOf(asking, planRow(asking, context));
}

describe("what a row asks for whatever stops it", () => {
  it.each<[string, Partial<Row>]>([
    ["nothing stops it", {}],
    [
      "it was refused",
      { notes: wanted ? [makeParked("patch-post", signatureOf(wanted, makeSettings()))] : [] },
    ],
    ["it is quarantined", { notes: [quarantine] }],
    ["it has flapped", { statusWrites: [1, 2, 3, 4] }],
  ])("is the same when %s", (_, changes) => {
    expect(wished({ ...row, ...changes }, makeContext())).toEqual([wanted]);
  });

  it("is the same when `writes` forbids it", () => {
    const context = makeContext({ settings: makeSettings({ writes: "none" }) });
    expect(wished(row, context)).toEqual([wanted]);
  });

  it.each<[string, Partial<Row>]>([
    ["no listing has shown the post since our last write", { seenAt: undefined }],
    ["the outcome of a write is open", { openIntents: ["patch-post"] }],
    ["the post is missing", { missing: 1 }],
    ["a fact is missing", { links: [makeLink(undefined)] }],
  ])("can't be said when %s", (_, changes) => {
    expect(wished({ ...row, ...changes }, makeContext())).toBeUndefined();
  });
});

describe("a row that can't be decided now", () => {
  const started = makeLink(done, { isChanging: true });

  it.each<[string, boolean, Partial<Row>]>([
    ["no listing has shown the post since our last write", true, { seenAt: undefined }],
    ["the outcome of a write is open", true, { openIntents: ["update-issue"] }],
    ["a change of its issue is under way", true, { links: [started] }],
    ["a fact is missing", true, { links: [makeLink(undefined)] }],
    ["everything is known", false, {}],
    ["the post is missing, which asks for nothing", false, { missing: 1 }],
  ])("%s: %s", (_, isOpen, changes) => {
    const asking = { ...row, ...changes };
    expect(isUndecidable(asking, planRow(asking, makeContext()))).toBe(isOpen);
  });
});

it.each<[string, Partial<Row>, "all" | "none", boolean]>([
  ["follows", {}, "all", true],
  ["does not where `writes` forbids it", {}, "none", false],
  ["does not where the post is quarantined", { notes: [quarantine] }, "all", false],
])("what settles %s once its time is over", (_, changes, writes, isComing) => {
  const context = makeContext({ settings: makeSettings({ settleMs: 600_000, writes }) });
  expect(planRow({ ...row, ...changes }, context).settling !== undefined).toBe(isComing);
});
