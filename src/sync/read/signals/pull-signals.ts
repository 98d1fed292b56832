import { RemoteError } from "../../../errors.ts";
import type { Change } from "../../../ledger/change.ts";
import type { SignalledIssue } from "../../../ledger/pulls.ts";
import { type Issue, type IssueRef, type Pin, refOf, type Signals } from "../../../model/issue.ts";
import { hashText } from "../../../plan/ground/hash.ts";
import type { Settings } from "../../../plan/ground/settings.ts";
import { isDuplicate } from "../../../plan/rules/place.ts";
import { isSignalNeeded } from "../../../plan/rules/rules.ts";
import {
  looksBesideRecord,
  neededSignals,
  projectFieldKey,
  type SignalNeeds,
} from "../../../plan/rules/signals.ts";
import { inOrder } from "../../../select.ts";
import {
  type Cycle,
  nameIssue,
  noteStale,
  projectNow,
  rememberOfProject,
  repositoryById,
} from "../../ground/cycle-state.ts";
import { isLookedAt, noteLooks } from "../../ground/looks.ts";
import { isPutOff, noteError } from "../../ground/report.ts";
import { createPart, linkedPages, type SignalBatch, type SignalWork, workWithinLimits } from "./batch.ts";
import { followDuplicates } from "./follow-duplicates.ts";
import { namedOptions } from "./project-fields.ts";
import { createSignalReader, type ReadMode, type SignalReader } from "./signal-reader.ts";

/** So many issues of other projects are looked through for some to take along. */
const mostLookedThrough = 1000;

/**
 * Reads signals where rules look at them. What can't be asked for is a failure that is said, and posts whose decision hangs on it
 * stay as they are: what was read before stood beside another record of the issue, and the two together may say what never was.
 *
 * @throws RemoteError when the tracker wants no request now, or the run is to end.
 */
export async function pullSignals(cycle: Cycle): Promise<void> {
  try {
    await readSignals(cycle, "all");
  } catch (error) {
    if (!(error instanceof RemoteError) || isPutOff(error)) throw error;
    noteError(cycle.tally, error, { message: `${error.message} ${whatWaits}.` });
    const search = await searchFor(cycle, cycle.settings, "all");
    for await (const found of eachLinked(cycle, search))
      if (wayOf(cycle, search, found) !== undefined) noteStale(cycle, found.issue);
  }
}

/**
 * Reads what issues' own records do not show: of every linked issue whose decision may hang on it, once a run. Nothing is
 * asked where no rule names a signal, nor for issues that are decided without one; for a hundred others it is one request.
 * What room the last request has is for issues of other projects that look at the same.
 *
 * @param mode `unknown` before other rules are laid over the bases: what was known then is left for the pull to renew.
 * @throws RemoteError
 */
export async function readSignals(cycle: Cycle, mode: ReadMode): Promise<void> {
  const search = await searchFor(cycle, cycle.settings, mode);
  const { needs, print } = search;
  if (!looksBesideRecord(needs) && !needs.duplicates) return;
  const reader = createSignalReader(cycle, mode);
  const from = mode === "all" ? projectNow(cycle).signalsFrom : undefined;
  let last = from;
  const partOf = (work: SignalWork) =>
    createPart(async (issues) => {
      const askedAt = cycle.world.clock.now();
      // Rules that are new wait as a whole until all that they look at can be asked for.
      const read = mode === "unknown" ? issues : await workWithinLimits(cycle, issues, work);
      if (mode === "unknown") await work(issues);
      const end = read.at(-1)?.issue;
      if (end !== undefined) last = refOf(end);
      const answered = read.filter(({ issue }) => !reader.unread.has(issue.nodeId));
      const looks = answered.map(({ issue }) => signalsKey(print, issue));
      noteLooks(cycle, looks, askedAt);
    });
  const parts = {
    duplicates: partOf((issues) => followDuplicates(cycle, reader, issues)),
    others: partOf(async (issues) => {
      await readOthers(cycle, reader, issues);
      if (!needs.duplicates) return;
      // The list did not show yet that it was closed as one.
      const known = await inOrder(issues, ({ issue }) => cycle.world.ledger.signals.of(issue));
      for (const found of known) if (found && isDuplicate(found.issue)) await parts.duplicates.add(found);
    }),
  };
  const askBehind = async (start: IssueRef | undefined): Promise<void> => {
    for await (const found of eachLinked(cycle, search, start)) {
      const isPulled = repositoryById(cycle, found.issue.repositoryId) !== undefined;
      const way = isPulled ? wayOf(cycle, search, found) : undefined;
      if (way !== undefined) await parts[way].add(found);
    }
    if (mode === "all" && start === undefined) await fill(cycle, parts, print);
    await parts.others.end();
    await parts.duplicates.end();
  };
  if (from !== undefined) await askBehind(from);
  await askBehind(undefined);
  if (mode !== "all") return;
  await sayUnread(cycle, search, reader.unread);
  // Else a limit that comes at the same place in each run would keep the same issues from ever being read.
  const isLimited = [...cycle.course.stale.values()].some((why) => why !== undefined);
  const signalsFrom = isLimited ? last : undefined;
  if (signalsFrom !== from) await rememberOfProject(cycle, { signalsFrom });
}

