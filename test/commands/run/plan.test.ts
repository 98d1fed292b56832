import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { acquireState } from "../../../src/ledger/sqlite/file/lock.ts";
import { makeFolder, openStage } from "../stage.ts";

describe("plan --json", () => {
  it("prints the promised document, and nothing else", async () => {
    const stage = await openStage();
    const { code, json } = await stage.run(["plan", "--json", "-p", "acme-api"]);
    expect(code).toBe(0);
    const reason = "selected: isArchived is `false`, status is `planned`";
    const fields = (title: string) => ({ title, labels: ["feedback"], assignees: [] });
    expect(json()).toEqual({
      projects: [
        {
          project: "acme-api",
          repo: "acme/api",
          actions: [
            {
              kind: "create-issue",
              post: "p11",
              issue: "acme/api",
              fields: fields("A limit for each key"),
              reason,
              notifies: 0,
              when: "now",
            },
            {
              kind: "create-issue",
              post: "p9",
              issue: "acme/api",
              fields: fields("Webhooks for orders"),
              reason,
              notifies: 0,
              when: "now",
            },
          ],
        },
      ],
    });
  });

  it("counts the voters of a change of status, with its issue and its rule", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    stage.story.github.close("acme/app", 1, "completed");
    const { json } = await stage.run(["plan", "--json", "-p", "acme-app"]);
    expect(json()).toEqual({
      projects: [
        {
          project: "acme-app",
          repo: "acme/app",
          actions: [
            {
              kind: "patch-post",
              post: "p1",
              issue: "acme/app#1",
              fields: { status: "completed", roadmapColumn: "COMPLETED" },
              reason: "issue #1 closed as completed → rule 1",
              notifies: 128,
              when: "now",
            },
          ],
        },
      ],
    });
  });

  it("knows no number where the board shows no votes", async () => {
    const stage = await openStage();
    stage.story.board.restyle({ hidden: ["votes"] });
    await stage.run(["sync"]);
    stage.story.github.close("acme/app", 1, "completed");
    const { json } = await stage.run(["plan", "--json", "-p", "acme-app"]);
    expect(json()).toMatchObject({ projects: [{ actions: [{ notifies: null, when: "now" }] }] });
    const { out } = await stage.run(["plan", "-p", "acme-app"]);
    expect(out).toContain(
      "0 voters would be notified, and those of 1 post whose votes the board does not show.",
    );
  });

  it("names errors where there are some, and `error` with exit 3", async () => {
    const stage = await openStage();
    const { code, json } = await stage.run(["plan", "--json"], { env: { GITHUB_TOKEN: "wrong-token-0123" } });
    expect(code).toBe(3);
    const error = { code: "tracker.unauthorized", message: expect.any(String) };
    const advice = expect.stringContaining("GITHUB_TOKEN");
    expect(json()).toEqual({
      projects: [
        { project: "acme-app", repo: "acme/app", actions: [], errors: [{ ...error, advice }] },
        { project: "acme-api", repo: "acme/api", actions: [], errors: [{ ...error, advice }] },
      ],
      error,
    });
  });
});

