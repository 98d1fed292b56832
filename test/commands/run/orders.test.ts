/** @module-tag long */
import { rmSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { systemClock } from "../../../src/commands/open/clock.ts";
import { runProgram } from "../../../src/commands/program.ts";
import type { Ledger } from "../../../src/ledger/ledger.ts";
import type { OrderNumber } from "../../../src/ledger/orders.ts";
import { acquireState } from "../../../src/ledger/sqlite/lock.ts";
import { openLedger } from "../../../src/ledger/sqlite/sqlite.ts";
import { createOutput, createTerminal, openStage, type Stage } from "../stage.ts";

interface Line {
  readonly msg: string;
  readonly [field: string]: unknown;
}

interface RunningDaemon {
  readonly lines: readonly Line[];
  /** When its log has said this so many times. */
  said(message: string, times?: number): Promise<void>;
  end(): Promise<number>;
}

/** A daemon in this process, which has run every project once and runs none by itself any more. */
async function startDaemon(stage: Stage, args: readonly string[] = []): Promise<RunningDaemon> {
  const interruption = new AbortController();
  const lines: Line[] = [];
  let wake = (): void => undefined;
  const [out, err] = [createOutput(), createOutput()];
  const write = (text: string): void => {
    lines.push(JSON.parse(text));
    wake();
  };
  const { folder: cwd, env } = stage;
  const { signal } = interruption;
  const terminal = createTerminal({ cwd, env, pid: 99, out, err: { ...err, write }, signal });
  const ended = runProgram({ ...terminal, args: ["daemon", ...args] });
  const end = (): Promise<number> => {
    interruption.abort("SIGTERM");
    return ended;
  };
  onTestFinished(async () => void (await end()));
  const said = async (message: string, times = 1): Promise<void> => {
    while (lines.filter(({ msg }) => msg === message).length < times) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  await said("Project finished", 2);
  return { lines, said, end };
}

const stateOf = ({ folder }: Stage): string => join(folder, "state.db");
const options = { now: 0, version: "1.2.3" };
const minute = 60_000;

/** Stands in for a process that has the state; what it does with it is the test's. */
function holdState(stage: Stage, who: string): Ledger {
  const lock = acquireState(stateOf(stage), who, options);
  onTestFinished(() => lock.release());
  const ledger = openLedger(stateOf(stage), options);
  onTestFinished(() => ledger.close());
  return ledger;
}

describe("beside a daemon", () => {
  it("sync is carried out by it, and prints its report", async () => {
    const stage = await openStage();
    const daemon = await startDaemon(stage);
    stage.story.github.close("acme/app", 1, "completed");
    const { code, json } = await stage.run(["sync", "--json", "--project", "acme-app"]);
    expect(code).toBe(0);
    expect(json()).toMatchObject({ result: "ok", projects: [{ project: "acme-app", statusWrites: 1 }] });
    expect(stage.story.board.notifications).toHaveLength(1);
    expect(daemon.lines).toContainEqual(
      expect.objectContaining({ msg: "Order taken", who: expect.stringContaining("sync, process 4711") }),
    );
    const again = await stage.run(["sync"]);
    expect(again.code).toBe(0);
    expect(again.err).toContain("The daemon has the state, and carries this out.");
    expect(again.out).toContain("in step");
  });

  it("sync ends with the exit code of the run", async () => {
    const stage = await openStage();
    stage.writeConfig("boardsync.yaml", (config) => `guard: { issues: 1 }\n${config}`);
    await startDaemon(stage);
    expect((await stage.run(["sync", "--quiet", "--project", "acme-app"])).code).toBe(4);
  });

  it("sync --no-wait leaves the order there", async () => {
    const stage = await openStage();
    const daemon = await startDaemon(stage);
    stage.story.github.close("acme/app", 1, "completed");
    const given = await stage.run(["sync", "--no-wait", "--json"]);
    expect(given.code).toBe(0);
    expect(given.json()).toMatchObject({ order: 1 });
    await daemon.said("Project finished", 4);
    expect(stage.story.board.notifications).toHaveLength(1);
  });

  it("apply carries out a plan, and refuses one of another state", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    await stage.run(["plan", "--out", "old.plan"]);
    for (const end of ["", "-wal", "-shm"]) rmSync(`${stateOf(stage)}${end}`, { force: true });
    await startDaemon(stage);
    stage.story.github.close("acme/app", 1, "completed");
    await stage.run(["plan", "--out", "today.plan"]);
    const applied = await stage.run(["apply", "today.plan", "--json"]);
    expect(applied.code).toBe(0);
    expect(applied.json()).toMatchObject({
      projects: [{ actions: [{ kind: "patch-post", outcome: "done" }] }, {}],
    });
    const refused = await stage.run(["apply", "old.plan"]);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain("old.plan is not applied, and nothing was written.");
  });

  it("undo shows first what it would do, and then does just that", async () => {
    const stage = await openStage();
    await startDaemon(stage);
    stage.story.github.close("acme/app", 1, "completed");
    const told = (await stage.run(["sync", "--json"])).json() as { readonly run: number };
    const undone = await stage.run(["undo", String(told.run)], { ask: async () => "y" });
    expect(undone.code).toBe(0);
    expect(undone.out).toContain("128 voters to notify");
    expect(undone.out).toContain("1 undone");
    expect(stage.story.board.post("acme-app", "p1")?.status).toBe("planned");
  });

  it("is refused by one that works by another config", async () => {
    const stage = await openStage();
    const daemon = await startDaemon(stage);
    const file = stage.writeConfig("other.yaml", (config) => `settle: 1h\n${config}`);
    const { code, err } = await stage.run(["sync", "--config", file]);
    expect(code).toBe(5);
    expect(err).toContain("works by another config");
    expect(daemon.lines.filter(({ msg }) => msg === "Project finished")).toHaveLength(2);
  });

  it("an approval starts a run at once", async () => {
    const stage = await openStage();
    stage.writeConfig("boardsync.yaml", (config) => `guard: { issues: 1 }\n${config}`);
    const daemon = await startDaemon(stage);
    const issues = () => stage.story.github.issues("acme/app").length;
    const before = issues();
    expect((await stage.run(["approve", "acme-app", "--yes"])).code).toBe(0);
    await daemon.said("Project finished", 3);
    expect(issues()).toBeGreaterThan(before);
  });
});

it("a terminal shows how far the daemon is with the order", async () => {
  const stage = await openStage();
  await stage.run(["sync"]);
  const ledger = holdState(stage, "daemon, process 99 on host box");
  await ledger.commit([{ kind: "beat", sign: { at: Date.now(), who: "daemon, process 99" } }]);
  const run = stage.run(["sync"], { isTerminal: true });
  await vi.waitUntil(() => ledger.orders.areWaiting(), { timeout: 20_000 });
  const order = (await ledger.orders.take("daemon, process 99 on host box"))?.number;
  if (order === undefined) throw new Error("There is no order.");
  const progress = { project: "acme-app", what: "issues opened", done: 3, total: 9 };
  await ledger.commit([{ kind: "note-progress", order, progress }]);
  await new Promise((resolve) => setTimeout(resolve, 3_500));
  const outcome = { kind: "refused", problems: ["It was broken off."], code: "state.broken-off", exit: 1 };
  await ledger.commit([{ kind: "end-order", order, outcome }]);
  const { code, err } = await run;
  expect(code).toBe(1);
  expect(err).toContain("acme-app: issues opened");
  expect(err).toContain("It was broken off.");
});

describe("an order that nobody takes", () => {
  it("is taken back when the daemon gives no sign of life any more", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    const ledger = holdState(stage, "daemon, process 99 on host box");
    const sign = { at: Date.now() - minute + 1_500, who: "daemon, process 99" };
    await ledger.commit([{ kind: "beat", sign }]);
    const { code, json } = await stage.run(["sync", "--json"]);
    expect(code).toBe(5);
    expect(json()).toMatchObject({
      error: { code: "state.held", message: expect.stringMatching(/no sign of life, and nothing was done/) },
    });
    expect(await ledger.orders.areWaiting()).toBe(false);
  });

  it("is taken back when its hour is over, and that is said", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    const ledger = holdState(stage, "daemon, process 99 on host box");
    const beat = (at: number) => ledger.commit([{ kind: "beat", sign: { at, who: "daemon, process 99" } }]);
    await beat(Date.now());
    const run = stage.run(["sync", "--json"]);
    await vi.waitUntil(() => ledger.orders.areWaiting(), { timeout: 20_000 });
    const later = Date.now() + 61 * minute;
    await beat(later);
    const now = vi.spyOn(systemClock, "now").mockReturnValue(later);
    onTestFinished(() => void now.mockRestore());
    const { code, json } = await run;
    expect(code).toBe(5);
    expect(json()).toMatchObject({
      error: {
        code: "state.held",
        message: expect.stringMatching(/not come to it within an hour, and nothing was done/),
      },
    });
    expect(await ledger.orders.areWaiting()).toBe(false);
  });

  it("is not carried out by a daemon that comes to it after its hour, which says so", async () => {
    const stage = await openStage();
    const daemon = await startDaemon(stage);
    const ledger = openLedger(stateOf(stage), options);
    onTestFinished(() => ledger.close());
    const at = Date.now() - 61 * minute;
    const order = { order: { kind: "sync" }, projects: ["acme-app"], config: "" };
    const number = await ledger.orders.give({ at, until: at + 60 * minute, who: "sync, process 12", order });
    await daemon.said("An order was not taken within its time, and is not carried out");
    expect(daemon.lines.find(({ msg }) => msg.startsWith("An order was not taken"))).toMatchObject({
      level: "warn",
      order: number,
      who: "sync, process 12",
    });
    await vi.waitUntil(async () => (await ledger.orders.find(number))?.outcome !== undefined, {
      timeout: 20_000,
    });
    expect((await ledger.orders.find(number))?.outcome).toMatchObject({
      kind: "refused",
      problems: [expect.stringContaining("the clocks of the two machines differ")],
      code: "state.held",
      exit: 5,
    });
    expect(daemon.lines.filter(({ msg }) => msg === "Order taken")).toEqual([]);
  });

  it("is not given where the holder is no daemon, or stands still", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    const ledger = holdState(stage, "sync, process 99 on host box");
    expect((await stage.run(["sync", "--no-wait"])).code).toBe(5);
    expect(await ledger.orders.areWaiting()).toBe(false);
  });

  it.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ])("is taken back when %s ends its command, which exits %i and blames nobody", async (signal, exit) => {
    const stage = await openStage();
    await stage.run(["sync"]);
    const ledger = holdState(stage, "daemon, process 99 on host box");
    await ledger.commit([{ kind: "beat", sign: { at: Date.now(), who: "daemon, process 99" } }]);
    const end = new AbortController();
    setTimeout(() => end.abort(signal), 100);
    const { code, err, json } = await stage.run(["sync", "--json", "--quiet"], { signal: end.signal });
    expect(code).toBe(exit);
    expect(json()).toEqual({
      error: { code: "run.stopped", message: "This command was ended, and nothing was done." },
    });
    expect(err).toBe("This command was ended, and nothing was done.\n");
    expect(await ledger.orders.areWaiting()).toBe(false);
  });
});

