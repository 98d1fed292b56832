import { describe, expect, it } from "vitest";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import { openPosts, privateRepositories, routedProject, twoProjects } from "../support/setups.ts";
import {
  addPlanned,
  type ConfigPart,
  hourMs,
  minuteMs,
  openStage,
  type Stage,
  type StageOptions,
  standardProject,
} from "../support/stage.ts";

const dayMs = 24 * hourMs;
/** Three repositories and two projects of the board; what the config names of them is the test's choice. */
const surroundings: StageOptions = {
  boardProjects: twoProjects,
  repositories: privateRepositories("acme/app", "acme/api", "acme/other"),
};
const api = { ...standardProject, project: "acme-api", repo: "acme/api" };

/** Planned posts with an issue each, all in step. */
function openAmong(count: number, options: StageOptions = {}): Promise<Stage> {
  return openPosts(count, { ...surroundings, ...options });
}

/** One run after the time at which every linked issue is looked at. */
async function lookAtAll(stage: Stage): Promise<Awaited<ReturnType<Stage["sync"]>>> {
  stage.clock.skip(7 * hourMs);
  return stage.sync();
}

function answer404(stage: Stage, number: number, times = 1): void {
  stage.github.failNext({
    method: "GET",
    path: new RegExp(`issues/${number}$`),
    times,
    answer: { kind: "answer", status: 404, body: { message: "Not Found" } },
  });
}

/** Makes discussions of issues: without a list or a redirect that shows them, a 404 is all that is left. */
function convert(stage: Stage, ...numbers: readonly number[]): void {
  for (const number of numbers) stage.github.convertToDiscussion("acme/app", number);
}

async function history(stage: Stage, post: string): Promise<readonly string[]> {
  const id = stage.ledger.memory.project("acme-app")?.id;
  if (id === undefined) throw new Error("The project is not known.");
  return (await stage.ledger.journal.history(id, post as never, 9)).map(
    ({ kind, issue }) => `${kind} ${issue?.repository}#${issue?.number}`,
  );
}

