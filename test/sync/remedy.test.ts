import { describe, expect, it } from "vitest";
import { adviceOn, command, remedyOf } from "../../src/sync/ground/remedy.ts";
import { addPlanned, hourMs, openStage, type Stage } from "../support/stage.ts";

describe("what ends a wait", () => {
  it.each([
    ["guard", "p1", "boardsync approve acme-app p1"],
    ["rules-changed", "-p1", "boardsync approve acme-app acme-app/-p1"],
    ["refused", "p1", "boardsync retry acme-app/p1"],
    ["issue-gone", "p1", "boardsync retry acme-app/p1"],
    ["quarantined", "p1", "boardsync release acme-app/p1"],
    ["paused", "p1", "boardsync resume acme-app/p1"],
    ["differs", "p1", undefined],
    ["settling", "p1", undefined],
    ["undecided", "p1", undefined],
    ["in-doubt", "p1", undefined],
    ["writes-off", "p1", undefined],
  ] as const)("of the cause %s, of the post %s: %s", (cause, post, typed) => {
    expect(remedyOf({ cause, post }, "acme-app")).toBe(typed);
  });

  it("is no approval where the cause of a hold holds more than this action", () => {
    expect(remedyOf({ cause: "guard", post: "p1", isStopped: true }, "acme-app")).toBeUndefined();
  });

  it("is quoted where a shell would take an id for its own", () => {
    expect(command("retry", "acme/$(reboot)")).toBe("boardsync retry 'acme/$(reboot)'");
    expect(command("retry", "it's")).toBe("boardsync retry 'it'\\''s'");
  });
});

const html = "<html><title>Sign in</title></html>";
const words = { message: "No." };

/** The board answers everything like this. */
function board(status: number, body: unknown = { error: words }, headers = {}) {
  return (stage: Stage) => {
    const isRead = { when: ({ method }: { readonly method: string }) => method === "GET", times: 9 };
    stage.board.failNext({ kind: "answer", status, body, headers }, isRead);
  };
}

/** GitHub likewise. */
function github(status: number, body: unknown = words, headers = {}) {
  return (stage: Stage) =>
    stage.github.failNext({ times: 99, answer: { kind: "answer", status, body, headers } });
}

const boardPage = "Is board.url the address of the board's API";
const trackerPage = "Is tracker.url the address of GitHub's API";
const again = "the next run tries again";
const permissions = { "x-accepted-github-permissions": "issues=read" };

