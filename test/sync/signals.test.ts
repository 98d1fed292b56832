import { describe, expect, it } from "vitest";
import {
  inProgress,
  lookingAt,
  openLooking,
  openPosts,
  privateRepositories,
  roadmap,
  twoProjects,
} from "../support/setups.ts";
import {
  addPlanned,
  type ConfigPart,
  hourMs,
  minuteMs,
  openStage,
  type Stage,
  standardProject,
} from "../support/stage.ts";

const one = { repository: "acme/app", number: 1 };

/** The post's status, after a run that must not fail. */
async function statusAfterSync(stage: Stage, post = "p1"): Promise<unknown> {
  const { failed, errors } = await stage.syncOne();
  expect([failed, errors]).toEqual([0, []]);
  return stage.board.post("acme-app", post)?.["status"];
}

function openPullRequest({ github }: Stage): { readonly repository: string; readonly number: number } {
  const { number } = github.openPullRequest("acme/app", { title: "For one" });
  return { repository: "acme/app", number };
}

describe("a signal that no issue's record shows moves its post", () => {
  it("of a pull request that is linked, made ready, and merged", async () => {
    const stage = await openLooking({ pullRequest: "ready" });
    const pull = openPullRequest(stage);
    stage.github.setDraft("acme/app", pull.number, true);
    stage.github.linkPullRequest(one, pull);
    expect(await statusAfterSync(stage)).toBe("planned");
    stage.github.setDraft("acme/app", pull.number, false);
    expect(await statusAfterSync(stage)).toBe("in_progress");
    stage.github.mergePullRequest("acme/app", pull.number);
    expect(await statusAfterSync(stage)).toBe("planned");
  });

  it("of an option in a field of a project, and back", async () => {
    const stage = await openLooking(inProgress);
    stage.github.addToProject(roadmap, one);
    expect(await statusAfterSync(stage)).toBe("planned");
    stage.github.setProjectStatus(roadmap, one, "In progress");
    expect(await statusAfterSync(stage)).toBe("in_progress");
    stage.github.setProjectStatus(roadmap, one, "Done");
    expect(await statusAfterSync(stage)).toBe("planned");
  });

  it("of sub-issues that are closed", async () => {
    const stage = await openLooking({ subIssues: "all-closed" });
    const [first, second] = ["A", "B"].map((title) => stage.github.openIssue("acme/app", { title }).number);
    for (const number of [first, second])
      stage.github.addSubIssue(one, { repository: "acme/app", number: number ?? 0 });
    stage.github.close("acme/app", first ?? 0);
    expect(await statusAfterSync(stage)).toBe("planned");
    stage.github.close("acme/app", second ?? 0);
    expect(await statusAfterSync(stage)).toBe("in_progress");
  });

  it("of a release that contains what was merged, which is for good", async () => {
    const stage = await openLooking({ released: true });
    const pull = openPullRequest(stage);
    stage.github.linkPullRequest(one, pull);
    stage.github.mergePullRequest("acme/app", pull.number);
    stage.clock.skip(hourMs);
    expect(await statusAfterSync(stage)).toBe("planned");
    stage.github.publishRelease("acme/app", { tag: "v1" });
    expect(await statusAfterSync(stage)).toBe("in_progress");
    stage.mark();
    stage.github.deleteTag("acme/app", "v1");
    expect(await statusAfterSync(stage)).toBe("in_progress");
    expect(stage.reads()).not.toContain("POST /graphql");
  });

  it("in a post that is opened: nothing of that can be there yet, but for a project", async () => {
    const stage = await openPosts(0, { projects: [lookingAt({ pullRequest: "none" })] });
    stage.board.addPost("acme-app", { status: "planned" });
    expect(await statusAfterSync(stage)).toBe("in_progress");
    expect(stage.patches()).toHaveLength(1);
  });

  it("in a post that is opened, also where a field that hangs on none is decided before", async () => {
    const project = lookingAt(inProgress);
    const dropped = { when: { state: "closed", reason: "not_planned" }, set: { onRoadmap: false } };
    const rules = [...(project["rules"] as readonly ConfigPart[]), dropped];
    const stage = await openLooking(inProgress, 0, { projects: [{ ...project, rules }] });
    addPlanned(stage, 1);
    await stage.sync();
    stage.github.addToProject(roadmap, one);
    stage.github.setProjectStatus(roadmap, one, "In progress");
    expect(await statusAfterSync(stage)).toBe("in_progress");
    await stage.sync();
    expect(stage.patches()).toHaveLength(1);
  });
});

