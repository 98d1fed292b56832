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
  type Nothing,
  notifiesNobody,
  onPosts,
  type Sight,
} from "./foresight.ts";
import { linksOf } from "./link.ts";

export type RetryKind = "retry" | "release";

/** What an order to posts comes to. */
export interface RetryForesight extends Foresight {
  /** Each post, why there is something to do, or why not. */
  readonly lines: readonly {
    readonly named: NamedPost;
    readonly waits: string | null;
    readonly nothing: string;
  }[];
  /** Of so many posts. */
  readonly asked: number;
}

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
    named,
    seen: await look(sight, kind, named, isWhole),
  }));
  const asked = found.flatMap(({ named, seen }) => ("nothing" in seen ? [] : [{ named, ...seen }]));
  return {
    lines: found.map(({ named, seen }) =>
      "nothing" in seen
        ? { named, waits: null, nothing: seen.nothing }
        : { named, waits: seen.waits, nothing: "" },
    ),
    asked: asked.length,
    effects: [asked.length === 0 ? wordsOf[kind].none : onPosts(asked.length, `${wordsOf[kind].effect}.`)],
    notified: sayAtMost(countVoters(asked.map(({ voters }) => voters))),
    asks: askOf(
      kind,
      asked.map(({ named }) => named),
    ),
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

async function look(
  sight: Sight,
  kind: RetryKind,
  named: NamedPost,
  isWhole: boolean,
): Promise<{ readonly waits: string; readonly voters: number | null } | Nothing> {
  const { ledger, now, pending = [] } = sight;
  const { key, project, post } = named;
  if (isAsked(pending, kind, post)) return { nothing: already };
  const row = await ledger.rows.row(project, post, now);
  const { linked, then } = await linksOf(sight, named, row);
  const isUnlinked = row?.unlinkedAt !== undefined || (linked.length > 0 && then.length === 0);
  const waits =
    row && (kind === "retry" ? explainParked(row, isUnlinked) : isQuarantined(row) ? flapped : undefined);
  if (row === undefined || waits === undefined) return { nothing: wordsOf[kind].nothing };
  const isLeft = kind === "retry" ? isUnlinked : row.pausedAt !== undefined;
  if (isWhole && isLeft) return { nothing: wordsOf[kind].left };
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
