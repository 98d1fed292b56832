import { existsSync } from "node:fs";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { onTestFinished } from "vitest";

const executablePath = "/usr/bin/chromium";

/** Nothing but the page: no first-run talk, no updates, no other protocols. */
const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** A page of the browser, and everything that went wrong in it so far. */
export interface Opened {
  readonly page: Page;
  /** Errors and warnings of the console, exceptions, and answers that are errors. */
  readonly faults: readonly string[];
  /** Addresses that were asked for elsewhere than at the page's own server. */
  readonly strangers: readonly string[];
}

/** Debian's Chromium. */
export async function launchBrowser(): Promise<Browser> {
  if (!existsSync(executablePath)) {
    throw new Error(
      "`npm run test:browser` needs Chromium at /usr/bin/chromium: `apt-get update && apt-get install -y chromium` installs it.",
    );
  }
  return chromium.launch({ executablePath, args: flags });
}

/**
 * Opens an address in a context of its own, which ends with the test.
 *
 * @param code - opens the status page first, as an address of `boardsync page` does it.
 */
export async function openInBrowser(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
  code?: string,
): Promise<Opened> {
  const context = await browser.newContext(options);
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const faults: string[] = [];
  const strangers: string[] = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(error.message));
  page.on("response", (response) => {
    if (response.status() >= 400) faults.push(`${response.status()} ${response.url()}`);
  });
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol !== "data:" && url.origin !== new URL(address).origin) strangers.push(request.url());
  });
  if (code !== undefined) await page.goto(`${new URL(address).origin}/?code=${code}`);
  await page.goto(address);
  return { page, faults, strangers };
}
