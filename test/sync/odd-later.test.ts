import { expect, it } from "vitest";
import { addPlanned, hourMs, minuteMs, openStage, type Stage } from "../support/stage.ts";

type Rec = Record<string, unknown>;

/** From now on the board lists its posts like this. */
async function relist(stage: Stage, change: (posts: Rec[]) => readonly Rec[], times = 1): Promise<void> {
  const { board } = stage;
  const address = `${board.url}/feedback?project=prj_app`;
  const answer = await fetch(address, { headers: { authorization: `Bearer ${board.key}` } });
  const { feedback } = (await answer.json()) as { feedback: Rec[] };
  const when = ({ path, method }: { path: string; method: string }) =>
    path === "/feedback" && method === "GET";
  board.failNext({ kind: "answer", status: 200, body: { feedback: change(feedback) } }, { times, when });
}

it("a lost write does not count as moved by a person because one list can't be read: it is in doubt, and that is said", async () => {
  const stage = await openStage();
  addPlanned(stage, 2);
  await stage.sync();
  await stage.sync();
  stage.clock.skip(hourMs);
  stage.board.failNext(
    { kind: "answer", status: 502 },
    { times: 1, when: ({ method }) => method === "PATCH" },
  );
  stage.github.close("acme/app", 1, "completed");
  await stage.sync();
  stage.clock.skip(10 * minuteMs);
  await relist(stage, ([first, second]) => [{ ...first, status: { en: "Planned" } }, second as Rec]);
  expect(await stage.syncOne()).toMatchObject({
    parked: 1,
    errors: [{ code: "board.unsure" }, { code: "tracker.undecided" }],
  });
  const request = { kind: "retry", posts: ["p1"], project: "prj_app", at: stage.clock.now() } as never;
  await stage.ledger.commit([{ kind: "add-request", request }]);
  stage.clock.skip(10 * minuteMs);
  await stage.sync();
  expect(stage.board.post("acme-app", "p1")?.status).toBe("completed");
});