describe("plan for a person", () => {
  it("shows each action with its reason, sums up, and says what is next", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    stage.story.github.close("acme/app", 1, "completed");
    stage.story.board.editPost("acme-app", "p2", { title: "Export to Excel" });
    const { code, out } = await stage.run(["plan"], { columns: 160 });
    expect(code).toBe(0);
    expect(out).toContain("acme-app → acme/app\n");
    expect(out).toMatch(
      /│ patch-post +│ p1 → acme\/app#1 │ status: completed; roadmapColumn: COMPLETED │ .*→ rule 1 + │ +128 │/,
    );
    expect(out).toMatch(/│ update-issue │ p2 → acme\/app#2 │ title: Export to Excel/);
    expect(out).toContain("acme-api: nothing to do.\n");
    expect(out).toContain(
      "1 issue to edit, 1 post to patch; 128 voters would be notified. Nothing was written. Next: `boardsync sync` does it.\n",
    );
  });

  it("marks what a guard holds, and counts no voters for it", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    stage.story.github.close("acme/app", 1, "completed");
    const file = stage.writeConfig("careful.yaml", (config) => `${config}guard: { statuses: 0 }\n`);
    const { code, out, json } = await stage.run(["plan", "-c", file], { columns: 200 });
    expect(code).toBe(0);
    expect(out).toMatch(/│ held │ .*\n└.*\n! 1 held: .*`guard\.statuses`/);
    expect(out).toMatch(
      /\n1 action held \(voters: \d+\); no voter would be notified\. Nothing was written\. Next: `boardsync --config \S+ approve PROJECT` lets go what is held\.\n$/,
    );
    expect(json).toThrow();
    const held = (await stage.run(["plan", "--json", "-c", file, "-p", "acme-app"])).json();
    expect(held).toMatchObject({ projects: [{ actions: [{ post: "p1", held: expect.any(String) }] }] });
  });

  it.each([
    ["writes: none in the config", "writes: none", [], ""],
    ["a pause", "", ["pause", "p1"], " Next: `boardsync --config \\S+ resume POST` ends a pause\\."],
  ])("names no approval where only %s holds", async (_, setting, order, next) => {
    const stage = await openStage();
    await stage.run(["sync"]);
    stage.story.github.close("acme/app", 1, "completed");
    if (order.length > 0) await stage.run(order);
    const file = stage.writeConfig("still.yaml", (config) =>
      config.replace("repo: acme/app\n", `repo: acme/app\n    ${setting}\n`),
    );
    const { out } = await stage.run(["plan", "-c", file], { columns: 200 });
    expect(out).toMatch(new RegExp(`\\n1 action held .*Nothing was written\\.${next}\\n$`));
  });

  it("says that there is nothing to do", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    const { out } = await stage.run(["plan"]);
    expect(out).toBe(
      "acme-app: nothing to do.\nacme-api: nothing to do.\nBoth sides are in step. Nothing was written.\n",
    );
  });

  it("never calls it in step what it could not look at", async () => {
    const stage = await openStage();
    const { code, out } = await stage.run(["plan"], { env: { GITHUB_TOKEN: "wrong-token-0123" } });
    expect(code).toBe(3);
    expect(out).toMatch(/^✗ acme-app: .* \[tracker\.unauthorized\]\n✗ acme-api: /);
    expect(out).toMatch(/\nNot everything could be looked at, as said above\.\nNothing was written\.\n$/);
    expect(out).not.toContain("nothing to do");
  });

  it("finds the issues of a state that was lost, and says that they will be linked", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    const file = stage.writeConfig("lost.yaml", (config) => config.replace("state.db", "lost.db"));
    const { out } = await stage.run(["plan", "-c", file]);
    expect(out).toContain("6 issues to link by the mark in them; no voter would be notified.");
  });

  it("prints nothing with --quiet", async () => {
    const stage = await openStage();
    expect(await stage.run(["plan", "--quiet"])).toMatchObject({ code: 0, out: "", err: "" });
  });
});

describe("plan --detailed-exitcode", () => {
  it("exits 10 where there is something to do, else 0", async () => {
    const stage = await openStage();
    expect(await stage.run(["plan", "--detailed-exitcode"])).toMatchObject({ code: 10 });
    expect(await stage.run(["sync", "--dry-run"])).toMatchObject({ code: 0 });
    await stage.run(["sync"]);
    expect(await stage.run(["plan", "--detailed-exitcode"])).toMatchObject({ code: 0 });
  });

  it("exits 10 where all that is to do is to link issues", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    const file = stage.writeConfig("lost.yaml", (config) => config.replace("state.db", "lost.db"));
    expect(await stage.run(["plan", "--detailed-exitcode", "-c", file])).toMatchObject({ code: 10 });
  });

  it("exits 1 where a project failed", async () => {
    const stage = await openStage();
    const file = stage.writeConfig("wrong.yaml", (config) => config.replace("acme/api", "acme/gone"));
    expect(await stage.run(["plan", "--detailed-exitcode", "-c", file])).toMatchObject({ code: 1 });
  });
});

it("leaves no trace: no state, no copy, no write", async () => {
  const stage = await openStage();
  const temporary = makeFolder();
  vi.stubEnv("TMPDIR", temporary);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await stage.run(["plan"])).toMatchObject({ code: 0 });
  expect(readdirSync(temporary)).toEqual([]);
  expect(existsSync(join(stage.folder, "state.db"))).toBe(false);
  expect(stage.story.github.requests.filter(({ method }) => method !== "GET")).toEqual([]);
});

it("works beside a process that holds the state", async () => {
  const stage = await openStage();
  await stage.run(["sync"]);
  const lock = acquireState(join(stage.folder, "state.db"), "daemon", { now: Date.now(), version: "1" });
  try {
    expect(await stage.run(["plan"])).toMatchObject({ code: 0 });
  } finally {
    lock.release();
  }
});
