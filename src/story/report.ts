import type { Board } from "../board/board.ts";
import { ProjectError, RemoteError } from "../errors.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { showWay } from "../model/page.ts";
import type { BoardProject } from "../model/post.ts";
import type { ReadBounds } from "../model/surroundings.ts";
import { inOrder } from "../select.ts";
import { countProject } from "../sync/ground/counts.ts";
import { pickProject } from "../sync/ground/world.ts";
import { readReport } from "../sync/tell/stored-report.ts";
import type { Tracker } from "../tracker/tracker.ts";
import { lookAtList, type ShownList } from "./posts.ts";

/**
 * What `boardsync report` tells of both sides and of the state, for somebody who must not read what they say: counts, codes, and
 * the names of the board's keys and statuses as far as they are nobody's.
 */

/** What stands in a report for the words of a board and of a config. */
export interface Names {
  of(kind: "project", text: string): string;
  word(kind: "status" | "key", text: string): string;
}

/** Facts by their name, as a report prints them. */
export type Facts = Readonly<Record<string, unknown>>;

/** Enough to see how a list goes on. */
const mostPages = 20;
const mostKeys = 40;
const mostStatuses = 20;

/** One look at the list of each project, by GET alone. `access` is `ok`, or the code of what went wrong. */
export async function lookAtBoard(
  board: Pick<Board, "verifyKey" | "listProjects" | "listPosts">,
  projects: readonly string[],
  names: Names,
  bounds: ReadBounds,
): Promise<Facts> {
  let listed: readonly BoardProject[];
  try {
    await board.verifyKey(bounds);
    listed = await board.listProjects(bounds);
  } catch (error) {
    return { access: codeOf(error) };
  }
  const lists = await inOrder(projects, async (key) => {
    const project = names.of("project", key);
    const found = pickProject(listed, key)?.id;
    if (found === undefined) return { project, end: "board.project" };
    return { project, ...tellList(await lookAtList(board, found, bounds, mostPages), names) };
  });
  return { access: "ok", projects: listed.length, lists };
}

function tellList(list: ShownList, names: Names): Facts {
  const { pages, first, shape, asked, fault, end, seen } = list;
  const word = (path: string): string => names.word("key", path);
  const keys = (shape?.keys ?? []).slice(0, mostKeys);
  const around = shape === undefined ? fault?.keys : first?.envelope;
  const statuses = [...list.statuses].toSorted(([, one], [, other]) => other - one).slice(0, mostStatuses);
  return {
    // How the list ended; `stopped` where the look was long enough.
    end: fault?.code ?? end?.kind ?? "stopped",
    pages: `${pages.length}, the first ones with ${pages.slice(0, 5).join(", ") || "nothing"}`,
    unusable: list.unusable.length,
    ...(shape !== undefined && {
      items: shape.items === topLevel ? topLevel : word(shape.items),
      id: shape.id === undefined ? null : word(shape.id),
      paging: shape.paging,
      ...(asked?.way !== undefined && { found: showWay(asked.way) }),
    }),
    signs: first?.signs ?? [],
    headers: first?.headers ?? [],
    around: [...new Set((around ?? []).slice(0, mostKeys).map(word))],
    keys: keys.map((name, index) => `${word(name)}: ${first?.types[index] ?? ""}`),
    fields: [...seen],
    statuses: tell(statuses.map(([status, posts]) => [names.word("status", status), posts])),
  };
}

/** What the board's adapter calls a list that is the whole answer; it is no key. */
const topLevel = "(top level)";

/** Whether the account can be read: `ok`, or the code of what went wrong. */
export async function lookAtTracker(tracker: Pick<Tracker, "account">, bounds: ReadBounds): Promise<Facts> {
  try {
    await tracker.account(bounds);
    return { access: "ok" };
  } catch (error) {
    return { access: codeOf(error) };
  }
}

/** @throws what is no answer of a side, but a mistake of ours. */
function codeOf(error: unknown): string {
  if (error instanceof RemoteError || error instanceof ProjectError) return error.code;
  throw error;
}

const mostRuns = 10;
const mostWaits = 10_000;

/** What a state remembers. @param projects - as the config names them. */
export async function readStateFacts(
  ledger: Pick<Ledger, "upkeep" | "runs" | "rows" | "journal" | "memory" | "toolCalls">,
  projects: readonly string[],
  names: Names,
): Promise<Facts> {
  return {
    schema: await ledger.upkeep.schema(),
    ...(await ledger.upkeep.size()),
    replicas: (await ledger.runs.replicas()).length,
    runs: await readRuns(ledger.runs),
    projects: (await inOrder(projects, (key) => readProject(ledger, key, names))).flat(),
  };
}

/** The newest first. */
async function readRuns(runs: Ledger["runs"]): Promise<readonly Facts[]> {
  const told: Facts[] = [];
  let next: number | null | undefined = await runs.lastOfAll();
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
      durationMs: found.finishedAt - found.startedAt,
      result: found.result,
      created: sum(({ created }) => created),
      issueWrites: sum(({ issueWrites }) => issueWrites),
      postWrites: sum(({ postWrites }) => postWrites),
      errors: tally(reports.flatMap(({ errors }) => errors.map(({ code }) => known(code)))),
      putOff: tally(reports.flatMap(({ putOff }) => putOff.map(({ code }) => known(code)))),
    });
  }
  return told;
}

/** Nothing of a project that has never run. */
async function readProject(
  ledger: Pick<Ledger, "memory" | "rows" | "journal" | "runs" | "toolCalls">,
  key: string,
  names: Names,
): Promise<readonly Facts[]> {
  const { rows, journal, runs } = ledger;
  const project = ledger.memory.project(key);
  const last = await runs.last(key);
  const counts = await countProject(ledger, project, Object(last?.report).hold !== undefined);
  if (project === undefined) return [];
  const waiting = await rows.waiting(project.id, mostWaits);
  const open = await journal.open(project.id);
  const { lastSuccessAt } = project;
  return [
    {
      project: names.of("project", key),
      ...counts,
      waits: tally(waiting.map(({ kind, code }) => (code === undefined ? kind : `${kind} ${known(code)}`))),
      openWrites: tally(open.map(({ kind, state }) => `${kind} ${state}`)),
      lastSuccess: lastSuccessAt === undefined ? null : new Date(lastSuccessAt).toISOString(),
    },
  ];
}

/** How often something was said, the most frequent first: `board.rejected (2)`. */
function tally(words: readonly string[]): readonly string[] {
  const counts = [...Map.groupBy(words, (word) => word)].map(([word, all]) => [word, all.length] as const);
  return tell(counts.toSorted(([, one], [, other]) => other - one));
}

function tell(counts: readonly (readonly [string, number])[]): readonly string[] {
  return counts.map(([word, times]) => `${word} (${times})`);
}

/** A state may have been written by any version, or by hand: what does not look like a code is none. */
function known(word: string): string {
  return /^[a-z]{1,20}(\.[a-z-]{1,30})?$/.test(word) ? word : "unknown";
}
