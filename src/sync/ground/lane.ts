import type { ToolWriting } from "../../board/tools.ts";
import { RemoteError, type Side } from "../../errors.ts";
import type { IssueRef, RepositoryId, RepositoryName } from "../../model/issue.ts";
import { dayMs } from "../../model/time.ts";
import type { Action, ActionKind } from "../../plan/ground/action.ts";
import { type Closure, nameNow, type Run, type World } from "./world.ts";

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

/** A later time than this was written down by a clock that was wrong: no answer is believed for longer. */
const longestLimitMs = dayMs;

/**
 * Writes down that a lane wants no request before a time: the next process must not ask before it, either. Asking on while
 * limited can get an account banned.
 *
 * @param retryAt epoch ms; undefined where the answer named no time.
 */
export async function noteLimit(world: World, lane: Lane, retryAt: number | undefined): Promise<void> {
  if (retryAt === undefined) return;
  const known = await limitOf(world, lane);
  if (known !== undefined && retryAt <= known) return;
  const { side, budget } = lane;
  await world.ledger.commit([{ kind: "limit", side, budget, until: retryAt, at: world.clock.now() }]);
}

/** The same, of a read that failed; an error that is no limit is none of its business. */
export async function noteLimitOf(world: World, error: unknown): Promise<void> {
  if (error instanceof RemoteError && error.fault === "limited") await noteLimit(world, error, error.retryAt);
}

/**
 * Looks at what the sides named, in this process or an earlier one, before a project asks anything. Of the tracker only the
 * budgets of the project's own repositories count: one that is used up stops nobody else.
 *
 * @throws RemoteError with the fault `limited` while one of them wants no request: the project waits.
 */
export async function checkLimits(world: World, repositories: readonly RepositoryName[]): Promise<void> {
  const names = repositories.map((name) => nameNow(world, name));
  for (const lane of [boardLane, ...names.map((name) => laneOf(world, name))]) await checkLane(world, lane);
}

/**
 * The same for signals, right before they are asked for: of the tracker's names of their repositories; of a project, which is no
 * repository's, of its owner followed by a `/`.
 *
 * @throws RemoteError with the fault `limited`.
 */
export async function checkSignalLimits(world: World, names: Iterable<RepositoryName>): Promise<void> {
  for (const name of names) await checkLane(world, signalLaneOf(world, name));
}

/** Until when signals of a repository are not asked for, and why; undefined while they may be. */
export async function signalLimitOf(world: World, name: RepositoryName): Promise<Closure | undefined> {
  const lane = signalLaneOf(world, name);
  const until = await limitOf(world, lane);
  return until === undefined ? undefined : limitClosure(lane, until);
}

/** Whether a limit concerns signals alone: whatever needs none goes on. */
export function isSignalLimit(
  world: Pick<World, "tracker">,
  error: unknown,
  names: readonly RepositoryName[],
): boolean {
  if (!(error instanceof RemoteError) || error.side === "board" || error.fault !== "limited") return false;
  return names.every((name) => laneOf(world, name).budget !== error.budget);
}

/** What a limit closes its lane with. */
export function limitClosure({ side, budget }: Lane, until: number | undefined): Closure {
  const message = sayLimit({ side, budget }, until);
  return { code: `${side}.limited`, message, until, ...(budget !== "" && { budget }) };
}

/** @throws RemoteError with the fault `limited` while the lane wants no request. */
async function checkLane(world: World, { side, budget }: Lane): Promise<void> {
  const retryAt = await limitOf(world, { side, budget });
  if (retryAt === undefined) return;
  const message = `${sayLimit({ side, budget }, retryAt)}.`;
  throw new RemoteError(side, "limited", message, { retryAt, budget });
}

/** Who wants no request, and until when, as a sentence without its full stop. */
export function sayLimit(
  { side, budget = "" }: Partial<Lane> & Pick<Lane, "side">,
  retryAt: number | undefined,
): string {
  const who = side === "board" ? "the board" : `GitHub${budget === "" ? "" : ` (${budget})`}`;
  if (retryAt === undefined) return `${who} limits requests, and names no end`;
  return `${who} wants no request before ${new Date(retryAt).toISOString()}`;
}

/** undefined once the time has passed. */
async function limitOf({ ledger, clock }: World, { side, budget }: Lane): Promise<number | undefined> {
  const until = await ledger.pace.limit(side, budget);
  const now = clock.now();
  return until !== undefined && until > now && until - now <= longestLimitMs ? until : undefined;
}
