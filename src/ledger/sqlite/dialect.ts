/** What SQLite wants to be told in its own words. */

/** A statement of the queries. */
export function toSqlite(sql: string): string {
  return keepPlan(
    sql
      .replaceAll(/\bEACH (?:NUMBER|TEXT) (\?|[\w.]+)/g, "json_each($1)")
      // Nobody else is inside a transaction.
      .replaceAll(/\s+FOR UPDATE( SKIP LOCKED)?/g, ""),
  );
}

/**
 * SQLite plans a statement anew whenever a parameter is bound whose value its planner has looked at, as it does in a
 * comparison with an indexed column and in LIMIT; that takes ten times as long as the statement. It does not look into a
 * sub-select. What an UPDATE sets comes before its conditions, and is no comparison.
 */
function keepPlan(sql: string): string {
  const conditions = /^\s*UPDATE\b/.test(sql) ? sql.search(/\bWHERE\b/) : 0;
  const kept = sql.slice(conditions).replaceAll(/(=|\bLIMIT) \?/g, "$1 (SELECT ?)");
  return sql.slice(0, conditions) + kept;
}

/** A step of the schema. */
export function toSqliteSchema(step: string): string {
  return step
    .replaceAll(" ID FOREVER", " INTEGER PRIMARY KEY AUTOINCREMENT")
    .replaceAll(" ID,", " INTEGER PRIMARY KEY,")
    .replaceAll(") TABLE END;", ") STRICT, WITHOUT ROWID;")
    .replaceAll(") TABLE;", ") STRICT;")
    .replaceAll("TRIGGERS OF links;", triggers);
}

/** Links are made, moved and ended in several places, and none of them need know of backlinks. */
const triggers = `
  CREATE TRIGGER backlink_of_new_link AFTER INSERT ON links BEGIN
    INSERT INTO backlinks (post, project, is_due) VALUES (NEW.post, NEW.project, 1)
    ON CONFLICT (post) DO UPDATE SET is_due = 1;
  END;
  CREATE TRIGGER backlink_of_moved_link AFTER UPDATE OF repository, number ON links BEGIN
    UPDATE backlinks SET is_due = 1 WHERE post = NEW.post;
  END;
  CREATE TRIGGER backlink_of_ended_link AFTER DELETE ON links BEGIN
    UPDATE backlinks SET is_due = 1 WHERE post = OLD.post;
  END;
`;
