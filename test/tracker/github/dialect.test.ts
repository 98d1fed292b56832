import { describe, expect, it } from "vitest";
import { createDialect } from "../../../src/tracker/github/dialect.ts";

const gitHub = createDialect("https://api.github.com");
const enterprise = createDialect("https://ghe.example.com/api/v3");

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
    expect(enterprise.silenceAddress(text)).toBe(expected);
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
    expect(gitHub.silenceAddress(text)).toBe(expected);
  });
});

describe("the end of a text, behind which another one may be put,", () => {
  it.each([
    ["fixes acme/app#", "10"],
    ["GH-", "10"],
    ["see @", "admin"],
    ["x #\nGH-", "10"],
  ])("%j makes no reference of %j", (text, behind) => {
    const silent = gitHub.silence(text);
    expect(`${silent}${behind}`).not.toMatch(/[#@]\w|GH-\d/);
  });
});

it("a sandbox on loopback has no pages of its own", () => {
  const sandbox = createDialect("http://127.0.0.1:8080");
  expect(sandbox.silenceAddress("http://127.0.0.1:8080/p/1")).toBe("http://127.0.0.1:8080/p/1");
});
