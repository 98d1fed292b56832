import type { Issue, IssueRecord, Milestone, Repository } from "../../src/model/issue.ts";
import type { PostId } from "../../src/model/post.ts";
import { parseMarker } from "../../src/plan/marker.ts";
import type { IssueWrite } from "../../src/tracker/tracker.ts";
import type { Time } from "./clock.ts";
import { type GitHubTraits, otherRepo, ourLogin, ownRepo } from "./scenario.ts";

/** One issue on GitHub's side. */
export interface HubIssue {
  readonly repository: HubRepository;
  readonly number: number;
  record: IssueRecord;
  /** What the lists show, and from when on; the last one that is visible counts. */
  versions: { readonly from: number; readonly record: IssueRecord }[];
  isDeleted: boolean;
  /** Posts of the marker that it was opened with by our account. */
  readonly openedFor: readonly PostId[];
  /** Whether people wrote into the part that boardsync manages, or took its comments away. */
  isBlockEdited: boolean;
}

export interface HubRepository {
  readonly id: number;
  readonly name: string;
  readonly issues: HubIssue[];
  readonly labels: string[];
  readonly milestones: Milestone[];
  /** Issues that are asked for and will be opened a while later. */
  arriving: number;
}

export type CreateWrite = Extract<IssueWrite, { kind: "create-issue" }>;
export type EditWrite = Extract<IssueWrite, { kind: "edit-issue" }>;

/** GitHub itself: what it holds, and what a request does to it. */
export interface HubServer {
  readonly traits: GitHubTraits;
  readonly repositories: readonly HubRepository[];
  find(repositoryId: number, number: number): HubIssue | undefined;
  describe(repository: HubRepository): Repository;
  open(repository: HubRepository, write: CreateWrite, author: string, lagMs: number): HubIssue;
  /** Changes an issue; its time moves, and the lists show it after the lag. */
  change(issue: HubIssue, change: IssueChange, lagMs: number): void;
  edit(issue: HubIssue, write: EditWrite, lagMs: number): void;
  /** What the lists show now, in no particular order. */
  listed(repository: HubRepository): readonly IssueRecord[];
  /** Whether the lists show everything as it is. */
  isSettled(): boolean;
}

export interface IssueChange {
  readonly issue?: Partial<Issue>;
  readonly title?: string;
  readonly body?: string;
}

export function createHubServer(time: Time, traits: GitHubTraits): HubServer {
  const repositories: HubRepository[] = [makeRepository(101, ownRepo), makeRepository(102, otherRepo)];
  /** GitHub's times are whole seconds. */
  const stamp = (): string => new Date(Math.floor(time.now() / 1_000) * 1_000).toISOString();
  const publish = (issue: HubIssue, lagMs: number): void => {
    const latest = issue.versions.at(-1)?.from ?? 0;
    issue.versions.push({ from: Math.max(latest, time.now() + lagMs), record: issue.record });
  };
  const server: HubServer = {
    traits,
    repositories,
    find: (repositoryId, number) =>
      repositories
        .find(({ id }) => id === repositoryId)
        ?.issues.find((issue) => issue.number === number && !issue.isDeleted),
    describe: ({ id, name }) => ({
      id,
      name,
      hasIssues: true,
      isArchived: false,
      isPrivate: true,
      canPush: traits.canPush,
    }),
    open(repository, write, author, lagMs) {
      const number = repository.issues.length + 1;
      const now = stamp();
      const facts: Issue = {
        repositoryId: repository.id,
        number,
        nodeId: `I_${repository.id}_${number}`,
        state: "open",
        stateReason: null,
        labels: traits.canPush ? write.labels : [],
        assignees: traits.canPush ? write.assignees : [],
        milestone:
          (traits.canPush && repository.milestones.find((one) => one.number === write.milestone)) || null,
        type: null,
        locked: false,
        createdAt: now,
        updatedAt: now,
      };
      const issue: HubIssue = {
        repository,
        number,
        record: { issue: facts, author, title: write.title, body: write.body },
        versions: [],
        isDeleted: false,
        openedFor: author === ourLogin ? (parseMarker(write.body)?.posts ?? []) : [],
        isBlockEdited: false,
      };
      repository.issues.push(issue);
      publish(issue, lagMs);
      return issue;
    },
    change(issue, { issue: facts, title, body }, lagMs) {
      const { record } = issue;
      issue.record = {
        author: record.author,
        title: title ?? record.title,
        body: body ?? record.body,
        issue: { ...record.issue, ...facts, updatedAt: stamp() },
      };
      publish(issue, lagMs);
    },
    edit(issue, { title, body }, lagMs) {
      server.change(
        issue,
        { ...(title !== undefined && { title }), ...(body !== undefined && { body }) },
        lagMs,
      );
    },
    listed: (repository) =>
      repository.issues.flatMap((issue) => {
        const record = issue.isDeleted ? undefined : visible(issue, time.now());
        return record === undefined ? [] : [record];
      }),
    isSettled: () =>
      repositories.every(({ issues }) =>
        issues.every(({ versions }) => versions.every(({ from }) => from <= time.now())),
      ),
  };
  return server;
}

function visible(issue: HubIssue, now: number): IssueRecord | undefined {
  const { versions } = issue;
  while (versions.length > 1 && (versions[1]?.from ?? Number.POSITIVE_INFINITY) <= now) versions.shift();
  const [first] = versions;
  return first !== undefined && first.from <= now ? first.record : undefined;
}

function makeRepository(id: number, name: string): HubRepository {
  return {
    id,
    name,
    issues: [],
    labels: ["in progress"],
    arriving: 0,
    milestones: [{ number: 1, title: "Backlog", state: "open" }],
  };
}
