import { ConfigError } from "../errors.ts";
import type { IssueRef, RepositoryName } from "../model/issue.ts";
import { repositoryNames } from "../sync/repositories.ts";
import type { Beside } from "./beside.ts";

/** An issue as a person names it. */
export interface NamedIssue {
  readonly repository: RepositoryName;
  readonly number: number;
}

/** @throws ConfigError when the text is no `OWNER/REPO#N`. */
export function parseIssue(text: string): NamedIssue {
  const [, repository, number] = /^([\w.-]+\/[\w.-]+)#([1-9]\d{0,14})$/.exec(text) ?? [];
  if (repository === undefined || number === undefined) {
    throw new ConfigError([`\`${text}\` is no issue. Write OWNER/REPO#NUMBER, as in acme/app#12.`]);
  }
  return { repository, number: Number(number) };
}

/**
 * The repository as the config writes it. Of one that no project names nothing would be read, so nothing of it is linked.
 *
 * @throws ConfigError when no project names it.
 */
export function findConfigured(
  { config }: Pick<Beside, "config">,
  { repository, number }: NamedIssue,
): RepositoryName {
  const names = [...new Set(config.projects.flatMap(repositoryNames))];
  const found = names.find((name) => name.toLowerCase() === repository.toLowerCase());
  if (found !== undefined) return found;
  throw new ConfigError([
    `No project of the config names ${repository}, so nothing of ${repository}#${number} would be read. Name it as \`repo\` or in \`route\` of a project first; it has: ${names.join(", ")}.`,
  ]);
}

/** An issue as it is shown: by the name that its repository has now. */
export function showIssue({ ledger }: Pick<Beside, "ledger">, { repositoryId, number }: IssueRef): string {
  return `${ledger.memory.repositoryById(repositoryId)?.repository.name ?? ""}#${number}`;
}
