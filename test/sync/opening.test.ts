import { describe, expect, it } from "vitest";
import { dayMs, hourMs } from "../../src/model/time.ts";
import { openPosts, privateRepositories, routedProject, twoProjects } from "../support/setups.ts";
import { addPlanned, openStage, standardProject } from "../support/stage.ts";

const two = {
  boardProjects: twoProjects,
  repositories: [
    {
      name: "acme/app",
      private: true,
      labels: ["feedback"],
      collaborators: ["dana"],
      milestones: ["Backlog"],
    },
    { name: "acme/api", private: true, types: ["Feature", "Bug"] },
  ],
  projects: [
    {
      ...standardProject,
      issue: {
        labels: ["feedback"],
        categoryLabels: { cat_1: "area: billing" },
        assignees: ["dana"],
        milestone: "Backlog",
        postUrl: "https://feedback.example.com/p/{{ post.id }}",
      },
    },
    { project: "acme-api", repo: "acme/api", select: { statuses: ["planned"] }, issue: { type: "Feature" } },
  ],
};

describe("twelve posts in two projects", () => {
  it("become issues with everything that the config asks for", async () => {
    const stage = await openStage(two);
    addPlanned(stage, [{ title: "Dark mode", description: "My *eyes*.", categoryId: "cat_1" }]);
    addPlanned(stage, 7);
    addPlanned(stage, 4, "acme-api");
    stage.board.addPost("acme-app", { title: "A pony", status: "open" });
    stage.board.addPost("acme-app", { title: "Done long ago", status: "planned", isArchived: true });
    const report = await stage.sync();
    expect(report).toMatchObject({ run: 1, result: "ok" });
    expect(report.projects).toMatchObject([
      { project: "acme-app", repo: "acme/app", posts: 10, issues: 8, created: 8, skipped: 2, failed: 0 },
      { project: "acme-api", repo: "acme/api", posts: 4, issues: 4, created: 4, skipped: 0, failed: 0 },
    ]);
    const [first] = stage.github.issues("acme/app");
    expect(first).toMatchObject({
      number: 1,
      title: "Dark mode",
      author: stage.github.login,
      labels: ["feedback", "area: billing"],
      assignees: ["dana"],
      milestone: "Backlog",
      state: "open",
    });
    expect(first?.body).toMatch(/^<!-- boardsync:v1 board=[0-9a-f]{16} /);
    expect(first?.body).toContain(
      "\nMy *eyes*.\n\nCategory: area: billing · Votes: 2+\n\nhttps://feedback.example.com/p/p1\n\n<!-- boardsync:end -->",
    );
    expect(stage.github.issues("acme/app").map(({ title }) => title)).toEqual(
      ["Dark mode", 2, 3, 4, 5, 6, 7, 8].map((name) => (typeof name === "number" ? `Post ${name}` : name)),
    );
    expect(stage.github.issues("acme/api").map(({ title, type }) => [title, type])).toEqual(
      [10, 11, 12, 9].map((number) => [`Post ${number}`, "Feature"]),
    );
    expect(stage.github.labels("acme/app")).toContain("area: billing");
  });

  it("are left alone by a second sync, which asks for the pages, once for each repository, and for what rules look at", async () => {
    const stage = await openStage(two);
    addPlanned(stage, 8);
    addPlanned(stage, 4, "acme-api");
    await stage.sync();
    await stage.sync();
    stage.mark();
    const report = await stage.sync();
    expect(report.result).toBe("ok");
    expect(report.projects.map(({ requests }) => requests)).toEqual([
      { board: 1, tracker: 2 },
      { board: 1, tracker: 2 },
    ]);
    // Labels of the first project's rules, and pull requests, for which the default rules of the second one ask.
    const asked = ["/repos/acme/app/issues", "/repos/acme/app/labels", "/repos/acme/api/issues"];
    expect([stage.writes(), stage.reads()]).toEqual([
      [],
      ["GET /feedback", "GET /feedback", ...asked.map((path) => `GET ${path}`), "POST /graphql"],
    ]);
    expect(stage.github.requests.map(({ status }) => status)).toEqual([304, 304, 304, 200]);
  });

  it("give no issue to a post that is selected only later, until it is", async () => {
    const stage = await openStage();
    const post = stage.board.addPost("acme-app", { status: "open" });
    expect(await stage.syncOne()).toMatchObject({ created: 0, skipped: 1 });
    stage.board.editPost("acme-app", post, { status: "planned" });
    expect(await stage.syncOne()).toMatchObject({ created: 1, skipped: 0, issues: 1 });
  });
});

