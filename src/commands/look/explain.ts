import { policyOf, syncProjects } from "../../app.ts";
import { ConfigError } from "../../errors.ts";
import { inOrder } from "../../select.ts";
import { explainPost } from "../../story/explain/explain.ts";
import { tellTimes } from "../../sync/tell/times.ts";
import { describeUnlisted, findPosts, readBeside } from "../open/beside.ts";
import { nextRunOf } from "../open/next-run.ts";
import { type CommandCall, exitCodes } from "../print/terminal.ts";
import { printJson } from "../print/text.ts";
import { printExplanation } from "../reports/explain.ts";

/** `boardsync explain POST|OWNER/REPO#N`: the story of one post, or of every post of one issue. Only reads the state. */
export function explain(called: CommandCall): Promise<number> {
  const { terminal, options } = called;
  const [text = ""] = called.args;
  return readBeside(called, async (beside) => {
    const { config, ledger, now } = beside;
    const sources = { ledger, policy: policyOf(config), now };
    const projects = syncProjects(config);
    const posts = await inOrder(await findPosts(beside, text), async ({ key, post }) => {
      const project = projects.find((one) => one.key === key);
      const story = project && (await explainPost(project, post, sources));
      if (story === undefined) throw new ConfigError([describeUnlisted(key, post)]);
      return { ...story, nextRun: await nextRunOf(config, key, ledger) };
    });
    if (options.json === true) printJson(terminal.out, { posts });
    else if (options.quiet !== true) {
      const times = tellTimes(beside.now, config.timezone);
      for (const one of posts) printExplanation(terminal.out, times, one);
    }
    return exitCodes.ok;
  });
}
