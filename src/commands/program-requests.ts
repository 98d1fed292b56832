import type { Command } from "commander";
import type { Terminal } from "./terminal.ts";

/** Called with the exit code of the command. */
export type Finish = (code: number) => void;

/** Adds one command to the program. */
export type AddCommand = (program: Command, terminal: Terminal, finish: Finish) => void;

/** The commands by which a person answers what waits; all work beside a running daemon. */

export function addApprove(program: Command, terminal: Terminal, finish: Finish): void {
  program
    .command("approve")
    .argument("<project>", "the project, as the config names it")
    .argument("[post...]", "only what is held of these posts")
    .description("let held actions go, by the next run; all of a project, or those of some posts")
    .option("--discard", "never do them: take both sides as they are, open no issue")
    .option("--full", "list every action: more than 20 alike are one line otherwise")
    .option("-y, --yes", "don't ask")
    .addHelpText(
      "after",
      "\nExamples:\n  boardsync approve acme-app\n  boardsync approve acme-app p1 p2 --yes\n  boardsync approve acme-app --discard",
    )
    .action(async (project: string, posts: readonly string[], _, command: Command) => {
      const { approve } = await import("./order/approve.ts");
      finish(await approve(terminal, command.optsWithGlobals(), project, posts));
    });
}

export function addRetry(program: Command, terminal: Terminal, finish: Finish): void {
  program
    .command("retry")
    .argument("<post>", "its id, or PROJECT/ID")
    .description("try again what is parked of a post, by the next run")
    .addHelpText("after", "\nExample:\n  boardsync retry acme-app/p1")
    .action(async (post: string, _, command: Command) => {
      const { retry } = await import("./order/retry.ts");
      finish(await retry(terminal, command.optsWithGlobals(), post));
    });
}

export function addRelease(program: Command, terminal: Terminal, finish: Finish): void {
  program
    .command("release")
    .argument("<post>", "its id, or PROJECT/ID")
    .description("end a post's quarantine, by the next run")
    .addHelpText("after", "\nExample:\n  boardsync release acme-app/p1")
    .action(async (post: string, _, command: Command) => {
      const { release } = await import("./order/retry.ts");
      finish(await release(terminal, command.optsWithGlobals(), post));
    });
}

export function addLink(program: Command, terminal: Terminal, finish: Finish): void {
  program
    .command("link")
    .argument("<post>", "its id, or PROJECT/ID")
    .argument("<issue>", "OWNER/REPO#NUMBER")
    .description(
      "link a post to an issue that is there already, by the next run; both sides stay as they are",
    )
    .addHelpText("after", "\nExample:\n  boardsync link acme-app/p1 acme/app#12")
    .action(async (post: string, issue: string, _, command: Command) => {
      const { link } = await import("./order/link.ts");
      finish(await link(terminal, command.optsWithGlobals(), post, issue));
    });
}

export function addUnlink(program: Command, terminal: Terminal, finish: Finish): void {
  program
    .command("unlink")
    .argument("<post>", "its id, or PROJECT/ID")
    .argument("[issue]", "OWNER/REPO#NUMBER; without it every link of the post")
    .description("end a post's links, by the next run; it gets no other issue by itself")
    .addHelpText("after", "\nExamples:\n  boardsync unlink acme-app/p1\n  boardsync unlink p1 acme/app#12")
    .action(async (post: string, issue: string | undefined, _, command: Command) => {
      const { unlink } = await import("./order/unlink.ts");
      finish(await unlink(terminal, command.optsWithGlobals(), post, issue));
    });
}

export function addBackup(program: Command, terminal: Terminal, finish: Finish): void {
  program
    .command("backup")
    .argument("<file>", "a file that does not exist yet")
    .description("a consistent copy of the state, while the daemon runs")
    .addHelpText("after", "\nExample:\n  boardsync backup backup-$(date +%F).db")
    .action(async (file: string, _, command: Command) => {
      const { backup } = await import("./look/backup.ts");
      finish(await backup(terminal, command.optsWithGlobals(), file));
    });
}
