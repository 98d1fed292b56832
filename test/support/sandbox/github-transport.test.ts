import { request } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { until } from "../until.ts";
import { type FaultAnswer, primaryLimit, secondaryLimit } from "./github/faults.ts";
import { type SandboxGitHub, startSandboxGitHub } from "./github/github.ts";
import { type Fixture, start, startFixture } from "./github-client.ts";

let fixture: Fixture;
const issues = "/repos/acme/app/issues";

beforeEach(async () => {
  fixture = await startFixture();
});

afterEach(() => fixture.github.stop());

describe("who is let in", () => {
  it.each([
    ["no token", "", "Requires authentication"],
    ["another scheme", "Basic c2FuZGJveA==", "Requires authentication"],
    ["a wrong token", "Bearer wrong", "Bad credentials"],
  ])("answers 401 to %s", async (_, authorization, message) => {
    const refused = await fixture.send("GET", "/user", undefined, { authorization });
    expect([refused.status, refused.body["message"]]).toEqual([401, message]);
  });

  it("takes tokens of other accounts, until they are revoked", async () => {
    const { github, send } = fixture;
    github.addToken("other", "ada");
    const headers = { authorization: "Bearer other" };
    expect((await send("GET", "/user", undefined, headers)).body["login"]).toBe("ada");
    github.revokeToken("other");
    expect((await send("GET", "/user", undefined, headers)).status).toBe(401);
  });

  it.each([
    ["2022-11-28", 200],
    ["2026-03-10", 200],
    ["2020-01-01", 400],
  ])("answers %s as API version with %i", async (version, status) => {
    const { github, send } = fixture;
    github.openIssue("acme/app", { title: "t" });
    const answer = await send("GET", issues, undefined, { "x-github-api-version": version });
    expect(answer.status).toBe(status);
  });

  it("answers 403 without a User-Agent", async () => {
    const { github } = fixture;
    const status = await new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${github.token}` };
      const sent = request(`${github.url}/user`, { headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on("error", reject).end();
    });
    expect(status).toBe(403);
  });

  it.each(["/repos/acme/app/issues/%zz", "/repos/%/app"])("answers 400 to %s", async (path) => {
    const { github } = fixture;
    const headers = { authorization: `Bearer ${github.token}` };
    expect((await fetch(github.url + path, { headers })).status).toBe(400);
  });

  it("lives below the path of an Enterprise Server, and nowhere else", async () => {
    const server = await startFixture({ basePath: "/api/v3" });
    server.github.openIssue("acme/app", { title: "t" });
    const answer = await server.send("GET", `${issues}/1`);
    const outside = await fetch(server.github.url.replace("/api/v3", "/user"));
    await server.github.stop();
    expect(server.github.url).toMatch(/\/api\/v3$/u);
    expect(answer.body).toMatchObject({
      url: `${server.github.url}${issues}/1`,
      html_url: `${server.github.url.replace("/api/v3", "")}/acme/app/issues/1`,
    });
    expect(outside.status).toBe(404);
  });

  it("listens on the port that is asked for, or says that it can't", async () => {
    const port = Number(new URL(fixture.github.url).port);
    await expect(startFixture({ port })).rejects.toThrow("EADDRINUSE");
    await fixture.github.stop();
    fixture = await startFixture({ port });
    expect(fixture.github.url).toBe(`http://127.0.0.1:${port}`);
  });
});

