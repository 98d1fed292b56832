/** @module-tag long */
import { expect, it } from "vitest";
import { readForm } from "../../support/page-stage.ts";
import { until } from "../../support/until.ts";
import { startDaemon } from "../daemon-stage.ts";
import { openStage } from "../stage.ts";

it("the daemon serves the status page over its own state, behind the token, with the next run of each project", async () => {
  const stage = await openStage();
  await stage.run(["sync"]);
  const token = "page-token-0123456789";
  const daemon = startDaemon(stage, [], { BOARDSYNC_HTTP_TOKEN: token });
  const address = await daemon.address();
  expect((await fetch(`${address}/`)).status).toBe(401);
  const headers = { authorization: `Bearer ${token}` };
  const text = await (await fetch(`${address}/`, { headers })).text();
  expect(text).toContain("<h1>All in step</h1>");
  expect(text).toMatch(/Next run<\/dt><dd><time datetime=/);
  expect(await (await fetch(`${address}/post/acme-app/p1`, { headers })).text()).toContain("Dark mode");
  expect(await daemon.end()).toBe(0);
});

it("an order that is given on the daemon's page is carried out by a run that starts at once", async () => {
  const stage = await openStage();
  const file = stage.writeConfig("held.yaml", (config) => `${config}guard: { statuses: 0 }\n`);
  await stage.run(["sync", "-c", file]);
  stage.story.github.close("acme/app", 1, "completed");
  await stage.run(["sync", "-c", file]);
  const token = "page-token-0123456789";
  const daemon = startDaemon(stage, ["-c", file], { BOARDSYNC_HTTP_TOKEN: token });
  const address = await daemon.address();
  const headers = { authorization: `Bearer ${token}`, origin: address };
  const send = async (text: string, button: string): Promise<string> => {
    const body = new URLSearchParams(readForm(text, button));
    return (await fetch(`${address}/orders`, { method: "POST", headers, body })).text();
  };
  const question = await send(await (await fetch(`${address}/`, { headers })).text(), "Approve…");
  expect(question).toContain("128 voters will be notified.");
  expect(stage.story.board.notifications).toEqual([]);
  expect(await send(question, "Approve")).toContain("1 action approved. A run starts now and does it.");
  await until(() => stage.story.board.notifications.length > 0);
  expect(stage.story.board.notifications.map(({ post }) => post)).toEqual(["p1"]);
  expect(await daemon.end()).toBe(0);
});
