import { effectOf, explainWait, nothingWaits } from "../../sync/orders/waits-of-post.ts";
import { besideRuns, findPost } from "../open/beside.ts";
import { printJson } from "../print/json.ts";
import { type CommonOptions, exitCodes, type Terminal } from "../print/terminal.ts";
import { printLine } from "../print/text.ts";

/** `boardsync retry POST`: what is parked of a post may be tried again, by the next run. */
export function retry(terminal: Terminal, options: CommonOptions, text: string): Promise<number> {
  return askFor(terminal, options, "retry", text);
}

/** `boardsync release POST`: ends a post's quarantine, by the next run. */
export function release(terminal: Terminal, options: CommonOptions, text: string): Promise<number> {
  return askFor(terminal, options, "release", text);
}

function askFor(
  terminal: Terminal,
  options: CommonOptions,
  kind: "retry" | "release",
  text: string,
): Promise<number> {
  return besideRuns(terminal, options, async (beside) => {
    const { ledger, now } = beside;
    const found = await findPost(beside, text);
    const { key, project, post } = found;
    const waits = await explainWait(ledger, kind, found, now);
    if (waits !== undefined) {
      await ledger.commit([{ kind: "add-request", request: { kind, posts: [post], project, at: now } }]);
    }
    if (options.json === true) {
      printJson(terminal.out, { project: key, post, requested: waits !== undefined, waits: waits ?? null });
    } else if (options.quiet !== true) {
      const sentence = waits === undefined ? nothingWaits[kind] : `${waits} → ${effectOf[kind]}.`;
      printLine(terminal.out, `${key}/${post}: `, sentence);
    }
    return exitCodes.ok;
  });
}
