import type { Ledger } from "../../ledger/ledger.ts";
import { isPausedAsWhole } from "../../model/causes.ts";
import type { PlannedChange, Row, RowNote } from "../../model/link.ts";
import type { PostId } from "../../model/post.ts";
import { inOrder } from "../../select.ts";
import { countVoters } from "../ground/voters.ts";
import { describePlanned } from "../tell/waiting-lines.ts";
import { count } from "../tell/words.ts";
import {
  askOf,
  type Foresight,
  type NamedPost,
  type NamedProject,
  type Nothing,
  notifiesNobody,
  type Sight,
  sayNotified,
} from "./foresight.ts";

/** What is decided of a post and not written, as the last run has recorded it. */
export interface WhatWaits {
  /** Since when it is paused, epoch ms; undefined where it is not. */
  readonly since: number | undefined;
  readonly actions: readonly WaitingAction[];
  /** What can't be called back any more: a write has left already whose outcome is not known; '' where there is nothing. */
  readonly open: string;
}

interface WaitingAction extends PlannedChange {
  /** Why it waits. */
  readonly message: string;
}

/** Reads what waits for a post. */
export async function listWaiting({ ledger, now }: Sight, { project, post }: NamedPost): Promise<WhatWaits> {
  const row = await ledger.rows.row(project, post, now);
  return {
    since: row?.pausedAt,
    actions: notesOf(row).flatMap(({ planned, message }) => {
      if (planned === undefined) return [];
      const { place, changes, notifies } = planned;
      return [{ place, changes, notifies, message }];
    }),
    open:
      row === undefined || row.openIntents.length === 0
        ? ""
        : " A write for it has left already, and nobody knows yet what became of that: it is looked up, and not sent again.",
  };
}

/** What was held before the pause is among what the pause holds up. */
function notesOf(row: Row | undefined): readonly RowNote[] {
  const { notes = [] } = row ?? {};
  const paused = notes.filter(({ kind }) => kind === "paused");
  return paused.length > 0 ? paused : notes;
}

/** From now on nothing is written for a post. What waits for it stands behind the first effect. */
export function foreseePause(waits: WhatWaits, { project, post }: NamedPost, until: string): Foresight {
  const effect = `nothing more is written for it, to either side, until ${until}.${waits.open}`;
  return {
    effects: [effect, ...tellWaiting(waits)],
    notified: notifiesNobody,
    asks: ({ at }) => [{ kind: "pause", project, post, at }],
  };
}

/** How a pause ends: what has come together is written as for any other post, or never. */
export type Resuming = keyof typeof effectOf;

const effectOf = {
  resume: "its pause ends with the next run, which decides what is written by then as for any other post.",
  "resume-discard":
    "the next run takes both sides as they are by then, writes nothing for what has come together, and ends the pause.",
};

/** Of several posts, or a whole project. */
export const effectOfMany: Readonly<Record<Resuming, string>> = {
  resume: "the pause ends with the next run, which decides what is written by then as for any other post.",
  "resume-discard":
    "the next run takes both sides as they are by then, writes nothing for what has come together, and ends the pause.",
};

/** The pause of a post ends. What waits for it stands behind the first effect. */
export function foreseeResume(waits: WhatWaits, named: NamedPost, kind: Resuming): Foresight {
  const voters = countVoters(waits.actions.map(({ notifies }) => notifies));
  return {
    effects: [`${effectOf[kind]}${waits.open}`, ...tellWaiting(waits)],
    notified: kind === "resume" ? sayNotified(voters) : notifiesNobody,
    asks: askOf(kind, [named]),
  };
}

/** The same of many posts. */
export interface PostsForesight extends Foresight {
  readonly posts: readonly {
    readonly project: string;
    readonly post: PostId;
    readonly actions: WhatWaits["actions"];
  }[];
}

/** From now on nothing is written for these posts. A line for each stands behind the first effect. */
export async function foreseePauseAll(
  sight: Sight,
  posts: readonly NamedPost[],
  until: string,
): Promise<PostsForesight> {
  const found = await lookAtEach(sight, posts);
  const counted = `${count(posts.length, "post")} ${posts.length === 1 ? "is" : "are"}`;
  return {
    posts: found.map(toTold),
    effects: [
      `${counted} paused from now on: nothing more is written for them, to either side, until ${until}.`,
      ...found.flatMap(tellOfPost),
    ],
    notified: notifiesNobody,
    asks: ({ at }) => posts.map(({ project, post }) => ({ kind: "pause", project, post, at })),
  };
}

/** The pauses of those of these posts that are paused end. A line for each stands behind the first effect. */
export async function foreseeResumeAll(
  sight: Sight,
  posts: readonly NamedPost[],
  kind: Resuming,
): Promise<PostsForesight | Nothing> {
  const found = (await lookAtEach(sight, posts)).filter(({ waits }) => waits.since !== undefined);
  if (found.length === 0) return { nothing: "None of them is paused." };
  const voters = countVoters(found.flatMap(({ waits }) => waits.actions.map(({ notifies }) => notifies)));
  const counted = count(found.length, "post");
  return {
    posts: found.map(toTold),
    effects: [`${counted}: ${effectOfMany[kind]}`, ...found.flatMap(tellOfPost)],
    notified: kind === "resume" ? sayNotified(voters) : notifiesNobody,
    asks: askOf(
      kind,
      found.map(({ named }) => named),
    ),
  };
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

interface SeenPost {
  readonly named: NamedPost;
  readonly waits: WhatWaits;
}

function lookAtEach(sight: Sight, posts: readonly NamedPost[]): Promise<readonly SeenPost[]> {
  return inOrder(posts, async (named) => ({ named, waits: await listWaiting(sight, named) }));
}

function toTold({ named: { key, post }, waits: { actions } }: SeenPost): PostsForesight["posts"][number] {
  return { project: key, post, actions };
}

function tellOfPost({ named: { key, post }, waits }: SeenPost): readonly string[] {
  return tellWaiting(waits).map((line) => `${key}/${post}: ${line}${waits.open}`);
}

/** A line for each action: what it would write, from what to what, and how many voters would be notified. */
function tellWaiting({ actions }: WhatWaits): readonly string[] {
  if (actions.length === 0) return ["As of the last run nothing waits for it."];
  return actions.map((action) => {
    const place = action.place === null ? "" : `${action.place}: `;
    return `${place}${describePlanned(action, true)}`;
  });
}