describe("limits", () => {
  it("count down in every answer, and start again after an hour", async () => {
    const { github, clock, send } = fixture;
    github.setLimits({ requestsPerHour: 2 });
    const first = await send("GET", "/user");
    expect(Object.fromEntries(first.headers)).toMatchObject({
      "x-ratelimit-limit": "2",
      "x-ratelimit-remaining": "1",
      "x-ratelimit-used": "1",
      "x-ratelimit-reset": String(Math.ceil((start + 3_600_000) / 1000)),
      "x-ratelimit-resource": "core",
    });
    await send("GET", "/user");
    const refused = await send("GET", "/user");
    expect([refused.status, refused.headers.get("x-ratelimit-remaining")]).toEqual([403, "0"]);
    expect(refused.headers.get("retry-after")).toBeNull();
    clock.pass(3_600_000);
    expect((await send("GET", "/user")).status).toBe(200);
  });

  it("can be off, without headers, as on an Enterprise Server", async () => {
    fixture.github.setLimits({ requestsPerHour: Number.POSITIVE_INFINITY });
    const { headers } = await fixture.send("GET", "/user");
    expect([...headers.keys()].filter((name) => name.startsWith("x-ratelimit"))).toEqual([]);
  });

  it("hold back new issues and comments by the minute", async () => {
    const { github, clock, send } = fixture;
    github.setLimits({ contentPerMinute: 2 });
    await send("POST", issues, { title: "a" });
    clock.pass(10_000);
    await send("POST", `${issues}/1/comments`, { body: "c" });
    const refused = await send("POST", issues, { title: "b" });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([403, "50"]);
    expect(refused.body["message"]).toContain("secondary rate limit");
    expect(refused.headers.get("x-ratelimit-remaining")).not.toBe("0");
    expect((await send("PATCH", `${issues}/1`, { title: "c" })).status).toBe(200);
    clock.pass(50_000);
    expect((await send("POST", issues, { title: "b" })).status).toBe(201);
    expect(github.issues("acme/app").map(({ title }) => title)).toEqual(["c", "b"]);
  });

  it("hold back new issues by the hour, with 429 and without a time when asked to", async () => {
    const { github, clock, send } = fixture;
    github.setLimits({ contentPerHour: 1, status: 429, hasRetryAfter: false });
    await send("POST", issues, { title: "a" });
    clock.pass(3_599_000);
    const refused = await send("POST", issues, { title: "b" });
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, null]);
    github.setLimits({ hasRetryAfter: true });
    expect((await send("POST", issues, { title: "b" })).headers.get("retry-after")).toBe("1");
    clock.pass(1000);
    expect((await send("POST", issues, { title: "b" })).status).toBe(201);
  });
});

