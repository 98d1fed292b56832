import fs, { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, vi } from "vitest";
import { openStage } from "../stage.ts";

const asked = [["sync"], ["plan"], ["status"], ["rebuild"], ["backup", "copy.db"]];

describe("a state that can't be used", () => {
  it.each<[string, string, (file: string) => void]>([
    [
      "is no database",
      "move the file away and run `boardsync rebuild`",
      (file) => writeFileSync(file, "no\n".repeat(500)),
    ],
    ["is a folder", "name a file, not a folder", (file) => mkdirSync(file)],
    ["is of a newer version", "install that version or a newer one", makeNewer],
  ])("because it %s is said by every command that needs it, with what to do", async (_, said, make) => {
    const stage = await openStage();
    await stage.run(["sync"]);
    const file = join(stage.folder, "state.db");
    if (make !== makeNewer) rmSync(file);
    make(file);
    for (const args of asked) {
      const refused = await stage.run([...args, "--json"]);
      expect([args, refused.code]).toEqual([args, 1]);
      expect(refused.json()).toMatchObject({
        error: { code: "state.unusable", message: expect.stringContaining(said) },
      });
    }
    expect(stage.story.board.notifications).toEqual([]);
  });
});

it.each([
  ["on NFS is warned of", 0x6969, true],
  ["on a local disk is not", 0xef53, false],
])("a state %s", async (_, type, isSaid) => {
  const stage = await openStage();
  const look = vi.spyOn(fs, "statfsSync").mockReturnValue({ type } as fs.StatsFs & fs.BigIntStatsFs);
  syncBuiltinESMExports();
  try {
    const { code, err } = await stage.run(["sync"]);
    expect([code, err.includes("The state is on a network file system")]).toEqual([0, isSaid]);
  } finally {
    look.mockRestore();
    syncBuiltinESMExports();
  }
});

function makeNewer(file: string): void {
  const database = new Database(file);
  database.pragma("user_version = 99");
  database.close();
}
