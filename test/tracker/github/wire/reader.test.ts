import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import { primaryLimit, secondaryLimit } from "../../../support/sandbox/github/faults.ts";
import {
  createFixture,
  failureOf,
  type Reply,
  repository,
  repositoryJson,
  sendJson,
  start,
  startSandbox,
  startServer,
  token,
  unbounded,
} from "../setup.ts";

const ok = { login: "acme-bot" };
const create = {
  kind: "create-issue",
  title: "t",
  body: "b",
  labels: [],
  assignees: [],
  milestone: undefined,
  type: undefined,
} as const;

/** Fails the first requests, then answers. */
function failing(times: number, fail: Reply): Reply {
  return (response, request) => {
    if (request.count <= times) fail(response, request);
    else sendJson(response, 200, ok);
  };
}

describe("a read that fails for the moment", () => {
  it.each<[string, Reply]>([
    ["502 with a page", (response) => sendJson(response, 502, "<h1>", { "content-type": "text/html" })],
    ["500", (response) => sendJson(response, 500, { message: "Server Error" })],
    ["a reset", (response) => response.socket?.resetAndDestroy()],
    [
      "a body that breaks off",
      (response) => {
        response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
        response.write('{"login":', () => response.socket?.resetAndDestroy());
      },
    ],
  ])("is repeated with growing delays: %s", async (_, fail) => {
    const { tracker, clock } = await startServer(failing(3, fail));
    expect(await tracker.account(unbounded())).toEqual(ok);
    expect(clock.sleeps).toEqual([750, 1_500, 3_000]);
    expect(tracker.requests).toBe(4);
  });

  it("is given up after the retries", async () => {
    const { tracker } = await startServer((response) => sendJson(response, 503, { message: "Unicorn" }), {
      retries: 1,
    });
    expect(await failureOf(tracker.account(unbounded()))).toMatchObject({
      fault: "unreachable",
      message: "GitHub answered 503 for our account: Unicorn.",
    });
    expect(tracker.requests).toBe(2);
  });

  it("is given up when the next attempt would start too late", async () => {
    const { tracker, clock } = await startServer((response) => sendJson(response, 500, {}));
    const bounds = { ...unbounded(), until: start + 2_000 };
    expect(await failureOf(tracker.account(bounds))).toMatchObject({ fault: "unreachable" });
    expect(clock.sleeps).toEqual([750]);
  });

  it("waits as long as a 503 asks", async () => {
    const busy: Reply = (response) => sendJson(response, 503, {}, { "retry-after": "20" });
    const { tracker, clock } = await startServer(failing(1, busy));
    expect(await tracker.account(unbounded())).toEqual(ok);
    expect(clock.sleeps).toEqual([20_275]);
  });

  it("does not wait for a deadline that passes without an answer, but says so", async () => {
    const hanging = await startServer(() => hanging.clock.passDeadlines(), { timeoutMs: 40, retries: 0 });
    const { tracker } = hanging;
    expect(await failureOf(tracker.account(unbounded()))).toMatchObject({
      fault: "unreachable",
      message: "GitHub could not be read (our account): it did not answer within 40 ms.",
    });
  });

  it("counts an answer that never ends against the deadline", async () => {
    const endless = await startServer(
      (response) => {
        const passDeadlines = (): void => endless.clock.passDeadlines();
        response.writeHead(200, { "content-type": "application/json" }).write('{"login":', passDeadlines);
      },
      { timeoutMs: 60, retries: 0 },
    );
    const { tracker } = endless;
    expect(await failureOf(tracker.account(unbounded()))).toMatchObject({ fault: "unreachable" });
  });

  it("names the code when nobody listens", async () => {
    const { tracker } = createFixture("http://127.0.0.1:9", { retries: 0 });
    const error = await failureOf(tracker.account(unbounded()));
    expect(error).toMatchObject({
      message: "GitHub could not be read (our account): it refused the connection (ECONNREFUSED).",
      concerns: "all",
    });
  });
});

it("the error of a read whose token can't be a header holds nothing of it", async () => {
  const odd = `${token}\u0001\u2603`;
  const { tracker } = createFixture("http://127.0.0.1:9", { token: odd, retries: 0 });
  const error = await failureOf(tracker.account(unbounded()));
  expect(error.fault).toBe("unreachable");
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(token);
  const { tracker: writing } = createFixture("http://127.0.0.1:9", { token: odd });
  expect(await writing.write(repository, create)).toMatchObject({
    kind: "unsent",
    message: expect.not.stringContaining(token),
  });
});

