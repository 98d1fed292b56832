import type { Change } from "../../ledger/change.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { WaitingRow } from "../../ledger/rows.ts";
import { isPausedAsWhole } from "../../model/causes.ts";
import type { PlannedChange, Row, RowNote, WholePause } from "../../model/link.ts";
import type { ProjectId } from "../../model/post.ts";
import { inOrder, select, sum } from "../../select.ts";
import { countVoters } from "../ground/voters.ts";
import { describePlanned, groupWaiting, nameTitled } from "../tell/waiting-lines.ts";
import { count } from "../tell/words.ts";
import {
  askOf,
  type Foresight,
  isAsked,
  listWaiting,
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
  const only = posts.length === 1 ? posts[0] : undefined;
  const what = only === undefined ? count(posts.length, "post") : "this post";
  const begins = `from now on nothing is written for ${what}, to either side, until ${until}.`;
  const effect = only === undefined ? begins : sayPaused(only) || begins;
  return {
    posts,
    effects: [effect, ...posts.flatMap((one) => tellOf(one, only === undefined ? sayPaused(one) : ""))],
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
    actions: notesOf(row).flatMap(({ planned, message }) => (planned ? [{ ...planned, message }] : [])),
    isUnderWay: row !== undefined && row.openIntents.length > 0,
  };
}

/** What was held before the pause is among what the pause holds up. */
function notesOf(row: Row | undefined): readonly RowNote[] {
  const { notes = [] } = row ?? {};
  const paused = notes.filter(({ kind }) => kind === "paused");
  return paused.length > 0 ? paused : notes;
}

/** The posts of a project that are paused by themselves. */
export function listPaused(ledger: Ledger, project: NamedProject): Promise<readonly NamedPost[]> {
  return listWaiting(ledger, project, "paused", ({ cause }) => !isPausedAsWhole(cause));
}

/** A line for what is to be said of the post, and one for each action: what it would write, from what to what, and how many voters would be notified. */
function tellOf({ key, post, actions, isUnderWay }: SeenPost, said: string): readonly string[] {
  const underWay =
    "A write for it has left already, and nobody knows yet what became of that: it is looked up, and not sent again.";
  const nothing = "As of the last run nothing waits for it.";
  const stands = [said, isUnderWay && underWay, actions.length === 0 && nothing].filter(Boolean);
  const waits = actions.map((action) => {
    const place = action.place === null ? "" : `${action.place}: `;
    return `${place}${describePlanned(action, true)}`;
  });
  const lines = stands.length === 0 ? waits : [stands.join(" "), ...waits];
  return lines.map((line) => `${key}/${post}: ${line}`);
}

/** What is paused, or goes on again, as one: a project, or all of them. */
export interface Whole {
  readonly of: WholePause["of"];
  /** Those of the config that a run has found; the one where it is one. */
  readonly projects: readonly NamedProject[];
}

/** What a pause holds up, and since when it stands. */
export interface WholeForesight extends Foresight {
  /** Epoch ms; undefined where it was not paused as this whole. */
  readonly since: number | undefined;
  /** Whether a resume was asked for that no run has taken up. */
  readonly isResuming: boolean;
  /** Writes that have left already and whose outcome nobody knows. */
  readonly open: number;
  readonly waits: readonly WaitingRow[];
}

/** It is not paused as this whole. */
export interface NotPaused extends Nothing {
  /** But with all. */
  readonly isBeyond: boolean;
}

/** From now on nothing is written for a project, or for any: also by a run that is under way. */
export async function foreseePauseWhole(sight: Sight, whole: Whole, until: string): Promise<WholeForesight> {
  const seen = await lookAtWhole(sight, whole);
  const [first] = whole.projects;
  const what = whole.of === "all" ? "for any project" : `for ${first?.key}`;
  const begins = `from now on nothing is written ${what}, to either side, until ${until}; a run that is under way stops before its next write.`;
  const [have, they] =
    seen.open === 1 ? ["1 write has", "that: it is"] : [`${seen.open} writes have`, "those: they are"];
  const left = `${have} left already, and nobody knows yet what became of ${they} looked up, and not sent again.`;
  return {
    ...seen,
    effects: [seen.open === 0 ? begins : `${begins} ${left}`],
    notified: notifiesNobody,
    asks: ({ at }) => [pauseWhole(whole.of === "all" ? undefined : first?.project, at)],
  };
}

