import type { RowNote } from "../../../model/link.ts";
import type { Store } from "../file/store.ts";

interface NoteColumns {
  position: number;
  kind: string;
  message: string;
  since: number;
  action: string | null;
  signature: string | null;
  planned: string | null;
  follows_at: number | null;
}

/** Their words hold numbers that change from run to run, but it is the same wait all the time. */
const lasting: ReadonlySet<string> = new Set<RowNote["kind"]>(["held", "waiting"]);

/** Replaces the notes of a post. One that stands already keeps its time; where nothing changes, nothing is written. */
export function createNoteWriter(
  store: Store,
): (project: number, post: number, notes: readonly RowNote[]) => void {
  const select = store.prepare<[number], NoteColumns>(
    "SELECT position, kind, message, since, action, signature, planned, follows_at FROM notes WHERE post = ? ORDER BY position",
  );
  const deleteAll = store.prepare<[number]>("DELETE FROM notes WHERE post = ?");
  const insert = store.prepare<[NoteColumns & { project: number; post: number }]>(`
    INSERT INTO notes (project, post, position, kind, message, since, action, signature, planned, follows_at)
    VALUES (@project, @post, @position, @kind, @message, @since, @action, @signature, @planned, @follows_at)`);
  return (project, post, notes) => {
    const standing = select.all(post);
    const wanted = notes.map((note, position) => toColumns(note, position, standing));
    if (JSON.stringify(standing) === JSON.stringify(wanted)) return;
    deleteAll.run(post);
    for (const note of wanted) insert.run({ ...note, project, post });
  };
}

function toColumns(
  { kind, message, since, action, planned, until }: RowNote,
  position: number,
  standing: readonly NoteColumns[],
): NoteColumns {
  const same =
    standing.find((note) => note.kind === kind && note.message === message) ??
    standing.find((note) => note.kind === kind && lasting.has(kind));
  return {
    position,
    kind,
    message,
    since: same?.since ?? since,
    action: action?.kind ?? null,
    signature: action?.signature ?? null,
    planned: planned === undefined ? null : JSON.stringify(planned),
    follows_at: until ?? null,
  };
}
