import { describe, expect, it, onTestFinished } from "vitest";
import type { PatchOutcome } from "../../../src/board/board.ts";
import { createDeadlines } from "../../support/deadlines.ts";
import { startSandboxBoard } from "../../support/sandbox/board/board.ts";
import type { SandboxFault } from "../../support/sandbox/board/http.ts";
import type { BoardStyleOptions } from "../../support/sandbox/board/style.ts";
import { until } from "../../support/until.ts";
import { createFakeClock, givenBoard, key, postId, project, serve, serveAnswers } from "./given.ts";

const post = postId("p1");

async function givenSandbox(style: BoardStyleOptions = {}) {
  const sandbox = await startSandboxBoard({ key, projects: [{ id: project, slug: "acme" }], style });
  onTestFinished(() => sandbox.close());
  sandbox.addPost(project, { votes: 4 });
  const { after, pass } = createDeadlines();
  const clock = { ...createFakeClock(), after };
  return { sandbox, pass, board: givenBoard(sandbox.url, { timeoutMs: 200, retries: 3, clock }) };
}

describe("a change of a post", () => {
  it("is one PATCH with the project and just these fields", async () => {
    const { sandbox, board } = await givenSandbox();
    const outcome = await board.patchPost(project, post, { status: "planned", roadmapColumn: "PLANNED" });
    expect(outcome).toMatchObject({ kind: "applied", post: { id: "p1", values: { status: "planned" } } });
    expect(sandbox.requests).toMatchObject([
      {
        method: "PATCH",
        path: "/feedback/p1",
        query: { project },
        headers: { "content-type": "application/json", connection: "close" },
        body: { status: "planned", roadmapColumn: "PLANNED" },
      },
    ]);
    expect(sandbox.notifications).toMatchObject([{ post: "p1", from: "open", to: "planned", voters: 4 }]);
  });

  it("shows the value that the board made of it", async () => {
    const { board } = await givenSandbox({
      spellStatus: (status) => status.toUpperCase(),
      patchAnswer: "wrapped",
    });
    const outcome = await board.patchPost(project, post, { status: "planned" });
    expect(outcome).toMatchObject({ kind: "applied", post: { values: { status: "PLANNED" } } });
  });

  it("is applied when the board answers with nothing", async () => {
    const { board } = await givenSandbox({ patchAnswer: "empty" });
    expect(await board.patchPost(project, post, { onRoadmap: true })).toEqual({
      kind: "applied",
      post: undefined,
    });
  });

  const shown = { id: "p1", status: "planned" };
  it.each<[unknown, boolean]>([
    [shown, true],
    [{ feedback: shown }, true],
    [{ post: shown }, true],
    [{ data: shown }, true],
    [{ item: shown }, true],
    [{ data: { feedback: shown } }, true],
    [{ feedback: { _id: "p1", status: "planned" } }, true],
    [{ data: { data: { data: shown } } }, false],
    [{ id: "p2", status: "planned" }, false],
    [{ ok: true }, false],
    [{ feedback: [shown] }, false],
    [[shown], false],
    [true, false],
    [null, false],
  ])("is read back from %j: %s", async (body, isFound) => {
    const server = await serveAnswers([{ body: JSON.stringify(body) }]);
    const outcome = await givenBoard(server.url).patchPost(project, post, { status: "planned" });
    const record = { id: "p1", values: { status: "planned" } };
    expect(outcome).toEqual({ kind: "applied", post: isFound ? record : undefined });
  });

  it.each([
    [{ success: false, error: { message: "This status does not exist." } }, "rejected"],
    [{ ok: false, message: "This status does not exist." }, "rejected"],
    [{ status: "error", message: "This status does not exist." }, "rejected"],
    [{ data: { success: false, error: "This status does not exist." } }, "rejected"],
    [{ error: "This status does not exist." }, "unknown"],
    [{ status: "ok", success: false, error: "This status does not exist." }, "rejected"],
    [{ error: "Rate limit exceeded" }, "limited"],
    [{ updated: 1, error: "none" }, "unknown"],
    [{ status: "success", error: { code: 0, message: "" } }, "applied"],
    [{ result: { status: "ok", message: "Updated", errors: ["The webhook did not answer"] } }, "applied"],
    [{ success: false, error: "Too many requests" }, "limited"],
    [{ success: false, error: "Invalid API key" }, "unauthorized"],
    [{ error: "Internal server error" }, "unknown"],
    [{ success: true, error: null }, "applied"],
    [{ id: "p1", status: "planned", error: "The mail was not sent" }, "applied"],
  ])("is not made where the board says no in a 200: %j", async (body, kind) => {
    const server = await serveAnswers([{ body: JSON.stringify(body) }]);
    const outcome = await givenBoard(server.url).patchPost(project, post, { status: "planned" });
    expect(outcome.kind).toBe(kind);
    if (outcome.kind === "rejected") expect(outcome.message).toContain("This status does not exist.");
  });

  it("is read back under the names that a person set", async () => {
    const server = await serveAnswers([{ body: { key: 1, state: "planned" } }]);
    const board = givenBoard(server.url, { overrides: { fields: { id: "key", status: "state" } } });
    const outcome = await board.patchPost(project, postId("1"), { status: "planned" });
    expect(outcome).toEqual({ kind: "applied", post: { id: "1", values: { status: "planned" } } });
  });
});

