import { describe, expect, it } from "vitest";
import { oneLine, paint, printLine, widthOf, wrap } from "../../../src/commands/print/text.ts";
import { count } from "../../../src/sync/tell/words.ts";
import { createOutput } from "../stage.ts";

describe("oneLine", () => {
  it.each([
    ["two\nlines\r\n\tand  blanks ", "two lines and blanks"],
    ["\u001b[2Jgone", "<1b>[2Jgone"],
    ["left\u202eright", "left<202e>right"],
    ["fixes #\u200b1", "fixes #1"],
    ["👩\u200d💻", "👩\u200d💻"],
  ])("makes %j harmless", (text, line) => {
    expect(oneLine(text)).toBe(line);
  });
});

describe("widthOf", () => {
  it.each([
    ["plain", 5],
    ["", 0],
    ["é", 1],
    ["e\u0301", 1],
    ["漢字", 4],
    ["한글", 4],
    ["👩\u200d💻", 2],
    ["☀\ufe0f", 2],
    ["\u001b[31mred\u001b[39m", 3],
    ["\u200d", 0],
  ])("%j takes %i columns", (text, width) => {
    expect(widthOf(text)).toBe(width);
  });
});

describe("wrap", () => {
  it.each([
    ["one two three", 7, ["one two", "three"]],
    ["one two three", 100, ["one two three"]],
    ["", 5, [""]],
    ["abcdefghij", 4, ["abcd", "efgh", "ij"]],
    ["to abcdefghij go", 4, ["to", "abcd", "efgh", "ij", "go"]],
    ["漢字漢字", 4, ["漢字", "漢字"]],
    ["漢字漢", 3, ["漢", "字", "漢"]],
  ])("breaks %j at %i columns", (text, width, lines) => {
    expect(wrap(text, width)).toEqual(lines);
  });
});

describe("printLine", () => {
  const text = "a sentence that is too long for one line of it";

  it("goes on below its first word on a terminal", () => {
    const out = createOutput({ isTerminal: true, columns: 26 });
    printLine(out, "✓ ", text);
    expect(out.text()).toBe("✓ a sentence that is too\n  long for one line of it\n");
  });

  it("stays one line where it is piped", () => {
    const out = createOutput({ isTerminal: false, columns: 26 });
    printLine(out, "✓ ", text);
    expect(out.text()).toBe(`✓ ${text}\n`);
  });

  it("counts no columns for the sign's colour", () => {
    const out = createOutput({ isTerminal: true, hasColours: true, columns: 26 });
    printLine(out, paint(out, "red", "✗ "), text);
    expect(out.text()).toBe("\u001b[31m✗ \u001b[39ma sentence that is too\n  long for one line of it\n");
  });
});

it("a text has no colour where none is wanted", () => {
  expect(paint(createOutput(), "red", "text")).toBe("text");
});

it.each([
  [0, "0 issues"],
  [1, "1 issue"],
  [12_345, "12,345 issues"],
])("counts %i", (number, words) => {
  expect(count(number, "issue")).toBe(words);
});
