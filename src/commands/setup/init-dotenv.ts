import { existsSync, lstatSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { parseEnv } from "node:util";
import { readTextFile } from "../../config/files.ts";
import { ConfigError } from "../../errors.ts";
import { isAgreed } from "../print/agree.ts";
import type { Output, Terminal } from "../print/terminal.ts";
import { printLine } from "../print/text.ts";

/** Variables that the environment lacks, each with what a person has typed for it. */
export type Unset = Readonly<Record<string, string | undefined>>;

/** Offers to keep in `.env` what was typed, and says what is still to be set. A file that is there is left alone. */
export async function offerDotEnv(terminal: Terminal, out: Output, unset: Unset): Promise<void> {
  const typed = Object.keys(unset).filter((name) => unset[name] !== undefined);
  const isKept = typed.length > 0 && (await keep(terminal, out, typed, unset));
  const left = Object.keys(unset).filter((name) => !(isKept && typed.includes(name)));
  if (left.length === 0) return;
  const lines = left.map((name) => `${name}=…`).join(" and ");
  printLine(out, "→ ", `Put ${lines} into the environment, or into .env in this folder.`);
}

async function keep(
  terminal: Terminal,
  out: Output,
  typed: readonly string[],
  unset: Unset,
): Promise<boolean> {
  const { cwd } = terminal;
  if (lstatSync(join(cwd, ".env"), { throwIfNoEntry: false })) {
    printLine(out, "", ".env is there already, and was left as it is.");
    return false;
  }
  const question = `Write ${typed.join(" and ")} into .env, which only you can read?`;
  if (!(await isAgreed(terminal, {}, question))) return false;
  try {
    const lines = typed.map((name) => `${lineOf(name, String(unset[name]))}\n`);
    writeText(terminal, ".env", lines.join(""), { mode: 0o600, flag: "wx" });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    printLine(out, "", `Nothing is kept: ${error.problems.join(" ")}`);
    return false;
  }
  const ignored = join(cwd, ".gitignore");
  const isIgnored = existsSync(ignored) && /^\/?\.env\s*$/m.test(readTextFile(ignored));
  const git = isIgnored ? ".gitignore keeps it out of git" : "keep it out of git: write .env into .gitignore";
  printLine(out, "", `.env is written. Only you can read it; ${git}.`);
  return true;
}

/** Quoted where the value would else be read as another one. */
function lineOf(name: string, value: string): string {
  const lines = ["", "'", '"', "`"].map((quote) => `${name}=${quote}${value}${quote}`);
  const line = lines.find((one) => parseEnv(one)[name] === value);
  if (line !== undefined) return line;
  throw new ConfigError([`${name} can't stand in .env: there is every kind of quote in it.`]);
}

/** @throws ConfigError where it can't be written. */
export function writeText(
  { cwd }: Terminal,
  file: string,
  text: string,
  options: { readonly mode: number; readonly flag: "w" | "wx" },
): void {
  try {
    mkdirSync(dirname(resolve(cwd, file)), { recursive: true });
    writeFileSync(resolve(cwd, file), text, options);
  } catch (error) {
    throw new ConfigError([`${file} can't be written (${Object(error).code}).`]);
  }
}
