import { describe, expect, it } from "vitest";
import type { NewRequest } from "../../src/ledger/orders.ts";
import type { Issue } from "../../src/model/issue.ts";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import { findIssue, foreseeUnlink } from "../../src/sync/orders/link.ts";
import type { Tracker } from "../../src/tracker/tracker.ts";
import { openPosts, twoRepositories } from "../support/setups.ts";
import {
  addPlanned,
  hourMs,
  minuteMs,
  openStage,
  type Stage,
  type StageOptions,
  standardProject,
} from "../support/stage.ts";

const project = "prj_app" as ProjectId;
const p = (id: string): PostId => id as PostId;

/** As `boardsync link` asks for it. */
async function link(stage: Stage, post: string, number: number, repository = "acme/app"): Promise<void> {
  await add(stage, { kind: "link", post: p(post), repository, number });
}

async function unlink(stage: Stage, post: string, ...numbers: readonly number[]): Promise<void> {
  const repositoryId = stage.ledger.memory.repository("acme/app")?.repository.id ?? 0;
  await add(stage, {
    kind: "unlink",
    post: p(post),
    issues: numbers.map((number) => ({ repositoryId, number })),
  });
}

type Asked = NewRequest extends infer Request
  ? Request extends NewRequest
    ? Omit<Request, "project" | "at">
    : never
  : never;

async function add(stage: Stage, asked: Asked): Promise<void> {
  await stage.ledger.commit([
    { kind: "add-request", request: { ...asked, project, at: stage.clock.now() } as NewRequest },
  ]);
}

async function linksOf(stage: Stage, post: string): Promise<readonly number[]> {
  const row = await stage.ledger.rows.row(project, p(post), stage.clock.now());
  return row?.links.map((known) => known.link.issue.number) ?? [];
}

function bodyOf(stage: Stage, number: number): string {
  return stage.github.issue("acme/app", number).body ?? "";
}

/** A GitHub that shows an issue nowhere. */
function withoutIssue(tracker: Tracker, number: number): Tracker {
  return Object.assign(Object.create(tracker), {
    readIssue: async (...given: Parameters<Tracker["readIssue"]>) =>
      given[0].number === number ? { kind: "missing" } : tracker.readIssue(...given),
    async *listIssues(...given: Parameters<Tracker["listIssues"]>) {
      for await (const page of tracker.listIssues(...given))
        yield { ...page, issues: page.issues.filter(({ issue }) => issue.number !== number) };
    },
  });
}

/** A post that nobody selects, and an issue that people opened. */
async function openApart(changes: Readonly<Record<string, unknown>> = {}): Promise<Stage> {
  const stage = await openStage({ projects: [{ ...standardProject, ...changes }] });
  stage.board.addPost("acme-app", { title: "Export", status: "open", votes: 3 });
  stage.github.openIssue("acme/app", { title: "CSV", body: "Ours.", author: "ada" });
  await stage.sync();
  stage.mark();
  return stage;
}

/** Two posts with an issue each. */
async function openPairs(
  changes: Readonly<Record<string, unknown>> = {},
  options: StageOptions = {},
): Promise<Stage> {
  const stage = await openStage({ projects: [{ ...standardProject, ...changes }], ...options });
  addPlanned(stage, [{ title: "Export" }, { title: "Download" }]);
  await stage.sync();
  stage.mark();
  return stage;
}

