import type { Backlinks, DueBacklink } from "../../rows.ts";
import type { Carrying } from "../columns/changes.ts";
import type { Numbers } from "../columns/numbers.ts";
import { type Columns, fromColumns, type Plain, type Store } from "../store.ts";

/** Which posts are due the triggers on `links` say. */
export function createBacklinks(
  store: Store,
  numbers: Numbers,
): Plain<Backlinks> & Carrying<"record-backlink"> {
  const selectAny = store.prepare<[number]>(
    "SELECT 1 AS one FROM backlinks INDEXED BY backlinks_due WHERE project = ? AND is_due = 1 LIMIT 1",
  );
  const selectDue = store.prepare<[{ project: number; posts: string }], Columns<DueBacklink>>(`
    SELECT posts.id AS post, line FROM EACH TEXT @posts AS batch
    CROSS JOIN posts ON posts.project = @project AND posts.id = batch.value
    CROSS JOIN backlinks ON backlinks.post = posts.number AND is_due = 1`);
  const write = store.prepare<[{ post: number; line: string | undefined; isDue: number }]>(
    "UPDATE backlinks SET line = @line, is_due = @isDue WHERE post = @post",
  );
  return {
    *areDue(project) {
      return (yield* selectAny.get(yield* numbers.findProject(project))) !== undefined;
    },
    *due(id, posts) {
      const project = yield* numbers.findProject(id);
      return (yield* selectDue.all({ project, posts: JSON.stringify(posts) })).map(fromColumns);
    },
    changes: {
      *"record-backlink"({ line, isDue, ...of }) {
        const [, post] = yield* numbers.place(of);
        yield* write.run({ post, line, isDue: Number(isDue) });
      },
    },
  };
}
