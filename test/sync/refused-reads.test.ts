import { describe, expect, it } from "vitest";
import type { FaultAnswer } from "../support/sandbox/github/faults.ts";
import { openPosts, routedProject, twoRepositories } from "../support/setups.ts";
import { addPlanned, hourMs, openStage, type Stage, standardProject } from "../support/stage.ts";

const always = 1_000_000;

const refusals: readonly (readonly [string, FaultAnswer])[] = [
  ["403 SAML", answer(403, { message: "Resource protected by organization SAML enforcement." })],
  ["403", answer(403, { message: "Forbidden" })],
  ["403 IP", answer(403, { message: "the `acme` organization has an IP allow list enabled" })],
  ["451", answer(451, { message: "Repository access blocked" })],
  ["410 of another kind", answer(410, { message: "Gone" })],
  ["502", answer(502, "<h1>Unicorn</h1>")],
  ["500", answer(500, { message: "Server Error" })],
  ["a page", answer(200, "<h1>Hello</h1>")],
  ["half an answer", { kind: "cut" }],
  ["a redirect to a foreign place", answer(301, {}, { location: "https://elsewhere.example.com/issues/1" })],
];

function answer(status: number, body: unknown, headers: Record<string, string> = {}): FaultAnswer {
  return { kind: "answer", status, body, headers };
}

/** Lets a post follow an issue that people opened: no list of ours shows it, so the full look asks for it by itself. */
async function followTheirs(stage: Stage): Promise<string> {
  const { number } = stage.github.openIssue("acme/app", { title: "Theirs", author: "ann" });
  const post = stage.board.addPost("acme-app", { status: "open" });
  await stage.sync();
  const project = stage.ledger.memory.project("acme-app")?.id;
  if (project === undefined) throw new Error("The project is not known.");
  const asked = { repository: "acme/app", number, at: stage.clock.now() };
  await stage.ledger.commit([
    { kind: "add-request", request: { kind: "link", project, post: post as never, ...asked } },
  ]);
  await stage.sync();
  return post;
}

/** Three posts with issues of ours, and `p4` with one of theirs. */
async function openWithTheirs(): Promise<Stage> {
  const stage = await openPosts(3);
  expect(await followTheirs(stage)).toBe("p4");
  await stage.sync();
  expect(await stage.syncOne()).toMatchObject({ result: "ok", issues: 4 });
  stage.mark();
  return stage;
}

describe.each(refusals)("one linked issue that answers %s", (_, refusal) => {
  it("lets its post wait, and everything else goes on", async () => {
    const stage = await openWithTheirs();
    stage.github.failNext({ method: "GET", path: /\/issues\/4$/, times: always, answer: refusal });
    stage.clock.skip(7 * hourMs);
    stage.github.close("acme/app", 1, "completed");
    stage.board.editPost("acme-app", "p2", { title: "Another title" });
    addPlanned(stage, 1);
    const first = await stage.syncOne();
    expect(first).toMatchObject({
      result: "partial",
      statusWrites: 1,
      issueWrites: 1,
      created: 1,
      parked: 0,
    });
    expect(first.errors).toMatchObject([{ post: "p4", issue: "acme/app#4" }]);
    expect(stage.patches().map(({ path }) => path)).toEqual(["/feedback/p1"]);
  });
});

it("an issue that is refused is asked for and named in every run, and goes on once it is shown", async () => {
  const stage = await openWithTheirs();
  const times = 2;
  stage.github.failNext({
    method: "GET",
    path: /\/issues\/4$/,
    times,
    answer: answer(451, { message: "No" }),
  });
  stage.clock.skip(7 * hourMs);
  for (let run = 0; run < times; run += 1)
    expect((await stage.syncOne()).errors).toMatchObject([
      { post: "p4", issue: "acme/app#4", code: "tracker.refused", message: expect.stringContaining("451") },
    ]);
  expect(await stage.syncOne()).toMatchObject({ result: "ok", failed: 0 });
  stage.github.close("acme/app", 4, "completed");
  expect(await stage.syncOne()).toMatchObject({ statusWrites: 1, failed: 0 });
  expect(await stage.syncOne()).toMatchObject({ statusWrites: 0, failed: 0, waiting: 0 });
});

it.each([403, 410, 451, 502])(
  "an issue that redirects to a place that answers %i stops nothing else",
  async (status) => {
    const stage = await openWithTheirs();
    const location = `${stage.github.url}/repositories/99/issues/1`;
    stage.github.failNext({
      method: "GET",
      path: /\/issues\/4$/,
      times: always,
      answer: answer(301, {}, { location }),
    });
    const body = { message: "Not for you" };
    stage.github.failNext({
      method: "GET",
      path: /\/repositories\/99\//,
      times: always,
      answer: answer(status, body),
    });
    stage.clock.skip(7 * hourMs);
    stage.github.close("acme/app", 1, "completed");
    const report = await stage.syncOne();
    expect(report).toMatchObject({ statusWrites: 1, parked: 0, failed: 1 });
    expect(report.errors).toMatchObject([
      { post: "p4", issue: "acme/app#4", message: expect.stringContaining(String(status)) },
    ]);
  },
);

