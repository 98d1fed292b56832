import { ProjectError, RemoteError } from "../../errors.ts";
import type { RepositoryMemory } from "../../ledger/memory.ts";
import {
  isSameRepository,
  type Repository,
  type RepositoryId,
  type RepositoryName,
} from "../../model/issue.ts";
import { canonical } from "../../plan/ground/identity.ts";
import { select } from "../../select.ts";
import type { Cycle } from "../ground/cycle-state.ts";
import { isPutOff, noteError } from "../ground/report.ts";
import { type Policy, repositoryNames, type World } from "../ground/world.ts";

/**
 * What a name of the config means: the repository that it meant first, by its numeric id, for the name may have come to mean
 * another one. An answer is remembered for `fullEvery`.
 *
 * @throws ProjectError when it is gone; RemoteError when it can't be asked for.
 */
export async function findRepository(cycle: Asking, name: RepositoryName): Promise<RepositoryMemory> {
  const { clock, policy, tracker, log } = cycle.world;
  const known = await findKnown(cycle, name);
  const isHere = known !== undefined && isOfServer(known, policy);
  if (isHere && clock.now() - known.checkedAt < policy.fullEveryMs) return known;
  const repository = isHere
    ? await askPinned(cycle, name, known.repository)
    : await tracker.repository(name, cycle.run.bounds);
  if (known !== undefined && known.repository.id !== repository.id) throw otherServer(name, known, policy);
  if (!isSameRepository(repository.name, name)) sayRenamed(cycle.world, name, repository);
  if (known === undefined && !repository.isPrivate) {
    log.warn(
      { repo: name },
      "The repository is public: titles and descriptions of the selected posts become public",
    );
  }
  return remember(cycle, { name, known, repository, isWhole: true });
}

/**
 * What a name is known to mean. Where the repository has another name by now, which the config has come to use, too, the first one
 * may have been given to another repository.
 */
async function findKnown(asking: Asking, name: RepositoryName): Promise<RepositoryMemory | undefined> {
  const { ledger, policy } = asking.world;
  const known = ledger.memory.repository(name);
  const now = known?.repository.name;
  const isOpen =
    now !== undefined &&
    !isSameRepository(now, name) &&
    ledger.memory.repository(now) === undefined &&
    policy.repositories.some((named) => isSameRepository(named, now));
  return isOpen && !(await leadsTo(asking, name, known?.repository.id)) ? undefined : known;
}

/** Whether the tracker still finds a repository by a name, which it may have lost to another one. */
async function leadsTo(
  { world: { tracker }, run }: Asking,
  name: RepositoryName,
  id: RepositoryId | undefined,
): Promise<boolean> {
  try {
    return (await tracker.repository(name, run.bounds)).id === id;
  } catch (error) {
    if (error instanceof RemoteError && error.fault === "missing") return false;
    throw error;
  }
}

/** Ids of another server mean other repositories here. */
function isOfServer({ server }: RepositoryMemory, { trackerUrl }: Pick<Policy, "trackerUrl">): boolean {
  return server === undefined || server === trackerUrl;
}

function otherServer(
  name: RepositoryName,
  { server = "" }: RepositoryMemory,
  { trackerUrl }: Pick<Policy, "trackerUrl">,
): ProjectError {
  return new ProjectError(
    "tracker.replaced",
    `\`tracker.url\` is ${trackerUrl} now, and ${name} is another repository there than on ${server}. The posts' issues are not there, so nothing is read or written. Name the former server again; or, to use this one, begin with another \`state\` file.`,
  );
}

/** Whoever asks, as far as that matters here: a cycle, or what comes before it. */
export type Asking = Pick<Cycle, "world" | "run">;

/** The same of a repository that is known, asked now: whether it may be written to must not rest on a look of some hours ago. */
export async function askRepositoryAgain(
  cycle: Asking,
  { name, repository: { id } }: RepositoryMemory,
): Promise<RepositoryMemory> {
  const known = cycle.world.ledger.memory.repositoryById(id);
  if (known === undefined) return findRepository(cycle, name);
  const repository = await askPinned(cycle, name, known.repository);
  if (!isSameRepository(repository.name, known.repository.name)) sayRenamed(cycle.world, name, repository);
  // Labels and milestones are read with the next look at everything, unless there were none to read before.
  return remember(cycle, { name, known, repository, isWhole: !known.repository.hasIssues });
}