/** Names the issues of this project that the tracker can't answer for even when it is asked for each alone. */
async function sayUnread(cycle: Cycle, search: Search, unread: ReadonlyMap<string, string>): Promise<void> {
  if (unread.size === 0) return;
  for await (const { issue } of eachLinked(cycle, search)) {
    const words = unread.get(issue.nodeId);
    if (words === undefined) continue;
    noteStale(cycle, issue);
    const message = `${words} ${whatWaits} for this issue.`;
    const failed = { code: "tracker.unreachable", message, detail: "server" } as const;
    noteError(cycle.tally, failed, { issue: nameIssue(cycle, issue) });
  }
}

const whatWaits =
  "The rules look at what could not be read now (pull requests, projects, releases, sub-issues or duplicates): posts that hang on it stay as they are until it is read";

/**
 * Reads the signals of an issue before a change of ours lets them count: some rule decided it by its record alone, so nobody
 * has looked at them lately, and what people did meanwhile must not come to light as if they had waited for our change.
 *
 * @throws RemoteError
 */
export async function readWoken(cycle: Cycle, before: Issue, after: Issue): Promise<void> {
  const { settings, world } = cycle;
  const needs = neededSignals(settings);
  const signals = (await world.ledger.signals.of(before))?.signals ?? {};
  const pins = await world.ledger.signals.pins(cycle.memory.id);
  const isNeeded = (issue: Issue): boolean => isSignalNeeded(issue, signals, settings, pins);
  const isWoken = isNeeded(after) && !isNeeded(before);
  if (looksBesideRecord(needs) && isWoken) await readNow(cycle, before);
}

/**
 * Reads the signals of one issue, whatever decides it: of one that nobody has followed for a while, what is known is old.
 *
 * @throws RemoteError
 */
export async function readNow(cycle: Cycle, issue: Issue): Promise<void> {
  const needs = neededSignals(cycle.settings);
  const reader = createSignalReader(cycle, "all");
  let asked: SignalledIssue = { issue, signals: (await cycle.world.ledger.signals.of(issue))?.signals ?? {} };
  if (looksBesideRecord(needs)) {
    await readOthers(cycle, reader, [asked]);
    asked = (await cycle.world.ledger.signals.of(issue)) ?? asked;
  }
  if (needs.duplicates && isDuplicate(asked.issue)) await followDuplicates(cycle, reader, [asked]);
}

/** What the rules of a project make us ask for. */
interface Search {
  readonly settings: Settings;
  readonly needs: SignalNeeds;
  /** The same for projects that ask for the same and believe it alike. */
  readonly print: string;
  readonly pins: readonly Pin[];
}

async function searchFor({ world }: Cycle, settings: Settings, mode: ReadMode): Promise<Search> {
  const needs = neededSignals(settings);
  const options = needs.projects.map((wanted) => namedOptions(settings, projectFieldKey(wanted)));
  const print = hashText(JSON.stringify([mode, needs, options])).slice(0, 16);
  return { settings, needs, print, pins: await world.ledger.signals.pins(settings.project) };
}

