/** @module-tag long */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { isWrite } from "../crash/gate.ts";
import { runAndKill } from "../crash/kill.ts";
import { openWorld, type World } from "../crash/world.ts";
import { createAppKey } from "../support/app-key.ts";
import { validateRequests } from "../support/openapi.ts";
import { type Emulated, type EmulatedApp, startEmulated } from "./emulated.ts";

const app = "acme-app";
const rules = [
  {
    when: { state: "closed", reason: "completed" },
    set: { status: "completed", roadmapColumn: "COMPLETED" },
  },
  { when: { state: "closed" }, set: { status: "closed" } },
  { when: { labels: ["in progress"] }, set: { status: "in_progress", roadmapColumn: "IN_PROGRESS" } },
];
const select = { statuses: ["planned", "in_progress"] };
const project = { project: app, repo: "acme/app", select, issue: { labels: ["feedback"] }, rules };

let emulated: Emulated;
let world: World;

/** Both sides, and what signs the program in: a token, or an App's key. */
async function openSides(asApp?: EmulatedApp): Promise<void> {
  emulated = await startEmulated(asApp);
  for (const name of ["feedback", "in progress", "declined"]) {
    await emulated.act("POST", "/labels", { name, color: "ededed" });
  }
  const env: Record<string, string> =
    asApp === undefined
      ? { GITHUB_TOKEN: emulated.tokens.us }
      : { GITHUB_APP_ID: String(asApp.id), GITHUB_APP_PRIVATE_KEY: asApp.privateKey };
  const tracker = { url: emulated.url, env };
  world = await openWorld({ config: { projects: [project] }, repositories: [], tracker });
}

beforeEach(() => {
  // Both sides and the program go by the machine's clock, which the test moves on.
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() });
});

afterEach(async () => {
  vi.useRealTimers();
  await world.close();
  await emulated.close();
  expect(validateRequests(emulated.requests)).toEqual([]);
});

/** One run, a minute after whatever was before: the writes that it sent, without signing in. */
async function sync(): Promise<readonly string[]> {
  vi.setSystemTime(Date.now() + 60_000);
  world.gate.mark();
  const { code, out, err } = await world.runHere(["sync", "--json"]);
  expect(code, `${out}${err}`).toBe(0);
  vi.setSystemTime(Date.now() + 60_000);
  const writes = world.gate.passed.filter(isWrite).map(({ method, path }) => `${method} ${path}`);
  return writes.filter((write) => !write.endsWith("/access_tokens"));
}

function statuses(): readonly unknown[] {
  return world.board.posts(app).map(({ status }) => status);
}

interface ShownIssue {
  readonly number: number;
  readonly body: string;
}

async function issues(): Promise<readonly ShownIssue[]> {
  const answer = await fetch(`${emulated.origin}/repos/acme/app/issues?state=all`);
  // Their shape is looked at by the test.
  const rows = (await answer.json()) as readonly ShownIssue[];
  return rows.toSorted((a, b) => a.number - b.number);
}

const titles = ["Dark mode", "Import", "Export"];

/** Three posts with an issue each, in step. */
async function openPosts(): Promise<void> {
  for (const title of titles) world.board.addPost(app, { status: "planned", votes: 3, title });
  await sync();
}

