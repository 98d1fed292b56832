import { describe, expect, it } from "vitest";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import type { World } from "../../src/sync/ground/world.ts";
import type { SignalAnswer, Tracker } from "../../src/tracker/tracker.ts";
import {
  inProgress,
  openLooking,
  openPosts,
  privateRepositories,
  roadmap,
  twoProjects,
} from "../support/setups.ts";
import {
  addPlanned,
  hourMs,
  minuteMs,
  openStage,
  type Stage,
  type StageOptions,
  standardProject,
} from "../support/stage.ts";

interface Place {
  readonly repository: string;
  readonly number: number;
}

const rules = [
  { when: { state: "closed", reason: "completed" }, set: { status: "completed" } },
  { when: { state: "closed", reason: ["not_planned", "duplicate"] }, set: { status: "closed" } },
  { when: { assigned: true }, set: { status: "in_progress" } },
];
const options: StageOptions = {
  repositories: privateRepositories("acme/app", "acme/lib"),
  projects: [{ ...standardProject, rules }],
};

function place(number: number, repository = "acme/app"): Place {
  return { repository, number };
}

function openIssue({ github }: Stage, repository = "acme/app"): Place {
  return place(github.openIssue(repository, { title: "The same" }).number, repository);
}

/** A post whose issue was closed in favour of another one, and what that is. */
async function openDuplicate(repository?: string): Promise<Stage & { readonly other: Place }> {
  const stage = await openPosts(1, options);
  const other = openIssue(stage, repository);
  stage.github.closeAsDuplicate(place(1), other);
  expect(await stage.syncOne()).toMatchObject({ failed: 0, statusWrites: 0 });
  return { ...stage, other };
}

/** GraphQL does not find one issue. */
function withoutIssue(id: number): (world: World) => World {
  const spoil = (answer: SignalAnswer): SignalAnswer =>
    answer.nodeId === `I_${id}` ? { nodeId: answer.nodeId, signals: {}, fault: "missing" } : answer;
  return (world) => ({
    ...world,
    tracker: Object.assign(Object.create(world.tracker), {
      async *readSignals(...given: Parameters<Tracker["readSignals"]>) {
        for await (const page of world.tracker.readSignals(...given)) yield page.map(spoil);
      },
    }),
  });
}

function statusOf(stage: Pick<Stage, "board">): unknown {
  return stage.board.post("acme-app", "p1")?.["status"];
}

