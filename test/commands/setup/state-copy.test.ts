/** @module-tag long */
import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startPostgres, type TestServer } from "../../support/postgres.ts";
import { startDaemon } from "../daemon-stage.ts";
import { openStage, type Ran, type Stage } from "../stage.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.end());

/** Where a state may be: what is typed for it, and the environment that names it. */
interface Place {
  readonly typed: string;
  /** As messages call it. */
  readonly name: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

function fileOf(stage: Stage, typed: string): Place {
  const name = join(stage.folder, typed);
  return { typed, name, env: { BOARDSYNC_STATE: name } };
}

async function serverOf(): Promise<Place> {
  const url = await server.freshDatabase();
  const { host, pathname } = new URL(url);
  const name = `postgres://${host}${pathname}`;
  return { typed: name, name, env: { BOARDSYNC_STATE_URL: url } };
}

/** A stage whose state stands there, after a first run. */
async function syncedAt(placeOf: (stage: Stage) => Place | Promise<Place>) {
  const stage = await openStage();
  const from = await placeOf(stage);
  expect(await stage.run(["sync"], { env: from.env })).toMatchObject({ code: 0 });
  return { stage, from };
}

/** The password of whichever place is a server. */
function copy(stage: Stage, from: Place, to: Place, ...options: readonly string[]): Promise<Ran> {
  const url = from.env["BOARDSYNC_STATE_URL"] ?? to.env["BOARDSYNC_STATE_URL"];
  return stage.run(["state", "copy", from.typed, to.typed, ...options], {
    env: { BOARDSYNC_STATE_URL: url },
  });
}

/** All rows of a file, table by table, but for who has worked with it last. */
function rowsOf(file: string): Readonly<Record<string, readonly unknown[]>> {
  const database = new Database(file, { readonly: true });
  const tables = database
    .prepare<[], { name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
    .all();
  const rows = tables.map(({ name }) => [
    name,
    database
      .prepare(`SELECT * FROM ${name}`)
      .all()
      .filter(isNoHolder)
      .toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)),
  ]);
  database.close();
  return Object.fromEntries(rows);
}

const isNoHolder = (row: unknown): boolean => Object(row).key !== "holder";

async function history(stage: Stage, { env }: Place): Promise<unknown> {
  return (await stage.run(["history", "--json"], { env })).json();
}

describe("state copy", () => {
  it("to a server and back to a file gives every row that there was", async () => {
    const { stage, from } = await syncedAt((at) => fileOf(at, "first.db"));
    copyFileSync(from.name, join(stage.folder, "before.db"));
    const middle = await serverOf();
    const to = fileOf(stage, "second.db");
    expect(await copy(stage, from, middle)).toMatchObject({ code: 0, err: "" });
    expect(await copy(stage, middle, to)).toMatchObject({ code: 0, err: "" });
    const rows = rowsOf(join(stage.folder, "before.db"));
    expect(Object.keys(rows).length).toBeGreaterThan(10);
    expect(rows["links"]?.length).toBeGreaterThan(0);
    expect(rowsOf(to.name)).toEqual(rows);
  });

  it.each([
    ["a file to a file", fileOf, async (stage: Stage) => fileOf(stage, "second.db")],
    ["a file to a server", fileOf, serverOf],
    ["a server to a file", serverOf, async (stage: Stage) => fileOf(stage, "second.db")],
  ])("of %s goes on there as if nothing had been, and counts as old where it was", async (_, at, target) => {
    const { stage, from } = await syncedAt((one) => at(one, "first.db"));
    const told = await history(stage, from);
    const to = await target(stage);
    const ran = await copy(stage, from, to);
    expect(ran).toMatchObject({ code: 0, err: "" });
    expect(ran.out).toBe(
      `The state of ${from.name} is at ${to.name} now.\nNext: set \`state: ${to.name}\` in the config. ${from.name} stays as it is, and counts as an old copy from now on.\n`,
    );
    expect(await history(stage, to)).toEqual(told);

    const { github, board } = stage.story;
    const mails = board.notifications.length;
    github.close("acme/app", 1, "completed");
    const old = await stage.run(["sync", "--json"], { env: from.env });
    expect(Object(old.json()).projects).toMatchObject([{ created: 0, statusWrites: 0 }, { created: 0 }]);
    expect(board.notifications).toHaveLength(mails);
    const next = await stage.run(["sync", "--json"], { env: to.env });
    expect(Object(next.json()).projects).toMatchObject([{ created: 0, statusWrites: 1 }, { created: 0 }]);
    expect(board.notifications.length).toBeGreaterThan(mails);
  });

  it("gives the password of a variable to no other database than its own", async () => {
    const { stage, from } = await syncedAt(serverOf);
    const to = await serverOf();
    const ran = await copy(stage, from, to);
    expect(ran.code).toBe(3);
    expect(ran.err).toContain(`The state at ${to.name} can't be reached`);
    expect((await stage.run(["sync", "--json"], { env: from.env })).err).not.toContain("copy");
  });

  it("prints one document with --json, and nothing with --quiet", async () => {
    const { stage, from } = await syncedAt((at) => fileOf(at, "first.db"));
    const middle = fileOf(stage, "second.db");
    const ran = await copy(stage, from, middle, "--json");
    expect(ran.json()).toEqual({ from: from.name, to: middle.name });
    const again = await copy(stage, from, middle, "--json");
    expect(again.code).toBe(1);
    expect(again.json()).toEqual({
      error: { code: "state.unusable", message: expect.stringContaining(middle.name) },
    });
    const last = await copy(stage, middle, fileOf(stage, "third.db"), "--quiet");
    expect(last).toMatchObject({ code: 0, out: "", err: "" });
  });
});

