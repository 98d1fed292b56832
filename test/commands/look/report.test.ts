import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import type { BugReport } from "../../../src/commands/reports/bug-report.ts";
import { printBugReport } from "../../../src/commands/reports/bug-report.ts";
import { openLedger } from "../../../src/ledger/sqlite/sqlite.ts";
import type { ListFacts } from "../../../src/story/report/sides.ts";
import { createOutput, deadUrl, makeFolder, openStage, type Ran, runCommand, type Stage } from "../stage.ts";

/** The same report twice: for a person, and as JSON. */
async function reportOf(
  stage: Stage,
  args: readonly string[] = [],
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<Ran & { readonly report: BugReport }> {
  const { json } = await stage.run(["report", "--json", ...args], { env });
  return { ...(await stage.run(["report", ...args], { env })), report: json() as BugReport };
}

describe("report", () => {
  it("before any run says what it runs on, how it is configured, and what the lists look like", async () => {
    const stage = await openStage();
    const { code, out, err, report } = await reportOf(stage);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^### boardsync 1\.2\.3\n\n- Node\.js .+; SQLite \d+\.\d+\.\d+ \(better-sqlite3 \d+\.\d+\.\d+\)$/m,
    );
    expect(out).toContain("- State: a file: there is none yet\n- Daemon: none has run on this state\n");
    expect(out).toContain("- Secrets: set: BOARD_API_KEY, GITHUB_TOKEN; not set: GITHUB_APP_ID, ");
    expect(out).toContain("    repo: owner-1/repo-1\n");
    expect(out).toContain("The key is accepted; it sees 2 projects.\n");
    expect(out).toContain("- project-1: the list is complete; 8 posts, page by page 8\n");
    expect(out).toContain("  - list at `feedback`, id `id`, paging: cursor\n");
    expect(out).toContain("keys around the list: `feedback`, `nextCursor`\n");
    expect(out).toMatch(
      / {2}- keys of a post: `author` object, .*`roadmapColumn` string or null, .*`votes` number\n/,
    );
    expect(out).toContain("  - keys of a post: as in project-1\n");
    expect(out).toContain("  - statuses: planned (4), open (3), completed (1)\n");
    expect(out).toMatch(/### GitHub\n\nThe account can be read\.\n$/);
    expect(out.split("\n").length).toBeLessThan(70);
    expect(err).toMatch(/^Names, addresses, .+ Read it before you paste it where others can\.\n$/);
    expect(report.board.lists[0]?.keys).toContainEqual({ name: "votes", types: "number" });
    expect(report.state).toMatchObject({ kind: "file", access: "there is none yet", facts: null });
  });

  it("asks by GET alone, and with --offline not at all", async () => {
    const stage = await openStage();
    const { board, github } = stage.story;
    await stage.run(["report"]);
    const asked = [...board.requests, ...github.requests];
    expect(new Set(asked.map(({ method }) => method))).toEqual(new Set(["GET"]));
    const { code, out } = await stage.run(["report", "--offline"]);
    expect(code).toBe(0);
    expect([...board.requests, ...github.requests]).toHaveLength(asked.length);
    expect(out.match(/^It was not asked: --offline\.$/gm)).toHaveLength(2);
  });

  it("with --quiet prints nothing", async () => {
    const { code, out, err } = await (await openStage()).run(["report", "--quiet", "--offline"]);
    expect({ code, out, err }).toEqual({ code: 0, out: "", err: "" });
  });

  it("takes bad usage for that, and nothing else", async () => {
    expect((await (await openStage()).run(["report", "--online"])).code).toBe(2);
  });

  it("names the last runs with their errors as codes, and what waits", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    const { board, github } = stage.story;
    github.close("acme/app", 1, "completed");
    board.failNext(
      { kind: "answer", status: 422, body: { error: "Canary may not" } },
      { when: ({ method }) => method === "PATCH" },
    );
    await stage.run(["sync"]);
    const parked = await reportOf(stage, ["--offline"]);
    expect(parked.report.state.facts?.projects[0]?.waits).toEqual([
      { code: "parked board.rejected", times: 1 },
    ]);
    expect(parked.out).toContain("; waits: parked board.rejected (1); open writes: none; ");
    const file = stage.writeConfig("guarded.yaml", (config) => `${config}guard: { statuses: 0 }\n`);
    github.close("acme/app", 2, "completed");
    await stage.run(["sync", "-c", file]);
    const { out, report } = await reportOf(stage, ["-c", file]);
    const runs = report.state.facts?.runs ?? [];
    expect(runs.map(({ run, result, created }) => ({ run, result, created }))).toEqual([
      { run: 3, result: "held", created: 0 },
      { run: 2, result: "partial", created: 0 },
      { run: 1, result: "ok", created: 6 },
    ]);
    expect(runs[1]?.errors).toEqual([{ code: "board.rejected", times: 1 }]);
    expect(out).toMatch(
      /^\| 2 \| .+ \(\d{4}-\d\d-\d\dT[\d:.]+Z\) \| .+ \| partial \| 0 \| 0 \| 0 \| board\.rejected \(1\) \|$/m,
    );
    expect(report.state.facts?.projects[0]?.waits).toEqual([{ code: "held", times: 2 }]);
    expect(out).toMatch(
      /^- project-1: 8 posts, 4 issues, 4 skipped, 0 paused; waits: held \(2\); open writes: none; last success /m,
    );
    expect(out).toMatch(/^- State: a file, schema \d+, .+ kB, 6 links$/m);
  });

  it("names writes whose outcome is open", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    stage.story.github.close("acme/app", 1, "completed");
    stage.story.board.failNext({ kind: "answer", status: 500 }, { when: ({ method }) => method === "PATCH" });
    await stage.run(["sync"]);
    const { out } = await reportOf(stage, ["--offline"]);
    expect(out).toContain("; open writes: patch-post UNKNOWN (1); ");
  });

  it("tells the ten last runs, and not more", async () => {
    const stage = await openStage();
    for (let run = 1; run <= 12; run += 1) await stage.run(["sync"]);
    const { report } = await reportOf(stage, ["--offline"]);
    expect(report.state.facts?.runs.map(({ run }) => run)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
  });

  it("reads the state beside a running daemon, and says that it is alive", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    const ledger = openLedger(join(stage.folder, "state.db"), { now: Date.now(), version: "1" });
    await ledger.commit([
      { kind: "beat", sign: { at: Date.now(), who: "daemon, process 99 on host canary" } },
    ]);
    const { code, out, report } = await reportOf(stage, ["--offline"]);
    ledger.close();
    expect(code).toBe(0);
    expect(out).toMatch(/^- Daemon: alive, last sign of life (just now|\d+ seconds ago)$/m);
    expect(out).not.toContain("canary");
    expect(report.state.daemon?.alive).toBe(true);
  });

  it.each([
    [1, "an older", "state.unusable"],
    [999, "a newer", "state.unusable"],
  ])("says that a state of schema %i is %s", async (schema, words, access) => {
    const stage = await openStage();
    await stage.run(["sync"]);
    const database = new Database(join(stage.folder, "state.db"));
    database.pragma(`user_version = ${schema}`);
    database.close();
    const { code, out, report } = await reportOf(stage, ["--offline"]);
    expect(code).toBe(0);
    expect(out).toMatch(
      new RegExp(`^- State: a file of ${words} schema: ${schema}, and this version has \\d+$`, "m"),
    );
    expect(report.state).toMatchObject({ access, schema, facts: null });
  });

  it("names the code of a state that is none", async () => {
    const stage = await openStage();
    mkdirSync(join(stage.folder, "state.db"));
    const { code, out } = await reportOf(stage, ["--offline"]);
    expect(code).toBe(0);
    expect(out).toContain("- State: a file: state.unusable\n");
  });
});

