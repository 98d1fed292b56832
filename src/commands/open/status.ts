import type { Config } from "../../config/schema.ts";
import type { Ledger, Pruned } from "../../ledger/ledger.ts";
import type { StoredRun } from "../../ledger/orders.ts";
import type { WaitingRow } from "../../ledger/rows.ts";
import type { ProjectId } from "../../model/post.ts";
import { inOrder } from "../../select.ts";
import { nameIssue } from "../../sync/ground/cycle-state.ts";
import { command, remedyOf } from "../../sync/ground/remedy.ts";
import { stampOf } from "../../sync/read/old-state.ts";
import { tellEntries } from "../../sync/tell/entries.ts";
import { describeHeard, readNotified } from "../../sync/tell/notified.ts";
import { describeState, type ProjectState, readProject } from "../../sync/tell/project-state.ts";
import { lastTokenEnd, type StoredReport } from "../../sync/tell/stored-report.ts";
import { readImport } from "../../sync/write/pace.ts";
import { systemClock } from "./clock.ts";
import { readHeartbeat } from "./heartbeat.ts";
import { readMoment } from "./next-run.ts";
import { findOtherConfigs } from "./other-config.ts";

/** More than this is never printed of what waits in one project. */
const maxWaiting = 1000;

/** What `status --json` prints. */
export type StatusReport = Awaited<ReturnType<typeof readStatus>>;
/** One project, as the state knows it. */
export type ProjectStatus = Awaited<ReturnType<typeof tellProject>>;
/** The last run that a project had a part in. */
export type LastRun = ReturnType<typeof readRun>;
/** One thing that waits. */
export type WaitingLine = ReturnType<typeof readWaiting>;

/**
 * What the state says; `config/docs/reference/json.md` promises these fields. Times are ISO 8601.
 *
 * @param state - its name.
 * @param isKnown - whether there is one: else the ledger is empty.
 */
export async function readStatus(config: Config, state: string, ledger: Ledger, isKnown: boolean) {
  const beat = await readHeartbeat(ledger);
  const projectKeys = config.projects.map(({ project }) => project);
  return {
    state,
    /** The last sign of life of one; null when none has ever run on this state. */
    daemon:
      beat === undefined
        ? null
        : {
            alive: beat.isAlive,
            lastBeat: new Date(beat.at).toISOString(),
            ageSeconds: Math.round(beat.ageMs / 1000),
          },
    /** The daemons that share a state on PostgreSQL, and what each runs now. */
    replicas: (await ledger.runs.replicas()).map(({ who, at, projects }) => ({
      who,
      lastBeat: new Date(at).toISOString(),
      ageSeconds: ageOf(at),
      projects,
    })),
    otherConfigs: await findOtherConfigs(config, ledger),
    database: isKnown ? await readDatabase(ledger) : null,
    /** When the copy was made that was put back as this state; null for an original, and once a run has dealt with it. */
    copyOf: timeOf(copyOf(ledger, projectKeys)),
    tokenEnds: timeOf((await lastTokenEnd(ledger, projectKeys))?.endsAt),
    projects: await inOrder(config.projects, async (project) => tellProject(config, project, ledger)),
  };
}

/** As `status --json` prints it. */
export type DatabaseStatus = Awaited<ReturnType<typeof readDatabase>>;

/** How big the state is; sizes in bytes, of the file and of the write-ahead journal beside it. */
export async function readDatabase(ledger: Ledger) {
  const { pruned, ...size } = await ledger.upkeep.size();
  const { bytes, freeBytes, links } = size;
  return {
    ...size,
    /** What the file uses; null while there is no link. */
    bytesPerLink: links === 0 ? null : Math.round((bytes - freeBytes) / links),
    historySince: describeSince(pruned),
  };
}

/** From when on the history is whole, ISO 8601; null where nothing was deleted from it. */
export function describeSince(pruned: Pruned | undefined): string | null {
  return pruned === undefined ? null : new Date(pruned.before).toISOString();
}

/** Of a copy that was put back, and that no run has taken as it is yet, when it was made; epoch ms. */
function copyOf({ memory, copiedAt }: Ledger, projects: readonly string[]): number | undefined {
  const isOver = projects.every((key) => {
    const known = memory.project(key);
    return known === undefined || known.recoveredFrom === stampOf({ copiedAt }, known);
  });
  return isOver ? undefined : copiedAt;
}