describe("between the board and a GitHub that others wrote, the program", () => {
  beforeEach(() => openSides());

  it("makes issues of posts, and writes nothing when nothing happens", async () => {
    for (const title of titles) world.board.addPost(app, { status: "planned", votes: 3, title });
    const create = "POST /repos/acme/app/issues";
    expect(await sync()).toEqual([create, create, create]);
    expect(await issues()).toMatchObject(
      titles.map((title, index) => ({
        number: index + 1,
        title,
        state: "open",
        labels: [{ name: "feedback" }],
      })),
    );
    for (let run = 0; run < 2; run += 1) expect(await sync()).toEqual([]);
    expect(world.board.notifications).toEqual([]);
  });

  it("moves posts as their issues move, and back, and mails each change once", async () => {
    await openPosts();
    await emulated.act("PATCH", "/issues/1", { state: "closed" });
    await emulated.act("PATCH", "/issues/2", { state: "closed", state_reason: "not_planned" });
    await emulated.act("POST", "/issues/3/labels", { labels: ["in progress"] });
    expect(await sync()).toHaveLength(3);
    expect(statuses()).toEqual(["completed", "closed", "in_progress"]);
    expect(await sync()).toEqual([]);
    await emulated.act("PATCH", "/issues/1", { state: "open" });
    await emulated.act("DELETE", "/issues/3/labels/in%20progress");
    expect(await sync()).toHaveLength(2);
    expect(statuses()).toEqual(["planned", "closed", "planned"]);
    expect(await sync()).toEqual([]);
    expect(world.board.notifications).toHaveLength(5);
  });

  it("follows the text of a post, and what people write around it stays", async () => {
    await openPosts();
    const [first] = await issues();
    await emulated.act("PATCH", "/issues/1", { body: `${first?.body}\n\nSeen by support.` });
    await sync();
    world.board.editPost(app, "p1", { title: "A dark mode", description: "For the night." });
    expect(await sync()).toEqual(["PATCH /repos/acme/app/issues/1"]);
    const [changed] = await issues();
    expect(changed).toMatchObject({ title: "A dark mode", body: expect.stringContaining("For the night.") });
    expect(changed?.body).toContain("Seen by support.");
    expect(await sync()).toEqual([]);
  });

  it("writes into an issue what a rule makes of its post", async () => {
    const set = {
      state: "closed",
      reason: "not_planned",
      addLabels: ["declined"],
      milestone: "Backlog",
      comment: "Declined.",
    };
    world.reconfigure({ projects: [{ ...project, boardRules: [{ when: { status: "declined" }, set }] }] });
    await emulated.act("POST", "/milestones", { title: "Backlog" });
    await openPosts();
    world.board.editPost(app, "p2", { status: "declined" });
    const written = await sync();
    expect(written.toSorted()).toEqual([
      "PATCH /repos/acme/app/issues/2",
      "POST /repos/acme/app/issues/2/comments",
      "POST /repos/acme/app/issues/2/labels",
    ]);
    expect((await issues())[1]).toMatchObject({
      state: "closed",
      state_reason: "not_planned",
      labels: [{ name: "feedback" }, { name: "declined" }],
      milestone: { title: "Backlog" },
      comments: 1,
    });
    expect(await sync()).toEqual([]);
  });

  it("finds its issues by their marks when the state is lost", async () => {
    await openPosts();
    await emulated.act("PATCH", "/issues/1", { state: "closed" });
    await sync();
    const before = await issues();
    world.loseState();
    for (let run = 0; run < 2; run += 1) expect(await sync()).toEqual([]);
    expect(await issues()).toEqual(before);
    expect(world.board.notifications).toHaveLength(1);
  });
});

describe("signed in as a GitHub App, the program", () => {
  it("opens issues as the App, and finds them again when the state is lost", async () => {
    await openSides({ id: 4711, privateKey: createAppKey().privateKey });
    world.board.addPost(app, { status: "planned", votes: 3, title: "Dark mode" });
    expect(await sync()).toEqual(["POST /repos/acme/app/issues"]);
    expect(await issues()).toMatchObject([{ number: 1, user: { login: "feedback-sync[bot]" } }]);
    world.loseState();
    for (let run = 0; run < 2; run += 1) expect(await sync()).toEqual([]);
    expect(await issues()).toHaveLength(1);
  });
});

describe("killed while an issue is opened, and started anew", () => {
  beforeEach(() => openSides());

  it.each(["before", "after"] as const)(
    "the program has opened it once: killed %s GitHub took it",
    async (when) => {
      world.board.addPost(app, { status: "planned", votes: 3, title: "Dark mode" });
      const point = { kind: "write", at: 1, when, what: "an issue is opened" } as const;
      expect(await runAndKill(world, ["sync"], point)).toBe("SIGKILL");
      expect(await issues()).toHaveLength(when === "before" ? 0 : 1);
      const { code, err } = await world.run(["sync"]);
      expect(code, err).toBe(0);
      expect(await sync()).toEqual([]);
      expect(await issues()).toMatchObject([{ number: 1, title: "Dark mode" }]);
      expect(world.checkState()).toBe("ok");
    },
  );
});
