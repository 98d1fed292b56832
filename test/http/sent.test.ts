import type { Socket } from "node:net";
import { describe, expect, it } from "vitest";
import { readProxies } from "../../src/config/proxies.ts";
import { createFakeClock, givenBoard, postId, project } from "../board/http/given.ts";
import { createDeadlines } from "../support/deadlines.ts";
import { listenTcp } from "../support/servers.ts";
import { createFixture, repository } from "../tracker/github/setup.ts";

/** What meets a write on its way. */
interface Way {
  readonly url: string;
  readonly proxy?: ReturnType<typeof readProxies>;
  readonly heard?: () => string;
}

type Lay = (pass: () => void) => Promise<Way>;

const at =
  (scheme: string, hear: (socket: Socket, pass: () => void) => void): Lay =>
  async (pass) => {
    const { place, heard } = await listenTcp((socket) => hear(socket, pass));
    return { url: `${scheme}://${place}`, heard };
  };

const through =
  (hear: (socket: Socket, pass: () => void) => void): Lay =>
  async (pass) => {
    const { place, heard } = await listenTcp((socket) => hear(socket, pass));
    const proxy = readProxies({ HTTPS_PROXY: `http://${place}` });
    return { url: "https://target.example", proxy, heard };
  };

const answer = (text: string) => (socket: Socket) => void socket.end(text);
const reset = (socket: Socket): void => void socket.resetAndDestroy();
const endure = (_socket: Socket, pass: () => void): void => pass();

const neverLeft: readonly [string, Lay][] = [
  ["nobody listens", async () => ({ url: "http://127.0.0.1:9" })],
  ["the name is not known", async () => ({ url: "http://nobody.invalid" })],
  ["the other side speaks no TLS", at("https", answer("HTTP/1.1 400 Bad Request\r\n\r\n"))],
  ["the connection is reset while TLS begins", at("https", reset)],
  ["the connection is ended while TLS begins", at("https", answer(""))],
  ["the deadline passes while TLS begins", at("https", endure)],
  ["the proxy does not listen", async () => ({ ...(await through(reset)(() => {})), ...deadProxy() })],
  ["the proxy refuses the tunnel", through(answer("HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n"))],
  ["the proxy can't reach the target", through(answer("HTTP/1.1 502 No\r\ncontent-length: 0\r\n\r\n"))],
  ["the proxy cuts the tunnel off", through(reset)],
  ["the deadline passes before there is a tunnel", through(endure)],
  [
    "the connection is cut while TLS begins in the tunnel",
    through((socket) => {
      if (socket.bytesWritten > 0) socket.destroy();
      else socket.write("HTTP/1.1 200 Connected\r\n\r\n");
    }),
  ],
];

function deadProxy(): Pick<Way, "proxy"> {
  return { proxy: readProxies({ HTTPS_PROXY: "http://127.0.0.1:9" }) };
}

const mayHaveLeft: readonly [string, Lay][] = [
  ["the connection is reset", at("http", reset)],
  ["the connection is ended", at("http", answer(""))],
  ["the answer is no HTTP", at("http", answer("hello\r\n\r\n"))],
  ["the answer breaks off in its head", at("http", answer("HTTP/1.1 201 Created\r\ncontent-le"))],
  [
    "the answer breaks off in its body",
    at("http", answer("HTTP/1.1 201 Created\r\ncontent-length: 99\r\n\r\n{")),
  ],
  [
    "its answer is packed, and broken",
    at("http", answer("HTTP/1.1 201 Created\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\ngzip")),
  ],
  [
    "its answer is packed in a coding that was not asked for",
    at("http", answer("HTTP/1.1 201 Created\r\ncontent-encoding: br\r\ncontent-length: 2\r\n\r\n{}")),
  ],
  ["the deadline passes without an answer", at("http", endure)],
];

async function sendBoth(lay: Lay) {
  const { pass, after } = createDeadlines();
  const ofBoard = await lay(pass);
  const clock = { ...createFakeClock(), after };
  const proxied = ofBoard.proxy && { proxy: ofBoard.proxy };
  const board = givenBoard(`${ofBoard.url}/api/v1`, { clock, ...proxied });
  const patched = await board.patchPost(project, postId("p1"), { status: "planned" });

  let passOfGitHub = (): void => {};
  const ofGitHub = await lay(() => passOfGitHub());
  const fixture = createFixture(ofGitHub.url, ofGitHub.proxy && { proxy: ofGitHub.proxy });
  passOfGitHub = fixture.clock.passDeadlines;
  const made = await fixture.tracker.write(repository, { kind: "create-label", name: "bug" });
  return { kinds: [patched.kind, made.kind], heard: `${ofBoard.heard?.()}${ofGitHub.heard?.()}`, fixture };
}

describe("a write of which no byte left is unsent, for both sides", () => {
  it.each(neverLeft)("when %s", async (_, lay) => {
    const { kinds, heard, fixture } = await sendBoth(lay);
    expect(kinds).toEqual(["unsent", "unsent"]);
    expect(heard).not.toMatch(/PATCH|POST/);
    expect(fixture.tracker.requests).toBe(1);
  });
});

describe("a write that may have left is in doubt, for both sides, and leaves once", () => {
  it.each(mayHaveLeft)("when %s", async (_, lay) => {
    const { kinds, heard, fixture } = await sendBoth(lay);
    expect(kinds).toEqual(["unknown", "unknown"]);
    expect(heard.match(/PATCH|POST/g)).toEqual(["PATCH", "POST"]);
    expect(fixture.tracker.requests).toBe(1);
  });
});
