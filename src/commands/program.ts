import { Command, CommanderError, Option } from "commander";
import { logLevels } from "../config/environment.ts";
import { escapeControls } from "../escape.ts";
import { quoteForShell } from "../sync/ground/remedy.ts";
import { type CommandRow, commandTable } from "./commands.ts";
import { hintWithConfig } from "./open/started-as.ts";
import { failWith, printFailure } from "./print/failure.ts";
import { ownScreen } from "./print/screen.ts";
import { type CommandCall, exitCodes, type Terminal } from "./print/terminal.ts";
import { hint } from "./print/text.ts";

/**
 * The command line. Each command's code is loaded when it is called, so that `--help` stays quick.
 *
 * @param onCommand - called with the name of the command that is going to run.
 * @returns the exit code.
 */
export async function runProgram(
  edge: Terminal,
  onCommand: (name: string) => void = () => undefined,
): Promise<number> {
  const terminal = ownScreen(edge);
  let code: number = exitCodes.ok;
  const program = createProgram(terminal, (result) => {
    code = result;
  });
  program.hook("preAction", (_, command) => {
    refuseEmpty(command, program);
    onCommand(command.name());
  });
  try {
    await program.parseAsync([...terminal.args], { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return usageFailure(terminal, error);
    throw error;
  }
}

/** `--config "$FILE"` of a script whose variable is not set: nobody means the working folder by it, or a project without a name. */
function refuseEmpty(command: Command, program: Command): void {
  const given = command.optsWithGlobals();
  for (const option of [...command.options, ...program.options])
    if ([given[option.attributeName()]].flat().includes(""))
      command.error(`error: option '${option.flags}' has an empty value`);
}

/** commander has printed its sentence; a script that asked for JSON gets it as JSON, too. */
function usageFailure(terminal: Terminal, error: CommanderError): number {
  if (error.exitCode === 0) return exitCodes.ok;
  if (terminal.args.includes("--json")) {
    const hasMessage = error.code !== "commander.help";
    const message = hasMessage ? error.message.replace(/^error: /, "") : "no command, or none of that name";
    printFailure(terminal, { code: "usage", message });
  }
  return exitCodes.usage;
}

/** Called with the exit code of the command. */
type Finish = (code: number) => void;

function createProgram(terminal: Terminal, finish: Finish): Command {
  const program = new Command(terminal.command)
    .description(
      "Keeps a feedback board and GitHub Issues in step: one issue for a post, one notification for a change.",
    )
    .version(terminal.version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand(false)
    .exitOverride()
    .showSuggestionAfterError(true)
    .showHelpAfterError("(--help says more)")
    .configureHelp({ showGlobalOptions: true, minWidthToWrap: 20 })
    .configureOutput({
      writeOut: (text) => terminal.out.write(hint(terminal.out, text)),
      writeErr: (text) => terminal.err.write(hint(terminal.err, text)),
      // It quotes what was typed, or handed on by a script.
      outputError: (text, write) => write(escapeControls(text)),
      getOutHelpWidth: terminal.out.columns,
      getErrHelpWidth: terminal.err.columns,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText("after", nameProgram(terminal, programHelp));
  addCommonOptions(program);
  for (const row of commandTable) addCommand(program, row, terminal, finish);
  return program;
}

const programHelp = `
Examples:
  boardsync demo      see the whole loop work, without an account
  boardsync init      write a config
  boardsync check     is everything as the config says?
  boardsync plan      what would be done, and who would be notified
  boardsync sync      do it, once
  boardsync daemon    do it for ever
  boardsync help      what to do when something is wrong

Exit codes:
  0  in step
  1  something failed, the rest was done
  2  bad usage, config or secrets
  3  could not reach or authenticate, nothing done
  4  something waits for a person
  5  another instance holds the state`;

/** Examples as a person can type them here. cron starts in another folder, where npx would look for nothing of ours. */
function nameProgram({ command, cwd }: Terminal, examples: string): string {
  const before = command === "boardsync" ? "" : `cd ${quoteForShell(cwd)} && `;
  return examples
    .replaceAll(/^( *\*\/\d+(?: \*){4} +)(?=boardsync )/gm, (schedule) => `${schedule}${before}`)
    .replaceAll(/(?<=^|\s)boardsync (?=[a-z])/gm, () => `${command} `);
}

function showExamples({ examples, title }: CommandRow): string {
  const heading = title ?? (examples.length > 1 ? "Examples" : "Example");
  return `\n${heading}:\n${examples.map((line) => `  ${line}`).join("\n")}`;
}

function addCommand(program: Command, row: CommandRow, terminal: Terminal, finish: Finish): void {
  const command = program.command(row.name, { hidden: row.isHidden === true });
  for (const argument of row.args ?? []) command.addArgument(argument);
  for (const option of row.options ?? []) command.addOption(option);
  if (row.summary !== "") command.description(row.summary);
  if (row.examples.length > 0) command.addHelpText("after", nameProgram(terminal, showExamples(row)));
  command.action(async (...given: readonly unknown[]) => {
    const values = given.slice(0, row.args?.length ?? 0);
    const call: CommandCall<never> = {
      terminal: hintWithConfig(terminal, command.optsWithGlobals()["config"]),
      options: command.optsWithGlobals<never>(),
      program,
      args: values.filter((value) => !Array.isArray(value)) as CommandCall["args"],
      rest: values.find(Array.isArray) ?? [],
    };
    try {
      finish(await row.run(call));
    } catch (error) {
      if (error instanceof CommanderError) throw error;
      finish(failWith(call.terminal, call.options, error));
    }
  });
}

/** The options that every command has; they may stand before or behind its name. */
function addCommonOptions(program: Command): void {
  program
    .option("-c, --config <file>", "the config file (default: $BOARDSYNC_CONFIG, else config/boardsync.yaml)")
    .option("--json", "print one JSON document on stdout")
    .option("-q, --quiet", "print nothing but errors")
    .addOption(
      new Option(
        "--log-level <level>",
        "how much to log (default: $BOARDSYNC_LOG_LEVEL, else warn at a terminal, and info elsewhere and for the daemon)",
      ).choices(logLevels),
    );
}
