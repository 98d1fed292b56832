import Database from "better-sqlite3";
import { StateError } from "../../errors.ts";
import { tables } from "../sql/schema.ts";
import type { SqliteStore } from "./database.ts";
import { imageOf, openForReading, openMemoryStore, type StateOptions } from "./store.ts";

/** The last schema that states had before they got the form that they have now; only this one is read. */
const lastSchema = 31;

/** What stands in other columns now, or in more of them: expressions over the earlier table of the same name. */
const columnsNow: Readonly<Record<string, string>> = {
  "pages.posts": "json_array_length(shown)",
  "post_facts.status": textOf("$.status"),
  "post_facts.category": textOf("$.categoryId"),
  "post_facts.title": textOf("$.title"),
  "post_facts.url": textOf("$.url"),
  "post_facts.votes": "CASE WHEN json_type(facts, '$.votes') = 'integer' THEN facts ->> '$.votes' END",
  "issues.state": "facts ->> '$.state'",
  "issues.state_reason": "facts ->> '$.stateReason'",
  "issues.created_at": "facts ->> '$.createdAt'",
  // What earlier versions did not note.
  "intents.voters": "NULL",
  "audit.voters": "NULL",
  "audit.subject": "NULL",
  // What they said is not compared with what is said from now on.
  "run_projects.said": "'run ' || run",
  "run_projects.writes":
    "coalesce(report ->> '$.created', 0) + coalesce(report ->> '$.issueWrites', 0) + coalesce(report ->> '$.postWrites', 0)",
  "run_projects.failures": "coalesce(report ->> '$.failed', 0)",
};

function textOf(path: string): string {
  return `CASE WHEN json_type(facts, '${path}') = 'text' THEN facts ->> '${path}' END`;
}

/** Tables that are made of others. JSON of what is remembered has no nulls: what is missing in it is not known. */
const tablesNow: Readonly<Record<string, string>> = {
  pauses: "SELECT 0 AS project, 0 AS since WHERE FALSE",
  tool_calls: "SELECT 0 AS project WHERE FALSE",
  imports: "SELECT 0 AS post WHERE FALSE",
  import_lists: "SELECT 0 AS project WHERE FALSE",
  notes: `
    SELECT project, post, position, kind, cause, NULL AS code, message, since, action, signature, planned,
      planned ->> '$.notifies' AS notifies, follows_at FROM notes
    UNION ALL SELECT project, post, 1000 + row_number() OVER (PARTITION BY post ORDER BY kind), 'parked',
      CASE WHEN kind = 'read-issue' THEN 'issue-gone' WHEN code = 'board.unsure' THEN 'unsure' ELSE 'refused' END,
      code, message, since, kind, signature, NULL, NULL, NULL FROM parked
    UNION ALL SELECT project, number, 2000, 'quarantined', 'quarantined', NULL,
      'its status was written too often in 24 hours', coalesce(seen_at, 0), NULL, NULL, NULL, NULL, NULL FROM posts
    WHERE is_quarantined = 1
      AND NOT EXISTS (SELECT 1 FROM notes WHERE notes.post = posts.number AND notes.kind = 'quarantined')`,
  memory: `
    SELECT 'account' AS kind, 'tracker' AS key, json_object('login', login, 'checkedAt', checked_at) AS value FROM accounts
    UNION ALL SELECT 'paging', id, json_object('way', json(way), 'posts', posts, 'askedAt', asked_at)
      FROM asked_paging JOIN board_projects ON board_projects.number = asked_paging.project
    UNION ALL SELECT 'open-list', id, place
      FROM open_lists JOIN board_projects ON board_projects.number = open_lists.project
    UNION ALL SELECT 'project-field', key, json_set(field, '$.checkedAt', checked_at) FROM project_fields
    UNION ALL SELECT 'size', name, json_object('name', name, 'size', size, 'until', until) FROM read_sizes`,
  projects: `
    SELECT key, project, name, last_success_at, json_object('key', key, 'id', id, 'name', name, 'checkedAt', checked_at,
      'settingsPrint', settings_print, 'rules', rules, 'seen', json(seen), 'fullAt', full_at,
      'lastSuccessAt', last_success_at, 'recoveredFrom', recovered_from, 'settledAt', settled_at) AS memory
    FROM projects JOIN board_projects ON board_projects.number = projects.project`,
  repositories: `
    SELECT id, lower(name) AS name, current_name, paused_at, json_object('name', coalesce(name, current_name),
      'repository', json_object('id', id, 'name', current_name, 'hasIssues', ${flag("has_issues")},
        'isArchived', ${flag("is_archived")}, 'isPrivate', ${flag("is_private")}, 'canPush', ${flag("can_push")}),
      'checkedAt', checked_at, 'labels', json(labels), 'milestones', json(milestones), 'labelsEtag', labels_etag,
      'milestonesEtag', milestones_etag, 'types', json(types), 'typesEtag', types_etag, 'refused', json(refused),
      'etag', etag, 'cursor', cursor, 'scannedAt', scanned_at, 'scannedFor', json(scanned_for), 'namedAt', named_at,
      'recoveredAt', recovered_at, 'fullAt', full_at, 'publicSince', public_since, 'pausedAt', paused_at) AS memory
    FROM repositories`,
};

