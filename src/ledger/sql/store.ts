/**
 * What is asked of the database, answered where it is asked for with `yield*`: SQLite answers at once, a server when its answer
 * has come. So every query of the state is written once.
 */
export type Asked<Found> = Iterable<unknown, Found, unknown>;

/** A statement whose failures are sentences. */
export interface Query {
  /** Changes rows. A server is told with the next question, or with the end of the transaction. */
  run(...bound: Bound): Asked<void>;
  /** The same, where at least one row must be changed; `failure` is thrown where none was, by now or with the transaction's end. */
  some(failure: () => Error, ...bound: Bound): Asked<void>;
  /** The same, and gives how many rows were changed. */
  count(...bound: Bound): Asked<number>;
  /**
   * The first row that it finds, in the words of the port: `sent_at` is `sentAt`, what is called `is…` or `has…` is a flag, what is
   * NULL is left out, and what stands in another thing has its name before its own (`issue.number`).
   */
  get(...bound: Bound): Asked<unknown>;
  all(...bound: Bound): Asked<unknown[]>;
}

/** What is undefined is bound as NULL. */
export type Bound = (string | number | null | undefined)[];

/**
 * A database with its transactions. Statements are written in the SQL that both engines know, with `?` for what is bound; what
 * differs is turned by the file `dialect.ts` of each engine:
 *
 * - `EACH NUMBER x AS name`, `EACH TEXT x AS name`: the values of a JSON array as rows, `name.value`;
 * - `CROSS JOIN … ON` keeps the order of the tables, `INDEXED BY` names an index, where the engine follows such hints;
 * - `FOR UPDATE SKIP LOCKED` passes over rows that another transaction has, where there can be one.
 */
export interface Store {
  prepare(sql: string): Query;
  /** Several questions, asked together: in one unchanging view of the database. */
  together<Found extends readonly unknown[]>(
    asked: {
      readonly [Place in keyof Found]: Asked<Found[Place]>;
    },
  ): Asked<Found>;
  /**
   * All of `work`, or nothing when it throws; part of the one that is running. It may be called again where another was in its way.
   *
   * @param end - `late`: with the next question of the same call, or with its end.
   */
  transaction<T>(work: () => Asked<T>, end?: "late"): Asked<T>;
  /** What `work` returns; nothing of what it writes stays. */
  tryOut<T>(work: () => Asked<T>): Asked<T>;
  /** One unchanging view of the database for several reads. */
  read<T>(work: () => Asked<T>): Asked<T>;
  /** Inside a transaction: nobody else is inside one with such a name until this one has ended. */
  lock(names: () => readonly string[]): Asked<void>;
  /** Takes back, in memory, what the running transaction has done there, if it is rolled back; `isOver` where it is not tried again. */
  onRollback(undo: (isOver: boolean) => void): void;
}

/** How a part of the port is carried out by queries. */
export type Plain<Part> = {
  readonly [Name in keyof Part]: Part[Name] extends (...asked: infer Bound) => Promise<infer Found>
    ? (...bound: Bound) => Asked<Found>
    : Part[Name];
};

/** What carries out the work of a method. */
export type Carry = <T>(work: () => Asked<T>) => Promise<T>;

/** Several parts of the port, by their names. */
export function promised<Parts extends { readonly [Name in keyof Parts]: object }>(
  parts: { readonly [Name in keyof Parts]: Plain<Parts[Name]> },
  carry: Carry,
): Parts {
  const carried = Object.entries<object>(parts).map(([name, part]) => [name, promisedPart(part, carry)]);
  return Object.fromEntries(carried);
}

/** The same of one of them. */
export function promisedPart(part: object, carry: Carry): object {
  const methods = Object.entries<(...bound: unknown[]) => Asked<unknown>>(part as never).map(
    ([called, method]) => [called, (...bound: unknown[]) => carry(() => method(...bound))],
  );
  return Object.fromEntries(methods);
}

type Row = Record<string, unknown>;

/** Reads the rows of one statement, in the words of the port; see `Query.get`. */
export function createReader(): (row: unknown) => unknown {
  let columns: readonly ReturnType<typeof toColumn>[] | undefined;
  return (row) => {
    if (row === undefined) return undefined;
    const found = row as Row;
    columns ??= Object.keys(found).map(toColumn);
    const made: Row = {};
    for (const { column, path, name, isFlag } of columns) {
      const value = found[column];
      if (value === null) continue;
      let into = made;
      for (const outer of path) {
        const inner = (into[outer] ?? {}) as Row;
        into[outer] = inner;
        into = inner;
      }
      into[name] = isFlag ? value === 1 : value;
    }
    return made;
  };
}

function toColumn(column: string) {
  const path = column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()).split(".");
  const name = path.pop() ?? "";
  return { column, path, name, isFlag: /^(is|has)[A-Z]/.test(name) };
}

/** The number of a row that was inserted with `RETURNING number`. */
export function numberOf<Id extends number = number>(found: { number: number } | undefined): Id {
  if (found === undefined) throw new Error("A row was not inserted.");
  return found.number as Id;
}

/** What nobody has to be asked for. */
export function answer<T>(find: () => T): Asked<T> {
  const asked = {
    [Symbol.iterator]: () => asked,
    next: (): IteratorReturnResult<T> => ({ done: true, value: find() }),
  };
  return asked;
}
