import { describe, expect, it } from "vitest";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import type { Tracker } from "../../src/tracker/tracker.ts";
import type { SandboxFault } from "../support/sandbox/github/faults.ts";
import { openPosts, privateRepositories } from "../support/setups.ts";
import { addPlanned, hourMs, minuteMs, openStage, type Stage, standardProject } from "../support/stage.ts";

const createPath = { method: "POST", path: /\/issues$/ } as const;
const lost: SandboxFault = { ...createPath, answer: { kind: "answer", status: 502 } };

function creates(stage: Stage): number {
  return stage.writes().filter((write) => write.endsWith("/issues")).length;
}

/** A GitHub whose lists are empty, but for the one of everything that anybody opened. */
function withCutLists(tracker: Tracker): Tracker {
  return Object.assign(Object.create(tracker), {
    async *listIssues(...given: Parameters<Tracker["listIssues"]>) {
      const [, query] = given;
      const isWhole = query.kind === "by" && query.author === undefined;
      for await (const page of tracker.listIssues(...given))
        yield isWhole ? page : { ...page, issues: [], rows: [] };
    },
  });
}

async function openIntents(stage: Stage): Promise<readonly string[]> {
  const id = stage.ledger.memory.project("acme-app")?.id;
  return id === undefined
    ? []
    : (await stage.ledger.journal.open(id)).map(({ kind, state }) => `${kind} ${state}`);
}

