import { describe, expect, it } from "vitest";
import { secondaryLimit } from "../support/sandbox/github/faults.ts";
import {
  inProgress,
  lookingAt,
  openLooking,
  openPosts,
  privateRepositories,
  roadmap,
} from "../support/setups.ts";
import { addPlanned, hourMs, minuteMs, openStage, type Stage, standardProject } from "../support/stage.ts";

const isPatch = { when: ({ method }: { readonly method: string }) => method === "PATCH" };
const isList = { when: ({ method }: { readonly method: string }) => method === "GET" };
const onCreate = { method: "POST", path: "/issues" };
const inAnHour = { kind: "answer", status: 429, headers: { "retry-after": "3600" } } as const;

/** Two linked posts; a third one wants an issue, and the first one a status. */
async function openBusy(projects = [{ ...standardProject, schedule: "0 12 * * *" }]): Promise<Stage> {
  const stage = await openStage({ projects });
  addPlanned(stage, 2);
  await stage.sync();
  addPlanned(stage, 1);
  stage.github.close("acme/app", 1, "completed");
  return stage;
}

describe("a side that has named a time", () => {
  it.each<[string, (stage: Stage) => void]>([
    [
      "the tracker, to a write",
      (stage) => stage.github.failNext({ ...onCreate, answer: secondaryLimit(3_600) }),
    ],
    ["the tracker, to a read", (stage) => stage.github.failNext({ answer: secondaryLimit(3_600) })],
    [
      "the tracker, to a read for one post",
      (stage) => {
        stage.board.editPost("acme-app", "p2", { title: "Another title" });
        stage.github.failNext({ path: "/issues/2", answer: secondaryLimit(3_600) });
      },
    ],
    ["the board, to a write", (stage) => stage.board.failNext(inAnHour, isPatch)],
    ["the board, to a read", (stage) => stage.board.failNext(inAnHour, isList)],
  ])(
    "(%s) is asked nothing before it, by no later process; that is no failure, and is said",
    async (name, limit) => {
      const stage = await openBusy();
      limit(stage);
      const until = new Date(stage.clock.now() + hourMs + minuteMs).toISOString();
      const [who, code] = name.startsWith("the tracker")
        ? ["GitHub", "tracker.limited"]
        : ["the board", "board.limited"];
      const message = `${who} wants no request before ${until}`;
      expect(await stage.syncOne()).toMatchObject({ putOff: [{ code, message, until }] });
      for (let run = 0; run < 3; run += 1) {
        stage.restart();
        stage.mark();
        const report = await stage.sync();
        expect(report).toMatchObject({ result: "ok", projects: [{ failed: 0, errors: [] }] });
        expect(report.projects[0]?.waiting).toBeGreaterThan(0);
        expect(report.projects[0]?.putOff).toEqual([{ code, message, until }]);
        expect([...stage.reads(), ...stage.writes()]).toEqual([]);
      }
      expect(stage.log.at(-2)).toContain("wants no request before");
      stage.clock.skip(hourMs);
      expect(await stage.syncOne()).toMatchObject({ waiting: 0, failed: 0 });
      expect(stage.github.issues("acme/app")).toHaveLength(3);
      expect(stage.board.post("acme-app", "p1")?.status).toBe("completed");
    },
  );

  it("puts the other projects of the run off, too, and a plan", async () => {
    const stage = await openStage({
      boardProjects: [
        { id: "prj_app", slug: "acme-app" },
        { id: "prj_api", slug: "acme-api" },
      ],
      projects: ["acme-app", "acme-api"].map((project) => ({
        ...standardProject,
        project,
        schedule: "0 12 * * *",
      })),
    });
    stage.board.failNext(inAnHour, isList);
    const { projects } = await stage.sync();
    expect(projects.map(({ waiting, requests }) => [waiting, requests.board])).toEqual([
      [1, 1],
      [1, 0],
    ]);
    stage.mark();
    expect(await stage.plan()).toEqual([]);
    expect(stage.reads()).toEqual([]);
  });

  it.each<[string, (stage: Stage) => void, string]>([
    ["GitHub, without an end", ({ github }) => github.failNext({ answer: secondaryLimit(), times: 9 }), "p1"],
    [
      "GitHub, to its second request",
      ({ github }) => github.failNext({ answer: secondaryLimit(3_600), after: 1, times: 9 }),
      "p1",
    ],
    [
      "the board, to its second page",
      ({ board }) => board.failNext(inAnHour, { when: ({ query }) => "cursor" in query, times: 9 }),
      "p1",
    ],
  ])("(%s) fails a plan, which tells what waits as later", async (_, limit, post) => {
    const projects = [{ ...standardProject, schedule: "0 12 * * *" }];
    const stage = await openStage({ projects, config: { guard: { issues: 100 } } });
    addPlanned(stage, 60);
    await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    stage.board.failNext({ kind: "answer", status: 429 }, isPatch);
    expect(await stage.syncOne()).toMatchObject({ waiting: 1 });
    limit(stage);
    const { report, plan } = await stage.run("plan");
    expect(report.result).toBe("partial");
    expect(plan.projects).toMatchObject([
      {
        actions: [{ post, kind: "patch-post", when: "later" }],
        errors: [{ code: expect.stringMatching(/limited$/) }],
      },
    ]);
  });

  it("that lies beyond the project's next run fails it, with its end, until that comes near", async () => {
    const stage = await openBusy([{ ...standardProject, schedule: "*/30 * * * *" }]);
    stage.board.failNext(inAnHour, isList);
    const until = new Date(stage.clock.now() + hourMs + minuteMs).toISOString();
    const said = { code: "board.limited", message: `the board wants no request before ${until}.`, until };
    for (let run = 0; run < 2; run += 1) {
      const report = await stage.sync();
      expect(report).toMatchObject({ result: "partial", projects: [{ failed: 1, errors: [said] }] });
      expect(report.projects[0]).not.toHaveProperty("putOff");
    }
    stage.clock.skip(31 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ failed: 0, putOff: [{ code: "board.limited" }] });
  });

  it("is asked again by the next run where it named none", async () => {
    const stage = await openBusy();
    stage.board.failNext({ kind: "answer", status: 429 }, isPatch);
    await stage.sync();
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1, waiting: 0 });
  });

  it("says so where it named no time", async () => {
    const stage = await openBusy();
    stage.board.failNext({ kind: "answer", status: 429 }, isPatch);
    expect((await stage.syncOne()).putOff).toEqual([
      { code: "board.limited", message: "the board limits requests, and names no end" },
    ]);
    expect(await stage.syncOne()).not.toHaveProperty("putOff");
  });

  it("keeps the latest of the times that answers side by side have named", async () => {
    const stage = await openBusy();
    stage.github.close("acme/app", 2, "completed");
    stage.board.failNext({ ...inAnHour, headers: { "retry-after": "7200" } }, isPatch);
    stage.board.failNext(inAnHour, isPatch);
    await stage.sync();
    expect(stage.patches()).toHaveLength(2);
    stage.clock.skip(1.5 * hourMs);
    stage.mark();
    await stage.sync();
    expect(stage.reads()).toEqual([]);
  });

  it("is asked when the time is further away than any answer could name: the clock was wrong", async () => {
    const stage = await openBusy();
    await stage.ledger.commit([
      {
        kind: "limit",
        side: "tracker",
        budget: "",
        until: stage.clock.now() + 25 * hourMs,
        at: stage.clock.now(),
      },
    ]);
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1, waiting: 0 });
  });
});

