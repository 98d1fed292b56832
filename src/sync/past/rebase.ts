import type { Change } from "../../ledger/change.ts";
import type { IntentWrite } from "../../ledger/journal.ts";
import type { Row } from "../../model/link.ts";
import { rebaseIssues } from "../../plan/board-rules/rebase-board.ts";
import { canonical, readRules, writeRules } from "../../plan/ground/identity.ts";
import type { Settings } from "../../plan/ground/settings.ts";
import { standStill } from "../../plan/plan.ts";
import { type RebaseContext, retargetWrites } from "../../plan/rules/rebase.ts";
import { type BoardPull, type Cycle, rememberOfProject } from "../ground/cycle-state.ts";
import { rebasedBases, retargetOpen } from "../ground/retarget.ts";
import { eachDueRow } from "../ground/rows.ts";
import { rulesNow } from "../ground/settings-now.ts";
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

/**
 * A record whose fields are read from other places shows other values, and a category's name in the board rules may come to mean one:
 * nobody has changed a post, so its issues stay as they are. To be called when the board has been read.
 *
 * @param before with what the names meant until now.
 */
export async function rebaseMeanings(
  cycle: Cycle,
  before: Settings,
  { seen, kind }: BoardPull,
): Promise<void> {
  const { settings, memory, world } = cycle;
  const { reading } = world.policy;
  const isOther = memory.reading !== reading;
  const isReread = isOther && memory.reading !== undefined;
  const isNamed = before !== settings && canonical(before.boardRules) !== canonical(settings.boardRules);
  const context = { before: isReread ? undefined : before.boardRules, settings, seen };
  const changes: Change[] = [];
  if (isReread || isNamed) {
    await world.ledger.commit([{ kind: "mark-due", project: memory.id, which: "linked" }]);
    await eachDueRow(cycle, async (_, row) => {
      const issueBases = rebaseIssues(row, context);
      const bases = { base: isReread ? withoutPost(row.base) : {}, issueBases };
      changes.push({ kind: "set-bases", project: memory.id, post: row.post.id, bases });
    });
  }
  if (isOther && kind !== "incomplete") await rememberOfProject(cycle, { reading }, changes);
  else if (changes.length > 0) await world.ledger.commit(changes);
}

/** What a post showed is not known of any field. */
function withoutPost(base: Row["base"]): Row["base"] {
  return Object.fromEntries(
    Object.entries(base).map(([field, known]) => [field, { ...known, post: undefined, written: undefined }]),
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
    const aim = (writes: readonly IntentWrite[]) => retargetWrites(row, writes, context);
    changes.push(...(await retargetOpen(cycle.world, memory.id, row, aim)));
    const bases = rebasedBases(row, context);
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