describe("an issue whose opening got no answer that counts", () => {
  it.each<[string, SandboxFault]>([
    ["502", { ...lost, applied: true }],
    ["a reset", { ...createPath, applied: true, answer: { kind: "reset" } }],
    ["half an answer", { ...createPath, answer: { kind: "truncate" } }],
    ["200 with a list", { ...createPath, applied: true, answer: { kind: "answer", status: 200, body: [] } }],
    ["408", { ...createPath, applied: true, answer: { kind: "answer", status: 408 } }],
  ])("%s after it was opened: it is not sent again, and found by its marker", async (_, fault) => {
    const stage = await openStage();
    addPlanned(stage, 1);
    stage.github.failNext(fault);
    const report = await stage.sync();
    expect(report).toMatchObject({
      result: "partial",
      projects: [
        { created: 0, waiting: 1, errors: [{ post: "p1", issue: "acme/app", code: "tracker.unknown" }] },
      ],
    });
    expect(await openIntents(stage)).toEqual(["create-issue UNKNOWN"]);
    expect(await stage.sync()).toMatchObject({
      result: "ok",
      projects: [{ created: 1, waiting: 0, issues: 1 }],
    });
    expect(await openIntents(stage)).toEqual([]);
    expect(creates(stage)).toBe(1);
    // As if the answer had arrived: a rule that matches writes at once, and the text follows the post.
    stage.github.close("acme/app", 1, "completed");
    stage.board.editPost("acme-app", "p1", { description: "Changed." });
    expect(await stage.syncOne()).toMatchObject({ postWrites: 1, issueWrites: 1 });
  });

  it.each<[string, (stage: Stage) => unknown]>([
    ["that is there", () => undefined],
    [
      "that was found by its mark",
      async (stage) => {
        stage.loseState();
        await stage.sync();
        stage.clock.skip(hourMs);
        await stage.sync();
      },
    ],
    ["that is older than one that was deleted", (stage) => stage.github.deleteIssue("acme/app", 3)],
  ])("is not sent again for as long as lists lack an issue of ours %s", async (_, prepare) => {
    let isCut = true;
    const stage = await openPosts(3);
    await prepare(stage);
    stage.mark();
    addPlanned(stage, 1);
    stage.github.failNext({ ...lost, applied: true });
    stage.github.failNext({
      ...{ method: "GET", path: /\/issues$/, times: 100, when: () => isCut },
      answer: { kind: "answer", status: 200, body: [] },
    });
    await stage.sync();
    for (let hour = 0; hour < 3; hour += 1) {
      stage.clock.skip(hourMs);
      await stage.sync();
    }
    const { errors } = await stage.syncOne();
    expect(errors).toMatchObject([
      { code: "tracker.unreadable", message: expect.stringMatching(/lacks #[23]/) },
    ]);
    expect(creates(stage)).toBe(1);
    isCut = false;
    expect(await stage.syncOne()).toMatchObject({ created: 1, errors: [] });
    expect(creates(stage)).toBe(1);
  });

  it("is taken from whatever list shows it", async () => {
    const stage = await openStage();
    stage.bend((world) => ({ ...world, tracker: withCutLists(world.tracker) }));
    addPlanned(stage, 1);
    stage.github.failNext({ ...lost, applied: true });
    for (let round = 0; round < 4; round += 1) {
      await stage.sync();
      stage.clock.skip(20 * minuteMs);
    }
    expect(creates(stage)).toBe(1);
    expect(await stage.syncOne()).toMatchObject({ issues: 1, waiting: 0 });
  });

  it("and was not opened: after the wait it is opened, once", async () => {
    const stage = await openStage();
    addPlanned(stage, 2);
    stage.github.failNext({ ...lost, times: 2 });
    await stage.sync();
    for (let minute = 0; minute < 13; minute += 1) {
      expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ created: 0, waiting: 2 }] });
    }
    expect(creates(stage)).toBe(2);
    stage.mark();
    stage.clock.skip(2 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ created: 2, waiting: 0 });
    expect(creates(stage)).toBe(2);
    // One look for both, by the account as it is now.
    expect(stage.reads().filter((read) => read === "GET /user")).toHaveLength(1);
    expect(stage.github.issues("acme/app")).toHaveLength(2);
  });

  it("and that none of five requests has opened waits for a person", async () => {
    const stage = await openStage();
    addPlanned(stage, 2);
    const isOpening = { method: "POST", path: /\/issues$/ } as const;
    const opened = (): number =>
      stage.github.requests.filter(({ method, path }) => method === "POST" && isOpening.path.test(path))
        .length;
    stage.github.failNext({ ...isOpening, times: 100, answer: { kind: "answer", status: 502 } });
    for (let round = 0; round < 6; round += 1) {
      await stage.sync();
      stage.clock.skip(16 * minuteMs);
    }
    const told = await stage.syncOne();
    expect(told).toMatchObject({ parked: 2, failed: 0 });
    expect(opened()).toBe(10);
    await stage.sync();
    expect(opened()).toBe(10);
  });

  it.each<[string, string, (stage: Stage) => void]>([
    ["text", "no mark of a post", ({ github }) => github.edit("acme/app", 1, { body: "Rewritten." })],
    ["place", "was moved", ({ github }) => void github.transfer("acme/app", 1, "acme/attic")],
    ["end", "was deleted", ({ github }) => github.deleteIssue("acme/app", 1)],
    [
      "end, and others came after it",
      "acme/app#1, which was deleted",
      ({ github }) => {
        github.openIssue("acme/app", { title: "A stranger's", body: "", author: "stranger" });
        github.deleteIssue("acme/app", 1);
        github.openPullRequest("acme/app", { title: "A fix" });
      },
    ],
  ])(
    "and to which people gave another %s before it was found: the post waits for a person",
    async (_, words, act) => {
      const stage = await openStage({ repositories: privateRepositories("acme/app", "acme/attic") });
      addPlanned(stage, 1);
      stage.github.failNext({ ...lost, applied: true });
      await stage.sync();
      act(stage);
      stage.clock.skip(20 * minuteMs);
      const { parked, errors } = await stage.syncOne();
      expect([parked, errors]).toMatchObject([1, [{ post: "p1", code: "tracker.unsure" }]]);
      expect(errors[0]?.message).toContain(words);
      // Whatever its text is by now, and also when it was out of the selection meanwhile.
      stage.board.editPost("acme-app", "p1", { title: "Better", status: "open" });
      expect(await stage.syncOne()).toMatchObject({ parked: 1 });
      stage.board.editPost("acme-app", "p1", { status: "planned" });
      expect(await stage.syncOne()).toMatchObject({ parked: 1 });
      expect(creates(stage)).toBe(1);
      const project = "prj_app" as ProjectId;
      const request = { kind: "retry", posts: ["p1" as PostId], project, at: stage.clock.now() } as const;
      await stage.ledger.commit([{ kind: "add-request", request }]);
      expect(await stage.syncOne()).toMatchObject({ parked: 0, created: 1 });
    },
  );

  it("and that people transferred is found by its mark, where the config names the repository", async () => {
    const stage = await openStage({
      repositories: privateRepositories("acme/app", "acme/api"),
      projects: [{ ...standardProject, route: [{ category: "cat_api", repo: "acme/api" }] }],
    });
    addPlanned(stage, 1);
    stage.github.failNext({ ...lost, applied: true });
    await stage.sync();
    stage.github.transfer("acme/app", 1, "acme/api");
    stage.clock.skip(20 * minuteMs);
    await stage.syncOne();
    expect(await stage.syncOne()).toMatchObject({ issues: 1, parked: 0 });
    expect(creates(stage)).toBe(1);
  });

  /** Of two repositories; of one an issue of two days ago is moved to the other later. */
  async function openBesideOlder(issues: number): Promise<Stage> {
    const stage = await openStage({ repositories: privateRepositories("acme/app", "acme/attic") });
    stage.github.openIssue("acme/attic", { title: "An older one" });
    stage.clock.skip(24 * hourMs);
    for (let count = 0; count < issues; count += 1)
      stage.github.openIssue("acme/app", { title: "A stranger's" });
    stage.clock.skip(24 * hourMs);
    addPlanned(stage, 1);
    return stage;
  }

  it("and that people deleted is no less in doubt where an older issue was moved there after it", async () => {
    const stage = await openBesideOlder(1);
    stage.github.failNext({ ...lost, applied: true });
    await stage.sync();
    stage.github.deleteIssue("acme/app", 2);
    stage.github.transfer("acme/attic", 1, "acme/app");
    stage.clock.skip(20 * minuteMs);
    const { parked, errors } = await stage.syncOne();
    expect([parked, errors[0]?.message]).toEqual([
      1,
      expect.stringContaining("acme/app#2, which was deleted"),
    ]);
    expect(creates(stage)).toBe(1);
  });

  it("and was not opened, and an issue that is older than all of the list was moved there: it is opened", async () => {
    const stage = await openBesideOlder(120);
    stage.github.failNext(lost);
    await stage.sync();
    stage.github.transfer("acme/attic", 1, "acme/app");
    stage.clock.skip(20 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ created: 1, parked: 0, errors: [] });
  });

  it("is looked for as far back as it was sent, by whichever clock", async () => {
    const stage = await openStage();
    const now = (): number => stage.clock.now() + 3 * hourMs;
    stage.bend((world) => ({ ...world, clock: { ...world.clock, now } }));
    addPlanned(stage, 1);
    stage.github.failNext({ ...lost, applied: true });
    await stage.sync();
    stage.github.edit("acme/app", 1, { body: "Rewritten." });
    stage.clock.skip(20 * minuteMs);
    stage.github.openIssue("acme/app", { title: "A stranger's" });
    const { parked, errors } = await stage.syncOne();
    expect([parked, errors]).toMatchObject([1, [{ post: "p1", code: "tracker.unsure" }]]);
    expect(creates(stage)).toBe(1);
  });

  it("says where issues are switched off, also in a repository that the config does not name any more", async () => {
    const stage = await openStage({ repositories: privateRepositories("acme/app", "acme/api") });
    addPlanned(stage, 1);
    stage.github.failNext({ ...lost, applied: true });
    await stage.sync();
    stage.reconfigure({ projects: [{ ...standardProject, repo: "acme/api" }] });
    stage.github.disableIssues("acme/app");
    stage.clock.skip(20 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ waiting: 1, errors: [{ code: "tracker.no-issues" }] });
    stage.github.enableIssues("acme/app");
    expect(await stage.syncOne()).toMatchObject({ created: 1, waiting: 0, errors: [] });
  });

  it("and was not opened, while others opened what they wanted: it is opened after the wait", async () => {
    const stage = await openPosts(1);
    stage.github.openIssue("acme/app", { title: "Our own, by hand", body: "", author: stage.github.login });
    stage.clock.skip(hourMs);
    stage.mark();
    addPlanned(stage, 1);
    stage.github.failNext(lost);
    await stage.sync();
    for (let count = 0; count < 120; count += 1) stage.github.openPullRequest("acme/app", { title: "A fix" });
    stage.github.openIssue("acme/app", { title: "A stranger's", body: "", author: "stranger" });
    stage.clock.skip(20 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ created: 1, parked: 0 });
    expect(creates(stage)).toBe(2);
  });

  it("and landed late: the scan after the wait finds it", async () => {
    const stage = await openStage();
    addPlanned(stage, 1);
    stage.github.failNext({ ...lost, applied: "late" });
    await stage.sync();
    stage.clock.skip(14 * minuteMs);
    stage.github.landLate();
    stage.github.setLag({ listMs: 3 * minuteMs });
    stage.clock.skip(5 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ created: 1, issues: 1 });
    expect(creates(stage)).toBe(1);
  });

  it("stays unknown while it can't be looked for, and the rest goes on", async () => {
    const stage = await openStage();
    addPlanned(stage, 1);
    stage.github.failNext(lost);
    await stage.sync();
    stage.clock.skip(20 * minuteMs);
    addPlanned(stage, 1);
    const hidden = { kind: "answer", status: 404, body: { message: "Not Found" } } as const;
    stage.github.failNext({ path: "/user", answer: hidden });
    const report = await stage.syncOne();
    expect(report).toMatchObject({
      created: 1,
      waiting: 1,
      errors: [{ post: "p1", code: "tracker.missing" }],
    });
    expect(await openIntents(stage)).toEqual(["create-issue UNKNOWN"]);
    expect(await stage.syncOne()).toMatchObject({ created: 1, waiting: 0, failed: 0 });
    expect(stage.github.issues("acme/app")).toHaveLength(2);
  });

  it("is looked for where it was sent, even when its posts go elsewhere now", async () => {
    const stage = await openStage({
      repositories: privateRepositories("acme/app", "acme/api"),
    });
    addPlanned(stage, 1);
    stage.github.failNext({ ...lost, applied: true });
    await stage.sync();
    stage.reconfigure({ projects: [{ ...standardProject, repo: "acme/api" }] });
    stage.clock.skip(20 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ created: 1, issues: 1, waiting: 0 });
    expect(await stage.syncOne()).toMatchObject({ created: 0, issues: 1 });
    expect(stage.github.issues("acme/api")).toEqual([]);
  });

  it("is opened in the other repository when it was refused for a time in the first", async () => {
    const stage = await openStage({
      repositories: privateRepositories("acme/app", "acme/api"),
    });
    addPlanned(stage, 1);
    stage.github.failNext({
      ...createPath,
      answer: {
        kind: "answer",
        status: 403,
        headers: { "retry-after": "60" },
        body: { message: "You have exceeded a secondary rate limit." },
      },
    });
    expect(await stage.syncOne()).toMatchObject({ waiting: 1, failed: 0 });
    stage.reconfigure({ projects: [{ ...standardProject, repo: "acme/api" }] });
    stage.github.failNext({ ...lost, applied: true });
    stage.clock.skip(5 * minuteMs);
    await stage.sync();
    stage.clock.skip(20 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ created: 1, issues: 1 });
    expect(stage.github.issues("acme/app")).toEqual([]);
    expect(stage.github.issues("acme/api")).toHaveLength(1);
  });

  it("that somebody opened twice is taken by its lowest number, and said", async () => {
    const stage = await openStage();
    addPlanned(stage, 1);
    stage.github.failNext({ ...lost, applied: true });
    await stage.sync();
    const body = stage.github.issue("acme/app", 1).body;
    stage.github.openIssue("acme/app", { title: "Twin", body, author: stage.github.login });
    const report = await stage.syncOne();
    expect(report).toMatchObject({
      created: 1,
      issues: 1,
      // Also where both were opened in the same second.
      errors: [{ issue: "acme/app#1", code: "tracker.duplicate", message: expect.stringContaining("#2") }],
    });
    expect(await stage.sync()).toMatchObject({ result: "ok" });
  });
});

