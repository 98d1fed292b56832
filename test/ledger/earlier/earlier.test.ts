/** @module-tag long */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { emptyServer } from "../../../src/ledger/postgres/beside.ts";
import { readEarlierImage } from "../../../src/ledger/sqlite/earlier.ts";
import { openLedger, writeImage } from "../../../src/ledger/sqlite/sqlite.ts";
import { startPostgres, type TestServer } from "../../support/postgres.ts";
import { openShared, sharedOptions } from "../postgres/open.ts";
import { noon, otherProject, postId, project } from "../samples.ts";
import { options } from "../sqlite/folder.ts";

/** A state as the last version with the earlier form has left it: every table with a row, every column for JSON with some. */
const dump = readFileSync(new URL("state.sql", import.meta.url), "utf8");

let server: TestServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.end());

function givenFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "boardsync-earlier-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function givenFile(sql = dump): string {
  const file = join(givenFolder(), "state.db");
  const database = new Database(file);
  database.exec(sql);
  database.close();
  return file;
}

/** The same state as a server kept it: some rows came after its image. */
async function givenServer(): Promise<string> {
  const late = dump.split("\n").filter((line) => /^INSERT INTO (accounts|requests) /.test(line));
  const database = new Database(":memory:");
  database.exec(
    dump
      .split("\n")
      .filter((line) => !late.includes(line))
      .join("\n"),
  );
  const image = database.serialize();
  database.exec(late.join("\n"));
  const entry = ["accounts", "requests"].map((table) => ({
    table,
    gone: [],
    put: database.prepare(`SELECT * FROM ${table}`).raw().all(),
  }));
  database.close();
  const url = await server.freshDatabase();
  const bytes = (of: Buffer): string => `'\\x${of.toString("hex")}'`;
  await server.ask(
    url,
    `CREATE SCHEMA boardsync;
     CREATE TABLE boardsync.head (one boolean, entry bigint, schema integer, version text, place text);
     CREATE TABLE boardsync.entries (number bigint, body bytea);
     CREATE TABLE boardsync.images (number bigint, part integer, body bytea);
     INSERT INTO boardsync.head VALUES (true, 1, 31, '0.1.0', 'here');
     INSERT INTO boardsync.images VALUES (0, 0, ${bytes(image.subarray(0, 1000))}), (0, 1, ${bytes(image.subarray(1000))});
     INSERT INTO boardsync.entries VALUES (1, ${bytes(Buffer.from(JSON.stringify(entry)))})`,
  );
  return url;
}

async function openImage(image: Buffer): Promise<Ledger> {
  const file = join(givenFolder(), "new.db");
  await writeImage(image, file, options);
  const ledger = openLedger(file, options);
  onTestFinished(() => ledger.close());
  return ledger;
}

async function takeOut(url: string): Promise<Buffer> {
  let taken: Buffer | undefined;
  await emptyServer(sharedOptions(url), async (image) => {
    taken = image;
  });
  return taken as Buffer;
}

describe("a state of the earlier form", () => {
  it.each([
    ["a file", async () => readEarlierImage(givenFile(), options)],
    ["a server", async () => takeOut(await givenServer())],
  ])("in %s is copied with all that it knows", async (_, image) => {
    const ledger = await openImage(await image());
    const { memory } = ledger;
    expect(memory.account()).toEqual({ login: "octocat", checkedAt: noon });
    expect(memory.project("acme-app")).toMatchObject({
      id: project,
      name: "Acme",
      seen: ["title", "status"],
      rules: '{"rules":[],"several":"all","whenNoRule":"keep"}',
    });
    expect(memory.repository("ACME/app")).toMatchObject({
      repository: { id: 10, name: "acme/app", hasIssues: true, isArchived: false, canPush: true },
      labels: [{ id: "LA_1", name: "bug" }],
      milestones: [{ number: 3, title: "Backlog", state: "open" }],
      scannedFor: ["ann"],
    });
    expect(memory.repository("acme/app")?.etag).toBeUndefined();
    expect(memory.paging(project)).toEqual({
      way: { kind: "page", param: "page", first: 0 },
      posts: "p",
      askedAt: noon,
    });
    expect(memory.openList(project)).toBe('{"place":"x"}');
    expect(memory.projectField("acme/1/status")).toMatchObject({ name: "Status", checkedAt: noon });
    expect(memory.sizes()).toEqual([{ name: "signals", size: 25, until: noon }]);
    expect(await ledger.pace.limit("board", "")).toBe(noon + 100_000);
    expect(await ledger.rows.row(project, postId("p1"), noon)).toMatchObject({
      post: { values: { title: "Title of p1", votes: 3 } },
      links: [{ issue: undefined, link: { issue: { number: 1 } } }].map(({ link }) => ({ link })),
      base: { status: { post: "open", foreign: "new" } },
      notes: [
        { kind: "held", planned: { notifies: 3 } },
        {
          kind: "parked",
          cause: "unsure",
          code: "board.unsure",
          action: { kind: "patch-post", signature: "s" },
        },
        { kind: "quarantined", cause: "quarantined" },
      ],
    });
    expect(await ledger.rows.counts(project)).toMatchObject({
      ...{ posts: 2, issues: 2, held: 1, voters: 3, parked: 1, quarantined: 1 },
    });
    expect(await ledger.rows.shown(project, "status")).toEqual(["open"]);
    const { links } = await ledger.browse.links(project, {
      text: "",
      state: "any",
      after: undefined,
      limit: 9,
    });
    expect(links.map(({ title, state }) => [title, state])).toEqual([
      ["Title of p2", "open"],
      ["Title of p1", "open"],
    ]);
    expect(await ledger.requests.pending(project)).toMatchObject([{ kind: "retry", posts: ["p1"] }]);
    expect(await ledger.journal.open(project)).toHaveLength(2);
    expect(await ledger.journal.history(project, undefined, 9)).toMatchObject([
      { fields: [{ value: "open" }] },
    ]);
    expect(await ledger.runs.last("acme-app")).toMatchObject({ report: { result: "ok" } });
    expect(await ledger.lookup.lastPull(otherProject)).toMatchObject({ kind: "complete" });
    expect(ledger.copiedAt).toBeUndefined();
    expect(ledger.pageKey).toMatch(/^[0-9a-f]{64}$/);
    expect((await ledger.runs.begin(noon)).run).toBe(2);
  });

  it("is opened by nothing else, and says how it is copied", async () => {
    const file = givenFile();
    expect(() => openLedger(file, options)).toThrow(`\`boardsync state copy ${file} NEW\``);
    await expect(openShared(await givenServer())).rejects.toThrow(/`boardsync state copy postgres:\S+ NEW`/);
  });

  it("of a schema before the last one is refused", () => {
    const file = givenFile(dump.replace("user_version = 31", "user_version = 30"));
    expect(() => readEarlierImage(file, options)).toThrow(
      /schema 30\), and only the last one .* \(schema 31\)/,
    );
  });
});
