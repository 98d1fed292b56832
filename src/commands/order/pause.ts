import { type Foresight, isAsked } from "../../sync/orders/foresight.ts";
import { foreseePause, foreseeResume, listWaiting } from "../../sync/orders/pause.ts";
import { besideRuns, findPost } from "../open/beside.ts";
import { isAgreed } from "../print/agree.ts";
import type { CommonOptions, Terminal } from "../print/terminal.ts";
import { oneLine, printLine } from "../print/text.ts";
import { tell } from "./tell.ts";

interface ResumeOptions extends CommonOptions {
  readonly discard?: boolean;
  readonly yes?: boolean;
}

/** `boardsync pause POST`: from now on nothing is written for a post, either way, until a person resumes it. */
export function pause(terminal: Terminal, options: CommonOptions, text: string): Promise<number> {
  return besideRuns(terminal, options, async (beside) => {
    const { ledger } = beside;
    const named = await findPost(beside, text);
    const { key: project, post } = named;
    const waits = await listWaiting(beside, named);
    const seen = foreseePause(waits, named, "`boardsync resume`");
    const pending = await ledger.requests.pending(named.project);
    const isResuming = isAsked(pending, "resume", post) || isAsked(pending, "resume-discard", post);
    const at = beside.now;
    await ledger.commit(seen.asks({ at }));
    const { actions, open } = waits;
    const since = new Date(waits.since ?? at).toISOString();
    const wasPaused = waits.since !== undefined;
    const message = !wasPaused
      ? `it is paused from now on: ${seen.effects[0]}`
      : isResuming
        ? `it stays paused, since ${since}; the resume that was asked for is taken back.${open}`
        : `it is paused already, since ${since}.${open}`;
    const underWay = open !== "";
    show(terminal, options, seen);
    return tell(
      terminal,
      options,
      { project, post, paused: true, since, wasPaused, actions, underWay, message },
      message,
    );
  });
}

/** `boardsync resume POST`: shows what has come together while a post was paused, and lets it be told, or never. */
export function resume(terminal: Terminal, options: ResumeOptions, text: string): Promise<number> {
  return besideRuns(terminal, options, async (beside) => {
    const named = await findPost(beside, text);
    const { key: project, post } = named;
    const { discard = false } = options;
    const waits = await listWaiting(beside, named);
    const { actions } = waits;
    const say = (requested: boolean, message: string): number =>
      tell(
        terminal,
        options,
        { project, post, requested, discarded: requested && discard, actions, message },
        message,
      );
    if (waits.since === undefined) return say(false, "it is not paused.");
    const seen = foreseeResume(waits, named, discard ? "resume-discard" : "resume");
    show(terminal, options, seen);
    const question = discard
      ? `Leave both sides as they are? ${seen.mailed}`
      : `Resume it? As of the last run, ${seen.mailed.charAt(0).toLowerCase()}${seen.mailed.slice(1)}`;
    if (!(await isAgreed(terminal, options, question))) return say(false, "it stays paused.");
    await beside.ledger.commit(seen.asks({ at: beside.now }));
    return say(true, seen.effects[0]);
  });
}

/** What waits for the post. */
function show({ out }: Terminal, { json, quiet }: CommonOptions, { effects: [, ...lines] }: Foresight): void {
  if (json === true || quiet === true) return;
  for (const line of lines) printLine(out, "  ", oneLine(line));
}
