import { loadConfig } from "../../config/load.ts";
import type { Config } from "../../config/schema.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { StoredRun } from "../../ledger/orders.ts";
import type { WaitingRow } from "../../ledger/rows.ts";
import { inOrder } from "../../select.ts";
import { countProject } from "../../sync/ground/counts.ts";
import { command, remedyOf } from "../../sync/ground/remedy.ts";
import { stampOf } from "../../sync/read/old-state.ts";
import { tellEntries } from "../../sync/tell/entries.ts";
import { describeHeard, type Notified, readNotified } from "../../sync/tell/notified.ts";
import {
  describeState,
  type Moment,
  type ProjectState,
  readProjectState,
  unknownState,
} from "../../sync/tell/project-state.ts";
import { readReport, type StoredReport } from "../../sync/tell/stored-report.ts";
import { tellTimes } from "../../sync/tell/times.ts";
import { lastTokenEnd } from "../../sync/tell/token-end.ts";
import { readImport } from "../../sync/write/backlog.ts";
import { systemClock } from "../open/clock.ts";
import { configSource } from "../open/config-source.ts";
import { readHeartbeat } from "../open/heartbeat.ts";
import { readMoment } from "../open/next-run.ts";
import { findOtherConfigs } from "../open/other-config.ts";
import { describeNone, placeOfState, readState } from "../open/state.ts";
import { readDatabase } from "../open/status-database.ts";
import { type CommandCall, type CommonOptions, exitCodes } from "../print/terminal.ts";
import { printJson, printLine } from "../print/text.ts";
import { type LastRun, type ProjectStatus, printStatus, type StatusReport } from "../reports/status.ts";
import type { WaitingLine } from "../reports/waits.ts";

/** More than this is never printed of what waits in one project. */
const maxWaiting = 1000;

interface StatusOptions extends CommonOptions {
  readonly full?: boolean;
}

/** `boardsync status`: what the state says. Works beside a running daemon, and needs no secret and no network. */
export async function status({ terminal, options }: CommandCall<StatusOptions>): Promise<number> {
  const { config } = loadConfig(configSource(terminal, options));
  const place = placeOfState(terminal, config);
  const ledger = await readState(place);
  try {
    const report = await readStatus(config, place.name, ledger);
    if (options.json === true) printJson(terminal.out, report);
    else if (options.quiet === true) return exitCodes.ok;
    else if (ledger === undefined) printLine(terminal.out, "", describeNone(place.name));
    else {
      const times = tellTimes(systemClock.now(), config.timezone);
      printStatus(terminal.out, times, report, options.full === true);
    }
    return exitCodes.ok;
  } finally {
    ledger?.close();
  }
}

async function readStatus(config: Config, state: string, ledger: Ledger | undefined): Promise<StatusReport> {
  const beat = await readHeartbeat(ledger);
  const projectKeys = config.projects.map(({ project }) => project);
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
    replicas: await readReplicas(ledger),
    otherConfigs: await findOtherConfigs(config, ledger),
    database: ledger === undefined ? null : await readDatabase(ledger),
    copyOf: timeOf(copyOf(ledger, projectKeys)),
    tokenEnds: timeOf((await lastTokenEnd(ledger, projectKeys))?.endsAt),
    projects: await inOrder(config.projects, async (project) =>
      readProject(project, config.tracker.pace, ledger, await readMoment(config, project.project, ledger)),
    ),
  };
}

/** Of a copy that was put back, and that no run has taken as it is yet, when it was made; epoch ms. */
function copyOf(ledger: Ledger | undefined, projects: readonly string[]): number | undefined {
  const isOver = projects.every((key) => {
    const memory = ledger?.memory.project(key);
    return memory === undefined || memory.recoveredFrom === stampOf({ copiedAt: ledger?.copiedAt }, memory);
  });
  return isOver ? undefined : ledger?.copiedAt;
}

async function readReplicas(ledger: Ledger | undefined): Promise<StatusReport["replicas"]> {
  const replicas = (await ledger?.runs.replicas()) ?? [];
  return replicas.map(({ who, at, projects }) => ({
    who,
    lastBeat: new Date(at).toISOString(),
    ageSeconds: ageOf(at),
    projects,
  }));
}

