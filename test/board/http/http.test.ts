import { inspect } from "node:util";
import { describe, expect, it, onTestFinished } from "vitest";
import { createHttpBoard } from "../../../src/board/http/http.ts";
import { ConfigError } from "../../../src/errors.ts";
import { createSender } from "../../../src/http/send.ts";
import type { ProjectId } from "../../../src/model/post.ts";
import { startSandboxBoard } from "../../support/sandbox/board/board.ts";
import { bounds, failureOf, givenBoard, key, postId, project, pull, serve, serveAnswers } from "./given.ts";

describe("the key", () => {
  it.each<[string, number, unknown]>([
    ["any JSON", 200, { ok: true }],
    ["HTML", 200, "<p>Welcome</p>"],
    ["nothing", 204, undefined],
  ])("is accepted where the board answers 2xx with %s", async (_name, status, body) => {
    const server = await serveAnswers([{ status, body }]);
    await givenBoard(`${server.url}/`).verifyKey(bounds());
    expect(server.asked).toMatchObject([
      {
        method: "GET",
        url: "/api/v1",
        headers: {
          authorization: `Bearer ${key}`,
          "user-agent": "boardsync/1.2.3",
          accept: "application/json",
        },
      },
    ]);
  });

  it("is accepted by a board that knows its address with a slash only", async () => {
    const server = await serve((request, response) => {
      response.writeHead(request.url === "/api/v1/" ? 200 : 404).end();
    });
    await expect(givenBoard(server.url).verifyKey(bounds())).resolves.toBeUndefined();
  });

  it.each([401, 403])("is refused with %i", async (status) => {
    const server = await serveAnswers([{ status, body: { error: { message: `No access for ${key}.` } } }]);
    const error = await failureOf(givenBoard(server.url).verifyKey(bounds()));
    expect(error).toMatchObject({ side: "board", fault: "unauthorized", code: "board.unauthorized" });
    expect(error.message).toBe(`The board refused the key (HTTP ${status}): "No access for [key].".`);
    expect(server.asked).toHaveLength(1);
  });

  it("can't be proven at a wrong address, and that is said", async () => {
    const server = await serveAnswers([{ status: 404, body: "<h1>Not found</h1>" }]);
    const error = await failureOf(givenBoard(server.url).verifyKey(bounds()));
    expect(error.fault).toBe("refused");
    expect(error.message).toContain("Check board.url");
    expect(server.asked.map(({ url }) => url)).toEqual(["/api/v1", "/api/v1/"]);
  });

  it.each(["", "two words", "line\nbreak", "schlüssel"])("can't be %j at all", (bad) => {
    expect(() => givenBoard("http://127.0.0.1:1", { key: bad })).toThrow(ConfigError);
  });

  it("is in no error, whatever the board answers", async () => {
    const echoes = [
      { status: 500, body: `<b>${key}</b>` },
      { status: 400, body: { message: `${key} ${key}` } },
      { status: 302, headers: { location: `/login/${key}?key=${key}` } },
      { status: 200, body: `${key} is not JSON` },
      { status: 200, body: { [key]: 1 } },
      { status: 200, body: { feedback: [{ id: "p1", uuid: "u1", [key]: 1 }] } },
      { status: 200, body: { feedback: [{ id: "p1" }], next: `https://${key}.example/` } },
      { status: 200, body: { feedback: [{ id: "p1" }], next: `http://[${key}` } },
    ];
    for (const echo of echoes) {
      const server = await serveAnswers([echo]);
      const error = await failureOf(pull(givenBoard(server.url)));
      expect(error.message).not.toContain(key);
      expect(inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true })).not.toContain(key);
    }
  });
});

