import { isSameRepository, type Readable, type RepositoryName } from "../../../model/issue.ts";
import type { ReadBounds } from "../../../model/surroundings.ts";
import { readInstant } from "../../../model/time.ts";
import { chunks } from "../../../select.ts";
import type { SignalAnswer } from "../../tracker.ts";
import { readInPieces, type Sizes } from "../wire/pieces.ts";
import { comparisonQuery, type Pair, releaseQuery, type SignalPart } from "./queries.ts";
import type { Query, QueryAnswer } from "./querying.ts";
import {
  type PublishedRelease as Release,
  type Releases,
  readComparison,
  readRepositoryReleases,
  unreadable,
} from "./release-shapes.ts";
import { known, type Merge, type ShownSignals, unknown } from "./signal-shapes.ts";

/** Repositories in one query for releases. */
const repositoriesEach = 10;
/** Comparisons in one query: git works for each of them, and GitHub ends a request after ten seconds. */
const comparisonsEach = 25;
/** Queries that one call of the port spends on comparisons. */
const comparingLimit = 20;
/** Of one merge in each round after the first. */
const candidatesEach = 8;
/** Comparisons remembered; each is for ever, because commits don't change. */
const rememberedLimit = 20_000;

export interface ReleaseTools {
  readonly query: Query;
  /** What the server is called in a message. */
  readonly host: string;
  /** Parts that the server does not know, with the reason: it will not learn them while this process runs. */
  readonly unsupported: Map<SignalPart, string>;
  /** Whether tags contain commits, as far as it was found out: by tag's id, the tag's commit, and the commit. */
  readonly compared: Map<string, boolean>;
  readonly sizes: Sizes;
}

