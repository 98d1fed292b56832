import type { IssueRecord, IssueRef, Milestone, Named, Signals } from "../../src/model/issue.ts";
import type { PostId } from "../../src/model/post.ts";
import { parseMarker } from "../../src/plan/text/marker.ts";
import type { IssueComment, IssueWrite } from "../../src/tracker/tracker.ts";
import { usualQuirks } from "../support/sandbox/github/rest/answer.ts";
import { route } from "../support/sandbox/github/rest/routes.ts";
import { association } from "../support/sandbox/github/rest/shapes.ts";
import { labelsOf } from "../support/sandbox/github/state/changes.ts";
import { createPeople, type SandboxPeople, viewIssue } from "../support/sandbox/github/state/people.ts";
import { createProjects, type SandboxProjects } from "../support/sandbox/github/state/projects.ts";
import { createOwners, type SandboxOwners } from "../support/sandbox/github/state/repositories.ts";
import { createSignalPeople, type SandboxSignalPeople } from "../support/sandbox/github/state/signals.ts";
import {
  createState,
  delayed,
  type GitHubState,
  isListed,
  issueAsOf,
  listedIssue,
  type StoredIssue,
  type StoredRepository,
} from "../support/sandbox/github/state/state.ts";
import type { Answer } from "../support/sandbox/loopback/loopback.ts";
import type { BoardPost } from "./board-server.ts";
import type { Time } from "./clock.ts";
import { duplicateOf, options, projectField, signalsOf } from "./github-facts.ts";
import { requestOf } from "./github-requests.ts";
import { createNames, type Names } from "./names.ts";
import type { Refusal } from "./refusals.ts";
import { elsewhere, type GitHubTraits, otherRepo, ourLogin, ownRepo, workRepo } from "./scenario.ts";

/** An issue of the sandbox's GitHub, wherever it is, with what a history has to remember of it. */
export interface HubIssue {
  /** Where it is now: a transfer gives it another repository and another number. */
  repository: HubRepository;
  number: number;
  /** As it is now, or was when it was deleted. */
  readonly record: IssueRecord;
  readonly isDeleted: boolean;
  /** Posts of the marker that it was opened with by our account. */
  readonly openedFor: readonly PostId[];
  /** Posts that the board's tool has made of it. */
  readonly became: BoardPost[];
  /** Whether people wrote into the part that boardsync manages, or took its comments away. */
  isBlockEdited: boolean;
  readonly comments: readonly IssueComment[];
  /** GitHub's own, another one after a transfer. */
  readonly id: number;
  /** What no list shows. */
  readonly signals: Signals;
  /** What it was marked as a duplicate of. */
  readonly duplicateOf: HubIssue | undefined;
  /** How often the tracker said of it, wrongly, that there is no such issue. */
  timesDenied: number;
}

/** A repository of the sandbox's GitHub. */
export interface HubRepository {
  readonly id: number;
  readonly name: string;
  readonly hasIssues: boolean;
  readonly isArchived: boolean;
  readonly labels: readonly Named[];
  readonly milestones: readonly Milestone[];
  /** What its labels and milestones were called first. */
  readonly names: Names;
  /** They lead here for as long as nobody else takes them. */
  readonly formerNames: string[];
  readonly issues: HubIssue[];
  /** Issues that were transferred, by the number that they had here. */
  readonly left: Map<number, HubIssue>;
  /** Issues that are asked for and will be opened a while later. */
  arriving: number;
}

/** What became of a write of ours. */
export interface Sent {
  readonly answer: Answer;
  /** The issue that was opened or changed, and what it was before; undefined where it was none. */
  readonly issue: HubIssue | undefined;
  readonly before: IssueRecord | undefined;
}

/** A write to an issue that is there. */
export type ChangeWrite = Exclude<IssueWrite, { kind: "create-issue" | "create-label" }>;

/** All that people can do. */
export type Hands = SandboxPeople & SandboxSignalPeople & SandboxProjects;

