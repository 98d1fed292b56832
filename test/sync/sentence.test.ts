import { expect, it } from "vitest";
import { beginSentence } from "../../src/sync/tell/words.ts";

it.each([
  ["failing: nothing came", "Failing: nothing came"],
  ["rules ask now", "Rules ask now"],
  ["acme/app#2 is closed", "acme/app#2 is closed"],
  ["acme-app#2", "acme-app#2"],
  ["acme-app/p1: nothing waits", "acme-app/p1: nothing waits"],
  ["dark-mode: nothing waits", "dark-mode: nothing waits"],
  ["it isn't paused", "It isn't paused"],
  ["roadmapColumn is asked for", "roadmapColumn is asked for"],
  ["issue.labels names it", "issue.labels names it"],
  ["p1 waits", "p1 waits"],
  ["https://feedback.example.com failed", "https://feedback.example.com failed"],
  ["12 voters", "12 voters"],
  ["", ""],
])("%j begins a sentence as %j", (text, begun) => {
  expect(beginSentence(text)).toBe(begun);
});
