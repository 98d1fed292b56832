import { describe, expect, it } from "vitest";
import type { AcceptedPatch, Row } from "../../../src/model/link.ts";
import { type FieldValue, type PostField, postFields } from "../../../src/model/post.ts";
import { withLate } from "../../../src/plan/fields/late.ts";
import { makeRow } from "../make.ts";

const [first, second, third] = ["2026-03-02T08:00:00Z", "2026-03-02T08:00:05Z", "2026-03-02T08:00:09Z"];
const context = { seen: new Set(postFields), patchMs: 120_000 };

/** A PATCH of the status, acknowledged at 0. */
function accept(
  before: FieldValue | undefined,
  value: FieldValue,
  changes: Partial<AcceptedPatch> = {},
): AcceptedPatch {
  return { at: 0, writes: [{ field: "status", before, value }], ...changes };
}

type Shown = Readonly<Partial<Record<PostField, FieldValue>>>;

function statusOf(shown: Shown, accepted: readonly AcceptedPatch[], changes: Partial<Row> = {}): unknown {
  const row = withLate(makeRow(shown, { accepted, seenAt: 60_000, ...changes }), context);
  return row.late === undefined ? "as listed" : row.post.values.status;
}

const plain = accept("planned", "completed");
const dated = accept("planned", "completed", {
  answer: { values: { status: "completed" }, updatedAt: second },
});

describe("a listing after a PATCH that was acknowledged", () => {
  it.each<[string, Shown, readonly AcceptedPatch[], unknown]>([
    ["shows what was there before", { status: "planned" }, [plain], "completed"],
    ["in another spelling", { status: "Planned" }, [plain], "completed"],
    ["shows what was sent", { status: "completed" }, [plain], "as listed"],
    ["in another spelling", { status: "COMPLETED" }, [plain], "as listed"],
    ["shows neither", { status: "paused" }, [plain], "as listed"],
    [
      "shows what was there before the PATCH before",
      { status: "open" },
      [accept("open", "planned"), plain],
      "completed",
    ],
    ["shows what was sent first", { status: "planned" }, [accept("open", "planned"), plain], "completed"],
    [
      "shows what was sent last, which was there before, too",
      { status: "open" },
      [accept("open", "planned"), accept("planned", "open")],
      "as listed",
    ],
    [
      "of a field that was not shown before",
      { status: "planned" },
      [accept(undefined, "completed")],
      "as listed",
    ],
    ["does not show the field, which counts as empty", {}, [accept(null, "completed")], "completed"],
    ["is of the same time as the answer", { status: "planned", updatedAt: second }, [dated], "completed"],
    [
      "is older than the answer, and shows neither",
      { status: "paused", updatedAt: first },
      [dated],
      "completed",
    ],
    [
      "is older than the answer, and shows what was sent",
      { status: "completed", updatedAt: first },
      [dated],
      "as listed",
    ],
    [
      "is newer than the answer: a person's change",
      { status: "planned", updatedAt: third },
      [dated],
      "as listed",
    ],
    [
      "is newer than an answer that was not the last",
      { status: "open", updatedAt: third },
      [accept("open", "planned", { answer: { values: {}, updatedAt: second } }), plain],
      "completed",
    ],
    [
      "shows what the answer made of it",
      { status: "done" },
      [accept("planned", "completed", { answer: { values: { status: "done" } } })],
      "as listed",
    ],
    [
      "shows what was there before, where the answer made something else of it",
      { status: "planned" },
      [accept("planned", "completed", { answer: { values: { status: "done" } } })],
      "done",
    ],
    [
      "shows what was there before, and so did the answer",
      { status: "planned" },
      [accept("planned", "completed", { answer: { values: { status: "planned" } } })],
      "as listed",
    ],
    ["comes when the wait is over", { status: "planned" }, [{ ...plain, at: -60_000 }], "as listed"],
  ])("%s", (_, shown, accepted, expected) => {
    expect(statusOf(shown, accepted)).toBe(expected);
  });

  it.each<[string, Partial<Row>]>([
    ["of a post that the board no longer lists", { missing: 1 }],
    ["of a post that none has shown since", { seenAt: undefined }],
  ])("%s says nothing", (_, changes) => {
    expect(statusOf({ status: "planned" }, [plain], changes)).toBe("as listed");
  });

  it("leaves fields as they are listed that the board does not show at all, or that nobody wrote", () => {
    const row = makeRow({ votes: 3 }, { accepted: [plain] });
    expect(withLate(row, { ...context, seen: new Set(["votes"]) })).toBe(row);
    expect(withLate(makeRow({ votes: 3 }), context).late).toBeUndefined();
  });
});
