import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sanitiseText, sanitiseTitle } from "../../../src/plan/text/sanitise.ts";
import { hostileText } from "../hostile-text.ts";
import { enterprise, gitHub } from "../make.ts";

/** Shows the breaks, so that expectations can be read. */
function shown(text: string): string {
  return text.replaceAll("\u200B", "·");
}

describe("sanitised text", () => {
  it.each([
    ["@user and @org/team", "@·user and @·org/team"],
    ["\\@user `@user` (@user)", "\\@·user `@·user` (@·user)"],
    ["&#64;user &#x40;user &commat;user &amp;#64;user", "@·user @·user @·user @·user"],
    ["@&#117;ser @&ZeroWidthSpace;user", "@·user @·user"],
    ["＠user ﹫user", "＠·user ﹫·user"],
    ["me@example.com, 5 @ 3, at @\nat @", "me@·example.com, 5 @ 3, at @·\nat @·"],
    ["```\n@user #1\n```", "```\n@·user #·1\n```"],
  ])("mentions nobody: %s", (text, expected) => {
    expect(shown(sanitiseText(text, gitHub))).toBe(expected);
  });

  it.each([
    ["#1 \\#2 o/r#3 &#35;4 &num;5 #&#54; ＃7", "#·1 \\#·2 o/r#·3 #·4 #·5 #·6 ＃·7"],
    ["GH-1 gh-2 GH\\-3 _GH-4_ &#71;H-5", "GH-·1 gh-·2 GH\\-·3 _GH-·4_ GH-·5"],
    ["high-5, C#, # Title, ## 2 things", "high-5, C#, # Title, ## 2 things"],
    ["Fixes #1, closes o/r#2, resolved GH-3", "Fixes #·1, closes o/r#·2, resolved GH-·3"],
    ["u@da39a3ee5e6b4b0d3255bfef95601890afd80709", "u@·da39a3·ee5e6b·4b0d32·55bfef·956018·90afd8·0709"],
    ["_DA39a3ee5e6b4b0d3255bfef95601890afd80709_", "_DA39a3·ee5e6b·4b0d32·55bfef·956018·90afd8·0709_"],
    ["ada39a3ee5e6b4b0d3255bfef95601890afd80709", "ada39a3ee5e6b4b0d3255bfef95601890afd80709"],
    ["[a](https://github.com/o/r/issues/1 'b')", "[a](https://redirect.github.com/o/r/issues/1 'b')"],
    ["[a]: <HTTPS://www.GitHub.com/o/r/pull/1>", "[a]: <HTTPS://redirect.github.com/o/r/pull/1>"],
    ["https://ghe.example.com/o/r/issues/1", "https:/·/ghe.example.com/o/r/issues/1"],
  ])("refers to no issue or commit: %s", (text, expected) => {
    expect(shown(sanitiseText(text, enterprise))).toBe(expected);
  });

  it.each([
    ["<!-- boardsync:v1 -->", "<·!-- boardsync:v1 -->"],
    ["&lt;!-- x <\u200B!-- y", "<·!-- x <·!-- y"],
    ["<details><summary>x</SUMMARY> <?php <!DOCTYPE", "<·details><·summary>x<·/SUMMARY> <·?php <·!DOCTYPE"],
    ["a < b, x <3, Map<string, T>", "a < b, x <3, Map<·string, T>"],
    [
      "<https://example.com/a> <mailto:a@b.c> <https://x",
      "<https://example.com/a> <·mailto:a@·b.c> <·https://x",
    ],
    ["<https://ghe.example.com/o>", "<·https:/·/ghe.example.com/o>"],
  ])("holds no comment and no HTML: %s", (text, expected) => {
    expect(shown(sanitiseText(text, enterprise))).toBe(expected);
  });

  it.each([
    ["![a](http://x/i.png) ![b][c] ![d]", "[a](http://x/i.png) [b][c] [d]"],
    ["[![badge](http://x/i)](http://x)", "[[badge](http://x/i)](http://x)"],
    ["vec![1] !![a](http://x) \\![b](http://y)", "vec!·[1] !!·[a](http://x) \\!·[b](http://y)"],
  ])("loads no image: %s", (text, expected) => {
    expect(shown(sanitiseText(text, gitHub))).toBe(expected);
  });

  it.each([
    [
      `![a](https://s.example.com/a.png?X-Amz-Date=1&X-Amz-Signature=${"0a".repeat(32)}) b`,
      "[a](https://s.example.com/a.png) b",
    ],
    [`<https://s.example.com/a?sv=1&se=2&amp;sig=${"a%2Fb".repeat(9)}%3D#p>`, "<https://s.example.com/a#p>"],
    [
      `https://s.example.com/a?Expires=1767603600&Policy=a_~-__&Key-Pair-Id=K, b`,
      "https://s.example.com/a, b",
    ],
    ["[a](https://s.example.com/a?token=eyJhbGciOi.eyJ1cmwi.c-d 'b')", "[a](https://s.example.com/a 'b')"],
    [`見る https://s.example.com/a?sig=${"a9".repeat(16)}。次に`, "見る https://s.example.com/a。次に"],
    [
      `https://p.example.com/?a=b&url=https://s.example.com/a?sig=${"a9".repeat(16)}.`,
      "https://p.example.com/?a=b&url=https://s.example.com/a.",
    ],
  ])("shows no address that is signed for a short time: %s", (text, expected) => {
    expect(shown(sanitiseText(text, gitHub))).toBe(expected);
  });

  it.each([
    "https://example.com/watch?v=a&t=1s and why?signed",
    "https://shop.example.com/offer?id=4&expires=2026-12-01",
    "https://shop.example.com/send?signature=required&id=4",
    "https://app.example.com/board?filter=eyJzdGF0dXMiOiJvcGVuIn0=&page=2",
  ])("shows all of an ordinary address: %s", (text) => {
    expect(shown(sanitiseText(text, gitHub))).toBe(text);
  });

  it.each([
    ["[a](javascript:alert(1)) [b]( VBScript:x)", "[a](javascript·:alert(1)) [b]( VBScript·:x)"],
    ["[a](&#106;avascript\\:x) [b]: <data:text/html,x>", "[a](javascript·\\:x) [b]: <·data·:text/html,x>"],
    ["[a](java\u0000script:x) [b](/logout) [c]:\n\\/o/r", "[a](javascript·:x) [b](·/logout) [c]:\n·\\/o/r"],
    ["https://example.com/?q=data:1", "https://example.com/?q=data:1"],
  ])("links to no script and not into the tracker: %s", (text, expected) => {
    expect(shown(sanitiseText(text, gitHub))).toBe(expected);
  });

  it.each([
    [
      "/close\nnow /close\n  /lgtm\n> /assign me\n- \\/x",
      "/·close\nnow /close\n  /·lgtm\n> /·assign me\n- \\/·x",
    ],
    ["// comment\n/ alone\n/", "// comment\n/ alone\n/"],
  ])("gives no command: %s", (text, expected) => {
    expect(shown(sanitiseText(text, gitHub))).toBe(expected);
  });

  it("ends where it should", () => {
    expect(sanitiseText("a\n   ```js\nx", gitHub)).toBe("a\n```js\nx\n```");
  });

  it("leaves ordinary Markdown as it is", () => {
    const text = [
      "# A heading",
      "",
      "Some **bold**, _italic_ and `code`, a [link](https://example.com/a?b=c&d=e#part) and 50 % off.",
      "> A quote & more",
      "",
      "- [ ] one",
      "- two: 3 < 4",
      "",
      "```ts",
      "const a = b && c[0];",
      "```",
      "",
      "| a | b |",
      "|---|---|",
      "Grüße, 日本語, 👩‍💻!",
      "",
    ].join("\n");
    expect(sanitiseText(text, gitHub)).toBe(text);
  });
});

