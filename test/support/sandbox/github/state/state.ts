import type { Clock } from "../../../../../src/model/surroundings.ts";

/** A label of a repository. Issues refer to it by id, so that a rename reaches them all. */
export interface StoredLabel {
  readonly id: number;
  readonly name: string;
  readonly color: string;
  readonly description: string | null;
}

/** A milestone of a repository. Times are epoch ms. */
export interface StoredMilestone {
  readonly id: number;
  readonly number: number;
  readonly title: string;
  readonly description: string | null;
  readonly state: "open" | "closed";
  readonly creator: string;
  readonly dueOn: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly closedAt: number | null;
}

/** An issue type. Issues refer to it by id. */
export interface StoredType {
  readonly id: number;
  readonly name: string;
}

/** A comment on an issue. */
export interface StoredComment {
  readonly id: number;
  readonly author: string;
  readonly body: string;
  readonly createdAt: number;
}

/** Where an issue is now: in its repository, deleted, made a discussion, or transferred to another number of another repository. */
type IssueFate =
  | { readonly kind: "here" }
  | { readonly kind: "deleted" }
  | { readonly kind: "converted" }
  | { readonly kind: "moved"; readonly repositoryId: number; readonly number: number };

/** Who does what nobody else is named for. */
export const person = "octocat";

/** One version of an issue or a pull request. Times are epoch ms. */
export interface StoredIssue {
  readonly id: number;
  readonly number: number;
  readonly isPullRequest: boolean;
  readonly title: string;
  readonly body: string | null;
  /** null for a deleted account. */
  readonly author: string | null;
  /** Who has changed the body, one for each time. */
  readonly editors: readonly string[];
  readonly state: "open" | "closed";
  readonly stateReason: string | null;
  /** Ids of labels. */
  readonly labels: readonly number[];
  /** When it was closed or reopened, and by whom. */
  readonly turns: readonly { readonly state: "open" | "closed"; readonly by: string; readonly at: number }[];
  /** Who has set which label, by its id, oldest first. */
  readonly labelled: readonly { readonly label: number; readonly by: string; readonly at: number }[];
  readonly assignees: readonly string[];
  /** Number of the milestone. */
  readonly milestone: number | null;
  /** Id of the type; its name where the repository has none that is called so. */
  readonly type: number | string | null;
  readonly isLocked: boolean;
  readonly comments: readonly StoredComment[];
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly closedAt: number | null;
  readonly closedBy: string | null;
  readonly fate: IssueFate;
}

/** What an issue was from `at` on; lists are told of it at `listedAt`. Both are epoch ms. */
interface IssueVersion {
  readonly at: number;
  readonly listedAt: number;
  readonly issue: StoredIssue;
}

/** A repository with everything in it. */
export interface StoredRepository {
  readonly id: number;
  readonly createdAt: number;
  /** `owner/name` as it is now. */
  name: string;
  isPrivate: boolean;
  hasIssues: boolean;
  isArchived: boolean;
  /** Whether tokens may see it at all; without it every path of the repository is 404. */
  isVisible: boolean;
  /** Logins that may push and be assigned. */
  readonly collaborators: Set<string>;
  /** Issue types; undefined for a repository that no organisation owns. */
  types: readonly StoredType[] | undefined;
  readonly labels: Map<number, StoredLabel>;
  readonly milestones: Map<number, StoredMilestone>;
  /** Number of the milestone that was made last: none is given twice. */
  lastMilestone: number;
  /** Every version of every issue by number, oldest first: lists and reads may lag behind. */
  readonly issues: Map<number, IssueVersion[]>;
  /** How many versions there are: what was made of all issues holds for as long as this is the same. */
  versions: number;
  /** When lists are told of all that has happened; epoch ms. */
  listedAt: number;
  /** The list of issues that was asked for last, when it was made, and what for. */
  lastList: { readonly key: string; readonly at: number; readonly rows: readonly StoredIssue[] } | undefined;
}

/** What a pull request has beside an issue's fields; by the pull request's id. */
export interface StoredPullRequest {
  readonly isDraft: boolean;
  /** Epoch ms; null until it is merged. */
  readonly mergedAt: number | null;
  /** The merge commit's id; null until it is merged, and where history was rewritten since. */
  readonly commit: string | null;
}

/** A release of a repository. Times are epoch ms. */
export interface StoredRelease {
  readonly id: number;
  readonly tag: string;
  readonly isDraft: boolean;
  readonly isPrerelease: boolean;
  readonly name: string | null;
  readonly body: string | null;
  readonly createdAt: number;
  readonly publishedAt: number | null;
  /** The commits that it contains, oldest first, its own last; undefined once its tag is gone. */
  readonly commits: readonly string[] | undefined;
}

/** A field of a project; without options it holds text. */
export interface StoredField {
  readonly id: string;
  name: string;
  options: readonly StoredOption[] | undefined;
}

export interface StoredOption {
  readonly id: string;
  readonly name: string;
}

/** An issue in a project. */
export interface StoredItem {
  readonly id: string;
  issueId: number;
  isArchived: boolean;
  /** Option ids by field ids. */
  readonly values: Map<string, string>;
}

