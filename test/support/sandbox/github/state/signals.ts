import { createHash } from "node:crypto";
import { setIssueState } from "./changes.ts";
import { type RepositoryName, repositoryNamed } from "./repositories.ts";
import {
  type GitHubState,
  issueAsOf,
  nextId,
  person,
  type StoredIssue,
  type StoredPullRequest,
  type StoredRelease,
  type StoredRepository,
} from "./state.ts";

/** An issue or a pull request by repository and number. */
export interface IssuePlace {
  readonly repository: RepositoryName;
  readonly number: number;
}

/** A release as people publish it. */
interface ReleaseSetup {
  readonly tag: string;
  readonly isDraft?: boolean;
  readonly isPrerelease?: boolean;
  readonly name?: string;
  readonly body?: string;
  /** The merged pull requests whose commits it contains; everything on the default branch without it. */
  readonly contains?: readonly number[];
}

/** What people do that an issue's own record does not show: none of it moves the issue's `updated_at`, unless it says so. */
export interface SandboxSignalPeople {
  /** Makes a pull request one that will close the issue, by a keyword or by hand. */
  linkPullRequest(issue: IssuePlace, pullRequest: IssuePlace): void;
  unlinkPullRequest(issue: IssuePlace, pullRequest: IssuePlace): void;
  setDraft(repository: RepositoryName, number: number, isDraft: boolean): void;
  /** Merges a pull request into the default branch. Linked issues are left as they are: `close` them where that is wanted. */
  mergePullRequest(repository: RepositoryName, number: number): void;
  /** Publishes a release, or keeps it as a draft. */
  publishRelease(repository: RepositoryName, setup: ReleaseSetup): void;
  /** Edits a release, or publishes a draft. */
  editRelease(repository: RepositoryName, tag: string, changes: Partial<ReleaseSetup>): void;
  deleteRelease(repository: RepositoryName, tag: string): void;
  /** Deletes a release's tag and leaves the release. */
  deleteTag(repository: RepositoryName, tag: string): void;
  /** Makes one issue the parent of another. */
  addSubIssue(parent: IssuePlace, child: IssuePlace): void;
  /** Closes an issue as a duplicate of another issue or pull request, which moves its `updated_at` as closing does. */
  closeAsDuplicate(duplicate: IssuePlace, canonical: IssuePlace): void;
  unmarkDuplicate(duplicate: IssuePlace, canonical: IssuePlace): void;
  /** Lets GraphQL fail in one field of one issue, such as `subIssues`. */
  breakField(
    issue: IssuePlace,
    field: string,
    fault: { readonly type: string; readonly message: string },
  ): void;
  /** Lets GraphQL show all of it again. */
  mendField(issue: IssuePlace): void;
}

/** The issue or pull request at a place; it throws where none is. */
export function issueAt(state: GitHubState, place: IssuePlace): [StoredRepository, StoredIssue] {
  const repository = repositoryNamed(state, place.repository);
  const issue = issueAsOf(state, repository, place.number, 0);
  if (issue?.fate.kind === "here") return [repository, issue];
  throw new Error(`The sandbox has no issue ${place.repository}#${place.number}.`);
}

