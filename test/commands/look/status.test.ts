import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { printStatus } from "../../../src/commands/look/status.ts";
import { systemClock } from "../../../src/commands/open/clock.ts";
import type { ProjectStatus, WaitingLine } from "../../../src/commands/open/status.ts";
import type { SignOfLife } from "../../../src/ledger/orders.ts";
import { acquireState } from "../../../src/ledger/sqlite/lock.ts";
import { openLedger } from "../../../src/ledger/sqlite/sqlite.ts";
import { tellTimes } from "../../../src/sync/tell/times.ts";
import { makeFolder, openStage, runCommand, type Stage } from "../stage.ts";

/** A daemon's sign of life, so many seconds ago. */
async function beat(
  { folder }: Pick<Stage, "folder">,
  secondsAgo: number,
  more: Partial<SignOfLife> = {},
): Promise<void> {
  const now = Date.now();
  const ledger = openLedger(join(folder, "state.db"), { now, version: "1" });
  const sign = { at: now - secondsAgo * 1000, who: "daemon, process 99", ...more };
  await ledger.commit([{ kind: "beat", sign }]);
  ledger.close();
}

describe("status", () => {
  it("before any run says so, and what is next, and makes no file", async () => {
    const stage = await openStage();
    const { code, out } = await stage.run(["status"]);
    expect(code).toBe(0);
    expect(out).toBe(
      `No run yet: there is no state at ${stage.folder}/state.db. Next: \`boardsync plan\`, then \`boardsync sync\`. If there was one: \`boardsync help lost\`.\n`,
    );
    const { json } = await stage.run(["status", "--json"]);
    expect(json()).toMatchObject({
      daemon: null,
      otherConfigs: [],
      database: null,
      projects: [{ lastRun: null, lagSeconds: null }, {}],
    });
    const files = [":memory:", join(stage.folder, ":memory:"), join(stage.folder, "state.db")];
    expect(files.filter((file) => existsSync(file))).toEqual([]);
  });

  it("says of a project what a running daemon knows of it: that it is late, and what breaks its runs off", async () => {
    const stage = await openStage();
    const file = stage.writeConfig("often.yaml", (config) =>
      config.replace("0 0 1 1 *", "*/5 * * * *").replace("repo: acme/api", `$&\n    schedule: "0 0 1 1 *"`),
    );
    await stage.run(["sync"]);
    const broken = { "acme-api": "state.unusable: its disk is full" };
    const told = async (laterMs: number) => {
      const now = Date.now() + laterMs;
      const clock = vi.spyOn(systemClock, "now").mockReturnValue(now);
      const { json } = await stage.run(["status", "--json", "-c", file]);
      clock.mockRestore();
      return (Object(json()).projects as readonly ProjectStatus[]).map(({ state, sentence }) => [
        state,
        sentence,
      ]);
    };
    const inStep = ["in-sync", "in step"];
    await beat(stage, -1200, { broken });
    expect(await told(0)).toEqual([inStep, inStep]);
    const good = expect.stringMatching(
      /^failing: the last good run was at .*, and it is to run every 300 s$/,
    );
    const full = expect.stringMatching(
      /^failing \(state\.unusable: its disk is full\): the last good run was at [^,]*$/,
    );
    expect(await told(1_200_000)).toEqual([
      ["failing", good],
      ["failing", full],
    ]);
    // It has had no room for a sign of life since.
    await beat(stage, 0);
    expect(await told(1_200_000)).toEqual([["failing", good], inStep]);
    // Nobody expects anything of one that was stopped, or in whose place another program has run.
    await beat(stage, 0, { isLast: true });
    expect(await told(1_200_000)).toEqual([inStep, inStep]);
    await beat(stage, 3600);
    expect(await told(1_200_000)).toEqual([inStep, inStep]);
  });

  it("shows each project after a run, and needs neither secrets nor the two sides", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    await stage.story.close();
    const env = { BOARD_API_KEY: undefined, GITHUB_TOKEN: undefined };
    const { code, out } = await stage.run(["status"], { env });
    expect(code).toBe(0);
    expect(out).toContain("│ project  │ repository │ posts │ issues │ last run");
    expect(out).toMatch(
      /│ acme-app │ acme\/app {3}│ {5}8 │ {6}4 │ ok, (just now|\d+ seconds? ago) \((?:[\w ]+, )?\d\d:\d\d(?: UTC)?\) +│/,
    );
    expect(out).toMatch(/\nNo daemon has run on this state\.\n$/);
    const { json } = await stage.run(["status", "--json"], { env });
    expect(json()).toEqual({
      state: join(stage.folder, "state.db"),
      daemon: null,
      otherConfigs: [],
      replicas: [],
      copyOf: null,
      tokenEnds: null,
      database: expect.objectContaining({ links: 6 }),
      projects: [
        {
          project: "acme-app",
          repo: "acme/app",
          posts: 8,
          issues: 4,
          state: "in-sync",
          voters: 0,
          sentence: "in step",
          putOff: [],
          lastRun: {
            run: 1,
            at: expect.any(String),
            result: "ok",
            ageSeconds: expect.any(Number),
            errors: [],
          },
          lastSuccess: expect.any(String),
          lagSeconds: expect.any(Number),
          nextRun: null,
          hold: null,
          import: null,
          held: 0,
          parked: 0,
          quarantined: 0,
          paused: 0,
          pausedSince: null,
          resume: null,
          missing: 0,
          notified: null,
          changelog: [],
          waiting: [],
          hasMore: false,
        },
        expect.objectContaining({ project: "acme-api", posts: 4, issues: 2 }),
      ],
    });
  });

  it("says of a copy that was put back what the next run makes of it, and calls no daemon of its original its own", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    await beat(stage, 0);
    await stage.run(["backup", "copy.db"]);
    for (const end of ["", "-wal", "-shm"]) rmSync(join(stage.folder, `state.db${end}`), { force: true });
    renameSync(join(stage.folder, "copy.db"), join(stage.folder, "state.db"));
    const { out } = await stage.run(["status"]);
    expect(out).toMatch(
      /! The state is a copy of .* that was put back, and knows nothing of what came after: the next run takes both sides as they are, and notifies no voter of what differs\.\n {2}→ boardsync help lost\n/,
    );
    expect(out).toContain("No daemon has run on this state.");
    expect((await stage.run(["status", "--json"])).json()).toMatchObject({
      copyOf: expect.stringMatching(/Z$/),
      daemon: null,
    });
    await stage.run(["sync"]);
    expect((await stage.run(["status"])).out).not.toContain("put back");
  });

  it("shows a project that has never run", async () => {
    const stage = await openStage();
    await stage.run(["sync", "-p", "acme-api"]);
    expect((await stage.run(["status"])).out).toMatch(/│ acme-app │ acme\/app {3}│ {5}0 │ {6}0 │ never +│/);
  });

  it("lists what is held, with its reason", async () => {
    const stage = await openStage();
    const file = stage.writeConfig("careful.yaml", (config) => `${config}guard: { issues: 1 }\n`);
    await stage.run(["sync", "-c", file]);
    const { out } = await stage.run(["status"]);
    expect(out).toMatch(/│ needs you +│/);
    expect(out).toMatch(
      /^! needs you: acme-app: 4 alike\n {4}4 issues would be created .+\n {4}acme-app\/p1 “Dark mode”, since (?:[\w ]+, )?\d\d:\d\d(?: UTC)? \(.+\): opens an issue in acme\/app\n/m,
    );
    const { json } = await stage.run(["status", "--json"]);
    expect(json()).toMatchObject({
      projects: [
        {
          held: 4,
          waiting: expect.arrayContaining([
            {
              post: "p1",
              issues: [],
              kind: "held",
              cause: "guard",
              code: null,
              message: expect.any(String),
              title: "Dark mode",
              planned: expect.toSatisfy((planned) => planned === null || planned.place === "acme/app"),
              until: null,
              since: expect.any(String),
              command: "boardsync approve acme-app p1",
            },
          ]),
        },
        {},
      ],
    });
  });

  it("lists what is parked with its issue and code, once", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    stage.story.github.close("acme/app", 1, "completed");
    const body = { error: { message: "No such\nstatus\u001b[2J." } };
    stage.story.board.failNext(
      { kind: "answer", status: 422, body },
      { when: ({ method }) => method === "PATCH" },
    );
    await stage.run(["sync"]);
    const { out } = await stage.run(["status"]);
    expect(out).not.toMatch(/^✗ failed/m);
    expect(out).toMatch(/^! acme-app: needs you \(1 action, 128 voters\)\.$/m);
    expect(out).toMatch(
      /^! needs you: acme-app\/p1 “Dark mode” \(acme\/app#1\), since .*\n {4}status: planned → completed, .*; 128 voters to notify\n {4}.* \[board\.rejected\]\n {2}→ boardsync retry acme-app\/p1$/m,
    );
    expect(out).not.toContain("\u001b");
    const { json } = await stage.run(["status", "--json"]);
    expect(json()).toMatchObject({
      projects: [
        { parked: 1, lastRun: { result: "partial", errors: [{ post: "p1", code: "board.rejected" }] } },
        {},
      ],
    });
  });

  it("says once what many are held for, and --full says it of each", async () => {
    const stage = await openStage();
    for (let post = 0; post < 20; post += 1)
      stage.story.board.addPost("acme-app", { title: `Wish ${post}`, status: "planned" });
    const file = stage.writeConfig("careful.yaml", (config) => `${config}guard: { issues: 1 }\n`);
    await stage.run(["sync", "-c", file]);
    const { out } = await stage.run(["status"]);
    expect(out).toMatch(
      /^! needs you: acme-app: 24 alike\n {4}24 issues would .+\n {4}for example p1 “.+”, .+ “.+”, .+ “.+”: opens an issue in acme\/app; `boardsync status --full` lists each\n/m,
    );
    expect(out.match(/^! needs you: acme-app/gm)).toHaveLength(1);
    expect((await stage.run(["status", "--full"])).out.match(/^ {4}acme-app\/p/gm)).toHaveLength(24);
    const held = Array.from({ length: 24 }, () => expect.objectContaining({ kind: "held", cause: "guard" }));
    const { json } = await stage.run(["status", "--json"]);
    expect(json()).toMatchObject({ projects: [{ held: 24, waiting: held }, {}] });
  });

  it("groups more than 20 that are alike, with what would be written and who would hear, most voters first; --full lists each", () => {
    const hold = (post: number, to: string): WaitingLine => ({
      post: `p${post}`,
      issues: ["acme/app#1"],
      kind: "held",
      cause: "guard",
      code: null,
      message: "many",
      title: "Dark mode",
      planned: {
        place: "acme/app#1",
        changes: [{ field: "status", from: "planned", to }],
        notifies: post === 0 ? null : post === 7 ? 12 : 10,
      },
      until: null,
      since: "2026-03-02T08:00:00.000Z",
      command: `boardsync approve acme-app p${post}`,
    });
    const alike = Array.from({ length: 21 }, (_, post) => hold(post, "completed"));
    const waiting = [...alike, hold(21, "closed")];
    const lines = printHeld(waiting, false).split("\n");
    expect(lines.filter((line) => line.startsWith("! needs you") || line.startsWith("  → "))).toEqual([
      "! needs you: acme-app: 21 alike; at least 202 voters to notify",
      "  → look: boardsync plan -p acme-app",
      "  → leave both sides as they are: boardsync approve acme-app --discard",
      "  → take back what asks for it, as by reopening the issues: then it ends by itself",
      "  → let all of it go: boardsync approve acme-app",
      "! needs you: acme-app/p21 “Dark mode” (acme/app#1), since 09:00 (2 hours ago)",
      "  → look: boardsync explain acme-app/p21",
      "  → leave both sides as they are: boardsync approve acme-app p21 --discard",
      "  → take back what asks for it, as by reopening the issues: then it ends by itself",
      "  → let it go: boardsync approve acme-app p21",
    ]);
    expect(lines).toContain(
      "    for example p7 “Dark mode”, p1 “Dark mode”, p2 “Dark mode”: status: planned → completed; `boardsync status --full` lists each",
    );
    expect(printHeld(waiting, true).match(/^ {4}acme-app\/p/gm)).toHaveLength(21);
    expect(printHeld(alike.slice(0, 20), false).match(/^ {4}acme-app\/p/gm)).toHaveLength(20);
    expect(printHeld(alike.slice(0, 2), false)).toContain("→ let it go: boardsync approve acme-app p1 p0\n");
  });

  it("groups what says the same but for the post and the issue that it names, with one command for all", () => {
    const gone = (post: number): WaitingLine => ({
      post: `p${post}`,
      issues: [`acme/app#${post}`],
      kind: "parked",
      cause: "issue-gone",
      code: "tracker.deleted",
      message: `acme/app#${post} was deleted. \`boardsync retry p${post}\` opens another issue.`,
      title: null,
      planned: null,
      until: null,
      since: "2026-03-02T08:00:00.000Z",
      command: `boardsync retry acme-app/p${post}`,
    });
    const lost = Array.from({ length: 21 }, (_, post) => gone(post));
    const said = printHeld(lost, false).split("\n");
    const from = said.indexOf("! needs you: acme-app: 21 alike");
    expect(said.slice(from, from + 4)).toEqual([
      "! needs you: acme-app: 21 alike",
      "    The issue was deleted. `boardsync retry POST` opens another issue. [tracker.deleted]",
      "    for example p0, p1, p2; `boardsync status --full` lists each",
      "  → all of acme-app with this code: boardsync retry acme-app --code tracker.deleted",
    ]);
    const flapped = lost.map(
      (line): WaitingLine => ({ ...line, kind: "quarantined", cause: "quarantined", code: null }),
    );
    expect(printHeld(flapped, false)).toContain("  → all of acme-app: boardsync release acme-app\n");
    expect(printHeld(lost, true)).toContain("  → boardsync retry acme-app/p20\n");
  });

  it("says once what failed for many posts; --full says it of each", () => {
    const failed = (post: number) => ({
      ...{ post: `p${post}`, issue: null, code: "tracker.undecided", advice: null, until: null },
      message: `issue #${post}: rule 2 can't be read`,
    });
    const at = "2026-03-02T08:00:00.000Z";
    const errors = [1, 2, 3].map(failed);
    const lastRun = { run: 1, at, result: "partial", ageSeconds: 0, errors } as const;
    expect(printHeld([], false, null, { lastRun })).toContain(
      "✗ failed: acme-app, 3 posts: the issue: rule 2 can't be read [tracker.undecided] (p1, p2 and p3)\n",
    );
    expect(printHeld([], true, null, { lastRun })).toContain(
      "✗ failed: acme-app, post p2: issue #2: rule 2 can't be read [tracker.undecided]\n",
    );
    const ofOne = errors.map((error) => ({ ...error, message: "issue #7: rule 2 can't be read" }));
    expect(printHeld([], false, null, { lastRun: { ...lastRun, errors: ofOne } })).toContain(
      "acme-app, 3 posts: issue #7: rule 2 can't be read",
    );
  });

  it("goes on naming the issue that a failure is about, where that is not the post's own", () => {
    const failed = (post: number) => ({
      ...{
        post: `p${post}`,
        issue: `acme/app#${post}`,
        code: "tracker.duplicate",
        advice: null,
        until: null,
      },
      message: `acme/app#${post + 10} carries the mark of this post, too; this one is used. Close it by hand.`,
    });
    const at = "2026-03-02T08:00:00.000Z";
    const lastRun = { run: 1, at, result: "partial", ageSeconds: 0, errors: [1, 2].map(failed) } as const;
    const said = printHeld([], false, null, { lastRun });
    expect(said).toContain("failed: acme-app, post p1, acme/app#1: acme/app#11 carries the mark");
    expect(said).toContain("failed: acme-app, post p2, acme/app#2: acme/app#12 carries the mark");
  });

  it("says what follows by itself and what differs and stays so, after what needs a person", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    const { story } = stage;
    story.board.editPost("acme-app", "p1", { isArchived: true });
    for (const issue of [1, 2, 3]) story.github.close("acme/app", issue, "completed");
    story.board.failNext({ kind: "reset" }, { when: ({ path }) => path === "/feedback/p2" });
    story.board.failNext({ kind: "answer", status: 422 }, { when: ({ path }) => path === "/feedback/p3" });
    await stage.run(["sync"]);
    const { out } = await stage.run(["status"]);
    const lines = out.split("\n").filter((line) => line.includes("acme-app"));
    expect(lines.filter((line) => !line.includes("│"))).toEqual([
      "! acme-app: needs you (1 action, 41 voters); 1 post follows later; 1 post differs from its issue and stays so.",
      expect.stringMatching(/^! needs you: acme-app\/p3 /),
      "  → boardsync retry acme-app/p3",
      expect.stringMatching(/^… later: acme-app\/p2 /),
      expect.stringMatching(/^≠ differs: acme-app\/p1 /),
    ]);
    expect(out.split("\n").filter((line) => line.startsWith("    "))).toEqual([
      expect.stringMatching(/^ {4}status: planned → completed, .*; 41 voters to notify$/),
      expect.stringMatching(/ \[board\.rejected\]$/),
      expect.stringMatching(/^ {4}It is not known yet whether/),
      expect.stringMatching(/^ {4}status would become `completed`.*; roadmapColumn would become/),
    ]);
  });

  it("says what stops a change before it notifies, and who was notified", async () => {
    const stage = await openStage();
    const slow = stage.writeConfig("slow.yaml", (config) => `${config}settle: 10m\n`);
    await stage.run(["sync"]);
    stage.story.github.close("acme/app", 1, "completed");
    await stage.run(["sync", "-c", slow]);
    const before = (await stage.run(["status", "-c", slow])).out;
    expect(before).toContain(
      "  → take back what asks for it, as by reopening the issue: then nothing is written",
    );
    expect(before).toMatch(/^ {2}→ write nothing for now: boardsync .*pause acme-app\/p1$/m);
    expect(before).not.toContain("notified within");
    await stage.run(["sync"]);
    const { out } = await stage.run(["status"]);
    expect(out).toMatch(
      /^ {2}notified within 24 hours: [1-9]\d* voters of 1 change, last just now \(.*\) by run 3: boardsync history --since 24h$/m,
    );
  });

  it("says why a whole project is held, and what ends that", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    for (const post of ["p1", "p2", "p3", "p4"]) stage.story.board.removePost("acme-app", post);
    await stage.run(["sync"]);
    stage.story.board.addPost("acme-app", { title: "New", status: "planned" });
    await stage.run(["sync"]);
    const { out } = await stage.run(["status"]);
    expect(out).toMatch(
      /^! needs you: acme-app: .+\n {2}→ look at the board: .+\n {2}→ boardsync approve acme-app$/m,
    );
    expect(out).toMatch(
      /^! needs you: acme-app\/p13 “New”, .*\n {4}opens an issue in acme\/app\n {4}the board shows/m,
    );
    expect(out).not.toContain("approve acme-app p13");
    const { json } = await stage.run(["status", "--json"]);
    expect(json()).toMatchObject({ projects: [{ hold: expect.any(String) }, { hold: null }] });
  });

  it("says once of a post that its issue is gone, and what opens another one", async () => {
    const stage = await openStage();
    stage.writeConfig("boardsync.yaml", (config) => `${config}fullEvery: 1m\n`);
    await stage.run(["sync"]);
    stage.story.github.deleteIssue("acme/app", 1);
    const ledger = openLedger(join(stage.folder, "state.db"), { now: 0, version: "1" });
    const memory = ledger.memory.repository("acme/app");
    if (memory !== undefined)
      await ledger.commit([{ kind: "remember-repository", memory: { ...memory, fullAt: 0, checkedAt: 0 } }]);
    ledger.close();
    await stage.run(["sync"]);
    const lines = (await stage.run(["status"])).out
      .split("\n")
      .filter((line) => line.includes("acme-app/p1"));
    expect(lines).toEqual([expect.stringMatching(/^! needs you: /), "  → boardsync retry acme-app/p1"]);
  });

  it("says whether a daemon is running, beside one that holds the state", async () => {
    const stage = await openStage();
    await beat(stage, 5);
    const lock = acquireState(join(stage.folder, "state.db"), "daemon", { now: Date.now(), version: "1" });
    try {
      const { code, out } = await stage.run(["status"]);
      expect(code).toBe(0);
      expect(out).toMatch(
        /\nA daemon is running: last sign of life \d seconds ago \((?:[\w ]+, )?\d\d:\d\d(?: UTC)?\)\.\n$/,
      );
      expect(out).toMatch(/│ next run +│/);
      const { json } = await stage.run(["status", "--json"]);
      expect(json()).toMatchObject({
        projects: [{ nextRun: expect.stringMatching(/:\d[05]:00\.000Z$/) }, {}],
      });
    } finally {
      lock.release();
    }
    await beat(stage, 3600);
    expect((await stage.run(["status"])).out).toMatch(
      /\nNo daemon is running: the last one was seen 1 hour ago \(.+\)\.\n$/,
    );
    const { json } = await stage.run(["status", "--json"]);
    expect(json()).toMatchObject({
      daemon: { alive: false, lastBeat: expect.any(String), ageSeconds: 3600 },
    });
  });

  it("reads what it can of a report that another version has stored", async () => {
    const stage = await openStage();
    const now = Date.now();
    const ledger = openLedger(join(stage.folder, "state.db"), { now, version: "1" });
    const reports = [{ errors: ["?", { code: 5, message: "Oh." }, null] }, { errors: "none" }];
    const projects = ["acme-app", "acme-api"].map((project, index) => ({
      project,
      report: reports[index] ?? {},
    }));
    await ledger.commit([
      {
        kind: "finish-run",
        run: (await ledger.runs.begin(now)).run,
        record: { finishedAt: now, result: "partial", projects },
      },
    ]);
    ledger.close();
    const { json } = await stage.run(["status", "--json"]);
    const unknown = { post: null, issue: null, code: "unknown", message: "", advice: null, until: null };
    expect(json()).toMatchObject({
      projects: [
        { lastRun: { errors: [unknown, { ...unknown, message: "Oh." }, unknown] } },
        { lastRun: { errors: [] } },
      ],
    });
  });

  it("prints nothing with --quiet", async () => {
    const stage = await openStage();
    expect(await stage.run(["status", "-q"])).toMatchObject({ code: 0, out: "", err: "" });
  });

  it("exits 2 without a config", async () => {
    const stage = await openStage();
    expect(await stage.run(["status", "-c", "no.yaml"])).toMatchObject({ code: 2, out: "" });
  });
});

