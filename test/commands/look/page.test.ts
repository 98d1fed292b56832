/** @module-tag long */

import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { admitGuest } from "../../../src/daemon/page/gate.ts";
import { stateOf } from "../../../src/daemon/page/seals.ts";
import { openLedgerReadOnly } from "../../../src/ledger/sqlite/sqlite.ts";
import { startDaemon } from "../daemon-stage.ts";
import { openStage } from "../stage.ts";

function cookieOf(response: Response): string {
  return response.headers.get("set-cookie")?.split(";")[0] ?? "";
}

describe("boardsync page", () => {
  it("prints an address that opens the page of the running daemon, once", async () => {
    const stage = await openStage();
    const daemon = startDaemon(stage);
    const address = await daemon.address();
    await daemon.ranAll();
    expect((await fetch(`${address}/`)).status).toBe(403);
    const { code, out } = await stage.run(["page"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/\?code=[\w-]{22}\n$/);
    const opened = await fetch(out.trim(), { redirect: "manual" });
    expect(opened.status).toBe(303);
    const page = await fetch(`${address}/`, { headers: { cookie: cookieOf(opened) } });
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("acme-app");
    expect((await fetch(out.trim(), { redirect: "manual" })).status).toBe(403);
    const { json } = await stage.run(["page", "--json"]);
    expect(json()).toEqual({
      address: expect.stringContaining(`${address}/?code=`),
      until: expect.any(String),
    });
  });

  it("is the only way in: whoever can read the whole state opens nothing by that", async () => {
    const stage = await openStage();
    const daemon = startDaemon(stage);
    const address = await daemon.address();
    await daemon.ranAll();
    const { out } = await stage.run(["page"]);
    const [name] = cookieOf(await fetch(out.trim(), { redirect: "manual" })).split("=");
    const ledger = openLedgerReadOnly(join(stage.folder, "state.db"));
    if (ledger === undefined) throw new Error("There is no state.");
    const made = [stateOf(ledger, ""), { ...stateOf(ledger, ""), pageKey: ledger.pageKey }].map((state) =>
      String(/=([^;]*)/.exec(admitGuest(state, false, Date.now()))?.[1]),
    );
    ledger.close();
    for (const value of made) {
      const { status } = await fetch(`${address}/`, { headers: { cookie: `${name}=${value}` } });
      expect(status).toBe(403);
    }
  });

  it("prints the address at which people open the page, where the config names it", async () => {
    const stage = await openStage();
    const file = stage.writeConfig("proxy.yaml", (config) =>
      config.replace("{ port: 0 }", '{ port: 0, url: "https://tools.example.com/sync/" }'),
    );
    const daemon = startDaemon(stage, ["-c", file]);
    await daemon.ranAll();
    const { out } = await stage.run(["page", "-c", file]);
    expect(out).toMatch(/^https:\/\/tools\.example\.com\/sync\/\?code=[\w-]{22}\n$/);
  });

  it("says so where no daemon runs, has ever run, or serves a page", async () => {
    const stage = await openStage();
    expect(await stage.run(["page"])).toMatchObject({
      code: 2,
      out: "",
      err: expect.stringContaining("No run yet"),
    });
    await stage.run(["sync"]);
    const none = await stage.run(["page"]);
    expect(none).toMatchObject({ code: 2, err: expect.stringContaining("No daemon runs on this state") });
    const file = stage.writeConfig("silent.yaml", (config) =>
      config.replace("http: { port: 0 }", "http: false"),
    );
    const daemon = startDaemon(stage, ["-c", file]);
    await daemon.findLine(({ msg }) => msg === "Daemon started");
    const silent = await stage.run(["page", "-c", file]);
    expect(silent).toMatchObject({ code: 2, err: expect.stringContaining("serves no page") });
  });
});

describe("http.webhooksPort", () => {
  it("has webhooks alone, and the other port all the rest", async () => {
    const stage = await openStage();
    const file = stage.writeConfig("hooks.yaml", (config) =>
      config.replace("{ port: 0 }", "{ port: 0, webhooksPort: 0 }"),
    );
    const daemon = startDaemon(stage, ["-c", file], { GITHUB_WEBHOOK_SECRET: "hook-1" });
    await daemon.ranAll();
    const [hooks, rest] = daemon.lines
      .filter(({ msg }) => msg === "Listening")
      .map((line) => String(line["address"]));
    const statuses = async (address: string | undefined): Promise<readonly number[]> =>
      Promise.all(
        ["/", "/healthz", "/metrics"]
          .map((path) => fetch(`${address}${path}`))
          .concat(fetch(`${address}/webhooks/github`, { method: "POST", body: "{}" }))
          .map(async (response) => (await response).status),
      );
    expect(await statuses(hooks)).toEqual([404, 404, 404, 401]);
    expect(await statuses(rest)).toEqual([403, 200, 200, 404]);
    expect(await daemon.end()).toBe(0);
  });

  it("is the setting to change where another program has its port", async () => {
    const stage = await openStage();
    const daemon = startDaemon(stage);
    const { port } = new URL(await daemon.address());
    const file = stage.writeConfig("taken.yaml", (config) =>
      config
        .replace("{ port: 0 }", `{ port: 0, webhooksPort: ${port} }`)
        .replace(/^state: .*$/m, "state: other.db"),
    );
    const { code, err } = await stage.run(["daemon", "-c", file]);
    expect(code).toBe(2);
    expect(err).toContain("Another program has it: set http.webhooksPort to a free one");
  });

  it("is another port than the rest", async () => {
    const stage = await openStage();
    const file = stage.writeConfig("same.yaml", (config) =>
      config.replace("{ port: 0 }", "{ port: 8787, webhooksPort: 8787 }"),
    );
    const { code, err } = await stage.run(["check", "-c", file]);
    expect(code).toBe(2);
    expect(err).toMatch(/same\.yaml:\d+:\d+.*http\.webhooksPort.*must be another port than `http\.port`/);
  });
});
