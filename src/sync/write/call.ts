import type { ToolArguments, ToolOutcome, ToolWriting } from "../../board/tools.ts";
import { type AuditEntry, auditKinds, type CallKey, type ToolCall } from "../../ledger/journal.ts";
import type { PostId, ToolRecord } from "../../model/post.ts";
import { hashText } from "../../plan/ground/hash.ts";
import { canonical } from "../../plan/ground/identity.ts";
import { isOpen, type PulledCycle } from "../ground/cycle-state.ts";
import { inBrackets } from "../ground/describe.ts";
import { toolLane } from "../ground/lane.ts";
import { postpone, putOff } from "../ground/record.ts";
import { noteError } from "../ground/report.ts";
import { asOne } from "../ground/rows.ts";
import { type Outcome, waitForTurn } from "../ground/verdict.ts";
import { closureAfter, type Failure, meaningOf } from "./failure.ts";
import { type Line, type Sent, send } from "./send.ts";

/** One call that may be made now. */
export interface ToolRequest {
  readonly purpose: ToolWriting;
  /** The tag of a release; of an issue, its repository's id and its number: `10#7`. */
  readonly subject: string;
  readonly args: ToolArguments;
  readonly reason: string;
  /** Of an issue, what it is called until it is a post: a person may pause it. */
  readonly post?: PostId;
  /** How messages begin: `changelog v1.2`. */
  readonly name: string;
  /** What the audit tells of it, beside its kind and subject. */
  readonly tell: Pick<AuditEntry, "fields" | "issue">;
  readonly isApproved: boolean;
  /** Of an entry that is there: its id. What an answer names is then of no matter. */
  readonly id?: string | undefined;
  /** Why an answer is not believed, though it is no error: it shows another tool's result, or that nothing was done. Then it is looked up. */
  readonly whyDoubted?: ((record: ToolRecord) => Promise<string | undefined>) | undefined;
  /** Finds what was done where the answer shows no record: if it finds nothing, that is looked up later. Left out: any answer counts. */
  readonly findMade?: (() => Promise<ToolRecord | undefined>) | undefined;
  /** Records what was made, as one with the end of the call: by the cycle that it is given. */
  readonly record?: ((cycle: PulledCycle, record: ToolRecord | undefined) => Promise<void>) | undefined;
}

export const showsOther = "the answer shows something else";

/** A tool that was called so often for one thing, without an answer or an effect, is not out of order for a moment any more. */
export const mostCalls = 5;

/** What the journal knows a call's arguments by. */
export function hashArguments(args: ToolArguments): string {
  return hashText(canonical(args));
}

/**
 * Calls a tool of the board, as every other write leaves. Nothing is called twice: what is done for good, or in doubt, is not called
 * at all.
 */
export async function callTool(cycle: PulledCycle, request: ToolRequest): Promise<Sent<ToolOutcome>> {
  const { ledger, tools } = cycle.world;
  const { purpose, args, reason } = request;
  if (tools === undefined || !tools.purposes.has(purpose))
    return { outcome: waitForTurn(`\`board.mcp.tools\` names no tool for \`${purpose}\``) };
  const lane = toolLane(purpose);
  if (!isOpen(cycle, lane)) return { outcome: putOff(cycle, lane) };
  const known = await ledger.toolCalls.find(keyOf(cycle, request));
  if (known?.state === "SENT" || known?.state === "UNKNOWN") {
    const why = `${request.name}: it is not known yet what became of the last call`;
    return { outcome: { kind: "wait", cause: "in-doubt", why } };
  }
  if (known?.state === "DONE" && purpose !== "changelogUpdate") return { outcome: { kind: "unneeded" } };
  const { post, subject, tell, isApproved } = request;
  const turn = { lane, pace: undefined, action: undefined };
  return send<ToolOutcome>(cycle, turn, () => ({
    post,
    reason,
    line: callLine(cycle, request),
    call: async () => asOwn(request, await tools.call(purpose, args)),
    // No listing has shown the post of an issue yet: its line is found by its subject.
    tell: () => ({ ...tell, kind: auditKinds[purpose], subject, post: undefined, isApproved }),
    record: async (own, { record }) => request.record?.(own, record),
    fail: (own, failure) => failCall(own, request, failure),
  }));
}

function keyOf(
  { memory }: PulledCycle,
  { purpose, subject }: Pick<ToolRequest, "purpose" | "subject">,
): CallKey {
  return { project: memory.id, purpose, subject };
}

