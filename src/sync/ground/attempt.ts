import { RemoteError } from "../../errors.ts";
import type { PostId } from "../../model/post.ts";
import { TemplateError } from "../../plan/text/template.ts";
import type { Cycle, PulledCycle } from "./cycle-state.ts";
import { closeLane, noteLimitOf } from "./lane.ts";
import { postpone } from "./record.ts";
import { closureBy, isPutOff, noteBug, noteError } from "./report.ts";
import type { Outcome } from "./verdict.ts";

/**
 * Does what belongs to one post. Whatever fails in it is the failure of this post alone; a limit or a refused credential also
 * ends its lane for this run, and only a state that can't be used ends more.
 *
 * @throws StateError
 */
export async function attempt<T>(
  cycle: PulledCycle,
  { post }: { readonly post: PostId },
  work: () => Promise<T>,
): Promise<T | Outcome> {
  try {
    return await work().catch((error: unknown) => noteRead(cycle, post, error));
  } catch (error) {
    return notePost(cycle, post, error);
  }
}

/**
 * The same for what asks nobody. A row that can't be decided stays due: the others go on, and the next run tries again.
 *
 * @returns undefined where it failed.
 * @throws StateError
 */
export async function attemptNow<T>(
  cycle: Cycle,
  post: PostId,
  work: () => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    notePost(cycle, post, error);
    return undefined;
  }
}

async function noteRead(cycle: PulledCycle, post: PostId, error: unknown): Promise<Outcome> {
  if (!(error instanceof RemoteError)) throw error;
  await noteLimitOf(cycle.world, error);
  const { code, message, fault, concerns } = error;
  if (fault === "unauthorized" && concerns === "all") closeLane(cycle.run, error, { code, message });
  if (isPutOff(error)) {
    const closure = closureBy(error, cycle.run);
    // The end of the time closes every lane by itself; that of reading closes none for what is written.
    if (fault === "limited") closeLane(cycle.run, error, closure);
    return postpone(cycle, closure);
  }
  noteError(cycle.tally, error, { post });
  return { kind: "failed", why: message };
}

function notePost({ tally, world, project }: Cycle, post: PostId, error: unknown): Outcome {
  if (!(error instanceof TemplateError)) {
    return { kind: "failed", why: noteBug(tally, { project: project.key, post }, error, world.log) };
  }
  const why = `A template of the config fails on this post, so nothing is written for it: ${error.message}. Correct the template; the next run tries again.`;
  noteError(tally, { post, code: "config.template", message: why });
  return { kind: "failed", why };
}
