import { describe, expect, it } from "vitest";
import type { ProjectField } from "../../../../src/tracker/tracker.ts";
import { primaryLimit } from "../../../support/sandbox/github/faults.ts";
import { failureOf, type SandboxFixture, start, startSandbox, unbounded } from "../setup.ts";
import { known, place, readOne, readSignals, startLinked, unknown } from "../signal-setup.ts";

const roadmap = { owner: "acme", number: 1 };
const wanted = { owner: "Acme", project: 1, field: "status" };

async function startProject(): Promise<SandboxFixture & { readonly field: ProjectField }> {
  const fixture = await startSandbox();
  const { github, tracker } = fixture;
  github.openIssue("acme/app", { title: "One" });
  github.addProject(roadmap, { Status: ["Todo", "Doing", "Done"], Team: ["Red", "Blue"] });
  return { ...fixture, field: await tracker.projectField(wanted, unbounded()) };
}

describe("linked pull requests", () => {
  it("are those that will close the issue, of every state and of every repository that can be seen", async () => {
    const fixture = await startLinked({ repositories: [{ name: "acme/app" }, { name: "acme/lib" }] });
    const { github } = fixture;
    github.openPullRequest("acme/lib", { title: "In the library" });
    github.openPullRequest("acme/lib", { title: "Given up" });
    github.setDraft("acme/lib", 1, true);
    github.close("acme/lib", 2);
    for (const number of [1, 2]) github.linkPullRequest(place(1), place(number, "acme/lib"));
    github.mergePullRequest("acme/app", 2);
    const { signals } = await readOne(fixture, 1, { pullRequests: true });
    expect(signals).toEqual({
      pullRequests: known([
        { repository: "acme/app", number: 2, state: "merged", isDraft: false },
        { repository: "acme/lib", number: 1, state: "open", isDraft: true },
        { repository: "acme/lib", number: 2, state: "closed", isDraft: false },
      ]),
    });
  });

  it("are known to be none where there are none, or no more", async () => {
    const fixture = await startLinked();
    fixture.github.unlinkPullRequest(place(1), place(2));
    expect(await readOne(fixture, 1, { pullRequests: true })).toMatchObject({
      signals: { pullRequests: known([]) },
    });
  });

  it("are unknown where there are more than are shown", async () => {
    const fixture = await startLinked();
    const link = (from: number, to: number): void => {
      for (let number = from; number <= to; number += 1) {
        fixture.github.openPullRequest("acme/app", { title: "Another" });
        fixture.github.linkPullRequest(place(1), place(number));
      }
    };
    link(3, 101);
    const { signals } = await readOne(fixture, 1, { pullRequests: true });
    expect(signals.pullRequests).toMatchObject({ value: { length: 100 } });
    link(102, 102);
    const { signals: more } = await readOne(fixture, 1, { pullRequests: true });
    expect(more.pullRequests).toEqual({
      ...unknown(/101 linked pull requests, more than one answer shows/),
      isTooLarge: true,
    });
  });
});

describe("sub-issues", () => {
  it("are counted, and those that are closed", async () => {
    const fixture = await startSandbox();
    for (const title of ["Parent", "Done", "Dropped", "Open"])
      fixture.github.openIssue("acme/app", { title });
    for (const number of [2, 3, 4]) fixture.github.addSubIssue(place(1), place(number));
    fixture.github.close("acme/app", 2);
    fixture.github.close("acme/app", 3, "not_planned");
    const { signals } = await readOne(fixture, 1, { subIssues: true });
    expect(signals).toEqual({ subIssues: known({ total: 3, closed: 2 }) });
  });

  it("are unknown where one of them is hidden", async () => {
    const fixture = await startSandbox({ repositories: [{ name: "acme/app" }, { name: "acme/secret" }] });
    fixture.github.openIssue("acme/app", { title: "Parent" });
    fixture.github.openIssue("acme/secret", { title: "Child" });
    fixture.github.addSubIssue(place(1), place(1, "acme/secret"));
    fixture.github.setVisible("acme/secret", false);
    const { signals } = await readOne(fixture, 1, { subIssues: true });
    expect(signals.subIssues).toEqual(unknown(/showed 0 of 1 sub-issues/));
  });
});

