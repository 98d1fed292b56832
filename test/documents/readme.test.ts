import { describe, expect, it } from "vitest";
import { pages, readPage } from "./pages.ts";

describe("the README", () => {
  const lines = readPage("README.md").trimEnd().split("\n");

  it("has at most 150 lines", () => {
    expect(lines.length).toBeLessThanOrEqual(150);
  });

  it("has no line of more than 120 characters, but rows of tables and pictures", () => {
    const long = lines.filter((line) => [...line].length > 120 && !/^(?:\||!\[)/.test(line));
    expect(long).toEqual([]);
  });

  it("is read in four minutes, and says in the first what boardsync is for", () => {
    const wordsAMinute = 230;
    expect(countWords(lines)).toBeLessThan(4 * wordsAMinute);
    const picture = lines.findIndex((line) => line.includes("config/pictures/page.png"));
    expect(countWords(lines.slice(0, picture))).toBeLessThan(wordsAMinute);
  });

  it("leads to every page", () => {
    const text = lines.join("\n");
    const others = pages.filter((page) => page.startsWith("config/"));
    expect(others.length).toBeGreaterThan(10);
    expect(others.filter((page) => !text.includes(`](${page})`))).toEqual([]);
  });
});

it("the map of the docs leads to every page on its shelves", () => {
  const map = readPage("config/docs/README.md");
  const shelves = "config/docs/";
  const others = pages.filter((page) => page.startsWith(shelves) && page !== `${shelves}README.md`);
  expect(others.length).toBeGreaterThan(10);
  expect(others.filter((page) => !map.includes(`](${page.slice(shelves.length)})`))).toEqual([]);
});

it("all pages for users, with the changelog, are read in little more than an hour", () => {
  // Of the runbook one entry is read, when it is needed: a screen, as `test/commands/look/help.test.ts` measures.
  const isElsewhere = (page: string): boolean => page.startsWith(".github/") || page.endsWith("/runbook.md");
  const names = [...pages.filter((page) => !isElsewhere(page)), "CHANGELOG.md"];
  const words = names.map((page) => countWords(readPage(page).split("\n")));
  expect(words.reduce((sum, count) => sum + count, 0)).toBeLessThan(16_600);
});

/** Of what is read: no rules of tables, no frames of pictures, no addresses. */
function countWords(lines: readonly string[]): number {
  const text = lines.join("\n").replaceAll(/\]\([^)]*\)/g, "]");
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length;
}
