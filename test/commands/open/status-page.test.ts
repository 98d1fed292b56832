import { expect, it } from "vitest";
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