describe("health", () => {
  it.each([
    [5, 0, /^The daemon is alive: last sign of life \d+ seconds ago\.\n$/],
    [3600, 1, /^The daemon on .*state\.db is not running, or it hangs: last sign of life 1 hour ago\.\n$/],
    [-10_800, 1, /^The daemon on .*state\.db is not running, or it hangs: last sign of life in 3 hours\.\n$/],
    [-20, 0, /^The daemon is alive: last sign of life in \d+ seconds\.\n$/],
  ])("of a sign of life %i s ago exits %i", async (seconds, code, words) => {
    const stage = await openStage();
    await beat(stage, seconds);
    const ran = await stage.run(["health"]);
    expect(ran.code).toBe(code);
    expect(ran.out).toMatch(words);
    const { json } = await stage.run(["health", "--json"]);
    expect(json()).toEqual({ alive: code === 0, ageMs: expect.any(Number), message: expect.any(String) });
  });

  it("needs no config, no secret and no .env, and finds the state by its variable", async () => {
    const folder = makeFolder();
    await beat({ folder }, 1);
    const ran = await runCommand(["health"], { env: { BOARDSYNC_STATE: "state.db" }, cwd: folder });
    expect(ran).toMatchObject({ code: 0, err: "" });
  });

  it("of a state that is not there exits 1", async () => {
    const ran = await runCommand(["health", "--json"], { env: {}, cwd: makeFolder() });
    expect(ran.code).toBe(1);
    expect(ran.json()).toEqual({
      alive: false,
      ageMs: null,
      message: expect.stringContaining("No daemon has left a sign of life at "),
    });
  });

  it("of a state that can't be read exits 1", async () => {
    const stage = await openStage();
    writeFileSync(join(stage.folder, "state.db"), "no database ".repeat(1000));
    const { code, json } = await stage.run(["health", "--json"]);
    expect(code).toBe(1);
    expect(json()).toMatchObject({ error: { code: "state.unusable" } });
  });

  it("prints nothing with --quiet", async () => {
    const ran = await runCommand(["health", "--quiet"], { env: {}, cwd: makeFolder() });
    expect(ran).toMatchObject({ code: 1, out: "", err: "" });
  });
});

