import { z } from "zod";
import type { Memory } from "../../ledger/memory.ts";
import { hashText } from "../../plan/ground/hash.ts";
import { canonical, settingsPrint } from "../../plan/ground/identity.ts";
import type { SavedAction, SavedPlan } from "../ground/reports.ts";
import { settingsNow } from "../ground/settings-now.ts";
import type { SyncProject } from "../ground/world.ts";

/** By these a plan is known. */
const head = { format: "boardsync-plan", version: 1 } as const;

/** The file's text. */
export function writePlan(
  plan: Omit<SavedPlan, "format" | "version" | "madeAt"> & { readonly madeAt: number },
): string {
  const { program, board, state } = plan;
  const madeAt = new Date(plan.madeAt).toISOString();
  const projects = plan.projects.map((one) => ({ ...one, actions: one.actions.map(withoutTexts) }));
  const saved: SavedPlan = { ...head, program, madeAt, board, state, projects };
  return `${JSON.stringify({ ...saved, print: printOf({ madeAt, projects }) }, null, 2)}\n`;
}

/** What a person reads is what is done: a plan in which anything was changed is none. */
function printOf(plan: object): string {
  return hashText(canonical(JSON.parse(JSON.stringify(plan))));
}

/** Without the words of posts: what people have written stays on the board and in the state. */
function withoutTexts(action: SavedAction): SavedAction {
  const lines = action.lines.map((line) => {
    const { title: _, comment: __, ...fields } = line.fields;
    return { ...line, title: null, fields };
  });
  return { ...action, lines };
}

const headShape = z.object({ format: z.literal(head.format), version: z.unknown().optional() });

/** Whether a text is a plan of whatever version, edited or not. */
export function isPlan(text: string): boolean {
  return headShape.safeParse(parse(text)).success;
}

/** undefined for what is no JSON. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** What `writePlan` made of a plan; else what is wrong with the text, as the end of a sentence. */
export function readPlan(text: string): SavedPlan | string {
  const found = parse(text);
  if (found === undefined) return "is no JSON: it is cut off, or no plan at all";
  const known = headShape.safeParse(found).data;
  if (known === undefined) return "is no plan that `boardsync plan --out` has saved";
  if (known.version !== head.version)
    return `has version ${JSON.stringify(known.version)} of the format, and this boardsync reads ${head.version}`;
  const plan = planShape.safeParse(found);
  if (!plan.success) return "has been changed: parts of the plan are missing";
  const { print, ...saved } = plan.data;
  if (print === undefined) return "was made by an earlier version";
  const { madeAt, projects } = saved;
  if (print !== printOf({ madeAt, projects })) return "has been changed since it was saved";
  return saved as unknown as SavedPlan;
}

/** What a saved plan is held against before anything of it is done. */
export interface PlanSurroundings {
  readonly program: string;
  readonly board: string;
  readonly state: string;
  readonly projects: readonly SyncProject[];
  readonly memory: Pick<Memory, "categories">;
}

/** Why a plan is none for this program and config, as sentences; none where it is. */
export function refusePlan(
  plan: SavedPlan,
  { program, board, state, projects, memory }: PlanSurroundings,
): readonly string[] {
  const anew = "make the plan anew";
  if (plan.program !== program)
    return [`The plan was made by boardsync ${plan.program}, and this is ${program}: ${anew}.`];
  if (plan.board !== board)
    return [`The plan was made for another \`board.url\` than the config has: ${anew}.`];
  // One that was made before there was a state is one for any.
  if (plan.state !== null && plan.state !== state)
    return [`The plan was made on another state, or before a backup was put back: ${anew}.`];
  return plan.projects.flatMap(({ project: key, id, settings }) => {
    const project = projects.find((known) => known.key === key);
    if (project === undefined) return [`The config has no project \`${key}\` any more: ${anew}.`];
    const now = settingsPrint(settingsNow(project, id, memory), project.templates);
    if (now === settings) return [];
    return [`The settings of the project \`${key}\` have changed since the plan was made: ${anew}.`];
  });
}

const actionShape = z.looseObject({
  kind: z.string(),
  post: z.string(),
  signature: z.string(),
  lines: z.array(z.looseObject({ fields: z.looseObject({}).or(z.array(z.unknown())) })),
});

const planShape = z.looseObject({
  program: z.string(),
  madeAt: z.string(),
  board: z.string(),
  state: z.string().nullable(),
  print: z.string().optional(),
  projects: z.array(
    z.looseObject({
      project: z.string(),
      id: z.string(),
      repo: z.string(),
      settings: z.string(),
      actions: z.array(actionShape),
    }),
  ),
});
