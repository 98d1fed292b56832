import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "vitest";
import { launchBrowser, openInBrowser } from "../browser/browser.ts";
import { root } from "../deploy/files.ts";
import { code } from "../support/page-stage.ts";
import { printOfSources, sign } from "./picture.ts";
import { openScene } from "./scene.ts";

const viewport = { width: 1160, height: 782 };

it("draws the status page", async () => {
  const { address } = await openScene();
  const browser = await launchBrowser();
  try {
    const { page } = await openInBrowser(browser, `${address}/`, { viewport, colorScheme: "light" }, code);
    const png = await page.screenshot();
    writeFileSync(join(root, "config/pictures/page.png"), sign(png, printOfSources()));
  } finally {
    await browser.close();
  }
});
