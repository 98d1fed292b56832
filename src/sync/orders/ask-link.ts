import { ConfigError } from "../../errors.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { NewRequest, Who } from "../../ledger/requests.ts";
import { type Issue, type IssueRef, isSameIssue, type RepositoryName } from "../../model/issue.ts";
import type { ReadBounds } from "../../model/surroundings.ts";
import type { Tracker } from "../../tracker/tracker.ts";
import { type NamedIssue, parseIssue, showIssue } from "./named-issue.ts";
import type { NamedPost } from "./waits-of-post.ts";

/** An issue names its posts in its own text: more than these would not find room there. */
const mostPosts = 100;

/**
 * Why there is nothing to ask for, as words; undefined where the post can be linked to the issue.
 *
 * @throws ConfigError where the issue can take no further post.
 */
export async function explainKnownLink(
  { memory, requests, rows }: Pick<Ledger, "memory" | "requests" | "rows">,
  { project, post }: NamedPost,
  { repository, number }: NamedIssue,
  now: number,
): Promise<string | undefined> {
  const isAsked = (await requests.pending(project)).some(
    (request) =>
      request.kind === "link" &&
      request.post === post &&
      request.repository === repository &&
      request.number === number,
  );
  if (isAsked) return "that is asked for already, and the next run does it.";
  const id = memory.repository(repository)?.repository.id;
  if (id === undefined) return undefined;
  const issue = { repositoryId: id, number };
  const isLinked = (await rows.row(project, post, now))?.links.some((known) =>
    isSameIssue(known.link.issue, issue),
  );
  if (isLinked === true) return `it is linked to ${repository}#${number} already.`;
  const posts = (await rows.linkedTo(issue)).filter((linked) => linked.project === project);
  if (posts.length < mostPosts) return undefined;
  throw new ConfigError([
    `${repository}#${number} stands for ${mostPosts} posts already, which is as many as one issue can name. Link the post to another one.`,
  ]);
}

/** What the next run does to a post and an issue that are to be linked. */
export function describeLinking(name: string): string {
  return `the next run links it to ${name} as that is now: nothing is written for what differs, and what happens to the issue from now on is followed.`;
}

/** What else a post is linked to, for whoever thought that it was not; '' where it is linked to nothing. */
export function describeOthers(names: readonly string[], several: string): string {
  if (names.length === 0) return "";
  return ` It stays linked to ${names.join(", ")}, too; \`several: ${several}\` says which issue decides.`;
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
  const name = `${repository}#${number}`;
  switch (answer.kind) {
    case "found":
      return answer.record.issue;
    case "moved":
      throw new ConfigError([
        `${name} was moved to ${answer.to}#${answer.record.issue.number}. Link that one.`,
      ]);
    case "refused":
      throw answer.error;
    case "gone":
      throw new ConfigError([`${name} was deleted. Link another issue.`]);
    case "missing":
      throw new ConfigError([
        `There is no issue ${name} that the token can see; it may be a pull request, which can't be linked. Look at its number.`,
      ]);
  }
}

/** @param seen - the issue as it was when the person asked; undefined where nobody could ask for it then. */
export function requestLink(
  { project, post }: NamedPost,
  { repository, number }: { readonly repository: RepositoryName; readonly number: number },
  seen: Issue | undefined,
  asked: { readonly at: number } & Who,
): NewRequest {
  const named = { kind: "link", project, post, repository, number } as const;
  return { ...asked, ...named, ...(seen !== undefined && { issue: seen }) };
}

/** The issues that a post is linked to. */
export async function linkedIssues(
  { rows }: Pick<Ledger, "rows">,
  { project, post }: NamedPost,
  now: number,
): Promise<readonly IssueRef[]> {
  return ((await rows.row(project, post, now))?.links ?? []).map(({ link }) => link.issue);
}

/**
 * The one of a post's issues that a text names.
 *
 * @throws ConfigError when it names none of them.
 */
export function chooseLinked(
  ledger: Pick<Ledger, "memory">,
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
  const names = linked.map((issue) => showIssue(ledger, issue)).join(", ");
  throw new ConfigError([
    `${key}/${post} is not linked to ${text}. It is linked to: ${names || "no issue"}.`,
  ]);
}

/**
 * What the end of links does.
 *
 * @param names - of the issues.
 * @param left - how many links stay.
 */
export function describeUnlinking(names: readonly string[], left: number): string {
  if (names.length === 0) return "it is linked to no issue.";
  const what = `the next run ends its link to ${names.join(", ")}; nothing is written to either side for that.`;
  if (left > 0) return what;
  return `${what} It then stays without an issue: \`boardsync link\` gives it one, \`boardsync retry\` lets a new one be opened.`;
}
