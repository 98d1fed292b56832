import { isStuck } from "../../ledger/journal.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { ProjectMemory } from "../../ledger/memory.ts";
import type { RowCounts } from "../../ledger/rows.ts";

/**
 * What waits in a project, for all who tell of it. To what its posts count is added what is no post's: drafts of its changelog that
 * are held, calls of the board's tools that are stuck, and the hold of the project as a whole.
 *
 * @param memory - undefined where it never ran.
 * @param isHeld - whether its last run held it as a whole.
 */
export async function countProject(
  { rows, toolCalls }: Pick<Ledger, "rows" | "toolCalls">,
  memory: ProjectMemory | undefined,
  isHeld: boolean,
): Promise<RowCounts | undefined> {
  if (memory === undefined) return undefined;
  const { held, approvable, parked, ...counts } = await rows.counts(memory.id);
  const drafts = memory.changelog?.entries.filter((entry) => entry.held !== undefined).length ?? 0;
  const stuck = (await toolCalls.unsettled(memory.id)).filter(isStuck).length;
  return {
    ...counts,
    held: Math.max(held, Number(isHeld)) + drafts,
    approvable: Math.max(approvable, Number(isHeld)) + drafts,
    parked: parked + stuck,
  };
}
