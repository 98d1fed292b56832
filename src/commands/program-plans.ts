import type { Command } from "commander";
import type { Finish } from "./program-requests.ts";
import type { CommonOptions, Terminal } from "./terminal.ts";

/** The commands that write just what a person has seen before. */

export function addApply(program: Command, terminal: Terminal, finish: Finish): void {
  program
    .command("apply")
    .argument("<file>", "what `boardsync plan --out` has saved")
    .description(
      "carry out exactly a saved plan, or refuse what has moved since; to apply it is to approve it",
    )
    .addHelpText("after", "\nExamples:\n  boardsync plan --out today.plan\n  boardsync apply today.plan")
    .action(async (file: string, _, command: Command) => {
      const { apply } = await import("./run/apply.ts");
      finish(await apply(terminal, command.optsWithGlobals<CommonOptions>(), file));
    });
}

export function addUndo(program: Command, terminal: Terminal, finish: Finish): void {
  program
    .command("undo")
    .argument("<run>", "the run's number, as `boardsync history` shows it")
    .description("take back what a run has written, where nobody has touched it since; shows it and asks")
    .option("-y, --yes", "don't ask")
    .addHelpText("after", "\nExamples:\n  boardsync undo 12\n  boardsync undo 12 --yes --json")
    .action(async (run: string, _, command: Command) => {
      const { undo } = await import("./run/undo.ts");
      finish(await undo(terminal, command.optsWithGlobals<Parameters<typeof undo>[1]>(), run));
    });
}
