import { ConfigError } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { webSiteOf } from "../../model/dialect.ts";
import {
  type Issue,
  type IssueRef,
  isSameIssue,
  isSameRepository,
  type RepositoryName,
} from "../../model/issue.ts";
import type { Row } from "../../model/link.ts";
import type { ReadBounds } from "../../model/surroundings.ts";
import { select } from "../../select.ts";
import type { Tracker } from "../../tracker/tracker.ts";
import { nameIssue } from "../ground/cycle-state.ts";
import { nameNow, repositoryNames } from "../ground/world.ts";
import {
  already,
  type Foresight,
  type NamedPost,
  type Nothing,
  notifiesNobody,
  type Sight,
} from "./foresight.ts";

/** An issue names its posts in its own text: more than these would not find room there. */
const mostPosts = 100;

/**
 * Links a post to an issue that is there already, and takes both sides as they are.
 *
 * @param several - `several` of the post's project.
 * @param ask - gives the issue as it is now; undefined where nobody can ask for it here.
 * @throws ConfigError where the issue can take no further post; and what `ask` throws.
 */
export async function foreseeLink<Seen extends Issue | undefined>(
  sight: Sight,
  named: NamedPost,
  { repository, number }: NamedIssue,
  several: string,
  ask: () => Promise<Seen>,
): Promise<(Foresight & { readonly seen: Seen }) | Nothing> {
  const { ledger, now } = sight;
  const { project, post } = named;
  const name = `${repository}#${number}`;
  const row = await ledger.rows.row(project, post, now);
  const { linked, then } = await linksOf(sight, named, row);
  const repositoryId = ledger.memory.repository(repository)?.repository.id;
  if (repositoryId === undefined) {
    // Until a run has found the repository, `unlink` can't name the issue: what was asked for stands.
    const isAskedFor = (await ledger.requests.pending(project)).some(
      (one) => one.kind === "link" && one.post === post && `${one.repository}#${one.number}` === name,
    );
    if (isAskedFor) return { nothing: already };
  } else {
    const issue = { repositoryId, number };
    if (isAmong(then, issue))
      return { nothing: isAmong(linked, issue) ? `it is linked to ${name} already.` : already };
    const posts = (await ledger.rows.linkedTo(issue)).filter((known) => known.project === project);
    if (posts.length >= mostPosts)
      throw new ConfigError([
        `${name} stands for ${mostPosts} posts already, which is as many as one issue can name. Link the post to another one.`,
      ]);
  }
  const seen = await ask();
  const others = nameAll(ledger, then);
  const effect = `the next run links it to ${name} as that is now: nothing is written for what differs, and what happens to the issue from now on is followed.`;
  const also = [
    others !== "" && `It stays linked to ${others}, too; \`several: ${several}\` says which issue decides.`,
    row === undefined && "No run has seen this post yet; it has to be on the board by then.",
    seen === undefined && "Without GitHub's token here it was not asked for; the next run does that.",
  ];
  return {
    seen,
    effects: [effect, ...also.filter((one) => one !== false)],
    notified: notifiesNobody,
    asks(agreed) {
      const asked = { ...agreed, kind: "link", project, post, repository, number } as const;
      return [{ kind: "add-request", request: { ...asked, ...(seen && { issue: seen }) } }];
    },
  };
}

/** The issues that a post is linked to, and those that it is linked to once all that is asked for is done. */
export async function linksOf(
  { ledger }: Sight,
  { project, post }: NamedPost,
  row: Row | undefined,
): Promise<{ readonly linked: readonly IssueRef[]; readonly then: readonly IssueRef[] }> {
  const linked = row?.links.map(({ link }) => link.issue) ?? [];
  let then = linked;
  for (const request of await ledger.requests.pending(project)) {
    if ((request.kind !== "link" && request.kind !== "unlink") || request.post !== post) continue;
    const named = request.kind === "unlink" ? request.issues : issuesOf(ledger, request);
    const rest = then.filter((issue) => !isAmong(named, issue));
    then = request.kind === "unlink" ? rest : [...rest, ...named];
  }
  return { linked, then };
}

