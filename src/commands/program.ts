import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { logLevels } from "../config/environment.ts";
import { escapeControls } from "../escape.ts";
import { failWith, printFailure } from "./failure.ts";
import { addApply, addUndo } from "./program-plans.ts";
import { addExplain, addHistory } from "./program-questions.ts";
import {
  type AddCommand,
  addApprove,
  addBackup,
  addLink,
  addRelease,
  addRetry,
  addUnlink,
  type Finish,
} from "./program-requests.ts";
import { addCompletion, addInit } from "./program-setup.ts";
import { type CommonOptions, exitCodes, type ProjectOptions, type Terminal } from "./terminal.ts";

/** Called with the name of the command that is going to run. */
export type OnCommand = (name: string) => void;

/**
 * The command line. Each command's code is loaded when it is called, so that `--help` stays quick.
 *
 * @returns the exit code.
 */
export async function runProgram(
  terminal: Terminal,
  onCommand: OnCommand = () => undefined,
): Promise<number> {
  let code: number = exitCodes.ok;
  const program = createProgram(terminal, (result) => {
    code = result;
  });
  program.hook("preAction", (_, command) => onCommand(command.name()));
  try {
    await program.parseAsync([...terminal.args], { from: "user" });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return usageFailure(terminal, error);
    return failWith(terminal, { json: terminal.args.includes("--json") }, error);
  }
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

function createProgram(terminal: Terminal, finish: Finish): Command {
  const program = new Command("boardsync")
    .description("Keeps a feedback board and GitHub Issues in step, without ever mailing a voter twice.")
    .version(terminal.version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print help")
    .helpCommand("help [command]", "print the help of a command")
    .exitOverride()
    .showSuggestionAfterError(true)
    .showHelpAfterError("(--help says more)")
    .configureHelp({ showGlobalOptions: true, minWidthToWrap: 20 })
    .configureOutput({
      writeOut: (text) => terminal.out.write(text),
      writeErr: (text) => terminal.err.write(text),
      // It quotes what was typed, or handed on by a script.
      outputError: (text, write) => write(escapeControls(text)),
      getOutHelpWidth: () => terminal.out.columns,
      getErrHelpWidth: () => terminal.err.columns,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText("after", programHelp);
  addCommonOptions(program);
  for (const add of commands) add(program, terminal, finish);
  return program;
}

const programHelp = `
Examples:
  boardsync demo      see the whole loop work, without an account
  boardsync init      write a config
  boardsync check     is everything as the config says?
  boardsync plan      what would be done, and who would hear of it
  boardsync sync      do it, once
  boardsync daemon    do it for ever

Exit codes:
  0  in step
  1  something failed, the rest was done
  2  bad usage, config or secrets
  3  could not reach or authenticate, nothing done
  4  something waits for a person
  5  another instance holds the state`;

const commands: readonly AddCommand[] = [
  addInit,
  addCheck,
  addPlan,
  addApply,
  addUndo,
  addSync,
  addDaemon,
  addStatus,
  addExplain,
  addHistory,
  addApprove,
  addRetry,
  addRelease,
  addLink,
  addUnlink,
  addBackup,
  addRebuild,
  addHealth,
  addPage,
  addDemo,
  addSchema,
  addCompletion,
];

function addCheck(program: Command, terminal: Terminal, finish: Finish): void {
  program
    .command("check")
    .description("verify key, token, projects, repositories and rules; write nothing")
    .addHelpText("after", "\nExample:\n  boardsync check --config config/boardsync.yaml")
    .action(async (_, command: Command) => {
      const { check } = await import("./look/check.ts");
      finish(await check(terminal, command.optsWithGlobals<CommonOptions>()));
    });
}

function addPlan(program: Command, terminal: Terminal, finish: Finish): void {
  withProjects(program.command("plan"))
    .description("show what a sync would do, why, and how many voters would be notified; write nothing")
    .option(
      "--detailed-exitcode",
      "exit 10 when there is something to do, now, later or when a person lets it go",
    )
    .option("--full", "list every action: more than 20 alike are one line otherwise")
    .option("-o, --out <file>", "save it, for `boardsync apply`; replaces a file that is there")
    .addHelpText(
      "after",
      "\nExamples:\n  boardsync plan --project acme-app --detailed-exitcode\n  boardsync plan --out today.plan && boardsync apply today.plan",
    )
    .action(async (_, command: Command) => {
      const { plan } = await import("./run/plan.ts");
      finish(await plan(terminal, command.optsWithGlobals<Parameters<typeof plan>[1]>()));
    });
}

interface SyncOptions extends CommonOptions, ProjectOptions {
  readonly dryRun?: boolean;
  readonly adopt?: boolean;
}

function addSync(program: Command, terminal: Terminal, finish: Finish): void {
  withProjects(program.command("sync"))
    .description("one run: pull both sides, decide, write")
    .addOption(new Option("--dry-run", "the same as plan").conflicts("adopt"))
    .option(
      "--adopt",
      "link what carries our mark or names a post's page, take both sides as they are, write nothing to either",
    )
    .addHelpText(
      "after",
      "\nExample (crontab):\n  */5 * * * *  boardsync sync --quiet --config /etc/boardsync.yaml",
    )
    .action(async (_, command: Command) => {
      const options = command.optsWithGlobals<SyncOptions>();
      if (options.dryRun === true) {
        const { plan } = await import("./run/plan.ts");
        finish(await plan(terminal, options));
        return;
      }
      const { sync } = await import("./run/sync.ts");
      finish(await sync(terminal, options));
    });
}

function addDaemon(program: Command, terminal: Terminal, finish: Finish): void {
  program
    .command("daemon")
    .description("run every project on its schedule, until SIGTERM or SIGINT")
    .addHelpText("after", "\nExample:\n  boardsync daemon --config /config/boardsync.yaml --log-level info")
    .action(async (_, command: Command) => {
      const { daemon } = await import("./run/daemon.ts");
      finish(await daemon(terminal, command.optsWithGlobals<CommonOptions>()));
    });
}

function addStatus(program: Command, terminal: Terminal, finish: Finish): void {
  program
    .command("status")
    .description("how each project stands, and everything that failed or waits; reads only the state")
    .option("--full", "list each, also where more than 20 are alike")
    .addHelpText("after", "\nExamples:\n  boardsync status --full\n  boardsync status --json")
    .action(async (_, command: Command) => {
      const { status } = await import("./look/status.ts");
      finish(status(terminal, command.optsWithGlobals<Parameters<typeof status>[1]>()));
    });
}

function addRebuild(program: Command, terminal: Terminal, finish: Finish): void {
  withProjects(program.command("rebuild"))
    .description("make a lost or old state anew from the marks in the issues; write nothing to either side")
    .addHelpText("after", "\nExample:\n  boardsync rebuild --config config/boardsync.yaml")
    .action(async (_, command: Command) => {
      const { rebuild } = await import("./run/rebuild.ts");
      finish(await rebuild(terminal, command.optsWithGlobals<Parameters<typeof rebuild>[1]>()));
    });
}

function addHealth(program: Command, terminal: Terminal, finish: Finish): void {
  program
    .command("health")
    .description("exit 0 while the daemon on this state is alive, else 1; needs no config")
    .addHelpText("after", "\nExample:\n  BOARDSYNC_STATE=/data/boardsync.db boardsync health")
    .action(async (_, command: Command) => {
      const { health } = await import("./look/health.ts");
      finish(await health(terminal, command.optsWithGlobals<CommonOptions>()));
    });
}

function addPage(program: Command, terminal: Terminal, finish: Finish): void {
  program
    .command("page")
    .description("print an address that opens the status page of the running daemon, once and for a minute")
    .addHelpText("after", "\nExample:\n  boardsync page")
    .action(async (_, command: Command) => {
      const { page } = await import("./look/page.ts");
      finish(await page(terminal, command.optsWithGlobals<CommonOptions>()));
    });
}

function addDemo(program: Command, terminal: Terminal, finish: Finish): void {
  program
    .command("demo")
    .description("the whole loop against a board and a GitHub that it starts itself on loopback")
    .option(
      "--serve",
      "keep the board and the GitHub up, with a config to try commands on, until interrupted",
    )
    .option("--port <number>", "with --serve: the board's port; the GitHub gets the next one", parsePort)
    .addHelpText("after", "\nExamples:\n  boardsync demo\n  boardsync demo --serve --port 4100")
    .action(async (_, command: Command) => {
      const { demo } = await import("./demo/demo.ts");
      finish(await demo(terminal, command.optsWithGlobals<Parameters<typeof demo>[1]>()));
    });
}

function addSchema(program: Command, terminal: Terminal, finish: Finish): void {
  program
    .command("schema")
    .description("print the JSON Schema of the config file")
    .addHelpText("after", "\nExample:\n  boardsync schema > boardsync.schema.json")
    .action(async () => {
      const { schema } = await import("./setup/schema.ts");
      finish(schema(terminal));
    });
}

/** The options that every command has; they may stand before or behind its name. */
function addCommonOptions(program: Command): void {
  program
    .option("-c, --config <file>", "the config file (default: $BOARDSYNC_CONFIG, else config/boardsync.yaml)")
    .option("--json", "print one JSON document on stdout")
    .option("-q, --quiet", "print nothing but errors")
    .addOption(
      new Option("--log-level <level>", "how much to log (default: $BOARDSYNC_LOG_LEVEL, else info)").choices(
        logLevels,
      ),
    );
}

function withProjects(command: Command): Command {
  return command.option(
    "-p, --project <project>",
    "only this project; may be repeated",
    (project: string, others: string[] | undefined) => [...(others ?? []), project],
  );
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1 || port > 65_534)
    throw new InvalidArgumentError("a port is 1 to 65534.");
  return port;
}
