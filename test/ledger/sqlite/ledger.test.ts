import { createLedger } from "../../../src/ledger/sqlite/sqlite.ts";
import { describeLedger } from "../contract.ts";
import { describePlans, listening, openFile } from "./query-plans.ts";

const asked = new Set<string>();
describeLedger("the ledger in SQLite", () => createLedger(listening(openFile(), (sql) => asked.add(sql))));
describePlans(asked);
