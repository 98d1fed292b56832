import { writeRules } from "../../plan/ground/identity.ts";
import { decide } from "../decide/decide.ts";
import { createContext } from "../ground/context.ts";
import { type BoardPull, type Cycle, startCourse, startTally, type Tally } from "../ground/cycle-state.ts";
import { noteBug } from "../ground/report.ts";
import type { PlannedAction } from "../ground/reports.ts";
import { settingsNow } from "../ground/settings-now.ts";
import type { Run, SyncProject, World } from "../ground/world.ts";
import { awaitsEarlierLife, isRecovering } from "../read/old-state.ts";
import { laterThan, tellPlan } from "./plan.ts";

/**
 * What a plan says of a project that it could not look at: what follows from the facts of earlier runs, as `status` lists it. Asks
 * nobody. All of it is later than what made the look fail, as far as that names its end.
 */
export async function tellKnown(
  project: SyncProject,
  world: World,
  run: Run,
  { errors }: Tally,
): Promise<readonly PlannedAction[]> {
  const ends = errors.flatMap(({ until }) => until ?? []).toSorted();
  try {
    const planned = await planKnown(project, world, run);
    return planned.map((line) => laterThan(line, ends.at(-1)));
  } catch (error) {
    // The look failed before, and that is said.
    noteBug(startTally(), { project: project.key }, error, world.log);
    return [];
  }
}

async function planKnown(project: SyncProject, world: World, run: Run): Promise<readonly PlannedAction[]> {
  const { ledger, clock } = world;
  const memory = ledger.memory.project(project.key);
  // Before both sides were read once it is not known which posts have an issue.
  if (memory?.fullAt === undefined) return [];
  const cycle: Cycle = {
    ...{ world, run, project, memory },
    settings: settingsNow(project, memory.id, ledger.memory),
    account: ledger.memory.account()?.login ?? "",
    // None of them can be asked.
    repositories: new Map(),
    unread: new Set(),
    // What fails of the known facts is said by the run that looks again.
    tally: startTally(),
    course: startCourse(),
  };
  // Of facts under other rules, or of an old copy, nothing is written as it stands: the next look comes first.
  if (memory.rules !== writeRules(project.settings) || isRecovering(cycle) || awaitsEarlierLife(cycle))
    return [];
  const now = clock.now();
  const seen = new Set(memory.seen);
  const nothing = { posts: 0, hold: undefined, pages: [], categories: new Map(), notes: [] };
  const pull: BoardPull = { ...nothing, seen, kind: "incomplete", beganAt: now, listedSince: now };
  const pulled = { ...cycle, pull, context: createContext(cycle, seen) };
  const { judged, following } = await decide(pulled);
  return (await tellPlan(pulled, judged, following)).planned;
}
