import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { migrate } from "../../../src/ledger/sqlite/file/migrate.ts";
import { applicationId, migrations } from "../../../src/ledger/sqlite/file/migrations.ts";
import { openStage, type Stage } from "../stage.ts";

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

describe("a state of an older version", () => {
  function openOlder(stage: Stage): string {
    const file = join(stage.folder, "state.db");
    const database = new Database(file);
    migrate(database, {
      ...{ file, path: file, applicationId, now: Date.now(), version: "0.0.1" },
      migrations: migrations.slice(0, 1),
    });
    database.close();
    return file;
  }

  it("is brought up to date, and the log names the copy, and older ones", async () => {
    const stage = await openStage();
    const file = openOlder(stage);
    writeFileSync(`${file}.before-v1`, "");
    const ran = await stage.run(["sync"]);
    expect(ran.code).toBe(0);
    const line = ran.err.split("\n").find((text) => text.includes("brought up to date")) ?? "{}";
    expect(JSON.parse(line)).toMatchObject({
      level: "warn",
      copy: `${file}.before-v${migrations.length}`,
      older: [`${file}.before-v1`],
    });
    expect((await stage.run(["sync"])).err).not.toContain("brought up to date");
  });

  it("can be planned on before it is touched", async () => {
    const stage = await openStage();
    const file = openOlder(stage);
    const before = readFileSync(file);
    const planned = await stage.run(["plan"]);
    expect(planned.code).toBe(0);
    expect(planned.out).toContain("6 issues to open");
    expect(readFileSync(file).equals(before)).toBe(true);
  });
});

function makeNewer(file: string): void {
  const database = new Database(file);
  database.pragma("user_version = 99");
  database.close();
}
