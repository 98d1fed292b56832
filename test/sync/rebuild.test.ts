import { describe, expect, it } from "vitest";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import { boardHash, formatMarker } from "../../src/plan/text/marker.ts";
import { makeFindings, twoProjects, twoRepositories } from "../support/setups.ts";
import { addPlanned, hourMs, minuteMs, openStage, type Stage, standardProject } from "../support/stage.ts";

/** Three posts with issues, one of them in the other repository; voters were told of the first. */
async function openStory(): Promise<Stage> {
  const stage = await openStage(twoRepositories);
  addPlanned(stage, [{}, {}, { categoryId: "cat_api" }]);
  await stage.sync();
  stage.github.close("acme/app", 1, "completed");
  await stage.sync();
  await stage.sync();
  expect(stage.board.notifications).toHaveLength(1);
  stage.mark();
  return stage;
}

/** Two projects of one repository, the first with a post that has its issue. */
async function openTwo(): Promise<Stage> {
  const projects = [standardProject, { ...standardProject, project: "acme-api" }];
  const stage = await openStage({ boardProjects: twoProjects, projects, config: { settle: "30m" } });
  addPlanned(stage, 1);
  await stage.sync();
  return stage;
}

function markOf(stage: Stage, post: string, project = "prj_app"): string {
  return formatMarker({
    board: boardHash(stage.board.url),
    project: project as ProjectId,
    posts: [post as PostId],
  });
}

describe("a rebuild", () => {
  it("of a lost state links every issue by its mark, writes nothing, and lets new issues wait", async () => {
    const stage = await openStory();
    stage.loseState();
    addPlanned(stage, 1);
    expect(await stage.rebuild()).toMatchObject({
      result: "ok",
      projects: [
        { posts: 4, kept: 0, found: 3, ...makeFindings(), errors: [], waitsUntil: expect.any(String) },
      ],
    });
    expect(await stage.syncOne()).toMatchObject({ created: 0, waiting: 1, adopted: 0 });
    expect(stage.writes()).toEqual([]);
    stage.clock.skip(15 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ created: 1, waiting: 0 });
    expect(stage.board.notifications).toHaveLength(1);
  });

  it("of an old copy keeps its links, finds the others, and repeats no notification", async () => {
    const stage = await openStory();
    await stage.backUp("unstamped");
    stage.github.close("acme/app", 2, "completed");
    await stage.sync();
    // Without this, nothing on the tracker would show that the copy is old; the person on the board would be overruled.
    stage.board.editPost("acme-app", "p2", { status: "planned" });
    await stage.sync();
    stage.putBack();
    stage.mark();
    const told = stage.board.notifications.length;
    expect(await stage.rebuild()).toMatchObject({
      result: "ok",
      projects: [
        {
          kept: 3,
          found: 0,
          errors: [],
          ...makeFindings({
            disagreements: [
              { post: "p2", issues: ["acme/app#2"], message: expect.stringContaining("completed") },
            ],
          }),
        },
      ],
    });
    for (let run = 0; run < 2; run += 1) expect(await stage.sync()).toMatchObject({ result: "ok" });
    expect(stage.writes()).toEqual([]);
    expect(stage.board.notifications).toHaveLength(told);
  });

  it("of a sound state changes nothing but the bases, and what happens from then on is written", async () => {
    const stage = await openStory();
    expect(await stage.rebuild()).toMatchObject({
      result: "ok",
      projects: [{ ...makeFindings(), errors: [], kept: 3, found: 0 }],
    });
    expect(stage.writes()).toEqual([]);
    stage.github.close("acme/app", 2, "completed");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1, failed: 0 });
  });

  it("of one project leaves another what it has to tell, settling or not seen yet", async () => {
    const stage = await openTwo();
    addPlanned(stage, 2, "acme-api");
    await stage.sync();
    for (const post of ["Post 2", "Post 3"]) {
      await stage.sync();
      const { number } = stage.github.issues("acme/app").find(({ title }) => title === post) as {
        number: number;
      };
      stage.github.close("acme/app", number, "completed");
    }
    await stage.rebuild(["acme-app"]);
    for (let run = 0; run < 2; run += 1) {
      await stage.sync();
      stage.clock.skip(hourMs);
    }
    const told = stage.board.notifications.filter(({ to }) => to === "completed");
    expect(told.map(({ post }) => post)).toEqual(["p2", "p3"]);
  });

  it("of one project finds out that the whole state is an old copy", async () => {
    const stage = await openTwo();
    await stage.backUp("unstamped");
    addPlanned(stage, 1, "acme-api");
    await stage.sync();
    stage.putBack();
    expect(await stage.rebuild(["acme-app"])).toMatchObject({ result: "ok" });
    expect(stage.ledger.copiedAt).toBeDefined();
  });

  it("keeps an opening whose outcome is unknown, until it is looked up", async () => {
    const stage = await openStory();
    addPlanned(stage, 1);
    stage.github.failNext({
      method: "POST",
      path: /\/issues$/,
      applied: "late",
      answer: { kind: "answer", status: 502 },
    });
    await stage.sync();
    stage.clock.skip(-minuteMs);
    expect(await stage.rebuild()).toMatchObject({ projects: [{ kept: 3, found: 0 }] });
    const id = stage.ledger.memory.project("acme-app")?.id as ProjectId;
    expect(await stage.ledger.journal.open(id)).toMatchObject([{ kind: "create-issue", state: "UNKNOWN" }]);
    stage.github.landLate();
    stage.clock.skip(20 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ created: 1, issues: 4 });
    expect(stage.github.issues("acme/app")).toHaveLength(3);
  });
});

