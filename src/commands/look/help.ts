import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { type CommandCall, exitCodes, type Output } from "../print/terminal.ts";
import { hint, oneLine, paint, printJson, printLine } from "../print/text.ts";

/** `boardsync help [COMMAND|CODE|TOPIC]`: needs neither config nor network; the pages are in the package. */
export function help({ terminal, program, options: { json, quiet }, args: [word] }: CommandCall): number {
  const { out } = terminal;
  const command = word === undefined ? program : program.commands.find((one) => one.name() === word);
  if (command !== undefined) {
    if (json === true) printJson(out, describeCommand(out, command, word));
    else command.outputHelp();
    if (json !== true && word === undefined) printTopics(out);
    return exitCodes.ok;
  }
  // As it stands in a line of the log: `[tracker.rejected]`.
  const asked = String(word).replace(/^\[(.*)\]$/, "$1");
  const entry = readMessages().find(({ code }) => code === asked);
  const topic = readRunbook().find(({ name }) => name === asked);
  if (entry === undefined && topic === undefined) refuse(program, asked);
  if (json === true) printJson(out, { ...entry, ...topic });
  if (json === true || quiet === true) return exitCodes.ok;
  if (entry !== undefined) printEntry(out, entry);
  if (topic !== undefined) {
    printHeading(out, topic.title);
    out.write("\n");
    printMarkdown(out, topic.text);
  }
  return exitCodes.ok;
}

function describeCommand(out: Output, command: Command, word: string | undefined): object {
  const parts: string[] = [];
  command.configureOutput({ writeOut: (part) => void parts.push(hint(out, part)) }).outputHelp();
  const about = { title: command.description(), text: parts.join("") };
  const topics = readRunbook().map(({ name, title }) => ({ name, title }));
  return word === undefined ? { name: "boardsync", ...about, topics } : { name: word, ...about };
}

function printEntry(
  out: Output,
  { code, happened, written, todo }: ReturnType<typeof readMessages>[number],
): void {
  printHeading(out, code);
  printLine(out, "  what happened: ", happened);
  printLine(out, "  written?       ", written);
  printLine(out, "  what to do:    ", todo);
}

function printTopics(out: Output): void {
  out.write("\nWhat to do when something is wrong (`help TOPIC`), and what a code means (`help CODE`):\n");
  for (const { name, title } of readRunbook()) printLine(out, `  ${name.padEnd(10)}`, title);
}

/** @throws CommanderError, as any word that is not understood. */
function refuse(program: Command, asked: string): never {
  const near = readMessages()
    .map(({ code }) => code)
    .filter((code) => asked.length > 2 && code.includes(asked));
  const topics = readRunbook().map(({ name }) => name);
  program.error(
    `error: there is no command, code or topic '${asked}'${near.length > 0 ? `\n(Did you mean ${near.slice(0, 8).join(", ")}?)` : ""}\nTopics: ${topics.join(", ")}.`,
    { exitCode: exitCodes.usage },
  );
}

/** Every word behind `help` that is no command. */
export function namesOfHelp(): readonly string[] {
  return [...readRunbook().map(({ name }) => name), ...readMessages().map(({ code }) => code)];
}

/** The rows of the page of messages that have a code. */
function readMessages() {
  const rows = readPage("reference/messages.md").matchAll(
    /^\| `([a-z][a-z.-]*)` \| (.*?) \| (.*?) \| (.*?) \|$/gm,
  );
  return [...rows].map(([, code = "", happened = "", written = "", todo = ""]) => ({
    code,
    happened: plainText(happened),
    written: plainText(written),
    todo: plainText(todo),
  }));
}

/** The parts of the runbook, in their order; `name` is one word, `text` is Markdown. */
function readRunbook() {
  const parts = readPage("guides/runbook.md").split(/^## /m).slice(1);
  return parts.flatMap((part) => {
    const [, name = "", title = "", text = ""] = /^`([a-z]+)`: (.*)\n([\s\S]*)$/.exec(part) ?? [];
    return name === "" ? [] : [{ name, title, text: text.trim() }];
  });
}

function readPage(page: string): string {
  return readFileSync(new URL(`../../../config/docs/${page}`, import.meta.url), "utf8");
}

/** A line of a list: its sign, and what stands behind it. */
const point = /^( *)(\d+\.|-) +(.*)$/;

/** Prints a part of a page of ours: headings, paragraphs, lists, code. Addresses of links are left out: they lead to other pages. */
export function printMarkdown(out: Output, text: string): void {
  let sign = "";
  let words: string[] = [];
  const flush = (): void => {
    if (words.length > 0) printLine(out, sign, plainText(words.join(" ")));
    sign = "";
    words = [];
  };
  let isCode = false;
  for (const line of text.trim().split("\n")) {
    const isFence = line.trimStart().startsWith("```");
    const listed = point.exec(line);
    if (isFence || isCode || line.trim() === "" || line.startsWith("#") || listed !== null) flush();
    if (isFence) isCode = !isCode;
    else if (isCode) out.write(`  ${line}\n`);
    else if (line.startsWith("#")) printHeading(out, line.replace(/^#+ /, ""));
    else if (line.trim() === "") out.write("\n");
    else if (listed !== null) {
      sign = `${listed[1]}${listed[2]} `;
      words = [listed[3] ?? ""];
    } else words.push(line.trim());
  }
  flush();
}

export function printHeading(out: Output, text: string): void {
  out.write(`${paint(out, "bold", plainText(text))}\n`);
}

/** What a person reads of it: without addresses and emphasis. Commands keep their back-ticks, so that they can be told apart. */
export function plainText(markdown: string): string {
  return oneLine(
    markdown
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replaceAll("**", "")
      .replaceAll(/(?<![\w*`])\*(?=\S)([^*`]+)\*(?![\w*`])/g, "$1")
      .replaceAll("\\|", "|"),
  );
}