describe("state copy is refused, and changes nothing,", () => {
  it.each(["first.db", "there.db"])("where TO is a file that there is, as %s", async (typed) => {
    const { stage, from } = await syncedAt((at) => fileOf(at, "first.db"));
    writeFileSync(join(stage.folder, "there.db"), "somebody's");
    const to = fileOf(stage, typed);
    const before = typed === from.typed ? rowsOf(to.name) : readFileSync(to.name);
    const ran = await copy(stage, from, to);
    expect(ran.code).toBe(1);
    expect(ran.err).toContain(to.name);
    expect(typed === from.typed ? rowsOf(to.name) : readFileSync(to.name)).toEqual(before);
    await expectCurrent(stage, from);
  });

  it.each([
    ["a file", async (stage: Stage) => fileOf(stage, "none.db")],
    ["a server", serverOf],
  ])("where there is no state at FROM, %s", async (_, none) => {
    const stage = await openStage();
    const from = await none(stage);
    const to = fileOf(stage, "second.db");
    expect(await copy(stage, from, to)).toMatchObject({
      code: 1,
      out: "",
      err: `There is no state at ${from.name}.\n`,
    });
    expect(existsSync(to.name)).toBe(false);
    expect(existsSync(join(stage.folder, "none.db"))).toBe(false);
  });

  it("where FROM and TO are one database", async () => {
    const { stage, from } = await syncedAt(serverOf);
    const ran = await copy(stage, from, from);
    expect(ran).toMatchObject({
      code: 1,
      err: `${from.name} holds a state already, and two can't become one: name an empty database.\n`,
    });
    await expectCurrent(stage, from);
  });

  it("where the server can't be reached", async () => {
    const { stage, from } = await syncedAt((at) => fileOf(at, "first.db"));
    const dead = "postgres://127.0.0.1:9/state";
    const ran = await stage.run(["state", "copy", from.typed, dead, "--json"]);
    expect(ran.code).toBe(3);
    expect(ran.json()).toMatchObject({ error: { code: "state.unreachable" } });
    await expectCurrent(stage, from);
  });

  it.each([
    ["FROM", ["postgres://me:secret@db/state", "second.db"]],
    ["TO", ["first.db", "postgresql://db/state?password=secret"]],
  ])("where %s tells a password, which it does not repeat", async (_, places) => {
    const stage = await openStage();
    expect(await stage.run(["state", "copy", ...places])).toMatchObject({
      code: 2,
      out: "",
      err: "The URL holds a password, which everybody could see in the list of processes: leave it out, and set BOARDSYNC_STATE_URL to the whole one\n",
    });
    expect(existsSync(join(stage.folder, "second.db"))).toBe(false);
  });

  it.each([
    ["is none", ["first.db", "postgres://me:key@db:port/state"]],
    ["is of nothing that is known, as TO", ["first.db", "postgre://me:key@db/state"]],
    ["is of nothing that is known, as FROM", ["mysql://me:key@db/state", "second.db"]],
  ])("where an address %s, which it does not repeat", async (_, places) => {
    const stage = await openStage();
    expect(await stage.run(["state", "copy", ...places])).toMatchObject({
      code: 2,
      err: "That is no address of a database: write postgres://host:5432/database.\n",
    });
  });

  it("where a shell was to put in the home: no folder is made of the sign", async () => {
    const stage = await openStage();
    expect(await stage.run(["state", "copy", "first.db", "~/second.db"])).toMatchObject({
      code: 2,
      err: "`~/second.db` begins with `~` or `$`, which only a shell puts in: write the whole name.\n",
    });
  });

  it("where a variable that names the state is wrong", async () => {
    const stage = await openStage();
    const env = { BOARDSYNC_STATE_URL: "mysql://db/state" };
    const ran = await stage.run(["state", "copy", "first.db", "postgres://db/state"], { env });
    expect(ran).toMatchObject({ code: 2 });
    expect(ran.err).toContain("BOARDSYNC_STATE_URL: that is no URL of PostgreSQL");
  });

  it("while a daemon works on the file", async () => {
    const stage = await openStage();
    const from = fileOf(stage, "first.db");
    const daemon = startDaemon(stage, [], { BOARDSYNC_STATE: from.name });
    await daemon.ranAll();
    const to = await serverOf();
    const ran = await copy(stage, from, to, "--json");
    expect(ran.code).toBe(5);
    expect(ran.json()).toMatchObject({ error: { code: "state.held" } });
    expect(await server.ask(String(to.env["BOARDSYNC_STATE_URL"]), headOf)).toEqual([{ head: null }]);
    await daemon.end();
    expect(await copy(stage, from, to)).toMatchObject({ code: 0 });
  });

  it("while a daemon, or a run, works on the server; not after it has ended", async () => {
    const stage = await openStage();
    const from = await serverOf();
    const url = String(from.env["BOARDSYNC_STATE_URL"]);
    const to = fileOf(stage, "second.db");
    const daemon = startDaemon(stage, [], { BOARDSYNC_STATE_URL: url });
    await daemon.ranAll();
    expect(await copy(stage, from, to)).toMatchObject({
      code: 5,
      err: expect.stringContaining(`The state at ${from.name} is held by daemon, process 4711`),
    });
    await daemon.end();
    await server.ask(
      url,
      "UPDATE boardsync.leases SET holder = 'sync, process 7 on host box', until = now() + interval '1 h'",
    );
    expect(await copy(stage, from, to)).toMatchObject({
      code: 5,
      err: expect.stringContaining(`The state at ${from.name} is held by sync, process 7 on host box.`),
    });
    expect(existsSync(to.name)).toBe(false);
    await server.ask(url, "UPDATE boardsync.leases SET until = '-infinity'");
    expect(await copy(stage, from, to)).toMatchObject({ code: 0, err: "" });
  });

  it("with another word than `copy`", async () => {
    const stage = await openStage();
    const ran = await stage.run(["state", "move", "first.db", "second.db"]);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain("copy");
  });
});

const headOf = "SELECT to_regclass('boardsync.state') AS head";

/** The state is no old copy: what happens on GitHub is written as ever. */
async function expectCurrent(stage: Stage, { env }: Place): Promise<void> {
  stage.story.github.close("acme/app", 1, "completed");
  const ran = await stage.run(["sync", "--json"], { env });
  expect(Object(ran.json()).projects).toMatchObject([{ created: 0, statusWrites: 1 }, { created: 0 }]);
}
