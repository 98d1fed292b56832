import type { Command, Option } from "commander";
import { namesOfHelp } from "../look/help.ts";
import { type CommandCall, exitCodes } from "../print/terminal.ts";
import { printJson } from "../print/text.ts";

/**
 * Each script only hands on what was typed and shows what comes back, so that all three complete the same. Where nothing
 * comes back, the shell completes the names of files.
 */
const scripts: Readonly<Record<string, string>> = {
  bash: `# boardsync: completion for bash. Put this into ~/.bashrc: source <(boardsync completion bash)
_boardsync() {
  local IFS=$'\\n'
  COMPREPLY=($(boardsync __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _boardsync boardsync
`,
  zsh: `#compdef boardsync
# boardsync: completion for zsh. Put this into ~/.zshrc, after compinit: source <(boardsync completion zsh)
_boardsync() {
  local -a found
  found=("\${(@f)$(boardsync __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found[1]" ]]; then compadd -a found; else _files; fi
}
compdef _boardsync boardsync
`,
  fish: `# boardsync: completion for fish. boardsync completion fish > ~/.config/fish/completions/boardsync.fish
function __boardsync_complete
  set -l typed (commandline -opc)
  set -l found (boardsync __complete -- $typed[2..] (commandline -ct) 2>/dev/null)
  if test (count $found) -gt 0
    printf '%s\\n' $found
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c boardsync -f -a '(__boardsync_complete)'
`,
};

/** `boardsync completion SHELL`: prints the script that makes the shell complete commands and options. */
export function completion({ terminal: { out }, options, args: [shell] }: CommandCall): number {
  const script = scripts[String(shell)] ?? "";
  if (options.json === true) printJson(out, { shell, script });
  else out.write(script);
  return exitCodes.ok;
}

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
