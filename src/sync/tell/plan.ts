import { settingsPrint, writeRules } from "../../plan/ground/identity.ts";
import { decide } from "../decide/decide.ts";
import { createContext } from "../ground/context.ts";
import {
  type BoardPull,
  type Cycle,
  type PulledCycle,
  startCourse,
  startTally,
  type Tally,
} from "../ground/cycle-state.ts";
import { noteBug } from "../ground/report.ts";
import type { PlannedAction, SavedProject } from "../ground/reports.ts";
import { settingsNow } from "../ground/settings-now.ts";
import { type Judged, whyHeld } from "../ground/verdict.ts";
import type { Run, SyncProject, World } from "../ground/world.ts";
import { awaitsEarlierLife, isRecovering } from "../read/old-state.ts";
import type { NoteWrite } from "../write/note.ts";
import { heldLine, planLater } from "./plan-later.ts";
import { timeWrites } from "./plan-times.ts";

/** A plan as it is shown, and as a file keeps it. */
export type ToldPlan = Awaited<ReturnType<typeof tellPlan>>;

/**
 * What the next run does, and what follows it by itself or when a person lets it go.
 *
 * @param following what is decided, and is not asked for again before the next run but one.
 */
export async function tellPlan(cycle: PulledCycle, judged: readonly Judged[], following: readonly Judged[]) {
  const later = await timeWrites(cycle, judged);
  const timed = judged.flatMap((action) =>
    showLines(action).map((line, index) => {
      const wait = later.get(action)?.[index];
      return wait === undefined ? line : laterThan(line, wait.notBefore, wait.why);
    }),
  );
  const afterwards = following.flatMap(showLines).map((line) => laterThan(line, undefined));
  return {
    planned: [...withoutRepeated(timed), ...afterwards, ...(await planLater(cycle))],
    saved: saveActions(cycle, judged),
  };
}

/**
 * The same line of what can't be now.
 *
 * @param notBefore ISO 8601; undefined where nobody knows.
 * @param why what is in its way, where the time alone does not say it.
 */
export function laterThan(line: PlannedAction, notBefore: string | undefined, why?: string): PlannedAction {
  if (line.when === "held") return line;
  const [last] = [line.notBefore, notBefore]
    .flatMap((time) => time ?? [])
    .toSorted()
    .reverse();
  const reason = why === undefined ? line.reason : `${line.reason}; not now: ${why}`;
  return { ...line, reason, when: "later", ...(last !== undefined && { notBefore: last }) };
}

/** A change of several issues has a line for each; the PATCH that a create leads to is held for reasons of its own. */
function showLines({ kind, lines, verdict, followUp }: Judged): readonly PlannedAction[] {
  return lines.map((line) => {
    const stopped = line.kind === kind || whyHeld(verdict) !== undefined ? verdict : followUp;
    return stopped?.kind === "hold" || stopped?.kind === "pause" ? heldLine(line, stopped) : line;
  });
}

/** What a file keeps of a project's actions. */
export function saveActions(cycle: PulledCycle, actions: readonly Judged[]): SavedProject {
  const { project, memory, settings } = cycle;
  return {
    project: project.key,
    id: memory.id,
    repo: settings.repo,
    settings: settingsPrint(settings, project.templates),
    actions: actions.map((judged) => {
      const { kind, post, planSignature: signature } = judged;
      return { kind, post, signature, lines: showLines(judged) };
    }),
  };
}

/** The same plan with the changes of internal notes. */
export function withNotes({ planned, saved }: ToldPlan, notes: readonly NoteWrite[]): ToldPlan {
  const actions = notes.map(({ kind, post, signature, lines }) => ({ kind, post, signature, lines }));
  return {
    planned: [...planned, ...actions.flatMap(({ lines }) => lines)],
    saved: { ...saved, actions: [...saved.actions, ...actions] },
  };
}

/** Without what is listed twice: where two posts ask the same of an issue, one change does for both. */
function withoutRepeated(lines: readonly PlannedAction[]): readonly PlannedAction[] {
  const listed = new Set<string>();
  return lines.flatMap((line): readonly PlannedAction[] => {
    if (line.kind !== "change-issue" || line.held !== undefined) return [line];
    const fields = Object.entries(line.fields).filter((entry) => {
      const name = JSON.stringify([line.issue, ...entry]);
      const isNew = !listed.has(name);
      listed.add(name);
      return isNew;
    });
    return fields.length === 0 ? [] : [{ ...line, fields: Object.fromEntries(fields) }];
  });
}

/**
 * What a plan says of a project that it could not look at: what follows from the facts of earlier runs, as `status` lists it. Asks
 * nobody. All of it is later than what made the look fail, as far as that names its end.
 */
export async function tellKnown(
  project: SyncProject,
  world: World,
  run: Run,
  { errors }: Tally,
): Promise<readonly PlannedAction[]> {
  const ends = errors.flatMap(({ until }) => until ?? []).toSorted();
  try {
    const planned = await planKnown(project, world, run);
    return planned.map((line) => laterThan(line, ends.at(-1)));
  } catch (error) {
    // The look failed before, and that is said.
    noteBug(startTally(), { project: project.key }, error, world.log);
    return [];
  }
}

async function planKnown(project: SyncProject, world: World, run: Run): Promise<readonly PlannedAction[]> {
  const { ledger, clock } = world;
  const memory = ledger.memory.project(project.key);
  // Before both sides were read once it is not known which posts have an issue.
  if (memory?.fullAt === undefined) return [];
  const cycle: Cycle = {
    world,
    run,
    project,
    memory,
    settings: settingsNow(project, memory.id, ledger.memory),
    account: ledger.memory.account()?.login ?? "",
    // None of them can be asked.
    repositories: new Map(),
    unread: new Set(),
    // What fails of the known facts is said by the run that looks again.
    tally: startTally(),
    course: startCourse(),
  };
  // Of facts under other rules, or of an old copy, nothing is written as it stands: the next look comes first.
  if (memory.rules !== writeRules(project.settings) || isRecovering(cycle) || awaitsEarlierLife(cycle))
    return [];
  const now = clock.now();
  const seen = new Set(memory.seen);
  const nothing = { posts: 0, hold: undefined, pages: [], categories: new Map(), notes: [] };
  const pull: BoardPull = { ...nothing, seen, kind: "incomplete", beganAt: now, listedSince: now };
  const pulled = { ...cycle, pull, context: createContext(cycle, seen) };
  const { judged, following } = await decide(pulled);
  return (await tellPlan(pulled, judged, following)).planned;
}
