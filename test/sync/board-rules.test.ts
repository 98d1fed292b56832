import { describe, expect, it } from "vitest";
import { StateError } from "../../src/errors.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import type { LinkOrigin } from "../../src/model/link.ts";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import type { SandboxPost } from "../support/sandbox/board/style.ts";
import { twoProjects } from "../support/setups.ts";
import {
  addPlanned,
  type ConfigPart,
  hourMs,
  minuteMs,
  openStage,
  type Stage,
  type StageOptions,
  standardProject,
} from "../support/stage.ts";

const project = "prj_app" as ProjectId;
const repo = "acme/app";

const decline: ConfigPart = {
  when: { status: "declined" },
  set: { state: "closed", reason: "not_planned", addLabels: ["Declined"] },
};

/** `standardProject`, and board rules beside its rules. */
function twoWay(boardRules: readonly ConfigPart[] = [decline], changes: ConfigPart = {}): ConfigPart {
  return { ...standardProject, boardRules, ...changes };
}

/** One post `p1`, planned, with its issue #1, in step. */
async function openPair(part: ConfigPart = twoWay(), options: StageOptions = {}): Promise<Stage> {
  const stage = await openStage({ projects: [part], ...options });
  addPlanned(stage, 1);
  await stage.sync();
  await stage.sync();
  stage.mark();
  return stage;
}

function move(stage: Stage, fields: Partial<SandboxPost>, post = "p1"): void {
  stage.board.editPost("acme-app", post, fields);
}

function issueOf({ github }: Stage, number = 1) {
  const { state, stateReason, labels, milestone } = github.issue(repo, number);
  return { state, stateReason, labels, milestone };
}

/** As `boardsync link` asks for it. */
async function link({ ledger, clock }: Stage, post: string, number: number, of = project): Promise<void> {
  const asked = { kind: "link", post: post as PostId, repository: repo, number } as const;
  await ledger.commit([{ kind: "add-request", request: { ...asked, project: of, at: clock.now() } }]);
}

function statusOf(stage: Stage, post = "p1") {
  return stage.board.post("acme-app", post)?.status;
}

/** The next edit of the issue is answered by a 502, whatever became of it. */
function loseAnswer({ github }: Stage, applied: boolean | "late"): void {
  github.failNext({
    method: "PATCH",
    path: "/issues/1",
    applied,
    answer: { kind: "answer", status: 502 },
  });
}

/** Two more runs, which write nothing. */
async function expectCalm(stage: Stage): Promise<void> {
  stage.mark();
  await stage.sync();
  expect(await stage.syncOne()).toMatchObject({ issueWrites: 0, postWrites: 0, failed: 0, waiting: 0 });
  expect(stage.writes()).toEqual([]);
}

const declined = { state: "closed", stateReason: "not_planned", labels: ["feedback", "Declined"] };
const asOpened = { state: "open", labels: ["feedback"] };

describe("a post that people decline", () => {
  it("closes its issue as not planned and labels it, once, and hears no echo of that", async () => {
    const stage = await openPair();
    move(stage, { status: "declined" });
    expect(await stage.syncOne()).toMatchObject({ issueWrites: 2, postWrites: 0, failed: 0 });
    expect(issueOf(stage)).toMatchObject(declined);
    expect(stage.writes()).toEqual([
      "POST /repos/acme/app/labels",
      "POST /repos/acme/app/issues/1/labels",
      "PATCH /repos/acme/app/issues/1",
    ]);
    await expectCalm(stage);
    // A rule has a status for an issue that is closed so; but the issue is only what the post has made of it.
    expect(statusOf(stage)).toBe("declined");
  });

  it("is none that nobody declines any more where the list shows no post's status", async () => {
    const stage = await openPair();
    move(stage, { status: "declined" });
    await stage.sync();
    for (const status of ["", null as unknown as string, "declined"]) {
      move(stage, { status });
      await expectCalm(stage);
    }
    expect(issueOf(stage)).toMatchObject(declined);
  });

  it("is not fought for when a person reopens the issue", async () => {
    const stage = await openPair();
    move(stage, { status: "declined" });
    await stage.sync();
    stage.github.reopen(repo, 1);
    stage.github.unlabel(repo, 1, "Declined");
    await stage.sync();
    await expectCalm(stage);
    expect(issueOf(stage)).toMatchObject({ ...asOpened, stateReason: "reopened" });
  });

  it("and put back again gives the issue back what was there before, and keeps what people added", async () => {
    const stage = await openPair();
    move(stage, { status: "declined" });
    await stage.sync();
    stage.github.label(repo, 1, "help");
    move(stage, { status: "planned" });
    await stage.sync();
    expect(issueOf(stage)).toMatchObject({ state: "open", labels: ["feedback", "help"] });
    await expectCalm(stage);
    expect(statusOf(stage)).toBe("planned");
  });

  it("leaves with `whenNoRule: keep` what it made of the issue", async () => {
    const stage = await openPair(twoWay([decline], { whenNoRule: "keep" }));
    move(stage, { status: "declined" });
    await stage.sync();
    move(stage, { status: "planned" });
    await stage.sync();
    expect(issueOf(stage)).toMatchObject(declined);
    await expectCalm(stage);
  });

  it("goes on to follow its issue when people work on that all the same", async () => {
    const stage = await openPair();
    move(stage, { status: "declined" });
    await stage.sync();
    stage.github.reopen(repo, 1);
    stage.github.label(repo, 1, "in progress");
    await stage.sync();
    expect(statusOf(stage)).toBe("in_progress");
    await expectCalm(stage);
    // The board rule let the issue go with the status; nobody has to take its label off.
    expect(issueOf(stage)).toMatchObject({ state: "open", labels: ["feedback", "in progress", "Declined"] });
  });
});