/** ISO 8601; null where it is not known. */
export function timeOf(at: number | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}

async function tellProject(
  config: Config,
  { project, repo, changelog }: Config["projects"][number],
  ledger: Ledger,
) {
  const now = systemClock.now();
  const moment = await readMoment(config, project, ledger);
  const { memory, last, report, counts, state } = await readProject(ledger, project, { now, ...moment });
  const {
    posts = 0,
    issues = 0,
    held = 0,
    parked = 0,
    quarantined = 0,
    paused = 0,
    missing = 0,
  } = counts ?? {};
  const { pause } = state;
  const success = memory?.lastSuccessAt;
  const known = memory && (await readKnown(ledger, project, memory.id, config.tracker.pace, now));
  return {
    project,
    repo,
    posts,
    issues,
    state: state.kind,
    /** How many what needs a person would notify; null where the board shows no votes. */
    voters: neededVoters(state),
    sentence: describeState(state),
    lastRun: last === undefined || report === undefined ? null : readRun(last, report),
    lastSuccess: timeOf(success),
    /** How far the two sides may be out of step. */
    lagSeconds: success === undefined ? null : ageOf(success),
    hold: report?.hold ?? null,
    putOff: report?.putOff ?? [],
    import: known?.import ?? null,
    held,
    parked,
    quarantined,
    /** Posts that people have paused; they are in none of the three before. */
    paused,
    /** Of the whole project, or of all. */
    pausedSince: timeOf(pause?.since),
    resume: pause === undefined ? null : command("resume", pause.of === "all" ? "--all" : project),
    missing,
    notified: known?.notified ?? null,
    changelog: await tellEntries(ledger, project, changelog?.publish),
    waiting: known?.waiting ?? [],
    hasMore: known?.hasMore ?? false,
    nextRun: timeOf(moment.nextRunAt),
  };
}

/** What only a project that has run can have. */
async function readKnown(
  ledger: Ledger,
  project: string,
  id: ProjectId,
  pace: Config["tracker"]["pace"],
  now: number,
) {
  const under = await readImport({ ledger, pace }, id, now);
  const heard = await readNotified(ledger, id, now);
  const [last] = heard?.writes ?? [];
  const rows = await ledger.rows.waiting(id, maxWaiting + 1);
  const lost = await ledger.rows.waiting(id, maxWaiting + 1, ["missing"]);
  const waiting: readonly WaitingLine[] = [rows, lost]
    .flatMap((found) => found.slice(0, maxWaiting))
    .map((row) => readWaiting(row, project, ledger));
  return {
    /** How far the opening of issues is, as the last run left it; undefined where none is left to be opened. */
    import: under && { ...under, doneAt: new Date(under.doneAt).toISOString() },
    notified: heard && { who: describeHeard(heard), lastAt: timeOf(last?.at), lastRun: last?.run ?? null },
    waiting,
    hasMore: rows.length > maxWaiting || lost.length > maxWaiting,
  };
}

function neededVoters({ needed }: ProjectState): number | null {
  if (needed === undefined) return 0;
  return needed.voters === 0 && needed.hasUnknown ? null : needed.voters;
}

function ageOf(at: number): number {
  return Math.max(0, Math.round((systemClock.now() - at) / 1000));
}

/** The result is the project's own: another one of the same run may have failed. */
function readRun({ run, startedAt, result }: StoredRun, report: StoredReport) {
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

function readWaiting(row: WaitingRow, project: string, ledger: Ledger) {
  return {
    post: String(row.post),
    issues: row.issues.map((issue) => nameIssue({ world: { ledger } }, issue)),
    kind: row.kind,
    cause: row.cause,
    code: row.code ?? null,
    message: row.message,
    title: row.title,
    planned: row.planned ?? null,
    /** When it follows by itself at the earliest; null where that is not known. */
    until: timeOf(row.until),
    since: new Date(row.since).toISOString(),
    /** Null for what ends by itself, or by a change on either side. */
    command: remedyOf(row, project) ?? null,
  };
}
