import type { Ledger } from "../../ledger/ledger.ts";
import type { Row } from "../../model/link.ts";
import { votersOf } from "../../plan/ground/fields.ts";
import { isQuarantined, parkedOf } from "../../plan/ground/obstacle.ts";
import { inOrder } from "../../select.ts";
import { countVoters, type Voters } from "../ground/voters.ts";
import { count } from "../tell/words.ts";
import {
  already,
  askOf,
  type Foresight,
  isAsked,
  listWaiting,
  type NamedPost,
  type NamedProject,
  notifiesNobody,
  onPosts,
  type Sight,
} from "./foresight.ts";
import { linksOf } from "./link.ts";

export type RetryKind = "retry" | "release";

/** What an order to posts comes to. Behind the first effect stands a line for each of them. */
export interface RetryForesight extends Foresight {
  readonly posts: readonly (NamedPost & Seen)[];
  /** Of so many posts. */
  readonly asked: number;
}

/** Why there is something to do for a post, or why not. */
type Seen =
  | { readonly waits: string; readonly voters: number | null }
  | { readonly waits: null; readonly nothing: string };

/**
 * What is parked of these posts is tried again; or their quarantines end.
 *
 * @param isWhole - nobody named them: what a person has done to one of them counts for more.
 */
export async function foreseeRetry(
  sight: Sight,
  kind: RetryKind,
  posts: readonly NamedPost[],
  isWhole = false,
): Promise<RetryForesight> {
  const found = await inOrder(posts, async (named) => ({
    ...named,
    ...(await look(sight, kind, named, isWhole)),
  }));
  const asked = found.filter((one) => one.waits !== null);
  const { effect, none } = wordsOf[kind];
  return {
    posts: found,
    asked: asked.length,
    effects: [
      asked.length === 0 ? none : onPosts(asked.length, `${effect}.`),
      ...found.map((one) => `${one.key}/${one.post}: ${one.waits ?? one.nothing}`),
    ],
    notified: sayAtMost(countVoters(asked.map(({ voters }) => voters))),
    asks: askOf(kind, asked),
  };
}

/** The posts of a project that are parked, or quarantined. */
export function listRetryable(
  ledger: Ledger,
  kind: RetryKind,
  project: NamedProject,
): Promise<readonly NamedPost[]> {
  return listWaiting(ledger, project, kind === "retry" ? "parked" : "quarantined");
}

async function look(sight: Sight, kind: RetryKind, named: NamedPost, isWhole: boolean): Promise<Seen> {
  const { ledger, now, pending = [] } = sight;
  const { key, project, post } = named;
  if (isAsked(pending, kind, post)) return { waits: null, nothing: already };
  const row = await ledger.rows.row(project, post, now);
  const { linked, then } = await linksOf(sight, named, row);
  const isUnlinked = row?.unlinkedAt !== undefined || (linked.length > 0 && then.length === 0);
  const waits =
    row && (kind === "retry" ? explainParked(row, isUnlinked) : isQuarantined(row) ? flapped : undefined);
  if (row === undefined || waits === undefined) return { waits: null, nothing: wordsOf[kind].nothing };
  const isLeft = kind === "retry" ? isUnlinked : row.pausedAt !== undefined;
  if (isWhole && isLeft) return { waits: null, nothing: wordsOf[kind].left };
  return { waits, voters: votersOf(row.post, new Set(ledger.memory.project(key)?.seen)) };
}

function explainParked(row: Row, isUnlinked: boolean): string | undefined {
  const reasons = parkedOf(row).map(({ message }) => message);
  if (isUnlinked) reasons.push("a person wanted no issue for it");
  return reasons.length === 0 ? undefined : reasons.join("; ");
}

const flapped = "the post flapped too often";

const wordsOf = {
  retry: {
    effect: "the next run tries again what was refused or is in doubt",
    nothing: "Nothing of this post is to retry.",
    left: "A person wanted no issue for it, so it is left out: name it to have it tried again.",
    none: "Nothing is to retry.",
  },
  release: {
    effect: "the next run ends the quarantine, and goes on",
    nothing: "This post is not to release.",
    left: "It is paused, so it is left out: name it to release it.",
    none: "No post is to release.",
  },
} as const;

/** What follows is decided by the run, so only the most that can happen is known. */
function sayAtMost(voters: Voters): string {
  if (voters.unknown > 0 && voters.known === 0)
    return "If its status changes, its voters will be notified; the board doesn't show how many there are.";
  if (voters.known === 0) return notifiesNobody;
  const number = count(voters.known, "voter");
  const more = voters.unknown > 0 ? ", and those of posts whose votes the board doesn't show," : "";
  return `At most ${number}${more} will be notified: only if a status changes.`;
}
