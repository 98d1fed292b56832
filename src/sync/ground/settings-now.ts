import type { Memory, ProjectMemory } from "../../ledger/memory.ts";
import type { PostField, ProjectId } from "../../model/post.ts";
import { nameCategories, openCategories } from "../../plan/categories.ts";
import { readRules, writeRules } from "../../plan/ground/identity.ts";
import type { RuleSettings, Settings } from "../../plan/ground/settings.ts";
import type { Cycle } from "./cycle-state.ts";
import type { SyncProject, World } from "./world.ts";

/** The settings of a project, with the ids of categories in the place of their names, as far as these are known. */
export function settingsNow(
  { settings }: Pick<SyncProject, "settings">,
  project: ProjectId,
  memory: Pick<Memory, "categories">,
): Settings {
  const known = memory.categories(project);
  const open = known && openCategories(settings, known);
  return { ...nameCategories(settings, known?.pins ?? []), project, ...(open && { openCategories: open }) };
}

/** Rules that an earlier run has kept by the config's words, in the same way. */
export function rulesNow(
  rules: RuleSettings | undefined,
  project: ProjectId,
  memory: Pick<Memory, "categories">,
): RuleSettings | undefined {
  return rules && nameCategories(rules, memory.categories(project)?.pins ?? []);
}

/** The rules by which a project's bases were made, and the fields that its board shows; undefined where no run of it has decided anything yet. */
export function rulesOf(
  { world, memory, settings }: Pick<Cycle, "world" | "memory" | "settings">,
  project: ProjectId,
): { readonly settings: RuleSettings; readonly seen: ReadonlySet<PostField> } | undefined {
  const { ledger } = world;
  const known = project === memory.id ? memory : ledger.memory.projectById(project);
  const rules = project === memory.id ? writeRules(settings) : known?.rules;
  const read = rulesNow(rules === undefined ? undefined : readRules(rules), project, ledger.memory);
  return known && read && { settings: read, seen: new Set(known.seen) };
}

/** A project of the config, by the board's id. */
export function findSynced(
  { ledger, policy }: Pick<World, "ledger" | "policy">,
  project: ProjectId,
): ProjectMemory | undefined {
  return policy.projectKeys.map((key) => ledger.memory.project(key)).find((memory) => memory?.id === project);
}
