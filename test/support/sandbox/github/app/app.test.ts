import { sign } from "node:crypto";
import { describe, expect, it } from "vitest";
import { createAppKey } from "../../../app-key.ts";
import { type Fixture, start, startFixture } from "../../github-client.ts";

const key = createAppKey();
const hourMs = 3_600_000;

interface Claims {
  readonly iat?: number;
  readonly exp?: number;
  readonly iss?: string | number;
}

/** Signed as an App does it, with claims that are right unless a test says otherwise. */
function jwt(claims: Claims = {}, { alg = "RS256", privateKey = key.privateKey } = {}): string {
  const now = Math.floor(start / 1000);
  const parts = [
    { alg, typ: "JWT" },
    { iat: now - 60, exp: now + 540, iss: 4711, ...claims },
  ];
  const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  return `${text}.${sign("RSA-SHA256", Buffer.from(text), privateKey).toString("base64url")}`;
}

function as(token: string): Record<string, string> {
  return { authorization: `Bearer ${token}` };
}

function startApp(): Promise<Fixture> {
  return startFixture({
    repositories: [
      { name: "acme/app", private: true },
      { name: "acme/api", private: true },
      { name: "other/open" },
    ],
    app: {
      id: 4711,
      slug: "feedback-sync",
      publicKey: key.publicKey,
      installations: [{ owner: "acme", repositories: ["acme/app"] }],
    },
  });
}

/** The installation on acme, and a token of it. */
async function signIn({ send }: Fixture): Promise<{ readonly id: number; readonly token: string }> {
  const found = await send("GET", "/repos/acme/app/installation", undefined, as(jwt()));
  const id = Number(found.body["id"]);
  const made = await send("POST", `/app/installations/${id}/access_tokens`, {}, as(jwt()));
  expect(made.status).toBe(201);
  return { id, token: String(made.body["token"]) };
}

describe("an App", () => {
  it("is itself by a signed statement, and its bot by a token", async () => {
    const fixture = await startApp();
    const { send, github } = fixture;
    expect((await send("GET", "/app", undefined, as(jwt()))).body).toMatchObject({ slug: "feedback-sync" });
    const { id, token } = await signIn(fixture);
    const shown = await send("GET", `/app/installations/${id}`, undefined, as(jwt()));
    expect(shown.body).toMatchObject({ id, repository_selection: "selected", suspended_at: null });
    expect(token.length).toBeGreaterThan(200);
    const made = await send("POST", "/repos/acme/app/issues", { title: "A title" }, as(token));
    expect(made.status).toBe(201);
    expect(github.issue("acme/app", 1)).toMatchObject({ author: "feedback-sync[bot]" });
  });

  it.each<[string, string, string]>([
    [
      "a signature of another key",
      jwt({}, { privateKey: createAppKey().privateKey }),
      "could not be decoded",
    ],
    ["another algorithm in its head", jwt({}, { alg: "none" }), "could not be decoded"],
    ["another App's id", jwt({ iss: 4712 }), "Integration not found"],
    ["a statement that has expired", jwt({ exp: start / 1000 - 1 }), "'exp'"],
    ["one that is good for more than ten minutes", jwt({ exp: Math.ceil(start / 1000) + 601 }), "too far"],
    ["one from the future", jwt({ iat: Math.ceil(start / 1000) + 2 }), "'iat'"],
  ])("is refused with %s", async (_, token, words) => {
    const { send } = await startApp();
    const answer = await send("GET", "/app", undefined, as(token));
    expect(answer.status).toBe(401);
    expect(answer.body["message"]).toContain(words);
  });

  it("can do as itself nothing that belongs to an installation, and the other way round", async () => {
    const fixture = await startApp();
    const { token } = await signIn(fixture);
    const statuses = [
      await fixture.send("GET", "/repos/acme/app", undefined, as(jwt())),
      await fixture.send("GET", "/user", undefined, as(token)),
    ].map(({ status }) => status);
    expect(statuses).toEqual([403, 403]);
  });

  it("finds an installation by the repositories that it includes, whatever they are called now", async () => {
    const { send, github } = await startApp();
    const find = (name: string) => send("GET", `/repos/${name}/installation`, undefined, as(jwt()));
    expect((await find("acme/api")).status).toBe(404);
    expect((await find("other/open")).status).toBe(404);
    github.renameRepository("acme/app", "acme/new");
    const moved = await find("acme/app");
    expect(moved.status).toBe(301);
    const location = String(moved.headers.get("location"));
    expect((await send("GET", location, undefined, as(jwt()))).status).toBe(200);
    github.app.uninstall("acme");
    expect((await find("acme/new")).status).toBe(404);
  });
});

describe("a token of an installation", () => {
  it("ends after an hour, or when it is revoked", async () => {
    const fixture = await startApp();
    const { send, clock, github } = fixture;
    const { token } = await signIn(fixture);
    const look = async (): Promise<number> =>
      (await send("GET", "/repos/acme/app", undefined, as(token))).status;
    clock.pass(hourMs - 1);
    expect(await look()).toBe(200);
    clock.pass(1);
    expect(await look()).toBe(401);
    const other = await startApp();
    const fresh = await signIn(other);
    other.github.app.revokeTokens("acme");
    expect((await other.send("GET", "/repos/acme/app", undefined, as(fresh.token))).status).toBe(401);
    expect(github.app.tokens).toEqual([token]);
  });

  it("shows what the installation includes, and what is public", async () => {
    const fixture = await startApp();
    const { token } = await signIn(fixture);
    const statuses = ["acme/app", "acme/api", "other/open"].map(
      async (name) => (await fixture.send("GET", `/repos/${name}`, undefined, as(token))).status,
    );
    expect(await Promise.all(statuses)).toEqual([200, 404, 200]);
  });

  it("may do what the permissions say, and a refusal names what is missing", async () => {
    const fixture = await startApp();
    const { token } = await signIn(fixture);
    fixture.github.app.setPermissions("acme", { issues: "read", metadata: "read" });
    const write = await fixture.send("POST", "/repos/acme/app/issues", { title: "A title" }, as(token));
    expect(write.status).toBe(403);
    expect(write.headers.get("x-accepted-github-permissions")).toBe("issues=write");
    expect((await fixture.send("GET", "/repos/acme/app/issues", undefined, as(token))).status).toBe(200);
    fixture.github.app.setPermissions("acme", {});
    expect((await fixture.send("GET", "/repos/acme/app", undefined, as(token))).status).toBe(403);
  });

  it("is not given to a suspended installation", async () => {
    const fixture = await startApp();
    const { id } = await signIn(fixture);
    fixture.github.app.suspend("acme");
    const answer = await fixture.send("POST", `/app/installations/${id}/access_tokens`, {}, as(jwt()));
    expect([answer.status, answer.body["message"]]).toEqual([403, "This installation has been suspended"]);
    const shown = await fixture.send("GET", `/app/installations/${id}`, undefined, as(jwt()));
    expect(shown.body["suspended_at"]).toBe("2026-01-05T10:00:00Z");
  });

  it("counts against limits of its own", async () => {
    const fixture = await startApp();
    const { token } = await signIn(fixture);
    fixture.github.app.setLimits("acme", { requestsPerHour: 1 });
    const ask = (headers?: Record<string, string>) =>
      fixture.send("GET", "/repos/acme/app", undefined, headers);
    expect((await ask(as(token))).headers.get("x-ratelimit-remaining")).toBe("0");
    expect((await ask(as(token))).status).toBe(403);
    expect((await ask()).status).toBe(200);
  });
});
