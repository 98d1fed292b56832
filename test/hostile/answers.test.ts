/** @module-tag long */
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { addPlanned, openStage, type Stage } from "../support/stage.ts";
import { type Act, type Front, says, startFront } from "./front.ts";

/** The head promises more bytes than ever come. */
const breaksOff: Act = (response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": 1000 });
  response.write('{"feedback":[', () => response.destroy());
};

const deep = (open: string, close: string): string => open.repeat(10_000) + close.repeat(10_000);
/** 40 MiB of blanks in 40 kB. */
const bomb = gzipSync(Buffer.alloc(40 * 1024 * 1024, " "));

const bodies: readonly (readonly [string, Act])[] = [
  ["HTML", says("<!doctype html><title>Sign in</title>", { "content-type": "text/html" })],
  ["HTML that calls itself JSON", says("<html></html>")],
  ["nothing", says("")],
  ["text", says("OK")],
  ["a number", says("1e999")],
  ["null", says("null")],
  ["an object without a list", says('{"message":"ok"}')],
  ["two lists", says('{"posts":[{"id":"a"}],"items":[{"id":"b"}]}')],
  ["JSON with NaN", says('[{"id":"p1","votes":NaN}]')],
  ["JSON that was cut", says('{"feedback":[{"id":"p1","status":"open"},{"id":')],
  ["bytes that are no UTF-8", says(Buffer.from([0x5b, 0x22, 0xff, 0xfe, 0x22, 0x5d]))],
  ["UTF-16", says(Buffer.from('[{"id":"p1"}]', "utf16le"))],
  ["lists 10,000 deep", says(deep("[", "]"))],
  ["objects 10,000 deep", says(`${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`)],
  ["a zip bomb", says(bomb, { "content-encoding": "gzip" })],
  ["gzip that is none", says("[]", { "content-encoding": "gzip" })],
  ["a coding that was not asked for", says("[]", { "content-encoding": "br" })],
  ["fewer bytes than promised", breaksOff],
  ["more bytes than allowed", says(Buffer.alloc(33 * 1024 * 1024, " "))],
];

/** A stage with a status to write, an issue to open, and a front before one of the sides. */
async function openBehind(side: "board" | "tracker"): Promise<{ stage: Stage; front: Front }> {
  const front = await startFront();
  const stage = await openStage();
  addPlanned(stage, 1);
  await stage.sync();
  stage.github.close("acme/app", 1, "completed");
  addPlanned(stage, 1);
  const url = front.pass(side === "board" ? stage.board.url : stage.github.url);
  stage.reconfigure({ config: { [side]: { url } } });
  stage.mark();
  return { stage, front };
}

describe.each([
  ["board", "/feedback"],
  ["tracker", "/acme/app/issues"],
] as const)("a list of the %s that is", (side, part) => {
  it.each(bodies)("%s causes no write, is said, and does no harm afterwards", async (_, act) => {
    const { stage, front } = await openBehind(side);
    front.instead("GET", part, act, 4);
    const { errors } = await stage.syncOne();
    expect(stage.writes()).toEqual([]);
    expect(errors).toMatchObject([
      { code: expect.stringMatching(new RegExp(`^${side}\\.unrea(?:d|ch)able$`)) },
    ]);
    expect(errors[0]?.message.length).toBeLessThan(1000);
    while (front.taken < 4) await stage.sync();
    expect(stage.writes()).toEqual([]);
    stage.reconfigure({ config: {} });
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ created: 1, statusWrites: 1 }] });
  });
});
