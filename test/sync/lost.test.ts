import { describe, expect, it } from "vitest";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import { boardHash, formatMarker } from "../../src/plan/text/marker.ts";
import type { Tracker } from "../../src/tracker/tracker.ts";
import { openPosts, twoProjects, twoRepositories } from "../support/setups.ts";
import { addPlanned, hourMs, minuteMs, openStage, type Stage, standardProject } from "../support/stage.ts";

/** No list of issues shows more than so many of them, newest first. From its other end it is read well. */
function shortening(tracker: Tracker, most: () => number): Tracker {
  async function* listIssues(...given: Parameters<Tracker["listIssues"]>) {
    for await (const page of tracker.listIssues(...given))
      yield given[1].kind === "first"
        ? page
        : { ...page, issues: page.issues.slice(0, most()), rows: page.rows?.slice(0, most()) ?? [] };
  }
  return Object.create(tracker, { listIssues: { value: listIssues } });
}

/** Three posts with issues: the first is completed on both sides, the second only on GitHub. */
async function openStory(): Promise<Stage> {
  const stage = await openStage();
  addPlanned(stage, 3);
  await stage.sync();
  stage.github.close("acme/app", 1, "completed");
  await stage.sync();
  stage.github.close("acme/app", 2, "completed");
  stage.mark();
  return stage;
}