describe("what is advised", () => {
  it.each<[what: string, fault: (stage: Stage) => void, code: string, advice: readonly string[]]>([
    ["a web page of the board", board(200, html), "board.unreadable", [boardPage, "login page", again]],
    ["a login page of the board", board(401, html), "board.unauthorized", [boardPage]],
    ["a page that is not found", board(404, html), "board.missing", [boardPage]],
    ["a list of no known shape", board(200, { hello: 1 }), "board.unreadable", ["board.list"]],
    [
      "an answer of the board that is cut",
      (stage) => stage.board.failNext({ kind: "truncate" }, { times: 9 }),
      "board.unreadable",
      ["broke it off", again],
    ],
    ["trouble of the board", board(503), "board.unreachable", ["an error of its own", again]],
    [
      "trouble of the board, with a page",
      board(502, html),
      "board.unreachable",
      ["an error of its own", again],
    ],
    [
      "a board that cuts the connection",
      (stage) => stage.board.failNext({ kind: "reset" }, { times: 9 }),
      "board.unreachable",
      ["does this machine reach it?", "HTTPS_PROXY", again],
    ],
    ["a wrong key", board(401), "board.unauthorized", ["Put a valid key into BOARD_API_KEY"]],
    ["a key without a right", board(403), "board.unauthorized", ["knows the key and does not allow it this"]],
    ["a project that is gone", board(404), "board.missing", ["`boardsync check` lists the projects"]],
    ["an odd refusal of the board", board(418), "board.refused", ["Is board.url right?", "proxy"]],
    [
      "a board that says why it shows no list",
      board(200, { message: "The board is frozen until Monday" }),
      "board.unreadable",
      ["The board's own words say why", again],
    ],
    ["a web page of GitHub", github(200, html), "tracker.unreadable", [trackerPage, "login page"]],
    ["a login page of GitHub", github(401, html), "tracker.unauthorized", [trackerPage]],
    [
      "trouble of GitHub",
      github(503),
      "tracker.unreachable",
      ["an error of its own", "githubstatus.com", again],
    ],
    [
      "a GitHub that cuts the connection",
      (stage) => stage.github.failNext({ times: 99, answer: { kind: "reset" } }),
      "tracker.unreachable",
      ["does this machine reach it?", again],
    ],
    ["a wrong token", github(401), "tracker.unauthorized", ["Put a valid token into GITHUB_TOKEN"]],
    [
      "a token without a permission",
      github(403, words, permissions),
      "tracker.unauthorized",
      ["the permission that GitHub names"],
    ],
    [
      "a token that lives longer than its organisation allows",
      github(403, {
        message:
          "The 'acme' organization forbids access via a fine-grained personal access tokens if the token's lifetime is greater than 366 days.",
      }),
      "tracker.unauthorized",
      ["an organisation allows no such token", "GitHub's own words say what helps"],
    ],
    [
      "a repository that is blocked",
      github(451, { message: "Repository access blocked", block: { reason: "dmca" } }),
      "tracker.refused",
      ["legal reasons", "DMCA", "all else goes on"],
    ],
    ["a repository whose issues are off", github(410), "tracker.refused", ["Switch issues on"]],
    ["another refusal of GitHub's", github(422), "tracker.refused", ["GitHub's own words say why", again]],
    ["a repository that is gone", github(404), "tracker.missing", ["Correct `repo`"]],
  ])("after %s", async (_, fault, code, advice) => {
    const stage = await openStage();
    addPlanned(stage, 1);
    await stage.sync();
    fault(stage);
    const { errors } = await stage.syncOne();
    expect(errors).toMatchObject([{ code, advice: expect.any(String) }]);
    for (const part of advice) expect(errors[0]?.advice).toContain(part);
  });

  it("after a write that was refused is not that the next run tries again: it is parked", async () => {
    const stage = await openStage();
    addPlanned(stage, 1);
    await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    const isPatch = { when: ({ method }: { readonly method: string }) => method === "PATCH" };
    stage.board.failNext({ kind: "answer", status: 422, body: { error: words } }, isPatch);
    const { errors } = await stage.syncOne();
    expect(errors).toMatchObject([
      { code: "board.rejected", advice: expect.stringContaining("No run sends it again by itself") },
    ]);
    expect(errors[0]?.advice).toContain("`boardsync retry POST`");
    stage.mark();
    await stage.sync();
    expect(stage.writes()).toEqual([]);
  });

  it.each([
    ["a wrong key", 401, { error: words }, "Put a valid key into BOARD_API_KEY"],
    ["a key without a right", 403, { error: words }, "knows the key and does not allow it this"],
    ["a login page", 403, html, boardPage],
  ])("after %s, shown by a write", async (_, status, body, advice) => {
    const stage = await openStage();
    addPlanned(stage, 1);
    await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    const isPatch = { when: ({ method }: { readonly method: string }) => method === "PATCH" };
    stage.board.failNext({ kind: "answer", status, body }, isPatch);
    const { errors } = await stage.syncOne();
    expect(errors).toMatchObject([
      { code: "board.unauthorized", post: "p1", advice: expect.stringContaining(advice) },
    ]);
  });

  it.each([
    ["board", "board.unreachable", "failed (HTTP 503)"],
    ["github", "tracker.unreachable", "answered 503"],
  ] as const)("an outage of the %s is said with the end that it names", async (side, code, what) => {
    const stage = await openStage();
    await stage.sync();
    const until = new Date(stage.clock.now() + hourMs + 60_000).toISOString();
    const fault = { board, github }[side];
    fault(503, words, { "retry-after": "3600" })(stage);
    const { errors } = await stage.syncOne();
    expect(errors).toMatchObject([{ code, until, message: expect.stringContaining(what) }]);
    expect(errors[0]?.message).toContain(`It asks for a pause until ${until}.`);
  });

  it("is nothing where the message says it all, and of one post it is not about all of a project", () => {
    expect(adviceOn({ code: "board.refused", detail: "told" })).toBeUndefined();
    expect(adviceOn({ code: "board.missing", post: "p1" })).toContain("until the board lists it again");
    expect(adviceOn({ code: "tracker.missing", issue: "acme/app#1" })).toBeUndefined();
    expect(adviceOn({ code: "tracker.moved" })).toBeUndefined();
  });
});
