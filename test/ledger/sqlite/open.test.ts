import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { StateError } from "../../../src/errors.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { migrations } from "../../../src/ledger/sql/schema.ts";
import { assertDurable, type SqliteStore } from "../../../src/ledger/sqlite/database.ts";
import { acquireState } from "../../../src/ledger/sqlite/lock.ts";
import { createLedger, openLedger, openLedgerReadOnly } from "../../../src/ledger/sqlite/sqlite.ts";
import { openStore } from "../../../src/ledger/sqlite/store.ts";
import {
  createPost,
  createRecord,
  noon,
  paceWrite,
  postId,
  project,
  pullPosts,
  sendIntent,
} from "../samples.ts";
import { createFolder, options } from "./folder.ts";

const privateMode = 0o600;

describe("opening the state", () => {
  it("makes folder, file and journal files that only their owner may read, whatever the umask", async () => {
    const before = process.umask(0);
    onTestFinished(() => void process.umask(before));
    const folder = join(createFolder(), "data");
    const ledger = open(join(folder, "state.db"));
    await ledger.commit([{ kind: "beat", sign: { at: noon, who: "daemon" } }]);
    expect(readdirSync(folder).sort()).toEqual(["state.db", "state.db-shm", "state.db-wal"]);
    expect(modesIn(folder)).toEqual([privateMode, privateMode, privateMode]);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it("tightens files that others could read", async () => {
    const folder = createFolder();
    const file = join(folder, "state.db");
    await open(file).commit([{ kind: "beat", sign: { at: noon, who: "daemon" } }]);
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o644);
    open(file);
    expect(modesIn(folder)).toEqual([privateMode, privateMode, privateMode]);
  });

  it("keeps what was stored, and knows when posts were seen", async () => {
    const file = join(createFolder(), "state.db");
    const first = openLedger(file, options);
    await pullPosts(first, [createPost("p1")]);
    first.close();
    expect((await open(file).rows.row(project, postId("p1"), noon))?.seenAt).toBe(noon);
  });

  it("sets every pragma on the connection that writes", () => {
    const file = join(createFolder(), "state.db");
    // Only a database that is in WAL mode already shows what the library's default would be.
    openStore(file, options).close();
    const store = openTestStore(file);
    const names = [
      "journal_mode",
      "synchronous",
      "foreign_keys",
      "trusted_schema",
      "busy_timeout",
      "user_version",
    ];
    const values = names.map((name) => store.database.pragma(name, { simple: true }));
    expect(values).toEqual(["wal", 2, 1, 0, 5000, migrations.length]);
  });

  it.each([
    [
      "is no database",
      Buffer.from("hello, this is a text of some length\n".repeat(200)),
      "is not a SQLite database",
    ],
    ["is a folder", "folder", "is a folder: name a file, not a folder"],
  ])("refuses a file that %s", async (_, file, message) => {
    const path = join(createFolder(), "state.db");
    if (typeof file === "string") mkdirSync(path);
    else writeFileSync(path, file);
    await expectStateError(() => openLedger(path, options), message, path);
  });

  it("refuses a copy that was put back beside the log of another state, and is content without that", async () => {
    const folder = createFolder();
    const file = join(folder, "state.db");
    const ledger = open(file);
    await ledger.copyTo(join(folder, "backup.db"), noon);
    await pullPosts(ledger, [createPost("p1")]);
    // What a killed process leaves: its log.
    copyFileSync(`${file}-wal`, join(folder, "back.db-wal"));
    copyFileSync(join(folder, "backup.db"), join(folder, "back.db"));
    const back = join(folder, "back.db");
    await expectStateError(() => openLedger(back, options), `delete ${back}-wal and ${back}-shm`, back);
    await expectStateError(() => openLedgerReadOnly(back), "would be mixed", back);
    rmSync(`${back}-wal`);
    expect(await open(back).rows.row(project, postId("p1"), noon)).toBeUndefined();
  });

  it("opens a state whose process was killed, with its own log", async () => {
    const folder = createFolder();
    const file = join(folder, "state.db");
    await pullPosts(open(file), [createPost("p1")]);
    for (const end of ["", "-wal"]) copyFileSync(`${file}${end}`, join(folder, `killed.db${end}`));
    expect((await open(join(folder, "killed.db")).rows.row(project, postId("p1"), noon))?.post.id).toBe("p1");
  });

  it.each([
    ["cut off", (file: string) => truncateSync(file, 50_000)],
    ["cut off within its header", (file: string) => truncateSync(file, 50)],
  ])("refuses a file that was %s", async (_, cut) => {
    const file = join(createFolder(), "state.db");
    openLedger(file, options).close();
    cut(file);
    await expectStateError(() => openLedger(file, options), /is damaged .*boardsync rebuild/, file);
    await expectStateError(() => openLedgerReadOnly(file), /is damaged .*boardsync rebuild/, file);
  });

  it("takes an empty file for no state yet", () => {
    const file = join(createFolder(), "state.db");
    writeFileSync(file, "");
    expect(open(file).memory.account()).toBeUndefined();
  });

  it("refuses a damaged file and says what to do", async () => {
    const file = join(createFolder(), "state.db");
    const ledger = openLedger(file, options);
    await pullPosts(
      ledger,
      Array.from({ length: 200 }, (_, at) => createPost(`p${at}`, { description: "x".repeat(500) })),
    );
    ledger.close();
    damage(file);
    await expectStateError(
      () => openLedger(file, options),
      /is damaged .*restore a backup.*boardsync rebuild/,
      file,
    );
  });

  it("refuses a database of another program and leaves it alone", async () => {
    const file = join(createFolder(), "other.db");
    const other = new Database(file);
    other.exec("CREATE TABLE songs (title TEXT)");
    other.close();
    await expectStateError(() => openLedger(file, options), "is a database of another program", file);
    await expectStateError(() => openLedgerReadOnly(file), "is a database of another program", file);
    const again = new Database(file);
    onTestFinished(() => void again.close());
    expect(again.pragma("journal_mode", { simple: true })).toBe("delete");
  });

  it.each([
    [
      "the version that wrote it",
      "UPDATE meta SET value = '9.0.0' WHERE key = 'version'",
      "by boardsync 9.0.0 (schema 99",
    ],
    ["a later version", "DELETE FROM meta", "by boardsync of a later version (schema 99"],
  ])("refuses a newer schema and names %s", async (_, sql, message) => {
    const file = join(createFolder(), "state.db");
    const store = openStore(file, options);
    store.database.exec(sql);
    store.database.pragma("user_version = 99");
    store.close();
    await expectStateError(() => openLedger(file, options), message, file);
    await expectStateError(() => openLedgerReadOnly(file), "install that version or a newer one", file);
    expect(await schemaRefused(file)).toBe(99);
  });

  it("refuses a folder that can't be made", async () => {
    const folder = createFolder();
    writeFileSync(join(folder, "data"), "");
    await expectStateError(
      () => openLedger(join(folder, "data", "sub", "state.db"), options),
      /sub\/state.db can't be opened .*name a file, not a folder/,
    );
    await expectStateError(
      () => openLedger(join(folder, "more", "deep", "state.db"), options),
      /folder .*deep can't be made/,
    );
    expect(readdirSync(folder)).toEqual(["data"]);
  });

  it.each<[string, (path: string, folder: string) => void, string]>([
    ["a folder", (path) => mkdirSync(path, { mode: 0o755 }), "is a folder: name a file, not a folder"],
    [
      "a link to a file",
      (path, folder) => {
        writeFileSync(join(folder, "target"), "", { mode: 0o644 });
        symlinkSync("target", path);
      },
      "is a link: name the file",
    ],
    ["a link to nothing", (path) => symlinkSync("nowhere", path), "is a link: name the file"],
    [
      "a file of two names",
      (path, folder) => {
        writeFileSync(path, "", { mode: 0o644 });
        linkSync(path, join(folder, "other.db"));
      },
      "is a file with several names (hard links)",
    ],
    ["a pipe", (path) => execFileSync("mkfifo", ["-m", "644", path]), "is a device, a pipe or a socket"],
    [
      "a text",
      (path) => writeFileSync(path, "dear diary, ".repeat(20), { mode: 0o644 }),
      "is not a SQLite database",
    ],
    [
      "another program's database",
      (path) => {
        const other = new Database(path);
        other.exec("CREATE TABLE songs (title TEXT)");
        other.close();
        chmodSync(path, 0o644);
      },
      "is a database of another program",
    ],
  ])(
    "finds that it names %s, and leaves all as it was, the mode and what lies beside it",
    async (_, make, said) => {
      const folder = createFolder();
      const path = join(folder, "state.db");
      make(path, folder);
      const look = (): unknown =>
        readdirSync(folder).map((name) => {
          const { mode, size, mtimeMs } = lstatSync(join(folder, name));
          return [name, mode, size, mtimeMs];
        });
      const before = look();
      await expectStateError(() => openLedger(path, options), said, path);
      await expectStateError(() => acquireState(path, "sync", options), said, path);
      await expectStateError(() => openLedgerReadOnly(path), said, path);
      expect(look()).toEqual(before);
    },
  );

  it.each([
    ["journal_mode = WAL", "synchronous = NORMAL", "journal_mode=wal, synchronous=1"],
    ["journal_mode = DELETE", "synchronous = FULL", "journal_mode=delete, synchronous=2"],
  ])("refuses a connection that would not be durable: %s, %s", async (journal, synchronous, message) => {
    const database = new Database(join(createFolder(), "state.db"));
    onTestFinished(() => void database.close());
    database.pragma(journal);
    database.pragma(synchronous);
    await expectStateError(() => assertDurable(database, "state.db"), message, "state.db");
  });
});

describe("a state in a place where nothing can be written", () => {
  it.each([
    ["at rest", false],
    ["of a process that was killed, with its log", true],
  ])("can be read %s, and nothing is left", async (_, isKilled) => {
    const folder = createFolder();
    const file = join(folder, "state.db");
    const ledger = openLedger(isKilled ? join(folder, "live.db") : file, options);
    await pullPosts(ledger, [createPost("p1")]);
    if (isKilled)
      for (const end of ["", "-wal"]) copyFileSync(join(folder, `live.db${end}`), `${file}${end}`);
    ledger.close();
    for (const name of readdirSync(folder)) chmodSync(join(folder, name), 0o444);
    const temporary = createFolder();
    vi.stubEnv("TMPDIR", temporary);
    onTestFinished(() => void vi.unstubAllEnvs());
    chmodSync(temporary, 0o777);
    chmodSync(folder, 0o555);
    onTestFinished(becomeNobody());
    const before = readdirSync(folder);
    expect((await openReadOnly(file).rows.row(project, postId("p1"), noon))?.post).toEqual(createPost("p1"));
    await expectStateError(() => openLedger(file, options), "can't be", file);
    expect([readdirSync(folder), readdirSync(temporary)]).toEqual([before, []]);
  });
});

/** Root may write everywhere. */
function becomeNobody(): () => void {
  if (process.geteuid?.() !== 0) return () => undefined;
  process.seteuid?.(65_534);
  return () => process.seteuid?.(0);
}

describe("a state that stops working", () => {
  it("says that the disk is full, and sends nothing", async () => {
    const { ledger, store } = openBoth();
    const id = await sendIntent(ledger);
    await pullPosts(ledger, [createPost("p0")]);
    const pages = store.database.pragma("page_count", { simple: true });
    store.database.pragma(`max_page_count = ${pages}`);
    const fill = async (): Promise<void> => {
      for (let at = 1; at < 1000; at += 1)
        await pullPosts(ledger, [createPost(`p${at}`, { description: "x".repeat(9000) })], at);
    };
    await expectStateError(fill, /The disk of the state file .* is full/, store.file);
    expect(await ledger.journal.open(project)).toMatchObject([{ id, state: "SENT" }]);
  });

  it("says that it can't be written", async () => {
    const { ledger, store } = openBoth();
    store.database.pragma("query_only = ON");
    await expectStateError(() => sendIntent(ledger), "can't be written", store.file);
  });

  it("says that another process blocks it", async () => {
    const { ledger, store } = openBoth();
    const other = new Database(store.file);
    onTestFinished(() => void other.close());
    other.exec("BEGIN IMMEDIATE");
    store.database.pragma("busy_timeout = 1");
    await expectStateError(
      () => ledger.commit([{ kind: "beat", sign: { at: noon, who: "daemon" } }]),
      "locked by another process",
      store.file,
    );
    await expectStateError(
      () =>
        ledger
          .after(() => [{ kind: "declare-old", at: noon }])
          .rows.hasContent({ repositoryId: 1, number: 1 }),
      "locked by another process",
      store.file,
    );
  });
});

describe("a line that a request waits for", () => {
  it("is on the disk, and seen by a second connection, when the call returns", async () => {
    const { ledger, store } = openBoth();
    const other = new Database(store.file, { readonly: true });
    onTestFinished(() => void other.close());
    const select = other.prepare("SELECT state, body_hash, sent_at FROM intents");
    await sendIntent(ledger, { bodyHash: "abc" });
    expect(select.all()).toEqual([{ state: "SENT", body_hash: "abc", sent_at: noon }]);
    await paceWrite(ledger, {});
    expect(other.prepare("SELECT at FROM pace").all()).toEqual([{ at: noon }]);
    expect(store.database.pragma("synchronous", { simple: true })).toBe(2);
  });

  it("is an error on a connection that has lost its durability", async () => {
    const { ledger, store } = openBoth();
    store.database.pragma("synchronous = NORMAL");
    await expectStateError(() => sendIntent(ledger), "can't be written durably", store.file);
  });
});

describe("a state that is only read", () => {
  it("is none where there is no file, and none is made", () => {
    const folder = createFolder();
    expect(openLedgerReadOnly(join(folder, "state.db"))).toBeUndefined();
    writeFileSync(join(folder, "state.db"), "");
    expect(openLedgerReadOnly(join(folder, "state.db"))).toBeUndefined();
    expect(readdirSync(folder)).toEqual(["state.db"]);
  });

  it("shows what a running daemon writes", async () => {
    const file = join(createFolder(), "state.db");
    const daemon = open(file);
    const reader = openReadOnly(file);
    expect(await reader.runs.heartbeat()).toBeUndefined();
    await daemon.commit([{ kind: "beat", sign: { at: noon, who: "daemon" } }]);
    expect(await reader.runs.heartbeat()).toEqual({ at: noon, who: "daemon" });
  });

  it("leaves no file behind", () => {
    const folder = createFolder();
    const file = join(folder, "state.db");
    openLedger(file, options).close();
    openLedgerReadOnly(file)?.close();
    expect(readdirSync(folder)).toEqual(["state.db"]);
  });

  it("takes no write", async () => {
    const file = join(createFolder(), "state.db");
    const daemon = open(file);
    await pullPosts(daemon, [createPost("p1")]);
    const reader = openReadOnly(file);
    await expectStateError(
      () => reader.commit([{ kind: "beat", sign: { at: noon, who: "me" } }]),
      "can't be written",
    );
    await expectStateError(
      () => reader.commit([{ kind: "record-row", project, post: postId("p1"), record: createRecord() }]),
      "can't be written",
    );
    expect(await reader.rows.due(project, noon, undefined, 10)).toHaveLength(1);
    expect((await reader.rows.counts(project)).posts).toBe(1);
  });

  it("says when its schema is older than the program", async () => {
    const file = join(createFolder(), "state.db");
    const store = openStore(file, options);
    store.database.pragma("user_version = 0");
    store.close();
    await expectStateError(() => openLedgerReadOnly(file), "older schema", file);
    expect(await schemaRefused(file)).toBe(0);
  });
});

function open(file: string): Ledger {
  const ledger = openLedger(file, options);
  onTestFinished(() => ledger.close());
  return ledger;
}

function openReadOnly(file: string): Ledger {
  const ledger = openLedgerReadOnly(file);
  if (ledger === undefined) throw new Error("There is no state.");
  onTestFinished(() => ledger.close());
  return ledger;
}

function openTestStore(file: string): SqliteStore {
  const store = openStore(file, options);
  onTestFinished(() => store.close());
  return store;
}

function openBoth(): { readonly ledger: Ledger; readonly store: SqliteStore } {
  const store = openTestStore(join(createFolder(), "state.db"));
  return { ledger: createLedger(store), store };
}

function modesIn(folder: string): readonly number[] {
  return readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777);
}

/** Overwrites everything after the first page. */
function damage(file: string): void {
  const { size } = statSync(file);
  const database = new Database(file);
  const head = database.serialize().subarray(0, 4096);
  database.close();
  rmSync(file);
  expect(existsSync(file)).toBe(false);
  writeFileSync(file, Buffer.concat([head, Buffer.alloc(size - 4096, 0xa5)]));
}

/** The schema that the refusal of a file names, for whoever reports it. */
async function schemaRefused(file: string): Promise<number | undefined> {
  const error = await catchError(() => openLedgerReadOnly(file));
  return error instanceof StateError ? error.schema : undefined;
}

async function expectStateError(work: () => unknown, message: string | RegExp, file?: string): Promise<void> {
  const thrown = await catchError(work);
  expect(thrown).toBeInstanceOf(StateError);
  expect(thrown).toMatchObject({
    message: expect.stringMatching(message instanceof RegExp ? message : literally(message)),
  });
  if (file !== undefined) expect(thrown).toMatchObject({ message: expect.stringContaining(file) });
}

function literally(text: string): RegExp {
  return new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
}

async function catchError(work: () => unknown): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  throw new Error("Nothing was thrown.");
}
