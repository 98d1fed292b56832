import { describe, expect, it } from "vitest";
import { printRecords, printTable } from "../../../src/commands/print/table.ts";
import { widthOf } from "../../../src/commands/print/text.ts";
import { createOutput } from "../stage.ts";

function tableOf(columns: number, head: readonly string[], rows: readonly (readonly string[])[]): string {
  const out = createOutput({ columns });
  printTable(out, head, rows);
  return out.text();
}

function widest(text: string): number {
  return Math.max(...text.split("\n").map(widthOf));
}

const head = ["post", "title", "votes"];
const rows = [
  ["p1", "Dark mode for the editor, and then for all the rest of it", "128"],
  ["p2", "Export", "7"],
];

it("stands as wide as it needs to be, numbers on the right", () => {
  expect(tableOf(120, head, rows)).toBe(
    `┌──────┬───────────────────────────────────────────────────────────┬───────┐
│ post │ title                                                     │ votes │
├──────┼───────────────────────────────────────────────────────────┼───────┤
│ p1   │ Dark mode for the editor, and then for all the rest of it │   128 │
│ p2   │ Export                                                    │     7 │
└──────┴───────────────────────────────────────────────────────────┴───────┘
`,
  );
});

it("breaks the widest cells at words where the room is short, and loses nothing", () => {
  expect(tableOf(40, head, rows)).toBe(
    `┌──────┬──────────────────────┬───────┐
│ post │ title                │ votes │
├──────┼──────────────────────┼───────┤
│ p1   │ Dark mode for the    │   128 │
│      │ editor, and then for │       │
│      │ all the rest of it   │       │
│ p2   │ Export               │     7 │
└──────┴──────────────────────┴───────┘
`,
  );
});

it("becomes a list where the columns can't stand side by side", () => {
  expect(tableOf(24, head, rows)).toBe(
    `post   p1
title  Dark mode for the
       editor, and then
       for all the rest
       of it
votes  128

post   p2
title  Export
votes  7

`,
  );
});

describe("is never wider than the output", () => {
  it.each([200, 120, 100, 80, 60, 40, 24])("%i columns", (columns) => {
    const long = "x".repeat(300);
    const text = tableOf(columns, ["a", "b", "c"], [[long, "漢字 ".repeat(40), "word ".repeat(50)]]);
    expect(widest(text)).toBeLessThanOrEqual(columns);
    expect(text.replaceAll(/[^x]/g, "")).toBe(long);
  });
});

it("shows an unknown number on the right, too", () => {
  expect(tableOf(80, ["voters"], [["?"], ["1,204"], ["–"]])).toContain("│      ? │");
});

it("keeps control characters and line ends of a post out of the table", () => {
  const text = tableOf(80, ["title"], [["a\u001b[2J\nb"]]);
  expect(text).not.toContain("\u001b");
  expect(text).toContain("│ a<1b>[2J b │");
});

it("stands a cell that is missing as an empty one", () => {
  expect(tableOf(80, ["a", "b"], [["1"]])).toContain("│ 1 │   │");
});

it("leaves out optional columns that have nothing to say", () => {
  const columns = [
    { title: "name", show: (row: { held: number }) => `n${row.held}` },
    { title: "held", show: (row: { held: number }) => String(row.held), isOptional: true },
  ];
  const nothing = createOutput();
  printRecords(nothing, columns, [{ held: 0 }]);
  expect(nothing.text()).not.toContain("held");
  const something = createOutput();
  printRecords(something, columns, [{ held: 0 }, { held: 2 }]);
  expect(something.text()).toContain("held");
});
