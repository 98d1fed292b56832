import { connectSides } from "../../app.ts";
import { attempt } from "../../config/load.ts";
import { loadSecrets } from "../../config/secrets.ts";
import { redactor } from "../../log.ts";
import type { Issue } from "../../model/issue.ts";
import { minuteMs } from "../../model/time.ts";
import { askIssue, findIssue, foreseeLink, foreseeUnlink, type NamedIssue } from "../../sync/orders/link.ts";
import { type BesideCall, besideRuns, findPost, findPostToLink } from "../open/beside.ts";
import { systemClock } from "../open/clock.ts";
import { configSource } from "../open/config-source.ts";
import { createTerminalLog } from "../open/session.ts";
import type { CommandCall } from "../print/terminal.ts";
import { request } from "./tell.ts";

/** How long the question whether the issue exists may take. */
const askMs = minuteMs;

/** `boardsync link POST OWNER/REPO#N`: links a post to an issue that is there already, by the next run. */
export function link(called: CommandCall): Promise<number> {
  const [text = "", issueText = ""] = called.args;
  return besideRuns(called, async (call) => {
    const { config, ledger } = call;
    const named = await findPostToLink(call, text);
    const { key: project, post } = named;
    const found = findIssue(issueText, config.tracker.url, config.projects, ledger);
    const several = String(config.projects.find((known) => known.project === project)?.several);
    const seen = await foreseeLink(call, named, found, several, () => checkIssue(call, found));
    return request(call, seen, { project, post, issue: `${found.repository}#${found.number}` });
  });
}

/**
 * Asks GitHub whether the issue is there, where its token is at hand.
 *
 * @returns the issue as it is now; undefined where it was not asked for.
 * @throws ConfigError when there is no such issue; RemoteError when GitHub can't be asked.
 */
async function checkIssue(
  { terminal, options, config }: BesideCall,
  issue: NamedIssue,
): Promise<Issue | undefined> {
  const source = configSource(terminal, options);
  const found = attempt(() => loadSecrets(source));
  if ("problems" in found) return undefined;
  const { secrets } = found.value;
  const log = createTerminalLog(terminal, options.logLevel ?? "error", redactor(secrets.all));
  const { environment } = source;
  const machine = { clock: systemClock, random: Math.random, log, version: terminal.version, environment };
  const { tracker } = connectSides(config, secrets, machine);
  return askIssue(tracker, issue, { until: systemClock.now() + askMs, signal: terminal.signal });
}

/** `boardsync unlink POST [OWNER/REPO#N]`: ends a post's links, or one of them, by the next run. */
export function unlink(called: CommandCall): Promise<number> {
  const [text = "", issueText] = called.args;
  return besideRuns(called, async (call) => {
    const named = await findPost(call, text);
    const { key: project, post } = named;
    const seen = await foreseeUnlink(call, named, issueText, call.config.tracker.url);
    return request(call, seen, { project, post, issues: "nothing" in seen ? [] : seen.names });
  });
}