/** A repository that is not there concerns its project; a side that can't be asked concerns the whole run. */
export function asProjectError(error: unknown): ProjectError {
  if (error instanceof ProjectError) return error;
  if (error instanceof RemoteError && error.fault === "missing")
    return new ProjectError("tracker.missing", error.message);
  throw error;
}

async function askPinned(
  { world: { tracker }, run }: Asking,
  name: RepositoryName,
  { id }: Repository,
): Promise<Repository> {
  try {
    return await tracker.repository(id, run.bounds);
  } catch (error) {
    if (!(error instanceof RemoteError) || error.fault !== "missing") throw error;
    // The same words if the name leads nowhere, either.
    const now = await tracker.repository(name, run.bounds);
    if (now.id === id) return now;
    throw new ProjectError(
      "tracker.replaced",
      `${name} means another repository now (id ${now.id}; it was ${id}, which is gone or hidden from the token). The posts' issues are not there, so nothing is read or written. Make the old one visible again; or, to use the new one, begin with another \`state\` file.`,
    );
  }
}

/** What was asked; `isWhole`: with all that is in it. */
interface Found {
  readonly name: RepositoryName;
  readonly known: RepositoryMemory | undefined;
  readonly repository: Repository;
  readonly isWhole: boolean;
}

async function remember(
  asking: Asking,
  { name, known: named, repository, isWhole }: Found,
): Promise<RepositoryMemory> {
  const { ledger, clock, tracker, policy } = asking.world;
  const now = clock.now();
  // The config may have called it otherwise before.
  const other = ledger.memory.repositoryById(repository.id);
  if (named === undefined && other !== undefined && !isOfServer(other, policy))
    throw otherServer(name, other, policy);
  const known = named ?? other;
  const isRenamed = known !== undefined && !isSameRepository(repository.name, known.repository.name);
  const turnedPublic = known?.repository.isPrivate === true ? now : known?.publicSince;
  // Where issues are off, labels and milestones can't be asked for.
  const catalogue =
    isWhole && repository.hasIssues ? await tracker.catalogue(repository, asking.run.bounds) : undefined;
  const { labels, milestones } = catalogue ?? known ?? { labels: [], milestones: [] };
  warnOf(asking, { name, known, repository, isWhole });
  const fresh: RepositoryMemory = {
    labelsEtag: undefined,
    milestonesEtag: undefined,
    types: [],
    typesEtag: undefined,
    refused: [],
    etag: undefined,
    cursor: undefined,
    scannedAt: undefined,
    namedAt: undefined,
    scannedFor: [],
    recoveredAt: undefined,
    fullAt: undefined,
    pausedAt: undefined,
    ...known,
    // Under the old name another repository may have been read since: all of this one is looked at anew.
    ...(isRenamed && { etag: undefined, fullAt: undefined }),
    ...(await namesFor(asking, name, known)),
    server: policy.trackerUrl,
    repository,
    publicSince: repository.isPrivate ? undefined : turnedPublic,
    labels,
    milestones,
    // People may have come or gone since: what was refused is tried once more.
    ...(isWhole && { refused: [] }),
    checkedAt: isWhole ? now : (known?.checkedAt ?? now),
  };
  await ledger.commit([{ kind: "remember-repository", memory: fresh, from: known }]);
  return fresh;
}

/** Says what stands in the way of writing there, or of opening issues. */
function warnOf({ world: { log } }: Asking, { name, known, repository, isWhole }: Found): void {
  const warn = (sentence: string) => log.warn({ repo: name }, sentence);
  if (known?.repository.isPrivate === true && !repository.isPrivate)
    warn("The repository has turned public: new issues wait there until `boardsync approve`");
  if (!isWhole) return;
  if (repository.isArchived) warn("The repository is archived: nothing can be written to its issues");
  if (!repository.hasIssues)
    warn("Issues are switched off in the repository: nothing can be read or written there");
}

