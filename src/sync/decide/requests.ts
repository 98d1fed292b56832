import type { Change } from "../../ledger/change.ts";
import type { PostId } from "../../model/post.ts";
import { changesOf } from "../ground/as-one.ts";
import { attemptNow } from "../ground/attempt.ts";
import type { PulledCycle } from "../ground/cycle-state.ts";
import { recordAdopted } from "../ground/record.ts";
import { readRow } from "../ground/rows.ts";

/**
 * Takes up what people asked for beside the runs, of whole posts: it is done before anything is decided. Links are taken up
 * by `takeLinks` before that, and approvals after it by `takeApprovals`.
 */
export async function takeRequests(cycle: PulledCycle): Promise<void> {
  const { ledger, log } = cycle.world;
  for (const request of await ledger.requests.pending(cycle.memory.id)) {
    if (!("posts" in request)) continue;
    const { id, kind, posts, project, at } = request;
    const done = new Map<PostId, readonly Change[] | undefined>();
    for (const post of posts) done.set(post, await tryFor(cycle, kind, post));
    const left = posts.filter((post) => done.get(post) === undefined);
    await ledger.commit([
      ...[...done.values()].flatMap((changes) => changes ?? []),
      { kind: "mark-due", project: cycle.memory.id, which: posts },
      { kind: "end-request", request: id },
      // What failed is asked for still; what is done is not done twice.
      ...(left.length > 0
        ? [{ kind: "add-request", request: { project, at, kind, posts: left } } as const]
        : []),
    ]);
    log.info({ project: cycle.project.key, request: kind, posts }, "A person's request is taken up");
  }
}

/** What it changes of a post; undefined where it failed, and that is said. */
async function tryFor(
  cycle: PulledCycle,
  kind: "retry" | "release" | "discard",
  post: PostId,
): Promise<readonly Change[] | undefined> {
  return attemptNow(cycle, post, () => changesOf(cycle, (own) => doFor(own, kind, post)));
}

async function doFor(cycle: PulledCycle, kind: "retry" | "release" | "discard", post: PostId): Promise<void> {
  const { ledger, clock } = cycle.world;
  const now = clock.now();
  switch (kind) {
    case "retry":
      await ledger.commit([
        { kind: "unpark", project: cycle.memory.id, post, of: undefined },
        { kind: "reopen", project: cycle.memory.id, post },
      ]);
      return;
    case "release":
      await ledger.commit([{ kind: "release", project: cycle.memory.id, post, at: now }]);
      return;
    case "discard": {
      const row = await readRow(cycle, post);
      if (row === undefined) return;
      if (row.links.length > 0) await recordAdopted(cycle, row, now);
      else await ledger.commit([{ kind: "end-links", project: cycle.memory.id, post, issues: [], at: now }]);
      return;
    }
  }
}