describe("the post of an issue that was closed as a duplicate follows the other issue", () => {
  it.each(["acme/app", "acme/lib"])("in %s, until that is done", async (repository) => {
    const stage = await openDuplicate(repository);
    const { number } = stage.other;
    stage.github.assign(repository, number, "ann");
    expect(await stage.syncOne()).toMatchObject({ failed: 0, statusWrites: 1 });
    expect(statusOf(stage)).toBe("in_progress");
    stage.github.close(repository, number, "completed");
    await stage.syncOne();
    expect(statusOf(stage)).toBe("completed");
    expect(stage.writes().filter((write) => !write.startsWith("PATCH /feedback"))).toEqual([]);
  });

  it("with what is read beside its record", async () => {
    const stage = await openLooking({ pullRequest: "open" }, 1, {
      repositories: privateRepositories("acme/app", "acme/lib"),
    });
    const other = openIssue(stage, "acme/lib");
    stage.github.closeAsDuplicate(place(1), other);
    await stage.sync();
    const { number } = stage.github.openPullRequest("acme/lib", { title: "For the other" });
    stage.github.linkPullRequest(other, place(number, "acme/lib"));
    expect(await stage.syncOne()).toMatchObject({ failed: 0, statusWrites: 1 });
    expect(statusOf(stage)).toBe("in_progress");
  });

  it("through as many as five issues, and no more", async () => {
    const stage = await openPosts(1, options);
    let last = place(1);
    for (let step = 0; step < 5; step += 1) {
      const next = openIssue(stage, "acme/lib");
      stage.github.closeAsDuplicate(last, next);
      last = next;
    }
    expect(await stage.syncOne()).toMatchObject({ failed: 0, statusWrites: 0 });
    stage.github.assign("acme/lib", last.number, "ann");
    await stage.sync();
    expect(statusOf(stage)).toBe("in_progress");
    const sixth = openIssue(stage, "acme/lib");
    stage.github.closeAsDuplicate(last, sixth);
    await stage.sync();
    expect(statusOf(stage)).toBe("closed");
    expect(stage.log.join("")).toContain("more than 5 issues");
  });

  it("which is asked for once a run, with all that are duplicates", async () => {
    const stage = await openDuplicate("acme/lib");
    await stage.sync();
    stage.mark();
    await stage.sync();
    expect(stage.reads()).toEqual(["GET /feedback", "GET /repos/acme/app/issues", "POST /graphql"]);
  });

  it("but hears nothing of what boardsync makes of that one", async () => {
    const boardRules = [
      {
        when: { status: "declined" },
        set: { state: "closed", reason: "not_planned", addLabels: ["feedback"] },
      },
    ];
    const stage = await openPosts(2, { ...options, projects: [{ ...standardProject, rules, boardRules }] });
    stage.github.closeAsDuplicate(place(1), place(2));
    await stage.sync();
    stage.board.editPost("acme-app", "p2", { status: "declined" });
    expect(await stage.syncOne()).toMatchObject({ failed: 0, issueWrites: 1, statusWrites: 0 });
    expect(stage.github.issue("acme/app", 2)).toMatchObject({ state: "closed", stateReason: "not_planned" });
    expect(await stage.syncOne()).toMatchObject({ failed: 0, statusWrites: 0 });
    expect(statusOf(stage)).toBe("planned");
    stage.github.reopen("acme/app", 2);
    stage.github.assign("acme/app", 2, "ann");
    await stage.sync();
    expect(statusOf(stage)).toBe("in_progress");
  });

  it("and what its own first plan asks for is done, although the other one is changed before that", async () => {
    const boardRules = [
      { when: { status: "declined" }, set: { state: "closed", comment: "Not now." } },
      { when: { onRoadmap: true }, set: { addLabels: ["accepted"] } },
    ];
    const looking = [...rules.slice(0, 2), { when: inProgress, set: { status: "in_progress" } }];
    const project = { ...standardProject, rules: looking, boardRules };
    const stage = await openStage({ ...options, projects: [project], style: { hidden: ["onRoadmap"] } });
    stage.github.addProject(roadmap, { Status: ["Todo", "In progress", "Done"] });
    addPlanned(stage, 2);
    await stage.sync();
    stage.github.closeAsDuplicate(place(2), place(1));
    for (const post of ["p1", "p2"]) stage.board.editPost("acme-app", post, { status: "declined" });
    expect(await stage.syncOne()).toMatchObject({ failed: 0, issueWrites: 3, statusWrites: 0 });
    expect([1, 2].map((number) => stage.github.comments("acme/app", number).length)).toEqual([1, 1]);
    expect(await stage.syncOne()).toMatchObject({ failed: 0, issueWrites: 0, statusWrites: 0 });
  });

  it("no more once it is reopened", async () => {
    const stage = await openDuplicate();
    stage.github.close("acme/app", stage.other.number, "completed");
    await stage.sync();
    expect(statusOf(stage)).toBe("completed");
    stage.github.reopen("acme/app", 1);
    await stage.sync();
    expect(statusOf(stage)).toBe("planned");
  });

  it("not where the config says so", async () => {
    const stage = await openPosts(1, {
      ...options,
      projects: [{ ...standardProject, rules, followDuplicates: false }],
    });
    stage.github.closeAsDuplicate(place(1), openIssue(stage));
    stage.mark();
    await stage.sync();
    expect(statusOf(stage)).toBe("closed");
    expect(stage.reads()).not.toContain("POST /graphql");
  });
});

