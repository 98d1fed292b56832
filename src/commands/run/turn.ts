import { buildWorld } from "../../app.ts";
import type { QueuedRun, Ran } from "../../daemon/daemon.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { minuteMs } from "../../model/time.ts";
import type { RunReport } from "../../sync/ground/reports.ts";
import type { Round, World } from "../../sync/ground/world.ts";
import { runProjects } from "../../sync/run.ts";
import type { Session } from "../open/session.ts";
import type { Post } from "./obey.ts";
import { followConfig } from "./reload.ts";

/** Runs one project by the config of the moment; one that was ended in the middle of its writes by its time, or by another config, goes on. */
export function createRunner(post: Post, goOn: (key: string) => void) {
  const { session, ledger, take, metrics, renew, crier } = post;
  /** What became due before the clock was found to have gone back can't be compared with the times of runs. */
  let comparableFrom = Number.NEGATIVE_INFINITY;
  let shared: { readonly session: Session; readonly looks: Round["looks"] } | undefined;
  const runHeld = async (held: Ledger, key: string, { dueAt, waiting }: QueuedRun): Promise<Ran> => {
    renew();
    const current = session();
    const { terminal, config, sides, projects, machine } = current;
    // Nobody watches a daemon: its log says what it does.
    const { progress: _, ...unwatched } = machine;
    // Another config, or another token, may see other things.
    if (shared?.session !== current) shared = { session: current, looks: new Map() };
    const next = projects.filter((project) => waiting.includes(project.key));
    const round: Round = { looks: shared.looks, dueAt, waiting: next };
    const changedAt = followConfig(post, current);
    const world: World = { ...buildWorld(config, sides, held, unwatched), round, changedAt };
    const chosen = projects.filter((project) => project.key === key);
    const successOf = () => held.memory.project(key)?.lastSuccessAt;
    const before = successOf();
    try {
      const { report, aheadMs } = await runProjects(chosen, world, { kind: "sync" }, terminal.signal);
      if (aheadMs > 0) comparableFrom = machine.clock.now();
      metrics.noteRun(report);
      if (isUnfinished(report, config.budget) || hasNewConfig(report)) goOn(key);
      crier.tell(report);
      return successOf() === before ? "failed" : "fine";
    } catch (error) {
      metrics.noteRun(undefined);
      throw error;
    } finally {
      // After SIGHUP nobody else knows these sides any more.
      metrics.noteTraffic(sides);
    }
  };
  /** What came of it where another process was asked at the same time, and was quicker; undefined where none was. */
  const ranElsewhere = async (by: Ledger, key: string, dueAt: number): Promise<Ran | undefined> => {
    const last = await by.runs.last(key);
    const { lastSuccessAt = Number.NEGATIVE_INFINITY, orderedRun } = by.memory.project(key) ?? {};
    if (last === undefined || last.run === orderedRun) return undefined;
    // A run that lies ahead was before the clock was set back.
    const isPast = last.startedAt <= session().machine.clock.now();
    if (!isPast || last.startedAt < dueAt || dueAt <= comparableFrom) return undefined;
    return lastSuccessAt >= last.startedAt ? "fine" : "failed";
  };
  return async (key: string, place: QueuedRun): Promise<Ran> => {
    // To take a project costs a server more than this look, and most of them another replica has run.
    if ((await ranElsewhere(ledger, key, place.dueAt)) === "fine") return "fine";
    const hold = await take([key]);
    if (hold.kind === "taken") {
      if (hold.isOtherConfig) session().log.warn({ project: key, who: hold.who }, otherConfig);
      return "elsewhere";
    }
    try {
      const ran = await ranElsewhere(hold.ledger, key, place.dueAt);
      return ran ?? (await runHeld(hold.ledger, key, place));
    } finally {
      await hold.release();
    }
  };
}

const otherConfig =
  "A replica with another config works on this project, so this one waits: give all of them the same config";

/** A wait for the minute's limit that would not end within the run's time ends the run, too. */
const longestWaitMs = minuteMs;

/** Whether another config has stopped a run in the middle of its writes: the next one goes by that, and need not wait for its time. */
function hasNewConfig({ projects }: RunReport): boolean {
  return projects.some(({ putOff = [] }) => putOff.some(({ code }) => code === "config.changed"));
}

/**
 * Whether a run ended because its time was over, in the middle of its writes: then the next one need not wait for its time. One
 * that wrote nothing would only read the same again.
 */
export function isUnfinished({ durationMs, projects }: RunReport, budgetMs: number): boolean {
  const isOutOfTime = durationMs >= Math.max(budgetMs - longestWaitMs, budgetMs / 2);
  return (
    isOutOfTime &&
    projects.some(
      ({ waiting, created, issueWrites, postWrites, made = 0, entryWrites = 0 }) =>
        waiting > 0 && created + issueWrites + postWrites + made + entryWrites > 0,
    )
  );
}
