import type Database from "better-sqlite3";
import { StateError } from "../../../errors.ts";
import { copyNow } from "./copy.ts";

/** What a migration works with. */
export interface MigrationPlan {
  /** What the user wrote. */
  readonly file: string;
  /** The same, absolute; undefined for a copy in memory, which needs none of its own. */
  readonly path: string | undefined;
  readonly applicationId: number;
  readonly migrations: readonly string[];
  readonly now: number;
  readonly version: string;
}

/**
 * Brings a database up to the last migration, in one transaction. An older database is copied before to
 * `<file>.before-v<N>`, N being the schema that it gets.
 *
 * @returns the copy's file; undefined where none was needed.
 */
export function migrate(database: Database.Database, plan: MigrationPlan): string | undefined {
  const target = plan.migrations.length;
  const before = schemaOf(database);
  const isOlder = before > 0 && before < target;
  const copy = isOlder && plan.path !== undefined ? `${plan.path}.before-v${target}` : undefined;
  if (copy !== undefined) copyNow(database, copy, plan.now);
  // Even without a migration this finds out at once whether the file can be written.
  const run = database.transaction(() => {
    // Read again: another process may have done it since.
    const steps = plan.migrations.slice(schemaOf(database));
    if (steps.length === 0) return;
    for (const sql of steps) database.exec(sql);
    database.pragma(`application_id = ${plan.applicationId}`);
    database.pragma(`user_version = ${target}`);
    database.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES ('version', ?)").run(plan.version);
  });
  run.immediate();
  return copy;
}

/** Whether nothing has ever been stored in it. */
export function isFresh(database: Database.Database): boolean {
  return (
    database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined && schemaOf(database) === 0
  );
}

/**
 * The schema's version.
 *
 * @throws StateError for a database of another program, or of a version of boardsync newer than this one.
 */
export function refuseOtherSchema(
  database: Database.Database,
  file: string,
  known: number,
  applicationId: number,
): number {
  if (isFresh(database)) return 0;
  if (database.pragma("application_id", { simple: true }) !== applicationId) {
    throw new StateError(
      `The file ${file} is a database of another program: name another file as \`state\` in the config.`,
    );
  }
  const schema = schemaOf(database);
  if (schema <= known) return schema;
  const writer = database
    .prepare<[], { value: string }>("SELECT value FROM meta WHERE key = 'version'")
    .get();
  throw new StateError(
    `The state file ${file} was written by boardsync ${writer?.value ?? "of a later version"} (schema ${schema}; this version knows ${known}): install that version or a newer one, or restore a backup from before.`,
    { schema },
  );
}

function schemaOf(database: Database.Database): number {
  return Number(database.pragma("user_version", { simple: true }));
}
