import { describe, expect, it } from "vitest";
import { toBoardText, toBoardTitle } from "../../../src/plan/text/outward.ts";
import { hostileTitles } from "../../support/hostile-titles.ts";

const B = "\u200B";

describe("a text of the tracker for the board", () => {
  it.each<[string, string, string]>([
    ["plain Markdown", "# Wish\n\n- one `two`\n\n```\nx\n```", "# Wish\n\n- one `two`\n\n```\nx\n```"],
    ["hidden comments", "<!-- Fill in. -->\nWish <!-- a --> here", "Wish  here"],
    ["a comment without an end", "Wish\n<!-- the rest", "Wish"],
    ["mentions", "@ada and ada @ home", `@${B}ada and ada @ home`],
    ["HTML", "<b>x</b>", `<${B}b>x<${B}/b>`],
    ["images", "![x](https://x.example/a.png)", "[x](https://x.example/a.png)"],
    ["people", "ada@example.com, +49 30 1234567", "[e-mail], [phone number]"],
    ["an open fence", "```\nx", "```\nx\n```"],
    ["a token of GitHub's", "ghp_0123456789abcdefABCDEF", "[secret]"],
    ["one in parts", "ghs_123_eyJhbGciOiJSUzI1NiJ9.eyJpYXQiOjF9.Ab-c_d. Next", "[secret]. Next"],
    ["one of GitLab's", "glpat-0123456789abcdefghijklmno.01.0a1b2c3d4", "[secret]"],
    ["one of SendGrid's", "SG.0123456789abcdefghijkl.0123456789-abcdef_ABCDEF", "[secret]"],
    ["one of PyPI's", "pypi-AgEIcHlwaS5vcmcCJDAwMDAwMDAw", "[secret]"],
    ["one of Slack's", "xapp-1-A0123456789-0123456789012-0a1b2c", "[secret]"],
    [
      "names that begin like a token",
      "pypi-publish-on-release, xapp-thumbnailers-common, SG.ConfigurationService.read",
      "pypi-publish-on-release, xapp-thumbnailers-common, SG.ConfigurationService.read",
    ],
    ["a key of Amazon's", "key AKIAABCDEFGHIJKLMNOP.", "key [secret]."],
    ["a JSON Web Token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcdefgh", "[secret]"],
    ["a private key", "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "[secret]"],
    ["a signed query", `https://s.example/a?id=a@b.example&sig=${"a9".repeat(16)}.`, "https://s.example/a."],
    ["a password in an address", "postgres://me:hunter2@db/x", `postgres://[secret]@${B}db/x`],
  ])("keeps or loses %s", (_, text, expected) => {
    expect(toBoardText(text)).toBe(expected);
  });

  it("is cut where it is long, and says so", () => {
    expect(toBoardText("x".repeat(20_000))).toMatch(/^x{9000,10000}\n\n… \(cut\)$/);
    expect(toBoardTitle("x".repeat(500))).toBe(`${"x".repeat(199)}…`);
  });

  it("has one line as a title", () => {
    expect(toBoardTitle(" Wish\n of @ada ")).toBe(`Wish of @${B}ada`);
  });

  it.each(hostileTitles)("stays harmless: %j", (title) => {
    const shown = toBoardTitle(title);
    expect(shown).not.toMatch(/[\p{Cc}\u202A-\u202E]|<(?=[a-z/!])/iu);
  });

  it.each([
    "eyJ",
    "ghp_",
    "<!--",
    "-----BEGIN PRIVATE KEY-----",
    "://a:",
    "AKIA",
    "SG.",
    "ghp_0123456789abcdef.",
  ])("takes linear time for many of %s", (part) => {
    expect(toBoardText(part.repeat(60_000)).length).toBeLessThan(10_100);
  });
});