describe("a read within bounds", () => {
  it("is not begun after the signal or the end of the run", async () => {
    const { tracker, clock } = await startServer((response) => sendJson(response, 200, ok));
    const signal = AbortSignal.abort();
    expect(await failureOf(tracker.account({ until: Number.POSITIVE_INFINITY, signal }))).toMatchObject({
      fault: "aborted",
    });
    expect(await failureOf(tracker.account({ ...unbounded(), until: clock.now() }))).toMatchObject({
      fault: "aborted",
      message: "No time is left in this run to read our account.",
    });
    expect(tracker.requests).toBe(0);
  });

  it("ends with the signal, and is not repeated", async () => {
    const controller = new AbortController();
    const { tracker } = await startServer(() => controller.abort());
    const bounds = { until: Number.POSITIVE_INFINITY, signal: controller.signal };
    expect(await failureOf(tracker.account(bounds))).toMatchObject({ fault: "aborted" });
    expect(tracker.requests).toBe(1);
  });

  it("ends with a signal that comes while the request is being prepared", async () => {
    const controller = new AbortController();
    const { tracker, seen } = await startServer((response) => sendJson(response, 200, ok));
    const bounds = { until: Number.POSITIVE_INFINITY, signal: controller.signal };
    const reading = failureOf(tracker.account(bounds));
    controller.abort();
    expect(await reading).toMatchObject({ fault: "aborted" });
    expect(seen).toEqual([]);
  });

  it("ends with a signal that comes during a wait", async () => {
    const controller = new AbortController();
    const { tracker, clock } = await startServer((response) => sendJson(response, 500, {}), {
      random: () => {
        controller.abort();
        return 0;
      },
    });
    const bounds = { until: Number.POSITIVE_INFINITY, signal: controller.signal };
    expect(await failureOf(tracker.account(bounds))).toMatchObject({ fault: "aborted" });
    expect([tracker.requests, clock.sleeps]).toEqual([1, [500]]);
  });
});

describe("a limit", () => {
  it.each([403, 429] as const)(
    "of up to a minute is waited out by the read that met it (%i)",
    async (status) => {
      const { tracker, github, clock } = await startSandbox();
      github.failNext({ answer: secondaryLimit(60, status) });
      expect(await tracker.account(unbounded())).toEqual({ login: github.login });
      expect(clock.sleeps).toEqual([60_275]);
    },
  );

  it("of more than a minute ends the read and says when to come back", async () => {
    const { tracker, github, clock } = await startSandbox();
    github.failNext({ answer: primaryLimit(start + 1_800_000) });
    expect(await failureOf(tracker.account(unbounded()))).toMatchObject({
      fault: "limited",
      retryAt: start + 1_801_000,
      message: "GitHub's limit is reached; nothing is asked before 2026-01-05T10:30:01.000Z.",
    });
    expect(clock.sleeps).toEqual([]);
  });

  it("that ends after the run ends the read", async () => {
    const { tracker, github, clock } = await startSandbox();
    github.failNext({ answer: secondaryLimit(30) });
    const bounds = { ...unbounded(), until: start + 20_000 };
    expect(await failureOf(tracker.account(bounds))).toMatchObject({
      fault: "limited",
      retryAt: start + 30_000,
    });
    expect(clock.sleeps).toEqual([]);
  });

  it("that a read met holds for all, and nothing is sent before its time", async () => {
    const { tracker, github, clock } = await startSandbox();
    const repository = await tracker.repository("acme/app", unbounded());
    github.failNext({ answer: primaryLimit(start + 600_000, 429) });
    await failureOf(tracker.account(unbounded()));
    github.clearRequests();
    const retryAt = start + 601_000;
    expect(await failureOf(tracker.account(unbounded()))).toMatchObject({ fault: "limited", retryAt });
    expect(await tracker.write(repository, create)).toMatchObject({ kind: "limited", retryAt });
    clock.pass(600_999);
    expect(await tracker.write(repository, create)).toMatchObject({ kind: "limited", retryAt });
    expect(github.requests).toEqual([]);
    clock.pass(1);
    expect(await tracker.write(repository, create)).toMatchObject({ kind: "applied" });
  });

  it("that a write met holds for reads, too", async () => {
    const { tracker, github } = await startSandbox({ limits: { contentPerMinute: 1 } });
    const repository = await tracker.repository("acme/app", unbounded());
    expect(await tracker.write(repository, create)).toMatchObject({ kind: "applied" });
    expect(await tracker.write(repository, create)).toMatchObject({
      kind: "limited",
      retryAt: start + 60_000,
    });
    expect(await failureOf(tracker.account(unbounded()))).toMatchObject({ fault: "limited" });
    expect(github.issues("acme/app")).toHaveLength(1);
  });

  it("without a time doubles with each refusal in a row, and starts anew after a success", async () => {
    const { tracker, github, clock } = await startSandbox();
    const repository = await tracker.repository("acme/app", unbounded());
    const waits: number[] = [];
    const refuse = async () => {
      github.failNext({ answer: secondaryLimit() });
      const outcome = await tracker.write(repository, create);
      const waitMs = outcome.kind === "limited" ? outcome.retryAt - clock.now() : 0;
      waits.push(waitMs);
      clock.pass(waitMs);
    };
    for (let round = 0; round < 6; round += 1) await refuse();
    await tracker.account(unbounded());
    await refuse();
    expect(waits.map((ms) => ms / 60_000)).toEqual([1, 2, 4, 8, 15, 15, 1]);
  });

  it("that holds on is given up in the end", async () => {
    const { tracker } = await startServer((response) => sendJson(response, 429, {}, { "retry-after": "1" }));
    expect(await failureOf(tracker.account(unbounded()))).toMatchObject({ fault: "limited" });
    expect(tracker.requests).toBe(4);
  });

  it("never comes from a server without limits, which sends no headers", async () => {
    const { tracker } = await startSandbox({ limits: { requestsPerHour: Number.POSITIVE_INFINITY } });
    expect(await tracker.repository("acme/app", unbounded())).toMatchObject({ name: "acme/app" });
  });
});

