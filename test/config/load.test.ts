import { describe, expect, it } from "vitest";
import { loadConfig, loadConfigAndSecrets } from "../../src/config/load.ts";
import { locateState } from "../../src/config/place.ts";
import {
  everything,
  failure,
  load,
  problemsIn,
  problemsOf,
  readTextFrom,
  smallest,
  sourceOf,
  withProject,
} from "./support.ts";

describe("a config that is fine", () => {
  it("has rules below one that always matches, where they set something else, and `reason: other` in a list", () => {
    const rules =
      "rules:\n  - set: { status: a }\n  - { when: { reason: [not_planned, other] }, set: { onRoadmap: false, status: b } }";
    expect(load(withProject(rules)).projects[0]?.rules).toHaveLength(2);
  });

  it("has every default of the documentation when it says the least", () => {
    expect(load(smallest())).toEqual({
      board: {
        url: "https://board.example/api/v1",
        allowInsecure: false,
        timeout: 30_000,
        retries: 3,
        concurrency: 4,
        maxBytes: 268_435_456,
        formerUrls: [],
      },
      tracker: {
        kind: "github",
        url: "https://api.github.com",
        allowInsecure: false,
        timeout: 20_000,
        pace: { minIntervalMs: 1000, createsPerMinute: 20, createsPerHour: 150, writesPerHour: 450 },
        trustedAuthors: [],
      },
      state: "data/boardsync.db",
      lease: 30_000,
      schedule: "*/5 * * * *",
      timezone: "UTC",
      settle: 0,
      fullEvery: 6 * 3_600_000,
      waits: { create: 15 * 60_000, patch: 2 * 60_000 },
      guard: { issues: 50, statuses: 25, flips: 3 },
      budget: 10 * 60_000,
      http: { host: "127.0.0.1", port: 8787, orders: true },
      keep: 180 * 86_400_000,
      projects: [
        {
          project: "app",
          repo: "acme/app",
          writes: "all",
          select: {},
          route: [],
          issue: {
            title: "{{ post.title }}",
            body: "{{ post.description }}",
            labels: [],
            categoryLabels: {},
            assignees: [],
          },
          content: "follow",
          whenNoRule: "restore",
          conflict: "tracker",
          several: "all",
          followDuplicates: true,
          backlink: false,
        },
      ],
    });
  });

  it("takes every setting, with single values made lists and times made exact", () => {
    const config = load(everything);
    expect(config.board.url).toBe("https://feedback.example.com/api/v1");
    const [project] = config.projects;
    expect(project?.select).toMatchObject({
      categories: ["cat_1"],
      createdAfter: "2026-01-01T00:00:00.000Z",
    });
    expect(project?.rules?.map(({ when }) => when)).toEqual([
      { state: "closed", reason: ["completed"] },
      { state: "closed", reason: ["not_planned", "duplicate"] },
      { state: "open", labels: ["in progress"] },
      {
        anyLabel: ["beta"],
        noLabel: ["wip", "blocked"],
        assigned: true,
        milestoneState: "open",
        type: "Bug",
      },
      { milestone: "any" },
    ]);
    expect(project?.rules?.[3]?.set).toEqual({
      roadmapOrder: 1.5,
      isReviewed: true,
      isArchived: false,
      categoryId: null,
    });
    expect(project).toMatchObject({
      conflict: { status: "hold" },
      schedule: "*/2 * * * *",
      followDuplicates: false,
    });
  });

  it("may be JSON", () => {
    const json = {
      board: { url: "https://b.example" },
      projects: [{ project: "p", repo: "o/r" }],
      settle: "2h",
    };
    expect(load(JSON.stringify(json)).settle).toBe(7_200_000);
  });

  it.each([
    ["https://Board.Example:443/api/v1//", "https://board.example/api/v1"],
    ["http://localhost:3000/", "http://localhost:3000"],
    ["http://board.localhost:3000/a", "http://board.localhost:3000/a"],
    ["http://127.1.2.3:80/a/", "http://127.1.2.3/a"],
    ["http://[::1]:8080/a", "http://[::1]:8080/a"],
  ])("reads the board's address %s as %s", (written, read) => {
    expect(load(`board: { url: "${written}" }\nprojects: [{ project: p, repo: o/r }]`).board.url).toBe(read);
  });

  it("may use plain http to another machine where that is asked for", () => {
    const text =
      "board: { url: http://board.lan/v1, allowInsecure: true }\nprojects: [{ project: p, repo: o/r }]";
    expect(load(text).board.url).toBe("http://board.lan/v1");
  });

  it.each([
    ["0s", 0],
    ["30s", 30_000],
    ["5m", 300_000],
    ["2h", 7_200_000],
    ["1d", 86_400_000],
  ])("reads the duration %s as %i ms", (written, ms) => {
    expect(load(smallest(`settle: ${written}`)).settle).toBe(ms);
  });

  it.each([
    ["2026-02-28", "2026-02-28T00:00:00.000Z"],
    ["2026-02-28T09:00:00Z", "2026-02-28T09:00:00.000Z"],
    ["2026-02-28T09:00:00+01:00", "2026-02-28T08:00:00.000Z"],
    ["2026-02-28T09:00:00", "2026-02-28T09:00:00.000Z"],
    ["2026-02-28T09:00", "2026-02-28T09:00:00.000Z"],
  ])("reads the time %s as %s", (written, read) => {
    expect(load(withProject(`select: { createdAfter: ${written} }`)).projects[0]?.select.createdAfter).toBe(
      read,
    );
  });

  it("may turn the HTTP server off", () => {
    expect(load(smallest("http: false"), { BOARDSYNC_HTTP_HOST: "0.0.0.0" }).http).toBe(false);
  });

  it("may end its rules with one that always matches", () => {
    const text = withProject(
      "rules:\n  - when: { state: closed }\n    set: { status: a }\n  - set: { status: b }",
    );
    expect(load(text).projects[0]?.rules?.[1]).toEqual({ set: { status: "b" } });
  });

  it("may share its rules among hundreds of projects by an alias", () => {
    const projects = Array.from(
      { length: 400 },
      (_, index) => `  - { project: p${index}, repo: o/r, rules: *usual }`,
    );
    const first =
      "  - { project: first, repo: o/r, rules: &usual [{ when: { state: closed }, set: { status: done } }] }";
    const config = load(["board: { url: https://b.example }", "projects:", first, ...projects].join("\n"));
    expect(config.projects.at(-1)?.rules).toEqual(config.projects[0]?.rules);
  });

  it("keeps a category that is called like a part of every object", () => {
    const text = withProject(
      "issue: { categoryLabels: { constructor: a, toString: b } }\nroute: [{ label: b, repo: o/r }]",
    );
    expect(load(text).projects[0]?.issue.categoryLabels).toEqual({ constructor: "a", toString: "b" });
  });
});