describe("a post that a person links to an issue", () => {
  it("takes both sides as they are, and follows the issue from then on", async () => {
    const stage = await openApart();
    stage.github.close("acme/app", 1, "completed");
    await link(stage, "p1", 1);
    expect(await stage.syncOne()).toMatchObject({ adopted: 1, issues: 1, postWrites: 0, failed: 0 });
    await stage.sync();
    expect(stage.writes()).toEqual([]);
    stage.github.reopen("acme/app", 1);
    await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    await stage.sync();
    expect(stage.board.notifications.map(({ to }) => to)).toEqual(["completed"]);
  });

  it("is told what happened to the issue since it was asked for, also where rules look at pull requests", async () => {
    const closed = { when: { state: "closed", reason: "completed" }, set: { status: "completed" } };
    const merged = { when: { pullRequest: "merged" }, set: { status: "completed" } };
    const stage = await openApart({ rules: [closed, merged] });
    addPlanned(stage, 1);
    await stage.sync();
    await link(stage, "p2", 1);
    await stage.sync();
    const known = await stage.ledger.rows.row(project, p("p2"), 0);
    const issue = known?.links.map((one) => one.known?.issue).find((one) => one?.number === 1);
    await add(stage, {
      kind: "link",
      post: p("p1"),
      repository: "acme/app",
      number: 1,
      ...(issue && { issue }),
    });
    stage.github.close("acme/app", 1, "completed");
    await stage.sync();
    await stage.sync();
    expect(stage.board.post("acme-app", "p1")?.status).toBe("completed");
  });

  it("never changes title or body of an issue that people opened", async () => {
    const stage = await openApart();
    await link(stage, "p1", 1);
    await stage.sync();
    stage.board.editPost("acme-app", "p1", { title: "Export to Excel", description: "Changed." });
    await stage.sync();
    expect(stage.writes()).toEqual([]);
    expect(bodyOf(stage, 1)).toBe("Ours.");
  });

  it("is not told later what became of its other issue before", async () => {
    const stage = await openPairs({ several: "primary" });
    stage.github.label("acme/app", 2, "in progress");
    await stage.sync();
    // No list tells that an issue is gone.
    stage.github.deleteIssue("acme/app", 1);
    await link(stage, "p1", 2);
    stage.mark();
    await stage.sync();
    stage.clock.skip(7 * 60 * minuteMs);
    await stage.sync();
    await stage.sync();
    expect(stage.writes().filter((write) => write.startsWith("PATCH /feedback/p1"))).toEqual([]);
    expect(stage.board.post("acme-app", "p1")?.status).toBe("planned");
  });

  it("gets no issue of its own beside it, even when it is selected", async () => {
    const stage = await openApart();
    stage.board.editPost("acme-app", "p1", { status: "planned" });
    await link(stage, "p1", 1);
    expect(await stage.syncOne()).toMatchObject({ adopted: 1, created: 0 });
    expect(stage.github.issues("acme/app")).toHaveLength(1);
  });

  it("may have one in a repository of another project", async () => {
    const stage = await openStage({
      boardProjects: [
        { id: "prj_app", slug: "acme-app" },
        { id: "prj_api", slug: "acme-api" },
      ],
      repositories: [
        { name: "acme/app", private: true, labels: ["feedback", "in progress"] },
        { name: "acme/api", private: true, labels: ["feedback", "in progress"] },
      ],
      projects: [standardProject, { ...standardProject, project: "acme-api", repo: "acme/api" }],
    });
    stage.board.addPost("acme-app", { title: "Export" });
    stage.github.openIssue("acme/api", { title: "CSV", author: "ada" });
    await stage.sync();
    await link(stage, "p1", 1, "acme/api");
    await stage.sync();
    stage.github.close("acme/api", 1, "completed");
    await stage.sync();
    expect(stage.board.post("acme-app", "p1")?.status).toBe("completed");
  });

  it("waits until it is known what became of the issue that was being opened for it", async () => {
    const stage = await openApart();
    stage.github.failNext({ method: "POST", applied: "late", answer: { kind: "reset" } });
    stage.board.editPost("acme-app", "p1", { status: "planned" });
    await stage.sync();
    await link(stage, "p1", 1);
    expect(await stage.syncOne()).toMatchObject({ adopted: 0, issues: 0 });
    stage.github.landLate();
    expect(await stage.syncOne()).toMatchObject({ created: 1, adopted: 1, issues: 2 });
    expect(await linksOf(stage, "p1")).toEqual([2, 1]);
    expect(stage.github.issues("acme/app")).toHaveLength(2);
  });

  it("ends the opening of an issue that was prepared and never sent", async () => {
    const stage = await openApart();
    const body = { message: "You have exceeded a secondary rate limit." };
    const answer = { kind: "answer", status: 403, headers: { "retry-after": "60" }, body } as const;
    stage.github.failNext({ method: "POST", answer });
    stage.board.editPost("acme-app", "p1", { status: "planned" });
    await stage.sync();
    await link(stage, "p1", 1);
    expect(await stage.ledger.journal.open(project)).toMatchObject([{ state: "PREPARED" }]);
    expect(await stage.syncOne()).toMatchObject({ adopted: 1, created: 0, waiting: 0 });
    expect(await stage.ledger.journal.open(project)).toEqual([]);
  });

  it.each([
    ["that is not there", 9, "link.missing", "there is no such issue"],
    ["that is a pull request", 2, "link.missing", "it may be a pull request"],
  ])("stays as it is for an issue %s, and that is said once", async (_, number, code, words) => {
    const stage = await openApart();
    stage.github.openPullRequest("acme/app", { title: "A change", author: "ada" });
    await link(stage, "p1", number);
    const report = await stage.syncOne();
    expect(report.errors).toMatchObject([{ post: "p1", issue: `acme/app#${number}`, code }]);
    expect(report.errors[0]?.message).toContain(words);
    expect(await stage.syncOne()).toMatchObject({ failed: 0, adopted: 0, issues: 0 });
  });

  it("is asked for again by the next run where GitHub can't be asked", async () => {
    const stage = await openApart();
    stage.github.failNext({
      method: "GET",
      path: /issues\/1$/,
      answer: { kind: "answer", status: 502 },
      times: 9,
    });
    await link(stage, "p1", 1);
    expect(await stage.syncOne()).toMatchObject({ adopted: 0, errors: [{ post: "p1" }] });
    for (let run = 0; run < 9; run += 1) await stage.sync();
    expect(await linksOf(stage, "p1")).toEqual([1]);
  });

  it("is linked in a plan, too, and the plan leaves the request to the run", async () => {
    const stage = await openApart();
    stage.board.editPost("acme-app", "p1", { status: "planned" });
    await link(stage, "p1", 1);
    expect(await stage.plan()).toEqual([]);
    expect(await linksOf(stage, "p1")).toEqual([]);
    expect(await stage.syncOne()).toMatchObject({ adopted: 1, created: 0 });
  });

  it("leaves a line about it in the history", async () => {
    const stage = await openApart();
    await link(stage, "p1", 1);
    await stage.sync();
    await unlink(stage, "p1", 1);
    await stage.sync();
    const lines = await stage.ledger.journal.history(project, p("p1"), 9);
    expect(lines.map(({ kind, fields, reason }) => [kind, fields[0]?.value, reason])).toEqual([
      ["unlink-issue", "acme/app#1", "a person unlinked it"],
      ["link-issue", "acme/app#1", "a person linked it"],
    ]);
  });
});