describe("a lost database", () => {
  it("adopts every issue by its marker, also of a post that is no longer selected; nothing is opened or patched", async () => {
    const stage = await openStory();
    stage.loseState();
    expect(await stage.sync()).toMatchObject({
      result: "ok",
      projects: [{ adopted: 3, created: 0, postWrites: 0, issues: 3 }],
    });
    for (let run = 0; run < 2; run += 1) expect(await stage.sync()).toMatchObject({ result: "ok" });
    expect(stage.writes()).toEqual([]);
    const id = stage.ledger.memory.project("acme-app")?.id;
    expect(id && (await stage.ledger.rows.waiting(id, 9))).toMatchObject([
      { kind: "disagreement", post: "p2" },
      { kind: "disagreement", post: "p2" },
    ]);
    // From here on a change is a change.
    stage.github.reopen("acme/app", 1);
    stage.github.label("acme/app", 1, "in progress");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1 });
  });

  it("lets new issues wait, in the run that notices and until a request of the former life can't arrive any more", async () => {
    const stage = await openStory();
    stage.loseState();
    addPlanned(stage, 1);
    expect(await stage.sync()).toMatchObject({
      result: "ok",
      projects: [{ adopted: 3, created: 0, waiting: 1 }],
    });
    stage.clock.skip(13 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ created: 0, waiting: 1 });
    stage.clock.skip(2 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ created: 1, waiting: 0, issues: 4 });
  });

  it("takes what its former life made of issues as it is, also where that comes to light a little later", async () => {
    const boardRules = [{ when: { status: "declined" }, set: { state: "closed", reason: "completed" } }];
    const stage = await openPosts(2, { projects: [{ ...standardProject, boardRules }] });
    stage.loseState();
    await stage.sync();
    // As a request arrives late that had left before, or a list that lags shows what it did.
    stage.github.close("acme/app", 1, "completed");
    expect(await stage.syncOne()).toMatchObject({ postWrites: 0, failed: 0 });
    stage.github.close("acme/app", 2, "completed");
    stage.clock.skip(16 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ postWrites: 0, failed: 0 });
    const id = stage.ledger.memory.project("acme-app")?.id;
    const said = id === undefined ? [] : await stage.ledger.rows.waiting(id, 9);
    expect(new Set(said.map(({ post, kind }) => `${post} ${kind}`))).toEqual(
      new Set(["p1 disagreement", "p2 disagreement"]),
    );
    stage.github.reopen("acme/app", 1);
    stage.github.label("acme/app", 1, "in progress");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1 });
  });

  it("knows an issue also where people have written above its mark, and no address names its post", async () => {
    const stage = await openPosts(1, { style: { hidden: ["url"] } });
    const { body } = stage.github.issue("acme/app", 1);
    stage.github.edit("acme/app", 1, { body: `**Update:** we are on it.\n\n${body}` });
    stage.loseState();
    expect(await stage.syncOne()).toMatchObject({ adopted: 1 });
    for (let run = 0; run < 3; run += 1) {
      stage.clock.skip(20 * minuteMs);
      expect(await stage.syncOne()).toMatchObject({ created: 0 });
    }
  });

  it.each([
    ["nothing", 0],
    ["only its newest", 1],
  ])("opens nothing while GitHub's list of our issues shows %s, and says so", async (_, shown) => {
    const stage = await openStory();
    addPlanned(stage, 1);
    stage.loseState();
    let isShort = true;
    stage.bend((world) => ({ ...world, tracker: shortening(world.tracker, () => (isShort ? shown : 99)) }));
    for (let run = 0; run < 2; run += 1) {
      const report = await stage.syncOne();
      expect(report).toMatchObject({ created: 0, errors: [{ code: "tracker.unreadable" }] });
      expect(report.errors[0]?.message).toContain("lacks acme/app#1");
    }
    isShort = false;
    expect(await stage.syncOne()).toMatchObject({ created: 0, issues: 3, errors: [] });
    stage.clock.skip(20 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ created: 1, issues: 4 });
    expect(stage.github.issues("acme/app")).toHaveLength(4);
  });

  it("opens nothing either where the account has opened a hundred pull requests before its first issue", async () => {
    const stage = await openStage();
    for (let count = 0; count < 100; count += 1)
      stage.github.openPullRequest("acme/app", { title: `Pull ${count}`, author: "boardsync-bot" });
    addPlanned(stage, 1);
    await stage.sync();
    stage.loseState();
    stage.bend((world) => ({ ...world, tracker: shortening(world.tracker, () => 0) }));
    const report = await stage.syncOne();
    expect(report).toMatchObject({ created: 0, errors: [{ code: "tracker.unreadable" }] });
    stage.clock.skip(20 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ created: 0 });
  });

  it("says as later what it can't decide before it has read a signal, and nothing in the run after it", async () => {
    const rules = [{ when: { pullRequest: "merged" }, set: { status: "completed" } }];
    const stage = await openPosts(2, { projects: [{ ...standardProject, rules }] });
    stage.loseState();
    const stateAfter = async () => (await stage.run("sync")).projectsAfter[0]?.state;
    expect(await stateAfter()).toMatchObject({ kind: "later", later: { undecided: 2 } });
    expect(await stateAfter()).toMatchObject({ kind: "in-sync" });
  });

  it("adopts with `writes: none`, too", async () => {
    const stage = await openStory();
    stage.loseState();
    stage.reconfigure({ projects: [{ ...standardProject, writes: "none" }] });
    expect(await stage.syncOne()).toMatchObject({ adopted: 3, issues: 3 });
  });

  it("says so where several issues carry the marker of a post, and takes the first", async () => {
    const stage = await openStory();
    const { body } = stage.github.issue("acme/app", 3);
    stage.github.openIssue("acme/app", { title: "Twin", body, author: stage.github.login });
    stage.loseState();
    const report = await stage.syncOne();
    expect(report).toMatchObject({
      adopted: 3,
      errors: [{ post: "p3", issue: "acme/app#3", code: "tracker.duplicate" }],
    });
  });
});

/** Another instance with the same account goes on opening issues in the same repository. */
function openElsewhere({ board, github }: Stage): void {
  const id = `x${github.issues("acme/app").length}` as PostId;
  const mark = { board: boardHash(board.url), project: "prj_other" as ProjectId, posts: [id] };
  github.openIssue("acme/app", { title: "Theirs", body: formatMarker(mark), author: github.login });
}

it.each<[string, (stage: Stage) => void, (stage: Stage) => void]>([
  ["of a post that is gone", ({ board }) => board.removePost("acme-app", "p3"), () => undefined],
  ["of another instance", openElsewhere, openElsewhere],
])("waits once where issues of ours carry marks %s", async (_, before, meanwhile) => {
  const stage = await openStory();
  before(stage);
  stage.loseState();
  addPlanned(stage, [{ title: "New" }]);
  await stage.sync();
  for (let run = 0; run < 3; run += 1) {
    meanwhile(stage);
    stage.clock.skip(16 * minuteMs);
    await stage.sync();
  }
  expect(stage.github.issues("acme/app").map(({ title }) => title)).toContain("New");
});

