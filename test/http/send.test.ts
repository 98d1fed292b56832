import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, getCACertificates, setDefaultCACertificates } from "node:tls";
import { inspect } from "node:util";
import { gzipSync } from "node:zlib";
import { describe, expect, it, onTestFinished } from "vitest";
import { ConfigError } from "../../src/errors.ts";
import { createSender } from "../../src/http/send.ts";
import {
  bounds,
  createFakeClock,
  failureOf,
  givenBoard,
  postId,
  project,
  pull,
  serve,
  serveAnswers,
} from "../board/http/given.ts";
import { createCertificate } from "../support/certificate.ts";
import { createDeadlines } from "../support/deadlines.ts";
import { listenTcp } from "../support/servers.ts";

describe("one request", () => {
  it("ends at its deadline when no answer begins", async () => {
    const { pass, after } = createDeadlines();
    const server = await serve(() => pass());
    const board = givenBoard(server.url, { timeoutMs: 50, clock: { ...createFakeClock(), after } });
    const error = await failureOf(board.verifyKey(bounds()));
    expect(error.fault).toBe("unreachable");
    expect(error.message).toBe(`${server.url} did not answer within 50 ms.`);
  });

  it("ends at the same deadline when the answer drips", async () => {
    const { pass, after } = createDeadlines();
    const server = await serve((_request, response) => {
      const drip = setInterval(() => response.write(" "), 5);
      response.on("close", () => clearInterval(drip));
    });
    // Said by undici right before it hands over the head.
    const passAfterHead = (): void => void setImmediate(pass);
    subscribe("undici:request:headers", passAfterHead);
    onTestFinished(() => void unsubscribe("undici:request:headers", passAfterHead));
    const board = givenBoard(server.url, { timeoutMs: 60, clock: { ...createFakeClock(), after } });
    const error = await failureOf(pull(board));
    expect(error.fault).toBe("unreadable");
    expect(error.message).toContain("within 60 ms");
  });

  it("says that an answer is no HTTP", async () => {
    const { place } = await listenTcp((socket) => void socket.end("SSH-2.0-OpenSSH_9.2\r\n"));
    const error = await failureOf(givenBoard(`http://${place}/api/v1`).verifyKey(bounds()));
    expect(error.fault).toBe("unreachable");
    expect(error.message).toContain("answered with what is no HTTP (");
  });

  it("is unsent when TLS fails, and says why", async () => {
    const { place } = await listenTcp((socket) => void socket.end("this is no TLS\r\n"));
    const board = givenBoard(`https://${place}/api/v1`);
    const outcome = await board.patchPost(project, postId("p1"), { status: "planned" });
    expect(outcome).toMatchObject({
      kind: "unsent",
      message: expect.stringContaining("speaks no TLS there (ERR_SSL_WRONG_VERSION_NUMBER)"),
    });
  });

  const later = new Date("2100-01-01");
  it.each<[string, string, string, Date, boolean]>([
    ["that nobody vouches for", "that this machine does not trust", "localhost", later, false],
    ["of another host", "of another name", "other.example", later, true],
    ["that has ended", "that has expired by this machine's clock", "localhost", new Date("2026-01-01"), true],
  ])("is unsent to a certificate %s, and says so", async (_, says, host, endsAt, isTrusted) => {
    const certificate = createCertificate(host, endsAt);
    const server = createServer(certificate).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const before = getCACertificates();
    onTestFinished(() => setDefaultCACertificates(before));
    if (isTrusted) setDefaultCACertificates([...before, certificate.cert]);
    const board = givenBoard(`https://localhost:${(server.address() as AddressInfo).port}/api/v1`);
    const outcome = await board.patchPost(project, postId("p1"), { status: "planned" });
    expect(outcome).toMatchObject({
      kind: "unsent",
      message: expect.stringContaining(`has a certificate ${says} (`),
    });
  });

  it("is not said to meet a certificate without trust where the server wants one of ours", async () => {
    const alert = Buffer.from("1503030002022a", "hex");
    const { place } = await listenTcp((socket) => void socket.end(alert));
    const board = givenBoard(`https://${place}/api/v1`);
    const outcome = await board.patchPost(project, postId("p1"), { status: "planned" });
    expect(outcome).toMatchObject({
      kind: "unsent",
      message: expect.stringMatching(/could not be reached \(ERR_SSL_.*ALERT_BAD_CERTIFICATE\)/),
    });
  });

  it("is unsent when TLS is not done by the deadline, and never leaves afterwards", async () => {
    const { pass, after } = createDeadlines();
    const { place, heard } = await listenTcp(pass);
    const clock = { ...createFakeClock(), after };
    const board = givenBoard(`https://${place}/api/v1`, { timeoutMs: 60, clock });
    const outcome = await board.patchPost(project, postId("p1"), { status: "planned" });
    expect(outcome).toMatchObject({ kind: "unsent", message: expect.stringContaining("within 60 ms") });
    expect(heard()).not.toContain("PATCH");
  });

  it("never leaves when it was given up before there was a connection", async () => {
    const { promise: closed, resolve: close } = Promise.withResolvers<void>();
    const { place, heard } = await listenTcp(
      () => {},
      (socket) => void socket.on("close", () => close()),
    );
    const { send } = createSender({ proxy: {}, timeoutMs: 5000, clock: createFakeClock() });
    const ending = new AbortController();
    const url = new URL(`http://${place}/api/v1`);
    const sending = send({ method: "PATCH", url, headers: {}, body: "{}", signal: ending.signal });
    ending.abort();
    expect(await sending).toMatchObject({ kind: "aborted", status: 0 });
    await closed;
    expect(heard()).toBe("");
  });

  it("takes a compressed answer, up to the same limit", async () => {
    const body = JSON.stringify([{ id: "p1", title: "x".repeat(5000) }]);
    const headers = { "content-encoding": "gzip" };
    const server = await serveAnswers([{ headers, body: gzipSync(body) }]);
    expect(server.asked).toEqual([]);
    expect((await pull(givenBoard(server.url))).posts).toHaveLength(1);
    expect(server.asked[0]?.headers["accept-encoding"]).toBe("gzip, identity");
    const error = await failureOf(pull(givenBoard(server.url, { bodyBytes: 2048 })));
    expect(error.message).toContain("more than 2 KiB");
  });

  it.each<[string, Uint8Array, string]>([
    ["gzip", Buffer.from("no gzip"), "broken or cut off"],
    ["br", Buffer.from("xx"), "not asked for"],
  ])("fails on a body in %s that can't be read", async (encoding, body, says) => {
    const server = await serveAnswers([{ headers: { "content-encoding": encoding }, body }]);
    const error = await failureOf(pull(givenBoard(server.url)));
    expect(error.fault).toBe("unreadable");
    expect(error.message).toContain(says);
  });

  it.each([false, true])("takes an answer with many headers (by a proxy: %s)", async (isProxy) => {
    const server = await serve((_request, response) => {
      response.setHeader("content-security-policy", "x".repeat(100_000));
      response.end(JSON.stringify([{ id: 1 }]));
    });
    const board = isProxy
      ? givenBoard("http://board.invalid/api/v1", { proxy: { http: new URL(server.url).origin } })
      : givenBoard(server.url);
    expect((await pull(board)).end).toEqual({ kind: "complete" });
  });

  it("takes an answer whose headers come twice", async () => {
    const server = await serve((_request, response) => {
      response.setHeader("link", ['</a>; rel="first"', '</b>; rel="last"']);
      response.setHeader("set-cookie", ["a=1", "b=2"]);
      response.end(JSON.stringify(Array.from({ length: 10 }, (_, index) => ({ id: index }))));
    });
    expect((await pull(givenBoard(server.url))).end).toEqual({ kind: "complete" });
  });
});

