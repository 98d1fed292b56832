import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { createLedger } from "../../../src/ledger/sqlite/sqlite.ts";
import { openStore, type Store } from "../../../src/ledger/sqlite/store.ts";
import { createFolder, options } from "./folder.ts";

/** Tables that grow with the board, with the repositories, or with time. */
const growing = [
  "posts",
  "post_facts",
  "issues",
  "markers",
  "links",
  "signals",
  "bases",
  "notes",
  "parked",
  "intents",
  "audit",
  "pace",
  "runs",
  "run_projects",
  "pulls",
  "quiet_runs",
  "requests",
];

/** Partial indexes are walked from end to end where everything in them is wanted. */
const walks = ["SCAN intents USING INDEX intents_open", "SCAN runs USING INDEX runs_finished"];

describe("the plans of the ledger's statements", () => {
  it("use an index for every table that grows", () => {
    const { store, statements } = listStatements();
    const scans = statements.flatMap((sql) =>
      planOf(store, sql)
        .filter((step) => growing.some((table) => step.startsWith(`SCAN ${table}`)) && !walks.includes(step))
        .map((step) => `${step}: ${sql}`),
    );
    expect(statements.length).toBeGreaterThan(50);
    expect(scans).toEqual([]);
  });

  it.each([
    ["due rows", "INDEXED BY posts_due JOIN", "SEARCH posts USING INDEX posts_due (project=? AND id>?)"],
    [
      "a stored post",
      "SELECT number, hash, missing, seen_at",
      "SEARCH posts USING INDEX sqlite_autoindex_posts_1 (project=? AND id=?)",
    ],
    ["the links of a batch", "links.position", "SEARCH links USING PRIMARY KEY (project=? AND post=?)"],
    [
      "the issues of a batch",
      "LEFT JOIN issues",
      "SEARCH issues USING PRIMARY KEY (repository=? AND number=?) LEFT-JOIN",
    ],
    [
      "the signals of a batch",
      "LEFT JOIN signals AS canonical_signals",
      "SEARCH canonical_signals USING PRIMARY KEY (repository=? AND number=?) LEFT-JOIN",
    ],
    [
      "the issues of a project, in their order",
      "INDEXED BY links_by_project",
      "SEARCH links USING COVERING INDEX links_by_project (project=? AND (repository,number)>(?,?))",
    ],
    [
      "the rows of an issue",
      "UPDATE posts SET due_at = 0 WHERE number IN (SELECT post FROM links WHERE repository",
      "SEARCH links USING COVERING INDEX links_by_issue (repository=? AND number=?)",
    ],
    [
      "a page of links",
      "CAST(post_facts.facts",
      "SEARCH links USING COVERING INDEX links_by_project (project=? AND (repository,number,post)<(?,?,?))",
    ],
    [
      "what waits of some kinds",
      "CROSS JOIN notes ON notes.project",
      "SEARCH notes USING INDEX notes_kind (project=? AND kind=?)",
    ],
    [
      "the runs of the last days",
      "FROM runs CROSS JOIN run_projects",
      "SEARCH runs USING INDEX runs_started (started_at>?)",
    ],
    [
      "open intents",
      "SELECT id FROM intents",
      "SEARCH intents USING INDEX intents_open (project=? AND post=? AND kind=?)",
    ],
    [
      "status writes of a post",
      "audit.is_status = 1",
      "SEARCH audit USING COVERING INDEX audit_status_of_post (post=? AND at>?)",
    ],
    ["the writes of a run", "AS repository_id", "SEARCH audit USING INDEX audit_of_run (run=?)"],
  ])("find %s by their own", (_, part, step) => {
    const { store, statements } = listStatements();
    const sql = statements.find((statement) => statement.includes(part)) ?? "";
    expect(planOf(store, sql)).toContain(step);
  });
});

function listStatements(): { readonly store: Store; readonly statements: readonly string[] } {
  const store = openStore(join(createFolder(), "state.db"), options);
  onTestFinished(() => store.close());
  const statements: string[] = [];
  createLedger({
    ...store,
    prepare: (sql) => {
      statements.push(sql.replace(/\s+/g, " "));
      return store.prepare(sql);
    },
  });
  return { store, statements };
}

function planOf(store: Store, sql: string): readonly string[] {
  const bound = sql.replace(/@\w+|\?/g, "7");
  return store
    .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${bound}`)
    .all()
    .map(({ detail }) => detail);
}
