import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { DatabaseStatus } from "../../src/commands/open/status.ts";
import { openLedger } from "../../src/ledger/sqlite/sqlite.ts";
import { openStage, type Stage } from "./stage.ts";

const dayMs = 86_400_000;

/** A run that has opened the issues, deleted from the history as if it had been long ago, and a second one that is young. */
async function openPruned(): Promise<Stage> {
  const stage = await openStage();
  await stage.run(["sync"]);
  const now = Date.now();
  const ledger = openLedger(join(stage.folder, "state.db"), { now, version: "1" });
  await ledger.upkeep.prune(now + dayMs + 1, dayMs);
  ledger.close();
  stage.story.github.close("acme/app", 1, "completed");
  await stage.run(["sync"]);
  return stage;
}

describe("a history of which something was deleted", () => {
  it("is told with the time from which on it is whole", async () => {
    const stage = await openPruned();
    const { json } = await stage.run(["history", "--json"]);
    expect(json()).toMatchObject({ writes: [{ run: 2 }], historySince: expect.stringMatching(/Z$/) });
    const { out } = await stage.run(["history"]);
    expect(out).toMatch(
      /1 write\.\nWhat was written before .+ \(.+\) was deleted \(`keep` in the config\)\.\n$/,
    );
    const status = await stage.run(["status", "--json"]);
    expect(status.json()).toMatchObject({ database: { historySince: expect.stringMatching(/Z$/) } });
  });

  it("does not say so where nothing older was asked for, or more is there", async () => {
    const stage = await openPruned();
    const words = "was deleted";
    const { json } = await stage.run(["history", "--json"]);
    const { historySince } = json() as { readonly historySince: string };
    expect((await stage.run(["history", "--since", historySince])).out).not.toContain(words);
  });

  it("undoes no run by halves without saying so", async () => {
    const stage = await openPruned();
    const { code, out } = await stage.run(["undo", "1", "--yes"]);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^Undo of run 1: What it may have written before .+ \(.+\) was deleted from the history/,
    );
    expect((await stage.run(["undo", "2", "--yes"])).err).not.toContain("was deleted");
  });

  it("changes nothing of what both sides agreed on", async () => {
    const stage = await openPruned();
    const writes = stage.story.board.notifications.length;
    const { json } = await stage.run(["sync", "--json"]);
    expect(json()).toMatchObject({ result: "ok", projects: [{ created: 0, postWrites: 0 }, { created: 0 }] });
    expect(stage.story.board.notifications).toHaveLength(writes);
  });
});

describe("the size of the state", () => {
  it("is printed by `status`, for the whole and for each link", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    const { out } = await stage.run(["status"]);
    expect(out).toMatch(/\nThe state takes [\d.]+ kB(; .*)?\.\n/);
    const { json } = await stage.run(["status", "--json"]);
    const { database } = json() as { readonly database: DatabaseStatus };
    expect(database).toMatchObject({ links: 6, historySince: null });
    expect(database.bytesPerLink).toBe(Math.round((database.bytes - database.freeBytes) / 6));
  });
});
