/** @module-tag long */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished } from "vitest";
import { StateError } from "../../src/errors.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { openLedger } from "../../src/ledger/sqlite/sqlite.ts";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import type { World } from "../../src/sync/ground/world.ts";
import { keepSmall, refuseFullJournal } from "../../src/sync/upkeep.ts";
import { openLongTime } from "../support/long-time.ts";
import { addPlanned, openStage } from "../support/stage.ts";

const mebibyte = 1024 * 1024;
const dayMs = 86_400_000;

/** A state with a journal of more than 16 MiB, as one large run leaves it, and what a run's end works with. */
async function openLarge(onOpen: (file: string) => void = () => {}): Promise<{
  readonly ledger: Ledger;
  readonly world: World;
  readonly warnings: readonly string[];
}> {
  const folder = mkdtempSync(join(tmpdir(), "boardsync-upkeep-"));
  const file = join(folder, "state.db");
  const ledger = openLedger(file, { now: 0, version: "1" });
  onTestFinished(() => {
    ledger.close();
    rmSync(folder, { recursive: true });
  });
  onOpen(file);
  await ledger.commit(
    Array.from({ length: 26_000 }, (_, number) => ({ kind: "audit", entry: createLine(number) }) as const),
  );
  const warnings: string[] = [];
  const log = {
    debug() {},
    info() {},
    warn: (_: object, message: string) => warnings.push(message),
    error() {},
  };
  const world = { ledger, log, clock: { now: () => 1000 }, policy: { keepMs: dayMs } } as unknown as World;
  return { ledger, world, warnings };
}

function createLine(number: number) {
  return {
    at: number,
    run: 1,
    side: "board",
    project: "prj_app" as ProjectId,
    post: `p${number}` as PostId,
    issue: undefined,
    kind: "patch-post",
    fields: [{ field: "title", value: "x".repeat(500) }],
    reason: "closed as completed",
    outcome: "applied",
    message: undefined,
    isApproved: false,
  } as const;
}

/** Another process that began to read, and never ends it. */
function readOn(file: string): void {
  const reader = new Database(file, { readonly: true });
  reader.exec("BEGIN");
  reader.prepare("SELECT count(*) FROM meta").get();
  onTestFinished(() => {
    reader.close();
  });
}

describe("the journal beside the state", () => {
  it("is put away after a run that made it large", async () => {
    const { ledger, world, warnings } = await openLarge();
    expect((await ledger.upkeep.size()).journalBytes).toBeGreaterThan(16 * mebibyte);
    await keepSmall(world, 1);
    expect((await ledger.upkeep.size()).journalBytes).toBe(0);
    expect(warnings).toEqual([]);
    expect(await ledger.journal.history("prj_app" as ProjectId, undefined, 30_000)).toHaveLength(26_000);
  });

  it("is said after each run to grow while somebody goes on reading, without waiting for that", async () => {
    const { ledger, world, warnings } = await openLarge(readOn);
    await keepSmall(world, 1, 16 * mebibyte);
    expect((await ledger.upkeep.size()).journalBytes).toBeGreaterThan(16 * mebibyte);
    expect(warnings).toEqual([
      "Another process goes on reading the state, so its journal grows; beyond the limit no run begins: end that process",
    ]);
  });

  it("begins no run before it fills the disk", async () => {
    const { world } = await openLarge(readOn);
    await expect(refuseFullJournal(world, 16 * mebibyte)).rejects.toThrow(StateError);
    await expect(refuseFullJournal(world)).resolves.not.toThrow();
  });
});

describe("the end of a run", () => {
  it("is not spoilt by a state that can't be cleaned up", async () => {
    const stage = await openStage();
    addPlanned(stage, 1);
    stage.bend((world) => {
      const prune = (): never => {
        throw new StateError("The disk is full.");
      };
      const upkeep = Object.assign(Object.create(world.ledger.upkeep), { prune });
      return { ...world, ledger: Object.assign(Object.create(world.ledger), { upkeep }) };
    });
    for (let run = 1; run < 10; run += 1) await stage.sync();
    stage.mark();
    expect(await stage.sync()).toMatchObject({ run: 10, result: "ok" });
    expect(stage.log.join("\n")).toContain("The state could not be cleaned up; the run is not affected");
  });

  it.each(["1d", "180d"])(
    "adds next to nothing to the state while nothing happens, with `keep: %s`",
    async (keep) => {
      const time = openLongTime({ posts: { app: 3 }, config: { keep } });
      onTestFinished(() => time.close());
      const sizes: number[] = [];
      for (let day = 0; day < 14; day += 1) {
        for (let hour = 0; hour < 24; hour += 1) {
          time.clock.skip(3_600_000);
          await time.run();
        }
        const { bytes, freeBytes } = await time.ledger.upkeep.size();
        sizes.push(bytes - freeBytes);
      }
      const [third = 0] = sizes.slice(2);
      expect(Math.max(...sizes.slice(3))).toBeLessThanOrEqual(third + 20_000);
      expect((await time.run()).projects).toMatchObject([{ issues: 3, created: 0, postWrites: 0 }]);
    },
  );
});
