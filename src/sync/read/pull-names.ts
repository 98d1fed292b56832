import type { Change } from "../../ledger/change.ts";
import type { RepositoryMemory } from "../../ledger/memory.ts";
import {
  isSameRepository,
  type Milestone,
  type Named,
  type Pin,
  type RepositoryId,
  type RepositoryName,
} from "../../model/issue.ts";
import { readRules } from "../../plan/ground/identity.ts";
import { includesName } from "../../plan/ground/issue-fields.ts";
import { awaitLost } from "../../plan/lost-names.ts";
import {
  findPin,
  keepCarried,
  lostOf,
  namesOfRules,
  newsOfPin,
  type PinNews,
  pinNames,
  pinNouns,
} from "../../plan/rules/pins.ts";
import { neededSignals, type SignalNeeds } from "../../plan/rules/signals.ts";
import type { Listed } from "../../tracker/tracker.ts";
import { type Cycle, type PulledCycle, projectNow } from "../ground/cycle-state.ts";
import { lookOnce } from "../ground/looks.ts";
import { eachDueRow } from "../ground/rows.ts";
import { lookAtLinked } from "./pull-tracker.ts";
import { askRepositoryAgain, eachRepository, rememberNews } from "./repositories.ts";

/**
 * Finds out what the names in the rules mean by now. GitHub knows labels, milestones and issue types by ids, and so do we, from
 * when each was seen first: one that was renamed still matches, and of one that was deleted nothing is known.
 *
 * @returns the repositories that could not be read, with those whose names could not: what their issues lack may have been
 *   deleted, and their posts wait.
 * @throws ProjectError, RemoteError
 */
export async function pullNames(cycle: PulledCycle): Promise<Cycle["unread"]> {
  const { memory } = cycle.world.ledger;
  const look = (known: RepositoryMemory, name: RepositoryName): Promise<RepositoryMemory> =>
    pullCatalogue(cycle, memory.repository(name) ?? known);
  const { refused } = await eachRepository(cycle, cycle.repositories, look, false);
  await pinKnown(cycle);
  const unnamed = refused.flatMap((name) => memory.repository(name)?.repository.id ?? []);
  return new Set([...cycle.unread, ...unnamed]);
}

/**
 * The same by what is known, without a request. What was deleted has gone from all issues at once. While nothing else is called
 * so, nobody knows what an issue would show; once something is, every post whose decision hangs on it gets a base that waits for
 * the next target, in the transaction that notes it: so nobody is told that the issues have lost what was deleted.
 */
export async function pinKnown(cycle: Cycle): Promise<void> {
  const { ledger } = cycle.world;
  const known = cycle.course.pins ?? (await ledger.signals.pins(cycle.memory.id));
  const pinned = (await confirmLost(cycle, known, settlePins(cycle, known))).toSorted(comparePins);
  cycle.course.pins = pinned;
  if (JSON.stringify(pinned) === JSON.stringify(known)) return;
  const lost = pinned.flatMap((pin) => lostOf(findPin(known, pin), pin) ?? []);
  const changes = lost.length === 0 ? [] : await awaitRows(cycle, pinned, lost);
  await ledger.commit([{ kind: "set-pins", project: cycle.memory.id, pins: pinned }, ...changes]);
  for (const pin of pinned) sayPinNews(cycle, findPin(known, pin), pin);
}

/** What names mean by what is known. A repository that can't be read now says nothing about them. */
function settlePins(cycle: Cycle, known: readonly Pin[]): readonly Pin[] {
  // The bases may still stand by the rules before.
  const earlier = readRules(projectNow(cycle).rules ?? "");
  const names = namesOfRules([...cycle.settings.rules, ...(earlier?.rules ?? [])]);
  const ids = new Set([...cycle.repositories.values()].map(({ repository: { id } }) => id));
  const read = [...ids].flatMap((id): RepositoryMemory[] => {
    const memory = cycle.world.ledger.memory.repositoryById(id);
    return memory?.repository.hasIssues && memory.pausedAt === undefined ? [memory] : [];
  });
  const ofRepository = Map.groupBy(known, ({ repositoryId }) => repositoryId);
  return [
    ...read.flatMap((memory) => {
      const { id } = memory.repository;
      return pinNames(id, ofRepository.get(id) ?? [], names, memory);
    }),
    ...known.filter((pin) => !read.some(({ repository }) => repository.id === pin.repositoryId)),
  ];
}

