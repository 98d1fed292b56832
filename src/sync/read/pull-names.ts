import type { Change } from "../../ledger/change.ts";
import type { RepositoryMemory } from "../../ledger/memory.ts";
import type { Pin, RepositoryId } from "../../model/issue.ts";
import { readRules } from "../../plan/ground/identity.ts";
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
import { type Cycle, type PulledCycle, projectNow } from "../ground/cycle-state.ts";
import { eachDueRow } from "../ground/rows.ts";
import { lookAtCarriers, pullCatalogue } from "./pull-catalogue.ts";
import { attemptRepository, noteProblems, type Problems, rememberNews } from "./repositories.ts";

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
  const problems: Problems = new Map();
  for (const [name, known] of cycle.repositories) {
    await attemptRepository(problems, name, () => pullCatalogue(cycle, memory.repository(name) ?? known));
  }
  noteProblems(cycle, problems, true);
  await pinKnown(cycle);
  const unnamed = [...problems.keys()].flatMap((name) => memory.repository(name)?.repository.id ?? []);
  return new Set([...cycle.unread, ...unnamed]);
}

/**
 * The same by what is known, without a request. What was deleted has gone from all issues at once. While nothing else is called
 * so, nobody knows what an issue would show; once something is, every post whose decision hangs on it gets a base that waits for
 * the next target, in the transaction that notes it: so nobody is told that the issues have lost what was deleted.
 */
export async function pinKnown(cycle: Cycle): Promise<void> {
  const { ledger } = cycle.world;
  const known = await ledger.signals.pins(cycle.memory.id);
  const pinned = (await confirmLost(cycle, known, settlePins(cycle, known))).toSorted(comparePins);
  if (JSON.stringify(pinned) === JSON.stringify(known)) return;
  const lost = pinned.flatMap((pin) => lostOf(findPin(known, pin), pin) ?? []);
  const changes = lost.length === 0 ? [] : await awaitRows(cycle, pinned, lost);
  await ledger.commit([{ kind: "set-pins", project: cycle.memory.id, pins: pinned }, ...changes]);
  cycle.course.pins = pinned;
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
