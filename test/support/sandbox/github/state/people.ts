import {
  addComment,
  changeIssue,
  findLabel,
  findType,
  type IssueChange,
  labelIds,
  labelsOf,
  openIssue,
  setIssueState,
  typeOf,
} from "./changes.ts";
import { findMilestone, type RepositoryName, repositoryNamed } from "./repositories.ts";
import {
  type GitHubState,
  issueAsOf,
  nextId,
  person,
  type SignalState,
  type StoredIssue,
  type StoredRepository,
  saveIssue,
  timestamp,
} from "./state.ts";

/** An issue or a pull request that a person opens. */
interface IssueSetup {
  readonly title: string;
  readonly body?: string | null;
  /** null for an account that was deleted since; `octocat` without one. */
  readonly author?: string | null;
  readonly labels?: readonly string[];
  readonly assignees?: readonly string[];
  /** Title of a milestone that exists. */
  readonly milestone?: string;
  readonly type?: string;
}

/** An issue as it is now, lag or not. Times are ISO 8601 in whole seconds. */
interface SandboxIssue {
  readonly id: number;
  readonly number: number;
  readonly isPullRequest: boolean;
  readonly title: string;
  readonly body: string | null;
  readonly author: string | null;
  readonly state: "open" | "closed";
  readonly stateReason: string | null;
  readonly labels: readonly string[];
  readonly assignees: readonly string[];
  /** The milestone's title. */
  readonly milestone: string | null;
  readonly type: string | null;
  readonly isLocked: boolean;
  readonly comments: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly closedAt: string | null;
  readonly closedBy: string | null;
}

/** What people do on GitHub's pages: at once, without permission or limit. A thing that isn't there throws. */
export interface SandboxPeople {
  openIssue(repository: RepositoryName, setup: IssueSetup): SandboxIssue;
  openPullRequest(repository: RepositoryName, setup: IssueSetup): SandboxIssue;
  edit(
    repository: RepositoryName,
    number: number,
    change: { readonly title?: string; readonly body?: string | null },
  ): void;
  label(repository: RepositoryName, number: number, ...labels: readonly string[]): void;
  /** Likewise, by this account. */
  labelBy(account: string, repository: RepositoryName, number: number, ...labels: readonly string[]): void;
  unlabel(repository: RepositoryName, number: number, ...labels: readonly string[]): void;
  /** As completed, where no reason is named. GitHub gives none at times (null), and may have new ones. */
  close(repository: RepositoryName, number: number, reason?: string | null): void;
  reopen(repository: RepositoryName, number: number): void;
  /** Replaces the assignees. */
  assign(repository: RepositoryName, number: number, ...logins: readonly string[]): void;
  /** By title; null takes it off. */
  setMilestone(repository: RepositoryName, number: number, title: string | null): void;
  setType(repository: RepositoryName, number: number, type: string | null): void;
  comment(repository: RepositoryName, number: number, body: string, author?: string): void;
  /** Takes an account's write access away. */
  removeCollaborator(repository: RepositoryName, login: string): void;
  lock(repository: RepositoryName, number: number): void;
  unlock(repository: RepositoryName, number: number): void;
  /** Answers the issue in its new repository: same owner, never from private to public. */
  transfer(repository: RepositoryName, number: number, to: RepositoryName): SandboxIssue;
  deleteIssue(repository: RepositoryName, number: number): void;
  /** Makes a discussion of it; what is answered for the issue then is a quirk. */
  convertToDiscussion(repository: RepositoryName, number: number): void;
  /** Throws for an issue that was deleted, transferred or made a discussion. */
  issue(repository: RepositoryName, number: number): SandboxIssue;
  /** Issues that are there, without pull requests, by number. */
  issues(repository: RepositoryName): readonly SandboxIssue[];
  comments(
    repository: RepositoryName,
    number: number,
  ): readonly { readonly author: string; readonly body: string }[];
}

