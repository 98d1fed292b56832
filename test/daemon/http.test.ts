import { once } from "node:events";
import { connect } from "node:net";
import { afterEach, describe, expect, it, onTestFinished } from "vitest";
import { healthPart, type LateProject } from "../../src/daemon/health.ts";
import { type HttpPart, type HttpPlace, type HttpServer, serveHttp } from "../../src/daemon/http.ts";
import { metricsPart } from "../../src/daemon/metrics.ts";
import { ConfigError, StateError } from "../../src/errors.ts";
import { judgeProject } from "../../src/sync/tell/project-state.ts";
import { readReport } from "../../src/sync/tell/stored-report.ts";
import { until } from "../support/until.ts";
import { createMemoryLog } from "./memory-log.ts";

const open: HttpServer[] = [];
afterEach(async () => {
  for (const server of open.splice(0)) await server.close();
});

async function given(where: Partial<HttpPlace> = {}, late: readonly LateProject[] = []): Promise<HttpServer> {
  const parts = [healthPart(async () => late)];
  const server = await serveHttp({ host: "127.0.0.1", port: 0, ...where }, createMemoryLog(), parts);
  open.push(server);
  return server;
}

/** What listening there is answered with. */
async function refusal(where: HttpPlace): Promise<readonly string[]> {
  const error: unknown = await serveHttp(where, createMemoryLog(), []).catch((fault: unknown) => fault);
  expect(error).toBeInstanceOf(ConfigError);
  return error instanceof ConfigError ? error.problems : [];
}

