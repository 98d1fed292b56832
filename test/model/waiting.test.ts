import { describe, expect, it } from "vitest";
import { pausedByPerson } from "../../src/model/link.ts";
import { lookUpAt, wordWait } from "../../src/model/waiting.ts";

const waits = { createMs: 60_000, patchMs: 5000 };

it.each([
  ["patch-post", 6000],
  ["patch-note", 6000],
  ["create-issue", 61_000],
  ["create-post", 61_000],
  ["update-issue", 61_000],
  ["change-issue", 61_000],
  ["comment-issue", 61_000],
] as const)("a %s of unknown outcome rests as long as it may still arrive", (kind, at) => {
  expect(lookUpAt(kind, 1000, waits)).toBe(at);
});

describe("the sentence of what waits", () => {
  it("says of a write in doubt what is looked at first", () => {
    expect(wordWait("intent", "create-issue")).toContain("looked for before another one is opened");
    expect(wordWait("intent", "patch-post")).toContain("the post is looked at again first");
  });

  it("offers to unlink a missing post only when more than one list lacks it", () => {
    expect(wordWait("missing", "0")).toMatch(/^the board says that it does not know the post;/);
    expect(wordWait("missing", "1")).toMatch(/^one list of the board lacks the post;/);
    expect(wordWait("missing", "1")).not.toContain("unlink");
    expect(wordWait("missing", "2")).toContain("`boardsync unlink`");
  });

  it("says of a pause that has no sentence of its own that a person has paused the post", () => {
    expect(wordWait("paused", "")).toBe(pausedByPerson);
    expect(wordWait("paused", "status would become `planned`")).toBe("status would become `planned`");
  });

  it("is else the one that was recorded", () => {
    expect(wordWait("parked", "the board refuses it")).toBe("the board refuses it");
  });
});
