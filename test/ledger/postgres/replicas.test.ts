/** @module-tag long */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { OutdatedError, StateError } from "../../../src/errors.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import { openSharedCopy, type SharedOptions } from "../../../src/ledger/postgres/postgres.ts";
import { readSign } from "../../../src/ledger/postgres/signs.ts";
import type { HeldProjects, SharedLedger } from "../../../src/ledger/shared.ts";
import { applicationId, migrations } from "../../../src/ledger/sqlite/file/migrations.ts";
import { startPostgres, type TestServer } from "../../support/postgres.ts";
import { openProxy } from "../../support/tcp-proxy.ts";
import {
  createIssue,
  createPatchLine,
  createPost,
  linkPost,
  noon,
  postId,
  project,
  pullPosts,
} from "../samples.ts";
import { openShared, sharedOptions } from "./open.ts";

let server: TestServer;
let url: string;
let open: SharedLedger[] = [];
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.end());
beforeEach(async () => {
  url = await server.freshDatabase();
});
afterEach(() => {
  for (const one of open) one.close();
  open = [];
});

/** A replica, and what it would do at intervals, one call each. */
async function givenReplica(
  options: Partial<SharedOptions> = {},
): Promise<SharedLedger & { tick(): Promise<void> }> {
  const works = new Set<() => Promise<void>>();
  const ledger = await openShared(options.url ?? url, {
    follows: true,
    repeat: (_, work) => {
      works.add(work);
      return () => works.delete(work);
    },
    ...options,
  });
  open.push(ledger);
  return Object.assign(ledger, {
    async tick() {
      for (const work of works) await work();
    },
  });
}

async function openCopyOf(at: string): Promise<Ledger> {
  const copy = await openSharedCopy(sharedOptions(at));
  if (copy === undefined) throw new Error("There is no state.");
  return copy;
}

/** The version before the one that added the last column of `repositories`. */
const olderSchema = migrations.findIndex((sql) => sql.includes("named_at"));

/** As that version has left it: with one row of which its image knows nothing. */
function olderState(): { readonly image: Buffer; readonly entry: Buffer } {
  const older = new Database(":memory:");
  for (const sql of migrations.slice(0, olderSchema)) older.exec(sql);
  older.pragma(`application_id = ${applicationId}`);
  older.pragma(`user_version = ${olderSchema}`);
  const image = older.serialize();
  older.close();
  const row = [
    7,
    "acme/app",
    "acme/app",
    1,
    0,
    0,
    1,
    noon,
    "[]",
    "[]",
    ...Array(7).fill(null),
    "[]",
    null,
    null,
  ];
  const entry = [
    { table: "accounts", gone: [], put: [["tracker", "octocat", noon]] },
    { table: "repositories", gone: [], put: [row] },
  ];
  return { image, entry: Buffer.from(JSON.stringify(entry)) };
}

const hourMs = 3_600_000;

const say = (cause: string) =>
  [{ kind: "say", notices: [{ cause, state: "", at: noon }], forgetBefore: 0 }] as const;

async function saidBy(ledger: Ledger): Promise<readonly string[]> {
  return (await ledger.notices.said()).map(({ cause }) => cause);
}

async function hold(ledger: SharedLedger, ...keys: readonly string[]): Promise<HeldProjects> {
  const taken = await ledger.take(keys);
  if (taken.kind === "taken") throw new Error(`${taken.project} is taken.`);
  return taken;
}