/** The pause of a whole ends with the next run. A project that is paused by itself, too, stays so when the pause of all ends. */
export async function foreseeResumeWhole(
  sight: Sight,
  whole: Whole,
  isDiscard: boolean,
): Promise<WholeForesight | NotPaused> {
  const { ledger } = sight;
  const own = await select(whole.projects, async ({ project }) =>
    (await ledger.rows.wholePauses(project)).some(({ of }) => of === "project"),
  );
  const [all] = await ledger.rows.wholePauses(undefined);
  const isOfAll = whole.of === "all" && all !== undefined;
  if (!isOfAll && own.length === 0) {
    if (all !== undefined)
      return { nothing: "All projects are paused: `boardsync resume --all` ends that.", isBeyond: true };
    return { nothing: whole.of === "all" ? "No project is paused." : "It is not paused.", isBeyond: false };
  }
  const projects = isOfAll ? whole.projects.filter((one) => !own.includes(one)) : own;
  const seen = await lookAtWhole(sight, { ...whole, projects });
  const voters = countVoters(seen.waits.flatMap(({ planned }) => (planned ? [planned.notifies] : [])));
  const ownKeys = own.map(({ key }) => key).join(", ");
  const kept = isOfAll
    ? ownKeys && ` Paused by themselves, too, and stay so: ${ownKeys}.`
    : whole.of === "project" && all
      ? " All projects stay paused: `boardsync resume --all` ends that."
      : "";
  return {
    ...seen,
    effects: [`${effectOfResume[isDiscard ? "resume-discard" : "resume"]}${kept}`, ...tellWaits(seen.waits)],
    notified: isDiscard ? notifiesNobody : sayNotified(voters),
    asks: (agreed) => [
      // The pause of all becomes one of each project, which its run ends.
      ...(isOfAll ? projects.map(({ project }) => pauseWhole(project, all.since)) : []),
      ...(isOfAll ? [{ kind: "resume-whole", project: undefined, request: undefined } as const] : []),
      ...projects.map(({ project }) => {
        const request = { ...agreed, kind: "resume-project", project, isDiscard } as const;
        return { kind: "add-request", request } as const;
      }),
    ],
  };
}

function pauseWhole(project: ProjectId | undefined, at: number): Change {
  return { kind: "pause-whole", project, at };
}

async function lookAtWhole(
  { ledger }: Sight,
  { of, projects }: Whole,
): Promise<Pick<WholeForesight, "since" | "isResuming" | "open" | "waits">> {
  const found = await inOrder(projects, async ({ project }) => ({
    pauses: await ledger.rows.wholePauses(project),
    isResuming: (await ledger.requests.pending(project)).some(({ kind }) => kind === "resume-project"),
    open: (await ledger.journal.open(project)).filter(({ state }) => state !== "PREPARED").length,
    waits: (await ledger.rows.waiting(project, mostRead, ["paused"])).filter(({ cause }) =>
      isPausedAsWhole(cause),
    ),
  }));
  const pauses = of === "all" ? await ledger.rows.wholePauses(undefined) : (found[0]?.pauses ?? []);
  return {
    since: pauses.find((pause) => pause.of === of)?.since,
    isResuming: found.some(({ isResuming }) => isResuming),
    open: sum(found.map(({ open }) => open)),
    waits: found.flatMap(({ waits }) => waits),
  };
}

/** So much of what a pause holds up is looked at. */
const mostRead = 10_000;

/** A line for what is alike: what it would write, and how many voters would be notified. */
function tellWaits(waits: readonly WaitingRow[]): readonly string[] {
  if (waits.length === 0) return ["As of the last run it holds nothing up."];
  return groupWaiting(waits, false).flatMap(({ lines, shown, isGroup, notified }) => {
    const named = shown.map((wait) => {
      const what = isGroup ? "" : `: ${describePlanned(wait.planned, true)}`;
      return `${nameTitled(wait)}${what}`;
    });
    const alike = `${lines.length} alike${notified === "" ? "" : `; ${notified}`}`;
    return isGroup ? [`${alike}; for example ${named.join(", ")}`] : named;
  });
}
