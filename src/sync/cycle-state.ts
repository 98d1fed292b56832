import type { ProjectMemory, RepositoryMemory } from "../ledger/ledger.ts";
import type { IssueRef, RepositoryId, RepositoryName } from "../model/issue.ts";
import type { PostField } from "../model/post.ts";
import type { PlanContext } from "../plan/plan.ts";
import type { Settings } from "../plan/settings.ts";
import type { PlannedAction, ReportedError, Run, SyncProject, World } from "./world.ts";

/** What the steps of one cycle hand on: a project that has been found on both sides. */
export interface Cycle {
  readonly world: World;
  readonly run: Run;
  readonly project: SyncProject;
  readonly memory: ProjectMemory;
  readonly settings: Settings;
  readonly account: string;
  /** By the name that the config uses; a repository that can't be used is not among them. */
  readonly repositories: ReadonlyMap<RepositoryName, RepositoryMemory>;
  readonly tally: Tally;
}

/** A cycle whose pulls are done: decisions can be made. */
export interface PulledCycle extends Cycle {
  readonly seen: ReadonlySet<PostField>;
  /** Why nothing may be written although there is something to do (the board shrank, …); undefined when all is well. */
  readonly hold: string | undefined;
  /** The planner's context, for a time. */
  context(now: number): PlanContext;
}

/** What one cycle has done so far; the report is made of it. */
export interface Tally {
  created: number;
  adopted: number;
  issueWrites: number;
  postWrites: number;
  statusWrites: number;
  waiting: number;
  readonly errors: ReportedError[];
  readonly planned: PlannedAction[];
}

export function startTally(): Tally {
  return {
    created: 0,
    adopted: 0,
    issueWrites: 0,
    postWrites: 0,
    statusWrites: 0,
    waiting: 0,
    errors: [],
    planned: [],
  };
}

/** Whether another write may start on a side: no limit, no refusal, no signal, and the budget not used up. */
export function isOpen(cycle: Cycle, side: "board" | "tracker"): boolean {
  const { run, world } = cycle;
  return run.closed[side] === undefined && !run.bounds.signal.aborted && world.clock.now() < run.bounds.until;
}

/** Why a side is closed, for the note of what waits. */
export function closureOf(cycle: Cycle, side: "board" | "tracker"): string {
  const { run } = cycle;
  const closure = run.closed[side];
  if (closure !== undefined) return closure.message;
  if (run.bounds.signal.aborted) return "the run was asked to stop";
  return "the run's time budget was used up";
}

/** A repository of this project by its numeric id. */
export function repositoryById(cycle: Cycle, id: RepositoryId | undefined): RepositoryMemory | undefined {
  return [...cycle.repositories.values()].find(({ repository }) => repository.id === id);
}

/** `owner/name#number`, as reports say it; with the number alone where the repository is not known. */
export function nameIssue(cycle: Cycle, issue: IssueRef): string {
  const known =
    repositoryById(cycle, issue.repositoryId) ?? cycle.world.ledger.memory.repositoryById(issue.repositoryId);
  return `${known?.repository.name ?? ""}#${issue.number}`;
}
