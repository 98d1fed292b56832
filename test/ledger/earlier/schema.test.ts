/** @module-tag long */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { toPostgresSchema } from "../../../src/ledger/postgres/dialect.ts";
import { tables } from "../../../src/ledger/sql/schema.ts";
import { toSqliteSchema } from "../../../src/ledger/sqlite/dialect.ts";
import { applicationId } from "../../../src/ledger/sqlite/private-file.ts";
import { openLedger } from "../../../src/ledger/sqlite/sqlite.ts";
import { startPostgres, type TestServer } from "../../support/postgres.ts";
import { openShared } from "../postgres/open.ts";
import { noon, project } from "../samples.ts";
import { options } from "../sqlite/folder.ts";

/** The tables of the first version of the schema. */
const first = readFileSync(new URL("first.sql", import.meta.url), "utf8");

/** What it held, in each table that is another one now. */
const rows = `
  INSERT INTO meta (key, value) VALUES ('version', '0.1.0'), ('identity', 'one'), ('page_key', 'two');
  INSERT INTO board_projects (number, id) VALUES (1, '${project}');
  INSERT INTO runs (number, started_at, finished_at, result) VALUES (7, ${noon - 9}, ${noon - 1}, 'ok');
  INSERT INTO pulls (number, project, run, began_at, ended_at, kind, posts)
    VALUES (3, 1, 7, ${noon - 8}, ${noon - 7}, 'complete', 2);
  INSERT INTO posts (number, project, id, hash) VALUES (5, 1, 'p1', 'h');
  INSERT INTO notes (project, post, position, kind, cause, message, since) VALUES (1, 5, 0, 'held', 'guard', 'm', ${noon});
  INSERT INTO import_lists (project, repository, labels, etag) VALUES (1, 10, 'idea', 'e');
  INSERT INTO audit (at, run, side, project, kind, fields, reason, outcome, is_approved, is_status)
    VALUES (${noon - 5}, 7, 'board', 1, 'patch-post', '[{"field":"status","value":"open"}]', 'r', 'applied', 0, 1);
  INSERT INTO requests (project, at, request) VALUES (1, ${noon}, '{"kind":"sync"}');
  INSERT INTO pace (at, is_create, budget, project) VALUES (${noon}, 1, '', 1);
  INSERT INTO backlogs (budget, project, creates, others, created, since, at) VALUES ('', 1, 2, 3, 4, ${noon - 9}, ${noon});
  INSERT INTO used_forms (print, until) VALUES ('f', ${noon});
`;

let server: TestServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.end());

function givenFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "boardsync-schema-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function expectKnown(ledger: Ledger): Promise<void> {
  expect(await ledger.lookup.lastPull(project)).toEqual({ beganAt: noon - 8, kind: "complete" });
  expect(await ledger.rows.counts(project)).toMatchObject({ posts: 2, held: 1 });
  expect(await ledger.imports.validator(project, 10, "idea")).toBeUndefined();
  expect(await ledger.journal.statusWrites(project, noon - 5)).toBe(1);
  expect(await ledger.pace.writes(noon, "")).toEqual([{ at: noon, isCreate: true, project }]);
  expect(await ledger.pace.backlogs()).toEqual([
    { budget: "", project, creates: 2, others: 3, created: 4, at: noon },
  ]);
  expect(await ledger.requests.newest()).toMatchObject([{ project, at: noon }]);
  expect(await ledger.runs.useForm("f", noon, noon)).toBe(false);
  expect(await ledger.runs.lastOfAll()).toBe(7);
  expect(await ledger.pulls.begin(project, 8, noon)).toBe(4);
}

describe("a state of the first schema becomes one like a new one, with all that it knew", () => {
  it("in a file, of which a copy is left", async () => {
    const folder = givenFolder();
    const file = join(folder, "state.db");
    const database = new Database(file);
    database.exec(toSqliteSchema(first) + rows);
    database.pragma(`application_id = ${applicationId}`);
    database.pragma("user_version = 1");
    database.close();
    const ledger = openLedger(file, options);
    onTestFinished(() => ledger.close());
    const fresh = join(folder, "new.db");
    openLedger(fresh, options).close();
    expect(shapeOf(file)).toEqual(shapeOf(fresh));
    expect(existsSync(`${file}.before-v2`)).toBe(true);
    await expectKnown(ledger);
  });

  it("on a server", async () => {
    const [url, fresh] = [await server.freshDatabase(), await server.freshDatabase()];
    for (const one of [url, fresh]) (await openShared(one)).close();
    const names = tables.map(({ name }) => `boardsync.${name}`);
    await server.ask(
      url,
      `DROP TABLE ${names.join()}; DROP FUNCTION boardsync.mark_backlink; ${toPostgresSchema(first)}
       SET search_path = boardsync; ${rows} SELECT setval('pulls_number_seq', 3); UPDATE state SET schema = 1`,
    );
    const ledger = await openShared(url);
    onTestFinished(() => ledger.close());
    const [found, wanted] = await Promise.all([url, fresh].map((one) => server.ask(one, serverShape)));
    expect(found).toEqual(wanted);
    await expectKnown(ledger);
  });
});

/** Tables with their columns, and indexes with theirs. */
function shapeOf(file: string): unknown {
  const database = new Database(file, { readonly: true });
  const columns = database.prepare(`
    SELECT tables.name AS of, one.name, one.type, one."notnull", one.dflt_value, one.pk
    FROM sqlite_schema AS tables JOIN pragma_table_info(tables.name) AS one WHERE tables.type = 'table' ORDER BY 1, one.cid`);
  const indexes = database.prepare("SELECT name, sql FROM sqlite_schema WHERE type <> 'table' ORDER BY name");
  const shape = [columns.all(), indexes.all()];
  database.close();
  return shape;
}

const serverShape = `
  SELECT table_name AS of, column_name AS name, data_type || is_nullable || coalesce(column_default, '') AS is
  FROM information_schema.columns WHERE table_schema = 'boardsync'
  UNION ALL SELECT tablename, indexname, indexdef FROM pg_indexes WHERE schemaname = 'boardsync' ORDER BY 1, 2`;
