import { RemoteError } from "../../errors.ts";
import type { RepositoryMemory } from "../../ledger/memory.ts";
import type { IssueRecord, IssueRef } from "../../model/issue.ts";
import type { Row } from "../../model/link.ts";
import type { PostId } from "../../model/post.ts";
import { addressKey, listAddresses } from "../../plan/text/web-address.ts";
import type { IssuePage } from "../../tracker/tracker.ts";
import { type Cycle, nameIssue, type PulledCycle } from "../ground/cycle-state.ts";
import { closeLane, closePart, laneOf, noteLimitOf } from "../ground/lane.ts";
import { linkOrMake } from "../ground/remedy.ts";
import { isPutOff, noteError, notePutOff } from "../ground/report.ts";
import type { HoldOf, PostPage, Wanted } from "../ground/verdict.ts";
import { repositoryNames } from "../ground/world.ts";
import { ownMark } from "./other-marks.ts";

/** An issue that names more pages than this is a list of them, and no post's own. */
const mostAddresses = 50;

/** Of 100 issues and pull requests each. */
const mostPages = 50;

const boundedWords =
  "Only the issues that were opened last were looked through for pages of posts that they name";

/** What of an issue tells which pages it names. */
export type IssueText = Pick<IssueRecord, "author" | "body"> & { readonly issue: IssueRef };

/** The rows of a page that can't be read but for their text. */
export function readableOf({ odd = [] }: Pick<IssuePage, "odd">): readonly IssueText[] {
  return odd.flatMap(({ issue, author, body }) => (body === undefined ? [] : [{ issue, author, body }]));
}

/** Remembers the addresses that issues of people name: one of these may be the page of a post that has no issue. */
export async function keepNaming(cycle: Cycle, records: readonly IssueText[]): Promise<void> {
  const { ledger } = cycle.world;
  const { renderer } = cycle.project;
  const named = records
    // Ours have their posts, whatever else they name. Without a mark it may be a person's who shares the account with us.
    .filter((record) => ownMark(cycle, record) === undefined)
    .map(({ issue: { repositoryId, number }, body }) => {
      const addresses = [...listAddresses(body, renderer.dialect)];
      return {
        issue: { repositoryId, number },
        addresses: addresses.length > mostAddresses ? [] : addresses,
      };
    });
  if (named.length > 0) await ledger.commit([{ kind: "store-naming", named }]);
}

/**
 * Says of new issues where one is there already that names the page of the post: it is held, so that a person links that one or
 * lets another one be opened. The issues of a project's repositories are looked through for that once in a state's life, before
 * the first issue is opened for a post with a page; from then on those that change are.
 *
 * @throws RemoteError
 */
export async function holdsOfNaming(cycle: PulledCycle, creates: readonly Wanted[]): Promise<HoldOf> {
  const pages = pagesOf(creates);
  if (pages.size === 0) return () => undefined;
  const { ledger } = cycle.world;
  for (const name of repositoryNames(cycle.settings)) {
    const memory = ledger.memory.repository(name);
    const isUsed = cycle.repositories.has(name) && memory?.repository.hasIssues === true;
    if (memory === undefined || !isUsed || memory.namedAt !== undefined) continue;
    await lookThrough(cycle, memory).catch((error: unknown) => waitForLook(cycle, memory, error));
  }
  const naming = await ledger.pulls.naming([...pages.keys()]);
  const urls = [...naming.keys()].flatMap((key) => pages.get(key)?.shown ?? []);
  const shared = await ledger.lookup.sharedPages(cycle.memory.id, urls);
  return ({ post, page }) => {
    const ref = page && naming.get(page.key);
    if (ref === undefined || shared.has(page?.shown ?? "")) return undefined;
    const issue = nameIssue(cycle, ref);
    const why = `issue ${issue} names the page of this post: ${linkOrMake(cycle.project.key, post, issue)}`;
    return { kind: "hold", cause: "named", why };
  };
}

/** What refuses that look stops no issue but those that would be opened there; what puts it off, all new issues of the project. */
async function waitForLook(
  cycle: PulledCycle,
  { repository: { name } }: RepositoryMemory,
  error: unknown,
): Promise<void> {
  const { world, run, course, tally } = cycle;
  if (!(error instanceof RemoteError)) throw error;
  if (isPutOff(error)) {
    const closure = await notePutOff(tally, cycle, error);
    await noteLimitOf(world, error);
    if (error.fault === "limited") closeLane(run, laneOf(world, name), closure);
    // It may be there that one names the post, wherever its own is to be opened.
    for (const one of repositoryNames(cycle.settings))
      closePart(course, laneOf(world, one, "create-issue"), closure);
    return;
  }
  if (error.concerns === "all") throw error;
  const { code, message } = error;
  noteError(tally, error, { issue: name });
  closePart(course, laneOf(world, name, "create-issue"), { code, message });
}

/** The pages of posts that are to get an issue, by their keys; one that several of them share is nobody's. */
function pagesOf(creates: readonly Wanted[]): ReadonlyMap<string, PostPage> {
  const groups = Map.groupBy(
    creates.flatMap(({ page }) => page ?? []),
    ({ key }) => key,
  );
  return new Map([...groups].flatMap(([key, [one, other]]) => (one && !other ? [[key, one] as const] : [])));
}

/** The page of a post; undefined where it has none, or all posts have the same. */
export function pageOf(
  { world, memory, project: { renderer } }: PulledCycle,
  { post }: Row,
): PostPage | undefined {
  const context = { board: world.policy.boardHash, project: memory.id };
  const address = renderer.address(post, context);
  const key = address === undefined ? undefined : addressKey(address, renderer.dialect);
  if (key === undefined) return undefined;
  const other = renderer.address({ ...post, id: `${post.id}-other` as PostId }, context);
  if (other !== address) return { key, shown: undefined };
  // What has not the post's id in it is the address that the board shows, or one that the config gives to all posts.
  const shown = String(post.values.url ?? "");
  return addressKey(shown, renderer.dialect) === key ? { key, shown } : undefined;
}

/** Of very many issues those that were opened last are looked through: more would cost hours where few of them name a page. */
async function lookThrough(cycle: PulledCycle, memory: RepositoryMemory): Promise<void> {
  const { tracker, ledger, clock, progress, log } = cycle.world;
  const query = { kind: "by", author: undefined, createdSince: undefined } as const;
  let done = 0;
  for await (const page of tracker.listIssues(memory.repository, query, cycle.run.bounds)) {
    const { issues, pages, hasMore } = page;
    await keepNaming(cycle, [...issues, ...readableOf(page)]);
    done += 1;
    const total = pages === undefined ? undefined : Math.min(pages, mostPages);
    progress?.show({ project: cycle.project.key, what: "pages of issues read", done, total });
    if (done < mostPages) continue;
    if (hasMore) log.info({ repo: memory.name, pages: done }, boundedWords);
    break;
  }
  const known = ledger.memory.repository(memory.name);
  if (known !== undefined)
    await ledger.commit([{ kind: "remember-repository", memory: { ...known, namedAt: clock.now() } }]);
}
