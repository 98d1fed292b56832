import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildWorld, connectSides, type Machine, syncProjects } from "../app.ts";
import { loadConfigAndSecrets } from "../config/load.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { createLog, redactor } from "../log.ts";
import type { Clock } from "../model/surroundings.ts";
import { type Scene, type Story, scenes, startStory } from "../sandbox/story.ts";
import { runProjects } from "../sync/run.ts";
import type { RunReport } from "../sync/world.ts";
import { systemClock } from "./clock.ts";
import { printJson, printPlan, printRun } from "./output.ts";
import { exitOf } from "./session.ts";
import { openPrivateState } from "./state.ts";
import { printTable } from "./table.ts";
import { type CommonOptions, exitCodes, type Output, type Terminal } from "./terminal.ts";

const dayMs = 86_400_000;

/** `boardsync demo`: a board and a GitHub on loopback, and a few days of a small company. No account, no trace. */
export async function demo(
  terminal: Terminal,
  options: CommonOptions & { readonly serve?: boolean; readonly port?: number },
): Promise<number> {
  return options.serve === true ? serve(terminal, options) : play(terminal, options);
}

/** The demo's clock: pauses cost nothing, and every scene is a day later. */
interface StoryClock extends Clock {
  skip(ms: number): void;
}

async function play(terminal: Terminal, options: CommonOptions): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "boardsync-demo-"));
  const clock = createStoryClock();
  const story = await startStory({ now: clock.now, port: undefined });
  const ledger = openPrivateState(terminal, join(folder, "state.db"));
  try {
    const isQuiet = options.json === true || options.quiet === true;
    const out: Output = isQuiet ? { ...terminal.out, write: () => undefined } : terminal.out;
    const reports = await tell({ ...terminal, out }, story, ledger, clock);
    if (options.json === true)
      printJson(terminal.out, { runs: reports, notifications: story.board.notifications });
    const isGood = reports.every(({ result }) => result === "ok");
    return exitOf(terminal, isGood ? exitCodes.ok : exitCodes.partial);
  } finally {
    ledger.close();
    await story.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Tells the story, run by run. */
async function tell(
  terminal: Terminal,
  story: Story,
  ledger: Ledger,
  clock: StoryClock,
): Promise<readonly RunReport[]> {
  const { out } = terminal;
  const run = createRunner(terminal, story, ledger, clock);
  const reports: RunReport[] = [];
  heading(out, "A feedback board and a GitHub, both on this machine");
  out.write(`Board:  ${story.board.url}\nGitHub: ${story.github.url}\n\nThe posts of Acme App:\n\n`);
  printPosts(out, story);
  heading(out, "The config that keeps them in step");
  out.write(indent(story.config));
  heading(out, "$ boardsync plan");
  const planned = await run("plan");
  printPlan(terminal, {}, planned.plan);
  heading(out, "$ boardsync sync");
  reports.push(await sync(terminal, run));
  out.write("\nThe issues of acme/app now:\n\n");
  printIssues(out, story);
  out.write("\nIssue #3, whose post tried to ping people, forge a mark and link a private issue:\n\n");
  out.write(indent(visible(story.github.issue("acme/app", 3).body ?? "")));
  heading(out, "$ boardsync sync   (again: nothing changed, so nothing is written)");
  reports.push(await sync(terminal, run));
  for (const [index, scene] of scenes.entries()) {
    if (terminal.signal.aborted) return reports;
    reports.push(await playScene(terminal, story, scene, index, run, clock));
  }
  printEnd(out, story);
  return reports;
}

type Runner = (mode: "plan" | "sync") => ReturnType<typeof runProjects>;

async function sync(terminal: Terminal, run: Runner): Promise<RunReport> {
  const { report } = await run("sync");
  printRun(terminal, {}, report);
  return report;
}

async function playScene(
  terminal: Terminal,
  story: Story,
  scene: Scene,
  index: number,
  run: Runner,
  clock: StoryClock,
): Promise<RunReport> {
  const { out } = terminal;
  clock.skip(dayMs);
  heading(out, `Day ${index + 2}. ${scene.title}.`);
  scene.play(story);
  const before = snapshot(story);
  const heard = story.board.notifications.length;
  out.write("$ boardsync sync\n");
  const report = await sync(terminal, run);
  const changes = differences(before, snapshot(story));
  out.write(changes.length === 0 ? "Nothing was written on either side.\n" : `${changes.join("\n")}\n`);
  const mails = story.board.notifications.slice(heard);
  for (const { post, from, to, voters } of mails) {
    out.write(`  ✉ ${voters} voters of ${post} hear: ${from} → ${to}\n`);
  }
  if (mails.length === 0) out.write("  ✉ no voter was mailed\n");
  return report;
}

function createRunner(terminal: Terminal, story: Story, ledger: Ledger, clock: StoryClock): Runner {
  const environment = { BOARD_API_KEY: story.board.key, GITHUB_TOKEN: story.github.token };
  const { config, secrets } = loadConfigAndSecrets({
    file: "demo.yaml",
    environment,
    cwd: terminal.cwd,
    readText: () => story.config,
  });
  const machine: Machine = {
    clock,
    random: Math.random,
    log: createLog({
      level: "warn",
      isReadable: terminal.err.isTerminal,
      hasColours: false,
      redact: redactor(secrets.all),
      write: (line) => terminal.err.write(line),
    }),
    version: terminal.version,
    environment,
  };
  const sides = connectSides(config, secrets, machine);
  const world = buildWorld(config, sides, ledger, machine);
  return (mode) => runProjects(syncProjects(config), world, mode, terminal.signal);
}

/** Keeps both sides up, with a config on disk, so that a person can try every command against them. */
async function serve(
  terminal: Terminal,
  options: CommonOptions & { readonly port?: number },
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), "boardsync-demo-"));
  const story = await startStory({ now: systemClock.now, port: options.port });
  try {
    const file = join(folder, "boardsync.yaml");
    writeFileSync(file, `${story.config}state: ${join(folder, "state.db")}\nhttp: { port: 0 }\n`);
    const environment = {
      BOARD_API_KEY: story.board.key,
      GITHUB_TOKEN: story.github.token,
      BOARDSYNC_CONFIG: file,
    };
    if (options.json === true) {
      printJson(terminal.out, { board: story.board.url, github: story.github.url, environment });
    } else {
      const exports = Object.entries(environment).map(([name, value]) => `  export ${name}=${value}\n`);
      terminal.out.write(
        `Board:  ${story.board.url}\nGitHub: ${story.github.url}\n\nIn another terminal:\n\n`,
      );
      terminal.out.write(`${exports.join("")}\n${triesOf(story)}\nCtrl-C ends it.\n`);
    }
    await new Promise<void>((resolve) => {
      if (terminal.signal.aborted) resolve();
      terminal.signal.addEventListener("abort", () => resolve(), { once: true });
    });
    return exitOf(terminal, exitCodes.ok);
  } finally {
    await story.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function triesOf({ github }: Story): string {
  return `  npx boardsync check
  npx boardsync plan
  npx boardsync sync
  curl -X PATCH -H "Authorization: Bearer $GITHUB_TOKEN" -H "User-Agent: me" \\
       -d '{"state":"closed","state_reason":"completed"}' ${github.url}/repos/acme/app/issues/1
  npx boardsync sync
`;
}

function createStoryClock(): StoryClock {
  let ahead = 0;
  return {
    now: () => Date.now() + ahead,
    sleep: (ms) => {
      ahead += ms;
      return Promise.resolve();
    },
    skip: (ms) => {
      ahead += ms;
    },
  };
}

function heading(out: Output, text: string): void {
  out.write(`\n── ${text}\n\n`);
}

function indent(text: string): string {
  return `${text.trimEnd().replace(/^/gm, "    ")}\n`;
}

/** Shows the characters that make a sign harmless, which a reader would not see. */
function visible(text: string): string {
  return text.replaceAll("\u200b", "·");
}

function printPosts(out: Output, { board }: Story): void {
  printTable(
    out,
    ["post", "title", "votes", "status", "roadmap"],
    board
      .posts("acme-app")
      .map(({ id, title, votes, status, roadmapColumn, isArchived }) => [
        id,
        title,
        String(votes),
        isArchived ? `${status} (archived)` : status,
        roadmapColumn ?? "–",
      ]),
  );
}

function printIssues(out: Output, { github }: Story): void {
  printTable(
    out,
    ["issue", "title", "state", "labels"],
    github
      .issues("acme/app")
      .map(({ number, title, state, labels }) => [`#${number}`, title, state, labels.join(", ")]),
  );
}

type Snapshot = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** Everything on both sides that a sync may write. */
function snapshot({ board, github }: Story): Snapshot {
  const found = new Map<string, Readonly<Record<string, unknown>>>();
  for (const project of ["acme-app", "acme-api"]) {
    for (const { id, status, roadmapColumn, onRoadmap } of board.posts(project)) {
      found.set(`post ${id}`, { status, roadmapColumn, onRoadmap });
    }
  }
  for (const name of github.repositories) {
    for (const { number, title, body, state } of github.issues(name)) {
      found.set(`issue ${name}#${number}`, { title, body, state });
    }
  }
  return found;
}

function differences(before: Snapshot, after: Snapshot): readonly string[] {
  return [...after].flatMap(([name, fields]) => {
    const old = before.get(name);
    if (old === undefined) return [`  + ${name} opened`];
    return Object.entries(fields)
      .filter(([field, value]) => value !== old[field])
      .map(
        ([field, value]) =>
          `  ~ ${name}: ${field}${field === "body" ? " rewritten" : `: ${show(old[field])} → ${show(value)}`}`,
      );
  });
}

function show(value: unknown): string {
  return value === null || value === undefined ? "none" : String(value);
}

function printEnd(out: Output, { board }: Story): void {
  const mails = board.notifications.reduce((sum, { voters }) => sum + voters, 0);
  heading(out, "That was it");
  out.write(
    `${board.notifications.length} changes of status, each told once: ${mails} mails to voters. The posts at the end:\n\n`,
  );
  printTable(
    out,
    ["post", "title", "status", "roadmap"],
    board
      .posts("acme-app")
      .map(({ id, title, status, roadmapColumn }) => [id, title, status, roadmapColumn ?? "–"]),
  );
  out.write(`
Your own board next (five minutes; the README says more):

  1. cp config/sample.yaml config/boardsync.yaml   and put in your board, project and repository
  2. export BOARD_API_KEY=… GITHUB_TOKEN=…         the key from the board's Settings → API; a token that may write issues
  3. npx boardsync check                           is everything as the config says?
  4. npx boardsync plan                            what would be done, and who would hear of it; writes nothing
  5. npx boardsync sync                            and then: npx boardsync daemon
`);
}
