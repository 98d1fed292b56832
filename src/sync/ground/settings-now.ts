import type { Change } from "../../ledger/change.ts";
import type { Memory, ProjectMemory } from "../../ledger/memory.ts";
import type { FieldWrite, Row } from "../../model/link.ts";
import type { PostField, ProjectId } from "../../model/post.ts";
import { rebaseIssues } from "../../plan/board-rules/rebase-board.ts";
import { nameCategories, openCategories } from "../../plan/categories.ts";
import { readRules, writeRules } from "../../plan/ground/identity.ts";
import type { RuleSettings, Settings } from "../../plan/ground/settings.ts";
import { type RebaseContext, rebaseRow, retargetWrites } from "../../plan/rules/rebase.ts";
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

/** A row under other rules than those before: its bases, and what the PATCH that is under way is to aim at. */
export async function underRules(
  world: Pick<World, "ledger">,
  project: ProjectId,
  row: Row,
  context: RebaseContext,
) {
  const before = context.before?.boardRules ?? [];
  const bases = { base: rebaseRow(row, context), issueBases: rebaseIssues(row, { ...context, before }) };
  const changes = await retargetOpen(world, project, row, (writes) => retargetWrites(row, writes, context));
  return { bases, changes };
}
