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