it("an order that is no sync does not stand for the run that was asked for before it", async () => {
  const stage = await openStage();
  const daemon = await startDaemon(stage);
  await daemon.said("Next run", 2);
  const ledger = openLedger(stateOf(stage), options);
  onTestFinished(() => ledger.close());
  const { id: project } = ledger.memory.project("acme-app") ?? {};
  if (project === undefined) throw new Error("The project never ran.");
  const at = Date.now();
  expect((await stage.run(["sync", "--adopt", "--project", "acme-app"])).code).toBe(0);
  await ledger.commit([{ kind: "add-request", request: { kind: "retry", project, posts: [], at } }]);
  await daemon.said("Next run", 3);
  const started = daemon.lines.filter(({ msg }) => msg === "Project started");
  expect(started.map(({ mode }) => mode)).toEqual(["sync", "sync", "adopt", "sync"]);
});

it("what came of an order is told, also where the state could not take that at first", async () => {
  const stage = await openStage();
  const daemon = await startDaemon(stage);
  const disk = new Database(stateOf(stage));
  onTestFinished(() => void disk.close());
  disk.exec(`CREATE TRIGGER full BEFORE UPDATE OF outcome ON orders
    BEGIN SELECT raise(ABORT, 'database or disk is full'); END`);
  const run = stage.run(["sync", "--json"]);
  await daemon.said("What people ask for could not be read");
  disk.exec("DROP TRIGGER full");
  const { code, json } = await run;
  expect(code).toBe(0);
  expect(json()).toMatchObject({ result: "ok" });
  expect(daemon.lines.filter(({ msg }) => msg === "Order taken")).toHaveLength(1);
});

it("an order whose daemon has died is not begun again, and that is said", async () => {
  const stage = await openStage();
  await stage.run(["sync"]);
  const ledger = openLedger(stateOf(stage), options);
  onTestFinished(() => ledger.close());
  const at = Date.now();
  const order = { order: { kind: "sync" }, projects: ["acme-app"], config: "" };
  const number: OrderNumber = await ledger.orders.give({ at, until: at + minute, who: "sync", order });
  await ledger.orders.take("daemon, process 99 on host box");
  stage.writeConfig("boardsync.yaml", (config) => `fullEvery: 7h\n${config}`);
  const interruption = new AbortController();
  const write = (text: string): void => {
    if (text.includes("Daemon started")) setTimeout(() => interruption.abort("SIGTERM"), 300);
  };
  const err = { ...createOutput(), write };
  const { signal } = interruption;
  const terminal = createTerminal({ cwd: stage.folder, env: stage.env, pid: 99, err, signal });
  await runProgram({ ...terminal, args: ["daemon"] });
  expect(await ledger.orders.find(number)).toMatchObject({
    outcome: { kind: "refused", code: "state.broken-off", exit: 1 },
  });
});
