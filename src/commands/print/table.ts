import type { Output } from "./terminal.ts";
import { hint, oneLine, widthOf, wrap } from "./text.ts";

/** A word that is longer than this is broken where the room is short; ids and names stay whole. */
const longestWord = 40;
const gap = 2;

/**
 * A table for a person, no wider than the output: cells are broken at words, so that rows stay low; numbers stand on the
 * right. Where even so the columns can't stand side by side, each row becomes a list. Text from posts and issues can't
 * command the terminal.
 */
export function printTable(
  output: Output,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  const cells = rows.map((row) => row.map((cell) => hint(output, oneLine(cell))));
  const room = fitWidths(head, cells, output.columns());
  if (room === undefined) {
    printLists(output, head, cells);
    return;
  }
  const titles = head.map((title, column) => wrap(title, room[column] ?? 0));
  const drawing = cells.map((row) => room.map((width, column) => wrap(row[column] ?? "", width)));
  // Broken lines are often shorter than the room that was given to them.
  const widths = head.map((_, column) =>
    [titles, ...drawing]
      .flatMap((row) => row[column] ?? [])
      .reduce((most, line) => Math.max(most, widthOf(line)), 0),
  );
  // Numbers, and the signs that stand where one is not known.
  const isRight = head.map((_, column) => cells.every((row) => /^[\d,]+$|^[–?]$/.test(row[column] ?? "")));
  const draw = (row: readonly Cell[]): string => drawRow(row, widths, isRight);
  const rule = (left: string, cross: string, right: string): string =>
    `${left}${widths.map((width) => "─".repeat(width + 2)).join(cross)}${right}\n`;
  output.write(`${rule("┌", "┬", "┐")}${draw(titles)}${rule("├", "┼", "┤")}`);
  output.write(`${drawing.map(draw).join("")}${rule("└", "┴", "┘")}`);
}

/** The lines of one cell. */
type Cell = readonly string[];

/** One row, as many lines high as its highest cell. */
function drawRow(row: readonly Cell[], widths: readonly number[], isRight: readonly boolean[]): string {
  const height = row.reduce((most, cell) => Math.max(most, cell.length), 1);
  const lines = Array.from({ length: height }, (_, line) =>
    widths.map((width, column) => pad(row[column]?.[line] ?? "", width, isRight[column] === true)),
  );
  return lines.map((cells) => `│ ${cells.join(" │ ")} │\n`).join("");
}

function pad(text: string, width: number, isRight: boolean): string {
  const room = " ".repeat(Math.max(0, width - widthOf(text)));
  return isRight ? `${room}${text}` : `${text}${room}`;
}

/** How wide the text of each column may be; undefined when there is not even room for the longest words. */
function fitWidths(
  head: readonly string[],
  cells: readonly (readonly string[])[],
  columns: number,
): readonly number[] | undefined {
  const wanted = head.map((title, column) => largest(cells, column, widthOf, widthOf(title)));
  const needed = head.map((title, column) =>
    largest(cells, column, widthOfLongestWord, widthOfLongestWord(title)),
  );
  // A rule and a blank on both sides of each column.
  let room = columns - (3 * head.length + 1) - needed.reduce((sum, width) => sum + width, 0);
  if (room < 0) return undefined;
  let widths = needed;
  for (; room > 0; room -= 1) {
    // The column that would become the highest gets the next bit of room.
    const heights = widths.map((width, column) => (wanted[column] ?? width) / width);
    const most = Math.max(...heights);
    if (most <= 1) break;
    const highest = heights.indexOf(most);
    widths = widths.map((width, column) => (column === highest ? width + 1 : width));
  }
  return widths;
}

function largest(
  cells: readonly (readonly string[])[],
  column: number,
  measure: (cell: string) => number,
  least: number,
): number {
  return cells.reduce((width, row) => Math.max(width, measure(row[column] ?? "")), least);
}

function widthOfLongestWord(cell: string): number {
  const longest = cell.split(" ").reduce((width, word) => Math.max(width, widthOf(word)), 0);
  return Math.min(longest, longestWord);
}

function printLists(output: Output, head: readonly string[], cells: readonly (readonly string[])[]): void {
  const indent = head.reduce((width, title) => Math.max(width, widthOf(title)), 0) + gap;
  const room = Math.max(10, output.columns() - indent);
  for (const row of cells) {
    const lines = row.map((cell, column) => {
      const title = (head[column] ?? "").padEnd(indent);
      return `${title}${wrap(cell, room).join(`\n${" ".repeat(indent)}`)}`;
    });
    output.write(`${lines.join("\n")}\n\n`);
  }
}

/** One column of a table whose rows are records. */
export interface Column<Row> {
  readonly title: string;
  readonly show: (row: Row) => string;
  /** Left out where every row shows `0`, or is without this. */
  readonly isOptional?: boolean | ((row: Row) => boolean);
}

/** A table of records; columns that have nothing to say are left out. */
export function printRecords<Row>(
  output: Output,
  columns: readonly Column<Row>[],
  rows: readonly Row[],
): void {
  const shown = columns.filter(({ isOptional = false, show }) => {
    if (isOptional === false) return true;
    return rows.some(isOptional === true ? (row) => show(row) !== "0" : isOptional);
  });
  printTable(
    output,
    shown.map(({ title }) => title),
    rows.map((row) => shown.map(({ show }) => show(row))),
  );
}
