import type { Backlog } from "../../ledger/journal.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { ProjectId } from "../../model/post.ts";
import { dayMs, hourMs } from "../../model/time.ts";
import { estimateEnd, type PaceLimits, timesOf } from "../../plan/pace.ts";
import { inOrder, sum } from "../../select.ts";
import { isOpen, type PulledCycle } from "../ground/cycle-state.ts";
import { isRoutine } from "../ground/order.ts";
import type { Judged, Outcome } from "../ground/verdict.ts";

/**
 * Remembers what this run leaves because a budget of the tracker takes nothing more in it, and says how far an import is and
 * when it will be done.
 */
export async function noteBacklogs(
  cycle: PulledCycle,
  outcomes: ReadonlyMap<Judged, Outcome>,
): Promise<void> {
  const { world, memory, project, run } = cycle;
  const { ledger } = world;
  const now = world.clock.now();
  const known = await readOwn(ledger, memory.id);
  const ended = [...outcomes].flatMap(([{ kind, lanes }, { kind: end }]) =>
    lanes.flatMap(({ side, budget }) => (side === "tracker" ? [{ kind, budget, end }] : [])),
  );
  for (const budget of new Set([...ended, ...known].map((one) => one.budget))) {
    const own = ended.filter((one) => one.budget === budget);
    const waiting = isOpen(cycle, { side: "tracker", budget }) ? [] : own.filter(({ end }) => end === "wait");
    const ofCreates = waiting.filter(({ kind }) => kind === "create-issue").length;
    const created = own.filter(({ kind, end }) => kind === "create-issue" && end === "done").length;
    const before = known.find((one) => one.budget === budget);
    // An order that names its actions leaves all the others.
    const rest = isRoutine(run) ? undefined : before;
    const creates = Math.max(ofCreates, (rest?.creates ?? 0) - created);
    const others = Math.max(waiting.length - ofCreates, rest?.others ?? 0);
    if (creates + others === 0 && before === undefined) continue;
    const left = { creates, others, created };
    await ledger.commit([{ kind: "note-backlog", project: memory.id, budget, left, at: now }]);
  }
  const progress = await readImport({ ledger, pace: world.policy.pace }, memory.id, now);
  if (progress === undefined) return;
  const doneAt = new Date(progress.doneAt).toISOString();
  world.log.info({ run: run.number, project: project.key, ...progress, doneAt }, "Import goes on");
}

/** What other projects have left that share a pace. One that has not run for a day holds up nobody. */
export function othersIn(
  backlogs: readonly Backlog[],
  { project, budget }: Pick<Backlog, "project" | "budget">,
  now: number,
): readonly Backlog[] {
  return backlogs.filter((one) => one.budget === budget && one.project !== project && now - one.at < dayMs);
}

/** How far the opening of issues is. */
export interface Import {
  /** Issues opened since there was more to open than one run could. */
  readonly done: number;
  readonly total: number;
  /** When the last one will be opened by the pace that holds, epoch ms. */
  readonly doneAt: number;
}

/** How far the import of a project was when its last run ended; undefined where no issues are left to be opened. */
export async function readImport(
  { ledger, pace }: Sources,
  project: ProjectId,
  now: number,
): Promise<Import | undefined> {
  const own = (await readOwn(ledger, project)).filter(({ creates }) => creates > 0);
  if (own.length === 0) return undefined;
  const done = sum(own.map(({ created }) => created));
  return {
    done,
    total: done + sum(own.map(({ creates }) => creates)),
    doneAt: Math.max(...(await inOrder(own, (backlog) => estimate({ ledger, pace }, backlog, now)))),
  };
}

/** When so many more issues will have been opened, epoch ms: others that share the pace open as many meanwhile. */
export async function estimate(
  { ledger, pace }: Sources,
  whose: Pick<Backlog, "project" | "budget" | "creates">,
  now: number,
): Promise<number> {
  const others = othersIn(await ledger.pace.backlogs(), whose, now);
  const recent = timesOf(await ledger.pace.writes(now - hourMs, whose.budget));
  const between = sum(others.map(({ creates }) => Math.min(creates, whose.creates)));
  return estimateEnd(recent, whose.creates + between, pace, now);
}

interface Sources {
  readonly ledger: Ledger;
  readonly pace: PaceLimits;
}

async function readOwn(ledger: Ledger, project: ProjectId): Promise<readonly Backlog[]> {
  return (await ledger.pace.backlogs()).filter((one) => one.project === project);
}
