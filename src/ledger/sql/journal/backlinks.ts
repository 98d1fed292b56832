import type { Backlinks, DueBacklink } from "../../rows.ts";
import type { Carrying, Queries } from "../columns/numbers.ts";
import { projectOf } from "../statements.ts";
import type { Plain } from "../store.ts";

/** Which posts are due the triggers on `links` say. */
export function createBacklinks(on: Queries) {
  const { run, has, all, numbers } = on;
  return {
    areDue: (project) => has`
      SELECT 1 AS one FROM backlinks INDEXED BY backlinks_due WHERE project = ${projectOf(project)} AND is_due = 1 LIMIT 1`,
    due: (project, posts) => all<DueBacklink>`
      SELECT posts.id AS post, line FROM EACH TEXT ${posts} AS batch
      CROSS JOIN posts ON posts.project = ${projectOf(project)} AND posts.id = batch.value
      CROSS JOIN backlinks ON backlinks.post = posts.number AND is_due = 1`,
    changes: {
      *"record-backlink"({ line, isDue, ...of }) {
        const [, post] = yield* numbers.place(of);
        yield* run`UPDATE backlinks SET line = ${line}, is_due = ${isDue} WHERE post = ${post}`;
      },
    },
  } satisfies Plain<Backlinks> & Carrying;
}
