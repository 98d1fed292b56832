/** @module-tag long */
import { beforeEach, describe, expect, it } from "vitest";
import type { Round, World } from "../../src/sync/ground/world.ts";
import { lookingAt, openPosts, twoProjects } from "../support/setups.ts";
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

/** Projects `acme-0` and so on, all of one repository. */
function projectsOfOne(count: number, project: ConfigPart = standardProject): StageOptions {
  const slugs = Array.from({ length: count }, (_, index) => `acme-${index}`);
  return {
    boardProjects: slugs.map((slug) => ({ id: `prj_${slug}`, slug })),
    projects: slugs.map((slug) => ({ ...project, project: slug })),
  };
}

/** How often each request was sent since the mark. */
function countReads(stage: Stage): Readonly<Record<string, number>> {
  return Object.fromEntries(
    [...Map.groupBy(stage.reads(), (read) => read)].map(([read, all]) => [read, all.length]),
  );
}

const missing = { kind: "answer", status: 404, body: { message: "Not Found" } } as const;
const looking = lookingAt({ pullRequest: "open" });

describe("200 projects of one repository", () => {
  it("read it with one conditional request in an idle run, and look up what they share once", async () => {
    const stage = await openStage(projectsOfOne(200));
    for (const slug of ["acme-0", "acme-120", "acme-199"]) addPlanned(stage, 1, slug);
    expect(await stage.sync()).toMatchObject({ result: "ok" });
    expect(countReads(stage)).toEqual({
      "GET /projects": 1,
      "GET /feedback": 200,
      "GET /user": 1,
      "GET /repos/acme/app": 1,
      // With the repository, and where the rules look at labels.
      "GET /repos/acme/app/labels": 2,
      "GET /repos/acme/app/milestones": 1,
      // What has changed, and the search for marks, from both ends.
      "GET /repos/acme/app/issues": 3,
    });
    await stage.sync();
    stage.mark();
    expect(await stage.sync()).toMatchObject({ result: "ok" });
    expect(countReads(stage)).toEqual({
      "GET /feedback": 200,
      "GET /repos/acme/app/issues": 1,
      "GET /repos/acme/app/labels": 1,
    });
    expect(stage.github.requests.map(({ status }) => status)).toEqual([304, 304]);
  });
});

describe("projects of one repository", () => {
  it.each<[string, (stage: Stage) => void, string, number]>([
    ["can't be found", (stage) => stage.github.setVisible("acme/app", false), "tracker.missing", 3],
    [
      "can't be read",
      (stage) => {
        // As often as one list is tried: with 100 rows a page, 50, 25, 12, 6, 3, and 1.
        for (let attempt = 0; attempt < 7; attempt += 1)
          stage.github.failNext({ path: "/issues", answer: { kind: "answer", status: 502 } });
      },
      "tracker.unreachable",
      7,
    ],
  ])("are told in all of them that it %s, and it is asked once", async (_, fail, code, requests) => {
    const stage = await openStage(projectsOfOne(30));
    await stage.sync();
    await stage.sync();
    stage.mark();
    fail(stage);
    const { projects } = await stage.sync();
    expect(projects.filter(({ errors }) => errors.some((error) => error.code === code))).toHaveLength(30);
    expect(stage.github.requests).toHaveLength(requests);
    stage.github.setVisible("acme/app", true);
    expect(await stage.sync()).toMatchObject({ result: "ok" });
  });

  it("are all put off by a limit that the first of them meets", async () => {
    const stage = await openStage(projectsOfOne(30));
    await stage.sync();
    stage.mark();
    stage.github.failNext({ answer: { kind: "answer", status: 429, headers: { "retry-after": "3600" } } });
    const { projects } = await stage.sync();
    expect(projects.filter(({ waiting }) => waiting === 1)).toHaveLength(30);
    expect(stage.github.requests).toHaveLength(1);
    stage.clock.skip(hourMs);
    expect(await stage.sync()).toMatchObject({ result: "ok" });
  });

  it("ask a repository that can't be found for the first time once", async () => {
    const stage = await openStage(projectsOfOne(30));
    stage.github.setVisible("acme/app", false);
    const { projects } = await stage.sync();
    expect(projects.filter(({ errors }) => errors[0]?.code === "tracker.missing")).toHaveLength(30);
    expect(stage.reads().filter((read) => read === "GET /repos/acme/app")).toHaveLength(1);
  });

  it("ask once for a milestone that is not there, and once whether the repository can be written to", async () => {
    const project = { ...standardProject, issue: { milestone: "1.0" } };
    const stage = await openStage(projectsOfOne(20, project));
    await stage.sync();
    for (let index = 0; index < 20; index += 1) addPlanned(stage, 1, `acme-${index}`);
    stage.mark();
    const { projects } = await stage.sync();
    expect(projects.filter(({ created }) => created === 1)).toHaveLength(20);
    expect(projects.filter(({ errors }) => errors[0]?.code === "tracker.milestone")).toHaveLength(20);
    const reads = countReads(stage);
    expect(reads["GET /repos/acme/app/milestones"]).toBe(1);
    expect(reads["GET /repositories/1001"] ?? reads["GET /repos/acme/app"]).toBe(1);
  });
});

