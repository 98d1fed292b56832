import type { BegunRun } from "../ledger/orders.ts";
import { hourMs, minuteMs } from "../model/time.ts";
import { inOrder } from "../select.ts";
import { type CycleResult, runCycle } from "./cycle.ts";
import { forgetOldLooks } from "./ground/looks.ts";
import { isPreview, type Order } from "./ground/order.ts";
import type { CarriedAction, PlanReport, ProjectReport, RunReport, SavedProject } from "./ground/reports.ts";
import type { Run, SyncProject, World } from "./ground/world.ts";
import { planEntry } from "./tell/entries.ts";
import { type ProjectState, readProjectState } from "./tell/project-state.ts";
import { describeTokenEnd, isTokenNews, lastTokenEnd } from "./tell/stored-report.ts";
import { keepSmall, refuseFullJournal } from "./upkeep.ts";

export interface RunResult {
  readonly report: RunReport;
  /** Without actions where the order is none to plan. */
  readonly plan: PlanReport;
  /** Of a plan, and of a look at an undo: the projects that could be decided, as a file keeps them. */
  readonly saved: readonly SavedProject[];
  /** What became of what a person has ordered, by project. */
  readonly carried: ReadonlyMap<string, readonly CarriedAction[]>;
  /** How far the clock has gone back since the last run, in ms: times of the state that lay ahead are now. */
  readonly aheadMs: number;
  /** How each of the given projects stands after the run, also one that a signal kept from being looked at. */
  readonly projectsAfter: readonly ProjectAfter[];
}

/** How one project stands. */
export interface ProjectAfter {
  readonly project: string;
  readonly state: ProjectState;
  /** Whether this run came to it. */
  readonly isRun: boolean;
}

/** Runs the given projects, one after another; one that fails never stops another. Each result is logged as it comes. */
export async function runProjects(
  projects: readonly SyncProject[],
  world: World,
  order: Order,
  signal: AbortSignal,
): Promise<RunResult> {
  const run = (): Promise<RunResult> => runEach(projects, world, order, signal);
  return world.clock.steadily?.(run) ?? run();
}

async function runEach(
  projects: readonly SyncProject[],
  world: World,
  order: Order,
  signal: AbortSignal,
): Promise<RunResult> {
  const { ledger, clock, policy, log } = world;
  const startedAt = clock.now();
  await refuseFullJournal(world);
  const begun = await ledger.runs.begin(startedAt);
  sayClock(world, begun);
  const run: Run = {
    number: begun.run,
    order,
    startedAt,
    bounds: { until: startedAt + policy.budgetMs, signal },
    dueAt: world.round?.dueAt ?? startedAt,
    looks: world.round?.looks ?? new Map(),
    listed: [],
    companions: [...projects, ...(world.round?.waiting ?? [])],
    recent: new Map(),
    closed: new Map(),
  };
  await recoverJournal(projects, world, run);
  forgetOldLooks(run.looks, startedAt);
  world.tracker.sizes?.take(ledger.memory.sizes());
  const tokenBefore = await lastTokenEnd(ledger, policy.projectKeys);
  const results: CycleResult[] = [];
  const served: SyncProject[] = [];
  for (const project of await inTurn(projects, world, startedAt)) {
    if (signal.aborted) break;
    log.info({ run: run.number, project: project.key, mode: order.kind }, "Project started");
    const result = await runCycle(project, world, run);
    logResult(world, run, result.report);
    results.push(result);
    const isCut = signal.aborted || clock.now() >= run.bounds.until || result.report.putOff !== undefined;
    if (served.length === 0 || !isCut) served.push(project);
  }
  await noteTurns(projects, served, world, run);
  const tokenEnds = sayTokenEnd(world, run, tokenBefore);
  // Reports stand in the order of the config, whoever had the first turn.
  const sorted = projects.flatMap(({ key }) => results.filter(({ report }) => report.project === key));
  const ended = sorted.map(({ report, ...rest }) => ({ ...rest, report: { ...report, ...tokenEnds } }));
  return { ...(await finish(world, run, ended, projects)), aheadMs: begun.aheadMs };
}

/** A run that GitHub gave no answer keeps what the one before was told. */
function sayTokenEnd(
  { tracker, clock, log }: World,
  run: Run,
  before: Awaited<ReturnType<typeof lastTokenEnd>>,
): Pick<ProjectReport, "tokenEnds"> {
  const told = tracker.credentialEnds?.();
  const endsAt = told === undefined && tracker.credentialEnds !== undefined ? before?.endsAt : told;
  const sentence = describeTokenEnd(endsAt, clock.now());
  if (sentence !== undefined && isTokenNews(endsAt, clock.now(), before) && !isPreview(run))
    log.warn({ code: "tracker.token" }, sentence);
  return endsAt === undefined || endsAt === null ? {} : { tokenEnds: new Date(endsAt).toISOString() };
}

/**
 * What ends a run may end it before its last project: while something is left, whoever has written least of late comes first, then
 * whoever has waited longest for a turn.
 */
