import { type Command, InvalidArgumentError } from "commander";
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
      const { explain } = await import("./look/explain.ts");
      finish(explain(terminal, command.optsWithGlobals(), text));
    });
}

export function addHistory(program: Command, terminal: Terminal, finish: Finish): void {
  program
    .command("history")
    .argument(
      "[post]",
      "only the writes for this post: its id, PROJECT/ID, or OWNER/REPO#NUMBER of its issue",
    )
    .description("every write to either side: when, what, why, by which run, and what came of it")
    .option("--limit <number>", "show at most so many, the newest", parseLimit, 50)
    .option("--since <time>", "none before this: a date or time (UTC), or how long ago, as 2h or 7d")
    .addHelpText(
      "after",
      "\nExamples:\n  boardsync history --since 24h\n  boardsync history acme-app/p1 --limit 10 --json",
    )
    .action(async (text: string | undefined, _, command: Command) => {
      const { history } = await import("./look/history.ts");
      finish(history(terminal, command.optsWithGlobals<Parameters<typeof history>[1]>(), text));
    });
}

function parseLimit(text: string): number {
  const limit = Number(text);
  if (Number.isInteger(limit) && limit >= 1 && limit <= 100_000) return limit;
  throw new InvalidArgumentError("it is a number from 1 to 100000.");
}
