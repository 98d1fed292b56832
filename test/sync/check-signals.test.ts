import { describe, expect, it } from "vitest";
import { inProgress, lookingAt, privateRepositories, roadmap } from "../support/setups.ts";
import { type ConfigPart, openStage, type Stage, type StageOptions } from "../support/stage.ts";

const one = { repository: "acme/app", number: 1 };

/** A board on which every status of the rules is in use, a project on the tracker, and an issue. */
async function openChecked(when: ConfigPart, options: StageOptions = {}): Promise<Stage> {
  const repositories = privateRepositories("acme/app");
  const stage = await openStage({ repositories, projects: [lookingAt(when)], ...options });
  for (const status of ["planned", "in_progress", "completed"]) stage.board.addPost("acme-app", { status });
  stage.github.addProject(roadmap, { Status: ["Todo", "In progress"] });
  stage.github.openIssue("acme/app", { title: "One" });
  return stage;
}

/** What a check finds wrong, as `level code`. */
async function problems(stage: Stage): Promise<readonly string[]> {
  const findings = await stage.check();
  return findings.filter(({ level }) => level !== "ok").map(({ level, code }) => `${level} ${code}`);
}

async function words(stage: Stage): Promise<string> {
  const findings = await stage.check();
  expect(stage.writes()).toEqual([]);
  return findings.map(({ level, message }) => `${level}: ${message}`).join("\n");
}

describe("a check of what rules look at beside issues' records", () => {
  it("names what can be read, and the options that there are", async () => {
    const when = { ...inProgress, pullRequest: "open", subIssues: "all-closed", released: true };
    const stage = await openChecked(when);
    const said = await words(stage);
    expect(said).toContain(
      'ok: Project acme/7 can be read; its field Status has the options "Todo", "In progress".',
    );
    expect(said).toContain(
      "ok: Of issues of acme/app can be read: linked pull requests, sub-issues, releases, duplicates.",
    );
    expect(await problems(stage)).toEqual([]);
  });

  it("says where there is no issue yet to try it on", async () => {
    const stage = await openChecked({ pullRequest: "open" });
    stage.github.deleteIssue("acme/app", 1);
    expect(await words(stage)).toContain("ok: acme/app has no issue yet on which to try");
  });

  it("asks nothing where no rule looks at any of it", async () => {
    const projects = [{ ...lookingAt({ assigned: true }), followDuplicates: false }];
    const stage = await openChecked({}, { projects });
    await stage.check();
    expect(stage.reads()).not.toContain("POST /graphql");
  });

  it.each<[string, string, (stage: Stage) => void]>([
    ["a project that is closed", "warning tracker.project", ({ github }) => github.closeProject(roadmap)],
    [
      "a field that is not there",
      "error tracker.project",
      ({ github }) => github.renameField(roadmap, "Status", "State"),
    ],
    [
      "an option that is not there",
      "error tracker.project-option",
      ({ github }) => github.renameOption(roadmap, "Status", "In progress", "Doing"),
    ],
    [
      "a project that the token can't see",
      "error tracker.project",
      ({ github }) => github.setProjectSight(roadmap, "none"),
    ],
    [
      "what the token may not read",
      "error tracker.signals",
      ({ github }) => github.breakField(one, "timelineItems", { type: "FORBIDDEN", message: "Not for you" }),
    ],
  ])("names %s", async (_, problem, act) => {
    const stage = await openChecked(inProgress);
    act(stage);
    expect(await problems(stage)).toEqual([problem]);
  });

  it.each([
    [["Bug"], ['it has only "Bug": such issues are opened without one, and such a rule never matches.']],
    [undefined, ["it has no issue types (only organisations do)"]],
    [["Bug", "feature"], []],
  ])("names issue types that are not among %j", async (types, said) => {
    const repository = { name: "acme/app", private: true, ...(types && { types }) };
    const stage = await openChecked({ type: "Feature" }, { repositories: [repository] });
    const found = (await words(stage)).split("\n").filter((line) => line.includes("issue type"));
    expect(found).toEqual(
      said.map((part) => expect.stringContaining(`error: acme/app has no issue type "Feature", ${part}`)),
    );
  });

  it("names milestones that rules look at and a repository lacks", async () => {
    const stage = await openChecked({ milestone: "9.9" });
    expect(await words(stage)).toContain(
      'warning: acme/app has no milestone "9.9", which the rules look at: no issue can have it yet.',
    );
  });

  it("says that GraphQL can't be reached, and goes on", async () => {
    const stage = await openChecked(inProgress);
    stage.github.failNext({ path: "/graphql", times: 99, answer: { kind: "answer", status: 502 } });
    expect(await problems(stage)).toEqual(["error tracker.unreachable", "error tracker.unreachable"]);
  });
});
