import type { Command, Option } from "commander";
import { namesOfHelp } from "../look/help.ts";
import { type CommandCall, exitCodes } from "../print/terminal.ts";

/** Prints what may stand where the last word is, one a line; nothing where the program alone does not know. */
export async function completeWords({ terminal, program, rest: words }: CommandCall): Promise<number> {
  const typed = words.at(-1) ?? "";
  const found = candidatesFor(program, words.slice(0, -1), typed).filter((word) => word.startsWith(typed));
  terminal.out.write([...new Set(found)].map((word) => `${word}\n`).join(""));
  return exitCodes.ok;
}

function candidatesFor(program: Command, before: readonly string[], typed: string): readonly string[] {
  let command: Command | undefined;
  /** The option whose value comes next. */
  let option: Option | undefined;
  /** Arguments of the command so far. */
  let position = 0;
  const options = (): readonly Option[] => [...(command?.options ?? []), ...program.options];
  for (const word of before) {
    if (option !== undefined) option = undefined;
    else if (word.startsWith("-"))
      option = options().find(
        ({ long, short, required, optional }) => [long, short].includes(word) && (required || optional),
      );
    else if (command !== undefined) position += 1;
    else command = program.commands.find((one) => one.name() === word);
  }
  if (option !== undefined) return option.argChoices ?? [];
  if (typed.startsWith("-")) return [...options().flatMap(({ long }) => long ?? []), "--help"];
  const commands = program.createHelp().visibleCommands(program);
  const names = commands.map((one) => one.name());
  if (command === undefined) return names;
  if (command.name() === "help" && position === 0) return [...names, ...namesOfHelp()];
  return command.registeredArguments[position]?.argChoices ?? [];
}
