import { RemoteError } from "../../../errors.ts";
import type { Repository, RepositoryId, RepositoryName } from "../../../model/issue.ts";
import type { ReadBounds } from "../../../model/surroundings.ts";
import { chunks } from "../../../select.ts";
import type { SignalAnswer, SignalWish, Tracker } from "../../tracker.ts";
import { splitName } from "../wire/shapes.ts";

/** As many issues as one request takes. */
const batchSize = 100;

/**
 * Which owner's installation something goes through. A repository's name tells its owner. Where only an id is known, the owners that
 * the config names are asked in turn.
 *
 * @param installOn - makes what goes through the installation on one owner; `asked` is the repository there that was asked for last.
 */
export function createOwners(
  installOn: (owner: string, asked: () => RepositoryName) => Tracker,
  repositories: readonly RepositoryName[],
) {
  /** By their owners in lower case, those of the config first. */
  const trackers = new Map<string, Tracker>();
  const asked = new Map<string, RepositoryName>();
  const names = new Map<RepositoryId, RepositoryName>();

  const ofName = (name: RepositoryName): Tracker => {
    const owner = ownerOf(name);
    asked.set(owner, name);
    const tracker = trackers.get(owner) ?? installOn(owner, () => asked.get(owner) ?? name);
    trackers.set(owner, tracker);
    return tracker;
  };
  const first = (): Tracker => {
    const [tracker] = trackers.values();
    if (tracker === undefined) throw new Error("The config names no repository.");
    return tracker;
  };
  // A token of one owner also shows the public repositories of all others, but not what may be done there.
  const askOwner = async (found: Repository, owner: string, bounds: ReadBounds): Promise<Repository> => {
    const own = ownerOf(found.name) === owner ? found : await ofName(found.name).repository(found.id, bounds);
    names.set(own.id, own.name);
    return own;
  };
  const findById = async (id: RepositoryId, bounds: ReadBounds): Promise<Repository> => {
    const known = names.get(id);
    // A repository may have gone to another owner.
    for (const name of perOwner(known === undefined ? repositories : [known, ...repositories])) {
      try {
        return await askOwner(await ofName(name).repository(id, bounds), ownerOf(name), bounds);
      } catch (error) {
        if (!(error instanceof RemoteError) || error.fault !== "missing") throw error;
      }
    }
    throw unseen(id);
  };
  async function readBatch(batch: readonly string[], wish: SignalWish, bounds: ReadBounds) {
    const found = new Map<string, SignalAnswer>();
    const ask = async (owner: string, nodeIds: readonly string[], wanted: SignalWish) => {
      const answers: SignalAnswer[] = [];
      const pages = trackers.get(owner)?.readSignals(nodeIds, wanted, bounds) ?? [];
      for await (const page of pages) answers.push(...page.filter(({ fault }) => fault === undefined));
      return answers;
    };
    const known = Map.groupBy(batch, (nodeId) => ownerOf(wish.repositories?.get(nodeId) ?? ""));
    for (const [owner, nodeIds] of known)
      for (const answer of await ask(owner, nodeIds, wish)) found.set(answer.nodeId, answer);
    let open = batch.filter((nodeId) => !found.has(nodeId));
    for (const owner of [...trackers.keys()]) {
      if (open.length === 0) break;
      const own = new Set<string>();
      // Only the issue's facts tell whose it is.
      for (const answer of await ask(owner, open, { ...wish, facts: true })) {
        const name = answer.issue && names.get(answer.issue.repositoryId);
        const isOwn = name !== undefined && ownerOf(name) === owner;
        if (isOwn) own.add(answer.nodeId);
        if (isOwn || !found.has(answer.nodeId)) found.set(answer.nodeId, answer);
      }
      open = open.filter((nodeId) => !own.has(nodeId));
    }
    return found;
  }

  for (const name of perOwner(repositories)) ofName(name);
  return {
    of({ name, id }: Repository): Tracker {
      names.set(id, name);
      return ofName(name);
    },
    ofOwner: (owner: string): Tracker => trackers.get(owner.toLowerCase()) ?? first(),
    /** Any of them, where it makes no difference. */
    first,
    /** undefined where no installation shows the repository. */
    async ofId(id: RepositoryId, bounds: ReadBounds): Promise<Tracker | undefined> {
      try {
        return ofName(names.get(id) ?? (await findById(id, bounds)).name);
      } catch (error) {
        if (error instanceof RemoteError && error.fault === "missing") return undefined;
        throw error;
      }
    },
    find: async (wanted: RepositoryName | RepositoryId, bounds: ReadBounds): Promise<Repository> =>
      typeof wanted === "number"
        ? findById(wanted, bounds)
        : askOwner(await ofName(wanted).repository(wanted, bounds), ownerOf(wanted), bounds),
    /**
     * Signals of issues that may belong to several owners: a node id does not tell which. Where the caller knows it, that owner
     * is asked. For the others, and for what is not found there, all are asked in turn, and an answer counts when it comes from
     * the issue's own owner; another one shows a public issue without what is private around it.
     */
    async *readSignals(
      nodeIds: readonly string[],
      wish: SignalWish,
      bounds: ReadBounds,
    ): AsyncGenerator<readonly SignalAnswer[]> {
      if (trackers.size === 1) {
        yield* first().readSignals(nodeIds, wish, bounds);
        return;
      }
      for (const batch of chunks(nodeIds, batchSize)) {
        const found = await readBatch(batch, wish, bounds);
        yield batch.map((nodeId) => {
          const answer = found.get(nodeId);
          if (answer === undefined) return { nodeId, signals: {}, fault: "missing" };
          const { issue: _, ...rest } = answer;
          return wish.facts ? answer : rest;
        });
      }
    },
  };
}

/** Names have no case. */
export function ownerOf(name: RepositoryName): string {
  return splitName(name).owner.toLowerCase();
}

/** One repository of each owner. */
function perOwner(repositories: readonly RepositoryName[]): readonly RepositoryName[] {
  return repositories.filter(
    (name, index) => repositories.findIndex((other) => ownerOf(other) === ownerOf(name)) === index,
  );
}

/** The error of a repository that no installation shows. */
export function unseen(id: RepositoryId): RemoteError {
  return new RemoteError(
    "tracker",
    "missing",
    `No installation of the GitHub App shows the repository with the id ${id}: it does not exist, or the App is not installed there.`,
  );
}