describe("an issue that people transfer", () => {
  it.each([
    ["to a repository that posts are routed to", [routedProject]],
    ["to the repository of another project", [standardProject, api]],
  ])("%s takes its post along: nothing is written for it, and later changes are", async (_, projects) => {
    const stage = await openAmong(1, { projects });
    stage.github.openIssue("acme/api", { title: "Not ours" });
    stage.github.transfer("acme/app", 1, "acme/api");
    const report = await lookAtAll(stage);
    expect(report.projects[0]).toMatchObject({ issues: 1, parked: 0, failed: 0, created: 0 });
    expect(stage.log.join()).toContain("A transferred issue was followed");
    expect((await history(stage, "p1"))[0]).toBe("follow-issue acme/api#2");
    expect(stage.writes()).toEqual([]);
    stage.github.close("acme/api", 2, "completed");
    stage.board.editPost("acme-app", "p1", { title: "Another title" });
    await stage.sync();
    await stage.sync();
    expect(stage.board.post("acme-app", "p1")?.status).toBe("completed");
    expect(stage.github.issue("acme/api", 2).title).toBe("Another title");
    expect(stage.github.issues("acme/app")).toEqual([]);
  });

  it("is followed by the next run that reads its new repository, which shows its mark", async () => {
    const stage = await openAmong(2, { projects: [routedProject] });
    stage.github.transfer("acme/app", 1, "acme/api");
    stage.github.close("acme/api", 1, "completed");
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ issues: 2, statusWrites: 1 }] });
    expect(stage.reads().filter((read) => /issues\/\d/.test(read))).toHaveLength(2);
    stage.mark();
    await stage.sync();
    await stage.sync();
    stage.mark();
    await stage.sync();
    // The board, the list of each repository, and the labels that a rule looks at.
    expect(stage.reads()).toHaveLength(5);
    expect(stage.writes()).toEqual([]);
  });

  it("is followed before an edit of its post is written, which then goes to its new place", async () => {
    const stage = await openAmong(1, { projects: [routedProject] });
    stage.github.transfer("acme/app", 1, "acme/api");
    stage.board.editPost("acme-app", "p1", { title: "Another title" });
    await stage.sync();
    await stage.sync();
    expect(stage.github.issue("acme/api", 1).title).toBe("Another title");
    expect(stage.writes()).toEqual(["PATCH /repos/acme/api/issues/1"]);
  });

  it("is followed by what would be written to it, which is said to wait", async () => {
    const stage = await openAmong(1, { projects: [routedProject] });
    stage.github.setLag({ listMs: 5 * minuteMs });
    stage.github.transfer("acme/app", 1, "acme/api");
    stage.board.editPost("acme-app", "p1", { title: "Another title" });
    expect(await stage.syncOne()).toMatchObject({ waiting: 1, issueWrites: 0 });
    expect(await stage.syncOne()).toMatchObject({ waiting: 0, issueWrites: 1 });
    expect(stage.writes()).toEqual(["PATCH /repos/acme/api/issues/1"]);
  });

  it("and back again is followed each time", async () => {
    const stage = await openAmong(1, { projects: [routedProject] });
    stage.github.transfer("acme/app", 1, "acme/api");
    await lookAtAll(stage);
    stage.github.transfer("acme/api", 1, "acme/app");
    expect(await lookAtAll(stage)).toMatchObject({ result: "ok", projects: [{ issues: 1 }] });
    stage.github.close("acme/app", 2, "completed");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1 });
  });

  it("keeps its post by its mark when the state is lost afterwards", async () => {
    const stage = await openAmong(1, { projects: [routedProject] });
    stage.github.transfer("acme/app", 1, "acme/api");
    stage.loseState();
    expect(await stage.syncOne()).toMatchObject({ adopted: 1, created: 0 });
  });

  it("to a repository that nobody named freezes its post, and neither side is written", async () => {
    const stage = await openAmong(2);
    stage.github.transfer("acme/app", 1, "acme/other");
    expect(await lookAtAll(stage)).toMatchObject({
      result: "partial",
      projects: [{ parked: 1, errors: [{ post: "p1", issue: "acme/app#1", code: "tracker.moved" }] }],
    });
    stage.github.close("acme/other", 1, "completed");
    stage.board.editPost("acme-app", "p1", { title: "Another title" });
    stage.github.close("acme/app", 2, "completed");
    expect(await stage.sync()).toMatchObject({ result: "held", projects: [{ parked: 1, statusWrites: 1 }] });
    expect(stage.writes()).toEqual(["PATCH /feedback/p2"]);
  });

  it("and still is where nobody named after `retry`: that run says so, too", async () => {
    const stage = await openAmong(1);
    stage.github.transfer("acme/app", 1, "acme/other");
    await lookAtAll(stage);
    const request = { kind: "retry", posts: ["p1" as PostId], project: "prj_app" as ProjectId } as const;
    await stage.ledger.commit([{ kind: "add-request", request: { ...request, at: stage.clock.now() } }]);
    expect(await stage.sync()).toMatchObject({
      result: "partial",
      projects: [{ parked: 1, errors: [{ post: "p1", code: "tracker.moved" }] }],
    });
    expect(await stage.sync()).toMatchObject({ result: "held", projects: [{ parked: 1, errors: [] }] });
  });

  describe("to a repository that lacks what it carried", () => {
    const rules = [
      { when: { state: "closed", reason: "completed" }, set: { status: "completed" } },
      { when: { labels: ["in progress"] }, set: { status: "in_progress" } },
    ];
    const repositories = [
      {
        name: "acme/app",
        private: true,
        labels: ["feedback", "in progress", "blocked"],
        milestones: ["Next"],
      },
      { name: "acme/api", private: true, labels: ["feedback"] },
      {
        name: "acme/other",
        private: true,
        labels: ["feedback", "in progress", "blocked"],
        milestones: ["Next"],
      },
    ];
    const route = [
      { category: "cat_api", repo: "acme/api" },
      { category: "cat_other", repo: "acme/other" },
    ];
    const take = (stage: Stage, number: number): void => {
      stage.github.label("acme/app", number, "in progress");
      stage.github.label("acme/app", number, "blocked");
      stage.github.setMilestone("acme/app", number, "Next");
    };
    /** Issue 1 carries all that rules look at, and its voters know what that means. */
    const openCarrying = async (when: ConfigPart, options: ConfigPart = {}): Promise<Stage> => {
      const project = {
        ...standardProject,
        route,
        rules: [rules[0], { when, set: { status: "in_progress" } }],
      };
      const stage = await openAmong(2, { repositories, projects: [{ ...project, ...options }] });
      take(stage, 1);
      for (let run = 0; run < 3; run += 1) await stage.sync();
      stage.mark();
      return stage;
    };
    const expectNothing = async (stage: Stage): Promise<void> => {
      for (let run = 0; run < 3; run += 1) {
        expect(await lookAtAll(stage)).toMatchObject({ result: "ok", projects: [{ statusWrites: 0 }] });
      }
      expect(stage.writes()).toEqual([]);
    };

    it.each<[ConfigPart]>([
      [{ labels: ["in progress"] }],
      [{ anyLabel: ["in progress"] }],
      [{ state: "open", noLabel: ["blocked"] }],
      [{ milestone: "Next" }],
      [{ milestone: "any" }],
      [{ milestone: "none" }],
      [{ milestoneState: "open" }],
    ])("mails nobody under %j, and what people change there is told", async (when) => {
      const stage = await openCarrying(when);
      const before = stage.board.post("acme-app", "p1")?.status;
      stage.github.transfer("acme/app", 1, "acme/api");
      await expectNothing(stage);
      expect(stage.board.post("acme-app", "p1")?.status).toBe(before);
      stage.github.close("acme/api", 1, "completed");
      expect(await stage.syncOne()).toMatchObject({ statusWrites: 1 });
      expect(stage.board.post("acme-app", "p1")?.status).toBe("completed");
    });

    it.each<[string, ConfigPart]>([
      ["`whenNoRule: keep`", { whenNoRule: "keep" }],
      ["several issues", { several: "any" }],
    ])("mails nobody with %s", async (_, options) => {
      const stage = await openCarrying({ labels: ["in progress"] }, options);
      stage.github.transfer("acme/app", 1, "acme/api");
      await expectNothing(stage);
    });

    it("lists the difference", async () => {
      const stage = await openCarrying(
        { labels: ["in progress"] },
        { rules: [...rules, { when: { state: "open" }, set: { status: "planned" } }] },
      );
      stage.github.transfer("acme/app", 1, "acme/api");
      await expectNothing(stage);
      const row = await stage.ledger.rows.row("prj_app" as never, "p1" as never, stage.clock.now());
      expect(row?.notes).toMatchObject([
        { kind: "disagreement", message: expect.stringContaining("the issue asks for") },
      ]);
    });

    it("still follows what people did beside it", async () => {
      const stage = await openCarrying({ labels: ["in progress"] });
      stage.github.transfer("acme/app", 1, "acme/api");
      stage.github.close("acme/api", 1, "completed");
      expect(await lookAtAll(stage)).toMatchObject({ projects: [{ statusWrites: 1 }] });
      expect(stage.board.post("acme-app", "p1")?.status).toBe("completed");
    });

    it("keeps what settles, where that does not hang on it", async () => {
      const stage = await openCarrying({ labels: ["in progress"] });
      stage.reconfigure({ config: { settle: "10m" } });
      stage.github.unlabel("acme/app", 1, "in progress");
      expect(await stage.syncOne()).toMatchObject({ statusWrites: 0 });
      stage.github.transfer("acme/app", 1, "acme/api");
      expect(await lookAtAll(stage)).toMatchObject({ projects: [{ statusWrites: 1 }] });
    });

    it("mails nobody where it was not found at first, nor where the config names the repository later", async () => {
      const missing = await openCarrying({ labels: ["in progress"] });
      missing.github.transfer("acme/app", 1, "acme/api");
      answer404(missing, 1);
      await lookAtAll(missing);
      await expectNothing(missing);
      const late = await openCarrying({ labels: ["in progress"] }, { route: [] });
      late.github.transfer("acme/app", 1, "acme/api");
      await lookAtAll(late);
      const named = { ...standardProject, route, rules };
      late.reconfigure({ projects: [named] });
      await expectNothing(late);
    });

    it("changes nothing where the repository has all of it", async () => {
      const stage = await openCarrying({ labels: ["in progress"], milestone: "any" });
      stage.github.transfer("acme/app", 1, "acme/other");
      await expectNothing(stage);
      stage.github.unlabel("acme/other", 1, "in progress");
      expect(await stage.syncOne()).toMatchObject({ statusWrites: 1 });
    });
  });

  it("is followed once the config names where it is, with what happened there", async () => {
    const stage = await openAmong(1);
    stage.github.transfer("acme/app", 1, "acme/other");
    await lookAtAll(stage);
    stage.github.close("acme/other", 1, "completed");
    stage.reconfigure({
      projects: [{ ...standardProject, route: [{ category: "cat_other", repo: "acme/other" }] }],
    });
    const report = await stage.syncOne();
    expect(report).toMatchObject({ parked: 0, statusWrites: 1, issues: 1, created: 0 });
    expect(stage.writes()).toEqual(["PATCH /feedback/p1"]);
  });
});