describe("a PATCH of ours", () => {
  it("is no reason to write to the issue, whatever board rules make of it", async () => {
    const shipped = { when: { status: "completed" }, set: { addLabels: ["shipped"], comment: "Shipped!" } };
    const stage = await openPair(twoWay([shipped]));
    stage.github.close(repo, 1, "completed");
    await stage.sync();
    expect(statusOf(stage)).toBe("completed");
    await expectCalm(stage);
    expect(issueOf(stage).labels).toEqual(["feedback"]);
  });

  it("whose answer was lost is none either", async () => {
    const shipped = { when: { status: "completed" }, set: { addLabels: ["shipped"] } };
    const stage = await openPair(twoWay([shipped]));
    stage.github.close(repo, 1, "completed");
    const isPatch = { when: ({ method }: { readonly method: string }) => method === "PATCH" };
    stage.board.failNext({ kind: "answer", status: 502, applied: true }, isPatch);
    await stage.sync();
    await stage.sync();
    stage.clock.skip(3 * minuteMs);
    await stage.sync();
    await expectCalm(stage);
    expect(issueOf(stage).labels).toEqual(["feedback"]);
  });

  it("whose answer was lost is none either where the list does not show all that it asked for", async () => {
    const shipped = { when: { status: "completed" }, set: { addLabels: ["shipped"] } };
    const stage = await openPair(twoWay([shipped]), { style: { hidden: ["roadmapColumn"] } });
    stage.github.close(repo, 1, "completed");
    const isPatch = { when: ({ method }: { readonly method: string }) => method === "PATCH" };
    stage.board.failNext({ kind: "answer", status: 502, applied: true }, isPatch);
    await stage.sync();
    stage.clock.skip(3 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ errors: [{ code: "board.unsure" }] });
    await stage.sync();
    expect(issueOf(stage).labels).toEqual(["feedback"]);
    expect(stage.patches().map(({ body }) => body)).toEqual([
      { status: "completed", roadmapColumn: "COMPLETED" },
      { roadmapColumn: "COMPLETED" },
    ]);
  });
});

describe("both sides changed at once", () => {
  async function openBoth(conflict: string): Promise<Stage> {
    const stage = await openPair(twoWay([decline], { conflict }));
    move(stage, { status: "declined" });
    stage.github.close(repo, 1, "completed");
    return stage;
  }

  it("`tracker`: the post follows the issue, and the issue stays", async () => {
    const stage = await openBoth("tracker");
    await stage.sync();
    expect(statusOf(stage)).toBe("completed");
    await expectCalm(stage);
    expect(issueOf(stage)).toMatchObject({ stateReason: "completed", labels: ["feedback"] });
  });

  it("`board`: the post stays, and the issue follows as far as it stands elsewhere", async () => {
    const stage = await openBoth("board");
    // The column, which nobody else has moved, follows the issue first.
    await stage.sync();
    await stage.sync();
    await expectCalm(stage);
    expect(statusOf(stage)).toBe("declined");
    expect(issueOf(stage)).toMatchObject({ stateReason: "completed", labels: ["feedback", "Declined"] });
  });

  it("`hold`: nothing moves until a person chooses", async () => {
    const stage = await openBoth("hold");
    await stage.sync();
    expect(await stage.syncOne()).toMatchObject({ held: 1, issueWrites: 0, postWrites: 0 });
    expect(issueOf(stage).labels).toEqual(["feedback"]);
    await stage.ledger.commit([
      {
        kind: "add-request",
        request: {
          kind: "discard",
          posts: ["p1" as PostId],
          project,
          at: stage.clock.now(),
        },
      },
    ]);
    await stage.sync();
    await expectCalm(stage);
    expect([statusOf(stage), issueOf(stage).stateReason]).toEqual(["declined", "completed"]);
  });

  it("people who change the issue between our look and our write are heard", async () => {
    const stage = await openPair();
    move(stage, { status: "declined" });
    // Seen with the issue right before the write: the post follows that instead.
    const { github } = stage;
    stage.bend((world) => ({
      ...world,
      tracker: Object.assign(Object.create(world.tracker), {
        readIssue: (...given: Parameters<typeof world.tracker.readIssue>) => {
          if (github.issue(repo, 1).state === "open") github.close(repo, 1, "completed");
          return world.tracker.readIssue(...given);
        },
      }),
    }));
    await stage.sync();
    expect(stage.writes()).toEqual([]);
    await stage.sync();
    expect([statusOf(stage), issueOf(stage).labels]).toEqual(["completed", ["feedback"]]);
  });
});

