import type { Ledger } from "../ledger/ledger.ts";
import { isSameRepository } from "../model/issue.ts";
import { select } from "../select.ts";
import { repositoryNames, type SyncProject } from "../sync/ground/world.ts";

/** Where something has happened on GitHub. */
export interface Hint {
  readonly repositories: readonly { readonly id: number; readonly name: string }[];
  /** Of a project of GitHub, where no repository is named. */
  readonly owner: string | undefined;
  /** Who did it, as a login. */
  readonly sender: string | undefined;
}

/** The projects that a hint may concern, by their keys. */
export async function findConcerned(
  { repositories, owner }: Hint,
  projects: readonly SyncProject[],
  ledger: Ledger,
): Promise<readonly string[]> {
  const isConcerned = async (project: SyncProject): Promise<boolean> => {
    if (owner !== undefined && looksAtProjectsOf(project, owner)) return true;
    return (await select(repositories, (one) => hasIssuesIn(project, one, ledger))).length > 0;
  };
  return (await select(projects, isConcerned)).map(({ key }) => key);
}

/** Whether our own account did it. */
export function isOwn({ sender }: Hint, ledger: Ledger): boolean {
  const login = ledger.memory.account()?.login;
  return sender !== undefined && sender.toLowerCase() === login?.toLowerCase();
}

/** By name; by the id of what goes by that name, which may have been renamed; or because linked issues were moved there. */
async function hasIssuesIn(
  { key, settings }: SyncProject,
  { id, name }: Hint["repositories"][number],
  { memory, absences }: Ledger,
): Promise<boolean> {
  const names = repositoryNames(settings);
  if (names.some((own) => isSameRepository(own, name))) return true;
  if (names.some((own) => memory.repository(own)?.repository.id === id)) return true;
  const project = memory.project(key);
  return project !== undefined && (await absences.linkedRepositories(project.id)).includes(id);
}

function looksAtProjectsOf({ settings }: SyncProject, owner: string): boolean {
  return settings.rules.some(({ when }) => when.projectStatus?.owner.toLowerCase() === owner.toLowerCase());
}
