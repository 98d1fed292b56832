import type { IssueRef } from "../../model/issue.ts";
import type { PostId, ProjectId } from "../../model/post.ts";
import type { Asked, Bound, Query, Store } from "./store.ts";

/**
 * Statements that stand where they are asked: what stands in `${…}` is bound, or is a part of the statement. Each is prepared once
 * for a store, when it is asked first.
 */
export interface Statements extends Omit<Store, "prepare"> {
  /** Changes rows; see `Query.run`. */
  run: Statement<void>;
  /** The same, where at least one row must be changed; `failure` is thrown where none was, by now or with the transaction's end. */
  some(failure: () => Error): Statement<void>;
  /** The same, and gives how many rows were changed. */
  count: Statement<number>;
  /** Whether it finds a row. */
  has: Statement<boolean>;
  get<Found>(...asked: Parameters<Statement<void>>): Asked<Found | undefined>;
  all<Found>(...asked: Parameters<Statement<void>>): Asked<Found[]>;
  /** Inserts a row in the place of what stands under its key; see `into`. */
  upsert(table: string, key: readonly string[], row: object, from?: Part): Asked<void>;
}

type Statement<Found> = (words: TemplateStringsArray, ...given: readonly Given[]) => Asked<Found>;

/** A part of a statement. */
export interface Part {
  readonly words: readonly string[];
  readonly given: readonly Given[];
}

/** What is bound for a value: JSON for a list (`EACH` reads it) or another object, 0 or 1 for a flag, NULL for undefined. */
type Value = string | number | boolean | null | undefined | object;
type Given = Value | Part;

/** A part of a statement, with what is bound in it. */
export function sql(words: readonly string[], ...given: readonly Given[]): Part {
  return { words, given };
}

/**
 * Inserts a row, by the names of its columns in the words of the port.
 *
 * @param from - inserts it once for each row that this finds: `FROM … WHERE …`.
 */
export function into(table: string, row: object, from?: Part): Part {
  const given = Object.values<Value>({ ...row });
  const [before, after] = from === undefined ? ["VALUES (", ")"] : ["SELECT ", " "];
  const first = `INSERT INTO ${table} (${columnsOf(row).join(", ")}) ${before}`;
  const words = [first, ...given.slice(1).fill(", "), after] as string[];
  return from === undefined ? { words, given } : sql`${{ words, given }}${from}`;
}

/** A part that is known as a text: the name of a table, say. */
export function named(text: string): Part {
  return sql([text]);
}

/** The number of a project; NULL of one that is not known. What asks for many rows has it from `Numbers`. */
export function projectOf(id: ProjectId): Part {
  return sql`(SELECT number FROM board_projects WHERE id = ${id})`;
}

/** The number of a post, likewise. */
export function postOf(project: ProjectId, id: PostId): Part {
  return sql`(SELECT number FROM posts WHERE project = ${projectOf(project)} AND id = ${id})`;
}

/** Which rows of a table are those of an issue. */
export function ofIssue({ repositoryId, number }: IssueRef): Part {
  return sql`repository = ${repositoryId} AND number = ${number}`;
}

/** The same as a part of a row. */
export function issueColumns({ repositoryId: repository, number }: IssueRef) {
  return { repository, number };
}

/** Makes posts due at once. Each mark is another one: what was decided before it ends it not. */
export const markedDue = sql`due_at = CASE WHEN due_at <= 0 THEN due_at - 1 ELSE 0 END`;

const known = new WeakMap<Store, Statements>();

/** The statements of a store: its parts share them. */
export function statementsOf(store: Store): Statements {
  const made = known.get(store) ?? createStatements(store);
  known.set(store, made);
  return made;
}

function createStatements(store: Store): Statements {
  const byText = new Map<string, Query>();
  // Most statements have no parts, and are known by where they stand.
  const byPlace = new WeakMap<TemplateStringsArray, Query>();
  const prepare = (text: string): Query => {
    const query = byText.get(text) ?? store.prepare(text);
    byText.set(text, query);
    return query;
  };
  const ask =
    <T>(how: (query: Query, bound: Bound) => T): ((...asked: Parameters<Statement<void>>) => T) =>
    (words, ...given) => {
      const bound: Bound = [];
      if (given.some(isPart)) return how(prepare(write({ words, given }, bound)), bound);
      const query = byPlace.get(words) ?? prepare(words.join("?"));
      byPlace.set(words, query);
      return how(query, given.map(toBound));
    };
  const get = ask((query, bound) => query.get(...bound));
  const run = ask((query, bound) => query.run(...bound));
  const { prepare: _, ...others } = store;
  return {
    ...others,
    run,
    some: (failure) => ask((query, bound) => query.some(failure, ...bound)),
    count: ask((query, bound) => query.count(...bound)),
    *has(...asked) {
      return (yield* get(...asked)) !== undefined;
    },
    get: get as Statements["get"],
    all: ask((query, bound) => query.all(...bound)) as Statements["all"],
    upsert(table, key, row, from) {
      const others = columnsOf(row).filter((name) => !key.includes(name));
      const replaced = others.map((name) => `${name} = excluded.${name}`).join(", ");
      return run`${into(table, row, from)} ${named(`ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${replaced}`)}`;
    },
  };
}

function isPart(given: Given): given is Part {
  return typeof given === "object" && given !== null && "words" in given && "given" in given;
}

/** The text of a part; what is bound in it is added to `bound`. */
function write({ words, given }: Part, bound: Bound): string {
  let text = words[0] ?? "";
  for (const [place, one] of given.entries()) {
    if (isPart(one)) text += write(one, bound);
    else {
      text += "?";
      bound.push(toBound(one as Value));
    }
    text += words[place + 1] ?? "";
  }
  return text;
}

function toBound(value: Given): Bound[number] {
  if (typeof value === "boolean") return Number(value);
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value;
}

const columns = new Map<string, string>();

/** `sentAt` stands in `sent_at`. */
function columnsOf(row: object): readonly string[] {
  return Object.keys(row).map((name) => {
    const column = columns.get(name) ?? name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    columns.set(name, column);
    return column;
  });
}