describe("the projects", () => {
  async function projectsOf(body: unknown) {
    const server = await serveAnswers([{ body }]);
    return { projects: await givenBoard(server.url).listProjects(bounds()), asked: server.asked };
  }

  it("are those of the board", async () => {
    const sandbox = await startSandboxBoard({
      key,
      projects: [{ id: "prj_1", slug: "acme-app", name: "Acme App" }, { id: "prj_2" }],
    });
    onTestFinished(() => sandbox.close());
    expect(await givenBoard(sandbox.url).listProjects(bounds())).toEqual([
      { id: "prj_1", slug: "acme-app", name: "Acme App" },
      { id: "prj_2", slug: "prj_2", name: "prj_2" },
    ]);
  });

  it.each<[string, unknown]>([
    ["a bare array", [{ id: 7 }]],
    ["an answer in an envelope", { data: { projects: [{ id: 7 }] } }],
    ["an answer with a warning", { projects: [{ id: 7 }], error: "The search is down" }],
    ["a list called data", { data: [{ id: 7 }] }],
  ])("are also read from %s", async (_name, body) => {
    const { projects, asked } = await projectsOf(body);
    expect(projects).toEqual([{ id: "7", slug: undefined, name: "7" }]);
    expect(asked.map(({ url }) => url)).toEqual(["/api/v1/projects"]);
  });

  it("may be none, and malformed ones are left out", async () => {
    expect((await projectsOf({ projects: [] })).projects).toEqual([]);
    const { projects } = await projectsOf({
      projects: [null, {}, "x", { id: "" }, { id: "ok", slug: "s", name: 3 }],
    });
    expect(projects).toEqual([{ id: "ok", slug: "s", name: "s" }]);
  });

  it.each<[unknown, string]>([
    [{ teams: [], user: 1 }, "teams, user"],
    ["text", "(none)"],
    [null, "(none)"],
  ])("are an error in any other answer, such as %j", async (body, keys) => {
    const server = await serveAnswers([{ body: JSON.stringify(body) }]);
    const error = await failureOf(givenBoard(server.url).listProjects(bounds()));
    expect(error.fault).toBe("unreadable");
    expect(error.message).toContain(keys);
    // `board.list` says where posts are, and nothing of projects.
    expect(error).toMatchObject({ detail: "told", message: expect.stringContaining("board.url") });
  });

  it.each<[string, object, object, string]>([
    ["a cursor", { nextCursor: "c2" }, {}, "/api/v1/projects?cursor=c2"],
    ["numbered", { page: 1, totalPages: 2 }, { page: 2, totalPages: 2 }, "/api/v1/projects?page=2"],
    ["an address", { next: "/api/v1/projects?after=7" }, {}, "/api/v1/projects?after=7"],
  ])("are those of all pages: %s", async (_, sign, last, second) => {
    const server = await serveAnswers([
      { body: { projects: [{ id: 7 }], ...sign } },
      { body: { projects: [{ id: 8 }], ...last } },
    ]);
    expect(await givenBoard(server.url).listProjects(bounds())).toMatchObject([{ id: "7" }, { id: "8" }]);
    expect(server.asked.map(({ url }) => url)).toEqual(["/api/v1/projects", second]);
  });

  it.each<[string, readonly object[]]>([
    ["nowhere", [{ status: 404 }]],
    ["to what was shown before", [{ body: { projects: [{ id: 7 }], hasMore: true, nextCursor: "c3" } }]],
    ["to a page of another kind", [{ body: "<p>hello</p>" }]],
  ])("end where a sign of more leads %s", async (_, then) => {
    const server = await serveAnswers([{ body: { projects: [{ id: 7 }], nextCursor: "c2" } }, ...then]);
    expect(await givenBoard(server.url).listProjects(bounds())).toMatchObject([{ id: "7" }]);
    expect(server.asked).toHaveLength(2);
  });

  it("are not taken for all where a later page gets no answer", async () => {
    const server = await serveAnswers([
      { body: { projects: [{ id: 7 }], nextCursor: "c2" } },
      { status: 503 },
    ]);
    expect((await failureOf(givenBoard(server.url).listProjects(bounds()))).fault).toBe("unreachable");
  });

  it("are at a wrong address where there are none", async () => {
    const server = await serveAnswers([{ status: 404 }]);
    const error = await failureOf(givenBoard(server.url).listProjects(bounds()));
    expect(error.message).toContain("Check board.url");
    const down = await serveAnswers([{ status: 503 }]);
    expect((await failureOf(givenBoard(down.url).listProjects(bounds()))).fault).toBe("unreachable");
  });
});

describe("a listing that the board does not answer with 2xx fails", () => {
  it.each<[number, string, string]>([
    [301, "refused", "redirects to https://elsewhere.example/feedback (HTTP 301)"],
    [304, "refused", "HTTP 304"],
    [400, "refused", "HTTP 400"],
    [401, "unauthorized", "refused the key"],
    [403, "unauthorized", "refused the key"],
    [404, "missing", 'the project "prj_1"'],
    [418, "refused", "HTTP 418"],
    [429, "limited", "limits requests"],
    [500, "unreachable", "failed (HTTP 500)"],
    [503, "unreachable", "failed (HTTP 503)"],
  ])("%i as %s", async (status, fault, says) => {
    const headers = { location: "https://elsewhere.example/feedback?secret=1" };
    const server = await serveAnswers([{ status, headers, body: { message: "Because." } }]);
    const error = await failureOf(pull(givenBoard(server.url)));
    expect(error).toMatchObject({ side: "board", fault, retryAt: undefined });
    expect(error.message).toContain(says);
    expect(error.message).not.toContain("secret");
    expect(server.asked).toHaveLength(1);
  });

  it.each<[string, string | undefined]>([
    ["without a Location", undefined],
    ["with one that can't be parsed", "http://["],
  ])("a redirect %s", async (_name, location) => {
    const headers = location === undefined ? {} : { location };
    const server = await serveAnswers([{ status: 302, headers }]);
    const error = await failureOf(pull(givenBoard(server.url)));
    expect(error.message).toContain("an address that can't be read");
  });

  it.each<[string, string, string]>([
    ["of an API that has moved", "https://new.example/v2/feedback", "told"],
    ["to a login page", "https://login.example/?next=/feedback", "page"],
    ["to a maintenance page of its own", "/sorry", "page"],
    ["in circles", "", "page"],
  ])("a redirect %s: only the first has another address to set", async (_name, location, detail) => {
    const server = await serveAnswers([{ status: 302, headers: { location } }]);
    const error = await failureOf(pull(givenBoard(server.url)));
    expect(error).toMatchObject({ fault: "refused", detail });
    expect(error.message.includes("set board.url to the address itself")).toBe(detail === "told");
  });

  it.each<[unknown, string]>([
    [{ error: { message: "one" } }, '"one"'],
    [{ message: "two" }, '"two"'],
    [{ error: "three" }, '"three"'],
    [{ detail: "four" }, '"four"'],
    [{ errors: [{ message: "five" }] }, '"five"'],
    [{ errors: ["six"] }, '"six"'],
    [{ code: 7 }, "JSON without a message, with the keys code"],
    ["<html>eight", 'it answered with HTML instead of JSON, starting "<html>eight"'],
    [undefined, "no explanation"],
    [{ message: `\u001b[31mred\n${"x".repeat(500)}` }, "\\u{1b}[31mred xxx"],
  ])("with what the board said: %j", async (body, says) => {
    const server = await serveAnswers([{ status: 400, body }]);
    const error = await failureOf(pull(givenBoard(server.url)));
    expect(error.message).toContain(says);
    expect(error.message.length).toBeLessThan(400);
  });
});

