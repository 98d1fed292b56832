import type { PostId, ProjectId } from "../../../model/post.ts";
import type { Change, SentChange } from "../../change.ts";
import type { OfPost } from "../../rows.ts";
import { type Statements, statementsOf } from "../statements.ts";
import { type Asked, numberOf, type Store } from "../store.ts";
import type { StandingNotes } from "./notes.ts";

/** All that the parts of the port ask by. */
export interface Queries extends Statements {
  readonly numbers: Numbers;
}

/** Whatever is written. */
export type AnyChange = Change | SentChange;

/** A part that also makes changes of some kinds, inside the transaction of their commit. */
export interface Carrying {
  readonly changes: Partial<Changes>;
}

/** @param standing - notes that were read for many posts of the commit at once. */
export type Changes = {
  readonly [One in AnyChange["kind"]]: (
    change: Extract<AnyChange, { readonly kind: One }>,
    standing?: StandingNotes,
  ) => Asked<void>;
};

export type Numbers = ReturnType<typeof createNumbers>;

/** The number of what is not known: no row has it. */
const unknown = -1;

/** Numbers never change. Those of the last so many posts are kept: what is done about a post asks for its number often. */
const mostKept = 10_000;

interface Numbered {
  number: number;
}

/**
 * The narrow numbers that stand for the board's ids in every table. A number is asked of the database once; one that was made in a
 * transaction is forgotten when that is rolled back.
 */
export function createNumbers(store: Store) {
  const { get } = statementsOf(store);
  const known = new Map<string, number>();
  /** Of a post of a project; of a project itself that of 0. */
  const keyOf = (of: number, id: string): string => `${of} ${id}`;
  /** Returns what it is given. */
  const keep = (key: string, number: number): number => {
    if (known.get(key) === number) return number;
    if (known.size >= mostKept) known.clear();
    known.set(key, number);
    store.onRollback(() => known.delete(key));
    return number;
  };
  function* find(key: string, select: () => Asked<Numbered | undefined>): Asked<number | undefined> {
    const number = known.get(key) ?? (yield* select())?.number;
    return number === undefined ? undefined : keep(key, number);
  }
  const findProject = (id: ProjectId) =>
    find(keyOf(0, id), () => get<Numbered>`SELECT number FROM board_projects WHERE id = ${id}`);
  // Where another transaction is faster with one of these, its number is found.
  /** Makes a number for a project that has none; inside a transaction. */
  function* project(id: ProjectId): Asked<number> {
    const made = () => get<Numbered>`
      INSERT INTO board_projects (id) VALUES (${id}) ON CONFLICT (id) DO UPDATE SET id = excluded.id RETURNING number`;
    return (yield* findProject(id)) ?? keep(keyOf(0, id), numberOf(yield* made()));
  }
  /** Makes a number for a post that has none, inside a transaction: it is then known by name, and not listed. */
  function* post(of: number, id: PostId): Asked<number> {
    const key = keyOf(of, id);
    const select = () => get<Numbered>`SELECT number FROM posts WHERE project = ${of} AND id = ${id}`;
    const made = () => get<Numbered>`
      INSERT INTO posts (project, id) VALUES (${of}, ${id})
      ON CONFLICT (project, id) DO UPDATE SET id = excluded.id RETURNING number`;
    return (yield* find(key, select)) ?? keep(key, numberOf(yield* made()));
  }
  return {
    /** `unknown` where there is none. */
    *findProject(id: ProjectId) {
      return (yield* findProject(id)) ?? unknown;
    },
    project,
    post,
    /** Both numbers of a post, made where there are none; inside a transaction. */
    *place(of: OfPost) {
      const number = yield* project(of.project);
      return [number, yield* post(number, of.post)] as const;
    },
    /** A number that was read with something else. */
    learn(of: number, id: PostId, number: number) {
      keep(keyOf(of, id), number);
    },
    /** Nothing that was known is relied on any more. */
    forget: () => known.clear(),
  };
}
