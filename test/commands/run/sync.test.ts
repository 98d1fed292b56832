import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { acquireState } from "../../../src/ledger/sqlite/lock.ts";
import { deadUrl, openStage, type Stage } from "../stage.ts";

/** The keys of the promise, in its order, with the values of a first run on the story. */
const firstRun = {
  run: 1,
  result: "ok",
  startedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
  durationMs: expect.any(Number),
  projects: [
    {
      project: "acme-app",
      repo: "acme/app",
      result: "ok",
      posts: 8,
      issues: 4,
      created: 4,
      adopted: 0,
      issueWrites: 0,
      postWrites: 0,
      statusWrites: 0,
      waiting: 0,
      held: 0,
      parked: 0,
      quarantined: 0,
      skipped: 4,
      failed: 0,
      requests: { board: expect.any(Number), tracker: expect.any(Number) },
      errors: [],
    },
    expect.objectContaining({ project: "acme-api", repo: "acme/api", posts: 4, issues: 2, created: 2 }),
  ],
};

/** A bar that shows how far a run is comes and goes where the machine is slow. */
function withoutBar(err: string): string {
  return err
    .split("\r\u001b[K")
    .filter((part) => !part.startsWith("\u001b[?7l"))
    .join("");
}

describe("sync --json", () => {
  it("prints the promised document, and nothing else on stdout", async () => {
    const stage = await openStage();
    const { code, json } = await stage.run(["sync", "--json"]);
    expect(code).toBe(0);
    expect(json()).toEqual(firstRun);
    expect(keysOf(json())).toEqual(keysOf(firstRun));
  });

  it("names post, issue, code and message of what failed, and exits 1", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    stage.story.github.close("acme/app", 1, "completed");
    stage.story.github.close("acme/app", 4, "not_planned");
    stage.story.board.failNext(
      { kind: "answer", status: 422, body: { error: { message: "No such status." } } },
      { when: ({ method, path }) => method === "PATCH" && path === "/feedback/p1" },
    );
    const { code, json } = await stage.run(["sync", "--json"]);
    expect(code).toBe(1);
    expect(json()).toMatchObject({
      result: "partial",
      projects: [
        {
          postWrites: 1,
          statusWrites: 1,
          failed: 1,
          parked: 1,
          errors: [
            { post: "p1", code: "board.rejected", message: expect.stringContaining("No such status.") },
          ],
        },
        { failed: 0, errors: [] },
      ],
    });
    expect(json()).not.toHaveProperty("error");
  });
});

