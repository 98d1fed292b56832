import { StateError } from "../../errors.ts";
import { type Asked, answer, type Carry, createReader, type Store } from "../sql/store.ts";
import { type ServerClock, serverTime } from "./clock.ts";
import { literal, toPostgres } from "./dialect.ts";
import { DatabaseError, explainServerError, isPassing, stateRowLost } from "./failure.ts";
import { type LeaseNumber, leaseLost, renewal, type Validity } from "./leases.ts";
import {
  beginCommitted,
  beginRead,
  type Connection,
  ownSettings,
  type Pool,
  type ServerAnswer,
} from "./pool.ts";
import { type PlaceExpressions, refuseNewer } from "./tables.ts";

/** What a store on a server works with. */
export interface ServerOptions extends Pick<Validity, "prolonged"> {
  readonly pool: Pool;
  /** How messages call the server. */
  readonly at: string;
  readonly place: PlaceExpressions;
  readonly clock: ServerClock;
  readonly leaseMs: number;
  /** Where the tables were when this process read them first. */
  readonly known: { place: string };
  /** The tables are not where they were: what this process knew of them is over. */
  moved(): Asked<void>;
}

const mostTries = 3;
/** How often it is asked whether a transaction whose end is not known is over, every fifth of a second. */
const mostLooks = 50;

/** What a call waits for: the answers to statements, or the end of a transaction. */
type Question = readonly string[] | End;
type End = (mine: Session) => Promise<unknown>;

/** Statements and transactions of one call of the port. */
interface Session {
  /** undefined outside of a transaction; `ending`: COMMIT goes with the next question, or with the end of the call. */
  mode: "write" | "read" | "ending" | undefined;
  connection: Connection | undefined;
  /** What is sent with the next message. */
  waiting: string[];
  /** Of the transaction: for looking up what became of it. */
  xid: string;
  /** Of statements that must change a row, by the numbers that they fail with. */
  failures: (() => Error)[];
  undos: ((isOver: boolean) => void)[];
  beganAt: number;
}

const idle = (): Omit<Session, "xid" | "beganAt"> => ({
  mode: undefined,
  connection: undefined,
  waiting: [],
  failures: [],
  undos: [],
});

/** Statements that have an answer know what they are, so that several can be sent together. */
interface Answered<T> extends Asked<T> {
  readonly sql: string;
  pick(answer: ServerAnswer): T;
}

/** Of the call whose step is made just now. */
let current: Session | undefined;

function session(): Session {
  if (current === undefined) throw new Error("A question was asked outside of a call.");
  return current;
}

/**
 * A database on a server. Statements that change rows wait for the next question, or for the end of their transaction: most commits
 * are two messages. The first begins, and shows what a commit rests on: the leases of the run, by their numbers, and that the
 * tables are where they were. The second one commits. Nothing of it outlives a transaction, so a pooler may stand between.
 *
 * @param holds - of the run that writes; none for what people ask for beside runs.
 */
