import { ProjectError, RemoteError } from "../../errors.ts";
import type { ProjectMemory, RepositoryMemory } from "../../ledger/memory.ts";
import type { RepositoryName } from "../../model/issue.ts";
import type { BoardProject, ProjectId } from "../../model/post.ts";
import type { Settings } from "../../plan/ground/settings.ts";
import { type Cycle, startCourse, type Tally } from "../ground/cycle-state.ts";
import { lookOnce } from "../ground/looks.ts";
import { rebuildStamp } from "../ground/order.ts";
import { isPutOff } from "../ground/report.ts";
import { settingsNow } from "../ground/settings-now.ts";
import { pickProject, type Run, repositoryNames, type SyncProject, type World } from "../ground/world.ts";
import { type Asking, eachRepository, findRepository, type Place } from "./repositories.ts";
import { warnOfPublic } from "./visibility.ts";

/**
 * Finds out who we are and what the config's names mean: the project on the board, the repositories on the tracker. An
 * answer is remembered for `fullEvery`, so that an idle run asks none of this.
 *
 * @throws ProjectError when the project, or none of its repositories, can be used.
 * @throws RemoteError when a side can't be asked.
 */
export async function identify(project: SyncProject, world: World, run: Run, tally: Tally): Promise<Cycle> {
  const memory = await findProject(project, world, run);
  const account = await findAccount({ world, run });
  const settings = settingsNow(project, memory.id, world.ledger.memory);
  const find = async (_: undefined, name: RepositoryName): Promise<RepositoryMemory> => {
    const look = (): Promise<RepositoryMemory> => findRepository({ world, run }, name);
    // Where it can't be had, no other project of the run asks for it again.
    const found =
      (await lookOnce({ world, run }, `repository ${name.toLowerCase()}`, look)) ?? (await look());
    warnOfPublic({ world, memory, project }, found);
    return found;
  };
  const places = placesOf(settings, world);
  const { used: repositories } = await eachRepository({ world, settings, tally, project }, places, find);
  const unread: Cycle["unread"] = new Set();
  const course = startCourse();
  return { world, run, project, memory, settings, account, repositories, unread, tally, course };
}

/**
 * The repositories that the config names, and then those that hold issues of this project although it does not name them (any more): a
 * route was changed, or issues were moved. A linked post stays linked, so they are read, too.
 */
async function* placesOf(settings: Settings, { ledger }: World): AsyncGenerator<Place<undefined>> {
  const own = repositoryNames(settings);
  for (const name of own) yield [name, undefined];
  const linked = (await ledger.absences.linkedRepositories(settings.project)).flatMap((id) => {
    const name = ledger.memory.repositoryById(id)?.name;
    const isMeant = (one: RepositoryName): boolean => ledger.memory.repository(one)?.repository.id === id;
    // Where another repository goes by that name now, nothing tells where this one is.
    return name !== undefined && isMeant(name) && !own.some(isMeant) ? [name] : [];
  });
  for (const name of linked) yield [name, undefined];
}

async function findProject(project: SyncProject, world: World, run: Run): Promise<ProjectMemory> {
  const { ledger, clock, policy } = world;
  const known = ledger.memory.project(project.key);
  if (known === undefined) await listProjects(world, run);
  await learnNames(world, run);
  if (known !== undefined && clock.now() - known.checkedAt < policy.fullEveryMs) {
    const rival = otherKeys(project, world).find((key) => ledger.memory.project(key)?.id === known.id);
    if (rival !== undefined) throw claimedTwice(project.key, rival);
    return known;
  }
  const listed = await listProjects(world, run);
  const found = requireProject(listed, project.key);
  if (known !== undefined && known.id !== found.id) {
    throw meansAnother(project.key, found.id, known.id);
  }
  const rival = otherKeys(project, world).find((key) => pickProject(listed, key)?.id === found.id);
  if (rival !== undefined) throw claimedTwice(project.key, rival);
  return rememberProject(world, project.key, found, { checkedAt: clock.now(), ...rebuildStamp(run) });
}

export function meansAnother(key: string, id: ProjectId, known: ProjectId): ProjectError {
  const message = `\`${key}\` now means another project of the board (${id}, it was ${known}). Name the project by its id in the config.`;
  return new ProjectError("board.project", message);
}

