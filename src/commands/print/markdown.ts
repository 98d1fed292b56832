import type { Output } from "./terminal.ts";
import { oneLine, paint, printLine } from "./text.ts";

/** A line of a list: its sign, and what stands behind it. */
const point = /^( *)(\d+\.|-) +(.*)$/;

/**
 * Prints a part of a page of ours: headings, paragraphs, lists and blocks of code. Addresses of links are left out, as they lead
 * to other pages.
 */
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
