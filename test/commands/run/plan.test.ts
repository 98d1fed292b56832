import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { harmless } from "../../../src/commands/print/text.ts";
import { acquireState } from "../../../src/ledger/sqlite/lock.ts";
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
      "Now 1 post to patch (voters to notify, the board doesn't show how many). Nothing was written.",
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
    expect(out).toContain(
      "Now, by the next run:\n  “Dark mode” (p1) → acme/app#1\n    status: planned → completed, roadmapColumn: PLANNED → COMPLETED; 128 voters to notify\n    issue #1 closed as completed → rule 1\n  “Export to Excel” (p2) → acme/app#2\n    title: Export to Excel\n",
    );
    expect(out).toContain("acme-api: nothing to do.\n");
    expect(out).toContain(
      "Now 1 issue to edit, 1 post to patch (128 voters to notify). Nothing was written. Next: `boardsync sync` does it.\n",
    );
  });

  it("says why a guard holds, who would hear, and where the ways out are", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    stage.story.github.close("acme/app", 1, "completed");
    const file = stage.writeConfig("careful.yaml", (config) => `${config}guard: { statuses: 0 }\n`);
    const { code, out, json } = await stage.run(["plan", "-c", file], { columns: 200 });
    expect(code).toBe(0);
    expect(out).toMatch(
      /\n! Needs you: 1 post .*`guard\.statuses`.*:\n {2}“Dark mode” \(p1\) → acme\/app#1\n/,
    );
    expect(out).toMatch(
      /\nWhen a person lets them go, 1 action \(128 voters to notify\)\. Nothing was written\. Next: `boardsync --config \S+ status` shows the ways out of what needs you\.\n$/,
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
    expect(out).toMatch(
      new RegExp(`\\nWhen a person lets them go, 1 action .*Nothing was written\\.${next}\\n$`),
    );
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
    expect(out).toMatch(/^✗ acme-app and acme-api: .* \[tracker\.unauthorized\]\n→ /);
    expect(out).toMatch(/\nNot everything could be looked at, as said above\.\nNothing was written\.\n$/);
    expect(out).not.toContain("nothing to do");
  });

  it("finds the issues of a state that was lost, and says that they will be linked", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    const file = stage.writeConfig("lost.yaml", (config) => config.replace("state.db", "lost.db"));
    const { out } = await stage.run(["plan", "-c", file]);
    expect(out).toContain("Now 6 issues to link by the mark in them (no voter to notify).");
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

describe("plan --show", () => {
  it("prints the issue that a sync opens then, to the letter, and writes nothing", async () => {
    const stage = await openStage();
    const { code, out } = await stage.run(["plan", "--show", "acme-app/p1"]);
    expect(code).toBe(0);
    const [head = "", text = ""] = out.split(/ {2}text \(\d+ characters\):\n/);
    expect(head).toBe(
      [
        "p1: a new issue in acme/app",
        "  why: selected: isArchived is `false`, status is `planned`",
        "  when: now",
        "  title: Dark mode",
        "  labels: feedback",
        "",
      ].join("\n"),
    );
    expect(text).toMatch(/^(?: {2}│.*\n)+Nothing was written\.\n$/);
    expect(stage.story.github.issues("acme/app")).toEqual([]);
    await stage.run(["sync"]);
    const [issue] = stage.story.github.issues("acme/app");
    const shown = [...text.matchAll(/^ {2}│ ?(.*)$/gm)].map(([, line]) => line).join("\n");
    expect(issue?.body?.trimEnd()).toBe(shown);
  });

  it("has labels, assignees, milestone and type, and when it is held why", async () => {
    const stage = await openStage();
    const file = stage.writeConfig("held.yaml", (config) =>
      `${config}guard: { issues: 0 }\n`.replace(
        "labels: [feedback]",
        "labels: [feedback, ux], assignees: [ada], milestone: v1, type: Feature",
      ),
    );
    const { out } = await stage.run(["plan", "-c", file, "--show", "p1"]);
    expect(out).toMatch(/\n {2}when: needs you: .*\n {2}title: Dark mode\n/);
    expect(out).toContain("\n  type: Feature\n  milestone: v1\n  labels: feedback, ux\n  assignees: ada\n");
  });

  it("prints what changes in an issue that is there, and says where nothing does", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    expect((await stage.run(["plan", "--show", "p1"])).out).toBe(
      "acme-app/p1 has acme/app#1, and nothing changes in its text.\nNothing was written.\n",
    );
    stage.story.board.editPost("acme-app", "p1", { title: "Darker mode" });
    const { out } = await stage.run(["plan", "--show", "p1"]);
    expect(out).toContain("p1: what changes in the text of acme/app#1\n");
    expect(out).toContain("\n  title: Darker mode\n");
  });

  it("says of a post without an issue why it gets none", async () => {
    const stage = await openStage();
    const { out } = await stage.run(["plan", "--show", "p5"]);
    expect(out).toMatch(
      /^acme-app\/p5 gets no issue now\. Skipped: status is `open`; .*\nNothing was written\.\n$/,
    );
  });

  it("is the same plan as JSON, of this post alone, with the draft", async () => {
    const stage = await openStage();
    const { json } = await stage.run(["plan", "--show", "p1", "--json"]);
    expect(json()).toEqual({
      projects: [
        {
          project: "acme-app",
          repo: "acme/app",
          actions: [
            expect.objectContaining({
              kind: "create-issue",
              post: "p1",
              draft: {
                title: "Dark mode",
                labels: ["feedback"],
                assignees: [],
                body: expect.stringMatching(/^<!-- boardsync:v1 [\s\S]*- the \*\*editor\*\* first\n/),
              },
            }),
          ],
        },
      ],
    });
    const whole = (await stage.run(["plan", "--json"])).out;
    expect(whole).not.toContain('"draft"');
  });

  it("refuses a post that nobody knows, and says first what could not be looked at", async () => {
    const stage = await openStage();
    const unknown = await stage.run(["plan", "--show", "p0"]);
    expect(unknown.code).toBe(2);
    expect(unknown.err).toContain("No project of the config has a post `p0`");
    expect((await stage.run(["plan", "--show", "p1", "--out", "a.plan"])).code).toBe(2);
    const fault = { kind: "answer", status: 503, body: {} } as const;
    stage.story.board.failNext(fault, { times: 99, when: ({ query }) => query["project"] === "prj_app" });
    const partly = await stage.run(["plan", "--show", "p1"]);
    expect(partly.code).toBe(2);
    expect(partly.out).toMatch(/^✗ acme-app: .*\[board\.unreachable\]/);
  });

  it("keeps what people wrote behind its margin", async () => {
    const stage = await openStage();
    stage.story.board.editPost("acme-app", "p1", {
      description: "one\r\n\u001b[41mNothing was written.\u202e",
    });
    const { out } = await stage.run(["plan", "--show", "p1"]);
    expect(out).toBe(harmless(out));
    expect(out.match(/^Nothing was written\./gm)).toHaveLength(1);
  });
});
