import type { Pin, ProjectFieldName, RepositoryName } from "../../model/issue.ts";
import type { ContentBase } from "../../model/link.ts";
import type { FieldValue, PostChange, PostField, PostId, ProjectId, RuleField } from "../../model/post.ts";

/** What of people is made unreadable in the texts of posts. */
export type Redacted = "email" | "phone";

/** Which categories words of the config may mean of which it is not known yet. */
export interface OpenCategories {
  /** By ids; null: any that is not among the known. */
  readonly words: Readonly<Record<string, readonly string[] | null>>;
  /** Words that rules set, and that may be names. */
  readonly written: readonly string[];
  /** Ids. */
  readonly known: readonly string[];
}

/**
 * What one project's planner is told, made from the config by `app.ts`: durations in milliseconds, lists where the config
 * allows one value or a list, defaults filled in.
 */
export interface Settings {
  /** The project's id on the board, never its slug. */
  readonly project: ProjectId;
  readonly repo: RepositoryName;
  /** `issues`: nothing is sent to the board. `none`: nothing is sent at all; what would be is still shown. */
  readonly writes: "all" | "issues" | "none";
  readonly select: Select;
  readonly route: readonly Route[];
  /** Absent where it is known what all names of categories mean. */
  readonly openCategories?: OpenCategories;
  readonly issue: IssueSettings;
  readonly content: Following | Readonly<Partial<Record<"title" | "description", Following>>>;
  /** From the most advanced to the least; for each field the first match that names it wins. */
  readonly rules: readonly Rule[];
  readonly whenNoRule: "restore" | "keep";
  readonly conflict: Conflict | ConflictByField;
  readonly several: "all" | "any" | "primary";
  /** Whether the post of an issue that was closed as duplicate follows the other issue. */
  readonly followDuplicates: boolean | "anyone";
  /** First match wins. */
  readonly boardRules: readonly BoardRule[];
  /** undefined: releases make no entries. */
  readonly changelog?: ChangelogSettings;
  /** Which issues become posts; left out where none does. */
  readonly import?: ImportSettings;
  /** What the board's tool that lists categories is called with, as templates: `board.mcp.tools.categories.args`. */
  readonly categoryArgs?: Readonly<Record<string, unknown>>;
  /** Whether one line in the post's internal note names the issue. */
  readonly backlink: boolean;
  readonly settleMs: number;
  readonly guard: GuardLimits;
}

/** Which releases become entries of the board's changelog, and how. */
export interface ChangelogSettings {
  /** Of tags: `*` is any text, `?` any one character. */
  readonly releases: string;
  readonly prereleases: boolean;
  /** Liquid templates. */
  readonly title: string;
  readonly body: string;
  /** `approve`: a draft is published when a person lets it go. */
  readonly publish: "never" | "approve";
  /** What the board's tools are called with, as templates; without one for `update` drafts stay as they were made. */
  readonly args: Readonly<
    Partial<Record<"list" | "create" | "update" | "publish", Readonly<Record<string, unknown>>>>
  >;
}

/** Whether an issue follows later edits of its post. What a map leaves out does. */
export type Following = "follow" | "once";

/** What becomes of a field that both sides have changed. `pause`: a person's change on the board pauses the post. */
export type Conflict = "tracker" | "board" | "hold" | "pause";

/** By the field that is written, of the post or of the issue; `default` for all others. */
export type ConflictByField = Readonly<
  Partial<Record<RuleField | "state" | "milestone" | "labels" | "default", Conflict>>
>;