describe("sync for a person", () => {
  it("prints a table without empty columns, and one sentence", async () => {
    const stage = await openStage();
    const { code, out } = await stage.run(["sync"]);
    expect(code).toBe(0);
    expect(out).toContain("│ project  │ posts │ issues │ opened │ patched │ voters │");
    expect(out).toContain("│ acme-app │     8 │      4 │      4 │       0 │      0 │");
    expect(out).toMatch(/\nRun 1, \d+\.\d s: in step\.\n$/);
  });

  it("says each error with its project, once what to do, and exits 1", async () => {
    const stage = await openStage();
    const file = stage.writeConfig("wrong.yaml", (config) =>
      config.replace("- project: acme-api", "- project: acme-ipa"),
    );
    const { code, out } = await stage.run(["sync", "--config", file]);
    expect(code).toBe(1);
    expect(out).toMatch(/\n✗ acme-ipa: .*acme-api.* \[board\.project\]\n/);
    expect(out).toMatch(
      /\nRun 1, \S+ s:\n {2}acme-ipa: failing \(board\.project\): .+\.\n {2}acme-app: in step\.\n$/,
    );
  });

  it("says what waits for a person, and exits 4", async () => {
    const stage = await openStage();
    const file = stage.writeConfig("careful.yaml", (config) => `${config}guard: { issues: 1 }\n`);
    const { code, out } = await stage.run(["sync", "--config", file]);
    expect(code).toBe(4);
    expect(out).toMatch(/│ not done +│\n.*\n.*│ 4 to approve │/);
    expect(out).toMatch(
      /\n {2}acme-app: needs you \(4 actions\)\.\n {2}acme-api: needs you \(2 actions\)\.\n$/,
    );
  });

  it("says what follows by itself", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    stage.story.github.close("acme/app", 1, "completed");
    const file = stage.writeConfig("slow.yaml", (config) => `${config}settle: 1h\n`);
    const { code, out } = await stage.run(["sync", "--config", file]);
    expect(code).toBe(0);
    expect(out).toMatch(
      /\n {2}acme-app: 1 post follows later, the next from .*\d\d:\d\d(?: UTC)? \(in \d+ minutes\) on\.\n {2}acme-api: in step\.\n$/,
    );
  });

  it("says what a limit has put off, and until when, and so does status", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    stage.story.board.failNext({ kind: "answer", status: 429, headers: { "retry-after": "3600" } });
    const file = stage.writeConfig("once.yaml", (config) =>
      config.replace(/( {2}url: .*\n)/, "$1  retries: 0\n"),
    );
    const { code, out } = await stage.run(["sync", "-c", file]);
    expect(code).toBe(0);
    const limit = /acme-app: later: the board wants no request before .*\d\d:\d\d(?: UTC)? \(in .+\)\.$/m;
    expect(out).toMatch(limit);
    expect(out).not.toContain("in step");
    expect((await stage.run(["status"])).out).toMatch(limit);
    const { json } = await stage.run(["status", "--json"]);
    const putOff = [{ code: "board.limited", until: expect.any(String) }];
    expect(json()).toMatchObject({
      projects: [
        { state: "later", putOff },
        { state: "later", putOff },
      ],
    });
  });

  it("prints nothing with --quiet, but for errors on stderr", async () => {
    const stage = await openStage();
    expect(await stage.run(["sync", "--quiet"])).toMatchObject({ code: 0, out: "", err: "" });
    const failed = await stage.run(["sync", "-q"], { env: { BOARD_API_KEY: "another-key-9876" } });
    expect(failed).toMatchObject({ code: 3, out: "" });
    expect(failed.err).toContain("board.unauthorized");
  });
});

it("works on the chosen projects alone", async () => {
  const stage = await openStage();
  const { json } = await stage.run(["sync", "--json", "--project", "acme-api"]);
  expect(json()).toMatchObject({ projects: [{ project: "acme-api", created: 2 }] });
  expect(stage.story.github.issues("acme/app")).toEqual([]);
  const both = await stage.run(["sync", "--json", "-p", "acme-api", "-p", "acme-app"]);
  expect(both.json()).toMatchObject({ projects: [{ project: "acme-app" }, { project: "acme-api" }] });
});

it("refuses a project that the config doesn't have, with those it has", async () => {
  const stage = await openStage();
  const { code, json } = await stage.run(["sync", "--json", "-p", "acme-web"]);
  expect(code).toBe(2);
  const message = `${stage.file} has no project \`acme-web\`. It has: acme-app, acme-api.`;
  expect(json()).toEqual({ error: { code: "config", message } });
});

it("--dry-run is plan, and --adopt writes nothing", async () => {
  const stage = await openStage();
  const { json } = await stage.run(["sync", "--dry-run", "--json"]);
  expect(json()).toMatchObject({ projects: [{ actions: expect.any(Array) }, {}] });
  expect(await stage.run(["sync", "--adopt", "--json"])).toMatchObject({ code: 0 });
  expect(stage.story.github.issues("acme/app")).toEqual([]);
});

