import type {
  LinkedPullRequest,
  ProjectFieldKey,
  ProjectFieldName,
  Readable,
  Signals,
} from "../../model/issue.ts";
import { isSameRepository } from "../../model/issue.ts";
import type { Condition, Settings } from "../ground/settings.ts";
import { namesOfRules } from "./pins.ts";

/** What a project's rules look at that an issue's own record, or its time, does not show. Nothing else is ever read. */
export interface SignalNeeds {
  readonly pullRequests: boolean;
  readonly subIssues: boolean;
  readonly released: boolean;
  /** What an issue closed as duplicate is a duplicate of. */
  readonly duplicates: boolean;
  /** A milestone is closed or renamed without its issues showing it; of one that was deleted they don't show that people did not take it off. */
  readonly milestones: boolean;
  /** A label is renamed without its issues showing it. */
  readonly labels: boolean;
  /** A type is renamed or deleted likewise. */
  readonly types: boolean;
  /** Each field once. */
  readonly projects: readonly ProjectFieldName[];
}

/** Whether anything is needed beside issues' own records, but for what they are duplicates of. */
export function looksBesideRecord(
  needs: Pick<SignalNeeds, "pullRequests" | "subIssues" | "released"> & {
    readonly projects: readonly unknown[];
  },
): boolean {
  return needs.pullRequests || needs.subIssues || needs.released || needs.projects.length > 0;
}

/** Which signals the rules of a project need. */
export function neededSignals({
  rules,
  followDuplicates,
}: Pick<Settings, "rules" | "followDuplicates">): SignalNeeds {
  const conditions = rules.map(({ when }) => when);
  const names = (...keys: readonly (keyof Condition)[]) =>
    conditions.some((when) => keys.some((key) => when[key] !== undefined));
  return {
    // With the merges that a release has to contain, so that one which is hidden later is missed.
    pullRequests: names("pullRequest", "released"),
    subIssues: names("subIssues"),
    released: names("released"),
    duplicates: followDuplicates !== false,
    milestones: namesOfRules(rules).milestone.length > 0,
    labels: names("labels", "anyLabel", "noLabel"),
    types: names("type"),
    projects: projectFields(conditions),
  };
}

/** Logins and names of fields are the same in any case. */
export function projectFieldKey({ owner, project, field }: ProjectFieldName): ProjectFieldKey {
  return `${owner}/${project}/${field}`.toLowerCase();
}

function projectFields(conditions: readonly Condition[]): readonly ProjectFieldName[] {
  const fields = new Map<ProjectFieldKey, ProjectFieldName>();
  for (const { projectStatus } of conditions) {
    if (projectStatus === undefined) continue;
    const { owner, project, field } = projectStatus;
    const key = projectFieldKey(projectStatus);
    if (!fields.has(key)) fields.set(key, { owner, project, field });
  }
  return [...fields.values()];
}

/**
 * Signals by what was known before: what counted once counts on where no person has changed the issue.
 *
 * @param hidden repositories that can't be seen now, in lower case.
 */
export function keepCounted(before: Signals, now: Signals, hidden: ReadonlySet<string>): Signals {
  const isReleased = now.isReleased && keepReleased(before, now.isReleased, hidden);
  return { ...keepPullRequests(before, now, hidden), ...(isReleased && { isReleased }) };
}

/** What was released is so for good, and nothing becomes so because a merge can't be seen any more. */
function keepReleased(
  { isReleased: before, pullRequests }: Signals,
  now: Readable<boolean>,
  hidden: ReadonlySet<string>,
): Readable<boolean> {
  if (before?.kind === "known" && before.value) return before;
  if (now.kind === "unknown" || !now.value) return now;
  const linked = pullRequests?.kind === "known" ? pullRequests.value : [];
  if (!linked.some((one) => one.state === "merged" && isIn(hidden, one))) return now;
  return before?.kind === "known" ? before : { kind: "unknown", message: "a merge can't be seen any more" };
}

/** Repositories, in lower case, whose pull requests an issue showed before and shows none of any more. */
export function lostRepositories(before: Signals, now: Signals): readonly string[] {
  const [known, found] = [repositoriesOf(before), repositoriesOf(now)];
  return known === undefined || found === undefined ? [] : known.filter((name) => !found.includes(name));
}

function repositoriesOf({ pullRequests }: Signals): readonly string[] | undefined {
  if (pullRequests?.kind !== "known") return undefined;
  return [...new Set(pullRequests.value.map(({ repository }) => repository.toLowerCase()))];
}

/**
 * Pull requests as they count by now. One that counted goes on to count when its author may not write to the repository any more, or
 * the token does not see that; and as it was last seen, when its repository can't be seen. It is no change of the issue.
 */
function keepPullRequests(
  { pullRequests: before }: Signals,
  now: Signals,
  hidden: ReadonlySet<string>,
): Signals {
  const { pullRequests } = now;
  if (before?.kind !== "known" || pullRequests?.kind !== "known") return now;
  const seen = pullRequests.value.map((one) => {
    const { isOutside, ...inside } = one;
    const known = before.value.find(
      ({ repository, number }) => number === one.number && isSameRepository(repository, one.repository),
    );
    return isOutside === undefined || known === undefined || known.isOutside === true ? one : inside;
  });
  const unseen = before.value.filter((one) => isIn(hidden, one));
  return { ...now, pullRequests: { kind: "known", value: [...seen, ...unseen] } };
}

function isIn(names: ReadonlySet<string>, { repository }: LinkedPullRequest): boolean {
  return names.has(repository.toLowerCase());
}
