import { foreseeRetry } from "../../sync/orders/retry.ts";
import { besideRuns, findPost } from "../open/beside.ts";
import type { CommonOptions, Terminal } from "../print/terminal.ts";
import { tell } from "./tell.ts";

/**
 * `boardsync retry POST`: what is parked of a post may be tried again, by the next run. `boardsync release POST`: ends a
 * post's quarantine, by the next run.
 */
export function retry(
  terminal: Terminal,
  options: CommonOptions,
  kind: "retry" | "release",
  text: string,
): Promise<number> {
  return besideRuns(terminal, options, async (beside) => {
    const named = await findPost(beside, text);
    const { key: project, post } = named;
    const seen = await foreseeRetry(beside, kind, named);
    if ("nothing" in seen)
      return tell(terminal, options, { project, post, requested: false, waits: null }, seen.nothing);
    await beside.ledger.commit(seen.asks({ at: beside.now }));
    const { waits, effects } = seen;
    return tell(terminal, options, { project, post, requested: true, waits }, `${effects.join(" → ")}.`);
  });
}