describe("exit 2", () => {
  it.each([
    [
      "no config",
      (stage: Stage) => stage.run(["sync", "--json", "-c", "no.yaml"]),
      "no.yaml: there is no such file",
    ],
    [
      "broken YAML",
      (stage: Stage) => stage.run(["sync", "--json", "-c", stage.writeConfig("b.yaml", () => "board: [\n")]),
      "b.yaml:1:8: the `[` that begins here is not closed",
    ],
    [
      "an unknown key",
      (stage: Stage) =>
        stage.run([
          "sync",
          "--json",
          "-c",
          stage.writeConfig("k.yaml", (config) => config.replace("labels", "lables")),
        ]),
      "did you mean `labels`?",
    ],
    [
      "no key",
      (stage: Stage) => stage.run(["sync", "--json"], { env: { BOARD_API_KEY: undefined } }),
      "BOARD_API_KEY is not set",
    ],
    [
      "an empty token",
      (stage: Stage) => stage.run(["sync", "--json"], { env: { GITHUB_TOKEN: "" } }),
      "GITHUB_TOKEN is empty",
    ],
    [
      "a log level that is none",
      (stage: Stage) => stage.run(["sync", "--json"], { env: { BOARDSYNC_LOG_LEVEL: "loud" } }),
      "BOARDSYNC_LOG_LEVEL must be one of",
    ],
  ])("%s", async (_, run, words) => {
    const { code, json, err } = await run(await openStage());
    expect(code).toBe(2);
    expect(json()).toEqual({ error: { code: "config", message: expect.stringContaining(words) } });
    expect(err).toContain(words);
  });
});

describe("exit 3", () => {
  it.each([
    ["a wrong key", { BOARD_API_KEY: "wrong-key-0123456789" }, "board.unauthorized", "BOARD_API_KEY"],
    ["a wrong token", { GITHUB_TOKEN: "wrong-token-0123456789" }, "tracker.unauthorized", "GITHUB_TOKEN"],
  ])("%s, with what to do about it", async (_, env, code, advice) => {
    const stage = await openStage();
    const { code: exit, json, err } = await stage.run(["sync", "--json"], { env });
    expect(exit).toBe(3);
    expect(json()).toMatchObject({
      result: "failed",
      projects: [{ failed: 1 }, { failed: 1 }],
      error: { code, message: expect.any(String) },
    });
    expect(err).not.toMatch(/wrong-(?:key|token)/);
    const { out } = await stage.run(["sync"], { env });
    expect(out.split(`→ Put a valid`)).toHaveLength(2);
    expect(out).toContain(advice);
    expect(out).toMatch(/\nRun 2, .*\n {2}acme-app: failing \((?:board|tracker)\.unauthorized\): .*\.\n/);
  });

  it("an outage is said with what helps, and not with what doesn't, by sync, status and check", async () => {
    const stage = await openStage();
    stage.writeConfig("boardsync.yaml", (config) => config.replace(/( {2}url: .*\n)/, "$1  retries: 0\n"));
    await stage.run(["sync"]);
    for (const command of ["sync", "status", "check"]) {
      const body = { error: { message: "Maintenance." } };
      const isRead = { when: ({ method }: { readonly method: string }) => method === "GET", times: 9 };
      if (command !== "status") stage.story.board.failNext({ kind: "answer", status: 503, body }, isRead);
      const { out } = await stage.run([command]);
      expect(out).toContain("→ Nothing needs to be done: the board answers with an error of its own.");
      expect(out).not.toContain("does this machine reach it");
    }
  });

  it("a board that is down", async () => {
    const stage = await openStage();
    const file = stage.writeConfig("down.yaml", (config) =>
      config.replace(/ {2}url: .*\n/, `  url: ${deadUrl}\n  retries: 0\n`),
    );
    const { code, json } = await stage.run(["sync", "--json", "-c", file]);
    expect(code).toBe(3);
    expect(json()).toMatchObject({ result: "failed", error: { code: "board.unreachable" } });
  });
});