describe("a post with several issues", () => {
  it.each([
    ["all", 1, undefined],
    ["all", 2, "completed"],
    ["any", 1, "completed"],
    ["primary", 1, "completed"],
  ])("follows them as `several: %s` says when %i of two are closed", async (several, closed, status) => {
    const stage = await openPairs({ several });
    await link(stage, "p1", 2);
    await stage.sync();
    stage.mark();
    for (let number = 1; number <= closed; number += 1) stage.github.close("acme/app", number, "completed");
    await stage.sync();
    expect(stage.board.post("acme-app", "p1")?.status).toBe(status ?? "planned");
  });

  const vanishings: readonly (readonly [string, (stage: Stage) => void, StageOptions])[] = [
    ["is deleted", ({ github }) => github.deleteIssue("acme/app", 2), {}],
    ["is made a discussion", ({ github }) => github.convertToDiscussion("acme/app", 2), {}],
    [
      "is not found any more",
      ({ github }) => github.convertToDiscussion("acme/app", 2),
      { quirks: { converted: 404 } },
    ],
  ];

  it.each(
    vanishings.flatMap(([how, vanish, quirks]) =>
      (["all", "any"] as const).map((several) => [several, how, vanish, quirks] as const),
    ),
  )("mails nobody when one of them, under `several: %s`, %s", async (several, _, vanish, quirks) => {
    const stage = await openPairs({ several }, quirks);
    // One of few issues that is not shown would look like lost access.
    addPlanned(stage, 8);
    await link(stage, "p1", 2);
    if (several === "all") stage.github.close("acme/app", 1, "completed");
    else stage.github.label("acme/app", 2, "in progress");
    await stage.sync();
    await stage.sync();
    stage.mark();
    vanish(stage);
    for (let run = 0; run < 4; run += 1) {
      stage.clock.skip(run === 0 ? 7 * hourMs : 11 * minuteMs);
      await stage.sync();
    }
    expect(stage.patches()).toEqual([]);
    // What people do to the other one is told.
    if (several === "all") stage.github.reopen("acme/app", 1);
    else stage.github.close("acme/app", 1, "completed");
    if (several === "all") stage.github.label("acme/app", 1, "in progress");
    await stage.sync();
    expect(stage.board.post("acme-app", "p1")?.status).toBe(several === "all" ? "in_progress" : "completed");
  });

  it.each<[string, (stage: Stage) => number]>([
    ["that boardsync opened, is listed", () => 2],
    [
      "that people opened, is found",
      ({ github }) => github.openIssue("acme/app", { title: "The other half", author: "ada" }).number,
    ],
  ])("mails nobody when one of them, %s again", async (_, open) => {
    const stage = await openPairs();
    const { github, board, clock } = stage;
    addPlanned(stage, 8);
    await stage.sync();
    const number = open(stage);
    await link(stage, "p1", number);
    await stage.sync();
    for (const one of [1, number]) github.label("acme/app", one, "in progress");
    await stage.sync();
    await stage.sync();
    // GitHub shows nobody the issues of an account that it takes for a spammer.
    stage.bend((world) => ({ ...world, tracker: withoutIssue(world.tracker, number) }));
    clock.skip(7 * hourMs);
    await stage.sync();
    clock.skip(11 * minuteMs);
    await stage.sync();
    github.close("acme/app", 1, "completed");
    await stage.sync();
    const told = (): unknown => board.notifications.filter(({ post }) => post === "p1").map(({ to }) => to);
    expect(told()).toEqual(["in_progress", "completed"]);
    stage.bend((world) => world);
    for (let look = 0; look < 3; look += 1) {
      clock.skip(7 * hourMs);
      await stage.sync();
    }
    expect(told()).toEqual(["in_progress", "completed"]);
    // What people do from then on is told.
    github.close("acme/app", number, "completed");
    await stage.sync();
    github.reopen("acme/app", number);
    await stage.sync();
    expect(told()).toEqual(["in_progress", "completed", "in_progress"]);
  });

  it("is not written because one more is linked, or one is taken away", async () => {
    const stage = await openPairs();
    stage.github.close("acme/app", 2, "completed");
    await stage.sync();
    stage.mark();
    await link(stage, "p1", 2);
    await stage.sync();
    await unlink(stage, "p1", 1);
    await stage.sync();
    await stage.sync();
    expect(stage.patches()).toEqual([]);
    expect(await linksOf(stage, "p1")).toEqual([2]);
  });
});

