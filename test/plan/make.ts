import type { Issue, LinkedPullRequest, Readable } from "../../src/model/issue.ts";
import type { FieldBase, LinkedIssue, Parked, Row, RowNote, Target } from "../../src/model/link.ts";
import {
  type FieldValue,
  type PostField,
  type PostId,
  type ProjectId,
  postFields,
} from "../../src/model/post.ts";
import { hashText } from "../../src/plan/ground/hash.ts";
import type {
  PlanContext,
  PostValues,
  RenderedIssue,
  Rule,
  Settings,
} from "../../src/plan/ground/settings.ts";
import { createDialect } from "../../src/tracker/github/dialect.ts";

/** Rows, settings and contexts for the planner's tests: everything has a plain value, a test names what it is about. */

/** What texts are made harmless for. */
export const gitHub = createDialect("https://api.github.com");
/** The same of an Enterprise Server, whose pages have no address that leaves no trace. */
export const enterprise = createDialect("https://ghe.example.com/api/v3");

export const postId = "p1" as PostId;
export const noTarget: Target = { kind: "none" };

export function aim(value: FieldValue): Target {
  return { kind: "value", value };
}

export const statusRules: readonly Rule[] = [
  { when: { state: "closed", reason: ["completed"] }, set: { status: "completed" } },
  { when: { labels: ["started"] }, set: { status: "in_progress" } },
  { when: { milestone: "any" }, set: { status: "planned" } },
];

export function makeSettings(changes: Partial<Settings> = {}): Settings {
  return {
    project: "project-1" as ProjectId,
    repo: "acme/app",
    writes: "all",
    select: { archived: false, isArchivedDefault: true },
    route: [],
    issue: { labels: [], categoryLabels: {}, assignees: [] },
    content: "follow",
    rules: statusRules,
    whenNoRule: "restore",
    conflict: "tracker",
    several: "all",
    followDuplicates: false,
    boardRules: [],
    backlink: false,
    settleMs: 0,
    guard: { issues: 50, statuses: 25, flips: 3 },
    ...changes,
  };
}

export function makeIssue(changes: Partial<Issue> = {}): Issue {
  return {
    repositoryId: 7,
    number: 12,
    nodeId: "I_12",
    state: "open",
    stateReason: null,
    labels: [],
    assignees: [],
    milestone: null,
    type: null,
    locked: false,
    createdAt: "2026-01-01T00:00:00Z",
    updatedAt: "2026-01-02T00:00:00Z",
    ...changes,
  };
}

export function makePullRequest(changes: Partial<LinkedPullRequest> = {}): LinkedPullRequest {
  return { repository: "acme/app", number: 30, state: "open", isDraft: false, ...changes };
}

export function known<T>(value: T): Readable<T> {
  return { kind: "known", value };
}

export function unreadable(message: string): Readable<never> {
  return { kind: "unknown", message };
}

/** Issues as people leave them, by the rule of `statusRules` that they match. */
export const done = makeIssue({ state: "closed", stateReason: "completed" });
export const started = makeIssue({ labels: ["started"] });
export const scheduled = makeIssue({ milestone: { number: 1, title: "Next", state: "open" } });
export const untouched = makeIssue();

/** Parts of a linked issue; of what is known of it, all but its record. */
export type LinkParts = Partial<LinkedIssue & Omit<NonNullable<LinkedIssue["known"]>, "issue">>;

export function makeLink(
  issue: Issue | undefined,
  { pins, signals, canonical, ...changes }: LinkParts = {},
): LinkedIssue {
  const ref = { repositoryId: 7, number: issue?.number ?? 12 };
  const beside = { ...(pins && { pins }), ...(signals && { signals }), ...(canonical && { canonical }) };
  return {
    link: { post: postId, issue: ref, origin: "opened" },
    known: issue && { issue, ...beside },
    isGone: false,
    text: "none",
    ...changes,
  };
}

export function makeAdopted(issue: Issue): LinkedIssue {
  const { number, repositoryId } = issue;
  return makeLink(issue, { link: { post: postId, issue: { repositoryId, number }, origin: "adopted" } });
}

/** A row of the post `p1`; `values` are its fields. */
export function makeRow(
  values: Readonly<Partial<Record<PostField, FieldValue>>>,
  changes: Partial<Row> = {},
): Row {
  return {
    post: { id: postId, values },
    seenAt: 0,
    missing: 0,
    links: [],
    base: {},
    openIntents: [],
    statusWrites: [],
    ...changes,
  };
}

export function makeBase(
  target: Target,
  post: FieldValue | undefined,
  changes: Partial<FieldBase> = {},
): FieldBase {
  return {
    target,
    post,
    foreign: undefined,
    written: undefined,
    pending: undefined,
    ruled: undefined,
    ...changes,
  };
}

export function makeParked(kind: Parked["action"]["kind"], signature: string): Parked {
  const refused = { kind: "parked", cause: "refused", code: "board.rejected" } as const;
  return { ...refused, message: "no", since: 0, action: { kind, signature } };
}

export const quarantine: RowNote = {
  kind: "quarantined",
  cause: "quarantined",
  message: "its status flapped too often",
  since: 0,
};

export function makeContext(changes: Partial<PlanContext> = {}): PlanContext {
  return {
    settings: makeSettings(),
    seen: new Set(postFields),
    statuses: [],
    render: renderPlain,
    renderComment: (template, post) => `${template} (${post.values["title"]})`,
    pinsOf: () => [],
    now: 1_000_000,
    patchMs: 120_000,
    fullEveryMs: 21_600_000,
    ...changes,
  };
}

/** A renderer that any change of title, description or further posts shows in. */
export function renderPlain(post: PostValues, others: readonly PostValues[]): RenderedIssue {
  const title = String(post.values["title"] ?? "");
  const block = [post.values["description"] ?? "", ...others.map(({ id }) => id)].join(" ");
  const hashes = { titleHash: hashText(title), blockHash: hashText(block) };
  return { title, block, body: `marker ${block}`, posts: [post, ...others].map(({ id }) => id), ...hashes };
}
