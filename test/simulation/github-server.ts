import type { Issue, IssueRecord, Milestone, Repository } from "../../src/model/issue.ts";
import type { PostId } from "../../src/model/post.ts";
import { parseMarker } from "../../src/plan/text/marker.ts";
import type { IssueComment, IssueWrite } from "../../src/tracker/tracker.ts";
import type { Time } from "./clock.ts";
import { elsewhere, type GitHubTraits, otherRepo, ourLogin, ownRepo } from "./scenario.ts";

/** One issue on GitHub's side. */
export interface HubIssue {
  /** Where it is now: a transfer gives it another repository and another number. */
  repository: HubRepository;
  number: number;
  record: IssueRecord;
  /** What the lists show, and from when on; the last one that is visible counts. */
  versions: { readonly from: number; readonly record: IssueRecord }[];
  isDeleted: boolean;
  /** Posts of the marker that it was opened with by our account. */
  readonly openedFor: readonly PostId[];
  /** Whether people wrote into the part that boardsync manages, or took its comments away. */
  isBlockEdited: boolean;
  /** How often the tracker said of it, wrongly, that there is no such issue. */
  timesDenied: number;
  /** Oldest first, and from when on a list shows each. */
  readonly comments: { readonly from: number; readonly comment: IssueComment }[];
}

export interface HubRepository {
  readonly id: number;
  name: string;
  /** They lead here for as long as nobody else takes them. */
  readonly formerNames: string[];
  isArchived: boolean;
  hasIssues: boolean;
  readonly issues: HubIssue[];
  /** Issues that were transferred, by the number that they had here. */
  readonly left: Map<number, HubIssue>;
  nextNumber: number;
  readonly labels: string[];
  readonly milestones: Milestone[];
  /** Issues that are asked for and will be opened a while later. */
  arriving: number;
}

export type CreateWrite = Extract<IssueWrite, { kind: "create-issue" }>;

/** GitHub itself: what it holds, and what a request does to it. */
export interface HubServer {
  readonly traits: GitHubTraits;
  readonly repositories: readonly HubRepository[];
  /** Whether the token may push. */
  canPush: boolean;
  find(repositoryId: number, number: number): HubIssue | undefined;
  /** The issue that goes, or once went, by this number, wherever it is now. */
  follow(repositoryId: number, number: number): HubIssue | undefined;
  describe(repository: HubRepository): Repository;
  open(repository: HubRepository, write: CreateWrite, author: string, lagMs: number): HubIssue;
  /** Changes an issue; its time moves, and the lists show it after the lag. */
  change(issue: HubIssue, change: IssueChange, lagMs: number): void;
  /** Gives an issue to another repository: what is not known there is dropped. */
  transfer(issue: HubIssue, to: HubRepository, lagMs: number): void;
  comment(issue: HubIssue, comment: Pick<IssueComment, "author" | "body">, lagMs: number): void;
  /** The comments of an issue that a list shows now. */
  commentsOf(issue: HubIssue): readonly IssueComment[];
  /** What the lists show now, in no particular order. */
  listed(repository: HubRepository): readonly IssueRecord[];
  /** Whether the lists show everything as it is. */
  isSettled(): boolean;
  /** The same of one issue. */
  isShown(issue: HubIssue): boolean;
}

export interface IssueChange {
  readonly issue?: Partial<Issue>;
  readonly title?: string;
  readonly body?: string;
}

export function createHubServer(time: Time, traits: GitHubTraits): HubServer {
  const repositories: HubRepository[] = [
    makeRepository(101, ownRepo),
    makeRepository(102, otherRepo),
    makeRepository(103, elsewhere),
  ];
  /** GitHub's times are whole seconds. */
  const stamp = (): string => new Date(Math.floor(time.now() / 1_000) * 1_000).toISOString();
  const publish = (issue: HubIssue, lagMs: number): void => {
    const latest = issue.versions.at(-1)?.from ?? 0;
    issue.versions.push({ from: Math.max(latest, time.now() + lagMs), record: issue.record });
  };
  const server: HubServer = {
    traits,
    repositories,
    canPush: traits.canPush,
    find: (repositoryId, number) =>
      repositories
        .find(({ id }) => id === repositoryId)
        ?.issues.find((issue) => issue.number === number && !issue.isDeleted),
    follow(repositoryId, number) {
      const repository = repositories.find(({ id }) => id === repositoryId);
      return repository?.issues.find((issue) => issue.number === number) ?? repository?.left.get(number);
    },
    describe: ({ id, name, hasIssues, isArchived }) => ({
      id,
      name,
      hasIssues,
      isArchived,
      isPrivate: true,
      canPush: server.canPush,
    }),
    open(repository, write, author, lagMs) {
      const number = repository.nextNumber;
      repository.nextNumber += 1;
      const now = stamp();
      const facts: Issue = {
        repositoryId: repository.id,
        number,
        nodeId: `I_${repository.id}_${number}`,
        state: "open",
        stateReason: null,
        labels: server.canPush ? write.labels : [],
        assignees: server.canPush ? write.assignees : [],
        milestone:
          (server.canPush && repository.milestones.find((one) => one.number === write.milestone)) || null,
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
        timesDenied: 0,
        comments: [],
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
    transfer(issue, to, lagMs) {
      const { repository: from, number: before, record } = issue;
      from.issues.splice(from.issues.indexOf(issue), 1);
      from.left.set(before, issue);
      issue.repository = to;
      issue.number = to.nextNumber;
      to.nextNumber += 1;
      to.issues.push(issue);
      issue.versions = [];
      const facts = { repositoryId: to.id, number: issue.number, nodeId: `I_${to.id}_${issue.number}` };
      const labels = record.issue.labels.filter((label) => to.labels.includes(label));
      server.change(issue, { issue: { ...facts, labels, milestone: null } }, lagMs);
    },
    comment(issue, { author, body }, lagMs) {
      const { comments } = issue;
      const comment = { id: comments.length + 1, author, body, createdAt: stamp() };
      comments.push({ from: time.now() + lagMs, comment });
      server.change(issue, {}, lagMs);
    },
    commentsOf: ({ comments }) =>
      comments.filter(({ from }) => from <= time.now()).map(({ comment }) => comment),
    listed: (repository) =>
      repository.issues.flatMap((issue) => {
        const record = issue.isDeleted ? undefined : visible(issue, time.now());
        return record === undefined ? [] : [record];
      }),
    isSettled: () => repositories.every(({ issues }) => issues.every(server.isShown)),
    isShown: ({ versions, comments }) => [...versions, ...comments].every(({ from }) => from <= time.now()),
  };
  return server;
}

/** Whether nothing can be done with an issue any more: it is deleted, or where no config looks. */
export function isOutOfReach(issue: HubIssue | undefined): boolean {
  return issue === undefined || issue.isDeleted || issue.repository.name === elsewhere;
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
    formerNames: [],
    isArchived: false,
    hasIssues: true,
    issues: [],
    left: new Map(),
    nextNumber: 1,
    labels: ["in progress"],
    arriving: 0,
    milestones: [{ number: 1, title: "Backlog", state: "open" }],
  };
}
