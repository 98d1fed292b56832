import { isSameRepository, type Readable, type RepositoryName } from "../../../model/issue.ts";
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
  tagsOf: RepositoryName | undefined,
): (rows: readonly ShownSignals[]) => Promise<readonly SignalAnswer[]> {
  const { query, compared, sizes } = tools;
  const listed = new Map<string, Releases>();
  /** Comparisons without an answer, and why. */
  const failed = new Map<string, string>();
  /** What GitHub gave no answer for when asked for nothing else: repositories, and comparisons. */
  const unread = new Map<string, string>();
  let spent = 0;

  async function readReleases(names: readonly string[]): Promise<void> {
    const missing = names.filter((name) => !listed.has(name));
    for (const some of chunks(missing, repositoriesEach)) {
      const found = await readInPieces(sizes, some, {
        name: "releases",
        most: repositoriesEach,
        isUp: true,
        nameOf: (name) => `releases of ${name}`,
        async ask(asked, isDivisible) {
          const subject = `releases of ${asked.join(", ")}`;
          const answer = await query({ ...releaseQuery(asked), subject, isDivisible });
          return asked.map((name, index) => readRepositoryReleases(answer, `repository${index}`, name));
        },
        unread(name, { message }) {
          unread.set(name, message);
          return unreadable(name, message);
        },
      });
      for (const [index, name] of some.entries()) listed.set(name, found[index] as Releases);
    }
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
        await compare(some);
      }
    }
  }

  /** Each answer counts as soon as it is there, whatever becomes of the next one. */
  async function compare(pairs: readonly (readonly [key: string, pair: Pair])[]): Promise<void> {
    await readInPieces(sizes, pairs, {
      name: "comparisons",
      most: comparisonsEach,
      isUp: true,
      nameOf: ([key]) => `comparison ${key}`,
      async ask(some, isDivisible) {
        spent += 1;
        const asked = comparisonQuery(some.map(([, pair]) => pair));
        const answer = await query({ ...asked, subject: "what is in releases", isDivisible });
        noteMissing(answer);
        if (compared.size > rememberedLimit) compared.clear();
        return some.map(([key], index) => noteComparison(key, readComparison(answer, `comparison${index}`)));
      },
      unread([key], { message }) {
        unread.set(key, message);
        noteComparison(key, message);
      },
    });
  }

  /** @param contains - or why that is not known. */
  function noteComparison(key: string, contains: boolean | string): void {
    if (typeof contains === "boolean") compared.set(key, contains);
    else failed.set(key, contains);
  }

  /** An old server does not compare by GraphQL, and is not asked again. */
  function noteMissing({ data, errors }: QueryAnswer): void {
    const error = errors.find(({ isUnknownToServer }) => isUnknownToServer);
    if (data !== undefined || error === undefined) return;
    const words = describeOldServer(tools.host, "what a release contains", error.message);
    tools.unsupported.set("released", words);
    spent = comparingLimit;
  }

  /** Releases that may contain a merge and have not been compared; none once one contains it. */
  function nextCandidates(merge: Merge): readonly Release[] {
    const all = isTagged(merge) ? sinceMerge(merge) : candidates(merge);
    if (!isTagged(merge) && all.some((release) => contains(release, merge))) return [];
    return all.filter((release) => {
      const key = comparisonKey(release, merge);
      return !compared.has(key) && !failed.has(key);
    });
  }

  function contains(release: Release, merge: Merge): boolean {
    return compared.get(comparisonKey(release, merge)) === true;
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

  /** The first of these releases that could not be compared with a merge. */
  function findOpen(releases: readonly Release[], merge: Merge): string | undefined {
    return releases.map((release) => comparisonKey(release, merge)).find((key) => !compared.has(key));
  }

  /** The tags that contain all of these merges, oldest first. */
  function tagsWith(merges: Readable<readonly Merge[]>): Readable<readonly string[]> {
    if (merges.kind === "unknown") return merges;
    const tagged = merges.value.filter(isTagged);
    const [first] = tagged;
    if (first === undefined) return known([]);
    const open = tagged.flatMap((merge) => findOpen(sinceMerge(merge), merge) ?? [])[0];
    if (open !== undefined) return unknown(failed.get(open) ?? notLookedAt);
    const doubt = unread.get(first.repository) ?? listed.get(first.repository)?.doubt;
    if (doubt !== undefined) return unknown(doubt);
    const releases = sinceMerge(first).toReversed();
    const found = releases.filter((release) => tagged.every((merge) => contains(release, merge)));
    return known(found.map(({ tag }) => tag));
  }

  function judge(merge: Merge): Readable<boolean> {
    const { repository, mergedAt } = merge;
    const releases = candidates(merge);
    if (releases.some((release) => contains(release, merge))) return known(true);
    const open = findOpen(releases, merge);
    if (open !== undefined)
      return unknown(tools.unsupported.get("released") ?? failed.get(open) ?? notLookedAt);
    const { doubt, completeSince } =
      listed.get(repository) ?? unreadable(repository, "they were not asked for");
    if (doubt !== undefined) return unknown(doubt);
    const isComplete = completeSince === undefined || readInstant(completeSince) <= readInstant(mergedAt);
    return isComplete
      ? known(false)
      : unknown(`${repository} has had more than 100 releases since its merge`);
  }

  /** Released is what is merged, and all of it: one that is not decides, and one that is unknown makes the rest so. */
  function judgeAll(merges: readonly Merge[]): Readable<boolean> {
    const judged = merges.map(judge);
    const no = judged.find((one) => one.kind === "known" && !one.value);
    return no ?? judged.find((one) => one.kind === "unknown") ?? known(judged.length > 0);
  }

  return async (rows) => {
    const all = rows.flatMap(({ merges }) => (merges?.kind === "known" ? merges.value : []));
    await readReleases([...new Set(all.map(({ repository }) => repository))]);
    await compareAll(all);
    return rows.map(({ merges, ...answer }) => {
      if (merges === undefined) return answer;
      const isReleased = merges.kind === "known" ? judgeAll(merges.value) : merges;
      const asked =
        merges.kind === "unknown"
          ? []
          : merges.value.flatMap((merge) => [
              merge.repository,
              ...candidates(merge).map((release) => comparisonKey(release, merge)),
            ]);
      const words = asked.map((key) => unread.get(key)).find((one) => one !== undefined);
      // What was known of it before is not outdated by a query that was too heavy.
      if (isReleased.kind === "unknown" && words !== undefined) return { ...answer, unread: words };
      const tags = tagsOf === undefined ? undefined : tagsWith(merges);
      return { ...answer, ...(tags && { tags }), signals: { ...answer.signals, isReleased } };
    });
  };
}

const notLookedAt = "it is not known yet which releases contain its merge; later runs go on looking";

function comparisonKey({ tagId, commit }: Release, merge: Merge): string {
  return `${tagId} ${commit} ${merge.commit}`;
}

/** The words for what a server is too old for. */
export function describeOldServer(host: string, what: string, words: string): string {
  return `${host} can't tell ${what}: this needs a newer GitHub Enterprise Server (${words})`;
}
