import { resolve } from "node:path";
import { loadConfig } from "../config/load.ts";
import type { Config } from "../config/schema.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { WaitingRow } from "../ledger/rows.ts";
import type { StoredRun } from "../ledger/runs.ts";
import type { ProjectId } from "../model/post.ts";
import { readImport } from "../sync/import.ts";
import { remedyOf } from "../sync/remedy.ts";
import { systemClock } from "./clock.ts";
import { configSource } from "./config-source.ts";
import { failWith } from "./failure.ts";
import { readHeartbeat } from "./heartbeat.ts";
import { printJson } from "./json.ts";
import { nextRunOf } from "./next-run.ts";
import { readState } from "./state.ts";
import { readDatabase } from "./status-database.ts";
import {
  type FailedLine,
  type LastRun,
  type ProjectStatus,
  printStatus,
  type StatusReport,
  type WaitingLine,
} from "./status-report.ts";
import { type CommonOptions, exitCodes, type Terminal } from "./terminal.ts";

/** More than this is never printed of what waits in one project. */
const maxWaiting = 1000;

/** `boardsync status`: what the state says. Works beside a running daemon, and needs no secret and no network. */
export function status(terminal: Terminal, options: CommonOptions): number {
  try {
    const { config } = loadConfig(configSource(terminal, options));
    const state = resolve(terminal.cwd, config.state);
    const ledger = readState(state);
    try {
      const report = readStatus(config, state, ledger);
      if (options.json === true) printJson(terminal.out, report);
      else if (options.quiet === true) return exitCodes.ok;
      else if (ledger !== undefined) printStatus(terminal.out, report);
      else terminal.out.write(`No run yet: there is no state at ${state}. Next: \`boardsync plan\`.\n`);
    } finally {
      ledger?.close();
    }
    return exitCodes.ok;
  } catch (error) {
    return failWith(terminal, options, error);
  }
}

function readStatus(config: Config, state: string, ledger: Ledger | undefined): StatusReport {
  const beat = readHeartbeat(ledger);
  return {
    state,
    daemon:
      beat === undefined
        ? null
        : {
            alive: beat.isAlive,
            lastBeat: new Date(beat.at).toISOString(),
            ageSeconds: Math.round(beat.ageMs / 1000),
          },
    database: ledger === undefined ? null : readDatabase(ledger),
    projects: config.projects.map((project) => ({
      ...readProject(project, config.tracker.pace, ledger),
      nextRun: nextRunOf(config, project.project, ledger),
    })),
  };
}

function timeOf(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}

function readProject(
  project: Config["projects"][number],
  pace: Config["tracker"]["pace"],
  ledger: Ledger | undefined,
): Omit<ProjectStatus, "nextRun"> {
  const memory = ledger?.memory.project(project.project);
  const counts = memory && ledger?.rows.counts(memory.id);
  const last = ledger?.runs.last(project.project);
  const success = memory?.lastSuccessAt;
  const rows = memory && ledger ? ledger.rows.waiting(memory.id, maxWaiting + 1) : [];
  return {
    project: project.project,
    repo: project.repo,
    posts: counts?.posts ?? 0,
    issues: counts?.issues ?? 0,
    lastRun: last === undefined ? null : readRun(last),
    lastSuccess: timeOf(success),
    lagSeconds: success === undefined ? null : ageOf(success),
    hold: textOf(last?.report, "hold"),
    import: memory && ledger ? readImportStatus(ledger, memory.id, pace) : null,
    held: counts?.held ?? 0,
    parked: counts?.parked ?? 0,
    quarantined: counts?.quarantined ?? 0,
    waiting: withoutEchoes(rows.slice(0, maxWaiting)).map((row) => readWaiting(row, project.project, ledger)),
    hasMore: rows.length > maxWaiting,
  };
}

function readImportStatus(
  ledger: Ledger,
  project: ProjectId,
  pace: Config["tracker"]["pace"],
): ProjectStatus["import"] {
  const found = readImport({ ledger, policy: { pace } }, project, systemClock.now());
  return found === undefined ? null : { ...found, doneAt: new Date(found.doneAt).toISOString() };
}

function ageOf(at: number): number {
  return Math.max(0, Math.round((systemClock.now() - at) / 1000));
}

function readRun({ run, startedAt, result, report }: StoredRun): LastRun {
  return {
    run,
    at: new Date(startedAt).toISOString(),
    result,
    ageSeconds: ageOf(startedAt),
    errors: readErrors(report),
  };
}

/** The errors of a stored report; a report of another version may have none, or others. */
function readErrors(report: unknown): readonly FailedLine[] {
  const errors: unknown = fieldOf(report, "errors");
  return (Array.isArray(errors) ? errors : []).map((error: unknown) => ({
    post: textOf(error, "post"),
    issue: textOf(error, "issue"),
    code: textOf(error, "code") ?? "unknown",
    message: textOf(error, "message") ?? "",
    advice: textOf(error, "advice"),
  }));
}

function textOf(value: unknown, name: string): string | null {
  const field = fieldOf(value, name);
  return typeof field === "string" ? field : null;
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined;
}

/** Of a post whose issue is gone it is said that it is parked: that nothing can be decided of it is the same once more. */
function withoutEchoes(rows: readonly WaitingRow[]): readonly WaitingRow[] {
  const parked = new Set(rows.flatMap((row) => (isParkedForGood(row) ? [row.post] : [])));
  return rows.filter(({ kind, post }) => kind !== "undecided" || !parked.has(post));
}

function isParkedForGood({ kind, issues, code = "" }: WaitingRow): boolean {
  return kind === "parked" && issues.length > 0 && code.startsWith("tracker.");
}

function readWaiting(row: WaitingRow, project: string, ledger: Ledger | undefined): WaitingLine {
  return {
    post: row.post,
    issues: row.issues.map(
      ({ repositoryId, number }) =>
        `${ledger?.memory.repositoryById(repositoryId)?.repository.name ?? ""}#${number}`,
    ),
    kind: row.kind,
    code: row.code ?? null,
    message: row.message,
    since: new Date(row.since).toISOString(),
    command: remedyOf(row, project) ?? null,
  };
}
