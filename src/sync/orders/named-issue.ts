import { ConfigError } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { webSiteOf } from "../../model/dialect.ts";
import { type IssueRef, isSameRepository, type RepositoryName } from "../../model/issue.ts";
import { nameNow, repositoryNames } from "../ground/world.ts";

/** An issue as a person names it. */
export interface NamedIssue {
  readonly repository: RepositoryName;
  readonly number: number;
}

/**
 * @param trackerUrl `tracker.url`: an address has to be of the pages that belong to it.
 * @throws ConfigError when the text is neither `OWNER/REPO#N` nor the address of an issue.
 */
export function parseIssue(text: string, trackerUrl: string): NamedIssue {
  const [, repository, number] =
    /^([\w.-]+\/[\w.-]+)#([1-9]\d{0,14})$/.exec(fromAddress(text, trackerUrl)) ?? [];
  if (repository === undefined || number === undefined) {
    throw new ConfigError([
      `\`${text}\` is no issue. Write OWNER/REPO#NUMBER, as in acme/app#12, or the address of its page.`,
    ]);
  }
  return { repository, number: Number(number) };
}

/** An address as `OWNER/REPO#N`; any other text as it is. */
function fromAddress(text: string, trackerUrl: string): string {
  if (!/^https?:/i.test(text) || !URL.canParse(text)) return text;
  const { host, pathname } = new URL(text);
  const site = new URL(webSiteOf(trackerUrl)).host;
  if (host !== site && host !== `www.${site}`) {
    throw new ConfigError([
      `\`${text}\` is on ${host}, and \`tracker.url\` of the config belongs to ${site}.`,
    ]);
  }
  const [, repository, kind, number] = /^\/([\w.-]+\/[\w.-]+)\/(issues|pull)\/(\d+)\/?$/.exec(pathname) ?? [];
  if (kind === "pull") {
    throw new ConfigError([`\`${text}\` is a pull request, which can't be linked. Link its issue.`]);
  }
  return repository === undefined ? text : `${repository}#${number}`;
}

/** The part of a project that names repositories. */
type Routed = Parameters<typeof repositoryNames>[0];

/**
 * An issue to be linked, with its repository as the config writes it: of one that no project names nothing would be read. It may
 * be named as the tracker calls it now.
 *
 * @throws ConfigError when the text is no issue, or no project names its repository.
 */
export function findIssue(
  text: string,
  trackerUrl: string,
  projects: readonly Routed[],
  ledger: Pick<Ledger, "memory">,
): NamedIssue {
  const { repository, number } = parseIssue(text, trackerUrl);
  const names = [...new Set(projects.flatMap(repositoryNames))];
  const found =
    names.find((name) => isSameRepository(name, repository)) ??
    names.find((name) => isSameRepository(nameNow({ ledger }, name), repository));
  if (found !== undefined) return { repository: found, number };
  throw new ConfigError([
    `No project of the config names ${repository}, so nothing of ${repository}#${number} would be read. Name it as \`repo\` or in \`route\` of a project first; it has: ${names.join(", ")}.`,
  ]);
}

/** An issue as it is shown: by the name that its repository has now. */
export function showIssue({ memory }: Pick<Ledger, "memory">, { repositoryId, number }: IssueRef): string {
  return `${memory.repositoryById(repositoryId)?.repository.name ?? ""}#${number}`;
}
