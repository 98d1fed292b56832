import type { RowNote } from "../../../model/link.ts";

/** A note of a post as it stands, in the order of its columns. */
export interface NoteColumns extends Pick<RowNote, "kind" | "cause" | "message" | "since"> {
  code?: string | undefined;
  action?: NonNullable<RowNote["action"]>["kind"] | undefined;
  signature?: string | undefined;
  /** JSON. */
  planned?: string | undefined;
  /** How many voters would be notified. */
  notifies?: number | undefined;
  followsAt?: number | undefined;
  position: number;
}

/** By the numbers of posts; a post without notes is there, too. */
export type StandingNotes = ReadonlyMap<number, readonly NoteColumns[]>;