describe("a duplicate", () => {
  it("names the issue that it was marked as a duplicate of, in whatever repository", async () => {
    const fixture = await startSandbox({ repositories: [{ name: "acme/app" }, { name: "other/lib" }] });
    fixture.github.openIssue("acme/app", { title: "Again" });
    const canonical = fixture.github.openIssue("other/lib", { title: "First" });
    fixture.github.closeAsDuplicate(place(1), place(1, "other/lib"));
    const { tracker } = fixture;
    const { id } = await tracker.repository("other/lib", unbounded());
    expect(await readOne(fixture, 1, { duplicates: true })).toMatchObject({
      signals: {},
      duplicateOf: known({
        nodeId: `I_${canonical.id}`,
        issue: { repositoryId: id, number: 1 },
        repository: "other/lib",
      }),
    });
    const [other] = await readSignals(fixture, [`I_${canonical.id}`], { duplicates: true });
    expect(other?.duplicateOf).toEqual(known(null));
  });

  it("is none any more when it was unmarked, and one of the other where it was marked twice", async () => {
    const fixture = await startSandbox();
    for (const title of ["Again", "First", "Second"]) fixture.github.openIssue("acme/app", { title });
    fixture.github.closeAsDuplicate(place(1), place(2));
    fixture.github.closeAsDuplicate(place(1), place(3));
    fixture.github.unmarkDuplicate(place(1), place(3));
    expect(await readOne(fixture, 1, { duplicates: true })).toMatchObject({
      duplicateOf: { kind: "known", value: { issue: { number: 2 } } },
    });
    fixture.github.unmarkDuplicate(place(1), place(2));
    expect((await readOne(fixture, 1, { duplicates: true })).duplicateOf).toEqual(known(null));
  });

  it("of a pull request is none of an issue", async () => {
    const fixture = await startSandbox();
    fixture.github.openIssue("acme/app", { title: "Again" });
    fixture.github.openPullRequest("acme/app", { title: "First" });
    fixture.github.closeAsDuplicate(place(1), place(2));
    expect((await readOne(fixture, 1, { duplicates: true })).duplicateOf).toEqual(known(null));
  });

  it("of an issue that can't be seen is said to be hidden", async () => {
    const fixture = await startSandbox({ repositories: [{ name: "acme/app" }, { name: "acme/secret" }] });
    fixture.github.openIssue("acme/app", { title: "Again" });
    fixture.github.openIssue("acme/secret", { title: "First" });
    fixture.github.closeAsDuplicate(place(1), place(1, "acme/secret"));
    fixture.github.setVisible("acme/secret", false);
    expect((await readOne(fixture, 1, { duplicates: true })).duplicateOf).toEqual(known("hidden"));
  });
});

describe("an issue's facts", () => {
  it("are those that a list shows", async () => {
    const fixture = await startSandbox({
      repositories: [{ name: "acme/app", milestones: ["Next"], types: ["Bug"], collaborators: ["ann"] }],
    });
    const { github, tracker } = fixture;
    github.openIssue("acme/app", {
      title: "One",
      labels: ["bug", "ui"],
      assignees: ["ann"],
      milestone: "Next",
      type: "Bug",
    });
    github.close("acme/app", 1, "duplicate");
    github.lock("acme/app", 1);
    github.openIssue("acme/app", { title: "Two" });
    const { id } = await tracker.repository("acme/app", unbounded());
    for (const number of [1, 2]) {
      const read = await tracker.readIssue({ repositoryId: id, number }, unbounded());
      const answer = await readOne(fixture, number, { facts: true });
      expect(read).toMatchObject({ kind: "found", record: { issue: answer.issue } });
    }
  });
});