describe("an idle run", () => {
  it("asks once for a hundred issues whose decision may hang on a signal, and for no other", async () => {
    const stage = await openLooking({ pullRequest: "open" }, 3);
    stage.github.close("acme/app", 2, "completed");
    stage.github.close("acme/app", 3, "completed");
    await stage.sync();
    stage.mark();
    await stage.sync();
    expect(stage.reads()).toEqual(["GET /feedback", "GET /repos/acme/app/issues", "POST /graphql"]);
    stage.github.close("acme/app", 1, "completed");
    await stage.sync();
    stage.mark();
    await stage.sync();
    expect(stage.reads()).toEqual(["GET /feedback", "GET /repos/acme/app/issues"]);
  });

  it("asks for fields of projects by their ids, and for their names every few hours", async () => {
    const stage = await openLooking(inProgress);
    await stage.sync();
    expect(stage.reads().filter((read) => read === "POST /graphql")).toHaveLength(1);
    stage.clock.skip(7 * hourMs);
    stage.mark();
    await stage.sync();
    expect(stage.reads().filter((read) => read === "POST /graphql")).toHaveLength(2);
  });

  it("asks for an issue once, also where two projects share it", async () => {
    const other = { ...lookingAt({ pullRequest: "open" }), project: "acme-api" };
    const projects = [lookingAt({ pullRequest: "open" }), other];
    const stage = await openPosts(1, { boardProjects: twoProjects, projects });
    const post = stage.board.addPost("acme-api", { status: "planned" });
    const { issue } = (await stage.ledger.signals.linked("prj_app" as never, undefined, 1))[0] ?? {};
    if (issue === undefined) throw new Error("There is no issue.");
    const link = { post: post as never, issue, origin: "adopted" as const };
    await stage.ledger.commit([
      { kind: "link", project: "prj_api" as never, link, issue, content: undefined },
    ]);
    stage.mark();
    expect((await stage.sync()).result).toBe("ok");
    expect(stage.reads().filter((read) => read === "POST /graphql")).toHaveLength(1);
  });
});

describe("pull requests of strangers", () => {
  it.each([
    [false, "planned"],
    [true, "in_progress"],
  ])("with `fromAnyone: %s` leave the posts of 25 issues %s", async (fromAnyone, status) => {
    const stage = await openLooking({ pullRequest: "open", fromAnyone }, 25);
    const { number } = stage.github.openPullRequest("acme/app", {
      title: "Fixes them all",
      author: "mallory",
    });
    for (let issue = 1; issue <= 25; issue += 1)
      stage.github.linkPullRequest(
        { repository: "acme/app", number: issue },
        { repository: "acme/app", number },
      );
    stage.clock.skip(7 * hourMs);
    await stage.sync();
    await stage.sync();
    const statuses = stage.board.posts("acme-app").map((post) => post.status);
    expect(new Set(statuses)).toEqual(new Set([status]));
  });

  it("mail nobody when somebody whose own counts loses the write access; a new one of theirs does not count", async () => {
    const repositories = [{ name: "acme/app", labels: ["feedback"], collaborators: ["dana"] }];
    const stage = await openLooking({ pullRequest: "open" }, 2, { repositories });
    const link = (issue: number): void => {
      const { number } = stage.github.openPullRequest("acme/app", { title: "Mine", author: "dana" });
      stage.github.linkPullRequest({ ...one, number: issue }, { ...one, number });
    };
    link(1);
    stage.clock.skip(7 * hourMs);
    expect(await statusAfterSync(stage)).toBe("in_progress");
    stage.mark();
    stage.github.removeCollaborator("acme/app", "dana");
    link(2);
    for (let run = 0; run < 3; run += 1) {
      stage.clock.skip(7 * hourMs);
      await stage.sync();
    }
    expect(stage.patches()).toEqual([]);
  });

  it("that are more than can be read leave that post alone undecided, fail no run, and are said once", async () => {
    const stage = await openLooking({ pullRequest: "open" }, 2);
    const link = (issue: number, author: string): void => {
      const { number } = stage.github.openPullRequest("acme/app", { title: "One more", author });
      stage.github.linkPullRequest(
        { repository: "acme/app", number: issue },
        { repository: "acme/app", number },
      );
    };
    for (let count = 0; count < 101; count += 1) link(1, "mallory");
    link(2, "octocat");
    stage.clock.skip(7 * hourMs);
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ failed: 0 }] });
    await stage.sync();
    expect(stage.board.post("acme-app", "p1")?.status).toBe("planned");
    expect(stage.board.post("acme-app", "p2")?.status).toBe("in_progress");
    const said = (): number => stage.log.filter((line) => line.includes("more than one answer shows")).length;
    expect(said()).toBe(1);
    for (let hour = 0; hour < 24; hour += 1) {
      stage.clock.skip(hourMs);
      await stage.sync();
    }
    expect(said()).toBe(1);
  });
});

