import type { Change } from "../../ledger/change.ts";
import type { PersonRequest, PostsRequest } from "../../ledger/orders.ts";
import { isGivenUp } from "../../model/link.ts";
import type { PostId } from "../../model/post.ts";
import { approvalSignature } from "../../plan/ground/identity.ts";
import { isInDoubt, isRefusal, parkedOf } from "../../plan/ground/obstacle.ts";
import { adoptRow } from "../../plan/plan.ts";
import type { PulledCycle } from "../ground/cycle-state.ts";
import { planNow, recordDecision } from "../ground/record.ts";
import { attemptNow } from "../ground/report.ts";
import { changesOf, eachDueRow, readRow } from "../ground/rows.ts";
import { tellAction } from "../ground/standing.ts";
import { isSameAsked } from "../ground/verdict.ts";
import { letGoLater } from "./approvals.ts";
import { decideImports, retryImport } from "./imports.ts";

type AskedOfPosts = Extract<PersonRequest, { readonly kind: PostsRequest }>;

/**
 * Takes up what people asked for beside the runs, of whole posts: it is done before anything is decided. Links are taken up
 * by `takeLinks` before that, and approvals after it by `takeApprovals`.
 */
export async function takeRequests(cycle: PulledCycle): Promise<void> {
  const { ledger, log } = cycle.world;
  await endProjectPause(cycle);
  const pending = await ledger.requests.pending(cycle.memory.id);
  for (const [index, request] of pending.entries()) {
    if (!("posts" in request)) continue;
    const { id, kind, ...asked } = request;
    const posts = request.posts.filter((post) => !isOverruled(kind, post, pending.slice(index + 1)));
    const done = new Map<PostId, readonly Change[] | undefined>();
    for (const post of posts) done.set(post, await tryFor(cycle, request, post));
    const left = posts.filter((post) => done.get(post) === undefined);
    await ledger.commit([
      ...[...done.values()].flatMap((changes) => changes ?? []),
      { kind: "mark-due", project: cycle.memory.id, which: request.posts },
      { kind: "end-request", request: id },
      // What failed is asked for still; what is done is not done twice.
      ...(left.length > 0
        ? [{ kind: "add-request", request: { ...asked, kind, posts: left } } as const]
        : []),
    ]);
    log.info({ project: cycle.project.key, request: kind, posts }, "A person's request is taken up");
  }
}

/**
 * Ends the pause of the whole project where that is asked for. What is to be discarded becomes a pause of each post that it held
 * up, to be ended without writing: so a post whose last write is in doubt stays paused until that is known.
 */
async function endProjectPause(cycle: PulledCycle): Promise<void> {
  const { ledger, log } = cycle.world;
  const { id: project } = cycle.memory;
  const pending = await ledger.requests.pending(project);
  for (const { kind, id, at, isDiscard, by } of pending.filter((one) => one.kind === "resume-project")) {
    const posts = isDiscard ? await heldUp(cycle) : [];
    const discard = { kind: "resume-discard", project, posts, at, ...(by && { by }) } as const;
    await ledger.commit([
      ...posts.map((post) => ({ kind: "pause", project, post, at }) as const),
      ...(posts.length === 0 ? [] : [{ kind: "add-request", request: discard } as const]),
      { kind: "resume-whole", project, request: id },
      { kind: "end-request", request: id },
    ]);
    log.info({ project: cycle.project.key, request: kind }, "A person's request is taken up");
  }
}

/** Posts for which something is to be written, now, when it has settled, or when the outcome of their last write is known. */
async function heldUp(cycle: PulledCycle): Promise<readonly PostId[]> {
  const posts = new Set<PostId>();
  await eachDueRow(cycle, async (_, row) => {
    posts.add(row.post.id);
  });
  const { ledger } = cycle.world;
  // Issues that have come to be wanted as posts are known once their list has been read.
  await decideImports(cycle);
  for (const { post, reason } of await ledger.imports.known(cycle.memory.id))
    if (reason === undefined) posts.add(post);
  for (const { post } of await ledger.rows.waiting(cycle.memory.id, Number.MAX_SAFE_INTEGER, ["paused"]))
    posts.add(post);
  for (const { post } of await ledger.journal.open(cycle.memory.id)) posts.add(post);
  return [...posts];
}

/** Whether the person has said otherwise since: who approves a post's action does not want it discarded any more. */
function isOverruled(kind: PostsRequest, post: PostId, later: readonly PersonRequest[]): boolean {
  return later.some((one) => {
    if (kind === "discard")
      return one.kind === "approve" && one.actions.some((action) => action.post === post);
    return kind === "resume-discard" && one.kind === "resume" && one.posts.includes(post);
  });
}

/** What it changes of a post; undefined where it failed, and that is said, or where it has to wait. */
async function tryFor(
  cycle: PulledCycle,
  request: AskedOfPosts,
  post: PostId,
): Promise<readonly Change[] | undefined> {
  return attemptNow(cycle, post, async () =>
    (await hasToWait(cycle, request, post))
      ? undefined
      : changesOf(cycle, (own) => doFor(own, request, post)),
  );
}

