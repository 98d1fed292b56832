import { foreseeRetryEntry } from "../../sync/orders/retry-entry.ts";
import { besideRuns, findProject } from "../open/beside.ts";
import type { CommonOptions, Terminal } from "../print/terminal.ts";
import { tell } from "./tell.ts";

/** `boardsync retry PROJECT changelog:TAG`: what is stuck of an entry is tried once more by the next run. */
export function retryEntry(
  terminal: Terminal,
  options: CommonOptions,
  key: string,
  tag: string,
): Promise<number> {
  return besideRuns(terminal, options, async (beside) => {
    const seen = await foreseeRetryEntry(beside, { key, project: findProject(beside, key) }, tag);
    const say = (message: string, requested: boolean): number =>
      tell(terminal, options, { project: key, changelog: tag, requested, message }, message);
    if ("nothing" in seen) return say(seen.nothing, false);
    await beside.ledger.commit(seen.asks({ at: beside.now }));
    return say(`${seen.effects.join("; ")}.`, true);
  });
}
