import { describe, expect, it } from "vitest";
import type { SandboxRequest } from "../support/sandbox/board/http.ts";
import { openPosts, privateRepositories, twoProjects, twoRepositories } from "../support/setups.ts";
import { addPlanned, openStage, type Stage, standardProject } from "../support/stage.ts";

const always = 1_000_000;

function refuse(
  stage: Stage,
  asked: { readonly method: string; readonly path: RegExp },
  status: number,
  message: string,
  more: {
    readonly times?: number;
    readonly errors?: readonly object[];
    readonly headers?: Record<string, string>;
  } = {},
): void {
  const { times = always, errors, headers } = more;
  const body = { message, ...(errors && { errors }) };
  stage.github.failNext({
    ...asked,
    times,
    answer: { kind: "answer", status, body, ...(headers && { headers }) },
  });
}

function sentTo(stage: Stage, path: RegExp): number {
  return stage.writes().filter((write) => path.test(write)).length;
}

const create = { method: "POST", path: /\/issues$/ };
const newLabel = { method: "POST", path: /app\/labels$/ };

describe("a permission that the token lacks", () => {
  it.each<[number, string]>([
    [403, "Resource not accessible by personal access token"],
    [403, "Resource not accessible by integration"],
    [403, "Must have admin rights to Repository."],
    [403, "Resource protected by organization SAML enforcement."],
    [
      403,
      "Although you appear to have the correct authorization credentials, the `acme` organization has an IP allow list enabled",
    ],
    [403, "words that nobody has foreseen"],
    [404, "Not Found"],
    [451, "Repository access blocked"],
  ])(
    "(%i %s) ends the opening of issues in one request, parks nothing, and heals by itself",
    async (status, words) => {
      const stage = await openPosts(1);
      addPlanned(stage, 5);
      refuse(stage, create, status, words, { times: 2 });
      for (let run = 1; run <= 2; run += 1) {
        const report = await stage.syncOne();
        expect(report).toMatchObject({ result: "partial", created: 0, parked: 0, waiting: 5, failed: 1 });
        expect(report.errors).toMatchObject([{ issue: "acme/app", code: "tracker.permission" }]);
        expect(report.errors[0]?.post).toBeUndefined();
        expect(report.errors[0]?.message).toContain(words.replace(/\.$/, ""));
        expect(sentTo(stage, /POST .*\/issues$/)).toBe(run);
      }
      expect(await stage.syncOne()).toMatchObject({ result: "ok", created: 5, parked: 0, failed: 0 });
    },
  );

  it("is none where GitHub says that the repository is archived, also while that still shows itself as it was", async () => {
    const stage = await openPosts(1);
    addPlanned(stage, 3);
    refuse(stage, create, 403, "Repository was archived so is read-only.", { times: 1 });
    expect(await stage.syncOne()).toMatchObject({
      created: 0,
      parked: 0,
      waiting: 3,
      errors: [{ code: "tracker.archived" }],
    });
    expect(sentTo(stage, /POST .*\/issues$/)).toBe(1);
    expect(await stage.syncOne()).toMatchObject({ result: "ok", created: 3 });
  });

  it("names what is missing where GitHub does", async () => {
    const stage = await openPosts(1);
    addPlanned(stage, 1);
    refuse(stage, create, 403, "Resource not accessible by personal access token", {
      headers: { "x-accepted-github-permissions": "issues=write" },
    });
    expect((await stage.syncOne()).errors[0]?.message).toContain("the token lacks issues: write");
  });

  it("in one repository stops nothing in another, nor on the board", async () => {
    const stage = await openPosts(2, twoRepositories);
    addPlanned(stage, 4);
    stage.board.editPost("acme-app", "p4", { categoryId: "cat_api" });
    stage.board.editPost("acme-app", "p5", { categoryId: "cat_api" });
    stage.github.close("acme/app", 1, "completed");
    stage.board.editPost("acme-app", "p2", { title: "Another title" });
    refuse(
      stage,
      { method: "POST", path: /acme\/app\/issues$/ },
      403,
      "Resource not accessible by integration",
    );
    expect(await stage.syncOne()).toMatchObject({
      created: 2,
      statusWrites: 1,
      issueWrites: 1,
      parked: 0,
      errors: [{ issue: "acme/app", code: "tracker.permission" }],
    });
    expect(stage.github.issues("acme/api")).toHaveLength(2);
    expect(sentTo(stage, /POST .*acme\/app\/issues$/)).toBe(1);
  });

  it("that only some posts meet keeps no other from its issue for ever", async () => {
    const stage = await openPosts(1);
    addPlanned(stage, 6);
    // GitHub refuses two of them, whatever is done.
    stage.bend((world) => {
      const { tracker } = world;
      const bent: typeof tracker = Object.assign(Object.create(tracker), {
        write: (...given: Parameters<typeof tracker.write>) => {
          const [, write] = given;
          const isBad = write.kind === "create-issue" && /Post [25]$/.test(write.title);
          return isBad
            ? Promise.resolve({ kind: "forbidden", message: "Not this one" })
            : tracker.write(...given);
        },
      });
      return { ...world, tracker: bent };
    });
    for (let run = 0; run < 4; run += 1) await stage.sync();
    expect(stage.github.issues("acme/app")).toHaveLength(5);
    expect(await stage.syncOne()).toMatchObject({ parked: 0, waiting: 2 });
  });

  it("of one issue that is full of comments is that post's own, and names it", async () => {
    const boardRules = [{ when: { status: "declined" }, set: { comment: "Declined." } }];
    const stage = await openPosts(2, { projects: [{ ...standardProject, boardRules }] });
    for (const post of ["p1", "p2"]) stage.board.editPost("acme-app", post, { status: "declined" });
    const message = "Commenting is disabled on issues with more than 2500 comments";
    refuse(stage, { method: "POST", path: /\/issues\/1\/comments$/ }, 403, message, { times: 9 });
    const report = await stage.syncOne();
    expect(report).toMatchObject({
      issueWrites: 1,
      parked: 1,
      waiting: 0,
      errors: [{ post: "p1", issue: "acme/app#1", code: "tracker.rejected" }],
    });
    expect(report.errors[0]?.message).toContain(message);
    expect(stage.github.comments("acme/app", 2)).toHaveLength(1);
    expect(await stage.sync()).toMatchObject({ result: "held" });
  });

  it("of one post that the board has merged into another is that post's own, and blames no key", async () => {
    const stage = await openPosts(3, { config: { board: { concurrency: 1 } } });
    for (const number of [1, 2, 3]) stage.github.close("acme/app", number, "completed");
    const isFirst = ({ method, path }: SandboxRequest): boolean => method === "PATCH" && path.endsWith("/p1");
    stage.board.failNext(
      { kind: "answer", status: 403, body: { message: "Merged posts can't be edited" } },
      { when: isFirst, times: 9 },
    );
    expect(await stage.syncOne()).toMatchObject({
      postWrites: 2,
      parked: 1,
      errors: [{ post: "p1", code: "board.rejected" }],
    });
    expect(await stage.sync()).toMatchObject({ result: "held" });
  });

  it("to edit or to change issues stops no new ones", async () => {
    const boardRules = [{ when: { status: "declined" }, set: { state: "closed", reason: "not_planned" } }];
    const stage = await openPosts(3, { projects: [{ ...standardProject, boardRules }] });
    stage.board.editPost("acme-app", "p1", { title: "Another title" });
    stage.board.editPost("acme-app", "p2", { status: "declined" });
    stage.board.editPost("acme-app", "p3", { status: "declined" });
    addPlanned(stage, 1);
    refuse(stage, { method: "PATCH", path: /\/issues\/\d+$/ }, 403, "Must have admin rights to Repository.", {
      times: 2,
    });
    expect(await stage.syncOne()).toMatchObject({
      created: 1,
      issueWrites: 0,
      parked: 0,
      waiting: 3,
      failed: 2,
    });
    expect(sentTo(stage, /PATCH .*\/issues/)).toBe(2);
    expect(await stage.syncOne()).toMatchObject({ issueWrites: 3, parked: 0, failed: 0, waiting: 0 });
  });
});