describe("faults", () => {
  function post(github: SandboxGitHub, title: string, signal?: AbortSignal): Promise<Response> {
    return fetch(`${github.url}${issues}`, {
      method: "POST",
      headers: { authorization: `Bearer ${github.token}` },
      body: JSON.stringify({ title }),
      ...(signal && { signal }),
    });
  }

  function titles(github: SandboxGitHub): readonly string[] {
    return github.issues("acme/app").map(({ title }) => title);
  }

  it.each([
    [false, []],
    [true, ["t"]],
  ])("answer 502 with a page, applied: %s", async (applied, expected) => {
    const { github } = fixture;
    const page = "<html>Unicorn!</html>";
    github.failNext({ applied, answer: { kind: "answer", status: 502, body: page } });
    const response = await post(github, "t");
    expect([response.status, response.headers.get("content-type"), await response.text()]).toEqual([
      502,
      "text/html; charset=utf-8",
      page,
    ]);
    expect(titles(github)).toEqual(expected);
    expect(github.requests.at(-1)?.status).toBe(502);
  });

  it("answer with no body and headers of their own", async () => {
    const { github } = fixture;
    const headers = { "retry-after": "7" };
    github.failNext({ answer: { kind: "answer", status: 503, headers } });
    const response = await post(github, "t");
    expect([response.status, response.headers.get("retry-after"), await response.text()]).toEqual([
      503,
      "7",
      "",
    ]);
  });

  it.each([
    [false, []],
    [true, ["t"]],
  ])("reset the connection, applied: %s", async (applied, expected) => {
    const { github } = fixture;
    github.failNext({ applied, answer: { kind: "reset" } });
    await expect(post(github, "t")).rejects.toThrow("fetch failed");
    expect(titles(github)).toEqual(expected);
    expect(github.requests.at(-1)?.status).toBeUndefined();
  });

  it("never answer, while the request takes effect later", async () => {
    const { github } = fixture;
    github.failNext({ applied: "late", answer: { kind: "hang" } });
    const client = new AbortController();
    const aborted = expect(post(github, "t", client.signal)).rejects.toThrow("aborted");
    await until(() => github.requests.length === 1);
    client.abort();
    await aborted;
    expect(titles(github)).toEqual([]);
    expect(github.landLate()).toBe(1);
    expect(titles(github)).toEqual(["t"]);
    expect(github.landLate()).toBe(0);
  });

  it.each<FaultAnswer["kind"]>(["hang", "reset", "cut", "truncate"])(
    "say when they are met, once the request has had its effect: %s",
    async (kind) => {
      const { github } = fixture;
      const client = new AbortController();
      const seen = new Promise<readonly string[]>((resolve) => {
        const answer = { kind } as FaultAnswer;
        github.failNext({ applied: true, answer, onMet: () => resolve(titles(github)) });
      });
      const ended = post(github, "t", client.signal).catch(() => undefined);
      expect(await seen).toEqual(["t"]);
      client.abort();
      await ended;
    },
  );

  it("truncate the JSON of the right answer", async () => {
    const { github } = fixture;
    github.failNext({ answer: { kind: "truncate" } });
    const response = await post(github, "t");
    expect(response.status).toBe(201);
    await expect(response.json()).rejects.toThrow(SyntaxError);
    expect(titles(github)).toEqual(["t"]);
  });

  it("cut the connection in the middle of the right answer", async () => {
    const { github } = fixture;
    github.failNext({ answer: { kind: "cut" } });
    const response = await post(github, "t");
    expect(response.status).toBe(201);
    await expect(response.text()).rejects.toThrow("terminated");
    expect(titles(github)).toEqual(["t"]);
  });

  it("truncate even an answer without a body", async () => {
    const { github, send } = fixture;
    github.failNext({ answer: { kind: "truncate" } });
    await expect(send("GET", `/repos/acme/app/assignees/${github.login}`)).resolves.toMatchObject({
      status: 204,
    });
  });

  it("hit only the requests that match, as often as asked, after letting some pass", async () => {
    const { github, send } = fixture;
    const answer = { kind: "answer", status: 500 } as const;
    github.failNext({ method: "GET", path: /\/issues$/u, times: 2, after: 1, answer });
    github.failNext({ path: "/labels", answer: { kind: "answer", status: 404, body: { message: "x" } } });
    const headers = { authorization: `Bearer ${github.token}` };
    const statuses: number[] = [];
    for (const path of ["/user", issues, issues, issues, issues]) {
      statuses.push((await fetch(github.url + path, { headers })).status);
    }
    expect(statuses).toEqual([200, 200, 500, 500, 200]);
    expect((await send("POST", issues, { title: "t" })).status).toBe(201);
    expect((await send("GET", "/repos/acme/app/labels")).status).toBe(404);
    expect((await send("GET", "/repos/acme/app/labels")).status).toBe(200);
  });

  it.each([
    ["primary", primaryLimit(start + 60_000), 403, { "x-ratelimit-remaining": "0" }],
    ["primary", primaryLimit(start, 429), 429, { "x-ratelimit-reset": String(Math.ceil(start / 1000)) }],
    ["secondary", secondaryLimit(30), 403, { "retry-after": "30" }],
    ["secondary", secondaryLimit(undefined, 429), 429, { "x-ratelimit-remaining": "4000" }],
  ])("can be the %s limit", async (kind, answer, status, headers) => {
    const { github, send } = fixture;
    github.failNext({ answer });
    const refused = await send("POST", issues, { title: "t" });
    expect(refused.status).toBe(status);
    expect(Object.fromEntries(refused.headers)).toMatchObject(headers);
    expect(refused.headers.has("retry-after")).toBe("retry-after" in headers);
    expect(String(refused.body["message"]).includes("secondary")).toBe(kind === "secondary");
    expect(titles(github)).toEqual([]);
  });
});

describe("the log", () => {
  it("keeps what was asked and answered, but never the token", async () => {
    const { github, clock, send } = fixture;
    clock.pass(1000);
    await send("POST", `${issues}?a=b`, { title: "t" }, { accept: "application/json" });
    expect(github.requests).toMatchObject([
      {
        method: "POST",
        path: issues,
        query: { a: "b" },
        body: { title: "t" },
        headers: { accept: "application/json", "user-agent": "test" },
        at: start + 1000,
        status: 201,
      },
    ]);
    expect(JSON.stringify(github.requests)).not.toContain(github.token);
    github.clearRequests();
    expect(github.requests).toEqual([]);
  });

  it("keeps a body that is no JSON as text", async () => {
    await fixture.send("POST", issues, "{");
    expect(fixture.github.requests[0]?.body).toBe("{");
  });
});

it("starts with an account, a token and the machine's clock of its own", async () => {
  const before = Date.now();
  const github = await startSandboxGitHub();
  const headers = { authorization: `Bearer ${github.token}` };
  const response = await fetch(`${github.url}/user`, { headers });
  await github.stop();
  expect(await response.json()).toMatchObject({ login: github.login });
  expect(github.requests[0]?.at).toBeGreaterThanOrEqual(before);
  expect(github.repositories).toEqual([]);
});
