import { ConfigError } from "../../errors.ts";
import { foreseePublish } from "../../sync/orders/publish.ts";
import { besideRuns, findProject } from "../open/beside.ts";
import { isAgreed } from "../print/agree.ts";
import type { CommonOptions, Terminal } from "../print/terminal.ts";
import { oneLine, printLine } from "../print/text.ts";
import { show, tell } from "./tell.ts";

/** `boardsync approve PROJECT changelog:TAG`: the next run publishes a draft of the changelog. */
export function approveEntry(
  terminal: Terminal,
  options: CommonOptions & { readonly yes?: boolean; readonly discard?: boolean },
  key: string,
  tag: string,
): Promise<number> {
  return besideRuns(terminal, options, async (beside) => {
    if (options.discard === true)
      throw new ConfigError(["A draft of the changelog is not discarded: delete it on the board."]);
    const named = { key, project: findProject(beside, key) };
    const { ledger, now } = beside;
    const seen = await foreseePublish({ ledger, now }, named, tag);
    const say = (message: string, isApproved: boolean): number =>
      tell(terminal, options, { project: key, changelog: tag, approved: isApproved, message }, message);
    if ("nothing" in seen) return say(seen.nothing, false);
    const { out } = terminal;
    if (options.json !== true && options.quiet !== true) {
      const posts = seen.posts === 1 ? "1 post" : `${seen.posts} posts`;
      printLine(out, "", oneLine(`${seen.title}: ${posts}${seen.url === undefined ? "" : `, ${seen.url}`}`));
    }
    show(terminal, options, seen.effects);
    if (!(await isAgreed(terminal, options, `Publish it? ${seen.notified}`)))
      return say("Nothing was changed.", false);
    await ledger.commit(seen.asks({ at: beside.now }));
    return say(`changelog ${tag} approved. The next run publishes it, or says when.`, true);
  });
}
