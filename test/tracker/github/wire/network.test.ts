import { createServer } from "node:net";
import { describe, expect, it } from "vitest";
import type { Fetch } from "../../../../src/tracker/github/wire/transport.ts";
import { createFixture, failureOf, repository, token, unbounded } from "../setup.ts";

const create = {
  kind: "create-issue",
  title: "t",
  body: "b",
  labels: [],
  assignees: [],
  milestone: undefined,
  type: undefined,
} as const;

/** An error as fetch throws it: the interesting one is its cause. */
function fetchError(cause: unknown): TypeError {
  return new TypeError("fetch failed", { cause });
}

function coded(code: string, more: object = {}): Error {
  return Object.assign(new Error(`${code} ${token}`), { code, ...more });
}

async function writeWith(fetch: Fetch) {
  let count = 0;
  const { tracker } = createFixture("https://github.example.com/api/v3", {
    fetch: (url, init) => {
      count += 1;
      return fetch(url, init);
    },
  });
  const outcome = await tracker.write(repository, create);
  expect(count).toBe(1);
  return outcome;
}

/** A port on which nobody listens. */
async function findClosedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

describe("a request that never left", () => {
  it.each([
    coded("ECONNREFUSED"),
    coded("ENOTFOUND"),
    coded("EAI_AGAIN"),
    coded("UND_ERR_CONNECT_TIMEOUT"),
    coded("CERT_HAS_EXPIRED"),
    coded("DEPTH_ZERO_SELF_SIGNED_CERT"),
    coded("UNABLE_TO_VERIFY_LEAF_SIGNATURE"),
    coded("ERR_TLS_CERT_ALTNAME_INVALID"),
    coded("ERR_SSL_WRONG_VERSION_NUMBER"),
    coded("ETIMEDOUT", { syscall: "connect" }),
    coded("ENETUNREACH", { syscall: "connect" }),
    Object.assign(new AggregateError([coded("ECONNREFUSED")], ""), { code: "ECONNREFUSED" }),
    new Error("outer", { cause: coded("ENOTFOUND") }),
  ])("is unsent: %s", async (cause) => {
    const outcome = await writeWith(() => Promise.reject(fetchError(cause)));
    expect(outcome).toMatchObject({ kind: "unsent" });
    expect(JSON.stringify(outcome)).not.toContain(token);
  });

  it("is unsent where really nobody listens", async () => {
    const { tracker } = createFixture(`http://127.0.0.1:${await findClosedPort()}`);
    expect(await tracker.write(repository, create)).toEqual({
      kind: "unsent",
      message: "no connection could be made (ECONNREFUSED)",
    });
  });

  it("is unsent where the other side speaks no TLS", async () => {
    const server = createServer((socket) =>
      socket.on("error", () => {}).end("HTTP/1.1 400 Bad Request\r\n\r\n"),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = typeof address === "object" && address !== null ? address.port : 0;
    try {
      const { tracker } = createFixture(`https://127.0.0.1:${port}`);
      expect(await tracker.write(repository, create)).toMatchObject({ kind: "unsent" });
    } finally {
      server.close();
    }
  });
});

describe("a request that may have left", () => {
  it.each([
    coded("ECONNRESET"),
    coded("EPIPE"),
    coded("ETIMEDOUT", { syscall: "read" }),
    coded("EPROTO"),
    coded("ERR_SSL_DECRYPTION_FAILED_OR_BAD_RECORD_MAC"),
    coded("UND_ERR_SOCKET"),
    coded("UND_ERR_HEADERS_TIMEOUT"),
    coded("UND_ERR_BODY_TIMEOUT"),
    coded("no code at all"),
    coded("5", { code: 5 }),
    new Error("no code"),
    "text",
    undefined,
  ])("is unknown: %s", async (cause) => {
    const outcome = await writeWith(() => Promise.reject(fetchError(cause)));
    expect(outcome).toMatchObject({ kind: "unknown" });
    expect(JSON.stringify(outcome)).not.toContain(token);
  });

  it("is unknown when the chain of causes is a circle", async () => {
    const circle = coded("EPIPE");
    circle.cause = circle;
    expect(await writeWith(() => Promise.reject(circle))).toMatchObject({ kind: "unknown" });
  });

  it("is unknown when fetch throws what is no error", async () => {
    expect(await writeWith(() => Promise.reject("no"))).toMatchObject({ kind: "unknown" });
  });
});

describe("the error of a failed read", () => {
  it("quotes no header, although fetch does when the token can't be one", async () => {
    const odd = `${token}\u0001\u2603`;
    const { tracker } = createFixture("http://127.0.0.1:65534", { token: odd, retries: 0 });
    const error = await failureOf(tracker.account(unbounded()));
    expect(error.fault).toBe("unreachable");
    expect(`${error.message} ${error.stack} ${String(error.cause)}`).not.toContain(token);
    const cause = error.cause instanceof Error ? error.cause : undefined;
    expect(cause?.message).toBe("the connection broke (no code)");
    expect(cause?.cause).toBeUndefined();
  });
});
