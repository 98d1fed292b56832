import type { Change, SentChange } from "../../ledger/change.ts";
import type { AuditEntry, IntentId, NewIntent } from "../../ledger/journal.ts";
import type * as port from "../../ledger/ledger.ts";
import type { Field, PatchAnswer } from "../../model/link.ts";
import type { PostId } from "../../model/post.ts";
import { type Action, type FieldWrite, isNotifying } from "../../plan/ground/action.ts";
import { approvalSignature } from "../../plan/ground/identity.ts";
import { pauseOf } from "../../plan/ground/obstacle.ts";
import { asOne } from "../ground/as-one.ts";
import { isApproved, type PulledCycle, sayWhere } from "../ground/cycle-state.ts";
import type { Lane } from "../ground/lane.ts";
import { postpone, putOff } from "../ground/record.ts";
import { stopOf } from "../ground/stop.ts";
import type { Outcome } from "../ground/verdict.ts";
import { type Failure, meaningOf, noteClosure, type WriteAnswer } from "./failure.ts";
import { awaitPace, type PacedKind, takePace } from "./pace.ts";

type Applied<A extends WriteAnswer> = Extract<A, { readonly kind: "applied" }>;

/** Where a write counts, and for whom. */
export interface Turn {
  readonly lane: Lane;
  /** By which of the tracker's limits it is paced; undefined on the board. */
  readonly pace: PacedKind | undefined;
  /** What it is a part of: what was said of that before is over once it is applied. undefined for what belongs to none. */
  readonly action: Action | undefined;
}

/** One write that may leave now. */
export interface Request<A extends WriteAnswer> {
  readonly post: PostId;
  readonly reason: string;
  /** What the journal keeps of it; undefined for a write that needs none, because to make it twice changes nothing. */
  readonly intent: WantedIntent | undefined;
  /** What a saved plan knows the action by that is done with this request; undefined where more of it follows, or nobody names it. */
  readonly signature: string | undefined;
  readonly call: () => Promise<A>;
  /** What the audit tells of it. */
  readonly tell: (answer: A) => Pick<AuditEntry, "kind" | "issue" | "fields" | "voters">;
  /** What the journal says of it when it is applied: `accepted` where this is left out. */
  readonly words?: (answer: Applied<A>) => string;
  /** What the journal keeps of the answer to a PATCH: a list may show for a while what was before it. */
  readonly answered?: (answer: Applied<A>) => PatchAnswer | undefined;
  /** Records what was applied, as one with the end of the intent: by the cycle that it is given. */
  readonly record: (cycle: PulledCycle, answer: Applied<A>) => Promise<void>;
  /** Records a failure, likewise. */
  readonly fail: (cycle: PulledCycle, failure: Failure<A>) => Promise<Outcome>;
}

/** The fields of a write, as the audit tells them. */
export function fieldsOf(writes: readonly FieldWrite<Field>[]): AuditEntry["fields"] {
  return writes.map(({ field, before, value }) => ({
    field,
    value,
    ...(before !== undefined && { before }),
  }));
}

/** What a writer says of its intent; the rest is known. */
type WantedIntent = Omit<NewIntent, "project" | "run" | "at" | "post" | "reason">;

/** What came of a write. Without an answer nothing was sent. */
export interface Sent<A extends WriteAnswer> {
  readonly answer?: A;
  readonly outcome: Outcome;
}

/** A request; or what has become of the action where there is nothing to send. */
export type Composed<A extends WriteAnswer> = Request<A> | Outcome;

/**
 * The one way in which anything leaves for either side. It waits for the pace, has the request made of what both sides show
 * then, and writes down the intent: SENT is on the disk before the request leaves. Whatever the answer is: the audit, the end
 * of the intent, and what the answer means for the post are recorded in one transaction. Nothing is sent twice, with one
 * exception: a write whose token was refused did nothing, so it is made anew and goes out once more with the next token.
 *
 * @param compose makes the request. Where there is nothing to send it records that, and says what has become of the action.
 */
export async function send<A extends WriteAnswer>(
  cycle: PulledCycle,
  turn: Turn,
  compose: () => Composed<A> | Promise<Composed<A>>,
): Promise<Sent<A>> {
  const { clock, ledger } = cycle.world;
  for (let isSecond = false; ; isSecond = true) {
    if (turn.pace && !(await awaitPace(cycle, turn.lane, turn.pace)))
      return { outcome: putOff(cycle, turn.lane) };
    const request = await compose();
    if ("kind" in request) return { outcome: request };
    const sent = await markSent(cycle, turn, request);
    if (sent === undefined) return { outcome: putOff(cycle, turn.lane) };
    const { intent } = sent;
    const paused = await pausedBy(cycle, sent);
    if (paused !== undefined) return { outcome: paused };
    await ledger.assertHeld();
    // The last thing that is asked: nothing is waited for between this and the request.
    const stop = stopOf(cycle, turn.lane.side);
    if (stop !== undefined) {
      // What was about to leave is prepared again, and waits for the next run.
      await takeBack(cycle, intent, stop.message);
      return { outcome: postpone(cycle, stop) };
    }
    const answer = await request.call();
    const recorded = answerOf(cycle, turn, request, intent, answer);
    const againAfterMs = isSecond ? undefined : againAfter(answer);
    if (againAfterMs === undefined) {
      await noteClosure(cycle, turn.lane, answer);
      const outcome = await asOne(cycle, async (own) => {
        await own.world.ledger.commit(recorded);
        if (isApplied(answer)) await request.record(own, answer);
        if (isApplied(answer)) await forgetWait(own, turn);
        return isApplied(answer) ? done : await request.fail(own, answer as Failure<A>);
      });
      return { answer, outcome };
    }
    await ledger.commit(recorded);
    await clock.sleep(againAfterMs, cycle.run.bounds.signal);
  }
}

