/** @module-tag long */
import { describe, expect, it } from "vitest";
import { StateError } from "../../src/errors.ts";
import type { ProjectId } from "../../src/model/post.ts";
import { type ImportStage, openImports } from "../support/import-stage.ts";
import { hourMs } from "../support/stage.ts";

const project = "prj_app" as ProjectId;
const titles = Array.from({ length: 10 }, (_, index) => `Wish ${index + 1}`);

/** Issues that a maintainer has labelled, each of which is to become one post. */
async function openWishes(): Promise<ImportStage> {
  const stage = await openImports();
  for (const title of titles)
    stage.github.openIssue("acme/app", { title, author: "maintainer", labels: ["idea"] });
  return stage;
}

/** Whether a run has ended before the process died. */
async function survives(stage: ImportStage): Promise<boolean> {
  try {
    await stage.sync();
    return stage.diesAt === undefined || stage.diesAt > 0;
  } catch (error) {
    if (!(error instanceof StateError)) throw error;
    stage.diesAt = undefined;
    stage.restart();
    return false;
  }
}

async function settle(stage: ImportStage): Promise<void> {
  stage.diesAt = undefined;
  for (let run = 0; run < 5; run += 1) {
    stage.clock.skip(hourMs);
    await stage.sync();
  }
}

async function expectOneEach(stage: ImportStage): Promise<void> {
  const posts = stage.board.posts("acme-app");
  expect(posts.map(({ title }) => title).toSorted()).toEqual(titles.toSorted());
  expect(stage.github.issues("acme/app")).toHaveLength(titles.length);
  expect(await stage.ledger.rows.counts(project)).toMatchObject({
    held: 0,
    parked: 0,
    issues: titles.length,
  });
  expect(await stage.ledger.imports.known(project)).toEqual([]);
  stage.mark();
  await stage.sync();
  expect(stage.writes()).toEqual([]);
}

describe("ten labelled issues become ten posts, and none a second one", () => {
  const parts = 12;

  it.each(Array.from({ length: parts }, (_, part) => part + 1))(
    "when the process dies once: at step %i, and at every twelfth from there on",
    async (first) => {
      let died = 0;
      for (let step = first; ; step += parts) {
        const stage = await openWishes();
        stage.diesAt = step;
        if (await survives(stage)) break;
        died += 1;
        await settle(stage);
        await expectOneEach(stage);
      }
      // For each of the ten there are a call and commits before and behind it, each with two sides.
      expect(died * parts).toBeGreaterThan(60);
    },
  );

  it("when it dies again and again, a few steps further each time", async () => {
    const stage = await openWishes();
    for (let step = 1; step < 60; step += 1) {
      stage.diesAt = step;
      stage.clock.skip(hourMs / 10);
      await survives(stage);
    }
    await settle(stage);
    await expectOneEach(stage);
  });
});