describe("signals of several projects", () => {
  it("go along in one request, and are each project's own in the end", async () => {
    const stage = await openStage(projectsOfOne(12, looking));
    for (let index = 0; index < 12; index += 1) addPlanned(stage, 2, `acme-${index}`);
    await stage.sync();
    await stage.sync();
    stage.mark();
    const { number } = stage.github.openPullRequest("acme/app", { title: "For the last one" });
    stage.github.linkPullRequest({ repository: "acme/app", number: 24 }, { repository: "acme/app", number });
    expect(await stage.sync()).toMatchObject({ result: "ok" });
    expect(countReads(stage)["POST /graphql"]).toBe(1);
    expect(stage.board.post("acme-11", "p24")?.["status"]).toBe("in_progress");
  });

  it("are asked for apart where the rules look at other things", async () => {
    const { boardProjects = [] } = projectsOfOne(2);
    const stage = await openStage({
      boardProjects,
      projects: [
        { ...looking, project: "acme-0" },
        { ...lookingAt({ subIssues: "all-closed" }), project: "acme-1" },
      ],
    });
    addPlanned(stage, 1, "acme-0");
    addPlanned(stage, 1, "acme-1");
    await stage.sync();
    await stage.sync();
    stage.mark();
    await stage.sync();
    expect(countReads(stage)["POST /graphql"]).toBe(2);
  });

  it("fail for nobody else where only those of another project can't be read", async () => {
    const stage = await openStage(projectsOfOne(2, looking));
    addPlanned(stage, 1, "acme-0");
    addPlanned(stage, 1, "acme-1");
    await stage.sync();
    await stage.sync();
    // Each request for more than one issue fails, as often as it is tried.
    for (let attempt = 0; attempt < 4; attempt += 1)
      stage.github.failNext({ path: "/graphql", answer: { kind: "answer", status: 502 } });
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ failed: 0 }, { failed: 0 }] });
  });
});

describe("runs of a daemon that become due together", () => {
  const options: StageOptions = {
    boardProjects: twoProjects,
    projects: [standardProject, { ...standardProject, project: "acme-api" }],
  };
  let stage: Stage;
  let looks: Round["looks"];

  beforeEach(async () => {
    stage = await openPosts(1, options);
    looks = new Map();
  });

  /** One run of both projects, as a daemon's round of which it is a part. */
  async function runDue(dueAt: number): Promise<number> {
    stage.mark();
    stage.bend((world): World => ({ ...world, round: { looks, dueAt, waiting: [] } }));
    await stage.sync();
    return stage.github.requests.filter(({ path }) => path.endsWith("/issues")).length;
  }

  it("share what was looked at since, for less than a minute", async () => {
    const dueAt = stage.clock.now();
    expect(await runDue(dueAt)).toBe(1);
    stage.clock.skip(1 - minuteMs);
    expect(await runDue(dueAt)).toBe(0);
    expect(await runDue(dueAt)).toBe(1);
  });

  it("take no look for theirs that began before they became due", async () => {
    const dueAt = stage.clock.now();
    expect(await runDue(dueAt)).toBe(1);
    const later = stage.clock.now() + 1;
    stage.clock.skip(1 - minuteMs);
    expect(await runDue(later)).toBe(1);
  });

  it("share a failure, too, and a later one asks again", async () => {
    const dueAt = stage.clock.now();
    stage.github.failNext({ path: "/issues", answer: missing });
    expect(await runDue(dueAt)).toBeGreaterThan(0);
    expect(await runDue(stage.clock.now() + minuteMs)).toBe(1);
  });

  it("see what has changed before they became due", async () => {
    const dueAt = stage.clock.now();
    await runDue(dueAt);
    stage.github.close("acme/app", 1, "completed");
    stage.clock.skip(1 - minuteMs);
    await runDue(stage.clock.now() + minuteMs);
    expect(stage.board.post("acme-app", "p1")?.status).toBe("completed");
  });
});