it("exit 5 says who holds the state and since when, and what to do", async () => {
  const stage = await openStage();
  const now = Date.parse("2026-01-31T09:00:00Z");
  const lock = acquireState(join(stage.folder, "state.db"), "daemon, process 99 on host box", {
    now,
    version: "1",
  });
  try {
    const { code, json, err } = await stage.run(["sync", "--json"]);
    expect(code).toBe(5);
    const message = expect.stringMatching(
      /held by daemon, process 99 on host box, since 2026-01-31T09:00:00\.000Z\.$/,
    );
    expect(json()).toEqual({ error: { code: "state.held", message } });
    expect(err).toContain("`boardsync status` and `boardsync plan` work beside it");
  } finally {
    lock.release();
  }
});

it("a state that is no database exits 1 and is said, not a stack", async () => {
  const stage = await openStage();
  writeFileSync(join(stage.folder, "state.db"), "no database ".repeat(1000));
  const { code, json, err } = await stage.run(["sync", "--json"]);
  expect(code).toBe(1);
  expect(json()).toMatchObject({ error: { code: "state.unusable" } });
  expect(err).not.toContain("    at ");
});

describe("the log", () => {
  it("is JSON lines where stderr is piped", async () => {
    const stage = await openStage();
    const { err } = await stage.run(["sync"]);
    const lines = err
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines[0]).toMatchObject({ level: "info", msg: "Project started", project: "acme-app" });
  });

  it("is readable on a terminal, and coloured only where colours are welcome", async () => {
    const stage = await openStage();
    const args = ["sync", "--log-level", "info"];
    const { err } = await stage.run(args, { isTerminal: true });
    expect(err).toMatch(/^\d\d:\d\d:\d\d acme-app: Project started \(mode sync\)\n/);
    for (const post of ["p1", "p2", "p3", "p4", "p5"]) stage.story.board.removePost("acme-app", post);
    const coloured = await stage.run(args, { isTerminal: true, hasColours: true });
    expect(coloured.err).toContain("\u001b[33mWARN\u001b[39m acme-app: ");
  });

  it.each([
    ["sync", {}, false],
    ["sync", { BOARDSYNC_LOG_LEVEL: "info" }, true],
    ["plan", {}, false],
    ["daemon", {}, true],
  ])("of %s at a terminal with %j", async (command, env, isSaid) => {
    const stage = await openStage();
    const signal = command === "daemon" ? AbortSignal.abort("SIGTERM") : undefined;
    const { err } = await stage.run([command], { env, isTerminal: true, ...(signal && { signal }) });
    expect(/^\d\d:\d\d:\d\d .*(?: runs |Run 1 )/m.test(err)).toBe(isSaid);
  });

  it("of a daemon begins with what it runs, on which config and state", async () => {
    const stage = await openStage();
    const { err } = await stage.run(["daemon"], { isTerminal: true, signal: AbortSignal.abort("SIGTERM") });
    const [begins = ""] = err.split("\n").filter((line) => line.includes(" runs "));
    expect(begins).toMatch(/ boardsync \S+ runs acme-app, acme-api\. Config \/.*\/boardsync\.yaml, /);
    expect(begins).toMatch(/, state \/.*\.db, which is new\.$/);
  });

  it("of a run at a terminal says nothing that the report says, and still warns", async () => {
    const stage = await openStage();
    expect(withoutBar((await stage.run(["sync"], { isTerminal: true })).err)).toBe("");
    stage.story.github.close("acme/app", 1, "completed");
    stage.story.board.removePost("acme-app", "p1");
    for (const post of ["p2", "p3", "p4", "p5"]) stage.story.board.removePost("acme-app", post);
    const { err } = await stage.run(["sync"], { isTerminal: true });
    expect(withoutBar(err)).toMatch(
      /^\d\d:\d\d:\d\d WARN acme-app: Nothing is written until a person has looked at the board/,
    );
  });

  it.each([
    [["--log-level", "warn"], {}, false],
    [[], { BOARDSYNC_LOG_LEVEL: "warn" }, false],
    [["--log-level", "info"], { BOARDSYNC_LOG_LEVEL: "warn" }, true],
    [["--quiet", "--log-level", "info"], {}, true],
    [["--quiet"], { BOARDSYNC_LOG_LEVEL: "info" }, false],
  ])("with %j and %j", async (args, env, isSaid) => {
    const stage = await openStage();
    const { err } = await stage.run(["sync", ...args], { env });
    expect(err !== "").toBe(isSaid);
  });
});

