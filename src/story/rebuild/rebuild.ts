import type { Change } from "../../ledger/change.ts";
import type { RepositoryName } from "../../model/issue.ts";
import type { BoardProject } from "../../model/post.ts";
import type { ReadBounds } from "../../model/surroundings.ts";
import { hourMs } from "../../model/time.ts";
import { startTally, type Tally } from "../../sync/ground/cycle-state.ts";
import type { Order } from "../../sync/ground/order.ts";
import { noteError, noteFailure } from "../../sync/ground/report.ts";
import type { ProjectReport, ReportedError, RunReport } from "../../sync/ground/reports.ts";
import { pickProject, repositoryNames, type SyncProject, type World } from "../../sync/ground/world.ts";
import { runProjects } from "../../sync/run.ts";
import { findAll, type RebuildFindings, type SurveyedIssue, surveyRepository } from "./findings.ts";

/** What `rebuild --json` prints. */
export interface RebuildReport extends Pick<RunReport, "run" | "result" | "startedAt" | "durationMs"> {
  readonly projects: readonly RebuiltProject[];
}

/** One project after its rebuild. */
export type RebuiltProject = Awaited<ReturnType<typeof lookOver>>;

const expected: ReadonlySet<string> = new Set(["tracker.duplicate", "state.old"]);

/** A rebuild reads all there is, and a person waits for it: it may take longer than a run. */
const patienceMs = 6 * hourMs;

const nothingFound: RebuildFindings = {
  disagreements: [],
  duplicates: [],
  strangers: [],
  edited: [],
  unreadable: [],
  orphans: [],
  absent: [],
  otherBoards: 0,
};

/** What the projects of one rebuild share. */
interface Rebuild {
  readonly world: World;
  readonly bounds: ReadBounds;
  /** Issues of the repositories that were looked through, so that projects which share one do it once. */
  readonly surveyed: Map<RepositoryName, readonly SurveyedIssue[]>;
  /** As of a run. */
  readonly listed: BoardProject[];
}

/** One project of it, which has been run. */
interface Looking extends Rebuild {
  readonly project: SyncProject;
  readonly report: ProjectReport;
  readonly tally: Tally;
}

/**
 * Makes the state anew from the marks in the issues, whatever it was: empty, an old copy, or sound. All of both sides is read
 * again, and every issue of every repository is looked at. What carries a mark of ours is linked, links that the state has
 * already are kept, every pair takes both sides as they are, and nothing is written to either.
 */
export async function rebuildProjects(
  projects: readonly SyncProject[],
  world: World,
  signal: AbortSignal,
): Promise<RebuildReport> {
  const { ledger, clock, policy } = world;
  const patient: World = { ...world, policy: { ...policy, budgetMs: patienceMs } };
  const before = new Map<string, number>();
  for (const { key } of projects) before.set(key, await countLinked(key, world));
  const startedAt = clock.now();
  await ledger.commit(forgetReads(projects, world));
  // A moment ago: whatever is scanned from now on is newer than what the state knows.
  const order: Order = { kind: "adopt", rebuildStamp: startedAt - 1 };
  const { report } = await runProjects(projects, patient, order, signal);
  const bounds = { until: startedAt + patienceMs, signal };
  const rebuild: Rebuild = { world: patient, bounds, surveyed: new Map(), listed: [] };
  const rebuilt: RebuiltProject[] = [];
  for (const project of projects) {
    const done = report.projects.find(({ project: key }) => key === project.key);
    if (done === undefined) continue;
    const looking = { ...rebuild, project, report: done, tally: startTally() };
    rebuilt.push(await lookOver(looking, before.get(project.key) ?? 0));
  }
  return {
    run: report.run,
    result: resultOf(report, rebuilt),
    startedAt: report.startedAt,
    durationMs: clock.now() - startedAt,
    projects: rebuilt,
  };
}

/** What was read before counts no more: who we are, what the names mean, which issues were scanned and looked at. */
export function forgetReads(
  projects: readonly SyncProject[],
  { ledger: { memory } }: Pick<World, "ledger">,
): readonly Change[] {
  const account = memory.account();
  const names = new Set(projects.flatMap(({ settings }) => repositoryNames(settings)));
  return [
    ...(account === undefined
      ? []
      : [{ kind: "remember-account", account: { ...account, checkedAt: 0 } } as const]),
    ...projects.flatMap(({ key }): readonly Change[] => {
      const known = memory.project(key);
      if (known === undefined) return [];
      return [{ kind: "remember-project", memory: { ...known, checkedAt: 0, fullAt: undefined } }];
    }),
    ...[...names].flatMap((name): readonly Change[] => {
      const known = memory.repository(name);
      if (known === undefined) return [];
      return [
        {
          kind: "remember-repository",
          memory: { ...known, checkedAt: 0, etag: undefined, fullAt: undefined },
        },
      ];
    }),
  ];
}