describe("report where something is broken", () => {
  it("needs no config: it says what is wrong, and looks at the state all the same", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    const file = stage.writeConfig("broken.yaml", (config) =>
      config.replace("labels: [feedback]", "lables: [canary]"),
    );
    const { code, out, report } = await reportOf(stage, ["-c", file]);
    expect(code).toBe(0);
    expect(out).toContain("### Config\n\nIt can't be used:\n\n- the config: ");
    expect(out).toMatch(/^- the config: \d+:\d+: projects\[0\]\.issue\.…: unknown key …$/m);
    expect(out).toContain("### Board\n\nIt was not asked: the config can't be read.\n");
    expect(report.state.facts?.runs).toHaveLength(1);
    expect(report.state.facts?.projects).toEqual([]);
    expect(out).not.toMatch(/canary|broken|acme/);
  });

  it("needs neither config nor secrets nor state", async () => {
    const { code, out } = await runCommand(["report"], { env: {}, cwd: makeFolder() });
    expect(code).toBe(0);
    expect(out).toContain("- the config: there is no such file …\n");
    expect(out).toContain("- State: a file: there is none yet\n");
    expect(out).toContain("- Secrets: not set: BOARD_API_KEY, ");
  });

  it("says which secret keeps it from asking", async () => {
    const stage = await openStage();
    const keyFile = join(stage.folder, "canary-key");
    writeFileSync(keyFile, `${stage.story.board.key}\n`);
    const env = { BOARD_API_KEY: undefined, BOARD_API_KEY_FILE: keyFile, GITHUB_TOKEN: undefined };
    const { out } = await reportOf(stage, [], env);
    expect(out).toContain("- Secrets: set by a file: BOARD_API_KEY; not set: GITHUB_TOKEN, ");
    expect(out).toContain("The key is accepted");
    expect(out).toContain("### GitHub\n\nIt was not asked: a secret of GitHub is not set.\n");
    const unusable = await reportOf(stage, [], { BOARD_API_KEY: "can ary", GITHUB_TOKEN: "x y" });
    expect(unusable.out).toContain("### Board\n\nIt was not asked: the board's key can't be used.\n");
    expect(unusable.out).not.toMatch(/can ary|x y/);
  });

  it("says that the environment keeps it from asking: a proxy that is none", async () => {
    const { code, out } = await reportOf(await openStage(), [], { HTTPS_PROXY: "::bad" });
    expect(code).toBe(0);
    expect(out.match(/^It was not asked: a setting of the environment is wrong\.$/gm)).toHaveLength(2);
  });

  it.each([
    [
      "a wrong key",
      { BOARD_API_KEY: "canary-wrong-key", GITHUB_TOKEN: "canary-wrong-token" },
      "unauthorized",
    ],
  ])("with %s has the code", async (_, env, fault) => {
    const { code, out, report } = await reportOf(await openStage(), [], env);
    expect(code).toBe(0);
    expect(out.match(/^It could not be asked: `(board|tracker)\.(\w+)`\.$/gm)).toHaveLength(2);
    expect(report.board.access).toBe(`board.${fault}`);
    expect(report.tracker.access).toBe(`tracker.${fault}`);
  });

  it("has the code of a board that can't be reached", async () => {
    const stage = await openStage();
    const file = stage.writeConfig("dead.yaml", (config) =>
      config.replace(/url: \S+\/api\/v1/, `url: ${deadUrl}\n  retries: 0`),
    );
    const { code, out } = await reportOf(stage, ["-c", file]);
    expect(code).toBe(0);
    expect(out).toContain("### Board\n\nIt could not be asked: `board.unreachable`.\n");
    expect(out).toContain("The account can be read.");
  });

  it("has the keys that were seen where no list is recognised, and none that is no name", async () => {
    const stage = await openStage();
    const { board } = stage.story;
    const answer = {
      rows: { list: ["Canary"], jane: 1 },
      "Jane <jane>": 1,
      page_info: { total: 3 },
    };
    const isList = ({ path }: { path: string }): boolean => path === "/feedback";
    board.failNext({ kind: "answer", status: 200, body: answer }, { when: isList, times: 4 });
    const { out, report } = await reportOf(stage);
    expect(out).toContain(
      "- project-1: the list was not read (`board.unreadable`); 0 posts\n  - no list was recognised\n",
    );
    expect(report.board.lists[0]?.envelope).toEqual([
      "rows",
      "rows.list",
      "key-1",
      "page_info",
      "page_info.total",
    ]);
    expect(out).not.toMatch(/jane|canary/i);
  });

  it("says that the board has no such project", async () => {
    const stage = await openStage();
    const file = stage.writeConfig("other.yaml", (config) =>
      config.replace("project: acme-api", "project: canary"),
    );
    const { out } = await reportOf(stage, ["-c", file]);
    expect(out).toContain("- project-2: the list was not read (`board.project`); 0 posts\n");
    expect(out).not.toContain("canary");
  });

  it("looks at a long list for twenty pages", async () => {
    const stage = await openStage();
    stage.story.board.restyle({ paging: { kind: "cursor", name: "nextCursor" }, pageSize: 1 });
    for (let post = 0; post < 30; post += 1) stage.story.board.addPost("acme-app");
    const { report, out } = await reportOf(stage);
    expect(report.board.lists[0]).toMatchObject({
      end: "stopped",
      posts: 20,
      pages: [1, 1, 1, 1, 1],
      furtherPages: 15,
    });
    expect(out).toContain(
      "- project-1: the list was read for as many pages as a report needs; 20 posts, page by page 1, 1, 1, 1, 1 and 15 more\n",
    );
  });
});

