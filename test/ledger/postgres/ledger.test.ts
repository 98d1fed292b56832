/** @module-tag long */
import { afterAll, beforeAll } from "vitest";
import { startPostgres, type TestServer } from "../../support/postgres.ts";
import { describeLedger } from "../contract.ts";
import { openShared } from "./open.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.end());

describeLedger("the ledger in PostgreSQL", async () => openShared(await server.freshDatabase()), false);
