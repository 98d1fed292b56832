import { chmodSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { acquireState } from "../../../src/ledger/sqlite/lock.ts";
import { deadUrl, openStage, type Stage } from "../stage.ts";

/** A plan of everything that the story wants done, before there is a state. */
async function openPlanned(): Promise<Stage> {
  const stage = await openStage();
  expect((await stage.run(["plan", "--out", "today.plan"])).code).toBe(0);
  return stage;
}

/** Changes the saved plan as a person would who edits the file. */
function edit({ folder }: Stage, change: (text: string) => string): void {
  const file = join(folder, "today.plan");
  writeFileSync(file, change(readFileSync(file, "utf8")));
}

describe("boardsync plan --out", () => {
  it.each(["", "-wal", "-shm", ".lock"])(
    "takes no place that is the state's own (%s), also where no state is yet",
    async (end) => {
      const stage = await openStage();
      const path = join(stage.folder, `state.db${end}`);
      const refused = await stage.run(["plan", "--out", `./state.db${end}`]);
      expect(refused).toMatchObject({
        code: 2,
        err: expect.stringContaining(`${path}: that is the state's own`),
      });
      expect(existsSync(path)).toBe(false);
    },
  );

  it.each(["boardsync.yaml/today.plan", "p".repeat(300), "p".repeat(252)])(
    "says so where no file can be (%s)",
    async (file) => {
      const stage = await openStage();
      const refused = await stage.run(["plan", "--out", file]);
      expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("The plan can't be saved at") });
      expect(refused.err).toContain(join(stage.folder, file));
    },
  );

  it("replaces an earlier plan, and nothing else: not the config, and not what a link leads to", async () => {
    const stage = await openStage();
    const config = join(stage.folder, "boardsync.yaml");
    const before = readFileSync(config, "utf8");
    const requests = stage.story.board.requests.length;
    const refused = await stage.run(["plan", "--out", "boardsync.yaml"]);
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining("is no plan of boardsync") });
    expect(refused.err).toContain(config);
    symlinkSync(config, join(stage.folder, "link.plan"));
    const linked = await stage.run(["plan", "--out", "link.plan"]);
    expect(linked).toMatchObject({ code: 2, err: expect.stringContaining("link to another file") });
    expect(readFileSync(config, "utf8")).toBe(before);
    expect(stage.story.board.requests).toHaveLength(requests);
    for (let time = 0; time < 2; time += 1) {
      expect((await stage.run(["plan", "--out", "today.plan"])).code).toBe(0);
    }
    expect((await stage.run(["plan", "--help"])).out).toMatch(
      /replaces\s+an\s+earlier\s+plan,\s+and\s+no\s+other/,
    );
    expect(statSync(join(stage.folder, "today.plan")).mode & 0o777).toBe(0o600);
    const applied = await stage.run(["apply", "boardsync.yaml"]);
    expect(applied.err).not.toContain("--out boardsync.yaml");
  });

  it("saves the plan for nobody else to read, replaces one that is there, and says what is next", async () => {
    const stage = await openPlanned();
    const file = join(stage.folder, "today.plan");
    chmodSync(file, 0o644);
    const planned = await stage.run(["plan", "--out", "today.plan"]);
    expect(planned.out).toContain("`boardsync apply today.plan` does exactly this.");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({
      format: "boardsync-plan",
      version: 1,
      program: "1.2.3",
      state: null,
    });
    expect(stage.story.github.requests.every(({ method }) => method === "GET")).toBe(true);
  });

  it("says that what is held goes as well", async () => {
    const stage = await openStage();
    stage.writeConfig("boardsync.yaml", (config) => `${config}guard: { issues: 0 }\n`);
    const planned = await stage.run(["plan", "--out", "today.plan"]);
    expect(planned.out).toContain("does exactly this, and what needs you.");
    expect((await stage.run(["apply", "today.plan"])).code).toBe(0);
  });

  it("saves nothing where nothing could be looked at", async () => {
    const stage = await openPlanned();
    const before = readFileSync(join(stage.folder, "today.plan"), "utf8");
    stage.writeConfig("dead.yaml", (config) => config.replace(/url: .*\/api\/v1/, `url: ${deadUrl}`));
    expect((await stage.run(["plan", "--out", "today.plan", "--config", "dead.yaml"])).code).toBe(3);
    expect(readFileSync(join(stage.folder, "today.plan"), "utf8")).toBe(before);
  });

  it("says where it can't save", async () => {
    const stage = await openStage();
    const refused = await stage.run(["plan", "--out", "nowhere/today.plan"]);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain("nowhere/today.plan (ENOENT)");
  });
});