/** The hands of people on signals. */
export function createSignalPeople(state: GitHubState): SandboxSignalPeople {
  const { signals } = state;
  const find = (place: IssuePlace) => issueAt(state, place);
  const idOf = (place: IssuePlace): number => find(place)[1].id;

  function changePullRequest(
    repository: RepositoryName,
    number: number,
    change: Partial<StoredPullRequest>,
  ): void {
    const id = idOf({ repository, number });
    const known = signals.pullRequests.get(id) ?? { isDraft: false, mergedAt: null, commit: null };
    signals.pullRequests.set(id, { ...known, ...change });
  }

  function makeCommit(): string {
    return createHash("sha1")
      .update(`commit ${nextId(state)}`)
      .digest("hex");
  }

  function addCommit(repositoryId: number): string {
    const oid = makeCommit();
    signals.commits.set(repositoryId, [...(signals.commits.get(repositoryId) ?? []), oid]);
    return oid;
  }

  function changeReleases(
    name: RepositoryName,
    change: (releases: readonly StoredRelease[]) => readonly StoredRelease[],
  ): void {
    const { id } = repositoryNamed(state, name);
    signals.releases.set(id, change(signals.releases.get(id) ?? []));
  }

  return {
    linkPullRequest(issue, pullRequest) {
      const id = idOf(issue);
      signals.links.set(id, [...new Set([...(signals.links.get(id) ?? []), idOf(pullRequest)])]);
    },
    unlinkPullRequest(issue, pullRequest) {
      const [id, gone] = [idOf(issue), idOf(pullRequest)];
      signals.links.set(
        id,
        (signals.links.get(id) ?? []).filter((one) => one !== gone),
      );
    },
    setDraft: (repository, number, isDraft) => changePullRequest(repository, number, { isDraft }),
    mergePullRequest(repository, number) {
      const [place, pullRequest] = find({ repository, number });
      setIssueState(state, place, pullRequest, { state: "closed", reason: undefined, by: person });
      changePullRequest(repository, number, { mergedAt: state.clock.now(), commit: addCommit(place.id) });
    },
    publishRelease(repository, { tag, isDraft = false, isPrerelease = false, contains, ...texts }) {
      const now = state.clock.now();
      const { id } = repositoryNamed(state, repository);
      const merged = contains?.map((number) => {
        const { commit } = signals.pullRequests.get(idOf({ repository, number })) ?? {};
        if (typeof commit !== "string") throw new Error(`${repository}#${number} is not merged.`);
        return commit;
      });
      if (merged === undefined) addCommit(id);
      const commits = merged === undefined ? (signals.commits.get(id) ?? []) : [...merged, makeCommit()];
      const publishedAt = isDraft ? null : now;
      changeReleases(repository, (releases) => [
        ...releases,
        {
          ...{ id: nextId(state), tag, isDraft, isPrerelease, createdAt: now, publishedAt, commits },
          ...{ name: texts.name ?? null, body: texts.body ?? null },
        },
      ]);
    },
    editRelease(repository, tag, changes) {
      changeReleases(repository, (releases) =>
        releases.map((release) => {
          if (release.tag !== tag) return release;
          const edited = { ...release, ...changes };
          return {
            ...edited,
            publishedAt: edited.isDraft ? null : (release.publishedAt ?? state.clock.now()),
          };
        }),
      );
    },
    deleteRelease(repository, tag) {
      changeReleases(repository, (releases) => releases.filter((release) => release.tag !== tag));
    },
    deleteTag(repository, tag) {
      changeReleases(repository, (releases) =>
        releases.map((release) => (release.tag === tag ? { ...release, commits: undefined } : release)),
      );
    },
    addSubIssue(parent, child) {
      const id = idOf(parent);
      signals.subIssues.set(id, [...(signals.subIssues.get(id) ?? []), idOf(child)]);
    },
    closeAsDuplicate(duplicate, canonical) {
      const [place, issue] = find(duplicate);
      setIssueState(state, place, issue, { state: "closed", reason: "duplicate", by: person });
      const ids = { duplicateId: issue.id, canonicalId: idOf(canonical) };
      signals.duplicates.push({ id: nextId(state), isUnmarked: false, ...ids });
    },
    unmarkDuplicate(duplicate, canonical) {
      const ids = { duplicateId: idOf(duplicate), canonicalId: idOf(canonical) };
      signals.duplicates.push({ id: nextId(state), isUnmarked: true, ...ids });
    },
    breakField: (issue, field, fault) => void signals.broken.set(idOf(issue), { field, ...fault }),
    mendField: (issue) => void signals.broken.delete(idOf(issue)),
  };
}