describe("what a board rule can ask for", () => {
  it("is said where GitHub drops it without a word, once", async () => {
    const park = { when: { status: "declined" }, set: { milestone: "Later" } } as const;
    const stage = await openPair(twoWay([park]));
    stage.github.addMilestone(repo, "Later");
    stage.github.setPush(repo, false);
    move(stage, { status: "declined" });
    expect(await stage.syncOne()).toMatchObject({
      errors: [{ post: "p1", issue: "acme/app#1", code: "tracker.dropped" }],
    });
    expect(issueOf(stage)).toMatchObject({ milestone: null });
    expect(await stage.syncOne()).toMatchObject({ issueWrites: 0, errors: [] });
  });

  it("takes labels off, sets a milestone, and puts both back", async () => {
    const rule = {
      when: { status: "planned", onRoadmap: true },
      set: { removeLabels: ["Feedback"], milestone: "Next" },
    };
    const stage = await openPair(twoWay([rule]), {
      repositories: [{ name: repo, labels: ["feedback", "in progress"], milestones: ["Next"] }],
    });
    move(stage, { onRoadmap: true });
    await stage.sync();
    expect(issueOf(stage)).toMatchObject({ labels: [], milestone: "Next" });
    move(stage, { onRoadmap: false });
    await stage.sync();
    expect(issueOf(stage)).toMatchObject({ labels: ["feedback"], milestone: null });
    await expectCalm(stage);
  });

  it("does the rest where the milestone is not there, says so once, and tries again when asked", async () => {
    const rule = { when: { status: "declined" }, set: { state: "closed", milestone: "Never" } };
    const stage = await openPair(twoWay([rule]));
    move(stage, { status: "declined" });
    expect(await stage.syncOne()).toMatchObject({
      issueWrites: 1,
      parked: 1,
      errors: [
        {
          post: "p1",
          issue: "acme/app#1",
          code: "tracker.rejected",
          message:
            'What the post asks of acme/app#1 was refused: acme/app has no milestone "Never": create it, or correct the board rule. What else it asks for is done; `boardsync retry p1` tries this again.',
        },
      ],
    });
    stage.mark();
    expect(await stage.syncOne()).toMatchObject({ parked: 1, failed: 0 });
    expect(stage.writes()).toEqual([]);
    stage.github.addMilestone(repo, "Never");
    await stage.ledger.commit([
      {
        kind: "add-request",
        request: { kind: "retry", posts: ["p1" as PostId], project, at: stage.clock.now() },
      },
    ]);
    expect(await stage.syncOne()).toMatchObject({ issueWrites: 1, parked: 0 });
    expect(issueOf(stage)).toMatchObject({ state: "closed", milestone: "Never" });
  });

  it("an archived post moves its issue, and is not written itself", async () => {
    const stage = await openPair(twoWay([{ when: { archived: true }, set: { state: "closed" } }]));
    move(stage, { isArchived: true });
    await stage.sync();
    expect(issueOf(stage)).toMatchObject({ state: "closed", stateReason: "completed" });
    await expectCalm(stage);
    expect(statusOf(stage)).toBe("planned");
  });

  it("a post that is gone closes its issue after two pulls, where a rule asks for that", async () => {
    const stage = await openPair(twoWay([decline, { when: { missing: true }, set: { state: "closed" } }]));
    addPlanned(stage, 2);
    await stage.sync();
    stage.mark();
    stage.board.removePost("acme-app", "p1");
    await stage.sync();
    expect(stage.writes()).toEqual([]);
    await stage.sync();
    expect(issueOf(stage).state).toBe("closed");
    await expectCalm(stage);
  });

  it("a board that shrank closes nothing", async () => {
    const stage = await openPair(twoWay([{ when: { missing: true }, set: { state: "closed" } }]));
    addPlanned(stage, 3);
    await stage.sync();
    stage.mark();
    for (const post of ["p1", "p2", "p3", "p4"]) stage.board.removePost("acme-app", post);
    for (let run = 0; run < 3; run += 1) expect(await stage.syncOne()).toMatchObject({ held: 1 });
    expect(stage.writes()).toEqual([]);
  });
});