describe("a process that dies", () => {
  it.each(["before", "after"] as const)("%s a create is sent opens no second issue", async (when) => {
    const stage = await openStage();
    addPlanned(stage, 3);
    stage.crashAt("tracker", when);
    await expect(stage.sync()).rejects.toThrow("The process died.");
    stage.restart();
    expect(await openIntents(stage)).toEqual(["create-issue SENT"]);
    await stage.sync();
    expect(stage.log.join()).toContain("Writes were under way when the last run ended");
    stage.clock.skip(16 * minuteMs);
    await stage.sync();
    expect(
      stage.github
        .issues("acme/app")
        .map(({ title }) => title)
        .toSorted(),
    ).toEqual(["Post 1", "Post 2", "Post 3"]);
    expect(await openIntents(stage)).toEqual([]);
    expect(await stage.syncOne()).toMatchObject({ issues: 3, waiting: 0 });
  });
});

describe("an issue that GitHub refuses to open", () => {
  it.each<[string, number, object]>([
    ["400", 400, { message: "Problems parsing JSON" }],
    [
      "422",
      422,
      { message: "Validation Failed", errors: [{ resource: "Issue", field: "title", code: "invalid" }] },
    ],
    ["403 of a lock", 403, { message: "The conversation is locked." }],
  ])("with %s is parked, said, and not sent again", async (_, status, body) => {
    const stage = await openStage();
    addPlanned(stage, 2);
    stage.github.failNext({ ...createPath, answer: { kind: "answer", status, body } });
    const report = await stage.sync();
    expect(report).toMatchObject({
      result: "partial",
      projects: [{ created: 1, parked: 1, errors: [{ post: "p1", code: "tracker.rejected" }] }],
    });
    expect(await stage.sync()).toMatchObject({ result: "held", projects: [{ parked: 1, errors: [] }] });
    expect(creates(stage)).toBe(2);
    // Another text is another issue.
    stage.board.editPost("acme-app", "p1", { title: "Better" });
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ created: 1, parked: 0 }] });
  });

  it("is parked no more when the post is not selected any more", async () => {
    const stage = await openStage();
    addPlanned(stage, 1);
    stage.github.failNext({
      ...createPath,
      answer: { kind: "answer", status: 422, body: { message: "no" } },
    });
    await stage.sync();
    stage.board.editPost("acme-app", "p1", { status: "open" });
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ parked: 0, skipped: 1 }] });
  });

  it("also without the field that it named first, is parked", async () => {
    const stage = await openStage({ projects: [{ ...standardProject, issue: { assignees: ["stranger"] } }] });
    addPlanned(stage, 1);
    stage.github.failNext({
      ...createPath,
      after: 1,
      answer: { kind: "answer", status: 422, body: { message: "no" } },
    });
    expect(await stage.syncOne()).toMatchObject({
      parked: 1,
      errors: [{ code: "tracker.field-refused" }, { code: "tracker.rejected" }],
    });
  });

  it("because of a limit waits, which is no failure, and ends the tracker side of this run", async () => {
    const stage = await openStage();
    addPlanned(stage, 3);
    const body = { message: "You have exceeded a secondary rate limit." };
    stage.github.failNext({
      ...createPath,
      after: 1,
      answer: { kind: "answer", status: 403, headers: { "retry-after": "120" }, body },
    });
    expect(await stage.sync()).toMatchObject({
      result: "ok",
      projects: [{ created: 1, waiting: 2, failed: 0 }],
    });
    expect(creates(stage)).toBe(2);
    stage.clock.skip(2 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ created: 2, waiting: 0 });
  });

  it("waits no more when its post is not selected any more", async () => {
    const stage = await openStage();
    addPlanned(stage, 1);
    const body = { message: "You have exceeded a secondary rate limit." };
    const answer = { kind: "answer", status: 403, headers: { "retry-after": "60" }, body } as const;
    stage.github.failNext({ ...createPath, answer });
    await stage.sync();
    expect(await openIntents(stage)).toEqual(["create-issue PREPARED"]);
    stage.board.editPost("acme-app", "p1", { status: "open" });
    expect(await stage.syncOne()).toMatchObject({ waiting: 0, skipped: 1 });
    expect(await openIntents(stage)).toEqual([]);
  });

  it("because GitHub can't be reached any more was not sent, and ends the tracker side of this run", async () => {
    const stage = await openStage();
    addPlanned(stage, 4);
    stage.atNextWrite("tracker", "before", () => stage.github.stop());
    const report = await stage.syncOne();
    // A connection that was kept open may break first: nobody knows what became of that request.
    expect(report.created).toBe(0);
    expect(report.errors.at(-1)?.code).toBe("tracker.unreachable");
    expect((await openIntents(stage)).at(-1)).toBe("create-issue PREPARED");
    expect((await openIntents(stage)).length).toBeLessThan(4);
  });

  it("with a limit while a label is made for it waits, too", async () => {
    const stage = await openStage({ repositories: [{ name: "acme/app", private: true }] });
    addPlanned(stage, 1);
    const body = { message: "You have exceeded a secondary rate limit." };
    const answer = { kind: "answer", status: 403, headers: { "retry-after": "60" }, body } as const;
    stage.github.failNext({ method: "POST", path: /\/labels$/, answer });
    expect(await stage.sync()).toMatchObject({
      result: "ok",
      projects: [{ created: 0, waiting: 1, failed: 0 }],
    });
    stage.clock.skip(minuteMs);
    expect(await stage.syncOne()).toMatchObject({ created: 1, waiting: 0 });
  });

  it.each([
    ["401", { kind: "answer", status: 401, body: { message: "Bad credentials" } }, "tracker.unauthorized"],
  ] as const)("because of %s ends the tracker side of this run", async (_, answer, code) => {
    const stage = await openStage();
    addPlanned(stage, 3);
    stage.github.failNext({ ...createPath, answer });
    expect(await stage.syncOne()).toMatchObject({
      created: 0,
      waiting: 2,
      failed: 1,
      errors: [{ post: "p1", code }],
    });
    expect(creates(stage)).toBe(1);
    expect(await stage.syncOne()).toMatchObject({ created: 3, failed: 0, waiting: 0 });
  });
});

it("an opening without an answer is found also where the token is another account's by then", async () => {
  const stage = await openStage({ style: { hidden: ["url"] } });
  addPlanned(stage, 1);
  stage.github.failNext({ ...createPath, applied: true, answer: { kind: "reset" } });
  await stage.sync();
  const token = "token-of-the-other-bot-0123456789";
  stage.clock.skip(8 * hourMs);
  stage.github.setPush("acme/app", true, "other-bot");
  stage.github.addToken(token, "other-bot");
  stage.useSecrets({ token });
  for (let run = 0; run < 3; run += 1) {
    stage.clock.skip(10 * minuteMs);
    await stage.sync();
  }
  expect(stage.github.issues("acme/app")).toHaveLength(1);
  stage.github.close("acme/app", 1, "completed");
  expect(await stage.syncOne()).toMatchObject({ issues: 1, statusWrites: 1 });
});
