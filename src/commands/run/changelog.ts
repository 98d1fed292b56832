import { buildWorld } from "../../app.ts";
import { ConfigError } from "../../errors.ts";
import type { PlannedEntry } from "../../sync/ground/reports.ts";
import { runProjects } from "../../sync/run.ts";
import { count } from "../../sync/tell/words.ts";
import { inSession } from "../open/session.ts";
import { placeOfState, withPrivateCopy } from "../open/state.ts";
import {
  type CommandCall,
  type CommonOptions,
  exitOf,
  type Output,
  type ProjectOptions,
} from "../print/terminal.ts";
import { harmless, oneLine, paint, printJson, printLine } from "../print/text.ts";
import { errorOf, exitOfResult, printErrors } from "../reports/run.ts";

/** `boardsync changelog [TAG]`: the entry of a release as it would be made now; of the newest one without a tag. Writes nothing. */
export async function changelog(called: CommandCall<CommonOptions & ProjectOptions>): Promise<number> {
  const { terminal, options } = called;
  const [tag] = called.args;
  return inSession(called, (session) => {
    const projects = session.projects.filter(({ settings }) => settings.changelog !== undefined);
    if (projects.length === 0) throw new ConfigError(["No project of the config has a `changelog`."]);
    return withPrivateCopy(placeOfState(terminal, session.config), async (ledger) => {
      const world = buildWorld(session.config, session.sides, ledger, session.machine);
      const order = { kind: "plan", entry: { tag } } as const;
      const { plan, report } = await runProjects(projects, world, order, terminal.signal);
      const shown = session.clean(plan).projects.map(({ project, repo, entries = [], errors }) => {
        return { project, repo, entries, errors };
      });
      const isUnknown = shown.every(({ entries, errors }) => entries.length + errors.length === 0);
      if (tag !== undefined && isUnknown)
        throw new ConfigError(
          shown.map(({ project, repo }) => oneLine(`${project}: ${repo} has no ${tag} release.`)),
        );
      const { out, times } = session.terminal;
      if (options.json === true) {
        const told = shown.map(({ errors, ...rest }) => ({ ...rest, ...(errors.length > 0 && { errors }) }));
        printJson(out, { projects: told, ...errorOf(report.result, shown) });
      } else if (options.quiet !== true) {
        for (const { project, repo, entries, errors } of shown) {
          for (const entry of entries) printEntry(out, `${project} → ${repo}`, entry);
          if (entries.length > 0 || errors.length > 0) continue;
          printLine(
            out,
            "",
            oneLine(`${project}: ${repo} has no release that \`changelog.releases\` takes.`),
          );
        }
        printErrors(out, times(), shown);
        printLine(out, "", "Nothing was written.");
      }
      return exitOf(terminal, exitOfResult(report.result));
    });
  });
}

function printEntry(out: Output, where: string, { tag, title, body, posts }: PlannedEntry): void {
  printLine(out, "", paint(out, "bold", oneLine(`${where}, ${tag}: ${title}`)));
  for (const line of body.split("\n")) out.write(`${`  │ ${harmless(line)}`.trimEnd()}\n`);
  printLine(out, "  ", `It names ${count(posts, "post")}.`);
}
