import type { PostId, ProjectId } from "../../../model/post.ts";
import type { Asked, Store } from "../store.ts";

/** The narrow numbers that stand for the board's ids in every table. */
export interface Numbers {
  /** `unknown` where there is none. */
  findProject(project: ProjectId): Asked<number>;
  /** Makes a number for a project that has none; inside a transaction. */
  project(project: ProjectId): Asked<number>;
  /** `unknown` where there is none. */
  findPost(project: number, post: PostId): Asked<number>;
  /** Makes a number for a post that has none, inside a transaction: it is then known by name, and not listed. */
  post(project: number, post: PostId): Asked<number>;
  /** Both numbers of a post, made where there are none; inside a transaction. */
  place(of: OfPost): Asked<readonly [project: number, post: number]>;
  /** A number that was read with something else. */
  learn(project: number, post: PostId, number: number): void;
  /** Nothing that was known is relied on any more. */
  forget(): void;
}

export interface OfPost {
  readonly project: ProjectId;
  readonly post: PostId;
}

/** The number of what is not known: no row has it. */
const unknown = -1;

/** Numbers never change. Those of the last so many posts are kept: what is done about a post asks for its number often. */
const mostKept = 1_000;

/** A number is asked of the database once; one that was made in a transaction is forgotten when that is rolled back. */
export function createNumbers(store: Store): Numbers {
  interface Numbered {
    number: number;
  }
  const selectProject = store.prepare<[string], Numbered>("SELECT number FROM board_projects WHERE id = ?");
  const insertProject = store.prepare<[string], Numbered>(
    "INSERT INTO board_projects (id) VALUES (?) ON CONFLICT (id) DO NOTHING RETURNING number",
  );
  const selectPost = store.prepare<[number, string], Numbered>(
    "SELECT number FROM posts WHERE project = ? AND id = ?",
  );
  const insertPost = store.prepare<[number, string], Numbered>(
    "INSERT INTO posts (project, id) VALUES (?, ?) ON CONFLICT (project, id) DO NOTHING RETURNING number",
  );
  const projects = createShelf<ProjectId>(store);
  const posts = new Map<number, Shelf<PostId>>();
  const postsOf = (project: number): Shelf<PostId> => {
    const known = posts.get(project) ?? createShelf<PostId>(store);
    posts.set(project, known);
    return known;
  };
  function* knownProject(project: ProjectId): Asked<number | undefined> {
    return projects.find(project) ?? projects.keep(project, (yield* selectProject.get(project))?.number);
  }
  function* knownPost(project: number, post: PostId): Asked<number | undefined> {
    const shelf = postsOf(project);
    return shelf.find(post) ?? shelf.keep(post, (yield* selectPost.get(project, post))?.number);
  }
  // Where another transaction was faster, its number is found.
  function* project(id: ProjectId): Asked<number> {
    const known = (yield* knownProject(id)) ?? (yield* insertProject.get(id))?.number;
    return projects.keep(id, known) ?? certain(yield* selectProject.get(id));
  }
  function* post(of: number, id: PostId): Asked<number> {
    const known = (yield* knownPost(of, id)) ?? (yield* insertPost.get(of, id))?.number;
    return postsOf(of).keep(id, known) ?? certain(yield* selectPost.get(of, id));
  }
  const certain = (found: Numbered | undefined): number => {
    if (found === undefined) throw new Error("A row was deleted while it was made.");
    return found.number;
  };
  return {
    *findProject(id) {
      return (yield* knownProject(id)) ?? unknown;
    },
    project,
    *findPost(of, id) {
      return (yield* knownPost(of, id)) ?? unknown;
    },
    post,
    *place(of) {
      const number = yield* project(of.project);
      return [number, yield* post(number, of.post)];
    },
    learn(of, id, number) {
      postsOf(of).keep(id, number);
    },
    forget() {
      projects.clear();
      posts.clear();
    },
  };
}

interface Shelf<Id> {
  find(id: Id): number | undefined;
  /** Returns what it is given. */
  keep<Found extends number | undefined>(id: Id, number: Found): Found;
  clear(): void;
}

function createShelf<Id>(store: Store): Shelf<Id> {
  const numbers = new Map<Id, number>();
  return {
    find: (id) => numbers.get(id),
    keep(id, number) {
      if (number === undefined || numbers.get(id) === number) return number;
      if (numbers.size >= mostKept) numbers.clear();
      numbers.set(id, number);
      store.onRollback(() => numbers.delete(id));
      return number;
    },
    clear: () => numbers.clear(),
  };
}
