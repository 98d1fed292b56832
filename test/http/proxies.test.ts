import { describe, expect, it } from "vitest";
import { readProxies } from "../../src/config/proxies.ts";
import { proxyOf } from "../../src/http/connections.ts";
import { adviceOn } from "../../src/sync/ground/remedy.ts";
import { failureOf, givenBoard, postId, project, pull } from "../board/http/given.ts";
import { openStage } from "../commands/stage.ts";
import { listenTcp } from "../support/servers.ts";
import { createFixture, repository, unbounded } from "../tracker/github/setup.ts";

/** A proxy that answers whatever it is asked with this; -1: never, 0: it cuts the connection. */
async function startProxy(status: number, note: () => void = () => {}): Promise<string> {
  const { place } = await listenTcp((socket) => {
    note();
    if (status === 0) socket.destroy();
    else if (status > 0)
      socket.end(`HTTP/1.1 ${status} No\r\ncontent-type: text/html\r\ncontent-length: 9\r\n\r\n<p>no</p>`);
  });
  return place;
}

/** What a proxy does, and how it is said, of targets behind a tunnel and of those of plain HTTP. */
const faults: readonly [string, () => Promise<string>, string, string][] = [
  ["refuses connections", async () => "127.0.0.1:9", "refused the connection", "refused the connection"],
  ["has a name that is not known", async () => "proxy.invalid:3128", "not known", "not known"],
  ["cuts the connection", () => startProxy(0), "cut the connection", "the proxy"],
  ["wants a password", () => startProxy(407), "wants a name and a password", "wants a name and a password"],
  ["forbids it", () => startProxy(403), "does not let boardsync through", "the proxy"],
  ["can't reach the target", () => startProxy(502), "could not reach", "the proxy"],
  ["has no answer in time", () => startProxy(504), "could not reach", "the proxy"],
];

const targets = faults.flatMap(([what, start, tunnelled, forwarded]) => [
  { what, start, scheme: "https", says: tunnelled },
  { what, start, scheme: "http", says: forwarded },
]);

describe.each(targets)("a proxy that $what, on the way to $scheme", ({ start, scheme, says }) => {
  const variable = `${scheme.toUpperCase()}_PROXY`;

  it("is named by a failed read of the board, without its password", async () => {
    const place = await start();
    const proxy = readProxies({ [variable]: `http://me:hunter2@${place}` });
    const error = await failureOf(pull(givenBoard(`${scheme}://board.example/api/v1`, { proxy })));
    expect(error.message).toContain(`the proxy http://${place} of ${variable}`);
    expect(error.message).toContain(says);
    expect(error.message).not.toContain("hunter2");
  });

  it("is named by a failed read of GitHub, without its password", async () => {
    const place = await start();
    const proxy = readProxies({ [variable]: `http://me:hunter2@${place}` });
    const { tracker } = createFixture(`${scheme}://github.example/api/v3`, { proxy });
    const error = await failureOf(tracker.repository("acme/app", unbounded()));
    expect(error.message).toContain(`the proxy http://${place} of ${variable}`);
    expect(error.message).toContain(says);
    expect(error.message).not.toContain("hunter2");
  });
});

describe("a write on the way through a proxy", () => {
  it.each([
    ["refuses connections", async () => "127.0.0.1:9", "http"],
    ["refuses connections", async () => "127.0.0.1:9", "https"],
    ["wants a password", () => startProxy(407), "http"],
    ["wants a password", () => startProxy(407), "https"],
    ["can't reach the target", () => startProxy(502), "https"],
  ])("that %s has not left for either side (%3$s)", async (_, start, scheme) => {
    const proxy = readProxies({ [`${scheme}_proxy`]: await start() });
    const board = givenBoard(`${scheme}://board.example/api/v1`, { proxy });
    expect((await board.patchPost(project, postId("p1"), { status: "planned" })).kind).toBe("unsent");
    const { tracker } = createFixture(`${scheme}://github.example`, { proxy });
    expect((await tracker.write(repository, { kind: "create-label", name: "bug" })).kind).toBe("unsent");
  });

  it("that answers in the board's place over plain HTTP may have arrived", async () => {
    const proxy = readProxies({ HTTP_PROXY: await startProxy(502) });
    const board = givenBoard("http://board.example/api/v1", { proxy });
    const outcome = await board.patchPost(project, postId("p1"), { status: "planned" });
    expect(outcome).toMatchObject({ kind: "unknown", message: expect.stringContaining("of HTTP_PROXY") });
  });
});

