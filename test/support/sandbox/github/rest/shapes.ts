import { createHash } from "node:crypto";
import { labelsOf, typeOf } from "../state/changes.ts";
import {
  type GitHubState,
  type StoredComment,
  type StoredIssue,
  type StoredLabel,
  type StoredMilestone,
  type StoredRelease,
  type StoredRepository,
  type StoredType,
  timestamp,
} from "../state/state.ts";

/** A JSON object of an answer. */
export type Shape = Readonly<Record<string, unknown>>;

function optionalTimestamp(epochMs: number | null): string | null {
  return epochMs === null ? null : timestamp(epochMs);
}

function urls(base: string, names: readonly string[]): Shape {
  return Object.fromEntries(names.map((name) => [`${name}_url`, `${base}/${name}`]));
}

/** `simple-user`. */
function userShape(state: GitHubState, login: string): Shape {
  const id = userId(login);
  const url = `${state.url}/users/${encodeURIComponent(login)}`;
  return {
    login,
    id,
    node_id: `U_${id}`,
    avatar_url: `${url}/avatar`,
    gravatar_id: "",
    url,
    html_url: url,
    ...urls(url, ["followers", "following", "gists", "starred", "subscriptions", "repos", "events"]),
    organizations_url: `${url}/orgs`,
    received_events_url: `${url}/received_events`,
    type: login.endsWith("[bot]") ? "Bot" : "User",
    user_view_type: "public",
    site_admin: false,
  };
}

/** An account's id comes from its login, so that no read moves the ids that follow. */
function userId(login: string): number {
  return createHash("sha256").update(login).digest().readUInt32BE();
}

/** `public-user`, as `GET /user` answers for a token without the scope `user`. */
export function accountShape(state: GitHubState, login: string): Shape {
  return {
    ...userShape(state, login),
    name: null,
    company: null,
    blog: "",
    location: null,
    email: null,
    hireable: null,
    bio: null,
    public_repos: 0,
    public_gists: 0,
    followers: 0,
    following: 0,
    created_at: "2020-01-01T00:00:00Z",
    updated_at: "2020-01-01T00:00:00Z",
  };
}

const repositoryCollections = [
  ...[
    "archive",
    "assignees",
    "blobs",
    "branches",
    "collaborators",
    "comments",
    "commits",
    "compare",
    "contents",
  ],
  ...["contributors", "deployments", "downloads", "events", "forks", "git_commits", "git_refs", "git_tags"],
  ...[
    "hooks",
    "issue_comment",
    "issue_events",
    "issues",
    "keys",
    "labels",
    "languages",
    "merges",
    "milestones",
  ],
  ...["notifications", "pulls", "releases", "stargazers", "statuses", "subscribers", "subscription", "tags"],
  ...["teams", "trees", "git", "ssh", "clone", "svn"],
];

/** `full-repository`. */
export function repositoryShape(state: GitHubState, repository: StoredRepository, viewer: string): Shape {
  const { id, name } = repository;
  const [owner = "", shortName = ""] = name.split("/");
  const url = repositoryUrl(state, repository);
  const created = timestamp(repository.createdAt);
  const open = [...repository.issues.values()].filter((versions) => {
    const issue = versions.at(-1)?.issue;
    return issue?.fate.kind === "here" && issue.state === "open";
  }).length;
  const canPush = repository.collaborators.has(viewer);
  return {
    id,
    node_id: `R_${id}`,
    name: shortName,
    full_name: name,
    owner: userShape(state, owner),
    private: repository.isPrivate,
    visibility: repository.isPrivate ? "private" : "public",
    html_url: pageUrl(state, repository),
    description: null,
    fork: false,
    url,
    ...urls(url, repositoryCollections),
    mirror_url: null,
    homepage: null,
    language: null,
    license: null,
    default_branch: "main",
    size: 0,
    forks: 0,
    forks_count: 0,
    network_count: 0,
    watchers: 0,
    watchers_count: 0,
    stargazers_count: 0,
    subscribers_count: 0,
    open_issues: open,
    open_issues_count: open,
    has_issues: repository.hasIssues,
    has_projects: true,
    has_wiki: false,
    has_pages: false,
    has_discussions: false,
    has_downloads: true,
    archived: repository.isArchived,
    disabled: false,
    created_at: created,
    updated_at: created,
    pushed_at: created,
    permissions: { admin: false, maintain: false, push: canPush, triage: canPush, pull: true },
  };
}

/** `https://…/repos/owner/name`. */
export function repositoryUrl(state: GitHubState, repository: StoredRepository): string {
  return `${state.url}/repos/${repository.name}`;
}

function pageUrl(state: GitHubState, repository: StoredRepository): string {
  return `${new URL(state.url).origin}/${repository.name}`;
}

/** `label`. */
export function labelShape(state: GitHubState, repository: StoredRepository, label: StoredLabel): Shape {
  return {
    id: label.id,
    node_id: `LA_${label.id}`,
    url: `${repositoryUrl(state, repository)}/labels/${encodeURIComponent(label.name)}`,
    name: label.name,
    color: label.color,
    default: false,
    description: label.description,
  };
}

/** Labels of an issue. */
export function labelShapes(
  state: GitHubState,
  repository: StoredRepository,
  issue: StoredIssue,
): readonly Shape[] {
  return labelsOf(repository, issue).map((label) => labelShape(state, repository, label));
}

