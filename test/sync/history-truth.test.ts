import { expect, it } from "vitest";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import { readNotified } from "../../src/sync/tell/notified.ts";
import { addPlanned, minuteMs, openStage } from "../support/stage.ts";

const project = "prj_app" as ProjectId;

/** The PATCH never arrived, and nobody was mailed by us; a person has moved the post since. */
it("says of no write that voters heard of it where nobody can know that", async () => {
  const stage = await openStage();
  addPlanned(stage, [{ votes: 40 }]);
  await stage.sync();
  await stage.sync();
  stage.clock.skip(10 * minuteMs);
  stage.board.failNext(
    { kind: "answer", status: 502 },
    { times: 1, when: ({ method }) => method === "PATCH" },
  );
  stage.github.close("acme/app", 1, "completed");
  await stage.sync();
  expect(stage.board.notifications).toEqual([]);
  stage.clock.skip(6 * minuteMs);
  stage.board.editPost("acme-app", "p1", { status: "in_progress" });
  stage.clock.skip(6 * minuteMs);
  for (let run = 0; run < 3; run += 1) await stage.sync();
  const [write] = await stage.ledger.journal.history(project, "p1" as PostId, 1);
  const { outcome, message } = write ?? {};
  const heard = await readNotified(stage.ledger, project, stage.clock.now());
  expect({ outcome, message, changes: heard?.changes ?? 0 }).not.toMatchObject({
    outcome: "applied",
    changes: 1,
  });
});
