import type { PatchOutcome } from "../../board/board.ts";
import type { FaultDetail, Side } from "../../errors.ts";
import type { IntentId } from "../../ledger/journal.ts";
import type { PostId } from "../../model/post.ts";
import type { Action } from "../../plan/action.ts";
import { signatureOf } from "../../plan/print.ts";
import type { WriteOutcome } from "../../tracker/tracker.ts";
import type { PulledCycle } from "../ground/cycle-state.ts";
import { closeLane, type Lane } from "../ground/lane.ts";
import { noteLimit, sayLimit } from "../ground/limits.ts";
import { postpone, recordRow } from "../ground/record.ts";
import { noteError } from "../ground/report.ts";
import type { Closure } from "../ground/world.ts";

/** What became of a write, on either side. `missing` is an answer of the board alone. */
type Outcome = PatchOutcome | WriteOutcome;

/** Every outcome but `applied`, of which each writer makes something else. */
type Failure = Exclude<Outcome, { readonly kind: "applied" }>;

interface Meaning {
  /** What the intent becomes. PREPARED: it provably did nothing, and a later run sends it. */
  readonly state: "REJECTED" | "PREPARED" | "UNKNOWN";
  /** The second half of its code. */
  readonly fault: string;
  /** Whether its lane takes no more writes in this run: asking on would only make it worse. */
  readonly isEnd: boolean;
}

const meanings: Readonly<Record<Failure["kind"], Meaning>> = {
  rejected: { state: "REJECTED", fault: "rejected", isEnd: false },
  missing: { state: "REJECTED", fault: "missing", isEnd: false },
  limited: { state: "PREPARED", fault: "limited", isEnd: true },
  unauthorized: { state: "PREPARED", fault: "unauthorized", isEnd: true },
  unsent: { state: "PREPARED", fault: "unreachable", isEnd: true },
  unknown: { state: "UNKNOWN", fault: "unknown", isEnd: false },
};

/** A write that has left, and how messages speak of it. */
export interface SentWrite {
  readonly side: Side;
  readonly intent: IntentId;
  readonly action: Pick<Action, "post" | "kind">;
  /** The issue, or the repository that it is to be opened in, by name; undefined where none is known. */
  readonly place: string | undefined;
  /** What nobody knows when the answer is lost: `the issue was opened`. */
  readonly claim: string;
}

/** What goes wrong with one post, as reports say it. */
export interface Trouble {
  readonly place: string | undefined;
  readonly code: string;
  readonly message: string;
  readonly detail?: FaultDetail | undefined;
}

/** A limit, a refused credential or a dead line ends its lane of this run; a limit's end outlives the process. */
export function noteClosure({ run, world }: PulledCycle, lane: Lane, outcome: Outcome): void {
  if (outcome.kind === "applied") return;
  const { fault, isEnd } = meanings[outcome.kind];
  if (!isEnd) return;
  closeLane(run, lane, closureBy(lane.side, fault, outcome));
  if (outcome.kind === "limited") noteLimit(world, lane, outcome.retryAt);
}

/**
 * Ends the intent of a write that did not come through, and says what that means for its post. What was rejected only ends:
 * its writer knows whether something less may be sent, or whether it is parked.
 */
export function takeFailure(cycle: PulledCycle, sent: SentWrite, failure: Failure): void {
  const { ledger, clock } = cycle.world;
  const { side, action, place } = sent;
  const { state, fault } = meanings[failure.kind];
  const trouble: Trouble = { place, code: `${side}.${fault}`, message: failure.message };
  ledger.journal.resolve(sent.intent, state, clock.now(), failure.message);
  switch (failure.kind) {
    case "rejected":
      return;
    case "missing":
      ledger.rows.markMissing(cycle.memory.id, action.post);
      reportTrouble(cycle, action.post, trouble);
      return;
    case "limited":
      postpone(cycle, action, closureBy(side, fault, failure));
      return;
    case "unauthorized":
      reportTrouble(cycle, action.post, { ...trouble, detail: failure.detail });
      return;
    case "unsent":
      reportTrouble(cycle, action.post, trouble);
      return;
    case "unknown": {
      const message = `It is not known whether ${sent.claim} (${failure.message}). It is looked up before anything is sent again.`;
      reportTrouble(cycle, action.post, { ...trouble, message });
      return;
    }
  }
}

function closureBy(side: Side, fault: string, failure: Failure): Closure {
  const code = `${side}.${fault}`;
  if (failure.kind !== "limited") return { code, message: failure.message };
  return { code, message: sayLimit(side, failure.retryAt), until: failure.retryAt };
}

/** Leaves an action alone until it changes, or a person says `retry`. */
export function parkAction(cycle: PulledCycle, action: Action, trouble: Trouble): void {
  const { ledger, clock } = cycle.world;
  const { post, kind } = action;
  const { code, message } = trouble;
  ledger.rows.park(cycle.memory.id, post, {
    kind,
    code,
    message,
    since: clock.now(),
    signature: signatureOf(action, cycle.settings),
  });
  reportTrouble(cycle, post, trouble);
}

function reportTrouble(cycle: PulledCycle, post: PostId, { place, ...trouble }: Trouble): void {
  noteError(cycle.tally, { post, ...(place !== undefined && { issue: place }), ...trouble });
  recordRow(cycle, post);
}
