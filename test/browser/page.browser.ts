import { mkdtempSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AxeResults } from "axe-core";
import { type Browser, devices } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hostileTitles } from "../support/hostile-titles.ts";
import {
  addHistory,
  addLinks,
  addPost,
  addWaits,
  code,
  openPage,
  type PageStage,
  parkPost,
} from "../support/page-stage.ts";
import { startPrefixProxy } from "../support/prefix-proxy.ts";
import { launchBrowser, type Opened, openInBrowser } from "./browser.ts";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** Looked at by people; its name is printed. */
const pictures = process.env["BOARDSYNC_PICTURES"] ?? mkdtempSync(join(tmpdir(), "boardsync-pages-"));

const looks = [
  ["light", { colorScheme: "light", viewport: { width: 1200, height: 900 } }],
  ["dark", { colorScheme: "dark", viewport: { width: 1200, height: 900 } }],
  ["phone", { ...devices["iPhone 13"], colorScheme: "light" }],
  ["phone-dark", { ...devices["iPhone 13"], colorScheme: "dark" }],
] as const;
const places = [
  ["overview", "/"],
  ["links", "/links"],
  ["post", "/post/acme-app/p2"],
  ["run", "/runs/1"],
  ["none", "/nothing"],
] as const;

let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(async () => {
  process.stdout.write(`Pictures of the pages: ${pictures}\n`);
  await browser.close();
});

/** A page with something of everything on it. */
function openFull(): Promise<PageStage> {
  return openPage({
    orders: true,
    after: async (ledger) => {
      await addWaits(ledger);
      await addLinks(ledger, 120);
      await addHistory(ledger);
      await addPost(ledger, "evil", { title: "<script>alert(1)</script> \u202eevil" });
      await parkPost(ledger, "evil", "<img src=x onerror=alert(1)>");
    },
  });
}

