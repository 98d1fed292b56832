import { z } from "zod";
import { dayMs, hourMs } from "../../../model/time.ts";
import type { Pruned, StateSize, Upkeep } from "../../ledger.ts";
import { stored } from "../../stored.ts";
import { named, type Statements, sql } from "../statements.ts";
import type { Asked, Plain } from "../store.ts";
import type { Meta } from "./meta.ts";
import { addedToHour } from "./quiet-hours.ts";

/** A run that told nothing new is counted by the hour from this age on. */
const quietAfterMs = dayMs;
/** The pace looks back for an hour; the second one is for a clock that is corrected. */
const paceMs = 2 * hourMs;
/** Rows that one transaction looks at: a few milliseconds, so that nobody waits for it. */
const rowsAStep = 500;
/** More than this is left to the next time. */
const mostSteps = 20;

/** How far the runs have been looked through, and what the audit has lost: lines of `meta`. */
const quietUntil = "quiet_until";
const auditPruned = "audit_pruned";

/** One step: returns whether it found as many rows as it may look at, so that there may be more. */
type PruneStep = (now: number, keptFrom: number) => Asked<boolean>;

/** What the engine itself does for the upkeep. */
export interface EngineUpkeep extends Pick<Plain<Upkeep>, "trimJournal"> {
  /** Bytes of the state, of what is free in it, and of a journal beside it. */
  size(): Asked<Pick<StateSize, "bytes" | "freeBytes" | "journalBytes">>;
}

/** What keeps the state small. */
export function createUpkeep(on: Statements, meta: Meta, { size, trimJournal }: EngineUpkeep): Plain<Upkeep> {
  const { get, count } = on;
  /** Rows of a table by their age, and perhaps something else. */
  function* removeOld(
    table: string,
    key: string,
    time: string,
    before: number,
    also = sql``,
  ): Asked<boolean> {
    const [from, by, at] = [named(table), named(key), named(time)];
    const removed = yield* count`
      DELETE FROM ${from} WHERE ${by} IN (
        SELECT ${by} FROM ${from} WHERE ${at} < ${before} ${also} ORDER BY ${at} LIMIT ${rowsAStep})`;
    return removed === rowsAStep;
  }
  // In this order: a line of the audit asks its intent what became of it, so it goes first.
  const steps: readonly PruneStep[] = [
    pruneAudit(on, meta),
    (_, keptFrom) => removeOld("intents", "id", "ended_at", keptFrom),
    (now) => removeOld("pace", "number", "at", now - paceMs),
    foldQuietRuns(on, meta),
    (_, keptFrom) => removeOld("runs", "number", "started_at", keptFrom, sql`AND NOT ${isAskedFor}`),
    (_, keptFrom) => removeOld("quiet_runs", "hour", "hour", Math.floor(keptFrom / hourMs)),
  ];
  return {
    *prune(now, keepMs) {
      const keptFrom = now - keepMs;
      let left = mostSteps;
      for (const step of steps) {
        let hasMore = true;
        while (hasMore) {
          if (left === 0) return;
          left -= 1;
          hasMore = yield* on.transaction(() => step(now, keptFrom));
        }
      }
    },
    trimJournal,
    *size() {
      const bytes = yield* size();
      const counted = yield* get<{ links?: number }>`
        SELECT sum((SELECT count(*) FROM links WHERE links.project = board_projects.number)) AS links
        FROM board_projects`;
      return { ...bytes, links: counted?.links ?? 0, pruned: yield* readPruned(meta) };
    },
  };
}

const prunedOf = stored("meta.value", () => z.object({ before: z.number(), run: z.number() }));

/** What the audit has lost. */
function* readPruned(meta: Meta): Asked<Pruned | undefined> {
  const found = yield* meta.read(auditPruned);
  return found === undefined ? undefined : prunedOf(found);
}

/** The line of an opened issue stays where neither a link nor a marker tells that the issue is ours: see `KnownMark.isExplained`. */
function pruneAudit({ run, all }: Statements, meta: Meta): PruneStep {
  return function* (_, before) {
    const found = yield* all<{ number: number; run: number }>`
      SELECT audit.number AS number, run FROM board_projects
      CROSS JOIN audit ON audit.project = board_projects.number AND at < ${before} AND NOT (
        kind = 'create-issue' AND outcome IN ('applied', 'unknown')
        AND NOT EXISTS (SELECT 1 FROM links WHERE links.project = audit.project AND links.post = audit.post)
        AND NOT EXISTS (SELECT 1 FROM markers WHERE markers.post = audit.post))
      ORDER BY at LIMIT ${rowsAStep}`;
    if (found.length === 0) return false;
    const numbers = found.map((line) => line.number);
    yield* run`DELETE FROM audit WHERE number IN (SELECT one.value FROM EACH NUMBER ${numbers} AS one)`;
    const last = Math.max((yield* readPruned(meta))?.run ?? 0, ...found.map((line) => line.run));
    yield* meta.write(auditPruned, JSON.stringify({ before, run: last } satisfies Pruned));
    return found.length === rowsAStep;
  };
}

/** What the last run of each project, and the last run of all, said is asked for whatever its age. */
const isAskedFor = sql`(number = (SELECT max(number) FROM runs WHERE finished_at IS NOT NULL)
  OR EXISTS (SELECT 1 FROM run_projects AS mine WHERE mine.run = runs.number AND NOT EXISTS (
    SELECT 1 FROM run_projects AS later WHERE later.project = mine.project AND later.run > mine.run)))`;

interface RunColumns {
  number: number;
  startedAt: number;
  failures: number;
  longestMs: number;
  isQuiet: boolean;
}

/**
 * Nearly all runs find that nothing has changed: a run that wrote nothing, and whose reports are those of the run before it of
 * the same project, is counted and deleted. So the history grows with what happens, and not with the schedule. Requests are
 * left out of the comparison: every few hours a run asks for more, and that is no news.
 */
function foldQuietRuns({ run, all }: Statements, meta: Meta): PruneStep {
  return function* (now) {
    const after = Number((yield* meta.read(quietUntil)) ?? 0);
    const found = yield* all<RunColumns>`
      SELECT number, started_at, coalesce(finished_at - started_at, 0) AS longest_ms,
        coalesce((SELECT sum(run_projects.failures) FROM run_projects WHERE run_projects.run = runs.number), 0) AS failures,
        finished_at IS NOT NULL AND NOT ${isAskedFor}
          AND NOT EXISTS (SELECT 1 FROM audit WHERE audit.run = runs.number)
          AND NOT EXISTS (SELECT 1 FROM run_projects AS mine WHERE mine.run = runs.number
            AND mine.said IS DISTINCT FROM (
              SELECT earlier.said FROM run_projects AS earlier
              WHERE earlier.project = mine.project AND earlier.run < mine.run ORDER BY earlier.run DESC LIMIT 1)) AS is_quiet
      FROM runs NOT INDEXED WHERE number > ${after} AND started_at < ${now - quietAfterMs} ORDER BY number LIMIT ${rowsAStep}`;
    const last = found.at(-1);
    if (last === undefined) return false;
    for (const { number, startedAt, failures, longestMs, isQuiet } of found) {
      if (!isQuiet) continue;
      yield* run`DELETE FROM runs WHERE number = ${number}`;
      yield* run`
        INSERT INTO quiet_runs (hour, runs, failures, longest_ms)
        VALUES (${Math.floor(startedAt / hourMs)}, 1, ${failures}, ${longestMs}) ${addedToHour}`;
    }
    yield* meta.write(quietUntil, String(last.number));
    return found.length === rowsAStep;
  };
}
