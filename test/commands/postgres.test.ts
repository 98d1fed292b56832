import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startPostgres, type TestServer } from "../support/postgres.ts";
import { openStage, type Stage } from "./stage.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.end());

/** A stage whose state is in a database of its own. */
async function givenStage(): Promise<Stage & { readonly url: string; readonly place: string }> {
  const stage = await openStage();
  const url = await server.freshDatabase();
  const { pathname, port } = new URL(url);
  const file = stage.writeConfig("postgres.yaml", (config) => config);
  const env = { ...stage.env, BOARDSYNC_CONFIG: file, BOARDSYNC_STATE_URL: url };
  return {
    ...stage,
    url,
    place: `postgres://127.0.0.1:${port}${pathname}`,
    run: (args, options = {}) => stage.run(args, { ...options, env: { ...env, ...options.env } }),
  };
}

const projectsOf = (ran: { json(): unknown }): unknown =>
  Object(ran.json()).projects.map(({ project, posts, issues, held, parked }: Record<string, unknown>) => ({
    project,
    posts,
    issues,
    held,
    parked,
  }));

describe("a state on PostgreSQL", () => {
  it("is synced, told and kept as one in a file", async () => {
    const stage = await givenStage();
    const first = await stage.run(["sync", "--json"]);
    expect(first.code).toBe(0);
    const again = await stage.run(["sync", "--json"]);
    expect(Object(again.json()).projects).toMatchObject([{ created: 0 }, { created: 0 }]);
    const told = await stage.run(["status"]);
    expect(told).toMatchObject({ code: 0, err: "" });
    expect(told.out).toContain("acme-app");
    const history = await stage.run(["history", "--json"]);
    expect(Object(history.json()).writes?.length ?? Object(history.json()).length).toBeGreaterThan(0);
    const explained = await stage.run(["explain", "acme-app/p1"]);
    expect(explained.code).toBe(0);
  });

  it("is told by `status` and `explain` before there is any, and nothing is made by asking", async () => {
    const stage = await givenStage();
    const told = await stage.run(["status"]);
    expect(told).toMatchObject({
      code: 0,
      out: `No run yet: there is no state at ${stage.place}. Next: \`boardsync plan\`.\n`,
    });
    const asked = await stage.run(["approve", "acme-app", "--yes"]);
    expect(asked).toMatchObject({
      code: 2,
      err: `No run yet: there is no state at ${stage.place}. Next: \`boardsync plan\`.\n`,
    });
    expect(await server.ask(stage.url, "SELECT to_regclass('boardsync.head') AS head")).toEqual([
      { head: null },
    ]);
  });

  it("that can't be reached ends a command with 3, and nothing is written", async () => {
    const stage = await givenStage();
    const dead = "postgres://tester@127.0.0.1:9/state";
    const ran = await stage.run(["sync", "--json"], { env: { BOARDSYNC_STATE_URL: dead } });
    expect(ran.code).toBe(3);
    expect(ran.json()).toMatchObject({ error: { code: "state.unreachable" } });
    expect(ran.err).toContain("The state at postgres://127.0.0.1:9/state can't be reached");
    expect(stage.story.github.issues("acme/app")).toEqual([]);
  });

  it("is backed up by the server's own tool, which `backup` names", async () => {
    const stage = await givenStage();
    await stage.run(["sync"]);
    const ran = await stage.run(["backup", "copy.db"]);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain("pg_dump --format=custom --schema=boardsync");
    expect(ran.err).not.toContain("only%20for");
    expect(existsSync(join(stage.folder, "copy.db"))).toBe(false);
  });
});

describe("state copy", () => {
  it("moves a state from a file to a server and back, with nothing lost", async () => {
    const stage = await givenStage();
    const file = { BOARDSYNC_STATE_URL: undefined, BOARDSYNC_STATE: join(stage.folder, "first.db") };
    await stage.run(["sync"], { env: file });
    const before = await stage.run(["status", "--json"], { env: file });
    const history = await stage.run(["history", "--json"], { env: file });

    const there = await stage.run(["state", "copy", "first.db", stage.place]);
    expect(there).toMatchObject({ code: 0, err: "" });
    expect(there.out).toContain(`is at ${stage.place} now`);
    expect(projectsOf(await stage.run(["status", "--json"]))).toEqual(projectsOf(before));
    expect((await stage.run(["history", "--json"])).json()).toEqual(history.json());

    const back = await stage.run(["state", "copy", stage.place, "second.db", "--json"]);
    expect(back.json()).toEqual({ from: stage.place, to: join(stage.folder, "second.db") });
    const second = { ...file, BOARDSYNC_STATE: join(stage.folder, "second.db") };
    expect((await stage.run(["history", "--json"], { env: second })).json()).toEqual(history.json());
    const run = await stage.run(["sync", "--json"], { env: second });
    expect(Object(run.json()).projects).toMatchObject([{ created: 0 }, { created: 0 }]);
  });

  it("makes an old copy of what it has moved: whoever goes on with it writes nothing twice", async () => {
    const stage = await givenStage();
    const file = { BOARDSYNC_STATE_URL: undefined, BOARDSYNC_STATE: join(stage.folder, "first.db") };
    await stage.run(["sync"], { env: file });
    await stage.run(["state", "copy", "first.db", stage.place]);
    const issues = stage.story.github.issues("acme/app").length;
    const ran = await stage.run(["sync", "--json"], { env: file });
    expect(ran.err).toContain("copy");
    expect(stage.story.github.issues("acme/app")).toHaveLength(issues);
  });

  it("refuses a database that holds a state, and loses nothing of it", async () => {
    const stage = await givenStage();
    await stage.run(["sync"]);
    const file = { BOARDSYNC_STATE_URL: undefined, BOARDSYNC_STATE: join(stage.folder, "first.db") };
    await stage.run(["sync"], { env: file });
    const history = await stage.run(["history", "--json"]);
    const ran = await stage.run(["state", "copy", "first.db", stage.place]);
    expect(ran).toMatchObject({
      code: 1,
      err: `${stage.place} holds a state already, and two can't become one: name an empty database.\n`,
    });
    expect((await stage.run(["history", "--json"])).json()).toEqual(history.json());
  });

  it("refuses a server at which a daemon is at work", async () => {
    const stage = await givenStage();
    await stage.run(["sync"]);
    await server.ask(
      stage.url,
      `INSERT INTO boardsync.replicas VALUES ('daemon, process 7 on host box', 'box', '', '{"at":0,"who":"daemon"}', now())`,
    );
    const ran = await stage.run(["state", "copy", stage.place, "copy.db"]);
    expect(ran.code).toBe(5);
    expect(ran.err).toContain(`The state at ${stage.place} is held by daemon, process 7 on host box.`);
    expect(existsSync(join(stage.folder, "copy.db"))).toBe(false);
  });
});
