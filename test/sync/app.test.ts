import { describe, expect, it } from "vitest";
import { lookingAt, privateRepositories, twoProjects } from "../support/setups.ts";
import {
  addPlanned,
  hourMs,
  minuteMs,
  openStage,
  type Stage,
  type StageOptions,
  standardProject,
} from "../support/stage.ts";

const owners: StageOptions = {
  boardProjects: twoProjects,
  repositories: privateRepositories("acme/app", "other/web"),
  projects: [standardProject, { ...standardProject, project: "acme-api", repo: "other/web" }],
  app: [{ owner: "acme" }, { owner: "other" }],
};

function requestsOf(stage: Stage, method: string, end: string): readonly number[] {
  return stage.github.requests
    .filter((request) => request.method === method && request.path.endsWith(end))
    .map(({ at }) => at);
}

describe("a GitHub App over two owners", () => {
  it("opens issues as its bot, moves posts, and knows its own issues again", async () => {
    const stage = await openStage(owners);
    addPlanned(stage, 2);
    addPlanned(stage, 1, "acme-api");
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ created: 2 }, { created: 1 }] });
    expect(stage.github.issue("other/web", 1).author).toBe("feedback-sync[bot]");
    stage.github.close("other/web", 1, "completed");
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{}, { postWrites: 1 }] });
    stage.loseState();
    await stage.sync();
    stage.mark();
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ issues: 2 }, { issues: 1 }] });
    expect(stage.writes()).toEqual([]);
  });

  it("asks each of them for the signals of its own issues, and nobody twice", async () => {
    const [app, web] = [
      lookingAt({ pullRequest: "open" }),
      { ...lookingAt({ pullRequest: "open" }), project: "acme-api", repo: "other/web" },
    ];
    const stage = await openStage({ ...owners, projects: [app, web] });
    addPlanned(stage, 2);
    addPlanned(stage, 2, "acme-api");
    await stage.sync();
    await stage.sync();
    stage.mark();
    expect(await stage.sync()).toMatchObject({ result: "ok" });
    expect(stage.reads().filter((read) => read === "POST /graphql")).toHaveLength(2);
  });

  it("has a pace for each of them", async () => {
    const pace = { minIntervalMs: 10_000, createsPerHour: 3 };
    const stage = await openStage({ ...owners, config: { tracker: { pace } } });
    addPlanned(stage, 5);
    addPlanned(stage, 2, "acme-api");
    expect(await stage.sync()).toMatchObject({
      projects: [
        { created: 3, waiting: 2, failed: 0 },
        { created: 2, waiting: 0, failed: 0 },
      ],
    });
    const [acme, other] = ["acme/app", "other/web"].map((name) =>
      requestsOf(stage, "POST", `${name}/issues`),
    );
    expect((other?.[0] ?? 0) - (acme?.[2] ?? 0)).toBeLessThan(10_000);
    stage.restart();
    addPlanned(stage, 1, "acme-api");
    expect(await stage.sync()).toMatchObject({ projects: [{ created: 0 }, { created: 1 }] });
  });

  it("leaves one alone whose limit is reached, across a restart, and goes on with the other", async () => {
    const stage = await openStage({ ...owners, config: { schedule: "0 12 * * *" } });
    addPlanned(stage, 1);
    await stage.sync();
    stage.github.app.setLimits("acme", { requestsPerHour: 1 });
    addPlanned(stage, 1);
    addPlanned(stage, 1, "acme-api");
    expect(await stage.sync()).toMatchObject({
      result: "ok",
      projects: [{ created: 0, waiting: 1 }, { created: 1 }],
    });
    stage.restart();
    stage.mark();
    addPlanned(stage, 1, "acme-api");
    expect(await stage.sync()).toMatchObject({ projects: [{ created: 0 }, { created: 1 }] });
    expect(stage.reads().filter((request) => request.includes("acme/app"))).toEqual([]);
    stage.clock.skip(hourMs);
    stage.github.app.setLimits("acme", { requestsPerHour: 5000 });
    expect(await stage.sync()).toMatchObject({ projects: [{ created: 1 }, {}] });
  });

  it("says of one without an installation what to do, and goes on with the other", async () => {
    const stage = await openStage({ ...owners, app: [{ owner: "other" }] });
    addPlanned(stage, 1, "acme-api");
    const report = await stage.sync();
    expect(report).toMatchObject({ result: "partial", projects: [{ failed: 1 }, { created: 1, failed: 0 }] });
    expect(report.projects[0]?.errors).toMatchObject([
      { code: "tracker.missing", message: expect.stringContaining("Install it on acme") },
    ]);
    stage.github.app.install({ owner: "acme" });
    expect(await stage.sync()).toMatchObject({ result: "ok" });
  });

  it("asks no more of one that is suspended in the middle of a run, and goes on with the other", async () => {
    const stage = await openStage({ ...owners, config: { budget: "4h" } });
    addPlanned(stage, 6);
    await stage.sync();
    for (const { id } of stage.board.posts("acme-app"))
      stage.board.editPost("acme-app", id, { title: "New" });
    addPlanned(stage, 1, "acme-api");
    stage.atNextWrite("tracker", "after", () => {
      stage.github.app.suspend("acme");
      stage.clock.skip(hourMs);
      stage.mark();
    });
    const { projects } = await stage.sync();
    expect(projects).toMatchObject([{ failed: 1 }, { created: 1, failed: 0 }]);
    expect(projects[0]?.errors[0]?.message).toContain("installation on acme is suspended");
    expect(requestsOf(stage, "POST", "/access_tokens")).toHaveLength(2);
  });

  it("is checked like a token", async () => {
    const stage = await openStage(owners);
    stage.github.app.setPermissions("other", { issues: "read", metadata: "read" });
    addPlanned(stage, 1);
    const findings = await stage.check();
    const messages = findings.map(({ level, message }) => `${level}: ${message}`);
    expect(messages).toContain("ok: The token is accepted; issues will be opened by feedback-sync[bot].");
    expect(messages).toContain("ok: acme/app is there, and the App may write issues there.");
    expect(findings).toContainEqual(
      expect.objectContaining({ subject: "acme-api", code: "tracker.permission" }),
    );
  });

  it("names the permission that it lacks", async () => {
    const stage = await openStage(owners);
    stage.github.app.setPermissions("acme", { issues: "read", metadata: "read" });
    addPlanned(stage, 1);
    const [report] = (await stage.sync()).projects;
    expect(report?.errors).toMatchObject([
      { code: "tracker.permission", message: expect.stringContaining("the App lacks issues: write") },
    ]);
    stage.github.app.setPermissions("acme", { metadata: "read" });
    const [later] = (await stage.sync()).projects;
    expect(later?.errors[0]?.message).toContain("the App lacks issues: read");
  });
});