it("reads .env of the working directory, and the real environment wins", async () => {
  const stage = await openStage();
  const { GITHUB_TOKEN } = stage.env;
  writeFileSync(
    join(stage.folder, ".env"),
    `GITHUB_TOKEN=${GITHUB_TOKEN}\nBOARD_API_KEY=of-the-file\nBOARDSYNC_LOG_LEVEL=error\n`,
  );
  const ran = await stage.run(["sync"], { env: { GITHUB_TOKEN: undefined } });
  expect(ran).toMatchObject({ code: 0, err: "" });
});

it("says that every user of the machine can read .env", async () => {
  const stage = await openStage();
  chmodSync(stage.folder, 0o755);
  writeFileSync(join(stage.folder, ".env"), "UNUSED=1\n");
  chmodSync(join(stage.folder, ".env"), 0o644);
  expect((await stage.run(["sync"])).err).toContain("chmod 600 .env");
  chmodSync(join(stage.folder, ".env"), 0o600);
  expect((await stage.run(["sync"])).err).not.toContain("chmod");
});

describe("a secret that is one of our own words", () => {
  it("takes no field and no code out of what is printed, and is warned of", async () => {
    const stage = await openStage();
    const env = { BOARDSYNC_HTTP_TOKEN: "posts", GITHUB_WEBHOOK_SECRET: "board" };
    const ran = await stage.run(["sync", "--json"], { env });
    expect(ran.json()).toMatchObject({
      projects: [{ posts: 8, requests: { board: expect.any(Number) } }, {}],
    });
    expect(`${ran.out}${ran.err}`).not.toContain("[redacted]");
    expect(ran.err).toContain("a word that boardsync itself writes");
    const calm = await stage.run(["sync", "--json"], { env: { BOARDSYNC_HTTP_TOKEN: "posts8board" } });
    expect(calm.err).not.toContain("a word that boardsync itself writes");
  });
});

describe("a secret that a side sends back", () => {
  it.each([120, 80, 50])("is not printed in pieces either, at %i columns", async (columns) => {
    const stage = await openStage();
    const key = `key${"-0123456789".repeat(6)}`;
    const env = { GITHUB_WEBHOOK_SECRET: key };
    stage.story.board.editPost("acme-app", "p1", { title: `A thing about ${key}` });
    const { out, err } = await stage.run(["plan"], { env, columns });
    expect(out).toContain("[redacted]");
    expect(out + err).not.toContain("key-0");
    const { json } = await stage.run(["plan", "--json"], { env });
    expect(json()).toMatchObject({
      projects: [{ actions: [{ fields: { title: "A thing about [redacted]" } }, {}, {}, {}] }, {}],
    });
  });
});

it.each([
  ["SIGINT", 130],
  ["SIGTERM", 143],
])("after %s it starts nothing, says so, and exits %i", async (signal, exit) => {
  const stage = await openStage();
  const { code, out } = await stage.run(["sync"], { signal: AbortSignal.abort(signal) });
  expect(code).toBe(exit);
  expect(out).toMatch(
    new RegExp(
      `stopped by ${signal}; the next run goes on\\.\\n  acme-app: not looked at in this run; .*no run yet`,
    ),
  );
  expect(out).not.toContain("in step");
  expect(stage.story.board.requests).toEqual([]);
});

/** All keys of a document, from the outside in. */
function keysOf(document: unknown): readonly string[] {
  if (Array.isArray(document)) return keysOf(document[0]);
  if (typeof document !== "object" || document === null || "asymmetricMatch" in document) return [];
  return Object.entries(document).flatMap(([key, value]) => [key, ...keysOf(value)]);
}