it("a proxy that never answers is named by the deadline", async () => {
  let asked = Promise.withResolvers<void>();
  const proxy = readProxies({ HTTPS_PROXY: await startProxy(-1, () => asked.resolve()) });
  const late = { proxy, timeoutMs: 50 };
  const board = await failureOf(pull(givenBoard("https://board.example/api/v1", late)));
  expect(board.message).toMatch(
    /did not answer within 50 ms, on the way through the proxy http:\/\/127\.0\.0\.1:\d+ of HTTPS_PROXY\.$/,
  );
  asked = Promise.withResolvers<void>();
  const { tracker, clock } = createFixture("https://github.example", {
    retries: 0,
    proxy,
  });
  const reading = failureOf(tracker.repository("acme/app", unbounded()));
  await asked.promise;
  clock.passDeadlines();
  expect((await reading).message).toContain("of HTTPS_PROXY");
});

it("a board that is down behind a proxy that is not asked for it is the board", async () => {
  const proxy = readProxies({ HTTP_PROXY: "127.0.0.1:8", NO_PROXY: "127.0.0.1" });
  const error = await failureOf(pull(givenBoard("http://127.0.0.1:9/api/v1", { proxy })));
  expect(error.message).toBe("http://127.0.0.1:9/api/v1/feedback refused the connection (ECONNREFUSED).");
});

it("what a proxy did has a remedy of its own on both sides", async () => {
  const proxy = readProxies({ HTTPS_PROXY: "127.0.0.1:9" });
  const board = await failureOf(pull(givenBoard("https://board.example/api/v1", { proxy })));
  const { tracker } = createFixture("https://github.example", { proxy });
  const github = await failureOf(tracker.repository("acme/app", unbounded()));
  for (const { code, detail } of [board, github]) expect(adviceOn({ code, detail })).toContain("NO_PROXY");
});

describe("on the command line a proxy is named, without its password", { tags: "long" }, () => {
  const env = { HTTP_PROXY: "http://me:hunter2@127.0.0.1:9" };
  const named = "the proxy http://127.0.0.1:9 of HTTP_PROXY refused the connection (ECONNREFUSED)";

  it.each([["sync"], ["check"], ["plan"]])("by `boardsync %s`", async (command) => {
    const ran = await (await openStage()).run([command], { env });
    const text = (ran.out + ran.err).replaceAll(/\s+/g, " ");
    expect(text).toContain(named);
    expect(text).toContain("belong into NO_PROXY");
    expect(text).not.toContain("hunter2");
  });

  it("by `boardsync init`", async () => {
    const stage = await openStage();
    const urls = ["--board-url", stage.story.board.url, "--github-url", stage.story.github.url];
    const ran = await stage.run(["init", ...urls], { env: { ...env, BOARDSYNC_CONFIG: undefined } });
    const text = (ran.out + ran.err).replaceAll(/\s+/g, " ");
    expect(text).toContain(named);
    expect(text).not.toContain("hunter2");
  });
});

describe("the proxy of an address", () => {
  const settings = { http: "http://plain:1", https: "http://secure:2" };

  it.each([
    ["http://board.example/", settings, "http://plain:1"],
    ["https://board.example/", settings, "http://secure:2"],
    ["https://board.example/", { http: "http://plain:1" }, "http://plain:1"],
    ["http://board.example/", { https: "http://secure:2" }, undefined],
    ["https://board.example/", {}, undefined],
  ])("%s is by its scheme, of %j", (url, given, expected) => {
    expect(proxyOf(new URL(url), given)?.address).toBe(expected);
  });

  it.each([
    ["https://board.example", "board.example", true],
    ["https://BOARD.example.", "Board.Example.", true],
    ["https://api.board.example", "board.example", true],
    ["https://api.board.example", ".board.example", true],
    ["https://board.example", ".board.example", true],
    ["https://api.board.example", "*.board.example", true],
    ["https://board.example", "*.board.example", false],
    ["https://myboard.example", "board.example", false],
    ["https://board.example", "a.example, board.example", true],
    ["https://board.example", "a.example board.example", true],
    ["https://board.example", "*", true],
    ["https://board.example", "*:80", false],
    ["https://board.example", "board.example:443", true],
    ["https://board.example:8443", "board.example:443", false],
    ["http://board.example", "board.example:80", true],
    ["http://[::1]:8080", "::1", true],
    ["http://[::1]:8080", "[::1]", true],
    ["http://[::1]:8080", "[::1]:8080", true],
    ["http://[::1]:8080", "[::1]:80", false],
    ["https://10.1.2.3/api/v1", "10.0.0.0/8", true],
    ["http://192.168.7.1:8080", "a.example, 192.168.0.0/16", true],
    ["https://[fd00::7]/api/v1", "fd00::/8", true],
    ["https://11.1.2.3", "10.0.0.0/8", false],
    ["https://10.1.2.3", "10.0.0.0/99", false],
    ["https://10.1.2.3", "10.0.0.0/", false],
    ["https://10.1.2.3", "fd00::/8", false],
    ["https://board.example", "10.0.0.0/8", false],
    ["https://board.example", "corp/8", false],
    ["https://board.example", "", false],
  ])("%s is none with NO_PROXY=%s: %s", (url, none, isDirect) => {
    expect(proxyOf(new URL(url), { ...settings, none }) === undefined).toBe(isDirect);
  });
});
