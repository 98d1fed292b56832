import { expect, it } from "vitest";
import { withParts } from "../simulation/with-parts.ts";
import { lookingAt, openLooking, openPosts, privateRepositories } from "../support/setups.ts";
import { addPlanned, hourMs, minuteMs, openStage, type Stage, standardProject } from "../support/stage.ts";

const twoProjects = {
  boardProjects: [
    { id: "prj_big", slug: "big" },
    { id: "prj_small", slug: "small" },
  ],
  projects: ["big", "small"].map((project) => ({ ...standardProject, project })),
};

/** Each page of the board's list, and each PATCH, takes a second. */
function slowDown(stage: Stage): void {
  stage.bend((world) => ({
    ...world,
    board: withParts(world.board, {
      async *listPosts(...given: Parameters<typeof world.board.listPosts>) {
        for await (const page of world.board.listPosts(...given)) {
          stage.clock.skip(1000);
          yield page;
        }
      },
      patchPost(...given: Parameters<typeof world.board.patchPost>) {
        stage.clock.skip(1000);
        return world.board.patchPost(...given);
      },
    }),
  }));
}

it("GitHub is looked at also where the board's list takes just the time of a run", async () => {
  const stage = await openStage({ style: { pageSize: 2 }, config: { budget: "5s" } });
  addPlanned(stage, 1);
  for (let post = 0; post < 8; post += 1) stage.board.addPost("acme-app", { status: "open" });
  for (let run = 0; run < 3; run += 1) await stage.sync();
  slowDown(stage);
  await stage.sync();
  stage.github.close("acme/app", 1, "completed");
  for (let run = 0; run < 3; run += 1) await stage.sync();
  expect(stage.board.notifications).toHaveLength(1);
});

it("a list that fits into a run is read whole also while a post is undecided", async () => {
  const stage = await openStage({ style: { pageSize: 2 }, config: { budget: "5s" } });
  addPlanned(stage, 1);
  for (let post = 0; post < 5; post += 1) stage.board.addPost("acme-app", { status: "open" });
  for (let run = 0; run < 3; run += 1) await stage.sync();
  stage.github.label("acme/app", 1, "in progress");
  await stage.sync();
  stage.github.deleteLabel("acme/app", "in progress");
  for (let run = 0; run < 2; run += 1) await stage.sync();
  slowDown(stage);
  for (let run = 0; run < 4; run += 1) {
    const { posts, errors } = await stage.syncOne();
    expect([posts, errors.map(({ code }) => code)]).toEqual([6, ["tracker.undecided"]]);
  }
});

it("the pull requests of all issues are read where a limit leaves each run one request of two", async () => {
  const tracker = {
    pace: { minIntervalMs: 0, createsPerMinute: 1000, createsPerHour: 1000, writesPerHour: 1000 },
  };
  const config = { guard: { issues: 1000, statuses: 1000 }, tracker };
  const stage = await openLooking({ pullRequest: "open" }, 110, {
    projects: [lookingAt({ pullRequest: "open" })],
    config,
  });
  for (let issue = 1; issue <= 110; issue += 1) {
    const { number } = stage.github.openPullRequest("acme/app", { title: "Work" });
    stage.github.linkPullRequest(
      { repository: "acme/app", number: issue },
      { repository: "acme/app", number },
    );
  }
  const body = { message: "API rate limit exceeded" };
  const answer = { kind: "answer", status: 403, headers: { "retry-after": "1200" }, body } as const;
  for (let run = 0; run < 2; run += 1) {
    stage.github.failNext({ path: "/graphql", after: 1, answer });
    await stage.sync();
    stage.clock.skip(25 * minuteMs);
  }
  expect(stage.board.notifications).toHaveLength(110);
  await stage.sync();
  expect(stage.ledger.memory.project("acme-app")?.signalsFrom).toBeUndefined();
});

