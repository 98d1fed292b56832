import type { Row } from "../model/link.ts";
import type { PostId } from "../model/post.ts";
import { adoptRow } from "../plan/plan.ts";
import { rulesPrint } from "../plan/print.ts";
import { createContext } from "./context.ts";
import type { Cycle } from "./cycle-state.ts";
import { eachDueRow } from "./due-rows.ts";

/**
 * Other rules make other targets, and that is no change of any issue: before the pull, every pair that is in step takes what
 * the new rules make of the facts that are known, and nothing is written for it. What changes from now on is a change like
 * any other. A pair with a change still to be written keeps its base, so that no real change is lost.
 */
export function rebase(cycle: Cycle): void {
  const { ledger, log } = cycle.world;
  const print = rulesPrint(cycle.settings);
  const known = cycle.memory.rulesPrint;
  if (known === print) return;
  ledger.transaction(() => {
    if (known !== undefined) {
      const apart = rebaseRows(cycle);
      log.warn(
        { project: cycle.project.key, posts: apart },
        "The rules have changed; posts that differ from what they ask now are left alone until their issue changes",
      );
    }
    const memory = ledger.memory.project(cycle.project.key) ?? cycle.memory;
    ledger.memory.rememberProject({ ...memory, rulesPrint: print });
  });
}

/** Returns how many posts differ from what the new rules ask. */
function rebaseRows(cycle: Cycle): number {
  const { ledger } = cycle.world;
  const changing = new Set<PostId>();
  eachDueRow(cycle, (row) => {
    if (!isAwaitingLook(row)) changing.add(row.post.id);
  });
  ledger.rows.markDue(cycle.memory.id, "linked");
  const context = createContext(cycle, new Set(cycle.memory.seen));
  let apart = 0;
  eachDueRow(cycle, (row, now) => {
    if (row.links.length === 0 || changing.has(row.post.id) || isPending(row)) return;
    const decision = adoptRow(row, context(now));
    if (decision.notes.some(({ kind }) => kind === "disagreement")) apart += 1;
    const notes = decision.notes.map(({ kind, message }) => ({ kind, message, since: now }));
    ledger.rows.record(cycle.memory.id, row.post.id, { ...decision, notes, due: "now" });
  });
  return apart;
}

/** Due for nothing but a look at what became of our own write: that its target was applied is known. */
function isAwaitingLook({ seenAt, openIntents }: Row): boolean {
  return seenAt === undefined && openIntents.length === 0;
}

function isPending({ base, openIntents }: Row): boolean {
  return (
    openIntents.includes("patch-post") || Object.values(base).some(({ pending }) => pending !== undefined)
  );
}
