import { deflateSync, gzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createExcerpt } from "../../src/board/http/answer/wording.ts";
import { classifyPatch } from "../../src/board/http/patch.ts";
import { issueAddress } from "../../src/daemon/page/addresses.ts";
import { readRetryAfter } from "../../src/http/headers.ts";
import type { NoAnswer, Reply } from "../../src/http/send.ts";
import type { PostId } from "../../src/model/post.ts";
import { normaliseBlock, replaceBlock, splitBody } from "../../src/plan/text/block.ts";
import { formatMarker, parseMarker } from "../../src/plan/text/marker.ts";
import { redactPeople } from "../../src/plan/text/redact.ts";
import { createGate } from "../../src/tracker/github/wire/limits.ts";
import { hostileText } from "../plan/hostile-text.ts";
import { expectLinear } from "../support/growth.ts";

const now = Date.parse("2026-03-02T08:00:00Z");
const dayMs = 24 * 3_600_000;

/** What servers, proxies and enemies put where a time belongs. */
const times = fc.oneof(
  fc.constantFrom(
    ...["", " ", "0", "-1", "5", " 7 ", "1.5", "1e308", "9".repeat(400), "0x10", "NaN", "Infinity", "soon"],
    ...["Wed, 21 Oct 2015 07:28:00 GMT", "Mon, 02 Mar 2026 08:05:00 GMT", "+275760-09-13T00:00:00Z"],
  ),
  fc.integer().map(String),
  fc.double().map(String),
  fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
  fc.string(),
);

describe("a time that a header names", () => {
  it("is none, or between now and a day from now", () => {
    fc.assert(
      fc.property(times, (header) => {
        const at = readRetryAfter({ "retry-after": header }, now);
        if (at === undefined) return;
        expect(at).toBeGreaterThan(now);
        expect(at).toBeLessThanOrEqual(now + dayMs);
      }),
    );
  });

  it("closes the way to GitHub for a day at most, and never into the past", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({ status: fc.constantFrom(403, 429, 200, 503), after: times, reset: times, left: times }),
          {
            maxLength: 8,
          },
        ),
        (answers) => {
          const gate = createGate({ now: () => now, sleep: () => Promise.resolve() });
          for (const { status, after, reset, left } of answers) {
            const headers = {
              "retry-after": after,
              "x-ratelimit-reset": reset,
              "x-ratelimit-remaining": left,
            };
            const at = gate.observe({ url: "https://api.github.com/", status, headers, data: {} }) ?? now + 1;
            expect(at).toBeGreaterThan(now);
            expect(at).toBeLessThanOrEqual(now + dayMs);
          }
        },
      ),
    );
  });
});

const bytes = fc.oneof(
  fc.json().map((text) => Buffer.from(text)),
  fc.json().map((text) => Buffer.from(`\uFEFF${text}`)),
  fc.json().map((text) => Buffer.from(text.slice(0, text.length >> 1))),
  fc.json().map((text) => gzipSync(text)),
  fc.json().map((text) => deflateSync(text)),
  fc.uint8Array().map((array) => Buffer.from(array)),
  fc.constant(
    Buffer.from('{"id":"p1","id":"p2","__proto__":{"id":"p1"},"feedback":{"id":"p1","votes":1e999}}'),
  ),
  fc.constant(Buffer.from(`${"[".repeat(50_000)}`)),
);
const replies: fc.Arbitrary<Reply> = fc.oneof(
  fc.record({
    kind: fc.constant("answer" as const),
    status: fc.oneof(fc.integer({ min: 100, max: 599 }), fc.constantFrom(200, 204, 400, 401, 404, 422, 429)),
    headers: fc.dictionary(
      fc.constantFrom("content-encoding", "content-type", "location", "retry-after"),
      fc.oneof(
        times,
        fc.constantFrom("gzip", "x-gzip", "br", "identity", "gzip, gzip", "//evil.example", "http://["),
      ),
    ),
    body: bytes,
  }),
  fc.record(
    {
      kind: fc.constantFrom("lost" as const, "oversized" as const),
      status: fc.integer({ min: 0, max: 599 }),
      headers: fc.constant({}),
      message: fc.constant("cut its answer off"),
      detail: fc.constant("slow" as const),
    },
    { requiredKeys: ["kind", "status", "headers", "message"] },
  ),
  fc.constantFrom<NoAnswer["kind"]>("unsent", "aborted").map(
    (kind): NoAnswer => ({
      kind,
      message: "is gone",
      status: 0,
      headers: {},
    }),
  ),
);

