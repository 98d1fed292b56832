import type { RunWrite } from "../../ledger/journal.ts";
import type { Row } from "../../model/link.ts";
import type { PostId } from "../../model/post.ts";
import type { Decision } from "../../plan/action.ts";
import { planRow } from "../../plan/plan.ts";
import { attemptNow } from "../ground/attempt.ts";
import type { PulledCycle } from "../ground/cycle-state.ts";
import type { Wanted } from "../ground/wanted.ts";
import type { CarriedAction, SavedAction } from "../ground/world.ts";
import { apply } from "../write/apply.ts";
import { type NoteWrite, writeNotes } from "../write/backlinks.ts";
import { leave } from "../write/backlog.ts";
import { noteSignature } from "./plan-file.ts";
import { findWanted, movedSince, noteRefusal, savedOf } from "./saved-actions.ts";

/** What is to become of a saved action. */
type Verdict =
  | { readonly outcome: "go"; readonly wanted: Wanted | NoteWrite }
  | { readonly outcome: "already" | "refused"; readonly message: string };

type Result = Pick<CarriedAction, "outcome" | "message">;

/**
 * Carries out what a saved plan names and what is wanted still, to the letter; whatever else is wanted waits for a run of its
 * own. What has moved since is refused, one by one.
 */
export async function applySaved(
  cycle: PulledCycle,
  wanted: readonly Wanted[],
  notes: readonly NoteWrite[],
): Promise<void> {
  const find = findWanted(wanted);
  const findNote = (action: SavedAction): NoteWrite | undefined =>
    action.kind === "patch-note" ? notes.find((write) => isSameNote(action, write)) : undefined;
  const judged = savedOf(cycle).map((action) => ({
    action,
    verdict: judge(cycle, action, find(action) ?? findNote(action)),
  }));
  for (const { action, verdict } of judged) {
    if (verdict.outcome === "refused") noteRefusal(cycle, action, verdict.message);
  }
  const free = judged.flatMap(({ verdict }) => (verdict.outcome === "go" ? [verdict.wanted] : []));
  for (const rest of wanted) if (rest.held === undefined && !free.includes(rest)) leave(cycle, rest);
  await apply(
    cycle,
    free.filter((one) => "planSignature" in one),
  );
  await writeNotes(
    cycle,
    free.filter((one) => "note" in one),
  );
  for (const { action, verdict } of judged) {
    const { kind, post, lines } = action;
    const { outcome, message } = verdict.outcome === "go" ? resultOf(cycle, action) : verdict;
    cycle.tally.carried.push({ kind, post, issue: lines[0]?.issue ?? null, outcome, message });
  }
}

function isSameNote({ post, signature }: SavedAction, write: NoteWrite): boolean {
  return write.note.post === post && noteSignature(write) === signature;
}

function judge(cycle: PulledCycle, action: SavedAction, wanted: Wanted | NoteWrite | undefined): Verdict {
  if (wanted !== undefined && "held" in wanted && wanted.held !== undefined) {
    return { outcome: "refused", message: wanted.held };
  }
  if (wanted !== undefined) return { outcome: "go", wanted };
  const run = findDone(cycle, action);
  if (run !== undefined) return { outcome: "already", message: `done by run ${run}` };
  return { outcome: "refused", message: whyNot(cycle, action) };
}

/** How far back an action's own write is looked for among those of its post. */
const maxWrites = 100;

/** The run that has made this very write since the plan was made; undefined where none has. */
function findDone({ world, memory, run }: PulledCycle, action: SavedAction): number | undefined {
  const { journal } = world.ledger;
  const since = Date.parse(run.saved?.madeAt ?? "");
  const runs = journal
    .history(memory.id, action.post, maxWrites)
    .filter(({ at, outcome }) => at >= since && (outcome === "applied" || outcome === "unknown"))
    .map((entry) => entry.run);
  return [...new Set(runs)].find((number) => {
    const made = journal
      .writesOf(number)
      .filter(
        ({ project, post, outcome }) =>
          project === memory.id && post === action.post && outcome === "applied",
      );
    return isMade(action, made);
  });
}