describe("a project field", () => {
  it("is found by its names in any case, with the ids that stay when people rename", async () => {
    const { tracker, github, field } = await startProject();
    expect(field).toMatchObject({
      key: "acme/1/status",
      name: "Status",
      isClosed: false,
      options: [{ name: "Todo" }, { name: "Doing" }, { name: "Done" }],
    });
    github.renameOption(roadmap, "Status", "Done", "Shipped");
    github.closeProject(roadmap);
    const again = await tracker.projectField(wanted, unbounded());
    expect(again).toEqual({
      ...field,
      isClosed: true,
      options: field.options.map((option) =>
        option.name === "Done" ? { ...option, name: "Shipped" } : option,
      ),
    });
  });

  it.each([
    ["an owner that is not there", { ...wanted, owner: "nobody" }, /no user or organization nobody/],
    ["a project that is not there", { ...wanted, project: 7 }, /no project 7 of Acme.*read:project/],
    ["a field that is not there", { ...wanted, field: "Phase" }, /no field "Phase".*"Status", "Team"/],
    ["a field without options", { ...wanted, field: "title" }, /"Title".*only single-select/],
  ])("of %s is missing, and the error says what to do", async (_, names, words) => {
    const { tracker } = await startProject();
    const error = await failureOf(tracker.projectField(names, unbounded()));
    expect(error).toMatchObject({ fault: "missing", message: expect.stringMatching(words) });
  });

  it("that is hidden without a word is missing", async () => {
    const { tracker, github } = await startProject();
    github.setProjectSight(roadmap, "none");
    const error = await failureOf(tracker.projectField(wanted, unbounded()));
    expect(error).toMatchObject({ fault: "missing", message: expect.stringMatching(/Projects: read/) });
  });

  it("without the scope is refused, and the error names it", async () => {
    const { tracker } = await startSandbox({ quirks: { projectScope: false } });
    const error = await failureOf(tracker.projectField(wanted, unbounded()));
    expect(error).toMatchObject({
      fault: "unauthorized",
      message: expect.stringMatching(/scope read:project/),
    });
  });

  it("of a server without projects is refused", async () => {
    const { tracker } = await startSandbox({
      quirks: { graphQLLacks: ["ProjectV2.fields"] },
    });
    expect(await failureOf(tracker.projectField(wanted, unbounded()))).toMatchObject({ fault: "refused" });
  });
});

