import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pickRecord } from "../../../src/board/http/answer/record.ts";
import { findIdName, findList } from "../../../src/board/http/answer/shape.ts";
import { createExcerpt } from "../../../src/board/http/answer/wording.ts";
import { readSigns } from "../../../src/board/http/list/page-signs.ts";
import { createPaging } from "../../../src/board/http/list/paging.ts";
import { readProjects } from "../../../src/board/http/projects.ts";
import { RemoteError } from "../../../src/errors.ts";
import { postFields } from "../../../src/model/post.ts";
import { expectLinear } from "../../support/growth.ts";

/** Keys that a board uses, so that arbitrary JSON comes close to what is recognised. */
const keys = fc.oneof(
  fc.constantFrom(
    ...["feedback", "posts", "data", "items", "id", "_id", "uuid", "next", "nextUrl", "links", "href"],
    ...[
      "nextCursor",
      "cursor",
      "hasMore",
      "page",
      "totalPages",
      "offset",
      "total",
      "limit",
      "meta",
      "pagination",
    ],
    ...["__proto__", "constructor", "toString", "projects", "category", "votes", ...postFields],
  ),
  fc.string(),
);
const scalars = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.webUrl(),
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom("/x", "?a=1", "//evil.example", "http://[", "2026-01-01"),
);
const { json } = fc.letrec<{ json: unknown; object: object; list: unknown[] }>((tie) => ({
  json: fc.oneof({ maxDepth: 4 }, scalars, tie("object"), tie("list")),
  object: fc
    .array(fc.tuple(keys, tie("json")), { maxLength: 6 })
    .map((entries) =>
      JSON.parse(
        `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value) ?? "null"}`).join(",")}}`,
      ),
    ),
  list: fc.array(tie("json"), { maxLength: 6 }),
}));

const excerpt = createExcerpt("secret-key");
const first = new URL("https://board.example/api/v1/feedback?project=prj_1");

/** Runs something that may only succeed or fail in the one way that callers know. */
function attempt<T>(run: () => T): T | undefined {
  try {
    return run();
  } catch (error) {
    expect(error).toBeInstanceOf(RemoteError);
    if (error instanceof RemoteError) {
      expect(error.message.length).toBeLessThan(3000);
      expect(error.message).not.toMatch(/\p{Cc}/u);
    }
    return undefined;
  }
}

describe("whatever JSON the board answers", () => {
  it("is a list with an id, or an error of the board", () => {
    fc.assert(
      fc.property(json, (value) => {
        const list = attempt(() => findList(value, undefined, excerpt));
        if (list === undefined) return;
        const id = attempt(() => findIdName(list.records, undefined, excerpt));
        for (const record of list.records) {
          const { post } = pickRecord(record, id, {});
          if (post === undefined) continue;
          expect(post.id).toMatch(/^[^\p{Cc}]{1,200}$/u);
          expect(encodeURIComponent(post.id)).not.toContain("/");
          for (const [field, shown] of Object.entries(post.values)) {
            expect(postFields).toContain(field);
            expect(["string", "number", "boolean"]).toContain(shown === null ? "string" : typeof shown);
          }
        }
      }),
      { numRuns: 2000 },
    );
  });

  it("has a next page on the same origin with the project, an end, or an error of the board", () => {
    fc.assert(
      fc.property(
        json,
        fc.string({ unit: "binary" }),
        fc.integer({ min: 0, max: 60 }),
        (value, link, count) => {
          const limits = { pages: 3, posts: 100, bytes: 1e6 };
          const paging = createPaging({ first, project: "prj_1", overrides: {}, limits, excerpt });
          const signs = readSigns(value, { link }, { list: "data.feedback" }, count);
          const page = {
            signs,
            url: first,
            records: count,
            bytes: 10,
            fresh: count,
            hasRepeated: false,
            unusable: 0,
            lastId: "p",
          };
          const step = attempt(() => paging.follow(page));
          if (step?.kind !== "next") return;
          expect(step.url.origin).toBe(first.origin);
          expect(step.url.searchParams.getAll("project")).toEqual(["prj_1"]);
          expect(step.url.href).not.toBe(first.href);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it("is a list of projects with ids, or an error of the board", () => {
    fc.assert(
      fc.property(json, (value) => {
        for (const project of attempt(() => readProjects(value, excerpt)) ?? []) {
          expect(project.id.length).toBeGreaterThan(0);
        }
      }),
    );
  });

  it("is quoted in one safe line without the key", () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string({ unit: "binary" }), fc.constant("secret-key"))), (parts) => {
        const line = excerpt(parts.join(""), 50);
        expect(line).not.toMatch(/[\p{Cc}\p{Cs}]/u);
        expect(line).not.toContain("secret-key");
        expect(line.length).toBeLessThanOrEqual(51);
      }),
    );
  });

  it.each([
    ["", "<a>;"],
    ["", "<"],
    ["<a>", "; rel="],
    ["<a>;", " "],
  ])("is read with work that grows no faster than the header: %j, then %j", (start, piece) => {
    const limits = { pages: 3, posts: 100, bytes: 1e6 };
    expectLinear((size) => {
      const link = start + piece.repeat(size / piece.length);
      const paging = createPaging({ first, project: "p", overrides: {}, limits, excerpt });
      const signs = readSigns({}, { link }, { list: "x" }, 1);
      paging.follow({
        signs,
        url: first,
        records: 1,
        bytes: 10,
        fresh: 1,
        hasRepeated: false,
        unusable: 0,
        lastId: "p",
      });
    }, piece);
  });
});
