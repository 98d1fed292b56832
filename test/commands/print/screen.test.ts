import { describe, expect, it } from "vitest";
import { createTerminalLog } from "../../../src/commands/open/session.ts";
import { createProgressBar } from "../../../src/commands/print/progress.ts";
import { ownScreen } from "../../../src/commands/print/screen.ts";
import { printTable } from "../../../src/commands/print/table.ts";
import type { Output, Terminal } from "../../../src/commands/print/terminal.ts";
import { createOutput, createTerminal } from "../stage.ts";

/** What a person sees: a screen that goes on for ever, and a cursor that prints over what stands there. */
function createScreen(columns = 80) {
  const lines: string[] = [""];
  let [line, column, wraps] = [0, 0, true];
  const put = (character: string): void => {
    if (column >= columns && !wraps) column = columns - 1;
    if (column >= columns) newLine();
    const before = (lines[line] ?? "").padEnd(column);
    lines[line] = `${before.slice(0, column)}${character}${before.slice(column + 1)}`;
    column += 1;
  };
  const newLine = (): void => {
    line += 1;
    column = 0;
    lines[line] ??= "";
  };
  const output = (isTerminal = true): Output => ({
    isTerminal,
    hasColours: false,
    columns: () => columns,
    write(text) {
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what a terminal acts on.
      for (const [sign] of text.matchAll(/\u001b\[\?7[lh]|\u001b\[K|[\s\S]/g)) {
        if (sign === "\u001b[?7l") wraps = false;
        else if (sign === "\u001b[?7h") wraps = true;
        else if (sign === "\u001b[K") lines[line] = (lines[line] ?? "").slice(0, column);
        else if (sign === "\r") column = 0;
        else if (sign === "\n") newLine();
        else if (sign === "\u001b")
          throw new Error(`The terminal is told something unknown: ${JSON.stringify(text)}`);
        else put(sign);
      }
    },
  });
  return { output, shown: () => lines.join("\n") };
}

function openTerminal(options: { readonly isPiped?: boolean; readonly columns?: number } = {}) {
  const screen = createScreen(options.columns);
  const piped = createOutput();
  const answers: string[] = [];
  let time = 0;
  const given = createTerminal({
    out: options.isPiped === true ? piped : screen.output(),
    err: screen.output(),
    async ask(question) {
      screen.output().write(question);
      bar?.show({ project: "acme-app", what: "posts read", done: 9, total: 10 });
      answers.push(screen.shown());
      screen.output().write("y\n");
      return "y";
    },
  });
  const terminal = ownScreen(given);
  const bar = createProgressBar(terminal, () => time, "UTC", true);
  const show = (done: number): void => {
    time += 5000;
    bar?.show({ project: "acme-app", what: "issues opened", done, total: 40 });
  };
  show(0);
  return { terminal, screen, show, answers, piped, log: logOf(terminal) };
}

function logOf(terminal: Terminal): (message: string) => void {
  const log = createTerminalLog(terminal, "info", (text) => text);
  return (message) => log.info({}, message);
}

/** The lines on the screen, times of the log taken away. */
function linesOf({ shown }: ReturnType<typeof createScreen>): readonly string[] {
  return shown()
    .replaceAll(/^\d\d:\d\d:\d\d /gm, "")
    .split("\n");
}

describe("a terminal with a bar", () => {
  it("shows every line of the log above it, and loses none when a table follows", () => {
    const { terminal, screen, show, log } = openTerminal();
    for (let done = 1; done < 20; done += 1) {
      log(`opened ${done}`);
      show(done);
    }
    expect(linesOf(screen).at(-1)).toMatch(/^acme-app: issues opened █+░+ 19 of 40$/);
    printTable(terminal.out, ["post", "votes"], [["p1", "3"]]);
    log("finished");
    expect(linesOf(screen)).toEqual([
      ...Array.from({ length: 19 }, (_, index) => `opened ${index + 1}`),
      "┌──────┬───────┐",
      "│ post │ votes │",
      "├──────┼───────┤",
      "│ p1   │     3 │",
      "└──────┴───────┘",
      "finished",
      "",
    ]);
  });

  it("shows it again below a report, as that of a look before a question", () => {
    const { terminal, screen, show } = openTerminal();
    terminal.out.write("1 write to undo.\n");
    show(3);
    expect(linesOf(screen)).toEqual(["1 write to undo.", expect.stringContaining("3 of 40")]);
  });

  it("shows nothing beside a question or in an unfinished line", async () => {
    const { terminal, screen, show, answers } = openTerminal();
    await terminal.ask?.("Undo this? ");
    expect(answers).toEqual(["Undo this? "]);
    terminal.out.write("half ");
    show(4);
    terminal.out.write("a line\n");
    expect(linesOf(screen)).toEqual(["Undo this? y", "half a line", ""]);
  });

  it("is gone for good once stdout goes to a pipe, which may end at the same screen", () => {
    const { terminal, screen, show, piped } = openTerminal({ isPiped: true });
    terminal.out.write("{}\n");
    show(5);
    expect(screen.shown()).toBe("");
    expect(piped.text()).toBe("{}\n");
  });

  it("keeps it in one line, however narrow the terminal is", () => {
    const { screen, show, log } = openTerminal({ columns: 24 });
    show(1);
    log("a");
    show(2);
    expect(linesOf(screen)).toEqual(["a", "acme-app: issues opene…"]);
  });
});

it("nothing but the texts themselves is written where there is no terminal", () => {
  const [out, err] = [createOutput(), createOutput()];
  const terminal = ownScreen(createTerminal({ out, err }));
  expect(createProgressBar(terminal, () => 0, "UTC", true)).toBeUndefined();
  terminal.err.write("a");
  terminal.out.write("b");
  expect([err.text(), out.text()]).toEqual(["a", "b"]);
});
