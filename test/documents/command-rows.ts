import type { Stage } from "../commands/stage.ts";

/** How far things have gone on both sides when a command is tried. The order of a stage's rows is that of its commands. */
export type StageName = "new" | "told" | "held" | "parked" | "quarantined" | "daemon";

/** A command that is run as it is documented, with a value for each placeholder. */
export interface TriedRow {
  readonly on: StageName;
  /** What it is given instead, where the documented arguments lead to other machines. */
  readonly given?: (stage: Stage) => readonly string[];
  readonly code?: number;
  /** Of stdout. */
  readonly says: RegExp;
}

/** A command that another test runs. */
export interface ElsewhereRow {
  readonly file: string;
  readonly test: string;
}

const init = { file: "test/commands/setup/init.test.ts" };
const copy = { file: "test/commands/setup/state-copy.test.ts" };

/** Of every command of ours that a page shows: where it is tried. What stands in `[…]` is tried with and without. */
export const ownRows: Readonly<Record<string, TriedRow | ElsewhereRow>> = {
  "--version": { on: "new", says: /^1\.2\.3\n$/ },
  "help COMMAND": { on: "new", says: /^Usage: boardsync plan / },
  "help CODE": { on: "new", says: /^tracker\.rejected\n/ },
  "help TOPIC": { on: "new", says: /^stop everything\n/ },
  "history --since 1h": { on: "told", says: /status: planned → completed/ },
  "history --since 2h": { on: "told", says: /status: planned → completed/ },
  "approve PROJECT --discard": { on: "held", says: /discarded: both sides stay as they are/ },
  schema: { on: "new", says: /"\$schema"/ },
  "completion SHELL": { on: "new", says: /complete -c boardsync/ },
  "completion bash": { on: "new", says: /complete -o .*boardsync/ },
  "completion --help": { on: "new", says: /boardsync completion fish > / },
  "init --board-url https://feedback.example.com/api/v1 --project acme-app=acme/app": {
    on: "new",
    given: ({ story }) => [
      ...["init", "--board-url", story.board.url, "--github-url", story.github.url],
      ...["--project", "acme-app=acme/app", "--output", "first.yaml"],
    ],
    says: /first\.yaml is written\. It holds no secret\./,
  },
  init: { ...init, test: "asks for address, key and repositories, again where an answer won't do" },
  "init --output boardsync.yaml": { ...init, test: "writes what passes `check`, and syncs as it stands" },
  "changelog v1.2": {
    file: "test/commands/run/changelog.test.ts",
    test: "goes from a preview over a draft to an entry that a person let go",
  },
  "changelog [TAG]": {
    file: "test/commands/run/changelog.test.ts",
    test: "goes from a preview over a draft to an entry that a person let go",
  },
  "approve acme-app changelog:v1.2": {
    file: "test/commands/run/changelog.test.ts",
    test: "goes from a preview over a draft to an entry that a person let go",
  },
  "retry acme-app changelog:v1.2": {
    file: "test/commands/run/changelog.test.ts",
    test: "tries again what is stuck",
  },
  "approve PROJECT changelog:TAG": {
    file: "test/commands/run/changelog.test.ts",
    test: "goes from a preview over a draft to an entry that a person let go",
  },
  check: { on: "new", says: /✓ acme-app: \d+ posts, found under/ },
  plan: { on: "new", says: /^Now .* issues? to open \(no voter to notify\)\. Nothing was written\./m },
  "plan --show p1": { on: "new", says: /^p1: a new issue in acme\/app\n/ },
  "plan --show POST": { on: "new", says: /^p1: a new issue in acme\/app\n/ },
  "plan --out today.plan": { on: "new", says: /Saved: `.*boardsync apply today\.plan` does exactly this/ },
  "apply today.plan": { on: "new", says: /Of (\d+) actions of the plan: \1 done\./ },
  "apply FILE": { on: "new", says: /Of (\d+) actions of the plan: \1 done before\./ },
  "sync --adopt": { on: "new", says: /Run \d+, .*: in step\./ },
  demo: { on: "new", says: /boardsync sync/ },
  "demo --serve": { file: "test/main.test.ts", test: "ends `demo --serve`" },
  daemon: {
    file: "test/commands/run/daemon.test.ts",
    test: "runs every project at once, is alive and holds the state meanwhile, and exits 0 at SIGTERM",
  },

  status: { on: "told", says: /✓ acme-app: in step\./ },
  "explain POST": { on: "told", says: /^acme-app\/p1 [\s\S]*rule 1 sets status: completed.* ← decides/ },
  "explain OWNER/REPO#N": { on: "told", says: /^acme-app\/p1 [\s\S]*\nIssue acme\/app#1\n/ },
  "history [POST]": { on: "told", says: /status: planned → completed/ },
  history: { on: "told", says: /status: planned → completed/ },
  "backup FILE": { on: "told", says: /The state is copied to .*\.db/ },
  "backup before-upgrade.db": { on: "told", says: /The state is copied to .*before-upgrade\.db/ },
  "undo RUN": { on: "told", says: /Undo of run 2: 1 undone/ },
  "pause POST": { on: "told", says: /from now on nothing is written for this post, to either side/ },
  "pause TARGET": { on: "told", says: /it is paused already/ },
  "resume TARGET": { on: "told", says: /the pause ends with the next run/ },
  "pause PROJECT": { on: "told", says: /from now on nothing is written for acme-app, to either side/ },
  "resume PROJECT": { on: "told", says: /the pause ends with the next run/ },
  "pause --all": { on: "told", says: /From now on nothing is written for any project/ },
  "resume --all": { on: "told", says: /The pause ends with the next run/ },
  "resume POST": { on: "told", says: /the pause ends with the next run/ },
  "resume POST --discard": { on: "told", says: /takes both sides as they are by then, writes nothing/ },
  "link POST OWNER/REPO#N": {
    on: "told",
    given: ({ story }) => [
      "link",
      "acme-app/p1",
      `acme/app#${story.github.issues("acme/app").at(-1)?.number}`,
    ],
    says: /^acme-app\/p1: the next run links it to acme\/app#\d+/,
  },
  "unlink POST [OWNER/REPO#N]": {
    on: "told",
    says: /^acme-app\/p1: the next run ends its link to acme\/app#\d/,
  },
  rebuild: { on: "told", says: /acme-app: / },

  "approve TARGET": { on: "held", says: /status: planned → completed/ },
  "approve PROJECT": { on: "held", says: /acme-app: \d+ action/ },
  "retry TARGET": { on: "parked", says: /the next run tries again/ },
  "retry POST": {
    on: "parked",
    says: /The board refused the change .*\nacme-app\/p1: the next run tries again/,
  },
  "release POST": { on: "quarantined", says: /the next run ends the quarantine, and goes on/ },
  "release TARGET": { on: "quarantined", says: /the next run ends the quarantine, and goes on/ },

  health: { on: "daemon", says: /^The daemon is alive: / },
  page: { on: "daemon", says: /^http:\/\/127\.0\.0\.1:\d+\/\?code=/ },
  sync: { on: "daemon", says: /Run \d+, .*: in step\./ },

  "state copy FROM TO": { ...copy, test: "to a server and back to a file gives every row that there was" },
};

/** The row of a command. One that another test runs with states of its own is the same with any. */
export function rowOf(command: string): string | undefined {
  if (ownRows[command] !== undefined) return command;
  return /^state copy \S+ \S+$/.test(command) ? "state copy FROM TO" : undefined;
}

/** A value for each placeholder of the pages. */
export const placeholders: Readonly<Record<string, string>> = {
  COMMAND: "plan",
  CODE: "tracker.rejected",
  TOPIC: "stop",
  SHELL: "fish",
  PROJECT: "acme-app",
  POST: "acme-app/p1",
  TARGET: "acme-app/p1",
  "OWNER/REPO#N": "acme/app#1",
  RUN: "2",
  FROM: "from.db",
  TO: "to.db",
};

/** Other programs, by how the command begins, and why no test starts them. The first row that fits counts. */
export const notTried: readonly (readonly [begins: string, reason: string])[] = [
  [
    "docker",
    "no container can be started where the tests run; the samples are read and checked in `test/deploy/`",
  ],
  ["kubectl", "there is no cluster; the samples are validated in `test/deploy/`"],
  ["helm", "there is no cluster; what the chart renders is checked in `test/deploy/helm/`"],
  [
    "systemctl",
    "systemd is not running where the tests run; the units are read and checked in `test/deploy/`",
  ],
  [
    "journalctl",
    "systemd is not running where the tests run; the units are read and checked in `test/deploy/`",
  ],
  ["litestream", "Litestream is another project's program; tried by hand, as the page says"],
  ["pg_dump", "PostgreSQL's client programs are not among our packages"],
  ["pg_restore", "PostgreSQL's client programs are not among our packages"],
  ["sqlite3", "SQLite's shell is not among our packages"],
  ["gh", "there is no GitHub"],
  ["cosign", "there is no registry"],
  ["curl", "there is no other machine"],
  ["git", "the tests begin in a checkout"],
  ["cd", "a folder that the reader has chosen"],
  ["node .github/scripts/release.ts", "`test/deploy/release.test.ts` runs it with the version of this tree"],
  ["node", "the program as it is installed on the machine; the same command is tried from here"],
  ["npm ci", "the tests begin after it"],
  [
    "npm install",
    "the package is not published where the tests run; `test/deploy/production.test.ts` installs what a package holds",
  ],
  ["npm pack", "the tests begin in a checkout"],
  ["npm version", "it changes the tree; what must agree with it is checked by `test/deploy/release.test.ts`"],
  ["npm audit", "the package is not published where the tests run"],
  ["npm prefix", "it asks npm alone"],
  ["npx boardsync …", "it stands for any command"],
  ["boardsync …", "it stands for any command"],
  ["cp", "a copy of a file that the reader has chosen"],
  ["chown", "it needs the rights of root"],
  ["chmod", "a mode of a file that the reader has chosen"],
  ["apt-get", "it needs the rights of root"],
  ["mkdir", "a folder that the reader has chosen"],
  ["useradd", "it needs the rights of root"],
  ["install", "it needs the rights of root"],
];
