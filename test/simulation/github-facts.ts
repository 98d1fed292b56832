import type { LinkedPullRequest, Readable, Signals } from "../../src/model/issue.ts";
import type { Release } from "../../src/model/release.ts";
import { projectFieldKey } from "../../src/plan/rules/signals.ts";
import {
  type GitHubState,
  issueAsOf,
  type StoredIssue,
  type StoredPullRequest,
  type StoredRepository,
} from "../support/sandbox/github/state/state.ts";

/** What the sandbox's GitHub knows of an issue beside its record, as the program would know it if it had read it now. */

export const projectField = { owner: "acme", project: 7, field: "Status" } as const;
/** What can be chosen in it. */
export const options = ["Todo", "In progress"] as const;
export const fieldKey = projectFieldKey(projectField);

/** A GitHub, and the repository where pull requests and sub-issues are. */
interface Place {
  readonly state: GitHubState;
  readonly work: StoredRepository;
}

type Identified = Pick<StoredIssue, "id">;

/** The published releases of a repository, newest first. */
export function releasesOf({ state }: Pick<Place, "state">, { id }: Identified): readonly Release[] {
  const published = (state.signals.releases.get(id) ?? []).flatMap((release): readonly Release[] => {
    const { tag, name, body, publishedAt, isPrerelease } = release;
    if (publishedAt === null) return [];
    const texts = { name: name ?? tag, body: body ?? "", url: `https://hub.example/releases/${tag}` };
    return [
      { id: release.id, tag, isPrerelease, publishedAt: new Date(publishedAt).toISOString(), ...texts },
    ];
  });
  return published.toReversed();
}

/** All of it. */
export function signalsOf(place: Place, issue: Identified): Signals {
  const { state, work } = place;
  const merged = pullRequestsOf(place, issue).filter(({ commit }) => commit !== null);
  const releases = state.signals.releases.get(work.id) ?? [];
  const isContained = ({ commit }: LinkedWork): boolean =>
    releases.some(({ commits = [] }) => commits.includes(commit ?? ""));
  const children = subIssuesOf(place, issue);
  const closed = children.filter(({ state: its }) => its === "closed").length;
  return {
    pullRequests: known(pullRequestsOf(place, issue).map(({ shown }) => shown)),
    subIssues: known({ total: children.length, closed }),
    projectStatus: { [fieldKey]: known(optionOf(state, issue)) },
    isReleased: known(merged.length > 0 && merged.every(isContained)),
  };
}

/** A pull request for an issue, and the commit that it was merged with. */
export interface LinkedWork extends Pick<StoredPullRequest, "commit"> {
  readonly shown: LinkedPullRequest;
}

/** The pull requests for an issue, oldest first. */
export function pullRequestsOf({ state, work }: Place, { id }: Identified): readonly LinkedWork[] {
  const ids = state.signals.links.get(id) ?? [];
  return issuesIn(state, work, ids).map(({ id: its, number, state: now }) => {
    const { isDraft = false, mergedAt = null, commit = null } = state.signals.pullRequests.get(its) ?? {};
    return {
      commit,
      shown: { repository: work.name, number, state: mergedAt === null ? now : "merged", isDraft },
    };
  });
}

/** The sub-issues of an issue, oldest first. */
export function subIssuesOf({ state, work }: Place, { id }: Identified): readonly StoredIssue[] {
  return issuesIn(state, work, state.signals.subIssues.get(id) ?? []);
}

/** The id of what an issue was marked as a duplicate of last. */
export function duplicateOf({ signals }: GitHubState, { id }: Identified): number | undefined {
  return signals.duplicates.findLast(({ duplicateId }) => duplicateId === id)?.canonicalId;
}

function optionOf({ signals }: GitHubState, { id }: Identified): string | null {
  const [project] = signals.projects;
  const field = project?.fields.find(({ name }) => name === projectField.field);
  const chosen = project?.items.find(({ issueId }) => issueId === id)?.values.get(field?.id ?? "");
  return field?.options?.find((option) => option.id === chosen)?.name ?? null;
}

function issuesIn(
  state: GitHubState,
  work: StoredRepository,
  ids: readonly number[],
): readonly StoredIssue[] {
  if (ids.length === 0) return [];
  const all = [...work.issues.keys()].map((number) => issueAsOf(state, work, number, 0));
  return ids.flatMap((id) => all.find((issue) => issue?.id === id) ?? []);
}

/** A fact that was read. */
export function known<T>(value: T): Readable<T> {
  return { kind: "known", value };
}
