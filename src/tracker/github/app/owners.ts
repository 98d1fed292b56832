import { RemoteError } from "../../../errors.ts";
import type { Repository, RepositoryId, RepositoryName } from "../../../model/issue.ts";
import type { ReadBounds } from "../../../model/surroundings.ts";
import type { Tracker } from "../../tracker.ts";
import { splitName } from "../wire/shapes.ts";

/** What goes through the installation on one owner. */
export interface Installation {
  readonly tracker: Tracker;
  /** The repository that was asked for last: the installation is looked for by it. */
  repository: RepositoryName;
}

/** Which owner's installation something goes through. */
export type Owners = ReturnType<typeof createOwners>;

/** A repository's name tells its owner. Where only an id is known, the owners that the config names are asked in turn. */
export function createOwners(
  installOn: (owner: string) => Installation,
  repositories: readonly RepositoryName[],
) {
  const installations = new Map<string, Installation>();
  const names = new Map<RepositoryId, RepositoryName>();

  const of = (name: RepositoryName): Tracker => {
    const owner = ownerOf(name);
    const installation = installations.get(owner) ?? installOn(owner);
    installations.set(owner, installation);
    installation.repository = name;
    return installation.tracker;
  };
  // A token of one owner also shows the public repositories of all others, but not what may be done there.
  const askOwner = async (found: Repository, asked: string, bounds: ReadBounds): Promise<Repository> => {
    const own = ownerOf(found.name) === asked ? found : await of(found.name).repository(found.id, bounds);
    names.set(own.id, own.name);
    return own;
  };
  const findById = async (id: RepositoryId, bounds: ReadBounds): Promise<Repository> => {
    const known = names.get(id);
    // A repository may have gone to another owner.
    for (const name of perOwner(known === undefined ? repositories : [known, ...repositories])) {
      try {
        return await askOwner(await of(name).repository(id, bounds), ownerOf(name), bounds);
      } catch (error) {
        if (!(error instanceof RemoteError) || error.fault !== "missing") throw error;
      }
    }
    throw unseen(id);
  };
  for (const name of perOwner(repositories)) of(name);
  return {
    /** In lower case, those of the config first. */
    names: (): readonly string[] => [...installations.keys()],
    of,
    ofOwner: (owner: string): Tracker =>
      (installations.get(owner.toLowerCase()) ?? firstOf(installations)).tracker,
    /** Any of them, where it makes no difference. */
    first: (): Tracker => firstOf(installations).tracker,
    /** undefined where no installation shows the repository. */
    async ofId(id: RepositoryId, bounds: ReadBounds): Promise<Tracker | undefined> {
      try {
        return of(names.get(id) ?? (await findById(id, bounds)).name);
      } catch (error) {
        if (error instanceof RemoteError && error.fault === "missing") return undefined;
        throw error;
      }
    },
    /** The owner of a repository by its id, as far as that was ever seen. */
    ownerOfId(id: RepositoryId): string | undefined {
      const name = names.get(id);
      return name && ownerOf(name);
    },
    note(id: RepositoryId, name: RepositoryName): void {
      names.set(id, name);
    },
    find: async (wanted: RepositoryName | RepositoryId, bounds: ReadBounds): Promise<Repository> =>
      typeof wanted === "number"
        ? findById(wanted, bounds)
        : askOwner(await of(wanted).repository(wanted, bounds), ownerOf(wanted), bounds),
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

function firstOf(installations: ReadonlyMap<string, Installation>): Installation {
  const [first] = installations.values();
  if (first === undefined) throw new Error("The config names no repository.");
  return first;
}

/** The error of a repository that no installation shows. */
export function unseen(id: RepositoryId): RemoteError {
  return new RemoteError(
    "tracker",
    "missing",
    `No installation of the GitHub App shows the repository with the id ${id}: it does not exist, or the App is not installed there.`,
  );
}
