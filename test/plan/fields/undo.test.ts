import { describe, expect, it } from "vitest";
import type { FieldValue } from "../../../src/model/post.ts";
import { mergeWritten, reverseField } from "../../../src/plan/fields/undo.ts";
import { aim, makeBase, noTarget } from "../make.ts";

describe("the way back of a field", () => {
  const status = { field: "status", before: "planned", value: "in_progress" } as const;

  it.each<[string, FieldValue | undefined, FieldValue | undefined, string]>([
    ["shows what was written", "planned", "in_progress", "write"],
    ["shows that in another spelling", "planned", "In Progress", "write"],
    ["shows what the board made of it", "planned", "doing", "write"],
    ["shows what was there before", "planned", "Planned", "already"],
    ["was moved by somebody", "planned", "completed", "refused"],
    ["is not shown", "planned", undefined, "refused"],
    ["was not shown before", undefined, "in_progress", "refused"],
    ["was empty before", null, "in_progress", "refused"],
  ])("of a post that %s", (_, before, shown, kind) => {
    const base = makeBase(aim("in_progress"), "doing", {
      written: { sent: "in_progress", shown: "doing" },
    });
    expect(reverseField({ ...status, before }, shown, base).kind).toBe(kind);
  });

  it("keeps what the rules ask for, so that they do not ask for it again", () => {
    const base = makeBase(aim("in_progress"), "in_progress");
    expect(reverseField(status, "in_progress", base)).toEqual({
      kind: "write",
      write: { field: "status", before: "in_progress", value: "planned", target: aim("in_progress") },
    });
    expect(reverseField(status, "in_progress", undefined)).toMatchObject({ write: { target: noTarget } });
  });

  it("of several writes goes back behind the first, and of none where they came to nothing", () => {
    const written = [
      status,
      { field: "status", before: "in_progress", value: "completed" },
      { field: "onRoadmap", before: false, value: true },
      { field: "onRoadmap", before: true, value: false },
    ] as const;
    expect(mergeWritten(written)).toEqual([{ field: "status", before: "planned", value: "completed" }]);
  });
});