describe("an issue that people delete", () => {
  it("parks its post: the board is left alone, and nothing is opened until a person says so", async () => {
    const stage = await openAmong(1);
    stage.github.deleteIssue("acme/app", 1);
    expect(await lookAtAll(stage)).toMatchObject({
      projects: [{ parked: 1, errors: [{ post: "p1", issue: "acme/app#1", code: "tracker.deleted" }] }],
    });
    expect(await lookAtAll(stage)).toMatchObject({ result: "held", projects: [{ parked: 1, errors: [] }] });
    expect(stage.writes()).toEqual([]);
    await retry(stage, "p1");
    expect(await stage.syncOne()).toMatchObject({ created: 1, parked: 0, issues: 1, failed: 0 });
    expect(stage.github.issues("acme/app").map(({ number }) => number)).toEqual([2]);
    stage.github.close("acme/app", 2, "completed");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1, parked: 0 });
  });

  it("is no trouble for a post that has another one", async () => {
    const stage = await openAmong(1);
    const { body } = stage.github.issue("acme/app", 1);
    const project = stage.ledger.memory.project("acme-app");
    if (project === undefined) throw new Error("The project is not known.");
    stage.github.openIssue("acme/app", { title: "Second", body, author: stage.github.login });
    const known = (await stage.ledger.rows.row(project.id, "p1" as never, 0))?.links[0]?.known?.issue;
    if (known === undefined) throw new Error("The issue is not known.");
    const issue = { ...known, number: 2 };
    const link = { post: "p1" as never, issue, origin: "adopted" as const };
    await stage.ledger.commit([{ kind: "link", project: project.id, link, issue, content: undefined }]);
    stage.github.deleteIssue("acme/app", 1);
    expect(await lookAtAll(stage)).toMatchObject({ projects: [{ parked: 0, issues: 2 }] });
    stage.github.close("acme/app", 2, "completed");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1 });
  });
});