/** What is known of a project hangs on its id, whatever the config calls it. */
async function rememberProject(
  { ledger }: World,
  key: string,
  { id, name }: BoardProject,
  news: Pick<ProjectMemory, "checkedAt" | "rebuildStamp">,
): Promise<ProjectMemory> {
  const memory: ProjectMemory = {
    seen: [],
    settingsPrint: undefined,
    rules: undefined,
    fullAt: undefined,
    lastSuccessAt: undefined,
    // A project that is new to a copy may have run in the life that the copy knows nothing of: its issues wait, too.
    recoveredFrom: undefined,
    settledAt: undefined,
    ...ledger.memory.projectById(id),
    key,
    id,
    name,
    ...news,
  };
  await ledger.commit([{ kind: "remember-project", memory }]);
  return memory;
}

async function listProjects({ board }: World, { listed, bounds }: Run): Promise<readonly BoardProject[]> {
  if (listed.length === 0) listed.push(...(await board.listProjects(bounds)));
  return listed;
}

/**
 * A project that the config calls otherwise by now is known before its own turn: what is done for another one may concern it, too.
 * Where the list can't be had, those whose turn it is say so.
 */
async function learnNames(world: World, run: Run): Promise<void> {
  const { ledger, policy } = world;
  const unknown = policy.projectKeys.filter((key) => ledger.memory.project(key) === undefined);
  if (unknown.length === 0) return;
  try {
    await lookOnce({ world, run }, "projects", async () => {
      const listed = await listProjects(world, run);
      for (const key of unknown) {
        const found = pickProject(listed, key);
        const isKnown = found !== undefined && ledger.memory.projectById(found.id) !== undefined;
        if (isKnown) await rememberProject(world, key, found, { checkedAt: 0 });
      }
    });
  } catch (error) {
    if (!(error instanceof RemoteError) || isPutOff(error)) throw error;
  }
}

/** As `pickProject`. @throws ProjectError where the key sees none, or several of that slug: nobody can tell then which is meant. */
export function requireProject(listed: readonly BoardProject[], key: string): BoardProject {
  const found = pickProject(listed, key);
  const named = listed.filter(({ id, slug }) => (found?.id === key ? id : slug) === key);
  const ids = new Set(named.map(({ id }) => id));
  if (found !== undefined && ids.size === 1) return found;
  const names = listed.map(({ id, slug }) => slug ?? id).join(", ");
  const message =
    found === undefined
      ? `The board has no project \`${key}\` that this key can see. It has: ${names || "none"}. Correct \`project\` in the config.`
      : `Several projects of the board have the slug \`${key}\`: ${[...ids].join(", ")}. Name the project by its id in the config.`;
  throw new ProjectError("board.project", message);
}

function otherKeys(project: SyncProject, { policy }: World): readonly string[] {
  return policy.projectKeys.filter((key) => key !== project.key);
}

/** Every post would belong to both, and get two issues. */
function claimedTwice(key: string, rival: string): ProjectError {
  return new ProjectError(
    "board.project",
    `\`${key}\` and \`${rival}\` are the same project of the board, so both claim the same posts. Remove one of the two from the config.`,
  );
}

async function findAccount(asking: Asking): Promise<string> {
  const { ledger, clock, policy } = asking.world;
  const known = ledger.memory.account();
  if (known !== undefined && clock.now() - known.checkedAt < policy.fullEveryMs) return known.login;
  const login = await lookOnce(asking, "account", () => askAccount(asking));
  return login ?? ledger.memory.account()?.login ?? askAccount(asking);
}

/** So many earlier accounts are remembered. */
const mostFormer = 3;

/** Who we are, asked now: whose issues are looked for must not rest on a token of some hours ago. */
export async function askAccount({ world, run }: Asking): Promise<string> {
  const { login } = await world.tracker.account(run.bounds);
  const known = world.ledger.memory.account();
  const before = [...(known === undefined ? [] : [known.login]), ...(known?.former ?? [])];
  const former = before.filter((one) => !isSameLogin(one, login)).slice(0, mostFormer);
  const now = world.clock.now();
  const since = known !== undefined && isSameLogin(known.login, login) ? known.since : now;
  const others = former.length > 0 && { former, ...(since !== undefined && { since }) };
  const account = { login, checkedAt: now, ...others };
  await world.ledger.commit([{ kind: "remember-account", account }]);
  return login;
}

/** Whether an issue's author is our own account, or one whose markers count like ours. */
export function isOurLogin({ policy }: World, account: string, author: string | null): boolean {
  return [account, ...policy.trustedAuthors].some((login) => isSameLogin(author, login));
}

/** Whether two logins are the same account; that of a deleted one is null. */
export function isSameLogin(one: string | null, other: string): boolean {
  return one !== null && foldLogin(one) === foldLogin(other);
}

/** Logins have no case. */
export function foldLogin(login: string): string {
  return login.toLowerCase();
}