it("many changes between two runs are read on where a limit has ended the run before", async () => {
  const stage = await openPosts(1);
  for (let issue = 0; issue < 550; issue += 1) {
    if (issue % 20 === 0) stage.clock.skip(5 * minuteMs);
    stage.github.openIssue("acme/app", { title: `Other ${issue}` });
  }
  stage.clock.skip(5000);
  stage.github.close("acme/app", 1, "completed");
  const body = { message: "You have exceeded a secondary rate limit." };
  const answer = { kind: "answer", status: 403, headers: { "retry-after": "1200" }, body } as const;
  for (let run = 0; run < 6; run += 1) {
    stage.github.failNext({ method: "GET", path: /\/issues$/u, after: 4, answer });
    await stage.sync();
    stage.clock.skip(25 * minuteMs);
  }
  expect(stage.board.notifications).toHaveLength(1);
});

it("a project gets its turn behind one whose list takes all of the time of each run", async () => {
  const stage = await openStage({ ...twoProjects, style: { pageSize: 2 }, config: { budget: "5s" } });
  for (let post = 0; post < 20; post += 1) stage.board.addPost("big", { status: "open" });
  addPlanned(stage, 1, "small");
  for (let run = 0; run < 3; run += 1) await stage.sync();
  slowDown(stage);
  await stage.sync();
  stage.github.close("acme/app", 1, "completed");
  for (let run = 0; run < 2; run += 1) await stage.sync();
  expect(stage.board.notifications).toHaveLength(1);
  stage.board.editPost("big", "p1", { status: "planned" });
  for (let run = 0; run < 4; run += 1) await stage.sync();
  expect(stage.github.issues("acme/app")).toHaveLength(2);
});

it("a project gets its turn behind one whose changes take longer than a run", async () => {
  const guard = { issues: 100, statuses: 100 };
  const stage = await openStage({ ...twoProjects, config: { budget: "5s", guard } });
  addPlanned(stage, 20, "big");
  addPlanned(stage, 1, "small");
  for (let run = 0; run < 10; run += 1) {
    await stage.sync();
    stage.clock.skip(hourMs);
  }
  slowDown(stage);
  const issues = stage.github.issues("acme/app");
  expect(issues).toHaveLength(21);
  for (const { number } of issues) stage.github.close("acme/app", number, "completed");
  const written: (number | undefined)[] = [];
  for (let run = 0; run < 3; run += 1) {
    const { projects } = await stage.sync();
    written.push(projects.find(({ project }) => project === "small")?.statusWrites);
  }
  expect(written).toContain(1);
});

it.each<[string, (stage: Stage) => void, number]>([
  [
    "a PATCH",
    ({ board }) => {
      const when = ({ method, path }: { readonly method: string; readonly path: string }): boolean =>
        method === "PATCH" && path.endsWith("/p1");
      board.failNext({ kind: "answer", status: 429 }, { when, times: 1000 });
    },
    1,
  ],
  [
    "an opening",
    ({ github }) => {
      const body = { message: "You have exceeded a secondary rate limit and have been temporarily blocked." };
      const answer = { kind: "answer", status: 403, body } as const;
      github.failNext({ method: "POST", path: "/repos/acme/app/issues", times: 1000, answer });
    },
    2,
  ],
])(
  "a project gets its turn behind one of which %s is always answered with a limit",
  async (_, limit, issues) => {
    const stage = await openStage({
      ...twoProjects,
      repositories: privateRepositories("acme/app", "acme/api"),
      projects: ["acme/app", "acme/api"].map((repo, at) => ({ ...twoProjects.projects[at], repo })),
    });
    for (const project of ["big", "small"]) addPlanned(stage, 1, project);
    for (let run = 0; run < 2; run += 1) await stage.sync();
    limit(stage);
    for (const repo of ["acme/app", "acme/api"]) stage.github.close(repo, 1, "completed");
    for (const project of ["big", "small"]) addPlanned(stage, 1, project);
    for (let run = 0; run < 4; run += 1) {
      await stage.sync();
      stage.clock.skip(2 * hourMs);
    }
    expect(stage.board.post("small", "p2")?.status).toBe("completed");
    expect(stage.github.issues("acme/api")).toHaveLength(2);
    expect(stage.github.issues("acme/app")).toHaveLength(3 - issues);
  },
);

