/** @module-tag long */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { failureOf, givenBoard, pull, serve, serveAnswers } from "./given.ts";

const mebibyte = 1024 * 1024;

/** A page of about so many MiB, of posts with long texts. */
function makePage(size: number): Buffer {
  const description = "As a customer I need this about ten times a month. ".repeat(14);
  const length = Math.floor((size * mebibyte) / 820);
  const posts = Array.from({ length }, (_, index) => ({
    id: `post_${index}`,
    title: `Wish ${index}`,
    status: "open",
    description: `${index} ${description}`.padEnd(730, "x"),
  }));
  return Buffer.from(JSON.stringify({ feedback: posts, nextCursor: null }));
}

/** Lists a board in a process of its own, whose heap ends at `heapMb`; the number of posts. */
async function countPosts(url: string, heapMb: number): Promise<number> {
  const adapter = new URL("../../../src/board/http/http.ts", import.meta.url).href;
  const wire = new URL("../../../src/http/send.ts", import.meta.url).href;
  const script = `
    import { createHttpBoard } from ${JSON.stringify(adapter)};
    import { createSender } from ${JSON.stringify(wire)};
    const clock = { now: Date.now, sleep: async () => undefined };
    const log = { debug() {}, info() {}, warn() {}, error() {} };
    const sender = createSender({ proxy: {}, timeoutMs: 60000, clock });
    const options = { key: "key", version: "1", sender, retries: 0, random: Math.random, clock, log };
    const board = createHttpBoard({ url: ${JSON.stringify(url)}, ...options });
    let posts = 0;
    const bounds = { until: Infinity, signal: new AbortController().signal };
    for await (const page of board.listPosts("p", bounds)) posts += page.posts.length;
    process.stdout.write(String(posts));`;
  const args = [`--max-old-space-size=${heapMb}`, "--input-type=module", "--eval", script];
  return Number((await promisify(execFile)(process.execPath, args)).stdout);
}

describe("a page of 30 MB", () => {
  it("is read, with memory for a few times its size", async () => {
    const page = makePage(30);
    expect(page.length).toBeGreaterThan(30 * 1_000_000);
    const { url } = await serve((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(page);
    });
    expect(await countPosts(url, 200)).toBe(Math.floor((30 * mebibyte) / 820));
  });
});

describe("a page of more than 32 MiB", () => {
  it("is an error that says what to set; the rest of it is not even received", async () => {
    let sent = 0;
    const { url } = await serve((_request, response) => {
      const chunk = Buffer.alloc(mebibyte, " ");
      const more = (): void => {
        if (response.destroyed) return;
        sent += 1;
        response.write(chunk, more);
      };
      more();
    });
    const error = await failureOf(pull(givenBoard(url, { timeoutMs: 60_000 })));
    expect([error.fault, error.message]).toEqual([
      "unreadable",
      `${url}/feedback answered with a body of more than 32 MiB. Let the board send smaller pages: board.paging.sizeParam and size.`,
    ]);
    expect(sent).toBeLessThan(64);
  });

  it("is no way to say more, either, when it comes compressed", async () => {
    const { gzipSync } = await import("node:zlib");
    const body = gzipSync(Buffer.alloc(33 * mebibyte, " "));
    const { url } = await serveAnswers([{ body, headers: { "content-encoding": "gzip" } }]);
    const error = await failureOf(pull(givenBoard(url)));
    expect(error.message).toContain("a body of more than 32 MiB. Let the board send smaller pages");
  });
});
