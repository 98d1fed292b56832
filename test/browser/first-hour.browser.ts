import { createHmac } from "node:crypto";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { launchBrowser, openInBrowser } from "./browser.ts";
import { type Beside, type Desk, openDesk } from "./first-hour.ts";

const webhookSecret = "webhook-secret-0123456789";
const pageToken = "page-token-0123456789";

/** What `demo --serve --json` tells. */
interface Sides {
  readonly board: string;
  readonly github: string;
  readonly environment: { readonly BOARD_API_KEY: string; readonly GITHUB_TOKEN: string };
}

it("the first hour goes as the README says, from `init` to `undo`", { timeout: 300_000 }, async () => {
  const desk = await openDesk();
  const sides = await openSides(desk);
  await writeConfig(desk, sides);
  await syncOnce(desk);
  const daemon = desk.start("boardsync daemon");
  const [, address = ""] = await daemon.find(/"address":"([^"]+)"/);
  await daemon.find(/"msg":"Daemon started"/);
  await lookAtPage(desk, `${address}/`, "All in step");
  const run = await closeIssue(desk, sides, daemon, address);
  await lookAtPage(desk, `${address}/post/acme-app/p1`, "Dark mode");
  const explained = await desk.type("boardsync explain p1");
  expect(explained).toMatchObject({
    code: 0,
    text: expect.stringMatching(/✓ rule 1 sets status: completed/),
  });
  expect(explained.text).toMatch(new RegExp(`run ${run}: patch-post acme/app#1 applied`));
  expect(await daemon.stop()).toBe(0);
  await undo(desk, sides, run);
});

async function openSides(desk: Desk): Promise<Sides> {
  const demo = desk.start("boardsync demo --serve --json");
  const [document] = await demo.find(/^\{[\s\S]*^\}/m);
  return JSON.parse(document);
}

/** The key is typed, as nothing is set yet; what `init` says then is done. */
async function writeConfig(desk: Desk, { board, github, environment }: Sides): Promise<void> {
  const { code, text } = await desk.type(`boardsync init --github-url ${github}`, [
    { asked: "The address of the board's API", typed: board },
    { asked: "The board's API key", typed: environment.BOARD_API_KEY },
    { asked: "The repository of Acme App", typed: "acme/app" },
    { asked: "The repository of Acme API", typed: "" },
    { asked: "A GitHub token", typed: environment.GITHUB_TOKEN },
    { asked: "Write BOARD_API_KEY and GITHUB_TOKEN into .env", typed: "y" },
  ]);
  expect(code).toBe(0);
  expect(text).toContain("config/boardsync.yaml is written. It holds no secret.");
  expect(text).not.toContain(environment.BOARD_API_KEY);
  expect(text).not.toContain(environment.GITHUB_TOKEN);

  const secrets = `GITHUB_WEBHOOK_SECRET=${webhookSecret}\nBOARDSYNC_HTTP_TOKEN=${pageToken}\n`;
  appendFileSync(join(desk.folder, ".env"), secrets);
  const file = join(desk.folder, "config/boardsync.yaml");
  const config = readFileSync(file, "utf8");
  expect(config).not.toContain(environment.BOARD_API_KEY);
  // Nothing has to settle, so that the hour passes in seconds; no time comes by itself, so that it is the webhook that
  // brings on the second run.
  writeFileSync(file, config.replace("settle: 10m", "settle: 0s"));
  appendFileSync(file, `\nstate: state.db\nschedule: "0 0 1 1 *"\nhttp: { port: 0 }\n`);
  desk.note(`\n# the file and .env are completed:\n\n${readFileSync(file, "utf8")}`);
}

async function syncOnce(desk: Desk): Promise<void> {
  const check = await desk.type("boardsync check");
  expect(check.code).toBe(0);
  expect(check.text).toContain("✓ acme-app: The first sync: 4 issues opened, no voter to notify.");
  expect(check.text).toContain("All is well. Nothing was written. Next: `boardsync plan`.");

  const plan = await desk.type("boardsync plan --out first.plan");
  expect(plan.code).toBe(0);
  expect(plan.text).toContain("Now 4 issues to open (no voter to notify). Nothing was written.");
  expect(plan.text).toContain("Saved: `boardsync apply first.plan` does exactly this.");

  const sync = await desk.type("boardsync sync");
  expect(sync.code).toBe(0);
  expect(sync.text).toMatch(/Run 1, [\d.]+ s: in step\./);
}

/** As a password, and nothing may go wrong in the browser. */
async function lookAtPage(desk: Desk, address: string, title: string): Promise<void> {
  const browser = await launchBrowser();
  try {
    const httpCredentials = { username: "me", password: pageToken };
    const { page, strangers } = await openInBrowser(browser, address, { httpCredentials });
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(title);
    expect(strangers).toEqual([]);
    const picture = join(desk.record, `first-hour-${title.toLowerCase().replaceAll(" ", "-")}.png`);
    await page.screenshot({ path: picture, fullPage: true });
    desk.note(`\n# the browser: ${address} → ${picture}\n\n${await page.getByRole("main").ariaSnapshot()}`);
  } finally {
    await browser.close();
  }
}

/**
 * A developer closes an issue, and GitHub tells the daemon of it.
 *
 * @returns the number of the run that this brought on
 */
async function closeIssue(desk: Desk, sides: Sides, daemon: Beside, address: string): Promise<string> {
  const before = daemon.written();
  desk.note("\n# a developer closes acme/app#1 as completed, and GitHub delivers its webhook");
  const closed = await fetch(`${sides.github}/repos/acme/app/issues/1`, {
    method: "PATCH",
    headers: { authorization: `Bearer ${sides.environment.GITHUB_TOKEN}`, "user-agent": "developer" },
    body: JSON.stringify({ state: "closed", state_reason: "completed" }),
  });
  expect(closed.status).toBe(200);
  expect(daemon.written()).toBe(before);

  const body = JSON.stringify({
    action: "closed",
    repository: { id: 1, full_name: "acme/app" },
    sender: { login: "ada" },
  });
  const delivered = await fetch(`${address}/webhooks/github`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-github-event": "issues",
      "x-hub-signature-256": `sha256=${createHmac("sha256", webhookSecret).update(body).digest("hex")}`,
    },
    body,
  });
  expect(delivered.status).toBe(202);
  const [, run = ""] = await daemon.find(/"run":(\d+),[^\n]*"postWrites":1,[^\n]*"Project finished"/, before);
  expect(await readStatus(sides)).toBe("completed");
  return run;
}

async function undo(desk: Desk, sides: Sides, run: string): Promise<void> {
  const { code, text } = await desk.type(`boardsync undo ${run}`, [{ asked: "[y/N]", typed: "y" }]);
  expect(code).toBe(0);
  expect(text).toContain("1 write to undo; 128 voters to notify.");
  expect(text).toContain(`Undo of run ${run}: 1 undone.`);
  expect(await readStatus(sides)).toBe("planned");
  const after = await desk.type("boardsync plan");
  const apart = "acme-app: 1 post differs from its issue and stays so.";
  expect(after).toMatchObject({ code: 0, text: expect.stringContaining(apart) });
}

/** What the board's customers see of the post whose issue was closed. */
async function readStatus({ board, environment }: Sides): Promise<unknown> {
  const answer = await fetch(`${board}/feedback?project=acme-app`, {
    headers: { authorization: `Bearer ${environment.BOARD_API_KEY}` },
  });
  const { feedback }: { feedback: readonly { id: string; status: string }[] } = JSON.parse(
    await answer.text(),
  );
  return feedback.find(({ id }) => id === "p1")?.status;
}
