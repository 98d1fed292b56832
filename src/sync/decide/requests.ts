import type { PostId } from "../../model/post.ts";
import { attemptNow } from "../ground/attempt.ts";
import type { PulledCycle } from "../ground/cycle-state.ts";
import { recordAdopted } from "../ground/record.ts";
import { readRow } from "../ground/rows.ts";

/**
 * Takes up what people asked for beside the runs, of whole posts: it is done before anything is decided. Links are taken up
 * by `takeLinks` before that, and approvals after it by `takeApprovals`.
 */
export function takeRequests(cycle: PulledCycle): void {
  const { ledger, log } = cycle.world;
  for (const request of ledger.requests.pending(cycle.memory.id)) {
    if (!("posts" in request)) continue;
    const { id, kind, posts, project, at } = request;
    ledger.transaction(() => {
      const left = posts.filter((post) => !isDoneFor(cycle, kind, post));
      ledger.rows.markDue(cycle.memory.id, posts);
      ledger.requests.end(id);
      // What failed is asked for still; what is done is not done twice.
      if (left.length > 0) ledger.requests.add({ project, at, kind, posts: left });
    });
    log.info({ project: cycle.project.key, request: kind, posts }, "A person's request is taken up");
  }
}

/** Whether it was carried out for a post; where it failed, that is said. */
function isDoneFor(cycle: PulledCycle, kind: "retry" | "release" | "discard", post: PostId): boolean {
  const done = attemptNow(cycle, post, () => {
    cycle.world.ledger.transaction(() => doFor(cycle, kind, post));
    return true;
  });
  return done === true;
}

function doFor(cycle: PulledCycle, kind: "retry" | "release" | "discard", post: PostId): void {
  const { ledger, clock } = cycle.world;
  const now = clock.now();
  switch (kind) {
    case "retry":
      ledger.rows.unpark(cycle.memory.id, post, undefined);
      ledger.links.reopen(cycle.memory.id, post);
      return;
    case "release":
      ledger.rows.release(cycle.memory.id, post, now);
      return;
    case "discard": {
      const row = readRow(cycle, post);
      if (row === undefined) return;
      if (row.links.length > 0) recordAdopted(cycle, row, now);
      else ledger.links.end(cycle.memory.id, post, [], now);
      return;
    }
  }
}
