import { describe, expect, it } from "vitest";
import { pausedByPerson } from "../../src/model/link.ts";
import { lookUpAt, wordWait } from "../../src/model/waiting.ts";

const waits = { createMs: 60_000, patchMs: 5000 };

it("looks an issue up when its list has had the time to show it, a post when its answer had, anything else at once", () => {
  expect(lookUpAt("create-issue", 1000, waits)).toBe(61_000);
  expect(lookUpAt("patch-post", 1000, waits)).toBe(6000);
  expect(lookUpAt("update-issue", 1000, waits)).toBe(1000);
});

describe("the sentence of what waits", () => {
  it("says of a write in doubt what is looked at first", () => {
    expect(wordWait("intent", "create-issue")).toContain("looked for before another one is opened");
    expect(wordWait("intent", "patch-post")).toContain("the post is looked at again first");
  });

  it("offers to unlink a missing post only when more than one list lacks it", () => {
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
