import { describeOpen, effectOfResuming, listWaiting, type WhatWaits } from "../../sync/orders/what-waits.ts";
import { showVoters } from "../../sync/tell/alike.ts";
import { besideRuns, findPost } from "../open/beside.ts";
import { isAgreed } from "../print/agree.ts";
import { printJson } from "../print/json.ts";
import { type CommonOptions, exitCodes, type Terminal } from "../print/terminal.ts";
import { printLine } from "../print/text.ts";
import { printWaiting } from "./print-waiting.ts";

interface ResumeOptions extends CommonOptions {
  readonly discard?: boolean;
  readonly yes?: boolean;
}

/** `boardsync resume POST`: shows what has come together while a post was paused, and lets it be told, or never. */
export function resume(terminal: Terminal, options: ResumeOptions, text: string): Promise<number> {
  return besideRuns(terminal, options, async (beside) => {
    const { key, project, post } = await findPost(beside, text);
    const waits = await listWaiting(beside.ledger, { key, project, post }, beside.now);
    const say = (isRequested: boolean, message: string): number => {
      if (options.json === true) {
        const { actions } = waits;
        const isDiscarded = isRequested && options.discard === true;
        printJson(terminal.out, {
          project: key,
          post,
          requested: isRequested,
          discarded: isDiscarded,
          actions,
          message,
        });
      } else if (options.quiet !== true) printLine(terminal.out, `${key}/${post}: `, message);
      return exitCodes.ok;
    };
    if (waits.since === undefined) return say(false, "it is not paused.");
    if (options.json !== true && options.quiet !== true) printWaiting(terminal, waits);
    if (!(await isAgreed(terminal, options, questionOf(options, waits))))
      return say(false, "it stays paused.");
    const kind = options.discard === true ? "resume-discard" : "resume";
    await beside.ledger.commit([
      { kind: "add-request", request: { kind, posts: [post], project, at: beside.now } },
    ]);
    return say(true, `${effectOfResuming[kind]}${describeOpen(waits)}`);
  });
}

function questionOf({ discard }: ResumeOptions, { voters }: WhatWaits): string {
  if (discard === true) return "Leave both sides as they are? No voter will be mailed.";
  const many = voters.known === 0 ? "an unknown number of" : showVoters(voters);
  const mailed = voters.known + voters.unknown === 0 ? "no voter" : `${many} voters`;
  return `Resume it? As of the last run, ${mailed} will be mailed.`;
}
