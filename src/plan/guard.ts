import type { PullMeasure } from "../model/post.ts";
import type { GuardLimits } from "./ground/settings.ts";

/** What the guard looks at in an action. */
export interface GuardedAction {
  /** Issues that it opens or writes. */
  readonly issues: number;
  /** Whether voters are notified, or of the PATCH that follows it. */
  readonly isNotifying: boolean;
}

/** Why a kind of action is held in this run, as a sentence; undefined when it may go. */
export interface GuardHolds {
  readonly holdIssues: string | undefined;
  readonly holdStatuses: string | undefined;
}

/**
 * Looks over everything that is planned, before the first write: more than the limit of one kind holds all of that kind.
 * `recent.statusWrites` counts what voters were notified of in the last 60 minutes without an approval.
 *
 * @param planned without what a person has approved: that goes, and does not count.
 */
export function guard(
  planned: readonly GuardedAction[],
  recent: { readonly statusWrites: number },
  limits: Pick<GuardLimits, "issues" | "statuses">,
): GuardHolds {
  const issues = planned.reduce((sum, action) => sum + action.issues, 0);
  const statuses = planned.filter(({ isNotifying }) => isNotifying).length;
  const soFar = recent.statusWrites;
  return {
    holdIssues:
      issues > limits.issues
        ? `${issues === 1 ? "1 issue" : `${issues} issues`} would be created or changed by this run, and \`guard.issues\` allows ${limits.issues}`
        : undefined,
    holdStatuses:
      statuses > 0 && statuses + soFar > limits.statuses
        ? `${statuses === 1 ? "1 post would notify its voters" : `${statuses} posts would notify their voters`}, and \`guard.statuses\` allows ${limits.statuses} in 60 minutes${soFar === 0 ? "" : `: ${soFar} did already`}`
        : undefined,
  };
}

/**
 * A board that suddenly shows nothing, or less than half of what is linked: more likely another project, a lost permission
 * or a changed list than what people wanted. One linked post that disappears among others is everyday life.
 */
export function isShrunk({ posts, linked, linkedSeen }: PullMeasure): string | undefined {
  if (linked === 0) return undefined;
  if (posts === 0) return `the board shows no post at all, ${linked} of this project have issues`;
  const lost = linked - linkedSeen;
  if (lost < 2 || linkedSeen * 2 >= linked) return undefined;
  return `the board shows only ${linkedSeen} of the ${linked} posts that have issues`;
}
