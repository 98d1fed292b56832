/** @module-tag long */
import { existsSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readForm } from "../support/page-stage.ts";
import { startPostgres, type TestServer } from "../support/postgres.ts";
import { until } from "../support/until.ts";
import { type Line, startDaemon } from "./daemon-stage.ts";
import { openStage, type Stage } from "./stage.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.end());

/** A stage whose state is in a database of its own. */
async function givenStage(): Promise<
  Stage & { readonly url: string; readonly place: string; readonly own: Readonly<Record<string, string>> }
> {
  const stage = await openStage();
  const url = await server.freshDatabase();
  const { pathname, port } = new URL(url);
  const file = stage.writeConfig("postgres.yaml", (config) => config);
  const own = { BOARDSYNC_CONFIG: file, BOARDSYNC_STATE_URL: url };
  const env = { ...stage.env, ...own };
  return {
    ...stage,
    url,
    own,
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
    const explained = await stage.run(["explain", "acme-app/p1"]);
    expect(explained.code).toBe(0);
  });

  it("is told by `status` and `explain` before there is any, and nothing is made by asking", async () => {
    const stage = await givenStage();
    const told = await stage.run(["status"]);
    expect(told).toMatchObject({
      code: 0,
      out: `No run yet: there is no state at ${stage.place}. Next: \`boardsync plan\`, then \`boardsync sync\`. If there was one: \`boardsync help lost\`.\n`,
    });
    const asked = await stage.run(["approve", "acme-app", "--yes"]);
    expect(asked).toMatchObject({
      code: 2,
      err: expect.stringContaining(
        `No run yet: there is no state at ${stage.place}. Next: \`boardsync plan\``,
      ),
    });
    expect(await server.ask(stage.url, "SELECT to_regclass('boardsync.state') AS head")).toEqual([
      { head: null },
    ]);
  });

  it("is planned before there is any, and leaves no trace: no tables, no file", async () => {
    const stage = await givenStage();
    for (let time = 1; time <= 2; time += 1)
      expect(await stage.run(["plan"])).toMatchObject({ code: 0, out: expect.stringContaining("acme-app") });
    expect(existsSync(":memory:")).toBe(false);
    expect(await server.ask(stage.url, "SELECT to_regclass('boardsync.state') AS head")).toEqual([
      { head: null },
    ]);
  });

  it("has one page, whichever daemon answers: a code, a cookie and forms count at each of them", async () => {
    const stage = await givenStage();
    await stage.run(["sync"]);
    const daemons = [startDaemon(stage, [], stage.own), startDaemon(stage, [], stage.own)];
    const [one = "", two = ""] = await Promise.all(daemons.map((daemon) => daemon.address()));
    const { out } = await stage.run(["page"]);
    const code = new URL(out.trim()).search;
    const opened = await fetch(`${two}/${code}`, { redirect: "manual" });
    expect(opened.status).toBe(303);
    expect((await fetch(`${one}/${code}`)).status).toBe(403);
    const cookie = opened.headers.get("set-cookie")?.split(";")[0] ?? "";
    const send = (at: string, fields: Readonly<Record<string, string>>) =>
      fetch(`${at}/orders`, {
        method: "POST",
        headers: { cookie, origin: at },
        body: new URLSearchParams(fields),
        redirect: "manual",
      });
    const page = await (await fetch(`${one}/post/acme-app/p1`, { headers: { cookie } })).text();
    const question = await (await send(two, readForm(page, "Pause…"))).text();
    const form = readForm(question, "Pause");
    const answers = await Promise.all([one, two, one, two].map((at) => send(at, form)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 409, 409, 409]);
    expect((await stage.run(["explain", "acme-app/p1"])).out).toContain("paused");
  });

  it("knows two replicas for two, also in containers whose host name and process number are alike", async () => {
    const stage = await givenStage();
    const daemons = ["one", "two"].map((id) => startDaemon(stage, [], stage.own, id));
    const [address = ""] = await Promise.all(daemons.map((daemon) => daemon.address()));
    await until(async () =>
      (await (await fetch(`${address}/metrics`)).text()).includes("\nboardsync_replicas 2\n"),
    );
    const { replicas } = Object((await stage.run(["status", "--json"])).json());
    const who = (id: string) => ({ who: expect.stringMatching(`^daemon, process 4711 on \\S+#${id}$`) });
    expect(replicas).toMatchObject([who("one"), who("two")]);
  });

  it("takes an order for the daemon of another host, whatever became of the one here", async () => {
    const stage = await givenStage();
    await stage.run(["sync"]);
    const there = "daemon, process 2 on host there";
    const signs = [
      ["daemon, process 1 on host here", hostname(), { isLast: true }],
      [there, "there", {}],
    ].map(([who, host, more]) => {
      const sign = JSON.stringify({ at: Date.now(), who: "daemon", ...Object(more) });
      return `('${who}', '${host}', '', '${sign}', now())`;
    });
    await server.ask(stage.url, `INSERT INTO boardsync.replicas VALUES ${signs.join(", ")}`);
    await server.ask(
      stage.url,
      `UPDATE boardsync.leases SET holder = '${there}', until = now() + interval '1 minute' WHERE project = 'acme-app'`,
    );
    const given = await stage.run(["sync", "--no-wait", "--json"]);
    expect(given.code).toBe(0);
    expect(given.json()).toMatchObject({ order: 1 });
    expect((await stage.run(["status", "--json"])).json()).toMatchObject({
      daemon: { alive: true },
      projects: [{ nextRun: expect.any(String) }, { nextRun: expect.any(String) }],
    });
    // Whoever asks in the container of one wants to know of that one.
    expect(await stage.run(["health"])).toMatchObject({ code: 1 });
  });

  it("that is gone makes a running daemon not ready, whenever its projects are due", async () => {
    const stage = await givenStage();
    const daemon = startDaemon(stage, [], stage.own);
    const address = await daemon.address();
    await daemon.ranAll();
    const ask = async (path: string): Promise<number> => (await fetch(`${address}${path}`)).status;
    await until(async () => (await ask("/readyz")) === 200);
    await server.crash();
    await until(async () => (await ask("/readyz")) === 503);
    expect(await Promise.all(["/healthz", "/metrics"].map(ask))).toEqual([200, 503]);
    await server.start();
    await until(async () => (await ask("/readyz")) === 200);
  });

  it("that can't be reached ends a command with 3, and nothing is written", async () => {
    const stage = await givenStage();
    const dead = "postgres://tester@127.0.0.1:9/state";
    const ran = await stage.run(["sync", "--json"], { env: { BOARDSYNC_STATE_URL: dead } });
    expect(ran.code).toBe(3);
    expect(ran.json()).toMatchObject({ error: { code: "state.unreachable" } });
    expect(ran.err).toContain("The state at postgres://127.0.0.1:9/state can't be reached");
    expect(stage.story.github.issues("acme/app")).toEqual([]);
    const checked = await stage.run(["check", "--json"], { env: { BOARDSYNC_STATE_URL: dead } });
    expect(checked.code).toBe(3);
    expect(checked.json()).toMatchObject({
      result: "failed",
      findings: expect.arrayContaining([
        expect.objectContaining({ level: "error", subject: "state", code: "state.unreachable" }),
      ]),
      error: { code: "state.unreachable" },
    });
  });

  it("is not rebuilt beside a daemon between two runs, and lives as long as one daemon does", async () => {
    const stage = await givenStage();
    const daemons = ["one", "two"].map((id) => startDaemon(stage, [], stage.own, id));
    await Promise.all(daemons.map((daemon) => daemon.address()));
    for (const project of ["acme-app", "acme-api"]) {
      const isDone = (line: Line) => line.msg === "Project finished" && line["project"] === project;
      await Promise.any(daemons.map((daemon) => daemon.findLine(isDone)));
    }
    const ran = await stage.run(["rebuild", "--json"]);
    expect(ran.code).toBe(5);
    expect(ran.json()).toMatchObject({
      error: { code: "state.held", message: expect.stringMatching(/ is held by daemon, process 4711 on /) },
    });
    await daemons[1]?.end();
    expect((await stage.run(["health"])).code).toBe(0);
  });

  it("tells an order that is no sync, whichever process has made it, from the run that was asked for before it", async () => {
    const stage = await givenStage();
    await stage.run(["sync"]);
    const daemon = startDaemon(stage, [], stage.own);
    const isNext = ({ msg, project }: Line) => msg === "Next run" && project === "acme-app";
    await daemon.findLine(isNext);
    const at = Date.now();
    expect((await stage.run(["sync", "--adopt", "--project", "acme-app"])).code).toBe(0);
    const from = daemon.lines.length;
    await server.ask(
      stage.url,
      `INSERT INTO boardsync.requests (project, at, request)
      SELECT project, ${at}, '{"kind":"retry","posts":[]}' FROM boardsync.projects WHERE key = 'acme-app'`,
    );
    await daemon.findLine(isNext, from);
    const started = daemon.lines.slice(from).find(({ msg }) => msg === "Project started");
    expect(started).toMatchObject({ project: "acme-app", mode: "sync" });
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