/** A project of a user or an organisation. */
export interface StoredProject {
  readonly id: string;
  readonly owner: string;
  readonly number: number;
  isClosed: boolean;
  /** Whether tokens see it: not at all without a word, or its items as redacted ones. */
  sight: "full" | "none" | "redacted";
  fields: readonly StoredField[];
  readonly items: StoredItem[];
}

/** One event in the timelines of two issues. */
interface DuplicateEvent {
  readonly id: number;
  readonly isUnmarked: boolean;
  duplicateId: number;
  canonicalId: number;
}

/** What REST shows of no issue. */
export interface SignalState {
  readonly pullRequests: Map<number, StoredPullRequest>;
  /** Linked pull requests, by keyword or by hand: ids of pull requests by ids of issues. */
  readonly links: Map<number, readonly number[]>;
  /** Commits of each repository's default branch, oldest first, by the repository's id. */
  readonly commits: Map<number, readonly string[]>;
  /** Releases by the repository's id, oldest first. */
  readonly releases: Map<number, readonly StoredRelease[]>;
  readonly projects: StoredProject[];
  /** Ids of sub-issues by the parent's id. */
  readonly subIssues: Map<number, readonly number[]>;
  readonly duplicates: DuplicateEvent[];
  /** Fields of single issues that fail, such as `subIssues`, with the type of their error; by the issue's id. */
  readonly broken: Map<number, { readonly field: string; readonly type: string; readonly message: string }>;
}

/** How long after a write lists and single reads start to show it, in milliseconds. */
export interface SandboxLag {
  readonly listMs: number;
  readonly readMs: number;
}

/** Everything that the sandbox remembers. */
export interface GitHubState {
  /** The API's root, as it stands in every URL of an answer; known once the server listens. */
  url: string;
  readonly clock: Pick<Clock, "now">;
  readonly repositories: Map<number, StoredRepository>;
  /** Ids by names in lower case, former names included. */
  readonly names: Map<string, number>;
  readonly signals: SignalState;
  lag: SandboxLag;
  /** How much later lists are told of what happens now; see `delayed`. */
  delayMs: number;
  lastId: number;
}

/** An empty GitHub. */
export function createState(clock: Pick<Clock, "now">, lag: SandboxLag): GitHubState {
  return {
    url: "",
    clock,
    repositories: new Map(),
    names: new Map(),
    signals: createSignalState(),
    lag,
    delayMs: 0,
    lastId: 1000,
  };
}

function createSignalState(): SignalState {
  return {
    pullRequests: new Map(),
    links: new Map(),
    commits: new Map(),
    releases: new Map(),
    projects: [],
    subIssues: new Map(),
    duplicates: [],
    broken: new Map(),
  };
}

/** The next id. One sequence serves everything, so that no test mistakes an id for a number. */
export function nextId(state: GitHubState): number {
  state.lastId += 1;
  return state.lastId;
}

/** The repository that has, or once had, a name. */
export function findRepository(state: GitHubState, name: string): StoredRepository | undefined {
  const id = state.names.get(name.toLowerCase());
  return id === undefined ? undefined : state.repositories.get(id);
}

/** The newest version of an issue that is at least `lagMs` old. */
export function issueAsOf(
  state: GitHubState,
  repository: StoredRepository,
  number: number,
  lagMs: number,
): StoredIssue | undefined {
  const limit = state.clock.now() - lagMs;
  return repository.issues.get(number)?.findLast((version) => version.at <= limit)?.issue;
}

/** The version of an issue that lists show that are `lagMs` behind. */
export function listedIssue(
  state: GitHubState,
  repository: StoredRepository,
  number: number,
  lagMs: number,
): StoredIssue | undefined {
  const now = state.clock.now();
  const isListed = ({ at, listedAt }: IssueVersion): boolean => at <= now - lagMs && listedAt <= now;
  return repository.issues.get(number)?.findLast(isListed)?.issue;
}

/** Whether lists are told of the newest version of an issue. */
export function isListed(state: GitHubState, repository: StoredRepository, number: number): boolean {
  const newest = repository.issues.get(number)?.at(-1);
  return newest === undefined || newest.listedAt <= state.clock.now();
}

/** Does something of which lists are told only a while later. What leaves a repository leaves its lists at once. */
export function delayed<T>(state: GitHubState, delayMs: number, act: () => T): T {
  state.delayMs = delayMs;
  try {
    return act();
  } finally {
    state.delayMs = 0;
  }
}

/** Keeps a new version of an issue. */
export function saveIssue(state: GitHubState, repository: StoredRepository, issue: StoredIssue): StoredIssue {
  const versions = repository.issues.get(issue.number) ?? [];
  const at = state.clock.now();
  const listedAt = issue.fate.kind === "here" ? at + state.delayMs : at;
  versions.push({ at, listedAt, issue });
  repository.versions += 1;
  repository.listedAt = Math.max(repository.listedAt, listedAt);
  repository.issues.set(issue.number, versions);
  return issue;
}

/** A time as GitHub writes it: whole seconds in UTC. */
export function timestamp(epochMs: number): string {
  return `${new Date(epochMs).toISOString().slice(0, 19)}Z`;
}