describe("the token of an installation", () => {
  it("is renewed in the middle of a run that takes hours", async () => {
    const pace = { minIntervalMs: 10 * minuteMs, writesPerHour: 100 };
    const stage = await openStage({ ...owners, config: { tracker: { pace }, budget: "4h" } });
    addPlanned(stage, 15);
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ created: 15 }, {}] });
    expect(stage.github.requests.filter(({ status }) => status === 401)).toEqual([]);
    expect(requestsOf(stage, "POST", "/access_tokens").length).toBeGreaterThanOrEqual(4);
  });

  it("that is revoked before a write costs no post its issue, and brings none a second one", async () => {
    const stage = await openStage(owners);
    addPlanned(stage, 2);
    stage.atNextWrite("tracker", "before", () => {
      stage.clock.skip(minuteMs);
      stage.github.app.revokeTokens("acme");
    });
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ created: 2, failed: 0 }, {}] });
    const answers = stage.github.requests
      .filter(({ method, path }) => method === "POST" && path === "/repos/acme/app/issues")
      .map(({ status }) => status);
    expect(answers).toEqual([401, 201, 201]);
    expect(stage.github.issues("acme/app")).toHaveLength(2);
  });

  it("that is refused again and again ends the writes of this run, and none is lost", async () => {
    const stage = await openStage(owners);
    addPlanned(stage, 2);
    const body = { message: "Bad credentials", documentation_url: "https://docs.github.com/rest" };
    stage.github.failNext({
      method: "POST",
      path: /\/issues$/,
      times: 2,
      answer: { kind: "answer", status: 401, body },
    });
    expect(await stage.sync()).toMatchObject({
      result: "partial",
      projects: [{ created: 0, failed: 1 }, {}],
    });
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ created: 2 }, {}] });
    expect(stage.github.issues("acme/app")).toHaveLength(2);
  });

  it("is in no line of the log, and not in the state", async () => {
    const stage = await openStage(owners);
    addPlanned(stage, 1);
    await stage.sync();
    stage.atNextWrite("tracker", "before", () => {
      const message = `Not for ${stage.github.app.tokens.join(" or ")}`;
      const body = { message, documentation_url: message };
      stage.github.failNext({ path: "/issues", times: 2, answer: { kind: "answer", status: 403, body } });
    });
    addPlanned(stage, 1);
    await stage.sync();
    const everything = [...stage.log, stage.stateBytes()].join("\n");
    expect(everything).toContain("Not for [redacted]");
    for (const secret of stage.github.app.tokens) expect(everything).not.toContain(secret);
    expect(everything).not.toContain("eyJ");
  });
});

describe("a secret that one side says of the other", () => {
  /** The board refuses a PATCH, and GitHub an issue, each with the other one's secret in what it says. */
  async function openTelling(stage: Stage, token: () => string): Promise<string> {
    addPlanned(stage, 1);
    await stage.sync();
    const isPatch = ({ method }: { readonly method: string }): boolean => method === "PATCH";
    stage.atNextWrite("board", "before", () => {
      const message = `Not for ${token()} or ${encodeURIComponent(`${token()}=`)}`;
      stage.board.failNext({ kind: "answer", status: 422, body: { message } }, { when: isPatch });
    });
    stage.github.close("acme/app", 1, "completed");
    const refused = { message: `Not with ${stage.board.key}`, documentation_url: stage.board.key };
    stage.github.failNext({
      method: "POST",
      path: "/issues",
      answer: { kind: "answer", status: 422, body: refused },
    });
    addPlanned(stage, 1);
    const report = await stage.sync();
    expect(report.projects[0]).toMatchObject({ parked: 2 });
    return [JSON.stringify(report), ...stage.log, stage.stateBytes()].join("\n");
  }

  it("is in no report, no line of the log, and not in the state", async () => {
    const stage = await openStage();
    const everything = await openTelling(stage, () => stage.github.token);
    expect(everything.includes("Not for [redacted] or [redacted]")).toBe(true);
    expect(everything.includes(stage.github.token)).toBe(false);
    expect(everything.includes(stage.board.key)).toBe(false);
  });

  it("is covered as well where an App has just made it", async () => {
    const stage = await openStage({ app: [{ owner: "acme" }] });
    const everything = await openTelling(stage, () => stage.github.app.tokens.at(-1) ?? "no token");
    expect(everything.includes("Not for [redacted]")).toBe(true);
    for (const token of stage.github.app.tokens) expect(everything.includes(token)).toBe(false);
  });
});
