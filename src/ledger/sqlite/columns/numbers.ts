import type { PostId, ProjectId } from "../../../model/post.ts";
import type { Store } from "../file/store.ts";

/** The narrow numbers that stand for the board's ids in every table. */
export interface Numbers {
  findProject(project: ProjectId): number | undefined;
  /** Makes a number for a project that has none; inside a transaction. */
  project(project: ProjectId): number;
  findPost(project: number, post: PostId): number | undefined;
  /** Makes a number for a post that has none, inside a transaction: it is then known by name, and not listed. */
  post(project: number, post: PostId): number;
}

/** Numbers never change. Those of the last so many posts are kept: what is done about a post asks for its number often. */
const mostKept = 1_000;

/** A number is asked of the database once; one that was made in a transaction is forgotten when that is rolled back. */
export function createNumbers(store: Store): Numbers {
  interface Numbered {
    number: number;
  }
  const selectProject = store.prepare<[string], Numbered>("SELECT number FROM board_projects WHERE id = ?");
  const insertProject = store.prepare<[string]>("INSERT INTO board_projects (id) VALUES (?)");
  const selectPost = store.prepare<[number, string], Numbered>(
    "SELECT number FROM posts WHERE project = ? AND id = ?",
  );
  const insertPost = store.prepare<[number, string]>("INSERT INTO posts (project, id) VALUES (?, ?)");
  const projects = createShelf<ProjectId>(store);
  const posts = new Map<number, Shelf<PostId>>();
  const postsOf = (project: number): Shelf<PostId> => {
    const known = posts.get(project) ?? createShelf<PostId>(store);
    posts.set(project, known);
    return known;
  };
  const findProject = (project: ProjectId): number | undefined =>
    projects.find(project) ?? projects.keep(project, selectProject.get(project)?.number);
  const findPost = (project: number, post: PostId): number | undefined => {
    const shelf = postsOf(project);
    return shelf.find(post) ?? shelf.keep(post, selectPost.get(project, post)?.number);
  };
  return {
    findProject,
    project: (project) => findProject(project) ?? projects.keep(project, insertProject.insert(project)),
    findPost,
    post: (project, post) =>
      findPost(project, post) ?? postsOf(project).keep(post, insertPost.insert(project, post)),
  };
}

interface Shelf<Id> {
  find(id: Id): number | undefined;
  /** Returns what it is given. */
  keep<Found extends number | undefined>(id: Id, number: Found): Found;
}

function createShelf<Id>(store: Store): Shelf<Id> {
  const numbers = new Map<Id, number>();
  return {
    find: (id) => numbers.get(id),
    keep(id, number) {
      if (number === undefined) return number;
      if (numbers.size === mostKept) numbers.clear();
      numbers.set(id, number);
      store.onRollback(() => numbers.delete(id));
      return number;
    },
  };
}