/** An outcome that is recorded later would be a change of what was taken as it is, or of what the next issue asks for. */
async function hasToWait(cycle: PulledCycle, { kind }: AskedOfPosts, post: PostId): Promise<boolean> {
  const row = await readRow(cycle, post);
  if (row === undefined) return false;
  // The next run gives its issues up, now that their outcomes are known.
  if (kind === "retry") return isGivenUp(row);
  return (kind === "discard" || kind === "resume-discard") && isInDoubt(row);
}

async function doFor(cycle: PulledCycle, request: AskedOfPosts, post: PostId): Promise<void> {
  const { kind, id } = request;
  const { ledger, clock } = cycle.world;
  const place = { project: cycle.memory.id, post };
  switch (kind) {
    case "retry":
      await retry(cycle, request, post);
      return;
    case "release":
      await ledger.commit([{ ...place, kind: "release", at: clock.now() }]);
      return;
    case "discard":
      if (await isAsShown(cycle, request, post)) await discard(cycle, request, post);
      else cycle.course.unshown.add(post);
      return;
    case "resume":
      await ledger.commit([{ ...place, kind: "resume", request: id }]);
      return;
    case "resume-discard":
      await discardAll(cycle, request, post);
      await ledger.commit([{ ...place, kind: "resume", request: id }]);
      return;
  }
}

/**
 * What was refused, or is in doubt, goes once more: whoever asks for that has let this very write go. A new issue has been shown by its
 * refusal alone, so what holds it stays.
 */
async function retry(cycle: PulledCycle, { at }: AskedOfPosts, post: PostId): Promise<void> {
  const { ledger } = cycle.world;
  const place = { project: cycle.memory.id, post };
  const before = await readRow(cycle, post);
  const parked = parkedOf(before ?? {});
  // Whoever has unlinked it since wants no new issue.
  const isUnlinked = (before?.unlinkedAt ?? 0) > at;
  // Whether its issues are where they were has been asked in this run, and said (`retryAbsent`).
  const refused = parked.filter(({ cause }) => cause !== "issue-gone");
  await ledger.commit([
    ...refused.map(({ action: { kind: of } }) => ({ ...place, kind: "unpark", of }) as const),
    ...(isUnlinked ? [] : [{ ...place, kind: "reopen" } as const]),
  ]);
  const row = parked.length === 0 ? undefined : await readRow(cycle, post);
  const wanted = row === undefined ? [] : (await planNow(cycle, row)).actions;
  const actions = wanted
    .filter(({ kind }) => kind !== "create-issue" && kind !== "create-post")
    .filter((action) => row && parked.some((one) => isRefusal(one, action, cycle.settings, row.post)))
    .map((action) => {
      const cause = "hold" in action ? action.hold?.cause : undefined;
      return { post, kind: action.kind, signature: approvalSignature(action), cause: cause ?? null };
    });
  await letGoLater(cycle, actions, at);
  await retryImport(cycle, post);
}

/** Whether what is asked for by now is what a person was shown and does not want. */
async function isAsShown(cycle: PulledCycle, { shown = [] }: AskedOfPosts, post: PostId): Promise<boolean> {
  const row = shown.length === 0 ? undefined : await readRow(cycle, post);
  if (row === undefined) return true;
  const { actions } = await planNow(cycle, row);
  const wanted = actions.map((action) => tellAction(cycle, row, action));
  const isOther = shown
    .filter((one) => one.post === post)
    .some((one) => wanted.some((now) => now.kind === one.kind && !isSameAsked(one, now)));
  if (isOther)
    cycle.world.log.info(
      { project: cycle.project.key, post },
      "What was to be discarded has become something else, which is held",
    );
  return !isOther;
}

async function discard(cycle: PulledCycle, { at }: AskedOfPosts, post: PostId): Promise<void> {
  const { ledger, clock } = cycle.world;
  const row = await readRow(cycle, post);
  if (row === undefined) return;
  const now = clock.now();
  if (row.links.length === 0)
    await ledger.commit([{ kind: "end-links", project: cycle.memory.id, post, issues: [], at }]);
  // What follows the votes is left, too.
  else await recordDecision(cycle, row, adoptRow(row, await cycle.context(now), "leave"), now);
}

/**
 * Whatever has come together while a post was paused is never written: its fields, the text of its issue, the line in its note.
 * Where an issue would have been opened, or become a post, none is.
 */
async function discardAll(cycle: PulledCycle, request: AskedOfPosts, post: PostId): Promise<void> {
  const { ledger } = cycle.world;
  const place = { project: cycle.memory.id, post };
  const row = await readRow(cycle, post);
  if (row === undefined) return;
  const { actions } = await planNow(cycle, row);
  if (row.isImport || row.links.length > 0 || actions.length > 0) await discard(cycle, request, post);
  for (const action of actions) {
    if (action.kind !== "update-issue") continue;
    const { issue, content } = action;
    await ledger.commit([{ ...place, kind: "leave-text", issue, content }]);
  }
  for (const { line } of await ledger.backlinks.due(cycle.memory.id, [post]))
    await ledger.commit([{ ...place, kind: "record-backlink", line, isDue: false }]);
}
