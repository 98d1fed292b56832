import { expect, it } from "vitest";
import {
  isDoubtful,
  isOtherBoard,
  isReplaced,
  judgeNamesake,
  type TwoPlaces,
} from "../../src/plan/namesake.ts";

const values = { title: "Dark mode", createdAt: "2026-01-01T00:00:00Z" };

/** Listed here from 1,000 on; the other project's last complete list, which lacked it, was begun at 500. */
function places(changes: Partial<TwoPlaces>): TwoPlaces {
  return {
    here: values,
    there: values,
    listedSince: 1_000,
    isGone: true,
    pulledAt: 500,
    dueAt: 900,
    isUnderWay: false,
    isSynced: true,
    ...changes,
  };
}

const noTime = { title: values.title };
const listed = { isGone: false };
const older = { title: values.title, createdAt: "2025-01-01T00:00:00Z" };

it.each<[string, ReturnType<typeof judgeNamesake>, Partial<TwoPlaces>]>([
  ["gone there, and alike", "moved", {}],
  ["gone there, and alike, of a project that is not synced any more", "moved", { isSynced: false }],
  ["gone there, with another title", "unsure", { here: { ...values, title: "Light mode" } }],
  ["gone there, with another time", "unsure", { here: { ...values, createdAt: "2026-01-02T00:00:00Z" } }],
  ["gone there, without times", "unsure", { here: noTime, there: noTime }],
  [
    "gone there, with empty times",
    "unsure",
    { here: { ...values, createdAt: null }, there: { ...values, createdAt: null } },
  ],
  ["gone there, with a time on one side only", "unsure", { there: noTime }],
  ["known by a mark alone", "unsure", { there: undefined }],
  ["known by a mark alone, before any list", "later", { there: undefined, pulledAt: undefined }],
  [
    "of a project that is not synced any more, by a mark alone",
    "unsure",
    { there: undefined, pulledAt: undefined, isSynced: false },
  ],
  ["gone there, an issue may be about to come", "later", { isUnderWay: true }],
  ["gone there for good, an issue may have come", "unsure", { isUnderWay: true, isSynced: false }],
  ["listed there by a list from before it was here", "later", listed],
  ["listed there at the very time", "later", { ...listed, pulledAt: 1_000 }],
  [
    "listed there in this very run, made at another time",
    "other",
    { ...listed, pulledAt: 900, there: older },
  ],
  [
    "listed there in this very run, and no list shows times",
    "later",
    { ...listed, pulledAt: 900, there: noTime },
  ],
  ["listed there in this very run, of the same time", "later", { ...listed, pulledAt: 900 }],
  ["listed there before this run, made at another time", "later", { ...listed, pulledAt: 899, there: older }],
  ["known by a mark alone, in this very run", "unsure", { pulledAt: 900, there: undefined }],
  [
    "listed there by a later list, made at another time",
    "other",
    { ...listed, pulledAt: 1_001, there: older },
  ],
  [
    "listed there by a later list, of the same time: it was back meanwhile",
    "later",
    { ...listed, pulledAt: 1_001 },
  ],
  [
    "listed there by a later list, of the same time, with another title",
    "later",
    { ...listed, pulledAt: 1_001, there: { ...values, title: "Light mode" } },
  ],
  [
    "listed there by a later list, no list shows times, with another title",
    "other",
    { ...listed, pulledAt: 1_001, here: noTime, there: { title: "Light mode" } },
  ],
  [
    "listed there by a later list, no list shows times, with the same title",
    "later",
    { ...listed, pulledAt: 1_001, here: noTime, there: noTime },
  ],
  ["listed there, but by no complete list", "later", { ...listed, pulledAt: undefined }],
  ["listed there last, and never again, and alike", "unsure", { ...listed, isSynced: false }],
  [
    "listed there last, and never again, without a time",
    "unsure",
    { ...listed, isSynced: false, there: noTime },
  ],
  [
    "listed there last, and never again, with another time",
    "other",
    { ...listed, isSynced: false, there: older },
  ],
])("a post of the same id %s: %s", (_, judged, changes) => {
  expect(judgeNamesake(places(changes))).toBe(judged);
});

it.each<[boolean, Parameters<typeof isReplaced>[1]]>([
  [false, values],
  [false, { ...values, title: "Light mode" }],
  [false, { title: "Light mode", createdAt: "2026-01-01T14:00:00Z" }],
  [false, { ...values, createdAt: "2026-03-01T00:00:00Z" }],
  [false, { title: "Light mode" }],
  [true, { title: "Light mode", createdAt: "2026-03-01T00:00:00Z" }],
])("it is %s that another post has the id where the list shows %j", (isOther, now) => {
  expect(isReplaced(values, now)).toBe(isOther);
});

it.each<[boolean, Parameters<typeof isDoubtful>[1]]>([
  [false, values],
  [false, { ...values, title: "Light mode" }],
  [true, { title: "Light mode", createdAt: "2026-01-01T14:00:00Z" }],
  [true, { title: "Light mode" }],
  [false, { title: values.title ?? null }],
  [false, {}],
])("it is %s that a post may be another one where the list shows %j", (isOther, now) => {
  expect(isDoubtful(values, now)).toBe(isOther);
  expect(isDoubtful(now, values)).toBe(isOther);
});

it.each([
  { doubtful: 2, same: 0, isOther: false },
  { doubtful: 3, same: 0, isOther: true },
  { doubtful: 3, same: 3, isOther: false },
  { doubtful: 3, same: 2, isOther: true },
])("a list with $doubtful doubtful posts beside $same others is that of another board: $isOther", (one) => {
  expect(isOtherBoard(one.doubtful, one.same) !== undefined).toBe(one.isOther);
});