describe("the status page in a browser", () => {
  it.each(looks)("is good to look at and to listen to: %s", async (look, options) => {
    const { address } = await openFull();
    for (const [name, path] of places) {
      const isThere = name !== "none";
      const opened = await openInBrowser(browser, `${address}${path}`, options, code);
      await opened.page.screenshot({
        path: join(pictures, `${name}-${look}.png`),
        fullPage: name !== "links",
      });
      expect(await findBarriers(opened)).toEqual([]);
      const { scrollWidth, clientWidth } = await opened.page.evaluate<{
        scrollWidth: number;
        clientWidth: number;
      }>(
        "({ scrollWidth: document.documentElement.scrollWidth, clientWidth: document.documentElement.clientWidth })",
      );
      expect(scrollWidth).toBeLessThanOrEqual(clientWidth);
      expect(opened.strangers).toEqual([]);
      if (isThere) expect(opened.faults).toEqual([]);
      if (name !== "overview") continue;
      await opened.page.getByRole("button", { name: "Approve… acme-app/p1" }).click();
      await opened.page.screenshot({ path: join(pictures, `question-${look}.png`), fullPage: true });
      expect(await findBarriers(opened)).toEqual([]);
      await opened.page.getByRole("button", { name: "Approve" }).click();
      await opened.page.screenshot({ path: join(pictures, `done-${look}.png`), fullPage: true });
      expect(await findBarriers(opened)).toEqual([]);
      expect(opened.faults).toEqual([]);
    }
  });

  it("takes orders where scripts are off: approve, discard, retry, link, run now", async () => {
    const config = (text: string): string => `${text}guard: { statuses: 0 }\n`;
    const { address, stage, ledger, started } = await openPage({ orders: true, config });
    for (const number of [1, 2]) stage.story.github.close("acme/app", number, "completed");
    await stage.run(["sync", "-c", join(stage.folder, "page.yaml")]);
    await parkPost(ledger, "p4", "The board refuses it.");
    const options = { javaScriptEnabled: false };
    const { page, faults } = await openInBrowser(browser, `${address}/`, options, code);
    await page.screenshot({ path: join(pictures, "held.png"), fullPage: true });
    await page.getByRole("button", { name: "Approve all 2… acme-app" }).click();
    await page.screenshot({ path: join(pictures, "question.png"), fullPage: true });
    await page.getByRole("link", { name: "Leave it as it is" }).click();
    const answer = async (button: string, question: RegExp, done: RegExp): Promise<void> => {
      await page.getByRole("button", { name: button }).first().click();
      expect(await page.getByRole("heading", { level: 1 }).textContent()).toMatch(question);
      await page.locator("button.go").click();
      expect(await page.getByRole("status").textContent()).toMatch(done);
    };
    await answer("Approve… acme-app/p1", /^Approve 1 action of acme-app\/p1\?$/, /^1 action approved\./);
    await answer("Discard… acme-app/p2", /^Discard 1 action of acme-app\/p2\?$/, /^1 action discarded/);
    await answer("Retry… acme-app/p4", /^Try acme-app\/p4 again\?$/, /^acme-app\/p4 is tried again/);
    await answer("Run now… acme-api", /^Run acme-api now\?$/, /^A run of acme-api starts\.$/);
    await page.goto(`${address}/post/acme-app/p5`);
    await page.getByLabel("Link it to an issue").fill("acme/app#4");
    await answer("Link… acme-app/p5", /^Link acme-app\/p5 to acme\/app#4\?$/, /is linked to acme\/app#4/);
    expect(faults).toEqual([]);
    expect(started).toEqual(["acme-app", "acme-app", "acme-app", "acme-api", "acme-app"]);
    const project = ledger.memory.project("acme-app")?.id;
    const asked = project === undefined ? [] : await ledger.requests.pending(project);
    expect(asked.map(({ kind }) => kind)).toEqual(["approve", "discard", "retry", "link"]);
    await stage.run(["sync", "-c", join(stage.folder, "page.yaml")]);
    expect(stage.story.board.notifications.map(({ post }) => post)).toEqual(["p1"]);
  });

  it("is used by the keyboard alone: skip, search, filter, go to a post", async () => {
    const { address } = await openFull();
    const { page, faults } = await openInBrowser(browser, `${address}/links`, {}, code);
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to the content");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("content");
    await page.keyboard.press("Tab");
    await page.keyboard.type("wish 42");
    await page.keyboard.press("Enter");
    await page.waitForURL(/q=wish\+42/);
    const rows = page.getByRole("table", { name: "Posts and their issues" }).getByRole("row");
    expect(await rows.count()).toBe(2);
    await page.getByRole("link", { name: "Wish 42" }).focus();
    await page.keyboard.press("Enter");
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("Wish 42");
    expect(faults).toEqual([]);
  });

  it("works where scripts are off, from page to page", async () => {
    const { address } = await openFull();
    const { page } = await openInBrowser(browser, `${address}/`, { javaScriptEnabled: false }, code);
    await page.getByRole("searchbox").fill("wish");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("link", { name: "Next page" }).click();
    expect(await page.getByRole("row").count()).toBe(21);
    await page.getByRole("link", { name: "First page" }).click();
    expect(await page.getByRole("row").count()).toBe(101);
  });

  it("gives a command whole at one click, for copying", async () => {
    const { address } = await openPage({ after: addWaits });
    const { page } = await openInBrowser(browser, `${address}/`, {}, code);
    const command = page.getByText("boardsync retry acme-app/p2", { exact: true });
    await command.first().click();
    expect(await page.evaluate("String(getSelection())")).toBe("boardsync retry acme-app/p2");
  });

  it("runs nothing that a post says", async () => {
    const { address } = await openFull();
    for (const path of ["/", "/post/acme-app/evil"]) {
      const { page, faults } = await openInBrowser(browser, `${address}${path}`, {}, code);
      expect(await page.locator("script, img").count()).toBe(0);
      expect(await page.getByText("<script>alert(1)</script>").count()).toBeGreaterThan(0);
      expect(faults).toEqual([]);
    }
  });

  it("shows each post under its own title, whatever that is, and keeps its forms", async () => {
    const { address } = await openPage({
      orders: true,
      after: async (ledger) => {
        for (const [index, title] of hostileTitles.entries()) {
          await addPost(ledger, `h${index}`, { title });
          await parkPost(ledger, `h${index}`, `no to ${title}`);
        }
      },
    });
    const { page, faults } = await openInBrowser(browser, `${address}/`, {}, code);
    expect(await page.getByRole("button", { name: "Retry…" }).count()).toBe(50);
    for (const index of hostileTitles.keys()) {
      await page.goto(`${address}/post/acme-app/h${index}`);
      expect((await page.content()).endsWith("</html>")).toBe(true);
      expect(await page.locator("footer").count()).toBe(1);
      expect(await page.getByRole("button", { name: "Retry…" }).count()).toBe(1);
      expect(await page.locator("script, img, form:not(.order)").count()).toBe(0);
    }
    await page.getByRole("button", { name: "Retry…" }).click();
    await page.locator("button.go").click();
    expect(await page.getByRole("status").textContent()).toMatch(/is tried again/);
    expect(faults).toEqual([]);
  });

  it("works below a path of a proxy, from page to page and with an order", async () => {
    const stage = await openPage({ orders: true, after: addWaits });
    const root = `${await startPrefixProxy(stage.address)}/sync/`;
    const { page, faults, strangers } = await openInBrowser(browser, `${root}?code=${code}`);
    await page.getByRole("link", { name: "Links" }).click();
    await page.getByRole("searchbox").fill("dark");
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("link", { name: "Dark mode" }).click();
    await page.getByRole("button", { name: "Pause…" }).click();
    await page.locator("button.go").click();
    expect(await page.getByRole("status").textContent()).toMatch(/acme-app\/p1 is paused/);
    expect(page.url().startsWith(`${root}post/acme-app/p1?done=`)).toBe(true);
    expect([faults, strangers]).toEqual([[], []]);
  });

  it("asks for the token as a password", async () => {
    const { address } = await openPage({ token: "page-token-0123456789" });
    const httpCredentials = { username: "me", password: "page-token-0123456789" };
    const { page } = await openInBrowser(browser, `${address}/`, { httpCredentials });
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe("All in step");
  });
});

/** What axe finds wrong, in a world of its own where the page's policy doesn't stop it. */
async function findBarriers({ page }: Opened): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page);
  const { frameTree } = await session.send("Page.getFrameTree");
  const { executionContextId: contextId } = await session.send("Page.createIsolatedWorld", {
    frameId: frameTree.frame.id,
    worldName: "axe",
  });
  await session.send("Runtime.evaluate", { contextId, expression: axe });
  const { result } = await session.send("Runtime.evaluate", {
    contextId,
    expression: "axe.run().then((found) => JSON.stringify(found))",
    awaitPromise: true,
  });
  const { violations }: AxeResults = JSON.parse(String(result.value));
  return violations.map(({ id, impact, nodes }) => `${impact} ${id}: ${nodes[0]?.html}`);
}
