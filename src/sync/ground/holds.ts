import type { PlannedChange } from "../../ledger/rows.ts";
import type { PostId } from "../../model/post.ts";
import type { ActionKind } from "../../plan/action.ts";

/** An action of a post, by what it would write. */
export interface AskedChange {
  readonly post: PostId;
  readonly kind: ActionKind;
  /** undefined for a hold of an older version, which names its kind alone. */
  readonly planned: PlannedChange | undefined;
}

/**
 * Whether what was held is asked for still. A new issue is the same whatever its text is by now. A PATCH or a change of an issue
 * is the same where it would set the same status, or, without one, some field to the same value: what is there before, and what
 * else goes along, may have changed meanwhile.
 */
export function isSameAsked(held: AskedChange, asked: AskedChange): boolean {
  if (held.post !== asked.post || held.kind !== asked.kind) return false;
  if (held.kind === "create-issue" || held.planned === undefined || asked.planned === undefined) return true;
  const { changes } = asked.planned;
  const heard = held.planned.changes.filter(({ field }) => field === "status");
  const named = heard.length > 0 ? heard : held.planned.changes;
  return named.some(({ field, to }) => changes.some((one) => one.field === field && one.to === to));
}
