import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openLedger } from "../../../../src/ledger/sqlite/sqlite.ts";
import { createPost, createRecord, noon, postId, project, pullPosts } from "../../samples.ts";
import { createFolder, options } from "../folder.ts";

it("writes nothing for a record of what stands already", async () => {
  const file = join(createFolder(), "state.db");
  const ledger = openLedger(file, options);
  const journalBytes = (): number => statSync(`${file}-wal`).size;
  const action = { kind: "patch-post", signature: "s1" } as const;
  const recordAt = async (since: number, message: string): Promise<void> => {
    const notes = [{ kind: "held", cause: "guard", message, since, action } as const];
    await ledger.commit([
      { kind: "record-row", project, post: postId("p1"), record: createRecord({ notes, due: "now" }) },
    ]);
  };
  await pullPosts(ledger, [createPost("p1")]);
  await recordAt(noon, "a person has to choose");
  const before = journalBytes();
  await recordAt(noon + 9, "a person has to choose");
  expect(journalBytes()).toBe(before);
  await recordAt(noon + 9, "26 posts would notify their voters");
  expect(journalBytes()).toBeGreaterThan(before);
  expect(await ledger.rows.held(project)).toEqual([
    expect.objectContaining({ signature: "s1", message: "26 posts would notify their voters" }),
  ]);
  ledger.close();
});