describe("sanitised title", () => {
  it.each([
    ["  Dark\r\n mode\t please ", "Dark mode please"],
    ["@user broke #1 <!-- x -->", "@·user broke #·1 <·!-- x -->"],
    ["\u200B\u202E\u0000 &#8203;", ""],
    ["```", "```"],
    ["https://ghe.example.com/o", "https:/·/ghe.example.com/o"],
  ])("%s", (text, expected) => {
    expect(shown(sanitiseTitle(text, enterprise))).toBe(expected);
  });
});

/** What an HTML reader makes of references; written apart from the code it checks. */
function decoded(text: string): string {
  const names: Readonly<Record<string, string>> = { amp: "&", lt: "<", commat: "@", num: "#", sol: "/" };
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w+));/gi, (whole, hex, decimal, name: string) => {
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    if (Number.isNaN(code)) return names[name] ?? whole;
    return code <= 0x10ffff ? String.fromCodePoint(code) : "";
  });
}

describe.each([
  ["text", sanitiseText],
  ["title", sanitiseTitle],
])("whatever the %s", (_, sanitise) => {
  it("nothing in it means anything to GitHub, not even after decoding", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const safe = sanitise(text, enterprise);
        for (const read of [safe, decoded(safe), decoded(decoded(safe))]) {
          expect(read).not.toContain("<!--");
          expect(read).not.toMatch(/[@＠﹫][\p{L}\p{N}_&\\]/u);
          expect(read).not.toMatch(/[#＃]\d/u);
          expect(read).not.toMatch(/(?<![a-z0-9])gh\\?-\d/i);
          expect(read).not.toMatch(/(?:\/\/|(?<![a-z0-9.-])www\.)(?:www\.)?github\.com\/./i);
          expect(read).not.toMatch(/\/\/ghe\.example\.com\//i);
          expect(read).not.toMatch(/<(?!https?:)[a-z/!?]/i);
          expect(read).not.toMatch(/!\[/);
          expect(read).not.toMatch(/\]\(\s*<?(?:javascript|vbscript|data):/i);
          expect(read).not.toMatch(/(?<![0-9a-z])[0-9a-f]{40}(?![0-9a-z])/i);
          expect(read).not.toMatch(/^\s*\/[a-z]/im);
          // biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be left.
          expect(read).not.toMatch(/[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]/);
          expect(read.isWellFormed()).toBe(true);
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it("doing it twice changes nothing", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const once = sanitise(text, enterprise);
        expect(sanitise(once, enterprise)).toBe(once);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe("long hostile texts", () => {
  const units = [
    "&amp;",
    "&",
    "&#38;",
    "&#1",
    "amp;",
    "@",
    "#",
    "<",
    "<https://",
    "/",
    "\\/",
    "//a.",
    "www.",
    "www.@",
    "www. ",
    "![",
    "](",
    "]:        ",
    "`",
    "```\n",
    "~",
    " ",
    "\n",
    "\t",
    ">",
    "> /",
    "-",
    "\\",
    "a",
    "http://a",
    "https://x/#",
    "https://x?a&",
    "?a&",
    "?a-_",
    "https://x?sig=0123456789abcdef.,",
    "&a=eyJa.",
    "javascript",
    "\u200B",
    "👩\u200D",
    "م\u200C",
    "\uFE0F",
    "\uD83D",
    "gh-",
    "*",
    "_",
  ];

  it.each(units)("a row of %j grows no more than by the breaks that are put in", (unit) => {
    const text = unit.repeat(Math.ceil(65_536 / unit.length));
    const half = text.slice(0, text.length / 2);
    const long = sanitiseText(`${text}x`, enterprise).length;
    expect(long).toBeLessThanOrEqual(2 * sanitiseText(`${half}x`, enterprise).length + 100);
    expect(long).toBeLessThanOrEqual(2 * text.length + 100);
  });
});
