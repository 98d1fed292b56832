/** @module-tag long */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openStage } from "../commands/stage.ts";
import { startPostgres, type TestServer } from "../support/postgres.ts";
import { readPage } from "./pages.ts";

const page = readPage("config/docs/reference/state.md");
const [role = "", ...queries] = [...page.matchAll(/^```sql\n([^`]*)^```$/gm)].map(([, sql = ""]) => sql);
const tables = [...page.matchAll(/^\| `(\w+)` \| [^|]+ \| ([^|]+) \|$/gm)].map(
  ([, table = "", columns = ""]) =>
    [
      table,
      [...columns.replaceAll(/\([^)]*\)/g, "").matchAll(/`(\w+)`/g)].map(([, name = ""]) => name),
    ] as const,
);

let server: TestServer;
let url: string;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.end());
beforeEach(async () => {
  url = await server.freshDatabase();
  const stage = await openStage();
  const env = { BOARDSYNC_STATE_URL: url };
  await stage.run(["sync"], { env });
  stage.story.github.close("acme/app", 1, "completed");
  await stage.run(["sync"], { env });
  await server.ask(url, `DROP ROLE IF EXISTS looker; ${role}`);
});
afterEach(() => server.ask(url, "DROP OWNED BY looker"));

/** What the role that only reads is told. */
function look(sql: string): Promise<readonly Record<string, unknown>[]> {
  const as = Object.assign(new URL(url), { username: "looker", password: "choose-one" });
  return server.ask(as.href, sql);
}

describe("the page on the state", () => {
  it("names tables and columns that there are", async () => {
    expect(tables.length).toBeGreaterThan(8);
    for (const [table, columns] of tables)
      await look(
        `SELECT ${columns.map((column) => `${table}.${column}`).join(", ")} FROM boardsync.${table}`,
      );
  });

  it("has queries that answer, for a role that may only read", async () => {
    expect(queries).toHaveLength(5);
    const [pairs = [], written = [], waits = [], without = [], slowest = []] = await Promise.all(
      queries.map(look),
    );
    expect(pairs.length).toBeGreaterThan(2);
    expect(pairs[0]).toMatchObject({
      current_name: "acme/app",
      number: "1",
      state: "closed",
      status: "planned",
    });
    const mailed = written.find(({ kind }) => kind === "patch-post");
    expect(Number(mailed?.["voters"])).toBeGreaterThan(0);
    expect(written.map(({ kind }) => kind)).toContain("create-issue");
    expect(waits.every(({ cause, message }) => cause !== null && message !== "")).toBe(true);
    expect(without).toEqual([]);
    expect(slowest.map(({ result }) => result)).toEqual(["ok", "ok"]);
    await expect(look("DELETE FROM boardsync.links")).rejects.toThrow(/permission denied/);
  });
});