describe("a rebuild reports", () => {
  it("orphans: issues of posts that the board does not list, and of projects that the config does not have", async () => {
    const stage = await openStory();
    stage.board.removePost("acme-app", "p2");
    const body = `${markOf(stage, "p1", "prj_gone")}\nText`;
    stage.github.openIssue("acme/app", { title: "Elsewhere", body, author: stage.github.login });
    stage.loseState();
    expect(await stage.rebuild()).toMatchObject({
      result: "ok",
      projects: [
        {
          found: 2,
          orphans: [
            { issue: "acme/app#2", post: "p2", reason: "not listed" },
            { issue: "acme/app#3", post: "p1", reason: "not configured" },
          ],
        },
      ],
    });
  });

  it("no orphan for lack of a list: one that broke off proves nothing", async () => {
    const stage = await openStage({ style: { pageSize: 2 } });
    addPlanned(stage, 3);
    await stage.sync();
    stage.loseState();
    let calls = 0;
    stage.board.failNext(
      { kind: "answer", status: 500, body: "" },
      { when: ({ method, path }) => method === "GET" && path.includes("feedback") && ++calls > 1 },
    );
    expect(await stage.rebuild()).toMatchObject({
      result: "partial",
      projects: [{ orphans: [], errors: [{ code: "board.incomplete" }] }],
    });
  });

  it("duplicates, and which of them is used: the one that is linked, else the first", async () => {
    const stage = await openStory();
    const body = `${markOf(stage, "p2")}\nText`;
    stage.clock.skip(minuteMs);
    stage.github.openIssue("acme/app", { title: "Twin", body, author: stage.github.login });
    const twin = { post: "p2", used: "acme/app#2", others: ["acme/app#3"] };
    expect(await stage.rebuild()).toMatchObject({
      result: "held",
      projects: [{ duplicates: [twin], errors: [] }],
    });
    stage.loseState();
    expect(await stage.rebuild()).toMatchObject({
      result: "held",
      projects: [{ found: 3, duplicates: [twin] }],
    });
    stage.github.close("acme/app", 3, "not_planned");
    expect(await stage.rebuild()).toMatchObject({ result: "ok", projects: [{ duplicates: [] }] });
    expect(stage.writes()).toEqual([]);
  });

  it("marks of strangers, which wait for a person where the post has no issue", async () => {
    const stage = await openStory();
    stage.github.openIssue("acme/app", { title: "Forged", body: markOf(stage, "p1"), author: "mallory" });
    const forged = { issue: "acme/app#3", post: "p1", author: "mallory" };
    expect(await stage.rebuild()).toMatchObject({
      result: "ok",
      projects: [{ strangers: [{ ...forged, linked: true }] }],
    });
    stage.loseState();
    stage.github.deleteIssue("acme/app", 1);
    expect(await stage.rebuild()).toMatchObject({
      result: "held",
      projects: [{ found: 2, strangers: [{ ...forged, linked: false }] }],
    });
    stage.reconfigure({ config: { tracker: { trustedAuthors: ["mallory"] } } });
    expect(await stage.rebuild()).toMatchObject({ result: "ok", projects: [{ found: 1, strangers: [] }] });
  });

  it("issues of ours whose text others have changed, and takes their marks", async () => {
    const stage = await openStory();
    stage.loseState();
    const body = (stage.github.issue("acme/app", 2).body ?? "").replace(/^.*/, markOf(stage, "p1"));
    stage.github.edit("acme/app", 2, { body });
    expect(await stage.rebuild()).toMatchObject({
      projects: [{ edited: [{ issue: "acme/app#2", post: "p1", editors: ["octocat"] }] }],
    });
    stage.reconfigure({ config: { tracker: { trustedAuthors: ["octocat"] } } });
    expect(await stage.rebuild()).toMatchObject({ projects: [{ edited: [] }] });
  });

  it("that it can't be told who changed a text", async () => {
    const stage = await openStage({ quirks: { graphQLLacks: ["Issue.userContentEdits"] } });
    addPlanned(stage, 1);
    await stage.sync();
    expect(await stage.rebuild()).toMatchObject({
      projects: [{ edited: [{ issue: "acme/app#1", post: "p1", editors: "unknown" }] }],
    });
  });

  it("marks that people have changed, and those of another board", async () => {
    const stage = await openStory();
    const { body } = stage.github.issue("acme/app", 2);
    stage.github.edit("acme/app", 2, { body: `<!-- Please read this first. -->\n${body}` });
    const other = markOf(stage, "p1").replace(/board=[0-9a-f]{4}/, "board=0000");
    stage.github.openIssue("acme/app", { title: "Theirs", body: other, author: stage.github.login });
    const issue = "acme/app#2";
    expect(await stage.rebuild()).toMatchObject({
      result: "ok",
      projects: [{ unreadable: [{ issue, linked: true }], otherBoards: 1 }],
    });
    stage.loseState();
    expect(await stage.rebuild()).toMatchObject({
      result: "held",
      projects: [{ found: 2, unreadable: [{ issue, linked: false }] }],
    });
  });

  it("linked issues that are not where they were, and keeps their links", async () => {
    const stage = await openStory();
    stage.github.deleteIssue("acme/app", 2);
    expect(await stage.rebuild()).toMatchObject({
      projects: [{ kept: 3, found: 0, absent: [{ issue: "acme/app#2", post: "p2", reason: "deleted" }] }],
    });
  });

  it("what belongs to no project once, where two projects share a repository", async () => {
    const stage = await openStage({
      boardProjects: twoProjects,
      projects: [standardProject, { ...standardProject, project: "acme-api" }],
    });
    addPlanned(stage, 1);
    addPlanned(stage, 1, "acme-api");
    await stage.sync();
    const body = `${markOf(stage, "p1", "prj_gone")}\nText`;
    stage.github.openIssue("acme/app", { title: "Elsewhere", body, author: stage.github.login });
    const { projects } = await stage.rebuild();
    expect(projects.map(({ kept, orphans }) => [kept, orphans.length])).toEqual([
      [1, 1],
      [1, 0],
    ]);
  });

  it("a side that can't be reached, or that wants to be left alone, as a failure", async () => {
    const stage = await openStory();
    stage.loseState();
    stage.useSecrets({ token: "wrong-token-0123456789" });
    expect(await stage.rebuild()).toMatchObject({
      result: "failed",
      projects: [{ errors: [{ code: "tracker.unauthorized" }] }],
    });
    stage.useSecrets({ token: stage.github.token });
    await stage.ledger.commit([
      {
        kind: "limit",
        side: "tracker",
        budget: "",
        until: stage.clock.now() + 30 * minuteMs,
        at: stage.clock.now(),
      },
    ]);
    expect(await stage.rebuild()).toMatchObject({
      result: "partial",
      projects: [{ found: 0, errors: [{ code: "tracker.limited" }, { code: "rebuild.unfinished" }] }],
    });
    stage.clock.skip(30 * minuteMs);
    expect(await stage.rebuild()).toMatchObject({ result: "ok", projects: [{ found: 3 }] });
  });
});