it("looks through our issues once more when the wait is over: what came late may stand behind newer ones in a list", async () => {
  const stage = await openStage();
  addPlanned(stage, 1);
  await stage.sync();
  stage.loseState();
  await stage.sync();
  const scans = async (): Promise<number> => {
    stage.mark();
    await stage.sync();
    return stage.github.requests.filter(({ query }) => query["creator"] !== undefined).length;
  };
  expect(await scans()).toBe(0);
  stage.clock.skip(15 * minuteMs);
  expect(await scans()).toBe(1);
  expect(await scans()).toBe(0);
});

describe("a lost state of a project with several repositories", () => {
  it("opens nothing before all of them have been searched: the post may have its issue there", async () => {
    const stage = await openStage(twoRepositories);
    addPlanned(stage, [{ categoryId: "cat_api" }]);
    await stage.sync();
    stage.board.editPost("acme-app", "p1", { categoryId: null });
    stage.loseState();
    const answer = { kind: "answer", status: 404, body: { message: "Not Found" } } as const;
    stage.github.failNext({ path: "/repos/acme/api", answer });
    expect(await stage.syncOne()).toMatchObject({ failed: 1, created: 0, waiting: 1 });
    expect(await waitingWords(stage)).toContain("acme/api could not be searched yet");
    expect(await stage.syncOne()).toMatchObject({ failed: 0, created: 0, adopted: 1 });
    expect(stage.github.issues("acme/app")).toEqual([]);
  });

  it("lets new issues wait also where the search broke off after what it shows was linked", async () => {
    const stage = await openStage(twoRepositories);
    addPlanned(stage, [{ categoryId: "cat_api" }]);
    await stage.sync();
    stage.loseState();
    addPlanned(stage, 1);
    // The list of changes comes through, and the search for marks does not.
    const answer = { kind: "answer", status: 404, body: { message: "Not Found" } } as const;
    stage.github.failNext({ path: /acme\/api\/issues$/, after: 1, answer });
    expect(await stage.syncOne()).toMatchObject({ adopted: 1, created: 0, waiting: 1 });
    expect(await stage.syncOne()).toMatchObject({ adopted: 0, created: 0, waiting: 1 });
    stage.clock.skip(15 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ created: 1, waiting: 0 });
  });

  it("lets new issues wait in all of them when one of them shows what was lost", async () => {
    const stage = await openStage(twoRepositories);
    addPlanned(stage, [{ categoryId: "cat_api" }]);
    await stage.sync();
    stage.loseState();
    addPlanned(stage, 1);
    expect(await stage.syncOne()).toMatchObject({ created: 0, adopted: 1, waiting: 1 });
    expect(await waitingWords(stage)).toContain(
      "the state was lost or restored, and a request that was sent before that may still arrive",
    );
    stage.clock.skip(15 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ created: 1, waiting: 0 });
  });
});

describe("a mark of ours that a collaborator has changed", () => {
  it("gives no post another one's issue, is said, and a person may link the two", async () => {
    const stage = await openStage();
    addPlanned(stage, 1);
    await stage.sync();
    const body = stage.github.issue("acme/app", 1).body ?? "";
    const named = (id: string): string => Buffer.from(id).toString("base64url");
    const [, mark = ""] = /posts=(\S+)/.exec(body) ?? [];
    expect(mark).toBe(named("p1"));
    addPlanned(stage, [{ title: "Another" }]);
    stage.github.edit("acme/app", 1, { body: body.replace(`posts=${mark}`, `posts=${named("p2")}`) });
    const report = await stage.syncOne();
    expect(report.errors).toMatchObject([{ code: "tracker.mark", post: "p2", issue: "acme/app#1" }]);
    expect(report.errors[0]?.message).toContain("`boardsync link acme-app/p2 acme/app#1`");
    expect(report).toMatchObject({ adopted: 0, created: 1 });
    stage.github.close("acme/app", 1, "completed");
    await stage.sync();
    expect(stage.board.post("acme-app", "p1")?.status).toBe("completed");
    expect(stage.board.post("acme-app", "p2")?.status).toBe("planned");
  });

  it("is said by whichever project reads it, of whichever project it is", async () => {
    const projects = [standardProject, { ...standardProject, project: "acme-api" }];
    const stage = await openStage({ boardProjects: twoProjects, projects });
    addPlanned(stage, [{}, { status: "open" }], "acme-api");
    await stage.sync();
    const body = stage.github.issue("acme/app", 1).body ?? "";
    const named = (id: string): string => Buffer.from(id).toString("base64url");
    stage.github.edit("acme/app", 1, { body: body.replace(named("p1"), `${named("p1")},${named("p2")}`) });
    const { projects: told } = await stage.sync();
    expect(told.flatMap(({ project, errors }) => errors.map(({ code }) => [project, code]))).toEqual([
      ["acme-app", "tracker.mark"],
    ]);
    expect(told[0]?.errors[0]?.message).toContain("`boardsync link acme-api/p2 acme/app#1`");
  });
});