/**
 * A list may be cut short, or late: what it lacks was deleted only if no issue carries it any more, and the issues are asked.
 * Until then the name means what it meant.
 */
async function confirmLost(
  cycle: Cycle,
  known: readonly Pin[],
  pins: readonly Pin[],
): Promise<readonly Pin[]> {
  const { ledger } = cycle.world;
  const missed = pins.filter((pin) => lostOf(findPin(known, pin), pin) !== undefined);
  const carried = new Map<RepositoryId, readonly string[]>();
  for (const id of new Set(missed.map(({ repositoryId }) => repositoryId))) {
    const memory = ledger.memory.repositoryById(id);
    if (memory !== undefined) await rememberNews(cycle, memory, await lookAtCarriers(cycle, memory));
    carried.set(id, (await ledger.signals.catalogue(id)).ids);
  }
  return pins.map((pin) => {
    const before = findPin(known, pin);
    const isMissed = before !== undefined && missed.includes(pin);
    return isMissed ? keepCarried(before, pin, carried.get(pin.repositoryId) ?? []) : pin;
  });
}

/** Every post is decided anew; those that hang on what is another thing of the same name now get a base that waits. */
async function awaitRows(
  cycle: Cycle,
  pinned: readonly Pin[],
  lost: readonly Pin[],
): Promise<readonly Change[]> {
  const { memory, settings, world } = cycle;
  await world.ledger.commit([{ kind: "mark-due", project: memory.id, which: "linked" }]);
  const changes: Change[] = [];
  if (lost.every(({ now }) => now === undefined)) return changes;
  await eachDueRow(cycle, async (_, row) => {
    const base = awaitLost(row, pinned, lost, settings);
    if (Object.keys(base).length === 0) return;
    changes.push({ kind: "set-bases", project: memory.id, post: row.post.id, bases: { base } });
  });
  return changes;
}

/** As the state has them. */
function comparePins(one: Pin, other: Pin): number {
  return (
    one.repositoryId - other.repositoryId ||
    compareTexts(one.kind, other.kind) ||
    compareTexts(one.name, other.name)
  );
}