describe("an issue that is not found", () => {
  it("once decides nothing, and all is as before when the next run finds it", async () => {
    const stage = await openAmong(1);
    stage.github.transfer("acme/app", 1, "acme/other");
    stage.github.setVisible("acme/other", false);
    expect(await lookAtAll(stage)).toMatchObject({
      projects: [{ parked: 0, errors: [{ issue: "acme/app#1", code: "tracker.missing" }] }],
    });
    expect(await stage.sync()).toMatchObject({ result: "ok" });
    stage.github.setVisible("acme/other", true);
    stage.github.transfer("acme/other", 1, "acme/app");
    stage.github.close("acme/app", 2, "completed");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1, parked: 0, failed: 0 });
  });

  it("is said by the project of its post, also where another project has read its repository", async () => {
    const projects = [standardProject, { ...standardProject, project: "acme-api" }];
    const stage = await openStage({ boardProjects: twoProjects, projects });
    addPlanned(stage, 6);
    addPlanned(stage, 1, "acme-api");
    await stage.sync();
    const { number = 0 } = stage.github.issues("acme/app").find(({ title }) => title === "Post 7") ?? {};
    convert(stage, number);
    stage.clock.skip(7 * hourMs);
    expect(await stage.sync(["acme-app"])).toMatchObject({ result: "ok" });
    const said = { post: "p7", issue: `acme/app#${number}`, code: "tracker.missing" };
    expect(await stage.sync(["acme-api"])).toMatchObject({ projects: [{ errors: [said] }] });
    expect(await stage.sync(["acme-api"])).toMatchObject({ result: "ok" });
  });

  it("for less than ten minutes is not parked, and is asked for by every run until then", async () => {
    const stage = await openAmong(1);
    convert(stage, 1);
    await lookAtAll(stage);
    stage.mark();
    for (let run = 0; run < 8; run += 1) expect(await stage.syncOne()).toMatchObject({ parked: 0 });
    stage.clock.skip(minuteMs);
    expect(await stage.syncOne()).toMatchObject({
      parked: 1,
      errors: [{ post: "p1", issue: "acme/app#1", code: "tracker.missing" }],
    });
    expect(stage.reads().filter((read) => read.endsWith("issues/1"))).toHaveLength(9);
    stage.mark();
    expect(await stage.sync()).toMatchObject({ result: "held" });
    expect(stage.reads()).toEqual([
      "GET /feedback",
      "GET /repos/acme/app/issues",
      "GET /repos/acme/app/labels",
    ]);
    expect(stage.writes()).toEqual([]);
  });

  it("twice is taken up by itself when it is found again", async () => {
    const stage = await openAmong(1);
    stage.github.close("acme/app", 1, "not_planned");
    stage.github.transfer("acme/app", 1, "acme/other");
    stage.github.setVisible("acme/other", false);
    await lookAtAll(stage);
    stage.clock.skip(10 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ parked: 1, statusWrites: 0 });
    stage.github.setVisible("acme/other", true);
    stage.github.transfer("acme/other", 1, "acme/app");
    expect(await lookAtAll(stage)).toMatchObject({ projects: [{ parked: 0, statusWrites: 1 }] });
  });

  it("is asked for once more when a person wants another one, which is opened only if it is not there", async () => {
    const stage = await openAmong(2);
    convert(stage, 1);
    await lookAtAll(stage);
    stage.clock.skip(10 * minuteMs);
    await stage.sync();
    await retry(stage, "p1");
    expect(await stage.syncOne()).toMatchObject({ created: 1, parked: 0 });
    stage.github.transfer("acme/app", 2, "acme/other");
    stage.github.setVisible("acme/other", false);
    await lookAtAll(stage);
    stage.clock.skip(10 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ parked: 1 });
    stage.github.setVisible("acme/other", true);
    stage.github.transfer("acme/other", 1, "acme/app");
    await retry(stage, "p2");
    expect(await stage.syncOne()).toMatchObject({ created: 0, parked: 0, issues: 2 });
  });

  it("is asked for again before anything is said of its text, too", async () => {
    const stage = await openAmong(1);
    stage.board.editPost("acme-app", "p1", { description: "To XLSX." });
    answer404(stage, 1, 2);
    expect(await stage.syncOne()).toMatchObject({ errors: [{ post: "p1", code: "tracker.missing" }] });
    expect(await stage.syncOne()).toMatchObject({ errors: [], issueWrites: 0 });
    expect(await stage.syncOne()).toMatchObject({ errors: [], issueWrites: 1 });
  });
});

