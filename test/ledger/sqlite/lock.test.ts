/** @module-tag long */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { StateError, StateHeldError } from "../../../src/errors.ts";
import { acquireState } from "../../../src/ledger/sqlite/lock.ts";
import { openLedger } from "../../../src/ledger/sqlite/sqlite.ts";
import { openStore } from "../../../src/ledger/sqlite/store.ts";
import { timesOf } from "../../../src/plan/pace.ts";
import { noon, project } from "../samples.ts";
import { createFolder, options } from "./folder.ts";

const program = fileURLToPath(new URL("./process.ts", import.meta.url));

describe("the state's one writer", () => {
  it("holds it until it lets go, and the loser hears who it is since when", () => {
    const file = join(createFolder(), "state.db");
    const lock = acquireState(file, "daemon, process 4711 on box", options);
    expect(() => acquireState(file, "sync", options)).toThrow(StateHeldError);
    expect(() => acquireState(file, "sync", options)).toThrow(
      `The state file ${file} is held by daemon, process 4711 on box, since 2026-01-01T12:00:00.000Z.`,
    );
    lock.release();
    acquireState(file, "sync", options).release();
  });

  it("keeps it when a ledger of the same process is opened and closed", () => {
    const file = join(createFolder(), "state.db");
    const lock = acquireState(file, "daemon", options);
    openLedger(file, options).close();
    expect(() => acquireState(file, "sync", options)).toThrow(StateHeldError);
    lock.release();
  });

  it("leaves the state to readers and to short writes of others", async () => {
    const file = join(createFolder(), "state.db");
    const lock = acquireState(file, "daemon", options);
    const ledger = openLedger(file, options);
    await ledger.commit([{ kind: "mark-due", project, which: "all" }]);
    ledger.close();
    lock.release();
  });

  it("makes files that only their owner may read", () => {
    const folder = createFolder();
    const lock = acquireState(join(folder, "state.db"), "daemon", options);
    const modes = readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777);
    lock.release();
    expect(new Set(modes)).toEqual(new Set([0o600]));
  });

  it.each([
    ["has no holder written in it", "DELETE FROM meta WHERE key = 'holder'"],
    ["can't be read by this version", "PRAGMA user_version = 99"],
  ])("is another process where the state %s", (_, sql) => {
    const file = join(createFolder(), "state.db");
    const lock = acquireState(file, "daemon", options);
    const store = openStore(file, options);
    store.database.exec(sql);
    store.close();
    expect(() => acquireState(file, "sync", options)).toThrow(
      `The state file ${file} is held by another process.`,
    );
    lock.release();
  });

  it("does not keep a state that it could not open", () => {
    const file = join(createFolder(), "state.db");
    writeFileSync(file, "this is no database, but a text of a certain length".repeat(100));
    expect(() => acquireState(file, "sync", options)).toThrow(StateError);
    writeFileSync(file, "");
    acquireState(file, "sync", options).release();
  });

  it("holds it while it is stopped, and no longer when it is killed", async () => {
    const file = join(createFolder(), "state.db");
    const holder = start("hold", file);
    await once(holder.stdout ?? holder, "data");
    holder.kill("SIGSTOP");
    const loser = (): unknown => acquireState(file, "sync", options);
    expect(loser).toThrow(`is held by daemon, process ${holder.pid} on box, since`);
    holder.kill("SIGKILL");
    await once(holder, "exit");
    acquireState(file, "sync", options).release();
  });
});

describe("a process that is killed right after SENT", () => {
  it("leaves the line, and the next one takes its outcome for unknown", async () => {
    const file = join(createFolder(), "state.db");
    const [, signal] = await once(start("send", file), "exit");
    expect(signal).toBe("SIGKILL");
    const ledger = openLedger(file, options);
    onTestFinished(() => ledger.close());
    expect(await ledger.journal.open(project)).toMatchObject([
      { state: "SENT", bodyHash: "abc", attempts: 1, sentAt: noon },
    ]);
    expect(timesOf(await ledger.pace.writes(0, "")).creates).toEqual([noon]);
    expect(await ledger.journal.recover(noon + 1, [project])).toBe(1);
    expect(await ledger.journal.open(project)).toMatchObject([{ state: "UNKNOWN", unknownAt: noon + 1 }]);
  });
});

function start(task: string, file: string): ChildProcess {
  const child = spawn(process.execPath, [program, task, file], { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}
