import type { NewRequest, PersonRequest } from "../../ledger/orders.ts";
import type { HeldAction, ShownAction } from "../../ledger/rows.ts";
import { isApprovedBy, isShownAs } from "../ground/verdict.ts";
import { countVoters, type Voters } from "../ground/voters.ts";
import { readReport } from "../tell/stored-report.ts";
import { describeWritten } from "../tell/waiting-lines.ts";
import { count } from "../tell/words.ts";
import {
  already,
  type Foresight,
  isAsked,
  type NamedProject,
  type Nothing,
  notifiesNobody,
  type Sight,
  sayNotified,
} from "./foresight.ts";

/** What becomes of what is held. */
export interface HeldForesight extends Foresight {
  readonly actions: readonly HeldAction[];
  /** "2 actions" */
  readonly counted: string;
  /** Why the last run held the whole project, if it did: the board had shrunk, or seemed to be another one. Only where no posts are named. */
  readonly hold: string | undefined;
  /** What is said when it is carried out, without its full stop. */
  readonly done: string;
}

/**
 * Lets go what is held of a project, these very actions, or what is held of the posts that are named; or takes both sides of
 * their posts as they are. Of a project that is held because the board shrank, the present size is the new measure.
 */
export async function foreseeHeld(
  { ledger, pending = [] }: Omit<Sight, "now">,
  { key, project }: NamedProject,
  posts: readonly string[],
  isDiscard: boolean,
): Promise<HeldForesight | Nothing> {
  const isWhole = posts.length === 0;
  const held = (await ledger.rows.held(project)).filter(({ post }) => isWhole || posts.includes(post));
  const shrunk = isWhole ? readReport((await ledger.runs.last(key))?.report).hold : undefined;
  const actions = held.filter((action) => !isAnswered(pending, action));
  const hold = pending.some(({ kind }) => kind === "accept-size") ? undefined : shrunk;
  if (actions.length === 0 && hold === undefined)
    return { nothing: held.length > 0 || shrunk !== undefined ? already : "Nothing is to approve any more." };
  const isSize = hold !== undefined && !isDiscard;
  // To accept the size lets go what only that has held: whoever discards means that, too.
  const stopped = hold === undefined ? [] : await ledger.rows.held(project, "shrank");
  const shown = isSize ? stopped : [...actions, ...stopped];
  // What another board shows can't be discarded: it was never taken.
  if (isDiscard && hold !== undefined && shown.length === 0)
    return { nothing: `Nothing that was decided is to discard; ${hold}.` };
  const counted = count(shown.length, "action");
  const answered = isDiscard ? "discarded: both sides stay as they are" : "approved";
  return {
    actions: shown,
    counted,
    hold,
    effects: isSize ? [hold, effects.size] : [isDiscard ? effects.discard : effects.approve],
    notified: isDiscard ? notifiesNobody : sayNotified(votersOfHeld(shown)),
    done: hold === undefined ? `${counted} ${answered}` : "The board is accepted as it is",
    asks(agreed) {
      const asked = { ...agreed, project };
      const requests: NewRequest[] = [];
      if (hold !== undefined) requests.push({ ...asked, kind: "accept-size", shown: hold });
      if (isDiscard && shown.length > 0) {
        const posts = [...new Set(shown.map(({ post }) => post))];
        const named = shown.map(({ post, kind, planned }) => ({ post, kind, planned }));
        requests.push({ ...asked, kind: "discard", posts, shown: named });
      }
      if (!isDiscard && hold === undefined) {
        const named = actions.map(({ post, kind, signature, cause }) => ({ post, kind, signature, cause }));
        requests.push({ ...asked, kind: "approve", actions: named, isWhole });
      }
      return requests.map((request) => ({ kind: "add-request", request }));
    },
  };
}

const effects = {
  size: "The board is taken as it is now, with the titles, texts and statuses that it shows. What it no longer lists counts as missing then, and what only that has held goes.",
  discard: "Both sides stay as they are, and what differs now is no reason for a write any more.",
  approve:
    "The run that starts at once lets these very actions go, and no others. What is not asked for any more by then is left out.",
};

function isAnswered(pending: readonly PersonRequest[], held: HeldAction): boolean {
  // What something else holds by now is asked about anew.
  const isShown = (one: ShownAction): boolean => isApprovedBy(one, held) && isShownAs(one, held.cause);
  return (
    isAsked(pending, "discard", held.post) ||
    pending.some((request) => request.kind === "approve" && request.actions.some(isShown))
  );
}

/** What an action would write; a dash for a hold of an older version, which has not recorded it. */
export function describeHeld({ planned }: Pick<HeldAction, "planned">): string {
  return planned === undefined ? "–" : describeWritten(planned, true);
}

/** Alike is what does the same for the same reason. */
export function likenessOfHeld(held: HeldAction): string {
  return JSON.stringify([held.kind, describeHeld(held), held.message]);
}

/** The voters who would be notified of these actions. */
export function votersOfHeld(held: readonly HeldAction[]): Voters {
  return countVoters(held.map(({ planned }) => (planned === undefined ? null : planned.notifies)));
}
