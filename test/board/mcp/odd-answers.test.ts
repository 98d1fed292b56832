import { describe, expect, it } from "vitest";
import { readToolPage, stepOn } from "../../../src/board/mcp/paging.ts";
import { findRecord, readRecord } from "../../../src/board/mcp/records.ts";
import type { RemoteError } from "../../../src/errors.ts";
import { adviceOn } from "../../../src/sync/ground/remedy.ts";

const schema = { properties: { cursor: { type: "string" } } };
const entries = [{ id: "e1", title: "One" }];
const excerpt = (text: string): string => text;

/** From a list that counts as whole it follows that a draft, or a post, was not made: it is made once more. */
describe("a list of a tool is no whole one", () => {
  it.each<[string, Readonly<Record<string, unknown>>]>([
    ["hasMore: true", { hasMore: true }],
    ["hasMore: 'true'", { hasMore: "true" }],
    ["hasMore: 1", { hasMore: 1 }],
    ["a total above it, and no next cursor", { nextCursor: null, total: 3 }],
  ])("by %s", (_, signs) => {
    const step = stepOn(readToolPage({ entries, ...signs }, excerpt), {}, schema, 1);
    expect(step).toEqual({ kind: "end", isComplete: false });
  });
});

it.each<[unknown, string]>([
  [{ ok: true, message: "jane@example.com" }, "No list was recognised in what the tool answered"],
  [{ old: entries, new: entries }, "More than one list was found in what the tool answered (old, new)"],
])("a list that can't be recognised is told without settings that are the board's: %j", (answer, says) => {
  let thrown: unknown;
  try {
    readToolPage(answer, excerpt);
  } catch (error) {
    thrown = error;
  }
  const keys = Object.keys(Object(answer)).join(", ");
  expect(thrown).toMatchObject({ fault: "unreadable", message: `${says}. It has the keys ${keys}.` });
  expect(adviceOn(thrown as RemoteError)).toBeUndefined();
});

it.each([{ published: true }, { published: "true" }, { published: 1 }, { isDraft: "false" }, { draft: 0 }])(
  "a tool that has published what it made is found out by %o",
  (shown) => {
    expect(readRecord({ id: "e1", ...shown }, undefined)?.isPublished).toBe(true);
  },
);

it.each([
  [{ success: true, categoryId: "cat_1", feedback: { id: "p9", title: "One" } }],
  [{ category_id: "cat_1", data: { entry: { id: "p9", title: "One" } } }],
])("what an answer says beside the record is not taken for its id: %o", (answer) => {
  expect(findRecord(answer, undefined)?.id).toBe("p9");
});