describe("a comment", () => {
  const commenting = twoWay([
    { when: { status: "declined" }, set: { state: "closed", comment: "Declined: {{ post.title }}" } },
  ]);

  function commentsOf({ github }: Stage): readonly string[] {
    return github.comments(repo, 1).map(({ body }) => body.replace(/^<!-- boardsync:comment \w+ -->\n/, ""));
  }

  it("is made once each time that its rule begins to hold, and stays", async () => {
    const stage = await openPair(commenting);
    move(stage, { status: "declined", title: "Ping @all <b>#1</b>" });
    await stage.sync();
    await expectCalm(stage);
    expect(commentsOf(stage)).toHaveLength(1);
    expect(commentsOf(stage)[0]).not.toContain("@all");
    expect(stage.github.comments(repo, 1)[0]?.body).not.toMatch(/#1\b/);
    move(stage, { status: "planned" });
    await stage.sync();
    move(stage, { status: "declined" });
    await stage.sync();
    await expectCalm(stage);
    expect(commentsOf(stage)).toHaveLength(2);
  });

  it("is made of no post for which its template says nothing", async () => {
    const comment = "{% if post.votes > 10 %}Many wanted this.{% endif %}";
    const stage = await openPair(
      twoWay([{ when: { status: "declined" }, set: { state: "closed", comment } }]),
    );
    move(stage, { status: "declined" });
    expect(await stage.syncOne()).toMatchObject({ issueWrites: 1, failed: 0, waiting: 0 });
    move(stage, { votes: 25 });
    await stage.sync();
    expect(commentsOf(stage)).toEqual([]);
    expect(issueOf(stage).state).toBe("closed");
    move(stage, { status: "planned" });
    await stage.sync();
    move(stage, { status: "declined" });
    await stage.sync();
    expect(commentsOf(stage)).toEqual(["Many wanted this."]);
  });

  it.each([true, false])("whose answer was lost (made: %s) is there exactly once", async (applied) => {
    const stage = await openPair(commenting);
    move(stage, { status: "declined" });
    stage.github.failNext({ method: "POST", path: "/comments", applied, answer: { kind: "reset" } });
    expect(await stage.syncOne()).toMatchObject({ errors: [{ code: "tracker.unknown" }] });
    const told = { kind: "comment-issue", fields: { comment: "the text of the board rule" }, when: "later" };
    expect(await stage.plan()).toMatchObject(applied ? [] : [told]);
    await stage.sync();
    stage.clock.skip(20 * minuteMs);
    await stage.sync();
    await expectCalm(stage);
    expect(commentsOf(stage)).toHaveLength(1);
  });

  it("whose answer was lost is there once though the token is another account's by then", async () => {
    const stage = await openPair(commenting);
    move(stage, { status: "declined" });
    stage.github.failNext({ method: "POST", path: "/comments", applied: true, answer: { kind: "reset" } });
    await stage.sync();
    const token = "token-of-the-other-bot-0123456789";
    stage.github.setPush(repo, true, "other-bot");
    stage.github.addToken(token, "other-bot");
    stage.useSecrets({ token });
    stage.clock.skip(7 * 60 * minuteMs);
    for (let run = 0; run < 3; run += 1) await stage.sync();
    expect(commentsOf(stage)).toHaveLength(1);
  });

  it("with the same mark by somebody else does not count", async () => {
    const stage = await openPair(commenting);
    move(stage, { status: "declined" });
    stage.github.failNext({ method: "POST", path: "/comments", answer: { kind: "reset" } });
    await stage.sync();
    const sent = stage.github.requests.find(
      ({ method, path }) => method === "POST" && path.endsWith("/comments"),
    );
    stage.github.comment(
      repo,
      1,
      (sent?.body as { readonly body: string } | undefined)?.body ?? "",
      "mallory",
    );
    stage.clock.skip(20 * minuteMs);
    await stage.sync();
    expect(stage.github.comments(repo, 1).filter(({ author }) => author !== "mallory")).toHaveLength(1);
  });

  it("on a locked issue is parked with the reason", async () => {
    const stage = await openPair(commenting);
    stage.github.lock(repo, 1);
    move(stage, { status: "declined" });
    const report = await stage.syncOne();
    expect(report).toMatchObject({ parked: 1, errors: [{ code: "tracker.rejected", issue: "acme/app#1" }] });
    expect(report.errors[0]?.message).toContain("locked");
    expect(issueOf(stage).state).toBe("closed");
    stage.mark();
    await stage.sync();
    expect(stage.writes()).toEqual([]);
  });

  it("on an issue that was locked is made once the issue has changed", async () => {
    const stage = await openPair(commenting);
    stage.github.lock(repo, 1);
    move(stage, { status: "declined" });
    await stage.sync();
    stage.clock.skip(minuteMs);
    await stage.sync();
    stage.clock.skip(minuteMs);
    stage.github.unlock(repo, 1);
    stage.mark();
    expect(await stage.syncOne()).toMatchObject({ parked: 0, failed: 0 });
    expect(stage.writes()).toHaveLength(1);
    await expectCalm(stage);
  });
});

describe("a board that takes only a part of our PATCH", () => {
  const onRoadmap: ConfigPart = { when: { onRoadmap: true }, set: { addLabels: ["on the roadmap"] } };
  const planned: ConfigPart = { when: { status: "planned" }, set: { addLabels: ["accepted"] } };
  const rules = [{ when: { state: "open" }, set: { status: "planned", onRoadmap: true } }];

  it("is not heard as a person who put the post on the roadmap, whatever its status becomes afterwards", async () => {
    const part = twoWay([planned, onRoadmap], { rules, select: { statuses: ["open"] } });
    const stage = await openStage({ projects: [part], style: { ignored: ["status"] } });
    stage.board.addPost("acme-app", { status: "open" });
    await stage.sync();
    expect(stage.board.post("acme-app", "p1")).toMatchObject({ status: "open", onRoadmap: true });
    move(stage, { status: "under review" });
    await stage.sync();
    expect(issueOf(stage).labels).toEqual(["feedback"]);
    await expectCalm(stage);
  });
});

describe("a change of an issue whose answer is lost", () => {
  it.each(["late", true, false] as const)("(applied: %s) is made once, and never echoed", async (applied) => {
    const stage = await openPair();
    move(stage, { status: "declined" });
    loseAnswer(stage, applied);
    expect(await stage.syncOne()).toMatchObject({ waiting: 1, errors: [{ code: "tracker.unknown" }] });
    stage.github.landLate();
    // What a list shows of it is our own doing: nobody is notified.
    await stage.sync();
    stage.clock.skip(20 * minuteMs);
    await stage.sync();
    await expectCalm(stage);
    expect(issueOf(stage)).toMatchObject(declined);
    expect(statusOf(stage)).toBe("declined");
    expect(stage.board.requests.filter(({ method }) => method === "PATCH")).toEqual([]);
  });

  it.each([
    ["was made, and taken back by people before anybody looked, stays taken back", true, "open"],
    ["was not made, on an issue that people have reopened before, is made", false, "closed"],
  ])("%s", async (_, applied, state) => {
    const stage = await openPair();
    stage.github.close(repo, 1, "completed");
    stage.github.reopen(repo, 1);
    stage.clock.skip(10 * minuteMs);
    await stage.sync();
    move(stage, { status: "declined" });
    loseAnswer(stage, applied);
    await stage.sync();
    if (applied) stage.github.reopen(repo, 1);
    for (let run = 0; run < 3; run += 1) {
      stage.clock.skip(20 * minuteMs);
      await stage.sync();
    }
    expect(issueOf(stage)).toMatchObject({ state });
    await expectCalm(stage);
  });

  it("and was not made is made, though our account made and undid the same a moment before", async () => {
    const back: ConfigPart = { when: { status: "planned" }, set: { state: "open" } };
    const stage = await openPair(twoWay([{ ...decline, set: { state: "closed" } }, back]));
    for (const status of ["declined", "planned"]) {
      move(stage, { status });
      await stage.sync();
    }
    expect(stage.writes()).toHaveLength(2);
    move(stage, { status: "declined" });
    loseAnswer(stage, false);
    expect(await stage.syncOne()).toMatchObject({ errors: [{ code: "tracker.unknown" }] });
    stage.clock.skip(20 * minuteMs);
    await stage.sync();
    expect(issueOf(stage)).toMatchObject({ state: "closed" });
    await expectCalm(stage);
  });

  it("is not taken for made because people have closed the issue for another reason", async () => {
    const stage = await openPair();
    move(stage, { status: "declined" });
    loseAnswer(stage, "late");
    await stage.sync();
    stage.github.close(repo, 1, "completed");
    expect(await stage.syncOne()).toMatchObject({ waiting: 1, issueWrites: 0 });
    stage.github.landLate();
    stage.clock.skip(20 * minuteMs);
    await stage.sync();
    await expectCalm(stage);
    expect(stage.patches()).toEqual([]);
  });

  it("may still arrive although people have made the same of it, and is waited for before that is taken back", async () => {
    const stage = await openPair(twoWay([{ ...decline, set: { state: "closed", reason: "not_planned" } }]));
    move(stage, { status: "declined" });
    loseAnswer(stage, "late");
    await stage.sync();
    stage.github.close(repo, 1, "not_planned");
    move(stage, { status: "planned" });
    expect(await stage.syncOne()).toMatchObject({ waiting: 1, issueWrites: 1 });
    stage.github.landLate();
    await stage.sync();
    stage.clock.skip(20 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ waiting: 0, issueWrites: 1 });
    await expectCalm(stage);
    expect(issueOf(stage).state).toBe("open");
    expect(stage.patches()).toEqual([]);
  });

  it("may still arrive although people have made the same of it and undone that, and nobody hears before", async () => {
    const stage = await openPair();
    move(stage, { status: "declined" });
    loseAnswer(stage, "late");
    await stage.sync();
    stage.github.close(repo, 1, "not_planned");
    expect(await stage.syncOne()).toMatchObject({ waiting: 1, issueWrites: 1 });
    stage.github.reopen(repo, 1);
    expect(await stage.syncOne()).toMatchObject({ waiting: 1, postWrites: 0 });
    stage.github.landLate();
    await stage.sync();
    stage.clock.skip(20 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ waiting: 0, postWrites: 0 });
    await expectCalm(stage);
    expect(issueOf(stage)).toMatchObject({ state: "closed", stateReason: "not_planned" });
    expect(stage.patches()).toEqual([]);
  });

  it("that people have undone is news once it can't arrive any more", async () => {
    const stage = await openPair();
    move(stage, { status: "declined" });
    loseAnswer(stage, true);
    await stage.sync();
    await stage.sync();
    stage.github.reopen(repo, 1);
    stage.github.close(repo, 1, "completed");
    expect(await stage.syncOne()).toMatchObject({ waiting: 1, postWrites: 0 });
    expect(JSON.stringify(await stage.explain("p1"))).toContain("may arrive once more");
    stage.clock.skip(20 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ waiting: 0, statusWrites: 1 });
    expect(statusOf(stage)).toBe("completed");
    await expectCalm(stage);
  });

  it("that never arrived is no reason to keep quiet about people who close the issue for another reason", async () => {
    const stage = await openPair();
    move(stage, { status: "declined" });
    loseAnswer(stage, false);
    await stage.sync();
    stage.github.close(repo, 1, "completed");
    stage.clock.skip(20 * minuteMs);
    await stage.sync();
    await stage.sync();
    expect(statusOf(stage)).toBe("completed");
    expect(issueOf(stage).stateReason).toBe("completed");
    await expectCalm(stage);
  });

  it("counts as ours where the reason for which people close the issue then changes nothing", async () => {
    const rules = [{ when: { state: "closed" }, set: { status: "completed" } }];
    const stage = await openPair(twoWay([decline], { rules }));
    move(stage, { status: "declined" });
    loseAnswer(stage, true);
    await stage.sync();
    stage.github.reopen(repo, 1);
    stage.github.close(repo, 1, "completed");
    stage.clock.skip(20 * minuteMs);
    await stage.sync();
    await expectCalm(stage);
    expect(stage.patches()).toEqual([]);
    expect(statusOf(stage)).toBe("declined");
  });

  it("is told apart from what people do at the same time", async () => {
    const stage = await openPair();
    move(stage, { status: "declined" });
    loseAnswer(stage, true);
    await stage.sync();
    stage.github.reopen(repo, 1);
    stage.github.label(repo, 1, "in progress");
    stage.clock.skip(20 * minuteMs);
    await stage.sync();
    await stage.sync();
    await stage.sync();
    expect(statusOf(stage)).toBe("in_progress");
  });
});

