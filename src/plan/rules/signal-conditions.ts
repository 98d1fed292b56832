import type { LinkedPullRequest, Readable } from "../../model/issue.ts";
import { includesName } from "../ground/issue-fields.ts";
import type { PullRequestWish } from "../ground/settings.ts";
import type { IssueConditions, Truth } from "./condition.ts";
import { isInMilestone } from "./pins.ts";
import { projectFieldKey } from "./signals.ts";

/** Told by what is read beside an issue's own record. */
export type SignalCondition = "subIssues" | "projectStatus" | "pullRequest" | "released";

/** What may be unknown: then neither the condition nor its opposite holds. */
export const signalConditions: IssueConditions<SignalCondition> = {
  subIssues: {
    holds: ({ signals }, wanted) =>
      judgeSignal("`subIssues`", signals?.subIssues, ({ total, closed }) =>
        wanted === "all-closed" ? total > 0 && closed === total : closed > 0,
      ),
    follows: ({ subIssues }, wanted) =>
      subIssues === wanted || (subIssues === "all-closed" && wanted === "some-closed"),
  },
  projectStatus: {
    holds: ({ signals }, wanted) =>
      judgeSignal(
        `\`projectStatus\` (${wanted.field} of project ${wanted.owner}/${wanted.project})`,
        signals?.projectStatus?.[projectFieldKey(wanted)],
        (option) => option !== null && includesName(wanted.is, option),
      ),
    follows: ({ projectStatus }, wanted) =>
      projectStatus !== undefined &&
      projectFieldKey(projectStatus) === projectFieldKey(wanted) &&
      projectStatus.is.every((option) => includesName(wanted.is, option)),
  },
  pullRequest: {
    holds: ({ signals }, wanted) =>
      judgeSignal("`pullRequest`", signals?.pullRequests, (found) => isAt(wanted, found)),
    follows: ({ pullRequest }, wanted) => pullRequest !== undefined && isSure(pullRequest, wanted),
  },
  released: {
    holds: (facts, wanted) => {
      const { issue, signals } = facts;
      if (issue.milestone?.state === "closed") return wanted;
      const has = isInMilestone(facts);
      const isInRelease = signals?.isReleased?.kind === "known" && signals.isReleased.value;
      if (typeof has === "object" && !isInRelease) return has;
      return judgeSignal("`released`", signals?.isReleased, (isReleased) => isReleased === wanted);
    },
    follows: ({ released, milestoneState }, wanted) =>
      released === wanted || (wanted && milestoneState === "closed"),
  },
};

function judgeSignal<T>(name: string, signal: Readable<T> | undefined, holds: (value: T) => boolean): Truth {
  if (signal === undefined) return { kind: "unknown", message: `${name}, which has not been read yet` };
  if (signal.kind === "known") return holds(signal.value);
  return { ...signal, message: `${name}, which can't be read: ${signal.message}` };
}

/** Which of them is wanted, and whether everybody's count. */
function splitWish(wish: PullRequestWish): { readonly state: string; readonly isAnyone: boolean } {
  return { state: wish.replace(fromAnyone, ""), isAnyone: wish.endsWith(fromAnyone) };
}

const fromAnyone = " from anyone";

/**
 * One that was closed without being merged counts for nothing, and so does an open one by somebody who may not write to the
 * repository: strangers would move posts by it, and notify their voters.
 */
function isAt(wish: PullRequestWish, pullRequests: readonly LinkedPullRequest[]): boolean {
  const { state: wanted, isAnyone } = splitWish(wish);
  const open = pullRequests.filter(
    ({ state, isOutside }) => state === "open" && (isAnyone || isOutside !== true),
  );
  const isMerged = pullRequests.some(({ state }) => state === "merged");
  switch (wanted) {
    case "open":
      return open.length > 0;
    case "ready":
      return open.some(({ isDraft }) => !isDraft);
    case "merged":
      return isMerged && open.length === 0;
    default:
      return !isMerged && open.length === 0;
  }
}

/**
 * Whether the one wish is certain to hold where the other one does. Where fewer people count, fewer pull requests are open,
 * and `none` holds sooner.
 */
function isSure(when: PullRequestWish, earlier: PullRequestWish): boolean {
  const [one, other] = [splitWish(when), splitWish(earlier)];
  if (one.state !== other.state && !(one.state === "ready" && other.state === "open")) return false;
  const isWider = other.state === "open" || other.state === "ready" ? other.isAnyone : one.isAnyone;
  return one.isAnyone === other.isAnyone || isWider;
}
