import { isDeepStrictEqual } from "node:util";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { NewRequest } from "../../src/ledger/orders.ts";
import { forgetReads } from "../../src/story/rebuild/rebuild.ts";
import type { Order } from "../../src/sync/ground/order.ts";
import type { SavedProject } from "../../src/sync/ground/reports.ts";
import { readPlan, refusePlan, writePlan } from "../../src/sync/orders/plan-file.ts";
import { drawDoom, type Step } from "./history.ts";
import type { Odds } from "./odds.ts";
import { placesOf } from "./places.ts";
import { isCalm, nameNow, namesOf } from "./plan-check.ts";
import { startLife } from "./process.ts";
import { createRandom, type Random } from "./random.ts";
import type { Stage } from "./stage.ts";
import { isPastKnowing } from "./state-acts.ts";
import { calm } from "./wire.ts";

type OrderedStep = Extract<Step, { readonly kind: "ordered" }>;

/**
 * In some histories people order runs of their own, by `plan --out` with `apply`, `undo` and `sync --adopt`. That is drawn apart,
 * and what is put between the other steps changes nothing of what those draw: the other histories are what their seeds drew before.
 */
export function addOrderedRuns(steps: readonly Step[], random: Random, odds: Odds): readonly Step[] {
  if (!random.chance(odds.ordered)) return steps;
  const all = [...steps];
  for (let count = random.between(1, 4); count > 0; count -= 1) {
    const command = random.pick(["undo", "undo", "undo", "apply", "apply", "adopt"] as const);
    const step = drawStep(random, command);
    const at = random.between(1, all.length);
    all.splice(at, 0, step);
    if (command === "apply") all.splice(random.between(Math.max(1, at - 3), at), 0, { kind: "save" });
  }
  if (random.chance(0.3)) all.splice(random.between(1, all.length), 0, drawStep(random, "rebuild"));
  return all;
}

function drawStep(random: Random, command: OrderedStep["command"]): OrderedStep {
  const doom = drawDoom(random);
  const [seed, hasFaults] = [random.seed(), random.chance(0.6)];
  return { kind: "ordered", command, seed, hasFaults, doom: random.chance(0.2) ? doom : undefined };
}

const program = "0.0.0-simulated";

/** `plan --out`. */
export async function savePlan(stage: Stage): Promise<string> {
  const { time, scenario, state, counts, watch } = stage;
  if (!isCalm(stage)) return "nobody saves a plan now";
  watch.events.runBegins();
  const looked = await stage.look(calm());
  if (looked === undefined) return "nobody can save a plan now";
  const ledger = state.open(startLife());
  const text = writePlan({
    program,
    board: scenario.policy.boardHash,
    state: ledger.identity,
    madeAt: time.now() + scenario.skewMs,
    projects: looked.saved,
  });
  const plan = readPlan(text);
  if (typeof plan === "string") throw new Error(`A plan that was saved ${plan}.`);
  stage.savedPlan = plan;
  counts.note("ordered: plan --out");
  return `somebody saves a plan: ${tell(plan.projects)}`;
}

/** A run that a person orders, and what that person was shown of it; undefined of one that says itself what it takes. */
interface Ordered {
  readonly command: Order;
  readonly shown: readonly SavedProject[] | undefined;
}

/** What is ordered; undefined where there is nothing to. */
export async function drawOrdered(stage: Stage, step: OrderedStep): Promise<Ordered | undefined> {
  const ledger = stage.state.open(startLife());
  const ordered = await draw(stage, ledger, step);
  if (ordered === undefined) return undefined;
  stage.counts.note(`ordered: ${step.command}`);
  for (const { id: project, actions } of ordered.shown ?? []) {
    // To order what one was shown is to approve it.
    const names = actions.filter(({ kind }) => kind !== "patch-note");
    const mailed = actions.filter(({ lines }) => lines.some(({ fields }) => "status" in fields));
    const request = { kind: "approve", actions: names, isWhole: false, project, at: 0 } as NewRequest;
    stage.watch.events.personOrders(
      request,
      mailed.map(({ post }) => post),
    );
  }
  return ordered;
}

async function draw(stage: Stage, ledger: Ledger, step: OrderedStep): Promise<Ordered | undefined> {
  switch (step.command) {
    case "apply":
      return drawApply(stage, ledger);
    case "undo":
      return drawUndo(stage, createRandom(~step.seed));
    case "adopt":
      return drawAdopt(stage, ledger);
    case "rebuild":
      return drawRebuild(stage, ledger);
  }
}

