import type { ProjectError } from "../../errors.ts";
import type { RepositoryMemory } from "../../ledger/memory.ts";
import type { RepositoryName } from "../../model/issue.ts";
import { canonical } from "../../plan/ground/identity.ts";
import type { Settings } from "../../plan/ground/settings.ts";
import type { Cycle } from "../ground/cycle-state.ts";
import { noteError } from "../ground/report.ts";
import type { World } from "../ground/world.ts";
import { repositoryNames } from "../ground/world.ts";
import { asProjectError, isSameName } from "./find-repository.ts";

/**
 * Repositories that hold issues of this project although it does not name them (any more): a route was changed, or issues
 * were moved. A linked post stays linked, so they are read, too.
 */
export function namesOfLinked(settings: Settings, { ledger }: World): readonly RepositoryName[] {
  const own = repositoryNames(settings);
  return ledger.absences.linkedRepositories(settings.project).flatMap((id) => {
    const name = ledger.memory.repositoryById(id)?.name;
    // Where another repository goes by that name now, nothing tells where this one is.
    const isFound = name !== undefined && ledger.memory.repository(name)?.repository.id === id;
    return isFound && !own.some((one) => isSameName(one, name)) ? [name] : [];
  });
}

/** Writes down what was learnt of a repository, if it is anything new: its row holds all of its labels and milestones. */
export function rememberNews(
  { world: { ledger } }: Pick<Cycle, "world">,
  known: RepositoryMemory,
  memory: RepositoryMemory,
): void {
  if (memory === known || canonical(memory) === canonical(known)) return;
  ledger.memory.rememberRepository(memory);
}

type AnyCycle = Pick<Cycle, "world" | "settings" | "tally" | "project">;

/**
 * Does what belongs to one repository of a project. Posts routed to one that can't be used stay due, and the others go on;
 * without the project's own nothing makes sense.
 *
 * @returns undefined where it can't be used.
 * @throws ProjectError when that is the project's own.
 * @throws RemoteError when the tracker can't be asked.
 */
export async function attemptRepository<T>(
  cycle: AnyCycle,
  name: RepositoryName,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    const problem = asProjectError(error);
    if (name === cycle.settings.repo) throw problem;
    noteUnread(cycle, name, problem);
    return undefined;
  }
}

/**
 * A repository that can't be used is a failure where the config names it. One that it no longer names may be gone for good,
 * and nobody is to be told so in every run: its posts stay as they are.
 */
function noteUnread(
  { world, settings, tally, project }: AnyCycle,
  name: RepositoryName,
  { code, message }: ProjectError,
): void {
  if (repositoryNames(settings).some((named) => isSameName(named, name))) noteError(tally, { code, message });
  else {
    world.log.warn(
      { project: project.key, repo: name, code, reason: message },
      "Issues in a repository that the config no longer names can't be read; their posts stay as they are",
    );
  }
}
