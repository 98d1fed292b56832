import { expect, it } from "vitest";
import { describeState, readProjectState } from "../../src/sync/tell/project-state.ts";
import { addPlanned, minuteMs, openStage, type Stage } from "../support/stage.ts";

async function stateOf({ ledger, clock }: Stage) {
  const state = await readProjectState(ledger, "acme-app", { now: clock.now() });
  return { voters: state.needed?.voters, sentence: describeState(state) };
}

/** `voters`: "voters to notify by what needs a person" (reference/json.md), in `status --json` and its sentence. */
it("counts the voters of what a `retry` sends", async () => {
  const stage = await openStage();
  addPlanned(stage, [{ votes: 40 }]);
  await stage.sync();
  await stage.sync();
  stage.board.failNext(
    { kind: "answer", status: 400, body: { error: "This status is not known here." } },
    { times: 1, when: ({ method }) => method === "PATCH" },
  );
  stage.github.close("acme/app", 1, "completed");
  expect(await stage.syncOne()).toMatchObject({ parked: 1 });
  expect(await stage.plan()).toMatchObject([
    { kind: "patch-post", when: "held", letGoBy: "retry", notifies: 40 },
  ]);
  expect(await stateOf(stage)).toMatchObject({ voters: 40, sentence: expect.stringContaining("40 voters") });
});

it("counts the voters of what a `release` sends", async () => {
  const stage = await openStage({ config: { guard: { flips: 1 } } });
  addPlanned(stage, [{ votes: 40 }]);
  await stage.sync();
  await stage.sync();
  stage.github.label("acme/app", 1, "in progress");
  await stage.sync();
  stage.clock.skip(5 * minuteMs);
  stage.github.close("acme/app", 1, "completed");
  await stage.sync();
  expect(await stage.plan()).toMatchObject([
    { kind: "patch-post", when: "held", letGoBy: "release", notifies: 40 },
  ]);
  expect(await stateOf(stage)).toMatchObject({ voters: 40, sentence: expect.stringContaining("40 voters") });
});
