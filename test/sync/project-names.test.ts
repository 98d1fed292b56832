import { describe, expect, it } from "vitest";
import type { BoardTools } from "../../src/board/tools.ts";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import { importing, tools } from "../support/import-stage.ts";
import { privateRepositories, twoProjects } from "../support/setups.ts";
import {
  addPlanned,
  type ConfigPart,
  hourMs,
  minuteMs,
  openStage,
  type Stage,
  standardProject,
} from "../support/stage.ts";

const app = standardProject;
const api = { ...standardProject, project: "acme-api" };
const closing = [{ when: { status: "declined" }, set: { state: "closed", reason: "not_planned" } }];
const whenMissing = [{ when: { missing: true }, set: { state: "closed", reason: "not_planned" } }];

/** What people do to a project in the config; the others stand before it, and have their turn first. */
type Change = "is named by its id" | "is taken out";
const changes: readonly Change[] = ["is named by its id", "is taken out"];

function configOf(
  change: Change,
  others: readonly ConfigPart[],
  project: ConfigPart,
  id: string,
): ConfigPart {
  return { projects: change === "is taken out" ? others : [...others, { ...project, project: id }] };
}

async function runOften(stage: Stage, runs = 4): Promise<void> {
  for (let run = 0; run < runs; run += 1) {
    stage.clock.skip(20 * minuteMs);
    await stage.sync();
  }
}

function numberOf(stage: Stage, title: string): number {
  return stage.github.issues("acme/app").find((issue) => issue.title === title)?.number ?? 0;
}

describe("a project that has another name in the config, or none, before its own turn comes", () => {
  it.each(changes.flatMap((change) => [true, false].map((isShared) => ({ change, isShared }))))(
    "$change: its voters are told of no change that another project makes (one issue for both: $isShared)",
    async ({ change, isShared }) => {
      const own = { ...app, boardRules: closing };
      const stage = await openStage({ boardProjects: twoProjects, projects: [own, api] });
      addPlanned(stage, [{ title: "P" }]);
      addPlanned(stage, [{ title: "Q" }], "acme-api");
      await stage.sync();
      const [p, q] = [numberOf(stage, "P"), numberOf(stage, "Q")];
      if (isShared) {
        const asked = { kind: "link", post: "p2" as PostId, repository: "acme/app", number: p } as const;
        const request = { ...asked, project: "prj_api" as ProjectId, at: stage.clock.now() };
        await stage.ledger.commit([{ kind: "add-request", request }]);
      } else {
        const [of, to] = [q, p].map((number) => ({ repository: "acme/app", number }));
        if (of !== undefined && to !== undefined) stage.github.closeAsDuplicate(of, to);
      }
      await runOften(stage, 2);
      const { length } = stage.board.notifications;
      stage.reconfigure(configOf(change, [own], api, "prj_api"));
      stage.board.editPost("acme-app", "p1", { status: "declined" });
      await stage.sync();
      if (change === "is taken out") stage.reconfigure({ projects: [own, api] });
      await runOften(stage);
      expect(stage.board.notifications.slice(length).filter(({ post }) => post === "p2")).toEqual([]);
    },
  );

  it.each(changes)("%s: a post that moves out of it gets no second issue", async (change) => {
    const other = { ...api, repo: "acme/api" };
    const stage = await openStage({
      ...{ boardProjects: twoProjects, projects: [other, app], style: { hidden: ["createdAt"] } },
      repositories: privateRepositories("acme/app", "acme/api"),
    });
    addPlanned(stage, 3);
    addPlanned(stage, 2, "acme-api");
    await stage.sync();
    stage.reconfigure(configOf(change, [other], app, "prj_app"));
    stage.board.removePost("acme-app", "p1");
    stage.board.restorePost("acme-api", "p1");
    await stage.sync();
    if (change === "is taken out") stage.reconfigure({ projects: [other, app] });
    await runOften(stage);
    expect(stage.github.issues("acme/api")).toHaveLength(2);
  });

  it.each(["acme-api", "prj_api"])("%s: a post that moves into it is not missing", async (name) => {
    const own = { ...app, boardRules: whenMissing };
    const stage = await openStage({ boardProjects: twoProjects, projects: [own, api] });
    addPlanned(stage, 3);
    addPlanned(stage, 2, "acme-api");
    await stage.sync();
    stage.reconfigure({ projects: [own] });
    stage.board.removePost("acme-app", "p1");
    stage.board.restorePost("acme-api", "p1");
    await runOften(stage, 1);
    stage.reconfigure({ projects: [own, { ...api, project: name }] });
    await runOften(stage);
    expect(stage.github.issues("acme/app").map(({ state }) => state)).not.toContain("closed");
  });

  it.each(changes)(
    "%s: the issue that its call without an answer was for becomes no second post",
    async (change) => {
      const calls: string[] = [];
      const port: BoardTools = {
        purposes: new Set(["feedbackCreate"]),
        requests: 0,
        list: () => Promise.reject(new Error("no list")),
        call: async (_, { title, description }) => {
          calls.push(String(title));
          stage.board.addPost("acme-app", { title: String(title), description: String(description) });
          return { kind: "unknown", message: "The answer broke off." };
        },
      };
      const other = { ...importing, project: "acme-api" };
      const config = { board: { mcp: { tools } } };
      const stage = await openStage({ boardProjects: twoProjects, projects: [importing, other], config });
      stage.bend((world) => ({ ...world, tools: port }));
      await stage.sync();
      stage.github.openIssue("acme/app", { title: "CSV", author: stage.github.login, labels: ["idea"] });
      await stage.sync();
      stage.reconfigure({ config, ...configOf(change, [other], importing, "prj_app") });
      stage.github.label("acme/app", 1, "feedback");
      await runOften(stage);
      expect(calls).toEqual(["CSV"]);
    },
  );

  it("is known as one that has run when an old copy of the state is put back, so that nobody is told twice", async () => {
    const stage = await openStage({ boardProjects: twoProjects, projects: [app, api] });
    addPlanned(stage, 1);
    addPlanned(stage, [{ title: "Q" }], "acme-api");
    await stage.sync();
    await stage.backUp("unstamped");
    stage.clock.skip(hourMs);
    addPlanned(stage, 1, "acme-api");
    stage.github.close("acme/app", numberOf(stage, "Q"), "completed");
    await runOften(stage, 2);
    stage.board.editPost("acme-api", "p2", { status: "planned" });
    await runOften(stage, 2);
    const { length } = stage.board.notifications;
    stage.putBack();
    stage.reconfigure({ projects: [app, { ...api, project: "prj_api" }] });
    await runOften(stage, 6);
    expect(stage.board.notifications.slice(length)).toEqual([]);
  });
});