describe("a process that dies", () => {
  it.each([0, 1, 2])(
    "around write %i of a change leaves it to the next one, with no echo",
    async (skipped) => {
      for (const when of ["before", "after"] as const) {
        const stage = await openPair();
        move(stage, { status: "declined" });
        const die = (): void => {
          throw new StateError("The process died.");
        };
        const arm = (left: number): void => {
          stage.atNextWrite("tracker", when, left === 0 ? die : () => arm(left - 1));
        };
        arm(skipped);
        await expect(stage.sync()).rejects.toThrow("The process died.");
        stage.restart();
        await stage.sync();
        stage.clock.skip(20 * minuteMs);
        await stage.sync();
        await stage.sync();
        await expectCalm(stage);
        expect(issueOf(stage)).toMatchObject(declined);
        expect(statusOf(stage)).toBe("declined");
      }
    },
  );
});

describe("changed board rules", () => {
  it("write nothing by themselves, and are followed from then on", async () => {
    const stage = await openPair(standardProject);
    move(stage, { status: "declined" });
    await stage.sync();
    stage.reconfigure({ projects: [twoWay()] });
    await stage.sync();
    await expectCalm(stage);
    expect(issueOf(stage)).toMatchObject(asOpened);
    stage.reconfigure({
      projects: [twoWay([{ when: { status: "declined" }, set: { addLabels: ["Declined", "wontfix"] } }])],
    });
    await expectCalm(stage);
    move(stage, { status: "planned" });
    await stage.sync();
    move(stage, { status: "declined" });
    await stage.sync();
    expect(issueOf(stage).labels).toEqual(["feedback", "Declined", "wontfix"]);
  });

  it("write nothing either for a post that is missing from a list just then", async () => {
    const stage = await openPair();
    addPlanned(stage, 2);
    await stage.sync();
    move(stage, { status: "declined" });
    await stage.sync();
    const feedback = ["p2", "p3"].map((post) => stage.board.post("acme-app", post));
    const list = { times: 2, when: ({ path }: { readonly path: string }) => path === "/feedback" };
    stage.board.failNext({ kind: "answer", status: 200, body: { feedback } }, list);
    await stage.sync();
    stage.reconfigure({
      projects: [twoWay([{ when: { status: "declined" }, set: { state: "open", addLabels: ["Declined"] } }])],
    });
    for (let run = 0; run < 3; run += 1) await stage.sync();
    expect(issueOf(stage)).toMatchObject(declined);
  });

  it("leave a change that people made meanwhile a change", async () => {
    const stage = await openPair();
    move(stage, { status: "declined" });
    stage.reconfigure({
      projects: [twoWay([{ when: { status: "declined" }, set: { state: "closed", addLabels: ["no"] } }])],
    });
    await stage.sync();
    expect(issueOf(stage)).toMatchObject({ state: "closed", labels: ["feedback"] });
  });
});

