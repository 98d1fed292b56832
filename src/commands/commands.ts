import { Argument, InvalidArgumentError, Option } from "commander";
import { type CommandCall, readWhole } from "./print/terminal.ts";

/** One command of the program. */
export interface CommandRow {
  readonly name: string;
  readonly summary: string;
  readonly args?: readonly Argument[];
  readonly options?: readonly Option[];
  readonly examples: readonly string[];
  /** What the examples are, where they are not just that. */
  readonly title?: string;
  readonly isHidden?: true;
  /** Loads the command's own code, runs it, and returns the exit code. Which options it has is known to that code alone. */
  run(call: CommandCall<never>): Promise<number> | number;
}

const postArgument = new Argument("<post>", "its id, or PROJECT/ID");
const targets = new Argument("<post...>", "PROJECT, or POST and more of them");
const targetsOrAll = new Argument("[post...]", "PROJECT, or POST and more of them; none with --all");
const code = new Option(
  "--code <code>",
  "with PROJECT: the posts to retry, or that failed last, with this code",
);
const all = new Option("--all", "every project");
const full = new Option("--full", "list every action: more than 20 alike are one line otherwise");
const yes = new Option("-y, --yes", "don't ask");
const noWait = new Option("--no-wait", "beside a daemon: give it the order, and don't wait for it");
const projects = repeated("-p, --project <project>", "only this project; may be repeated");

