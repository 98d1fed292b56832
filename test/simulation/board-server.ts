import {
  type FieldValue,
  type Post,
  type PostChange,
  type PostField,
  type PostId,
  postFields,
  type RuleField,
  ruleFields,
} from "../../src/model/post.ts";
import { foldStatus } from "../../src/plan/ground/fields.ts";
import type { Time } from "./clock.ts";
import type { BoardTraits } from "./scenario.ts";

/** Who changed a field last. `board` is the board's own doing. */
export type Author = "us" | "person" | "board";

/** One post on the board's side. */
export interface BoardPost {
  readonly id: PostId;
  readonly values: Record<PostField, FieldValue>;
  readonly touched: Map<RuleField, { readonly by: Author; readonly at: number }>;
  isDeleted: boolean;
  /** A fault of the board: left out of the next so many listings. */
  hiddenFor: number;
  /** How often its text was edited. */
  version: number;
  /** The status before our last write of it. */
  statusBefore: FieldValue | undefined;
  /** Mails that its voters got from our writes. */
  mails: number;
  /** What only its team sees, and as the last list showed it. */
  note: string;
  shownNote: string;
}

/** The board itself: what it holds, and what a request does to it. */
export interface BoardServer {
  readonly posts: BoardPost[];
  readonly traits: BoardTraits;
  add(values: Partial<Record<PostField, FieldValue>>): BoardPost;
  find(id: PostId): BoardPost | undefined;
  /** Posts in the board's order, as a listing would show them now. */
  listed(): readonly BoardPost[];
  /** A post as the API shows it. */
  show(post: BoardPost): Post;
  set(post: BoardPost, field: PostField, value: FieldValue, by: Author): void;
  /** What a PATCH does; the fields whose stored value changed. */
  patch(post: BoardPost, change: PostChange): readonly RuleField[];
  refuses(change: PostChange): boolean;
}

const columnOf: Readonly<Record<string, string>> = {
  planned: "PLANNED",
  inprogress: "IN_PROGRESS",
  completed: "COMPLETED",
};

export function createBoardServer(time: Time, traits: BoardTraits): BoardServer {
  const posts: BoardPost[] = [];
  const touch = (post: BoardPost, field: PostField, by: Author): void => {
    post.values.updatedAt = new Date(time.now()).toISOString();
    if (isRuleField(field)) post.touched.set(field, { by, at: time.now() });
  };
  const server: BoardServer = {
    posts,
    traits,
    add(values) {
      const id = `post_${posts.length + 1}` as PostId;
      const post: BoardPost = {
        id,
        values: { ...fresh(id, new Date(time.now()).toISOString()), ...values },
        touched: new Map(),
        isDeleted: false,
        hiddenFor: 0,
        version: 1,
        statusBefore: undefined,
        mails: 0,
        note: "",
        shownNote: "",
      };
      posts.push(post);
      return post;
    },
    find: (id) => posts.find((post) => post.id === id && !post.isDeleted),
    listed: () => posts.filter(({ isDeleted, hiddenFor }) => !isDeleted && hiddenFor === 0).reverse(),
    show: (post) => ({ id: post.id, values: shown(post.values, traits) }),
    set(post, field, value, by) {
      if (post.values[field] === value) return;
      post.values[field] = value;
      touch(post, field, by);
    },
    patch(post, change) {
      const changed: RuleField[] = [];
      for (const field of ruleFields) {
        const sent = change[field];
        if (sent === undefined || (field === "status" && traits.ignoresStatus)) continue;
        const value = field === "status" ? spell(sent, traits) : sent;
        if (field === "status") post.statusBefore = post.values.status;
        if (post.values[field] !== value) changed.push(field);
        post.values[field] = value;
        touch(post, field, "us");
        if (field === "status" && traits.movesColumn && change.roadmapColumn === undefined) {
          const column = columnOf[foldStatus(String(value))];
          if (column !== undefined) server.set(post, "roadmapColumn", column, "board");
        }
      }
      post.values.updatedAt = new Date(time.now()).toISOString();
      if (changed.includes("status")) post.mails += 1;
      return changed;
    },
    refuses: ({ status }) => status !== undefined && status === traits.refuses,
  };
  return server;
}

function fresh(id: PostId, now: string): Record<PostField, FieldValue> {
  return {
    status: "open",
    roadmapColumn: null,
    roadmapOrder: 0,
    roadmapPublic: false,
    onRoadmap: false,
    isReviewed: true,
    isArchived: false,
    categoryId: "cat_1",
    title: `Wish of ${id}`,
    description: describePost(id, 1),
    votes: 5,
    url: `https://feedback.example.com/p/${id}`,
    createdAt: now,
    updatedAt: now,
  };
}

/** A text that no other post has, and no other version of it. */
export function describePost(id: PostId, version: number): string {
  return `Canary of ${id} in version ${version}.`;
}

function shown(values: BoardPost["values"], { hidden }: BoardTraits): Post["values"] {
  if (hidden.length === 0) return { ...values };
  return Object.fromEntries(
    postFields.filter((field) => !hidden.includes(field)).map((field) => [field, values[field]]),
  );
}

function spell(value: FieldValue, { respells }: BoardTraits): FieldValue {
  if (!respells || typeof value !== "string") return value;
  return value
    .split("_")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(" ");
}

function isRuleField(field: PostField): field is RuleField {
  return ruleFields.some((known) => known === field);
}
