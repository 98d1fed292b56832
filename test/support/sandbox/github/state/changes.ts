import {
  type GitHubState,
  nextId,
  person,
  type StoredComment,
  type StoredIssue,
  type StoredLabel,
  type StoredMilestone,
  type StoredRepository,
  type StoredType,
  saveIssue,
} from "./state.ts";

/** What a new issue starts with; labels are ids, the milestone is a number. */
export type IssueStart = Pick<
  StoredIssue,
  "title" | "body" | "author" | "isPullRequest" | "labels" | "assignees" | "milestone" | "type"
>;

/** Fields that may be changed at once, by the API or by a person. */
export type IssueChange = Partial<
  Pick<StoredIssue, "title" | "body" | "labels" | "assignees" | "milestone" | "type" | "isLocked" | "fate">
> & {
  /** Who changes the body or the labels; left out, a person on the page. */
  readonly by?: string;
};

/** Gives a new issue or pull request the next number of its repository. */
export function openIssue(state: GitHubState, repository: StoredRepository, start: IssueStart): StoredIssue {
  const now = state.clock.now();
  return saveIssue(state, repository, {
    ...start,
    id: nextId(state),
    editors: [],
    turns: [],
    // As of an issue form, which sets labels for whoever fills it in.
    labelled: start.author === null ? [] : setLabels(start.labels, start.author, now),
    number: repository.issues.size + 1,
    state: "open",
    stateReason: null,
    isLocked: false,
    comments: [],
    createdAt: now,
    updatedAt: now,
    closedAt: null,
    closedBy: null,
    fate: { kind: "here" },
  });
}

function setLabels(labels: readonly number[], by: string, at: number): StoredIssue["labelled"] {
  return labels.map((label) => ({ label, by, at }));
}

/** Changes fields of an issue. A change that changes nothing leaves `updated_at` alone. */
export function changeIssue(
  state: GitHubState,
  repository: StoredRepository,
  issue: StoredIssue,
  change: IssueChange,
): StoredIssue {
  const { by = person, ...fields } = change;
  const isEdit = fields.body !== undefined && fields.body !== issue.body;
  const added = (fields.labels ?? []).filter((id) => !issue.labels.includes(id));
  const labelled = [...issue.labelled, ...setLabels(added, by, state.clock.now())];
  const changed = { ...issue, ...fields, labelled, ...(isEdit && { editors: [...issue.editors, by] }) };
  if (JSON.stringify(changed) === JSON.stringify(issue)) return issue;
  return saveIssue(state, repository, { ...changed, updatedAt: state.clock.now() });
}

/** Opens or closes an issue. The reason counts only when the state changes, as GitHub says of `state_reason`. */
export function setIssueState(
  state: GitHubState,
  repository: StoredRepository,
  issue: StoredIssue,
  wanted: {
    readonly state: "open" | "closed";
    readonly reason: string | null | undefined;
    readonly by: string;
  },
): StoredIssue {
  if (issue.state === wanted.state) return issue;
  const now = state.clock.now();
  const isClosed = wanted.state === "closed";
  return saveIssue(state, repository, {
    ...issue,
    state: wanted.state,
    turns: [...issue.turns, { state: wanted.state, by: wanted.by, at: now }],
    stateReason: isClosed ? (wanted.reason === undefined ? "completed" : wanted.reason) : "reopened",
    closedAt: isClosed ? now : null,
    closedBy: isClosed ? wanted.by : null,
    updatedAt: now,
  });
}

/** Adds a comment, which moves the issue's `updated_at`. */
export function addComment(
  state: GitHubState,
  repository: StoredRepository,
  issue: StoredIssue,
  written: { readonly author: string; readonly body: string },
): StoredComment {
  const now = state.clock.now();
  const comment = { ...written, id: nextId(state), createdAt: now };
  saveIssue(state, repository, { ...issue, comments: [...issue.comments, comment], updatedAt: now });
  return comment;
}

/** The label of that name; names differ by more than case. */
export function findLabel(repository: StoredRepository, name: string): StoredLabel | undefined {
  const wanted = name.toLowerCase();
  return [...repository.labels.values()].find((label) => label.name.toLowerCase() === wanted);
}

/** The labels of an issue, in the repository's order. */
export function labelsOf(repository: StoredRepository, issue: StoredIssue): readonly StoredLabel[] {
  return [...repository.labels.values()].filter(({ id }) => issue.labels.includes(id));
}

/** Finds an issue type by name, in any case. */
export function findType(repository: StoredRepository, name: unknown): StoredType | undefined {
  const wanted = String(name).toLowerCase();
  return repository.types?.find((type) => type.name.toLowerCase() === wanted);
}

/** The type of an issue; undefined where it has none, or its type was deleted. */
export function typeOf(repository: StoredRepository, { type }: StoredIssue): StoredType | undefined {
  if (typeof type === "string") return { id: 0, name: type };
  return repository.types?.find(({ id }) => id === type);
}

/** Makes a label. */
export function createLabel(
  state: GitHubState,
  repository: StoredRepository,
  label: { readonly name: string; readonly color?: string; readonly description?: string | null },
): StoredLabel {
  const created = { color: "ededed", description: null, ...label, id: nextId(state) };
  repository.labels.set(created.id, created);
  return created;
}

/** Ids of labels by name, each once; a name that the repository lacks becomes a label, as on GitHub. */
export function labelIds(
  state: GitHubState,
  repository: StoredRepository,
  names: readonly string[],
): readonly number[] {
  const ids = names.map(
    (name) => (findLabel(repository, name) ?? createLabel(state, repository, { name })).id,
  );
  return [...new Set(ids)];
}

/** Makes a milestone with the next number. */
export function createMilestone(
  state: GitHubState,
  repository: StoredRepository,
  milestone: {
    readonly title: string;
    readonly creator: string;
    readonly state?: "open" | "closed";
    readonly description?: string | null;
    readonly dueOn?: number | null;
  },
): StoredMilestone {
  const now = state.clock.now();
  const created: StoredMilestone = {
    state: "open",
    description: null,
    dueOn: null,
    ...milestone,
    id: nextId(state),
    number: ++repository.lastMilestone,
    createdAt: now,
    updatedAt: now,
    closedAt: milestone.state === "closed" ? now : null,
  };
  repository.milestones.set(created.number, created);
  return created;
}
