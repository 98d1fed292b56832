import { existsSync, readFileSync, realpathSync } from "node:fs";
import { delimiter, dirname, join, relative } from "node:path";
import { escapeControls } from "../../escape.ts";
import { quoteForShell } from "../../sync/ground/remedy.ts";
import type { Output, OwnPlace, Terminal } from "../print/terminal.ts";

/** Where and how the process was started. */
export interface ProcessStart extends OwnPlace {
  /** The file that Node.js was told to run, as an absolute path; a link is not followed. */
  readonly script: string;
}

const name = "boardsync";

/**
 * How a person starts the program here: `boardsync`, `npx boardsync`, or what `BOARDSYNC_COMMAND` says. Hints are printed with
 * it, so that they can be copied. `npx boardsync` is only said where npx finds this very program: elsewhere it would fetch
 * whatever package has that name.
 */
export function startedAs({ script, cwd, env }: ProcessStart): string {
  const said = env["BOARDSYNC_COMMAND"]?.trim();
  if (said) return escapeControls(said);
  const ours = follow(script);
  const isOurs = (path: string): boolean => ours !== undefined && follow(path) === ours;
  if (commandFolders(env).some((folder) => isOurs(join(folder, name)))) return name;
  if (foldersUpFrom(cwd).some((folder) => isOurs(join(folder, "node_modules/.bin", name))))
    return `npx ${name}`;
  const fetched = packageOfNpx(ours);
  if (fetched !== undefined)
    return new RegExp(`^${name}(@|$)`).test(fetched)
      ? `npx ${fetched}`
      : `npx --package=${quoteForShell(fetched)} ${name}`;
  const path = relative(cwd, script);
  return `node ${quoteForShell(path.startsWith("..") ? script : path)}`;
}

/** A config that a person has named is named in hints, too: without that they would be about another one. */
export function hintWithConfig(terminal: Terminal, config: string | undefined): Terminal {
  if (config === undefined) return terminal;
  const command = `${terminal.command} --config ${quoteForShell(config)}`;
  const own = (output: Output): Output => ({ ...output, command });
  return { ...terminal, command, out: own(terminal.out), err: own(terminal.err) };
}

/** What a link leads to; undefined where there is nothing. */
function follow(path: string): string | undefined {
  return existsSync(path) ? realpathSync(path) : undefined;
}

/** The folders of PATH, without those that npm puts there for a script: the person's shell does not have them. */
function commandFolders({ PATH = "" }: ProcessStart["env"]): readonly string[] {
  return PATH.split(delimiter).filter((folder) => folder !== "" && !/node_modules[/\\]\.bin$/.test(folder));
}

function foldersUpFrom(folder: string): readonly string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...foldersUpFrom(above)];
}

/** Where npx has fetched the program for this one call: which package it was told to fetch. */
function packageOfNpx(script: string | undefined): string | undefined {
  const [, folder] = script?.match(/^(.*[/\\]_npx[/\\][^/\\]+)[/\\]node_modules[/\\]/) ?? [];
  if (folder === undefined) return undefined;
  try {
    const { _npx } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return String(_npx.packages[0]);
  } catch {
    return undefined;
  }
}