function signalsKey(print: string, { nodeId }: Issue): string {
  return `signals ${print} ${nodeId}`;
}

type Way = "duplicates" | "others";

/** How an issue is to be asked for; undefined where it need not be, or has been in this run. */
function wayOf(
  cycle: Cycle,
  { settings, needs, print, pins }: Search,
  found: SignalledIssue,
): Way | undefined {
  const { issue, signals } = found;
  if (isLookedAt(cycle, signalsKey(print, issue))) return undefined;
  if (needs.duplicates && isDuplicate(issue)) return "duplicates";
  return looksBesideRecord(needs) && isSignalNeeded(issue, signals, settings, pins) ? "others" : undefined;
}

/**
 * Takes issues of other projects along, as far as they look at the same and there is room. Only of this project's own
 * repositories: another one may be under a limit that this project is free of.
 */
async function fill(cycle: Cycle, parts: Readonly<Record<Way, SignalBatch>>, print: string): Promise<void> {
  const { world, run, project } = cycle;
  const others = run.companions.filter(({ key }) => key !== project.key);
  const hasRoom = (): boolean => parts.duplicates.hasRoom() || parts.others.hasRoom();
  let looked = 0;
  for (const companion of others) {
    if (!hasRoom()) return;
    const id = world.ledger.memory.project(companion.key)?.id;
    if (id === undefined) continue;
    const search = await searchFor(cycle, { ...companion.settings, project: id }, "all");
    if (search.print !== print) continue;
    for await (const found of eachLinked(cycle, search)) {
      looked += 1;
      if (!hasRoom() || looked > mostLookedThrough) return;
      if (repositoryById(cycle, found.issue.repositoryId) === undefined) continue;
      const way = wayOf(cycle, search, found);
      if (way !== undefined && parts[way].hasRoom()) parts[way].fill(found);
    }
  }
}

/** Every linked issue of a project that can be relied on and may have to be asked for, each once. */
async function* eachLinked(
  cycle: Cycle,
  { settings, needs }: Search,
  start?: IssueRef,
): AsyncGenerator<SignalledIssue> {
  const only = looksBesideRecord(needs) ? undefined : "duplicates";
  for await (const page of linkedPages(cycle, settings.project, only, start)) yield* page;
}

async function readOthers(
  cycle: Cycle,
  reader: SignalReader,
  issues: readonly SignalledIssue[],
): Promise<void> {
  const answers = await reader.read(issues);
  const unread = unseen(neededSignals(cycle.settings));
  const changes = await inOrder(issues, async ({ issue, signals }) => {
    const answer = answers.get(issue.nodeId);
    const isHidden = answer?.fault !== undefined;
    return [
      ...(await reader.storingFacts(answer?.issue)),
      reader.storing(issue, isHidden ? unread : (answer?.signals ?? {})),
      ...(isHidden && reader.isNews(signals, unread) ? lookNextRun(cycle, issue) : []),
    ];
  });
  await cycle.world.ledger.commit(changes.flat());
}

const notFound = { kind: "unknown", message: "the tracker does not find the issue by its id" } as const;

function unseen({ pullRequests, subIssues, released, projects }: SignalNeeds): Signals {
  const keys = projects.map(projectFieldKey);
  return {
    ...(pullRequests && { pullRequests: notFound }),
    ...(subIssues && { subIssues: notFound }),
    ...(released && { isReleased: notFound }),
    ...(keys.length > 0 && { projectStatus: Object.fromEntries(keys.map((key) => [key, notFound])) }),
  };
}

/** It may be hidden from us, or gone: the next run looks at every linked issue of its repository, which tells. */
function lookNextRun({ world: { ledger } }: Cycle, { repositoryId }: IssueRef): readonly Change[] {
  const memory = ledger.memory.repositoryById(repositoryId);
  if (memory === undefined) return [];
  return [{ kind: "remember-repository", memory: { ...memory, fullAt: undefined } }];
}
