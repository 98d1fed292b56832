import type { Notices, SaidNotice } from "../../memory.ts";
import type { Carrying } from "../columns/changes.ts";
import type { Plain, Store } from "../store.ts";

/** What people were told of. */
export function createNotices(store: Store): Plain<Notices> & Carrying<"say" | "unsay"> {
  const select = store.prepare<[], SaidNotice>(
    "SELECT cause, state, said_at AS at FROM notices_said ORDER BY cause",
  );
  const insert = store.prepare<[SaidNotice]>(`
    INSERT INTO notices_said (cause, state, said_at) VALUES (@cause, @state, @at)
    ON CONFLICT (cause) DO UPDATE SET state = excluded.state, said_at = excluded.said_at`);
  const move = store.prepare<[number, string, number]>(
    "UPDATE notices_said SET said_at = ? WHERE cause = ? AND said_at = ?",
  );
  const remove = store.prepare<[string]>("DELETE FROM notices_said WHERE cause = ?");
  const removeOld = store.prepare<[number]>("DELETE FROM notices_said WHERE said_at < ?");
  return {
    said: () => select.all(),
    sayAgain: ({ cause, at }, now) =>
      store.transaction(function* () {
        return (yield* move.count(now, cause, at)) === 1;
      }),
    changes: {
      *say({ notices, forgetBefore }) {
        yield* removeOld.run(forgetBefore);
        for (const notice of notices) yield* insert.run(notice);
      },
      *unsay({ causes }) {
        for (const cause of causes) yield* remove.run(cause);
      },
    },
  };
}