it.each<[string, (stage: Stage) => void]>([
  ["its release is deleted", ({ github }) => github.deleteRelease("acme/code", "v1")],
  ["the token does not see its repository any more", ({ github }) => github.setVisible("acme/code", false)],
])("what was released is so for good, also where another field hangs on a signal: %s", async (_, act) => {
  const rules = [
    { when: { released: true }, set: { status: "completed" } },
    { when: { projectStatus: { project: 7, is: ["In progress"] } }, set: { roadmapColumn: "IN_PROGRESS" } },
  ];
  const stage = await openStage({
    projects: [{ ...standardProject, rules }],
    repositories: privateRepositories("acme/app", "acme/code"),
  });
  stage.github.addProject(roadmap, { Status: ["Todo", "In progress"] });
  addPlanned(stage, 1);
  await stage.sync();
  stage.github.openPullRequest("acme/code", { title: "Code", author: "ada" });
  stage.github.linkPullRequest({ repository: "acme/app", number: 1 }, { repository: "acme/code", number: 1 });
  stage.github.mergePullRequest("acme/code", 1);
  stage.clock.skip(hourMs);
  stage.github.publishRelease("acme/code", { tag: "v1" });
  await stage.sync();
  await stage.sync();
  expect(stage.board.post("acme-app", "p1")?.status).toBe("completed");
  act(stage);
  await stage.sync();
  expect(stage.board.notifications.map(({ to }) => to)).toEqual(["completed"]);
});

describe("an issue and its signals are of one time", () => {
  it("where the list still shows the issue as it was before: its voters hear only what is so", async () => {
    const stage = await openLooking(inProgress);
    stage.github.addToProject(roadmap, one);
    stage.github.setLag({ listMs: 2 * minuteMs });
    stage.clock.skip(5 * minuteMs);
    stage.github.close("acme/app", 1, "completed");
    stage.github.setProjectStatus(roadmap, one, "In progress");
    stage.clock.skip(1000);
    expect(await statusAfterSync(stage)).toBe("completed");
    stage.clock.skip(5 * minuteMs);
    expect(await statusAfterSync(stage)).toBe("completed");
    expect(stage.patches()).toHaveLength(1);
  });

  it("also where the list shows it as open again and as a duplicate before that", async () => {
    const project = { ...lookingAt(inProgress), followDuplicates: true };
    const stage = await openLooking(inProgress, 2, { projects: [project] });
    stage.github.addToProject(roadmap, one);
    stage.github.closeAsDuplicate(one, { repository: "acme/app", number: 2 });
    expect(await statusAfterSync(stage)).toBe("planned");
    stage.github.setLag({ listMs: 2 * minuteMs });
    stage.clock.skip(5 * minuteMs);
    stage.github.reopen("acme/app", 1);
    stage.github.setProjectStatus(roadmap, one, "In progress");
    stage.clock.skip(1000);
    expect(await statusAfterSync(stage)).toBe("in_progress");
  });
});

/** A limit ends before the next run. */
const daily = { config: { schedule: "0 12 * * *" } };

