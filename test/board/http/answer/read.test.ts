import { describe, expect, it } from "vitest";
import { bounds, createFakeClock, failureOf, givenBoard, pull, serve, serveAnswers } from "../given.ts";

const empty = { body: { feedback: [] } };

describe("a read is repeated", () => {
  it.each([429, 500, 502, 503, 504])("after %i, and gives what comes at last", async (status) => {
    const server = await serveAnswers([{ status }, { status, body: "<html>" }, empty]);
    const clock = createFakeClock();
    const board = givenBoard(server.url, { retries: 3, clock });
    expect((await pull(board)).end).toEqual({ kind: "complete" });
    expect(board.requests).toBe(3);
    expect(clock.pauses).toEqual([375, 750]);
  });

  it("at most as often as configured", async () => {
    const server = await serveAnswers([{ status: 503 }]);
    const clock = createFakeClock();
    const board = givenBoard(server.url, { retries: 8, clock, random: () => 0.999 });
    expect((await failureOf(pull(board))).fault).toBe("unreachable");
    expect(server.asked).toHaveLength(9);
    expect(clock.pauses.map(Math.round)).toEqual([500, 1000, 1999, 3998, 7996, 15_992, 29_985, 29_985]);
  });

  it.each([400, 401, 404, 302])("but not after %i", async (status) => {
    const server = await serveAnswers([{ status }, empty]);
    await failureOf(pull(givenBoard(server.url, { retries: 3 })));
    expect(server.asked).toHaveLength(1);
  });

  it("when nobody listens", async () => {
    const clock = createFakeClock();
    const board = givenBoard("http://127.0.0.1:1/api/v1", { retries: 2, clock });
    const error = await failureOf(pull(board));
    expect(error.fault).toBe("unreachable");
    expect(error.message).toBe("http://127.0.0.1:1/api/v1/feedback refused the connection (ECONNREFUSED).");
    // The text of a library's error may quote what it was given.
    expect(error.cause).toBeUndefined();
    expect(clock.pauses).toHaveLength(2);
  });

  it("when the connection is cut before an answer", async () => {
    let asked = 0;
    const server = await serve((request, response) => {
      asked += 1;
      if (asked === 1) request.socket.destroy();
      else response.end("[]");
    });
    expect((await pull(givenBoard(server.url, { retries: 1 }))).end).toEqual({ kind: "complete" });
    const cut = await serve((request) => request.socket.destroy());
    const error = await failureOf(pull(givenBoard(cut.url)));
    expect(error.fault).toBe("unreachable");
    expect(error.message).toContain("cut the connection");
  });

  it("when the answer is cut off, which is an unreadable answer in the end", async () => {
    let asked = 0;
    const server = await serve((_request, response) => {
      asked += 1;
      response.writeHead(200, { "content-length": 100 });
      response.write('{"feedback":[', () => response.destroy());
    });
    const error = await failureOf(pull(givenBoard(server.url, { retries: 2 })));
    expect(error.fault).toBe("unreadable");
    expect(error.message).toContain("cut its answer off");
    expect(asked).toBe(3);
  });

  it.each<[number, string]>([
    [401, "unauthorized"],
    [503, "unreachable"],
  ])("or not, by its status %i, when only the explanation is cut off", async (status, fault) => {
    const server = await serve((_request, response) => {
      response.writeHead(status, { "content-length": 100 });
      response.write("<h1>", () => response.destroy());
    });
    const error = await failureOf(pull(givenBoard(server.url)));
    expect(error.fault).toBe(fault);
    expect(error.message).toContain("could not be read");
  });
});

describe("the board's Retry-After", () => {
  it.each<[string, string, number]>([
    ["in seconds", "7", 7275],
    ["as a date", new Date(1_000_000 + 9000).toUTCString(), 9275],
    ["in the past", new Date(0).toUTCString(), 375],
    ["of nonsense", "soon", 375],
    ["of zero", "0", 375],
  ])("%s is waited for", async (_name, value, pause) => {
    const headers = { "retry-after": value, date: new Date(1_000_000).toUTCString() };
    const server = await serveAnswers([{ status: 429, headers }, empty]);
    const clock = createFakeClock();
    await pull(givenBoard(server.url, { retries: 1, clock }));
    expect(clock.pauses).toEqual([pause]);
  });

  it.each<[number, string]>([
    [429, "limited"],
    [503, "unreachable"],
  ])("beyond the run ends the read at once, with its time (%i)", async (status, fault) => {
    const server = await serveAnswers([{ status, headers: { "retry-after": "60" } }]);
    const clock = createFakeClock();
    const reading = givenBoard(server.url, { retries: 3, clock }).verifyKey(
      bounds({ until: clock.now() + 59_000 }),
    );
    expect(await failureOf(reading)).toMatchObject({ fault, retryAt: 1_060_000 });
    expect(clock.pauses).toEqual([]);
    expect(server.asked).toHaveLength(1);
  });

  it("of years counts as a day", async () => {
    const server = await serveAnswers([{ status: 429, headers: { "retry-after": "9".repeat(30) } }]);
    const error = await failureOf(pull(givenBoard(server.url)));
    expect(error.retryAt).toBe(1_000_000 + 24 * 60 * 60 * 1000);
  });
});

describe("the bounds of a read", () => {
  it("end it before a pause that would pass them", async () => {
    const server = await serveAnswers([{ status: 500 }]);
    const clock = createFakeClock();
    const reading = givenBoard(server.url, { retries: 3, clock }).verifyKey(
      bounds({ until: clock.now() + 400 }),
    );
    expect((await failureOf(reading)).fault).toBe("unreachable");
    expect(clock.pauses).toEqual([375]);
  });

  it("keep it from beginning when the time is over", async () => {
    const board = givenBoard("http://127.0.0.1:1");
    const error = await failureOf(board.verifyKey(bounds({ until: 1_000_000 })));
    expect(error.fault).toBe("aborted");
    expect(board.requests).toBe(0);
  });

  it("keep it from beginning after the signal", async () => {
    const board = givenBoard("http://127.0.0.1:1");
    const error = await failureOf(board.verifyKey(bounds({ signal: AbortSignal.abort() })));
    expect(error.fault).toBe("aborted");
    expect(board.requests).toBe(0);
  });

  it("end it in the middle by the signal, without another try", async () => {
    const ending = new AbortController();
    const server = await serve(() => ending.abort());
    const board = givenBoard(server.url, { retries: 3 });
    const error = await failureOf(board.verifyKey(bounds({ signal: ending.signal })));
    expect(error.fault).toBe("aborted");
    expect(board.requests).toBe(1);
  });

  it("end it in the middle of a pause", async () => {
    const server = await serveAnswers([{ status: 500 }]);
    const ending = new AbortController();
    const clock = { now: () => 0, sleep: () => Promise.resolve(ending.abort()) };
    const board = givenBoard(server.url, { retries: 3, clock });
    const error = await failureOf(board.verifyKey(bounds({ signal: ending.signal })));
    expect(error.fault).toBe("aborted");
    expect(board.requests).toBe(1);
  });
});
