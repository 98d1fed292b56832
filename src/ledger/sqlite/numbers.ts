import type { PostId, ProjectId } from "../../model/post.ts";
import type { Store } from "./store.ts";

/** The narrow numbers that stand for the board's ids in every table. */
export interface Numbers {
  findProject(project: ProjectId): number | undefined;
  /** Makes a number for a project that has none; inside a transaction. */
  project(project: ProjectId): number;
  findPost(project: number, post: PostId): number | undefined;
  /** Makes a number for a post that has none, inside a transaction: it is then known by name, and not listed. */
  post(project: number, post: PostId): number;
}

/**
 * A project's number never changes, so it is asked for once; one that was made in a transaction is forgotten when that is
 * rolled back. A post's is asked of the database every time: there are many.
 */
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
  const projects = new Map<ProjectId, number>();
  const keep = (project: ProjectId, number: number): number => {
    projects.set(project, number);
    store.onRollback(() => projects.delete(project));
    return number;
  };
  const findProject = (project: ProjectId): number | undefined => {
    const known = projects.get(project);
    if (known !== undefined) return known;
    const found = selectProject.get(project)?.number;
    return found && keep(project, found);
  };
  const findPost = (project: number, post: PostId): number | undefined =>
    selectPost.get(project, post)?.number;
  return {
    findProject,
    project: (project) => findProject(project) ?? keep(project, insertProject.insert(project)),
    findPost,
    post: (project, post) => findPost(project, post) ?? insertPost.insert(project, post),
  };
}
