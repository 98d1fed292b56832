import type { Ledger } from "../../ledger/ledger.ts";
import type { RepositoryId } from "../../model/issue.ts";
import type { PostField } from "../../model/post.ts";
import { settingsPrint } from "../../plan/ground/identity.ts";
import { isAllowed } from "../../plan/ground/obstacle.ts";
import type { PlanContext, Redacted, Settings } from "../../plan/ground/settings.ts";
import { unshownValues } from "../../plan/named-values.ts";
import { namesOfRules } from "../../plan/rules/pins.ts";
import { unseenConditions } from "../../plan/select.ts";
import type { BoardPull, Course, Cycle, PulledCycle } from "./cycle-state.ts";
import { projectNow, rememberOfProject } from "./cycle-state.ts";
import { isPreview } from "./order.ts";
import { type Policy, type Run, repositoryNames } from "./world.ts";

/** Makes a cycle ready for decisions, and every row due when the settings or the time for a full look ask for it. */
export async function planContext(cycle: Cycle, pull: BoardPull): Promise<PulledCycle> {
  const isFirst = await markRowsForFullLook(cycle);
  warnOfUnseen(cycle, pull);
  if (isFirst || isPreview(cycle.run)) await warnOfUnshown(cycle, pull);
  return { ...cycle, pull, context: createContext(cycle, pull.seen) };
}

/** The part of a cycle that decisions depend on. */
export interface Deciding extends Pick<Cycle, "project" | "memory" | "settings"> {
  readonly world: {
    readonly policy: Pick<Policy, "boardHash" | "waits" | "fullEveryMs">;
    readonly ledger: Pick<Ledger, "rows" | "memory" | "signals" | "absences">;
  };
  readonly run: Pick<Run, "order">;
  readonly course: Pick<Course, "pins">;
}

/** The planner's context of a project, for the fields that its board shows. */
export function createContext(
  { project, world: { policy, ledger }, run, course, memory, ...cycle }: Deciding,
  seen: ReadonlySet<PostField>,
): (now: number) => Promise<PlanContext> {
  // `writes` holds writes back, not the look at what they would be.
  const settings: Settings = isPreview(run) ? { ...cycle.settings, writes: "all" } : cycle.settings;
  const { categoryLabels } = settings.issue;
  const known = ledger.memory.categories(memory.id)?.categories ?? [];
  const categoryNames = new Map(known.map(({ id, name }) => [id, name]));
  const names = { categoryLabels, categoryNames };
  let linked: readonly RepositoryId[] | undefined;
  // A run may find out before its first write that a repository has turned public.
  const text = () => ({
    board: policy.boardHash,
    project: memory.id,
    redact: redactedOf(settings, ledger, linked),
    ...names,
  });
  const render: PlanContext["render"] = (post, others) =>
    project.renderer.render(post, { ...text(), others });
  const renderComment: PlanContext["renderComment"] = (template, post) =>
    project.renderer.comment(template, post, text());
  const isCut = memory.seen.some((field) => !seen.has(field));
  const isBoardReadOnly = !isAllowed({ kind: "patch-post" }, cycle.settings);
  const setsStatus = settings.rules.some(({ set }) => typeof set.status === "string");
  const namesAny = Object.values(namesOfRules(settings.rules)).some((names) => names.length > 0);
  let statuses: readonly string[] | undefined;
  return async (now) => {
    linked ??= await ledger.absences.linkedRepositories(memory.id);
    // All posts are looked through for them, once, where anything is decided at all.
    statuses ??= setsStatus ? await ledger.rows.shown(memory.id, "status") : [];
    course.pins ??= namesAny ? await ledger.signals.pins(memory.id) : [];
    const { pins } = course;
    const pinsOf: PlanContext["pinsOf"] = (name) => {
      const id = ledger.memory.repository(name)?.repository.id;
      return pins.filter(({ repositoryId }) => repositoryId === id);
    };
    const known = { settings, seen, statuses, render, renderComment, pinsOf, now };
    return {
      ...known,
      patchMs: policy.waits.patchMs,
      fullEveryMs: policy.fullEveryMs,
      ...(isCut && { isCut }),
      ...(isBoardReadOnly && { isBoardReadOnly }),
    };
  };
}

