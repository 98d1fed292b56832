import {
  type Post,
  type PostId,
  type ProjectId,
  postFields,
  type RuleField,
  ruleFields,
} from "../../src/model/post.ts";
import { createBoardState, type PostFields } from "../support/sandbox/board/state.ts";
import {
  type BoardStyle,
  completeStyle,
  type SandboxPost,
  showRecord,
} from "../support/sandbox/board/style.ts";
import type { Time } from "./clock.ts";
import type { HubIssue } from "./github-server.ts";
import { type BoardTraits, boardProjects, projectId } from "./scenario.ts";

/** Who changed a field last. `board` is the board's own doing. */
export type Author = "us" | "person" | "board";

/** A post of the sandbox's board, with what a history has to remember of it. */
export interface BoardPost {
  readonly id: PostId;
  /** The project that it is in now. */
  project: ProjectId;
  /** As it is now, or was when it was deleted; and as the API shows it. */
  values: Post["values"];
  shown: Post;
  /** What only its team sees, and as the last list showed it. */
  note: string;
  shownNote: string;
  readonly touched: Map<RuleField, { readonly by: Author; readonly at: number }>;
  isDeleted: boolean;
  /** A fault of the board: left out of the next so many listings. */
  hiddenFor: number;
  /** From when on lists show it: true time. */
  listedAt: number;
  /** The issue that the board's tool has made it of. */
  madeFrom: HubIssue | undefined;
  /** How often its text was edited. */
  version: number;
  /** As it was before our last write of it, and how long a list may show it so: true time. Undefined where people changed it since. */
  before: (Pick<BoardPost, "values" | "shown" | "touched"> & { readonly until: number }) | undefined;
  /** Of what a late list shows: it is the past, and nobody's doing. */
  readonly isLate?: true;
  /** The status before our last write of it. */
  statusBefore: string | undefined;
}

/** The sandbox's board in the hands of a history. */
export interface BoardServer {
  readonly posts: readonly BoardPost[];
  readonly traits: BoardTraits;
  readonly style: BoardStyle;
  add(fields: PostFields): BoardPost;
  /** Of the text that is given; the lists show it from a time on. */
  make(fields: PostFields, listedAt: number): BoardPost;
  /** Left out, the project is any. */
  find(id: PostId, project?: ProjectId): BoardPost | undefined;
  /** Posts of a project in the board's order, as a listing would show them now. */
  listed(project?: ProjectId): readonly BoardPost[];
  /** A post as the board keeps it. */
  stored(post: BoardPost): SandboxPost;
  /** What a person does. */
  edit(post: BoardPost, fields: PostFields): void;
  remove(post: BoardPost): void;
  restore(post: BoardPost): void;
  /** Takes it to another project: at once, of all lists that are read from then on. */
  move(post: BoardPost, to: ProjectId): void;
  /** What a PATCH does; of its fields those whose stored value changed. */
  patch(post: BoardPost, change: PostFields): readonly RuleField[];
  refuses(change: PostFields): boolean;
}

/** Where the board says that it is, over HTTP as in memory. */
export const boardAddress = "https://feedback.example.com/api/v1";

const columnOf = { planned: "PLANNED", in_progress: "IN_PROGRESS", completed: "COMPLETED" };