export function createServerStore(
  options: ServerOptions,
  holds: readonly LeaseNumber[],
): { readonly store: Store; readonly carry: Carry } {
  const { pool, at, clock } = options;

  const carry: Carry = async <T>(work: () => Asked<T>) => {
    const mine: Session = { ...idle(), xid: "", beganAt: 0 };
    const within = <Step>(step: () => Step): Step => {
      current = mine;
      try {
        return step();
      } finally {
        current = undefined;
      }
    };
    try {
      const steps = within(() => work()[Symbol.iterator]() as Generator<Question, T>);
      let step = within(() => steps.next());
      while (step.done !== true) {
        const { value } = step;
        try {
          const answer = await (typeof value === "function" ? value(mine) : send(mine, value));
          step = within(() => steps.next(answer));
        } catch (error) {
          const failure = failureOf(mine, error);
          step = within(() => steps.throw(failure));
        }
      }
      if (mine.mode === "ending") await endLate(mine, []);
      return step.value;
    } finally {
      mine.connection?.giveBack(false);
    }
  };

  /** Statements, after those that wait. Returns the answers to them. */
  const send = async (mine: Session, statements: readonly string[]): Promise<readonly ServerAnswer[]> => {
    if (mine.mode === "ending") return endLate(mine, statements);
    if (mine.mode === undefined) {
      const view = statements.length > 1 ? "one" : undefined;
      return (await pool.ask(statements.join(";\n"), view)).slice(-statements.length);
    }
    const isFirst = mine.connection === undefined;
    mine.connection ??= await pool.take();
    mine.beganAt = isFirst ? clock.monotonic() : mine.beganAt;
    const begin = !isFirst ? [] : mine.mode === "read" ? [beginRead] : beginWrite(options, holds);
    const all = [...begin, ...mine.waiting.splice(0), ...statements];
    const answers = await mine.connection.ask(all.join(";\n"));
    if (isFirst && mine.mode === "write") await settle(mine, answers.slice(1, begin.length));
    return answers.slice(answers.length - statements.length);
  };

  /** Looks at what a commit rests on. */
  const settle = async (mine: Session, [, head, held]: readonly ServerAnswer[]): Promise<void> => {
    clock.told(head, mine.beganAt);
    const row = head?.rows[0];
    if (row === undefined) throw stateRowLost(at);
    refuseNewer(row, at);
    mine.xid = String(row["xid"]);
    if ((held?.rows.length ?? 0) < holds.length) throw leaseLost(holds, held);
    if (row["home"] !== 1 || row["place"] !== options.known.place)
      throw new MovedError(Math.round(Number(row["now"])));
  };

  /** Ends the transaction; `then` is asked right after that, in the same message. */
  const commit = async (mine: Session, then: readonly string[]): Promise<readonly ServerAnswer[]> => {
    const { connection: begun, mode } = mine;
    if (mode === "read" || (begun === undefined && mine.waiting.length === 0)) {
      Object.assign(mine, idle());
      // It has written nothing, so nobody waits for its end.
      void begun?.ask("ROLLBACK").then(
        () => begun.giveBack(true),
        () => begun.giveBack(false),
      );
      return [];
    }
    if (begun === undefined) await send(mine, ["SELECT 1"]);
    const connection = mine.connection as Connection;
    let answers: readonly ServerAnswer[] | undefined;
    try {
      answers = await connection.ask([...mine.waiting.splice(0), "COMMIT", ...then].join(";\n"));
    } catch (error) {
      const isRefused = error instanceof DatabaseError && then.length === 0;
      if (isRefused || !(await isCommitted(mine.xid))) throw error;
    }
    // A transaction that commits nothing takes back what it has prolonged.
    options.prolonged(holds, mine.beganAt + options.leaseMs);
    end(mine, true);
    if (then.length === 0) return [];
    return (answers ?? (await pool.ask(then.join(";\n")))).slice(-then.length);
  };

  /** COMMIT goes with the next question: what may fail is answered before. */
  const commitLate: End = async (mine) => {
    if (mine.connection === undefined || mine.waiting.length > 0) await send(mine, ["SELECT 1"]);
    mine.mode = "ending";
  };

  const endLate = async (mine: Session, then: readonly string[]): Promise<readonly ServerAnswer[]> => {
    try {
      return await commit(mine, then);
    } catch (error) {
      await rollback(mine, true);
      throw explainServerError(error, at);
    }
  };

  const rollback = async (mine: Session, isOver: boolean): Promise<void> => {
    for (const undo of mine.undos.toReversed()) undo(isOver);
    const { connection } = mine;
    const isUsable = await connection?.ask("ROLLBACK").then(
      () => true,
      () => false,
    );
    end(mine, isUsable === true);
  };

  const end = (mine: Session, isUsable: boolean): void => {
    mine.connection?.giveBack(isUsable);
    Object.assign(mine, idle());
  };

  /** The server itself says what has become of a transaction whose COMMIT got no answer. */
  const isCommitted = async (xid: string): Promise<boolean> => {
    try {
      for (let look = 0; look < mostLooks; look += 1) {
        const pause = look === 0 ? [] : ["SELECT pg_sleep(0.2)"];
        const found = await pool.ask(
          [...pause, `SELECT pg_xact_status('${xid}'::xid8) AS status`].join(";\n"),
        );
        const status = found.at(-1)?.rows[0]?.["status"];
        if (status !== "in progress") return status === "committed";
      }
    } catch {
      // It can't be reached, or knows nothing of it any more: nobody can say.
    }
    return false;
  };

  /** Once for a copy that was put back: it says so from now on, and everybody can see that it is elsewhere. */
  function* settleMove(now: number): Asked<void> {
    yield [
      `SELECT 1 FROM boardsync.state FOR UPDATE;
       INSERT INTO boardsync.meta (key, value) SELECT 'copied_at', '${now}' FROM boardsync.state
         WHERE place <> ${options.place.now}
       ON CONFLICT (key) DO UPDATE SET value = excluded.value;
       UPDATE boardsync.state SET place = ${options.place.written} WHERE place <> ${options.place.now}`,
    ];
    yield* options.moved();
  }

  function* begun<T>(mode: "write" | "read", work: () => Asked<T>, ending: End): Asked<T> {
    const mine = session();
    // What is read in a transaction is part of it.
    if (mine.mode !== undefined) return yield* work();
    for (let attempt = 1; ; attempt += 1) {
      Object.assign(mine, idle(), { mode });
      try {
        const result = yield* work();
        yield ending;
        return result;
      } catch (error) {
        const isMoved = error instanceof MovedError;
        const isTriedAgain = attempt < mostTries && (isMoved ? holds.length === 0 : isPassing(error));
        yield () => rollback(mine, !isTriedAgain);
        if (isMoved) yield* settleMove(error.now);
        if (!isTriedAgain) throw isMoved ? putBack(at, error) : explainServerError(error, at);
      }
    }
  }

  const ask = <T>(sql: string, pick: (answer: ServerAnswer) => T): Answered<T> => ({
    sql,
    pick,
    *[Symbol.iterator]() {
      const [answer] = (yield [sql]) as readonly ServerAnswer[];
      return pick(answer as ServerAnswer);
    },
  });

  const store: Store = {
    prepare: (sql) => {
      const text = compiled(sql);
      const read = createReader();
      return {
        run: (...bound) =>
          answer(() => {
            const mine = session();
            if (mine.mode !== "write") throw new Error(`A write outside of a transaction: ${sql}`);
            mine.waiting.push(text(bound));
          }),
        some: (failure, ...bound) =>
          answer(() => {
            const mine = session();
            mine.waiting.push(refuseNone(text(bound), mine.failures.push(failure) - 1));
          }),
        count: (...bound) => ask(text(bound), ({ rowCount }) => rowCount ?? 0),
        get: (...bound) => ask(text(bound), ({ rows }) => read(rows[0])),
        all: (...bound) => ask(text(bound), ({ rows }) => rows.map(read)),
      };
    },
    *together(asked) {
      const answered = asked.filter((one): one is Answered<unknown> => "sql" in one);
      const answers =
        answered.length === 0 ? [] : ((yield answered.map(({ sql }) => sql)) as readonly ServerAnswer[]);
      const found: unknown[] = [];
      for (const one of asked) {
        const place = answered.indexOf(one as Answered<unknown>);
        found.push(place < 0 ? yield* one : answered[place]?.pick(answers[place] as ServerAnswer));
      }
      return found as never;
    },
    transaction: (work, end) =>
      begun("write", work, end === "late" ? commitLate : (mine) => commit(mine, [])),
    tryOut: (work) => begun("write", work, (mine) => rollback(mine, true)),
    read: (work) => begun("read", work, (mine) => commit(mine, [])),
    lock: (names) =>
      answer(() => {
        const texts = names().map(literal);
        // One after the other, as they stand.
        const each = `unnest(ARRAY[${texts.join()}]) AS name`;
        if (texts.length > 0)
          session().waiting.push(`SELECT pg_advisory_xact_lock(hashtextextended(name, 39)) FROM ${each}`);
      }),
    onRollback: (undo) => {
      if (current?.mode !== undefined) current.undos.push(undo);
    },
  };
  return { store, carry };
}

