/** @module-tag long */
import { expect, it } from "vitest";
import { openPosts, privateRepositories } from "../support/setups.ts";
import { addPlanned, hourMs, openStage, type Stage } from "../support/stage.ts";

/** Issues of a repository that are not linked, opened one a second, the last an hour ago, by whoever `author` is. */
function addIssues({ github, clock }: Stage, count: number, author: string): void {
  for (let number = 0; number < count; number += 1) {
    github.openIssue("acme/app", { title: `Another ${number}`, body: "Of another tool.", author });
    clock.skip(1000);
  }
  clock.skip(hourMs);
}

const issueList = "GET /repos/acme/app/issues";

/** Requests for lists of issues since the mark, the further pages included. */
function countLists({ github }: Stage): number {
  return github.requests.filter(({ method, path }) => method === "GET" && path.endsWith("/issues")).length;
}

function countSingle({ github }: Stage): number {
  return github.requests.filter(({ path }) => /\/issues\/\d+$/.test(path)).length;
}

it("a repository with 200,000 issues of which 10 are linked costs what its 10 issues cost, and is never read whole", async () => {
  const stage = await openStage({ repositories: privateRepositories("acme/app") });
  addIssues(stage, 200_000, "octocat");
  addPlanned(stage, 10);
  expect(await stage.syncOne()).toMatchObject({ created: 10, failed: 0 });
  // What changed last, and ours from both ends; and once the 5,000 that were opened last, since one of them may name a post's page.
  expect(countLists(stage)).toBe(3 + 50);
  const said = stage.log.filter((line) => line.includes("looked through for pages of posts"));
  expect(said.map((line) => JSON.parse(line))).toMatchObject([{ repo: "acme/app", pages: 50 }]);
  await stage.sync();
  stage.mark();
  await stage.sync();
  expect(stage.reads()).toEqual(["GET /feedback", issueList, "GET /repos/acme/app/labels"]);
  stage.github.close("acme/app", 200_004, "completed");
  expect(await stage.syncOne()).toMatchObject({ statusWrites: 1 });
  stage.clock.skip(7 * hourMs);
  stage.mark();
  expect(await stage.syncOne()).toMatchObject({ failed: 0 });
  expect([countLists(stage), countSingle(stage)]).toEqual([2, 0]);
});

it("of very many issues that our account has opened for others, a full look reads no more than it must", async () => {
  const stage = await openPosts(3, { repositories: privateRepositories("acme/app") });
  addIssues(stage, 2_500, stage.github.login);
  stage.clock.skip(30 * hourMs);
  await stage.sync();
  stage.clock.skip(30 * hourMs);
  stage.mark();
  expect(await stage.syncOne()).toMatchObject({ failed: 0 });
  // What changed last; as many pages of ours as there are linked issues; and each of them, since no page showed it.
  expect([countLists(stage), countSingle(stage)]).toEqual([1 + 3, 3]);
});

it("a full look shows all that was opened since the last one, however few are linked", async () => {
  const stage = await openPosts(1, { repositories: privateRepositories("acme/app") });
  await stage.sync();
  stage.clock.skip(30 * hourMs);
  addIssues(stage, 500, stage.github.login);
  stage.mark();
  expect(await stage.syncOne()).toMatchObject({ failed: 0 });
  const ours = stage.github.requests.filter(({ query }) => query["creator"] !== undefined);
  expect(ours).toHaveLength(6);
});

it("the first search for marks says how long it is, and shows how far it is", async () => {
  const stage = await openStage({ repositories: privateRepositories("acme/app") });
  addIssues(stage, 1_050, stage.github.login);
  const shown: unknown[] = [];
  stage.bend((world) => ({ ...world, progress: { show: (step) => shown.push(step) } }));
  await stage.sync();
  const pages = { project: "acme-app", what: "pages of issues read", total: 11 };
  expect(shown).toEqual(
    expect.arrayContaining([
      { ...pages, done: 1 },
      { ...pages, done: 11 },
    ]),
  );
  const said = stage.log.filter((line) => line.includes("is looked through for marks"));
  expect(said).toHaveLength(1);
  expect(JSON.parse(said[0] ?? "")).toMatchObject({ repo: "acme/app", pages: 11 });
  const findings = await stage.check();
  const messages = findings.map(({ message }) => message).filter((message) => message.includes("for marks"));
  expect(messages).toEqual([expect.stringContaining("about 1100 issues in acme/app")]);
});

it("a page of nothing but pull requests is a place to go on from", async () => {
  const stage = await openStage({ repositories: privateRepositories("acme/app") });
  for (let number = 0; number < 350; number += 1) {
    stage.github.openPullRequest("acme/app", { title: `Change ${number}` });
    stage.clock.skip(10_000);
  }
  await stage.sync();
  stage.clock.skip(hourMs);
  stage.github.openPullRequest("acme/app", { title: "One more" });
  stage.mark();
  await stage.sync();
  expect(countLists(stage)).toBe(1);
});
