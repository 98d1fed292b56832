import { connect } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { type SandboxBoardOptions, startSandboxBoard } from "./board.ts";
import type { BoardStyleOptions } from "./style.ts";

async function start(style: BoardStyleOptions = {}, options: Partial<SandboxBoardOptions> = {}) {
  const board = await startSandboxBoard({
    projects: [{ id: "prj_1", slug: "acme-app", name: "Acme App" }, { id: "prj_2" }],
    now: () => Date.UTC(2026, 0, 2),
    style,
    ...options,
  });
  onTestFinished(() => board.close());
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${board.key}`, ...init.headers };
    const response = await fetch(path.startsWith("http") ? path : `${board.url}${path}`, {
      ...init,
      headers,
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type") === "application/json";
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text };
  };
  const patch = (path: string, body: unknown) => ask(path, { method: "PATCH", body: JSON.stringify(body) });
  return { board, ask, patch };
}

describe("the sandbox board does what the API document says", () => {
  it("verifies the key at its bare address", async () => {
    const { board, ask } = await start();
    expect(board.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/api\/v1$/);
    expect((await ask("")).status).toBe(200);
    expect((await ask("/")).status).toBe(200);
    expect((await ask("", { headers: { authorization: "Bearer wrong" } })).status).toBe(401);
  });

  it("lists its projects with the fields of the document", async () => {
    const { ask } = await start();
    const { body } = await ask("/projects");
    expect(body.projects[0]).toEqual({
      id: "prj_1",
      slug: "acme-app",
      name: "Acme App",
      description: "",
      primaryColor: "#336699",
      createdAt: "2026-01-02T00:00:00.000Z",
      updatedAt: "2026-01-02T00:00:00.000Z",
    });
    expect(body.projects[1]).toMatchObject({ id: "prj_2", slug: "prj_2", name: "prj_2" });
  });

  it("lists the posts of the project that is named, by id or slug", async () => {
    const { board, ask } = await start();
    expect(board.addPost("acme-app", { title: "One" })).toBe("p1");
    expect(board.addPost("prj_2")).toBe("p2");
    for (const name of ["prj_1", "acme-app"]) {
      const { body } = await ask(`/feedback?project=${name}`);
      expect(body.feedback).toMatchObject([{ id: "p1", title: "One", author: { name: "Ada Voter" } }]);
    }
  });

  it.each<[string, string, string, unknown, number]>([
    ["a list without a project", "GET", "/feedback", undefined, 400],
    ["a list of a project that is not there", "GET", "/feedback?project=x", undefined, 404],
    ["a post of another project", "PATCH", "/feedback/p1?project=prj_2", {}, 404],
    ["a change without a project", "PATCH", "/feedback/p1", { status: "planned" }, 400],
    ["a field that is not in the document", "PATCH", "/feedback/p1?project=prj_1", { votes: 9 }, 400],
    ["a value of a wrong type", "PATCH", "/feedback/p1?project=prj_1", { isArchived: "yes" }, 422],
    ["a column that does not exist", "PATCH", "/feedback/p1?project=prj_1", { roadmapColumn: "LATER" }, 422],
    ["a path that is not there", "GET", "/changelog", undefined, 404],
    ["a body that is no JSON object", "PATCH", "/feedback/p1", 7, 400],
  ])("refuses %s", async (_name, method, path, body, status) => {
    const { board, ask } = await start();
    board.addPost("prj_1");
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) };
    const answer = await ask(path, init);
    expect(answer.status).toBe(status);
    expect(answer.body.error.message).toEqual(expect.any(String));
    expect(board.notifications).toEqual([]);
  });

  it("takes every writable field, and the project from the body, too", async () => {
    const { board, patch } = await start();
    board.addPost("prj_1");
    const fields = {
      title: "t",
      description: "d",
      categoryId: "c",
      internalNote: null,
      isArchived: true,
      isReviewed: false,
      onRoadmap: true,
      roadmapColumn: "PLANNED",
      roadmapOrder: 3,
      roadmapPublic: true,
    };
    const { status, body } = await patch("/feedback/p1", { project: "acme-app", ...fields });
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: "p1", ...fields });
    expect(board.post("prj_1", "p1")).toMatchObject(fields);
  });

  it("mails voters once for each change of a status, and not for the same one again", async () => {
    const { board, patch } = await start();
    board.addPost("prj_1", { votes: 7 });
    await patch("/feedback/p1?project=prj_1", { status: "planned" });
    await patch("/feedback/p1?project=prj_1", { status: "planned", onRoadmap: true });
    board.editPost("prj_1", "p1", { status: "done" });
    expect(board.notifications).toEqual([
      { project: "prj_1", post: "p1", from: "open", to: "planned", voters: 7 },
      { project: "prj_1", post: "p1", from: "planned", to: "done", voters: 7 },
    ]);
  });

  it("keeps what was asked, and answers a lost post with 404", async () => {
    const { board, patch } = await start();
    board.addPost("prj_1");
    board.removePost("prj_1", "p1");
    const { status } = await patch("/feedback/p1?project=prj_1", { onRoadmap: true });
    expect(status).toBe(404);
    expect(board.requests).toMatchObject([
      {
        method: "PATCH",
        path: "/feedback/p1",
        query: { project: "prj_1" },
        body: { onRoadmap: true },
        at: Date.UTC(2026, 0, 2),
      },
    ]);
    expect(board.post("prj_1", "p1")).toBeUndefined();
    expect(board.posts("prj_1")).toEqual([]);
  });

  it("says when a test names what it does not have", async () => {
    const { board } = await start();
    expect(() => board.addPost("nowhere")).toThrow("no project nowhere");
    expect(() => board.editPost("prj_1", "p9", {})).toThrow("no post p9");
  });
});

describe("what the document leaves open is an option", () => {
  it.each<[BoardStyleOptions, string]>([
    [{ idType: "text" }, "p2"],
    [{ idType: "number" }, "2"],
    [{ idType: "uuid" }, "00000000-0000-4000-8000-000000000002"],
  ])("ids that are always the same: %j", async (style, second) => {
    const { board } = await start(style);
    board.addPost("prj_1");
    expect(board.addPost("prj_1")).toBe(second);
  });

  it("the fields of a record", async () => {
    const { board, ask } = await start({
      names: { status: "state" },
      hidden: ["votes"],
      omitsNull: true,
      showsPrivate: false,
      showsUpdatedAt: false,
    });
    board.addPost("prj_1");
    const { body } = await ask("/feedback?project=prj_1");
    expect(body.feedback[0]).toMatchObject({ state: "open" });
    const absent = ["status", "votes", "author", "internalNote", "updatedAt", "categoryId"];
    expect(absent.filter((name) => name in body.feedback[0])).toEqual([]);
  });

  it("the spelling of a status, and the column that it brings along", async () => {
    const { board, patch } = await start({
      spellStatus: (status) => (status === "planned" ? "Planned" : status),
      columnOf: { planned: "PLANNED", Done: "COMPLETED" },
    });
    board.addPost("prj_1");
    const { body } = await patch("/feedback/p1?project=prj_1", { status: "planned" });
    expect(body).toMatchObject({ status: "Planned", roadmapColumn: "PLANNED" });
    await patch("/feedback/p1?project=prj_1", { status: "planned" });
    expect(board.notifications).toHaveLength(1);
    board.editPost("prj_1", "p1", { status: "Done" });
    expect(board.post("prj_1", "p1")).toMatchObject({ roadmapColumn: "COMPLETED" });
    board.editPost("prj_1", "p1", { status: "planned", roadmapColumn: "IN_PROGRESS" });
    expect(board.post("prj_1", "p1")).toMatchObject({ roadmapColumn: "IN_PROGRESS" });
  });

  it("refuses a status, and takes a field and changes nothing, where the board is said to", async () => {
    const { board, patch } = await start({ ignored: ["onRoadmap"], refusedStatus: "closed" });
    board.addPost("prj_1");
    expect((await patch("/feedback/p1?project=prj_1", { status: "closed" })).status).toBe(400);
    const { status, body } = await patch("/feedback/p1?project=prj_1", {
      onRoadmap: true,
      isReviewed: false,
    });
    expect([status, body.onRoadmap, body.isReviewed]).toEqual([200, false, false]);
    board.editPost("prj_1", "p1", { status: "closed", onRoadmap: true });
    expect(board.post("prj_1", "p1")).toMatchObject({ status: "closed", onRoadmap: true });
  });

  it("the answer of a PATCH, also while the board runs", async () => {
    const { board, patch } = await start();
    board.addPost("prj_1");
    const answers = [];
    for (const patchAnswer of ["record", "wrapped", "empty"] as const) {
      board.restyle({ patchAnswer });
      answers.push(await patch("/feedback/p1?project=prj_1", { onRoadmap: true }));
    }
    expect(answers[0]?.body.id).toBe("p1");
    expect(answers[1]?.body.feedback.id).toBe("p1");
    expect(answers[2]).toMatchObject({ status: 204, body: "" });
  });

  it("the paging, whose last page says so", async () => {
    const { board, ask } = await start({
      paging: { kind: "cursor", hasMore: true, under: "meta" },
      pageSize: 2,
    });
    for (let count = 0; count < 3; count += 1) board.addPost("prj_1");
    const { body } = await ask("/feedback?project=prj_1");
    expect(body.feedback).toHaveLength(2);
    const last = await ask(`/feedback?project=prj_1&cursor=${body.meta.nextCursor}`);
    expect(last.body).toMatchObject({ feedback: [{ id: "p3" }], meta: { nextCursor: null, hasMore: false } });
  });
});

describe("faults", () => {
  it("are answers of any kind, for as many requests as planned", async () => {
    const { board, ask } = await start();
    board.failNext({ kind: "answer", status: 503, headers: { "retry-after": "2" } }, { times: 2 });
    board.failNext({ kind: "answer", status: 200, body: "<p>hello</p>" });
    board.failNext({ kind: "answer", status: 418, body: { error: "tea" } });
    const first = await ask("/projects");
    expect([first.status, first.headers.get("retry-after")]).toEqual([503, "2"]);
    expect((await ask("/projects")).status).toBe(503);
    expect((await ask("/projects")).body).toBe("<p>hello</p>");
    expect((await ask("/projects")).body).toEqual({ error: "tea" });
    expect((await ask("/projects")).status).toBe(200);
  });

  it("hit only the requests that they are meant for", async () => {
    const { board, ask, patch } = await start();
    board.addPost("prj_1");
    board.failNext({ kind: "answer", status: 500 }, { when: (request) => request.method === "PATCH" });
    expect((await ask("/projects")).status).toBe(200);
    expect((await patch("/feedback/p1?project=prj_1", { onRoadmap: true })).status).toBe(500);
    expect(board.post("prj_1", "p1")?.onRoadmap).toBe(false);
  });

  it.each<[string, Parameters<Awaited<ReturnType<typeof start>>["board"]["failNext"]>[0], boolean]>([
    ["a reset", { kind: "reset" }, false],
    ["a reset after it took effect", { kind: "reset", applied: true }, true],
    ["half an answer", { kind: "truncate" }, true],
  ])("cut the connection: %s", async (_name, fault, isApplied) => {
    const { board, patch } = await start();
    board.addPost("prj_1");
    board.failNext(fault);
    await expect(patch("/feedback/p1?project=prj_1", { status: "planned" })).rejects.toThrow();
    expect(board.notifications).toHaveLength(isApplied ? 1 : 0);
  });

  it("leave a request hanging until the board is closed", async () => {
    const { board, ask } = await start();
    board.failNext({ kind: "hang" });
    const hanging = ask("/projects").catch(() => "ended");
    await ask("/projects");
    await board.close();
    expect(await hanging).toBe("ended");
  });

  it("are not needed for a request that makes no sense", async () => {
    const { board, ask } = await start();
    expect((await ask(`${new URL(board.url).origin}/elsewhere`)).status).toBe(404);
    await expect(ask("/feedback/%E0%A4%A?project=prj_1", { method: "PATCH" })).rejects.toThrow();
    expect((await ask("/feedback?project=prj_1", { method: "POST", body: "{" })).status).toBe(404);
    expect((await ask("/projects")).status).toBe(200);
  });

  it("include a port that is taken", async () => {
    const { board } = await start();
    const port = Number(new URL(board.url).port);
    await expect(startSandboxBoard({ projects: [], port })).rejects.toThrow("EADDRINUSE");
  });

  it("end with the board", async () => {
    const { board } = await start({}, { key: "mine" });
    await board.close();
    const socket = connect(Number(new URL(board.url).port), "127.0.0.1");
    const refused = await new Promise((resolve) =>
      socket.on("error", resolve).on("connect", () => resolve("open")),
    );
    expect(refused).toMatchObject({ code: "ECONNREFUSED" });
    expect(board.key).toBe("mine");
  });
});
