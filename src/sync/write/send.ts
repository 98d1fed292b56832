import type { Change, SentChange } from "../../ledger/change.ts";
import type { AuditEntry, IntentId, NewIntent } from "../../ledger/journal.ts";
import type * as port from "../../ledger/ledger.ts";
import type { PatchAnswer } from "../../model/link.ts";
import type { PostId } from "../../model/post.ts";
import { type Action, isNotifying } from "../../plan/ground/action.ts";
import { approvalSignature } from "../../plan/ground/identity.ts";
import { pauseOf } from "../../plan/ground/obstacle.ts";
import { type PulledCycle, sayWhere } from "../ground/cycle-state.ts";
import type { Lane } from "../ground/lane.ts";
import { postpone, putOff } from "../ground/record.ts";
import { asOne } from "../ground/rows.ts";
import type { Outcome } from "../ground/verdict.ts";
import { stopOf } from "../ground/world.ts";
import { type AnyAnswer, type Failure, meaningOf, noteClosure, type WriteAnswer } from "./failure.ts";
import { awaitPace, type PacedKind, takePace } from "./pace.ts";

export type Applied<A extends AnyAnswer> = Extract<A, { readonly kind: "applied" }>;

/** Where a write counts, and for whom. */
export interface Turn {
  readonly lane: Lane;
  /** By which of the tracker's limits it is paced; undefined on the board. */
  readonly pace: PacedKind | undefined;
  /** What it is a part of: what was said of that before is over once it is applied. undefined for what belongs to none. */
  readonly action: Action | undefined;
}

/** One write that may leave now. */
export interface Request<A extends AnyAnswer> {
  /** Whose pause stops it; undefined where only one of the project does. */
  readonly post: PostId | undefined;
  readonly reason: string;
  /** Undefined for a write that needs none, because to make it twice changes nothing. */
  readonly line: Line<A> | undefined;
  readonly call: () => Promise<A>;
  /** What the audit tells of it: of this post, where it names no other. */
  readonly tell: (answer: A) => Told;
  /** What the journal says of it when it is applied: `accepted` where this is left out. */
  readonly words?: (answer: Applied<A>) => string;
  /** Records what was applied, as one with the end of its line: by the cycle that it is given. */
  readonly record: (cycle: PulledCycle, answer: Applied<A>) => Promise<void>;
  /** Records a failure, likewise. */
  readonly fail: (cycle: PulledCycle, failure: Failure<A>) => Promise<Outcome>;
}

type Told = Pick<AuditEntry, "kind" | "issue" | "fields" | "voters" | "subject"> &
  Partial<Pick<AuditEntry, "post" | "isApproved">>;

/** Its line in the journal: of an intent, or of a call of one of the board's tools. */
export interface Line<A extends AnyAnswer> {
  /** The request leaves now. */
  readonly sent: (at: number) => SentChange;
  /** What has become of it. @param id of an intent, as the ledger has named it. */
  readonly ended: (end: LineEnd, id: IntentId | undefined, answer?: Applied<A>) => readonly Change[];
}

type LineEnd = Pick<Extract<Change, { kind: "resolve" }>, "state" | "at" | "message" | "isUnsent">;

/**
 * The line of an intent.
 *
 * @param signature what a saved plan knows the action by that is done with this request; undefined where more of it follows, or nobody names it.
 * @param answered what is kept of the answer to a PATCH: a list may show for a while what was before it.
 */
export function intentLine<A extends WriteAnswer>(
  { memory, run }: PulledCycle,
  wanted: Omit<NewIntent, "project" | "run" | "at">,
  signature: string | undefined,
  answered?: (answer: Applied<A>) => PatchAnswer | undefined,
): Line<A> {
  const intent = { ...wanted, project: memory.id, run: run.number };
  return {
    sent: (at) => ({ kind: "mark-sent", intent: { ...intent, at }, at, signature }),
    ended: (end, id, answer) =>
      id === undefined ? [] : [{ kind: "resolve", intent: id, ...end, answer: answer && answered?.(answer) }],
  };
}