/** `milestone`. */
export function milestoneShape(
  state: GitHubState,
  repository: StoredRepository,
  milestone: StoredMilestone,
): Shape {
  const url = `${repositoryUrl(state, repository)}/milestones/${milestone.number}`;
  const issues = [...repository.issues.values()]
    .map((versions) => versions.at(-1)?.issue)
    .filter((issue) => issue?.milestone === milestone.number && issue.fate.kind === "here");
  const open = issues.filter((issue) => issue?.state === "open").length;
  return {
    url,
    html_url: `${pageUrl(state, repository)}/milestone/${milestone.number}`,
    labels_url: `${url}/labels`,
    id: milestone.id,
    node_id: `MI_${milestone.id}`,
    number: milestone.number,
    title: milestone.title,
    description: milestone.description,
    creator: userShape(state, milestone.creator),
    open_issues: open,
    closed_issues: issues.length - open,
    state: milestone.state,
    created_at: timestamp(milestone.createdAt),
    updated_at: timestamp(milestone.updatedAt),
    due_on: optionalTimestamp(milestone.dueOn),
    closed_at: optionalTimestamp(milestone.closedAt),
  };
}

/** `issue-type`. */
export function typeShape({ id, name }: StoredType): Shape {
  return { id, node_id: `IT_${id}`, name, description: null, color: "blue", is_enabled: true };
}

/** `issue-comment`. */
export function commentShape(
  state: GitHubState,
  repository: StoredRepository,
  issue: StoredIssue,
  comment: StoredComment,
): Shape {
  return {
    id: comment.id,
    node_id: `IC_${comment.id}`,
    url: `${repositoryUrl(state, repository)}/issues/comments/${comment.id}`,
    html_url: `${pageUrl(state, repository)}/issues/${issue.number}#issuecomment-${comment.id}`,
    issue_url: `${repositoryUrl(state, repository)}/issues/${issue.number}`,
    body: comment.body,
    user: userShape(state, comment.author),
    author_association: association(repository, comment.author),
    created_at: timestamp(comment.createdAt),
    updated_at: timestamp(comment.createdAt),
  };
}

/** `labeled-issue-event`, and `state-change-issue-event`. */
export function issueEventShape(
  state: GitHubState,
  repository: StoredRepository,
  event: StoredIssue["labelled"][number] | StoredIssue["turns"][number],
): Shape {
  const { by, at } = event;
  const label = "label" in event ? event.label : 0;
  const id = at * 1_000 + label;
  const { name = "", color = "" } = repository.labels.get(label) ?? {};
  const turn = "state" in event && event.state === "closed" ? "closed" : "reopened";
  return {
    id,
    node_id: `LE_${id}`,
    url: `${repositoryUrl(state, repository)}/issues/events/${id}`,
    actor: userShape(state, by),
    event: "label" in event ? "labeled" : turn,
    commit_id: null,
    commit_url: null,
    created_at: timestamp(at),
    performed_via_github_app: null,
    ...("label" in event && { label: { name, color } }),
  };
}

/** `issue`; a pull request has the key `pull_request` and its own `html_url`. */
export function issueShape(state: GitHubState, repository: StoredRepository, issue: StoredIssue): Shape {
  const base = repositoryUrl(state, repository);
  const url = `${base}/issues/${issue.number}`;
  const folder = issue.isPullRequest ? "pull" : "issues";
  const html = `${pageUrl(state, repository)}/${folder}/${issue.number}`;
  const assignees = issue.assignees.map((login) => userShape(state, login));
  const milestone = issue.milestone === null ? undefined : repository.milestones.get(issue.milestone);
  const type = typeOf(repository, issue);
  return {
    id: issue.id,
    node_id: `${issue.isPullRequest ? "PR" : "I"}_${issue.id}`,
    number: issue.number,
    url,
    repository_url: base,
    ...urls(url, ["labels", "comments", "events", "timeline"]),
    html_url: html,
    title: issue.title,
    body: issue.body,
    user: issue.author === null ? null : userShape(state, issue.author),
    author_association: association(repository, issue.author),
    state: issue.state,
    state_reason: issue.stateReason,
    labels: labelShapes(state, repository, issue),
    assignee: assignees[0] ?? null,
    assignees,
    milestone: milestone === undefined ? null : milestoneShape(state, repository, milestone),
    locked: issue.isLocked,
    active_lock_reason: null,
    comments: issue.comments.length,
    created_at: timestamp(issue.createdAt),
    updated_at: timestamp(issue.updatedAt),
    closed_at: optionalTimestamp(issue.closedAt),
    closed_by: issue.closedBy === null ? null : userShape(state, issue.closedBy),
    ...(repository.types && { type: type === undefined ? null : typeShape(type) }),
    ...(issue.isPullRequest && {
      draft: false,
      pull_request: {
        url: `${base}/pulls/${issue.number}`,
        html_url: html,
        diff_url: `${html}.diff`,
        patch_url: `${html}.patch`,
        merged_at: null,
      },
    }),
  };
}

/** What somebody is to a repository. */
export function association(repository: StoredRepository, login: string | null): string {
  return login !== null && repository.collaborators.has(login) ? "COLLABORATOR" : "NONE";
}

/** `release`. */
export function releaseShape(
  state: GitHubState,
  repository: StoredRepository,
  release: StoredRelease,
): Shape {
  const { id, tag } = release;
  const url = `${repositoryUrl(state, repository)}/releases/${id}`;
  return {
    url,
    html_url: `${pageUrl(state, repository)}/releases/tag/${encodeURIComponent(tag)}`,
    assets_url: `${url}/assets`,
    upload_url: `${url}/assets{?name,label}`,
    tarball_url: null,
    zipball_url: null,
    id,
    node_id: `RE_${id}`,
    tag_name: tag,
    target_commitish: "main",
    name: release.name,
    body: release.body,
    draft: release.isDraft,
    prerelease: release.isPrerelease,
    immutable: false,
    created_at: timestamp(release.createdAt),
    updated_at: timestamp(release.createdAt),
    published_at: optionalTimestamp(release.publishedAt),
    author: userShape(state, "octocat"),
    assets: [],
  };
}
