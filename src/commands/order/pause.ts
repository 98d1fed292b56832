import { type Foresight, isAsked, type NamedPost, type Nothing } from "../../sync/orders/foresight.ts";
import {
  foreseePause,
  foreseePauseAll,
  foreseeResume,
  foreseeResumeAll,
  listPaused,
  listWaiting,
} from "../../sync/orders/pause.ts";
import {
  foreseePauseWhole,
  foreseeResumeWhole,
  type Whole,
  type WholeForesight,
} from "../../sync/orders/pause-whole.ts";
import { type BesideCall, besideRuns } from "../open/beside.ts";
import { findTargets, type TargetOptions } from "../open/targets.ts";
import type { CommandCall, CommonOptions } from "../print/terminal.ts";
import { isOrdered, show, tell } from "./tell.ts";

interface PauseOptions extends CommonOptions, TargetOptions {}

interface ResumeOptions extends PauseOptions {
  readonly discard?: boolean;
  readonly yes?: boolean;
}

/** `boardsync pause`: from now on nothing is written for posts, a project, or any project, either way, until a person resumes it. */
export function pause(called: CommandCall<PauseOptions>): Promise<number> {
  return orderOf(called, { post: pausePost, posts: pausePosts, whole: pauseWhole });
}

/**
 * `boardsync resume`: shows what has come together while posts, a project or all were paused, and lets it be told, or never. A
 * project that is not paused as a whole: its paused posts.
 */
export function resume(called: CommandCall<ResumeOptions>): Promise<number> {
  return orderOf(called, { post: resumePost, posts: resumePosts, whole: resumeWhole });
}

/** What an order does to each of what a person may name. */
interface Ways<Options extends PauseOptions> {
  post(call: BesideCall<Options>, named: NamedPost): Promise<number>;
  posts(call: BesideCall<Options>, posts: readonly NamedPost[]): Promise<number>;
  whole(call: BesideCall<Options>, whole: Whole): Promise<number>;
}

function orderOf<Options extends PauseOptions>(
  called: CommandCall<Options>,
  ways: Ways<Options>,
): Promise<number> {
  return besideRuns(called, async (call) => {
    const targets = await findTargets(call, called.rest, call.options);
    if (targets.kind === "post") return ways.post(call, targets.post);
    if (targets.kind === "posts") return ways.posts(call, targets.posts);
    return ways.whole(call, { of: targets.kind, projects: targets.projects });
  });
}

async function pausePost(call: BesideCall, named: NamedPost): Promise<number> {
  const { ledger } = call;
  const { key: project, post } = named;
  const waits = await listWaiting(call, named);
  const seen = foreseePause(waits, named, "`boardsync resume POST`");
  const pending = await ledger.requests.pending(named.project);
  const isResuming = isAsked(pending, "resume", post) || isAsked(pending, "resume-discard", post);
  const at = call.now;
  await ledger.commit(seen.asks({ at }));
  const { actions, open } = waits;
  const since = new Date(waits.since ?? at).toISOString();
  const wasPaused = waits.since !== undefined;
  const message = `${wordPause(wasPaused ? since : undefined, isResuming, seen.effects[0])}${wasPaused ? open : ""}`;
  show(call, seen.effects.slice(1));
  const underWay = open !== "";
  return tell(call, { project, post, paused: true, since, wasPaused, actions, underWay, message }, message);
}

/** @param since - ISO 8601; undefined where it was not paused. */
function wordPause(since: string | undefined, isResuming: boolean, effect: string): string {
  if (since === undefined) return `it is paused from now on: ${effect}`;
  return isResuming
    ? `it stays paused, since ${since}; the resume that was asked for is taken back.`
    : `it is paused already, since ${since}.`;
}

async function pausePosts(call: BesideCall, posts: readonly NamedPost[]): Promise<number> {
  const seen = await foreseePauseAll(call, posts, "`boardsync resume POST`");
  await call.ledger.commit(seen.asks({ at: call.now }));
  const [message, ...lines] = seen.effects;
  show(call, lines);
  return tell(call, { project: null, posts: seen.posts, paused: true, message }, message);
}

