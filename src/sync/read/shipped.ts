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
import { nameIssue, type PulledCycle } from "../ground/cycle-state.ts";
import { readRow } from "../ground/rows.ts";
import { nameNow } from "../ground/world.ts";
import { linkedPages, repositoriesOf } from "./signals/batch.ts";

/** The linked posts that a release ships. */
export interface Shipped {
  readonly posts: readonly ShippedPost[];
  /** Why it can't be told of some issues, and of which; undefined where all could be looked at. */
  readonly doubt: string | undefined;
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
 * @throws RemoteError
 */
export async function readShipped(cycle: PulledCycle, shipping: Shipping): Promise<Shipped> {
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
    ...{ pullRequests: false, subIssues: false, duplicates: false, facts: false, projects: [] },
    ...{ released: true, tagsOf: nameNow(cycle.world, cycle.settings.repo), repositories },
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