const writeKinds: Readonly<Record<SavedAction["kind"], readonly string[]>> = {
  "create-issue": ["create-issue"],
  "update-issue": ["edit-issue", "update-issue"],
  "change-issue": ["edit-issue", "add-labels", "remove-label", "change-issue"],
  "comment-issue": ["add-comment", "comment-issue"],
  "patch-post": ["patch-post"],
  "patch-note": ["patch-note"],
};

/** Whether an action is among the writes of its post. Texts of issues and comments are not kept; of the rest each value counts. */
export function isMade(
  { kind, lines }: Pick<SavedAction, "kind" | "lines">,
  made: readonly RunWrite[],
): boolean {
  const own = made.filter((write) => writeKinds[kind].includes(write.kind));
  if (kind !== "patch-post" && kind !== "change-issue") return own.length > 0;
  return lines.every((line) => {
    const fields = own
      .filter((write) => kind === "patch-post" || isOn(write, line.issue))
      .flatMap((write) => write.fields);
    return Object.entries(line.fields).every(([name, wanted]) =>
      fields.some(({ field, value }) => field === name && value === wanted),
    );
  });
}

function isOn({ issue }: RunWrite, place: string | null): boolean {
  return issue !== undefined && `${issue.repository}#${issue.number}` === place;
}

/** Why an action is not wanted any more, in the words of the row. */
function whyNot(cycle: PulledCycle, { post, kind }: SavedAction): string {
  const row = readRow(cycle, post);
  if (row === undefined) return "no listing of the board has shown the post";
  if (row.missing > 0) return "the board no longer lists the post";
  if (row.openIntents.includes(kind)) return "such a write is under way, and its outcome is not known yet";
  const parked = row.parked.find((one) => one.kind === kind);
  if (parked !== undefined) return parked.message;
  const notes = decide(cycle, row)?.notes.map(({ message }) => message) ?? [];
  return notes.length === 0 ? movedSince : `${movedSince} (${notes.join("; ")})`;
}

/** What became of an action that was let go. */
function resultOf(cycle: PulledCycle, { post, kind }: SavedAction): Result {
  const { delays, errors } = cycle.tally;
  const failure = errors.find((error) => error.post === post)?.message;
  if (kind === "patch-note") return resultOfNote(cycle, post, failure);
  const delay = delays.get(post)?.get(kind);
  if (delay !== undefined) {
    return { outcome: delay.isMoved === true ? "refused" : "waiting", message: delay.message };
  }
  const row = readRow(cycle, post);
  const isDone =
    row !== undefined &&
    !row.openIntents.includes(kind) &&
    row.parked.every((parked) => parked.kind !== kind) &&
    decide(cycle, row)?.actions.every((action) => action.kind !== kind) === true;
  if (isDone) return { outcome: "done", message: "" };
  return { outcome: "failed", message: failure ?? "" };
}

/** A note that this run did not write is due still. */
function resultOfNote(
  { world, memory, run }: PulledCycle,
  post: PostId,
  failure: string | undefined,
): Result {
  const isDone = world.ledger.journal
    .writesOf(run.number)
    .some((write) => write.project === memory.id && write.post === post && write.kind === "patch-note");
  if (isDone && failure === undefined) return { outcome: "done", message: "" };
  if (failure !== undefined) return { outcome: "failed", message: failure };
  return { outcome: "waiting", message: "the note is still due" };
}

function readRow({ world, memory }: PulledCycle, post: PostId): Row | undefined {
  return world.ledger.rows.row(memory.id, post, world.clock.now());
}

function decide(cycle: PulledCycle, row: Row): Decision | undefined {
  return attemptNow(cycle, row.post.id, () => planRow(row, cycle.context(cycle.world.clock.now())));
}