describe("where there is no issue to follow the rules for duplicates decide", () => {
  it.each<[string, string, (stage: Stage) => void]>([
    ["none is named", "names no issue", ({ github }) => github.close("acme/app", 1, "duplicate")],
    [
      "they lead in a circle",
      "in a circle",
      (stage) => {
        const other = openIssue(stage);
        stage.github.closeAsDuplicate(place(1), other);
        stage.github.closeAsDuplicate(other, place(1));
      },
    ],
  ])("because %s, which is said in the log", async (_, words, act) => {
    const stage = await openPosts(1, options);
    act(stage);
    expect(await stage.syncOne()).toMatchObject({ failed: 0, statusWrites: 1 });
    expect(statusOf(stage)).toBe("closed");
    expect(stage.log.filter((line) => line.includes(words))).toHaveLength(1);
    expect(await stage.syncOne()).toMatchObject({ failed: 0, statusWrites: 0 });
    expect(stage.log.filter((line) => line.includes(words))).toHaveLength(1);
  });

  it("once the issue that was followed is not found ten minutes later, either; nobody hears that it is lost, or found again", async () => {
    const stage = await openDuplicate("acme/lib");
    const { repository, number } = stage.other;
    stage.github.assign(repository, number, "ann");
    await stage.sync();
    expect(statusOf(stage)).toBe("in_progress");
    stage.github.setVisible(repository, false);
    expect(await stage.syncOne()).toMatchObject({ failed: 1, statusWrites: 0 });
    expect(await stage.syncOne()).toMatchObject({ failed: 1, statusWrites: 0 });
    stage.clock.skip(10 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ failed: 0, statusWrites: 0 });
    const { rules, waits } = await stage.explain("p1");
    const differs =
      "status is `in_progress` on the board, the issue asks for `closed`: both sides are taken as they are";
    expect([rules.rule, waits.map(({ message }) => message)]).toEqual([2, [differs]]);
    stage.github.setVisible(repository, true);
    expect(await stage.syncOne()).toMatchObject({ failed: 0, statusWrites: 0 });
    stage.github.close(repository, number, "completed");
    expect(await stage.syncOne()).toMatchObject({ failed: 0, statusWrites: 1 });
    expect(statusOf(stage)).toBe("completed");
  });

  it.each(["all", "any"] as const)(
    "but where `several: %s` goes by another issue of the post, nobody hears that it is lost, or found again",
    async (several) => {
      const stage = await openPosts(1, { ...options, projects: [{ ...standardProject, rules, several }] });
      const beside = openIssue(stage);
      const link = {
        kind: "link",
        post: "p1" as PostId,
        repository: "acme/app",
        number: beside.number,
      } as const;
      const request = { ...link, project: "prj_app" as ProjectId, at: stage.clock.now() };
      await stage.ledger.commit([{ kind: "add-request", request }]);
      await stage.sync();
      const other = openIssue(stage, "acme/lib");
      const [ahead, behind] = several === "any" ? [other, beside] : [beside, other];
      stage.github.closeAsDuplicate(place(1), other);
      stage.github.close(ahead.repository, ahead.number, "completed");
      stage.github.assign(behind.repository, behind.number, "ann");
      await stage.sync();
      const status = several === "any" ? "completed" : "in_progress";
      expect(statusOf(stage)).toBe(status);
      const told = stage.board.notifications.length;
      for (const isVisible of [false, true]) {
        stage.github.setVisible("acme/lib", isVisible);
        for (let run = 0; run < 3; run += 1) {
          stage.clock.skip(10 * minuteMs);
          await stage.sync();
        }
        expect(stage.board.notifications).toHaveLength(told);
      }
      expect(statusOf(stage)).toBe(status);
      if (several === "any") stage.github.reopen(other.repository, other.number);
      else stage.github.close(other.repository, other.number, "completed");
      await stage.sync();
      expect(statusOf(stage)).toBe(several === "any" ? "in_progress" : "completed");
    },
  );

  it("because it is now one of an issue that can't be seen; the one that was followed is none the less there", async () => {
    const stage = await openPosts(2, {
      ...options,
      repositories: privateRepositories("acme/app", "acme/secret"),
    });
    stage.github.closeAsDuplicate(place(1), place(2));
    await stage.sync();
    stage.github.closeAsDuplicate(place(1), openIssue(stage, "acme/secret"));
    stage.github.setVisible("acme/secret", false);
    expect(await stage.syncOne()).toMatchObject({ failed: 0, statusWrites: 1 });
    expect(statusOf(stage)).toBe("closed");
    stage.clock.skip(10 * minuteMs);
    stage.github.assign("acme/app", 2, "ann");
    expect(await stage.syncOne()).toMatchObject({ failed: 0, statusWrites: 1 });
    expect(stage.board.post("acme-app", "p2")).toMatchObject({ status: "in_progress" });
  });

  it.each([
    ["one of ours", 2],
    ["one that nobody has seen before", 3],
  ])("but not because a single answer does not find %s", async (_, number) => {
    const stage = await openPosts(2, options);
    openIssue(stage);
    stage.github.closeAsDuplicate(place(1), place(number));
    stage.bend(withoutIssue(stage.github.issue("acme/app", number).id));
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 0 });
    stage.bend((world) => world);
    expect(await stage.syncOne()).toMatchObject({ failed: 0, statusWrites: 0 });
    stage.github.close("acme/app", number, "completed");
    await stage.syncOne();
    expect(statusOf(stage)).toBe("completed");
  });

  it("and nothing is decided while it can't be read for another reason", async () => {
    const stage = await openPosts(1, options);
    stage.github.closeAsDuplicate(place(1), openIssue(stage));
    stage.github.breakField(place(1), "timelineItems", { type: "FORBIDDEN", message: "Not for you" });
    const { errors } = await stage.syncOne();
    expect(errors).toEqual([
      {
        post: "p1",
        code: "tracker.undecided",
        message: expect.stringMatching(/closed as a duplicate.*Not for you/u),
        advice: expect.any(String),
      },
    ]);
    expect(statusOf(stage)).toBe("planned");
  });
});

