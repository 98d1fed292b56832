/** @module-tag long */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { freePort, startPostgres, type TestServer } from "../../support/postgres.ts";
import {
  createIssue,
  createPost,
  linkPost,
  noon,
  postId,
  project,
  pullPosts,
  sendIntent,
} from "../samples.ts";
import { openShared } from "./open.ts";

/** Debian's package `pgbouncer`; where it is missing there is nothing to test. */
const isThere = (() => {
  try {
    execFileSync("pgbouncer", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

describe.runIf(isThere)("behind PgBouncer in transaction mode", () => {
  let server: TestServer;
  let pooler: ChildProcess;
  let port: number;
  const folder = mkdtempSync(join(tmpdir(), "boardsync-pgbouncer-"));

  beforeAll(async () => {
    server = await startPostgres();
    port = await freePort();
    chmodSync(folder, 0o755);
    const { username, password } = new URL(server.urlOf("postgres"));
    // Two connections for all: whoever relied on a session would get another's.
    const config = `
      [databases]
      * = host=127.0.0.1 port=${server.port} user=${username} password='${decodeURIComponent(password)}'
      [pgbouncer]
      listen_addr = 127.0.0.1
      listen_port = ${port}
      unix_socket_dir =
      auth_type = any
      pool_mode = transaction
      default_pool_size = 2`;
    writeFileSync(join(folder, "pgbouncer.ini"), config.replaceAll(/^ +/gm, ""), { mode: 0o644 });
    // It refuses to run as root.
    const nobody = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
    pooler = spawn("pgbouncer", [join(folder, "pgbouncer.ini")], { stdio: "ignore", ...nobody });
    while (!(await answers(port))) await setTimeout(50);
  });
  afterAll(async () => {
    pooler.kill();
    await server.end();
    rmSync(folder, { recursive: true });
  });

  it("several processes share a state on fewer connections than they have", async () => {
    const { pathname } = new URL(await server.freshDatabase());
    const url = server.urlOf(pathname.slice(1), port);
    const ledgers = await Promise.all([1, 2, 3, 4].map(() => openShared(url)));
    const works = ledgers.map(async (ledger, at) => {
      const taken = await ledger.take([`project-${at}`]);
      if (taken.kind === "taken") throw new Error("It is taken.");
      for (let post = 0; post < 10; post += 1) {
        const id = `p${at}-${post}`;
        await pullPosts(taken.ledger, [createPost(id, { title: "it's \\ 'odd'" })]);
        await linkPost(taken.ledger, id, createIssue(post));
        await sendIntent(taken.ledger, { post: postId(id) });
        await taken.ledger.assertHeld();
      }
      await taken.release();
    });
    await Promise.all(works);
    const [ledger] = ledgers;
    const open = (await ledger?.journal.open(project)) ?? [];
    expect(open.filter(({ state }) => state === "SENT")).toHaveLength(40);
    const row = await ledger?.rows.row(project, postId("p3-9"), noon);
    expect(row?.post.values.title).toBe("it's \\ 'odd'");
    expect(await ledger?.rows.counts(project)).toMatchObject({ issues: 10 });
    for (const one of ledgers) one.close();
  });
});

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