/** The sandbox's GitHub in the hands of a history. */
export interface HubServer {
  readonly traits: GitHubTraits;
  readonly state: GitHubState;
  readonly repositories: readonly HubRepository[];
  readonly owners: SandboxOwners;
  readonly work: StoredRepository;
  /** Whether the token may push. */
  canPush: boolean;
  /** What it refuses; what is over stays in the list. */
  refusals: Refusal[];
  find(repositoryId: number, number: number): HubIssue | undefined;
  /** The issue that goes, or once went, by this number, wherever it is now. */
  follow(repositoryId: number, number: number): HubIssue | undefined;
  /** People do something of which the lists are told after the lag. */
  act<T>(lagMs: number, does: (people: Hands) => T): T;
  /** Somebody opens an issue. */
  open(repository: HubRepository, setup: Parameters<SandboxPeople["openIssue"]>[1]): HubIssue;
  /** Gives an issue to another repository. */
  transfer(issue: HubIssue, to: HubRepository, lagMs: number): void;
  /** What a write of ours does. */
  write(repository: HubRepository, write: IssueWrite, lagMs: number): Sent;
  /** The comments of an issue that a list shows now. */
  commentsOf(issue: HubIssue): readonly IssueComment[];
  /** Whether an issue was opened by somebody who may not write. */
  isOutside(repository: HubRepository, record: IssueRecord): boolean;
  /** Who has set each of its labels last, by the label's name in lower case. */
  labellersOf(issue: IssueRef): ReadonlyMap<string, string>;
  /** What the lists show now, in no particular order. */
  listed(repository: HubRepository): readonly IssueRecord[];
  /** Whether the lists show everything as it is. */
  isSettled(): boolean;
  /** The same of one issue. */
  isShown(issue: HubIssue): boolean;
}

/** Starts a GitHub with three empty repositories. */
export function createHubServer(time: Time, traits: GitHubTraits): HubServer {
  const state = createState(time, { listMs: 0, readMs: 0 });
  // What a link in an answer begins with; over HTTP it is where the server listens.
  state.url = "https://github.example.com/api/v3";
  const people = { ...createPeople(state), ...createSignalPeople(state), ...createProjects(state) };
  const owners = createOwners(state, ourLogin);
  const stored = ({ id }: Pick<HubRepository, "id">): StoredRepository => {
    const repository = state.repositories.get(id);
    if (repository === undefined) throw new Error(`GitHub has no repository ${id}.`);
    return repository;
  };
  const now = ({ repository, number }: Pick<HubIssue, "repository" | "number">): StoredIssue => {
    const issue = issueAsOf(state, stored(repository), number, 0);
    if (issue === undefined) throw new Error(`GitHub has no ${repository.name}#${number}.`);
    return issue;
  };
  const addRepository = (name: string): HubRepository => {
    const repository = stored({
      id: owners.addRepository({
        name,
        private: true,
        canPush: traits.canPush,
        visible: name !== elsewhere || traits.showsElsewhere,
        labels: ["in progress"],
        milestones: ["Backlog"],
        collaborators: ["maintainer"],
      }),
    });
    return {
      id: repository.id,
      get name() {
        return repository.name;
      },
      get hasIssues() {
        return repository.hasIssues;
      },
      get isArchived() {
        return repository.isArchived;
      },
      get labels() {
        return [...repository.labels.values()].map(({ id, name: label }) => ({
          id: `LA_${id}`,
          name: label,
        }));
      },
      get milestones() {
        return milestonesOf(repository);
      },
      names: createNames(["in progress", "Backlog"]),
      formerNames: [],
      issues: [],
      left: new Map(),
      arriving: 0,
    };
  };
  const repositories = [ownRepo, otherRepo, elsewhere].map(addRepository);
  const work = stored({ id: owners.addRepository({ name: workRepo }) });
  people.addProject(
    { owner: projectField.owner, number: projectField.project },
    { [projectField.field]: options },
  );
  const byId = new Map<number, HubIssue>();
  /** Follows an issue that was opened just now. */
  const follow = (repository: HubRepository, number: number): HubIssue => {
    const { author, body } = now({ repository, number });
    const issue: HubIssue = {
      repository,
      number,
      get record() {
        return recordOf(stored(issue.repository), now(issue));
      },
      get isDeleted() {
        return now(issue).fate.kind === "deleted";
      },
      get comments() {
        return now(issue).comments.map(commentOf);
      },
      get id() {
        return now(issue).id;
      },
      get signals() {
        return signalsOf({ state, work }, now(issue));
      },
      get duplicateOf() {
        return byId.get(duplicateOf(state, now(issue)) ?? 0);
      },
      openedFor: author === ourLogin ? (parseMarker(body ?? "")?.posts ?? []) : [],
      became: [],
      isBlockEdited: false,
      timesDenied: 0,
    };
    repository.issues.push(issue);
    byId.set(now(issue).id, issue);
    return issue;
  };
  const server: HubServer = {
    traits,
    state,
    repositories,
    owners,
    work,
    refusals: [],
    get canPush() {
      return repositories.every((repository) => stored(repository).collaborators.has(ourLogin));
    },
    set canPush(canPush) {
      for (const { name } of repositories) owners.setPush(name, canPush);
    },
    find: (repositoryId, number) =>
      repositories
        .find(({ id }) => id === repositoryId)
        ?.issues.find((issue) => issue.number === number && !issue.isDeleted),
    follow(repositoryId, number) {
      const repository = repositories.find(({ id }) => id === repositoryId);
      return repository?.issues.find((issue) => issue.number === number) ?? repository?.left.get(number);
    },
    act: (lagMs, does) => delayed(state, lagMs, () => does(people)),
    open: (repository, setup) => follow(repository, people.openIssue(repository.name, setup).number),
    transfer(issue, to, lagMs) {
      const { repository: from, number } = issue;
      const moved = server.act(lagMs, () => people.transfer(from.name, number, to.name));
      from.issues.splice(from.issues.indexOf(issue), 1);
      from.left.set(number, issue);
      Object.assign(issue, { repository: to, number: moved.number });
      to.issues.push(issue);
      byId.set(moved.id, issue);
    },
    write(repository, write, lagMs) {
      const known = "number" in write ? server.find(repository.id, write.number) : undefined;
      const before = known?.record;
      const { method, path, body } = requestOf(write);
      const request = {
        method,
        path: `/repositories/${repository.id}${path}`,
        query: new URLSearchParams(),
        text: body === undefined ? "" : JSON.stringify(body),
        account: ourLogin,
      };
      const answer = delayed(state, lagMs, () => route(state, usualQuirks, request));
      const isTaken = answer.status < 300;
      const opened = isTaken && write.kind === "create-issue";
      const issue = opened ? follow(repository, stored(repository).issues.size) : known;
      return { answer, issue: isTaken ? issue : undefined, before };
    },
    commentsOf: ({ repository, number }) =>
      listedIssue(state, stored(repository), number, 0)?.comments.map(commentOf) ?? [],
    isOutside: (repository, { author }) => association(stored(repository), author) === "NONE",
    labellersOf({ repositoryId: id, number }) {
      const { labels } = stored({ id });
      const events = listedIssue(state, stored({ id }), number, 0)?.labelled ?? [];
      return new Map(events.map(({ label, by }) => [labels.get(label)?.name.toLowerCase() ?? "", by]));
    },
    listed(repository) {
      const within = stored(repository);
      return [...within.issues.keys()].flatMap((number) => {
        const issue = listedIssue(state, within, number, 0);
        return issue?.fate.kind === "here" && !issue.isPullRequest ? [recordOf(within, issue)] : [];
      });
    },
    isSettled: () => repositories.every((repository) => stored(repository).listedAt <= time.now()),
    isShown: ({ repository, number }) => isListed(state, stored(repository), number),
  };
  return server;
}