describe("a proxy", () => {
  it("is asked for the board, unless the board is excepted", async () => {
    const proxy = await serveAnswers([{ body: { feedback: [] } }]);
    const settings = { http: proxy.origin };
    await pull(givenBoard("http://board.invalid/api/v1", { proxy: settings }));
    expect(proxy.asked.map(({ url }) => url)).toEqual(["http://board.invalid/api/v1/feedback?project=prj_1"]);

    const direct = givenBoard("http://board.invalid/api/v1", {
      proxy: { ...settings, none: "board.invalid" },
    });
    expect((await failureOf(pull(direct))).message).toContain("could not be found");
    expect(proxy.asked).toHaveLength(1);
  });

  it("that refuses a tunnel leaves the write unsent", async () => {
    const { place } = await listenTcp((socket) => {
      socket.end("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n");
    });
    const board = givenBoard("https://board.invalid/api/v1", {
      proxy: { https: `http://${place}` },
    });
    const outcome = await board.patchPost(project, postId("p1"), { status: "planned" });
    expect(outcome.kind).toBe("unsent");
  });

  it("is never taken from the environment", async () => {
    const proxy = await serveAnswers([{ body: [] }]);
    const before = process.env["HTTP_PROXY"];
    process.env["HTTP_PROXY"] = proxy.origin;
    onTestFinished(() => {
      if (before === undefined) delete process.env["HTTP_PROXY"];
      else process.env["HTTP_PROXY"] = before;
    });
    await failureOf(pull(givenBoard("http://board.invalid/api/v1")));
    expect(proxy.asked).toEqual([]);
  });

  it("that is no address is an error in the config, without its password", () => {
    const create = () => givenBoard("http://127.0.0.1:1", { proxy: { https: "http://user:hunter2@:bad" } });
    expect(create).toThrow(ConfigError);
    try {
      create();
    } catch (error) {
      expect(inspect(error, { depth: 9 })).not.toContain("hunter2");
    }
  });
});