describe("a limit, in whatever status it comes", () => {
  it.each<[number, string, readonly object[], Record<string, string>]>([
    [422, "Validation Failed", [{ resource: "Issue", code: "abuse" }], {}],
    [422, "was submitted too quickly", [], {}],
    [
      422,
      "You have exceeded a secondary rate limit and have been temporarily blocked from content creation.",
      [],
      {},
    ],
    [422, "Try again", [], { "retry-after": "30" }],
    [400, "API rate limit exceeded", [], {}],
    [503, "You have exceeded a secondary rate limit", [], { "retry-after": "30" }],
    [403, "You have triggered an abuse detection mechanism", [], {}],
    [429, "?", [], {}],
  ])("(%i %s) ends the lane for this run, and parks nothing", async (status, words, errors, headers) => {
    const stage = await openPosts(1);
    addPlanned(stage, 3);
    refuse(stage, create, status, words, { times: 1, errors, headers });
    expect(await stage.syncOne()).toMatchObject({
      result: "ok",
      created: 0,
      parked: 0,
      waiting: 3,
      putOff: [{ code: "tracker.limited" }],
    });
    expect(sentTo(stage, /POST .*\/issues$/)).toBe(1);
    stage.clock.skip(120_000);
    expect(await stage.syncOne()).toMatchObject({ created: 3, parked: 0, failed: 0 });
  });

  it("on a list puts the project off, and is no failure", async () => {
    const stage = await openPosts(1);
    refuse(stage, { method: "GET", path: /\/issues$/ }, 422, "API rate limit exceeded", {
      times: 1,
      headers: { "retry-after": "90" },
    });
    expect(await stage.syncOne()).toMatchObject({ failed: 0, putOff: [{ code: "tracker.limited" }] });
  });

  it.each<[number, object, Record<string, string>]>([
    [403, { error: "Rate limit exceeded" }, {}],
    [422, { message: "Too many requests" }, {}],
    [503, { error: { code: "rate_limited", message: "Slow down" } }, {}],
    [403, { message: "Please wait" }, { "retry-after": "60" }],
    [429, {}, {}],
  ])("on the board (%i %o), too", async (status, body, headers) => {
    const stage = await openPosts(3);
    for (const number of [1, 2, 3]) stage.github.close("acme/app", number, "completed");
    stage.reconfigure({ config: { board: { concurrency: 1 } } });
    stage.board.failNext(
      { kind: "answer", status, body, headers },
      { times: 1, when: ({ method }) => method === "PATCH" },
    );
    expect(await stage.syncOne()).toMatchObject({
      result: "ok",
      statusWrites: 0,
      parked: 0,
      waiting: 3,
      putOff: [{ code: "board.limited" }],
    });
    expect(stage.patches()).toHaveLength(1);
    stage.clock.skip(120_000);
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 3, parked: 0, failed: 0 });
  });
});