describe("an answer that is no JSON fails a listing", () => {
  const deep = `${"[".repeat(65)}${"]".repeat(65)}`;
  it.each<[string, unknown, string]>([
    [
      "HTML",
      "  <!doctype html>\u0007<title>Log in</title>",
      'HTML instead of JSON, starting "<!doctype html>\\u{7}',
    ],
    ["text", "Service is being updated", 'starting "Service is being updated"'],
    ["nothing", "", "an empty body"],
    ["blanks", " \n ", "an empty body"],
    ["half an answer", '{"feedback":[{"id":"p1"},', "JSON that is broken or cut off (25 bytes)"],
    ["bytes", Buffer.from([0x22, 0xff, 0xfe, 0x22]), "not UTF-8"],
    ["too deep a nesting", deep, "more than 64 levels"],
    ["too large a body", JSON.stringify({ feedback: ["x".repeat(3000)] }), "more than 2 KiB"],
  ])("%s", async (_name, body, says) => {
    const server = await serveAnswers([{ body }]);
    const error = await failureOf(pull(givenBoard(server.url, { retries: 3, bodyBytes: 2048 })));
    expect(error.fault).toBe("unreadable");
    expect(error.message).toContain(says);
    expect(server.asked).toHaveLength(1);
  });

  it("but brackets in a text are no nesting", async () => {
    const title = `${"[".repeat(100)} "quoted \\`;
    const server = await serveAnswers([
      { body: [{ id: "p1", title, description: JSON.stringify([[title]]) }] },
    ]);
    expect((await pull(givenBoard(server.url))).posts[0]?.values.title).toBe(title);
  });
});

describe("addresses", () => {
  it("name the project in one encoded piece", async () => {
    const odd = "a/b?c=d&e#f ü" as ProjectId;
    const server = await serveAnswers([{ body: [] }]);
    await pull(givenBoard(server.url), odd);
    const asked = new URL(server.asked[0]?.url ?? "", server.origin);
    expect(asked.pathname).toBe("/api/v1/feedback");
    expect([...asked.searchParams]).toEqual([["project", odd]]);
  });

  it.each([
    ["../../x", "..%2F..%2Fx"],
    ["a/b", "a%2Fb"],
    ["?project=other", "%3Fproject%3Dother"],
    ["a#b", "a%23b"],
    ["%2e%2e", "%252e%252e"],
    ["ü 1", "%C3%BC%201"],
    ["...", "..."],
  ])("keep the post %s in one segment", async (id, segment) => {
    const server = await serveAnswers([{ status: 204 }]);
    await givenBoard(server.url).patchPost(project, postId(id), { onRoadmap: true });
    expect(server.asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `PATCH /api/v1/feedback/${segment}?project=prj_1`,
    ]);
  });

  it.each([".", "..", "half \ud800"])("can't name the post %j, so nothing is sent", async (id) => {
    const board = givenBoard("http://127.0.0.1:1");
    const outcome = await board.patchPost(project, postId(id), { onRoadmap: true });
    expect(outcome).toMatchObject({ kind: "rejected", status: 0 });
    expect(outcome).toHaveProperty("message", expect.stringContaining("nothing was sent"));
    expect(board.requests).toBe(0);
  });

  it("are below the configured one, whatever query or user it has", async () => {
    const server = await serveAnswers([{ body: [] }]);
    const clock = { now: () => 0, sleep: () => Promise.resolve() };
    const board = createHttpBoard({
      url: server.url.replace("//", "//user:pass@").concat("//?x=1#y"),
      key,
      version: "1",
      sender: createSender({ proxy: {}, timeoutMs: 1000, clock }),
      retries: 0,
      clock,
      random: () => 0,
      log: { debug() {}, info() {}, warn() {}, error() {} },
      overrides: { list: undefined, paging: undefined, fields: undefined },
    });
    await pull(board);
    expect(server.asked[0]).toMatchObject({
      url: "/api/v1/feedback?project=prj_1",
      headers: { authorization: `Bearer ${key}` },
    });
  });
});
