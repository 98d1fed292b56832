import type { PatchOutcome } from "../../board/board.ts";
import type { ToolOutcome } from "../../board/tools.ts";
import type { Side } from "../../errors.ts";
import type { Change } from "../../ledger/change.ts";
import type { Intent } from "../../ledger/journal.ts";
import type { Parked } from "../../model/link.ts";
import type { PostId } from "../../model/post.ts";
import { type Action, isNotified } from "../../plan/ground/action.ts";
import { refusalSignature } from "../../plan/ground/identity.ts";
import type { WriteOutcome } from "../../tracker/tracker.ts";
import type { PulledCycle } from "../ground/cycle-state.ts";
import { describeChange, inBrackets } from "../ground/describe.ts";
import { closeLane, closePart, type Lane, noteLimit, sayLimit } from "../ground/lane.ts";
import { endIntent, postpone, recordRow } from "../ground/record.ts";
import { type NotedError, noteError } from "../ground/report.ts";
import { readRow } from "../ground/rows.ts";
import type { Outcome } from "../ground/verdict.ts";
import type { Closure } from "../ground/world.ts";

/* What an answer other than `applied` means: for the intent, for the rest of the run, and for the post. */

/** What either side answers to a write. */
export type WriteAnswer = PatchOutcome | WriteOutcome;

/** Every answer but `applied`. */
export type Failure<A extends AnyAnswer = WriteAnswer> = Exclude<A, { readonly kind: "applied" }>;

/** An answer of whichever kind: what its kind, its words and its times mean is the same for all. */
export type AnyAnswer = WriteAnswer | ToolOutcome;

interface FailureMeaning {
  /** What the intent becomes. PREPARED: it provably did nothing, and a later run sends it. */
  readonly state: "REJECTED" | "PREPARED" | "UNKNOWN";
  /** The second half of its code. */
  readonly fault: string;
  /** Whether its lane takes no more writes in this run: asking on would only make it worse. */
  readonly isEnd: boolean;
}

const meanings: Readonly<Record<Failure<WriteAnswer>["kind"], FailureMeaning>> = {
  rejected: { state: "REJECTED", fault: "rejected", isEnd: false },
  // Its writer asks the repository before it closes anything: it may have been archived a moment ago.
  forbidden: { state: "PREPARED", fault: "unauthorized", isEnd: false },
  missing: { state: "REJECTED", fault: "missing", isEnd: false },
  limited: { state: "PREPARED", fault: "limited", isEnd: true },
  unauthorized: { state: "PREPARED", fault: "unauthorized", isEnd: true },
  unsent: { state: "PREPARED", fault: "unreachable", isEnd: true },
  unknown: { state: "UNKNOWN", fault: "unknown", isEnd: false },
};

/** What becomes of what was sent, by the answer; not of one that was applied. */
export function meaningOf(answer: AnyAnswer): FailureMeaning {
  const meaning = meanings[answer.kind as Failure<WriteAnswer>["kind"]];
  return "fault" in answer && answer.fault !== undefined ? { ...meaning, fault: answer.fault } : meaning;
}

/**
 * A limit, a refused credential or a dead line ends its lane of this run; a limit's end outlives the process. So does the time
 * that an answer names which leaves open what became of the write. What a key may not do on the board it may not do in this
 * project: others of the run go on.
 */
export async function noteClosure(
  { run, course, world }: PulledCycle,
  lane: Lane,
  answer: AnyAnswer,
): Promise<void> {
  if (answer.kind === "applied") return;
  const retryAt = "retryAt" in answer ? answer.retryAt : undefined;
  if (!meaningOf(answer).isEnd && retryAt === undefined) return;
  const isForbidden = answer.kind === "unauthorized" && answer.detail === "forbidden";
  // Only a limit of tools is the board's, too.
  const isOfTool = lane.side === "board" && lane.part !== undefined && retryAt === undefined;
  const close = isOfTool && answer.kind !== "limited" ? closePart : closeLane;
  close(isForbidden ? course : run, lane, closureAfter(lane.side, answer));
  await noteLimit(world, lane, retryAt);
}