function timeOf(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}

async function readProject(
  { project, repo, changelog }: Config["projects"][number],
  pace: Config["tracker"]["pace"],
  ledger: Ledger | undefined,
  told: Omit<Moment, "now">,
): Promise<ProjectStatus> {
  const memory = ledger?.memory.project(project);
  const last = await ledger?.runs.last(project);
  const report = last && readReport(last.report);
  const counts = ledger && (await countProject(ledger, memory, report?.hold !== undefined));
  const moment = { now: systemClock.now(), ...told };
  const state = ledger === undefined ? unknownState : await readProjectState(ledger, project, moment);
  const { pause } = state;
  const success = memory?.lastSuccessAt;
  const known = memory && ledger && { ledger, id: memory.id };
  const under = known && (await readImport({ ledger: known.ledger, pace }, known.id, systemClock.now()));
  const heard = known && (await readNotified(known.ledger, known.id, systemClock.now()));
  const rows = known ? await known.ledger.rows.waiting(known.id, maxWaiting + 1) : [];
  const lost = known ? await known.ledger.rows.waiting(known.id, maxWaiting + 1, ["missing"]) : [];
  return {
    project,
    repo,
    posts: counts?.posts ?? 0,
    issues: counts?.issues ?? 0,
    state: state.kind,
    voters: neededVoters(state),
    sentence: describeState(state),
    lastRun: last === undefined || report === undefined ? null : readRun(last, report),
    lastSuccess: timeOf(success),
    lagSeconds: success === undefined ? null : ageOf(success),
    hold: report?.hold ?? null,
    putOff: report?.putOff ?? [],
    import: under === undefined ? null : { ...under, doneAt: new Date(under.doneAt).toISOString() },
    held: counts?.held ?? 0,
    parked: counts?.parked ?? 0,
    quarantined: counts?.quarantined ?? 0,
    paused: counts?.paused ?? 0,
    pausedSince: timeOf(pause?.since),
    resume: pause === undefined ? null : command("resume", pause.of === "all" ? "--all" : project),
    missing: counts?.missing ?? 0,
    notified: heard === undefined ? null : tellHeard(heard),
    changelog: ledger === undefined ? [] : await tellEntries(ledger, project, changelog?.publish),
    waiting: [...rows.slice(0, maxWaiting), ...lost.slice(0, maxWaiting)].map((row) =>
      readWaiting(row, project, ledger),
    ),
    hasMore: rows.length > maxWaiting || lost.length > maxWaiting,
    nextRun: timeOf(told.nextRunAt),
  };
}

function neededVoters({ needed }: ProjectState): number | null {
  if (needed === undefined) return 0;
  return needed.voters === 0 && needed.hasUnknown ? null : needed.voters;
}

function tellHeard(found: Notified): ProjectStatus["notified"] {
  const [last] = found.writes;
  return { who: describeHeard(found), lastAt: timeOf(last?.at), lastRun: last?.run ?? null };
}

function ageOf(at: number): number {
  return Math.max(0, Math.round((systemClock.now() - at) / 1000));
}

/** The result is the project's own: another one of the same run may have failed. */
function readRun({ run, startedAt, result }: StoredRun, report: StoredReport): LastRun {
  return {
    run,
    at: new Date(startedAt).toISOString(),
    result: report.result ?? result,
    ageSeconds: ageOf(startedAt),
    errors: report.errors.map(({ post, issue, code, message, advice, until }) => ({
      post: post ?? null,
      issue: issue ?? null,
      code,
      message,
      advice: advice ?? null,
      until: until ?? null,
    })),
  };
}

function readWaiting(row: WaitingRow, project: string, ledger: Ledger | undefined): WaitingLine {
  return {
    post: row.post,
    issues: row.issues.map(
      ({ repositoryId, number }) =>
        `${ledger?.memory.repositoryById(repositoryId)?.repository.name ?? ""}#${number}`,
    ),
    kind: row.kind,
    cause: row.cause,
    code: row.code ?? null,
    message: row.message,
    title: row.title,
    planned: row.planned ?? null,
    until: timeOf(row.until),
    since: new Date(row.since).toISOString(),
    command: remedyOf(row, project) ?? null,
  };
}