describe("the daemon's HTTP", () => {
  it("asks the state once for all who ask it without a token at the same time", async () => {
    let asked = 0;
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
    const wait = async (): Promise<void> => {
      asked += 1;
      await answered;
    };
    const metrics = {
      contentType: "text/plain",
      noteTraffic: () => undefined,
      async render() {
        await wait();
        return "boardsync_held 0\n";
      },
    };
    let come = 0;
    const parts: HttpPart[] = [
      (server) =>
        server.addHook("onRequest", async () => {
          come += 1;
        }),
      healthPart(async () => {
        await wait();
        return [];
      }),
      metricsPart(metrics, () => {
        return { projects: [], sides: { board: { answers: new Map() }, tracker: { answers: new Map() } } };
      }),
    ];
    const server = await serveHttp({ host: "127.0.0.1", port: 0 }, createMemoryLog(), parts);
    open.push(server);
    const all = Array.from({ length: 40 }, (_, index) =>
      fetch(`${server.address}${index % 2 === 0 ? "/readyz" : "/metrics"}`),
    );
    await until(async () => come === all.length && asked >= 2);
    answer();
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual(all.map(() => 200));
    expect(asked).toBe(2);
    await fetch(`${server.address}/readyz`);
    const before = asked;
    await fetch(`${server.address}/readyz`);
    expect(asked).toBe(before + 1);
  });

  it("says that the loop is alive, and nothing else", async () => {
    const { address } = await given();
    const response = await fetch(`${address}/healthz`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toMatch(/^application\/json/);
    expect(response.headers.get("cache-control")).toBe("no-store");
    expect(await response.json()).toEqual({ status: "ok" });
  });

  it("answers HEAD without a body", async () => {
    const { address } = await given();
    const response = await fetch(`${address}/healthz`, { method: "HEAD" });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe("");
  });

  it.each([
    ["GET", "/"],
    ["GET", "/healthz/"],
    ["GET", "/HEALTHZ"],
    ["GET", "/metrics"],
    ["GET", "/../../etc/passwd"],
    ["HEAD", "/nothing"],
    ["POST", "/nothing?healthz"],
  ])("%s %s is not found", async (method, path) => {
    const { address } = await given();
    const response = await fetch(`${address}${path}`, { method });
    expect(response.status).toBe(404);
    if (method !== "HEAD") expect(await response.json()).toEqual({ status: "not found" });
  });

  it("is ready while no project is late, else says which one is and why", async () => {
    const ready = await fetch(`${(await given()).address}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([200, { status: "ready" }]);
    const state = judgeProject({
      now: 0,
      counts: undefined,
      parked: [],
      report: readReport({ putOff: [{ message: "GitHub wants no request before 10:00" }] }),
      lastSuccessAt: undefined,
      late: "it is to run every 300 s",
    });
    const reason =
      "Failing: no good run yet, and it is to run every 300 s; later: GitHub wants no request before 10:00. `boardsync status` says more.";
    const reasons = [{ project: "acme-app", reason }];
    const late = await fetch(`${(await given({}, [{ key: "acme-app", state }])).address}/readyz`);
    expect([late.status, await late.json()]).toEqual([503, { status: "not ready", reasons }]);
  });

  it.each(["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])(
    "says that %s is not for this place",
    async (method) => {
      const { address } = await given();
      const response = await fetch(`${address}/healthz?verbose`, { method });
      expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
      expect(await response.json()).toEqual({ status: "method not allowed" });
    },
  );

  it.each(["/healthz", "/readyz", "/nothing", "/%zz"])(
    "%s lets no browser keep, frame or guess",
    async (path) => {
      const { address } = await given();
      const { headers } = await fetch(`${address}${path}`);
      expect(Object.fromEntries(headers)).toMatchObject({
        "cache-control": "no-store",
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
        "referrer-policy": "no-referrer",
        "x-content-type-options": "nosniff",
        "x-frame-options": "DENY",
      });
    },
  );

  it("is not ready, and says why, while the state can't be read; the log has its words", async () => {
    const gone = new StateError("The server at db.internal is gone", { code: "state.unreachable" });
    const parts: HttpPart[] = [
      healthPart(() => Promise.reject(gone)),
      (server) => server.get("/page", () => Promise.reject(gone)),
    ];
    const log = createMemoryLog();
    const server = await serveHttp({ host: "127.0.0.1", port: 0 }, log, parts);
    open.push(server);
    const ask = async (path: string): Promise<unknown> => {
      const response = await fetch(`${server.address}${path}`);
      return [response.status, await response.json()];
    };
    const reason = "The state can't be read (state.unreachable): the daemon's log says why";
    expect(await ask("/readyz")).toEqual([503, { status: "not ready", reasons: [{ reason: `${reason}.` }] }]);
    expect(await ask("/page")).toEqual([503, { status: reason }]);
    expect(log.lines).toMatchObject([{ level: "error", fields: { route: "/page", err: gone } }]);
    expect(await ask("/healthz")).toEqual([200, { status: "ok" }]);
  });

  it("tells the log alone what went wrong within", async () => {
    const error = new Error("the secret is s3cret");
    const broken: HttpPart = (server) => {
      server.get("/broken/:name", () => {
        throw error;
      });
    };
    const log = createMemoryLog();
    const server = await serveHttp({ host: "127.0.0.1", port: 0 }, log, [broken]);
    open.push(server);
    const response = await fetch(`${server.address}/broken/private`);
    expect([response.status, await response.json()]).toEqual([500, { status: "internal server error" }]);
    expect(log.lines).toEqual([
      {
        level: "error",
        fields: { route: "/broken/:name", err: error },
        message: "A request could not be answered",
      },
    ]);
  });

  it("refuses a body that is too large, and a path that is no path, without failing", async () => {
    const { address } = await given();
    const large = await fetch(`${address}/healthz`, {
      method: "POST",
      body: "x".repeat(2 * 1024 * 1024),
    });
    expect(large.status).toBeGreaterThanOrEqual(400);
    expect(large.status).toBeLessThan(500);
    expect((await fetch(`${address}/%zz`)).status).toBe(400);
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
  });

  it("gives one address 128 connections at most, and others are answered meanwhile", async () => {
    const { address } = await given();
    const port = Number(new URL(address).port);
    let closed = 0;
    const sockets = Array.from({ length: 300 }, () => {
      const socket = connect({ port, host: "127.0.0.1", localAddress: "127.0.0.2" });
      socket.on("error", () => undefined);
      socket.on("close", () => {
        closed += 1;
      });
      return socket;
    });
    await until(() => closed === 300 - 128);
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
    for (const socket of sockets) socket.destroy();
    await until(() => closed === 300);
  });

  it("answers 100 requests of a connection, and cuts it then, however many were sent at once", async () => {
    const { address } = await given();
    const { hostname, port } = new URL(address);
    const socket = connect(Number(port), hostname);
    let text = "";
    socket.on("data", (data) => {
      text += data.toString();
    });
    socket.on("error", () => undefined);
    socket.write("GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(5000));
    await new Promise((resolve) => socket.once("close", resolve));
    expect(text.match(/HTTP\/1\.1 200/g)?.length).toBeLessThanOrEqual(100);
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
  });

  it("listens on an address of IPv6", async () => {
    const { address } = await given({ host: "::1" });
    expect(address).toMatch(/^http:\/\/\[::1\]:\d+$/);
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
  });

  it.each(["127.0.0.1", "::1"])(
    "on %s names the address whose port is taken, and the remedy",
    async (host) => {
      const { address } = await given({ host });
      const { host: place, port } = new URL(address);
      expect(await refusal({ host, port: Number(port) })).toEqual([
        `The daemon can't listen on ${place} (EADDRINUSE). Another program has it: set http.port to a free one, or http: false.`,
      ]);
      expect((await fetch(`${address}/healthz`)).status).toBe(200);
    },
  );

  it("names an address that is not of this machine", async () => {
    expect(await refusal({ host: "192.0.2.1", port: 8787 })).toEqual([
      expect.stringMatching(
        /^The daemon can't listen on 192\.0\.2\.1:8787 \(EADDRNOTAVAIL\)\. Set http\.host /,
      ),
    ]);
  });

  it("frees its port when it is closed", async () => {
    const first = await given();
    const port = Number(new URL(first.address).port);
    await first.close();
    const second = await given({ port });
    expect((await fetch(`${second.address}/healthz`)).status).toBe(200);
  });

  it.each([
    ["keeps open after its answer", "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"],
    ["has sent half a request on", "GET /healthz HTTP/1.1\r\nHost: x\r\n"],
    ["has sent nothing on", ""],
  ])("closes although there is a connection that a monitor %s", async (_case, request) => {
    const server = await given();
    const { hostname, port } = new URL(server.address);
    const socket = connect(Number(port), hostname);
    const cut = new Promise((resolve) => socket.once("close", resolve));
    await once(socket, "connect");
    socket.on("error", () => undefined).write(request);
    if (request.endsWith("\r\n\r\n")) await once(socket, "data");
    // The answer to another connection shows that the first has arrived.
    await fetch(`${server.address}/healthz`, { headers: { connection: "close" } });
    await server.close();
    await cut;
  });
});

it.each([
  ["0.0.0.0", "http://0.0.0.0:"],
  ["127.0.0.1", "http://127.0.0.1:"],
  ["::1", "http://[::1]:"],
])("says where it listens at %s, as it was told", async (host, address) => {
  const server = await serveHttp({ host, port: 0 }, createMemoryLog(), []);
  onTestFinished(() => server.close());
  expect(server.address.startsWith(address)).toBe(true);
  expect(server.address).not.toMatch(/:0$/);
});
