import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { buildWorld, connectSides, type Machine, syncProjects } from "../src/app.ts";
import { loadConfigAndSecrets } from "../src/config/load.ts";
import type { Config } from "../src/config/schema.ts";
import type { Secrets } from "../src/config/secrets.ts";
import type { Ledger } from "../src/ledger/ledger.ts";
import { openLedger } from "../src/ledger/sqlite/sqlite.ts";
import type { PostId, ProjectId } from "../src/model/post.ts";
import type { ReadBounds } from "../src/model/surroundings.ts";
import { defaultRules } from "../src/plan/rules/rules.ts";
import { boardHash } from "../src/plan/text/marker.ts";
import { createDeadlines } from "./support/deadlines.ts";
import { type Story, startStory } from "./support/sandbox/story.ts";
import { until } from "./support/until.ts";

const bounds: ReadBounds = { until: Number.MAX_SAFE_INTEGER, signal: new AbortController().signal };

function load(text: string): { readonly config: Config; readonly secrets: Secrets } {
  const environment = {
    BOARD_API_KEY: "demo-board-key-0123456789",
    GITHUB_TOKEN: "demo-github-token-0123456789",
  };
  return loadConfigAndSecrets({ file: "test.yaml", environment, cwd: "/", readText: () => text });
}

function createMachine(environment: Machine["environment"] = {}): Machine {
  const silent = (): void => undefined;
  return {
    clock: { now: () => Date.now(), sleep: () => Promise.resolve() },
    random: () => 0,
    log: { debug: silent, info: silent, warn: silent, error: silent },
    version: "9.8.7",
    environment,
  };
}

async function openStory(): Promise<Story> {
  const story = await startStory({ now: Date.now });
  onTestFinished(() => story.close());
  return story;
}

function openState(): Ledger {
  const folder = mkdtempSync(join(tmpdir(), "boardsync-app-"));
  const ledger = openLedger(join(folder, "state.db"), { now: 0, version: "1" });
  onTestFinished(() => {
    ledger.close();
    rmSync(folder, { recursive: true, force: true });
  });
  return ledger;
}

const smallest = `board: { url: "https://feedback.example.com/api/v1" }
projects: [{ project: acme-app, repo: acme/app }]
`;

const everything = `board:
  url: https://feedback.example.com/api/v1
  timeout: 5s
  retries: 0
  concurrency: 7
  formerUrls: [https://old.example.com/api/v1/]
tracker:
  url: https://github.example.com/api/v3
  timeout: 6s
  pace: { minIntervalMs: 1, createsPerMinute: 2, createsPerHour: 3, writesPerHour: 4 }
  trustedAuthors: [old-bot]
settle: 1m
fullEvery: 2h
waits: { create: 3m, patch: 4m }
guard: { issues: 5, statuses: 6, flips: 7 }
budget: 8m
keep: 9d
projects:
  - project: acme-app
    repo: acme/app
    writes: issues
    select:
      statuses: [planned]
      categories: [cat_1]
      reviewed: true
      onRoadmap: true
      minVotes: 5
      archived: true
      createdAfter: 2026-01-01
      olderThan: 14d
      any: [{ statuses: open }]
    route: [{ category: cat_api, repo: acme/api }]
    issue:
      title: "T {{ post.title }}"
      body: "B"
      labels: [feedback]
      categoryLabels: { cat_1: billing }
      assignees: [dana]
      milestone: Backlog
      type: Feature
      postUrl: "https://feedback.example.com/p/{{ post.id }}"
    content: once
    rules:
      - when:
          state: closed
          reason: completed
          labels: a
          anyLabel: [b]
          noLabel: [c]
          assigned: true
          milestone: any
          milestoneState: open
          type: Bug
        set: { status: completed, roadmapColumn: COMPLETED, categoryId: null }
      - set: { status: open }
    whenNoRule: keep
    conflict: hold
    several: any
  - project: acme-web
    repo: acme/web
`;

