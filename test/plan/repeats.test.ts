import { describe, expect, it } from "vitest";
import type { PostId } from "../../src/model/post.ts";
import { isPushedFromHead, repeatedPosts } from "../../src/plan/repeats.ts";

/** Pages as words of one letter a post: `abc def`. */
const pagesOf = (text: string): readonly (readonly PostId[])[] =>
  text === "" ? [] : text.split(" ").map((page) => [...page] as PostId[]);

describe("posts that repeat", () => {
  it.each([
    ["", ""],
    ["abc", ""],
    ["abc def", ""],
    ["aab cde", ""],
    ["abc cde", "c"],
    ["abc cdd", "c"],
    ["abc dea", "a"],
    ["abc cab bcd", "cab"],
  ])("of pages %o are %o", (pages, repeated) => {
    expect(repeatedPosts(pagesOf(pages)).join("")).toBe(repeated);
  });
});

describe("a repeat that posts at the head explain", () => {
  it.each([
    ["one came", "abc cde f", "nab", true],
    ["as many came as a page holds", "abc cde f", "nop", true],
    ["two came, at once", "abc bcd ef", "nma", true],
    ["two came, at two pages", "abc cde efg", "nma", true],
    ["more came than repeat", "abc cde f", "nma", true],
    ["an unread post moved up", "abc cde f", "gab", true],
    ["nothing came", "abc cde f", "abc", false],
    ["fewer came than repeat", "abc bcd ef", "nab", false],
    ["one came behind the first", "abc cde f", "anb", false],
    ["the page begins otherwise behind it", "abc cde f", "nac", false],
    ["what repeats is not the end of the page before", "abc bde f", "nab", false],
    ["what repeats does not begin its page", "abc dce f", "nab", false],
    ["the first page is empty by now", "abc cde f", "", false],
    ["no page was read", "", "", true],
  ])("%s", (_, pages, again, isIt) => {
    expect(isPushedFromHead(pagesOf(pages), [...again] as PostId[])).toBe(isIt);
  });
});
