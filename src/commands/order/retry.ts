import { inOrder } from "../../select.ts";
import type { NamedPost } from "../../sync/orders/foresight.ts";
import { foreseeRetry, foreseeRetryAll, listRetryable, type RetryKind } from "../../sync/orders/retry.ts";
import { type Beside, besideRuns } from "../open/beside.ts";
import { findTargets, type TargetOptions, type Targets } from "../open/targets.ts";
import type { CommonOptions, Terminal } from "../print/terminal.ts";
import { retryEntry } from "./retry-entry.ts";
import { entryNamed, show, tell } from "./tell.ts";

/**
 * `boardsync retry`: what is parked of posts may be tried again, by the next run. `boardsync release`: ends quarantines, by the
 * next run. Of one post, several, or all of a project.
 */
export function retry(
  terminal: Terminal,
  options: CommonOptions & TargetOptions,
  kind: RetryKind,
  words: readonly string[],
): Promise<number> {
  const entry = kind === "retry" ? entryNamed(words) : undefined;
  if (entry !== undefined) return retryEntry(terminal, options, entry.key, entry.tag);
  return besideRuns(terminal, options, async (beside) => {
    const targets = await findTargets(beside, words, options);
    if (targets.kind === "post") return retryOne(terminal, options, beside, kind, targets.post);
    const asked = await postsOf(beside, kind, targets);
    const seen = await foreseeRetryAll(beside, kind, asked);
    const document = {
      project: targets.kind === "project" ? targets.project.key : null,
      posts: seen.lines.map(({ named: { key, post }, waits }) => ({
        project: key,
        post,
        requested: waits !== null,
        waits,
      })),
    };
    if (seen.asked > 0) await beside.ledger.commit(seen.asks({ at: beside.now }));
    const lines = seen.lines.map(
      ({ named, waits, nothing }) => `${named.key}/${named.post}: ${waits ?? nothing}`,
    );
    show(terminal, options, lines);
    const message = seen.asked === 0 ? seen.effects[0] : `${seen.effects[0]} ${seen.notified}`;
    return tell(terminal, options, { ...document, message }, message);
  });
}

async function retryOne(
  terminal: Terminal,
  options: CommonOptions,
  beside: Beside,
  kind: RetryKind,
  named: NamedPost,
): Promise<number> {
  const { key: project, post } = named;
  const seen = await foreseeRetry(beside, kind, named);
  if ("nothing" in seen)
    return tell(terminal, options, { project, post, requested: false, waits: null }, seen.nothing);
  await beside.ledger.commit(seen.asks({ at: beside.now }));
  const { waits, effects } = seen;
  return tell(terminal, options, { project, post, requested: true, waits }, `${effects.join(" → ")}.`);
}

/** Of a whole project: what is parked, or quarantined, now. */
async function postsOf(
  beside: Beside,
  kind: RetryKind,
  targets: Exclude<Targets, { readonly kind: "post" }>,
): Promise<readonly NamedPost[]> {
  if (targets.kind === "posts") return targets.posts;
  const projects = targets.kind === "project" ? [targets.project] : targets.projects;
  return (await inOrder(projects, (project) => listRetryable(beside.ledger, kind, project))).flat();
}