async function inTurn(
  projects: readonly SyncProject[],
  { ledger: { pace, memory } }: World,
  now: number,
): Promise<readonly SyncProject[]> {
  const budgets = new Set((await pace.backlogs()).map(({ budget }) => budget));
  const sent = (await inOrder(budgets, async (budget) => pace.writes(now - hourMs, budget))).flat();
  const known = Map.groupBy(sent, ({ project }) => project);
  const countOf = ({ key }: SyncProject): number => known.get(memory.project(key)?.id)?.length ?? 0;
  const turnOf = ({ key }: SyncProject): number => {
    const { turnAt = 0 } = memory.project(key) ?? {};
    // A clock that was ahead has told it.
    return turnAt > now ? 0 : turnAt;
  };
  return projects.toSorted((one, other) => countOf(one) - countOf(other) || turnOf(one) - turnOf(other));
}

/** Remembers who has had a turn in a run that did not come to all: its time was over, or a limit ended it. */
async function noteTurns(
  projects: readonly SyncProject[],
  served: readonly SyncProject[],
  { ledger }: World,
  run: Run,
): Promise<void> {
  if (served.length === projects.length || isPreview(run)) return;
  const known = served.flatMap(({ key }) => ledger.memory.project(key) ?? []);
  await ledger.commit(
    known.map((memory) => ({ kind: "remember-project", memory: { ...memory, turnAt: run.startedAt } })),
  );
}

async function finish(
  world: World,
  run: Run,
  results: readonly CycleResult[],
  projects: readonly SyncProject[],
): Promise<Omit<RunResult, "aheadMs">> {
  const { ledger, clock } = world;
  await keepSizes(world);
  const finishedAt = clock.now();
  const reports = results.map(({ report }) => report);
  const result = resultOf(reports, run.bounds.signal.aborted && reports.length < projects.length);
  const told = reports.map((report) => ({ project: report.project, report }));
  const record = { finishedAt, result, projects: told };
  await ledger.commit([{ kind: "finish-run", run: run.number, record }]);
  if (!isPreview(run)) await keepSmall(world, run.number);
  return {
    report: {
      run: run.number,
      result,
      startedAt: new Date(run.startedAt).toISOString(),
      durationMs: finishedAt - run.startedAt,
      projects: reports,
    },
    plan: {
      projects: results.map(({ report, planned, entries = [] }) => ({
        project: report.project,
        repo: report.repo,
        actions: planned ?? [],
        ...(entries.length > 0 && { entries: entries.map(planEntry) }),
        errors: report.errors,
      })),
    },
    saved: results.flatMap(({ saved }) => saved ?? []),
    carried: new Map(results.map(({ report, carried }) => [report.project, carried ?? []])),
    projectsAfter: await inOrder(projects, async ({ key }) => ({
      project: key,
      state: await readProjectState(ledger, key, { now: finishedAt }),
      isRun: reports.some(({ project }) => project === key),
    })),
  };
}

/** What has been found out about the tracker's sizes, for the next process. */
async function keepSizes({ ledger, tracker }: World): Promise<void> {
  const sizes = tracker.sizes?.all().toSorted((one, other) => (one.name < other.name ? -1 : 1)) ?? [];
  if (JSON.stringify(sizes) === JSON.stringify(ledger.memory.sizes())) return;
  await ledger.commit([{ kind: "remember-sizes", sizes }]);
}

/** Smaller steps are the daily work of whoever sets the clock. */
const notableStepMs = minuteMs;

function sayClock({ log }: World, { aheadMs }: BegunRun): void {
  if (aheadMs < notableStepMs) return;
  log.warn({ aheadMs }, "The clock was set back since the last run; what waits begins to wait anew");
}

/**
 * What was under way when the last process ended has an unknown outcome; its wait starts now. Other projects may be another
 * process's by now. A plan does it on its own copy: there it is looked up as the next run will.
 */
async function recoverJournal(projects: readonly SyncProject[], world: World, run: Run): Promise<void> {
  const { memory, journal } = world.ledger;
  const known = projects.flatMap(({ key }) => memory.project(key)?.id ?? []);
  const recovered = await journal.recover(run.startedAt, known);
  if (recovered === 0 || isPreview(run)) return;
  world.log.warn(
    { writes: recovered },
    "Writes were under way when the last run ended; their outcome is looked up",
  );
}

/** Of all projects. @param isCut - whether a signal came before the turn of some. */
function resultOf(reports: readonly ProjectReport[], isCut: boolean): RunReport["result"] {
  const results = new Set(reports.map(({ result }) => result));
  if (isCut) results.add("partial");
  if (results.has("failed")) return results.size === 1 ? "failed" : "partial";
  return results.has("partial") ? "partial" : results.has("held") ? "held" : "ok";
}

function logResult(world: World, run: Run, report: ProjectReport): void {
  const { errors, missingPosts: _, ...numbers } = report;
  for (const error of errors)
    world.log.error({ run: run.number, project: report.project, ...error }, "Failed");
  world.log.info({ run: run.number, ...numbers }, "Project finished");
}