describe("where the config is found", () => {
  const files = {
    "a.yaml": smallest("settle: 1s"),
    "b.yaml": smallest("settle: 2s"),
    "config/boardsync.yaml": smallest("settle: 3s"),
  };
  it.each([
    ["a.yaml", { BOARDSYNC_CONFIG: "b.yaml" }, "a.yaml", 1000],
    [undefined, { BOARDSYNC_CONFIG: "b.yaml" }, "b.yaml", 2000],
    [undefined, { BOARDSYNC_CONFIG: "" }, "config/boardsync.yaml", 3000],
    [undefined, {}, "config/boardsync.yaml", 3000],
    ["/home/me/a.yaml", {}, "/home/me/a.yaml", 1000],
  ])("with --config %s and the environment %o it is %s", (file, environment, found, settle) => {
    const loaded = loadConfig(sourceOf("", { file, environment, readText: readTextFrom(files) }));
    expect(loaded.file).toBe(found);
    expect(loaded.config.settle).toBe(settle);
  });

  it("says how to name another one when there is none", () => {
    expect(
      problemsOf(() => loadConfig(sourceOf("", { file: undefined, readText: readTextFrom({}) }))),
    ).toEqual([
      "config/boardsync.yaml: there is no such file (/home/me/config/boardsync.yaml). Name the config with --config FILE or with BOARDSYNC_CONFIG, or put it at config/boardsync.yaml; `boardsync init` writes one from what your board shows",
    ]);
  });

  it.each([
    ["EACCES", "this user may not read it"],
    ["EISDIR", "it is a directory"],
    ["EFBIG", "it is larger than 1 MiB"],
    ["ERR_ENCODING_INVALID_ENCODED_DATA", "it is not UTF-8 text"],
    ["EIO", "it can't be read (EIO)"],
  ])("says why it can't be read: %s", (code, reason) => {
    const readText = readTextFrom({ "c.yaml": failure(code) });
    expect(problemsOf(() => loadConfig(sourceOf("", { readText })))).toEqual([`c.yaml: ${reason}`]);
  });
});