it("what a key may not do in one project of the board it is asked once, and others go on", async () => {
  const stage = await openStage({
    boardProjects: twoProjects,
    repositories: privateRepositories("acme/app", "acme/api"),
    projects: [standardProject, { ...standardProject, project: "acme-api", repo: "acme/api" }],
    config: { board: { concurrency: 1 } },
  });
  addPlanned(stage, 3);
  addPlanned(stage, 2, "acme-api");
  await stage.sync();
  await stage.sync();
  for (const number of [1, 2, 3]) stage.github.close("acme/app", number, "completed");
  for (const number of [1, 2]) stage.github.close("acme/api", number, "completed");
  stage.mark();
  stage.board.failNext(
    { kind: "answer", status: 403, body: { message: "Read only" } },
    { times: always, when: ({ method, query }) => method === "PATCH" && query["project"] === "prj_app" },
  );
  expect(await stage.sync()).toMatchObject({
    projects: [
      { statusWrites: 0, parked: 0, waiting: 2, errors: [{ code: "board.unauthorized" }] },
      { statusWrites: 2, errors: [] },
    ],
  });
  expect(stage.patches()).toHaveLength(3);
});

it("a 503 that names a time leaves its write in doubt, and ends the lane for that time", async () => {
  const stage = await openPosts(1);
  addPlanned(stage, 3);
  refuse(stage, create, 503, "Unicorn", { times: 1, headers: { "retry-after": "90" } });
  expect(await stage.syncOne()).toMatchObject({
    created: 0,
    parked: 0,
    errors: [{ code: "tracker.unknown" }],
    putOff: [{ code: "tracker.limited" }],
  });
  expect(sentTo(stage, /POST .*\/issues$/)).toBe(1);
});

describe("a label that may not be made", () => {
  const boardRules = [{ when: { status: "declined" }, set: { addLabels: ["declined"] } }];

  async function openDeclined(count: number): Promise<Stage> {
    const stage = await openPosts(count, { projects: [{ ...standardProject, boardRules }] });
    for (let post = 1; post <= count; post += 1)
      stage.board.editPost("acme-app", `p${post}`, { status: "declined" });
    return stage;
  }

  it("is tried once a run, and added by name all the same", async () => {
    const stage = await openDeclined(3);
    refuse(stage, newLabel, 403, "Resource not accessible by personal access token");
    expect(await stage.syncOne()).toMatchObject({ result: "ok", issueWrites: 3, parked: 0 });
    expect(sentTo(stage, /POST .*app\/labels$/)).toBe(1);
    expect(stage.github.issues("acme/app").map(({ labels }) => labels)).toEqual(
      Array(3).fill(["feedback", "declined"]),
    );
    expect(await stage.syncOne()).toMatchObject({ issueWrites: 0, waiting: 0 });
  });

  it.each<[number, string]>([
    [403, "Resource not accessible by personal access token"],
    [403, "Must have push access to add labels"],
    [404, "Not Found"],
    [422, "Validation Failed"],
  ])(
    "nor added by name (%i %s), is parked in GitHub's words, and nothing else waits for it",
    async (status, words) => {
      const stage = await openDeclined(3);
      addPlanned(stage, 2);
      refuse(stage, { method: "POST", path: /\/labels$/ }, status, words);
      const report = await stage.syncOne();
      expect(report).toMatchObject({ result: "partial", created: 2, issueWrites: 0, parked: 3, failed: 3 });
      for (const { code, message } of report.errors) {
        expect(code).toBe("tracker.rejected");
        expect(message).toContain(words);
      }
      expect(sentTo(stage, /POST .*app\/labels$/)).toBe(1);
      expect(sentTo(stage, /POST .*issues\/\d+\/labels$/)).toBe(3);
      stage.mark();
      expect(await stage.syncOne()).toMatchObject({ result: "held", parked: 3 });
      expect(stage.writes()).toEqual([]);
    },
  );

  it("costs new issues one request a run", async () => {
    const stage = await openStage({ repositories: [{ name: "acme/app", private: true }] });
    refuse(stage, newLabel, 403, "Resource not accessible by personal access token");
    addPlanned(stage, 4);
    expect(await stage.syncOne()).toMatchObject({ created: 4, failed: 0 });
    expect(sentTo(stage, /POST .*app\/labels$/)).toBe(1);
  });
});
