import type { ProjectId } from "../../../model/post.ts";
import {
  auditKinds,
  type CallKey,
  type CallPurpose,
  type CallState,
  type ToolCall,
  type ToolCalls,
} from "../../journal.ts";
import type { Carrying } from "../columns/changes.ts";
import type { Numbers } from "../columns/numbers.ts";
import type { Asked, Plain, Store } from "../store.ts";
import type { Audit } from "./audit.ts";

interface CallColumns {
  project: ProjectId;
  purpose: CallPurpose;
  subject: string;
  state: CallState;
  run: number;
  hash: string;
  reason: string;
  prepared_at: number;
  sent_at: number | null;
  unknown_at: number | null;
  ended_at: number | null;
  attempts: number;
  result: string | null;
  url: string | null;
  message: string | null;
  is_unsure: number;
}

type Key = Omit<CallKey, "project"> & { project: number };

interface Written {
  state: "SENT" | "DONE";
  run: number;
  hash: string;
  reason: string;
  at: number;
  message: string | null;
  result: string | null;
  url: string | null;
}

/** Calls of tools; `audit` writes what became of one whose answer was lost. */
export function createToolCalls(
  store: Store,
  numbers: Numbers,
  audit: Audit,
): Plain<ToolCalls> & Carrying<"send-call" | "take-call" | "end-call"> {
  const columns = `board_projects.id AS project, purpose, subject, state, run, hash, reason, prepared_at, sent_at, unknown_at,
    ended_at, attempts, result, url, message, is_unsure`;
  const joined = "tool_calls JOIN board_projects ON board_projects.number = tool_calls.project";
  const selectSome = (also: string) =>
    store.prepare<[{ project: number; purpose: string | null }], CallColumns>(
      `SELECT ${columns} FROM ${joined} WHERE tool_calls.project = @project AND purpose = coalesce(@purpose, purpose) ${also}
       ORDER BY purpose, subject`,
    );
  const selectAll = selectSome("");
  const selectUnsettled = selectSome("AND state <> 'DONE'");
  const selectOne = store.prepare<[Key], CallColumns>(
    `SELECT ${columns} FROM ${joined} WHERE tool_calls.project = @project AND purpose = @purpose AND subject = @subject`,
  );
  const selectMade = store.prepare<[Omit<Key, "project"> & { projects: string }], { state: string }>(`
    SELECT state FROM EACH TEXT @projects AS one CROSS JOIN board_projects ON board_projects.id = one.value
      CROSS JOIN tool_calls ON tool_calls.project = number AND purpose = @purpose AND subject = @subject
    WHERE state IN ('SENT', 'UNKNOWN', 'DONE') LIMIT 1`);
  const selectResult = store.prepare<
    [{ project: number; purpose: string; result: string }],
    { made: number }
  >(
    `SELECT 1 AS made FROM tool_calls WHERE project = @project AND purpose = @purpose AND result = @result LIMIT 1`,
  );
  const selectSent = store.prepare<[string], CallColumns>(
    `SELECT ${columns} FROM ${joined} WHERE state = 'SENT'
      AND board_projects.id IN (SELECT one.value FROM EACH TEXT ? AS one) ORDER BY purpose, subject`,
  );
  const written = `attempts = CASE WHEN tool_calls.hash = excluded.hash THEN tool_calls.attempts ELSE 0 END + excluded.attempts,
      state = excluded.state, run = excluded.run, hash = excluded.hash, reason = excluded.reason,
      prepared_at = excluded.prepared_at, sent_at = excluded.sent_at, unknown_at = NULL, ended_at = excluded.ended_at,
      message = excluded.message, result = excluded.result, url = excluded.url, is_unsure = 0`;
  const write = store.prepare<[Key & Written]>(`
    INSERT INTO tool_calls (project, purpose, subject, state, run, hash, reason, prepared_at, sent_at, ended_at, attempts, message,
      result, url)
    VALUES (@project, @purpose, @subject, @state, @run, @hash, @reason, @at, CASE @state WHEN 'SENT' THEN CAST(@at AS BIGINT) END,
      CASE @state WHEN 'DONE' THEN CAST(@at AS BIGINT) END, CASE @state WHEN 'SENT' THEN 1 ELSE 0 END, @message, @result, @url)
    ON CONFLICT (project, purpose, subject) DO UPDATE SET ${written}
    WHERE tool_calls.state IN ('PREPARED', 'REJECTED')
      OR tool_calls.state = 'DONE' AND tool_calls.purpose = 'changelogUpdate'`);
  const writeEnd = store.prepare<
    [
      Key & {
        state: string;
        at: number;
        message: string;
        result: string | null;
        url: string | null;
        unsure: number;
        anew: number;
      },
    ]
  >(`
    UPDATE tool_calls SET state = @state, message = @message, result = @result, url = @url, is_unsure = @unsure,
      unknown_at = CASE @state WHEN 'UNKNOWN' THEN coalesce(unknown_at, @at) WHEN 'PREPARED' THEN NULL ELSE unknown_at END,
      ended_at = CASE WHEN @state IN ('DONE', 'REJECTED') THEN @at END,
      attempts = CASE WHEN @anew = 1 THEN 0 ELSE attempts END
    WHERE project = @project AND purpose = @purpose AND subject = @subject
      AND (state IN ('PREPARED', 'SENT', 'UNKNOWN') OR state = 'REJECTED' AND @anew = 1)`);

  function* place({ project, purpose, subject }: CallKey): Asked<Key> {
    return { project: yield* numbers.project(project), purpose, subject };
  }
  function* put({
    kind: _,
    project,
    purpose,
    subject,
    ...call
  }: CallKey & Written & { kind: string }): Asked<void> {
    const key = yield* place({ project, purpose, subject });
    if ((yield* write.count({ ...key, ...call })) === 0)
      throw new Error(`The call ${purpose} for ${subject} is under way, or done.`);
  }
  const read =
    (select: typeof selectAll) =>
    (project: ProjectId, purpose: CallPurpose | null = null): Asked<readonly ToolCall[]> =>
      numbers.ofProject(project, [], function* (number): Asked<readonly ToolCall[]> {
        return (yield* select.all({ project: number, purpose })).map(toCall);
      });
  return {
    list: read(selectAll),
    unsettled: read(selectUnsettled),
    find: ({ project, purpose, subject }) =>
      numbers.ofProject(project, undefined, function* (number): Asked<ToolCall | undefined> {
        const found = yield* selectOne.get({ project: number, purpose, subject });
        return found && toCall(found);
      }),
    *isMade(projects, of) {
      return (yield* selectMade.get({ ...of, projects: JSON.stringify(projects) })) !== undefined;
    },
    hasMade: (project, purpose, result) =>
      numbers.ofProject(project, false, function* (number): Asked<boolean> {
        return (yield* selectResult.get({ project: number, purpose, result })) !== undefined;
      }),
    *recover(at, projects) {
      const wanted = JSON.stringify(projects);
      if ((yield* selectSent.all(wanted)).length === 0) return 0;
      return yield* store.transaction(function* () {
        const sent = (yield* selectSent.all(wanted)).map(toCall);
        for (const call of sent) {
          const message = "The process ended before the answer came.";
          const key = yield* place(call);
          yield* writeEnd.run({
            ...key,
            state: "UNKNOWN",
            at,
            message,
            result: null,
            url: null,
            unsure: 0,
            anew: 0,
          });
          yield* audit.write({
            at: call.sentAt ?? at,
            run: call.run,
            side: "board",
            project: call.project,
            post: undefined,
            issue: undefined,
            kind: auditKinds[call.purpose],
            fields: [],
            reason: call.reason,
            outcome: "unknown",
            message,
            isApproved: call.purpose === "changelogPublish",
            subject: call.subject,
          });
        }
        return sent.length;
      });
    },
    changes: {
      "send-call": (call) => put({ ...call, state: "SENT", message: null, result: null, url: null }),
      "take-call": ({ result = null, url = null, ...call }) => put({ ...call, state: "DONE", result, url }),
      *"end-call"({
        state,
        at,
        message,
        isUnsure = false,
        isAnew = false,
        result = null,
        url = null,
        post,
        ...key
      }) {
        const { project, purpose, subject } = key;
        const corrected = { project, subject, kind: auditKinds[purpose], message, post };
        if (state !== "UNKNOWN") yield* audit.correctCall({ ...corrected, isApplied: state === "DONE" });
        const end = { state, at, message, result, url, unsure: Number(isUnsure), anew: Number(isAnew) };
        if ((yield* writeEnd.count({ ...(yield* place(key)), ...end })) === 0)
          throw new Error(`The call ${purpose} for ${subject} is not open.`);
      },
    },
  };
}

function toCall(found: CallColumns): ToolCall {
  return {
    project: found.project,
    purpose: found.purpose,
    subject: found.subject,
    state: found.state,
    run: found.run,
    hash: found.hash,
    reason: found.reason,
    preparedAt: found.prepared_at,
    sentAt: found.sent_at ?? undefined,
    unknownAt: found.unknown_at ?? undefined,
    endedAt: found.ended_at ?? undefined,
    attempts: found.attempts,
    result: found.result ?? undefined,
    url: found.url ?? undefined,
    message: found.message ?? undefined,
    isUnsure: found.is_unsure === 1,
  };
}
