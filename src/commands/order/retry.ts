import { inOrder } from "../../select.ts";
import type { NamedProject } from "../../sync/orders/foresight.ts";
import { foreseeRetryEntry } from "../../sync/orders/publish.ts";
import { foreseeRetry, listRetryable, type RetryKind } from "../../sync/orders/retry.ts";
import { type BesideCall, besideRuns, findProject } from "../open/beside.ts";
import { findTargets, type TargetOptions } from "../open/targets.ts";
import type { CommandCall, CommonOptions } from "../print/terminal.ts";
import { documentOf, entryNamed, show, tell } from "./tell.ts";

/**
 * `boardsync retry`: what is parked of posts may be tried again, by the next run. `boardsync release`: ends quarantines, by the
 * next run. Of one post, several, or all of a project.
 */
export function retry(called: CommandCall<CommonOptions & TargetOptions>, kind: RetryKind): Promise<number> {
  const words = called.rest;
  const entry = kind === "retry" ? entryNamed(words) : undefined;
  return besideRuns(called, async (call) => {
    if (entry !== undefined) return retryEntry(call, entry.key, entry.tag);
    const targets = await findTargets(call, words, call.options);
    // Of a whole project: what is parked, or quarantined, now.
    const listed = (project: NamedProject) => listRetryable(call.ledger, kind, project);
    const asked = targets.kind === "posts" ? targets.posts : (await inOrder(targets.projects, listed)).flat();
    const isNamed = targets.kind === "posts" && call.options.code === undefined;
    const seen = await foreseeRetry(call, kind, asked, !isNamed);
    const [project] = targets.kind === "whole" ? targets.projects : [];
    const told = seen.posts.map(({ key, post, waits }) => ({
      project: key,
      post,
      requested: waits !== null,
      waits,
    }));
    const isOne = targets.kind === "posts" && told.length === 1;
    const document = documentOf(told, isOne, project?.key);
    if (seen.asked > 0) await call.ledger.commit(seen.asks({ at: call.now }));
    const [effect, ...lines] = seen.effects;
    show(call, lines);
    const message = seen.asked === 0 ? effect : `${effect} ${seen.notified}`;
    return tell(call, { ...document, message }, message);
  });
}

/** `boardsync retry PROJECT changelog:TAG`: what is stuck of an entry is tried once more by the next run. */
async function retryEntry(call: BesideCall, key: string, tag: string): Promise<number> {
  const seen = await foreseeRetryEntry(call, { key, project: findProject(call, key) }, tag);
  const requested = !("nothing" in seen);
  if (requested) await call.ledger.commit(seen.asks({ at: call.now }));
  const message = requested ? `${seen.effects.join("; ")}.` : seen.nothing;
  return tell(call, { project: key, changelog: tag, requested, message }, message);
}
