import { StateError } from "../../errors.ts";

/** A server that was reached, and said no. */
export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  /** As PostgreSQL numbers them. https://www.postgresql.org/docs/current/errcodes-appendix.html */
  readonly sqlState: string;

  constructor(message: string, sqlState: string, cause: unknown) {
    super(message, { cause });
    this.sqlState = sqlState;
  }
}

/**
 * Refusals that mean: once more. Among them are those of a row that another transaction has just made, too, and of one that
 * refers to a row which another has not committed yet. https://www.postgresql.org/docs/current/mvcc-serialization-failure-handling.html
 */
const passing: ReadonlySet<string> = new Set(["40001", "40P01", "55P03", "23503", "23505"]);

export function isPassing(error: unknown): boolean {
  return error instanceof DatabaseError && passing.has(error.sqlState);
}

/** Settings of a role that end our transactions, by the refusals that they lead to. */
const ending: Readonly<Record<string, string>> = {
  "25P03": "idle_in_transaction_session_timeout",
  "25P04": "transaction_timeout",
  "57014": "statement_timeout",
};

/** A refusal of the server, as a sentence that says what to do. */
export function explainServerError(error: unknown, at: string): unknown {
  if (!(error instanceof DatabaseError)) return error;
  const { message, sqlState } = error;
  if (sqlState === "42501") {
    return new StateError(
      `The role of ${at} may not use or make the tables of boardsync (${message}). As the owner of the database: \`CREATE SCHEMA IF NOT EXISTS boardsync; GRANT USAGE, CREATE ON SCHEMA boardsync TO <role>\`, and where another role has made them \`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA boardsync TO <role>; GRANT USAGE, SELECT ON ALL SEQUENCES IN SCHEMA boardsync TO <role>\`.`,
      { cause: error },
    );
  }
  if (sqlState === "25006") {
    return new StateError(
      `The server at ${at} takes no writes (${message}): it is a standby, is about to take over, or somebody has set \`default_transaction_read_only\`.`,
      { cause: error, code: "state.unreachable" },
    );
  }
  if (/^(42P01|42703|3F000|42883)$/.test(sqlState)) {
    return new StateError(
      `The tables of the state at ${at} are not what boardsync made (${message}): somebody has dropped or changed them. Put a backup back, or drop the schema \`boardsync\` and run \`boardsync rebuild\`.`,
      { cause: error },
    );
  }
  const setting = ending[sqlState];
  if (setting !== undefined) {
    return new StateError(
      `The server at ${at} has ended a transaction (${message}): as its administrator, raise \`${setting}\` of the role, or \`ALTER ROLE <role> RESET ${setting}\`.`,
      { cause: error, code: "state.unreachable" },
    );
  }
  return new StateError(`The state at ${at} can't be used (${message}).`, { cause: error });
}

/** The one row that says what the tables are is gone. */
export function stateRowLost(at: string): StateError {
  return new StateError(
    `The state at ${at} has lost the row of \`boardsync.state\`: somebody has deleted it. Put a backup back, or drop the schema \`boardsync\` and run \`boardsync rebuild\`.`,
  );
}

export function unreachable(at: string, error: unknown): StateError {
  const why = String(Object(error).message ?? error) || String(Object(error).code);
  return new StateError(`The state at ${at} can't be reached (${why}).`, {
    cause: error,
    code: "state.unreachable",
  });
}
