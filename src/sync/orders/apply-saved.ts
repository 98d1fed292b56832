import type { Action } from "../../plan/ground/action.ts";
import { planSignature } from "../../plan/ground/identity.ts";
import { parkedOf } from "../../plan/ground/obstacle.ts";
import { inOrder } from "../../select.ts";
import { findWanted, letGoLater } from "../decide/approvals.ts";
import type { PulledCycle, Tally } from "../ground/cycle-state.ts";
import { savedActions, savedAt } from "../ground/order.ts";
import { noteError } from "../ground/report.ts";
import type { CarriedAction, SavedAction } from "../ground/reports.ts";
import { readRow } from "../ground/rows.ts";
import { type Judged, type Outcome, sayDelay, whyHeld } from "../ground/verdict.ts";
import type { Run, SyncProject } from "../ground/world.ts";
import { type NoteWrite, writeNotes } from "../write/note.ts";
import { write } from "../write/write.ts";

/**
 * Carries out what a saved plan names and what is wanted still, to the letter; whatever else is wanted waits for a run of its
 * own. What has moved since is refused, one by one.
 *
 * @returns what became of each of its actions, in the order of the plan.
 */
export async function applySaved(
  cycle: PulledCycle,
  judged: readonly Judged[],
  notes: readonly NoteWrite[],
): Promise<readonly CarriedAction[]> {
  const find = findWanted(judged);
  const saved = savedActions(cycle.run, cycle.project.key);
  const parts = await inOrder(saved, async (action) => {
    const { kind, post, signature } = action;
    const wanted =
      find(action) ??
      notes.find((one) => kind === one.kind && post === one.post && signature === one.signature);
    /** What becomes of it without any write; undefined where it is written. */
    const end = await endOf(cycle, action, wanted);
    return { action, wanted, end };
  });
  for (const { action, end } of parts)
    if (end?.outcome === "refused") noteRefusal(cycle, action, end.message);
  const going = parts.flatMap(({ wanted, end }) =>
    wanted === undefined || end !== undefined ? [] : [wanted],
  );
  const free = new Set(going.filter((wanted) => "verdict" in wanted));
  const written = await write(cycle, [...free], {
    recheck: (wanted, now) => refuseMoved(cycle, wanted, now),
  });
  // To apply a plan is to approve it: what the pace or the time of this run leaves goes in a later one.
  const waiting = [...written].flatMap(([{ post, kind, signature, hold }, outcome]) =>
    outcome.kind === "wait" ? [{ post, kind, signature, cause: hold?.cause ?? null }] : [],
  );
  await letGoLater(cycle, waiting, savedAt(cycle.run));
  const noting = going.filter((wanted) => "note" in wanted);
  const noted = await writeNotes(cycle, noting);
  const outcomes = new Map<Judged | NoteWrite | undefined, Outcome>([...written, ...noted]);
  return parts.map(({ action, wanted, end }) => tell(action, end ?? toResult(outcomes.get(wanted))));
}

/** What becomes of the actions of a saved plan where a side could not be looked at: nothing, and why. */
export function tellUnapplied(
  { key }: Pick<SyncProject, "key">,
  run: Run,
  { isPutOff, errors }: Pick<Tally, "isPutOff" | "errors">,
): readonly CarriedAction[] {
  const message = errors.map((error) => error.message).join(" ");
  const outcome = isPutOff ? "waiting" : "failed";
  return savedActions(run, key).map((action) => tell(action, { outcome, message }));
}

type Result = Pick<CarriedAction, "outcome" | "message">;

function tell({ kind, post, lines }: SavedAction, result: Result): CarriedAction {
  return { kind, post, issue: lines[0]?.issue ?? null, ...result };
}

function toResult(outcome: Outcome = { kind: "unneeded" }): Result {
  switch (outcome.kind) {
    case "done":
    case "unneeded":
      return { outcome: "done", message: "" };
    case "failed":
      return { outcome: "failed", message: outcome.why };
    case "refuse":
      return { outcome: "refused", message: sayDelay(outcome) };
    case "wait":
    case "hold":
    case "pause":
      return { outcome: "waiting", message: sayDelay(outcome) };
  }
}

async function endOf(
  cycle: PulledCycle,
  action: SavedAction,
  wanted: Judged | NoteWrite | undefined,
): Promise<Result | undefined> {
  const { kind, post, signature } = action;
  const known = { project: cycle.memory.id, post, kind, signature };
  // What asks for the same once more is another change, which the plan does not show.
  const run = await cycle.world.ledger.journal.doneBy(known, savedAt(cycle.run));
  if (run !== undefined) return { outcome: "already", message: `done by run ${run}` };
  if (wanted !== undefined) {
    const why = "verdict" in wanted ? whyHeld(wanted.verdict) : undefined;
    return why === undefined ? undefined : { outcome: "refused", message: why };
  }
  return { outcome: "refused", message: await whyNot(cycle, action) };
}

/** Refuses what is something else by now than when this run decided, a moment ago. */
async function refuseMoved(
  cycle: PulledCycle,
  wanted: Judged,
  now: Action | undefined,
): Promise<Outcome | undefined> {
  if (now !== undefined && planSignature(now) === wanted.planSignature) return undefined;
  noteRefusal(cycle, wanted, movedSince);
  return {
    kind: "refuse",
    cause: "something-else",
    why: "the saved plan that was applied asked for something else",
  };
}

/** Why a saved action is not done where nothing more can be said. */
const movedSince = "the post or its issue has moved since the plan was made";

/** Counts as every other failure of a post: the rest is done. */
function noteRefusal(
  { tally }: PulledCycle,
  { post, kind }: Pick<SavedAction, "post" | "kind">,
  why: string,
): void {
  const message = `${kind} of the saved plan is refused, and nothing was written for it: ${why.replace(/\.$/, "")}. \`boardsync plan\` shows what is asked for now.`;
  noteError(tally, { post, code: "plan.moved", message });
}

/** Why an action is not wanted any more, by what was recorded when its row was decided. */
async function whyNot(cycle: PulledCycle, { post, kind }: SavedAction): Promise<string> {
  const row = await readRow(cycle, post);
  if (row === undefined) return "no listing of the board has shown the post";
  if (row.missing > 0) return "the board no longer lists the post";
  if (row.openIntents.includes(kind)) return "such a write is under way, and its outcome is not known yet";
  const parked = parkedOf(row).find(({ action }) => action.kind === kind || action.kind === "read-issue");
  if (parked !== undefined) return parked.message;
  const notes = (row.notes ?? []).flatMap(({ action: about, message }) =>
    about === undefined ? [message] : [],
  );
  return notes.length === 0 ? movedSince : `${movedSince} (${notes.join("; ")})`;
}
