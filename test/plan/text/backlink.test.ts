import { expect, it } from "vitest";
import { backlinkLine, hasLine, replaceLine } from "../../../src/plan/text/backlink.ts";

const one = "Tracked in acme/app#1";
const two = "Tracked in acme/app#1, acme/api#2";
const three = `${two}, acme/web#3`;

it("a backlink names every issue, and is none without any", () => {
  expect(backlinkLine(["acme/app#1", "acme/api#2"])).toBe(two);
  expect(backlinkLine([])).toBeUndefined();
});

it.each<[string, string, string | undefined, string | undefined, string]>([
  ["is put into an empty note", "", undefined, one, one],
  ["is put below a text", "a", undefined, one, `a\n${one}`],
  ["is put below a text that ends with a line end", "a\n\n", undefined, one, `a\n\n${one}`],
  ["takes the line ends of the note", "a\r\nb", undefined, one, `a\r\nb\r\n${one}`],
  ["takes the place of the known one", `a\n${one}\nb`, one, two, `a\n${two}\nb`],
  ["keeps the line end of the known one", `${one}\r\nb`, one, two, `${two}\r\nb`],
  ["takes the place of the only one of its form", `a\n${two}\n`, undefined, one, `a\n${one}\n`],
  ["takes the place of one of a former name", "Tracked in acme/old#1", undefined, one, one],
  [
    "takes the place of none of another repository",
    "Tracked in a/b#1",
    undefined,
    one,
    `Tracked in a/b#1\n${one}`,
  ],
  ["takes the place of none among several", `${one}\n${two}`, undefined, three, `${one}\n${two}\n${three}`],
  ["goes away", `a\n${one}\nb`, one, undefined, "a\nb"],
  ["goes away at the end", `a\r\n${one}`, one, undefined, "a"],
  ["goes away where there is nothing else", one, one, undefined, ""],
  ["is missed by nobody", "a", one, undefined, "a"],
  ["is no line that only looks like one", `see: ${one}`, undefined, undefined, `see: ${one}`],
])("our line %s", (_, note, previous, line, expected) => {
  expect(replaceLine(note, previous, line, ["acme/app", "acme/old"])).toBe(expected);
});

it("a line is there whatever ends it", () => {
  expect(hasLine(`a\r\n${one}\r\nb`, one)).toBe(true);
  expect(hasLine(`${one}, `, one)).toBe(false);
});
