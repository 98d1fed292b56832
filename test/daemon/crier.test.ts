import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { type AnnounceOptions, createCrier } from "../../src/daemon/announce.ts";
import type { Reply } from "../../src/http/send.ts";
import { openLedger } from "../../src/ledger/sqlite/sqlite.ts";
import type { RunReport } from "../../src/sync/ground/reports.ts";
import { until } from "../support/until.ts";
import { createFakeClock, settle } from "./fake-clock.ts";
import { createMemoryLog } from "./memory-log.ts";

/** A run of these projects. A bare heartbeat reads nothing else of them. */
function runOf(...projects: readonly string[]): RunReport {
  return { run: 1, projects: projects.map((project) => ({ project })) } as unknown as RunReport;
}

it("what an address does not answer holds up no run, and is called once for all that came meanwhile", async () => {
  const folder = mkdtempSync(join(tmpdir(), "boardsync-crier-"));
  const ledger = openLedger(join(folder, "state.db"), { now: 0, version: "1" });
  onTestFinished(() => {
    ledger.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const answers: (() => void)[] = [];
  const options: AnnounceOptions = {
    heartbeat: "https://example.com/beat",
    notices: undefined,
    projects: ["a", "b"],
    ledger,
    clock: createFakeClock(0),
    log: createMemoryLog(),
    send: () =>
      new Promise<Reply>((resolve) => {
        answers.push(() => resolve({ kind: "answer", status: 200, headers: {}, body: Buffer.from("") }));
      }),
    version: "1",
    command: "boardsync",
    signal: new AbortController().signal,
  };
  const crier = createCrier(() => options);
  for (const project of ["a", "b", "a", "b"]) crier.tell(runOf(project));
  await until(() => answers.length === 1);
  await settle();
  expect(answers).toHaveLength(1);
  answers[0]?.();
  await until(() => answers.length === 2);
  let hasEnded = false;
  const ending = crier.end().then(() => {
    hasEnded = true;
  });
  await settle();
  expect(hasEnded).toBe(false);
  answers[1]?.();
  await ending;
  expect(answers).toHaveLength(2);
});
