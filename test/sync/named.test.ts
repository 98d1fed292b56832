import { describe, expect, it } from "vitest";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import { formatMarker } from "../../src/plan/text/marker.ts";
import { foreseeHeld } from "../../src/sync/orders/approve.ts";
import { addPlanned, hourMs, openStage, type Stage, standardProject } from "../support/stage.ts";

const project = "prj_app" as ProjectId;

/** A planned post p1 and a post p2 that nobody selects, both without an issue. */
async function openBoard(changes: Readonly<Record<string, unknown>> = {}): Promise<Stage> {
  const stage = await openStage({ projects: [{ ...standardProject, ...changes }] });
  addPlanned(stage, [{ title: "Export" }]);
  stage.board.addPost("acme-app", { title: "Import", status: "open" });
  return stage;
}

function pageOf(stage: Stage, post: string): string {
  return `${new URL(stage.board.url).origin}/p/${post}`;
}

async function linksOf(stage: Stage, post: string): Promise<readonly number[]> {
  const row = await stage.ledger.rows.row(project, post as PostId, stage.clock.now());
  return row?.links.map(({ link }) => link.issue.number) ?? [];
}

describe("an issue that people opened and that names a post's page", () => {
  it.each<[string, (stage: Stage) => Promise<unknown>]>([
    ["sync", (stage) => stage.sync()],
    ["sync --adopt", (stage) => stage.adopt()],
    ["rebuild", (stage) => stage.rebuild()],
  ])("is linked by a person alone, not by %s", async (_, run) => {
    const stage = await openBoard({ select: { statuses: ["nothing"] } });
    stage.github.openIssue("acme/app", { title: "CSV", body: pageOf(stage, "p1"), author: "ada" });
    await run(stage);
    expect(await linksOf(stage, "p1")).toEqual([]);
  });
});

