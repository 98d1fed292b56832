import type { Row } from "../../model/link.ts";
import type { PostId } from "../../model/post.ts";
import type { Cycle } from "./cycle-state.ts";

/** The row of a post as the state has it now; undefined for a post that no listing has shown. */
export function readRow({ world, memory }: Cycle, post: PostId): Row | undefined {
  return world.ledger.rows.row(memory.id, post, world.clock.now());
}

/** Rows are read from the ledger this many at a time, so that a large board never stands in memory as a whole. */
const batchSize = 500;

type Visit = (row: Row, now: number) => void;

/** Visits every row that is due, by post; each batch is one transaction. The visit may record the row. */
export function eachDueRow(cycle: Cycle, visit: Visit): void {
  for (const visitBatch of dueBatches(cycle, visit)) visitBatch();
}

/** The same, and between two batches others have their turn: a daemon answers while a large board is decided. */
export async function eachDueRowInTurns(cycle: Cycle, visit: Visit): Promise<void> {
  let isFirst = true;
  for (const visitBatch of dueBatches(cycle, visit)) {
    if (!isFirst) await cycle.world.clock.sleep(0, cycle.run.bounds.signal);
    isFirst = false;
    visitBatch();
  }
}

function* dueBatches({ world, memory }: Cycle, visit: Visit): Generator<() => void> {
  const { ledger, clock } = world;
  let after: PostId | undefined;
  for (;;) {
    const now = clock.now();
    const rows = ledger.rows.due(memory.id, now, after, batchSize);
    if (rows.length === 0) return;
    yield () =>
      ledger.transaction(() => {
        for (const row of rows) visit(row, now);
      });
    after = rows.at(-1)?.post.id;
    if (rows.length < batchSize) return;
  }
}