/** Statuses by which a board says that it did nothing. */
const definite: Readonly<Record<string, readonly number[]>> = {
  rejected: [400, 409, 410, 413, 422],
  unauthorized: [401, 403],
  missing: [404],
  // A limit may come in any status of an error; without a word of it or a time it is none.
  limited: Array.from({ length: 200 }, (_, index) => 400 + index),
};

it("whatever comes back for a PATCH is an outcome, and only a definite answer is a definite one", () => {
  const excerpt = createExcerpt("secret-key");
  fc.assert(
    fc.property(replies, (reply) => {
      const outcome = classifyPatch(reply, {
        post: "p1" as PostId,
        url: new URL("https://board.example/api/v1/feedback/p1"),
        names: {},
        excerpt,
        now,
      });
      const { status } = reply;
      if (outcome.kind === "unknown") return;
      if (outcome.kind === "unsent") expect(reply.kind).toBe("unsent");
      else if (outcome.kind !== "applied") expect(definite[outcome.kind]).toContain(status);
      else {
        expect(reply.kind).toBe("answer");
        expect(Math.floor(status / 100)).toBe(2);
        if (outcome.post !== undefined) expect(outcome.post.id).toBe("p1");
      }
    }),
    { numRuns: 1000 },
  );
});

describe("a body of an issue, whatever people made of it", () => {
  const marker = formatMarker({ board: "0".repeat(16), project: "p" as never, posts: ["a" as PostId] });
  const bodies = fc
    .array(
      fc.oneof(
        hostileText,
        fc.constantFrom(marker, "<!-- boardsync:end -->", "<!--", "-->", "\r\n", "\uFEFF"),
      ),
    )
    .map((parts) => parts.join("\n"));

  it("has no marker, or one that we could have written ourselves", () => {
    fc.assert(
      fc.property(bodies, (body) => {
        const found = parseMarker(body);
        if (found === undefined) return;
        expect(body.trimStart()).toContain(formatMarker(found));
        expect(found.posts.length).toBeGreaterThan(0);
      }),
    );
  });

  it("keeps what is outside of our block when that is replaced", () => {
    fc.assert(
      fc.property(bodies, (body) => {
        const split = splitBody(body);
        if (split === undefined) return;
        const replaced = replaceBlock(split, split.marker, "new", 65_535);
        expect(splitBody(replaced?.body ?? "")).toEqual({ ...split, block: "new" });
      }),
    );
  });
});

describe("the work on a text grows no faster than the text", () => {
  const works: readonly (readonly [string, (text: string) => unknown])[] = [
    ["the marker", parseMarker],
    ["the block", splitBody],
    ["the comparison of blocks", normaliseBlock],
    ["a quote of the board", createExcerpt("secret-key")],
    ["the name of an issue", (text) => issueAddress("https://github.com", text)],
    ["what hides people", (text) => redactPeople(text, ["email", "phone"])],
  ];
  const pieces = [
    "a.",
    "0 1",
    "+1 ",
    "(12)-",
    "<!--",
    "<!-- boardsync:v1 board=0000000000000000 project=",
    " \t",
    "\r",
    "\n\n",
    "a@",
    "a/",
    "@",
    "a,",
    "\uFEFF ",
  ];

  it.each(works)("%s", (_, work) => {
    for (const piece of pieces) {
      expectLinear((size) => work(marked + piece.repeat(size / piece.length)), piece);
    }
  });
  const marked = formatMarker({ board: "0".repeat(16), project: "p" as never, posts: ["a" as PostId] });
});
