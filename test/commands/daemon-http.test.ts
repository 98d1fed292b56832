/** @module-tag long */

import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { type RunningDaemon, startDaemon } from "./daemon-stage.ts";
import { deadUrl, openStage, type Stage } from "./stage.ts";

const secret = "webhook-secret-1";

/** The samples of a Prometheus text: name with labels, and value. */
async function readMetrics(address: string): Promise<ReadonlyMap<string, number>> {
  const response = await fetch(`${address}/metrics`);
  expect(response.headers.get("content-type")).toMatch(/^text\/plain; version=0\.0\.4/);
  const lines = (await response.text()).split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]));
}

function deliver(address: string, event: string, payload: object, key = secret): Promise<Response> {
  const body = JSON.stringify(payload);
  const signature = `sha256=${createHmac("sha256", key).update(body).digest("hex")}`;
  return fetch(`${address}/webhooks/github`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-github-event": event,
      "x-hub-signature-256": signature,
    },
    body,
  });
}

async function startIdle(stage: Stage): Promise<{ daemon: RunningDaemon; address: string }> {
  const daemon = startDaemon(stage, [], { GITHUB_WEBHOOK_SECRET: secret });
  const address = await daemon.address();
  await daemon.ranAll();
  return { daemon, address };
}

describe("the metrics", () => {
  it("count what was done, and tell the state of each project", async () => {
    const begun = Date.now();
    const stage = await openStage();
    const { address } = await startIdle(stage);
    const metrics = await readMetrics(address);
    const issues = stage.story.github.issues("acme/app").length;
    const api = stage.story.github.issues("acme/api").length;
    expect(metrics.get('boardsync_info{version="1.2.3"}')).toBe(1);
    expect(metrics.get('boardsync_links{project="acme-app"}')).toBe(issues);
    expect(metrics.get('boardsync_writes_total{kind="issue_opened"}')).toBe(issues + api);
    expect(metrics.get('boardsync_runs_total{result="ok"}')).toBe(2);
    expect(metrics.get("boardsync_run_duration_seconds_count")).toBe(2);
    expect(metrics.get('boardsync_requests_total{side="tracker",code="201"}')).toBeGreaterThanOrEqual(
      issues + api,
    );
    expect(metrics.get('boardsync_requests_total{side="board",code="200"}')).toBeGreaterThan(0);
    for (const name of ["held", "parked", "quarantined", "waiting", "failed", "missing"]) {
      expect(metrics.get(`boardsync_${name}{project="acme-app"}`)).toBe(0);
    }
    const success = Number(metrics.get('boardsync_last_success_timestamp_seconds{project="acme-app"}'));
    expect(success).toBeGreaterThanOrEqual(Math.floor(begun / 1000));
    expect(success).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000));
    expect(metrics.get("process_resident_memory_bytes")).toBeGreaterThan(0);
  });

  it("tell the state after a restart as before it, and hold nothing private", async () => {
    const stage = await openStage();
    const first = await startIdle(stage);
    const before = await readMetrics(first.address);
    expect(await first.daemon.end()).toBe(0);
    const second = startDaemon(stage);
    const address = await second.address();
    const after = await readMetrics(address);
    const isState = (name: string): boolean =>
      /^boardsync_(?!run|requests|writes|webhook|calls|config|info)/.test(name);
    const pick = (metrics: ReadonlyMap<string, number>) => [...metrics].filter(([name]) => isState(name));
    expect(pick(before).length).toBeGreaterThan(15);
    expect(pick(after)).toEqual(pick(before));
    const text = await (await fetch(`${address}/metrics`)).text();
    for (const { title } of stage.story.board.posts("acme-app")) expect(text).not.toContain(title);
    for (const hidden of [stage.story.board.key, stage.story.github.token])
      expect(text).not.toContain(hidden);
  });

  it("count requests without an answer, and what failed", async () => {
    const stage = await openStage();
    const file = stage.writeConfig("dead.yaml", (config) =>
      config.replace(stage.story.board.url, deadUrl).replace("board:\n", "board:\n  retries: 0\n"),
    );
    const daemon = startDaemon(stage, ["-c", file]);
    const address = await daemon.address();
    await daemon.ranAll();
    const metrics = await readMetrics(address);
    expect(metrics.get('boardsync_requests_total{side="board",code="none"}')).toBe(2);
    expect(metrics.get('boardsync_runs_total{result="failed"}')).toBe(2);
    expect(metrics.get('boardsync_failed{project="acme-app"}')).toBe(1);
    expect(metrics.has('boardsync_last_success_timestamp_seconds{project="acme-app"}')).toBe(false);
    const ready = await fetch(`${address}/readyz`);
    expect(ready.status).toBe(503);
    const reason = expect.stringMatching(
      /^Failing \(board\.unreachable\): no good run yet, and it is to run every \d+ s\. `boardsync status`/,
    );
    const reasons = ["acme-app", "acme-api"].map((project) => ({ project, reason }));
    expect(await ready.json()).toMatchObject({ reasons });
    const states = ["failing", "needs-you", "later", "differs", "in-sync"].map((state) =>
      metrics.get(`boardsync_state{project="acme-app",state="${state}"}`),
    );
    expect(states).toEqual([1, 0, 0, 0, 0]);
    expect((await fetch(`${address}/healthz`)).status).toBe(200);
  });
});

