import type { RepositoryMemory } from "../../ledger/memory.ts";
import { isSameRepository, type Milestone, type Named } from "../../model/issue.ts";
import { includesName } from "../../plan/ground/issue-fields.ts";
import { neededSignals, type SignalNeeds } from "../../plan/rules/signals.ts";
import type { Listed } from "../../tracker/tracker.ts";
import type { Cycle } from "../ground/cycle-state.ts";
import { lookOnce } from "../ground/looks.ts";
import { lookAtLinked } from "./linked-issues.ts";
import { askRepositoryAgain, rememberNews } from "./repositories.ts";

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
export async function pullCatalogue(
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
export async function lookAtCarriers(cycle: Cycle, memory: RepositoryMemory): Promise<RepositoryMemory> {
  const name = lookName(cycle, "issues", memory);
  return (await lookOnce(cycle, name, () => lookAtLinked(cycle, memory))) ?? memory;
}

interface Outdated {
  readonly known: Milestone;
  /** The same one as it is now; undefined where it is not listed any more: what has become of its issues only they can tell. */
  readonly listed: Milestone | undefined;
}

function findOutdated(carried: readonly Milestone[], all: readonly Milestone[]): readonly Outdated[] {
  return carried.flatMap((known) => {
    const listed = all.find(({ number }) => number === known.number);
    return listed?.title === known.title && listed.state === known.state ? [] : [{ known, listed }];
  });
}
