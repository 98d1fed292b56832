import { RemoteError } from "../../errors.ts";
import type { CategoriesMemory } from "../../ledger/memory.ts";
import type { Category } from "../../model/post.ts";
import { categoryWords, pinCategories } from "../../plan/categories.ts";
import { listArguments } from "../../plan/text/arguments.ts";
import { TemplateError } from "../../plan/text/template.ts";
import type { BoardPull, Cycle } from "../ground/cycle-state.ts";
import { lookOnce } from "../ground/looks.ts";
import { closureBy, isPutOff, noteError } from "../ground/report.ts";
import { settingsNow } from "../ground/settings-now.ts";

/**
 * Finds out what the config's names for categories mean: by the records of the pull, and by the board's own tool, which is asked every
 * `fullEvery`, and in each run in which a name means nothing. Nothing is kept or asked where the config names no category.
 *
 * @returns the cycle with the ids in its settings.
 */
export async function pullCategories(cycle: Cycle, { categories: shown }: BoardPull): Promise<Cycle> {
  const { project, memory, world } = cycle;
  const { ledger } = world;
  const words = categoryWords(project.settings);
  const { body, title } = project.templates;
  // To read the templates would take longer than all else of an idle run.
  const isNamed = words.length > 0 || [body, title].some((one) => one.includes("category"));
  if (!isNamed) return cycle;
  const none = { project: memory.id, categories: [], pins: [], listedAt: undefined };
  const known: CategoriesMemory = ledger.memory.categories(memory.id) ?? none;
  const merged = merge(known.categories, shown);
  const listed = await listCategories(cycle, { ...known, categories: merged }, words);
  const { categories, at } = listed ?? { categories: merged, at: known.listedAt };
  const now: CategoriesMemory = {
    project: memory.id,
    categories,
    pins: pinCategories(words, { categories, pins: known.pins }),
    listedAt: at ?? known.listedAt,
    ...(listed?.isPartial === true && { isUnlisted: true }),
  };
  if (JSON.stringify(now) !== JSON.stringify(known))
    await ledger.commit([{ kind: "remember-categories", memory: now }]);
  const settings = settingsNow(project, memory.id, ledger.memory);
  const open = [
    ...Object.keys(settings.openCategories?.words ?? {}),
    ...(settings.openCategories?.written ?? []),
  ];
  if (open.length > 0) world.log.warn({ project: project.key, categories: open }, untold);
  return { ...cycle, settings };
}

const untold =
  "Nobody knows yet which categories these names of the config mean: the board's list could not be read as a whole, or several are called so. Posts that may be in one get no issue, and are left as they are by rules for it";

/** A name that a record shows now replaces the one before. */
function merge(known: readonly Category[], shown: ReadonlyMap<string, string>): readonly Category[] {
  const names = new Map([...known.map(({ id, name }): [string, string] => [id, name]), ...shown]);
  return [...names]
    .map(([id, name]) => ({ id, name }))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

/**
 * What the board's tool shows; undefined where it need not be asked. Where it could not be, what is known stays.
 *
 * @returns `at`: epoch ms; undefined where it showed nothing. `isPartial`: whether there may be others.
 */
async function listCategories(cycle: Cycle, known: CategoriesMemory, words: readonly string[]) {
  const { world, run, tally } = cycle;
  const { tools, clock, policy } = world;
  if (tools === undefined || !tools.purposes.has("categories")) return undefined;
  const pinned = pinCategories(words, known);
  const isOpen = words.some(
    (word) => !pinned.some((pin) => pin.word === word) && !known.categories.some(({ id }) => id === word),
  );
  const isDue = known.listedAt === undefined || clock.now() - known.listedAt >= policy.fullEveryMs;
  if (!isOpen && !isDue) return undefined;
  const unread = { categories: known.categories, at: undefined, isPartial: true };
  try {
    const args = listArguments(cycle.project.settings.categoryArgs ?? {}, "categories", cycle.memory.id);
    const list = await lookOnce(cycle, `categories of ${cycle.memory.id}`, () =>
      tools.list("categories", args, run.bounds),
    );
    // It was asked in this run already.
    if (list === undefined) return { ...unread, isPartial: known.isUnlisted === true };
    const named = list.records.flatMap(({ id, title }) =>
      title === undefined ? [] : [[id, title] as const],
    );
    // What a whole list lacks is gone; of a part nothing is believed to be.
    const before = list.isComplete ? [] : known.categories;
    return { categories: merge(before, new Map(named)), at: clock.now(), isPartial: !list.isComplete };
  } catch (error) {
    if (error instanceof TemplateError) {
      const message = `The board's categories are not asked for, since a template fails: ${error.message}.`;
      noteError(tally, { code: "config.template", message });
      return unread;
    }
    if (!(error instanceof RemoteError)) throw error;
    if (isPutOff(error)) tally.putOff.push(closureBy(error, run));
    else noteError(tally, error);
    return unread;
  }
}
