import type { IssueRef } from "./issue.ts";

/**
 * A post of the feedback board, as a listing showed it. Source: the board's v1 API, section 2.
 */

declare const brand: unique symbol;

/** A board project's id as `GET /projects` gives it; never the slug. */
export type ProjectId = string & { readonly [brand]: "ProjectId" };

/** A post's id, as text, whatever type and name the board gives it. */
export type PostId = string & { readonly [brand]: "PostId" };

/** The values that the board's fields take. */
export type FieldValue = string | number | boolean | null;

/** Fields of a post that a rule may set and boardsync may PATCH, in the order in which they are shown. */
export const ruleFields = [
  "status",
  "roadmapColumn",
  "roadmapOrder",
  "roadmapPublic",
  "onRoadmap",
  "isReviewed",
  "isArchived",
  "categoryId",
] as const;
export type RuleField = (typeof ruleFields)[number];

/** Everything that boardsync remembers of a record; a private field (`internalNote`, a person) never gets this far. */
export const postFields = [
  ...ruleFields,
  "title",
  "description",
  "votes",
  "url",
  "createdAt",
  "updatedAt",
] as const;
export type PostField = (typeof postFields)[number];

/** The columns of the board's roadmap. */
export const roadmapColumns = ["PLANNED", "IN_PROGRESS", "COMPLETED"] as const;

/**
 * One record of a listing. `values` holds just the fields that this record showed: one that is absent here counts as
 * empty when the pull saw it in any record (`readField` of the plan), and as unseen when it saw it in none.
 */
export interface Post {
  readonly id: PostId;
  readonly values: Readonly<Partial<Record<PostField, FieldValue>>>;
  /** Fields that this record shows as what can't be read: nobody knows what is in them. Left out where there are none. */
  readonly unread?: readonly PostField[];
}

/** A project as the board's `GET /projects` lists it. */
export interface BoardProject {
  readonly id: ProjectId;
  readonly slug: string | undefined;
  readonly name: string;
}

/** A PATCH of the internal note, which nobody is notified for. */
export interface NoteChange {
  readonly internalNote: string | null;
}

/** What a PATCH carries: the fields that differ, and nothing else. */
export type PostChange = Readonly<Partial<Record<RuleField, FieldValue>>>;

/** A category of a board. */
export interface Category {
  readonly id: string;
  readonly name: string;
}

/** A name of a category, as the config has it, and the category that it means. */
export interface CategoryPin {
  readonly word: string;
  readonly id: string;
}

/** What a complete pull saw of a project. */
export interface PullMeasure {
  readonly posts: number;
  /** Posts that have an issue, without those that are known to be missing; and how many of these the pull showed. */
  readonly linked: number;
  readonly linkedSeen: number;
}

/** Two posts of one id, in two projects of the board. */
export interface Namesake {
  readonly post: PostId;
  readonly here: Post["values"];
  /** Since when it is listed here, epoch ms. */
  readonly listedSince: number;
  /** Since when there are two: the later one of the times since which each is listed, or was last, epoch ms. */
  readonly since: number;
  /** The other project. */
  readonly project: ProjectId;
  /** As the other project has listed it last; undefined where it never has, and only an issue's mark names it. */
  readonly there: Post["values"] | undefined;
  /** Whether the other project's last complete list has lacked it, or each of them. */
  readonly isGone: boolean;
  /** When that list was begun, epoch ms; undefined where there is none. */
  readonly pulledAt: number | undefined;
  /** Those that the other one is linked to, then those that carry its mark. */
  readonly issues: readonly IssueRef[];
  /** Whether the outcome of a write for the other one is open, but for that of a PATCH. */
  readonly isUnderWay: boolean;
}

/** A listed post, as far as it tells whether it is what an issue has become. */
export interface AlikePost {
  readonly post: PostId;
  /** `''` where the board shows none. */
  readonly title: string;
  readonly text: string;
  /** As the board shows it; undefined where it shows none. */
  readonly createdAt: string | undefined;
  /** Since when it is listed, epoch ms. */
  readonly listedSince: number;
  /** Whether it has an issue, or a person has taken one from it. */
  readonly isTaken: boolean;
}

/** What can be recognised of one record that a tool of the board's shows; every text is foreign. */
export interface ToolRecord {
  readonly id: string;
  /** `title` or `name`. */
  readonly title?: string;
  /** `content`, `body`, `description`, `markdown`. */
  readonly text?: string;
  readonly url?: string;
  /** Whether an entry is published: by `published`, `isPublished`, `status`, `state`, `publishedAt`, `draft`; undefined where nothing says so. */
  readonly isPublished?: boolean;
}
