import { globSync, readFileSync } from "node:fs";
import { commandTable } from "../../src/commands/commands.ts";

const root = new URL("../../", import.meta.url);

/** Pages for people who use boardsync. */
export const pages: readonly string[] = [
  "README.md",
  ...globSync(["config/**/*.md", ".github/**/*.md"], { cwd: root }).toSorted(),
];

/** One command as a page shows it. */
export interface DocumentedCommand {
  readonly page: string;
  readonly line: number;
  /** Without prompt, comment, assignments before it, `sudo` and redirections. */
  readonly text: string;
  /** What boardsync is given by it: behind `npx`, in a container or in a pod, too. undefined where another program is started. */
  readonly boardsync: string | undefined;
}

export function readPage(page: string): string {
  return readFileSync(new URL(page, root), "utf8");
}

/** Every command of every page: in blocks of code for a shell, and in code within a sentence. */
export function findCommands(): readonly DocumentedCommand[] {
  return pages.flatMap((page) => [...commandsOf(page, readPage(page))]);
}

/** Programs by which a block without a language, or code within a sentence, is known for a command. */
const programs =
  /^(?:sudo |[A-Z_]+=\S+ )*(?:boardsync|npx|npm|node|git|docker|kubectl|helm|systemctl|journalctl|cp|curl|gh|cosign|litestream|pg_dump|pg_restore|sqlite3|ssh|source|export|chown|chmod|apt-get|mkdir) \S/;

const ownCommands = commandTable.filter(({ isHidden }) => isHidden !== true).map(({ name }) => name);

export function* commandsOf(page: string, text: string): Generator<DocumentedCommand> {
  const { prose, blocks } = parse(text);
  for (const block of blocks) {
    for (const { line, text: whole } of shellLines(block)) yield* split({ page, line }, whole);
  }
  // Code within a sentence may be broken at the end of a line, and not by an empty one.
  for (const { 1: code = "", index } of prose.matchAll(/`((?:[^`\n]|\n(?!\s*\n))+)`/g)) {
    const span = code.replaceAll(/\s+/g, " ").replaceAll("\\|", "|");
    const line = prose.slice(0, index).split("\n").length;
    if (programs.test(span)) yield* split({ page, line }, span);
  }
}

/** Takes a page apart. The prose has an empty line for each of a block, so that lines keep their numbers. */
function parse(text: string): { readonly prose: string; readonly blocks: readonly Block[] } {
  const blocks: Block[] = [];
  let block: Block | undefined;
  const prose = text.split("\n").map((line, index) => {
    const fence = /^\s*```(\w*)/.exec(line);
    if (fence === null && block === undefined) return line;
    if (fence === null) block?.lines.push({ line: index + 1, text: line.trim() });
    else if (block === undefined) {
      block = { language: fence[1] ?? "", lines: [] };
      blocks.push(block);
    } else block = undefined;
    return "";
  });
  return { prose: prose.join("\n"), blocks };
}

interface Block {
  readonly language: string;
  readonly lines: Line[];
}

interface Line {
  readonly line: number;
  readonly text: string;
}

/** The lines of a block that are commands; of one with prompts, those behind them: the others are output. */
function shellLines({ language, lines }: Block): readonly Line[] {
  const prompted = lines.filter(({ text }) => text.startsWith("$ "));
  if (prompted.length > 0) return prompted;
  const isShell =
    language === ""
      ? lines.some(({ text }) => programs.test(text))
      : ["sh", "bash", "shell", "console"].includes(language);
  return isShell ? joinContinued(lines) : [];
}

/** A line that ends in `\` goes on with the next. */
function joinContinued(lines: readonly Line[]): readonly Line[] {
  const joined: Line[] = [];
  let begun = "";
  for (const { line, text } of lines) {
    begun += text.endsWith("\\") ? `${text.slice(0, -1).trim()} ` : text;
    if (text.endsWith("\\")) continue;
    joined.push({ line, text: begun });
    begun = "";
  }
  return joined;
}

/** The commands of one line. */
function* split(place: Pick<DocumentedCommand, "page" | "line">, line: string): Generator<DocumentedCommand> {
  const bare = line
    .replace(/^\$ /, "")
    .replace(/(?:^|\s)#\s.*$/, "")
    .replace(/^source <\((.*)\)$/, "$1");
  for (const part of splitShell(bare)) {
    const text = part
      .trim()
      .replace(/^(?:sudo |export |[A-Z_]+=(?:'[^']*'|"[^"]*"|\S*)(?: +|$))+/, "")
      .replaceAll(/ \d?[<>]+ ?[^<>\s]+/g, "")
      .trim();
    if (text !== "" && text !== "…") yield { ...place, text, boardsync: givenToBoardsync(text) };
  }
}

/** At `&&`, `||`, `;` and `|`; quoted text and `$(…)` stay whole. */
function splitShell(line: string): readonly string[] {
  const parts = [""];
  for (const [token] of line.matchAll(/'[^']*'|"[^"]*"|\$\([^)]*\)|&&|\|\||; | \| |./g)) {
    if (["&&", "||", "; ", " | "].includes(token)) parts.push("");
    else parts[parts.length - 1] += token;
  }
  return parts;
}

/** How a command of ours may be started; what it is given stands in the brackets. */
const ways = [
  /^(?:npx )?boardsync (.*)$/,
  /^docker compose exec (?:-\S+ )*boardsync (?:boardsync|node \S+) (.*)$/,
  /^kubectl exec (?:-\S+ )*\S+ -- (?:boardsync|node \S+) (.*)$/,
  /^docker compose run (?:-\S+ )*boardsync (.*)$/,
  /^docker run .* \S*boardsync:\S+ (.*)$/,
  /^node \S*main\.(?:js|ts) (.*)$/,
];

function givenToBoardsync(text: string): string | undefined {
  for (const way of ways) {
    const given = way.exec(text)?.[1];
    // "…" stands for any command. `json.test.ts` tries `--json`.
    if (given !== undefined) return given === "…" ? undefined : given.replace(/ --json$/, "");
  }
  return undefined;
}

/** A command of ours with options, named in a sentence without the program: `plan --out FILE`. */
export interface NamedOptions {
  readonly page: string;
  readonly command: string;
  readonly options: readonly string[];
}

export function findNamedOptions(): readonly NamedOptions[] {
  return pages.flatMap((page) =>
    [...readPage(page).matchAll(/`([a-z]+) ([^`\n]*--[^`\n]*)`/g)]
      .filter(([, command = ""]) => ownCommands.includes(command))
      .map(([, command = "", rest = ""]) => ({
        page,
        command,
        options: rest.match(/--[a-z-]+/g) ?? [],
      })),
  );
}
