import { connectSides } from "../../app.ts";
import { readSecrets } from "../../config/secrets.ts";
import { redactor } from "../../log.ts";
import type { Issue, RepositoryName } from "../../model/issue.ts";
import { minuteMs } from "../../model/time.ts";
import {
  askIssue,
  describeLinking,
  describeOthers,
  explainKnownLink,
  linkedIssues,
  requestLink,
} from "../../sync/orders/ask-link.ts";
import { configuredName, type NamedIssue, parseIssue, showIssue } from "../../sync/orders/named-issue.ts";
import type { NamedPost } from "../../sync/orders/waits-of-post.ts";
import { type Beside, besideRuns, findPostToLink } from "../open/beside.ts";
import { systemClock } from "../open/clock.ts";
import { configSource } from "../open/config-source.ts";
import { createTerminalLog } from "../open/session.ts";
import { printJson } from "../print/json.ts";
import { type CommonOptions, exitCodes, type Terminal } from "../print/terminal.ts";
import { printLine } from "../print/text.ts";

/** How long the question whether the issue exists may take. */
const askMs = minuteMs;

/** `boardsync link POST OWNER/REPO#N`: links a post to an issue that is there already, by the next run. */
export function link(
  terminal: Terminal,
  options: CommonOptions,
  post: string,
  issueText: string,
): Promise<number> {
  return besideRuns(terminal, options, async (beside) => {
    const { config, ledger, now } = beside;
    const found = await findPostToLink(beside, post);
    const named = parseIssue(issueText, config.tracker.url);
    const issue = { ...named, repository: configuredName(config.projects, named) };
    const name = `${issue.repository}#${issue.number}`;
    const known = await explainKnownLink(ledger, found, issue, now);
    if (known !== undefined)
      return say(terminal, options, found, name, { isRequested: false, message: known });
    const checked = await checkIssue(terminal, options, beside, issue);
    const request = requestLink(found, issue, checked, { at: beside.now });
    await ledger.commit([{ kind: "add-request", request }]);
    const also = await explainOthers(beside, found);
    const unchecked =
      checked === undefined
        ? " Without GitHub's token here it was not asked for; the next run does that."
        : "";
    const unseen = found.isKnown ? "" : " No run has seen this post yet; it has to be on the board by then.";
    const message = `${describeLinking(name)}${also}${unseen}${unchecked}`;
    return say(terminal, options, found, name, { isRequested: true, message });
  });
}

async function explainOthers({ config, ledger, now }: Beside, found: NamedPost): Promise<string> {
  const names = (await linkedIssues(ledger, found, now)).map((issue) => showIssue(ledger, issue));
  const several = config.projects.find(({ project }) => project === found.key)?.several;
  return describeOthers(names, String(several));
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
  issue: NamedIssue & { readonly repository: RepositoryName },
): Promise<Issue | undefined> {
  const source = configSource(terminal, options);
  const found = readSecrets(source);
  if (found.kind === "faulty") return undefined;
  const log = createTerminalLog(terminal, options.logLevel ?? "error", redactor(found.secrets.all));
  const { environment } = source;
  const machine = { clock: systemClock, random: Math.random, log, version: terminal.version, environment };
  const { tracker } = connectSides(config, found.secrets, machine);
  const bounds = { until: systemClock.now() + askMs, signal: terminal.signal };
  return askIssue(tracker, issue, bounds);
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
