import type { Ledger } from "../../ledger/ledger.ts";
import { inOrder } from "../../select.ts";
import { readReport } from "../../sync/tell/stored-report.ts";
import type { Names } from "./names.ts";

/** What a state remembers, in counts and codes: no text of a post, no id, no name. */
export interface StateFacts {
  readonly schema: number;
  readonly bytes: number;
  readonly journalBytes: number;
  readonly links: number;
  /** The newest first. */
  readonly runs: readonly RunFacts[];
  /** Of each project of the config that has run. */
  readonly projects: readonly ProjectFacts[];
}

/** How a run ended. */
export interface RunFacts {
  readonly run: number;
  /** ISO 8601. */
  readonly at: string;
  readonly ageSeconds: number;
  readonly durationMs: number;
  readonly result: string;
  readonly created: number;
  readonly issueWrites: number;
  readonly postWrites: number;
  readonly errors: readonly Tally[];
  readonly putOff: readonly Tally[];
}

/** How often something was said. */
export interface Tally {
  readonly code: string;
  readonly times: number;
}

/** What a project has, and what of it waits. */
export interface ProjectFacts {
  readonly project: string;
  readonly posts: number;
  readonly issues: number;
  readonly skipped: number;
  readonly paused: number;
  /** By kind, and by code where there is one: `held`, `parked board.rejected`. */
  readonly waits: readonly Tally[];
  /** Writes whose outcome is open, by kind and state: `patch-post UNKNOWN`. */
  readonly intents: readonly Tally[];
  readonly lastSuccess: string | null;
}

const mostRuns = 10;
const mostWaits = 10_000;

/** Reads the state for a report. @param projects - as the config names them. */
export async function readStateFacts(
  ledger: Pick<Ledger, "upkeep" | "runs" | "rows" | "journal" | "memory">,
  projects: readonly string[],
  names: Names,
  now: number,
): Promise<StateFacts> {
  const { bytes, journalBytes, links } = await ledger.upkeep.size();
  return {
    schema: await ledger.upkeep.schema(),
    bytes,
    journalBytes,
    links,
    runs: await readRuns(ledger, now),
    projects: (await inOrder(projects, (key) => readProject(ledger, key, names))).flat(),
  };
}

async function readRuns({ runs }: Pick<Ledger, "runs">, now: number): Promise<readonly RunFacts[]> {
  const told: RunFacts[] = [];
  let next: number | null | undefined = (await runs.last(undefined))?.run;
  while (typeof next === "number" && told.length < mostRuns) {
    const found = await runs.find(next);
    next = found?.before;
    if (found === undefined) break;
    const reports = found.projects.map(({ report }) => readReport(report));
    const sum = (pick: (report: (typeof reports)[number]) => number): number =>
      reports.reduce((total, report) => total + pick(report), 0);
    told.push({
      run: found.run,
      at: new Date(found.startedAt).toISOString(),
      ageSeconds: Math.max(0, Math.round((now - found.startedAt) / 1000)),
      durationMs: found.finishedAt - found.startedAt,
      result: found.result,
      created: sum(({ created }) => created),
      issueWrites: sum(({ issueWrites }) => issueWrites),
      postWrites: sum(({ postWrites }) => postWrites),
      errors: tally(reports.flatMap(({ errors }) => errors.map(({ code }) => codeOf(code)))),
      putOff: tally(reports.flatMap(({ putOff }) => putOff.map(({ code }) => codeOf(code)))),
    });
  }
  return told;
}

async function readProject(
  { memory, rows, journal }: Pick<Ledger, "memory" | "rows" | "journal">,
  key: string,
  names: Names,
): Promise<readonly ProjectFacts[]> {
  const known = memory.project(key);
  if (known === undefined) return [];
  const { posts, issues, skipped, paused } = await rows.counts(known.id);
  const waiting = await rows.waiting(known.id, mostWaits);
  const open = await journal.open(known.id);
  return [
    {
      project: names.project(key),
      posts,
      issues,
      skipped,
      paused,
      waits: tally(waiting.map(({ kind, code }) => (code === undefined ? kind : `${kind} ${codeOf(code)}`))),
      intents: tally(open.map(({ kind, state }) => `${kind} ${state}`)),
      lastSuccess: known.lastSuccessAt === undefined ? null : new Date(known.lastSuccessAt).toISOString(),
    },
  ];
}

/** The most frequent first. */
function tally(words: readonly string[]): readonly Tally[] {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts]
    .map(([code, times]) => ({ code, times }))
    .toSorted((one, other) => other.times - one.times);
}

/** A state may have been written by any version, or by hand: what does not look like a code is none. */
function codeOf(word: string): string {
  return /^[a-z]{1,20}(\.[a-z-]{1,30})?$/.test(word) ? word : "unknown";
}