function flag(column: string): string {
  return `json(iif(${column}, 'true', 'false'))`;
}

/**
 * The bytes of a state of the earlier form in the form that it has now.
 *
 * @param path - of a file that is known for one, absolute.
 * @throws StateError where it is of another schema than the last of that form.
 */
export function readEarlierImage(path: string, options: StateOptions): Buffer {
  const source = openForReading(path);
  try {
    const copy = new Database(imageOf(source));
    try {
      return readEarlier(copy, path, options);
    } finally {
      copy.close();
    }
  } finally {
    source.close();
  }
}

/**
 * The same of an open database.
 *
 * @param place - what messages call it.
 */
export function readEarlier(source: Database.Database, place: string, options: StateOptions): Buffer {
  const schema = Number(source.pragma("user_version", { simple: true }));
  if (schema !== lastSchema) {
    throw new StateError(
      `The state at ${place} was written by an earlier version (schema ${schema}), and only the last one before this form (schema ${lastSchema}) is copied from: bring it up to that with its own version first.`,
      { schema },
    );
  }
  const store = openMemoryStore(options);
  try {
    fill(store, source);
    return store.database.serialize();
  } finally {
    store.close();
  }
}

function fill({ database }: SqliteStore, source: Database.Database): void {
  database.pragma("foreign_keys = OFF");
  database.transaction(() => {
    for (const { name, columns } of tables) {
      const names = columns.map((column) => column.name);
      const found = names.map((column) => `${columnsNow[`${name}.${column}`] ?? column} AS ${column}`);
      const select = tablesNow[name] ?? `SELECT ${found.join(", ")} FROM ${name}`;
      const insert = database.prepare(
        `INSERT OR REPLACE INTO ${name} (${names.join(", ")}) VALUES (${names.map((column) => `@${column}`).join(", ")})`,
      );
      database.exec(`DELETE FROM ${name}`);
      for (const row of source.prepare<[], Record<string, unknown>>(select).iterate()) {
        for (const column of name in tablesNow ? ["memory", "value"] : []) dropNulls(row, column);
        insert.run(row);
      }
    }
    database.exec("DELETE FROM sqlite_sequence");
    for (const row of source.prepare<[], object>("SELECT name, seq FROM sqlite_sequence").iterate())
      database.prepare("INSERT INTO sqlite_sequence (name, seq) VALUES (@name, @seq)").run(row);
  })();
  database.pragma("foreign_keys = ON");
}

function dropNulls(row: Record<string, unknown>, column: string): void {
  const json = row[column];
  if (typeof json !== "string" || !json.startsWith("{") || row["kind"] === "open-list") return;
  const known = Object.entries(JSON.parse(json)).filter(([, value]) => value !== null);
  row[column] = JSON.stringify(Object.fromEntries(known));
}
