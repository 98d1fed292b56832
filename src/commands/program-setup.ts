import { Argument, type Command } from "commander";
import type { Finish } from "./program-requests.ts";
import { completion, shells, wordsCommand } from "./setup/completion.ts";
import type { Terminal } from "./terminal.ts";

/** The commands of the first hour. */

export function addInit(program: Command, terminal: Terminal, finish: Finish): void {
  program
    .command("init")
    .description("look at the board, ask for what can't be seen there, and write a commented config")
    .option("--board-url <url>", "the address of the board's API")
    .option(
      "-p, --project <project=owner/repo>",
      "a project of the board and its repository; may be repeated",
      (pair: string, others: string[] | undefined) => [...(others ?? []), pair],
    )
    .option("--github-url <url>", "the address of GitHub's API (default: https://api.github.com)")
    .option("-o, --output <file>", "the file to write (default: where the config is looked for)")
    .option("-f, --force", "replace a file that is there")
    .addHelpText(
      "after",
      "\nExamples:\n  boardsync init\n  boardsync init --board-url https://feedback.example.com/api/v1 --project acme-app=acme/app",
    )
    .action(async (_, command: Command) => {
      const { init } = await import("./setup/init.ts");
      finish(await init(terminal, command.optsWithGlobals<Parameters<typeof init>[1]>()));
    });
}

export function addCompletion(program: Command, terminal: Terminal, finish: Finish): void {
  program
    .command("completion")
    .addArgument(new Argument("<shell>", "the shell to complete in").choices(shells))
    .description("print a script that completes commands, options, projects and posts")
    .addHelpText(
      "after",
      "\nExamples:\n  boardsync completion bash\n  boardsync completion fish > ~/.config/fish/completions/boardsync.fish",
    )
    .action((shell: (typeof shells)[number]) => finish(completion(terminal, shell)));
  program
    .command(wordsCommand, { hidden: true })
    .argument("[words...]")
    .action(async (words: readonly string[]) => {
      const { completeWords } = await import("./setup/complete-words.ts");
      finish(completeWords(terminal, program, words));
    });
}
