import { type CommandCall, exitCodes } from "../print/terminal.ts";

/** The shells that there is a script for. */
export const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

/** What the scripts ask; `commands.ts` has it, and `--help` does not show it. */
export const wordsCommand = "__complete";

/**
 * Each script only hands on what was typed and shows what comes back, so that all three complete the same. Where nothing
 * comes back, the shell completes the names of files.
 */
const scripts: Readonly<Record<Shell, string>> = {
  bash: `# boardsync: completion for bash. Put this into ~/.bashrc: source <(boardsync completion bash)
_boardsync() {
  local IFS=$'\\n'
  COMPREPLY=($(boardsync ${wordsCommand} -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _boardsync boardsync
`,
  zsh: `#compdef boardsync
# boardsync: completion for zsh. Put this into ~/.zshrc, after compinit: source <(boardsync completion zsh)
_boardsync() {
  local -a found
  found=("\${(@f)$(boardsync ${wordsCommand} -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found[1]" ]]; then compadd -a found; else _files; fi
}
compdef _boardsync boardsync
`,
  fish: `# boardsync: completion for fish. boardsync completion fish > ~/.config/fish/completions/boardsync.fish
function __boardsync_complete
  set -l typed (commandline -opc)
  set -l found (boardsync ${wordsCommand} -- $typed[2..] (commandline -ct) 2>/dev/null)
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
export async function completion({
  terminal: { out },
  options,
  args: [shell],
}: CommandCall): Promise<number> {
  const script = scripts[shell as Shell];
  if (options.json === true) (await import("../print/text.ts")).printJson(out, { shell, script });
  else out.write(script);
  return exitCodes.ok;
}
