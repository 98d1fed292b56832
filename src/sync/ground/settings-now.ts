import type { Memory } from "../../ledger/memory.ts";
import type { ProjectId } from "../../model/post.ts";
import { nameCategories } from "../../plan/categories.ts";
import type { RuleSettings, Settings } from "../../plan/ground/settings.ts";
import type { SyncProject } from "./world.ts";

/** The settings of a project, with the ids of categories in the place of their names, as far as these are known. */
export function settingsNow(
  { settings }: Pick<SyncProject, "settings">,
  project: ProjectId,
  memory: Pick<Memory, "categories">,
): Settings {
  return { ...nameCategories(settings, memory.categories(project)?.pins ?? []), project };
}

/** Rules that an earlier run has kept by the config's words, in the same way. */
export function rulesNow(
  rules: RuleSettings | undefined,
  project: ProjectId,
  memory: Pick<Memory, "categories">,
): RuleSettings | undefined {
  return rules && nameCategories(rules, memory.categories(project)?.pins ?? []);
}
