import { describe, expect, it } from "vitest";
import { encodeAddresses, redirectHosts, toSafeUrl } from "../../../src/plan/text/web-address.ts";

describe("addresses of GitHub", () => {
  it.each([
    ["https://github.com/o/r/issues/1", "https://redirect.github.com/o/r/issues/1"],
    ["HTTP://WWW.GitHub.COM/o/r", "HTTP://redirect.github.com/o/r"],
    ["www.github.com/o/r/pull/1", "redirect.github.com/o/r/pull/1"],
    ["_www.github.com/o/r_", "_redirect.github.com/o/r_"],
    ["[a]: //github.com/o/r/issues/1", "[a]: //redirect.github.com/o/r/issues/1"],
    ["https://github.com:443/o/r", "https://redirect.github.com/o/r"],
    ["https://github.com./o/r", "https://redirect.github.com/o/r"],
    ["https:///github.com/o/r", "https:///redirect.github.com/o/r"],
    ["https\\:\\/\\/github\\.com\\/o/r", "https\\:\\/\\/redirect.github.com\\/o/r"],
    ["https://g%69thub%2Ecom/o/r", "https://redirect.github.com/o/r"],
    ["https://ｇithub。com/o/r", "https://redirect.github.com/o/r"],
    ["https://me@github.com/o/r", "https://me@redirect.github.com/o/r"],
    ["https://redirect.github.com/o/r", "https://redirect.github.com/o/r"],
    ["https://api.github.com/o", "https://api.github.com/o"],
    ["https://notgithub.com/o", "https://notgithub.com/o"],
    ["https://github.com", "https://github.com"],
    ["https://acme.ghe.com/o/r", "https:/\u200B/acme.ghe.com/o/r"],
    ["https://ghe.example.com/o/r", "https:/\u200B/ghe.example.com/o/r"],
    ["https://GHE.example.com:8443/o/r", "https:/\u200B/GHE.example.com:8443/o/r"],
    ["www.ghe.example.com/o/r", "w\u200Bww.ghe.example.com/o/r"],
    ["https://example.com/o/r", "https://example.com/o/r"],
  ])("%s becomes %s", (text, expected) => {
    expect(redirectHosts(text, ["ghe.example.com"])).toBe(expected);
  });
});

describe("signs in addresses", () => {
  it.each([
    ["https://example.com/@me", "https://example.com/%40me"],
    ["https://example.com/p#1", "https://example.com/p#%31"],
    ["https://example.com/GH-12", "https://example.com/GH%2D12"],
    ["https://example.com/high-12", "https://example.com/high-12"],
    ["https://example.com?@me @you", "https://example.com?%40me @you"],
    ["https://me@example.com/", "https://me@example.com/"],
    [`https://example.com/${"a".repeat(40)}`, `https://example.com/${"a".repeat(20)}%61${"a".repeat(19)}`],
    [`https://example.com/${"a".repeat(41)}`, `https://example.com/${"a".repeat(41)}`],
  ])("%s becomes %s", (text, expected) => {
    expect(encodeAddresses(text)).toBe(expected);
  });
});

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
    expect(toSafeUrl(text)).toBe(expected);
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
    expect(toSafeUrl(text)).toBeUndefined();
  });

  it("is broken up where it leads to the tracker", () => {
    expect(toSafeUrl("https://ghe.example.com/o", ["ghe.example.com"])).toBe(
      "https:/\u200B/ghe.example.com/o",
    );
  });
});
