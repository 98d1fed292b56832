import { z } from "zod";
import type { Readable } from "../../../model/issue.ts";
import type { ReadBounds } from "../../../model/surroundings.ts";
import { readInstant } from "../../../model/time.ts";
import type { SignalAnswer } from "../../tracker.ts";
import { readInPieces, type Sizes } from "../wire/pieces.ts";
import { splitName, time } from "../wire/shapes.ts";
import { comparisonQuery, releaseQuery, type SignalPart } from "./queries.ts";
import type { Query, QueryAnswer } from "./querying.ts";
import type { Merge, ShownSignals } from "./signal-shapes.ts";

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

interface Pair {
  readonly tag: string;
  readonly commit: string;
}

interface Release {
  readonly tagId: string;
  readonly commit: string;
  readonly publishedAt: string;
}

/** The published releases of one repository, newest first, and why they may not be all. */
interface Releases {
  readonly releases: readonly Release[];
  readonly doubt: string | undefined;
  /** Everything that was published after this time is here; undefined when all is. */
  readonly completeSince: string | undefined;
}

/** Completes rows with `isReleased`. What was read of a repository holds for all pages of one call. */
export interface ReleaseReader {
  complete(rows: readonly ShownSignals[]): Promise<readonly SignalAnswer[]>;
}

/** See `ReleaseReader`. */
export function createReleaseReader(tools: ReleaseTools, bounds: ReadBounds): ReleaseReader {
  const { query, compared, sizes } = tools;
  const known = new Map<string, Releases>();
  /** Repositories whose releases, and comparisons that, GitHub gave no answer for, and its words. */
  const unread = new Map<string, string>();
  /** Comparisons without an answer, and why. */
  const failed = new Map<string, string>();
  let spent = 0;

  async function readReleases(names: readonly string[]): Promise<void> {
    const missing = names.filter((name) => !known.has(name) && !unread.has(name));
    for (const some of chunks(missing, repositoriesEach)) {
      const found = await readInPieces<string, Releases | undefined>(sizes, some, {
        name: "releases",
        most: repositoriesEach,
        isUp: true,
        nameOf: (name) => `releases of ${name}`,
        ask: askReleases,
        unread(name, { message }) {
          unread.set(name, message);
          return undefined;
        },
      });
      for (const [index, name] of some.entries()) {
        const releases = found[index];
        if (releases !== undefined) known.set(name, releases);
      }
    }
  }

  async function askReleases(names: readonly string[], isDivisible: boolean): Promise<readonly Releases[]> {
    const variables = names.flatMap((name, index) => {
      const { owner, repo } = splitName(name);
      return [[`owner${index}`, owner] as const, [`name${index}`, repo] as const];
    });
    const text = releaseQuery(names.length);
    const subject = `releases of ${names.join(", ")}`;
    const answer = await query(
      { text, variables: Object.fromEntries(variables), subject, isDivisible },
      bounds,
    );
    return names.map((name, index) => readRepositoryReleases(answer, `repository${index}`, name));
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
    const variables = some.flatMap(([, { tag, commit }], index) => [
      [`tag${index}`, tag] as const,
      [`commit${index}`, commit] as const,
    ]);
    const text = comparisonQuery(some.length);
    const subject = "what is in releases";
    const answer = await query(
      { text, variables: Object.fromEntries(variables), subject, isDivisible },
      bounds,
    );
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
    const open = candidates(merge).map((release) => ({ release, key: comparisonKey(release, merge) }));
    if (open.some(({ key }) => compared.get(key) === true)) return [];
    return open.filter(({ key }) => !compared.has(key) && !failed.has(key)).map(({ release }) => release);
  }

  /** Nothing that was published before a merge contains it. */
  function candidates({ repository, mergedAt }: Merge): readonly Release[] {
    const releases = known.get(repository)?.releases ?? [];
    return releases.filter(({ publishedAt }) => readInstant(publishedAt) >= readInstant(mergedAt));
  }

  function judge(merge: Merge): Readable<boolean> {
    const { repository, mergedAt } = merge;
    const keys = candidates(merge).map((release) => comparisonKey(release, merge));
    if (keys.some((key) => compared.get(key) === true)) return { kind: "known", value: true };
    const open = keys.find((key) => !compared.has(key));
    if (open !== undefined) {
      const later = "it is not known yet which releases contain its merge; later runs go on looking";
      return unknown(tools.unsupported.get("released") ?? failed.get(open) ?? later);
    }
    const { doubt, completeSince } =
      known.get(repository) ?? unreadable(repository, unread.get(repository) ?? "they were not asked for");
    if (doubt !== undefined) return unknown(doubt);
    if (completeSince === undefined || readInstant(completeSince) <= readInstant(mergedAt)) {
      return { kind: "known", value: false };
    }
    return unknown(`${repository} has had more than 100 releases since its merge`);
  }

  return {
    async complete(rows) {
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
        return { ...answer, signals: { ...answer.signals, isReleased } };
      });
    },
  };
}

