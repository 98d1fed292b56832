import { isTooFar, nextWriteAt } from "../../plan/pace.ts";
import { closureNow, type PulledCycle, repositoryById } from "../ground/cycle-state.ts";
import type { Lane } from "../ground/lane.ts";
import { attempt } from "../ground/report.ts";
import { isFree, type Judged } from "../ground/verdict.ts";
import type { Closure } from "../ground/world.ts";
import { earlierRequestOf, restOf } from "../read/old-state.ts";
import { publicHold } from "../read/visibility.ts";
import { doubtOf } from "../write/create.ts";
import { repositoryNow, whyClosed } from "../write/issue.ts";
import { nextOwnWrite, ownPart, readRecent } from "../write/pace.ts";
import { inWriteOrder } from "../write/write.ts";

/** Why a write does not come in the next run. */
export interface Wait {
  /** ISO 8601; left out where nobody knows. */
  readonly notBefore?: string;
  /** In words; left out where the time says it all. */
  readonly why?: string;
}

/**
 * Says which writes don't come in the next run: by action, for each of its lines. Three things make one wait: what keeps a run from
 * sending it at all, a limit that this plan has met or a repository that can't be written to; the pace, counted in the order of
 * the writes that are left; and a state that was lost or put back, of which a request may still be under way.
 */
export async function timeWrites(
  cycle: PulledCycle,
  judged: readonly Judged[],
): Promise<ReadonlyMap<Judged, readonly (Wait | undefined)[]>> {
  const later = new Map<Judged, readonly (Wait | undefined)[]>();
  const played = new Map<string, Pace>();
  for (const action of inWriteOrder(judged)) {
    if (!isFree(action)) continue;
    const waits: (Wait | undefined)[] = [];
    for (const lane of action.lanes) {
      waits.push((await obstacleOf(cycle, action, lane)) ?? (await playPace(cycle, played, action, lane)));
    }
    // The PATCH that a new issue leads to comes with it.
    later.set(action, action.kind === "create-issue" ? action.lines.map(() => waits[0]) : waits);
  }
  return later;
}

/** What keeps the next run from sending a write, whatever the pace allows: such a write takes nobody's turn. */
async function obstacleOf(cycle: PulledCycle, action: Judged, lane: Lane): Promise<Wait | undefined> {
  const closure = closureNow(cycle, lane);
  if (closure !== undefined) return waitFor(closure);
  const isRested = ["create-issue", "update-issue", "create-post"].includes(action.kind);
  if (isRested && earlierRequestOf(cycle) !== undefined) return { notBefore: toIso(restOf(cycle)) };
  if (lane.side === "board") return undefined;
  // Of facts of earlier runs alone: nobody can be asked, and all of it is later.
  if (cycle.repositories.size === 0) return {};
  const known = repositoryById(cycle, lane.repository);
  if (known === undefined) return { why: "its repository can't be used in this run" };
  const closed = await attempt(cycle, action.post, () => whyClosed(cycle, known));
  if (closed !== undefined) {
    if ("code" in closed) return waitFor(closed);
    return waitFor(closureNow(cycle, lane) ?? { message: "why" in closed ? closed.why : "" });
  }
  if (action.kind !== "create-issue") return undefined;
  const why = publicHold(cycle, repositoryNow(cycle, known), action.post)?.why ?? doubtOf(cycle);
  return why === undefined ? undefined : { why };
}

function waitFor({ message: why, until }: Omit<Closure, "code">): Wait {
  return until === undefined ? { why } : { notBefore: toIso(until), why };
}

/** The pace as it is played through: a run has come to `at`, and is over where the pace ends it. */
type Pace = Awaited<ReturnType<typeof beginPace>>;

async function beginPace(cycle: PulledCycle, lane: Lane, at: number) {
  /** What the run has sent by then, as the projects after this one find it. */
  const sent = await readRecent(cycle, lane, at);
  /** The same with what later runs send. */
  const recent = { all: [...sent.all], creates: [...sent.creates] };
  return { at, isOver: false, sent, recent, part: await ownPart(cycle, lane, at) };
}

/** Plays one more write, to the tracker. */
async function playPace(
  cycle: PulledCycle,
  played: Map<string, Pace>,
  action: Judged,
  lane: Lane,
): Promise<Wait | undefined> {
  if (lane.side === "board") return undefined;
  const { policy, clock } = cycle.world;
  const now = clock.now();
  const pace = played.get(lane.budget) ?? (await beginPace(cycle, lane, now));
  played.set(lane.budget, pace);
  const kind = action.kind === "create-issue" ? "create" : "other";
  const { part, recent } = pace;
  const nexts = [nextWriteAt(recent, kind, policy.pace, pace.at), nextOwnWrite(part, kind, pace.at)];
  pace.isOver ||= nexts.some((next) => isTooFar(next, pace.at, now + policy.budgetMs));
  pace.at = Math.max(...nexts.map(({ at }) => at));
  for (const times of [recent, part?.recent, pace.isOver ? undefined : pace.sent]) {
    times?.all.push(pace.at);
    if (kind === "create") times?.creates.push(pace.at);
  }
  return pace.isOver ? { notBefore: toIso(pace.at) } : undefined;
}

function toIso(at: number): string {
  return new Date(at).toISOString();
}
