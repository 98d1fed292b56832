import type { DemoIssue, DemoRelease, DemoRepository, DemoState } from "./github-state.ts";

/** What the demo's GitHub shows: what boardsync reads, and what helps a person who asks with curl. */

export function showRepository({ id, name }: DemoRepository) {
  return {
    id,
    node_id: `R_${id}`,
    name: name.split("/")[1],
    full_name: name,
    private: true,
    has_issues: true,
    archived: false,
    permissions: { push: true, pull: true },
  };
}

export function showIssue(state: DemoState, repository: DemoRepository, issue: DemoIssue) {
  const base = `${state.url}/repos/${repository.name}`;
  const { id, number, title, body, author, assignees, closedAt, closedBy } = issue;
  return {
    id,
    node_id: nodeId(issue),
    number,
    url: `${base}/issues/${number}`,
    repository_url: base,
    title,
    body,
    user: showUser(author),
    state: issue.state,
    state_reason: issue.stateReason,
    author_association: state.people.includes(author) ? "MEMBER" : "NONE",
    labels: showLabels(repository, issue.labels),
    assignees: assignees.map(showUser),
    milestone: null,
    locked: false,
    comments: issue.comments.length,
    created_at: timestamp(issue.createdAt),
    updated_at: timestamp(issue.updatedAt),
    closed_at: closedAt === null ? null : timestamp(closedAt),
    closed_by: closedBy === null ? null : showUser(closedBy),
  };
}

/** Labels in the repository's order, which never changes: the place of one is its id. */
export function showLabels({ id, labels }: DemoRepository, wanted: readonly string[]) {
  return labels
    .map((name, index) => ({ id: index + 1, node_id: `LA_${id}_${index + 1}`, name, color: "ededed" }))
    .filter(({ name }) => wanted.includes(name));
}

export function showComment({ id, author, body, createdAt }: DemoIssue["comments"][number]) {
  const time = timestamp(createdAt);
  return { id, node_id: `IC_${id}`, body, user: showUser(author), created_at: time, updated_at: time };
}

export function showRelease({ id, tag, name, body, url, at }: DemoRelease) {
  const time = timestamp(at);
  return {
    id,
    tag_name: tag,
    name,
    body,
    html_url: url,
    draft: false,
    prerelease: false,
    created_at: time,
    published_at: time,
  };
}

function showUser(login: string) {
  return { login, type: "User" };
}

/** A time as GitHub writes it: whole seconds in UTC. */
function timestamp(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}

/**
 * An issue as GraphQL shows it, whatever is asked of it: nothing here has a pull request, sub-issues or duplicates, and nobody
 * but boardsync has a token to edit with.
 */
export function showNode(repository: DemoRepository, issue: DemoIssue) {
  const none = { totalCount: 0, nodes: [] };
  const labels = showLabels(repository, issue.labels).map(({ node_id: id, name }) => ({ id, name }));
  const assignees = issue.assignees.map((login) => ({ login }));
  return {
    __typename: "Issue",
    id: nodeId(issue),
    number: issue.number,
    state: issue.state.toUpperCase(),
    stateReason: issue.stateReason?.toUpperCase() ?? null,
    locked: false,
    milestone: null,
    type: null,
    createdAt: timestamp(issue.createdAt),
    updatedAt: timestamp(issue.updatedAt),
    labels: { totalCount: labels.length, nodes: labels },
    assignees: { totalCount: assignees.length, nodes: assignees },
    facts: { databaseId: repository.id },
    pullRequests: none,
    released: none,
    subIssues: none,
    editors: none,
    duplicates: { pageInfo: { hasPreviousPage: false }, nodes: [] },
  };
}

/** The id of an issue that GraphQL finds it by. */
export function nodeId({ id }: DemoIssue): string {
  return `I_${id}`;
}
