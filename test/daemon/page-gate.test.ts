import { describe, expect, it } from "vitest";
import {
  admitGuest,
  createCode,
  createTries,
  type Gate,
  isCode,
  isSecureRequest,
  judgeVisitor,
  recogniseGuest,
  type Visitor,
} from "../../src/daemon/page/gate.ts";
import { code, openPage } from "../support/page-stage.ts";

const token = "page-token-0123456789";

function judge(visitor: Partial<Visitor>, gate: Partial<Gate>): string {
  const full = { token: undefined, readToken: undefined, ...gate };
  const entry = judgeVisitor({ authorization: undefined, guest: undefined, ...visitor }, full);
  if (entry.kind !== "open") return entry.kind;
  return entry.mayOrder ? "open" : "reads";
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
    expect(judge({ authorization, guest: "g" }, { token })).toBe("open");
    expect(judge({ authorization }, { token: undefined })).toBe("closed");
  });

  it("lets the token that only reads only read, beside the other one and alone", () => {
    const readToken = "read-token-0123456789";
    const gates: readonly Partial<Gate>[] = [{ token, readToken }, { readToken }];
    for (const gate of gates) {
      expect(judge({ authorization: `Bearer ${readToken}` }, gate)).toBe("reads");
      expect(judge({ authorization: basic(`ann:${readToken}`) }, gate)).toBe("reads");
      expect(judge({ authorization: `Bearer ${readToken}`, guest: "g" }, gate)).toBe("open");
      expect(judge({}, gate)).toBe("ask");
    }
    expect(judge({ authorization: `Bearer ${token}` }, { readToken })).toBe("ask");
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

  it("is told how it is opened where no token is set, whatever it asks for and however it comes", async () => {
    const { get } = await openPage({ isShut: true });
    const ways = [
      {},
      { host: "localhost" },
      { "x-forwarded-for": "127.0.0.1" },
      { authorization: "Bearer x" },
      { cookie: "boardsync=x" },
    ];
    for (const path of ["/", "/links", "/post/acme-app/p1", "/?code=other", "/?code="]) {
      for (const headers of ways) {
        const response = await get(path, headers);
        expect(response.status).toBe(403);
        expect(await response.text()).toMatch(
          /^The status page is shut\. `boardsync page`.* \[page\.closed\]\n$/,
        );
      }
    }
  });
});

describe("an address of `boardsync page`", () => {
  it("gives a cookie for a day that no script and no other site sees, and leads to the page", async () => {
    const { get } = await openPage({ isShut: true });
    const response = await get(`/?code=${code}`);
    expect([response.status, response.headers.get("location")]).toEqual([303, "./"]);
    const cookie = response.headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(/^boardsync-[0-9a-f]{8}=[\w.-]+; Max-Age=86400; HttpOnly; SameSite=Strict$/);
    const [name = ""] = cookie.split(";");
    expect((await get("/", { cookie: `a=b; ${name}` })).status).toBe(200);
    expect((await get("/links", { cookie: name })).status).toBe(200);
    expect((await get("/", { cookie: `${name}x` })).status).toBe(403);
  });

  it.each<[string, Readonly<Record<string, string>>, string | undefined]>([
    ["a proxy says so", { "x-forwarded-proto": "https" }, undefined],
    ["the first of several proxies says so, in capitals", { "x-forwarded-proto": "HTTPS, http" }, undefined],
    [
      "the config names the host that was asked for",
      { host: "Tools.example.com" },
      "https://tools.example.com/sync",
    ],
  ])("gives a cookie that nothing but this host over TLS can set, where %s", async (_, headers, url) => {
    const { get } = await openPage({ isShut: true, ...(url !== undefined && { url }) });
    const host = headers["host"];
    const asked = host === undefined ? headers : { "x-forwarded-proto": "https" };
    expect(isSecureRequest(headers, url)).toBe(true);
    const cookie = (await get(`/?code=${code}`, asked)).headers.get("set-cookie") ?? "";
    expect(cookie).toMatch(
      /^__Host-boardsync-[0-9a-f]{8}=[\w.-]+; Max-Age=86400; HttpOnly; SameSite=Strict; Path=\/; Secure$/,
    );
    const [name = ""] = cookie.split(";");
    expect((await get("/", { ...asked, cookie: name })).status).toBe(200);
    // What a plain page, or another host of the domain, has set counts for nothing here.
    expect((await get("/", { ...asked, cookie: name.replace("__Host-", "") })).status).toBe(403);
  });

  it.each<[Readonly<Record<string, string>>, string | undefined]>([
    [{}, undefined],
    [{ "x-forwarded-proto": "http, https" }, "https://tools.example.com"],
    [{ host: "127.0.0.1:8787" }, "https://tools.example.com"],
    [{ host: "tools.example.com" }, "http://tools.example.com"],
  ])("takes %j for no TLS where http.url is %s", (headers, url) => {
    expect(isSecureRequest(headers, url)).toBe(false);
  });

  it("opens the page beside a token, too, and is not used up by a look at its head", async () => {
    const { get } = await openPage({ token });
    expect((await get(`/?code=${code}`, {}, "HEAD")).status).toBe(401);
    const cookie = (await get(`/?code=${code}`)).headers.get("set-cookie") ?? "";
    expect((await get("/", { cookie })).status).toBe(200);
  });

  it("lets in for a day, and not for years because a clock was ahead", () => {
    const state = { pageKey: "key", codeKey: "code", identity: "one" };
    const [cookie] = admitGuest(state, false, 1_000).split(";");
    const dayMs = 24 * 3_600_000;
    const whoAt = (now: number) => recogniseGuest(state, false, cookie, now);
    expect([whoAt(1_000) === undefined, whoAt(999 + dayMs) === undefined]).toEqual([false, false]);
    expect([whoAt(1_000 + dayMs), whoAt(999 - dayMs)]).toEqual([undefined, undefined]);
    // Another machine's clock is a moment behind.
    expect(whoAt(1_001)).toBe(whoAt(500));
    expect(recogniseGuest(state, false, undefined, 1_001)).toBeUndefined();
    expect(recogniseGuest({ ...state, pageKey: "other" }, false, cookie, 1_001)).toBeUndefined();
    expect(recogniseGuest({ ...state, identity: "other" }, false, cookie, 1_001)).toBeUndefined();
  });

  it("shuts no other instance's cookie: each has its own name", async () => {
    const one = await openPage({ isShut: true, identity: "one" });
    const two = await openPage({ isShut: true, identity: "two" });
    const cookies = [await one.admit(), await two.admit()];
    expect(cookies[0]?.split("=")[0]).not.toBe(cookies[1]?.split("=")[0]);
    const cookie = cookies.join("; ");
    expect([(await one.get("/", { cookie })).status, (await two.get("/", { cookie })).status]).toEqual([
      200, 200,
    ]);
  });
});

