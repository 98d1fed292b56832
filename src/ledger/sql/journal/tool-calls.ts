import type { ProjectId } from "../../../model/post.ts";
import { auditKinds, type CallKey, type CallPurpose, type ToolCall, type ToolCalls } from "../../journal.ts";
import type { Carrying } from "../columns/changes.ts";
import type { Numbers } from "../columns/numbers.ts";
import { type Asked, type Columns, fromColumns, type Plain, type Store } from "../store.ts";
import { type Audit, interrupted, recoverSent } from "./audit.ts";

type Key = Omit<CallKey, "project"> & { project: number };

type WrittenCall = CallKey &
  Pick<ToolCall, "state" | "run" | "hash" | "reason"> &
  Partial<Pick<ToolCall, "message" | "result" | "url">> & { at: number };

/** Calls of tools; `audit` writes what became of one whose answer was lost. */
export function createToolCalls(
  store: Store,
  numbers: Numbers,
  audit: Audit,
): Plain<ToolCalls> & Carrying<"send-call" | "take-call" | "end-call"> {
  const columns = `board_projects.id AS project, purpose, subject, state, run, hash, reason, prepared_at AS "preparedAt",
    sent_at AS "sentAt", unknown_at AS "unknownAt", ended_at AS "endedAt", attempts, result, url, message, is_unsure AS "isUnsure"`;
  const joined = "tool_calls JOIN board_projects ON board_projects.number = tool_calls.project";
  const selectSome = <Bound = { project: number; purpose: string | null }>(also: string) =>
    store.prepare<[Bound], Columns<ToolCall>>(
      `SELECT ${columns} FROM ${joined} WHERE tool_calls.project = @project AND purpose = coalesce(@purpose, purpose) ${also}
       ORDER BY purpose, subject`,
    );
  const selectAll = selectSome("");
  const selectUnsettled = selectSome("AND state <> 'DONE'");
  const selectOne = selectSome<Key>("AND purpose = @purpose AND subject = @subject");
  const selectMade = store.prepare<[CallKey], { state: string }>(`
    SELECT state FROM board_projects CROSS JOIN tool_calls
      ON tool_calls.project = board_projects.number AND purpose = @purpose AND subject = @subject
    WHERE board_projects.id <> @project AND state IN ('SENT', 'UNKNOWN', 'DONE') LIMIT 1`);
  const selectResult = store.prepare<
    [{ project: number; purpose: string; result: string }],
    { made: number }
  >(
    `SELECT 1 AS made FROM tool_calls WHERE project = @project AND purpose = @purpose AND result = @result LIMIT 1`,
  );
  const selectSent = store.prepare<[string], Columns<ToolCall>>(
    `SELECT ${columns} FROM ${joined} WHERE state = 'SENT'
      AND board_projects.id IN (SELECT one.value FROM EACH TEXT ? AS one) ORDER BY purpose, subject`,
  );
  const written = `attempts = CASE WHEN tool_calls.hash = excluded.hash THEN tool_calls.attempts ELSE 0 END + excluded.attempts,
      state = excluded.state, run = excluded.run, hash = excluded.hash, reason = excluded.reason,
      prepared_at = excluded.prepared_at, sent_at = excluded.sent_at, unknown_at = NULL, ended_at = excluded.ended_at,
      message = excluded.message, result = excluded.result, url = excluded.url, is_unsure = 0`;
  const write = store.prepare<[Omit<WrittenCall, "project"> & Key]>(`
    INSERT INTO tool_calls (project, purpose, subject, state, run, hash, reason, prepared_at, sent_at, ended_at, attempts, message,
      result, url)
    VALUES (@project, @purpose, @subject, @state, @run, @hash, @reason, @at, CASE @state WHEN 'SENT' THEN CAST(@at AS BIGINT) END,
      CASE @state WHEN 'DONE' THEN CAST(@at AS BIGINT) END, CASE @state WHEN 'SENT' THEN 1 ELSE 0 END, @message, @result, @url)
    ON CONFLICT (project, purpose, subject) DO UPDATE SET ${written}
    WHERE tool_calls.state IN ('PREPARED', 'REJECTED')
      OR tool_calls.state = 'DONE' AND tool_calls.purpose = 'changelogUpdate'`);
  const writeEnd = store.prepare<
    [
      Key &
        Pick<ToolCall, "state" | "message" | "result" | "url"> & {
          at: number;
          unsure: number;
          anew: number;
          unsent: number;
        },
    ]
  >(`
    UPDATE tool_calls SET state = @state, message = @message, result = @result, url = @url, is_unsure = @unsure,
      unknown_at = CASE @state WHEN 'UNKNOWN' THEN coalesce(unknown_at, @at) WHEN 'PREPARED' THEN NULL ELSE unknown_at END,
      ended_at = CASE WHEN @state IN ('DONE', 'REJECTED') THEN @at END,
      attempts = CASE WHEN @anew = 1 THEN 0 ELSE attempts - @unsent END
    WHERE project = @project AND purpose = @purpose AND subject = @subject
      AND (state IN ('PREPARED', 'SENT', 'UNKNOWN') OR state = 'REJECTED' AND @anew = 1)`);

  function* place({ project, purpose, subject }: CallKey): Asked<Key> {
    return { project: yield* numbers.project(project), purpose, subject };
  }
  function* put(call: WrittenCall): Asked<void> {
    const { message, result, url } = call;
    const project = yield* numbers.project(call.project);
    if ((yield* write.count({ ...call, project, message, result, url })) === 0)
      throw new Error(`The call ${call.purpose} for ${call.subject} is under way, or done.`);
  }
  const read = (select: typeof selectAll) =>
    function* (id: ProjectId, purpose: CallPurpose | null = null): Asked<readonly ToolCall[]> {
      const project = yield* numbers.findProject(id);
      return (yield* select.all({ project, purpose })).map(fromColumns);
    };
  return {
    list: read(selectAll),
    unsettled: read(selectUnsettled),
    *find({ project, purpose, subject }) {
      const key = { project: yield* numbers.findProject(project), purpose, subject };
      const found = yield* selectOne.get(key);
      return found && fromColumns(found);
    },
    *isMadeElsewhere(key) {
      return (yield* selectMade.get(key)) !== undefined;
    },
    *hasMade(id, purpose, result) {
      const project = yield* numbers.findProject(id);
      return (yield* selectResult.get({ project, purpose, result })) !== undefined;
    },
    recover: (at, projects) =>
      recoverSent(store, selectSent, projects, function* (found) {
        const call = fromColumns(found);
        const nothing = { result: undefined, url: undefined, unsure: 0, anew: 0, unsent: 0 };
        const end = { ...nothing, state: "UNKNOWN", at, message: interrupted } as const;
        yield* writeEnd.run({ ...(yield* place(call)), ...end });
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
          message: interrupted,
          isApproved: call.purpose === "changelogPublish",
          subject: call.subject,
        });
      }),
    changes: {
      "send-call": (call) => put({ ...call, state: "SENT" }),
      "take-call": (call) => put({ ...call, state: "DONE" }),
      *"end-call"({ isUnsure = false, isAnew = false, isUnsent = false, post, ...call }) {
        const { project, purpose, subject, state, message, result, url } = call;
        const corrected = { project, subject, kind: auditKinds[purpose], message, post };
        if (state !== "UNKNOWN") yield* audit.correctCall({ ...corrected, isApplied: state === "DONE" });
        const asked = { unsure: Number(isUnsure), anew: Number(isAnew), unsent: Number(isUnsent) };
        const end = { ...call, result, url, ...asked };
        if ((yield* writeEnd.count({ ...end, ...(yield* place(call)) })) === 0)
          throw new Error(`The call ${purpose} for ${subject} is not open.`);
      },
    },
  };
}
