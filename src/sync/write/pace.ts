import { nextWriteAt } from "../../plan/pace.ts";
import { isOpen, type PulledCycle } from "../ground/cycle-state.ts";
import { closeLane, type Lane } from "../ground/lane.ts";
import { hasShare } from "./share.ts";

const hourMs = 3_600_000;
/**
 * A run that comes some seconds too early for the hour's limit waits them out: it would leave its part to the next run else,
 * and an import would lose five minutes of every hour.
 */
const hourPatienceMs = 10_000;

/** Whether a write opens an issue: these have limits of their own. */
export type PacedKind = "create" | "other";

/**
 * Waits until the tracker's pace allows one more write. The interval and the minute's limit are waited out; the hour's limit,
 * the budget and a signal end the lane for this run, and that others who share the pace have had less of it ends it for this
 * project. Nothing is taken yet: what the write is made of is read after this wait, and may show that none is needed.
 *
 * @returns false when nothing may be sent in this run any more.
 */
export async function awaitPace(cycle: PulledCycle, lane: Lane, kind: PacedKind): Promise<boolean> {
  const { clock, policy } = cycle.world;
  for (;;) {
    if (!isOpen(cycle, lane)) return false;
    if (!hasShare(cycle, lane, kind)) {
      const message = "other projects share the pace of this token, and it is their turn";
      closeLane(cycle.course, lane, { code: "tracker.pace", message });
      return false;
    }
    const now = clock.now();
    const recent = readRecent(cycle, lane, now);
    const next = nextWriteAt(recent, kind, policy.pace, now);
    if (next.at <= now) return true;
    const isFar = next.limit === "hour" && next.at - now > hourPatienceMs;
    if (isFar || next.at > cycle.run.bounds.until) {
      const message = `the pace allows no more writes to the tracker before ${new Date(next.at).toISOString()}`;
      closeLane(cycle.run, lane, { code: "tracker.pace", message, until: next.at });
      return false;
    }
    await clock.sleep(next.at - now, cycle.run.bounds.signal);
  }
}

/** Waits like `awaitPace`, which mostly has been done by now, and writes down that a write is about to leave. */
export async function takePace(cycle: PulledCycle, lane: Lane, kind: PacedKind): Promise<boolean> {
  if (!(await awaitPace(cycle, lane, kind))) return false;
  const { ledger, clock } = cycle.world;
  const now = clock.now();
  const recent = readRecent(cycle, lane, now);
  ledger.journal.paceWrite(now, kind === "create", lane.budget, cycle.memory.id);
  recent.all.push(now);
  if (kind === "create") recent.creates.push(now);
  return true;
}

function readRecent({ world, run }: PulledCycle, { budget }: Lane, now: number) {
  const known = run.recent.get(budget);
  if (known !== undefined) return known;
  const { all, creates } = world.ledger.journal.trackerWrites(now - hourMs, budget);
  const recent = { all: [...all], creates: [...creates] };
  run.recent.set(budget, recent);
  return recent;
}