describe("markers that are not ours", () => {
  it.each([
    // It links nothing; the post's page stands in its text, so a person says whether it is the post's.
    ["of a stranger", { author: "mallory" }, {}, { adopted: 2, created: 0, held: 1 }],
    [
      "of an earlier bot account",
      { author: "old-bot" },
      { tracker: { trustedAuthors: ["Old-Bot"] } },
      { adopted: 3, created: 0, held: 0 },
    ],
  ])("%s", async (_, author, config, result) => {
    const stage = await openStory();
    const { body } = stage.github.issue("acme/app", 3);
    stage.github.deleteIssue("acme/app", 3);
    stage.github.openIssue("acme/app", { title: "Mine", body, ...author });
    stage.loseState();
    stage.reconfigure({ config: { ...config, waits: { create: "0s" } } });
    expect(await stage.syncOne()).toMatchObject(result);
  });

  it("of another board are no business of this one", async () => {
    const stage = await openStory();
    const theirs = Buffer.from("prj_theirs").toString("base64url");
    const body = (stage.github.issue("acme/app", 3).body ?? "")
      .replace(/board=[0-9a-f]{4}/, "board=0000")
      .replace(/project=\S+/, `project=${theirs}`);
    stage.github.deleteIssue("acme/app", 3);
    stage.github.openIssue("acme/app", { title: "Theirs", body, author: stage.github.login });
    stage.loseState();
    stage.reconfigure({ config: { waits: { create: "0s" } } });
    expect(await stage.syncOne()).toMatchObject({ adopted: 2, created: 1 });
  });
});

describe("a login whose markers count from now on", () => {
  it("has its issues looked through, once", async () => {
    const stage = await openStage();
    addPlanned(stage, 2);
    stage.reconfigure({ projects: [{ ...standardProject, select: { statuses: ["none"] } }] });
    await stage.sync();
    const marker = (post: string): string =>
      formatMarker({
        board: boardHash(stage.board.url),
        project: "prj_app" as ProjectId,
        posts: [post as PostId],
      });
    stage.github.openIssue("acme/app", { title: "One", body: `${marker("p1")}\nText`, author: "old-bot" });
    expect(await stage.syncOne()).toMatchObject({ adopted: 0, issues: 0 });
    stage.clock.skip(10 * minuteMs);
    stage.reconfigure({ config: { tracker: { trustedAuthors: ["old-bot"] } } });
    stage.mark();
    expect(await stage.syncOne()).toMatchObject({ adopted: 1, issues: 1 });
    const scanned = (): readonly unknown[] =>
      stage.github.requests.flatMap(({ query }) => query["creator"] ?? []);
    // From both ends.
    expect(scanned()).toEqual(["old-bot", "old-bot"]);
    stage.mark();
    await stage.sync();
    expect(scanned()).toEqual([]);
  });
});

