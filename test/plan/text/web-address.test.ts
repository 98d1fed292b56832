import { describe, expect, it } from "vitest";
import { toSafeUrl } from "../../../src/plan/text/web-address.ts";
import { enterprise, gitHub } from "../make.ts";

describe("a post's own address", () => {
  it.each([
    ["https://example.com/p/1", "https://example.com/p/1"],
    [" http://example.com ", "http://example.com/"],
    ["http://[::1]:3000/p", "http://[::1]:3000/p"],
    ["https://example.com/@a#1", "https://example.com/%40a#%31"],
    [
      "https://example.com/a(b)[c]*<d>|'e`\"\\f",
      "https://example.com/a%28b%29%5Bc%5D%2A%3Cd%3E%7C%27e%60%22/f",
    ],
    ["https://example.com/?a=1&b=2&lt;", "https://example.com/?a=1&b=2%26lt;"],
    ["https://github.com/o/r/issues/1", "https://redirect.github.com/o/r/issues/1"],
  ])("%s is written as %s", (text, expected) => {
    expect(toSafeUrl(text, gitHub)).toBe(expected);
  });

  it.each([
    "",
    "not an address",
    "/p/1",
    "javascript:alert(1)",
    "data:text/html,x",
    "ftp://example.com/",
    "https://me@example.com/",
    "https://:secret@example.com/",
    `https://example.com/${"a".repeat(2_000)}`,
  ])("%s is dropped", (text) => {
    expect(toSafeUrl(text, gitHub)).toBeUndefined();
  });

  it("is broken up where it leads to the tracker", () => {
    expect(toSafeUrl("https://ghe.example.com/o", enterprise)).toBe("https:/\u200B/ghe.example.com/o");
  });
});
