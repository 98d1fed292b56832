import type { ToolWriting } from "../../board/tools.ts";
import type { Side } from "../../errors.ts";
import type { IssueRef, RepositoryId, RepositoryName } from "../../model/issue.ts";
import type { Action, ActionKind } from "../../plan/ground/action.ts";
import type { Closure, Run, World } from "./world.ts";
import { nameNow } from "./world.ts";

/**
 * Where requests count: the board, or one of the tracker's budgets. Pace and limits hold for each by itself, and what
 * closes one for a run leaves the others open.
 */
export interface Lane {
  readonly side: Side;
  /** As the tracker names it; '' on the board. */
  readonly budget: string;
  /** Of writes of one kind to one repository, or of calls of one tool: such a part may be closed by itself. Left out where that makes no difference. */
  readonly part?: string;
  /** Of what is written to issues: in which repository; left out where the state knows none. */
  readonly repository?: RepositoryId | undefined;
}

export const boardLane: Lane = { side: "board", budget: "" };

/** The same of one of its tools: a server of tools that is down, or refuses one, says nothing of the board's own API. */
export function toolLane(purpose: ToolWriting): Lane {
  return { ...boardLane, part: `tool ${purpose}` };
}

/** The lane of a repository, by the name that the tracker calls it. */
export function laneOf(
  { tracker }: Pick<World, "tracker">,
  repository: RepositoryName,
  kind?: ActionKind,
): Lane {
  const part = kind && `${kind} ${repository.toLowerCase()}`;
  return { side: "tracker", budget: tracker.budgetOf(repository), ...(part !== undefined && { part }) };
}

/** The lane in which what an issue's own record does not show is read: it may have a limit of its own. */
export function signalLaneOf({ tracker }: Pick<World, "tracker">, repository: RepositoryName): Lane {
  return { side: "tracker", budget: tracker.budgetOf(repository, "signals") };
}

/** The lane of an issue. */
export function laneOfIssue(world: World, { repositoryId }: IssueRef, kind?: ActionKind): Lane {
  const name = world.ledger.memory.repositoryById(repositoryId)?.repository.name ?? "";
  return { ...laneOf(world, name, kind), repository: repositoryId };
}

/** Every lane that an action writes to, in the order in which it writes. */
export function lanesOf(world: World, action: Action): readonly Lane[] {
  switch (action.kind) {
    case "patch-post":
      return [boardLane];
    case "create-post":
      return [toolLane("feedbackCreate")];
    case "create-issue": {
      const repository = world.ledger.memory.repository(action.repo)?.repository.id;
      return [{ ...laneOf(world, nameNow(world, action.repo), action.kind), repository }];
    }
    case "update-issue":
      return [laneOfIssue(world, action.issue, action.kind)];
    case "change-issue":
      return action.changes.map(({ issue }) => laneOfIssue(world, issue, action.kind));
    case "comment-issue":
      return action.comments.map(({ issue }) => laneOfIssue(world, issue, action.kind));
  }
}

/** Whether lanes take more, for a run or for one project in it. */
type Closed = Pick<Run, "closed">;

/** Ends a lane for the rest of the run, or of a project's part in it; the first reason stands. */
export function closeLane({ closed }: Closed, lane: Lane, closure: Closure): void {
  if (!closed.has(laneKey(lane))) closed.set(laneKey(lane), closure);
}

/** The same of its part alone: what is refused to one repository says nothing of others, nor of other kinds of writes. */
export function closePart({ closed }: Closed, { part = "" }: Lane, closure: Closure): void {
  if (!closed.has(part)) closed.set(part, closure);
}

/** Why a lane takes nothing more in this run; undefined while it does. */
export function laneClosure({ closed }: Closed, lane: Lane): Closure | undefined {
  return closed.get(laneKey(lane)) ?? (lane.part === undefined ? undefined : closed.get(lane.part));
}

function laneKey({ side, budget }: Lane): string {
  return `${side} ${budget}`;
}
