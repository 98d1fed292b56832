import { RemoteError } from "../errors.ts";
import type { PostId } from "../model/post.ts";
import type { ActionKind } from "../plan/action.ts";
import type { PulledCycle } from "./cycle-state.ts";
import { noteLimitOf } from "./limits.ts";
import { postpone, recordRow } from "./record.ts";
import { isPutOff, noteError } from "./report.ts";

/**
 * Does what belongs to one post. A read that fails in it is the failure of this post alone; a limit or a refused key also
 * ends its side for this run.
 */
export async function attempt(
  cycle: PulledCycle,
  action: { readonly post: PostId; readonly kind: ActionKind },
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    noteLimitOf(cycle.world, error);
    const { code, message, side, fault } = error;
    if (isPutOff(error) || fault === "unauthorized") cycle.run.closed[side] ??= { code, message };
    if (isPutOff(error)) {
      postpone(cycle, action, message);
      return;
    }
    noteError(cycle.tally, { post: action.post, code, message });
    recordRow(cycle, action.post);
  }
}
