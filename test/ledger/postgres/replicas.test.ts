/** @module-tag long */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { OutdatedError, StateError } from "../../../src/errors.ts";
import type { HeldProjects, Ledger, SharedLedger } from "../../../src/ledger/ledger.ts";
import { openSharedReader, readSign } from "../../../src/ledger/postgres/beside.ts";
import type { SharedOptions } from "../../../src/ledger/postgres/postgres.ts";
import { startPostgres, type TestServer } from "../../support/postgres.ts";
import { openProxy } from "../../support/tcp-proxy.ts";
import {
  createIntent,
  createIssue,
  createPatchLine,
  createPost,
  createRepositoryMemory,
  linkPost,
  noon,
  paceWrite,
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

describe("replicas of one state", () => {
  it("work side by side, and nothing of either is lost", async () => {
    const first = await givenReplica();
    const second = await givenReplica();
    const works = [first, second].map(async (ledger, at) => {
      for (let post = 0; post < 20; post += 1) {
        await pullPosts(ledger, [createPost(`p${at}-${post}`), createPost("shared")]);
        await linkPost(ledger, `p${at}-${post}`, createIssue(post));
        await ledger.commit([{ kind: "audit", entry: createPatchLine() }]);
      }
    });
    await Promise.all(works);
    const issue = { repositoryId: createIssue(1).repositoryId, number: 7 };
    expect(await first.rows.linkedTo(issue)).toMatchObject([{ post: "p0-7" }, { post: "p1-7" }]);
    expect(await second.journal.history(project, undefined, 100)).toHaveLength(40);
  });

  it("remember what another one has learnt of the same repository", async () => {
    const first = await givenReplica();
    const memory = createRepositoryMemory();
    await first.commit([{ kind: "remember-repository", memory }]);
    const second = await givenReplica();
    await first.commit([{ kind: "remember-repository", memory: { ...memory, pausedAt: noon } }]);
    await second.commit([{ kind: "remember-repository", memory: { ...memory, cursor: "later" } }]);
    expect((await givenReplica()).memory.repository(memory.name)).toMatchObject({
      pausedAt: noon,
      cursor: "later",
    });
    await first.tick();
    expect(first.memory.repository(memory.name)).toMatchObject({ cursor: "later" });
  });

  it("remember it also where they have heard of it while they were looking", async () => {
    const first = await givenReplica();
    const memory = createRepositoryMemory();
    await first.commit([{ kind: "remember-repository", memory }]);
    const second = await givenReplica();
    const from = first.memory.repository(memory.name);
    await second.commit([
      { kind: "remember-repository", memory: { ...memory, recoveredAt: noon, pausedAt: noon } },
    ]);
    await first.tick();
    await first.commit([{ kind: "remember-repository", memory: { ...memory, cursor: "later" }, from }]);
    const all = { recoveredAt: noon, pausedAt: noon, cursor: "later" };
    expect(first.memory.repository(memory.name)).toMatchObject(all);
    expect((await givenReplica()).memory.repository(memory.name)).toMatchObject(all);
  });

  it("see all that was committed before, whenever they commit", async () => {
    const first = await givenReplica();
    const second = await givenReplica();
    await first.commit(say("one"));
    expect(await saidBy(second)).toEqual(["one"]);
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
    const seen = { since: noon - 1, writes: 0 };
    await paceWrite(first, { seen });
    await expect(paceWrite(second, { seen })).rejects.toBeInstanceOf(OutdatedError);
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
    proxy.cutAt("boardsync.remembered", "before");
    await expect(ledger.take(["acme"])).rejects.toMatchObject({ code: "state.unreachable" });
    await ledger.tick();
    await hold(other, "acme");
    await proxy.close();
  });

  it("that can't be let go of is no failure of what was done under it, and runs out by itself", async () => {
    const proxy = await openProxy(server.port);
    const name = new URL(url).pathname.slice(1);
    const ledger = await givenReplica({ url: server.urlOf(name, proxy.port) });
    const other = await givenReplica();
    const held = await hold(ledger, "acme");
    proxy.cutAt("'-infinity'", "before");
    await held.release();
    expect(proxy.isCut).toBe(true);
    await server.ask(url, "UPDATE boardsync.leases SET until = now() WHERE until > now()");
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
      "SELECT until > now() + interval '20 s' AS long FROM boardsync.leases WHERE project = 'acme'",
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
    // Whatever it calls the project.
    expect(await next.take(["prj_acme"])).toMatchObject({ kind: "taken", isOtherConfig: true });
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
    proxy.cutAt("COMMIT\0", "after");
    await ledger.commit(say("once"));
    expect(await saidBy(ledger)).toEqual(["once"]);
    expect(proxy.isCut).toBe(true);
    await proxy.close();
  });

  it("that a COMMIT has not reached has not committed, and nothing of it is anywhere", async () => {
    const proxy = await openProxy(server.port);
    const name = new URL(url).pathname.slice(1);
    const ledger = await givenReplica({ url: server.urlOf(name, proxy.port) });
    proxy.cutAt("COMMIT\0", "before");
    await expect(ledger.commit(say("never"))).rejects.toMatchObject({ code: "state.unreachable" });
    expect(await saidBy(ledger)).toEqual([]);
    await ledger.commit(say("then"));
    expect(await saidBy(await givenReplica())).toEqual(["then"]);
    await proxy.close();
  });

  it.each([
    ["whose answer is lost has marked it SENT, and shows the pauses all the same", "after", ["SENT"]],
    ["that has not arrived has not, and nothing leaves", "before", []],
  ] as const)("of the commit of a write %s", async (_, when, states) => {
    const proxy = await openProxy(server.port);
    const name = new URL(url).pathname.slice(1);
    const ledger = await givenReplica({ url: server.urlOf(name, proxy.port) });
    await ledger.commit([{ kind: "pause-whole", project, at: noon }]);
    const intent = createIntent();
    proxy.cutAt("COMMIT;", when);
    const sent = ledger.commitSent([{ kind: "mark-sent", intent, at: noon }], intent);
    if (when === "before") await expect(sent).rejects.toMatchObject({ code: "state.unreachable" });
    else expect(await sent).toMatchObject({ wholePause: { of: "project" }, intent: expect.any(Number) });
    expect(proxy.isCut).toBe(true);
    expect((await ledger.journal.open(project)).map(({ state }) => state)).toEqual(states);
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

  it("that waits for a process that stands still in a transaction goes on when that has ended", async () => {
    const ledger = await givenReplica();
    const client = server.ask(
      url,
      "BEGIN; SET LOCAL idle_in_transaction_session_timeout = '300ms'; LOCK TABLE boardsync.notices_said; SELECT pg_sleep(0.2)",
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
    const held = await hold(first, "acme");
    await server.ask(
      url,
      `DELETE FROM boardsync.notices_said WHERE cause = 'lost';
       CREATE TABLE boardsync.copied (LIKE boardsync.state INCLUDING ALL);
       INSERT INTO boardsync.copied SELECT * FROM boardsync.state;
       DROP TABLE boardsync.state; ALTER TABLE boardsync.copied RENAME TO state`,
    );
    // As many as were lost, and more.
    for (const cause of ["b", "c", "d"]) await second.commit(say(cause));
    // Who is in the middle of a run goes on with nothing.
    await expect(held.ledger.commit(say("late"))).rejects.toThrow(/was put back as it once was/);
    await first.tick();
    expect(await saidBy(first)).toEqual(["b", "c", "d", "kept"]);
    expect(first.copiedAt).toBe(second.copiedAt);
    await first.commit(say("e"));
    await second.tick();
    expect(await saidBy(second)).toEqual(await saidBy(first));
  });

  it("that holds tables of another program is refused", async () => {
    await server.ask(url, "CREATE SCHEMA boardsync; CREATE TABLE boardsync.other (id int)");
    await expect(givenReplica()).rejects.toThrow(
      /are another program's, or somebody has dropped it\. Name another database/,
    );
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
    await server.ask(url, "UPDATE boardsync.state SET schema = 999, version = '9.9.9'");
    await expect(ledger.commit(say("late"))).rejects.toThrow(/brought up to date by boardsync 9.9.9/);
    await expect(givenReplica()).rejects.toThrow(/schema 999/);
  });

  it.each([
    ["dropped", "DROP TABLE boardsync.notices_said", /somebody has dropped or changed them/],
    ["emptied", "DELETE FROM boardsync.state", /has lost the row of `boardsync.state`/],
    [
      "changed",
      "ALTER TABLE boardsync.notices_said DROP COLUMN state",
      /somebody has dropped or changed them/,
    ],
  ])("whose tables somebody has %s is told so", async (_, sql, message) => {
    const ledger = await givenReplica();
    await server.ask(url, sql);
    await expect(ledger.commit(say("late"))).rejects.toThrow(message);
  });

  it.each([
    ["lost the row of its state", "DELETE FROM boardsync.state", /has lost the row of `boardsync.state`/],
    ["lost the table of its state", "DROP TABLE boardsync.state", /or somebody has dropped it/],
  ])(
    "that has %s is told so to whoever opens it or looks at it, and nothing is made",
    async (_, sql, message) => {
      await givenReplica();
      await server.ask(url, sql);
      await expect(givenReplica()).rejects.toThrow(message);
      await expect(openSharedReader(sharedOptions(url))).rejects.toThrow(message);
    },
  );

  it("whose role has settings of its own is worked with all the same", async () => {
    await server.ask(url, "DROP ROLE IF EXISTS odd; CREATE ROLE odd LOGIN PASSWORD 'odd'");
    for (const setting of [
      "default_transaction_isolation = serializable",
      "standard_conforming_strings = off",
      "search_path = nowhere",
      "synchronous_commit = off",
      "transaction_timeout = '300ms'",
      "idle_in_transaction_session_timeout = '300ms'",
    ])
      await server.ask(url, `ALTER ROLE odd SET ${setting}`);
    const name = new URL(url).pathname.slice(1);
    await server.ask(url, `ALTER DATABASE ${name} OWNER TO odd`);
    const odd = new URL(url);
    odd.username = "odd";
    odd.password = "odd";
    const ledger = await givenReplica({ url: odd.href });
    const cause = "it's \\ 'odd' \\' \n\u{1f600}";
    const other = server.ask(url, "BEGIN; LOCK TABLE boardsync.notices_said; SELECT pg_sleep(0.6); COMMIT");
    await ledger.commit(say(cause));
    await other;
    expect(await saidBy(ledger)).toEqual([cause]);
    const replicas = await Promise.all([1, 2, 3, 4].map(() => givenReplica({ url: odd.href })));
    await Promise.all(replicas.map((one, at) => one.commit(say(`${at}`))));
    const taken = await Promise.all(replicas.map((one) => one.take(["acme"])));
    expect(taken.map(({ kind }) => kind).sort()).toEqual(["held", "taken", "taken", "taken"]);
  });

  it("whose role may only read by default says that it takes no writes", async () => {
    await server.ask(url, "DROP ROLE IF EXISTS reader; CREATE ROLE reader LOGIN PASSWORD 'reader'");
    await server.ask(url, "ALTER ROLE reader SET default_transaction_read_only = on");
    await server.ask(url, `ALTER DATABASE ${new URL(url).pathname.slice(1)} OWNER TO reader`);
    const reader = new URL(url);
    reader.username = "reader";
    reader.password = "reader";
    await expect(givenReplica({ url: reader.href })).rejects.toThrow(
      /has set `default_transaction_read_only`/,
    );
  });

  it("that ends connections again and again is asked on new ones, and few of them", async () => {
    const ledger = await givenReplica();
    for (let time = 0; time < 12; time += 1) {
      await ledger.commit(say(`${time}`)).catch(() => undefined);
      await server.ask(
        url,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'boardsync'",
      );
    }
    await ledger.commit(say("last")).catch(() => ledger.commit(say("last")));
    const [found] = await server.ask(
      url,
      "SELECT count(*)::int AS count FROM pg_stat_activity WHERE application_name = 'boardsync' AND datname = current_database()",
    );
    expect(found?.["count"]).toBeLessThanOrEqual(2);
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
    const copy = await openSharedReader(asker);
    expect(isNow((await copy?.runs.heartbeat())?.at)).toBe(true);
    expect((await copy?.runs.replicas())?.every(({ at }) => isNow(at))).toBe(true);
    copy?.close();
  });

  it("that answers no more keeps no process from its end", async () => {
    const proxy = await openProxy(server.port);
    const at = server.urlOf(new URL(url).pathname.slice(1), proxy.port);
    const file = fileURLToPath(new URL("process.ts", import.meta.url));
    const child = spawn(process.execPath, [file, at], { stdio: ["pipe", "pipe", "inherit"] });
    onTestFinished(() => void child.kill("SIGKILL"));
    await once(child.stdout, "data");
    proxy.freeze();
    child.stdin.end();
    expect(await once(child, "exit")).toEqual([0, null]);
    await proxy.close();
  });

  it("that is gone is none at which nobody is at work", async () => {
    const proxy = await openProxy(server.port);
    const ledger = await givenReplica({ url: server.urlOf(new URL(url).pathname.slice(1), proxy.port) });
    await ledger.commit([{ kind: "beat", sign: { at: noon, who: "daemon" } }]);
    expect(await ledger.runs.replicas()).toHaveLength(1);
    await proxy.close();
    await expect(ledger.runs.replicas()).rejects.toMatchObject({ code: "state.unreachable" });
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