describe("an answer that is no use", () => {
  it.each<[number, string, string]>([
    [400, "refused", "GitHub answered 400 for our account: No."],
    [403, "unauthorized", "GitHub answered 403 for our account: No. (this needs issues: read)."],
    [409, "refused", "GitHub answered 409 for our account: No."],
    [422, "refused", "GitHub answered 422 for our account: No."],
    [202, "unreadable", "GitHub answered 202 for our account, without a result."],
    [300, "unreadable", "GitHub answered 300 for our account, without a result."],
  ])("%i is %s", async (status, fault, message) => {
    const body = { message: status === 403 ? "No." : "No" };
    const { tracker } = await startServer((response) =>
      sendJson(response, status, body, { "x-accepted-github-permissions": "issues=read" }),
    );
    expect(await failureOf(tracker.account(unbounded()))).toMatchObject({ fault, message });
    expect(tracker.requests).toBe(1);
  });

  it("gives no reason where its words are empty", async () => {
    const { tracker } = await startServer((response) => sendJson(response, 422, { message: "" }));
    const { message } = await failureOf(tracker.account(unbounded()));
    expect(message).toBe("GitHub answered 422 for our account: it gives no reason.");
  });

  it.each<[number, string]>([
    [401, "unauthorized"],
    [403, "unauthorized"],
    [404, "unreadable"],
    [406, "unreadable"],
  ])("a %i that is not GitHub's is %s, and is taken for a page", async (status, fault) => {
    const { tracker } = await startServer((response) =>
      sendJson(response, status, "<h1>Proxy</h1>", { "content-type": "text/html" }),
    );
    const error = await failureOf(tracker.account(unbounded()));
    expect(error.fault).toBe(fault);
    expect(error.detail).toBe("page");
    expect(error.message).not.toContain("<h1>");
  });
});

describe("an Enterprise Server", () => {
  it("is asked below its path, a slash at the end or not", async () => {
    const { github, clock, tracker } = await startSandbox({ basePath: "/api/v3" });
    const slashed = createFixture(`${github.url}/`, { clock });
    const found = await tracker.repository("acme/app", unbounded());
    expect(await slashed.tracker.repository("acme/app", unbounded())).toEqual(found);
    expect(await tracker.write(found, create)).toMatchObject({ kind: "applied" });
    github.renameRepository("acme/app", "acme/product");
    expect(await tracker.repository("acme/app", unbounded())).toMatchObject({ name: "acme/product" });
  });
});

describe("a deprecation notice", () => {
  it("is logged once, without what it should not hold", async () => {
    const { tracker, logged } = await startServer((response) => {
      const headers = { deprecation: "true", sunset: `\u001b${token} tomorrow` };
      sendJson(response, 200, repositoryJson(), {
        ...headers,
        sunset: headers.sunset.slice(1),
        link: '<https://docs.github.com/x>; rel="deprecation"',
      });
    });
    await tracker.repository("acme/app", unbounded());
    await tracker.repository(repository.id, unbounded());
    expect(logged).toEqual([
      {
        level: "warn",
        message: "GitHub announces that an endpoint will go away",
        fields: { notice: expect.stringContaining("https://docs.github.com/x") },
      },
    ]);
    expect(JSON.stringify(logged)).not.toContain(token);
  });
});
