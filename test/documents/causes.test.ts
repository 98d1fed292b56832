import { describe, expect, it } from "vitest";
import { type LetGoBy, letting } from "../../src/model/causes.ts";
import { readPage } from "./pages.ts";

describe("the page of concepts", () => {
  const page = readPage("config/docs/concepts/concepts.md");
  const words: readonly (readonly [word: string, ends: readonly LetGoBy[]])[] = [
    ["later", ["time"]],
    ["needs you", ["approve", "retry", "release", "resume", "config"]],
    ["differs", ["sides"]],
    ["in step", []],
  ];

  it.each(words)("lists below `%s` the causes that end so, and no other", (word, ends) => {
    const row = page.split("\n").find((line) => line.startsWith(`| **${word}** |`)) ?? "";
    const named = [...row.matchAll(/`([a-z-]+)`(?!:)/g)].map(([, name]) => name ?? "");
    const causes = Object.entries(letting).flatMap(([cause, by]) => (ends.includes(by) ? [cause] : []));
    expect(named.toSorted()).toEqual(causes.toSorted());
  });

  it("is read in two minutes", () => {
    expect(page.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length).toBeLessThanOrEqual(500);
  });
});