it.each<[string, (stage: Stage) => void]>([
  [
    "the board, without an end",
    ({ board }) => board.failNext({ kind: "answer", status: 429 }, { times: 1000 }),
  ],
  [
    "GitHub, for a minute",
    ({ github }) => {
      const body = { message: "You have exceeded a secondary rate limit." };
      const answer = { kind: "answer", status: 403, headers: { "retry-after": "60" }, body } as const;
      github.failNext({ times: 1000, answer });
    },
  ],
])("a side that limits every run of a day is a failure from then on: %s", async (_, limit) => {
  const stage = await openStage();
  addPlanned(stage, 1);
  for (let run = 0; run < 2; run += 1) await stage.sync();
  limit(stage);
  const results: (readonly [string, number])[] = [];
  for (let run = 0; run < 8; run += 1) {
    stage.clock.skip(3 * hourMs);
    const { result, errors } = await stage.syncOne();
    for (const { message } of errors) expect(message).toMatch(/; no run since .+ came to its end\.$/u);
    results.push([result, errors.length]);
  }
  expect(results.slice(0, 7)).toEqual(Array.from({ length: 7 }, () => ["ok", 0]));
  expect(results[7]).toEqual(["partial", 1]);
});

it.each(["/projects", "/feedback"])(
  "a board that limits %s of a new project is a failure a day after its first run, though none has come to its end",
  async (path) => {
    const stage = await openStage();
    stage.board.failNext(
      { kind: "answer", status: 429 },
      { when: (request) => request.path === path, times: 1000 },
    );
    const failed: number[] = [];
    for (let run = 0; run < 9; run += 1) {
      const { errors } = await stage.syncOne();
      for (const { message } of errors) expect(message).toMatch(/; no run since .+ came to its end\.$/u);
      failed.push(errors.length);
      stage.clock.skip(3 * hourMs);
    }
    expect(failed).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 1]);
  },
);

it("new issues, and each of several texts, get their turn where texts change faster than the pace allows", async () => {
  const pace = { minIntervalMs: 0, createsPerMinute: 100, createsPerHour: 100, writesPerHour: 100 };
  const config = { guard: { issues: 100 }, tracker: { pace } };
  const stage = await openStage({ config });
  addPlanned(stage, 6);
  for (let run = 0; run < 2; run += 1) await stage.sync();
  const slow = { ...pace, createsPerHour: 4, writesPerHour: 4 };
  stage.reconfigure({ config: { ...config, tracker: { pace: slow } } });
  stage.clock.skip(2 * hourMs);
  addPlanned(stage, 1);
  for (let hour = 0; hour < 4; hour += 1) {
    for (let post = 1; post <= 6; post += 1)
      stage.board.editPost("acme-app", `p${post}`, { title: `Post ${post}, ${hour}` });
    await stage.sync();
    stage.clock.skip(hourMs);
  }
  const titles = stage.github.issues("acme/app").map(({ title }) => title);
  expect(titles).toHaveLength(7);
  expect(titles.filter((title) => title.includes(", "))).toHaveLength(6);
});

it("a short limit is no failure where runs came to their end, though something failed in each", async () => {
  const stage = await openPosts(3);
  stage.board.editPost("acme-app", "p1", { createdAt: "2026-06-01T10:00:00Z", title: "Something else" });
  for (let run = 0; run < 6; run += 1) {
    expect(await stage.syncOne()).toMatchObject({ failed: 1 });
    stage.clock.skip(6 * hourMs);
  }
  const body = { message: "You have exceeded a secondary rate limit." };
  const answer = { kind: "answer", status: 403, headers: { "retry-after": "60" }, body } as const;
  stage.github.failNext({ path: /issues/u, answer });
  const { errors } = await stage.syncOne();
  expect(errors.map(({ code }) => code)).not.toContain("tracker.limited");
});
