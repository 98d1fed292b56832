import { OutdatedError } from "../../errors.ts";
import type { SentChange } from "../../ledger/change.ts";
import type { Sent, SentOf } from "../../ledger/ledger.ts";
import { hourMs } from "../../model/time.ts";
import { isTooFar, type NextWrite, nextWriteAt, type PaceLimits, partOf, timesOf } from "../../plan/pace.ts";
import { isOpen, type PulledCycle } from "../ground/cycle-state.ts";
import { closeLane, type Lane } from "../ground/lane.ts";
import { isPreview, isRoutine } from "../ground/order.ts";
import { othersIn } from "./backlog.ts";

/** What other projects have left to write is read anew after so long: it changes once a run of theirs. */
const othersMs = 5000;

/** So often others may be quicker; each time it is looked at anew when the next write may leave. */
const mostAttempts = 100;

/** So many of the last writes tell whether others have written, too: an hour may have seen very many. */
const mostSeen = 100;

/** Whether a write opens an issue: these have limits of their own. */
export type PacedKind = "create" | "other";

/**
 * Waits until the tracker's pace allows one more write. The interval and the minute's limit are waited out; the hour's limit,
 * the budget and a signal end the lane for this run, and a used-up part of the hour ends it for this project. Nothing is taken yet: what the write is made of is read after this wait, and may show that none is needed.
 *
 * @returns false when nothing may be sent in this run any more.
 */
export async function awaitPace(cycle: PulledCycle, lane: Lane, kind: PacedKind): Promise<boolean> {
  const { clock, policy } = cycle.world;
  for (;;) {
    if (!isOpen(cycle, lane)) return false;
    const now = clock.now();
    const { until, signal } = cycle.run.bounds;
    const recent = await readRecent(cycle, lane, now);
    const next = nextWriteAt(recent, kind, policy.pace, now);
    const own = nextOwnWrite(await ownPart(cycle, lane, now), kind, now);
    if (isTooFar(next, now, until)) {
      const message = `the pace allows no more writes to the tracker before ${new Date(next.at).toISOString()}`;
      closeLane(cycle.run, lane, { code: "tracker.pace", message, until: next.at });
    } else if (isTooFar(own, now, until)) {
      const message = "other projects share the pace of this token, and it is their turn";
      closeLane(cycle.course, lane, { code: "tracker.pace", message });
    } else {
      const at = Math.max(next.at, own.at);
      if (at <= now) return true;
      await clock.sleep(at - now, signal);
    }
  }
}

/**
 * Waits like `awaitPace`, which mostly has been done by now, and writes down that a write is about to leave.
 *
 * @param also what is recorded as one with that, of a time in epoch ms.
 * @returns undefined when nothing may be sent in this run any more.
 */
export async function takePace(
  cycle: PulledCycle,
  { lane, kind, of }: { readonly lane: Lane; readonly kind: PacedKind; readonly of: SentOf },
  also: (at: number) => readonly SentChange[],
): Promise<Sent | undefined> {
  const { ledger, clock } = cycle.world;
  const { budget } = lane;
  const isCreate = kind === "create";
  for (let attempt = 1; await awaitPace(cycle, lane, kind); attempt += 1) {
    const at = clock.now();
    const recent = await readRecent(cycle, lane, at);
    const seen = seenOf(recent.all, at);
    let sent: Sent;
    try {
      const paced = { kind: "pace-write", at, isCreate, budget, project: cycle.memory.id, seen } as const;
      sent = await ledger.commitSent([paced, ...also(at)], of);
    } catch (error) {
      if (!(error instanceof OutdatedError) || attempt === mostAttempts) throw error;
      cycle.run.recent.delete(budget);
      continue;
    }
    recent.all.push(at);
    if (isCreate) recent.creates.push(at);
    return sent;
  }
  return undefined;
}

/** How many of the writes that are known were made since a time, which is an hour ago, or when the last hundred of them began. */
function seenOf(known: readonly number[], now: number): { readonly since: number; readonly writes: number } {
  const last = known.slice(-mostSeen);
  const since = last.length < mostSeen ? now - hourMs : Math.min(...last, now);
  return { since, writes: known.length - 1 - known.findLastIndex((time) => time < since) };
}

/** What the tracker was sent in the last hour, of all projects. In a plan what would be sent of those before is among it. */
export async function readRecent({ world, run }: PulledCycle, { budget }: Lane, now: number) {
  const known = run.recent.get(budget);
  if (known !== undefined) return known;
  const recent = timesOf(await world.ledger.pace.writes(now - hourMs, budget));
  run.recent.set(budget, recent);
  return recent;
}

/** A project's part of the hour, and what it has written in the last one. */
export interface OwnPart {
  readonly limits: PaceLimits;
  readonly recent: ReturnType<typeof timesOf>;
}

/**
 * The project's own part of the hour: while others wait, each has an equal one, so that five posts do not wait for five thousand.
 * undefined where nobody else waits; and what a person has ordered waits for nobody.
 */
export async function ownPart(
  { world, run, course, memory }: PulledCycle,
  { budget }: Lane,
  now: number,
): Promise<OwnPart | undefined> {
  const { ledger, policy } = world;
  if (!isRoutine(run) && !isPreview(run)) return undefined;
  const named = policy.projectKeys.map((key) => ledger.memory.project(key)?.id);
  if (course.others === undefined || Math.abs(now - course.others.at) >= othersMs)
    course.others = { at: now, backlogs: await ledger.pace.backlogs() };
  const others = othersIn(course.others.backlogs, { project: memory.id, budget }, now).filter(({ project }) =>
    named.includes(project),
  );
  if (others.length === 0) return undefined;
  const own = (await ledger.pace.writes(now - hourMs, budget)).filter(({ project }) => project === memory.id);
  return { limits: partOf(policy.pace, others.length + 1), recent: timesOf(own) };
}

/** When the project's part allows a write: at once where it has none of its own. */
export function nextOwnWrite(part: OwnPart | undefined, kind: PacedKind, now: number): NextWrite {
  return part === undefined ? { at: now, limit: "none" } : nextWriteAt(part.recent, kind, part.limits, now);
}