describe("the settings of the config", () => {
  it("arrive at the planner", () => {
    const [first, second] = syncProjects(load(everything).config);
    expect(first).toEqual({
      key: "acme-app",
      templates: {
        title: "T {{ post.title }}",
        body: "B",
        postUrl: "https://feedback.example.com/p/{{ post.id }}",
      },
      renderer: {
        render: expect.any(Function),
        address: expect.any(Function),
        comment: expect.any(Function),
        dialect: expect.objectContaining({ bodyBytes: 65_535 }),
      },
      periodMs: expect.any(Function),
      settings: {
        repo: "acme/app",
        writes: "issues",
        select: {
          statuses: ["planned"],
          categories: ["cat_1"],
          reviewed: true,
          onRoadmap: true,
          minVotes: 5,
          archived: true,
          olderThan: 1_209_600_000,
          any: [{ statuses: ["open"] }],
          isArchivedDefault: false,
          createdAfter: expect.stringContaining("2026-01-01"),
        },
        route: [{ category: "cat_api", repo: "acme/api" }],
        issue: {
          labels: ["feedback"],
          categoryLabels: { cat_1: "billing" },
          assignees: ["dana"],
          milestone: "Backlog",
          type: "Feature",
        },
        content: "once",
        rules: [
          {
            when: {
              state: "closed",
              reason: ["completed"],
              labels: ["a"],
              anyLabel: ["b"],
              noLabel: ["c"],
              assigned: true,
              milestone: "any",
              milestoneState: "open",
              type: "Bug",
            },
            set: { status: "completed", roadmapColumn: "COMPLETED", categoryId: null },
          },
          { when: {}, set: { status: "open" } },
        ],
        whenNoRule: "keep",
        conflict: "hold",
        several: "any",
        followDuplicates: true,
        boardRules: [],
        backlink: false,
        settleMs: 60_000,
        guard: { issues: 5, statuses: 6, flips: 7 },
      },
    });
    expect(second).toMatchObject({ key: "acme-web", settings: { repo: "acme/web", settleMs: 60_000 } });
  });

  it("arrive at the run", () => {
    const { config, secrets } = load(everything);
    const machine = createMachine();
    const ledger = openState();
    const sides = connectSides(config, secrets, machine);
    const world = buildWorld(config, sides, ledger, machine);
    expect(world.policy).toEqual({
      boardHash: boardHash("https://feedback.example.com/api/v1"),
      boardUrl: "https://feedback.example.com/api/v1",
      fields: expect.any(Object),
      formerBoards: [boardHash("https://old.example.com/api/v1")],
      fullEveryMs: 7_200_000,
      budgetMs: 480_000,
      waits: { createMs: 180_000, patchMs: 240_000 },
      pace: { minIntervalMs: 1, createsPerMinute: 2, createsPerHour: 3, writesPerHour: 4 },
      trackerUrl: config.tracker.url,
      projectKeys: ["acme-app", "acme-web"],
      repositories: ["acme/app", "acme/api", "acme/web"],
      trustedAuthors: ["old-bot"],
      concurrency: 7,
      keepMs: 777_600_000,
    });
    expect(world.ledger).toBe(ledger);
    expect(world.board).toBe(sides.board);
    expect(world.clock).toBe(machine.clock);
  });

  it("have the promised defaults where nothing is said", () => {
    const { config } = load(smallest);
    const [project] = syncProjects(config);
    expect(project?.templates).toEqual({
      title: "{{ post.title }}",
      body: "{{ post.description }}",
      postUrl: undefined,
    });
    expect(project?.settings).toMatchObject({
      writes: "all",
      select: { archived: false, isArchivedDefault: true },
      content: "follow",
      rules: defaultRules(),
      whenNoRule: "restore",
      conflict: "tracker",
      several: "all",
      settleMs: 0,
      guard: { issues: 50, statuses: 25, flips: 3 },
    });
    expect(project?.settings.issue).toEqual({ labels: [], categoryLabels: {}, assignees: [] });
  });

  it("leave archived posts out only where no condition says what is wanted of them", () => {
    const selectOf = (select: string) =>
      syncProjects(load(smallest.replace("acme/app }", `acme/app, select: ${select} }`)).config)[0]?.settings
        .select;
    expect(selectOf("{ minVotes: 2 }")).toEqual({ minVotes: 2, archived: false, isArchivedDefault: true });
    expect(selectOf("{ any: [{ not: { archived: true } }] }")).toEqual({
      any: [{ not: { archived: true } }],
      isArchivedDefault: false,
    });
  });
});

it.each([
  ["https://api.github.com", "https://api.github.com/o/r/issues/1"],
  ["https://github.example.com/api/v3", "https:/\u200B/github.example.com/o/r/issues/1"],
  ["http://127.0.0.1:4101", "http://127.0.0.1:4101/o/r/issues/1"],
  ["http://localhost:4101", "http://localhost:4101/o/r/issues/1"],
  ["http://[::1]:4101", "http://[::1]:4101/o/r/issues/1"],
])("an address on the pages of the tracker at %s is broken where they make links to issues", (url, shown) => {
  const { config } = load(`${smallest}tracker: { url: "${url}" }\n`);
  const [project] = syncProjects(config);
  const description = `${new URL(url).origin}/o/r/issues/1`;
  const post = { id: "p1" as PostId, values: { title: "T", description } };
  const context = { board: "b", project: "p" as ProjectId, posts: [post.id] };
  expect(project?.renderer.render(post, context).block).toBe(shown);
});

