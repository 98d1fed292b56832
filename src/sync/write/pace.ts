import { OutdatedError } from "../../errors.ts";
import type { ProjectId } from "../../model/post.ts";
import { hourMs } from "../../model/time.ts";
import { type Claim, mayTake, nextWriteAt, timesOf } from "../../plan/pace.ts";
import { select } from "../../select.ts";
import { isOpen, type PulledCycle } from "../ground/cycle-state.ts";
import { closeLane, type Lane, laneOf } from "../ground/lane.ts";
import { isRoutine } from "../ground/order.ts";
import { nameNow, repositoryNames, type SyncProject, type World } from "../ground/world.ts";

/**
 * A run that comes some seconds too early for the hour's limit waits them out: it would leave its part to the next run else,
 * and an import would lose five minutes of every hour.
 */
const hourPatienceMs = 10_000;

/** So often others may be quicker; each time it is looked at anew when the next write may leave. */
const mostAttempts = 100;

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
    if (!(await hasShare(cycle, lane, kind))) {
      const message = "other projects share the pace of this token, and it is their turn";
      closeLane(cycle.course, lane, { code: "tracker.pace", message });
      return false;
    }
    const now = clock.now();
    const recent = await readRecent(cycle, lane, now);
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
  const { ledger, clock } = cycle.world;
  const { budget } = lane;
  const isCreate = kind === "create";
  for (let attempt = 1; await awaitPace(cycle, lane, kind); attempt += 1) {
    const at = clock.now();
    const since = at - hourMs;
    const recent = await readRecent(cycle, lane, at);
    const seen = { since, writes: recent.all.filter((time) => time >= since).length };
    try {
      await ledger.commit([{ kind: "pace-write", at, isCreate, budget, project: cycle.memory.id, seen }]);
    } catch (error) {
      if (!(error instanceof OutdatedError) || attempt === mostAttempts) throw error;
      cycle.run.recent.delete(budget);
      continue;
    }
    recent.all.push(at);
    if (isCreate) recent.creates.push(at);
    return true;
  }
  return false;
}

async function readRecent({ world, run }: PulledCycle, { budget }: Lane, now: number) {
  const known = run.recent.get(budget);
  if (known !== undefined) return known;
  const recent = timesOf(await world.ledger.pace.writes(now - hourMs, budget));
  run.recent.set(budget, recent);
  return recent;
}

/** What a project has written to a lane in the last hour, and what it has left; counted by creates, and by all writes. */
interface Part {
  readonly creates: Claim;
  readonly all: Claim;
}

/**
 * Whether a project may take one more write of the hour. Where others share the pace and have something left, each may have
 * as much as the others, and what some don't need goes to those who do; so a project with five posts does not wait for one
 * with five thousand. What a person has ordered waits for nobody.
 */
export async function hasShare(
  cycle: PulledCycle,
  { budget }: Lane,
  kind: "create" | "other",
): Promise<boolean> {
  const { world, run, memory, project } = cycle;
  const { projectKeys, pace } = world.policy;
  if (!isRoutine(run) || projectKeys.length === 1) return true;
  const now = world.clock.now();
  const parts = await readParts(world, budget, now);
  const mine = parts.get(memory.id) ?? nothing;
  const known = projectKeys
    .filter((key) => key !== project.key)
    .map((key) => parts.get(world.ledger.memory.project(key)?.id ?? ("" as ProjectId)) ?? nothing);
  // Nobody knows yet what a project wants that runs for the first time. Only those of this run count: one that never runs
  // would be waited for for ever.
  const coming = await select(
    run.companions,
    async (one) => one.key !== project.key && isIn(world, one, budget) && (await isNew(world, one.key)),
  );
  const others = [...known, ...coming.map(() => unknown)];
  const claims = { creates: others.map(({ creates }) => creates), all: others.map(({ all }) => all) };
  return (
    mayTake(mine.all.used, claims.all, pace.writesPerHour) &&
    (kind === "other" || mayTake(mine.creates.used, claims.creates, pace.createsPerHour))
  );
}

/**
 * While somebody has something left, those that have written least in the last hour come first: what ends a run may end it
 * before the last. Else they stay as they are.
 */
export async function leastServedFirst(
  projects: readonly SyncProject[],
  { ledger, clock }: World,
): Promise<readonly SyncProject[]> {
  const hasBacklog = async ({ key }: SyncProject): Promise<boolean> => {
    const id = ledger.memory.project(key)?.id;
    return id !== undefined && (await ledger.pace.backlogs({ project: id })).length > 0;
  };
  if (projects.length === 1 || (await select(projects, hasBacklog)).length === 0) return projects;
  const writes = await ledger.pace.writes(clock.now() - hourMs, undefined);
  const served = (key: string): number => {
    const id = ledger.memory.project(key)?.id;
    return writes.filter(({ project }) => project === id).length;
  };
  return projects.toSorted((one, other) => served(one.key) - served(other.key));
}

const none: Claim = { used: 0, left: 0 };
const nothing: Part = { creates: none, all: none };
const everything: Claim = { used: 0, left: Number.POSITIVE_INFINITY };
const unknown: Part = { creates: everything, all: everything };

/** Whether a project has neither ended a run nor been decided in this one. */
async function isNew({ ledger }: World, key: string): Promise<boolean> {
  return (
    ledger.memory.project(key)?.settingsPrint === undefined && (await ledger.runs.last(key)) === undefined
  );
}

function isIn(world: World, { settings }: SyncProject, budget: string): boolean {
  return repositoryNames(settings).some((name) => laneOf(world, nameNow(world, name)).budget === budget);
}

/** A backlog that was not seen for an hour is none that the next hour has to be kept for. */
async function readParts(
  { ledger }: World,
  budget: string,
  now: number,
): Promise<ReadonlyMap<ProjectId | undefined, Part>> {
  const left = (await ledger.pace.backlogs({ budget })).filter(({ at }) => now - at < hourMs);
  const used = Map.groupBy(await ledger.pace.writes(now - hourMs, budget), ({ project }) => project);
  const projects = new Set([...left.map(({ project }) => project), ...used.keys()]);
  return new Map(
    [...projects].map((project) => {
      const writes = timesOf(used.get(project) ?? []);
      const backlog = left.find((one) => one.project === project);
      const creates = { used: writes.creates.length, left: backlog?.creates ?? 0 };
      const all = { used: writes.all.length, left: creates.left + (backlog?.others ?? 0) };
      return [project, { creates, all }];
    }),
  );
}
