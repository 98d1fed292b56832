import type { Change } from "../../ledger/change.ts";
import type { Row } from "../../model/link.ts";
import { type PostField, postFields, ruleFields } from "../../model/post.ts";
import { lookedAt } from "../../plan/board-rules/board-rules.ts";
import { rebaseIssues } from "../../plan/board-rules/rebase-board.ts";
import { categoryWords, nameCategories } from "../../plan/categories.ts";
import { canonical } from "../../plan/ground/identity.ts";
import { type BoardPull, type Cycle, rememberOfProject } from "../ground/cycle-state.ts";
import { eachDueRow } from "../ground/rows.ts";

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
 */
export async function rebaseMeanings(cycle: Cycle, pull: BoardPull): Promise<void> {
  const { memory, world } = cycle;
  const now = meaningsNow(cycle);
  const meanings = canonical(now);
  if (memory.meanings === meanings) return;
  const before = memory.meanings === undefined ? now : (JSON.parse(memory.meanings) as Meanings);
  const changes = await turnBases(cycle, pull, before, now);
  // What is held shows the posts another time.
  const isRead = pull.hold === undefined && pull.kind !== "incomplete";
  if (isRead) await rememberOfProject(cycle, { meanings }, changes);
  else if (changes.length > 0) await world.ledger.commit(changes);
}

function meaningsNow({ project, memory, world }: Cycle): Meanings {
  const pins = world.ledger.memory.categories(memory.id)?.pins ?? [];
  const words = categoryWords(project.settings).map((word) => [
    word,
    pins.find((pin) => pin.word === word)?.id ?? null,
  ]);
  return { fields: world.policy.fields, words: Object.fromEntries(words) };
}

async function turnBases(
  cycle: Cycle,
  { seen }: BoardPull,
  before: Meanings,
  now: Meanings,
): Promise<readonly Change[]> {
  const { settings, project, memory, world } = cycle;
  const moved = new Set(postFields.filter((field) => before.fields[field] !== now.fields[field]));
  // A word that is new to the config comes with a rule that is.
  const pins = Object.entries(now.words).flatMap(([word, id]) => {
    const meant = before.words[word] === undefined ? id : before.words[word];
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
