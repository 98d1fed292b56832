import type { Argument, Command, Option } from "commander";
import { loadConfig } from "../../config/load.ts";
import { namesOfHelp } from "../look/help.ts";
import { findLike, readBeside } from "../open/beside.ts";
import { configSource } from "../open/config-source.ts";
import { type Called, type CommandCall, exitCodes } from "../print/terminal.ts";

/** So many ids of each project are shown; whoever wants another one types more of it. */
const mostPosts = 50;

/** Prints what may stand where the last word is, one a line; nothing where nobody knows. It never fails: a key was hit. */
export async function completeWords({ terminal, program, rest: words }: CommandCall): Promise<number> {
  const typed = words.at(-1) ?? "";
  const before = { command: undefined, option: undefined, position: 0, isHelp: false };
  const start: TypedSoFar = { terminal, program, options: {}, ...before };
  const found = await candidatesOf(words.slice(0, -1).reduce(step, start), typed);
  // What a shell would take for its own is no help on its command line.
  const shown = found.filter((word) => word.startsWith(typed) && /^[\w./:@#=-]+$/.test(word));
  terminal.out.write([...new Set(shown)].map((word) => `${word}\n`).join(""));
  return exitCodes.ok;
}

/** Where on the command line the cursor stands. Of the options it knows what `--config` names. */
interface TypedSoFar extends Omit<CommandCall, "args" | "rest"> {
  /** undefined before the command's name. */
  readonly command: Command | undefined;
  /** Set behind an option that takes a value. */
  readonly option: Option | undefined;
  /** Arguments of the command so far. */
  readonly position: number;
  readonly isHelp: boolean;
}

function step(place: TypedSoFar, word: string): TypedSoFar {
  const { program, command, option, position, isHelp } = place;
  if (option !== undefined) {
    return { ...place, option: undefined, ...(option.long === "--config" && { options: { config: word } }) };
  }
  if (word.startsWith("-")) {
    const found = optionsOf(place).find(({ long, short }) => word === long || word === short);
    return found !== undefined && (found.required || found.optional) ? { ...place, option: found } : place;
  }
  if (command !== undefined) return { ...place, position: position + 1 };
  if (!isHelp && word === "help") return { ...place, isHelp: true };
  return { ...place, command: program.commands.find((one) => one.name() === word) };
}

function optionsOf({ program, command }: TypedSoFar): readonly Option[] {
  return [...(command?.options ?? []), ...program.options];
}

async function candidatesOf(place: TypedSoFar, typed: string): Promise<readonly string[]> {
  const { program, command, option, position, isHelp } = place;
  if (option !== undefined) {
    return option.argChoices ?? (/<project>/.test(option.flags) ? await findKeys(place) : []);
  }
  if (typed.startsWith("-")) {
    const flags = optionsOf(place).filter(({ hidden }) => !hidden);
    return [...flags.flatMap(({ long }) => long ?? []), "--help"];
  }
  if (isHelp) return [...namesOf(program), ...namesOfHelp()];
  if (command === undefined) return namesOf(program);
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  const argument = registeredArguments[position] ?? (last?.variadic === true ? last : undefined);
  return argument === undefined ? [] : await valuesOf(place, argument, typed);
}

/** Commands that `--help` shows. */
function namesOf(program: Command): readonly string[] {
  const help = program.createHelp();
  return help.visibleCommands(program).map((command) => command.name());
}

async function valuesOf(called: Called, argument: Argument, typed: string): Promise<readonly string[]> {
  if (argument.argChoices !== undefined) return argument.argChoices;
  const isPost = argument.name() === "post";
  // Where several posts may stand, a project may, too.
  const isProject = argument.name() === "project" || (isPost && argument.variadic);
  return [...(isProject ? await findKeys(called) : []), ...(isPost ? await findPosts(called, typed) : [])];
}

function findKeys({ terminal, options }: Called): Promise<readonly string[]> {
  return attempt(async () => {
    const { config } = loadConfig(configSource(terminal, options));
    return config.projects.map(({ project }) => project);
  });
}

/** As ids, and with their projects, whichever of the two is begun. */
function findPosts(called: Called, typed: string): Promise<readonly string[]> {
  return attempt(() =>
    readBeside(called, (beside) => findLike(beside, typed, mostPosts, (post, id) => post.startsWith(id))),
  );
}

/** Whatever is wrong with config or state is said by the command itself. */
async function attempt(find: () => Promise<readonly string[]>): Promise<readonly string[]> {
  try {
    return await find();
  } catch {
    return [];
  }
}
