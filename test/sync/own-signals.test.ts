import { describe, expect, it } from "vitest";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import { inProgress, lookingAt, openLooking, roadmap } from "../support/setups.ts";
import { type ConfigPart, minuteMs, type Stage } from "../support/stage.ts";

const repo = "acme/app";
const one = { repository: repo, number: 1 };

/** What is declined closes its issue as completed, which decides without any signal. */
const decline: ConfigPart = { when: { status: "declined" }, set: { state: "closed", reason: "completed" } };

function looking(changes: ConfigPart = {}): ConfigPart {
  return { ...lookingAt(inProgress), boardRules: [decline], ...changes };
}

function move(stage: Stage, status: string, post = "p1"): void {
  stage.board.editPost("acme-app", post, { status });
}

/** The issue is closed because its post was declined, and then put into a column of the project. */
async function openDeclined(): Promise<Stage> {
  const stage = await openLooking(inProgress, 1, { projects: [looking()] });
  stage.github.addToProject(roadmap, one);
  move(stage, "declined");
  await stage.sync();
  await stage.sync();
  expect(stage.github.issue(repo, 1).state).toBe("closed");
  stage.github.setProjectStatus(roadmap, one, "In progress");
  await stage.sync();
  stage.mark();
  return stage;
}

describe("a signal that nobody looks at while an issue is closed", () => {
  it("is no news because we open the issue again", async () => {
    const stage = await openDeclined();
    move(stage, "planned");
    for (let run = 0; run < 3; run += 1) await stage.sync();
    expect(stage.github.issue(repo, 1).state).toBe("open");
    expect(stage.patches()).toEqual([]);
    stage.github.setProjectStatus(roadmap, one, "Todo");
    await stage.sync();
    stage.github.setProjectStatus(roadmap, one, "In progress");
    await stage.sync();
    expect(stage.board.post("acme-app", "p1")?.status).toBe("in_progress");
  });

  it("is none either where the answer to that was lost", async () => {
    const stage = await openDeclined();
    move(stage, "planned");
    const answer = { kind: "answer", status: 502 } as const;
    stage.github.failNext({ method: "PATCH", path: "/issues/1", applied: true, answer });
    await stage.sync();
    expect(stage.github.issue(repo, 1).state).toBe("open");
    await stage.sync();
    expect(stage.patches()).toEqual([]);
  });

  it("is news once people change it after that, also where the answer was lost", async () => {
    const stage = await openDeclined();
    move(stage, "planned");
    const answer = { kind: "answer", status: 502 } as const;
    stage.github.failNext({ method: "PATCH", path: "/issues/1", applied: true, answer });
    await stage.sync();
    stage.github.setProjectStatus(roadmap, one, "Todo");
    await stage.sync();
    stage.github.setProjectStatus(roadmap, one, "In progress");
    await stage.sync();
    expect(stage.patches()).toHaveLength(1);
  });
});

it("a post that is linked again takes the signals of its issue as they are then", async () => {
  const stage = await openLooking(inProgress);
  const project = "prj_app" as ProjectId;
  const post = "p1" as PostId;
  const repositoryId = stage.ledger.memory.repository(repo)?.repository.id ?? 0;
  const issues = [{ repositoryId, number: 1 }];
  await stage.ledger.commit([
    { kind: "add-request", request: { kind: "unlink", project, post, issues, at: stage.clock.now() } },
  ]);
  await stage.sync();
  stage.github.addToProject(roadmap, one);
  stage.github.setProjectStatus(roadmap, one, "In progress");
  const link = { kind: "link", project, post, repository: repo, number: 1, at: stage.clock.now() } as const;
  await stage.ledger.commit([{ kind: "add-request", request: link }]);
  for (let run = 0; run < 3; run += 1) expect(await stage.syncOne()).toMatchObject({ failed: 0 });
  expect(stage.patches()).toEqual([]);
  stage.github.setProjectStatus(roadmap, one, "Todo");
  await stage.sync();
  stage.github.setProjectStatus(roadmap, one, "In progress");
  await stage.sync();
  expect(stage.patches()).toHaveLength(1);
});

it("an issue that no list shows as a duplicate yet follows its canonical issue at once", async () => {
  const stage = await openLooking(inProgress, 2, { projects: [looking({ followDuplicates: true })] });
  stage.github.setLag({ listMs: 5 * minuteMs });
  stage.github.closeAsDuplicate(one, { repository: repo, number: 2 });
  // Our own change of the other issue, in the same run, is told to nobody who follows it.
  move(stage, "declined", "p2");
  expect(await stage.syncOne()).toMatchObject({ failed: 0, issueWrites: 1 });
  stage.clock.skip(10 * minuteMs);
  for (let run = 0; run < 3; run += 1) expect(await stage.syncOne()).toMatchObject({ failed: 0 });
  expect(stage.github.issue(repo, 2).state).toBe("closed");
  expect(stage.patches()).toEqual([]);
});