describe("the outcome of a change, sent once", () => {
  const cases: readonly [string, SandboxFault, PatchOutcome["kind"], string][] = [
    ...[400, 409, 410, 413, 422].map((status): [string, SandboxFault, PatchOutcome["kind"], string] => [
      `${status}`,
      { kind: "answer", status, body: { message: "No such column." } },
      "rejected",
      `(HTTP ${status}): "No such column."`,
    ]),
    ["401", { kind: "answer", status: 401 }, "unauthorized", "refused the key (HTTP 401)"],
    ["403 with HTML", { kind: "answer", status: 403, body: "<p>no</p>" }, "unauthorized", "HTML"],
    ["404", { kind: "answer", status: 404 }, "missing", "does not know this post"],
    ["429", { kind: "answer", status: 429 }, "limited", "limits requests"],
    ["408", { kind: "answer", status: 408 }, "unknown", "HTTP 408"],
    ["405", { kind: "answer", status: 405 }, "unknown", "HTTP 405"],
    ["500", { kind: "answer", status: 500 }, "unknown", "HTTP 500"],
    ["502 with HTML", { kind: "answer", status: 502, body: "<h1>Bad gateway" }, "unknown", "HTTP 502"],
    [
      "302",
      { kind: "answer", status: 302, headers: { location: "https://x.example/login?to=1" } },
      "unknown",
      "redirects to https://x.example/login (HTTP 302)",
    ],
    ["200 with HTML", { kind: "answer", status: 200, body: "<p>fine</p>" }, "unknown", "HTML"],
    ["200 with text", { kind: "answer", status: 200, body: "fine" }, "unknown", 'not JSON, starting "fine"'],
    ["a reset before it took effect", { kind: "reset" }, "unknown", "cut the connection"],
    ["a reset after it took effect", { kind: "reset", applied: true }, "unknown", "cut the connection"],
    ["no answer", { kind: "hang", applied: true }, "unknown", "did not answer within 200 ms"],
    ["half an answer", { kind: "truncate" }, "unknown", "cut"],
  ];
  it.each(cases)("%s", async (_name, fault, kind, says) => {
    const { sandbox, board, pass } = await givenSandbox();
    sandbox.failNext(fault);
    const patching = board.patchPost(project, post, { status: "planned" });
    if (fault.kind === "hang") {
      await until(() => sandbox.requests.length === 1);
      pass();
    }
    const outcome = await patching;
    expect(outcome).toMatchObject({ kind, message: expect.stringContaining(says) });
    expect(JSON.stringify(outcome)).not.toContain("to=1");
    expect(board.requests).toBe(1);
    expect(sandbox.requests).toHaveLength(1);
  });

  it.each<[object, string]>([
    [
      { error: { issues: [{ path: ["status"], message: "Not one of OPEN, DONE" }] } },
      "status: Not one of OPEN, DONE",
    ],
    [
      {
        error: "Invalid input",
        details: { formErrors: [], fieldErrors: { status: ["Not one of OPEN, DONE"] } },
      },
      "Invalid input; status: Not one of OPEN, DONE",
    ],
    [{ error: { fieldErrors: { status: ["Not allowed"] } } }, "status: Not allowed"],
    [
      { statusCode: 400, message: ["status must be open", "x is odd"], error: "Bad Request" },
      "status must be open; x is odd",
    ],
    [{ message: "Invalid.", errors: { status: ["Not allowed."] } }, "Invalid.; status: Not allowed."],
    [
      { statusCode: 400, message: ["Not OPEN, but RATE LIMIT"], error: "Bad Request" },
      "Not OPEN, but RATE LIMIT",
    ],
    [
      { message: "Invalid.", errors: { status: ["Not OPEN, but RATE LIMIT"] } },
      "Invalid.; status: Not OPEN, but RATE LIMIT",
    ],
    [{ errors: [{ field: "status", message: "is not in the list" }] }, "status: is not in the list"],
    [{ errors: [{ title: "Invalid", detail: "No such status" }] }, "No such status"],
    [{ error: "Bad", details: "status" }, "Bad"],
    [{ error: "Bad", details: { record: { author: "Jane" } } }, "Bad"],
  ])("a refusal is told in the words of %j", async (body, says) => {
    const server = await serveAnswers([{ status: 422, body }]);
    const outcome = await givenBoard(server.url).patchPost(project, post, { status: "planned" });
    expect(outcome).toMatchObject({
      kind: "rejected",
      message: `The board refused the change (HTTP 422): "${says}".`,
    });
  });

  it("429 names its time", async () => {
    const { sandbox, board } = await givenSandbox();
    sandbox.failNext({ kind: "answer", status: 429, headers: { "retry-after": "30" } });
    const outcome = await board.patchPost(project, post, { status: "planned" });
    expect(outcome).toMatchObject({ kind: "limited", retryAt: 1_030_000 });
  });

  it("a body that is too large says nothing about a 2xx, but a refusal is one", async () => {
    const large = { message: "x".repeat(5000) };
    const server = await serveAnswers([{ body: large }, { status: 409, body: large }]);
    const board = givenBoard(server.url, { bodyBytes: 1024 });
    expect(await board.patchPost(project, post, {})).toMatchObject({
      kind: "unknown",
      message: expect.stringContaining("more than 1 KiB"),
    });
    expect(await board.patchPost(project, post, {})).toMatchObject({ kind: "rejected", status: 409 });
  });

  it("a refusal whose explanation was cut off is still one", async () => {
    const server = await serve((_request, response) => {
      response.writeHead(422, { "content-length": 100 });
      response.write("{", () => response.destroy());
    });
    const outcome = await givenBoard(server.url).patchPost(project, post, {});
    expect(outcome).toMatchObject({
      kind: "rejected",
      message: expect.stringContaining("cut its answer off"),
    });
  });

  it.each<[string, string, string]>([
    ["nobody listens", "http://127.0.0.1:1/api/v1", "ECONNREFUSED"],
    ["the name does not exist", "http://board.invalid/api/v1", "could not be found"],
  ])("nothing was sent when %s", async (_name, url, says) => {
    const board = givenBoard(url);
    const outcome = await board.patchPost(project, post, { status: "planned" });
    expect(outcome).toMatchObject({ kind: "unsent", message: expect.stringContaining(says) });
  });
});
