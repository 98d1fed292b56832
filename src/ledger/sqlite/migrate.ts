import type Database from "better-sqlite3";
import { StateError } from "../../errors.ts";
import { migrations } from "../sql/schema.ts";
import { freshMeta } from "../sql/stamp.ts";
import { EarlierFormError } from "../stored.ts";
import { copyNow } from "./copy.ts";
import { toSqliteSchema } from "./dialect.ts";
import { applicationId, earlierApplicationId } from "./private-file.ts";

/** How many migrations this program knows. */
export const knownSchema = migrations.length;

/** What a migration works with. */
export interface MigrationPlan {
  /** Of the file, absolute; undefined for a copy in memory, which needs none of its own. */
  readonly path: string | undefined;
  readonly now: number;
  readonly version: string;
  /** Those that are known; a test may know more. */
  readonly steps?: readonly string[];
}

/**
 * Brings a database up to the last migration, in one transaction. An older database is copied before to
 * `<file>.before-v<N>`, N being the schema that it gets.
 *
 * @returns the copy's file; undefined where none was needed.
 */
export function migrate(
  database: Database.Database,
  { path, now, version, steps = migrations }: MigrationPlan,
): string | undefined {
  const target = steps.length;
  const before = schemaOf(database);
  const isOlder = before > 0 && before < target;
  const copy = isOlder && path !== undefined ? `${path}.before-v${target}` : undefined;
  if (copy !== undefined) copyNow(database, copy, now);
  // Even without a migration this finds out at once whether the file can be written.
  const run = database.transaction(() => {
    // Read again: another process may have done it since.
    const from = schemaOf(database);
    if (from === target) return;
    for (const step of steps.slice(from)) database.exec(toSqliteSchema(step));
    database.pragma(`application_id = ${applicationId}`);
    database.pragma(`user_version = ${target}`);
    const write = database.prepare("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)");
    if (from === 0) {
      for (const [key, value] of freshMeta()) write.run(key, value);
    }
    write.run("version", version);
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
 * @throws StateError for a database of another program, or of another version of boardsync that this one does not read.
 */
export function refuseOtherSchema(database: Database.Database, file: string): number {
  if (isFresh(database)) return 0;
  const found = database.pragma("application_id", { simple: true });
  if (found === earlierApplicationId) throw new EarlierFormError(file);
  if (found !== applicationId) {
    throw new StateError(
      `The file ${file} is a database of another program: name another file as \`state\` in the config.`,
    );
  }
  const schema = schemaOf(database);
  if (schema <= knownSchema) return schema;
  const writer = database
    .prepare<[], { value: string }>("SELECT value FROM meta WHERE key = 'version'")
    .get();
  throw new StateError(
    `The state file ${file} was written by boardsync ${writer?.value ?? "of a later version"} (schema ${schema}; this version knows ${knownSchema}): install that version or a newer one, or restore a backup from before.`,
    { schema },
  );
}

export function schemaOf(database: Database.Database): number {
  return Number(database.pragma("user_version", { simple: true }));
}