it("a route to a repository whose issues were never seen, and are switched off, keeps new issues waiting, and that is said", async () => {
  const stage = await openPosts(1, {
    repositories: [
      ...privateRepositories("acme/app"),
      { name: "acme/api", private: true, hasIssues: false, labels: ["feedback"] },
    ],
  });
  stage.reconfigure({ projects: [routedProject] });
  addPlanned(stage, [{}, { categoryId: "cat_api" }]);
  expect(await stage.syncOne()).toMatchObject({
    created: 0,
    errors: [
      { code: "tracker.no-issues", message: expect.stringContaining("no issue is opened in any") },
      {},
    ],
  });
  stage.github.enableIssues("acme/api");
  for (let run = 0; run < 2; run += 1) await stage.sync();
  expect(stage.github.issues("acme/api")).toHaveLength(1);
  expect(stage.github.issues("acme/app")).toHaveLength(2);
});

describe("what a repository can't give", () => {
  it("is a milestone that is closed, by which the rules may say at once that a post is done", async () => {
    const rules = [{ when: { milestoneState: "closed" }, set: { status: "completed" } }];
    const milestones = [{ title: "Backlog", state: "closed" }] as const;
    const stage = await openStage({
      repositories: [{ name: "acme/app", private: true, labels: ["feedback"], milestones }],
      projects: [{ ...standardProject, rules, issue: { labels: ["feedback"], milestone: "Backlog" } }],
    });
    addPlanned(stage, 1);
    const message =
      'The milestone "Backlog" of acme/app is closed, so issues are opened without it. Open it, or correct issue.milestone.';
    expect(await stage.check()).toContainEqual(
      expect.objectContaining({ level: "error", message: expect.stringContaining(message) }),
    );
    expect((await stage.syncOne()).errors).toMatchObject([{ code: "tracker.milestone", message }]);
    for (let run = 0; run < 2; run += 1) await stage.sync();
    expect(stage.github.issue("acme/app", 1).milestone).toBeNull();
    expect(stage.board.notifications).toEqual([]);
  });

  it("is left out of the issue and said: a milestone once for all posts", async () => {
    const issue = { labels: ["feedback"], milestone: "Nowhere" };
    const stage = await openStage({ projects: [{ ...standardProject, issue }] });
    addPlanned(stage, 3);
    const report = await stage.syncOne();
    expect(report).toMatchObject({ created: 3, failed: 1 });
    expect(report.errors).toEqual([
      {
        issue: "acme/app",
        code: "tracker.milestone",
        message:
          'acme/app has no milestone "Nowhere", so issues are opened without one. Create it, or correct issue.milestone.',
      },
    ]);
    expect(stage.reads().filter((read) => read.includes("/milestones"))).toHaveLength(2);
    expect(await stage.sync()).toMatchObject({ result: "ok" });
  });

  it("is found when somebody has made it since", async () => {
    const issue = { milestone: "Next" };
    const stage = await openStage({ projects: [{ ...standardProject, issue }] });
    await stage.sync();
    stage.github.addMilestone("acme/app", "Next");
    addPlanned(stage, 2);
    expect(await stage.syncOne()).toMatchObject({ created: 2, failed: 0 });
    expect(stage.github.issues("acme/app").map(({ milestone }) => milestone)).toEqual(["Next", "Next"]);
  });

  it("is refused by name, and the issue is opened without: an assignee who may not be", async () => {
    const issue = { labels: ["feedback"], assignees: ["stranger"] };
    const stage = await openStage({ projects: [{ ...standardProject, issue }] });
    addPlanned(stage, 1);
    const report = await stage.syncOne();
    expect(report).toMatchObject({ created: 1, failed: 1 });
    expect(report.errors).toMatchObject([{ post: "p1", issue: "acme/app", code: "tracker.field-refused" }]);
    expect(report.errors[0]?.message).toContain("refuses assignees");
    expect(stage.github.issue("acme/app", 1)).toMatchObject({ assignees: [], labels: ["feedback"] });
    expect(await stage.sync()).toMatchObject({ result: "ok" });
  });

  it("is dropped without a word where we may not push, and that is said", async () => {
    const stage = await openStage({
      repositories: [{ name: "acme/app", private: true, canPush: false, labels: ["feedback"] }],
    });
    addPlanned(stage, 1);
    const report = await stage.syncOne();
    expect(report).toMatchObject({ created: 1, failed: 1 });
    expect(report.errors).toMatchObject([{ post: "p1", issue: "acme/app#1", code: "tracker.dropped" }]);
    expect(report.errors[0]?.message).toContain("label feedback");
  });

  it("is left to the create itself when a label can't be made beforehand", async () => {
    const stage = await openStage({ repositories: [{ name: "acme/app", private: true }] });
    stage.github.failNext({ path: "/labels", method: "POST", answer: { kind: "answer", status: 502 } });
    addPlanned(stage, 1);
    expect(await stage.syncOne()).toMatchObject({ created: 1, failed: 0 });
    expect(stage.log.join()).toContain("The label could not be created");
    const kinds = (
      await stage.ledger.journal.history(
        stage.ledger.memory.project("acme-app")?.id ?? ("" as never),
        undefined,
        9,
      )
    ).map(({ kind, outcome }) => `${kind} ${outcome}`);
    expect(kinds).toEqual(["create-issue applied", "create-label unknown"]);
  });
});

