import type { ChangelogMemory } from "../../ledger/memory.ts";
import type { Release } from "../../model/release.ts";
import { type PulledCycle, projectNow, readBy, rememberOfProject } from "../ground/cycle-state.ts";
import { isPreview, shownEntry } from "../ground/order.ts";
import { stampOf } from "./old-state.ts";

/** What a look at a project's releases has shown. */
export interface ReleaseLook extends Pick<ChangelogMemory, "etag" | "etagBy"> {
  readonly releases: readonly Release[];
}

/**
 * The releases of the project's own repository, where the config makes entries of them; undefined where they are as they were when
 * all of them had been dealt with. At the first look they are only noted: the changelog begins with what is published from then
 * on. A state that was put back begins anew, since nobody knows what it has made meanwhile.
 *
 * @throws RemoteError
 */
export async function pullReleases(cycle: PulledCycle): Promise<ReleaseLook | undefined> {
  const { tracker, log } = cycle.world;
  const { repo, changelog } = cycle.settings;
  const known = projectNow(cycle).changelog;
  if (changelog === undefined) {
    if (known !== undefined && !isPreview(cycle.run))
      await rememberOfProject(cycle, { changelog: undefined });
    return undefined;
  }
  const repository = cycle.repositories.get(repo)?.repository;
  if (repository === undefined) return undefined;
  const copiedAt = stampOf(cycle.world.ledger, projectNow(cycle));
  const isKnown = known?.repository === repository.id && known.copiedAt === copiedAt;
  const isShown = shownEntry(cycle.run) !== undefined;
  const etagBy = readBy(cycle);
  const etag = isKnown && !isShown && known.etagBy === etagBy ? known.etag : undefined;
  const listed = await tracker.releases(repository, etag, cycle.run.bounds);
  if (listed.kind === "unchanged") return undefined;
  const look: ReleaseLook = { releases: listed.rows, etag: listed.etag, etagBy };
  if (isKnown) return look;
  const noted = listed.rows.map(({ tag }) => tag);
  const unripe = changelog.prereleases ? [] : listed.rows.filter(({ isPrerelease }) => isPrerelease);
  await rememberChangelog(cycle, {
    ...{ repository: repository.id, copiedAt, etag: listed.etag, etagBy, noted, entries: [] },
    ...{ notedIds: listed.rows.map(({ id }) => id), unripe: unripe.map(({ id }) => id) },
  });
  log.info(
    { project: cycle.project.key, releases: noted.length },
    "Releases so far are noted; entries of the changelog are made of those that come from now on",
  );
  return isShown ? look : undefined;
}

/** Remembers something new of a project's changelog. */
export async function rememberChangelog(cycle: PulledCycle, news: Partial<ChangelogMemory>): Promise<void> {
  const known = projectNow(cycle).changelog;
  const changelog = { ...known, ...news } as ChangelogMemory;
  await rememberOfProject(cycle, { changelog });
}

/** Remembers something new of one entry; the first time all of it. */
export async function rememberEntry(
  cycle: PulledCycle,
  news: Partial<ChangelogMemory["entries"][number]> & { readonly tag: string },
): Promise<void> {
  const entries = projectNow(cycle).changelog?.entries ?? [];
  const known = entries.find(({ tag }) => tag === news.tag);
  const entry = { print: "", title: "", posts: 0, ...known, ...news };
  await rememberChangelog(cycle, { entries: [...entries.filter(({ tag }) => tag !== news.tag), entry] });
}
