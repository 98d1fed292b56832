import { StateError } from "../../errors.ts";
import { type Connection, DatabaseError } from "./connection.ts";

/**
 * What the server keeps: the order of all commits, images of the whole, and who has which project. The rows themselves are
 * described once, by the migrations of the SQLite adapter.
 */
const tables = `
  CREATE TABLE boardsync.head (
    -- One row.
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    program text NOT NULL DEFAULT 'boardsync',
    -- The last entry.
    entry bigint NOT NULL DEFAULT 0,
    -- Of the rows: how many migrations have been made, and the program that made the last of them.
    schema integer NOT NULL,
    version text NOT NULL,
    -- Which tables these are: a dump that is put back has others.
    place text NOT NULL
  );
  CREATE TABLE boardsync.entries (
    number bigint PRIMARY KEY,
    at timestamptz NOT NULL DEFAULT now(),
    body bytea NOT NULL
  );
  CREATE TABLE boardsync.images (
    number bigint NOT NULL,
    part integer NOT NULL,
    body bytea NOT NULL,
    PRIMARY KEY (number, part)
  );
  CREATE TABLE boardsync.leases (
    project text PRIMARY KEY,
    -- Rises each time that another process takes it.
    number bigint NOT NULL DEFAULT 0,
    holder text NOT NULL DEFAULT '',
    -- Of the config that it was taken by.
    config text NOT NULL DEFAULT '',
    until timestamptz NOT NULL DEFAULT '-infinity'
  );
  CREATE TABLE boardsync.replicas (
    who text PRIMARY KEY,
    host text NOT NULL,
    config text NOT NULL,
    sign text NOT NULL,
    at timestamptz NOT NULL
  );
`;

/** Anything that is the same for all who make the tables. */
const lockNumber = 0x6273796e;

/**
 * The timeline that is written now, as names of log files have it. The control file tells of a standby that has taken over only
 * at its next checkpoint, minutes later.
 */
const timeline = `
  CASE WHEN pg_is_in_recovery() THEN (SELECT upper(lpad(to_hex(timeline_id), 8, '0')) FROM pg_control_checkpoint())
  ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END`;

/**
 * Which tables these are. A dump that is put back makes others; a server that was put back to an earlier time, or whose standby
 * has taken over, is on another timeline.
 */
export const placeOfTables = `
  (SELECT system_identifier FROM pg_control_system()) || '/' || (${timeline}) || '/' ||
  (SELECT oid FROM pg_database WHERE datname = current_database()) || '/' || 'boardsync.head'::regclass::oid`;

/**
 * Makes the tables where there are none.
 *
 * @param at how messages call the server.
 * @throws StateError where the role may not, or where they are another program's.
 */
export async function openTables(
  connection: Connection,
  at: string,
  fresh: { readonly schema: number; readonly version: string; image(): Buffer },
): Promise<{ readonly schema: number }> {
  try {
    const [, , found] = await connection.ask(`
      BEGIN; SELECT pg_advisory_xact_lock(${lockNumber});
      SELECT count(*)::int AS tables, count(*) FILTER (WHERE table_name = 'head')::int AS heads
      FROM information_schema.tables WHERE table_schema = 'boardsync'`);
    const { tables: others, heads } = { tables: 0, heads: 0, ...found?.rows[0] };
    if (heads === 0 && Number(others) > 0) {
      throw new StateError(
        `The schema \`boardsync\` of ${at} holds tables of another program: name another database as \`state\`.`,
      );
    }
    if (heads === 0) {
      await connection.ask(`
        DO $$ BEGIN
          IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'boardsync') THEN CREATE SCHEMA boardsync; END IF;
        END $$;
        ${tables}`);
      await connection.ask(
        `INSERT INTO boardsync.head (schema, version, place) VALUES ($1, $2, ${placeOfTables})`,
        [fresh.schema, fresh.version],
      );
      await connection.ask("INSERT INTO boardsync.images (number, part, body) VALUES (0, 0, $1)", [
        fresh.image(),
      ]);
    }
    const [head] = await connection.ask("SELECT schema FROM boardsync.head");
    await connection.ask("COMMIT");
    return { schema: Number(head?.rows[0]?.["schema"]) };
  } catch (error) {
    await connection.ask("ROLLBACK").catch(() => undefined);
    throw error instanceof DatabaseError ? explainServerError(error, at) : error;
  }
}

/** How many migrations of the rows a state has, and whether its tables are where they were. */
export interface Head {
  readonly schema: number;
  readonly isAtHome: boolean;
}

/** undefined where there is no state. */
export async function findHead(connection: Connection, at: string): Promise<Head | undefined> {
  try {
    const [found] = await connection.ask("SELECT to_regclass('boardsync.head') IS NOT NULL AS there");
    if (found?.rows[0]?.["there"] !== true) return undefined;
    const [head] = await connection.ask(
      `SELECT schema, place = ${placeOfTables} AS home FROM boardsync.head`,
    );
    return { schema: Number(head?.rows[0]?.["schema"]), isAtHome: head?.rows[0]?.["home"] === true };
  } catch (error) {
    throw error instanceof DatabaseError ? explainServerError(error, at) : error;
  }
}

/** A refusal of the server, as a sentence that says what to do. */
export function explainServerError(error: DatabaseError, at: string): StateError {
  const { message, sqlState } = error;
  if (sqlState === "42501") {
    return new StateError(
      `The role of ${at} may not use or make the tables of boardsync (${message}). As the owner of the database: \`CREATE SCHEMA IF NOT EXISTS boardsync; GRANT USAGE, CREATE ON SCHEMA boardsync TO <role>\`, and where another role has made them \`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA boardsync TO <role>\`.`,
      { cause: error },
    );
  }
  if (sqlState === "25006") {
    return new StateError(
      `The server at ${at} takes no writes (${message}): it is a standby, or is about to take over.`,
      { cause: error, code: "state.unreachable" },
    );
  }
  return new StateError(`The state at ${at} can't be used (${message}).`, { cause: error });
}
