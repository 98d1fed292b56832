import type { Foresight, NamedPost, Nothing } from "../../sync/orders/foresight.ts";
import { isAsked } from "../../sync/orders/foresight.ts";
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
import { type Beside, besideRuns } from "../open/beside.ts";
import { findTargets, type TargetOptions, type Targets } from "../open/targets.ts";
import type { CommonOptions, Terminal } from "../print/terminal.ts";
import { isOrdered, show, tell } from "./tell.ts";

interface PauseOptions extends CommonOptions, TargetOptions {}

interface ResumeOptions extends PauseOptions {
  readonly discard?: boolean;
  readonly yes?: boolean;
}

/** `boardsync pause`: from now on nothing is written for posts, a project, or any project, either way, until a person resumes it. */
export function pause(terminal: Terminal, options: PauseOptions, words: readonly string[]): Promise<number> {
  return besideRuns(terminal, options, async (beside) => {
    const targets = await findTargets(beside, words, options);
    switch (targets.kind) {
      case "post":
        return pausePost(terminal, options, beside, targets.post);
      case "posts":
        return pausePosts(terminal, options, beside, targets.posts);
      case "project":
      case "all":
        return pauseWhole(terminal, options, beside, wholeOf(targets));
    }
  });
}

/**
 * `boardsync resume`: shows what has come together while posts, a project or all were paused, and lets it be told, or never. A
 * project that is not paused as a whole: its paused posts.
 */
export function resume(
  terminal: Terminal,
  options: ResumeOptions,
  words: readonly string[],
): Promise<number> {
  return besideRuns(terminal, options, async (beside) => {
    const targets = await findTargets(beside, words, options);
    switch (targets.kind) {
      case "post":
        return resumePost(terminal, options, beside, targets.post);
      case "posts":
        return resumePosts(terminal, options, beside, targets.posts);
      case "project":
      case "all":
        return resumeWhole(terminal, options, beside, wholeOf(targets));
    }
  });
}

function wholeOf(targets: Extract<Targets, { readonly kind: "project" | "all" }>): Whole {
  return targets.kind === "all"
    ? { of: "all", projects: targets.projects }
    : { of: "project", projects: [targets.project] };
}

async function pausePost(
  terminal: Terminal,
  options: PauseOptions,
  beside: Beside,
  named: NamedPost,
): Promise<number> {
  const { ledger } = beside;
  const { key: project, post } = named;
  const waits = await listWaiting(beside, named);
  const seen = foreseePause(waits, named, "`boardsync resume POST`");
  const pending = await ledger.requests.pending(named.project);
  const isResuming = isAsked(pending, "resume", post) || isAsked(pending, "resume-discard", post);
  const at = beside.now;
  await ledger.commit(seen.asks({ at }));
  const { actions, open } = waits;
  const since = new Date(waits.since ?? at).toISOString();
  const wasPaused = waits.since !== undefined;
  const message = `${wordPause(wasPaused ? since : undefined, isResuming, seen.effects[0])}${wasPaused ? open : ""}`;
  show(terminal, options, seen.effects.slice(1));
  return tell(
    terminal,
    options,
    { project, post, paused: true, since, wasPaused, actions, underWay: open !== "", message },
    message,
  );
}

/** @param since - ISO 8601; undefined where it was not paused. */
function wordPause(since: string | undefined, isResuming: boolean, effect: string): string {
  if (since === undefined) return `it is paused from now on: ${effect}`;
  return isResuming
    ? `it stays paused, since ${since}; the resume that was asked for is taken back.`
    : `it is paused already, since ${since}.`;
}

async function pausePosts(
  terminal: Terminal,
  options: PauseOptions,
  beside: Beside,
  posts: readonly NamedPost[],
): Promise<number> {
  const seen = await foreseePauseAll(beside, posts, "`boardsync resume POST`");
  await beside.ledger.commit(seen.asks({ at: beside.now }));
  const [message, ...lines] = seen.effects;
  show(terminal, options, lines);
  return tell(terminal, options, { project: null, posts: seen.posts, paused: true, message }, message);
}

async function pauseWhole(
  terminal: Terminal,
  options: PauseOptions,
  beside: Beside,
  whole: Whole,
): Promise<number> {
  const isAll = whole.of === "all";
  const project = isAll ? null : (whole.projects[0]?.key ?? null);
  const until = `\`boardsync resume ${isAll ? "--all" : project}\``;
  const seen = await foreseePauseWhole(beside, whole, until);
  const at = beside.now;
  await beside.ledger.commit(seen.asks({ at }));
  const wasPaused = seen.since !== undefined;
  const since = new Date(seen.since ?? at).toISOString();
  const message = wasPaused ? wordPause(since, seen.isResuming, "") : seen.effects[0];
  return tell(
    terminal,
    options,
    { project, all: isAll, paused: true, since, wasPaused, underWay: seen.open > 0, message },
    message,
  );
}

async function resumePost(
  terminal: Terminal,
  options: ResumeOptions,
  beside: Beside,
  named: NamedPost,
): Promise<number> {
  const { key: project, post } = named;
  const waits = await listWaiting(beside, named);
  const seen =
    waits.since === undefined
      ? { nothing: "it is not paused." }
      : foreseeResume(waits, named, options.discard ? "resume-discard" : "resume");
  const document = { project, post, actions: waits.actions };
  return askResume(terminal, options, beside, { seen, document, what: "it", stays: "it stays paused." });
}

async function resumePosts(
  terminal: Terminal,
  options: ResumeOptions,
  beside: Beside,
  posts: readonly NamedPost[],
): Promise<number> {
  const seen = await foreseeResumeAll(beside, posts, options.discard ? "resume-discard" : "resume");
  const paused = "nothing" in seen ? [] : seen.posts;
  const document = { project: null, posts: paused };
  const what = paused.length === 1 ? "this post" : `these ${paused.length} posts`;
  return askResume(terminal, options, beside, { seen, document, what, stays: "Nothing was changed." });
}

async function resumeWhole(
  terminal: Terminal,
  options: ResumeOptions,
  beside: Beside,
  whole: Whole,
): Promise<number> {
  const isAll = whole.of === "all";
  const project = isAll ? null : (whole.projects[0]?.key ?? null);
  const seen = await foreseeResumeWhole(beside, whole, options.discard === true);
  if ("nothing" in seen) {
    const posts = isAll || seen.isBeyond ? [] : await listPaused(beside.ledger, whole.projects);
    if (posts.length > 0) return resumePosts(terminal, options, beside, posts);
  }
  const document = { project, all: isAll, actions: "nothing" in seen ? [] : actionsOf(seen) };
  const what = isAll ? "all projects" : `${project}`;
  return askResume(terminal, options, beside, { seen, document, what, stays: "it stays paused." });
}

async function askResume(
  terminal: Terminal,
  options: ResumeOptions,
  beside: Beside,
  resume: {
    readonly seen: Foresight | Nothing;
    readonly document: Parameters<typeof tell>[2];
    /** What is resumed, as the question names it. */
    readonly what: string;
    /** What is said where nobody agrees. */
    readonly stays: string;
  },
): Promise<number> {
  const { discard = false } = options;
  const { seen, document, what, stays } = resume;
  const say = (requested: boolean, message: string): number =>
    tell(terminal, options, { ...document, requested, discarded: requested && discard, message }, message);
  if ("nothing" in seen) return say(false, seen.nothing);
  const isAsked = await isOrdered(terminal, options, beside, seen, questionOf(discard, what, seen.notified));
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
