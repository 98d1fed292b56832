import { settingsPrint } from "../../plan/ground/identity.ts";
import type { SavedPlan } from "../ground/reports.ts";
import type { SyncProject } from "../ground/world.ts";

/** `SavedPlan.format` and `version`. */
const planFormat = "boardsync-plan";
const planVersion = 1;

/** The file's text. */
export function writePlan(
  plan: Omit<SavedPlan, "format" | "version" | "madeAt"> & { readonly madeAt: number },
): string {
  const { program, board, state, projects } = plan;
  const madeAt = new Date(plan.madeAt).toISOString();
  const saved: SavedPlan = {
    format: planFormat,
    version: planVersion,
    program,
    madeAt,
    board,
    state,
    projects,
  };
  return `${JSON.stringify(saved, null, 2)}\n`;
}

/** What `writePlan` made of a plan; else what is wrong with the text, as the end of a sentence. */
export function readPlan(text: string): SavedPlan | string {
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch {
    return "is no JSON: it is cut off, or no plan at all";
  }
  if (!isRecord(found) || found["format"] !== planFormat)
    return "is no plan that `boardsync plan --out` has saved";
  if (found["version"] !== planVersion) {
    return `has version ${JSON.stringify(found["version"])} of the format, and this boardsync reads ${planVersion}`;
  }
  return isPlan(found) ? found : "has been changed: parts of the plan are missing";
}

/** What a saved plan is held against before anything of it is done. */
export interface PlanSurroundings {
  readonly program: string;
  readonly board: string;
  readonly state: string;
  readonly projects: readonly SyncProject[];
}

/** Why a plan is none for this program and config, as sentences; none where it is. */
export function refusePlan(
  plan: SavedPlan,
  { program, board, state, projects }: PlanSurroundings,
): readonly string[] {
  const anew = "make the plan anew";
  if (plan.program !== program) {
    return [`The plan was made by boardsync ${plan.program}, and this is ${program}: ${anew}.`];
  }
  if (plan.board !== board)
    return [`The plan was made for another \`board.url\` than the config has: ${anew}.`];
  // One that was made before there was a state is one for any.
  if (plan.state !== null && plan.state !== state) {
    return [`The plan was made on another state, or before a backup was put back: ${anew}.`];
  }
  return plan.projects.flatMap(({ project: key, id, settings }) => {
    const project = projects.find((known) => known.key === key);
    if (project === undefined) return [`The config has no project \`${key}\` any more: ${anew}.`];
    const now = settingsPrint({ ...project.settings, project: id }, project.templates);
    if (now === settings) return [];
    return [`The settings of the project \`${key}\` have changed since the plan was made: ${anew}.`];
  });
}

function isPlan(
  found: Readonly<Record<string, unknown>>,
): found is Readonly<Record<string, unknown>> & SavedPlan {
  const { program, madeAt, board, state, projects } = found;
  return (
    [program, madeAt, board].every(isText) &&
    (state === null || isText(state)) &&
    isListOf(projects, ({ project, id, repo, settings, actions }) => {
      return [project, id, repo, settings].every(isText) && isListOf(actions, isAction);
    })
  );
}

function isAction({ kind, post, signature, lines }: Readonly<Record<string, unknown>>): boolean {
  return [kind, post, signature].every(isText) && isListOf(lines, ({ fields }) => isRecord(fields));
}

function isListOf(value: unknown, isPart: (part: Readonly<Record<string, unknown>>) => boolean): boolean {
  return Array.isArray(value) && value.every((part: unknown) => isRecord(part) && isPart(part));
}

function isText(value: unknown): boolean {
  return typeof value === "string";
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
