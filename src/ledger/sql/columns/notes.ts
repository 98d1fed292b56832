import type { RowNote } from "../../../model/link.ts";

type Action = NonNullable<RowNote["action"]>["kind"];

/** A note of a post as it stands. */
export interface NoteColumns {
  position: number;
  kind: RowNote["kind"];
  cause: RowNote["cause"];
  code: string | null;
  message: string;
  since: number;
  action: Action | null;
  signature: string | null;
  /** JSON. */
  planned: string | null;
  /** How many voters would be notified. */
  notifies: number | null;
  follows_at: number | null;
}

/** By the numbers of posts; a post without notes is there, too. */
export type StandingNotes = ReadonlyMap<number, readonly NoteColumns[]>;
