import { resolve } from "node:path";
import { loadConfig } from "../config/load.ts";
import type { Config } from "../config/schema.ts";
import type { Ledger, StoredRun, WaitingRow } from "../ledger/ledger.ts";
import { escapeControls } from "../log.ts";
import { systemClock } from "./clock.ts";
import { failWith } from "./failure.ts";
import { printJson } from "./output.ts";
import { configSource } from "./session.ts";
import { readState } from "./state.ts";
import { printTable } from "./table.ts";
import { type CommonOptions, exitCodes, type Terminal } from "./terminal.ts";

/** More than this is never printed of what waits in one project. */
const maxWaiting = 1000;

interface ProjectStatus {
  readonly project: string;
  readonly repo: string;
  readonly posts: number;
  readonly issues: number;
  readonly lastRun: { readonly run: number; readonly at: string; readonly result: string } | null;
  /** Seconds since the last run without an error; null when there was none. */
  readonly lagSeconds: number | null;
  readonly held: number;
  readonly parked: number;
  readonly quarantined: number;
  readonly waiting: readonly WaitingLine[];
}

interface WaitingLine {
  readonly post: string;
  readonly issues: readonly string[];
  readonly kind: string;
  readonly code: string | null;
  readonly message: string;
  readonly since: string;
}

/** `boardsync status`: what the state says. Works beside a running daemon, and needs no secret and no network. */
export function status(terminal: Terminal, options: CommonOptions): number {
  try {
    const { config } = loadConfig(configSource(terminal, options));
    const state = resolve(terminal.cwd, config.state);
    const ledger = readState(state);
    try {
      const projects = config.projects.map((project) => statusOf(project, ledger));
      if (options.json === true) printJson(terminal.out, { state, daemon: daemonOf(ledger), projects });
      else print(terminal, state, ledger, projects);
    } finally {
      ledger?.close();
    }
    return exitCodes.ok;
  } catch (error) {
    return failWith(terminal, options, error);
  }
}

function statusOf(project: Config["projects"][number], ledger: Ledger | undefined): ProjectStatus {
  const memory = ledger?.memory.project(project.project);
  const counts = memory && ledger?.rows.counts(memory.id);
  const last = ledger?.runs.last(project.project);
  const success = memory?.lastSuccessAt;
  return {
    project: project.project,
    repo: project.repo,
    posts: counts?.posts ?? 0,
    issues: counts?.issues ?? 0,
    lastRun: last === undefined ? null : describeRun(last),
    lagSeconds: success === undefined ? null : Math.round((systemClock.now() - success) / 1000),
    held: counts?.held ?? 0,
    parked: counts?.parked ?? 0,
    quarantined: counts?.quarantined ?? 0,
    waiting: memory === undefined || ledger === undefined ? [] : waitingOf(ledger, memory.id),
  };
}

function describeRun(run: StoredRun): { run: number; at: string; result: string } {
  return { run: run.run, at: new Date(run.startedAt).toISOString(), result: run.result };
}

function waitingOf(
  ledger: Ledger,
  project: Parameters<Ledger["rows"]["waiting"]>[0],
): readonly WaitingLine[] {
  return ledger.rows.waiting(project, maxWaiting).map((row: WaitingRow) => ({
    post: row.post,
    issues: row.issues.map(
      ({ repositoryId, number }) =>
        `${ledger.memory.repositoryById(repositoryId)?.repository.name ?? ""}#${number}`,
    ),
    kind: row.kind,
    code: row.code ?? null,
    message: row.message,
    since: new Date(row.since).toISOString(),
  }));
}

function daemonOf(ledger: Ledger | undefined): { readonly lastBeat: string } | null {
  const beat = ledger?.runs.heartbeat();
  return beat === undefined ? null : { lastBeat: new Date(beat.at).toISOString() };
}

function print(
  terminal: Terminal,
  state: string,
  ledger: Ledger | undefined,
  projects: readonly ProjectStatus[],
): void {
  if (ledger === undefined) {
    terminal.out.write(
      `No run yet: there is no state at ${state}. \`boardsync plan\` shows what the first one would do.\n`,
    );
    return;
  }
  const head = [
    "project",
    "repository",
    "posts",
    "issues",
    "last run",
    "result",
    "in step",
    "held",
    "parked",
    "quarantined",
  ];
  printTable(
    terminal.out,
    head,
    projects.map((one) => [
      one.project,
      one.repo,
      String(one.posts),
      String(one.issues),
      one.lastRun?.at ?? "never",
      one.lastRun?.result ?? "–",
      one.lagSeconds === null ? "never" : `${ageOf(one.lagSeconds)} ago`,
      String(one.held),
      String(one.parked),
      String(one.quarantined),
    ]),
  );
  for (const one of projects) {
    for (const line of one.waiting) {
      const issues = line.issues.length === 0 ? "" : ` (${line.issues.join(", ")})`;
      terminal.out.write(
        `${escapeControls(`${line.kind}: ${one.project}/${line.post}${issues}, since ${line.since}: ${line.message}`)}\n`,
      );
    }
  }
}

function ageOf(seconds: number): string {
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 7200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}
