import type { NamedPost } from "../../sync/orders/waits-of-post.ts";
import { describeOpen, listWaiting, type WhatWaits } from "../../sync/orders/what-waits.ts";
import { type Beside, besideRuns, findPost } from "../open/beside.ts";
import { printJson } from "../print/json.ts";
import { type CommonOptions, exitCodes, type Terminal } from "../print/terminal.ts";
import { printLine } from "../print/text.ts";
import { printWaiting } from "./print-waiting.ts";

/** `boardsync pause POST`: from now on nothing is written for a post, either way, until a person resumes it. */
export function pause(terminal: Terminal, options: CommonOptions, text: string): Promise<number> {
  return besideRuns(terminal, options, async (beside) => {
    const found = await findPost(beside, text);
    const waits = await listWaiting(beside.ledger, found, beside.now);
    const { project, post } = found;
    const isResuming = await isResumeAsked(beside, found);
    await beside.ledger.commit([{ kind: "pause", project, post, at: beside.now }]);
    const message = explainPause(waits, isResuming);
    if (options.json === true) {
      const { since, actions, isOpen } = waits;
      printJson(terminal.out, {
        project: found.key,
        post,
        paused: true,
        since: new Date(since ?? beside.now).toISOString(),
        wasPaused: since !== undefined,
        actions,
        underWay: isOpen,
        message,
      });
    } else if (options.quiet !== true) {
      printWaiting(terminal, waits);
      printLine(terminal.out, `${found.key}/${post}: `, message);
    }
    return exitCodes.ok;
  });
}

async function isResumeAsked({ ledger }: Beside, { project, post }: NamedPost): Promise<boolean> {
  return (await ledger.requests.pending(project)).some(
    (request) =>
      (request.kind === "resume" || request.kind === "resume-discard") && request.posts.includes(post),
  );
}

function explainPause(waits: WhatWaits, isResuming: boolean): string {
  const open = describeOpen(waits);
  if (waits.since === undefined) {
    return `it is paused from now on: nothing more is written for it, to either side, until \`boardsync resume\`.${open}`;
  }
  const since = new Date(waits.since).toISOString();
  if (isResuming)
    return `it stays paused, since ${since}; the resume that was asked for is taken back.${open}`;
  return `it is paused already, since ${since}.${open}`;
}