it("many issues that get no answer are not asked for one after the other for as long as the run has time", async () => {
  const stage = await openStage();
  for (let count = 0; count < 8; count += 1) await followTheirs(stage);
  stage.mark();
  stage.github.failNext({ method: "GET", path: /\/issues\/\d+$/, times: always, answer: answer(502, "") });
  stage.clock.skip(7 * hourMs);
  expect(await stage.syncOne()).toMatchObject({
    result: "failed",
    errors: [{ code: "tracker.unreachable" }],
  });
  expect(stage.reads().filter((read) => /\/issues\/\d+$/.test(read))).toHaveLength(12);
});

describe.each(refusals)("a repository whose reads answer %s", (_, refusal) => {
  it.each(["acme/api", "acme/app"])(
    "(%s) lets its posts wait, and those of the other go on",
    async (refused) => {
      const other = refused === "acme/api" ? "acme/app" : "acme/api";
      const stage = await openPosts(4, {
        ...twoRepositories,
        projects: [{ ...routedProject, rules: standardProject["rules"] }],
      });
      expect(stage.github.issues("acme/app")).toHaveLength(4);
      addPlanned(stage, [{ categoryId: "cat_api" }, { categoryId: "cat_api" }]);
      await stage.sync();
      expect(stage.github.issues("acme/api")).toHaveLength(2);
      stage.mark();
      const { id } = stage.ledger.memory.repository(refused)?.repository ?? {};
      const path = new RegExp(`^/(?:repos/${refused}|repositories/${id})(?:/|$)`);
      stage.github.failNext({ method: "GET", path, times: always, answer: refusal });
      stage.github.close(refused, 1, "completed");
      stage.github.close(other, 1, "completed");
      addPlanned(stage, 2);
      stage.board.editPost("acme-app", "p8", { categoryId: "cat_api" });
      for (const skip of [0, 7 * hourMs]) {
        stage.clock.skip(skip);
        const report = await stage.syncOne();
        expect(report).toMatchObject({ result: "partial", parked: 0 });
        expect(report.errors).toHaveLength(1);
        expect(report.errors[0]?.message).toContain(refused);
      }
      // One for the closed issue, one for the new one.
      expect(stage.patches().map(({ path: place }) => place)).toEqual([
        other === "acme/app" ? "/feedback/p1" : "/feedback/p5",
      ]);
      expect(stage.github.issues(other)).toHaveLength(other === "acme/app" ? 5 : 3);
      expect(stage.writes().filter((write) => write.includes(refused))).toEqual([]);
    },
  );
});

it("a post of an unread repository hears nothing of what its issue was, also when its time has come", async () => {
  const stage = await openPosts(2, { ...twoRepositories, config: { settle: "10m" } });
  addPlanned(stage, [{ categoryId: "cat_api" }]);
  await stage.sync();
  await stage.sync();
  stage.github.close("acme/api", 1, "completed");
  await stage.sync();
  // Reopened, and nobody can see it.
  stage.github.reopen("acme/api", 1);
  const times = 2;
  stage.github.failNext({ path: /acme\/api/, times, answer: answer(451, { message: "No" }) });
  stage.mark();
  stage.clock.skip(hourMs);
  expect(await stage.syncOne()).toMatchObject({ failed: 1 });
  for (let run = 0; run < 3; run += 1) await stage.sync();
  expect(stage.patches()).toEqual([]);
});

it("a revoked token is no matter of one repository: it is asked for once, and nothing is done", async () => {
  const stage = await openPosts(1, twoRepositories);
  stage.github.revokeToken(stage.github.token);
  expect(await stage.syncOne()).toMatchObject({
    result: "failed",
    errors: [{ code: "tracker.unauthorized" }],
  });
  expect(stage.reads().filter((read) => read.includes("/repos/"))).toHaveLength(1);
});

it("of a GitHub that is silent until the run's time is over that is said, and not the time alone", async () => {
  const timeoutMs = 3000;
  let isSilent = false;
  const stage = await openStage({
    ...twoRepositories,
    config: { budget: "45s", tracker: { timeout: `${timeoutMs / 1000}s` } },
    after(ms, act) {
      if (!isSilent || ms !== timeoutMs) return () => undefined;
      const passing = setImmediate(() => {
        stage.clock.skip(ms);
        act();
      });
      return () => clearImmediate(passing);
    },
  });
  addPlanned(stage, 1);
  expect(await stage.syncOne()).toMatchObject({ result: "ok", created: 1 });
  isSilent = true;
  stage.github.failNext({ times: always, answer: { kind: "hang" } });
  const { result, errors } = await stage.syncOne();
  expect({ result, codes: errors.map(({ code }) => code) }).toEqual({
    result: "failed",
    codes: ["tracker.unreachable"],
  });
});