describe("a limit of GraphQL alone", () => {
  /** p1 to p3 have an issue each; a rule looks at pull requests, below one for what was completed. */
  async function openLimited(schedule = "*/5 * * * *"): Promise<Stage> {
    const stage = await openLooking({ pullRequest: "open" }, 3, { config: { schedule } });
    stage.github.setLimits({ queriesPerHour: 0 });
    return stage;
  }
  const linkPullRequest = (stage: Stage, issue: number): void => {
    const { number } = stage.github.openPullRequest("acme/app", { title: "For it" });
    const repository = "acme/app";
    stage.github.linkPullRequest({ repository, number: issue }, { repository, number });
  };
  const status = (stage: Stage, post: string): unknown => stage.board.post("acme-app", post)?.status;
  const queries = (stage: Stage): number => stage.reads().filter((read) => read === "POST /graphql").length;

  it("puts off what hangs on signals; all else is decided, read and written, in later processes, too", async () => {
    const stage = await openLimited();
    stage.github.close("acme/app", 1, "completed");
    linkPullRequest(stage, 2);
    addPlanned(stage, 1);
    const report = await stage.sync();
    const until = expect.stringMatching(/^2026-03-02T0[89]:/);
    const message = expect.stringMatching(/^GitHub \(GraphQL\) wants no request before 2026/);
    const putOff = [{ code: "tracker.limited", message, until, budget: "GraphQL" }];
    expect(report).toMatchObject({
      result: "ok",
      projects: [{ failed: 0, errors: [], waiting: 1, created: 1, statusWrites: 1, putOff }],
    });
    expect([status(stage, "p1"), status(stage, "p2")]).toEqual(["completed", "planned"]);
    expect(queries(stage)).toBe(1);
    for (let run = 0; run < 3; run += 1) {
      stage.restart();
      stage.mark();
      expect(await stage.syncOne()).toMatchObject({ failed: 0, waiting: 1, putOff });
      expect(queries(stage)).toBe(0);
      expect(stage.reads()).toContain("GET /repos/acme/app/issues");
    }
    stage.github.close("acme/app", 3, "completed");
    expect(await stage.syncOne()).toMatchObject({ failed: 0, statusWrites: 1 });
    stage.github.setLimits({ queriesPerHour: 5000 });
    stage.clock.skip(hourMs);
    expect(await stage.syncOne()).toMatchObject({ failed: 0, waiting: 0, statusWrites: 1 });
    expect(status(stage, "p2")).toBe("in_progress");
  });

  it("makes a post wait of whose issue nothing was read before, and fails nothing", async () => {
    const stage = await openLimited();
    stage.loseState();
    await stage.sync();
    for (let run = 0; run < 2; run += 1)
      expect(await stage.syncOne()).toMatchObject({ failed: 0, errors: [], waiting: 3, issues: 3 });
    const [waiting] = await stage.ledger.rows.waiting("prj_app" as never, 10, ["waiting", "undecided"]);
    expect(waiting).toMatchObject({
      post: "p1",
      kind: "waiting",
      message: expect.stringMatching(/pullRequest.*GitHub \(GraphQL\) wants no request before/),
      until: expect.any(Number),
    });
    stage.github.setLimits({ queriesPerHour: 5000 });
    stage.clock.skip(2 * hourMs);
    expect(await stage.syncOne()).toMatchObject({ failed: 0, waiting: 0, held: 0, statusWrites: 0 });
  });

  it("makes rules wait that look at signals and are new; those before stay in force, and nothing fails", async () => {
    const stage = await openPosts(2, { projects: [lookingAt({ labels: ["in progress"] })] });
    stage.github.setLimits({ queriesPerHour: 0 });
    linkPullRequest(stage, 1);
    stage.reconfigure({ projects: [lookingAt({ pullRequest: "open" })] });
    stage.github.close("acme/app", 2, "completed");
    for (let run = 0; run < 2; run += 1)
      expect(await stage.syncOne()).toMatchObject({ failed: 0, waiting: 1, statusWrites: 0, held: 0 });
    expect(queries(stage)).toBe(1);
    stage.github.setLimits({ queriesPerHour: 5000 });
    stage.clock.skip(2 * hourMs);
    expect(await stage.syncOne()).toMatchObject({ failed: 0, waiting: 0, held: 1, statusWrites: 1 });
  });

  it.each<[string, (stage: Stage) => Promise<void> | void]>([
    ["that are new", (stage) => stage.reconfigure({ projects: [lookingAt(inProgress)] })],
    [
      "of an issue that a person links",
      async (stage) => {
        stage.reconfigure({ projects: [lookingAt(inProgress)] });
        stage.github.setLimits({ queriesPerHour: 5000 });
        await stage.sync();
        // What was found of the field counts no longer.
        stage.clock.skip(7 * hourMs);
        stage.github.setLimits({ queriesPerHour: 0 });
        const asked = { kind: "link", post: "p2", repository: "acme/app", number: 1 } as const;
        const request = { ...asked, project: "prj_app", at: stage.clock.now() } as never;
        await stage.ledger.commit([{ kind: "add-request", request }]);
      },
    ],
  ])("is believed by the look for the field of a project, for rules %s", async (_, prepare) => {
    const stage = await openPosts(2, { projects: [lookingAt({ labels: ["in progress"] })] });
    stage.github.addProject(roadmap, { Status: ["Todo", "In progress", "Done"] });
    stage.github.setLimits({ queriesPerHour: 0 });
    await prepare(stage);
    stage.mark();
    for (let run = 0; run < 3; run += 1) expect(await stage.syncOne()).toMatchObject({ failed: 0 });
    expect(queries(stage)).toBe(1);
  });

  it("is said by a plan, which can't tell what it could not look at", async () => {
    const stage = await openLimited();
    const { report } = await stage.run("plan");
    expect(report).toMatchObject({
      result: "partial",
      projects: [{ errors: [{ code: "tracker.limited", message: expect.stringContaining("(GraphQL)") }] }],
    });
  });

  it("that is a secondary one puts off the whole project", async () => {
    const stage = await openLimited("0 12 * * *");
    stage.github.setLimits({ queriesPerHour: 5000 });
    stage.github.close("acme/app", 1, "completed");
    stage.github.failNext({ path: "/graphql", answer: secondaryLimit(3_600) });
    const report = await stage.syncOne();
    expect(report).toMatchObject({ failed: 0, statusWrites: 0, putOff: [{ code: "tracker.limited" }] });
    expect(report.putOff?.[0]).not.toHaveProperty("budget");
    stage.mark();
    await stage.sync();
    expect(stage.reads()).toEqual([]);
  });

  it("of one owner's installation leaves the signals of another's issues", async () => {
    const project = {
      ...lookingAt({ pullRequest: "open" }),
      route: [{ category: "cat_api", repo: "other/web" }],
    };
    const stage = await openStage({
      repositories: privateRepositories("acme/app", "other/web"),
      app: [{ owner: "acme" }, { owner: "other" }],
      projects: [project],
    });
    addPlanned(stage, 1);
    addPlanned(stage, [{ categoryId: "cat_api" }]);
    await stage.sync();
    for (const repository of ["acme/app", "other/web"]) {
      const { number } = stage.github.openPullRequest(repository, { title: "For it" });
      stage.github.linkPullRequest({ repository, number: 1 }, { repository, number });
    }
    const answer = {
      kind: "answer",
      status: 200,
      headers: {
        "x-ratelimit-remaining": "0",
        "x-ratelimit-reset": String(stage.clock.now() / 1000 + 3_600),
        "x-ratelimit-resource": "graphql",
      },
      body: { errors: [{ type: "RATE_LIMITED", message: "API rate limit exceeded" }] },
    } as const;
    stage.github.failNext({ path: "/graphql", answer });
    const putOff = [{ code: "tracker.limited", budget: "acme GraphQL" }];
    expect(await stage.syncOne()).toMatchObject({ failed: 0, statusWrites: 1, putOff });
    expect([status(stage, "p1"), status(stage, "p2")]).toEqual(["planned", "in_progress"]);
    stage.mark();
    expect(await stage.syncOne()).toMatchObject({ failed: 0, statusWrites: 0, putOff });
    expect(queries(stage)).toBe(1);
    stage.clock.skip(hourMs);
    expect(await stage.syncOne()).toMatchObject({ failed: 0, statusWrites: 1, waiting: 0 });
  });
});
