/** @module-tag long */
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
    const reported = await stage.run(["report", "--offline"]);
    expect(reported.out).toMatch(/^- State: PostgreSQL, schema \d+, .+, 6 links$/m);
    expect(reported.out).toContain("state: postgres://127.0.0.1:");
    expect(reported.out).not.toContain(new URL(stage.url).pathname);
    const explained = await stage.run(["explain", "acme-app/p1"]);
    expect(explained.code).toBe(0);
  });

  it("is told by `status` and `explain` before there is any, and nothing is made by asking", async () => {
    const stage = await givenStage();
    const told = await stage.run(["status"]);
    expect(told).toMatchObject({
      code: 0,
      out: `No run yet: there is no state at ${stage.place}. Next: \`boardsync plan\`, then \`boardsync sync\`.\n`,
    });
    const asked = await stage.run(["approve", "acme-app", "--yes"]);
    expect(asked).toMatchObject({
      code: 2,
      err: `No run yet: there is no state at ${stage.place}. Next: \`boardsync plan\`, then \`boardsync sync\`.\n`,
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