/**
 * What nobody has set follows from who can read the issues: one public repository is enough, and so is one that is not known.
 * Posts may have issues where the config opens none any more.
 */
function redactedOf(
  settings: Settings,
  { memory }: Pick<Ledger, "memory">,
  linked: readonly RepositoryId[] = [],
): readonly Redacted[] {
  if (settings.issue.redact !== undefined) return settings.issue.redact;
  const all = [
    ...repositoryNames(settings).map((name) => memory.repository(name)),
    ...linked.map((id) => memory.repositoryById(id)),
  ];
  return all.every((one) => one?.repository.isPrivate === true) ? [] : ["email", "phone"];
}

/** A setting that looks at a field which the board never shows selects nothing, or writes blindly: said in every run. */
function warnOfUnseen({ world, settings, project }: Cycle, { seen, kind }: BoardPull): void {
  if (kind === "incomplete" || seen.size === 0) return;
  const unseen = unseenConditions(settings, seen);
  if (unseen.length === 0) return;
  world.log.warn(
    { project: project.key, settings: unseen },
    "The board shows no field for these settings; `boardsync check` says more",
  );
}

/**
 * A setting that looks for a value which no post shows selects nothing, and may be the name of a category where its id is wanted:
 * said by each plan, and by a run whenever all is looked at anew. Only a whole list tells.
 */
async function warnOfUnshown(
  { world, run, settings, project, memory }: Cycle,
  { seen, kind, posts }: BoardPull,
): Promise<void> {
  if (kind !== "complete" || posts === 0) return;
  const { rows } = world.ledger;
  const shown = {
    status: await rows.shown(memory.id, "status"),
    categoryId: await rows.shown(memory.id, "categoryId"),
  };
  const found = unshownValues(settings, shown);
  const isSelectEmpty = settings.select.statuses?.every((status) =>
    found.some(({ where, value }) => where === "select.statuses" && value === status),
  );
  // A status without posts is usual, and only a plan says it. A run warns where no post has any of those that are selected.
  const isNews = ({ field, where }: (typeof found)[number]): boolean =>
    isPreview(run) || field === "categoryId" || (isSelectEmpty === true && where === "select.statuses");
  // Of a field that no post shows it is said as such.
  const unshown = found.filter((one) => seen.has(one.field) && isNews(one));
  if (unshown.length === 0) return;
  world.log.warn(
    { project: project.key, settings: unshown.map(({ where, value }) => `${where}: ${value}`) },
    "No post shows these values of the config; `boardsync check` lists those in use",
  );
}

/** @returns whether all rows are to be looked at: the settings are new, or it is time. */
async function markRowsForFullLook(cycle: Cycle): Promise<boolean> {
  const { ledger, clock, policy } = cycle.world;
  const memory = projectNow(cycle);
  const now = clock.now();
  const print = settingsPrint(cycle.settings, cycle.project.templates);
  const { fullAt = Number.NEGATIVE_INFINITY } = memory;
  // Texts that are there may show what nobody but the repository's own people was to see.
  const hasTurnedPublic = [...cycle.repositories.values()].some(({ repository: { id } }) => {
    const { publicSince } = ledger.memory.repositoryById(id) ?? {};
    return publicSince !== undefined && publicSince > fullAt;
  });
  const isFresh = now - fullAt < policy.fullEveryMs && !hasTurnedPublic;
  // What `writes` has held back is decided already; a plan shows it all the same.
  const isShown = isPreview(cycle.run) && cycle.settings.writes !== "all";
  const isFirst = !isFresh || memory.settingsPrint !== print;
  if (!isFirst && !isShown) return false;
  await rememberOfProject(cycle, { settingsPrint: print, fullAt: isFresh ? memory.fullAt : now }, [
    { kind: "mark-due", project: memory.id, which: "all" },
  ]);
  return isFirst;
}
