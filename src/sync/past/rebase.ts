import type { Change } from "../../ledger/change.ts";
import type { Row } from "../../model/link.ts";
import { type PostField, postFields, ruleFields } from "../../model/post.ts";
import { lookedAt } from "../../plan/board-rules/board-rules.ts";
import { rebaseIssues } from "../../plan/board-rules/rebase-board.ts";
import { categoryWords, nameCategories } from "../../plan/categories.ts";
import { canonical, readRules, writeRules } from "../../plan/ground/identity.ts";
import { standStill } from "../../plan/plan.ts";
import type { RebaseContext } from "../../plan/rules/rebase.ts";
import { type BoardPull, type Cycle, rememberOfProject } from "../ground/cycle-state.ts";
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
  if (known === undefined) return rememberOfProject(cycle, { rules });
  // What only the new rules look at has not been read yet, and without it they make nothing of the known facts.
  await readSignals(cycle, "unknown");
  const { changes, apart: posts } = await rebaseRows(cycle, known);
  await rememberOfProject(cycle, { rules }, changes);
  if (posts === 0) return;
  log.warn(
    { project: cycle.project.key, posts },
    "The rules have changed; what they alone would change waits until `boardsync approve` lets it go",
  );
}

/**
 * What the new rules make of all pairs: committed as one, so that no two pairs ever stand under different rules. `apart`: how many
 * posts stand elsewhere than the new rules ask.
 */
async function rebaseRows(cycle: Cycle, known: string) {
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

/** What makes values out of records, and ids out of words, beside the rules. */
interface Meanings {
  /** Where the config says a record has a field. */
  readonly fields: Readonly<Partial<Record<PostField, string>>>;
  /** The categories that words of the config mean; null: none yet. */
  readonly words: Readonly<Record<string, string | null>>;
}

/**
 * A field that is read from another place shows other values, and a category's name may come to mean one: nobody has changed a post, so
 * its issues stay as they are. To be called when the board has been read.
 *
 * @param used - categories that posts were known to be in before that: one that a post has just been put into is a change.
 */
export async function rebaseMeanings(
  cycle: Cycle,
  pull: BoardPull,
  used: ReadonlySet<string>,
): Promise<void> {
  const { memory, world } = cycle;
  const now = meaningsNow(cycle);
  const meanings = canonical(now);
  if (memory.meanings === meanings) return;
  const before = meaningsOf(memory) ?? now;
  const changes = await turnBases(cycle, pull, before, now, used);
  // What is left out as another board's is shown another time. Some lists never come to their end.
  const isRead = pull.isOther !== true && pull.posts > 0;
  if (isRead) await rememberOfProject(cycle, { meanings }, changes);
  else if (changes.length > 0) await world.ledger.commit(changes);
}

/** The categories that the project's posts are known to be in, where a word of the board rules has yet to come to mean one. */
export async function usedCategories({ project, memory, world }: Cycle): Promise<ReadonlySet<string>> {
  const pins = world.ledger.memory.categories(memory.id)?.pins ?? [];
  const words = project.settings.boardRules.flatMap(({ when }) => when.category ?? []);
  const isPinned = words.every((word) => pins.some((pin) => pin.word === word));
  // A process may have ended between the pin and the bases.
  if (isPinned && !Object.values(meaningsOf(memory)?.words ?? {}).includes(null)) return new Set();
  return new Set(await world.ledger.rows.shown(memory.id, "categoryId"));
}

function meaningsOf({ meanings }: Cycle["memory"]): Meanings | undefined {
  return meanings === undefined ? undefined : (JSON.parse(meanings) as Meanings);
}

function meaningsNow({ project, memory, world }: Cycle): Meanings {
  // A field's own name says nothing new.
  const fields = Object.fromEntries(
    Object.entries(world.policy.fields).filter(([field, place]) => field !== place),
  );
  const pins = world.ledger.memory.categories(memory.id)?.pins ?? [];
  const words = categoryWords(project.settings).map((word) => [
    word,
    pins.find((pin) => pin.word === word)?.id ?? null,
  ]);
  return { fields, words: Object.fromEntries(words) };
}

async function turnBases(
  cycle: Cycle,
  { seen }: BoardPull,
  before: Meanings,
  now: Meanings,
  used: ReadonlySet<string>,
): Promise<readonly Change[]> {
  const { settings, project, memory, world } = cycle;
  const moved = new Set(postFields.filter((field) => before.fields[field] !== now.fields[field]));
  // A word that is new to the config comes with a rule that is.
  const pins = Object.entries(now.words).flatMap(([word, id]) => {
    const known = before.words[word];
    const isNews = known === undefined || (known === null && id !== null && !used.has(id));
    const meant = isNews ? id : known;
    return meant === null ? [] : [{ word, id: meant }];
  });
  const { boardRules } = nameCategories(project.settings, pins);
  const isNamed = canonical(boardRules) !== canonical(settings.boardRules);
  const isLookedAt = lookedAt(settings.boardRules).some(({ field }) => moved.has(field));
  if (!isLookedAt && !isNamed && !ruleFields.some((field) => moved.has(field))) return [];
  const context = { before: isLookedAt ? undefined : boardRules, settings, seen };
  const changes: Change[] = [];
  await world.ledger.commit([{ kind: "mark-due", project: memory.id, which: "linked" }]);
  await eachDueRow(cycle, async (_, row) => {
    const issueBases = isLookedAt || isNamed ? rebaseIssues(row, context) : [];
    const bases = { base: withoutPost(row.base, moved), issueBases };
    changes.push({ kind: "set-bases", project: memory.id, post: row.post.id, bases });
  });
  return changes;
}

/** Of these fields nobody knows any more what the post showed. */
function withoutPost(base: Row["base"], moved: ReadonlySet<string>): Row["base"] {
  return Object.fromEntries(
    Object.entries(base)
      .filter(([field]) => moved.has(field))
      .map(([field, known]) => [field, { ...known, post: undefined, written: undefined }]),
  );
}