/** A statement that fails where it changes nothing: the number that it can't read names the failure. */
function refuseNone(sql: string, failure: number): string {
  return `WITH changed AS (${sql} RETURNING 1)
    SELECT CASE WHEN count(*) = 0 THEN ('${noRow}${failure} of ' || count(*))::bigint END FROM changed`;
}

const noRow = "no row, failure ";

function failureOf({ failures }: Session, error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return error;
  const [, place] = new RegExp(`"${noRow}(\\d+) of 0"`).exec(error.message) ?? [];
  return place === undefined ? error : (failures[Number(place)]?.() ?? error);
}

/** Statements are turned once for a process, whichever run uses them. */
const turned = new Map<string, (bound: readonly unknown[]) => string>();

function compiled(sql: string): (bound: readonly unknown[]) => string {
  const known = turned.get(sql) ?? toPostgres(sql);
  turned.set(sql, known);
  return known;
}

/** Whoever commits holds its leases from now on for their full time; one that is over is not taken up again. */
function beginWrite(options: ServerOptions, holds: readonly LeaseNumber[]): string[] {
  const { place, leaseMs } = options;
  return [
    beginCommitted,
    ownSettings,
    `SELECT pg_current_xact_id()::text AS xid, schema, version, place, place = ${place.now} AS home, ${serverTime} AS now
      FROM boardsync.state`,
    renewal(holds, leaseMs),
  ];
}

/** The tables are not where they were when they were written last. */
class MovedError extends Error {
  /** Epoch ms, by the server's clock. */
  readonly now: number;

  constructor(now: number) {
    super("The state is a copy that was put back.");
    this.now = now;
  }
}

function putBack(at: string, cause: Error): StateError {
  return new StateError(
    `The state at ${at} was put back as it once was, or another server has taken over, in the middle of this run: nothing more of the run is recorded or sent. The next one begins with how both sides are.`,
    { cause, code: "state.unreachable" },
  );
}
