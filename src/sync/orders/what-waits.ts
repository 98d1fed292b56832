import type { Ledger } from "../../ledger/ledger.ts";
import type { NewRequest } from "../../ledger/requests.ts";
import type { PlannedChange, Row, RowNote } from "../../model/link.ts";
import { countVoters, type Voters } from "../tell/alike.ts";
import type { NamedPost } from "./waits-of-post.ts";

/** What is decided of a post and not written, as the last run has recorded it. */
export interface WhatWaits {
  /** Since when it is paused, epoch ms; undefined where it is not. */
  readonly since: number | undefined;
  readonly actions: readonly WaitingAction[];
  readonly voters: Voters;
  /** Whether a write has left already whose outcome is not known. */
  readonly isOpen: boolean;
}

interface WaitingAction extends Omit<PlannedChange, "isPassing"> {
  /** Why it waits. */
  readonly message: string;
}

/** Reads what waits for a post. */
export async function listWaiting(
  ledger: Ledger,
  { project, post }: NamedPost,
  now: number,
): Promise<WhatWaits> {
  const row = await ledger.rows.row(project, post, now);
  const actions = notesOf(row).flatMap(({ planned, message }) =>
    planned === undefined ? [] : [toAction(planned, message)],
  );
  return {
    since: row?.pausedAt,
    actions,
    voters: countVoters(actions.map(({ notifies }) => notifies)),
    isOpen: row !== undefined && row.openIntents.length > 0,
  };
}

function toAction({ place, changes, notifies }: PlannedChange, message: string): WaitingAction {
  return { place, changes, notifies, message };
}

/** What was held before the pause is among what the pause holds up. */
function notesOf(row: Row | undefined): readonly RowNote[] {
  const { notes = [] } = row ?? {};
  const paused = notes.filter(({ kind }) => kind === "paused");
  return paused.length > 0 ? paused : notes;
}

/** What can't be called back any more; '' where there is nothing. */
export function describeOpen({ isOpen }: WhatWaits): string {
  return isOpen
    ? " A write for it has left already, and nobody knows yet what became of that: it is looked up, and not sent again."
    : "";
}

/** How a pause ends: what has come together is written as for any other post, or never. */
export type Resuming = Extract<NewRequest["kind"], "resume" | "resume-discard">;

export const effectOfResuming: Readonly<Record<Resuming, string>> = {
  resume: "its pause ends with the next run, which decides what is written by then as for any other post.",
  "resume-discard":
    "the next run takes both sides as they are by then, writes nothing for what has come together, and ends the pause.",
};