describe("an issue that a stranger opened", () => {
  async function openStrange(followDuplicates: boolean | "anyone", author: string): Promise<Stage> {
    const projects = [{ ...standardProject, rules, followDuplicates }];
    const stage = await openPosts(1, { ...options, projects });
    const { number } = stage.github.openIssue("acme/app", { title: "Mine", author });
    stage.github.closeAsDuplicate(place(1), place(number));
    await stage.sync();
    stage.github.close("acme/app", number, "completed");
    await stage.sync();
    return stage;
  }

  it.each<[boolean | "anyone", string, string]>([
    [true, "mallory", "closed"],
    [true, "octocat", "completed"],
    ["anyone", "mallory", "completed"],
    [false, "octocat", "closed"],
  ])("with `followDuplicates: %s`, by %s, makes the post %s", async (followed, author, status) => {
    expect(statusOf(await openStrange(followed, author))).toBe(status);
  });

  it.each([false, true])(
    "is followed by no project that says so, whatever another project of the repository says (an issue of both: %s)",
    async (isShared) => {
      const projects = (["anyone", true] as const).map((followDuplicates, at) => {
        return { ...standardProject, project: ["acme-api", "acme-app"][at] ?? "", rules, followDuplicates };
      });
      const stage = await openStage({ ...options, boardProjects: twoProjects, projects });
      addPlanned(stage, 1);
      await stage.sync();
      addPlanned(stage, 1, "acme-api");
      await stage.sync();
      const link = { kind: "link", post: "p2" as PostId, repository: "acme/app", number: 1 } as const;
      const request = { ...link, project: "prj_api" as ProjectId, at: stage.clock.now() };
      if (isShared) await stage.ledger.commit([{ kind: "add-request", request }]);
      await stage.sync();
      const { number } = stage.github.openIssue("acme/app", { title: "Mine", author: "mallory" });
      for (const one of [1, 2]) stage.github.closeAsDuplicate(place(one), place(number));
      await stage.sync();
      stage.github.close("acme/app", number, "completed");
      await stage.sync();
      expect(["acme-app", "acme-api"].map((key, at) => stage.board.post(key, `p${at + 1}`)?.status)).toEqual([
        "closed",
        "completed",
      ]);
    },
  );

  it("is followed from when its author has write access on", async () => {
    const stage = await openPosts(1, { ...options });
    const { number } = stage.github.openIssue("acme/app", { title: "Mine", author: "mallory" });
    stage.github.closeAsDuplicate(place(1), place(number));
    await stage.sync();
    stage.github.setPush("acme/app", true, "mallory");
    for (let run = 0; run < 2; run += 1) {
      stage.clock.skip(7 * hourMs);
      await stage.sync();
    }
    stage.github.close("acme/app", number, "completed");
    await stage.sync();
    await stage.sync();
    expect(statusOf(stage)).toBe("completed");
  });

  it("is followed no more where the config comes to say so", async () => {
    const project = { ...standardProject, rules };
    const stage = await openPosts(1, { ...options, projects: [{ ...project, followDuplicates: "anyone" }] });
    const { number } = stage.github.openIssue("acme/app", { title: "Mine", author: "mallory" });
    stage.github.closeAsDuplicate(place(1), place(number));
    await stage.sync();
    stage.reconfigure({ projects: [{ ...project, followDuplicates: true }] });
    await stage.sync();
    stage.github.close("acme/app", number, "completed");
    for (let run = 0; run < 3; run += 1) {
      stage.clock.skip(7 * hourMs);
      await stage.sync();
    }
    expect(stage.board.notifications.filter(({ to }) => to === "completed")).toEqual([]);
  });

  it("is followed where our own account opened it: that of an App is nobody with write access to GitHub", async () => {
    const stage = await openPosts(2, { ...options, app: [{ owner: "acme" }] });
    stage.github.closeAsDuplicate(place(1), place(2));
    await stage.sync();
    stage.github.close("acme/app", 2, "completed");
    await stage.sync();
    expect(statusOf(stage)).toBe("completed");
  });

  it.each<[string, number, (stage: Stage) => void]>([
    ["whoever opened it has left", 1, ({ github }) => github.removeCollaborator("acme/app", "octocat")],
    [
      "the token is another account's",
      2,
      (stage) => {
        const token = "token-of-the-other-bot-0123456789";
        stage.github.setPush("acme/app", true, "other-bot");
        stage.github.setPush("acme/app", false, "boardsync-bot");
        stage.github.addToken(token, "other-bot");
        stage.useSecrets({ token });
      },
    ],
  ])("since it is followed goes on to be: %s", async (_, posts, change) => {
    const stage = await openPosts(posts, options);
    const number =
      posts > 1 ? posts : stage.github.openIssue("acme/app", { title: "Same", author: "octocat" }).number;
    stage.github.closeAsDuplicate(place(1), place(number));
    for (let run = 0; run < 2; run += 1) await stage.sync();
    change(stage);
    for (let run = 0; run < 2; run += 1) {
      stage.clock.skip(7 * hourMs);
      await stage.sync();
    }
    expect(stage.board.notifications).toEqual([]);
    stage.github.close("acme/app", number, "completed");
    await stage.sync();
    expect(statusOf(stage)).toBe("completed");
  });
});
