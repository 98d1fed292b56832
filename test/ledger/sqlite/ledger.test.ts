import { join } from "node:path";
import { openLedger } from "../../../src/ledger/sqlite/sqlite.ts";
import { describeLedger } from "../contract.ts";
import { createFolder, options } from "./folder.ts";

describeLedger("the ledger in SQLite", () => openLedger(join(createFolder(), "state.db"), options));