describe("whoever guesses codes", () => {
  it("never reaches the state, has enough after ten in a minute, and shuts nobody else out", async () => {
    const stage = await openPage({ isShut: true });
    const guesses = [
      "",
      "x",
      "a".repeat(22),
      `${code}x`,
      code.slice(1),
      createCode("other").code,
      "%00",
      "é",
      "🚀",
    ];
    const statuses: number[] = [];
    for (let round = 0; round < 3; round += 1) {
      for (const guess of guesses)
        statuses.push((await stage.get(`/?code=${encodeURIComponent(guess)}`)).status);
    }
    expect(statuses).toEqual([
      ...Array.from({ length: 10 }, () => 403),
      ...Array.from({ length: 17 }, () => 429),
    ]);
    const away = await stage.get("/?code=x");
    expect([away.headers.get("retry-after"), await away.text()]).toEqual([
      "60",
      expect.stringContaining("[page.guesses]"),
    ]);
    expect(stage.taken).toEqual([]);
    const opened = await stage.get(`/?code=${code}`);
    expect([opened.status, stage.taken]).toEqual([303, [code]]);
    const cookie = opened.headers.get("set-cookie")?.split(";")[0] ?? "";
    expect((await stage.get("/?code=x", { cookie })).status).toBe(200);
    stage.clock.now += 60_000;
    expect((await stage.get("/?code=x")).status).toBe(403);
  });

  it("sends an old code no more than ten times in a minute to the state", async () => {
    const stage = await openPage({ isShut: true });
    const old = createCode("key-of-the-page").code;
    for (let count = 0; count < 30; count += 1) await stage.get(`/?code=${old}`);
    expect(stage.taken).toHaveLength(10);
  });

  it("is told apart by the address, and bounded in all", () => {
    let now = 0;
    const tries = createTries(() => now);
    const count = (address: string, times: number): number =>
      Array.from({ length: times }, () => tries.isRoom(address)).filter(Boolean).length;
    expect([count("a", 20), count("b", 20)]).toEqual([10, 10]);
    const others = Array.from({ length: 1_000 }, (_, index) => count(`c${index}`, 1));
    expect(others.reduce((sum, one) => sum + one, 0)).toBe(80);
    now = 59_999;
    expect(count("d", 1)).toBe(0);
    now = 60_000;
    expect(count("a", 20)).toBe(10);
  });

  it("has a code of ours known only with the key", () => {
    const made = createCode("key").code;
    expect(made).toMatch(/^[\w-]{22}$/);
    expect([isCode("key", made), isCode("other", made), isCode("key", `${made}A`)]).toEqual([
      true,
      false,
      false,
    ]);
  });
});
