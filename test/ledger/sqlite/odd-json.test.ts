/** @module-tag long */
import { copyFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { StateError } from "../../../src/errors.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { openLedger } from "../../../src/ledger/sqlite/sqlite.ts";
import type { PageTrace } from "../../../src/model/page.ts";
import {
  createIssue,
  createPatchLine,
  createPost,
  createRecord,
  createRepositoryMemory,
  linkPost,
  noon,
  otherProject,
  postId,
  project,
  pullPosts,
  refOf,
  sendIntent,
} from "../samples.ts";
import { createFolder, options } from "./folder.ts";

const trace: PageTrace = {
  request: "first",
  digest: "d",
  etag: undefined,
  lastModified: undefined,
  reading: "{}",
};
const base = {
  target: { kind: "value", value: "open" },
  post: "open",
  foreign: "new",
  written: { sent: "open", shown: "open" },
  pending: { target: { kind: "value", value: "done" }, since: noon },
  ruled: { from: { kind: "value", value: "new" }, since: noon },
} as const;
const planned = {
  place: "acme/app#1",
  changes: [{ field: "status", from: "open", to: "done" }],
  notifies: 3,
};
const write = {
  field: "status",
  before: "new",
  value: "open",
  target: { kind: "value", value: "open" },
} as const;
const known = <T>(value: T) => ({ kind: "known", value }) as const;
const signals = {
  pullRequests: known([{ repository: "acme/app", number: 5, state: "merged" as const, isDraft: false }]),
  subIssues: known({ total: 2, closed: 1 }),
  projectStatus: { "acme/1/status": known("Todo") },
  isReleased: { kind: "unknown", message: "not told" } as const,
  canonical: known({ repositoryId: 10, number: 2 }),
};
const issue = createIssue(1, { labelIds: ["LA_1"], typeId: "IT_1" });
const canonical = createIssue(2);

/** A state in which every column that is for JSON holds some. */
async function fill(ledger: Ledger): Promise<void> {
  const { run } = await ledger.runs.begin(noon);
  const pull = await ledger.pulls.begin(project, run, noon);
  const posts = [createPost("p1", { votes: 3 }), createPost("p2", { roadmapColumn: null, isReviewed: true })];
  const memory = createRepositoryMemory();
  await ledger.commit([
    { kind: "store-posts", pull, posts, at: noon, trace },
    { kind: "end-pull", pull, end: "complete", at: noon },
  ]);
  await pullPosts(ledger, [createPost("p3")], run, noon, otherProject);
  await linkPost(ledger, "p1", issue);
  await linkPost(ledger, "p2", canonical);
  const ofFirst = { project, post: postId("p1") };
  const held = { kind: "held" as const, cause: "guard", message: "held", since: noon };
  await ledger.commit([
    {
      kind: "remember-repository",
      memory: {
        ...memory,
        labels: [{ id: "LA_1", name: "bug" }],
        milestones: [{ number: 3, title: "Backlog", state: "open" }],
        types: [{ name: "Feature" }],
        refused: [{ field: "labels", value: "bug", print: undefined }],
        scannedFor: ["ann"],
      },
    },
    {
      kind: "remember-project",
      memory: {
        key: "acme-app",
        id: project,
        name: "Acme",
        checkedAt: noon,
        settingsPrint: undefined,
        rules: '{"rules":[],"several":"all","whenNoRule":"keep"}',
        seen: ["title", "status"],
        fullAt: undefined,
        lastSuccessAt: undefined,
        recoveredFrom: undefined,
        settledAt: undefined,
      },
    },
    {
      kind: "remember-paging",
      project,
      paging: { way: { kind: "page", param: "page", first: 0 }, posts: "p", askedAt: noon },
    },
    {
      kind: "remember-project-field",
      field: {
        key: "acme/1/status",
        projectId: "PVT_1",
        fieldId: "F_1",
        name: "Status",
        options: [{ id: "a", name: "Todo", formerName: "To do" }],
        isClosed: false,
        checkedAt: noon,
      },
    },
    { kind: "remember-open-list", project, place: '{"place":"x"}' },
    { kind: "store-facts", issue: canonical },
    { kind: "store-signals", issue: refOf(issue), signals, isFill: false },
    { kind: "store-signals", issue: refOf(canonical), signals: { isReleased: known(true) }, isFill: false },
    {
      kind: "leave-text",
      ...ofFirst,
      issue: refOf(issue),
      content: { titleHash: "t", blockHash: "b", seenAt: "2026-01-02T00:00:00Z" },
    },
    {
      kind: "record-row",
      ...ofFirst,
      record: createRecord({
        base: { status: base },
        issueBases: [{ issue: refOf(issue), base: { state: base } }],
        notes: [{ ...held, cause: "guard", planned, action: { kind: "patch-post", signature: "s" } }],
        due: noon,
      }),
    },
    {
      kind: "audit",
      entry: { ...createPatchLine(), run, fields: [{ field: "status", before: null, value: "open" }] },
    },
    { kind: "add-request", request: { kind: "retry", project, at: noon, posts: [postId("p1")] } },
    { kind: "beat", sign: { at: noon, who: "daemon" } },
    { kind: "offer-page", print: "print", until: noon },
  ]);
  const patch = await sendIntent(ledger, { kind: "patch-post", run, writes: [write] });
  await ledger.commit([
    {
      kind: "resolve",
      intent: patch,
      at: noon,
      state: "DONE",
      message: "",
      answer: { values: { status: "open" }, updatedAt: "2026-01-02T00:00:00Z" },
    },
  ]);
  await sendIntent(ledger, { kind: "patch-post", run, writes: [write] });
  const change = { repository: 10, number: 1, issueWrites: [{ ...write, field: "state" as const }] };
  const late = await sendIntent(ledger, { kind: "change-issue", run, ...change });
  await ledger.commit([
    { kind: "resolve", intent: late, at: noon, state: "UNKNOWN", message: "" },
    { kind: "take-up", intent: late, at: noon },
  ]);
  const given = await ledger.orders.give({ at: noon, until: noon + 1, who: "sync", order: { kind: "sync" } });
  await ledger.commit([{ kind: "note-progress", order: given, progress: { done: 1 } }]);
  await ledger.commit([{ kind: "end-order", order: given, outcome: { kind: "done" } }]);
  await ledger.orders.give({ at: noon, until: noon + 1, who: "sync", order: { kind: "sync" } });
  await ledger.commit([
    {
      kind: "finish-run",
      run,
      record: {
        finishedAt: noon,
        result: "ok",
        projects: [{ project: "acme-app", report: { result: "ok" } }],
      },
    },
  ]);
}

/** Reads whatever the state holds, as runs and people do. */
const reads: readonly ((ledger: Ledger) => Promise<unknown>)[] = [
  (ledger) => ledger.rows.row(project, postId("p1"), noon),
  (ledger) => ledger.rows.row(project, postId("p2"), noon),
  (ledger) => ledger.rows.held(project),
  (ledger) => ledger.rows.waiting(project, 10),
  (ledger) => ledger.rows.counts(project),
  (ledger) => ledger.rows.shown(project, "status"),
  (ledger) => ledger.signals.linked(project, undefined, 10),
  (ledger) => ledger.signals.catalogue(10),
  (ledger) => ledger.requests.pending(project),
  (ledger) => ledger.orders.find(1 as never),
  (ledger) => ledger.orders.take("daemon"),
  (ledger) => ledger.journal.open(project),
  (ledger) => ledger.journal.history(project, undefined, 10),
  (ledger) => ledger.journal.writesOf(1),
  (ledger) => ledger.runs.last("acme-app"),
  (ledger) => ledger.runs.find(1),
  (ledger) => ledger.runs.heartbeat(),
  (ledger) => ledger.runs.takePage("print", noon),
  (ledger) => ledger.lookup.namesakes(project, [postId("p1")]),
  (ledger) => ledger.browse.links(project, { text: "", state: "any", after: undefined, limit: 10 }),
  (ledger) => ledger.commit([{ kind: "store-facts", issue: createIssue(1, { state: "closed" }) }]),
  (ledger) =>
    ledger.commit([
      { kind: "store-signals", issue: refOf(issue), signals: { isReleased: known(false) }, isFill: false },
    ]),
  async (ledger) => {
    const pull = await ledger.pulls.begin(project, 2, noon);
    const found = await ledger.pulls.knownPage(pull, "first");
    if (found !== undefined) await ledger.commit([{ kind: "see-page", pull, trace: found.trace, at: noon }]);
  },
];

/** What comes of opening a state and of everything that can be read of it. */
async function readAll(file: string): Promise<readonly unknown[]> {
  let ledger: Ledger;
  try {
    ledger = openLedger(file, options);
  } catch (error) {
    return [error];
  }
  const failures: unknown[] = [];
  for (const read of reads) await read(ledger).catch((error: unknown) => failures.push(error));
  ledger.close();
  return failures;
}

async function createState(): Promise<string> {
  const file = join(createFolder(), "state.db");
  const ledger = openLedger(file, options);
  await fill(ledger);
  ledger.close();
  return file;
}

interface Cell {
  readonly table: string;
  readonly column: string;
}

/** Every column in which some row holds JSON; a text that is quoted is one, too. */
function listCells(file: string): readonly Cell[] {
  const database = new Database(file);
  const tables = database
    .prepare<[], { name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'",
    )
    .all();
  const cells = tables.flatMap(({ name: table }) =>
    database
      .prepare<[string], { name: string }>("SELECT name FROM pragma_table_info(?)")
      .all(table)
      .map(({ name: column }) => ({ table, column }))
      .filter(({ column }) => {
        const sql = `SELECT 1 FROM "${table}" WHERE typeof("${column}") = 'text' AND substr("${column}", 1, 1) IN ('{', '[', '"')`;
        return database.prepare(sql).get() !== undefined;
      }),
  );
  database.close();
  return cells;
}

function spoil(file: string, { table, column }: Cell, text: string): void {
  const database = new Database(file);
  database.pragma("ignore_check_constraints = ON");
  const sql = `UPDATE "${table}" SET "${column}" = ? WHERE substr("${column}", 1, 1) IN ('{', '[', '"')`;
  database.prepare(sql).run(text);
  database.close();
}

/** Opaque to the ledger, which keeps it for others. */
const opaque = [
  "pages.reading",
  "orders.request",
  "orders.progress",
  "orders.outcome",
  "run_projects.report",
];

describe("JSON in the state", () => {
  it("is in the columns that this test spoils", async () => {
    const cells = listCells(await createState()).map(({ table, column }) => `${table}.${column}`);
    expect(cells).toEqual(
      expect.arrayContaining([
        "post_facts.facts",
        "issues.facts",
        "signals.signals",
        "projects.memory",
        "repositories.memory",
        "memory.value",
        "notes.planned",
        "intents.writes",
        "intents.answer",
        "links.left_text",
        "bases.target",
        "audit.fields",
        "requests.request",
        "pages.shown",
        "meta.value",
      ]),
    );
  });

  it("reads as it was written", async () => {
    expect(await readAll(await createState())).toEqual([]);
  });

  it.each(['{"', "null", "5", '"x"', "[5]", '{"x":1}', '[{"x":1}]', '{"kind":"x"}'])(
    "that is %s anywhere is a state that can't be used, in one sentence",
    async (text) => {
      const silent: string[] = [];
      const whole = await createState();
      for (const cell of listCells(whole)) {
        const file = `${whole}.spoiled`;
        rmSync(file, { force: true });
        copyFileSync(whole, file);
        spoil(file, cell, text);
        const failures = await readAll(file);
        const name = `${cell.table}.${cell.column}`;
        for (const failure of failures) {
          expect(failure, name).toBeInstanceOf(StateError);
          expect(String(failure), name).toMatch(
            /^StateError: The state .*restore a backup.*boardsync rebuild/s,
          );
        }
        if (failures.length === 0 && !opaque.includes(name)) silent.push(name);
      }
      if (text === '{"') expect(silent).toEqual([]);
    },
  );

  it.each(["rules", "meanings"])(
    "that is in the text of a project's `%s` is looked at, too",
    async (name) => {
      const file = await createState();
      const database = new Database(file);
      const sql = "UPDATE projects SET memory = json_set(memory, '$.' || ?, ?)";
      for (const [text, isGood] of [
        ['{"', false],
        ["5", name === "rules"],
        ['{"fields":5}', false],
      ] as const) {
        database.prepare(sql).run(name, text);
        const failures = await readAll(file);
        expect(failures, text).toEqual(isGood ? [] : [expect.any(StateError)]);
      }
      database.close();
    },
  );
});