describe("the two sides", () => {
  it("get address, secret and version", async () => {
    const story = await openStory();
    const { config, secrets } = load(story.config);
    const { board, tracker } = connectSides(config, secrets, createMachine());
    expect(await board.listProjects(bounds)).toHaveLength(2);
    expect(await tracker.account(bounds)).toMatchObject({ login: "acme-boardsync" });
    expect(story.board.requests[0]?.headers["user-agent"]).toContain("9.8.7");
  });

  it("read the board as `list`, `paging` and `fields` say", async () => {
    const story = await openStory();
    story.board.restyle({
      items: "box.wishes",
      idName: "wish",
      names: { status: "phase" },
      paging: { kind: "none" },
    });
    const text = story.config.replace(
      "tracker:",
      "  list: { items: box.wishes }\n  paging: { kind: none }\n  fields: { id: wish, status: phase }\ntracker:",
    );
    const { config, secrets } = load(text);
    const { board } = connectSides(config, secrets, createMachine());
    const [project] = await board.listProjects(bounds);
    const found = [];
    if (project !== undefined) {
      for await (const page of board.listPosts(project.id, bounds)) found.push(...page.posts);
    }
    expect(found).toHaveLength(8);
    expect(found[0]).toMatchObject({ id: "p1", values: { status: "planned" } });
  });

  it("give up after the timeout, and repeat a read as often as is said", async () => {
    const story = await openStory();
    const text = story.config
      .replace("board:\n", "board:\n  timeout: 1s\n  retries: 1\n")
      .replace("tracker:\n", "tracker:\n  timeout: 1s\n");
    const { config, secrets } = load(text);
    const deadlines = createDeadlines();
    const machine = createMachine();
    const clock = { ...machine.clock, after: deadlines.after };
    const { board, tracker } = connectSides(config, secrets, { ...machine, clock });
    const passEach = async (requests: readonly unknown[], times: number): Promise<void> => {
      for (let asked = 1; asked <= times; asked += 1) {
        await until(() => requests.length === asked);
        deadlines.pass();
      }
    };
    story.board.failNext({ kind: "hang" }, { times: 2 });
    story.github.failNext({ times: 4, answer: { kind: "hang" } });
    const listing = expect(board.listProjects(bounds)).rejects.toMatchObject({ fault: "unreachable" });
    await passEach(story.board.requests, 2);
    await listing;
    expect(story.board.requests).toHaveLength(2);
    const asking = expect(tracker.account(bounds)).rejects.toMatchObject({ fault: "unreachable" });
    await passEach(story.github.requests, 4);
    await asking;
  });
});

/** A proxy that notes what it is asked for and passes it on, by forwarding and by CONNECT. */
async function startProxy(): Promise<{ readonly url: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    const target = new URL(request.url ?? "");
    asked.push(target.host);
    forward(request, target).then(
      async (answer) => {
        response.writeHead(answer.status, { "content-type": "application/json" });
        response.end(await answer.text());
      },
      () => response.writeHead(502).end(),
    );
  });
  server.on("connect", (request, socket, head) => {
    const host = request.url ?? "";
    asked.push(host);
    const { hostname, port } = new URL(`http://${host}`);
    const upstream = connect(Number(port), hostname, () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on("error", () => socket.destroy());
    socket.on("error", () => upstream.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    return new Promise((resolve) => void server.close(() => resolve()));
  });
  // A server that listens on a host and port always has an address with a port.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, asked };
}

function forward(request: IncomingMessage, target: URL): Promise<Response> {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (!/^(?:host|connection|proxy-connection|keep-alive|accept-encoding)$/.test(name))
      headers.set(name, String(value));
  }
  return fetch(target, { headers });
}

describe("proxies", () => {
  it.each([
    ["HTTP_PROXY", "HTTP_PROXY"],
    ["http_proxy", "http_proxy"],
  ])("%s is honoured for both sides", async (_, name) => {
    const [story, proxy] = [await openStory(), await startProxy()];
    const { config, secrets } = load(story.config);
    const { board, tracker } = connectSides(config, secrets, createMachine({ [name]: proxy.url }));
    await board.listProjects(bounds);
    await tracker.account(bounds);
    expect(new Set(proxy.asked)).toEqual(
      new Set([new URL(story.board.url).host, new URL(story.github.url).host]),
    );
  });

  it("HTTPS_PROXY is asked for https, on both sides", async () => {
    const proxy = await startProxy();
    const { config, secrets } = load(`board: { url: "https://127.0.0.1:9/api/v1", retries: 0 }
tracker: { url: "https://127.0.0.1:10" }
projects: [{ project: acme-app, repo: acme/app }]
`);
    const { board, tracker } = connectSides(config, secrets, createMachine({ HTTPS_PROXY: proxy.url }));
    await expect(board.listProjects(bounds)).rejects.toMatchObject({ fault: "unreachable" });
    await expect(tracker.account(bounds)).rejects.toMatchObject({ fault: "unreachable" });
    expect(new Set(proxy.asked)).toEqual(new Set(["127.0.0.1:9", "127.0.0.1:10"]));
  });

  it("NO_PROXY goes around them, on both sides", async () => {
    const [story, proxy] = [await openStory(), await startProxy()];
    const { config, secrets } = load(story.config);
    const machine = createMachine({ HTTP_PROXY: proxy.url, NO_PROXY: "example.com,127.0.0.1" });
    const { board, tracker } = connectSides(config, secrets, machine);
    await board.listProjects(bounds);
    await tracker.account(bounds);
    expect(proxy.asked).toEqual([]);
  });

  it("an empty variable is none", async () => {
    const story = await openStory();
    const { config, secrets } = load(story.config);
    const { board } = connectSides(config, secrets, createMachine({ HTTP_PROXY: "", http_proxy: "" }));
    expect(await board.listProjects(bounds)).toHaveLength(2);
  });
});
