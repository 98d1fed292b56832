import type { Side } from "../../errors.ts";
import { canonical } from "../../plan/ground/identity.ts";
import { isAllowed } from "../../plan/ground/obstacle.ts";
import type { Closure, SyncProject, World } from "./world.ts";

/**
 * Why a write to a side may not leave any more, although this run has decided it: the config was read anew since the run began, and
 * turns writes off, or is another one for the project. undefined while it may. Asked before each request that writes; nothing is lost,
 * since the row stays due, and the next run goes by the new config.
 */
export function stopOf(
  { world, project }: { readonly world: Pick<World, "changed">; readonly project: SyncProject },
  side: Side,
): Closure | undefined {
  const changed = world.changed?.();
  if (changed === undefined) return undefined;
  const why = whyStopped(project, changed.projects, side) ?? (changed.hasOtherSides ? otherSides : undefined);
  if (why === undefined) return undefined;
  return { code: "config.changed", message: `${why} since ${new Date(changed.at).toISOString()}` };
}

const otherSides = "the config names another board or tracker";

function whyStopped(before: SyncProject, projects: readonly SyncProject[], side: Side): string | undefined {
  const now = projects.find(({ key }) => key === before.key);
  if (now === undefined) return "the config does not name the project any more";
  const { writes } = now.settings;
  const kind = side === "board" ? "patch-post" : "change-issue";
  if (!isAllowed({ kind }, now.settings)) return `writes are off (\`writes: ${writes}\` in the config)`;
  return print(before) === print(now) ? undefined : "the config is another one for the project";
}

/** Of all that a decision depends on, but for `writes`. */
function print({ settings, templates }: SyncProject): string {
  return canonical({ settings: { ...settings, writes: "all" }, templates });
}