/** Which issues that no post is linked to become posts. */
export interface ImportSettings {
  /** All of these, at least one. */
  readonly labels: readonly string[];
  /** As the board's tool takes it. */
  readonly category?: string;
  /** Whether those of people without write access count, too. */
  readonly fromAnyone: boolean;
  /** What the board's tool is called with, as templates: `board.mcp.tools.feedbackCreate.args`. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** What makes targets out of issues, and out of posts. */
export type RuleSettings = Pick<
  Settings,
  "rules" | "several" | "whenNoRule" | "followDuplicates" | "boardRules"
>;

/** Conditions on a post. Every one that is given must hold. */
export interface SelectConditions {
  readonly statuses?: readonly string[];
  readonly categories?: readonly string[];
  readonly reviewed?: boolean;
  readonly onRoadmap?: boolean;
  readonly roadmapColumn?: readonly string[];
  /** One of these texts stands in the title, in any case. */
  readonly title?: readonly string[];
  readonly minVotes?: number;
  readonly maxVotes?: number;
  readonly archived?: boolean;
  /** ISO 8601 date or time. */
  readonly createdAfter?: string;
  readonly createdBefore?: string;
  /** Milliseconds since it was created. */
  readonly olderThan?: number;
  /** One of these groups holds. */
  readonly any?: readonly SelectConditions[];
  /** This group, as a whole, does not hold. */
  readonly not?: SelectConditions;
}

/** Which posts become issues. */
export interface Select extends SelectConditions {
  /** Whether `archived: false` is a default: it then holds where the board does not show the field. */
  readonly isArchivedDefault: boolean;
}

/** Sends matching posts to another repository. Every condition that is given must hold. */
export interface Route {
  readonly category?: string;
  readonly status?: string;
  /** A label that `categoryLabels` gives to the post's category. */
  readonly label?: string;
  readonly repo: RepositoryName;
}

export interface IssueSettings {
  readonly labels: readonly string[];
  readonly categoryLabels: Readonly<Record<string, string>>;
  /** By how many votes a post has to have at least: its issue has the label of the highest such number, and no other of these. */
  readonly voteLabels?: Readonly<Record<string, string>>;
  /** undefined: both where a repository of the project is public, else nothing. */
  readonly redact?: readonly Redacted[] | undefined;
  readonly assignees: readonly string[];
  /** By title. */
  readonly milestone?: string;
  readonly type?: string;
}

export interface Rule {
  readonly when: Condition;
  readonly set: PostChange;
}

/** Every key that is given must hold. */
export interface Condition {
  readonly state?: "open" | "closed";
  /** `other`: none, or one that no rule of the project names. */
  readonly reason?: readonly string[];
  /** All of these. */
  readonly labels?: readonly string[];
  readonly anyLabel?: readonly string[];
  /** None of these. */
  readonly noLabel?: readonly string[];
  readonly assigned?: boolean;
  /** `any`, `none`, or a title. */
  readonly milestone?: string;
  readonly milestoneState?: "open" | "closed";
  readonly type?: string;
  readonly subIssues?: "all-closed" | "some-closed";
  readonly projectStatus?: ProjectStatusCondition;
  readonly pullRequest?: PullRequestWish;
  readonly released?: boolean;
}

type PullRequestState = "open" | "ready" | "merged" | "none";

/** `from anyone`: open ones count by whomever they are, and not only by people who may write to the repository. */
export type PullRequestWish = PullRequestState | `${PullRequestState} from anyone`;

/** A field of a project shows one of these options. */
export interface ProjectStatusCondition extends ProjectFieldName {
  readonly is: readonly string[];
}

/** post → issue. */
export interface BoardRule {
  readonly when: PostCondition;
  readonly set: IssueChange;
}

/** Every key that is given must hold. */
export interface PostCondition {
  readonly status?: string;
  readonly archived?: boolean;
  readonly category?: string;
  readonly onRoadmap?: boolean;
  readonly reviewed?: boolean;
  /** Gone from the board: not listed by two complete pulls of two runs. */
  readonly missing?: boolean;
}

/** What an issue gets from a board rule. */
export interface IssueChange {
  readonly state?: "open" | "closed";
  readonly reason?: "completed" | "not_planned" | "duplicate" | "reopened";
  readonly addLabels?: readonly string[];
  readonly removeLabels?: readonly string[];
  /** By title; null for none. */
  readonly milestone?: string | null;
  /** Made once for each time that the rule begins to hold. */
  readonly comment?: string;
}

export interface GuardLimits {
  /** Issues created or changed in a run. */
  readonly issues: number;
  /** Writes that notify voters, in any 60 minutes. */
  readonly statuses: number;
  /** Status changes of one post in 24 hours before it is quarantined. */
  readonly flips: number;
}

/** An issue's text, made from a post by the renderer; safe to publish. */
export interface RenderedIssue extends ContentBase {
  readonly title: string;
  /** The managed block alone. */
  readonly block: string;
  /** Marker, block and room for people: the body of a new issue. */
  readonly body: string;
  /** What the block says of votes, as a part of the last line that is not the post's address; undefined where it says nothing. */
  readonly votes?: string | undefined;
  /** The posts that the marker names. */
  readonly posts: readonly PostId[];
}

/** The text of the issue of a post, and of further posts that it stands for; made by `createRenderer`. */
export type Render = (post: PostValues, others: readonly PostValues[]) => RenderedIssue;

/** The text of a comment, made from a post by the renderer; safe to publish. `template` is one of a board rule. */
export type RenderComment = (template: string, post: PostValues) => string;

/** What a template may see of a post. */
export interface PostValues {
  readonly id: PostId;
  readonly values: Readonly<Record<string, FieldValue | undefined>>;
}

/** Everything besides the row that a decision depends on. */
export interface PlanContext {
  readonly settings: Settings;
  /** The fields that any record of the last pull showed; all others are unseen. */
  readonly seen: ReadonlySet<PostField>;
  /** Set where the pull before showed more fields: an answer may be cut, and no text is written by it. */
  readonly isCut?: true;
  /** The statuses that posts of the project show, the most common first. */
  readonly statuses: readonly string[];
  readonly render: Render;
  readonly renderComment: RenderComment;
  /** What names of the rules mean in a repository, as far as that is known. */
  readonly pinsOf: (repository: RepositoryName) => readonly Pin[];
  /** Epoch ms. */
  readonly now: number;
  /** `waits.patch`: for so long the board's list may show a post as it was before our write. */
  readonly patchMs: number;
  /** `fullEvery`: so often, at most, the order of a post by its votes is sent. */
  readonly fullEveryMs: number;
  /** Set where PATCHes are listed and none goes: no post is going to follow its issue then. */
  readonly isBoardReadOnly?: true;
}

/** The place of a post in its column by its votes, as the config writes it. */
export const byVotes = "byVotes";

/** Whether any rule asks for that. */
export function sortsByVotes({ rules }: Pick<Settings, "rules">): boolean {
  return rules.some(({ set }) => set.roadmapOrder === byVotes);
}