it("schema prints what is committed", async () => {
  const { out, code } = await runCommand(["schema"], { env: {}, cwd: makeFolder() });
  expect(code).toBe(0);
  const committed = readFileSync(new URL("../../../config/boardsync.schema.json", import.meta.url), "utf8");
  expect(JSON.parse(out)).toEqual(JSON.parse(committed));
});

it("says of a token that ends soon when that is", () => {
  expect(printHeld([], false, "2026-03-05T10:00:00.000Z")).toMatch(
    /^! The token for GitHub ends in 3 days, at .*GITHUB_TOKEN/m,
  );
  expect(printHeld([], false, "2026-06-05T10:00:00.000Z")).not.toContain("token");
});

/** What `status` prints of a project of which these wait. */
function printHeld(
  waiting: readonly WaitingLine[],
  isFull: boolean,
  tokenEnds: string | null = null,
  more: Partial<ProjectStatus> = {},
): string {
  const parts: string[] = [];
  const project: ProjectStatus = {
    project: "acme-app",
    repo: "acme/app",
    posts: 0,
    issues: 0,
    state: "needs-you",
    voters: 0,
    sentence: "needs you",
    putOff: [],
    lastRun: null,
    lastSuccess: null,
    lagSeconds: null,
    nextRun: null,
    hold: null,
    import: null,
    held: waiting.length,
    parked: 0,
    quarantined: 0,
    paused: 0,
    pausedSince: null,
    resume: null,
    missing: 0,
    notified: null,
    changelog: [],
    waiting,
    hasMore: false,
    ...more,
  };
  const out = {
    isTerminal: false,
    hasColours: false,
    columns: () => 200,
    write: (part: string) => void parts.push(part),
  };
  printStatus(
    out,
    tellTimes(Date.parse("2026-03-02T10:00:00Z"), "Europe/Berlin"),
    {
      state: "state.db",
      daemon: null,
      replicas: [],
      database: null,
      copyOf: null,
      tokenEnds,
      otherConfigs: [],
      projects: [project],
    },
    isFull,
  );
  return parts.join("");
}

