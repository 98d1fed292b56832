import { stripVTControlCharacters, styleText } from "node:util";
import { escapeControls, escapeJson } from "../../escape.ts";
import { asStarted, commandAsStarted } from "../../sync/ground/remedy.ts";
import { tellTimes } from "../../sync/tell/times.ts";
import type { Output } from "./terminal.ts";

/** What people wrote, on one line and harmless: nothing in it can command a terminal, hide, or pass for a line of ours. */
export function oneLine(text: string): string {
  return harmless(text.replaceAll(/\s+/g, " ").trim());
}

/** The same with the blanks and the ends of lines that it has. */
export function harmless(text: string): string {
  // Scripts and emoji need the joiners.
  return escapeControls(text).replaceAll(/(?![\u200c\u200d])\p{Cf}/gu, "");
}

/** A text with its times as a person reads them, by the machine's clock. */
export function tellByMachine(text: string): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  return tellTimes(Date.now(), timeZone).tell(text);
}

/** What a sign or a heading looks like. */
export type TextStyle = Parameters<typeof styleText>[0];

/** Colours a text of ours where the output shows colours. */
export function paint(output: Output, look: TextStyle, text: string): string {
  return output.hasColours ? styleText(look, text, { validateStream: false }) : text;
}

const plain = /^[\x20-\x7e]*$/;
const doubleWidth =
  /\p{Emoji_Presentation}|\ufe0f|[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]/u;

/** How many columns of a terminal a text takes: East Asian characters and emoji take two, combining marks none. */
export function widthOf(text: string): number {
  const visible = stripVTControlCharacters(text);
  if (plain.test(visible)) return visible.length;
  let width = 0;
  for (const { segment } of findGraphemes(visible)) width += graphemeWidth(segment);
  return width;
}

let segmenter: Intl.Segmenter | undefined;

/** The segmenter is made for the first text that needs it: that takes a tenth of the time in which `--help` is done. */
function findGraphemes(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter("en", { granularity: "grapheme" });
  return segmenter.segment(text);
}

function graphemeWidth(grapheme: string): number {
  if (doubleWidth.test(grapheme)) return 2;
  return /^[\p{M}\p{Cf}]+$/u.test(grapheme) ? 0 : 1;
}

/** Breaks a text into lines of at most `width` columns, at blanks; only a word that is wider than a line is cut. */
export function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    const candidate = line === "" ? word : `${line} ${word}`;
    if (widthOf(candidate) <= width) {
      line = candidate;
      continue;
    }
    if (line !== "") lines.push(line);
    const pieces = cut(word, width);
    lines.push(...pieces.slice(0, -1));
    line = pieces.at(-1) ?? "";
  }
  return [...lines, line];
}

/** A text of at most `width` columns: what does not fit is an ellipsis. */
export function cutOff(text: string, width: number): string {
  return widthOf(text) <= width ? text : `${cut(text, width - 1)[0] ?? ""}…`;
}

/** The pieces of one word. */
function cut(word: string, width: number): readonly string[] {
  if (widthOf(word) <= width) return [word];
  const pieces: string[] = [];
  let piece = "";
  for (const { segment } of findGraphemes(word)) {
    if (piece !== "" && widthOf(piece + segment) > width) {
      pieces.push(piece);
      piece = "";
    }
    piece += segment;
  }
  return [...pieces, piece];
}

/** Prints a line behind a sign such as `✓ `. A terminal breaks it at words, below its first word; elsewhere it stays one line, for `grep`. */
export function printLine(output: Output, sign: string, text: string): void {
  const indent = widthOf(sign);
  const said = hint(output, text);
  const lines = output.isTerminal ? wrap(said, Math.max(20, output.columns() - indent)) : [said];
  output.write(`${sign}${lines.join(`\n${" ".repeat(indent)}`)}\n`);
}

/** One JSON document on stdout. A person may look at it: nothing in it commands a terminal. */
export function printJson(output: Output, document: object): void {
  output.write(`${escapeJson(JSON.stringify(document, null, 2))}\n`);
}

/** A text whose commands, between back-ticks, can be typed here as they stand. */
export function hint({ command }: Output, text: string): string {
  return command === undefined ? text : asStarted(text, command);
}

/** The same for a text that is nothing but a command. */
export function hintCommand({ command }: Output, typed: string): string {
  return command === undefined ? typed : commandAsStarted(typed, command);
}
