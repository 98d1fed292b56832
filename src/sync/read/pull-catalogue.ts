import type { RepositoryMemory } from "../../ledger/memory.ts";
import type { Milestone } from "../../model/issue.ts";
import { isSameRepository } from "../../model/issue.ts";
import { includesName } from "../../plan/ground/issue-fields.ts";
import { neededSignals, type SignalNeeds } from "../../plan/rules/signals.ts";
import type { Listed } from "../../tracker/tracker.ts";
import type { Cycle } from "../ground/cycle-state.ts";
import { lookOnce } from "../ground/looks.ts";
import { lookAtLinked } from "./linked-issues.ts";
import { askAgain, rememberNews } from "./repositories.ts";

/** What a repository's lists show now; undefined where it was not asked for, or has not changed. */
interface News {
  readonly labels?: readonly string[];
  readonly milestones?: readonly Milestone[];
}

/**
 * Looks for milestones that were closed or renamed, and labels that were renamed or deleted: issues show it, and their times
 * don't. One conditional request a repository and run for each page of the two, where a rule looks at it.
 *
 * @returns the repository as it is known then.
 * @throws RemoteError
 */
export async function pullCatalogue(cycle: Cycle, known: RepositoryMemory): Promise<RepositoryMemory> {
  if (!known.repository.hasIssues || known.pausedAt !== undefined) return known;
  const needs = neededSignals(cycle.settings);
  const [withLabels, labels] = await readLabels(cycle, needs, known);
  const [read, milestones] = await readMilestones(cycle, needs, withLabels);
  if (read === known) return known;
  const memory = await takeNews(cycle, read, { ...labels, ...milestones });
  // A list that nothing makes conditional is read in every run, and is mostly as it was.
  await rememberNews(cycle, known, memory);
  return memory;
}

async function readLabels(
  cycle: Cycle,
  needs: SignalNeeds,
  memory: RepositoryMemory,
): Promise<[RepositoryMemory, News]> {
  const { repository, labelsEtag } = memory;
  const { tracker } = cycle.world;
  const listed = needs.labels
    ? await listOnce(cycle, `labels of ${repository.id}`, () =>
        tracker.labels(repository, labelsEtag, cycle.run.bounds),
      )
    : unchanged;
  if (listed.kind === "unchanged") return [memory, {}];
  return [{ ...memory, labels: listed.rows, labelsEtag: listed.etag }, { labels: listed.rows }];
}

async function readMilestones(
  cycle: Cycle,
  needs: SignalNeeds,
  memory: RepositoryMemory,
): Promise<[RepositoryMemory, News]> {
  const { repository, milestonesEtag } = memory;
  const { tracker } = cycle.world;
  const listed = needs.milestones
    ? await listOnce(cycle, `milestones of ${repository.id}`, () =>
        tracker.milestones(repository, milestonesEtag, cycle.run.bounds),
      )
    : unchanged;
  if (listed.kind === "unchanged") return [memory, {}];
  return [{ ...memory, milestones: listed.rows, milestonesEtag: listed.etag }, { milestones: listed.rows }];
}

const unchanged = { kind: "unchanged" } as const;

/** A list that another project of the run has read is as it was. */
async function listOnce<T>(cycle: Cycle, name: string, read: () => Promise<Listed<T>>): Promise<Listed<T>> {
  return (await lookOnce(cycle, name, read)) ?? unchanged;
}

/** Where no linked issue carries what has changed, there is nothing to do. */
async function takeNews(
  cycle: Cycle,
  memory: RepositoryMemory,
  { labels, milestones }: News,
): Promise<RepositoryMemory> {
  const { ledger } = cycle.world;
  const { id } = memory.repository;
  if (labels === undefined && milestones === undefined) return memory;
  const carried = await ledger.signals.catalogue(id);
  const isRelabelled = labels !== undefined && carried.labels.some((label) => !includesName(labels, label));
  const outdated = milestones === undefined ? [] : findOutdated(carried.milestones, milestones);
  if (!isRelabelled && outdated.length === 0) return memory;
  // Lists go by name, and the name may have been given to another repository.
  const now = await askAgain(memory, cycle.world, cycle.run);
  if (!isSameRepository(now.repository.name, memory.repository.name)) {
    return { ...now, labelsEtag: undefined, milestonesEtag: undefined };
  }
  for (const { known, listed } of outdated) {
    if (listed !== undefined)
      await ledger.commit([{ kind: "replace-milestone", repository: id, known, now: listed }]);
  }
  const isGone = outdated.some(({ listed }) => listed === undefined);
  const fresh: RepositoryMemory = { ...memory, repository: now.repository, publicSince: now.publicSince };
  return isRelabelled || isGone ? lookAtLinked(cycle, fresh) : fresh;
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