describe("a guard", () => {
  it("holds a burst of changes of issues until a person approves", async () => {
    const stage = await openStage({ projects: [twoWay()], config: { guard: { issues: 2 } } });
    addPlanned(stage, 2);
    await stage.sync();
    addPlanned(stage, 1);
    await stage.sync();
    await stage.sync();
    for (const post of ["p1", "p2", "p3"]) move(stage, { status: "declined" }, post);
    stage.mark();
    expect(await stage.syncOne()).toMatchObject({ held: 3, issueWrites: 0 });
    expect(stage.writes()).toEqual([]);
    const actions = await stage.ledger.rows.held(project);
    await stage.ledger.commit([
      {
        kind: "add-request",
        request: { kind: "approve", actions, isWhole: true, project, at: stage.clock.now() },
      },
    ]);
    expect(await stage.syncOne()).toMatchObject({ held: 0, issueWrites: 6 });
    await expectCalm(stage);
  });

  it("counts every issue of a post that has several", async () => {
    const stage = await openPair(twoWay(), { config: { guard: { issues: 1 } } });
    addPlanned(stage, 1);
    await stage.sync();
    await link(stage, "p1", 2);
    await stage.sync();
    await stage.sync();
    move(stage, { status: "declined" });
    stage.mark();
    expect(await stage.syncOne()).toMatchObject({ held: 1, issueWrites: 0 });
    expect(stage.writes()).toEqual([]);
  });

  it("`writes: none` holds it, and `writes: issues` lets it go", async () => {
    const stage = await openPair();
    stage.reconfigure({ projects: [twoWay([decline], { writes: "none" })] });
    move(stage, { status: "declined" });
    await stage.sync();
    expect(stage.writes()).toEqual([]);
    stage.reconfigure({ projects: [twoWay([decline], { writes: "issues" })] });
    await stage.sync();
    expect(issueOf(stage)).toMatchObject(declined);
  });

  it("is planned with `writes: issues` as the run then writes, although the post would follow its issue", async () => {
    const rules = [{ set: { status: "in_progress" } }];
    const boardRules = [{ when: { status: "planned" }, set: { state: "closed" } }];
    const stage = await openStage({ projects: [twoWay(boardRules, { rules, writes: "issues" })] });
    addPlanned(stage, 1);
    await stage.sync();
    expect((await stage.plan()).map(({ kind }) => kind)).toEqual(["patch-post", "change-issue"]);
    expect(await stage.syncOne()).toMatchObject({ issueWrites: 1, postWrites: 0 });
  });

  it("is planned with `writes: issues` for every issue of a post that has several", async () => {
    const stage = await openPair(twoWay([decline], { writes: "issues" }));
    addPlanned(stage, 1);
    await stage.sync();
    await link(stage, "p1", 2);
    await stage.sync();
    await stage.sync();
    move(stage, { status: "declined" });
    const planned = await stage.plan();
    expect(planned.map(({ issue, held }) => [issue, held])).toEqual([
      ["acme/app#1", undefined],
      ["acme/app#2", undefined],
    ]);
    expect(await stage.syncOne()).toMatchObject({ held: 0, issueWrites: 4 });
  });

  it("plans no label to be taken off an issue that an earlier post of the run asks for", async () => {
    const rules = [{ status: "declined" }, { onRoadmap: true }].map((when) => ({
      when,
      set: { addLabels: ["seen"] },
    }));
    const stage = await openPair(twoWay(rules, { writes: "issues" }));
    addPlanned(stage, 1);
    await stage.sync();
    stage.board.editPost("acme-app", "p2", { status: "declined" });
    await stage.sync();
    await link(stage, "p1", 2);
    for (let run = 0; run < 3; run += 1) await stage.sync();
    move(stage, { onRoadmap: true });
    stage.board.editPost("acme-app", "p2", { status: "planned" });
    const planned = (await stage.plan()).map(({ issue, fields }) => [issue, fields]);
    stage.mark();
    await stage.sync();
    expect(planned).toEqual([["acme/app#1", { "label:seen": true }]]);
    expect(stage.writes()).toEqual(["POST /repos/acme/app/issues/1/labels"]);
  });

  it("is told by `plan` what would be written, and nothing is", async () => {
    const stage = await openPair(
      twoWay([{ when: { status: "declined" }, set: { state: "closed", comment: "No: {{ post.title }}" } }]),
    );
    move(stage, { status: "declined", title: "Dark mode" });
    const reason = "the post: status is `declined` → board rule 1";
    const common = { post: "p1", title: "Dark mode", issue: "acme/app#1", reason, notifies: 0, when: "now" };
    expect(await stage.plan()).toEqual(
      expect.arrayContaining([
        { kind: "change-issue", fields: { state: "closed" }, before: { state: "open" }, ...common },
        { kind: "comment-issue", fields: { comment: "No: Dark mode" }, before: {}, ...common },
      ]),
    );
    expect(stage.writes()).toEqual([]);
  });

  it("is planned for later for a post that a PATCH goes to first, and follows in the next run", async () => {
    const stage = await openPair(twoWay([{ when: { onRoadmap: true }, set: { addLabels: ["Roadmap"] } }]));
    move(stage, { onRoadmap: true });
    stage.github.close(repo, 1, "completed");
    expect((await stage.plan()).map(({ kind, when }) => [kind, when])).toEqual([
      ["patch-post", "now"],
      ["change-issue", "later"],
    ]);
    expect(await stage.syncOne()).toMatchObject({ postWrites: 1, issueWrites: 0, waiting: 0 });
    expect((await stage.plan()).map(({ kind }) => kind)).toEqual(["change-issue"]);
    expect(await stage.syncOne()).toMatchObject({ postWrites: 0, issueWrites: 1, waiting: 0 });
    await expectCalm(stage);
  });
});

