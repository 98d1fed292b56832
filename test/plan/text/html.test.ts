import { describe, expect, it } from "vitest";
import { readDescription } from "../../../src/plan/text/html.ts";
import { expectLinear } from "../../support/growth.ts";

const most = 262_144;

function read(text: string, limit = most) {
  return readDescription(text, limit, (plain) => plain.replaceAll("a_secret", "(hidden)"));
}

describe("a description in HTML", () => {
  it.each([
    ["<p>a</p><p>b</p>", "a\n\nb"],
    [
      "<p>Intro:</p><ul><li>one</li><li>two<ul><li>in</li></ul></li></ul>",
      "Intro:\n\n-   one\n-   two\n    -   in",
    ],
    ["<ul>\n<li>one</li>\n<li>two</li>\n</ul>", "-   one\n-   two"],
    ["<ol><li>x<li>y</ol>", "1.  x\n2.  y"],
    ["<div>a</div><div>b</div>", "a\n\nb"],
    ["<h2>T</h2>\n<p>x</p>", "## T\n\nx"],
    ["<P CLASS='x'>Hi</P>", "Hi"],
    ["First<br>second", "First  \nsecond"],
    ["First<br />\nsecond", "First  \nsecond"],
    ["Line one</p><p>two", "Line one\n\ntwo"],
    ["It is <b>bold</b>, <em>slanted</em> and <s>gone</s>", "It is **bold**, *slanted* and ~~gone~~"],
    ["<p>a &lt; b &amp; c</p>", "a < b & c"],
    ["<p>a&#95;secret*</p>", "(hidden)\\*"],
    ["<p>1. x *y*</p>", "1\\. x \\*y\\*"],
    ['<p><a href="https://e.example/a">l</a></p>', "[l](https://e.example/a)"],
    ['<pre><code class="language-js">a &lt; b\n</code></pre>', "```js\na < b\n```"],
    ["<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>", "a | b\n\n1 | 2"],
    ["<blockquote>q</blockquote>", "> q"],
    ["<p>a</p><script>alert(1)</script><style>p {}</style>", "a"],
    ["<p>a</p><!-- boardsync:v1 -->", "a"],
    ["<p></p>", ""],
  ])("is read as Markdown: %j", (html, markdown) => {
    expect(read(html)).toEqual({ text: markdown, isCut: false });
  });

  it.each([
    "<p>a</p><img src='data:image/png;base64,DATA'><p>b</p>",
    "a\n\n![](data:image/svg+xml;charset=utf-8;base64,DATA)\n\nb",
  ])("shows what stands behind a pasted picture: %j", (text) => {
    const { text: shown, isCut } = read(text.replace("DATA", "iVBORw0K+/".repeat(100_000)));
    expect(isCut).toBe(false);
    expect(shown).toMatch(/^a\n\n(?:!\[\]\(\)\n\n)?b$/);
  });

  it("shows a file that is short enough to be an example", () => {
    const text = "It stops at `url(data:text/plain;base64,SGVsbG8=)` and `data:;base64,`.";
    expect(read(text)).toEqual({ text, isCut: false });
  });

  it("is cut where it is very long", () => {
    const { text, isCut } = read(`<p>${"word ".repeat(20_000)}</p>`);
    expect(isCut).toBe(true);
    expect(text).toMatch(/^(word )+wo?r?d?$/);
  });

  it("of elements in elements without end stays as it is", () => {
    for (const html of ["<div>".repeat(500), "<b></i>".repeat(500), `<p>${"<ul><li>".repeat(500)}`])
      expect(read(html).text).toBe(html);
  });

  it.each(["<p>a</p>", "<li>a", "<br>", "<p><b>x</b>", "&lt;<", "*_`[", "<a ", "<td>", "data:a/b;c"])(
    "takes linear time: %s over and over",
    (part) => {
      expectLinear((size) => read(`<div>${part.repeat(size / part.length / 4)}`), part);
    },
  );
});

describe("any other description stays as it is:", () => {
  it.each([
    "plain",
    "a < b and c > d",
    "<https://x.example>",
    "in Markdown\n\nwith <br> in it\nand more",
    "use `<br>` here",
    "```html\n<p>a</p>\n```",
    "<b>Bold</b> Markdown\n\n- a",
    "<details>\n<summary>s</summary>\n\nmore words\nand more</details>",
    "",
  ])("%j", (text) => {
    expect(read(text)).toEqual({ text, isCut: false });
  });

  it("but for what is too long", () => {
    expect(read("abcdef", 3)).toEqual({ text: "abc", isCut: true });
  });
});
