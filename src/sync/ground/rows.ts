import type { Change } from "../../ledger/change.ts";
import type { Row } from "../../model/link.ts";
import type { PostId } from "../../model/post.ts";
import { changesOf } from "./as-one.ts";
import type { Cycle } from "./cycle-state.ts";

/** The row of a post as the state has it now; undefined for a post that no listing has shown. */
export async function readRow({ world, memory }: Cycle, post: PostId): Promise<Row | undefined> {
  return world.ledger.rows.row(memory.id, post, world.clock.now());
}

/** Rows are read from the ledger this many at a time, so that a large board never stands in memory as a whole. */
const batchSize = 500;

type Visit<C extends Cycle> = (cycle: C, row: Row, now: number) => Promise<void>;

/** Visits every row that is due, by post. Between two batches others have their turn: a daemon answers while a large board is decided. */
export async function eachDueRow<C extends Cycle>(cycle: C, visit: Visit<C>): Promise<void> {
  const { ledger, clock } = cycle.world;
  let after: PostId | undefined;
  for (;;) {
    const now = clock.now();
    const rows = await ledger.rows.due(cycle.memory.id, now, after, batchSize);
    await visitBatch(cycle, rows, (own, row) => visit(own, row, now));
    after = rows.at(-1)?.post.id;
    if (rows.length < batchSize) return;
    await clock.sleep(0, cycle.run.bounds.signal);
  }
}

/**
 * What is recorded of a batch is committed as one; each row knows only of its own. A new link is committed with what came before
 * it at once, because it changes other rows: an issue's text belongs to one post.
 */
async function visitBatch<C extends Cycle>(
  cycle: C,
  rows: readonly Row[],
  visit: (cycle: C, row: Row) => Promise<void>,
): Promise<void> {
  const { ledger } = cycle.world;
  let waiting: Change[] = [];
  for (const row of rows) {
    const changes = await changesOf(cycle, (own) => visit(own, row));
    waiting.push(...changes);
    if (!changes.some(({ kind }) => kind === "link")) continue;
    await ledger.commit(waiting);
    waiting = [];
  }
  if (waiting.length > 0) await ledger.commit(waiting);
}
