import { StateError } from "../../errors.ts";
import { migrations } from "../sql/schema.ts";
import { freshMeta } from "../sql/stamp.ts";
import { EarlierFormError } from "../stored.ts";
import { literal, serverTables, toPostgresSchema } from "./dialect.ts";
import { explainServerError, stateRowLost } from "./failure.ts";
import { beginCommitted, ownSettings, type Pool } from "./pool.ts";

/** How many migrations this program knows. */
export const knownSchema = migrations.length;

/** Anything that is the same for all who make the tables. */
const lockNumber = 0x6273796e;

/** Where the tables are, as expressions of SQL. */
export interface PlaceExpressions {
  /** Over the row of `boardsync.state`. */
  readonly now: string;
  /** The same where this transaction writes that row. */
  readonly written: string;
}

/**
 * A dump that is put back makes other tables, in another transaction; a server that was put back to an earlier time, or whose
 * standby has taken over, is on another timeline. Where the server keeps the timeline to itself it is left out.
 */
export async function placeOf(pool: Pool): Promise<PlaceExpressions> {
  const timeline =
    "CASE WHEN pg_is_in_recovery() THEN '' ELSE left(pg_walfile_name(pg_current_wal_lsn()), 8) END";
  const isTold = await pool.ask(`SELECT ${timeline}`).then(
    () => true,
    (error: unknown) => {
      if (Object(error).code === "state.unreachable") throw error;
      return false;
    },
  );
  const where = `${isTold ? timeline : "''"} || '/' ||
    (SELECT oid FROM pg_database WHERE datname = current_database()) || '/' || 'boardsync.state'::regclass::oid || '/' || `;
  return {
    now: `(${where} state.xmin::text)`,
    written: `(${where} (pg_current_xact_id()::text::numeric % 4294967296)::bigint)`,
  };
}

/** Read from the catalog as any rows are: `to_regclass` may answer with what the connection saw before it waited for a lock. */
const listTables = `
  SELECT relname AS name FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
  WHERE nspname = 'boardsync' AND relkind = 'r'`;

/** What a server says of its tables. */
export interface Head {
  /** How many migrations they have. */
  readonly schema: number;
  readonly version: string;
  readonly place: string;
  readonly isAtHome: boolean;
}

/**
 * @returns undefined where there is no state.
 * @throws StateError where there is something else, or not all of it.
 */
export async function findHead(pool: Pool, at: string, place?: PlaceExpressions): Promise<Head | undefined> {
  const [found] = await pool.ask(listTables);
  const tables = new Set(found?.rows.map(({ name }) => name));
  if (tables.has("head") && tables.has("entries")) throw new EarlierFormError(at);
  if (tables.size === 0) return undefined;
  if (!tables.has("state")) {
    throw new StateError(
      `The schema \`boardsync\` of ${at} holds tables, but not the table \`state\`: they are another program's, or somebody has dropped it. Name another database as \`state\`, or put a backup back.`,
    );
  }
  const { now } = place ?? (await placeOf(pool));
  const [head] = await pool.ask(`SELECT schema, version, place, place = ${now} AS home FROM boardsync.state`);
  const row = head?.rows[0];
  if (row === undefined) throw stateRowLost(at);
  return {
    schema: Number(row["schema"]),
    version: String(row["version"]),
    place: String(row["place"]),
    isAtHome: row["home"] === 1,
  };
}

/**
 * Makes the tables where there are none, and brings them up to date.
 *
 * @param at - how messages call the server.
 * @throws StateError where the role may not, or where they are another program's.
 */
export async function openTables(
  pool: Pool,
  at: string,
  version: string,
  place: PlaceExpressions,
): Promise<Head> {
  const known = await findHead(pool, at, place);
  if (known !== undefined && known.schema >= knownSchema) return known;
  const connection = await pool.take();
  try {
    const answers = await connection.ask(`
      ${beginCommitted}; ${ownSettings}; SELECT pg_advisory_xact_lock(${lockNumber}); ${listTables}`);
    if (answers.at(-1)?.rows.length === 0) {
      await connection.ask(`
        DO $$ BEGIN
          IF NOT EXISTS (SELECT FROM pg_namespace WHERE nspname = 'boardsync') THEN CREATE SCHEMA boardsync; END IF;
        END $$;
        ${serverTables} ${migrations.map(toPostgresSchema).join("\n")}`);
      const meta = [...freshMeta(), ["version", version] as const];
      await connection.ask(`
        INSERT INTO boardsync.meta (key, value)
        VALUES ${meta.map(([key, value]) => `(${literal(key)}, ${literal(value)})`).join(", ")};
        INSERT INTO boardsync.state (schema, version, place) VALUES (${knownSchema}, ${literal(version)}, ${place.written})`);
    } else {
      // Nobody else does it meanwhile; where somebody has, nothing is left of it.
      const [head] = await connection.ask("SELECT schema FROM boardsync.state");
      const steps = migrations.slice(Number(head?.rows[0]?.["schema"])).map(toPostgresSchema);
      if (steps.length > 0)
        await connection.ask(`
          ${steps.join("\n")}
          UPDATE boardsync.state SET schema = ${knownSchema}, version = ${literal(version)},
            place = CASE WHEN place = ${place.now} THEN ${place.written} ELSE place END`);
    }
    await connection.ask("COMMIT");
    connection.giveBack(true);
  } catch (error) {
    connection.giveBack(false);
    throw explainServerError(error, at);
  }
  const made = await findHead(pool, at, place);
  if (made === undefined) throw new StateError(`The state at ${at} was deleted while it was made.`);
  return made;
}

/** @throws StateError where a newer version has brought the state up to date. */
export function refuseNewer(row: Readonly<Record<string, unknown>>, at: string): void {
  if (Number(row["schema"]) <= knownSchema) return;
  throw new StateError(
    `The state at ${at} was brought up to date by boardsync ${String(row["version"])} (schema ${String(row["schema"])}; this version knows ${knownSchema}): install that version or a newer one here, too.`,
  );
}
