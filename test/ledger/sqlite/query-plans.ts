import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { markedDue } from "../../../src/ledger/sql/statements.ts";
import type { SqliteStore } from "../../../src/ledger/sqlite/database.ts";
import { toSqlite } from "../../../src/ledger/sqlite/dialect.ts";
import { createLedger } from "../../../src/ledger/sqlite/sqlite.ts";
import { openStore } from "../../../src/ledger/sqlite/store.ts";
import { openPosts } from "../../support/setups.ts";
import { createFolder, options } from "./folder.ts";

/**
 * Tables with a row or a few for each project, repository, limit or budget of the config, for what people have asked for and
 * nobody has done yet, or have sent in a day, and for what the pace counts, in two hours; all others grow.
 */
const small = [
  "meta",
  "limits",
  "board_projects",
  "projects",
  "repositories",
  "memory",
  "backlogs",
  "requests",
  "orders",
  "pace",
  "pauses",
  "used_forms",
];

/** A step that walks something from end to end all the same, a part of its statement, and why. */
const walks: readonly (readonly [step: string, part: string, why: string])[] = [
  ["SCAN runs", "LIMIT 1", "from its end, and no further than the last run that has ended"],
  [
    "SCAN absences",
    "CROSS JOIN links",
    "few issues are not where they were; the other way round it is all links",
  ],
  ["SCAN notices_said", "notices_said", "what people were told of, and is not over"],
  ["SCAN linked", "WITH RECURSIVE linked", "the repositories of a project, each found by the index of links"],
  ["SCAN linked", "string_agg", "the linked posts of a project, found by an index, are told in one text"],
  ["SCAN linked", "AS issues", "the linked issues of a project, found by an index, are counted"],
  ["SCAN put_off", "AS waiting", "what waits in a project, found by indexes, is counted"],
  ...["intents", "backlinks", "links USING INDEX links_by_project"].map(
    (child) =>
      [
        `SCAN ${child}`,
        "RETURNING number",
        "passed over, where no reference is broken to be mended",
      ] as const,
  ),
  ["SCAN always", "AS always", "one row, to which a post is joined where it is known"],
  [
    "SCAN counted",
    "GROUP BY span",
    "a line for each span of the runs and for each hour, found by indexes, is added up",
  ],
  ["SCAN waiting", "LIMIT", "what waits in a project, found by indexes, is put in order"],
];

/** What is set back with a clock is all that lies ahead of it. */
const isSetBack = (sql: string): boolean => /^UPDATE \w+ SET \w+ = \? WHERE \w+ > \?$/.test(sql);

/** An array that was given as JSON: a batch, or the labels of an issue. */
const isGiven = (step: string): boolean => step.includes("VIRTUAL TABLE") || step === "SCAN CONSTANT ROW";

/** Of all statements that the contract has asked: by which indexes SQLite finds their rows. */
export function describePlans(asked: ReadonlySet<string>): void {
  describe("the plans of the ledger's statements", () => {
    it("use an index for every table that grows", () => {
      const { store, statements } = planned(asked);
      const steps = statements.flatMap((sql) => planOf(store, sql).map((step) => ({ step, sql })));
      const isWalk = ({ step, sql }: (typeof steps)[number]): boolean =>
        walks.some(([walked, part]) => step === walked && sql.includes(part));
      const scans = steps.filter(
        ({ step }) => step.startsWith("SCAN") && !isGiven(step) && !small.includes(step.split(" ")[1] ?? ""),
      );
      expect(statements.length).toBeGreaterThan(250);
      expect(scans.filter((scan) => !isWalk(scan))).toEqual([]);
      // Nothing is let through that nobody does any more.
      expect(walks.filter(([walked]) => scans.every(({ step }) => step !== walked))).toEqual([]);
    });

    it.each([
      [
        "due rows",
        "FROM posts INDEXED BY posts_due WHERE project = ? AND id > ?",
        "SEARCH posts USING INDEX posts_due (project=? AND id>?)",
      ],
      [
        "a stored post",
        "posts.id AS id, hash, missing, seen_at",
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
        `UPDATE posts SET ${markedDue.words.join()} WHERE number IN (SELECT post FROM links WHERE repository`,
        "SEARCH links USING COVERING INDEX links_by_issue (repository=? AND number=?)",
      ],
      [
        "a page of links",
        "absences.kind AS absence",
        "SEARCH links USING COVERING INDEX links_by_project (project=? AND (repository,number,post)<(?,?,?))",
      ],
      [
        "what waits of some kinds",
        "wanted.value <> 'paused'",
        "SEARCH notes USING INDEX notes_kind (project=? AND kind=?)",
      ],
      [
        "the runs of the last days",
        "FROM runs CROSS JOIN run_projects",
        "SEARCH runs USING INDEX runs_started (started_at>?)",
      ],
      [
        "status writes of a post",
        "audit.is_status = 1 AND audit.at",
        "SEARCH audit USING INDEX audit_of_post (post=? AND at>?)",
      ],
      [
        "the writes of a run",
        "FROM repositories WHERE lower(repositories.current_name)",
        "SEARCH audit USING INDEX audit_of_run (run=?)",
      ],
    ])("find %s by their own", (_, part, step) => {
      const { store, statements } = planned(asked);
      const sql = statements.find((statement) => statement.includes(part)) ?? "";
      expect(planOf(store, sql)).toContain(step);
    });

    it("are prepared once, and for no further run", async () => {
      const stage = await openPosts(3);
      const prepared: string[] = [];
      const ledger = createLedger(listening(openFile(), (sql) => prepared.push(sql)));
      onTestFinished(() => ledger.close());
      stage.bend((world) => ({ ...world, ledger }));
      for (let run = 0; run < 3; run += 1) await stage.sync();
      stage.github.close("acme/app", 1, "completed");
      await stage.sync();
      await stage.rebuild();
      const before = prepared.length;
      await stage.sync();
      await stage.rebuild();
      expect(prepared).toHaveLength(before);
    });
  });
}

/** A state in a file of its own. */
export function openFile(): SqliteStore {
  return openStore(join(createFolder(), "state.db"), options);
}

/** A state that tells of each statement that is prepared. */
export function listening(store: SqliteStore, hear: (sql: string) => void): SqliteStore {
  return {
    ...store,
    prepare: (sql) => {
      hear(sql);
      return store.prepare(sql);
    },
  };
}

function planned(asked: ReadonlySet<string>): {
  readonly store: SqliteStore;
  readonly statements: readonly string[];
} {
  const store = openFile();
  onTestFinished(() => store.close());
  return {
    store,
    statements: [...asked].map((sql) => sql.replace(/\s+/g, " ")).filter((sql) => !isSetBack(sql)),
  };
}

function planOf(store: SqliteStore, sql: string): readonly string[] {
  const bound = toSqlite(sql.replace(/\?/g, "7"));
  return store.database
    .prepare<[], { detail: string }>(`EXPLAIN QUERY PLAN ${bound}`)
    .all()
    .map(({ detail }) => detail);
}
