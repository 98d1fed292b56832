/** @module-tag long */
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { openLedger } from "../../../src/ledger/sqlite/sqlite.ts";
import { deadUrl, makeFolder, openStage, type Ran, runCommand, type Stage } from "../stage.ts";

/** What these tests look at in a report. */
interface Report {
  readonly config: { readonly problems?: readonly string[]; readonly projects?: readonly unknown[] };
  readonly secrets: Readonly<Record<string, readonly string[]>>;
  readonly board: { readonly access: string; readonly projects?: number; readonly lists?: readonly List[] };
  readonly tracker: { readonly access: string };
  readonly state: {
    readonly access: string;
    readonly runs?: readonly { readonly run: number; readonly errors: readonly string[] }[];
    readonly projects?: readonly {
      readonly waits: readonly string[];
      readonly openWrites: readonly string[];
    }[];
  };
}

interface List {
  readonly around: readonly string[];
  readonly keys: readonly string[];
}

/** The report as a person gets it, and what its YAML holds: the same as `--json` prints. */
async function reportOf(
  stage: Stage,
  args: readonly string[] = [],
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<Ran & { readonly report: Report }> {
  const ran = await stage.run(["report", ...args], { env });
  const [, yaml = ""] = /^### boardsync 1\.2\.3\n\n```yaml\n(.*)```\n$/s.exec(ran.out) ?? [];
  return { ...ran, report: parse(yaml) as Report };
}

const offline = { access: "not asked: --offline" };

describe("report", () => {
  it("before any run says what it runs on, how it is configured, and what the lists look like", async () => {
    const stage = await openStage();
    const { code, out, err, report } = await reportOf(stage);
    expect(code).toBe(0);
    expect(report).toMatchObject({
      versions: { boardsync: "1.2.3", node: expect.any(String), sqlite: expect.stringMatching(/^3\./) },
      config: { projects: [{ project: "project-1", repo: "repo-1/repo-2" }, { project: "project-2" }] },
      secrets: { set: ["BOARD_API_KEY", "GITHUB_TOKEN"] },
      board: { access: "ok", projects: 2 },
      tracker: { access: "ok" },
      state: { kind: "file", access: "there is none yet" },
    });
    expect(report.board.lists?.[0]).toMatchObject({
      ...{ project: "project-1", end: "complete", pages: "1, the first ones with 8", unusable: 0 },
      ...{ items: "feedback", id: "id", paging: "cursor", around: ["feedback", "nextCursor"] },
      keys: expect.arrayContaining(["author: object", "roadmapColumn: string or null", "votes: number"]),
      statuses: ["planned (4)", "open (3)", "completed (1)"],
    });
    expect(out.split("\n").length).toBeLessThan(160);
    expect(err).toMatch(/^Names, addresses, .+ Read it before you paste it where others can\.\n$/);
  });

  it("as JSON says the same", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    const { report } = await reportOf(stage);
    expect((await stage.run(["report", "--json"])).json()).toEqual(report);
  });

  it("asks by GET alone, and with --offline not at all", async () => {
    const stage = await openStage();
    const { board, github } = stage.story;
    await stage.run(["report"]);
    const asked = [...board.requests, ...github.requests];
    expect(new Set(asked.map(({ method }) => method))).toEqual(new Set(["GET"]));
    const { code, report } = await reportOf(stage, ["--offline"]);
    expect(code).toBe(0);
    expect([...board.requests, ...github.requests]).toHaveLength(asked.length);
    expect([report.board, report.tracker]).toEqual([offline, offline]);
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
    expect(parked.report.state.projects?.[0]).toMatchObject({
      waits: ["parked board.rejected (1)"],
      openWrites: [],
    });
    const file = stage.writeConfig("guarded.yaml", (config) => `${config}guard: { statuses: 0 }\n`);
    github.close("acme/app", 2, "completed");
    await stage.run(["sync", "-c", file]);
    const { report } = await reportOf(stage, ["-c", file]);
    expect(report.state).toMatchObject({
      ...{ kind: "file", access: "ok", links: 6, schema: expect.any(Number) },
      runs: [
        { run: 3, result: "held", created: 0 },
        { run: 2, result: "partial", created: 0, errors: ["board.rejected (1)"] },
        { run: 1, result: "ok", created: 6 },
      ],
      projects: [
        { project: "project-1", posts: 8, issues: 4, skipped: 4, paused: 0, waits: ["held (2)"] },
        { project: "project-2" },
      ],
    });
  });

  it("names writes whose outcome is open", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    stage.story.github.close("acme/app", 1, "completed");
    stage.story.board.failNext({ kind: "answer", status: 500 }, { when: ({ method }) => method === "PATCH" });
    await stage.run(["sync"]);
    const { report } = await reportOf(stage, ["--offline"]);
    expect(report.state.projects?.[0]?.openWrites).toEqual(["patch-post UNKNOWN (1)"]);
  });

  it("tells the ten last runs, and not more", async () => {
    const stage = await openStage();
    for (let run = 1; run <= 12; run += 1) await stage.run(["sync"]);
    const { report } = await reportOf(stage, ["--offline"]);
    expect(report.state.runs?.map(({ run }) => run)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3]);
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
    expect(out).not.toContain("canary");
    expect(report.state).toMatchObject({ daemon: { alive: true } });
  });

  it.each([0, 999])("names the schema of a state that it can't read: %i", async (schema) => {
    const stage = await openStage();
    await stage.run(["sync"]);
    const database = new Database(join(stage.folder, "state.db"));
    database.pragma(`user_version = ${schema}`);
    database.close();
    const { code, report } = await reportOf(stage, ["--offline"]);
    expect(code).toBe(0);
    expect(report.state).toEqual({ kind: "file", access: "state.unusable", schema });
  });

  it("names the code of a state that is none", async () => {
    const stage = await openStage();
    mkdirSync(join(stage.folder, "state.db"));
    const { code, report } = await reportOf(stage, ["--offline"]);
    expect(code).toBe(0);
    expect(report.state).toMatchObject({ kind: "file", access: "state.unusable" });
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
    expect(report.config.problems).toEqual([
      expect.stringMatching(/^the config: \d+:\d+: projects\[0\]\.issue\.…: unknown key …$/),
    ]);
    expect(report.board).toEqual({ access: "not asked: the config can't be read" });
    expect(report.state.runs).toHaveLength(1);
    expect(report.state.projects).toEqual([]);
    expect(out).not.toMatch(/canary|broken|acme/);
  });

  it("needs neither config nor secrets nor state", async () => {
    const { code, out } = await runCommand(["report"], { env: {}, cwd: makeFolder() });
    expect(code).toBe(0);
    expect(out).toContain('config: { problems: [ "the config: there is no such file …" ] }\n');
    expect(out).toContain("state: { kind: file, access: there is none yet }\n");
  });

  it("says which secret keeps it from asking", async () => {
    const stage = await openStage();
    const keyFile = join(stage.folder, "canary-key");
    writeFileSync(keyFile, `${stage.story.board.key}\n`);
    const env = { BOARD_API_KEY: undefined, BOARD_API_KEY_FILE: keyFile, GITHUB_TOKEN: undefined };
    const { report } = await reportOf(stage, [], env);
    expect(report.secrets).toMatchObject({ "set by a file": ["BOARD_API_KEY"] });
    expect(report.secrets["not set"]).toContain("GITHUB_TOKEN");
    expect(report.board.access).toBe("ok");
    expect(report.tracker.access).toBe("not asked: its secret is not set");
    const unusable = await reportOf(stage, [], { BOARD_API_KEY: "can ary", GITHUB_TOKEN: "x y" });
    expect(unusable.report.board.access).toBe("not asked: its secret can't be used");
    expect(unusable.out).not.toMatch(/can ary|x y/);
  });

  it("says that the environment keeps it from asking: a proxy that is none", async () => {
    const { code, report } = await reportOf(await openStage(), [], { HTTPS_PROXY: "::bad" });
    expect(code).toBe(0);
    const wrong = { access: "not asked: a setting of the environment is wrong" };
    expect([report.board, report.tracker]).toEqual([wrong, wrong]);
  });

  it.each([
    [
      "a wrong key",
      { BOARD_API_KEY: "canary-wrong-key", GITHUB_TOKEN: "canary-wrong-token" },
      "unauthorized",
    ],
  ])("with %s has the code", async (_, env, fault) => {
    const { code, report } = await reportOf(await openStage(), [], env);
    expect(code).toBe(0);
    expect(report.board.access).toBe(`board.${fault}`);
    expect(report.tracker.access).toBe(`tracker.${fault}`);
  });

  it("has the code of a board that can't be reached", async () => {
    const stage = await openStage();
    const file = stage.writeConfig("dead.yaml", (config) =>
      config.replace(/url: \S+\/api\/v1/, `url: ${deadUrl}\n  retries: 0`),
    );
    const { code, report } = await reportOf(stage, ["-c", file]);
    expect(code).toBe(0);
    expect([report.board.access, report.tracker.access]).toEqual(["board.unreachable", "ok"]);
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
    expect(report.board.lists?.[0]).toMatchObject({
      end: "board.unreadable",
      around: ["rows", "rows.list", "key-1", "page_info", "page_info.total"],
    });
    expect(out).not.toMatch(/jane|canary/i);
  });

  it("says that the board has no such project", async () => {
    const stage = await openStage();
    const file = stage.writeConfig("other.yaml", (config) =>
      config.replace("project: acme-api", "project: canary"),
    );
    const { out, report } = await reportOf(stage, ["-c", file]);
    expect(report.board.lists?.[1]).toEqual({ project: "project-2", end: "board.project" });
    expect(out).not.toContain("canary");
  });

  it("looks at a long list for twenty pages", async () => {
    const stage = await openStage();
    stage.story.board.restyle({ paging: { kind: "cursor", name: "nextCursor" }, pageSize: 1 });
    for (let post = 0; post < 30; post += 1) stage.story.board.addPost("acme-app");
    const { report } = await reportOf(stage);
    expect(report.board.lists?.[0]).toMatchObject({
      end: "stopped",
      pages: "20, the first ones with 1, 1, 1, 1, 1",
    });
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

it("says that .env can't be read, and not why the rest is missing", async () => {
  const stage = await openStage();
  writeFileSync(join(stage.folder, ".env"), Buffer.from([0xff, 0xfe, 0x00]));
  chmodSync(join(stage.folder, ".env"), 0o600);
  const { code, report } = await reportOf(stage);
  expect(code).toBe(0);
  expect(report.config).toEqual({ problems: [".env can't be read"] });
});
