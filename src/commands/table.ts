import Table from "cli-table3";
import { escapeControls } from "../log.ts";
import type { Output } from "./terminal.ts";

/** Rules between columns and the room around them, a column. */
const paddingWidth = 3;
const narrowest = 8;

/**
 * A table for a person, no wider than the output: the widest column gives way first. Text from posts and issues can't
 * command the terminal.
 */
export function printTable(
  output: Output,
  head: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  const cells = rows.map((row) => row.map((cell) => escapeControls(cell)));
  const widths = fitWidths(head, cells, output.columns);
  const table = new Table({
    head: [...head],
    colWidths: widths,
    wordWrap: true,
    wrapOnWordBoundary: true,
    style: { head: [], border: [], compact: true },
  });
  for (const row of cells) table.push([...row]);
  output.write(`${table.toString()}\n`);
}

function fitWidths(head: readonly string[], rows: readonly (readonly string[])[], columns: number): number[] {
  const widths = head.map((title, index) =>
    Math.max(
      ...[title, ...rows.map((row) => row[index] ?? "")].map((cell) => cell.length + paddingWidth - 1),
    ),
  );
  const room = columns - head.length - 1;
  for (;;) {
    const total = widths.reduce((sum, width) => sum + width, 0);
    const widest = Math.max(...widths);
    if (total <= room || widest <= narrowest) return widths;
    widths[widths.indexOf(widest)] = Math.max(
      narrowest,
      widest - (total - room),
      secondWidest(widths, widest),
    );
  }
}

/** The widest columns shrink together, so that none is sacrificed for another. */
function secondWidest(widths: readonly number[], widest: number): number {
  const smaller = widths.filter((width) => width < widest);
  return smaller.length === 0 ? widest - 1 : Math.max(narrowest, ...smaller, Math.floor(widest * 0.9) - 1);
}