describe("an issue of several posts", () => {
  it("lists them in mark and block, and each post follows it by its own rules", async () => {
    const stage = await openPairs();
    await link(stage, "p2", 1);
    await unlink(stage, "p2", 2);
    expect(await stage.syncOne()).toMatchObject({ adopted: 1, issueWrites: 1, failed: 0 });
    const url = (post: string): string => `${new URL(stage.board.url).origin}/p/${post}`;
    expect(bodyOf(stage, 1)).toContain(`\n\nAlso asked for in: ${url("p2")}\n\n`);
    expect(bodyOf(stage, 1)).toContain(" posts=cDE,cDI -->");
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ issueWrites: 0, adopted: 0 }] });
    stage.github.close("acme/app", 1, "completed");
    await stage.sync();
    expect(stage.board.notifications.map(({ post }) => post).sort()).toEqual(["p1", "p2"]);
  });

  it("drops a post from its block when that is unlinked", async () => {
    const stage = await openPairs();
    const before = bodyOf(stage, 1);
    await link(stage, "p2", 1);
    await stage.sync();
    await unlink(stage, "p2", 1);
    await stage.sync();
    expect(bodyOf(stage, 1)).toBe(before);
    expect(await linksOf(stage, "p2")).toEqual([2]);
  });

  it("gets the text of the next post when the first one is unlinked", async () => {
    const stage = await openPairs();
    await link(stage, "p2", 1);
    await stage.sync();
    await unlink(stage, "p1", 1);
    await stage.sync();
    expect(stage.github.issue("acme/app", 1).title).toBe("Download");
    expect(bodyOf(stage, 1)).toContain("What post 2 is about.");
    expect(bodyOf(stage, 1)).not.toContain("Also asked for");
    expect(bodyOf(stage, 1)).toContain(" posts=cDI -->");
  });

  it("is found again for all of its posts after the state was lost, and has the text of the first", async () => {
    const stage = await openPairs();
    await link(stage, "p2", 1);
    await unlink(stage, "p2", 2);
    await stage.sync();
    stage.github.deleteIssue("acme/app", 2);
    stage.loseState();
    expect(await stage.syncOne()).toMatchObject({ adopted: 2, created: 0, issues: 1 });
    await stage.sync();
    stage.mark();
    stage.board.editPost("acme-app", "p2", { description: "Other." });
    stage.board.editPost("acme-app", "p1", { description: "To XLSX." });
    stage.clock.skip(15 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ issueWrites: 1, parked: 0 });
    expect(bodyOf(stage, 1)).toContain("To XLSX.");
    expect(bodyOf(stage, 1)).toContain("Also asked for in: ");
  });

  it("has the text of one of them, also where its mark has named each of them first and a run finds both", async () => {
    const stage = await openPairs();
    await link(stage, "p2", 1);
    await unlink(stage, "p2", 2);
    await stage.sync();
    stage.github.deleteIssue("acme/app", 2);
    const row = await stage.ledger.rows.row(project, p("p1"), stage.clock.now());
    const issue = row?.links[0]?.known?.issue;
    if (issue === undefined) throw new Error("The issue is not known.");
    stage.loseState();
    const marked = [{ issue, isOwn: true, project, posts: [p("p2")] }];
    await stage.ledger.commit([{ kind: "store-issues", issues: [issue], marked }]);
    expect(await stage.syncOne()).toMatchObject({ adopted: 2, created: 0 });
    const texts = await Promise.all(
      ["p1", "p2"].map(async (post) => {
        const found = await stage.ledger.rows.row(project, p(post), stage.clock.now());
        return found?.links.map(({ text }) => text !== "none");
      }),
    );
    expect(texts).toEqual([[true], [false]]);
  });
});

