import type { Notices, SaidNotice } from "../../memory.ts";
import type { Carrying } from "../columns/numbers.ts";
import type { Statements } from "../statements.ts";
import type { Plain } from "../store.ts";

/** What people were told of. */
export function createNotices(on: Statements) {
  const { run, count, all, upsert } = on;
  return {
    said: () => all<SaidNotice>`SELECT cause, state, said_at AS at FROM notices_said ORDER BY cause`,
    sayAgain: ({ cause, at }, now) =>
      on.transaction(function* () {
        const moved = yield* count`
          UPDATE notices_said SET said_at = ${now} WHERE cause = ${cause} AND said_at = ${at}`;
        return moved === 1;
      }),
    changes: {
      *say({ notices, forgetBefore }) {
        yield* run`DELETE FROM notices_said WHERE said_at < ${forgetBefore}`;
        for (const { cause, state, at } of notices)
          yield* upsert("notices_said", ["cause"], { cause, state, saidAt: at });
      },
      *unsay({ causes }) {
        for (const cause of causes) yield* run`DELETE FROM notices_said WHERE cause = ${cause}`;
      },
    },
  } satisfies Plain<Notices> & Carrying;
}