describe("texts that are out of the ordinary", () => {
  it.each([
    ["no title", { title: "" }, /^\S/],
    ["a title of 300 characters", { title: "x".repeat(300) }, /^x{200,255}…$/],
  ])("a post with %s becomes an issue with a usable one", async (_, fields, title) => {
    const stage = await openStage();
    addPlanned(stage, [fields]);
    expect(await stage.syncOne()).toMatchObject({ created: 1, failed: 0 });
    expect(stage.github.issue("acme/app", 1).title).toMatch(title);
    expect(await stage.syncOne()).toMatchObject({ issueWrites: 0 });
  });

  it("a description of 200,000 characters is cut, with its marker kept", async () => {
    const stage = await openStage();
    addPlanned(stage, [{ description: "wörter ".repeat(28_600) }]);
    expect(await stage.syncOne()).toMatchObject({ created: 1, failed: 0 });
    const body = stage.github.issue("acme/app", 1).body ?? "";
    expect(Buffer.byteLength(body)).toBeLessThan(65_536);
    expect(body).toMatch(/^<!-- boardsync:v1 [\s\S]*<!-- boardsync:end -->\n$/);
    expect(await stage.syncOne()).toMatchObject({ issueWrites: 0 });
  });
});

describe("a board of 130 posts", () => {
  it.each([
    ["one page", { kind: "none" }],
    ["Link headers", { kind: "link" }],
    ["a cursor", { kind: "cursor", hasMore: true }],
    ["numbered pages", { kind: "page", told: "totalPages" }],
    ["numbered pages without a total", { kind: "page", told: "hasMore" }],
    ["offsets", { kind: "offset", told: "total" }],
    ["a next address", { kind: "next", form: "relative" }],
  ] as const)("is seen to its end over %s", async (_, paging) => {
    const stage = await openStage({ style: { paging, pageSize: 40 } });
    addPlanned(stage, 40);
    for (let added = 0; added < 90; added += 1) stage.board.addPost("acme-app", { status: "open" });
    expect(await stage.syncOne()).toMatchObject({ posts: 130, issues: 40, created: 40, skipped: 90 });
    expect(await stage.syncOne()).toMatchObject({ posts: 130, created: 0, failed: 0 });
  });
});

it("more posts than are decided in one batch are all decided", async () => {
  const stage = await openStage({ style: { pageSize: 500 } });
  for (let added = 0; added < 1010; added += 1) stage.board.addPost("acme-app", { status: "open" });
  addPlanned(stage, 2);
  expect(await stage.syncOne()).toMatchObject({ posts: 1012, skipped: 1010, created: 2 });
});

describe("a post that has to be older", () => {
  const config = {
    projects: [{ ...standardProject, select: { olderThan: "14d", not: { title: "test" } } }],
  };

  it("becomes an issue when it is, though nothing has changed, and one that is shut out never does", async () => {
    const stage = await openStage(config);
    const createdAt = new Date(stage.clock.now() - 13 * dayMs).toISOString();
    addPlanned(stage, [{ createdAt }, { createdAt, title: "A Test" }]);
    expect(await stage.sync()).toMatchObject({ projects: [{ created: 0, skipped: 2, waiting: 0 }] });
    const explained = await stage.explain("p1");
    expect(explained.standing.reason).toContain("select.olderThan wants an age of 14d or more");
    const turn = Date.parse(createdAt) + 14 * dayMs;
    expect(explained.next.join()).toContain(`and at ${new Date(turn).toISOString()}, when it is old enough`);
    stage.clock.skip(turn - stage.clock.now() - hourMs);
    expect(await stage.sync()).toMatchObject({ projects: [{ created: 0 }] });
    stage.clock.skip(hourMs);
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ created: 1, skipped: 1 }] });
    expect(stage.github.issues("acme/app").map(({ title }) => title)).toEqual(["Post 1"]);
    expect((await stage.explain("p2")).standing.reason).toMatch(
      /^select\.not shuts it out: title is `A Test`/,
    );
  });
});