/** Completes rows with `isReleased`, and the tags that contain them. What was read of a repository holds for all pages of one call. */
export function createReleaseReader(
  tools: ReleaseTools,
  bounds: ReadBounds,
  tagsOf: RepositoryName | undefined,
): (rows: readonly ShownSignals[]) => Promise<readonly SignalAnswer[]> {
  const { query, compared, sizes } = tools;
  const listed = new Map<string, Releases>();
  /** Repositories whose releases, and comparisons that, GitHub gave no answer for, and its words. */
  const unread = new Map<string, string>();
  /** Comparisons without an answer, and why. */
  const failed = new Map<string, string>();
  let spent = 0;

  async function readReleases(names: readonly string[]): Promise<void> {
    const missing = names.filter((name) => !listed.has(name) && !unread.has(name));
    for (const some of chunks(missing, repositoriesEach)) {
      await readInPieces(sizes, some, {
        name: "releases",
        most: repositoriesEach,
        isUp: true,
        nameOf: (name) => `releases of ${name}`,
        ask: askReleases,
        unread: (name, { message }) => {
          unread.set(name, message);
        },
      });
    }
  }

  async function askReleases(names: readonly string[], isDivisible: boolean): Promise<readonly undefined[]> {
    const subject = `releases of ${names.join(", ")}`;
    const answer = await query({ ...releaseQuery(names), subject, isDivisible }, bounds);
    for (const [index, name] of names.entries()) {
      listed.set(name, readRepositoryReleases(answer, `repository${index}`, name));
    }
    return names.map(() => undefined);
  }

  /** Newest first, because what is released is mostly in the newest: round by round, all merges at once. */
  async function compareAll(merges: readonly Merge[]): Promise<void> {
    for (let round = 0; ; round += 1) {
      const wanted = new Map<string, Pair>();
      for (const merge of merges) {
        for (const release of nextCandidates(merge).slice(0, round === 0 ? 1 : candidatesEach)) {
          wanted.set(comparisonKey(release, merge), { tag: release.tagId, commit: merge.commit });
        }
      }
      if (wanted.size === 0) return;
      for (const some of chunks([...wanted], comparisonsEach)) {
        if (spent >= comparingLimit) return;
        await readInPieces(sizes, some, {
          name: "comparisons",
          most: comparisonsEach,
          isUp: true,
          nameOf: ([key]) => `comparison ${key}`,
          ask: compareSome,
          unread: ([key], { message }) => {
            unread.set(key, message);
            failed.set(key, message);
          },
        });
      }
    }
  }

  async function compareSome(
    some: readonly (readonly [key: string, pair: Pair])[],
    isDivisible: boolean,
  ): Promise<readonly undefined[]> {
    spent += 1;
    const asked = comparisonQuery(some.map(([, pair]) => pair));
    const answer = await query({ ...asked, subject: "what is in releases", isDivisible }, bounds);
    noteMissing(answer);
    if (compared.size > rememberedLimit) compared.clear();
    for (const [index, [key]] of some.entries()) {
      const contains = readComparison(answer, `comparison${index}`);
      if (typeof contains === "boolean") compared.set(key, contains);
      else failed.set(key, contains);
    }
    return some.map(() => undefined);
  }

  /** Why GitHub gave no answer about a merge, when asked for nothing else. */
  function whyUnread(merge: Merge): string | undefined {
    const keys = candidates(merge).map((release) => comparisonKey(release, merge));
    return [merge.repository, ...keys].map((key) => unread.get(key)).find((words) => words !== undefined);
  }

  /** An old server does not compare by GraphQL, and is not asked again. */
  function noteMissing({ data, errors }: QueryAnswer): void {
    const error = errors.find(({ isUnknownToServer }) => isUnknownToServer);
    if (data !== undefined || error === undefined) return;
    tools.unsupported.set(
      "released",
      describeOldServer(tools.host, "what a release contains", error.message),
    );
    spent = comparingLimit;
  }

  /** Releases that may contain a merge and have not been compared; none once one contains it. */
  function nextCandidates(merge: Merge): readonly Release[] {
    const all = isTagged(merge) ? sinceMerge(merge) : candidates(merge);
    const open = all.map((release) => ({ release, key: comparisonKey(release, merge) }));
    if (!isTagged(merge) && open.some(({ key }) => compared.get(key) === true)) return [];
    return open.filter(({ key }) => !compared.has(key) && !failed.has(key)).map(({ release }) => release);
  }

  /** Nothing that was published before a merge contains it. */
  function sinceMerge({ repository, mergedAt }: Merge): readonly Release[] {
    const releases = listed.get(repository)?.releases ?? [];
    return releases.filter(({ publishedAt }) => readInstant(publishedAt) >= readInstant(mergedAt));
  }

  function candidates(merge: Merge): readonly Release[] {
    return sinceMerge(merge).filter(({ isPrerelease }) => !isPrerelease);
  }

  function isTagged({ repository }: Merge): boolean {
    return tagsOf !== undefined && isSameRepository(repository, tagsOf);
  }

  /** The tags that contain all of these merges, oldest first. */
  function tagsWith(merges: Readable<readonly Merge[]>): Readable<readonly string[]> {
    if (merges.kind === "unknown") return merges;
    const [first, ...others] = merges.value.filter(isTagged);
    if (first === undefined) return known([]);
    const releases = sinceMerge(first).toReversed();
    const all = [first, ...others].flatMap((merge) =>
      sinceMerge(merge).map((release) => comparisonKey(release, merge)),
    );
    const open = all.find((key) => !compared.has(key));
    if (open !== undefined) return unknown(failed.get(open) ?? notLookedAt);
    const doubt = listed.get(first.repository)?.doubt ?? unread.get(first.repository);
    if (doubt !== undefined) return unknown(doubt);
    const contains = (release: Release, merge: Merge): boolean =>
      compared.get(comparisonKey(release, merge)) === true;
    const found = releases.filter((release) => [first, ...others].every((merge) => contains(release, merge)));
    return known(found.map(({ tag }) => tag));
  }

  function judge(merge: Merge): Readable<boolean> {
    const { repository, mergedAt } = merge;
    const keys = candidates(merge).map((release) => comparisonKey(release, merge));
    if (keys.some((key) => compared.get(key) === true)) return known(true);
    const open = keys.find((key) => !compared.has(key));
    if (open !== undefined) {
      return unknown(tools.unsupported.get("released") ?? failed.get(open) ?? notLookedAt);
    }
    const { doubt, completeSince } =
      listed.get(repository) ?? unreadable(repository, unread.get(repository) ?? "they were not asked for");
    if (doubt !== undefined) return unknown(doubt);
    if (completeSince === undefined || readInstant(completeSince) <= readInstant(mergedAt)) {
      return known(false);
    }
    return unknown(`${repository} has had more than 100 releases since its merge`);
  }

  return async (rows) => {
    const merges: readonly Merge[] = rows.flatMap(({ merges: shown }) =>
      shown?.kind === "known" ? shown.value : [],
    );
    await readReleases([...new Set(merges.map(({ repository }) => repository))]);
    await compareAll(merges);
    return rows.map(({ answer, merges: shown }) => {
      if (shown === undefined) return answer;
      const isReleased = judgeAll(shown, judge);
      const words =
        shown.kind === "known" ? shown.value.map(whyUnread).find((one) => one !== undefined) : undefined;
      // What was known of it before is not outdated by a query that was too heavy.
      if (isReleased.kind === "unknown" && words !== undefined) return { ...answer, unread: words };
      const tags = tagsOf === undefined ? undefined : tagsWith(shown);
      return { ...answer, ...(tags && { tags }), signals: { ...answer.signals, isReleased } };
    });
  };
}

const notLookedAt = "it is not known yet which releases contain its merge; later runs go on looking";

/** Released is what is merged, and all of it: one that is not decides, and one that is unknown makes the rest so. */
function judgeAll(
  merges: Readable<readonly Merge[]>,
  judge: (merge: Merge) => Readable<boolean>,
): Readable<boolean> {
  if (merges.kind === "unknown") return merges;
  const judged = merges.value.map(judge);
  const no = judged.find((one) => one.kind === "known" && !one.value);
  const doubt = judged.find((one) => one.kind === "unknown");
  return no ?? doubt ?? known(judged.length > 0);
}

function comparisonKey({ tagId, commit }: Release, merge: Merge): string {
  return `${tagId} ${commit} ${merge.commit}`;
}

/** The words for what a server is too old for. */
export function describeOldServer(host: string, what: string, words: string): string {
  return `${host} can't tell ${what}: this needs a newer GitHub Enterprise Server (${words})`;
}