/** Whether nothing can be done with an issue any more: it is deleted, or where no config looks. */
export function isOutOfReach(issue: HubIssue | undefined): boolean {
  return issue === undefined || issue.isDeleted || issue.repository.name === elsewhere;
}

let records = new WeakMap<StoredIssue, IssueRecord>();

/** Labels or milestones have got other names, and every issue shows that. */
export function forgetRecords(): void {
  records = new WeakMap();
}

/** An issue as the port shows it; the same one for the same version. */
function recordOf(repository: StoredRepository, stored: StoredIssue): IssueRecord {
  const known = records.get(stored);
  if (known !== undefined) return known;
  const { author, title, body, isLocked: locked, ...shown } = viewIssue(repository, stored);
  const { number, state, stateReason, labels, assignees, type, createdAt, updatedAt } = shown;
  const milestone = milestonesOf(repository).find((one) => one.number === stored.milestone) ?? null;
  const labelIds = labelsOf(repository, stored).map(({ id }) => `LA_${id}`);
  const facts = {
    state,
    stateReason,
    labels,
    labelIds,
    assignees,
    milestone,
    type,
    locked,
    createdAt,
    updatedAt,
  };
  const issue = { repositoryId: repository.id, number, nodeId: `I_${stored.id}`, ...facts };
  const record: IssueRecord = { author, title, body: body ?? "", issue };
  records.set(stored, record);
  return record;
}

function milestonesOf({ milestones }: StoredRepository): readonly Milestone[] {
  return [...milestones.values()].map(({ number, title, state }) => ({ number, title, state }));
}

function commentOf({ author, body }: StoredIssue["comments"][number]): IssueComment {
  return { author, body };
}