function compareTexts(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** Once, when it is noticed; `check` says it for as long as it is so. */
function sayPinNews({ world: { log, ledger }, project }: Cycle, before: Pin | undefined, pin: Pin): void {
  const what = newsOfPin(before, pin);
  if (what === undefined) return;
  const repo = ledger.memory.repositoryById(pin.repositoryId)?.repository.name;
  const noun = pinNouns[pin.kind];
  const remedies: Readonly<Record<PinNews, string>> = {
    renamed: `A ${noun} that the rules name was renamed; they go on to match it. Write the new name into the rule`,
    deleted: `A ${noun} that the rules name was deleted: posts that hang on it stay as they are. Make it anew, or take it out of the rules`,
    "one deleted": `A ${noun} was deleted, and the rules look at whether issues have any: posts are taken as they are, and nobody is told that issues have lost it`,
    "made anew": `A ${noun} that the rules name was deleted and made anew: posts are taken as they are, and nobody is told that issues have lost it`,
  };
  const name = what === "one deleted" ? lostOf(before, pin)?.id : pin.name;
  log.warn({ project: project.key, repo, [pin.kind]: name, now: pin.now }, remedies[what]);
}

/** Which lists of a repository are wanted. */
type Lists = Pick<SignalNeeds, "labels" | "milestones" | "types">;

/**
 * Looks for milestones that were closed or renamed, and for labels, milestones and issue types that were renamed or deleted:
 * issues show it, and their times don't. One conditional request a repository and run for each page of each list that a rule
 * looks at. It comes after all that was read of issues: so what a list still shows was not deleted when they were read.
 *
 * @returns the repository as it is known then.
 * @throws RemoteError
 */
async function pullCatalogue(
  cycle: Cycle,
  known: RepositoryMemory,
  wanted: Lists = neededSignals(cycle.settings),
): Promise<RepositoryMemory> {
  if (!known.repository.hasIssues || known.pausedAt !== undefined) return known;
  const read = await readLists(cycle, known, wanted);
  if (read === known) return known;
  const memory = await takeNews(cycle, known, read);
  // A list that nothing makes conditional is read in every run, and is mostly as it was.
  await rememberNews(cycle, known, memory);
  return memory;
}

/**
 * The milestones as they are now, whatever rules look at: a title may have come to mean another one since they were listed.
 *
 * @param isSure asks once more, although it was asked in this run.
 * @throws RemoteError
 */
export async function pullMilestones(
  cycle: Cycle,
  known: RepositoryMemory,
  isSure: boolean,
): Promise<RepositoryMemory> {
  if (isSure) cycle.run.looks.delete(lookName(cycle, "milestones", known));
  return pullCatalogue(cycle, known, { labels: false, milestones: true, types: false });
}

async function readLists(cycle: Cycle, known: RepositoryMemory, wanted: Lists): Promise<RepositoryMemory> {
  const { tracker } = cycle.world;
  const { bounds } = cycle.run;
  const { repository } = known;
  const asks = {
    labels: () => tracker.labels(repository, known.labelsEtag, bounds),
    milestones: () => tracker.milestones(repository, known.milestonesEtag, bounds),
    types: () => tracker.issueTypes(repository, known.typesEtag, bounds),
  };
  let read = known;
  for (const name of ["labels", "milestones", "types"] as const) {
    if (!wanted[name]) continue;
    // What another project of the run has read is in the state.
    const listed = await lookOnce<Listed<Named | Milestone>>(cycle, lookName(cycle, name, known), asks[name]);
    if (listed?.kind === "listed") read = { ...read, [name]: listed.rows, [`${name}Etag`]: listed.etag };
  }
  return read;
}

/** A list that was read before the issues were is too old: what it shows may have been deleted in between. */
function lookName(
  { run }: Cycle,
  list: keyof Lists | "issues",
  { repository: { id } }: RepositoryMemory,
): string {
  return `${list} of ${id} after ${run.looks.get(`pull of ${id}`)?.at ?? 0}`;
}

/** Where no linked issue carries what has changed, there is nothing to do. */
async function takeNews(
  cycle: Cycle,
  known: RepositoryMemory,
  memory: RepositoryMemory,
): Promise<RepositoryMemory> {
  const { ledger } = cycle.world;
  const { id } = memory.repository;
  const carried = await ledger.signals.catalogue(id);
  const labels = memory.labels.map(({ name }) => name);
  const isRelabelled =
    memory.labels !== known.labels && carried.labels.some((label) => !includesName(labels, label));
  const outdated =
    memory.milestones === known.milestones ? [] : findOutdated(carried.milestones, memory.milestones);
  if (!isRelabelled && outdated.length === 0) return memory;
  // Lists go by name, and the name may have been given to another repository.
  const now = await askRepositoryAgain(cycle, known);
  if (!isSameRepository(now.repository.name, memory.repository.name)) {
    return { ...now, labelsEtag: undefined, milestonesEtag: undefined, typesEtag: undefined };
  }
  for (const { known: before, listed } of outdated) {
    if (listed !== undefined)
      await ledger.commit([{ kind: "replace-milestone", repository: id, known: before, now: listed }]);
  }
  const isGone = outdated.some(({ listed }) => listed === undefined);
  const fresh: RepositoryMemory = { ...memory, repository: now.repository, publicSince: now.publicSince };
  return isRelabelled || isGone ? lookAtCarriers(cycle, fresh) : fresh;
}

/** Looks at every linked issue, once after each list. @throws RemoteError */
async function lookAtCarriers(cycle: Cycle, memory: RepositoryMemory): Promise<RepositoryMemory> {
  const name = lookName(cycle, "issues", memory);
  return (await lookOnce(cycle, name, () => lookAtLinked(cycle, memory))) ?? memory;
}

/**
 * Milestones that are listed otherwise than issues carry them. `listed`: the same one as it is now; undefined where it is not listed any
 * more: what has become of its issues only they can tell.
 */
function findOutdated(carried: readonly Milestone[], all: readonly Milestone[]) {
  return carried.flatMap((known) => {
    const listed = all.find(({ number }) => number === known.number);
    return listed?.title === known.title && listed.state === known.state ? [] : [{ known, listed }];
  });
}
