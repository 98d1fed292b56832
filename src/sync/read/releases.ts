import type { ChangelogMemory } from "../../ledger/memory.ts";
import type { Issue, IssueRef } from "../../model/issue.ts";
import type { PostId } from "../../model/post.ts";
import type { Release } from "../../model/release.ts";
import { dayMs } from "../../model/time.ts";
import type { ShippedPost } from "../../plan/changelog/entry.ts";
import {
  isDone,
  isFirstWith,
  isInMilestone,
  isWanted,
  type Shipping,
} from "../../plan/changelog/releases.ts";
import { absence } from "../../plan/ground/obstacle.ts";
import { inOrder } from "../../select.ts";
import { nameIssue, type PulledCycle, projectNow, readBy, rememberOfProject } from "../ground/cycle-state.ts";
import { isPreview, shownEntry } from "../ground/order.ts";
import { readRow } from "../ground/rows.ts";
import { nameNow } from "../ground/world.ts";
import { stampOf } from "./old-state.ts";
import { linkedPages, repositoriesOf } from "./signals/batch.ts";

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
    repository: repository.id,
    copiedAt,
    etag: listed.etag,
    etagBy,
    noted,
    entries: [],
    notedIds: listed.rows.map(({ id }) => id),
    unripe: unripe.map(({ id }) => id),
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

/** What is merged before a release may wait this long for it. */
const marginMs = 30 * dayMs;
/** Without a release before it. */
const firstMs = 90 * dayMs;

/**
 * Looks for the posts that a release ships: their issues are closed as done, and the release is the first one that contains all
 * merges of their pull requests, or their milestone is called like it. Issues that were closed long before the last release are not
 * asked for.
 *
 * @returns `doubt`: why it can't be told of some issues, and of which; undefined where all could be looked at.
 * @throws RemoteError
 */
export async function readShipped(
  cycle: PulledCycle,
  shipping: Shipping,
): Promise<{ readonly posts: readonly ShippedPost[]; readonly doubt: string | undefined }> {
  const since = closedSince(shipping);
  const shipped: IssueRef[] = [];
  const doubts: string[] = [];
  for await (const page of linkedPages(cycle, cycle.memory.id)) {
    const issues = page.map(({ issue }) => issue);
    const done = issues.filter(
      (issue) => isDone(issue) && !(Date.parse(issue.closed?.at ?? issue.updatedAt) < since),
    );
    const named = done.filter((issue) => isInMilestone(issue, shipping.release));
    const others = done.filter((issue) => !named.includes(issue));
    const asked = await askTags(cycle, others, shipping);
    shipped.push(...named, ...asked.shipped);
    doubts.push(...asked.doubts);
  }
  const posts = await postsOf(cycle, shipped);
  return { posts, doubt: doubts.length === 0 ? undefined : `${doubts.length} issues, ${doubts[0]}` };
}

function closedSince({ release, releases, wanted }: Shipping): number {
  const at = Date.parse(release.publishedAt);
  const before = releases
    .filter((one) => isWanted(one, wanted) && one.tag !== release.tag)
    .map(({ publishedAt }) => Date.parse(publishedAt))
    .filter((time) => time < at);
  return before.length === 0 ? at - firstMs : Math.max(...before) - marginMs;
}

async function askTags(
  cycle: PulledCycle,
  issues: readonly Issue[],
  shipping: Shipping,
): Promise<{ readonly shipped: readonly Issue[]; readonly doubts: readonly string[] }> {
  if (issues.length === 0) return { shipped: [], doubts: [] };
  const repositories = await repositoriesOf(cycle, issues);
  const wish = {
    pullRequests: false,
    subIssues: false,
    duplicates: false,
    facts: false,
    projects: [],
    released: true,
    tagsOf: nameNow(cycle.world, cycle.settings.repo),
    repositories,
  };
  const shipped: Issue[] = [];
  const doubts: string[] = [];
  const nodeIds = issues.map(({ nodeId }) => nodeId);
  for await (const page of cycle.world.tracker.readSignals(nodeIds, wish, cycle.run.bounds)) {
    for (const { nodeId, tags, unread } of page) {
      const issue = issues.find((one) => one.nodeId === nodeId);
      if (issue === undefined) continue;
      const why = unread ?? (tags?.kind === "unknown" ? tags.message : undefined);
      if (why !== undefined) doubts.push(`${nameIssue(cycle, issue)}: ${why}`);
      else if (tags?.kind === "known" && isFirstWith(tags.value, shipping)) shipped.push(issue);
    }
  }
  return { shipped, doubts };
}

/** Each post once, with its title and its page. */
async function postsOf(cycle: PulledCycle, issues: readonly IssueRef[]): Promise<readonly ShippedPost[]> {
  const { world, memory, project } = cycle;
  const linked = (await inOrder(issues, (issue) => world.ledger.rows.linkedTo(issue))).flat();
  const ids = new Set<PostId>(linked.flatMap((one) => (one.project === memory.id ? [one.post] : [])));
  const context = { board: world.policy.boardHash, project: memory.id };
  const found = await inOrder([...ids], async (id): Promise<readonly ShippedPost[]> => {
    const row = await readRow(cycle, id);
    if (row === undefined || absence(row) !== undefined) return [];
    const { title, votes } = row.post.values;
    const url = project.renderer.address(row.post, context);
    return [{ id, title: String(title ?? id), url, votes: typeof votes === "number" ? votes : undefined }];
  });
  return found.flat();
}

/** Those of these releases that get an entry, the newest first. */
export function wantedReleases(releases: readonly Release[], wanted: Shipping["wanted"]): readonly Release[] {
  return releases
    .filter((release) => isWanted(release, wanted))
    .toSorted((one, other) => Date.parse(other.publishedAt) - Date.parse(one.publishedAt));
}
