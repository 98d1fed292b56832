import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { StateOptions } from "../../../src/ledger/sqlite/store.ts";
import { noon } from "../samples.ts";

export const options: StateOptions = { now: noon, version: "1.2.3" };

/** A folder that is deleted with the test. */
export function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "boardsync-ledger-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
