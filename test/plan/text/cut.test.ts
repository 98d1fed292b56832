import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CUT_NOTICE, closeFences, cutBytes, cutCodePoints } from "../../../src/plan/text/fence.ts";
import { sanitiseText } from "../../../src/plan/text/sanitise.ts";
import { hostileText } from "../hostile-text.ts";
import { gitHub } from "../make.ts";

describe("cutting by bytes", () => {
  it("leaves a text that fits", () => {
    expect(cutBytes("é".repeat(64), 128)).toBe("é".repeat(64));
  });

  it("says that it cut", () => {
    const cut = cutBytes("é".repeat(65), 128);
    expect(cut).toMatch(/^é{20,}\n\n… \(cut; the whole text is in the post\)$/);
    expect(cut.endsWith(CUT_NOTICE)).toBe(true);
  });

  it.each([
    ["a code point", "😀".repeat(100), /^(?:😀)+\n\n…/u],
    ["a character reference", "&eacute;".repeat(40), /^(?:&eacute;)+\n\n…/],
    ["a joined emoji", "👩\u200D".repeat(60), /👩\n\n…/u],
  ])("never cuts inside %s", (_, text, expected) => {
    for (let max = 128; max < 140; max++) {
      const cut = cutBytes(text, max);
      expect(cut).toMatch(expected);
      expect(cut.isWellFormed()).toBe(true);
    }
  });

  it("closes a code block that it cut", () => {
    expect(cutBytes(`~~~~\n${"x".repeat(200)}`, 128)).toMatch(/^~~~~\nx+\n~~~~\n\n…/);
  });

  it("keeps within the limit and leaves no fence open, whatever the text", () => {
    fc.assert(
      fc.property(hostileText, fc.integer({ min: 128, max: 400 }), (text, max) => {
        const cut = cutBytes(sanitiseText(text, gitHub), max);
        expect(Buffer.byteLength(cut)).toBeLessThanOrEqual(max);
        expect(closeFences(cut)).toBe(cut);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe("cutting by code points", () => {
  it.each([
    ["leaves a text that fits", "abcde", 5, "abcde"],
    ["ends a cut text in an ellipsis", "abcdef", 5, "abcd…"],
    ["does not leave a blank before it", "abc def", 5, "abc…"],
    ["never cuts inside a code point", "ab😀😀", 4, "ab…"],
    ["keeps one that just fits", "a😀bcd", 4, "a😀…"],
    ["never cuts inside a character reference", "ab&eacute;", 6, "ab…"],
  ])("%s", (_, text, max, expected) => {
    expect(cutCodePoints(text, max)).toBe(expected);
  });
});
