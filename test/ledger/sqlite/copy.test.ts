import { existsSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { StateError } from "../../../src/errors.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { migrate } from "../../../src/ledger/sqlite/migrate.ts";
import { applicationId } from "../../../src/ledger/sqlite/private-file.ts";
import { openLedger, openLedgerReadOnly } from "../../../src/ledger/sqlite/sqlite.ts";
import { createPost, createRepositoryMemory, hourMs, noon, postId, project, pullPosts } from "../samples.ts";
import { createFolder, options } from "./folder.ts";

describe("a copy of a running state", () => {
  it("is whole, private, one file, and stamped; the original is not", async () => {
    const { ledger, folder } = openIn();
    await pullPosts(ledger, [createPost("p1")]);
    mkdirSync(join(folder, "backups"));
    await ledger.copyTo(join(folder, "backups", "one.db"), noon + hourMs);
    expect(readdirSync(join(folder, "backups"))).toEqual(["one.db"]);
    expect(statSync(join(folder, "backups", "one.db")).mode & 0o777).toBe(0o600);
    const copy = open(join(folder, "backups", "one.db"));
    expect(copy.copiedAt).toBe(noon + hourMs);
    expect((await copy.rows.row(project, postId("p1"), noon))?.post).toEqual(createPost("p1"));
    expect(ledger.copiedAt).toBeUndefined();
    expect(open(join(folder, "state.db")).copiedAt).toBeUndefined();
  });

  it("holds no scan that is newer than itself, also when the clock has been set back since", async () => {
    const { ledger, folder } = openIn();
    const memory = createRepositoryMemory({ scannedAt: noon + hourMs });
    await ledger.commit([{ kind: "remember-repository", memory }]);
    await ledger.copyTo(join(folder, "before.db"), noon);
    await ledger.copyTo(join(folder, "after.db"), noon + 2 * hourMs);
    const scannedAt = (of: Ledger) => of.memory.repositoryById(memory.repository.id)?.scannedAt;
    expect(scannedAt(open(join(folder, "before.db")))).toBe(0);
    expect(scannedAt(open(join(folder, "after.db")))).toBe(noon + hourMs);
    expect(scannedAt(ledger)).toBe(noon + hourMs);
  });

  it("holds no order: the daemon of the original carries it out", async () => {
    const { ledger, folder } = openIn();
    await ledger.orders.give({ at: noon, until: noon + hourMs, who: "undo", order: { kind: "undo" } });
    await ledger.copyTo(join(folder, "backup.db"), noon);
    expect(await open(join(folder, "backup.db")).orders.areWaiting()).toBe(false);
    expect(await ledger.orders.areWaiting()).toBe(true);
  });

  it("without a stamp says of itself what the original says", async () => {
    const { ledger, folder } = openIn();
    await ledger.copyTo(join(folder, "backup.db"), noon);
    await ledger.copyTo(join(folder, "scratch.db"), undefined);
    const backup = open(join(folder, "backup.db"));
    await backup.copyTo(join(folder, "scratch-of-backup.db"), undefined);
    expect(open(join(folder, "scratch.db")).copiedAt).toBeUndefined();
    expect(open(join(folder, "scratch-of-backup.db")).copiedAt).toBe(noon);
  });

  it("can be made beside the process that writes", async () => {
    const { ledger, folder } = openIn();
    const reader = openLedgerReadOnly(join(folder, "state.db"));
    const copying = reader?.copyTo(join(folder, "copy.db"), noon);
    await pullPosts(ledger, [createPost("p1")]);
    await copying;
    reader?.close();
    expect(open(join(folder, "copy.db")).copiedAt).toBe(noon);
  });

  it("never replaces a file", async () => {
    const { ledger, folder } = openIn();
    writeFileSync(join(folder, "one.db"), "precious");
    await expect(ledger.copyTo(join(folder, "one.db"), noon)).rejects.toThrow(StateError);
    expect(readdirSync(folder)).not.toContain("one.db.part");
  });

  it("leaves nothing behind when it can't be written, and says which folder", async () => {
    const { ledger, folder } = openIn();
    writeFileSync(join(folder, "file"), "");
    await expect(ledger.copyTo(join(folder, "file", "one.db"), noon)).rejects.toThrow(
      /folder .*file is not there: make it/,
    );
  });

  it("says so where no file can be", async () => {
    const { ledger, folder } = openIn();
    symlinkSync("two", join(folder, "one"));
    symlinkSync("one", join(folder, "two"));
    for (const name of ["c".repeat(300), "c".repeat(252), "one/copy.db"])
      await expect(ledger.copyTo(join(folder, name), noon)).rejects.toThrow(StateError);
  });

  it.each([
    ["a link", (path: string, file: string) => symlinkSync(file, path)],
    ["a folder", (path: string) => mkdirSync(path)],
  ])("leaves %s alone that has the name that it would have meanwhile", async (what, make) => {
    const { ledger, folder } = openIn();
    const part = join(folder, "one.db.part");
    make(part, join(folder, "state.db"));
    const before = lstatSync(part);
    await expect(ledger.copyTo(join(folder, "one.db"), noon)).rejects.toThrow(`${part} is ${what}`);
    expect(lstatSync(part).ino).toBe(before.ino);
  });

  it("replaces what a crash has left of an earlier one", async () => {
    const { ledger, folder } = openIn();
    writeFileSync(join(folder, "one.db.part"), "half a copy");
    await ledger.copyTo(join(folder, "one.db"), noon);
    expect(open(join(folder, "one.db")).copiedAt).toBe(noon);
    expect(existsSync(join(folder, "one.db.part"))).toBe(false);
  });
});

describe("a migration", () => {
  /** What copying looks at is in the first step of every schema. */
  const first = `${oneTable("meta", "key TEXT PRIMARY KEY, value TEXT NOT NULL")}; ${oneTable("repositories", "id INTEGER, memory TEXT")}`;

  it.each([
    ["from nothing makes no copy", [], ["state.db"]],
    ["of an older database copies it before", [first], ["state.db", "state.db.before-v2"]],
  ])("%s", (_, before, files) => {
    const folder = createFolder();
    const database = openRaw(join(folder, "state.db"));
    if (before.length > 0) migrate(database, planOf(folder, before, "1.0.0"));
    const steps = [first, oneTable("two", "b INTEGER")];
    migrate(database, planOf(folder, steps, "2.0.0"));
    expect(readdirSync(folder).sort()).toEqual(files);
    expect(database.pragma("user_version", { simple: true })).toBe(2);
    expect(database.prepare("SELECT value FROM meta WHERE key = 'version'").get()).toEqual({
      value: "2.0.0",
    });
    expect(readStamp(database)).toBeUndefined();
  });

  it("leaves a copy of the former schema, private and stamped", () => {
    const folder = createFolder();
    const database = openRaw(join(folder, "state.db"));
    const steps = [first, oneTable("two", "b INTEGER")];
    migrate(database, planOf(folder, steps.slice(0, 1), "1.0.0"));
    migrate(database, planOf(folder, steps, "2.0.0"));
    const copy = openRaw(join(folder, "state.db.before-v2"));
    expect(statSync(join(folder, "state.db.before-v2")).mode & 0o777).toBe(0o600);
    expect(readStamp(copy)).toBe(noon);
    expect(copy.pragma("user_version", { simple: true })).toBe(1);
    expect(copy.pragma("application_id", { simple: true })).toBe(applicationId);
  });

  it("that fails changes nothing", () => {
    const folder = createFolder();
    const database = openRaw(join(folder, "state.db"));
    expect(() => migrate(database, planOf(folder, [`${first}; ${oneTable("one", "a")}`], "1.0.0"))).toThrow(
      "missing datatype",
    );
    expect(database.prepare("SELECT name FROM sqlite_schema").all()).toEqual([]);
    expect(database.pragma("user_version", { simple: true })).toBe(0);
  });

  it("is done once", () => {
    const folder = createFolder();
    const database = openRaw(join(folder, "state.db"));
    const steps = [first];
    migrate(database, planOf(folder, steps, "1.0.0"));
    migrate(database, planOf(folder, steps, "1.0.1"));
    expect(database.prepare("SELECT value FROM meta WHERE key = 'version'").get()).toEqual({
      value: "1.0.0",
    });
  });
});

function oneTable(name: string, columns: string): string {
  return `CREATE TABLE ${name} (${columns}) STRICT`;
}

function planOf(folder: string, steps: readonly string[], version: string) {
  return { path: join(folder, "state.db"), steps, now: noon, version };
}

function openIn(): { readonly ledger: Ledger; readonly folder: string } {
  const folder = createFolder();
  return { ledger: open(join(folder, "state.db")), folder };
}

function open(file: string): Ledger {
  const ledger = openLedger(file, options);
  onTestFinished(() => ledger.close());
  return ledger;
}

function openRaw(file: string): Database.Database {
  const database = new Database(file);
  onTestFinished(() => void database.close());
  return database;
}

function readStamp(database: Database.Database): number | undefined {
  const found = database
    .prepare<[], { value: string }>("SELECT value FROM meta WHERE key = 'copied_at'")
    .get();
  return found && Number(found.value);
}

describe("the identity of a state", () => {
  it("is that of no other state, and the same for as long as it is not a copy that was put back", async () => {
    const folder = createFolder();
    const file = join(folder, "state.db");
    const one = openLedger(file, options);
    const other = openLedger(join(folder, "other.db"), options);
    const { identity } = one;
    expect(identity).toMatch(/^[0-9a-f]{32}$/);
    expect(other.identity).not.toBe(one.identity);
    await one.copyTo(join(folder, "plan.db"), undefined);
    await one.copyTo(join(folder, "backup.db"), noon);
    const copies = ["plan.db", "backup.db"].map((name) => openLedger(join(folder, name), options));
    expect(copies.map(({ identity }) => identity === one.identity)).toEqual([true, false]);
    expect(one.pageKey).toMatch(/^[0-9a-f]{64}$/);
    expect(other.pageKey).not.toBe(one.pageKey);
    expect(copies.map(({ pageKey }) => pageKey === one.pageKey)).toEqual([true, false]);
    for (const ledger of [one, other, ...copies]) ledger.close();
    const again = openLedger(file, options);
    expect(again.identity).toBe(identity);
    again.close();
  });
});