function callLine(cycle: PulledCycle, request: ToolRequest): Line<ToolOutcome> {
  const key = keyOf(cycle, request);
  const { args, reason, id } = request;
  const written = { ...key, run: cycle.run.number, hash: hashArguments(args), reason };
  return {
    sent: (at) => ({ kind: "send-call", ...written, at }),
    ended: (end, _, answer) => {
      const record = answer?.record;
      const result = id ?? record?.id;
      const url = record?.id === result ? record?.url : undefined;
      return [{ kind: "end-call", ...key, ...end, result, url }];
    },
  };
}

/** What another tool answered tells nothing of ours: it is looked up as if there had been no answer. */
async function asOwn({ whyDoubted, findMade }: ToolRequest, answer: ToolOutcome): Promise<ToolOutcome> {
  if (answer.kind !== "applied") return answer;
  if (answer.record === undefined) {
    const record = await findMade?.();
    const isShown = findMade === undefined || record !== undefined;
    return isShown ? { ...answer, record } : { kind: "unknown", message: "the answer shows no entry" };
  }
  const message = await whyDoubted?.(answer.record);
  return message === undefined ? answer : { kind: "unknown", message };
}

async function failCall(
  cycle: PulledCycle,
  { name }: ToolRequest,
  answer: Failure<ToolOutcome>,
): Promise<Outcome> {
  const { message } = answer;
  if (answer.kind === "limited") return postpone(cycle, closureAfter("board", answer));
  const code = answer.kind === "rejected" ? "board.tool" : `board.${meaningOf(answer).fault}`;
  const detail = answer.kind === "unauthorized" ? answer.detail : undefined;
  const words =
    answer.kind === "unknown"
      ? `it is not known whether the call took effect ${inBrackets(message)}. It is looked up before anything is called again.`
      : message;
  noteError(cycle.tally, { code, message: `${name}: ${words}`, detail });
  return { kind: "failed", why: message };
}

/** What a look has shown of a call whose answer was lost. `unsure`: it can't be told. */
export type Looked =
  | {
      readonly kind: "made";
      readonly id: string | undefined;
      readonly url?: string | undefined;
      readonly message: string;
      readonly record?: (cycle: PulledCycle) => Promise<void>;
    }
  /** `isOver`: nothing is called by itself again; else it is prepared once more. */
  | { readonly kind: "absent"; readonly message: string; readonly isOver?: true }
  | { readonly kind: "unsure"; readonly why: string };

/**
 * Finds out what became of calls whose outcome is unknown, once they have rested long enough (`waits.create`). What is there is
 * recorded as if the answer had arrived; what provably is not is prepared once more; of the rest is said that nobody knows.
 *
 * @param look is asked for what was sent to have its effect by now. What it throws is the caller's.
 */
export async function resolveCalls(
  cycle: PulledCycle,
  purpose: ToolWriting,
  look: (call: ToolCall) => Promise<Looked>,
): Promise<void> {
  const { ledger, clock, policy } = cycle.world;
  for (const call of await ledger.toolCalls.unsettled(cycle.memory.id, purpose)) {
    const hasRested = clock.now() - (call.unknownAt ?? clock.now()) >= policy.waits.createMs;
    if (call.state !== "UNKNOWN" || !hasRested) continue;
    const found = await look(call);
    const end = { kind: "end-call", ...keyOf(cycle, call), at: clock.now() } as const;
    if (found.kind === "unsure") {
      if (!call.isUnsure || call.message !== found.why)
        await ledger.commit([{ ...end, state: "UNKNOWN", message: found.why, isUnsure: true }]);
    } else if (found.kind === "absent" && found.isOver !== true && call.attempts >= mostCalls) {
      const message = `${call.attempts} calls got no answer, and none took effect: ${found.message}`;
      await ledger.commit([{ ...end, state: "UNKNOWN", message, isUnsure: true }]);
    } else if (found.kind === "absent") {
      const state = found.isOver ? "REJECTED" : "PREPARED";
      await ledger.commit([{ ...end, state, message: found.message }]);
    } else {
      await asOne(cycle, async (own) => {
        const { message, id: result, url } = found;
        await own.world.ledger.commit([{ ...end, state: "DONE", message, result, url }]);
        await found.record?.(own);
      });
    }
  }
}
