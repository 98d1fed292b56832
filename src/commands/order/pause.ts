import type { Foresight, NamedPost, Nothing } from "../../sync/orders/foresight.ts";
import {
  foreseePause,
  foreseePauseWhole,
  foreseeResume,
  foreseeResumeWhole,
  listPaused,
  sayPaused,
  type Whole,
} from "../../sync/orders/pause.ts";
import { type BesideCall, besideRuns } from "../open/beside.ts";
import { findTargets, type TargetOptions } from "../open/targets.ts";
import type { CommandCall, CommonOptions } from "../print/terminal.ts";
import { documentOf, isOrdered, type OrderDocument, show, tell } from "./tell.ts";

interface PauseOptions extends CommonOptions, TargetOptions {}

interface ResumeOptions extends PauseOptions {
  readonly discard?: boolean;
  readonly yes?: boolean;
}

/** `boardsync pause`: from now on nothing is written for posts, a project, or any project, either way, until a person resumes it. */
export function pause(called: CommandCall<PauseOptions>): Promise<number> {
  return besideRuns(called, async (call) => {
    const targets = await findTargets(call, called.rest, call.options);
    return targets.kind === "posts" ? pausePosts(call, targets.posts) : pauseWhole(call, targets);
  });
}

/**
 * `boardsync resume`: shows what has come together while posts, a project or all were paused, and lets it be told, or never. A
 * project that is not paused as a whole: its paused posts.
 */
export function resume(called: CommandCall<ResumeOptions>): Promise<number> {
  return besideRuns(called, async (call) => {
    const targets = await findTargets(call, called.rest, call.options);
    return targets.kind === "posts" ? resumePosts(call, targets.posts) : resumeWhole(call, targets);
  });
}

async function pausePosts(call: BesideCall, posts: readonly NamedPost[]): Promise<number> {
  const seen = await foreseePause(call, posts, "`boardsync resume POST`");
  const at = call.now;
  await call.ledger.commit(seen.asks({ at }));
  const [message, ...lines] = seen.effects;
  show(call, lines);
  const told = seen.posts.map(({ key: project, post, since, actions, isUnderWay: underWay }) => {
    const pause = { since: new Date(since ?? at).toISOString(), wasPaused: since !== undefined };
    return { project, post, ...pause, actions, underWay };
  });
  return tell(call, { ...documentOf(told, told.length === 1), paused: true, message }, message);
}

async function pauseWhole(call: BesideCall, whole: Whole): Promise<number> {
  const project = nameOf(whole);
  const seen = await foreseePauseWhole(call, whole, `\`boardsync resume ${project ?? "--all"}\``);
  const at = call.now;
  await call.ledger.commit(seen.asks({ at }));
  const wasPaused = seen.since !== undefined;
  const since = new Date(seen.since ?? at).toISOString();
  const message = sayPaused(seen) || seen.effects[0];
  const told = { project, all: project === null, paused: true, since, wasPaused, underWay: seen.open > 0 };
  return tell(call, { ...told, message }, message);
}

/** null for all projects. */
function nameOf({ of, projects: [project] }: Whole): string | null {
  return of === "all" || project === undefined ? null : project.key;
}

async function resumePosts(
  call: BesideCall<ResumeOptions>,
  named: readonly NamedPost[],
  isOne = named.length === 1,
): Promise<number> {
  const seen = await foreseeResume(call, named, call.options.discard ? "resume-discard" : "resume");
  const { posts } = seen;
  const told = posts.map(({ key, post, actions }) => ({ project: key, post, actions }));
  const what = posts.length === 1 ? "this post" : `these ${posts.length} posts`;
  return askResume(call, seen, what, documentOf(told, isOne));
}

async function resumeWhole(call: BesideCall<ResumeOptions>, whole: Whole): Promise<number> {
  const project = nameOf(whole);
  const seen = await foreseeResumeWhole(call, whole, call.options.discard === true);
  if ("nothing" in seen) {
    const [only] = whole.of === "all" || seen.isBeyond ? [] : whole.projects;
    const posts = only === undefined ? [] : await listPaused(call.ledger, only);
    if (posts.length > 0) return resumePosts(call, posts, false);
  }
  const waits = "nothing" in seen ? [] : seen.waits;
  const actions = waits.flatMap(({ post, planned, message }) =>
    planned ? [{ post, ...planned, message }] : [],
  );
  return askResume(call, seen, project ?? "all projects", { project, all: project === null, actions });
}

/** @param what - is resumed, as the question names it. */
async function askResume(
  call: BesideCall<ResumeOptions>,
  seen: Foresight | Nothing,
  what: string,
  document: OrderDocument,
): Promise<number> {
  const { discard = false } = call.options;
  const say = (requested: boolean, message: string): number =>
    tell(call, { ...document, requested, discarded: requested && discard, message }, message);
  if ("nothing" in seen) return say(false, seen.nothing);
  const { notified } = seen;
  const question = discard
    ? `Leave both sides as they are? ${notified}`
    : `Resume ${what}? As of the last run, ${notified.charAt(0).toLowerCase()}${notified.slice(1)}`;
  const isAsked = await isOrdered(call, seen, question);
  return isAsked ? say(true, seen.effects[0]) : say(false, "Nothing was changed.");
}