/** Every command, in the order in which `--help` lists them. */
export const commandTable: readonly CommandRow[] = [
  {
    name: "init",
    summary: "look at the board, ask for what can't be seen there, and write a commented config",
    options: [
      new Option("--board-url <url>", "the address of the board's API"),
      repeated(
        "-p, --project <project=owner/repo>",
        "a project of the board and its repository; may be repeated",
      ),
      new Option(
        "--github-url <url>",
        "the address of a GitHub Enterprise Server, https://HOST (default: github.com)",
      ),
      new Option("-o, --output <file>", "the file to write (default: where the config is looked for)"),
      new Option("-f, --force", "replace a file that is there"),
    ],
    examples: [
      "boardsync init",
      "boardsync init --board-url https://feedback.example.com/api/v1 --project acme-app=acme/app",
    ],
    run: async (call) => (await import("./setup/init.ts")).init(call),
  },
  {
    name: "check",
    summary: "verify key, token, projects, repositories and rules; write nothing",
    examples: ["boardsync check --config config/boardsync.yaml"],
    run: async (call) => (await import("./look/check.ts")).check(call),
  },
  {
    name: "plan",
    summary: "show what a sync would do, why, and how many voters would be notified; write nothing",
    options: [
      projects,
      new Option(
        "--detailed-exitcode",
        "exit 10 when there is something to do, now, later or when a person lets it go",
      ),
      full,
      new Option("--show <post>", "print the issue of one post as it will be, to the letter").conflicts(
        "out",
      ),
      new Option(
        "-o, --out <file>",
        "save it, for `boardsync apply`; replaces an earlier plan, and no other file",
      ),
    ],
    examples: [
      "boardsync plan --project acme-app --detailed-exitcode",
      "boardsync plan --show acme-app/p1",
      "boardsync plan --out today.plan && boardsync apply today.plan",
    ],
    run: async (call) => (await import("./run/plan.ts")).plan(call),
  },
  {
    name: "apply",
    summary: "carry out exactly a saved plan, or refuse what has moved since; to apply it is to approve it",
    args: [new Argument("<file>", "what `boardsync plan --out` has saved")],
    options: [noWait],
    examples: ["boardsync plan --out today.plan", "boardsync apply today.plan"],
    run: async (call) => (await import("./run/apply.ts")).apply(call),
  },
  {
    name: "undo",
    summary: "take back what a run has written, where nobody has touched it since; shows it and asks",
    args: [new Argument("<run>", "the run's number, as `boardsync history` shows it")],
    options: [yes, noWait],
    examples: ["boardsync undo 12", "boardsync undo 12 --yes --json"],
    run: async (call) => (await import("./run/undo.ts")).undo(call),
  },
  {
    name: "sync",
    summary: "one run: pull both sides, decide, write",
    options: [
      projects,
      new Option("--dry-run", "the same as plan").conflicts("adopt"),
      new Option(
        "--adopt",
        "link what carries our mark or names a post's page, take both sides as they are, write nothing to either",
      ),
      noWait,
    ],
    title: "Example (crontab)",
    examples: ["*/5 * * * *  boardsync sync --quiet --config /etc/boardsync.yaml"],
    run: async (call) => (await import("./run/sync.ts")).sync(call),
  },
  {
    name: "daemon",
    summary: "run every project on its schedule, until SIGTERM or SIGINT",
    examples: ["boardsync daemon --config /config/boardsync.yaml --log-level info"],
    run: async (call) => (await import("./run/daemon.ts")).daemon(call),
  },
  {
    name: "status",
    summary: "how each project stands, and everything that failed or waits; reads only the state",
    options: [new Option("--full", "list each, also where more than 20 are alike")],
    examples: ["boardsync status --full", "boardsync status --json"],
    run: async (call) => (await import("./look/status.ts")).status(call),
  },
  {
    name: "explain",
    summary: "the story of one post: why it is selected or not, which rule matches, what comes next",
    args: [new Argument("<post>", "a post's id, PROJECT/ID, or OWNER/REPO#NUMBER of its issue")],
    examples: ["boardsync explain acme-app/p1", "boardsync explain acme/app#12 --json"],
    run: async (call) => (await import("./look/explain.ts")).explain(call),
  },
  {
    name: "history",
    summary: "every write to either side: when, what, why, by which run, and what came of it",
    args: [
      new Argument(
        "[post]",
        "only the writes for this post: its id, PROJECT/ID, or OWNER/REPO#NUMBER of its issue",
      ),
    ],
    options: [
      new Option("--limit <number>", "show at most so many, the newest").argParser(parseLimit).default(50),
      new Option("--since <time>", "none before this: a date or time (UTC), or how long ago, as 2h or 7d"),
    ],
    examples: ["boardsync history --since 24h", "boardsync history acme-app/p1 --limit 10 --json"],
    run: async (call) => (await import("./look/history.ts")).history(call),
  },
  {
    name: "approve",
    summary: "let go what waits for it, by the next run; all of a project, or of some posts",
    args: [
      new Argument("<project>", "the project, as the config names it; or a post"),
      new Argument(
        "[post...]",
        "only what waits of these posts; or changelog:TAG, to make or publish its draft",
      ),
    ],
    options: [
      new Option("--discard", "never do them: take both sides as they are, open no issue"),
      code,
      full,
      yes,
    ],
    examples: [
      "boardsync approve acme-app",
      "boardsync approve acme-app p1 p2 --yes",
      "boardsync approve acme-app --discard",
      "boardsync approve acme-app changelog:v1.2",
    ],
    run: async (call) => (await import("./order/approve.ts")).approve(call),
  },
  {
    name: "changelog",
    summary: "show the changelog's entry of a release as it would be made now; write nothing",
    args: [new Argument("[tag]", "the release's; without it the newest")],
    options: [projects],
    examples: ["boardsync changelog", "boardsync changelog v1.2 --project acme-app --json"],
    run: async (call) => (await import("./run/changelog.ts")).changelog(call),
  },
  {
    name: "retry",
    summary: "try again what was refused or is in doubt, of posts or of a whole project, by the next run",
    args: [targets],
    options: [code],
    examples: [
      "boardsync retry acme-app/p1",
      "boardsync retry acme-app --code board.rejected",
      "boardsync retry acme-app changelog:v1.2",
    ],
    run: async (call) => (await import("./order/retry.ts")).retry(call, "retry"),
  },
  {
    name: "release",
    summary: "go on with posts whose status flapped too often, or with all of a project, by the next run",
    args: [targets],
    options: [code],
    examples: ["boardsync release acme-app/p1", "boardsync release acme-app"],
    run: async (call) => (await import("./order/retry.ts")).retry(call, "release"),
  },
  {
    name: "pause",
    summary: "stop all writes for posts, a project, or everything, at once, until it is resumed",
    args: [targetsOrAll],
    options: [all, code],
    examples: ["boardsync pause --all", "boardsync pause acme-app", "boardsync pause acme-app/p1"],
    run: async (call) => (await import("./order/pause.ts")).pause(call),
  },
  {
    name: "resume",
    summary: "end a pause, by the next run; what has come together meanwhile is written",
    args: [targetsOrAll],
    options: [
      new Option("--discard", "never write it: take both sides as they are, open no issue"),
      all,
      code,
      yes,
    ],
    examples: ["boardsync resume --all", "boardsync resume acme-app/p1 --discard --yes"],
    run: async (call) => (await import("./order/pause.ts")).resume(call),
  },
  {
    name: "link",
    summary: "link a post to an issue that is there already, by the next run; both sides stay as they are",
    args: [postArgument, new Argument("<issue>", "OWNER/REPO#NUMBER")],
    examples: ["boardsync link acme-app/p1 acme/app#12"],
    run: async (call) => (await import("./order/link.ts")).link(call),
  },
  {
    name: "unlink",
    summary: "end a post's links, by the next run; it gets no other issue by itself",
    args: [postArgument, new Argument("[issue]", "OWNER/REPO#NUMBER; without it every link of the post")],
    examples: ["boardsync unlink acme-app/p1", "boardsync unlink p1 acme/app#12"],
    run: async (call) => (await import("./order/link.ts")).unlink(call),
  },
  {
    name: "backup",
    summary: "a consistent copy of the state, while the daemon runs",
    args: [new Argument("<file>", "a file that does not exist yet")],
    examples: ["boardsync backup backup-$(date +%F).db"],
    run: async (call) => (await import("./look/backup.ts")).backup(call),
  },
  {
    name: "state",
    summary: "move a whole state between a file and PostgreSQL, while nobody works with it",
    args: [
      new Argument("<action>", "what to do with it").choices(["copy"]),
      new Argument("<from>", "a file, or postgres://HOST/DATABASE"),
      new Argument("<to>", "a file that does not exist yet, or an empty database"),
    ],
    examples: [
      "boardsync state copy data/boardsync.db postgres://db.example.com/boardsync",
      "boardsync state copy postgres://db.example.com/boardsync data/boardsync.db",
    ],
    run: async (call) => (await import("./setup/state-copy.ts")).copyState(call),
  },
  {
    name: "rebuild",
    summary: "make a lost or old state anew from the marks in the issues; write nothing to either side",
    options: [projects],
    examples: ["boardsync rebuild --config config/boardsync.yaml"],
    run: async (call) => (await import("./run/rebuild.ts")).rebuild(call),
  },
  {
    name: "health",
    summary: "exit 0 while the daemon on this state is alive, else 1; needs no config",
    examples: ["BOARDSYNC_STATE=/data/boardsync.db boardsync health"],
    run: async (call) => (await import("./look/health.ts")).health(call),
  },
  {
    name: "page",
    summary: "print an address that opens the status page of the running daemon, once and for a minute",
    examples: ["boardsync page"],
    run: async (call) => (await import("./look/page.ts")).page(call),
  },
  {
    name: "demo",
    summary: "the whole loop against a board and a GitHub that it starts itself on loopback",
    options: [
      new Option(
        "--serve",
        "keep the board and the GitHub up, with a config to try commands on, until interrupted",
      ),
      new Option("--port <number>", "with --serve: the board's port; the GitHub gets the next one").argParser(
        parsePort,
      ),
    ],
    examples: ["boardsync demo", "boardsync demo --serve --port 4100"],
    run: async (call) => (await import("./demo/demo.ts")).demo(call),
  },
  {
    name: "schema",
    summary: "print the JSON Schema of the config file",
    examples: ["boardsync schema > boardsync.schema.json"],
    run: async (call) => (await import("./setup/schema.ts")).schema(call),
  },
  {
    name: "completion",
    summary: "print a script that completes commands and options",
    args: [new Argument("<shell>", "the shell to complete in").choices(["bash", "zsh", "fish"])],
    examples: [
      "boardsync completion bash",
      "boardsync completion fish > ~/.config/fish/completions/boardsync.fish",
    ],
    run: async (call) => (await import("./setup/completion.ts")).completion(call),
  },
  {
    name: "help",
    summary: "print the help of a command, what a message's code means, or what to do by the runbook",
    args: [new Argument("[word]", "a command, a code such as tracker.rejected, or a topic such as stop")],
    examples: ["boardsync help plan", "boardsync help tracker.rejected", "boardsync help stop"],
    run: async (call) => (await import("./look/help.ts")).help(call),
  },
  {
    // What the scripts of `completion` ask.
    name: "__complete",
    summary: "",
    isHidden: true,
    args: [new Argument("[words...]")],
    examples: [],
    run: async (call) => (await import("./setup/completion.ts")).completeWords(call),
  },
];

/** An option that may be given several times. */
function repeated(flags: string, summary: string): Option {
  return new Option(flags, summary).argParser((value: string, others: string[] | undefined) => [
    ...(others ?? []),
    value,
  ]);
}

function parsePort(text: string): number {
  const port = readWhole(text);
  if (port >= 1 && port <= 65_534) return port;
  throw new InvalidArgumentError("a port is 1 to 65534.");
}

function parseLimit(text: string): number {
  const limit = readWhole(text);
  if (limit >= 1 && limit <= 100_000) return limit;
  throw new InvalidArgumentError("it is a number from 1 to 100000.");
}
