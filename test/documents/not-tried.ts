import { readFileSync, writeFileSync } from "node:fs";
import { notTried } from "./command-rows.ts";
import { findCommands } from "./pages.ts";

const heading = "## Commands that no test runs\n";

/** Why no test starts a command of another program; undefined where no row says so. */
export function whyNotTried(text: string): string | undefined {
  return notTried.find(([begins]) => text === begins || text.startsWith(`${begins} `))?.[1];
}

/** The script of package.json that a command starts. */
export function scriptOf(text: string): string | undefined {
  const [, name] = /^npm run ([\w:]+)/.exec(text) ?? [];
  return text === "npm test" ? "test" : name;
}

/** The section of `test/README.md`, from its heading on. */
export function showNotTried(): string {
  const shown = new Map<string, Set<string>>();
  for (const { text } of findCommands()) {
    const reason = whyNotTried(text);
    if (reason === undefined || text.includes("…")) continue;
    shown.set(reason, (shown.get(reason) ?? new Set()).add(text));
  }
  const rows = [...shown]
    .map(([reason, texts]) => `| ${[...texts].toSorted().map(code).join("<br>")} | ${reason} |\n`)
    .toSorted();
  return `${heading}
Of the commands that the pages show. All others are run, or tried by the test that \`test/documents/command-rows.ts\` names.
Scripts of package.json are only looked for. \`node test/documents/not-tried.ts\` writes this list.

| command | why |
|---|---|
${rows.join("")}`;
}

function code(text: string): string {
  // Names of whoever publishes this stand on one page alone.
  const nameless = text.replaceAll(/\S*OWNER\/\S*/g, "…");
  return `\`${nameless.replaceAll("|", "\\|")}\``;
}

const page = new URL("../README.md", import.meta.url);

/** What stands on the page before the section, the section as it is, and what stands behind it. */
function readSection(): { readonly before: string; readonly section: string; readonly after: string } {
  const text = readFileSync(page, "utf8");
  const begins = text.indexOf(heading);
  if (begins < 0) return { before: `${text}\n`, section: "", after: "" };
  const next = text.indexOf("\n## ", begins);
  const ends = next < 0 ? text.length : next;
  return { before: text.slice(0, begins), section: text.slice(begins, ends), after: text.slice(ends) };
}

/** The section as `test/README.md` has it. */
export function readNotTried(): string {
  return readSection().section;
}

if (import.meta.main) {
  const { before, after } = readSection();
  writeFileSync(page, before + showNotTried() + after);
}