/** Starts a board without posts, with so many projects. */
export function createBoardServer(time: Time, traits: BoardTraits, projects: number): BoardServer {
  const posts: BoardPost[] = [];
  const style = styleOf(traits);
  const shelves = boardProjects.slice(0, projects);
  const state = createBoardState({ projects: shelves, now: time.now, style: () => style });
  const stored = ({ id, project }: BoardPost): SandboxPost => {
    const post = state.post(project, id);
    if (post === undefined) throw new Error(`The board has no ${id}.`);
    return post;
  };
  /** Takes over what the board has made of a post. */
  const refresh = (post: BoardPost): void => {
    const now = stored(post);
    post.values = readRecord(showRecord(now, { ...style, hidden: [] }, boardAddress));
    const isShown = ([field]: readonly [string, unknown]): boolean => !style.hidden.includes(field);
    post.shown = { id: post.id, values: Object.fromEntries(Object.entries(post.values).filter(isShown)) };
    post.note = now.internalNote ?? "";
  };
  const change = (post: BoardPost, by: Author, act: () => void): readonly RuleField[] => {
    const before = post.values;
    act();
    refresh(post);
    const changed = ruleFields.filter((field) => post.values[field] !== before[field]);
    for (const field of changed) post.touched.set(field, { by, at: time.now() });
    return changed;
  };
  const addAt = (fields: PostFields, listedAt: number): BoardPost => {
    const project = shelves[posts.length % shelves.length]?.id ?? projectId;
    const id = state.addPost(project, { roadmapOrder: 0, ...fields });
    const post: BoardPost = {
      id: id as PostId,
      project,
      values: {},
      shown: { id: id as PostId, values: {} },
      note: "",
      shownNote: "",
      touched: new Map(),
      isDeleted: false,
      hiddenFor: 0,
      listedAt,
      madeFrom: undefined,
      version: 1,
      before: undefined,
      statusBefore: undefined,
    };
    refresh(post);
    posts.push(post);
    return post;
  };
  return {
    posts,
    traits,
    style,
    stored,
    add(fields) {
      const post = addAt(fields, 0);
      const { id, project } = post;
      state.editPost(project, id, { title: `Wish of ${id}`, description: describePost(id, 1) });
      refresh(post);
      return post;
    },
    make: addAt,
    find: (id, project) =>
      posts.find(
        (post) => post.id === id && !post.isDeleted && (project === undefined || post.project === project),
      ),
    listed: (of = projectId) =>
      posts
        .filter(
          ({ isDeleted, hiddenFor, listedAt, project }) =>
            !isDeleted && hiddenFor === 0 && listedAt <= time.now() && project === of,
        )
        .reverse(),
    edit(post, fields) {
      post.before = undefined;
      change(post, "person", () => state.editPost(post.project, post.id, fields));
    },
    remove(post) {
      state.removePost(post.project, post.id);
      post.isDeleted = true;
    },
    restore(post) {
      state.restorePost(post.project, post.id);
      post.isDeleted = false;
    },
    move(post, to) {
      state.removePost(post.project, post.id);
      state.restorePost(to, post.id);
      post.project = to;
    },
    patch(post, fields) {
      const before = stored(post).status;
      const changed = change(post, "board", () => state.patchPost(post.project, post.id, fields));
      const isSent = (field: RuleField): boolean => field in fields && !style.ignored.includes(field);
      for (const field of ruleFields.filter(isSent)) post.touched.set(field, { by: "us", at: time.now() });
      if (isSent("status")) post.statusBefore = before;
      return changed.filter(isSent);
    },
    refuses: state.refuses,
  };
}

/** How a board with these traits behaves, in the words of the sandbox. */
function styleOf(traits: BoardTraits): BoardStyle {
  return completeStyle({
    pageSize: traits.pageSize,
    hidden: traits.hidden,
    ignored: traits.ignoresStatus ? ["status"] : [],
    refusedStatus: traits.refuses,
    columnOf: traits.movesColumn ? columnOf : {},
    patchAnswer: traits.answers === "record" ? "record" : "empty",
    ...(traits.respells && { spellStatus }),
  });
}

/** `In Progress` for `in_progress`. */
function spellStatus(status: string): string {
  const words = status.split("_").map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return words.join(" ");
}

/** The fields of a record that boardsync knows. */
function readRecord(record: Readonly<Record<string, unknown>>): Post["values"] {
  return Object.fromEntries(postFields.flatMap((field) => (field in record ? [[field, record[field]]] : [])));
}

/** A text that no other post has, and no other version of it. */
export function describePost(id: PostId, version: number): string {
  return `Canary of ${id} in version ${version}.`;
}
