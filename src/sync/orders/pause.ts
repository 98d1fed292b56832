import type { PlannedChange, Row, RowNote } from "../../model/link.ts";
import { countVoters } from "../tell/alike.ts";
import { describePlanned } from "../tell/waiting-lines.ts";
import { type Foresight, type NamedPost, noMail, type Sight, sayMailed } from "./foresight.ts";

/** What is decided of a post and not written, as the last run has recorded it. */
export interface WhatWaits {
  /** Since when it is paused, epoch ms; undefined where it is not. */
  readonly since: number | undefined;
  readonly actions: readonly WaitingAction[];
  /** What can't be called back any more: a write has left already whose outcome is not known; '' where there is nothing. */
  readonly open: string;
}

interface WaitingAction extends Omit<PlannedChange, "isPassing"> {
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
    mailed: noMail,
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

/** The pause of a post ends. What waits for it stands behind the first effect. */
export function foreseeResume(waits: WhatWaits, { project, post }: NamedPost, kind: Resuming): Foresight {
  const voters = countVoters(waits.actions.map(({ notifies }) => notifies));
  return {
    effects: [`${effectOf[kind]}${waits.open}`, ...tellWaiting(waits)],
    mailed: kind === "resume" ? sayMailed(voters) : noMail,
    asks: (agreed) => [{ kind: "add-request", request: { ...agreed, kind, project, posts: [post] } }],
  };
}

/** A line for each action: what it would write, from what to what, and how many voters would hear. */
function tellWaiting({ actions }: WhatWaits): readonly string[] {
  if (actions.length === 0) return ["As of the last run nothing waits for it."];
  return actions.map((action) => {
    const place = action.place === null ? "" : `${action.place}: `;
    return `${place}${describePlanned(action, true)}`;
  });
}