describe("what a report tells of people", () => {
  const people = {
    authorName: "Canary Person",
    authorEmail: "canary@private.example",
    internalNote: "a canary note",
  };

  /** A config in which whatever has a name is a canary; `acme` is one already. */
  function writeCanaries(stage: Stage): string {
    return stage.writeConfig("canary.yaml", (config) =>
      config
        .replace(/( {2}url: \S+\/api\/v1\n)/, "$1  retries: 0\n")
        .replace(
          "issue: { labels: [feedback] }",
          `issue:
      labels: [canary-label]
      title: "Canary: {{ post.title }}"
      body: "From canary {{ post.votes }} {{ post.description }}"
      categoryLabels: { canary-category: canary-area }
      milestone: Canary 1.0
      postUrl: "https://canary.example/p/{{ post.id }}"
    boardRules:
      - when: { category: canary-category }
        set: { addLabels: [canary-declined], comment: "Canary says no" }`,
        )
        .replace("labels: [in progress]", "labels: [canary-work], milestone: Canary 1.0")
        .replace(/tracker:\n/, "tracker:\n  trustedAuthors: [canary-bot]\n")
        .concat('heartbeat: "http://127.0.0.1:9/canary"\nnotices: { url: "http://127.0.0.1:9/canary" }\n'),
    );
  }

  it("is nothing: no name, address, text, key or token, whatever the board says", async () => {
    const stage = await openStage();
    const { board, github } = stage.story;
    const file = writeCanaries(stage);
    for (const { id } of board.posts("acme-app"))
      board.editPost("acme-app", id, { ...people, title: "Canary title", description: "Canary text" });
    board.editPost("acme-app", "p1", { status: "canary@private.example", categoryId: "canary-category" });
    const ran: Ran[] = [];
    const report = async (env: Readonly<Record<string, string>> = {}): Promise<void> => {
      for (const form of [[], ["--json"]])
        ran.push(await stage.run(["report", "-c", file, ...form], { env }));
    };
    await report();
    await stage.run(["sync", "-c", file]);
    const gossip = { error: `Canary Person (${board.key}) may not`, people };
    for (const [number, status] of [
      [1, 422],
      [2, 500],
    ] as const) {
      github.close("acme/app", number, "completed");
      board.failNext({ kind: "answer", status, body: gossip }, { when: ({ method }) => method === "PATCH" });
      await stage.run(["sync", "-c", file]);
    }
    await report();
    for (const status of [200, 401, 404, 429, 500]) {
      board.failNext(
        { kind: "answer", status, body: gossip },
        { when: ({ path }) => path === "/feedback", times: 2 },
      );
      const echo = { message: `Canary: ${github.token}` };
      github.failNext({ answer: { kind: "answer", status: 403, body: echo }, times: 2 });
      await report();
    }
    await report({ BOARDSYNC_STATE: "/home/canary/canary.db" });
    await report({ BOARDSYNC_STATE_URL: "postgres://canary:canary-password@127.0.0.1:9/canary" });
    expect(ran.map(({ code }) => code)).toEqual(ran.map(() => 0));
    expect(readFileSync(file, "utf8").match(/canary/gi)?.length).toBeGreaterThanOrEqual(15);
    const texts = ran.flatMap(({ out, err }) => [out, err]);
    for (const secret of ["canary", "acme", "private.example", board.key, github.token, stage.folder]) {
      for (const text of texts) expect(text.toLowerCase()).not.toContain(secret.toLowerCase());
    }
    expect(texts.join("\n")).toContain("parked board.rejected");
    expect(texts.join("\n")).toContain("patch-post UNKNOWN");
    expect(texts.join("\n")).toContain("state.unreachable");
  });
});

