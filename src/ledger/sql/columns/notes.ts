import type { RowNote } from "../../../model/link.ts";
import type { Columns } from "../store.ts";

/** A note of a post as it stands. */
export interface NoteColumns extends Columns<Omit<RowNote, "action" | "planned" | "until">> {
  position: number;
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