describe("what can't be read is unknown", () => {
  it("and leaves a post as it is, said in every run, until it can be read", async () => {
    const stage = await openLooking({ pullRequest: "open" });
    stage.github.breakField(one, "closedByPullRequestsReferences", {
      type: "FORBIDDEN",
      message: "Resource not accessible by personal access token",
    });
    for (let run = 0; run < 2; run += 1) {
      const { failed, errors } = await stage.syncOne();
      expect(failed).toBe(1);
      expect(errors).toEqual([
        {
          post: "p1",
          code: "tracker.undecided",
          message: expect.stringMatching(/issue #1.*`pullRequest`.*not accessible/u),
          advice: expect.stringContaining("give the permission"),
        },
      ]);
    }
    expect(stage.writes()).toEqual([]);
  });

  it("and hinders no rule above, and no other post", async () => {
    const stage = await openLooking({ pullRequest: "open" }, 2);
    stage.github.breakField(one, "closedByPullRequestsReferences", { type: "FORBIDDEN", message: "No." });
    const pull = openPullRequest(stage);
    stage.github.linkPullRequest({ ...one, number: 2 }, pull);
    expect(await stage.syncOne()).toMatchObject({ failed: 1, statusWrites: 1 });
    expect(stage.board.post("acme-app", "p2")?.["status"]).toBe("in_progress");
    stage.github.close("acme/app", 1, "completed");
    expect(await statusAfterSync(stage)).toBe("completed");
  });

  it("of a pull request in a repository that the token can't see any more, and says so", async () => {
    const stage = await openLooking({ pullRequest: "merged" }, 1, {
      repositories: privateRepositories("acme/app", "acme/code"),
    });
    const { number } = stage.github.openPullRequest("acme/code", { title: "For one" });
    stage.github.linkPullRequest(one, { repository: "acme/code", number });
    stage.github.mergePullRequest("acme/code", number);
    expect(await statusAfterSync(stage)).toBe("in_progress");
    stage.github.setVisible("acme/code", false);
    for (let run = 0; run < 3; run += 1) expect(await statusAfterSync(stage)).toBe("in_progress");
    const said = stage.log.filter((line) => line.includes("can't be seen any more"));
    expect(said).toHaveLength(3);
    expect(said[0]).toContain('"repo":"acme/code"');
    stage.github.setVisible("acme/code", true);
    expect(await statusAfterSync(stage)).toBe("in_progress");
    stage.github.unlinkPullRequest(one, { repository: "acme/code", number });
    expect(await statusAfterSync(stage)).toBe("planned");
  });

  it("of a release, also while one of the merges can't be seen any more", async () => {
    const repositories = privateRepositories("acme/app", "acme/code");
    const stage = await openLooking({ released: true }, 1, { repositories });
    const [shipped, other] = ["acme/app", "acme/code"].map((repository) => {
      const { number } = stage.github.openPullRequest(repository, { title: "A half" });
      stage.github.linkPullRequest(one, { repository, number });
      stage.github.mergePullRequest(repository, number);
      return number;
    });
    stage.github.publishRelease("acme/app", { tag: "v1", contains: [shipped ?? 0] });
    expect(await statusAfterSync(stage)).toBe("planned");
    stage.github.setVisible("acme/code", false);
    for (let run = 0; run < 3; run += 1) expect(await statusAfterSync(stage)).toBe("planned");
    stage.github.setVisible("acme/code", true);
    stage.github.publishRelease("acme/code", { tag: "v1", contains: [other ?? 0] });
    expect(await statusAfterSync(stage)).toBe("in_progress");
  });

  it("also while the tracker doesn't answer: its posts stay as they are until then", async () => {
    const stage = await openLooking({ pullRequest: "open" });
    const pull = openPullRequest(stage);
    stage.github.linkPullRequest(one, pull);
    expect(await statusAfterSync(stage)).toBe("in_progress");
    stage.github.mergePullRequest("acme/app", pull.number);
    stage.github.failNext({ path: "/graphql", times: 4, answer: { kind: "answer", status: 502 } });
    const { failed, errors, statusWrites } = await stage.syncOne();
    expect([failed, statusWrites]).toEqual([1, 0]);
    expect(errors).toEqual([
      {
        code: "tracker.unreachable",
        message: expect.stringMatching(/502.*stay as they are until it is read/u),
        advice: expect.stringContaining("an error of its own"),
      },
    ]);
    expect(await statusAfterSync(stage)).toBe("planned");
  });

  it("while the tracker wants no queries, and is read later without a failure", async () => {
    const stage = await openLooking({ pullRequest: "open" }, 1, daily);
    stage.github.linkPullRequest(one, openPullRequest(stage));
    const answer = {
      kind: "answer",
      status: 200,
      headers: { "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(stage.clock.now() / 1000 + 600) },
      body: { errors: [{ type: "RATE_LIMITED", message: "API rate limit exceeded" }] },
    } as const;
    stage.github.failNext({ path: "/graphql", answer });
    expect(await stage.syncOne()).toMatchObject({ failed: 0, waiting: 1, statusWrites: 0 });
    stage.clock.skip(hourMs);
    expect(await statusAfterSync(stage)).toBe("in_progress");
  });

  it("of an issue that is gone, too, and its repository is looked at as a whole", async () => {
    const stage = await openLooking({ pullRequest: "open" });
    stage.github.deleteIssue("acme/app", 1);
    expect(await stage.syncOne()).toMatchObject({ failed: 1, parked: 0 });
    expect(await stage.syncOne()).toMatchObject({ parked: 1, errors: [{ code: "tracker.deleted" }] });
    expect(stage.writes()).toEqual([]);
  });
});

describe("rules that are new and look at a signal", () => {
  async function openRuled(): Promise<Stage> {
    const stage = await openPosts(2, { projects: [lookingAt({ labels: ["in progress"] })] });
    stage.github.linkPullRequest(one, openPullRequest(stage));
    stage.reconfigure({ projects: [lookingAt({ pullRequest: "open" })] });
    return stage;
  }

  it("are laid over the bases when it has been read: what they alone would change is held", async () => {
    const stage = await openRuled();
    for (let run = 0; run < 2; run += 1) {
      expect(await stage.syncOne()).toMatchObject({ failed: 0, held: 1, statusWrites: 0 });
    }
    stage.mark();
    stage.github.linkPullRequest({ ...one, number: 2 }, openPullRequest(stage));
    expect(await stage.syncOne()).toMatchObject({ failed: 0, held: 1, statusWrites: 1 });
    expect(stage.patches().map(({ path }) => path)).toEqual(["/feedback/p2"]);
  });

  it("leave what was known as it was: what has changed on an issue since is a change like any other", async () => {
    const stage = await openLooking({ pullRequest: "open" });
    stage.github.linkPullRequest(one, openPullRequest(stage));
    stage.reconfigure({ projects: [{ ...lookingAt({ pullRequest: "open" }), whenNoRule: "keep" }] });
    expect(await stage.syncOne()).toMatchObject({ failed: 0, held: 0, statusWrites: 1 });
  });

  it("are laid over an issue whose signals are not shown as soon as they are: what they alone would change is held", async () => {
    const stage = await openRuled();
    stage.github.breakField(one, "closedByPullRequestsReferences", { type: "FORBIDDEN", message: "No." });
    expect(await stage.syncOne()).toMatchObject({ failed: 1, held: 0, statusWrites: 0 });
    stage.github.mendField(one);
    for (let run = 0; run < 2; run += 1) {
      expect(await stage.syncOne()).toMatchObject({ failed: 0, held: 1, statusWrites: 0 });
    }
    stage.github.close("acme/app", 1, "completed");
    expect(await statusAfterSync(stage)).toBe("completed");
  });

  it("are no reason to write again what they ask for while a write is in doubt and the signals are not shown", async () => {
    const stage = await openPosts(1, { projects: [lookingAt({ labels: ["in progress"] })] });
    stage.github.label("acme/app", 1, "in progress");
    stage.board.failNext({ kind: "reset", applied: true }, { when: ({ method }) => method === "PATCH" });
    expect(await stage.syncOne()).toMatchObject({ failed: 1 });
    stage.mark();
    stage.github.breakField(one, "closedByPullRequestsReferences", { type: "FORBIDDEN", message: "No." });
    const asking = { when: { pullRequest: "none" }, set: { status: "planned" } };
    stage.reconfigure({ projects: [{ ...lookingAt({ pullRequest: "open" }), rules: [asking] }] });
    stage.clock.skip(5 * minuteMs);
    await stage.sync();
    await stage.sync();
    stage.github.mendField(one);
    expect(await stage.syncOne()).toMatchObject({ failed: 0, held: 1, statusWrites: 0 });
    expect(stage.patches()).toEqual([]);
  });

  it("wait until it can be read", async () => {
    const stage = await openRuled();
    stage.github.failNext({ path: "/graphql", times: 4, answer: { kind: "answer", status: 502 } });
    expect(await stage.syncOne()).toMatchObject({ failed: 1, held: 0, statusWrites: 0 });
    expect(await stage.syncOne()).toMatchObject({ failed: 0, held: 1, statusWrites: 0 });
  });
});

describe("an issue that has changed while its signals can't be read", () => {
  it.each<[string, (stage: Stage) => void]>([
    ["because of a limit of GraphQL", ({ github }) => github.setLimits({ queriesPerHour: 0 })],
    [
      "because GitHub fails",
      ({ github }) =>
        github.failNext({ path: "/graphql", times: 9, answer: { kind: "answer", status: 502 } }),
    ],
    [
      "because of this issue",
      ({ github }) =>
        github.breakField(one, "closedByPullRequestsReferences", { type: "FORBIDDEN", message: "No." }),
    ],
  ])("is not decided by those of another moment: %s", async (_, hinder) => {
    const rules = [
      { when: { state: "closed" }, set: { status: "completed" } },
      { when: { pullRequest: "open" }, set: { status: "in_progress" } },
      { when: { pullRequest: "none" }, set: { status: "planned" } },
    ];
    const stage = await openLooking({ pullRequest: "open" }, 1, {
      projects: [{ ...lookingAt({ pullRequest: "open" }), rules }],
    });
    await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    expect(await statusAfterSync(stage)).toBe("completed");
    // People begin anew, and open the issue again: at no time was it open without a pull request.
    stage.github.linkPullRequest(one, openPullRequest(stage));
    stage.clock.skip(minuteMs);
    stage.github.reopen("acme/app", 1);
    hinder(stage);
    expect((await stage.syncOne()).statusWrites).toBe(0);
    expect(stage.board.post("acme-app", "p1")?.status).toBe("completed");
    stage.github.setLimits({ queriesPerHour: 5000 });
    stage.github.mendField(one);
    stage.clock.skip(2 * hourMs);
    await stage.sync();
    stage.clock.skip(2 * hourMs);
    expect(await statusAfterSync(stage)).toBe("in_progress");
  });
});

describe("signals that are too much at once", () => {
  const always = { path: "/graphql", times: Number.POSITIVE_INFINITY };
  const answer = { kind: "answer", status: 502 } as const;
  const asked = ({ github }: Stage): readonly number[] =>
    github.requests.flatMap(({ path, body }) =>
      path === "/graphql" ? [Object(Object(body).variables).ids.length as number] : [],
    );

  it("are halved, and later processes ask for no more than what works", async () => {
    const stage = await openLooking({ pullRequest: "open" }, 14);
    stage.github.linkPullRequest({ ...one, number: 14 }, openPullRequest(stage));
    stage.github.failNext({ ...always, answer, when: ({ ids }) => ids.length > 10 });
    expect(await stage.syncOne()).toMatchObject({ failed: 0, statusWrites: 1 });
    expect(asked(stage)).toEqual([14, 7, 7]);
    for (let run = 0; run < 3; run += 1) {
      stage.restart();
      stage.mark();
      expect(await stage.syncOne()).toMatchObject({ failed: 0 });
      expect(asked(stage)).toEqual([7, 7]);
    }
    stage.clock.skip(hourMs);
    stage.mark();
    await stage.sync();
    expect(asked(stage)).toEqual([14, 7, 7]);
  });

  it("of one issue alone are said of it; its post stays as it is, and the others go on", async () => {
    const stage = await openLooking({ pullRequest: "open" }, 14);
    stage.github.linkPullRequest(one, openPullRequest(stage));
    expect(await statusAfterSync(stage)).toBe("in_progress");
    stage.github.linkPullRequest({ ...one, number: 14 }, openPullRequest(stage));
    const heavy = `I_${stage.github.issue("acme/app", 1).id}`;
    stage.github.failNext({ ...always, answer, when: ({ ids }) => ids.includes(heavy) });
    const errors = [
      {
        code: "tracker.unreachable",
        issue: "acme/app#1",
        message: expect.stringMatching(/502.*stay as they are/u),
      },
    ];
    stage.mark();
    expect(await stage.syncOne()).toMatchObject({ failed: 1, errors, statusWrites: 1 });
    expect(stage.board.post("acme-app", "p1")?.status).toBe("in_progress");
    const moved = stage.board.posts("acme-app").filter((post) => post.status === "in_progress");
    expect(moved).toHaveLength(2);
    stage.restart();
    stage.mark();
    expect(await stage.syncOne()).toMatchObject({ failed: 1, errors, statusWrites: 0 });
    expect(asked(stage)).toEqual([13, 1]);
  });

  it("of one duplicate leave it where it led", async () => {
    const project = { ...lookingAt({ pullRequest: "open" }), followDuplicates: true };
    const stage = await openLooking({ pullRequest: "open" }, 3, { projects: [project] });
    stage.github.closeAsDuplicate(one, { repository: "acme/app", number: 2 });
    await stage.sync();
    stage.github.linkPullRequest({ ...one, number: 2 }, openPullRequest(stage));
    expect(await statusAfterSync(stage)).toBe("in_progress");
    const heavy = `I_${stage.github.issue("acme/app", 1).id}`;
    stage.github.failNext({ ...always, answer, when: ({ ids }) => ids.includes(heavy) });
    expect(await stage.syncOne()).toMatchObject({
      failed: 1,
      errors: [{ issue: "acme/app#1" }],
      statusWrites: 0,
    });
    expect(stage.board.post("acme-app", "p1")?.status).toBe("in_progress");
  });
});
