import type { ProjectId } from "../../../model/post.ts";
import {
  auditKinds,
  type CallPurpose,
  type SentCall,
  type ToolCall,
  type ToolCallChange,
  type ToolCalls,
} from "../../journal.ts";
import type { Changes, Queries } from "../columns/numbers.ts";
import { into, type Part, projectOf, sql } from "../statements.ts";
import type { Asked, Plain } from "../store.ts";
import { type Audit, interrupted } from "./audit.ts";

type Written = Omit<SentCall, "kind"> & Partial<Pick<ToolCall, "message" | "result" | "url">>;
type Ended = Omit<Extract<ToolCallChange, { kind: "end-call" }>, "kind" | "post">;

/** Calls of tools; `audit` writes what became of one whose answer was lost. */
export function createToolCalls(on: Queries, audit: Audit) {
  const { some, has, all, numbers } = on;
  const select = (which: Part) => all<ToolCall>`
    SELECT board_projects.id AS project, purpose, subject, state, run, hash, reason, prepared_at, sent_at, unknown_at,
      ended_at, attempts, result, url, message, is_unsure
    FROM tool_calls JOIN board_projects ON board_projects.number = tool_calls.project
    WHERE ${which} ORDER BY purpose, subject`;
  const read = (project: ProjectId, which: Part) =>
    select(sql`tool_calls.project = ${projectOf(project)} AND ${which}`);
  const ofPurpose = (purpose: CallPurpose | undefined): Part => sql`purpose = coalesce(${purpose}, purpose)`;
  function* put(state: "SENT" | "DONE", call: Written): Asked<void> {
    const { purpose, subject, run, hash, reason, at, message, result, url } = call;
    const project = yield* numbers.project(call.project);
    const line = {
      project,
      purpose,
      subject,
      state,
      run,
      hash,
      reason,
      message,
      result,
      url,
      preparedAt: at,
      ...(state === "SENT"
        ? { sentAt: at, endedAt: undefined, attempts: 1 }
        : { sentAt: undefined, endedAt: at, attempts: 0 }),
    };
    yield* some(() => new Error(`The call ${purpose} for ${subject} is under way, or done.`))`
      ${into("tool_calls", line)}
      ON CONFLICT (project, purpose, subject) DO UPDATE SET
        attempts = CASE WHEN tool_calls.hash = excluded.hash THEN tool_calls.attempts ELSE 0 END + excluded.attempts,
        state = excluded.state, run = excluded.run, hash = excluded.hash, reason = excluded.reason,
        prepared_at = excluded.prepared_at, sent_at = excluded.sent_at, unknown_at = NULL, ended_at = excluded.ended_at,
        message = excluded.message, result = excluded.result, url = excluded.url, is_unsure = 0
      WHERE tool_calls.state IN ('PREPARED', 'REJECTED')
        OR tool_calls.state = 'DONE' AND tool_calls.purpose = 'changelogUpdate'`;
  }
  function* end({
    project: id,
    purpose,
    subject,
    state,
    message,
    at,
    result,
    url,
    ...asked
  }: Ended): Asked<void> {
    const project = yield* numbers.project(id);
    const { isUnsure = false, isAnew = false, isUnsent = false } = asked;
    yield* some(() => new Error(`The call ${purpose} for ${subject} is not open.`))`
      UPDATE tool_calls SET state = ${state}, message = ${message}, result = ${result}, url = ${url},
        is_unsure = ${isUnsure}, attempts = CASE WHEN ${isAnew} = 1 THEN 0 ELSE attempts - ${isUnsent} END,
        unknown_at = CASE ${state} WHEN 'UNKNOWN' THEN coalesce(unknown_at, ${at}) WHEN 'PREPARED' THEN NULL ELSE unknown_at END,
        ended_at = CASE WHEN ${state} IN ('DONE', 'REJECTED') THEN ${at} END
      WHERE project = ${project} AND purpose = ${purpose} AND subject = ${subject}
        AND (state IN ('PREPARED', 'SENT', 'UNKNOWN') OR state = 'REJECTED' AND ${isAnew} = 1)`;
  }
  const told: Plain<ToolCalls> = {
    list: (project, purpose) => read(project, ofPurpose(purpose)),
    unsettled: (project, purpose) => read(project, sql`${ofPurpose(purpose)} AND state <> 'DONE'`),
    *find({ project, purpose, subject }) {
      return (yield* read(project, sql`purpose = ${purpose} AND subject = ${subject}`))[0];
    },
    isMadeElsewhere: ({ project, purpose, subject }) => has`
      SELECT state FROM board_projects CROSS JOIN tool_calls
        ON tool_calls.project = board_projects.number AND purpose = ${purpose} AND subject = ${subject}
      WHERE board_projects.id <> ${project} AND state IN ('SENT', 'UNKNOWN', 'DONE') LIMIT 1`,
    hasMade: (project, purpose, result) => has`
      SELECT 1 AS made FROM tool_calls
      WHERE project = ${projectOf(project)} AND purpose = ${purpose} AND result = ${result} LIMIT 1`,
  };
  return {
    ...told,
    select,
    /** For the journal, which finds out what was under way when a process ended. */
    *interrupt({ project, purpose, subject, run, reason, sentAt }: ToolCall, at: number) {
      yield* end({ project, purpose, subject, state: "UNKNOWN", at, message: interrupted });
      yield* audit.write({
        at: sentAt ?? at,
        run,
        side: "board",
        project,
        post: undefined,
        issue: undefined,
        kind: auditKinds[purpose],
        fields: [],
        reason,
        outcome: "unknown",
        message: interrupted,
        isApproved: purpose === "changelogPublish",
        subject,
      });
    },
    changes: {
      "send-call": (call) => put("SENT", call),
      "take-call": (call) => put("DONE", call),
      *"end-call"({ post, ...call }) {
        const { state, message } = call;
        if (state !== "UNKNOWN") yield* audit.correctCall(call, state === "DONE", message, post);
        yield* end(call);
      },
    } satisfies Partial<Changes>,
  };
}