describe("a printed report", () => {
  it("has all facts of the JSON", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    const { out, report } = await reportOf(stage);
    const printed = createOutput();
    printBugReport(printed, report);
    expect(printed.text().replaceAll(/(\d+ \w+ ago|just now)/g, "")).toBe(
      out.replaceAll(/(\d+ \w+ ago|just now)/g, ""),
    );
  });

  it("commands no terminal, and keeps each fact on its line", async () => {
    const { report } = await reportOf(await openStage(), ["--offline"]);
    const hostile = "\u001b[2J\u0007\n### Board";
    const list: ListFacts = {
      ...{
        project: hostile,
        end: hostile,
        posts: 1,
        pages: [1],
        furtherPages: 0,
        items: hostile,
        id: hostile,
      },
      ...{ paging: hostile, found: hostile, signs: [hostile], headers: [hostile], envelope: [hostile] },
      ...{ keys: [{ name: hostile, types: hostile }], furtherKeys: 0, fields: [hostile], unusable: 0 },
      statuses: [{ status: hostile, posts: 1 }],
    };
    const output = createOutput();
    printBugReport(output, { ...report, board: { access: "ok", projects: 1, lists: [list] } });
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
    expect(output.text()).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
    expect(output.text().match(/^### Board$/gm)).toHaveLength(1);
  });
});

it("says that .env can't be read, and not why the rest is missing", async () => {
  const stage = await openStage();
  writeFileSync(join(stage.folder, ".env"), Buffer.from([0xff, 0xfe, 0x00]));
  chmodSync(join(stage.folder, ".env"), 0o600);
  const { code, out } = await reportOf(stage);
  expect(code).toBe(0);
  expect(out).toContain("It can't be used:\n\n- .env can't be read\n");
});
