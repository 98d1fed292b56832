import { Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { logLevels } from "../config/environment.ts";
import { failWith } from "./failure.ts";
import { type CommonOptions, exitCodes, type Terminal } from "./terminal.ts";

/**
 * The command line. Each command's code is loaded when it is called, so that `--help` stays quick.
 *
 * @returns the exit code.
 */
export async function runProgram(terminal: Terminal): Promise<number> {
  let code: number = exitCodes.ok;
  const program = createProgram(terminal, (result) => {
    code = result;
  });
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
  if (error.exitCode === 0 || error.code === "commander.help") return exitCodes.ok;
  if (terminal.args.includes("--json")) {
    const message = error.message.replace(/^error: /, "");
    terminal.out.write(`${JSON.stringify({ error: { code: "usage", message } })}\n`);
  }
  return exitCodes.usage;
}

type Finish = (code: number) => void;

function createProgram(terminal: Terminal, finish: Finish): Command {
  const program = new Command("boardsync")
    .description("Keeps a feedback board and GitHub Issues in step, without ever mailing a voter twice.")
    .version(terminal.version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .helpCommand("help [command]", "print the help of a command")
    .exitOverride()
    .showSuggestionAfterError(true)
    .showHelpAfterError("(--help says more)")
    .configureOutput({
      writeOut: (text) => terminal.out.write(text),
      writeErr: (text) => terminal.err.write(text),
      getOutHelpWidth: () => terminal.out.columns,
      getErrHelpWidth: () => terminal.err.columns,
      getOutHasColors: () => false,
      getErrHasColors: () => false,
    })
    .addHelpText(
      "after",
      `
Examples:
  boardsync demo                     see the whole loop work, without an account
  boardsync check                    is everything as the config says?
  boardsync plan                     what would be done, and who would hear of it
  boardsync sync                     do it, once
  boardsync daemon                   do it for ever

Exit codes: 0 in step; 1 something failed, the rest was done; 2 bad usage, config or secrets; 3 could not reach or
authenticate; 4 something waits for a person; 5 another instance holds the state.`,
    );
  addCheck(program, terminal, finish);
  addPlan(program, terminal, finish);
  addSync(program, terminal, finish);
  addDaemon(program, terminal, finish);
  addStatus(program, terminal, finish);
  addHealth(program, terminal, finish);
  addDemo(program, terminal, finish);
  addSchema(program, terminal, finish);
  return program;
}

function addCheck(program: Command, terminal: Terminal, finish: Finish): void {
  common(program.command("check"))
    .description("verify key, token, projects, repositories and rules; write nothing")
    .addHelpText("after", "\nExample:\n  boardsync check --config config/boardsync.yaml")
    .action(async (options: CommonOptions) => {
      const { check } = await import("./check.ts");
      finish(await check(terminal, options));
    });
}

function addPlan(program: Command, terminal: Terminal, finish: Finish): void {
  projects(common(program.command("plan")))
    .description("show what a sync would do, why, and how many voters would be notified; write nothing")
    .option("--detailed-exitcode", "exit 10 when there is something to do")
    .addHelpText("after", "\nExample:\n  boardsync plan --project acme-app --detailed-exitcode")
    .action(async (options: CommonOptions & { project?: string[]; detailedExitcode?: boolean }) => {
      const { plan } = await import("./plan.ts");
      finish(await plan(terminal, options));
    });
}

function addSync(program: Command, terminal: Terminal, finish: Finish): void {
  projects(common(program.command("sync")))
    .description("one run: pull both sides, decide, write")
    .option("--dry-run", "the same as plan")
    .option("--adopt", "link what carries our marker, take both sides as they are, write nothing")
    .addHelpText(
      "after",
      "\nExample (crontab):\n  */5 * * * *  boardsync sync --quiet --config /etc/boardsync.yaml",
    )
    .action(async (options: CommonOptions & { project?: string[]; dryRun?: boolean; adopt?: boolean }) => {
      if (options.dryRun === true) {
        const { plan } = await import("./plan.ts");
        finish(await plan(terminal, options));
        return;
      }
      const { sync } = await import("./sync.ts");
      finish(await sync(terminal, options));
    });
}

function addDaemon(program: Command, terminal: Terminal, finish: Finish): void {
  common(program.command("daemon"))
    .description("run every project on its schedule, until SIGTERM or SIGINT")
    .addHelpText("after", "\nExample:\n  boardsync daemon --config /config/boardsync.yaml --log-level info")
    .action(async (options: CommonOptions) => {
      const { daemon } = await import("./daemon.ts");
      finish(await daemon(terminal, options));
    });
}

function addStatus(program: Command, terminal: Terminal, finish: Finish): void {
  common(program.command("status"))
    .description("projects, last run, links, and everything that waits; reads only the state")
    .addHelpText("after", "\nExample:\n  boardsync status --json")
    .action(async (options: CommonOptions) => {
      const { status } = await import("./status.ts");
      finish(await status(terminal, options));
    });
}

function addHealth(program: Command, terminal: Terminal, finish: Finish): void {
  common(program.command("health"))
    .description("exit 0 while the daemon on this state is alive, else 1; needs no config")
    .addHelpText("after", "\nExample:\n  BOARDSYNC_STATE=/data/boardsync.db boardsync health")
    .action(async (options: CommonOptions) => {
      const { health } = await import("./health.ts");
      finish(await health(terminal, options));
    });
}

function addDemo(program: Command, terminal: Terminal, finish: Finish): void {
  common(program.command("demo"))
    .description("the whole loop against a board and a GitHub that it starts itself on loopback")
    .option(
      "--serve",
      "keep the board and the GitHub up, with a config to try commands on, until interrupted",
    )
    .option("--port <number>", "with --serve: the board's port; the GitHub gets the next one", parsePort)
    .addHelpText("after", "\nExample:\n  boardsync demo")
    .action(async (options: CommonOptions & { serve?: boolean; port?: number }) => {
      const { demo } = await import("./demo.ts");
      finish(await demo(terminal, options));
    });
}

function addSchema(program: Command, terminal: Terminal, finish: Finish): void {
  common(program.command("schema"))
    .description("print the JSON Schema of the config file")
    .addHelpText("after", "\nExample:\n  boardsync schema > boardsync.schema.json")
    .action(async () => {
      const { schema } = await import("./schema.ts");
      finish(schema(terminal));
    });
}

/** The options that every command has. */
function common(command: Command): Command {
  return command
    .option("-c, --config <file>", "the config file (default: $BOARDSYNC_CONFIG, else config/boardsync.yaml)")
    .option("--json", "print one JSON document on stdout")
    .option("-q, --quiet", "print nothing but errors")
    .addOption(
      new Option("--log-level <level>", "how much to log (default: $BOARDSYNC_LOG_LEVEL, else info)").choices(
        logLevels,
      ),
    );
}

function projects(command: Command): Command {
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
