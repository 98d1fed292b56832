import { describe, expect, it } from "vitest";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import { addPlanned, openStage, type Stage, type StageOptions, standardProject } from "../support/stage.ts";

const repo = "acme/app";
const voteLabels = { 10: "votes: 10+", 50: "votes: 50+" };

function withLabels(changes = {}): StageOptions {
  return { projects: [{ ...standardProject, issue: { labels: ["feedback"], voteLabels }, ...changes }] };
}

function vote({ board }: Stage, votes: number, post = "p1"): void {
  board.editPost("acme-app", post, { votes });
}

function labelsOf({ github }: Stage, number = 1): readonly string[] {
  return github.issue(repo, number).labels;
}

const patchFirst = "the post is changed first, and a run after that one goes on";

describe("`issue.voteLabels`", () => {
  it("come with a new issue, and move with its votes, one at a time", async () => {
    const stage = await openStage(withLabels());
    addPlanned(stage, [{ votes: 12 }]);
    await stage.sync();
    expect(labelsOf(stage)).toEqual(["feedback", "votes: 10+"]);
    await stage.sync();
    vote(stage, 60);
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ issueWrites: 3 }] });
    expect(labelsOf(stage)).toEqual(["feedback", "votes: 50+"]);
    vote(stage, 3);
    await stage.sync();
    expect(labelsOf(stage)).toEqual(["feedback"]);
    stage.mark();
    await stage.sync();
    await stage.sync();
    expect([stage.writes(), stage.board.notifications]).toEqual([[], []]);
  });

  it("say that they wait for a change of the post that can't go now", async () => {
    const stage = await openStage(withLabels());
    addPlanned(stage, 1);
    await stage.sync();
    await stage.sync();
    const rateLimited = { kind: "answer", status: 429, headers: { "retry-after": "3600" } } as const;
    stage.board.failNext(rateLimited, { when: ({ method }) => method === "PATCH" });
    stage.github.close(repo, 1, "completed");
    vote(stage, 12);
    for (let run = 0; run < 2; run += 1) {
      await stage.sync();
      const row = await stage.ledger.rows.row("prj_app" as ProjectId, "p1" as PostId, stage.clock.now());
      const notes = row?.notes?.map(({ action, message }) => [action?.kind, message]);
      expect(notes).toContainEqual(["change-issue", `Decided, and waiting: ${patchFirst}`]);
    }
  });

  it("leave alone what people set and take away", async () => {
    const stage = await openStage(withLabels());
    addPlanned(stage, [{ votes: 1 }, { votes: 12 }]);
    await stage.sync();
    await stage.sync();
    stage.github.label(repo, 1, "votes: 10+");
    stage.github.unlabel(repo, 2, "votes: 10+");
    await stage.sync();
    stage.mark();
    await stage.sync();
    expect(stage.writes()).toEqual([]);
    vote(stage, 60);
    vote(stage, 60, "p2");
    await stage.sync();
    expect([labelsOf(stage, 1), labelsOf(stage, 2)]).toEqual([
      ["feedback", "votes: 10+", "votes: 50+"],
      ["feedback", "votes: 50+"],
    ]);
  });

  it("reach issues that were there before, within the guard, and are told by `explain`", async () => {
    const stage = await openStage({ projects: [standardProject] });
    addPlanned(stage, [{ votes: 12 }, { votes: 70 }]);
    await stage.sync();
    await stage.sync();
    stage.reconfigure(withLabels());
    expect(await stage.plan()).toMatchObject([
      { kind: "change-issue", issue: "acme/app#1", fields: { "label:votes: 10+": true }, notifies: 0 },
      { kind: "change-issue", issue: "acme/app#2", fields: { "label:votes: 50+": true }, notifies: 0 },
    ]);
    await stage.sync();
    expect([labelsOf(stage, 1), labelsOf(stage, 2)].flat()).toEqual(
      expect.arrayContaining(["votes: 10+", "votes: 50+"]),
    );
    expect((await stage.explain("p1")).issueFields).toMatchObject([
      { field: "label:votes: 10+", asks: { value: true }, rule: null, shows: true },
    ]);
  });

  it("that are held are left off where a person discards them", async () => {
    const stage = await openStage({ projects: [standardProject] });
    addPlanned(stage, [{ votes: 12 }, { votes: 70 }]);
    await stage.sync();
    await stage.sync();
    stage.reconfigure({ ...withLabels({ content: "once" }), config: { guard: { issues: 1 } } });
    expect(await stage.sync()).toMatchObject({ projects: [{ issueWrites: 0, held: 2 }] });
    const posts = ["p1", "p2"] as readonly string[] as readonly PostId[];
    const request = {
      kind: "discard",
      posts,
      project: "prj_app" as ProjectId,
      at: stage.clock.now(),
    } as const;
    await stage.ledger.commit([{ kind: "add-request", request }]);
    expect(await stage.sync()).toMatchObject({ projects: [{ issueWrites: 0, held: 0 }] });
    vote(stage, 80);
    await stage.sync();
    expect([labelsOf(stage), labelsOf(stage, 2)]).toEqual([["feedback", "votes: 50+"], ["feedback"]]);
  });
});