describe("what the environment overrides", () => {
  it("is the state file and the host of the HTTP server", () => {
    const config = load(smallest("state: a.db\nhttp: { host: localhost, port: 1 }"), {
      BOARDSYNC_STATE: "/data/b.db",
      BOARDSYNC_HTTP_HOST: "0.0.0.0",
    });
    expect(config.state).toBe("/data/b.db");
    expect(config.http).toEqual({ host: "0.0.0.0", port: 1, orders: true });
  });

  it.each([
    ["the URL of a server", { BOARDSYNC_STATE_URL: "postgres://me:key@db/state?sslmode=verify-full" }],
    ["the file that holds it", { BOARDSYNC_STATE_URL_FILE: "url" }],
  ])("is the state, by %s", (_, environment) => {
    const url = "postgres://me:key@db/state?sslmode=verify-full";
    const readText = readTextFrom({ "c.yaml": smallest("state: a.db"), url: `${url}\n` });
    expect(loadConfig(sourceOf("", { environment, readText })).config.state).toBe(url);
  });

  it.each([
    [
      { BOARDSYNC_STATE_URL: "mysql://me:key@db/state" },
      "BOARDSYNC_STATE_URL: that is no URL of PostgreSQL, as postgres://user:password@host:5432/database",
    ],
    [
      { BOARDSYNC_STATE: '"/data/boardsync.db"' },
      "BOARDSYNC_STATE: the value stands in quotes; leave them out",
    ],
    [
      { BOARDSYNC_STATE: "~/boardsync.db" },
      "BOARDSYNC_STATE begins with `~` or `$`, which only a shell puts in: write the whole name",
    ],
    ...(
      [
        ["pa%ss", "it holds a % that stands for itself: write % as %25"],
        ["1%E4ss", "it holds a % that stands for itself: write % as %25"],
        ["pa/ss", "the user name or password holds /: write / as %2F"],
        ["1/ss", "the user name or password holds /: write / as %2F"],
        ["pa#ss", "the user name or password holds #: write # as %23"],
        ["1?ss", "the user name or password holds ?: write ? as %3F"],
        ["pa@ss", "the user name or password holds @: write @ as %40"],
      ] as const
    ).flatMap(([password, fault]) =>
      ["BOARDSYNC_STATE_URL", "BOARDSYNC_STATE"].map((name): [Record<string, string>, string] => [
        { [name]: `postgres://me:${password}@db:5432/state` },
        `${name}: ${fault}`,
      ]),
    ),
  ])("is refused as a state where it is %j", (environment, problem) => {
    expect(problemsIn(smallest(), { environment })).toEqual([problem]);
  });

  it("is judged together with the config", () => {
    const environment = { BOARDSYNC_STATE_URL: "postgres://me:pa%ss@db/state" };
    expect(problemsIn(smallest("state: postgres://me:1/key@db/state"), { environment })).toEqual([
      expect.stringContaining("state: holds a password, which has no place in a config"),
      "BOARDSYNC_STATE_URL: it holds a % that stands for itself: write % as %25",
    ]);
  });

  it("is refused where the config names a server and the variable a file, as it does in the image", () => {
    const environment = { BOARDSYNC_STATE: "/data/boardsync.db" };
    expect(problemsIn(smallest("state: postgres://db/state"), { environment })).toEqual([
      expect.stringContaining("names a PostgreSQL server, and BOARDSYNC_STATE the file /data/boardsync.db"),
    ]);
  });

  it("is checked together with the file", () => {
    expect(problemsIn("{}", { environment: { BOARDSYNC_HTTP_HOST: "a b" } })).toEqual([
      "1:1: board: is missing",
      "1:1: projects: is missing",
      "BOARDSYNC_HTTP_HOST must be a host name or an address such as `127.0.0.1`",
    ]);
  });
});

describe("config and secrets together", () => {
  const environment = { BOARD_API_KEY: "key-1", GITHUB_TOKEN: "token-1", BOARDSYNC_HTTP_TOKEN: "page-1" };

  it("are loaded in one step", () => {
    const loaded = loadConfigAndSecrets(sourceOf(smallest(), { environment }));
    expect(loaded.secrets).toEqual({
      boardApiKey: "key-1",
      github: { kind: "token", token: "token-1" },
      http: { webhook: undefined, token: "page-1", readToken: undefined },
      all: ["key-1", "token-1", "page-1"],
    });
    expect(loaded.config.projects).toHaveLength(1);
  });

  it("report what is wrong with both at once", () => {
    expect(problemsOf(() => loadConfigAndSecrets(sourceOf(smallest("guard: { flips: -1 }"))))).toEqual([
      "c.yaml:3:17: guard.flips: must be at least 0",
      expect.stringMatching(/^BOARD_API_KEY is not set/),
      expect.stringMatching(/^GITHUB_TOKEN is not set/),
    ]);
  });

  it("fail for what is wrong with one of them", () => {
    expect(problemsOf(() => loadConfigAndSecrets(sourceOf("{}", { environment })))).toHaveLength(2);
    expect(problemsOf(() => loadConfigAndSecrets(sourceOf(smallest())))).toHaveLength(2);
  });
});

describe("the state file, for a command that needs no config", () => {
  it.each([
    ["what BOARDSYNC_STATE names", "state: a.db", { BOARDSYNC_STATE: "b.db" }, "b.db"],
    [
      "what BOARDSYNC_STATE_URL names",
      "state: a.db",
      { BOARDSYNC_STATE_URL: "postgres://me:key@db/a", BOARDSYNC_STATE: "b.db" },
      "postgres://me:key@db/a",
    ],
    ["what the config says", smallest("state: a.db"), {}, "a.db"],
    ["what a config with mistakes says", "state: a.db\nlables: 1", {}, "a.db"],
    ["the default where the config says nothing", smallest(), {}, "data/boardsync.db"],
    ["the default where the config says nonsense", "state: [1]", {}, "data/boardsync.db"],
    ["the default where the config is no YAML", "state: 'a.db", {}, "data/boardsync.db"],
  ])("is %s", async (_, text, environment, state) => {
    expect(await locateState(sourceOf(text, { environment }))).toBe(state);
  });

  it("is the default where there is no config", async () => {
    expect(await locateState(sourceOf("", { file: "none.yaml" }))).toBe("data/boardsync.db");
  });
});
