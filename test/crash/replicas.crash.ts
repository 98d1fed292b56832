import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest";
import { startPostgres, type TestServer } from "../support/postgres.ts";
import { openProxy } from "../support/tcp-proxy.ts";
import { isWrite } from "./gate.ts";
import { openWorld, type Process, type Setting, type World } from "./world.ts";

const projects = Array.from({ length: 20 }, (_, at) => `acme-${at + 1}`);
const rules = [{ when: { state: "closed" }, set: { status: "completed" } }];

let server: TestServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server.end());

async function givenWorld(
  names: readonly string[],
  through: (url: string) => string = (url) => url,
): Promise<World> {
  const setting: Setting = {
    projects: names,
    timeout: "1s",
    env: { BOARDSYNC_STATE_URL: through(await server.freshDatabase()) },
    repositories: [{ name: "acme/app", labels: ["feedback"], collaborators: ["dana"] }],
    config: {
      // Every second, so that what a dead one leaves is taken up as soon as its leases end.
      schedule: "* * * * * *",
      lease: "6s",
      projects: names.map((project) => ({
        project,
        repo: "acme/app",
        select: { statuses: ["planned"] },
        issue: { labels: ["feedback"] },
        rules,
      })),
    },
  };
  started = [];
  const world = await openWorld(setting);
  onTestFinished(() => world.close());
  return world;
}

let started: Process[] = [];

function daemon(world: World): Process {
  const one = world.start(["daemon"]);
  started.push(one);
  return one;
}

/** How long what is waited for may take: a test that hangs says what it waited for. */
const patienceMs = 300_000;

async function until(what: string, isSo: () => boolean): Promise<void> {
  const end = Date.now() + patienceMs;
  while (!isSo()) {
    if (Date.now() > end) {
      const words = started.map(({ err }) => err().split("\n").slice(-30).join("\n"));
      throw new Error(`It did not come to this: ${what}.\n${words.join("\n---\n")}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

function addPosts(world: World, names: readonly string[], count: number, from: number): void {
  for (let post = from; post < from + count; post += 1) {
    const project = names[post % names.length] ?? "";
    world.board.addPost(project, { status: "planned", votes: post, title: `Wish ${post}` });
  }
}

const titlesOf = (world: World): readonly string[] =>
  world.github.issues("acme/app").map(({ title }) => title);

/** Every post has one issue. */
function expectOneIssueEach(world: World, posts: number): void {
  expect(new Set(titlesOf(world)).size).toBe(posts);
  expect(titlesOf(world)).toHaveLength(posts);
}

it("two daemons and the server, each killed in turn ten times, open one issue for each of 100 posts of 20 projects and mail each voter once", async () => {
  const world = await givenWorld(projects);
  const running = [daemon(world), daemon(world)];
  // One that finds no server when it begins ends by itself, and whoever runs it starts it once more.
  const startAgain = (): void => {
    for (const [at, { child }] of running.entries()) if (child.exitCode !== null) running[at] = daemon(world);
  };
  const kills = 30;
  let posts = 0;
  for (let kill = 0; kill < kills; kill += 1) {
    const more = Math.ceil((100 * (kill + 1)) / kills) - posts;
    addPosts(world, projects, more, posts);
    posts += more;
    const { passed } = world.gate;
    const before = passed.filter(isWrite).length;
    await until("some writes", () => passed.filter(isWrite).length >= before + 2);
    const died = kill % 3;
    const killed = running[died];
    if (killed === undefined) await server.crash();
    else killed.child.kill("SIGKILL");
    await killed?.ended;
    if (killed === undefined) await server.start();
    await until("all issues", () => {
      startAgain();
      return new Set(titlesOf(world)).size === posts;
    });
    if (killed !== undefined) running[died] = daemon(world);
  }
  expectOneIssueEach(world, 100);
  for (const { number } of world.github.issues("acme/app")) {
    world.github.close("acme/app", number, "completed");
  }
  await until("some mails", () => world.board.notifications.length >= 10);
  await server.crash();
  await server.start();
  await until("all mails", () => {
    startAgain();
    return world.board.notifications.length >= 100;
  });
  running[0]?.child.kill("SIGKILL");
  // Two more rounds of every project.
  const before = world.gate.passed.length;
  await until("further rounds", () => world.gate.passed.length > before + 200);
  expect(world.board.notifications).toHaveLength(100);
}, 3_600_000);

it("a daemon that is stopped in the middle writes nothing when it goes on and its project is another's", async () => {
  const names = projects.slice(0, 1);
  const world = await givenWorld(names);
  addPosts(world, names, 30, 0);
  const first = daemon(world);
  // In the middle for certain: while an answer is on its way to it.
  await new Promise<void>((resolve) => {
    const act = async () => {
      first.child.kill("SIGSTOP");
      resolve();
      return "pass" as const;
    };
    world.gate.stopAt({ of: isWrite, at: 5, when: "after", act });
  });
  const second = daemon(world);
  await until("all issues", () => new Set(titlesOf(world)).size === 30);
  first.child.kill("SIGCONT");
  await until("its word", () => first.err().includes("lease of acme-1"));
  second.child.kill("SIGTERM");
  await second.ended;
  const before = world.gate.passed.length;
  await until("further rounds", () => world.gate.passed.length > before + 5);
  expectOneIssueEach(world, 30);
}, 120_000);

it("a server that crashes in the middle costs nothing but the time", async () => {
  const names = projects.slice(0, 2);
  const world = await givenWorld(names);
  addPosts(world, names, 40, 0);
  const running = [daemon(world), daemon(world)];
  await until("some writes", () => world.gate.passed.filter(isWrite).length >= 5);
  await server.crash();
  await until("their word", () => running.some(({ err }) => err().includes("can't be reached")));
  await server.start();
  await until("all issues", () => new Set(titlesOf(world)).size === 40);
  expectOneIssueEach(world, 40);
  expect(world.board.notifications).toEqual([]);
}, 120_000);

it("connections that are cut around a COMMIT, before it arrives and before its answer, again and again, double nothing", async () => {
  const proxy = await openProxy(server.port);
  onTestFinished(() => proxy.close());
  const names = projects.slice(0, 2);
  const world = await givenWorld(names, (url) => server.urlOf(new URL(url).pathname.slice(1), proxy.port));
  addPosts(world, names, 40, 0);
  daemon(world);
  await until("the first writes", () => world.gate.passed.some(isWrite));
  let cuts = 0;
  const isAllOpened = (): boolean => new Set(titlesOf(world)).size >= 40;
  while (!isAllOpened()) {
    const { passed } = world.gate;
    const before = passed.filter(isWrite).length;
    // That of a write which leaves asks for more in the same message.
    const end = cuts % 4 < 2 ? "COMMIT\0" : "COMMIT;";
    proxy.cutAt(end, cuts % 2 === 0 ? "after" : "before");
    cuts += 1;
    // Of the last issue there is one write alone.
    await until("further writes", () => passed.filter(isWrite).length >= before + 2 || isAllOpened());
  }
  expect(cuts).toBeGreaterThan(7);
  for (const { number } of world.github.issues("acme/app")) {
    world.github.close("acme/app", number, "completed");
  }
  await until("all mails", () => world.board.notifications.length >= 40);
  expectOneIssueEach(world, 40);
  expect(world.board.notifications).toHaveLength(40);
}, 300_000);
