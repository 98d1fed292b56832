import type { Notices, SaidNotice } from "../../notices.ts";
import type { Store } from "../file/store.ts";

/** What people were told of. */
export function createNotices(store: Store): Notices {
  const select = store.prepare<[], SaidNotice>(
    "SELECT cause, state, said_at AS at FROM notices_said ORDER BY cause",
  );
  const insert = store.prepare<[SaidNotice]>(
    "INSERT OR REPLACE INTO notices_said (cause, state, said_at) VALUES (@cause, @state, @at)",
  );
  const remove = store.prepare<[string]>("DELETE FROM notices_said WHERE cause = ?");
  const removeOld = store.prepare<[number]>("DELETE FROM notices_said WHERE said_at < ?");
  return {
    said: () => store.read(() => select.all()),
    say(notices, forgetBefore) {
      store.transaction(() => {
        removeOld.run(forgetBefore);
        for (const notice of notices) insert.run({ ...notice });
      });
    },
    unsay(causes) {
      store.transaction(() => {
        for (const cause of causes) remove.run(cause);
      });
    },
  };
}
