import type { Issue, Signals } from "../../model/issue.ts";
import type { Settings } from "../settings.ts";
import { matchRule } from "./match.ts";

/**
 * Whether a decision about an issue may hang on anything beside its own record, so that it must be read again in each run:
 * going by the record alone, some rule that names a signal might be the first to match. Most issues that were closed long ago
 * are decided by a rule above. What is final counts as known: a release that contains an issue contains it for good.
 */
export function isSignalNeeded(issue: Issue, known: Signals, { rules }: Pick<Settings, "rules">): boolean {
  const { isReleased } = known;
  const isFinal = isReleased?.kind === "known" && isReleased.value;
  return matchRule({ issue, signals: isFinal ? { isReleased } : undefined }, rules).doubt !== undefined;
}

/** What holds for an issue that has just been opened; whether a project has taken it up at once is not known. */
export const signalsOfNew: Signals = {
  pullRequests: { kind: "known", value: [] },
  subIssues: { kind: "known", value: { total: 0, closed: 0 } },
  isReleased: { kind: "known", value: false },
};
