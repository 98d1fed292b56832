/** @module-tag long */
import pg from "pg";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { startPostgres, type TestServer } from "../../support/postgres.ts";
import { describeLedger } from "../contract.ts";
import { createPost, createRecord, noon, postId, project, pullPosts } from "../samples.ts";
import { keepWhatIsNew, makeNew } from "./make-new.ts";
import { openShared } from "./open.ts";

let server: TestServer;
/** One database for all: to make a new one costs more than most tests. */
let url: string;
/** A connection that knows the tables by now. */
let client: pg.Client;

beforeAll(async () => {
  server = await startPostgres();
  url = await server.freshDatabase();
  (await openShared(url)).close();
  client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(keepWhatIsNew);
});
afterAll(async () => {
  await client.end();
  await server.end();
});

describeLedger(
  "the ledger in PostgreSQL",
  async () => {
    await client.query(makeNew);
    return openShared(url);
  },
  false,
);

it("locks all that a commit names, however many there are", async () => {
  await client.query(makeNew);
  const ledger = await openShared(url);
  const changes = Array.from({ length: 2000 }, (_, repository) => {
    return { kind: "mark-repository", repository } as const;
  });
  await expect(ledger.commit(changes)).resolves.toBeUndefined();
  ledger.close();
});

it("is told of many posts in no more messages than of few", async () => {
  await client.query(makeNew);
  const ledger = await openShared(url);
  const asked = vi.spyOn(pg.Client.prototype, "query");
  const messages: number[] = [];
  for (const count of [3, 30]) {
    const ids = Array.from({ length: count }, (_, index) => `p${count}-${index}`);
    await pullPosts(
      ledger,
      ids.map((id) => createPost(id)),
    );
    // As in a run: what is decided has been read before.
    await ledger.rows.due(project, noon, undefined, 100);
    for (const message of ["first", "second"]) {
      const notes = [{ kind: "held", cause: "guard", message, since: noon } as const];
      asked.mockClear();
      await ledger.commit(
        ids.map((id) => ({
          ...({ kind: "record-row", project, post: postId(id) } as const),
          record: createRecord({ notes, due: "now" }),
        })),
      );
      messages.push(asked.mock.calls.length);
    }
  }
  ledger.close();
  // What stands is asked for, and then all is told and committed.
  expect(messages).toEqual([2, 2, 2, 2]);
});
