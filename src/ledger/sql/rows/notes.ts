import { isDeepStrictEqual } from "node:util";
import type { Parked, RowNote } from "../../../model/link.ts";
import type { NoteColumns, StandingNotes } from "../columns/notes.ts";
import type { Asked, Store } from "../store.ts";

/** Their words hold numbers that change from run to run, but it is the same wait all the time. */
const lasting: ReadonlySet<string> = new Set<RowNote["kind"]>(["held", "waiting", "quarantined"]);

/** What no record of a decision ends. */
const untilEnded: ReadonlySet<string> = new Set<RowNote["kind"]>(["parked", "quarantined"]);

type ActionOfNote = Required<RowNote>["action"];

/** Writes the notes of posts. A note that is there already keeps its time. Notes that are the same are not written again. */
export interface NoteWriter {
  /** The notes of many posts as they stand, by post: asked once for all. */
  read(posts: readonly number[]): Asked<StandingNotes>;
  /**
   * Replaces the notes of a post, but for what is parked, and a quarantine that none of them tells of.
   *
   * @param standing those that `read` gave; undefined: they are read here.
   */
  replace(
    project: number,
    post: number,
    notes: readonly RowNote[],
    standing?: readonly NoteColumns[],
  ): Asked<void>;
  /** Replaces the notes about one action. What is parked of it, and a hold of another action of the same kind, stay. */
  replaceOf(project: number, post: number, action: ActionOfNote, notes: readonly RowNote[]): Asked<void>;
  /** Replaces what is parked for the same kind of write and the same cause. */
  park(project: number, post: number, parked: Parked): Asked<void>;
  /** Ends what is parked, of one kind of write or of one cause where they are given. */
  unpark(post: number, kind?: ActionOfNote["kind"], cause?: Parked["cause"]): Asked<void>;
}

export function createNoteWriter(store: Store): NoteWriter {
  const select = store.prepare<[number], NoteColumns>(
    "SELECT position, kind, cause, code, message, since, action, signature, planned, notifies, follows_at FROM notes WHERE post = ? ORDER BY position",
  );
  const selectMany = store.prepare<[string], NoteColumns & { post: number }>(`
    SELECT post, position, kind, cause, code, message, since, action, signature, planned, notifies, follows_at
    FROM EACH NUMBER ? AS wanted CROSS JOIN notes ON notes.post = wanted.value ORDER BY post, position`);
  const deleteAll = store.prepare<[number]>("DELETE FROM notes WHERE post = ?");
  const deleteDecided = store.prepare<[number]>(
    "DELETE FROM notes WHERE post = ? AND kind NOT IN ('parked', 'quarantined')",
  );
  const deleteOf = store.prepare<[number, string, string | null]>(
    "DELETE FROM notes WHERE post = ? AND action = ? AND kind <> 'parked' AND (signature IS NULL OR signature = ?)",
  );
  const deleteParked = store.prepare<[{ post: number; action: string | null; cause: string | null }]>(`
    DELETE FROM notes WHERE post = @post AND kind = 'parked'
      AND (@action IS NULL OR action = @action) AND (@cause IS NULL OR cause = @cause)`);
  const insert = store.prepare<[NoteColumns & { project: number; post: number }]>(`
    INSERT INTO notes
      (project, post, position, kind, cause, code, message, since, action, signature, planned, notifies, follows_at)
    VALUES (@project, @post, @position, @kind, @cause, @code, @message, @since, @action, @signature, @planned, @notifies,
      @follows_at)`);
  function* write(
    project: number,
    post: number,
    standing: readonly NoteColumns[],
    wanted: readonly Omit<NoteColumns, "position">[],
  ): Asked<void> {
    const placed = wanted.map((note, position): NoteColumns => ({ ...note, position }));
    if (isDeepStrictEqual(standing, placed)) return;
    yield* deleteAll.run(post);
    for (const note of placed) yield* insert.run({ ...note, project, post });
  }
  return {
    *read(posts) {
      const standing = new Map(posts.map((post): [number, NoteColumns[]] => [post, []]));
      for (const { post, ...note } of yield* selectMany.all(JSON.stringify(posts)))
        standing.get(post)?.push(note);
      return standing;
    },
    *replace(project, post, notes, read) {
      // So it is nearly always, and needs no look.
      if (notes.length === 0) return yield* deleteDecided.run(post);
      const standing = read ?? (yield* select.all(post));
      const decided = notes.filter(({ kind }) => kind !== "parked").map((note) => toColumns(note, standing));
      const kept = standing.filter(
        ({ kind }) => untilEnded.has(kind) && !decided.some((note) => note.kind === kind),
      );
      yield* write(project, post, standing, [...decided, ...kept]);
    },
    *replaceOf(project, post, { kind, signature }, notes) {
      if (notes.length === 0) return yield* deleteOf.run(post, kind, signature ?? null);
      const standing = yield* select.all(post);
      const others = standing.filter(
        (note) =>
          note.action !== kind ||
          note.kind === "parked" ||
          (note.signature !== null && note.signature !== signature),
      );
      const own = notes.map((note) => toColumns(note, standing));
      yield* write(project, post, standing, [...others, ...own]);
    },
    *park(project, post, parked) {
      const standing = yield* select.all(post);
      const others = standing.filter(
        ({ kind, action, cause }) =>
          kind !== "parked" || action !== parked.action.kind || cause !== parked.cause,
      );
      yield* write(project, post, standing, [...others, toColumns(parked, [])]);
    },
    unpark: (post, kind, cause) => deleteParked.run({ post, action: kind ?? null, cause: cause ?? null }),
  };
}

function toColumns(
  { kind, cause, code, message, since, action, planned, until }: RowNote,
  standing: readonly NoteColumns[],
): Omit<NoteColumns, "position"> {
  const same =
    standing.find((note) => note.kind === kind && note.message === message) ??
    standing.find((note) => note.kind === kind && lasting.has(kind));
  return {
    kind,
    cause,
    code: code ?? null,
    message,
    since: same?.since ?? since,
    action: action?.kind ?? null,
    signature: action?.signature ?? null,
    planned: planned === undefined ? null : JSON.stringify(planned),
    notifies: planned?.notifies ?? null,
    follows_at: until ?? null,
  };
}