describe("a second issue with the mark of a post that has one", () => {
  async function openTwins(): Promise<Stage> {
    const stage = await openStage({ config: { fullEvery: "1h" } });
    addPlanned(stage, 1);
    await stage.sync();
    const { body } = stage.github.issue("acme/app", 1);
    stage.clock.skip(minuteMs);
    stage.github.openIssue("acme/app", { title: "Twin", body, author: stage.github.login });
    return stage;
  }

  it("is said when it is found and at every full look, and never closed", async () => {
    const stage = await openTwins();
    const twin = {
      post: "p1",
      issue: "acme/app#1",
      code: "tracker.duplicate",
      message: expect.stringContaining("acme/app#2"),
    };
    expect(await stage.syncOne()).toMatchObject({ errors: [twin] });
    expect(await stage.syncOne()).toMatchObject({ errors: [] });
    stage.clock.skip(hourMs);
    expect(await stage.syncOne()).toMatchObject({ errors: [twin] });
    expect(stage.github.issue("acme/app", 2).state).toBe("open");
    expect(stage.ledger.copiedAt).toBeUndefined();
  });

  it("is said in a recovery, too, and makes no other issue wait in a later scan", async () => {
    const stage = await openTwins();
    await stage.sync();
    await stage.backUp();
    stage.putBack();
    expect(await stage.syncOne()).toMatchObject({ errors: [{ code: "tracker.duplicate" }] });
    stage.clock.skip(hourMs);
    stage.reconfigure({ config: { tracker: { trustedAuthors: ["old-bot"] } } });
    addPlanned(stage, 1);
    expect(await stage.syncOne()).toMatchObject({ created: 1, waiting: 0 });
  });

  it("is said no more when people have closed it", async () => {
    const stage = await openTwins();
    await stage.sync();
    stage.github.close("acme/app", 2, "duplicate");
    stage.clock.skip(hourMs);
    expect(await stage.syncOne()).toMatchObject({ errors: [] });
  });

  it("is no second one when the issue has moved to another repository", async () => {
    const stage = await openPosts(1, twoRepositories);
    stage.clock.skip(hourMs);
    stage.github.transfer("acme/app", 1, "acme/api");
    const report = await stage.syncOne();
    expect(report.errors.filter(({ code }) => code === "tracker.duplicate")).toEqual([]);
    expect(stage.ledger.copiedAt).toBeUndefined();
  });
});

describe("the full look", () => {
  it("reads issues of ours by the hundred, and finds what a list has hidden", async () => {
    const stage = await openStage({
      config: { fullEvery: "1h" },
      projects: [
        { ...standardProject, rules: [{ when: { labels: ["doing"] }, set: { status: "in_progress" } }] },
      ],
    });
    addPlanned(stage, 3);
    await stage.sync();
    stage.github.label("acme/app", 2, "working");
    stage.clock.skip(10 * minuteMs);
    for (let opened = 0; opened < 110; opened += 1) stage.github.openIssue("acme/app", { title: "Noise" });
    await stage.sync();
    // A rename moves no issue's time, and another label with the old name hides it from the list of labels.
    stage.github.renameLabel("acme/app", "working", "doing");
    stage.github.label("acme/app", 100, "working");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 0 });
    stage.mark();
    stage.clock.skip(hourMs);
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1 });
    expect(stage.reads().filter((read) => /issues\/\d/.test(read))).toEqual([]);
    expect(stage.reads()).toContain("GET /user");
  });

  it("reads one by one the few that others opened", async () => {
    const stage = await openStory();
    const { body } = stage.github.issue("acme/app", 3);
    stage.github.deleteIssue("acme/app", 3);
    stage.github.openIssue("acme/app", { title: "Mine", body, author: "old-bot" });
    stage.loseState();
    stage.reconfigure({ config: { tracker: { trustedAuthors: ["old-bot"] } } });
    await stage.sync();
    stage.mark();
    stage.clock.skip(7 * hourMs);
    await stage.sync();
    const single = stage.reads().filter((read) => /issues\/\d/.test(read));
    expect(single).toHaveLength(1);
  });
});

describe("many changes between two runs", () => {
  it("are all seen, also beyond the first page", async () => {
    const stage = await openStage({
      config: {
        tracker: { pace: { createsPerMinute: 500, createsPerHour: 500 } },
        guard: { issues: 500, statuses: 500 },
      },
    });
    addPlanned(stage, 130);
    expect(await stage.syncOne()).toMatchObject({ created: 130 });
    stage.clock.skip(hourMs);
    for (let number = 1; number <= 130; number += 1) stage.github.close("acme/app", number, "completed");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 130 });
  });
});

async function waitingWords(stage: Stage): Promise<string> {
  const id = stage.ledger.memory.project("acme-app")?.id ?? ("" as ProjectId);
  return (await stage.ledger.rows.waiting(id, 99)).map(({ message }) => message).join("\n");
}
