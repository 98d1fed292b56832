import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toPlainCharacters } from "../../../src/plan/text/characters.ts";
import { hostileText } from "../hostile-text.ts";

describe("plain characters", () => {
  it.each([
    ["line ends become one kind", "a\r\nb\rc\u2028d\u2029e\u0085f", "a\nb\nc\nd\ne\nf"],
    ["tabs stay, other controls go", "a\tb\u0000c\u001Bd\u007Fe\u009Bf\uFFF9g", "a\tbcdefg"],
    ["bidi controls go", "a\u202Eb\u2066c\u200Fd\u061Ce", "abcde"],
    ["zero-width characters go", "a\u200Bb\uFEFFc\u2060d\u00ADe\u{E0041}f\u3164", "abcdef"],
    ["joiners between Latin letters go", "us\u200Der", "user"],
    ["joiners inside an emoji stay", "👩🏽\u200D💻 ❤\uFE0F\u200D🔥", "👩🏽\u200D💻 ❤\uFE0F\u200D🔥"],
    ["joiners inside a word that needs them stay", "می\u200Cخواهم", "می\u200Cخواهم"],
    [
      "selectors stay on emoji and key caps only",
      "❤\uFE0F 1\uFE0F\u20E3 a\uFE0F @\uFE0Eb",
      "❤\uFE0F 1\uFE0F\u20E3 a @b",
    ],
    ["a lone surrogate is replaced", "a\uD83Db", "a\uFFFDb"],
  ])("%s", (_, text, expected) => {
    expect(toPlainCharacters(text)).toBe(expected);
  });

  it.each([
    ["&#64;", "@"],
    ["&#0000000064;", "@"],
    ["&#x40; &#X0040;", "@ @"],
    ["&commat; &num; &sol; &fjlig;", "@ # / fj"],
    ["&amp;#64;", "@"],
    ["&amp;amp;lt;", "<"],
    ["&#38;#x26;commat;", "@"],
    ["&am&#112;;#64;", "@"],
    ["&#\u200B64;", "@"],
    ["a&shy;b&ZeroWidthSpace;c&#8203;d", "abcd"],
    ["a&#13;&#10;b", "a\nb"],
    ["&#0;&#xD800;&#x110000;&#99999999999999999999;", "\uFFFD\uFFFD\uFFFD"],
    ["&eacute; &nbsp; &#233; &copy;", "&eacute; &nbsp; é &copy;"],
    ["AT&T &amp; R&D; &#; &#x; &;", "AT&T & R&D; &#; &#x; &;"],
    ["&COMMAT; &Lt;", "&COMMAT; &Lt;"],
  ])("decodes %s", (text, expected) => {
    expect(toPlainCharacters(text)).toBe(expected);
  });

  it("gives up on what is encoded deeper than anybody would, and leaves nothing to decode", () => {
    expect(toPlainCharacters(`&${"amp;".repeat(20)}#64;`)).toBe(`＆${"amp;".repeat(12)}#64;`);
    expect(toPlainCharacters(`&${"amp;".repeat(8)}x`)).toBe("&x");
  });

  it("changes nothing the second time", () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        const once = toPlainCharacters(text);
        expect(toPlainCharacters(once)).toBe(once);
      }),
      { numRuns: 2_000 },
    );
  });
});
