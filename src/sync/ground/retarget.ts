import type { Change } from "../../ledger/change.ts";
import type { RowRecord } from "../../ledger/rows.ts";
import type { FieldWrite, Row } from "../../model/link.ts";
import type { ProjectId } from "../../model/post.ts";
import { rebaseIssues } from "../../plan/board-rules/rebase-board.ts";
import { type RebaseContext, rebaseRow } from "../../plan/rules/rebase.ts";
import type { World } from "./world.ts";

/**
 * A PATCH of the post that is under way was asked for before: its writes get the targets that are asked for by now, so that it is no
 * reason to write again once it is applied.
 */
export async function retargetOpen(
  { ledger }: Pick<World, "ledger">,
  project: ProjectId,
  { post, openIntents }: Pick<Row, "post" | "openIntents">,
  aim: (writes: readonly FieldWrite[]) => readonly FieldWrite[],
): Promise<readonly Change[]> {
  if (!openIntents.includes("patch-post")) return [];
  const open = (await ledger.journal.open(project)).filter(
    (intent) => intent.kind === "patch-post" && intent.post === post.id,
  );
  return open.map(({ id, writes = [] }) => ({ kind: "retarget", intent: id, writes: aim(writes) }));
}

/** The bases of a row under other rules than those before. */
export function rebasedBases(
  row: Row,
  context: RebaseContext,
): Required<Pick<RowRecord, "base" | "issueBases">> {
  const before = context.before?.boardRules ?? [];
  return { base: rebaseRow(row, context), issueBases: rebaseIssues(row, { ...context, before }) };
}
