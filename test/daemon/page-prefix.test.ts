import { describe, expect, it } from "vitest";
import { addPost, addWaits, code, openPage, parkPost, readForm, readText } from "../support/page-stage.ts";
import { startPrefixProxy } from "../support/prefix-proxy.ts";

const hostileIds = ["a/b", "a/b/c?d#e", ".", "..", "%2F", "50%", "a\\b", "a b", "ünï", "'\"<&>", "-x"];

/** Every address of a page that a browser may follow, as it resolves it. */
function addressesOf(page: string, at: string): readonly string[] {
  return [...page.matchAll(/ (?:href|action)="([^"]*)"/g)]
    .map(([, address = ""]) => readText(address))
    .filter((address) => !/^(data:|https?:|#)/.test(address))
    .map((address) => new URL(address, at).href);
}

describe("behind a proxy that strips a path", () => {
  it("every link of every page leads to a page, and never beside the path", async () => {
    const stage = await openPage({
      orders: true,
      token: "page-token-0123456789",
      after: async (ledger) => {
        await addWaits(ledger);
        for (const id of hostileIds) {
          await addPost(ledger, id, { title: `Title of ${id}` });
          await parkPost(ledger, id, `no to ${id}`);
        }
      },
    });
    const root = `${await startPrefixProxy(stage.address)}/sync/`;
    const headers = { authorization: "Bearer page-token-0123456789" };
    const seen = new Set<string>();
    const open = [root, `${root}nothing/at/all`, `${root}links?q=${encodeURIComponent("a/b")}`];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (seen.has(at)) continue;
      seen.add(at);
      const response = await fetch(at, { headers, redirect: "manual" });
      const page = await response.text();
      expect([at, response.status]).toEqual([at, at.endsWith("/at/all") ? 404 : 200]);
      const found = addressesOf(page, at);
      for (const address of found) expect(address.startsWith(root), `${at} has ${address}`).toBe(true);
      open.push(
        ...found.map((address) => address.replace(/#.*$/, "")).filter((one) => !one.endsWith("/orders")),
      );
    }
    const posts = [...seen].filter((at) => at.includes("/post/"));
    expect(posts.length).toBeGreaterThanOrEqual(hostileIds.length);
    expect([...seen].some((at) => at.includes("/runs/1"))).toBe(true);
  });

  it("a code lets in, and orders are given and told, below that path alone", async () => {
    const stage = await openPage({ orders: true, isShut: true, after: addWaits });
    const root = `${await startPrefixProxy(stage.address)}/sync/`;
    const { origin } = new URL(root);
    const opened = await fetch(`${root}?code=${code}`, { redirect: "manual" });
    expect(new URL(opened.headers.get("location") ?? "", `${root}?code=${code}`).href).toBe(root);
    const set = opened.headers.get("set-cookie") ?? "";
    // Without a path a browser takes that of the request: `/sync`.
    expect(set).not.toMatch(/; *path=/i);
    const headers = { cookie: set.split(";")[0] ?? "", origin, "sec-fetch-site": "same-origin" };
    const send = (fields: Readonly<Record<string, string>>) =>
      fetch(`${root}orders`, {
        method: "POST",
        headers,
        body: new URLSearchParams(fields),
        redirect: "manual",
      });
    const at = `${root}post/acme-app/p2`;
    const page = await (await fetch(at, { headers })).text();
    const question = await (await send(readForm(page, "Retry…"))).text();
    for (const address of addressesOf(question, `${root}orders`)) expect(address.startsWith(root)).toBe(true);
    const done = await send(readForm(question, "Retry"));
    const place = new URL(done.headers.get("location") ?? "", `${root}orders`).href;
    expect([done.status, place.startsWith(`${at}?done=`)]).toEqual([303, true]);
    expect(await (await fetch(place, { headers })).text()).toContain("acme-app/p2 is tried again.");
  });
});