/** What came of a write. Without an answer nothing was sent. */
export interface Sent<A extends AnyAnswer> {
  readonly answer?: A;
  readonly outcome: Outcome;
}

/** A request; or what has become of the action where there is nothing to send. */
export type Composed<A extends AnyAnswer> = Request<A> | Outcome;

/**
 * The one way in which anything leaves for either side. It waits for the pace, has the request made of what both sides show
 * then, and writes down its line: SENT is on the disk before the request leaves. Whatever the answer is: the audit, the end
 * of that line, and what the answer means for the post are recorded in one transaction. Nothing is sent twice, with one
 * exception: a write whose token was refused did nothing, so it is made anew and goes out once more with the next token.
 *
 * @param compose makes the request. Where there is nothing to send it records that, and says what has become of the action.
 */
export async function send<A extends AnyAnswer>(
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
    await ledger.assertHeld();
    // A person may have paused it since the run decided. A pause that comes after SENT finds the write under way.
    const pause = pauseOf(sent);
    if (pause !== undefined) {
      await takeBack(cycle, request, sent, pause.why);
      return { outcome: { kind: "pause", ...pause } };
    }
    // The last thing that is asked: nothing is waited for between this and the request.
    const stop = stopOf(cycle.world);
    if (stop !== undefined) {
      await takeBack(cycle, request, sent, stop.message);
      return { outcome: postpone(cycle, stop) };
    }
    const answer = await request.call();
    const recorded = answerOf(cycle, turn, request, sent.intent, answer);
    const againAfterMs = !isSecond && "againAfterMs" in answer ? answer.againAfterMs : undefined;
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

/** What was about to leave is prepared again, and counts as no attempt. */
async function takeBack<A extends AnyAnswer>(
  { world: { ledger, clock } }: PulledCycle,
  { line }: Request<A>,
  { intent }: port.Sent,
  why: string,
): Promise<void> {
  if (line === undefined) return;
  const message = `not sent; ${why}`;
  await ledger.commit(line.ended({ state: "PREPARED", at: clock.now(), message, isUnsent: true }, intent));
}

/** Takes the turn at the pace, and marks the line SENT with it; undefined where nothing may leave in this run any more. */
async function markSent<A extends AnyAnswer>(
  cycle: PulledCycle,
  { lane, pace }: Turn,
  { post, line }: Request<A>,
): Promise<port.Sent | undefined> {
  const { ledger, clock } = cycle.world;
  const of = { project: cycle.memory.id, post };
  const sent = (at: number) => (line === undefined ? [] : [line.sent(at)]);
  if (pace !== undefined) return takePace(cycle, { lane, kind: pace, of }, sent);
  return ledger.commitSent(sent(clock.now()), of);
}

function isApplied<A extends AnyAnswer>(answer: A): answer is Applied<A> {
  return answer.kind === "applied";
}

/** The audit's line, and the end of the request's own. */
function answerOf<A extends AnyAnswer>(
  { world: { clock }, run, memory, course }: PulledCycle,
  { lane }: Turn,
  request: Request<A>,
  intent: IntentId | undefined,
  answer: A,
): readonly Change[] {
  const message = answer.kind === "applied" ? undefined : answer.message;
  const { post, reason, line } = request;
  const told = request.tell(answer);
  const at = clock.now();
  const entry: AuditEntry = {
    post,
    isApproved: false,
    ...told,
    ...(intent !== undefined && { intent }),
    at,
    run: run.number,
    side: lane.side,
    project: memory.id,
    reason: `${reason}${sayWhere({ course }, post, told.kind)}`,
    outcome: answer.kind,
    message,
  };
  const applied = isApplied(answer) ? answer : undefined;
  const end: LineEnd = {
    state: isApplied(answer) ? "DONE" : meaningOf(answer).state,
    at,
    message: applied === undefined ? String(message) : (request.words?.(applied) ?? "accepted"),
    ...(answer.kind === "unsent" && { isUnsent: true }),
  };
  return [{ kind: "audit", entry }, ...(line?.ended(end, intent, applied) ?? [])];
}