describe("a new issue for a post whose page an issue of people names", () => {
  const name = (stage: Stage, post: string, title = "CSV"): void =>
    void stage.github.openIssue("acme/app", { title, body: `See ${pageOf(stage, post)}.`, author: "ada" });

  it("is held, with the two ways to go on, and plan and check tell it", async () => {
    const stage = await openBoard();
    name(stage, "p1");
    stage.github.close("acme/app", 1, "completed");
    const held =
      "issue acme/app#1 names the page of this post: `boardsync link acme-app/p1 acme/app#1` links it, `boardsync approve acme-app p1` makes a new one";
    expect(await stage.plan()).toMatchObject([{ kind: "create-issue", post: "p1", when: "held", held }]);
    expect(await stage.sync()).toMatchObject({ result: "held", projects: [{ created: 0, held: 1 }] });
    expect(stage.writes()).toEqual([]);
  });

  it("is held for one of the account's own, too: a person may share it with us", async () => {
    const stage = await openBoard();
    const issue = { title: "CSV", body: pageOf(stage, "p1"), author: stage.github.login };
    stage.github.openIssue("acme/app", issue);
    expect(await stage.syncOne()).toMatchObject({ created: 0, held: 1 });
  });

  it("is opened once a person approves it", async () => {
    const stage = await openBoard();
    name(stage, "p1");
    await stage.sync();
    const actions = await stage.ledger.rows.held(project);
    await stage.ledger.commit([
      {
        kind: "add-request",
        request: { kind: "approve", actions, isWhole: false, project, at: stage.clock.now() },
      },
    ]);
    expect(await stage.syncOne()).toMatchObject({ created: 1, held: 0 });
    expect(await stage.syncOne()).toMatchObject({ created: 0, held: 0 });
  });

  it("is held for that, and for nothing else, where its repository is public as well", async () => {
    const stage = await openStage();
    addPlanned(stage, 2);
    await stage.sync();
    addPlanned(stage, 1);
    stage.github.setPrivate("acme/app", false);
    stage.clock.skip(7 * hourMs);
    expect(await stage.syncOne()).toMatchObject({ held: 1 });
    name(stage, "p3");
    await stage.sync();
    for (const cause of ["named", "public"]) {
      const actions = await stage.ledger.rows.held(project);
      expect(actions).toMatchObject([{ post: "p3", cause }]);
      const asked = { kind: "approve", actions, isWhole: false, project, at: stage.clock.now() } as const;
      await stage.ledger.commit([{ kind: "add-request", request: asked }]);
      const created = cause === "public" ? 1 : 0;
      expect(await stage.syncOne()).toMatchObject({ created, held: 1 - created });
    }
  });

  it("is held where it was let go, or stood in a saved plan, before the page was named", async () => {
    const stage = await openStage({
      config: { guard: { issues: 1 }, tracker: { pace: { minIntervalMs: 0, createsPerHour: 1 } } },
    });
    addPlanned(stage, 3);
    await stage.sync();
    const actions = await stage.ledger.rows.held(project);
    const all = { kind: "approve", actions, isWhole: true, project } as const;
    await stage.ledger.commit([{ kind: "add-request", request: { ...all, at: stage.clock.now() } }]);
    expect(await stage.syncOne()).toMatchObject({ created: 1, waiting: 2 });
    const plan = await stage.savePlan();
    name(stage, "p3");
    stage.clock.skip(hourMs);
    expect(await stage.syncOne()).toMatchObject({ created: 1, held: 1 });
    const pending = await stage.ledger.requests.pending(project);
    const asked = await foreseeHeld(
      { ledger: stage.ledger, pending },
      { key: "acme-app", project },
      ["p3"],
      false,
    );
    expect(asked).toMatchObject({ actions: [{ post: "p3", cause: "named" }] });
    stage.clock.skip(hourMs);
    const { carried } = await stage.run({ kind: "apply", plan });
    expect(carried.get("acme-app")).toMatchObject([{ outcome: "already" }, { outcome: "refused" }]);
  });

  it("is not opened once that issue is linked, and goes by itself where it names the page no more", async () => {
    const stage = await openBoard();
    name(stage, "p1");
    await stage.sync();
    const asked = { kind: "link", post: "p1" as PostId, repository: "acme/app", number: 1 } as const;
    await stage.ledger.commit([
      { kind: "add-request", request: { ...asked, project, at: stage.clock.now() } },
    ]);
    expect(await stage.syncOne()).toMatchObject({ created: 0, adopted: 1, held: 0 });
    addPlanned(stage, [{ title: "Third" }]);
    name(stage, "p3", "Third");
    expect(await stage.syncOne()).toMatchObject({ created: 0, held: 1 });
    stage.github.edit("acme/app", 2, { body: "Something else." });
    expect(await stage.syncOne()).toMatchObject({ created: 1, held: 0 });
  });

  it("is looked for once: the next new post costs no further list", async () => {
    const stage = await openBoard();
    await stage.sync();
    addPlanned(stage, [{ title: "Third" }]);
    stage.mark();
    expect(await stage.syncOne()).toMatchObject({ created: 1 });
    expect(stage.reads().filter((read) => read === "GET /repos/acme/app/issues")).toHaveLength(1);
  });

  it.each<[string, (stage: Stage) => void]>([
    [
      "a pull request",
      (stage) =>
        stage.github.openPullRequest("acme/app", { title: "x", body: pageOf(stage, "p1"), author: "ada" }),
    ],
    [
      "a longer address",
      (stage) =>
        stage.github.openIssue("acme/app", { title: "x", body: `${pageOf(stage, "p1")}0`, author: "ada" }),
    ],
    [
      "an issue with our mark",
      (stage) => {
        const mark = formatMarker({ board: "0".repeat(16), project, posts: ["p9" as PostId] });
        const body = `${mark}\n${pageOf(stage, "p1")}`;
        stage.github.openIssue("acme/app", { title: "x", body, author: stage.github.login });
      },
    ],
  ])("is not held for %s", async (_, open) => {
    const stage = await openBoard();
    open(stage);
    expect(await stage.syncOne()).toMatchObject({ created: 1, held: 0 });
  });

  it("is not held for an address that posts share", async () => {
    const issue = { labels: ["feedback"], postUrl: "https://feedback.example.com/" };
    const stage = await openBoard({ issue });
    stage.github.openIssue("acme/app", { title: "x", body: "https://feedback.example.com/", author: "ada" });
    expect(await stage.syncOne()).toMatchObject({ created: 1, held: 0 });
  });
});

it("a limit in the look for such issues keeps no post from hearing of its issue", async () => {
  const stage = await openStage({ quirks: { pageSize: 2 } });
  const [linked = ""] = addPlanned(stage, 1);
  await stage.sync();
  for (let issue = 0; issue < 8; issue += 1) stage.github.openIssue("acme/app", { title: `Other ${issue}` });
  await stage.sync();
  const memory = stage.ledger.memory.repository("acme/app");
  if (memory !== undefined)
    await stage.ledger.commit([{ kind: "remember-repository", memory: { ...memory, namedAt: undefined } }]);
  stage.github.close("acme/app", 1, "completed");
  addPlanned(stage, 1);
  const body = { message: "You have exceeded a secondary rate limit." };
  const answer = { kind: "answer", status: 403, headers: { "retry-after": "200" }, body } as const;
  stage.github.failNext({ method: "GET", path: /\/issues$/u, after: 8, answer });
  expect(await stage.syncOne()).toMatchObject({
    statusWrites: 1,
    created: 0,
    putOff: [{ code: "tracker.limited" }],
  });
  expect(stage.board.post("acme-app", linked)?.status).toBe("completed");
  stage.clock.skip(hourMs);
  expect(await stage.syncOne()).toMatchObject({ created: 1, failed: 0 });
});
