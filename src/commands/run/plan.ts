import { buildWorld, policyOf, syncProjects } from "../../app.ts";
import type { PostId } from "../../model/post.ts";
import { explainPost } from "../../story/explain/explain.ts";
import type { PlanReport, RunReport } from "../../sync/ground/reports.ts";
import { writePlan } from "../../sync/orders/plan-file.ts";
import { runProjects } from "../../sync/run.ts";
import { tellStanding } from "../look/explain.ts";
import { type Beside, findPost } from "../open/beside.ts";
import { findOtherConfigs } from "../open/other-config.ts";
import { inSession, type Session } from "../open/session.ts";
import { placeOfState, withPrivateCopy } from "../open/state.ts";
import {
  type CommandCall,
  type CommonOptions,
  exitCodes,
  exitOf,
  type ProjectOptions,
} from "../print/terminal.ts";
import { oneLine, printJson, printLine } from "../print/text.ts";
import { countAdopted, hasDraft, printDraft, printPlan, toDocuments } from "../reports/plan.ts";
import { exitOfResult, printErrors } from "../reports/run.ts";
import { refusePlanFile, savePlan } from "./plan-file.ts";

interface PlanOptions extends CommonOptions, ProjectOptions {
  readonly detailedExitcode?: boolean;
  readonly out?: string;
  readonly full?: boolean;
  readonly show?: string;
}

/**
 * `boardsync plan`: pulls and decides on a private copy of the state, so that it needs no lock and leaves no trace. `--out`
 * saves it for `apply`, unless nothing could be looked at.
 */
export async function plan(called: CommandCall<PlanOptions>): Promise<number> {
  return inSession(called, (session) => {
    const { terminal, options } = session;
    const place = placeOfState(terminal, session.config);
    if (options.out !== undefined) refusePlanFile(terminal, options.out, place.name);
    return withPrivateCopy(place, async (ledger, isKnown) => {
      const world = buildWorld(session.config, session.sides, ledger, session.machine);
      const madeAt = world.clock.now();
      const { show } = options;
      // Of which project the post is shows when all have been looked at.
      const shows = (project: string, post: string) => post === show || show === `${project}/${post}`;
      const order = { kind: "plan", ...(show !== undefined && { shows }) } as const;
      const otherConfigs = await findOtherConfigs(session.config, ledger);
      const result = await runProjects(session.projects, world, order, terminal.signal);
      const { plan: made, report, saved, projectsAfter } = result;
      const { out } = options;
      const isSaved = out !== undefined && report.result !== "failed" && !terminal.signal.aborted;
      if (isSaved) {
        const origin = { program: terminal.version, board: world.policy.boardHash, madeAt };
        const state = isKnown ? ledger.identity : null;
        savePlan(terminal, out, place.name, writePlan(session.clean({ ...origin, state, projects: saved })));
      }
      const shown = { plan: session.clean(made), report, projectsAfter, otherConfigs };
      if (show !== undefined) {
        const beside = { config: session.config, ledger, now: world.clock.now() };
        if (report.result !== "failed") await showIssue(terminal, options, beside, show, shown.plan);
        else printPlan(terminal, options, shown, undefined);
        return exitOf(terminal, exitOfPlan(report, { projects: [] }, false));
      }
      printPlan(terminal, options, shown, isSaved ? out : undefined);
      return exitOf(terminal, exitOfPlan(report, made, options.detailedExitcode === true));
    });
  });
}

/** The issue of one post as it will be, with all its text; or why none is opened or edited. */
async function showIssue(
  { out, times }: Session["terminal"],
  options: CommonOptions,
  beside: Beside,
  text: string,
  { projects }: PlanReport,
): Promise<void> {
  const isTold = options.json !== true && options.quiet !== true;
  // What could not be looked at may be why the post is not found.
  if (isTold) printErrors(out, times(), projects);
  const { key, post } = await findPost(beside, text);
  const own = projects
    .filter(({ project }) => project === key)
    .map(({ actions, entries: _, ...rest }) => ({
      ...rest,
      actions: actions.filter((action) => action.post === post),
    }));
  if (options.json === true) printJson(out, { projects: toDocuments(own) });
  if (!isTold) return;
  const drafted = own.flatMap(({ actions }) => actions.filter(hasDraft));
  for (const action of drafted) printDraft(out, times(), action);
  if (drafted.length === 0) printLine(out, "", await tellNoDraft(beside, key, post));
  printLine(out, "", "Nothing was written.");
}

async function tellNoDraft({ config, ledger, now }: Beside, key: string, post: PostId): Promise<string> {
  const project = syncProjects(config).find((one) => one.key === key);
  const sources = { ledger, policy: policyOf(config), now };
  const story = project && (await explainPost(project, post, sources));
  const issues = story?.issues.map(({ issue }) => issue).join(", ") ?? "";
  if (issues !== "") return oneLine(`${key}/${post} has ${issues}, and nothing changes in its text.`);
  return oneLine(
    `${key}/${post} gets no issue now. ${story === undefined ? "" : tellStanding(story.standing)}.`,
  );
}

/** What waits for a person is no failure of a plan, which writes nothing. */
function exitOfPlan(report: RunReport, { projects }: PlanReport, isDetailed: boolean): number {
  const code = exitOfResult(report.result);
  if (code !== exitCodes.ok && code !== exitCodes.held) return code;
  const hasWork = countAdopted(report) > 0 || projects.some(({ actions }) => actions.length > 0);
  return isDetailed && hasWork ? exitCodes.changes : exitCodes.ok;
}