/** The name of the config. Where it has several, the first stays, and the repository is found by all of them. */
async function namesFor(
  asking: Asking,
  name: RepositoryName,
  known: RepositoryMemory | undefined,
): Promise<Pick<RepositoryMemory, "name" | "otherNames">> {
  const { repositories } = asking.world.policy;
  const before = known === undefined ? [] : [known.name, ...(known.otherNames ?? [])];
  const isNew = !before.some((one) => isSameRepository(one, name));
  const used = before.filter((one) => repositories.some((named) => isSameRepository(named, one)));
  // Found by a new name: the old one may lead to another repository by now.
  const kept = isNew ? await select(used, (one) => leadsTo(asking, one, known?.repository.id)) : used;
  const [first = name, ...others] = [...kept, ...(isNew ? [name] : [])];
  return { name: first, otherNames: others.length > 0 ? others : undefined };
}

function sayRenamed({ log }: World, name: RepositoryName, { name: now }: Repository): void {
  log.warn({ repo: name, now }, "The repository was renamed; correct `repo` in the config");
}

/** Writes down what was learnt of a repository, if it is anything new: its row holds all of its labels and milestones. */
export async function rememberNews(
  { world: { ledger } }: Pick<Cycle, "world">,
  known: RepositoryMemory,
  memory: RepositoryMemory,
): Promise<void> {
  if (memory === known || canonical(memory) === canonical(known)) return;
  await ledger.commit([{ kind: "remember-repository", memory, from: known }]);
}

/** A repository by its name in the config, and what is known of it. */
export type Place<K> = readonly [name: RepositoryName, known: K];

/**
 * Does what belongs to each repository of a project. What is refused there is said and concerns its posts, which stay due; the others
 * go on.
 *
 * @param isNeeded - whether nothing makes sense where none can be used.
 * @returns what came of those that can be used, and which can't, by their names in the config.
 * @throws RemoteError when it concerns more than one repository: a limit, the credential, a server out of reach; where one is needed
 *   and none can be used, what is wrong with the first.
 */
export async function eachRepository<K, T>(
  cycle: Pick<Cycle, "world" | "settings" | "tally" | "project">,
  places: Iterable<Place<K>> | AsyncIterable<Place<K>>,
  work: (known: K, name: RepositoryName) => Promise<T>,
  isNeeded = true,
): Promise<{ readonly used: ReadonlyMap<RepositoryName, T>; readonly refused: readonly RepositoryName[] }> {
  const used = new Map<RepositoryName, T>();
  const problems = new Map<RepositoryName, ProjectError | RemoteError>();
  for await (const [name, known] of places) {
    try {
      used.set(name, await work(known, name));
    } catch (error) {
      // Of an App each installation is one owner's: without it the repositories of others can be used.
      const isWide = error instanceof RemoteError && error.concerns === "all" && error.budget === "";
      if (isWide || (error instanceof RemoteError && isPutOff(error))) {
        // Where they have used up the run's time, its end alone would not say why.
        for (const [other, problem] of problems) noteProblem(cycle, other, problem);
        throw error;
      }
      const isOther = error instanceof RemoteError && error.fault !== "missing";
      problems.set(name, isOther ? error : asProjectError(error));
    }
  }
  const [first] = problems.values();
  if (isNeeded && first !== undefined && used.size === 0) throw first;
  for (const [name, problem] of problems) noteProblem(cycle, name, problem);
  return { used, refused: [...problems.keys()] };
}

/** Says what can't be used. */
function noteProblem(
  { world, settings, tally, project }: Pick<Cycle, "world" | "settings" | "tally" | "project">,
  name: RepositoryName,
  problem: ProjectError | RemoteError,
): void {
  const { code, message } = problem;
  if (repositoryNames(settings).some((named) => isSameRepository(named, name))) {
    noteError(tally, problem, { message: message.includes(name) ? message : `${name}: ${message}` });
    return;
  }
  // It may be gone for good, and nobody is to be told so in every run.
  world.log.warn(
    { project: project.key, repo: name, code, reason: message },
    "Issues in a repository that the config no longer names can't be read; their posts stay as they are",
  );
}