/** None where no run has found the repository yet. */
function issuesOf(
  { memory }: Pick<Ledger, "memory">,
  { repository, number }: NamedIssue,
): readonly IssueRef[] {
  const repositoryId = memory.repository(repository)?.repository.id;
  return repositoryId === undefined ? [] : [{ repositoryId, number }];
}

/**
 * Asks the tracker for an issue that is to be linked.
 *
 * @throws ConfigError when there is no such issue; RemoteError when the tracker can't be asked.
 */
export async function askIssue(
  tracker: Pick<Tracker, "repository" | "readIssue">,
  { repository, number }: NamedIssue,
  bounds: ReadBounds,
): Promise<Issue> {
  const { id } = await tracker.repository(repository, bounds);
  const answer = await tracker.readIssue({ repositoryId: id, number }, bounds);
  if (answer.kind === "found") return answer.record.issue;
  if (answer.kind === "refused") throw answer.error;
  const name = `${repository}#${number}`;
  if (answer.kind === "moved")
    throw new ConfigError([
      `${name} was moved to ${answer.to}#${answer.record.issue.number}. Link that one.`,
    ]);
  const why = {
    gone: `${name} was deleted, or made a discussion. Link another issue.`,
    missing: `There is no issue ${name} that the token can see; it may be a pull request, which can't be linked. Look at its number.`,
  };
  throw new ConfigError([why[answer.kind]]);
}

/**
 * Ends a post's links; or one of them, where a text names its issue.
 *
 * @returns also the names of the issues whose links end.
 * @throws ConfigError when the text names none of its issues.
 */
export async function foreseeUnlink(
  sight: Sight,
  named: NamedPost,
  text: string | undefined,
  trackerUrl: string,
): Promise<(Foresight & { readonly names: readonly string[] }) | Nothing> {
  const { ledger, now } = sight;
  const { project, post } = named;
  const { linked, then } = await linksOf(sight, named, await ledger.rows.row(project, post, now));
  const known = [...then, ...linked.filter((issue) => !isAmong(then, issue))];
  const chosen = text === undefined ? known : chooseLinked(ledger, named, known, text, trackerUrl);
  const issues = chosen.filter((issue) => isAmong(then, issue));
  if (issues.length === 0) return { nothing: chosen.length === 0 ? "it is linked to no issue." : already };
  const names = issues.map((issue) => nameIssue({ world: { ledger } }, issue));
  const shared = await select(issues, async (issue) =>
    (await ledger.rows.linkedTo(issue)).some((other) => other.project === project && other.post !== post),
  );
  const left = nameAll(ledger, shared);
  const told =
    left === ""
      ? "neither its status nor a text is written for that"
      : `the text of ${left} becomes that of the posts that it still stands for, and nothing else is written for that`;
  const effect = `the next run ends its link to ${names.join(", ")}; ${told}.`;
  const rest =
    "It then stays without an issue: `boardsync link` gives it one, `boardsync retry` lets a new one be opened.";
  return {
    names,
    effects: [issues.length < then.length ? effect : `${effect} ${rest}`],
    notified: notifiesNobody,
    asks: (agreed) => [
      { kind: "add-request", request: { ...agreed, kind: "unlink", project, post, issues } },
    ],
  };
}

function isAmong(issues: readonly IssueRef[], issue: IssueRef): boolean {
  return issues.some((one) => isSameIssue(one, issue));
}

/** The one of a post's issues that a text names. */
function chooseLinked(
  ledger: Ledger,
  { key, post }: NamedPost,
  linked: readonly IssueRef[],
  text: string,
  trackerUrl: string,
): readonly IssueRef[] {
  const { repository, number } = parseIssue(text, trackerUrl);
  const isNamed = (issue: IssueRef): boolean => {
    const known = ledger.memory.repositoryById(issue.repositoryId);
    const names = [known?.name, known?.repository.name];
    return issue.number === number && names.some((name) => name?.toLowerCase() === repository.toLowerCase());
  };
  const chosen = linked.filter(isNamed);
  if (chosen.length > 0) return chosen;
  const names = nameAll(ledger, linked) || "no issue";
  throw new ConfigError([`${key}/${post} is not linked to ${text}. It is linked to: ${names}.`]);
}

function nameAll(ledger: Ledger, issues: readonly IssueRef[]): string {
  return issues.map((issue) => nameIssue({ world: { ledger } }, issue)).join(", ");
}

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
