import type { RowNote } from "../../../model/link.ts";

/** A note of a post as it stands. */
export interface NoteColumns extends Pick<RowNote, "kind" | "cause" | "message" | "since"> {
  position: number;
  code: string | null;
  action: NonNullable<RowNote["action"]>["kind"] | null;
  signature: string | null;
  /** JSON. */
  planned: string | null;
  /** How many voters would be notified. */
  notifies: number | null;
  follows_at: number | null;
}

/** By the numbers of posts; a post without notes is there, too. */
export type StandingNotes = ReadonlyMap<number, readonly NoteColumns[]>;
