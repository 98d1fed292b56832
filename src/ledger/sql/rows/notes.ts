import type { RowNote } from "../../../model/link.ts";
import type { NoteColumns, StandingNotes } from "../columns/notes.ts";
import type { AnyChange, Changes, Queries } from "../columns/numbers.ts";
import { sql } from "../statements.ts";
import type { Asked } from "../store.ts";

/** Their words hold numbers that change from run to run, but it is the same wait all the time. */
const lasting: ReadonlySet<string> = new Set<RowNote["kind"]>(["held", "waiting", "quarantined"]);

/** What no record of a decision ends. */
const untilEnded: ReadonlySet<string> = new Set<RowNote["kind"]>(["parked", "quarantined"]);

/** What a note need not have: nothing of the note that stood in its place may stay. */
const absent: Partial<NoteColumns> = {
  code: undefined,
  action: undefined,
  signature: undefined,
  planned: undefined,
  notifies: undefined,
  followsAt: undefined,
};

/** What is written of notes: a note that is there already keeps its time, and notes that are the same are not written again. */
export function createNoteWriter({ run, all, upsert, numbers }: Queries) {
  const columns = sql`kind, cause, code, message, since, action, signature, planned, notifies, follows_at, position`;
  const notesOf = (post: number) =>
    all<NoteColumns>`SELECT ${columns} FROM notes WHERE post = ${post} ORDER BY position`;
  function* write(
    project: number,
    post: number,
    standing: readonly NoteColumns[],
    wanted: readonly Omit<NoteColumns, "position">[],
  ): Asked<void> {
    const known = new Set(standing.map((note) => JSON.stringify(note)));
    if (standing.some(({ position }) => position >= wanted.length))
      yield* run`DELETE FROM notes WHERE post = ${post} AND position >= ${wanted.length}`;
    for (const [position, one] of wanted.entries()) {
      const note: NoteColumns = { ...one, position };
      if (!known.has(JSON.stringify(note)))
        yield* upsert("notes", ["post", "position"], { ...absent, ...note, project, post });
    }
  }
  return {
    /** The notes of all posts that a commit records, read at once; undefined where another change of it may touch one of them. */
    *standing(changes: readonly AnyChange[]): Asked<StandingNotes | undefined> {
      const posts = changes.map((one) => "post" in one && `${one.project} ${one.post}`);
      const recorded = changes.flatMap((one) =>
        one.kind === "record-row" && one.record.notes.length > 0 ? [one] : [],
      );
      if (recorded.length < 2 || posts.includes(false) || new Set(posts).size < posts.length)
        return undefined;
      const standing = new Map<number, NoteColumns[]>();
      for (const one of recorded) standing.set((yield* numbers.place(one))[1], []);
      const found = yield* all<NoteColumns & { post: number }>`
        SELECT post, ${columns} FROM EACH NUMBER ${[...standing.keys()]} AS wanted
        CROSS JOIN notes ON notes.post = wanted.value ORDER BY post, position`;
      for (const { post, ...note } of found) standing.get(post)?.push(note);
      return standing;
    },
    /**
     * Replaces the notes of a post, but for what is parked, and a quarantine that none of them tells of.
     *
     * @param read - those of the post that were read before; undefined: they are read here.
     */
    *replace(project: number, post: number, notes: readonly RowNote[], read?: readonly NoteColumns[]) {
      // So it is nearly always, and needs no look.
      if (notes.length === 0)
        return yield* run`DELETE FROM notes WHERE post = ${post} AND kind NOT IN ('parked', 'quarantined')`;
      const standing = read ?? (yield* notesOf(post));
      const decided = notes.filter(({ kind }) => kind !== "parked").map((note) => toColumns(note, standing));
      const kept = standing.filter(
        ({ kind }) => untilEnded.has(kind) && !decided.some((note) => note.kind === kind),
      );
      yield* write(project, post, standing, [...decided, ...kept]);
    },
    changes: {
      *"note-action"({ of: { kind, signature }, notes, ...of }) {
        const [project, post] = yield* numbers.place(of);
        if (notes.length === 0)
          return yield* run`
            DELETE FROM notes WHERE post = ${post} AND action = ${kind} AND kind <> 'parked'
              AND (signature IS NULL OR signature = ${signature})`;
        const standing = yield* notesOf(post);
        const others = standing.filter(
          (note) =>
            note.action !== kind ||
            note.kind === "parked" ||
            (note.signature !== undefined && note.signature !== signature),
        );
        const own = notes.map((note) => toColumns(note, standing));
        yield* write(project, post, standing, [...others, ...own]);
      },
      *park({ parked, ...of }) {
        const [project, post] = yield* numbers.place(of);
        const standing = yield* notesOf(post);
        const others = standing.filter(
          ({ kind, action, cause }) =>
            kind !== "parked" || action !== parked.action.kind || cause !== parked.cause,
        );
        yield* write(project, post, standing, [...others, toColumns(parked, [])]);
      },
      *unpark({ of: action, cause, ...of }) {
        const [, post] = yield* numbers.place(of);
        yield* run`
          DELETE FROM notes WHERE post = ${post} AND kind = 'parked'
            AND action = ${action} AND (${cause} IS NULL OR cause = ${cause})`;
      },
    } satisfies Partial<Changes>,
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
    code,
    message,
    since: same?.since ?? since,
    action: action?.kind,
    signature: action?.signature,
    planned: planned && JSON.stringify(planned),
    notifies: planned?.notifies ?? undefined,
    followsAt: until,
  };
}
