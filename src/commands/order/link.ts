import { connectSides } from "../../app.ts";
import { readSecrets } from "../../config/secrets.ts";
import { ConfigError } from "../../errors.ts";
import { redactor } from "../../log.ts";
import type { Issue, RepositoryName } from "../../model/issue.ts";
import { type Beside, besideRuns, findPostToLink, type NamedPost } from "../open/beside.ts";
import { systemClock } from "../open/clock.ts";
import { configSource } from "../open/config-source.ts";
import { findConfigured, type NamedIssue, parseIssue, showIssue } from "../open/link-target.ts";
import { createTerminalLog } from "../open/session.ts";
import { printJson } from "../print/json.ts";
import { type CommonOptions, exitCodes, type Terminal } from "../print/terminal.ts";
import { printLine } from "../print/text.ts";

/** An issue names its posts in its own text: more than these would not find room there. */
const mostPosts = 100;

/** How long the question whether the issue exists may take. */
const askMs = 60_000;

/** `boardsync link POST OWNER/REPO#N`: links a post to an issue that is there already, by the next run. */
export function link(
  terminal: Terminal,
  options: CommonOptions,
  post: string,
  issueText: string,
): Promise<number> {
  return besideRuns(terminal, options, async (beside) => {
    const found = await findPostToLink(beside, post);
    const issue = parseIssue(issueText, beside.config.tracker.url);
    const repository = findConfigured(beside, issue);
    const name = `${repository}#${issue.number}`;
    const known = await explainKnown(beside, found, { ...issue, repository });
    if (known !== undefined)
      return say(terminal, options, found, name, { isRequested: false, message: known });
    const checked = await checkIssue(terminal, options, beside, { ...issue, repository });
    const { ledger, now } = beside;
    const { number } = issue;
    await ledger.commit([
      {
        kind: "add-request",
        request: {
          kind: "link",
          project: found.project,
          at: now,
          post: found.post,
          repository,
          number,
          ...(checked !== undefined && { issue: checked }),
        },
      },
    ]);
    const also = await explainOthers(beside, found);
    const unchecked =
      checked === undefined
        ? " Without GitHub's token here it was not asked for; the next run does that."
        : "";
    const unseen = found.isKnown ? "" : " No run has seen this post yet; it has to be on the board by then.";
    const message = `the next run links it to ${name} as that is now: nothing is written for what differs, and what happens to the issue from now on is followed.${also}${unseen}${unchecked}`;
    return say(terminal, options, found, name, { isRequested: true, message });
  });
}

/** Why there is nothing to ask for, as words. */
async function explainKnown(
  { ledger, now }: Beside,
  { project, post }: NamedPost,
  { repository, number }: NamedIssue,
): Promise<string | undefined> {
  const isAsked = (await ledger.requests.pending(project)).some(
    (request) =>
      request.kind === "link" &&
      request.post === post &&
      request.repository === repository &&
      request.number === number,
  );
  if (isAsked) return "that is asked for already, and the next run does it.";
  const id = ledger.memory.repository(repository)?.repository.id;
  if (id === undefined) return undefined;
  const issue = { repositoryId: id, number };
  const isLinked = (await ledger.rows.row(project, post, now))?.links.some(
    (known) => known.link.issue.repositoryId === id && known.link.issue.number === number,
  );
  if (isLinked === true) return `it is linked to ${repository}#${number} already.`;
  const posts = (await ledger.rows.linkedTo(issue)).filter((linked) => linked.project === project);
  if (posts.length < mostPosts) return undefined;
  throw new ConfigError([
    `${repository}#${number} stands for ${mostPosts} posts already, which is as many as one issue can name. Link the post to another one.`,
  ]);
}

/** What else the post is linked to, for whoever thought that it was not. */
async function explainOthers(beside: Beside, { key, project, post }: NamedPost): Promise<string> {
  const links = (await beside.ledger.rows.row(project, post, beside.now))?.links ?? [];
  if (links.length === 0) return "";
  const names = links.map((known) => showIssue(beside, known.link.issue)).join(", ");
  const several = beside.config.projects.find((one) => one.project === key)?.several;
  return ` It stays linked to ${names}, too; \`several: ${several}\` says which issue decides.`;
}

/**
 * Asks GitHub whether the issue is there, where its token is at hand.
 *
 * @returns the issue as it is now; undefined where it was not asked for.
 * @throws ConfigError when there is no such issue; RemoteError when GitHub can't be asked.
 */
async function checkIssue(
  terminal: Terminal,
  options: CommonOptions,
  { config }: Beside,
  { repository, number }: NamedIssue & { readonly repository: RepositoryName },
): Promise<Issue | undefined> {
  const source = configSource(terminal, options);
  const found = readSecrets(source);
  if (found.kind === "faulty") return undefined;
  const log = createTerminalLog(terminal, options.logLevel ?? "error", redactor(found.secrets.all));
  const { environment } = source;
  const machine = { clock: systemClock, random: Math.random, log, version: terminal.version, environment };
  const { tracker } = connectSides(config, found.secrets, machine);
  const bounds = { until: systemClock.now() + askMs, signal: terminal.signal };
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
    case "gone":
      throw new ConfigError([`${name} was deleted. Link another issue.`]);
    case "missing":
      throw new ConfigError([
        `There is no issue ${name} that the token can see; it may be a pull request, which can't be linked. Look at its number.`,
      ]);
  }
}

function say(
  terminal: Terminal,
  options: CommonOptions,
  { key, post }: NamedPost,
  issue: string,
  { isRequested, message }: { readonly isRequested: boolean; readonly message: string },
): number {
  if (options.json === true) {
    printJson(terminal.out, { project: key, post, issue, requested: isRequested, message });
  } else if (options.quiet !== true) {
    printLine(terminal.out, `${key}/${post}: `, message);
  }
  return exitCodes.ok;
}
