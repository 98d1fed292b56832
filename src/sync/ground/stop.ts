import type { Closure, World } from "./world.ts";

/**
 * Why nothing may leave any more, although this run has decided it: another config was read since the run began. undefined while it
 * may. Asked before each request that writes; nothing is lost, since the row stays due, and the next run goes by the new config.
 */
export function stopOf({ changedAt }: Pick<World, "changedAt">): Closure | undefined {
  const at = changedAt?.();
  if (at === undefined) return undefined;
  const message = `another config was read at ${new Date(at).toISOString()}, and the next run goes by that`;
  return { code: "config.changed", message };
}
