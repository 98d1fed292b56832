import type { Command } from "commander";
import type { Finish } from "./program-requests.ts";
import type { Terminal } from "./terminal.ts";

/** The commands that answer a question from the state alone; all work beside a running daemon. */

export function addExplain(program: Command, terminal: Terminal, finish: Finish): void {
  program
    .command("explain")
    .argument("<post>", "a post's id, PROJECT/ID, or OWNER/REPO#NUMBER of its issue")
    .description("the story of one post: why it is selected or not, which rule matches, what comes next")
    .addHelpText(
      "after",
      "\nExamples:\n  boardsync explain acme-app/p1\n  boardsync explain acme/app#12 --json",
    )
    .action(async (text: string, _, command: Command) => {
      const { explain } = await import("./explain.ts");
      finish(explain(terminal, command.optsWithGlobals(), text));
    });
}
