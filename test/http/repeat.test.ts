import { describe, expect, it } from "vitest";
import { createFakeClock, givenBoard, bounds as ofRun, serve } from "../board/http/given.ts";
import { createFixture, failureOf, start, unbounded } from "../tracker/github/setup.ts";

/** The server's clock is ahead of ours by so much. */
const aheadMs = 90_000;
const date = new Date(start + aheadMs).toUTCString();

/** A server that is busy once, and says when to come back. */
async function startBusy(status: number, after: string): Promise<string> {
  let asked = 0;
  const server = await serve((_request, response) => {
    asked += 1;
    if (asked === 1) response.writeHead(status, { "retry-after": after, date }).end("{}");
    else response.writeHead(200, { "content-type": "application/json", date }).end('{"login":"bot"}');
  });
  return server.origin;
}

describe.each([429, 503])("what a %i names as its time is waited for, alike on both sides", (status) => {
  it.each<[string, string, number | undefined]>([
    ["seconds", "20", 20_000],
    ["seconds with blanks", " 20 ", 20_000],
    ["a date", new Date(start + aheadMs + 20_000).toUTCString(), 20_000],
    ["an old form of a date", "Monday, 05-Jan-26 10:01:50 GMT", 20_000],
    ["a time since 1970", String((start + aheadMs + 20_000) / 1000), 20_000],
    ["a date in the past of the server", new Date(start + 20_000).toUTCString(), undefined],
    ["no seconds", "0", undefined],
    ["a part of a second", "1.5", undefined],
    ["what was before", "-5", undefined],
    ["nothing that is a time", "soon", undefined],
  ])("%s (%s)", async (_, after, waitMs) => {
    const clock = createFakeClock(start);
    await givenBoard(await startBusy(status, after), { retries: 1, clock }).verifyKey(ofRun());
    const fixture = createFixture(await startBusy(status, after), { retries: 1 });
    const reading = fixture.tracker.account(unbounded());
    if (waitMs === undefined && status === 429) {
      // Without a time GitHub is left alone for a minute.
      await reading;
      expect(fixture.clock.sleeps).toEqual([60_275]);
      expect(clock.pauses).toEqual([375]);
      return;
    }
    expect(await reading).toEqual({ login: "bot" });
    const named = waitMs === undefined ? undefined : waitMs + 275;
    expect([clock.pauses, fixture.clock.sleeps]).toEqual([[named ?? 375], [named ?? 750]]);
  });
});

it("a longer time than a minute is waited for within the run on the board, and ends a read of GitHub", async () => {
  const clock = createFakeClock(start);
  await givenBoard(await startBusy(503, "300"), { retries: 1, clock }).verifyKey(ofRun());
  expect(clock.pauses).toEqual([300_275]);
  const { tracker } = createFixture(await startBusy(503, "300"), { retries: 1 });
  expect(await failureOf(tracker.account(unbounded()))).toMatchObject({ retryAt: start + 300_000 });
});
