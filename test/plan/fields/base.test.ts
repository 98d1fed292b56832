import { expect, it } from "vitest";
import { asWritten, noBase } from "../../../src/plan/fields/base.ts";
import { makeRow } from "../make.ts";

const base = {
  status: { ...noBase, post: "completed", written: { sent: "completed", shown: "done" } },
  isArchived: { ...noBase, post: true, written: { sent: true, shown: undefined } },
  roadmapColumn: { ...noBase, post: "PLANNED" },
  categoryId: noBase,
};

it("knows a post as our last write left it while nobody has looked at it since", () => {
  const shown = { status: "planned", isArchived: false, roadmapColumn: "IN_PROGRESS", categoryId: "cat_app" };
  const left = { status: "done", isArchived: true, roadmapColumn: "PLANNED", categoryId: "cat_app" };
  expect(asWritten(makeRow(shown, { base, seenAt: undefined })).values).toMatchObject(left);
  expect(asWritten(makeRow(shown, { base, seenAt: 1 })).values).toMatchObject(shown);
});
