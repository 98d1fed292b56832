import { expect, it } from "vitest";
import { type AnnounceOptions, announceRun } from "../../src/daemon/announce.ts";
import { dayMs } from "../../src/model/time.ts";
import { addPlanned, hourMs, openStage, type Stage } from "../support/stage.ts";
import { createMemoryLog } from "./memory-log.ts";

function announcer(stage: Stage, digest: "daily" | "weekly" = "daily") {
  const bodies: string[] = [];
  const options: AnnounceOptions = {
    heartbeat: undefined,
    notices: { url: "https://hooks.example.com/s3cret", kind: "generic", digest },
    projects: ["acme-app"],
    ledger: stage.ledger,
    clock: stage.clock,
    log: createMemoryLog(),
    send: async ({ body }) => {
      bodies.push(String(JSON.parse(String(body)).text));
      return { kind: "answer", status: 200, headers: {}, body: "" } as never;
    },
    version: "1.2.3",
    command: "boardsync",
    signal: new AbortController().signal,
  };
  return {
    digests: () => bodies.filter((body) => body.startsWith("boardsync since")),
    announce: async () => announceRun(await stage.sync(), options),
  };
}

/** The board takes the next PATCH, and its answer is lost. */
function loseAnswer({ board }: Stage): void {
  board.failNext(
    { kind: "answer", status: 502, applied: true },
    { times: 1, when: ({ method }) => method === "PATCH" },
  );
}

it("voters that were notified by a write whose answer was lost are in one of the digests", async () => {
  const stage = await openStage();
  const { digests, announce } = announcer(stage);
  addPlanned(stage, 1);
  await announce();
  await announce();
  stage.clock.skip(dayMs);
  stage.github.close("acme/app", 1, "completed");
  loseAnswer(stage);
  await announce();
  expect(stage.board.notifications).toHaveLength(1);
  expect(digests()).toHaveLength(1);
  for (let day = 0; day < 3; day += 1) {
    stage.clock.skip(hourMs);
    await announce();
    stage.clock.skip(dayMs);
    await announce();
  }
  expect(await stage.ledger.journal.history("prj_app" as never, "p1" as never, 5)).toMatchObject([
    { kind: "patch-post", outcome: "applied" },
    {},
  ]);
  expect(digests().some((text) => text.includes("1 change of status, 3 voters notified"))).toBe(true);
});

it("counts the voters that there were when they were notified", async () => {
  const stage = await openStage();
  const { digests, announce } = announcer(stage);
  addPlanned(stage, 1);
  await announce();
  await announce();
  stage.github.close("acme/app", 1, "completed");
  await announce();
  stage.board.editPost("acme-app", "p1", { votes: 500 } as never);
  stage.clock.skip(dayMs);
  await announce();
  expect(digests()[0]).toContain("1 change of status, 3 voters notified");
});

it("of a week is of a week, however short the history is kept", async () => {
  const stage = await openStage({
    config: { keep: "1d", notices: { url: "https://hooks.example.com/s3cret", digest: "weekly" } },
  });
  const { digests, announce } = announcer(stage, "weekly");
  addPlanned(stage, 2);
  await announce();
  await announce();
  stage.github.close("acme/app", 1, "completed");
  await announce();
  for (let run = 0; run < 30; run += 1) {
    stage.clock.skip(6 * hourMs);
    await announce();
  }
  expect(digests()[0]).toContain("1 change of status, 3 voters notified");
});