describe("an issue that stands for several posts", () => {
  it("tells the voters of one whose opening was in doubt nothing of what we have changed for another", async () => {
    const rules = [{ when: { state: "closed" }, set: { status: "completed" } }];
    const stage = await openStage({ projects: [twoWay([decline], { rules })] });
    addPlanned(stage, [{}, { status: "open" }]);
    const opening = { method: "POST", path: "/repos/acme/app/issues", applied: true } as const;
    stage.github.failNext({ ...opening, answer: { kind: "reset" } });
    expect(await stage.syncOne()).toMatchObject({ created: 0, waiting: 1 });
    await link(stage, "p2", 1);
    // The pull is answered, and the search for what was opened is not.
    const search = { method: "GET", path: /\/acme\/app\/issues$/, after: 1, times: 4 } as const;
    for (const status of ["open", "declined"]) {
      stage.github.failNext({ ...search, answer: { kind: "answer", status: 500 } });
      move(stage, { status }, "p2");
      expect(await stage.syncOne()).toMatchObject({ created: 0, waiting: 1 });
    }
    expect(issueOf(stage)).toMatchObject({ state: "closed" });
    expect(await stage.syncOne()).toMatchObject({ created: 1, waiting: 0 });
    for (let run = 0; run < 3; run += 1) await stage.sync();
    expect(stage.board.notifications.map(({ post }) => post)).not.toContain("p1");
  });

  /** #1 is the issue of p1, and beside its own one that of p2. */
  async function openShared(part: ConfigPart = twoWay()): Promise<Stage> {
    const stage = await openPair(part);
    addPlanned(stage, 1);
    await stage.sync();
    await stage.sync();
    await share(stage, "adopted");
    await stage.sync();
    return stage;
  }

  /** #1 is an issue of p2, too. */
  async function share({ ledger }: Stage, origin: LinkOrigin): Promise<void> {
    const issue = (await ledger.rows.row(project, "p1" as PostId, 0))?.links[0]?.known?.issue;
    if (issue === undefined) throw new Error("No issue.");
    const link = { post: "p2" as PostId, issue, origin };
    await ledger.commit([{ kind: "link", project, link, issue, content: undefined }]);
  }

  it("is told to no voter of a post that no list had shown by then; what people do from then on is", async () => {
    const close = { when: { status: "declined" }, set: { state: "closed", reason: "completed" } } as const;
    const stage = await openPair(twoWay([close]));
    await share(stage, "imported");
    move(stage, { status: "declined" }, "p1");
    await stage.sync();
    addPlanned(stage, 1);
    await stage.sync();
    await expectCalm(stage);
    expect(statusOf(stage, "p2")).toBe("planned");
    stage.github.reopen(repo, 1);
    stage.github.label(repo, 1, "in progress");
    await stage.sync();
    expect(statusOf(stage, "p2")).toBe("in_progress");
  });

  it.each([
    ["p1", "p2"],
    ["p2", "p1"],
  ] as const)("stays as it is until none asks for it any more: %s first, then %s", async (first, last) => {
    const stage = await openShared();
    move(stage, { status: "declined" }, "p1");
    await stage.sync();
    move(stage, { status: "declined" }, "p2");
    await stage.sync();
    move(stage, { status: "planned" }, first);
    await stage.sync();
    expect(issueOf(stage)).toMatchObject(declined);
    await expectCalm(stage);
    move(stage, { status: "planned" }, last);
    await stage.sync();
    await stage.sync();
    expect(issueOf(stage)).toMatchObject(asOpened);
    await expectCalm(stage);
    expect([statusOf(stage, "p1"), statusOf(stage, "p2")]).toEqual(["planned", "planned"]);
  });

  it("has one line in a plan where both ask the same of it, for one request does for both", async () => {
    const stage = await openShared();
    for (const post of ["p1", "p2"]) move(stage, { status: "declined" }, post);
    const changes = (await stage.plan()).filter(
      ({ kind, issue }) => kind === "change-issue" && issue === "acme/app#1",
    );
    expect(changes).toMatchObject([
      { post: "p1", fields: { state: "closed:not_planned", "label:declined": true } },
    ]);
    await stage.sync();
    expect(issueOf(stage)).toMatchObject(declined);
    expect(await stage.plan()).toEqual([]);
  });

  it("is closed for one of them, and tells none of the others", async () => {
    const stage = await openShared();
    move(stage, { status: "declined" });
    await stage.sync();
    expect(issueOf(stage)).toMatchObject(declined);
    await expectCalm(stage);
    expect([statusOf(stage, "p1"), statusOf(stage, "p2")]).toEqual(["declined", "planned"]);
  });

  it("tells each what people did to it while a change for one of them was in doubt, and never arrived", async () => {
    const stage = await openShared(twoWay([decline], { several: "any" }));
    move(stage, { status: "declined" });
    loseAnswer(stage, false);
    expect(await stage.syncOne()).toMatchObject({ waiting: 1, errors: [{ code: "tracker.unknown" }] });
    move(stage, { status: "planned" });
    stage.github.label(repo, 1, "in progress");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 0 });
    stage.clock.skip(20 * minuteMs);
    await stage.sync();
    await stage.sync();
    await expectCalm(stage);
    expect([statusOf(stage, "p1"), statusOf(stage, "p2")]).toEqual(["in_progress", "in_progress"]);
  });

  it("is closed for one of them while another process decides one of another project, and tells none there", async () => {
    const projects = [twoWay(), { ...standardProject, project: "acme-api" }];
    const stage = await openStage({ boardProjects: twoProjects, projects });
    addPlanned(stage, 1);
    addPlanned(stage, [{ status: "open" }], "acme-api");
    await stage.sync();
    await link(stage, "p2", 1, "prj_api" as ProjectId);
    await stage.sync();
    move(stage, { status: "declined" });
    stage.board.editPost("acme-api", "p2", { status: "in_review" });
    let isBeside = false;
    const commit: Ledger["commit"] = async (changes) => {
      const isDecided = changes.some((one) => one.kind === "record-row" && one.post === "p2");
      const isFirst = isDecided && !isBeside;
      isBeside ||= isDecided;
      if (isFirst) await stage.sync(["acme-app"]);
      return stage.ledger.commit(changes);
    };
    stage.bend((world) => ({
      ...world,
      ledger: new Proxy(world.ledger, {
        get: (ledger, name) => (name === "commit" ? commit : Reflect.get(ledger, name)),
      }),
    }));
    await stage.sync(["acme-api"]);
    expect(issueOf(stage)).toMatchObject(declined);
    for (let run = 0; run < 2; run += 1) {
      stage.clock.skip(7 * 60 * minuteMs);
      await stage.sync();
    }
    expect(stage.board.post("acme-api", "p2")?.status).toBe("in_review");
  });

  it("is closed for one of them, and tells none whose write is in doubt just then", async () => {
    const stage = await openShared(twoWay([decline], { several: "any" }));
    stage.github.label(repo, 1, "in progress");
    stage.board.failNext(
      { kind: "reset", applied: true },
      { when: ({ method, path }) => method === "PATCH" && path.includes("p2") },
    );
    expect(await stage.syncOne()).toMatchObject({ failed: 1 });
    move(stage, { status: "declined" }, "p1");
    await stage.sync();
    expect(issueOf(stage).state).toBe("closed");
    stage.clock.skip(5 * minuteMs);
    await stage.sync();
    await expectCalm(stage);
    expect([statusOf(stage, "p1"), statusOf(stage, "p2")]).toEqual(["declined", "in_progress"]);
  });
});

it("comments where a person has kept one label of several things that a rule changes, and not where they kept the state", async () => {
  const set = {
    state: "closed",
    reason: "not_planned",
    addLabels: ["declined"],
    removeLabels: ["triage"],
    comment: "Declined",
  };
  const project = { ...standardProject, boardRules: [{ when: { status: "declined" }, set }] };
  const stage = await openStage({ projects: [project] });
  addPlanned(stage, 1);
  await stage.sync();
  await stage.sync();
  stage.clock.skip(hourMs);
  stage.github.label("acme/app", 1, "triage");
  stage.board.editPost("acme-app", "p1", { status: "declined" });
  for (let run = 0; run < 3; run += 1) await stage.sync();
  const { state, labels } = stage.github.issue("acme/app", 1);
  expect([state, labels]).toEqual(["closed", ["feedback", "triage", "declined"]]);
  expect(stage.github.comments("acme/app", 1).map(({ body }) => body)).toEqual([
    expect.stringContaining("Declined"),
  ]);
});
