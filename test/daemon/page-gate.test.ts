import { describe, expect, it } from "vitest";
import { type Gate, judgeVisitor, type Visitor } from "../../src/daemon/page/gate.ts";
import { openPage } from "../support/page-stage.ts";

const token = "page-token-0123456789";

function judge(visitor: Partial<Visitor>, gate: Partial<Gate> = {}): string {
  const asked = { authorization: undefined, host: "localhost:8787", isProxied: false, ...visitor };
  return judgeVisitor(asked, { host: "127.0.0.1", token: undefined, ...gate }).kind;
}

function basic(pair: string): string {
  return `Basic ${Buffer.from(pair).toString("base64")}`;
}

describe("with a token, the gate", () => {
  it.each([
    ["nothing", undefined, "ask"],
    ["the token", `Bearer ${token}`, "open"],
    ["the token, the scheme in small letters", `bearer ${token}`, "open"],
    ["the token as a password", basic(`ann:${token}`), "open"],
    ["the token as a password without a name", basic(`:${token}`), "open"],
    ["the token as a name", basic(token), "ask"],
    ["another token", "Bearer page-token-0123456788", "ask"],
    ["a part of it", "Bearer page-token", "ask"],
    ["another scheme", `Digest ${token}`, "ask"],
    ["the token by itself", token, "ask"],
    ["no Base64", "Basic ~~~", "ask"],
  ])("answers %s", (_, authorization, verdict) => {
    expect(judge({ authorization }, { token })).toBe(verdict);
    expect(judge({ authorization, host: "sync.example.com" }, { token, host: "0.0.0.0" })).toBe(verdict);
  });
});

describe("without a token, the gate", () => {
  it.each([
    ["127.0.0.1", "localhost:8787", "open"],
    ["localhost", "127.0.0.1", "open"],
    ["::1", "[::1]:8787", "open"],
    ["127.0.0.1", "evil.example.com:8787", "closed"],
    ["127.0.0.1", "localhost.example.com", "closed"],
    ["127.0.0.1", "127.0.0.1.nip.io", "closed"],
    ["127.0.0.1", "localhost@evil.example.com", "closed"],
    ["127.0.0.1", "", "closed"],
    ["127.0.0.1", undefined, "closed"],
    ["0.0.0.0", "localhost:8787", "closed"],
    ["::", "localhost:8787", "closed"],
    ["192.168.1.7", "localhost:8787", "closed"],
  ])("listening on %s and asked for as %s is %s", (host, asked, verdict) => {
    expect(judge({ host: asked }, { host })).toBe(verdict);
  });

  it("is closed for what a proxy asks for", () => {
    expect(judge({ isProxied: true })).toBe("closed");
  });
});

describe("whoever is not let in", () => {
  it("is asked for the token, in a way that a browser understands, and sees nothing", async () => {
    const { get } = await openPage({ token });
    for (const path of ["/", "/links", "/post/acme-app/p1", "/post/acme-app/none"]) {
      const response = await get(path);
      expect(response.status).toBe(401);
      expect(response.headers.get("www-authenticate")).toBe('Basic realm="boardsync", charset="UTF-8"');
      expect(await response.text()).toMatch(
        /^The status page asks for BOARDSYNC_HTTP_TOKEN.* \[page\.token\]\n$/,
      );
      expect((await get(path, { authorization: `Bearer ${token}x` })).status).toBe(401);
    }
    expect((await get("/", { authorization: `Bearer ${token}` })).status).toBe(200);
    expect((await get("/", { authorization: basic(`me:${token}`) })).status).toBe(200);
  });

  it("is told why the page is off where other machines could ask", async () => {
    const { get } = await openPage({ host: "0.0.0.0" });
    const response = await get("/");
    expect(response.status).toBe(403);
    expect(await response.text()).toMatch(
      /^The status page is off, because the daemon listens on 0\.0\.0\.0.*BOARDSYNC_HTTP_TOKEN.* \[page\.closed\]\n$/,
    );
  });

  it("is told that a proxy needs the token", async () => {
    const { get } = await openPage();
    const response = await get("/", { "x-forwarded-for": "203.0.113.7" });
    expect(response.status).toBe(403);
    expect(await response.text()).toContain("not through a proxy");
  });
});