/** The hands of people on a state. */
export function createPeople(state: GitHubState): SandboxPeople {
  function find(name: RepositoryName, number: number): [StoredRepository, StoredIssue] {
    const repository = repositoryNamed(state, name);
    const issue = issueAsOf(state, repository, number, 0);
    if (issue?.fate.kind !== "here") throw new Error(`The sandbox has no issue ${name}#${number}.`);
    return [repository, issue];
  }

  function change(name: RepositoryName, number: number, changes: IssueChange): void {
    changeIssue(state, ...find(name, number), changes);
  }

  function open(name: RepositoryName, setup: IssueSetup, isPullRequest: boolean): SandboxIssue {
    const repository = repositoryNamed(state, name);
    const { title, body = null, author = person, labels = [], assignees = [], milestone, type } = setup;
    const issue = openIssue(state, repository, {
      title,
      body,
      author,
      isPullRequest,
      labels: labelIds(state, repository, labels),
      assignees,
      milestone: milestone === undefined ? null : findMilestone(repository, milestone).number,
      type: type === undefined ? null : (findType(repository, type)?.id ?? type),
    });
    return viewIssue(repository, issue);
  }

  function relabel(
    name: RepositoryName,
    number: number,
    next: (repository: StoredRepository, now: readonly number[]) => readonly number[],
    by = person,
  ): void {
    const [repository, issue] = find(name, number);
    changeIssue(state, repository, issue, { labels: next(repository, issue.labels), by });
  }

  function addLabels(by: string, name: RepositoryName, number: number, labels: readonly string[]): void {
    relabel(
      name,
      number,
      (repository, now) => [...new Set([...now, ...labelIds(state, repository, labels)])],
      by,
    );
  }

  return {
    openIssue: (name, setup) => open(name, setup, false),
    openPullRequest: (name, setup) => open(name, setup, true),
    edit: change,
    label: (name, number, ...labels) => addLabels(person, name, number, labels),
    labelBy: (account, name, number, ...labels) => addLabels(account, name, number, labels),
    unlabel(name, number, ...labels) {
      relabel(name, number, (repository, now) => {
        const ids = labels.map((label) => findLabel(repository, label)?.id);
        return now.filter((id) => !ids.includes(id));
      });
    },
    close(name, number, reason) {
      setIssueState(state, ...find(name, number), { state: "closed", reason, by: person });
    },
    reopen(name, number) {
      setIssueState(state, ...find(name, number), { state: "open", reason: undefined, by: person });
    },
    assign: (name, number, ...assignees) => change(name, number, { assignees }),
    setMilestone(name, number, title) {
      const milestone = title === null ? null : findMilestone(repositoryNamed(state, name), title).number;
      change(name, number, { milestone });
    },
    setType(name, number, type) {
      const found = findType(repositoryNamed(state, name), type);
      change(name, number, { type: found?.id ?? type });
    },
    comment(name, number, body, author = person) {
      addComment(state, ...find(name, number), { author, body });
    },
    removeCollaborator: (name, login) => void repositoryNamed(state, name).collaborators.delete(login),
    lock: (name, number) => change(name, number, { isLocked: true }),
    unlock: (name, number) => change(name, number, { isLocked: false }),
    transfer(name, number, to) {
      const [source, issue] = find(name, number);
      return transferIssue(state, source, issue, repositoryNamed(state, to));
    },
    deleteIssue: (name, number) => change(name, number, { fate: { kind: "deleted" } }),
    convertToDiscussion: (name, number) => change(name, number, { fate: { kind: "converted" } }),
    issue: (name, number) => viewIssue(...find(name, number)),
    issues(name) {
      const repository = repositoryNamed(state, name);
      return [...repository.issues.keys()]
        .map((number) => issueAsOf(state, repository, number, 0))
        .filter((issue) => issue !== undefined)
        .filter((issue) => issue.fate.kind === "here" && !issue.isPullRequest)
        .map((issue) => viewIssue(repository, issue));
    },
    comments: (name, number) => find(name, number)[1].comments.map(({ author, body }) => ({ author, body })),
  };
}

/** Moves an issue as GitHub's documents say: labels stay by name, a milestone by title and due date. */
function transferIssue(
  state: GitHubState,
  source: StoredRepository,
  issue: StoredIssue,
  target: StoredRepository,
): SandboxIssue {
  const owner = (repository: StoredRepository): string | undefined => repository.name.split("/")[0];
  if (owner(source) !== owner(target) || (source.isPrivate && !target.isPrivate)) {
    throw new Error(`GitHub moves no issue from ${source.name} to ${target.name}.`);
  }
  const milestone = source.milestones.get(issue.milestone ?? 0);
  const kept = [...target.milestones.values()].find(
    (other) => other.title === milestone?.title && other.dueOn === milestone.dueOn,
  );
  const names = labelsOf(source, issue).map((label) => label.name);
  const moved = saveIssue(state, target, {
    ...issue,
    id: nextId(state),
    number: target.issues.size + 1,
    labels: names.map((name) => findLabel(target, name)?.id).filter((id) => id !== undefined),
    milestone: kept?.number ?? null,
    updatedAt: state.clock.now(),
  });
  carrySignals(state.signals, issue.id, moved.id);
  const fate = { kind: "moved", repositoryId: target.id, number: moved.number } as const;
  changeIssue(state, source, issue, { fate });
  return viewIssue(target, moved);
}

/** An issue that gets another id keeps its pull requests, sub-issues, projects and duplicates. */
function carrySignals(signals: SignalState, from: number, to: number): void {
  const { links, subIssues, projects, duplicates } = signals;
  const follow = (id: number): number => (id === from ? to : id);
  for (const known of [links, subIssues]) {
    for (const [id, others] of [...known]) {
      known.delete(id);
      known.set(follow(id), others.map(follow));
    }
  }
  for (const { items } of projects) for (const item of items) item.issueId = follow(item.issueId);
  for (const event of duplicates) {
    event.duplicateId = follow(event.duplicateId);
    event.canonicalId = follow(event.canonicalId);
  }
}

/** An issue as people see it. */
export function viewIssue(repository: StoredRepository, issue: StoredIssue): SandboxIssue {
  const { id, number, isPullRequest, title, body, author, stateReason, assignees, isLocked, closedBy } =
    issue;
  return {
    ...{ id, number, isPullRequest, title, body, author, stateReason, assignees, isLocked, closedBy },
    state: issue.state,
    labels: labelsOf(repository, issue).map((label) => label.name),
    milestone: repository.milestones.get(issue.milestone ?? 0)?.title ?? null,
    type: typeOf(repository, issue)?.name ?? null,
    comments: issue.comments.length,
    createdAt: timestamp(issue.createdAt),
    updatedAt: timestamp(issue.updatedAt),
    closedAt: issue.closedAt === null ? null : timestamp(issue.closedAt),
  };
}