function unknown(message: string): Readable<never> {
  return { kind: "unknown", message };
}

/** Released is what is merged, and all of it: one that is not decides, and one that is unknown makes the rest so. */
function judgeAll(
  merges: Readable<readonly Merge[]>,
  judge: (merge: Merge) => Readable<boolean>,
): Readable<boolean> {
  if (merges.kind === "unknown") return merges;
  const judged = merges.value.map(judge);
  const no = judged.find((one) => one.kind === "known" && !one.value);
  const doubt = judged.find((one) => one.kind === "unknown");
  return no ?? doubt ?? { kind: "known", value: judged.length > 0 };
}

function comparisonKey({ tagId, commit }: Release, merge: Merge): string {
  return `${tagId} ${commit} ${merge.commit}`;
}

function* chunks<T>(all: readonly T[], size: number): Generator<readonly T[]> {
  for (let start = 0; start < all.length; start += size) yield all.slice(start, start + size);
}

/** The words for what a server is too old for. */
export function describeOldServer(host: string, what: string, words: string): string {
  return `${host} can't tell ${what}: this needs a newer GitHub Enterprise Server (${words})`;
}

function unreadable(name: string, words: string): Releases {
  const doubt = `the releases of ${name} could not be read: ${words}`;
  return { releases: [], doubt, completeSince: undefined };
}

function readRepositoryReleases(answer: QueryAnswer, alias: string, name: string): Releases {
  const fault = answer.errors.find(({ path }) => path.length === 0 || path[0] === alias);
  if (fault !== undefined) return unreadable(name, fault.message);
  const connection = repositoryShape.safeParse(answer.data?.[alias]).data?.releases;
  if (connection === undefined) return unreadable(name, "GitHub hides them");
  const { totalCount, nodes } = connection;
  const published = nodes.filter((node) => !outsideShape.safeParse(node).success);
  const releases = published.flatMap((node) => readRelease(node) ?? []);
  const isPartial = totalCount === undefined || totalCount > nodes.length;
  return {
    releases,
    doubt:
      releases.length < published.length ? `a release of ${name} has no tag that can be read` : undefined,
    // What is beyond the list is older than its last row; without its time nothing is known to be.
    completeSince: isPartial
      ? (createdShape.safeParse(nodes.at(-1)).data?.createdAt ?? new Date(8.64e15).toISOString())
      : undefined,
  };
}

const repositoryShape = z.object({
  releases: z.object({ totalCount: z.number().optional().catch(undefined), nodes: z.array(z.unknown()) }),
});
/** Drafts and pre-releases, which don't count. */
const outsideShape = z.union([
  z.object({ isDraft: z.literal(true) }),
  z.object({ isPrerelease: z.literal(true) }),
]);
const createdShape = z.object({ createdAt: time });
const releaseShape = z.object({
  isDraft: z.literal(false),
  isPrerelease: z.literal(false),
  publishedAt: time,
  tag: z.object({ id: z.string() }),
  tagCommit: z.object({ oid: z.string() }),
});

function readRelease(node: unknown): Release | undefined {
  const found = releaseShape.safeParse(node).data;
  return found && { tagId: found.tag.id, commit: found.tagCommit.oid, publishedAt: found.publishedAt };
}

const tagShape = z.object({ compare: z.object({ status: z.string() }) });

/** Whether a tag contains a commit, or why they can't be compared. */
function readComparison({ data, errors }: QueryAnswer, alias: string): boolean | string {
  const fault = errors.find(({ path }) => path.length === 0 || path[0] === alias);
  if (fault !== undefined) return `GitHub did not compare its merge with a release: ${fault.message}`;
  const status = tagShape.safeParse(data?.[alias]).data?.compare.status;
  if (status === "BEHIND" || status === "IDENTICAL") return true;
  if (status === "AHEAD" || status === "DIVERGED") return false;
  return "GitHub could not compare its merge with a release";
}