const done: Outcome = { kind: "done" };

/**
 * What was said of an action, and what is parked of its kind, ends with the first part of it that is applied; what becomes of the
 * rest is recorded anew. What notifies nobody ends no doubt: what is in doubt may have notified voters.
 */
async function forgetWait({ world: { ledger }, memory }: PulledCycle, { action }: Turn): Promise<void> {
  if (action === undefined) return;
  const { post, kind } = action;
  const place = { project: memory.id, post };
  await ledger.commit([
    { ...place, kind: "note-action", of: { kind, signature: approvalSignature(action) }, notes: [] },
    { ...place, kind: "unpark", of: kind, ...(!isNotifying(action) && { cause: "refused" }) },
  ]);
}

/**
 * Looked at for every write of whichever kind and order, right before it leaves: a person may have paused the post, its project, or
 * all since the run decided. A pause that comes after SENT finds the write under way.
 */
async function pausedBy(cycle: PulledCycle, sent: port.Sent): Promise<Outcome | undefined> {
  const { intent, ...pauses } = sent;
  const pause = pauseOf(pauses);
  if (pause === undefined) return undefined;
  await takeBack(cycle, intent, `a person has paused ${paused[pauses.wholePause?.of ?? "post"]}`);
  return { kind: "pause", ...pause };
}

const paused = { post: "the post", project: "the project", all: "all projects" } as const;

async function takeBack(
  { world: { ledger, clock } }: PulledCycle,
  intent: IntentId | undefined,
  why: string,
): Promise<void> {
  if (intent === undefined) return;
  const message = `not sent; ${why}`;
  await ledger.commit([{ kind: "resolve", intent, state: "PREPARED", at: clock.now(), message }]);
}

/** Takes the turn at the pace, and marks the intent SENT with it; undefined where nothing may leave in this run any more. */
async function markSent(
  cycle: PulledCycle,
  { lane, pace }: Turn,
  { post, reason, intent: wanted, signature }: Marked,
): Promise<port.Sent | undefined> {
  const { ledger, clock } = cycle.world;
  const of = { project: cycle.memory.id, post };
  const sent = (at: number): readonly SentChange[] => {
    if (wanted === undefined) return [];
    const intent: NewIntent = { ...wanted, ...of, reason, run: cycle.run.number, at };
    return [{ kind: "mark-sent", intent, at, signature }];
  };
  if (pace !== undefined) return takePace(cycle, { lane, kind: pace, of }, sent);
  return ledger.commitSent(sent(clock.now()), of);
}

/** What the journal is told of a request. */
type Marked = Pick<Request<WriteAnswer>, "post" | "reason" | "intent" | "signature">;

function againAfter(answer: WriteAnswer): number | undefined {
  return answer.kind === "unauthorized" && "againAfterMs" in answer ? answer.againAfterMs : undefined;
}

function isApplied<A extends WriteAnswer>(answer: A): answer is Applied<A> {
  return answer.kind === "applied";
}

/** The audit's line, and the end of the intent. */
function answerOf<A extends WriteAnswer>(
  { world: { clock }, run, memory, course }: PulledCycle,
  { lane }: Turn,
  request: Request<A>,
  intent: IntentId | undefined,
  answer: A,
): readonly Change[] {
  const message = answer.kind === "applied" ? undefined : answer.message;
  const { post, reason } = request;
  const told = request.tell(answer);
  const entry: AuditEntry = {
    ...told,
    ...(intent !== undefined && { intent }),
    at: clock.now(),
    run: run.number,
    side: lane.side,
    project: memory.id,
    post,
    reason: `${reason}${sayWhere({ course }, post, told.kind)}`,
    outcome: answer.kind,
    message,
    // The guard counts PATCHes by the audit, and issue writes by the run.
    isApproved: told.kind === "patch-post" && isApproved({ course }, post, "patch-post"),
  };
  if (intent === undefined) return [{ kind: "audit", entry }];
  const words = isApplied(answer) ? (request.words?.(answer) ?? "accepted") : String(message);
  return [
    { kind: "audit", entry },
    {
      kind: "resolve",
      intent,
      state: isApplied(answer) ? "DONE" : meaningOf(answer).state,
      at: clock.now(),
      message: words,
      ...(isApplied(answer) && { answer: request.answered?.(answer) }),
    },
  ];
}
