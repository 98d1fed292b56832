import type { Row } from "../model/link.ts";
import type { PostId } from "../model/post.ts";
import type { Cycle } from "./cycle-state.ts";

/** Rows are read from the ledger this many at a time, so that a large board never stands in memory as a whole. */
const batchSize = 500;

/** Visits every row that is due, by post; each batch is one transaction. The visit may record the row. */
export function eachDueRow({ world, memory }: Cycle, visit: (row: Row, now: number) => void): void {
  const { ledger, clock } = world;
  let after: PostId | undefined;
  for (;;) {
    const now = clock.now();
    const rows = ledger.rows.due(memory.id, now, after, batchSize);
    if (rows.length === 0) return;
    ledger.transaction(() => {
      for (const row of rows) visit(row, now);
    });
    after = rows.at(-1)?.post.id;
    if (rows.length < batchSize) return;
  }
}