describe("the status in a project", () => {
  it("is the option that is chosen, none without one, and none outside the project", async () => {
    const fixture = await startProject();
    const { github, field } = fixture;
    const status = async () => (await readOne(fixture, 1, { projects: [field] })).signals.projectStatus;
    expect(await status()).toEqual({ "acme/1/status": known(null) });
    github.addToProject(roadmap, place(1));
    expect(await status()).toEqual({ "acme/1/status": known(null) });
    github.setProjectStatus(roadmap, place(1), "Doing");
    expect(await status()).toEqual({ "acme/1/status": known("Doing") });
    github.archiveItem(roadmap, place(1));
    expect(await status()).toEqual({ "acme/1/status": known("Doing") });
  });

  it("is read in several fields and projects at once, in which they may have the same names", async () => {
    const fixture = await startProject();
    const { github, tracker, field } = fixture;
    github.addProject({ owner: "acme", number: 2 }, { Status: ["Done"] });
    const team = await tracker.projectField({ ...wanted, field: "Team" }, unbounded());
    const other = await tracker.projectField({ ...wanted, project: 2 }, unbounded());
    for (const project of [roadmap, { owner: "acme", number: 2 }]) github.addToProject(project, place(1));
    github.setProjectStatus(roadmap, place(1), "Todo");
    github.setProjectStatus(roadmap, place(1), "Blue", "Team");
    github.setProjectStatus({ owner: "acme", number: 2 }, place(1), "Done");
    const { signals } = await readOne(fixture, 1, { projects: [field, team, other] });
    expect(signals.projectStatus).toEqual({
      "acme/1/status": known("Todo"),
      "acme/1/team": known("Blue"),
      "acme/2/status": known("Done"),
    });
  });

  it("keeps the name by which its option was found when people rename it, or the field", async () => {
    const fixture = await startProject();
    const { github, field } = fixture;
    github.addToProject(roadmap, place(1));
    github.setProjectStatus(roadmap, place(1), "Done");
    github.renameOption(roadmap, "Status", "Done", "Shipped");
    github.renameField(roadmap, "Status", "Phase");
    const { signals } = await readOne(fixture, 1, { projects: [field] });
    expect(signals.projectStatus).toEqual({ "acme/1/status": known("Done") });
  });

  it("is unknown when the field is gone, when another one took its name, and when the project is hidden", async () => {
    const fixture = await startProject();
    const { github, field } = fixture;
    const status = async () =>
      (await readOne(fixture, 1, { projects: [field] })).signals.projectStatus?.["acme/1/status"];
    github.addToProject(roadmap, place(1));
    github.setProjectSight(roadmap, "none");
    expect(await status()).toEqual(unknown(/not there any more, or the token can't see/));
    github.setProjectSight(roadmap, "redacted");
    expect(await status()).toEqual(unknown(/not there any more, or the token can't see/));
    github.setProjectSight(roadmap, "full");
    github.deleteField(roadmap, "Status");
    github.addField(roadmap, "Status", ["Done"]);
    github.setProjectStatus(roadmap, place(1), "Done");
    expect(await status()).toEqual(unknown(/not there any more/));
  });

  it("is unknown without the scope, and the rest of the wish is not", async () => {
    const { field } = await startProject();
    const fixture = await startLinked({ quirks: { projectScope: false } });
    const { signals } = await readOne(fixture, 1, { projects: [field], pullRequests: true });
    expect(signals).toMatchObject({
      pullRequests: { kind: "known" },
      projectStatus: { "acme/1/status": unknown(/scope read:project/) },
    });
  });

  it("is known though another project's item is hidden, and unknown where the hidden one may be the one", async () => {
    const fixture = await startProject();
    const { github, field } = fixture;
    github.addProject({ owner: "acme", number: 2 }, { Status: ["Done"] });
    github.addToProject({ owner: "acme", number: 2 }, place(1));
    github.setProjectSight({ owner: "acme", number: 2 }, "redacted");
    const status = async () =>
      (await readOne(fixture, 1, { projects: [field] })).signals.projectStatus?.["acme/1/status"];
    expect(await status()).toEqual(unknown(/project that the token can't see/));
    github.addToProject(roadmap, place(1));
    github.setProjectStatus(roadmap, place(1), "Todo");
    expect(await status()).toEqual(known("Todo"));
  });
});

describe("an answer in part", () => {
  it("leaves unknown what failed in one issue, and nothing else", async () => {
    const fixture = await startLinked();
    const { github } = fixture;
    const other = github.openIssue("acme/app", { title: "Two" });
    github.breakField(place(1), "subIssues", { type: "FORBIDDEN", message: "Resource not accessible" });
    const ids = [`I_${github.issue("acme/app", 1).id}`, `I_${other.id}`];
    const answers = await readSignals(fixture, ids, { subIssues: true, pullRequests: true });
    expect(answers).toMatchObject([
      { signals: { subIssues: unknown(/Resource not accessible/), pullRequests: { kind: "known" } } },
      { signals: { subIssues: { kind: "known" }, pullRequests: { kind: "known" } } },
    ]);
    expect(answers[0]).not.toHaveProperty("fault");
  });

  it("says of an issue that is gone, hidden, or no issue, that it is missing", async () => {
    const fixture = await startLinked({ repositories: [{ name: "acme/app" }, { name: "acme/secret" }] });
    const { github } = fixture;
    const hidden = github.openIssue("acme/secret", { title: "Hidden" });
    const gone = github.openIssue("acme/app", { title: "Gone" });
    github.setVisible("acme/secret", false);
    github.deleteIssue("acme/app", gone.number);
    const pullRequest = `PR_${github.issue("acme/app", 2).id}`;
    const ids = [`I_${hidden.id}`, `I_${gone.id}`, pullRequest, "garbage"];
    const answers = await readSignals(fixture, ids, { subIssues: true });
    expect(answers).toEqual(ids.map((nodeId) => ({ nodeId, signals: {}, fault: "missing" })));
  });

  it("comes in the order of the ids, 100 in a request", async () => {
    const fixture = await startSandbox();
    const ids = Array.from({ length: 250 }, (_, index) => {
      const { id } = fixture.github.openIssue("acme/app", { title: `${index}` });
      return `I_${id}`;
    }).toReversed();
    const answers = await readSignals(fixture, ids, { pullRequests: true });
    expect(answers.map(({ nodeId }) => nodeId)).toEqual(ids);
    expect(answers.every(({ signals }) => signals.pullRequests?.kind === "known")).toBe(true);
    expect(fixture.tracker.requests).toBe(3);
  });
});

describe("an older Enterprise Server", () => {
  it("leaves unknown what it does not have, names it, and is asked for it once", async () => {
    const fixture = await startLinked({
      basePath: "/api/v3",
      quirks: { graphQLLacks: ["Issue.subIssues", "Issue.timelineItems"] },
    });
    const wish = { subIssues: true, duplicates: true, pullRequests: true };
    const answer = await readOne(fixture, 1, wish);
    expect(answer).toMatchObject({
      signals: { subIssues: unknown(/127\.0\.0\.1.*sub-issues.*newer GitHub Enterprise Server/) },
      duplicateOf: unknown(/newer GitHub Enterprise Server/),
    });
    expect(answer.signals.pullRequests?.kind).toBe("known");
    expect(fixture.tracker.requests).toBe(2);
    await readOne(fixture, 1, wish);
    expect(fixture.tracker.requests).toBe(3);
  });

  it("without issue types shows issues without one", async () => {
    const fixture = await startSandbox({ quirks: { graphQLLacks: ["Issue.issueType"] } });
    fixture.github.openIssue("acme/app", { title: "One" });
    expect(await readOne(fixture, 1, { facts: true })).toMatchObject({ issue: { number: 1, type: null } });
  });

  it("without an argument that we need leaves unknown what rests on it", async () => {
    const fixture = await startLinked({
      quirks: {
        graphQLLacks: [
          "Issue.closedByPullRequestsReferences(includeClosedPrs)",
          "Issue.stateReason(enableDuplicate)",
        ],
      },
    });
    const answer = await readOne(fixture, 1, { pullRequests: true, facts: true });
    expect(answer.signals.pullRequests).toEqual(unknown(/doesn't accept argument/));
    expect(answer).not.toHaveProperty("issue");
  });
});

describe("GraphQL's limit", () => {
  const inAnHour = String(start / 1000 + 3_600);
  const primary = { "x-ratelimit-remaining": "0", "x-ratelimit-reset": inAnHour };
  const ofQueries = { ...primary, "x-ratelimit-resource": "graphql" };
  const exceeded = "API rate limit exceeded for user ID 1001.";
  const secondary = "You have exceeded a secondary rate limit. Please wait a few minutes.";
  const errors = (error: object): object => ({ data: null, errors: [error] });

  it.each<[string, number, Record<string, string>, object, "GraphQL" | ""]>([
    ["200, RATE_LIMITED", 200, ofQueries, errors({ type: "RATE_LIMITED", message: exceeded }), "GraphQL"],
    [
      "200, RATE_LIMITED beside data",
      200,
      primary,
      { data: {}, errors: [{ type: "RATE_LIMITED" }] },
      "GraphQL",
    ],
    ["200, its words alone", 200, {}, errors({ message: exceeded }), "GraphQL"],
    ["403, nothing left", 403, ofQueries, { message: exceeded }, "GraphQL"],
    ["429, nothing left", 429, ofQueries, { message: exceeded }, "GraphQL"],
    ["429, nothing left, in no words", 429, primary, {}, "GraphQL"],
    ["429, its words alone", 429, {}, { message: exceeded }, "GraphQL"],
    ["200, a secondary one", 200, ofQueries, errors({ type: "RATE_LIMITED", message: secondary }), ""],
    ["200, too quickly", 200, {}, errors({ message: "was submitted too quickly" }), ""],
    ["403, a secondary one", 403, { "retry-after": "3600" }, { message: secondary }, ""],
    ["429 that says nothing", 429, { "retry-after": "3600" }, {}, ""],
  ])("(%s) closes what it concerns, and is named", async (_, status, headers, body, budget) => {
    const fixture = await startLinked();
    const { tracker, github } = fixture;
    github.failNext({ path: "/graphql", answer: { kind: "answer", status, headers, body } });
    // What names no time is waited out by the read that met it, where that has the time.
    const bounds = { ...unbounded(), until: start + 30_000 };
    const ask = () => tracker.projectField({ owner: "acme", project: 1, field: "Status" }, bounds);
    const error = await failureOf(ask());
    expect(error).toMatchObject({ fault: "limited", budget });
    expect(/GraphQL/.test(error.message)).toBe(budget === "GraphQL");
    github.clearRequests();
    expect(await failureOf(ask())).toMatchObject({ fault: "limited", budget, retryAt: error.retryAt });
    const account = tracker.account(bounds);
    if (budget === "") expect(await failureOf(account)).toMatchObject({ fault: "limited" });
    else expect(await account).toEqual({ login: github.login });
    expect(github.requests.map(({ path }) => path)).toEqual(budget === "" ? [] : ["/user"]);
  });

  it("is counted beside that of the REST API, which closes queries, too", async () => {
    const { tracker, github } = await startLinked();
    github.failNext({ path: "/user", answer: primaryLimit(start + 3_600_000) });
    expect(await failureOf(tracker.account(unbounded()))).toMatchObject({ budget: "" });
    const field = tracker.projectField({ owner: "acme", project: 1, field: "Status" }, unbounded());
    expect(await failureOf(field)).toMatchObject({ fault: "limited", budget: "" });
    expect([tracker.budgetOf("acme/app"), tracker.budgetOf("acme/app", "signals")]).toEqual(["", "GraphQL"]);
  });
});