/** Why a lane is closed after such an answer. */
export function closureAfter(side: Side, failure: Exclude<AnyAnswer, { readonly kind: "applied" }>): Closure {
  const retryAt = "retryAt" in failure ? failure.retryAt : undefined;
  const isLimit = failure.kind === "limited" || retryAt !== undefined;
  if (isLimit) return { code: `${side}.limited`, message: sayLimit({ side }, retryAt), until: retryAt };
  return { code: `${side}.${meaningOf(failure).fault}`, message: failure.message };
}

/**
 * What a failure means for its post. What was refused is not recorded here: its writer knows whether something
 * less may be sent, whether it is parked, or whether all that is to be written there waits.
 *
 * @param where `issue`: or the repository that it is to be opened in, by name. `claim`: what nobody knows when the answer is lost,
 *   as `the issue was opened`.
 */
export async function failWrite(
  cycle: PulledCycle,
  side: Side,
  { claim, ...where }: { readonly post: PostId; readonly issue: string | undefined; readonly claim: string },
  failure: Failure<WriteAnswer>,
): Promise<Outcome> {
  const { kind, message } = failure;
  if (kind === "rejected" || kind === "forbidden") return { kind: "failed", why: message };
  if (kind === "limited") return postpone(cycle, closureAfter(side, failure));
  if (kind === "missing") {
    const { post } = where;
    await cycle.world.ledger.commit([{ kind: "mark-missing", project: cycle.memory.id, post }]);
    await recordRow(cycle, post);
  }
  return reportTrouble(cycle, {
    ...where,
    code: `${side}.${meaningOf(failure).fault}`,
    message:
      kind === "unknown"
        ? `It is not known whether ${claim} ${inBrackets(message)}. It is looked up before anything is sent again.`
        : message,
    detail: kind === "unauthorized" ? failure.detail : undefined,
  });
}

/** Leaves an action alone until it changes, or a person says `retry`. */
export async function parkAction(
  cycle: PulledCycle,
  action: Action,
  trouble: Pick<NotedError, "issue" | "code" | "message">,
): Promise<Outcome> {
  await keepParked(cycle, action, trouble);
  return reportTrouble(cycle, { post: action.post, ...trouble });
}

/** The same where it has been said already. */
export async function keepParked(
  cycle: PulledCycle,
  action: Action,
  { code, message }: Pick<NotedError, "code" | "message">,
): Promise<void> {
  const { ledger, clock } = cycle.world;
  const { memory, settings } = cycle;
  const row = await readRow(cycle, action.post);
  const refused = { kind: action.kind, signature: refusalSignature(action, settings, row?.post) };
  const why = { kind: "parked", cause: "refused", code, message, since: clock.now() } as const;
  const parked = { ...why, action: refused, ...(row && { planned: describeChange(cycle, row, action) }) };
  await ledger.commit([{ kind: "park", project: memory.id, post: action.post, parked }]);
}

/** Ends a write of which nobody can find out whether it took effect: nothing like it is sent until a person says `retry`. */
export async function parkUnsure(
  cycle: PulledCycle,
  intent: Intent,
  action: Parked["action"],
  { code, message }: Pick<NotedError, "code" | "message">,
  known: readonly Change[] = [],
): Promise<void> {
  const { post, writes = [], voters = null } = intent;
  const since = cycle.world.clock.now();
  const changes = writes.map(({ field, value }) => ({ field, to: value }));
  const planned = { place: null, changes, notifies: writes.some(isNotified) ? voters : 0 };
  const why = { kind: "parked", cause: "unsure", code, message, since, action } as const;
  const parked: Parked = { ...why, ...(changes.length > 0 && { planned }) };
  const park = { kind: "park", project: cycle.memory.id, post, parked } as const;
  await endIntent(cycle, intent, "REJECTED", "unsure, parked", [...known, park]);
  noteError(cycle.tally, { post, code, message });
}

/** Says what goes wrong with one post, and ends its action for this run. */
export function reportTrouble({ tally }: PulledCycle, trouble: NotedError): Outcome {
  noteError(tally, trouble);
  return { kind: "failed", why: trouble.message };
}