it("calls what can't be decided later where a run tries it again, and a difference where a side has to change", () => {
  const wait = (cause: "undecided" | "too-large"): WaitingLine => ({
    post: "p1",
    title: null,
    kind: "undecided",
    cause,
    code: null,
    message: "it can't be read",
    command: null,
    since: "2026-03-02T09:00:00.000Z",
    until: null,
    issues: [],
    planned: null,
  });
  expect(printHeld([wait("undecided")], true)).toContain("… later: acme-app/p1");
  expect(printHeld([wait("too-large")], true)).toContain("≠ differs: acme-app/p1");
});

describe("linked posts that the board no longer lists", () => {
  it("are counted and named by `sync` and `status`, in words and as JSON, and nothing has failed", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    stage.story.board.removePost("acme-app", "p1");
    const ran = await stage.run(["sync"]);
    expect(ran.code).toBe(0);
    expect(ran.out).toMatch(/^≠ acme-app: not found on the board: p1 “[^”]+”$/m);
    expect(ran.out).toContain("acme-app: 1 linked post is not found on the board.");
    expect(ran.err).toContain("The board no longer lists linked posts");
    const { code, out } = await stage.run(["status"]);
    expect(code).toBe(0);
    expect(out).toMatch(/^≠ acme-app: 1 linked post is not found on the board\.$/m);
    expect(out).toMatch(
      /^≠ differs: acme-app\/p1 “[^”]+” \(acme\/app#1\), since .*\n {4}one list of the board/m,
    );
    const { json } = await stage.run(["status", "--json"]);
    expect(json()).toMatchObject({
      projects: [
        { state: "differs", missing: 1, waiting: [{ post: "p1", kind: "missing" }] },
        { missing: 0 },
      ],
    });
    const again = await stage.run(["sync", "--json"]);
    expect(again.err).not.toContain("The board no longer lists linked posts");
    expect(again.json()).toMatchObject({
      result: "ok",
      projects: [{ missing: 1, missingPosts: [{ post: "p1" }] }, {}],
    });
  });
});
