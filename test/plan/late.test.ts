import { describe, expect, it } from "vitest";
import type { AcceptedPatch, Row } from "../../src/model/link.ts";
import type { PostField } from "../../src/model/post.ts";
import { withLate } from "../../src/plan/fields/late.ts";
import { makeRow } from "./make.ts";

const context = { seen: new Set<PostField>(["status", "onRoadmap", "updatedAt"]), now: 1_000, patchMs: 100 };
const toDone = { field: "status", before: "open", value: "completed" } as const;

function accept(changes: Partial<AcceptedPatch> = {}): AcceptedPatch {
  return { at: 950, writes: [toDone], ...changes };
}

function late(
  values: Parameters<typeof makeRow>[0],
  accepted: readonly AcceptedPatch[],
  more: Partial<Row> = {},
) {
  const row = withLate(makeRow(values, { accepted, ...more }), context);
  return { status: row.post.values.status, late: row.late };
}

const asListed = (status: string | undefined) => ({ status, late: undefined });
const asSent = { status: "completed", late: ["status" as const] };
const answered = { values: { status: "completed" }, updatedAt: "2026-01-02T00:00:00Z" } as const;

describe("a field after the board has acknowledged our write", () => {
  it.each<[string, string, AcceptedPatch[], ReturnType<typeof late>]>([
    ["shows what was there before", "open", [accept()], asSent],
    ["shows it in another spelling", "Open", [accept()], asSent],
    ["shows what was sent", "completed", [accept()], asListed("completed")],
    ["shows what was sent in another spelling", "Completed", [accept()], asListed("Completed")],
    ["shows neither", "planned", [accept()], asListed("planned")],
    ["shows what was there before, after `waits.patch`", "open", [accept({ at: 900 })], asListed("open")],
    [
      "shows something, and nobody knows what was there before",
      "open",
      [accept({ writes: [{ field: "status", value: "completed" }] })],
      asListed("open"),
    ],
    [
      "shows what was there before the first of two writes",
      "open",
      [
        accept({ writes: [{ ...toDone, value: "planned" }] }),
        accept({ writes: [{ ...toDone, before: "planned" }] }),
      ],
      asSent,
    ],
    [
      "shows what the answer showed",
      "closed",
      [accept({ answer: { values: { status: "closed" } } })],
      asListed("closed"),
    ],
    [
      "shows what was there before, and the answer showed another value than was sent",
      "open",
      [accept({ answer: { values: { status: "closed" } } })],
      { status: "closed", late: ["status" as const] },
    ],
  ])("%s", (_, status, accepted, expected) => {
    expect(late({ status }, accepted)).toEqual(expected);
  });

  it.each([
    ["2026-01-01T00:00:00Z", "planned", asSent],
    ["2026-01-02T00:00:00Z", "planned", asListed("planned")],
    ["2026-01-02T00:00:00Z", "open", asSent],
    ["2026-01-03T00:00:00Z", "open", asListed("open")],
  ])("listed as of %s as %s", (updatedAt, status, expected) => {
    expect(late({ status, updatedAt }, [accept({ answer: answered })])).toEqual(expected);
  });

  it.each<[string, Partial<Row>]>([
    ["is missing", { missing: 1 }],
    ["has not been listed since", { seenAt: undefined }],
    ["was never written", { accepted: [] }],
  ])("of a post that %s counts as it is", (_, more) => {
    expect(late({ status: "open" }, [accept()], more)).toEqual(asListed("open"));
  });

  it("counts as it is where the board does not show it, or nothing was ever written", () => {
    expect(
      late({ onRoadmap: true }, [accept({ writes: [{ field: "roadmapColumn", before: null, value: "X" }] })]),
    ).toEqual(asListed(undefined));
    expect(withLate(makeRow({ status: "open" }), context).late).toBeUndefined();
  });
});