/** Looks through the project's repositories for what a person should know. */
async function lookOver(looking: Looking, before: number) {
  const { world, project, report, tally } = looking;
  const { board, tracker } = world;
  const asked = { board: board.requests, tracker: tracker.requests };
  const findings = await findOrNote(looking);
  const linked = await countLinked(project.key, world);
  return {
    project: project.key,
    repo: project.settings.repo,
    /** Seen on the board. */
    posts: report.posts,
    /** Linked issues: those that the state knew before, and those that were found by their marks. */
    kept: before,
    found: Math.max(0, linked - before),
    ...findings,
    /** Until when no issue is opened, because a request of an earlier life may still be under way; null where nothing waits. */
    waitsUntil: findWait(project, world),
    requests: {
      board: report.requests.board + board.requests - asked.board,
      tracker: report.requests.tracker + tracker.requests - asked.tracker,
    },
    // What is a finding here, or what it is for, is no failure.
    errors: [...report.errors.filter(({ code }) => !expected.has(code)), ...tally.errors],
    ...(report.hold !== undefined && { hold: report.hold }),
  };
}

/** Nothing is looked for where the project itself could not be read; the report says why. */
async function findOrNote(looking: Looking): Promise<RebuildFindings> {
  const { world, project, report, tally, bounds, listed } = looking;
  const memory = world.ledger.memory.project(project.key);
  // A limit, or a signal, may have ended it before anything was decided.
  if (memory?.fullAt === undefined) {
    const isPutOff = report.errors.every(({ code }) => code.startsWith("run.") || code.endsWith(".limited"));
    if (isPutOff) noteError(tally, unfinished);
    return nothingFound;
  }
  try {
    if (listed.length === 0) listed.push(...(await world.board.listProjects(bounds)));
    const configured = new Set(world.policy.projectKeys.flatMap((key) => pickProject(listed, key)?.id ?? []));
    const { issues, first } = await surveyAll(looking);
    const isListComplete = !report.errors.some(({ code }) => code.startsWith("board."));
    return await findAll(world, { memory, configured, isListComplete, issues, first });
  } catch (error) {
    await noteFailure(tally, { run: { ...looking, order: { kind: "adopt" } }, world, project }, error, false);
    if (tally.isPutOff) noteError(tally, unfinished);
    return nothingFound;
  }
}

const unfinished: ReportedError = {
  code: "rebuild.unfinished",
  message:
    "A limit of the board or of GitHub, or a signal, ended the rebuild early. Nothing was written to either; run it again later.",
};

async function surveyAll({ world, bounds, surveyed, project: { key, settings } }: Looking): Promise<{
  readonly issues: readonly SurveyedIssue[];
  readonly first: readonly SurveyedIssue[];
}> {
  const issues: SurveyedIssue[] = [];
  const first: SurveyedIssue[] = [];
  for (const name of repositoryNames(settings)) {
    const known = surveyed.get(name);
    const found = known ?? (await surveyRepository(world, name, key, bounds));
    surveyed.set(name, found);
    issues.push(...found);
    if (known === undefined) first.push(...found);
  }
  return { issues, first };
}

async function countLinked(key: string, { ledger }: World): Promise<number> {
  const memory = ledger.memory.project(key);
  return memory === undefined ? 0 : (await ledger.rows.counts(memory.id)).issues;
}

/** The latest time at which one of its repositories takes new issues again. */
function findWait({ settings }: SyncProject, { ledger, clock, policy }: World): string | null {
  const times = repositoryNames(settings).map((name) => {
    const recoveredAt = ledger.memory.repository(name)?.recoveredAt;
    return recoveredAt === undefined ? 0 : recoveredAt + policy.waits.createMs;
  });
  const latest = Math.max(...times);
  return latest > clock.now() ? new Date(latest).toISOString() : null;
}

function resultOf(report: RunReport, rebuilt: readonly RebuiltProject[]): RunReport["result"] {
  if (report.result === "failed") return "failed";
  if (rebuilt.some(({ errors }) => errors.length > 0)) return "partial";
  return report.result === "held" || rebuilt.some(hasPersonsWork) ? "held" : "ok";
}

/** Whether the next run would open an issue that may be there already, or one is there that is too many. */
function hasPersonsWork({ duplicates, strangers, unreadable }: RebuiltProject): boolean {
  return (
    duplicates.length > 0 ||
    strangers.some(({ linked }) => !linked) ||
    unreadable.some(({ linked }) => !linked)
  );
}