it("is ready once every project has come through", async () => {
  const { address } = await startIdle(await openStage());
  const ready = await fetch(`${address}/readyz`);
  expect([ready.status, await ready.json()]).toEqual([200, { status: "ready" }]);
});

describe("a webhook", () => {
  const repository = { id: 1, full_name: "acme/app" };

  it("brings the run of its project forward, and that run alone", async () => {
    const stage = await openStage();
    const { daemon, address } = await startIdle(stage);
    const [issue] = stage.story.github.issues("acme/app");
    stage.story.github.close("acme/app", Number(issue?.number), "completed");
    const from = daemon.lines.length;
    const answers = await Promise.all(
      [1, 2, 3].map(() =>
        deliver(address, "issues", { action: "closed", repository, sender: { login: "ada" } }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    await daemon.findLine(({ msg }) => msg === "Project started", from);
    const finished = await daemon.findLine(({ msg }) => msg === "Project finished", from);
    expect(finished).toMatchObject({ project: "acme-app", postWrites: 1 });
    const metrics = await readMetrics(address);
    expect(metrics.get('boardsync_webhook_deliveries_total{event="issues",outcome="taken"}')).toBe(3);
    expect(daemon.lines.slice(from).filter(({ msg }) => msg === "Project started")).toHaveLength(1);
  });

  it("of our own writes brings on nothing", async () => {
    const stage = await openStage();
    const { daemon, address } = await startIdle(stage);
    const from = daemon.lines.length;
    const sender = { login: stage.story.github.login };
    await deliver(address, "issues", { action: "opened", repository, sender });
    await deliver(address, "issues", {
      action: "edited",
      repository: { id: 2, full_name: "acme/api" },
      sender: { login: "ada" },
    });
    await daemon.findLine(({ msg }) => msg === "Project finished", from);
    const started = daemon.lines.slice(from).filter(({ msg }) => msg === "Project started");
    expect(started.map(({ project }) => project)).toEqual(["acme-api"]);
  });

  it("with a wrong signature is refused and said, and its secret is not", async () => {
    const stage = await openStage();
    const { daemon, address } = await startIdle(stage);
    const response = await deliver(address, "issues", { action: "closed", repository }, "another");
    expect(response.status).toBe(401);
    await daemon.findLine(({ msg }) => msg === "A webhook with a wrong signature was refused");
    expect(JSON.stringify(daemon.lines)).not.toContain(secret);
  });
});