describe("boardsync apply", () => {
  it("does what the plan says, and nothing when it is applied again", async () => {
    const stage = await openPlanned();
    const first = await stage.run(["apply", "today.plan"]);
    expect(first.code).toBe(0);
    expect(first.out).toMatch(/Of \d+ actions of the plan: \d+ done\./);
    const again = await stage.run(["apply", "today.plan"]);
    expect(again.code).toBe(0);
    expect(again.out).toMatch(/Of \d+ actions of the plan: \d+ done before\./);
    const after = await stage.run(["plan", "--json"]);
    expect(after.json()).toMatchObject({ projects: [{ actions: [] }, { actions: [] }] });
  });

  it("tells a script what became of each action", async () => {
    const stage = await openPlanned();
    stage.story.board.editPost("acme-app", "p1", { title: "Other words" });
    const applied = await stage.run(["apply", "today.plan", "--json"]);
    expect(applied.code).toBe(1);
    const [first, second] = (applied.json() as { projects: { actions: readonly object[] }[] }).projects;
    expect(first?.actions.slice(0, 2)).toMatchObject([
      { post: "p1", kind: "create-issue", outcome: "refused", message: expect.stringContaining("moved") },
      { post: "p2", kind: "create-issue", outcome: "done" },
    ]);
    expect(second?.actions).toHaveLength(2);
  });

  it.each([
    ["is no JSON", (text: string) => text.slice(0, -9), "is no JSON"],
    ["is something else", () => '{"format":"other"}', "is no plan"],
    ["is of another format", (text: string) => text.replace('"version": 1', '"version": 2'), "has version 2"],
    [
      "says something else",
      (text: string) => text.replace('"kind": "create-issue"', '"kind": "update-issue"'),
      "has been changed since it was saved",
    ],
    ["lacks a part", (text: string) => text.replace('"actions"', '"others"'), "has been changed"],
    [
      "was made by another version",
      (text: string) => text.replace("1.2.3", "1.2.2"),
      "made by boardsync 1.2.2",
    ],
    [
      "was made for another board",
      (text: string) => text.replace(/"board": "./, '"board": "x'),
      "another `board.url`",
    ],
    ["was made on another state", (text: string) => text.replace("null", '"0123"'), "another state"],
  ])("refuses a file that %s, and writes nothing", async (_, change, said) => {
    const stage = await openPlanned();
    edit(stage, change);
    const refused = await stage.run(["apply", "today.plan", "--json"]);
    expect(refused.code).toBe(2);
    expect(refused.json()).toMatchObject({
      error: { code: "config", message: expect.stringContaining(said) },
    });
    expect(stage.story.github.requests.every(({ method }) => method === "GET")).toBe(true);
  });

  it.each([
    [
      "settings have changed",
      (config: string) => config.replace("labels: [", "labels: [new, "),
      "settings of the project",
    ],
    [
      "is not in the config any more",
      (config: string) => config.replace("project: acme-api", "project: prj_api"),
      "no project `acme-api`",
    ],
  ])("refuses a plan of a project whose %s", async (_, change, said) => {
    const stage = await openPlanned();
    stage.writeConfig("boardsync.yaml", change);
    const refused = await stage.run(["apply", "today.plan"]);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain(said);
  });

  it("says that there is no such file", async () => {
    const stage = await openStage();
    const refused = await stage.run(["apply", "none.plan"]);
    expect(refused.code).toBe(2);
    expect(refused.err).toContain("`boardsync plan --out today.plan` makes one");
  });

  it("needs the state for itself", async () => {
    const stage = await openPlanned();
    const lock = acquireState(join(stage.folder, "state.db"), "daemon", { now: 0, version: "1.2.3" });
    onTestFinished(() => lock.release());
    expect((await stage.run(["apply", "today.plan", "--json"])).code).toBe(5);
  });
});
