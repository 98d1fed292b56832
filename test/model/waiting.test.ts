import { expect, it } from "vitest";
import { lookUpAt } from "../../src/model/waiting.ts";

const waits = { createMs: 60_000, patchMs: 5000 };

it("looks an issue up when its list has had the time to show it, a post when its answer had, anything else at once", () => {
  expect(lookUpAt("create-issue", 1000, waits)).toBe(61_000);
  expect(lookUpAt("patch-post", 1000, waits)).toBe(6000);
  expect(lookUpAt("update-issue", 1000, waits)).toBe(1000);
});
