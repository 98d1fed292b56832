import type { Backlog, Left } from "../../ledger/pace.ts";
import type { ProjectId } from "../../model/post.ts";
import { hourMs } from "../../model/time.ts";
import type { ActionKind } from "../../plan/ground/action.ts";
import { estimateEnd, timesOf } from "../../plan/pace.ts";
import { inOrder } from "../../select.ts";
import { closureOf, type PulledCycle } from "../ground/cycle-state.ts";
import { type Lane, laneOf } from "../ground/lane.ts";
import { postpone } from "../ground/record.ts";
import type { Outcome } from "../ground/verdict.ts";
import type { Wanted } from "../ground/wanted.ts";
import { nameNow, repositoryNames, type World } from "../ground/world.ts";

const none: Left = { creates: 0, others: 0, created: 0 };

/** Leaves an action for a later run because its lane takes nothing more in this one. */
export function putOff(cycle: PulledCycle, kind: ActionKind, lane: Lane): Outcome {
  const isCreate = kind === "create-issue";
  if (lane.side === "tracker") add(cycle, lane, isCreate ? { creates: 1 } : { others: 1 });
  return postpone(cycle, closureOf(cycle, lane));
}

/** Counts an action that this run was not ordered to do: if it belongs to an import that is under way, it is still left. */
export async function leave(
  cycle: PulledCycle,
  { kind, lanes }: Pick<Wanted, "kind" | "lanes">,
): Promise<void> {
  const known = await cycle.world.ledger.pace.backlogs({ project: cycle.memory.id });
  for (const lane of lanes) {
    if (!known.some(({ budget }) => lane.side === "tracker" && lane.budget === budget)) continue;
    add(cycle, lane, kind === "create-issue" ? { creates: 1 } : { others: 1 });
  }
}

/** Counts an issue that was opened. */
export function noteOpened(cycle: PulledCycle, lane: Lane): void {
  add(cycle, lane, { created: 1 });
}

function add({ course }: PulledCycle, { budget }: Lane, more: Partial<Left>): void {
  const { creates, others, created } = course.left.get(budget) ?? none;
  course.left.set(budget, {
    creates: creates + (more.creates ?? 0),
    others: others + (more.others ?? 0),
    created: created + (more.created ?? 0),
  });
}

/** Remembers what this run leaves, and says how far an import is and when it will be done. */
export async function noteBacklogs(cycle: PulledCycle): Promise<void> {
  const { world, memory, project, course, settings, run } = cycle;
  const { ledger } = world;
  const now = world.clock.now();
  const known = new Map(
    (await ledger.pace.backlogs({ project: memory.id })).map((backlog) => [backlog.budget, backlog]),
  );
  const lanes = repositoryNames(settings).map((name) => laneOf(world, nameNow(world, name)).budget);
  for (const budget of new Set([...lanes, ...known.keys()])) {
    const left = course.left.get(budget) ?? none;
    if (left.creates + left.others === 0 && !known.has(budget)) continue;
    await ledger.commit([{ kind: "note-backlog", project: memory.id, budget, left, at: now }]);
  }
  const progress = await readImport(world, memory.id, now);
  if (progress === undefined) return;
  const { done, total, doneAt } = progress;
  const at = new Date(doneAt).toISOString();
  world.log.info({ run: run.number, project: project.key, done, total, doneAt: at }, "Import goes on");
}

/** Issues that earlier runs have opened of an import that is under way. */
export async function createdBefore({ world, memory }: PulledCycle): Promise<number> {
  return sum((await world.ledger.pace.backlogs({ project: memory.id })).map(({ created }) => created));
}

/** When so many more issues will have been opened in a run that goes on, epoch ms. */
export async function estimateRest(
  { world, settings, memory }: PulledCycle,
  creates: number,
): Promise<number> {
  const { budget } = laneOf(world, nameNow(world, settings.repo));
  return estimate(world, { project: memory.id, budget, creates }, world.clock.now());
}

/** How far the opening of issues is. */
export interface Import {
  /** Issues opened since there was more to open than one run could. */
  readonly done: number;
  readonly total: number;
  /** When the last one will be opened by the pace that holds, epoch ms. */
  readonly doneAt: number;
}

/** What is asked for an estimate. */
type Sources = { readonly ledger: World["ledger"]; readonly policy: Pick<World["policy"], "pace"> };

/**
 * How far the import of a project is; undefined where no issues are left to be opened. It is as old as the last run, and so is
 * what it knows of others that share the pace.
 */
export async function readImport(
  sources: Sources,
  project: ProjectId,
  now: number,
): Promise<Import | undefined> {
  const mine = (await sources.ledger.pace.backlogs({ project })).filter(({ creates }) => creates > 0);
  if (mine.length === 0) return undefined;
  const done = sum(mine.map(({ created }) => created));
  return {
    done,
    total: done + sum(mine.map(({ creates }) => creates)),
    doneAt: Math.max(...(await inOrder(mine, async (backlog) => estimate(sources, backlog, now)))),
  };
}

/** Others that share the pace have their turn in between: each as often as the project itself, as long as it has something left. */
export async function estimate(
  { ledger, policy }: Sources,
  { project, budget, creates }: Pick<Backlog, "project" | "budget" | "creates">,
  now: number,
): Promise<number> {
  const others = (await ledger.pace.backlogs({ budget }))
    .filter((other) => other.project !== project && now - other.at < hourMs)
    .map((other) => Math.min(other.creates, creates));
  const recent = timesOf(await ledger.pace.writes(now - hourMs, budget));
  return estimateEnd(recent, creates + sum(others), policy.pace, now);
}

/** Of none it is 0. */
export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