/** All rows of a state, table by table. */
async function rowsOf(ledger: Ledger): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), "boardsync-rows-"));
  try {
    await ledger.copyTo(join(folder, "copy.db"), undefined);
    const copy = new Database(join(folder, "copy.db"));
    const tables = copy
      .prepare<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .all();
    const rows = tables.map(({ name }) => [name, copy.prepare(`SELECT * FROM ${name}`).all()]);
    copy.close();
    return Object.fromEntries(rows);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe("replicas of one state", () => {
  it("all come to the same rows, whoever has written them", async () => {
    const first = await givenReplica();
    const second = await givenReplica();
    await pullPosts(first, [createPost("p1"), createPost("p2")]);
    await linkPost(first, "p1", createIssue(1));
    await pullPosts(second, [createPost("p1", { title: "Another" }), createPost("p3")]);
    await linkPost(second, "p3", createIssue(2));
    await first.commit([{ kind: "audit", entry: createPatchLine() }]);
    await second.commit([
      {
        kind: "end-links",
        project,
        post: postId("p1"),
        issues: [{ repositoryId: createIssue(1).repositoryId, number: 1 }],
        at: noon,
      },
    ]);
    await first.tick();
    await second.tick();
    const rows = await rowsOf(first);
    expect(await rowsOf(second)).toEqual(rows);
    expect(await rowsOf(await givenReplica())).toEqual(rows);
  });

  it("come to the same rows from an image, too, when the log has grown long", async () => {
    const first = await givenReplica();
    const behind = await givenReplica();
    const text = "x".repeat(50_000);
    for (let page = 0; page < 4; page += 1) {
      const posts = Array.from({ length: 30 }, (_, at) =>
        createPost(`p${page}-${at}`, { description: text }),
      );
      await pullPosts(first, posts);
    }
    const entries = await server.ask(url, "SELECT count(*)::int AS entries FROM boardsync.entries");
    const images = await server.ask(url, "SELECT max(number)::int AS last FROM boardsync.images");
    expect(images[0]?.["last"]).toBeGreaterThan(0);
    expect(Number(entries[0]?.["entries"])).toBeGreaterThan(0);
    await behind.tick();
    const rows = await rowsOf(first);
    expect(await rowsOf(behind)).toEqual(rows);
    expect(await rowsOf(await givenReplica())).toEqual(rows);
  });

  it("see all that was committed before, whenever they commit", async () => {
    const first = await givenReplica();
    const second = await givenReplica();
    await first.commit(say("one"));
    expect(await saidBy(second)).toEqual([]);
    await second.commit(say("two"));
    expect(await saidBy(second)).toEqual(["one", "two"]);
  });

  it("take no look of theirs for a present one after another has written the post", async () => {
    const first = await givenReplica();
    const second = await givenReplica();
    await pullPosts(first, [createPost("p1")]);
    await second.commit([{ kind: "forget-look", project, post: postId("p1") }]);
    await first.tick();
    expect((await first.rows.row(project, postId("p1"), noon))?.seenAt).toBeUndefined();
  });

  it("count each other's writes in the pace", async () => {
    const first = await givenReplica();
    const second = await givenReplica();
    await pullPosts(first, [createPost("p1")]);
    const write = { kind: "pace-write", at: noon, isCreate: true, budget: "", project } as const;
    const seen = { since: noon - 1, writes: 0 };
    await first.commit([{ ...write, seen }]);
    await expect(second.commit([{ ...write, seen }])).rejects.toBeInstanceOf(OutdatedError);
    expect(await second.pace.writes(noon - 1, "")).toHaveLength(1);
  });
});

describe("a lease", () => {
  it("is one process's at a time, and says whose", async () => {
    const first = await givenReplica({ who: "daemon, process 1 on host a" });
    const second = await givenReplica({ who: "daemon, process 2 on host b" });
    const held = await hold(first, "acme");
    expect(await second.take(["acme"])).toEqual({
      kind: "taken",
      project: "acme",
      who: "daemon, process 1 on host a",
      isOtherConfig: false,
    });
    // Nothing is held of what can't be had whole.
    expect((await second.take(["beta", "acme"])).kind).toBe("taken");
    await hold(first, "beta");
    await held.release();
    await hold(second, "acme");
  });

  it("is let go of where what others have committed can't be read", async () => {
    const proxy = await openProxy(server.port);
    const name = new URL(url).pathname.slice(1);
    const ledger = await givenReplica({ url: server.urlOf(name, proxy.port) });
    const other = await givenReplica();
    proxy.cutAt("SELECT number, body FROM boardsync.entries", "before");
    await expect(ledger.take(["acme"])).rejects.toMatchObject({ code: "state.unreachable" });
    await ledger.tick();
    await hold(other, "acme");
    await proxy.close();
  });

  it("that has run out can be taken, and then its former holder commits nothing more", async () => {
    const first = await givenReplica();
    const second = await givenReplica();
    const held = await hold(first, "acme");
    await held.ledger.commit(say("before"));
    await server.ask(url, "UPDATE boardsync.leases SET until = now()");
    await hold(second, "acme");
    await expect(held.ledger.commit(say("after"))).rejects.toThrow(/lease of acme has run out/);
    await expect(held.ledger.runs.begin(noon)).rejects.toBeInstanceOf(StateError);
    await second.tick();
    expect(await saidBy(second)).toEqual(["before"]);
  });

  it("that nobody has taken since is over all the same", async () => {
    const first = await givenReplica();
    const held = await hold(first, "acme");
    await server.ask(url, "UPDATE boardsync.leases SET until = now()");
    await expect(held.ledger.commit(say("late"))).rejects.toBeInstanceOf(StateError);
    expect(await saidBy(first)).toEqual([]);
  });

  it("is prolonged while its holder lives", async () => {
    const first = await givenReplica();
    await hold(first, "acme");
    await server.ask(url, "UPDATE boardsync.leases SET until = now() + interval '1 second'");
    await first.tick();
    const [lease] = await server.ask(
      url,
      "SELECT until > now() + interval '20 s' AS long FROM boardsync.leases",
    );
    expect(lease?.["long"]).toBe(true);
  });

  it("lets a request leave only while it is longer than that may take", async () => {
    let now = 0;
    const first = await givenReplica({ monotonic: () => now, leaseMs: 30_000, requestMs: 10_000 });
    const held = await hold(first, "acme");
    now = 20_000;
    await held.ledger.assertHeld();
    // A pause; meanwhile another process has taken the project.
    now = 20_001;
    await server.ask(url, "UPDATE boardsync.leases SET number = number + 1");
    await expect(held.ledger.assertHeld()).rejects.toThrow(/shorter than a request may take/);
  });

  it("is no longer where nothing was committed", async () => {
    let now = 0;
    const first = await givenReplica({ monotonic: () => now });
    const held = await hold(first, "acme");
    now = 15_000;
    await held.ledger.journal.recover(noon, []);
    now = 25_000;
    await server.ask(url, "UPDATE boardsync.leases SET number = number + 1");
    await expect(held.ledger.assertHeld()).rejects.toThrow(/shorter than a request may take/);
  });

  it("is prolonged where a request would come too late", async () => {
    let now = 0;
    const first = await givenReplica({ monotonic: () => now });
    const held = await hold(first, "acme");
    now = 25_000;
    await held.ledger.assertHeld();
  });

  it("is not taken by another config while a process of the one that leads lives", async () => {
    const old = await givenReplica({ who: "daemon, process 1 on host a", config: () => "old" });
    const next = await givenReplica({ who: "daemon, process 2 on host b", config: () => "new" });
    const sign = { at: noon, who: "daemon, process 1" };
    await old.commit([{ kind: "beat", sign }]);
    await (await hold(old, "acme")).release();
    expect(await next.take(["acme"])).toMatchObject({ kind: "taken", isOtherConfig: true });
    await server.ask(url, "UPDATE boardsync.replicas SET at = now() - interval '2 minutes'");
    await hold(next, "acme");
    expect(await old.take(["acme"])).toMatchObject({ kind: "taken", isOtherConfig: false });
  });

  it("is taken by another config at once where the last process of the one that led has ended", async () => {
    const old = await givenReplica({ who: "daemon, process 1 on host a", config: () => "old" });
    const next = await givenReplica({ who: "daemon, process 2 on host b", config: () => "new" });
    await (await hold(old, "acme")).release();
    await old.commit([{ kind: "beat", sign: { at: noon, who: "daemon, process 1", isLast: true } }]);
    await hold(next, "acme");
  });
});

describe("a server", () => {
  it("whose answer to a COMMIT is lost has committed, and that is found out", async () => {
    const proxy = await openProxy(server.port);
    const name = new URL(url).pathname.slice(1);
    const ledger = await givenReplica({ url: server.urlOf(name, proxy.port) });
    proxy.cutAt("INSERT INTO boardsync.entries", "after");
    await ledger.commit(say("once"));
    expect(await saidBy(ledger)).toEqual(["once"]);
    const [entries] = await server.ask(url, "SELECT count(*)::int AS count FROM boardsync.entries");
    expect(entries?.["count"]).toBe(1);
    await proxy.close();
  });

  it("that a COMMIT has not reached has not committed, and nothing of it is anywhere", async () => {
    const proxy = await openProxy(server.port);
    const name = new URL(url).pathname.slice(1);
    const ledger = await givenReplica({ url: server.urlOf(name, proxy.port) });
    proxy.cutAt("INSERT INTO boardsync.entries", "before");
    await expect(ledger.commit(say("never"))).rejects.toMatchObject({ code: "state.unreachable" });
    expect(await saidBy(ledger)).toEqual([]);
    await ledger.commit(say("then"));
    expect(await saidBy(await givenReplica())).toEqual(["then"]);
    await proxy.close();
  });

  it("that crashes and comes back has all that was committed", async () => {
    const ledger = await givenReplica();
    await ledger.commit(say("before"));
    await server.crash();
    await expect(ledger.commit(say("meanwhile"))).rejects.toMatchObject({ code: "state.unreachable" });
    await server.start();
    await ledger.commit(say("after"));
    expect(await saidBy(await givenReplica())).toEqual(["after", "before"]);
  });

  it("that waits for a process that stands still in its turn takes the turn from it", async () => {
    const ledger = await givenReplica();
    const client = server.ask(
      url,
      "BEGIN; SET LOCAL idle_in_transaction_session_timeout = '300ms'; SELECT 1 FROM boardsync.head FOR UPDATE; SELECT pg_sleep(0.2)",
    );
    await ledger.commit(say("waited"));
    await client.catch(() => undefined);
    expect(await saidBy(ledger)).toEqual(["waited"]);
  });

  it("whose database is a copy that was put back is known for one, once", async () => {
    const ledger = await givenReplica();
    await ledger.commit(say("before"));
    expect(ledger.copiedAt).toBeUndefined();
    const { identity } = ledger;
    ledger.close();
    open = [];
    const name = new URL(url).pathname.slice(1);
    await server.ask(server.urlOf("postgres"), `CREATE DATABASE ${name}_back TEMPLATE ${name}`);
    const back = await givenReplica({ url: server.urlOf(`${name}_back`) });
    await back.commit(say("after"));
    expect(back.copiedAt).toEqual(expect.any(Number));
    expect(back.identity).not.toBe(identity);
    expect(await saidBy(back)).toEqual(["after", "before"]);
    const { copiedAt } = back;
    await back.commit(say("later"));
    expect(back.copiedAt).toBe(copiedAt);
  });

  it("that comes back without the last commits is known to all for one", async () => {
    const first = await givenReplica();
    const second = await givenReplica();
    await first.commit(say("kept"));
    await first.commit(say("lost"));
    await second.tick();
    await server.ask(
      url,
      `DELETE FROM boardsync.entries WHERE number > 1; UPDATE boardsync.head SET entry = 1;
       CREATE TABLE boardsync.copied (LIKE boardsync.head INCLUDING ALL);
       INSERT INTO boardsync.copied SELECT * FROM boardsync.head;
       DROP TABLE boardsync.head; ALTER TABLE boardsync.copied RENAME TO head`,
    );
    // As many as were lost, and more.
    for (const cause of ["b", "c", "d"]) await second.commit(say(cause));
    await first.tick();
    expect(await saidBy(first)).toEqual(["b", "c", "d", "kept"]);
    expect(first.copiedAt).toBe(second.copiedAt);
    await first.commit(say("e"));
    await second.tick();
    expect(await rowsOf(second)).toEqual(await rowsOf(first));
  });

  it("that holds tables of another program is refused", async () => {
    await server.ask(url, "CREATE SCHEMA boardsync; CREATE TABLE boardsync.other (id int)");
    await expect(givenReplica()).rejects.toThrow(/tables of another program: name another database/);
  });

  it("whose role may not make tables is told what it needs", async () => {
    await server.ask(url, "DROP ROLE IF EXISTS weak; CREATE ROLE weak LOGIN PASSWORD 'weak'");
    const weak = new URL(url);
    weak.username = "weak";
    weak.password = "weak";
    await expect(givenReplica({ url: weak.href })).rejects.toThrow(/GRANT USAGE, CREATE ON SCHEMA boardsync/);
  });

  it("whose state is of a newer version is refused, at once and in the middle", async () => {
    const ledger = await givenReplica();
    await server.ask(url, "UPDATE boardsync.head SET schema = 999, version = '9.9.9'");
    await expect(ledger.commit(say("late"))).rejects.toThrow(/brought up to date by boardsync 9.9.9/);
    await expect(givenReplica()).rejects.toThrow(/schema 999/);
  });

  it.each([
    ["looked at", openCopyOf],
    ["worked with", (at: string) => givenReplica({ url: at })],
  ])("whose state is of an older version, with more after its image, is %s", async (_, openIt) => {
    await givenReplica();
    const { image, entry } = olderState();
    await server.ask(
      url,
      `DELETE FROM boardsync.images; UPDATE boardsync.head SET entry = 1, schema = ${olderSchema};
       INSERT INTO boardsync.images VALUES (0, 0, '\\x${image.toString("hex")}');
       INSERT INTO boardsync.entries (number, body) VALUES (1, '\\x${entry.toString("hex")}')`,
    );
    const ledger = await openIt(url);
    expect(await rowsOf(ledger)).toMatchObject({ repositories: [{ id: 7, named_at: null }], open_lists: [] });
    ledger.close();
    open = open.filter((one) => one !== ledger);
  });

  it("that is not there is said, without its password", async () => {
    const gone = "postgres://me:secret@127.0.0.1:1/state";
    await expect(givenReplica({ url: gone })).rejects.toThrow(
      /^The state at postgres:\/\/127.0.0.1:1\/state can't be reached/,
    );
    await expect(givenReplica({ url: gone })).rejects.not.toThrow(/secret/);
  });

  it("tells when a daemon lived last, whatever the clock of whoever asks says", async () => {
    const ledger = await givenReplica({ now: Date.now });
    await ledger.commit([{ kind: "beat", sign: { at: Date.now(), who: "daemon" } }]);
    const asker = { ...sharedOptions(url), now: () => Date.now() - hourMs };
    const isNow = (at: number | undefined): boolean => Math.abs((at ?? 0) - asker.now()) < 5_000;
    expect(isNow((await readSign(asker))?.at)).toBe(true);
    const copy = await openSharedCopy(asker);
    expect(isNow((await copy?.runs.heartbeat())?.at)).toBe(true);
    expect((await copy?.runs.replicas())?.every(({ at }) => isNow(at))).toBe(true);
    copy?.close();
  });

  it("that is gone leaves the page what was known", async () => {
    const proxy = await openProxy(server.port);
    const ledger = await givenReplica({ url: server.urlOf(new URL(url).pathname.slice(1), proxy.port) });
    await ledger.commit([{ kind: "beat", sign: { at: noon, who: "daemon" } }]);
    const known = await ledger.runs.replicas();
    expect(known).toHaveLength(1);
    await proxy.close();
    expect(await ledger.runs.replicas()).toEqual(known);
    expect(await ledger.runs.last(undefined)).toBeUndefined();
  });

  it("has the clock that counts", async () => {
    const ledger = await givenReplica({ now: () => Date.now() - 3_600_000 });
    expect(ledger.clockAheadMs).toBeGreaterThan(3_590_000);
  });

  it.each([
    { name: "ahead", ms: 3_600_000 },
    { name: "back", ms: -3_600_000 },
  ])("keeps it when the machine's clock leaps $name in a living process", async ({ ms }) => {
    let leapt = 0;
    const ledger = await givenReplica({ now: () => Date.now() + leapt, monotonic: () => performance.now() });
    leapt = ms;
    expect(Math.abs(ledger.now() - Date.now())).toBeLessThan(60_000);
  });

  it("is asked for with whatever is asked anyway: how long a machine was asleep its own clocks may not tell", async () => {
    let asleep = 0;
    const works: (() => Promise<void>)[] = [];
    const ledger = await givenReplica({
      leaseMs: 100_000_000,
      now: () => Date.now(),
      monotonic: () => performance.now() - asleep,
      repeat(_, work) {
        works.push(work);
        return () => undefined;
      },
      follows: true,
    });
    const isRight = (): boolean => Math.abs(ledger.now() - Date.now()) < 60_000;
    expect(isRight()).toBe(true);
    asleep += hourMs;
    expect(isRight()).toBe(false);
    // What others have committed is followed.
    await works[0]?.();
    expect(isRight()).toBe(true);
    const hold = await ledger.take(["acme-app"]);
    expect(hold.kind).toBe("held");
    asleep += hourMs;
    expect(isRight()).toBe(false);
    // The lease is prolonged.
    await works[1]?.();
    expect(isRight()).toBe(true);
    if (hold.kind === "held") await hold.release();
  });
});
