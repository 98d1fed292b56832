import type { PlannedChange, Row, RowNote } from "../../model/link.ts";
import type { NamedPost } from "../../sync/orders/waits-of-post.ts";
import { countVoters, type Voters } from "../../sync/tell/alike.ts";
import { describePlanned } from "../../sync/tell/waiting-lines.ts";
import type { Beside } from "../open/beside.ts";
import type { Terminal } from "../print/terminal.ts";
import { oneLine, printLine } from "../print/text.ts";

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
export async function listWaiting({ ledger, now }: Beside, { project, post }: NamedPost): Promise<WhatWaits> {
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

/** A line for each, with what it would write, from what to what, and how many voters would hear. */
export function printWaiting({ out }: Terminal, { actions }: WhatWaits): void {
  for (const action of actions) {
    const place = action.place === null ? "" : `${action.place}: `;
    printLine(out, "  ", oneLine(`${place}${describePlanned(action, true)}`));
  }
  if (actions.length === 0) printLine(out, "  ", "As of the last run nothing waits for it.");
}

/** What can't be called back any more; '' where there is nothing. */
export function describeOpen({ isOpen }: WhatWaits): string {
  return isOpen
    ? " A write for it has left already, and nobody knows yet what became of that: it is looked up, and not sent again."
    : "";
}