describe("many issues of a repository that are not found at once", () => {
  it("are lost access: nothing is concluded, decided or written, until they are found again", async () => {
    const stage = await openAmong(10);
    convert(stage, 1, 2, 3);
    expect(await lookAtAll(stage)).toMatchObject({
      result: "partial",
      projects: [{ parked: 0, failed: 1, errors: [{ code: "tracker.lost-access" }] }],
    });
    stage.github.close("acme/app", 10, "completed");
    addPlanned(stage, 1);
    expect(await stage.syncOne()).toMatchObject({
      created: 0,
      statusWrites: 0,
      waiting: 1,
      failed: 1,
      errors: [{ code: "tracker.lost-access" }],
    });
    expect(stage.writes()).toEqual([]);
  });

  it("go on as before when access is back, with what happened meanwhile", async () => {
    const stage = await openAmong(3);
    for (const number of [1, 2]) stage.github.transfer("acme/app", number, "acme/other");
    stage.github.setVisible("acme/other", false);
    expect((await lookAtAll(stage)).projects[0]?.errors).toMatchObject([{ code: "tracker.lost-access" }]);
    stage.github.close("acme/app", 3, "completed");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 0 });
    stage.github.setVisible("acme/other", true);
    for (const number of [1, 2]) stage.github.transfer("acme/other", number, "acme/app");
    stage.clock.skip(10 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1, failed: 0, issues: 3 });
  });

  it("are looked at every ten minutes, not by every run", async () => {
    const stage = await openAmong(3);
    convert(stage, 1, 2);
    await lookAtAll(stage);
    stage.mark();
    for (let run = 0; run < 20; run += 1) await stage.sync();
    expect(stage.reads().filter((read) => read.endsWith("issues/1"))).toHaveLength(2);
  });

  it("and stay away for a day are parked, each by itself, and the others go on", async () => {
    const stage = await openAmong(3);
    convert(stage, 1, 2);
    await lookAtAll(stage);
    stage.github.close("acme/app", 3, "completed");
    stage.clock.skip(dayMs);
    expect(await stage.syncOne()).toMatchObject({ parked: 2, failed: 2, statusWrites: 1 });
    expect(await lookAtAll(stage)).toMatchObject({ result: "held", projects: [{ parked: 2, failed: 0 }] });
  });

  it("but a single one is no loss of access, however few there are", async () => {
    const stage = await openAmong(1);
    convert(stage, 1);
    expect((await lookAtAll(stage)).projects[0]?.errors).toMatchObject([{ code: "tracker.missing" }]);
  });
});

async function retry(stage: Stage, post: string): Promise<void> {
  const project = stage.ledger.memory.project("acme-app")?.id;
  if (project === undefined) throw new Error("The project is not known.");
  await stage.ledger.commit([
    {
      kind: "add-request",
      request: { kind: "retry", posts: [post as never], project, at: stage.clock.now() },
    },
  ]);
}

it("an issue that was moved to a repository which the config has left is no duplicate of itself", async () => {
  const stage = await openAmong(1);
  stage.reconfigure({ projects: [{ ...standardProject, repo: "acme/api" }] });
  addPlanned(stage, 1);
  for (let run = 0; run < 2; run += 1) await stage.sync();
  stage.github.transfer("acme/api", 1, "acme/app");
  for (let run = 0; run < 2; run += 1) {
    await lookAtAll(stage);
    const { errors } = await stage.syncOne();
    expect(errors.map(({ code }) => code)).not.toContain("tracker.duplicate");
  }
});
