import { describe, expect, it } from "vitest";
import { createGuests, type Gate, judgeVisitor, type Visitor } from "../../src/daemon/page/gate.ts";
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
    expect(cookie).toMatch(/^boardsync=[\w-]{43}; Max-Age=86400; HttpOnly; SameSite=Strict$/);
    const [name = ""] = cookie.split(";");
    expect((await get("/", { cookie: `a=b; ${name}` })).status).toBe(200);
    expect((await get("/links", { cookie: name })).status).toBe(200);
    expect((await get("/", { cookie: `${name}x` })).status).toBe(403);
    const secure = await get(`/?code=${code}`, { "x-forwarded-proto": "https" });
    expect(secure.headers.get("set-cookie")).toMatch(/; Secure$/);
  });

  it("opens the page beside a token, too, and is not used up by a look at its head", async () => {
    const { get } = await openPage({ token });
    expect((await get(`/?code=${code}`, {}, "HEAD")).status).toBe(401);
    const cookie = (await get(`/?code=${code}`)).headers.get("set-cookie") ?? "";
    expect((await get("/", { cookie })).status).toBe(200);
  });

  it("lets in for a day, by a clock that nobody can set, and no more than a hundred at a time", () => {
    let now = 0;
    const guests = createGuests(() => now);
    const cookies = Array.from({ length: 101 }, () => guests.admit(false));
    expect(guests.recognise(cookies[0])).toBeUndefined();
    expect(guests.recognise(cookies[1])).toBeDefined();
    now = 24 * 3_600_000 - 1;
    expect(guests.recognise(cookies[100])).toBeDefined();
    now += 1;
    expect(guests.recognise(cookies[100])).toBeUndefined();
    expect(guests.recognise(undefined)).toBeUndefined();
  });
});
