import type { Ledger } from "../../ledger/ledger.ts";
import { isPausedAsWhole } from "../../model/causes.ts";
import type { PlannedChange, Row, RowNote } from "../../model/link.ts";
import { inOrder } from "../../select.ts";
import { countVoters } from "../ground/voters.ts";
import { describePlanned } from "../tell/waiting-lines.ts";
import { count } from "../tell/words.ts";
import {
  askOf,
  type Foresight,
  isAsked,
  type NamedPost,
  type NamedProject,
  type Nothing,
  notifiesNobody,
  onPosts,
  type Sight,
  sayNotified,
} from "./foresight.ts";

/** A post, and what is decided of it and not written, as the last run has recorded it. */
export interface SeenPost extends NamedPost {
  /** Since when it is paused, epoch ms; undefined where it is not. */
  readonly since: number | undefined;
  /** Whether a resume was asked for that no run has taken up. */
  readonly isResuming: boolean;
  readonly actions: readonly WaitingAction[];
  /** A write that can't be called back has left already, and its outcome is not known. */
  readonly isUnderWay: boolean;
}

interface WaitingAction extends PlannedChange {
  /** Why it waits. */
  readonly message: string;
}

/** What an order to posts comes to. Behind the first effect stand lines for each of them. */
export interface PostsForesight extends Foresight {
  /** Those that it concerns. */
  readonly posts: readonly SeenPost[];
}

/** From now on nothing is written for these posts. */
export async function foreseePause(
  sight: Sight,
  named: readonly NamedPost[],
  until: string,
): Promise<PostsForesight> {
  const posts = await inOrder(named, (one) => look(sight, one));
  const [only, ...others] = posts;
  const isOne = only !== undefined && others.length === 0;
  const what = isOne ? "this post" : count(posts.length, "post");
  const begins = `from now on nothing is written for ${what}, to either side, until ${until}.`;
  return {
    posts,
    effects: [
      (isOne && sayPaused(only)) || begins,
      ...posts.flatMap((one) => tellOf(one, isOne ? "" : sayPaused(one))),
    ],
    notified: notifiesNobody,
    asks: ({ at }) => posts.map(({ project, post }) => ({ kind: "pause", project, post, at })),
  };
}

/** What a pause finds paused already, and what it takes back; '' where it begins with it. */
export function sayPaused({ since, isResuming }: Pick<SeenPost, "since" | "isResuming">): string {
  if (since === undefined) return "";
  const when = new Date(since).toISOString();
  return isResuming
    ? `it stays paused, since ${when}; the resume that was asked for is taken back.`
    : `it is paused already, since ${when}.`;
}

/** How a pause ends: what has come together is written as for any other post, or never. */
export type Resuming = keyof typeof effectOfResume;

export const effectOfResume = {
  resume: "the pause ends with the next run, which decides what is written by then as for any other post.",
  "resume-discard":
    "the next run takes both sides as they are by then, writes nothing for what has come together, and ends the pause.",
} as const;

/** The pauses of those of these posts that are paused end. */
export async function foreseeResume(
  sight: Sight,
  named: readonly NamedPost[],
  kind: Resuming,
): Promise<PostsForesight | (Nothing & Pick<PostsForesight, "posts">)> {
  const seen = await inOrder(named, (one) => look(sight, one));
  const posts = seen.filter(({ since }) => since !== undefined);
  if (posts.length === 0) {
    return seen.length === 1
      ? { nothing: "it is not paused.", posts: seen }
      : { nothing: "None of them is paused.", posts };
  }
  const voters = countVoters(posts.flatMap(({ actions }) => actions.map(({ notifies }) => notifies)));
  return {
    posts,
    effects: [onPosts(posts.length, effectOfResume[kind]), ...posts.flatMap((one) => tellOf(one, ""))],
    notified: kind === "resume" ? sayNotified(voters) : notifiesNobody,
    asks: askOf(kind, posts),
  };
}

async function look({ ledger, now }: Sight, named: NamedPost): Promise<SeenPost> {
  const { project, post } = named;
  const row = await ledger.rows.row(project, post, now);
  const pending = await ledger.requests.pending(project);
  return {
    ...named,
    since: row?.pausedAt,
    isResuming: isAsked(pending, "resume", post) || isAsked(pending, "resume-discard", post),
    actions: notesOf(row).flatMap(({ planned, message }) => {
      if (planned === undefined) return [];
      const { place, changes, notifies } = planned;
      return [{ place, changes, notifies, message }];
    }),
    isUnderWay: row !== undefined && row.openIntents.length > 0,
  };
}

/** What was held before the pause is among what the pause holds up. */
function notesOf(row: Row | undefined): readonly RowNote[] {
  const { notes = [] } = row ?? {};
  const paused = notes.filter(({ kind }) => kind === "paused");
  return paused.length > 0 ? paused : notes;
}

/** The posts of projects that are paused by themselves. */
export async function listPaused(
  ledger: Ledger,
  projects: readonly NamedProject[],
): Promise<readonly NamedPost[]> {
  const found = await inOrder(projects, async ({ key, project }) => {
    const waiting = await ledger.rows.waiting(project, Number.MAX_SAFE_INTEGER, ["paused"]);
    const own = waiting.filter(({ cause }) => !isPausedAsWhole(cause));
    return [...new Set(own.map(({ post }) => post))].map((post) => ({ key, project, post }));
  });
  return found.flat();
}

/** A line for what is to be said of the post, and one for each action: what it would write, from what to what, and how many voters would be notified. */
function tellOf({ key, post, actions, isUnderWay }: SeenPost, said: string): readonly string[] {
  const stands = [
    said,
    isUnderWay &&
      "A write for it has left already, and nobody knows yet what became of that: it is looked up, and not sent again.",
    actions.length === 0 && "As of the last run nothing waits for it.",
  ].filter(Boolean);
  const waits = actions.map((action) => {
    const place = action.place === null ? "" : `${action.place}: `;
    return `${place}${describePlanned(action, true)}`;
  });
  return [...(stands.length === 0 ? [] : [stands.join(" ")]), ...waits].map(
    (line) => `${key}/${post}: ${line}`,
  );
}