async function pauseWhole(call: BesideCall, whole: Whole): Promise<number> {
  const project = nameOf(whole);
  const seen = await foreseePauseWhole(call, whole, `\`boardsync resume ${project ?? "--all"}\``);
  const at = call.now;
  await call.ledger.commit(seen.asks({ at }));
  const wasPaused = seen.since !== undefined;
  const since = new Date(seen.since ?? at).toISOString();
  const message = wasPaused ? wordPause(since, seen.isResuming, "") : seen.effects[0];
  const told = { project, all: project === null, paused: true, since, wasPaused, underWay: seen.open > 0 };
  return tell(call, { ...told, message }, message);
}

/** null for all projects. */
function nameOf({ of, projects: [project] }: Whole): string | null {
  return of === "all" || project === undefined ? null : project.key;
}

async function resumePost(call: BesideCall<ResumeOptions>, named: NamedPost): Promise<number> {
  const { key: project, post } = named;
  const waits = await listWaiting(call, named);
  const seen =
    waits.since === undefined
      ? { nothing: "it is not paused." }
      : foreseeResume(waits, named, call.options.discard ? "resume-discard" : "resume");
  const document = { project, post, actions: waits.actions };
  return askResume(call, { seen, document, what: "it", stays: "it stays paused." });
}

async function resumePosts(call: BesideCall<ResumeOptions>, posts: readonly NamedPost[]): Promise<number> {
  const seen = await foreseeResumeAll(call, posts, call.options.discard ? "resume-discard" : "resume");
  const paused = "nothing" in seen ? [] : seen.posts;
  const document = { project: null, posts: paused };
  const what = paused.length === 1 ? "this post" : `these ${paused.length} posts`;
  return askResume(call, { seen, document, what, stays: "Nothing was changed." });
}

async function resumeWhole(call: BesideCall<ResumeOptions>, whole: Whole): Promise<number> {
  const project = nameOf(whole);
  const seen = await foreseeResumeWhole(call, whole, call.options.discard === true);
  if ("nothing" in seen) {
    const posts = project === null || seen.isBeyond ? [] : await listPaused(call.ledger, whole.projects);
    if (posts.length > 0) return resumePosts(call, posts);
  }
  const actions = "nothing" in seen ? [] : actionsOf(seen);
  const document = { project, all: project === null, actions };
  return askResume(call, { seen, document, what: project ?? "all projects", stays: "it stays paused." });
}

async function askResume(
  call: BesideCall<ResumeOptions>,
  resume: {
    readonly seen: Foresight | Nothing;
    readonly document: Parameters<typeof tell>[1];
    /** What is resumed, as the question names it. */
    readonly what: string;
    /** What is said where nobody agrees. */
    readonly stays: string;
  },
): Promise<number> {
  const { discard = false } = call.options;
  const { seen, document, what, stays } = resume;
  const say = (requested: boolean, message: string): number =>
    tell(call, { ...document, requested, discarded: requested && discard, message }, message);
  if ("nothing" in seen) return say(false, seen.nothing);
  const isAsked = await isOrdered(call, seen, questionOf(discard, what, seen.notified));
  return isAsked ? say(true, seen.effects[0]) : say(false, stays);
}

function actionsOf({ waits }: WholeForesight) {
  return waits.flatMap(({ post, planned, message }) => {
    if (planned === undefined) return [];
    const { place, changes, notifies } = planned;
    return [{ post, place, changes, notifies, message }];
  });
}

function questionOf(isDiscard: boolean, what: string, notified: string): string {
  return isDiscard
    ? `Leave both sides as they are? ${notified}`
    : `Resume ${what}? As of the last run, ${notified.charAt(0).toLowerCase()}${notified.slice(1)}`;
}