/** A plan is applied once: afterwards nobody would order it again. */
async function drawApply(stage: Stage, ledger: Ledger): Promise<Ordered | undefined> {
  const { identity: state, memory } = ledger;
  const { scenario, projects, savedPlan: plan } = stage;
  stage.savedPlan = undefined;
  if (plan === undefined || (await opensSecond(stage, ledger, plan.projects))) return undefined;
  // Whoever lets such a thing go has been told what is there already.
  const lines = plan.projects.flatMap(({ actions }) => actions.flatMap((action) => action.lines));
  if (lines.some(({ cause }) => cause === "named")) return undefined;
  const surroundings = { program, board: scenario.policy.boardHash, state, projects, memory };
  if (refusePlan(plan, surroundings).length > 0) return undefined;
  return { command: { kind: "apply", plan }, shown: plan.projects };
}

/** Whether a post that may have an issue in the other project is to get one: whoever applies that wants a second one. */
async function opensSecond(
  { scenario, time }: Stage,
  { rows }: Ledger,
  projects: readonly SavedProject[],
): Promise<boolean> {
  for (const { id } of placesOf(scenario)) {
    const others = projects.filter((project) => project.id !== id).flatMap(({ actions }) => actions);
    for (const { kind, post } of others)
      if (kind === "create-issue" && (await rows.row(id, post, time.now())) !== undefined) return true;
  }
  return false;
}

/** One of the last runs that have written something, as it is shown to whoever orders it. */
async function drawUndo(stage: Stage, random: Random): Promise<Ordered | undefined> {
  const { state, watch, wire } = stage;
  const last = state.look<[], { run: number }>(
    "SELECT DISTINCT run FROM audit WHERE outcome = 'applied' ORDER BY run DESC LIMIT 3",
  )();
  if (last.length === 0 || !isCalm(stage)) return undefined;
  const { run } = random.pick(last);
  watch.events.runBegins();
  const looked = await stage.look(calm(), { kind: "undo", run, agreed: undefined });
  const agreed = looked?.saved ?? [];
  if (agreed.every(({ actions }) => actions.length === 0)) return undefined;
  wire.tell(`somebody undoes run ${run}: ${tell(agreed)}`);
  return { command: { kind: "undo", run, agreed }, shown: agreed };
}

/** Both sides are taken as they are: what differs is nobody's to write any more. */
function drawAdopt(stage: Stage, { memory }: Ledger): Ordered {
  const posts = stage.board.posts.map(({ id }) => id);
  for (const { id: project, key } of placesOf(stage.scenario)) {
    if (memory.project(key) === undefined) continue;
    stage.watch.events.personOrders({ kind: "discard", posts, project, at: 0 }, []);
  }
  return { command: { kind: "adopt" }, shown: undefined };
}

/** The same, and nothing that was read before counts. Where a state that was lost could not be known again, nobody does that. */
async function drawRebuild(stage: Stage, ledger: Ledger): Promise<Ordered | undefined> {
  const { time, scenario, projects } = stage;
  if (isPastKnowing(stage)) return undefined;
  await ledger.commit(forgetReads(projects, { ledger }));
  const ordered = drawAdopt(stage, ledger);
  return { ...ordered, command: { kind: "adopt", rebuildStamp: time.now() + scenario.skewMs - 1 } };
}

/** I15: a run that a person orders sends what that person was shown, and nothing beside it. */
export function checkShown({ watch, hub }: Stage, shown: readonly SavedProject[] | undefined): void {
  const lines = (shown ?? []).flatMap(({ actions }) => actions.flatMap((action) => action.lines));
  const names = lines.flatMap((line) => namesOf({ ...line, issue: nameNow(hub, line.issue) }));
  for (const { kind, target: sentTo, fields } of watch.sent) {
    const target = nameNow(hub, sentTo);
    const name = `${kind} ${target} ${fields}`;
    // A saved plan has no words of posts, nor does every field of a PATCH have to go.
    const isShown = names.some(
      (one) => one.startsWith(`${kind} ${target} `) && (hasWords.has(kind) || isPart(name, one)),
    );
    if (shown !== undefined && !isShown)
      watch.violate("I15", `an ordered run sends ${name}, which nobody was shown`);
  }
}

const hasWords: ReadonlySet<string> = new Set(["create-issue", "update-issue", "comment-issue"]);

/** Whether a PATCH has only fields of another; of all else whether they are the same. */
function isPart(name: string, whole: string): boolean {
  if (!name.startsWith("patch-")) return name === whole;
  const fieldsOf = (one: string): object => JSON.parse(one.slice(one.indexOf("{")));
  return isDeepStrictEqual({ ...fieldsOf(whole), ...fieldsOf(name) }, fieldsOf(whole));
}

function tell(projects: readonly SavedProject[]): string {
  return projects.flatMap(({ actions }) => actions.map(({ kind, post }) => `${kind} ${post}`)).join(", ");
}