describe("a post that a person unlinks", () => {
  it("is said to leave its text to other posts of its project alone", async () => {
    const stage = await openPairs();
    const repositoryId = stage.ledger.memory.repository("acme/app")?.repository.id ?? 0;
    const told = async (of: string) => {
      const link = { post: p("p2"), issue: { repositoryId, number: 1 }, origin: "adopted" } as const;
      const known = (await stage.ledger.rows.row(project, p("p1"), 0))?.links[0]?.known?.issue as Issue;
      await stage.ledger.commit([
        { kind: "link", project: of as ProjectId, link, issue: known, content: undefined },
      ]);
      const named = { key: "acme-app", project, post: p("p1") };
      const seen = await foreseeUnlink({ ledger: stage.ledger, now: 0 }, named, undefined, "");
      return "effects" in seen ? seen.effects.join(" ") : "";
    };
    expect(await told("prj_web")).not.toContain("becomes that of the posts");
    expect(await told(project)).toContain("becomes that of the posts");
  });

  it("stays without an issue, whatever is selected and whatever the issue's mark says", async () => {
    const stage = await openPairs();
    await unlink(stage, "p1", 1);
    await stage.sync();
    stage.github.edit("acme/app", 1, { title: "Touched" });
    stage.clock.skip(7 * 60 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ created: 0, adopted: 0, skipped: 1, failed: 0, held: 0 });
    stage.restart();
    await stage.sync();
    expect(await linksOf(stage, "p1")).toEqual([]);
    expect(stage.writes()).toEqual([]);
    stage.github.close("acme/app", 1, "completed");
    await stage.sync();
    expect(stage.board.post("acme-app", "p1")?.status).toBe("planned");
  });

  it("stays so when people move its old issue to another repository, mark and all", async () => {
    const stage = await openStage(twoRepositories);
    addPlanned(stage, 1);
    await stage.sync();
    await unlink(stage, "p1", 1);
    await stage.sync();
    stage.github.transfer("acme/app", 1, "acme/api");
    expect(await stage.syncOne()).toMatchObject({ adopted: 0, created: 0 });
    expect(await linksOf(stage, "p1")).toEqual([]);
  });

  it("gets another issue when a person says `retry`, and the old one is left alone", async () => {
    const stage = await openPairs();
    await unlink(stage, "p1", 1);
    await stage.sync();
    await add(stage, { kind: "retry", posts: [p("p1")] });
    expect(await stage.syncOne()).toMatchObject({ created: 1, failed: 0 });
    expect(await linksOf(stage, "p1")).toEqual([3]);
    expect(await stage.sync()).toMatchObject({ result: "ok" });
    stage.mark();
    stage.board.editPost("acme-app", "p1", { description: "Changed." });
    await stage.sync();
    expect(stage.writes()).toEqual(["PATCH /repos/acme/app/issues/3"]);
  });

  it("gets none by an earlier `retry` that no run has taken up", async () => {
    const stage = await openPairs();
    stage.github.deleteIssue("acme/app", 1);
    stage.clock.skip(7 * hourMs);
    await stage.sync();
    await add(stage, { kind: "retry", posts: [p("p1")] });
    stage.clock.skip(minuteMs);
    await unlink(stage, "p1", 1);
    expect(await stage.syncOne()).toMatchObject({ created: 0, failed: 0, parked: 0 });
    expect(await stage.syncOne()).toMatchObject({ created: 0, skipped: 1 });
  });

  it("is the text of its issue again when it is linked to that one again", async () => {
    const stage = await openPairs();
    await unlink(stage, "p1", 1);
    await stage.sync();
    await link(stage, "p1", 1);
    await stage.sync();
    stage.board.editPost("acme-app", "p1", { description: "Changed." });
    expect(await stage.syncOne()).toMatchObject({ issueWrites: 1 });
    expect(bodyOf(stage, 1)).toContain("Changed.");
  });

  it("keeps its link until it is known what became of a PATCH to it", async () => {
    const stage = await openPairs();
    stage.board.failNext({ kind: "reset", applied: true }, { when: ({ method }) => method === "PATCH" });
    stage.github.close("acme/app", 1, "completed");
    await stage.sync();
    await unlink(stage, "p1", 1);
    await stage.sync();
    expect(await linksOf(stage, "p1")).toEqual([1]);
    stage.clock.skip(2 * minuteMs);
    await stage.sync();
    expect(await linksOf(stage, "p1")).toEqual([]);
    expect(stage.board.notifications).toHaveLength(1);
  });
});

