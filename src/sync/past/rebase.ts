import type { Change } from "../../ledger/change.ts";
import { readRules, writeRules } from "../../plan/ground/identity.ts";
import { standStill } from "../../plan/plan.ts";
import type { RebaseContext } from "../../plan/rules/rebase.ts";
import { type Cycle, rememberOfProject } from "../ground/cycle-state.ts";
import { eachDueRow } from "../ground/rows.ts";
import { rulesNow, underRules } from "../ground/settings-now.ts";
import { readSignals } from "../read/signals/pull-signals.ts";

/**
 * Other rules make other targets, and that is no change of any issue: before the pull every pair takes what the new rules
 * make of the facts that are known. What the rules alone would change waits for a person; what has changed on an issue since
 * it was last decided, and whatever changes from now on, is a change like any other.
 *
 * @throws RemoteError when what the new rules look at can't be asked for: the rules before stay in force.
 */
export async function rebase(cycle: Cycle): Promise<void> {
  const { log } = cycle.world;
  const rules = writeRules(cycle.project.settings);
  const known = cycle.memory.rules;
  if (known === rules) return;
  // What only the new rules look at has not been read yet, and without it they make nothing of the known facts.
  if (known !== undefined) await readSignals(cycle, "unknown");
  const rebased = known === undefined ? nothing : await rebaseRows(cycle, known);
  await rememberOfProject(cycle, { rules }, rebased.changes);
  if (rebased.apart === 0) return;
  log.warn(
    { project: cycle.project.key, posts: rebased.apart },
    "The rules have changed; what they alone would change waits until `boardsync approve` lets it go",
  );
}

interface Rebased {
  readonly changes: readonly Change[];
  /** How many posts stand elsewhere than the new rules ask. */
  readonly apart: number;
}

const nothing: Rebased = { changes: [], apart: 0 };

/** What the new rules make of all pairs: committed as one, so that no two pairs ever stand under different rules. */
async function rebaseRows(cycle: Cycle, known: string): Promise<Rebased> {
  const { ledger, clock } = cycle.world;
  const { memory, settings } = cycle;
  const context: RebaseContext = {
    before: rulesNow(readRules(known), memory.id, ledger.memory),
    settings,
    seen: new Set(memory.seen),
    now: clock.now(),
  };
  await ledger.commit([{ kind: "mark-due", project: memory.id, which: "linked" }]);
  const changes: Change[] = [];
  let apart = 0;
  await eachDueRow(cycle, async (_, row) => {
    if (row.links.length === 0) return;
    const { bases, changes: aims } = await underRules(cycle.world, memory.id, row, context);
    changes.push(...aims);
    if (Object.values(bases.base).some(({ ruled, isAwaited }) => ruled && !isAwaited)) apart += 1;
    const record = {
      ...standStill(row),
      ...bases,
      due: "now",
      // What was held is held under the new rules, too, as long as these ask for it.
      notes: (row.notes ?? []).filter(({ kind, action }) => kind === "held" && action),
    } as const;
    changes.push({ kind: "record-row", project: memory.id, post: row.post.id, record });
  });
  return { changes, apart };
}
