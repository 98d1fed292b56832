import type { IssueRecord, Milestone, Repository } from "../../src/model/issue.ts";
import type { IssueComment } from "../../src/tracker/tracker.ts";

/**
 * GitHub's JSON, as far as the adapter may look at it: whether it reads GitHub's whole answers is what the sandbox and its
 * contract are for.
 */

export function showRepository(api: string, repository: Repository): object {
  const { id, name, hasIssues, isArchived, isPrivate, canPush } = repository;
  return {
    id,
    full_name: name,
    url: `${api}/repos/${name}`,
    has_issues: hasIssues,
    archived: isArchived,
    private: isPrivate,
    permissions: { push: canPush },
  };
}

/** An issue, in the repository that goes by this name now. */
export function showIssue(api: string, repository: string, record: IssueRecord): object {
  const { issue, author, title, body } = record;
  return {
    number: issue.number,
    node_id: issue.nodeId,
    repository_url: `${api}/repos/${repository}`,
    title,
    body,
    user: author === null ? null : { login: author },
    state: issue.state,
    state_reason: issue.stateReason,
    labels: issue.labels.map((name) => ({ name })),
    assignees: issue.assignees.map((login) => ({ login })),
    milestone: issue.milestone === null ? null : showMilestone(issue.milestone),
    type: issue.type === null ? null : { name: issue.type },
    locked: issue.locked,
    created_at: showTime(issue.createdAt),
    updated_at: showTime(issue.updatedAt),
  };
}

export function showComment({ id, author, body, createdAt }: IssueComment): object {
  return { id, user: author === null ? null : { login: author }, body, created_at: showTime(createdAt) };
}

export function showMilestone({ number, title, state }: Milestone): object {
  return { number, title, state };
}

/** GitHub's times have no fractions. */
function showTime(time: string): string {
  return time.replace(".000Z", "Z");
}