it("`retry` of a completed post whose issue was deleted opens another one, and takes the post no step back", async () => {
  const stage = await openPosts(1, { projects: [{ ...standardProject, select: {} }] });
  stage.github.close("acme/app", 1, "completed");
  for (let run = 0; run < 2; run += 1) await stage.sync();
  stage.github.deleteIssue("acme/app", 1);
  stage.clock.skip(7 * hourMs);
  await stage.sync();
  const request = { kind: "retry", posts: ["p1" as PostId], project, at: stage.clock.now() } as const;
  await stage.ledger.commit([{ kind: "add-request", request }]);
  for (let run = 0; run < 3; run += 1) await stage.sync();
  expect(stage.github.issues("acme/app")).toHaveLength(1);
  expect(stage.board.notifications.map(({ to }) => to)).toEqual(["completed"]);
});

it("`link` takes an issue by the name that a renamed repository has now", async () => {
  const stage = await openPosts(1);
  stage.github.renameRepository("acme/app", "acme/product");
  stage.clock.skip(7 * hourMs);
  await stage.sync();
  const projects = [{ repo: "acme/app" as const, route: [] }];
  for (const text of ["acme/product#1", "ACME/App#1"])
    expect(findIssue(text, stage.github.url, projects, stage.ledger)).toEqual({
      repository: "acme/app",
      number: 1,
    });
  expect(() => findIssue("acme/other#1", stage.github.url, projects, stage.ledger)).toThrow("No project");
});

it("`retry` gives up the issues of a post only when it is known what became of its PATCH", async () => {
  const stage = await openPosts(1, {
    config: { waits: { patch: "10h" } },
    projects: [{ ...standardProject, select: {} }],
  });
  stage.github.label("acme/app", 1, "in progress");
  const when = ({ method }: { readonly method: string }): boolean => method === "PATCH";
  stage.board.failNext({ kind: "reset", applied: true }, { when });
  await stage.sync();
  stage.github.deleteIssue("acme/app", 1);
  stage.clock.skip(7 * hourMs);
  await stage.sync();
  await add(stage, { kind: "retry", posts: [p("p1")] });
  for (let run = 0; run < 10; run += 1) {
    await stage.sync();
    stage.clock.skip(hourMs);
  }
  expect(stage.github.issues("acme/app")).toHaveLength(1);
  expect(stage.board.notifications.map(({ to }) => to)).toEqual(["in_progress"]);
});
