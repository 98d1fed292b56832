import type { Change, SentChange } from "../../src/ledger/change.ts";
import type { AuditEntry, IntentId, NewIntent } from "../../src/ledger/journal.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { RepositoryMemory } from "../../src/ledger/memory.ts";
import type { PullId } from "../../src/ledger/pulls.ts";
import type { RowRecord } from "../../src/ledger/rows.ts";
import type { Issue, IssueRef, Repository } from "../../src/model/issue.ts";
import type { ContentBase, Parked, Row, RowNote } from "../../src/model/link.ts";
import type { Post, PostId, ProjectId } from "../../src/model/post.ts";

export const project = "prj_1" as ProjectId;
export const otherProject = "prj_2" as ProjectId;
export const noon = Date.UTC(2026, 0, 1, 12);
export const hourMs = 3_600_000;
export const content: ContentBase = { titleHash: "title", blockHash: "block" };

export function postId(id: string): PostId {
  return id as PostId;
}

export function createPost(id: string, values: Post["values"] = {}): Post {
  return { id: postId(id), values: { title: `Title of ${id}`, status: "open", ...values } };
}

export function createIssue(number: number, facts: Partial<Issue> = {}): Issue {
  return {
    repositoryId: 10,
    number,
    nodeId: `I_${number}`,
    state: "open",
    stateReason: null,
    labels: ["feedback"],
    assignees: ["ann"],
    milestone: { number: 3, title: "Backlog", state: "open" },
    type: "Feature",
    locked: false,
    createdAt: "2026-01-01T00:00:00Z",
    updatedAt: "2026-01-02T00:00:00Z",
    ...facts,
  };
}

export function createRepository(facts: Partial<Repository> = {}): Repository {
  return {
    id: 10,
    name: "acme/app",
    hasIssues: true,
    isArchived: false,
    isPrivate: true,
    canPush: true,
    ...facts,
  };
}

/** A repository that was read and of which nothing else is known yet. */
export function createRepositoryMemory(changes: Partial<RepositoryMemory> = {}): RepositoryMemory {
  return {
    name: "acme/app",
    repository: createRepository(),
    checkedAt: noon,
    labels: [],
    milestones: [],
    labelsEtag: undefined,
    milestonesEtag: undefined,
    types: [],
    typesEtag: undefined,
    refused: [],
    etag: undefined,
    cursor: undefined,
    scannedAt: undefined,
    namedAt: undefined,
    scannedFor: [],
    recoveredAt: undefined,
    fullAt: undefined,
    publicSince: undefined,
    pausedAt: undefined,
    ...changes,
  };
}

export function refOf(issue: Issue): IssueRef {
  return { repositoryId: issue.repositoryId, number: issue.number };
}

/** Pulls these posts completely. */
export async function pullPosts(
  ledger: Ledger,
  posts: readonly Post[],
  run = 1,
  at = noon,
  of = project,
): Promise<PullId> {
  const pull = await ledger.pulls.begin(of, run, at);
  await ledger.commit([
    { kind: "store-posts", pull, posts, at },
    { kind: "end-pull", pull, end: "complete", at },
  ]);
  return pull;
}

export async function linkPost(ledger: Ledger, id: string, issue: Issue): Promise<void> {
  const link = { post: postId(id), issue: refOf(issue), origin: "opened" as const };
  await ledger.commit([{ kind: "link", project, link, issue, content }]);
}

export function createRecord(changes: Partial<RowRecord> = {}): RowRecord {
  return {
    base: {},
    standing: { kind: "linked", reason: "has an issue" },
    notes: [],
    due: undefined,
    ...changes,
  };
}

/** Records every due row as decided. */
export async function settleAll(ledger: Ledger): Promise<void> {
  for (const id of await dueIds(ledger))
    await ledger.commit([{ kind: "record-row", project, post: postId(id), record: createRecord() }]);
}

export async function dueIds(ledger: Ledger, now = noon): Promise<readonly string[]> {
  return (await ledger.rows.due(project, now, undefined, 1000)).map(({ post }) => post.id);
}

export async function readRow(ledger: Ledger, id: string, now = noon): Promise<Row> {
  const row = await ledger.rows.row(project, postId(id), now);
  if (row === undefined) throw new Error(`There is no row for ${id}.`);
  return row;
}

export function createIntent(changes: Partial<NewIntent> = {}): NewIntent {
  return {
    project,
    post: postId("p1"),
    kind: "create-issue",
    run: 1,
    at: noon,
    reason: "selected",
    bodyHash: "body",
    ...changes,
  };
}

/** Marks an intent SENT; one that is prepared once more. */
export async function sendIntent(
  ledger: Ledger,
  changes: Partial<NewIntent> = {},
  at = noon,
  signature?: string,
): Promise<IntentId> {
  const intent = createIntent(changes);
  const sent = await ledger.commitSent([{ kind: "mark-sent", intent, at, signature }], intent);
  if (sent.intent === undefined) throw new Error("The intent is not in the journal.");
  return sent.intent;
}

/** An intent whose request did not leave after all. */
export async function prepareIntent(ledger: Ledger, changes: Partial<NewIntent> = {}): Promise<IntentId> {
  const intent = await sendIntent(ledger, changes);
  await ledger.commit([{ kind: "resolve", intent, state: "PREPARED", at: noon, message: "not sent" }]);
  return intent;
}

/** A write that the pace counts. */
export async function paceWrite(
  ledger: Ledger,
  write: Partial<Extract<SentChange, { readonly kind: "pace-write" }>>,
): Promise<void> {
  const line = { kind: "pace-write", at: noon, isCreate: true, budget: "", project, ...write } as const;
  await ledger.commitSent([line], { project: line.project, post: undefined });
}

export function createParked(changes: Partial<Parked> = {}): Parked {
  return {
    kind: "parked",
    cause: "refused",
    code: "board.rejected",
    message: "The board refuses it.",
    since: noon,
    action: { kind: "patch-post", signature: "s1" },
    ...changes,
  };
}

export const quarantined: RowNote = {
  kind: "quarantined",
  cause: "quarantined",
  message: "its status flapped too often",
  since: noon,
};

/** A decision that quarantines a post. */
export function quarantinePost(project: ProjectId, post: PostId): Change {
  return { kind: "record-row", project, post, record: createRecord({ notes: [quarantined], due: "now" }) };
}

/** A PATCH of p1 that was applied at noon. */
export function createPatchLine(): AuditEntry {
  return {
    at: noon,
    run: 1,
    side: "board",
    project,
    post: postId("p1"),
    issue: undefined,
    kind: "patch-post",
    fields: [],
    reason: "closed as completed",
    outcome: "applied",
    message: undefined,
    isApproved: false,
  };
}

/** A change that can't be made. */
export const failing: Change = {
  kind: "finish-run",
  run: 99,
  record: { finishedAt: noon, result: "ok", projects: [] },
};
