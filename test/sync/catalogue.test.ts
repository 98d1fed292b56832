import { describe, expect, it } from "vitest";
import { lookingAt, openLooking, openPosts } from "../support/setups.ts";
import { hourMs, type Stage } from "../support/stage.ts";

const repositories = [
  {
    name: "acme/app",
    private: true,
    labels: ["feedback", "working", "other"],
    milestones: ["1.0", "2.0"],
  },
];

function statusOf(stage: Stage): unknown {
  return stage.board.post("acme-app", "p1")?.["status"];
}

describe("what moves the time of no issue", () => {
  it.each<[string, Parameters<typeof lookingAt>[0], (stage: Stage) => void]>([
    [
      "a milestone that is closed",
      { milestoneState: "closed" },
      ({ github }) => github.closeMilestone("acme/app", "1.0"),
    ],
    [
      "a milestone that is renamed",
      { milestone: "1.1" },
      ({ github }) => github.renameMilestone("acme/app", "1.0", "1.1"),
    ],
    [
      "a label that is renamed",
      { labels: ["in progress"] },
      ({ github }) => github.renameLabel("acme/app", "working", "in progress"),
    ],
  ])("%s is seen by the next run where a rule looks at it", async (_, when, act) => {
    const stage = await openLooking(when, 2, { repositories });
    stage.github.setMilestone("acme/app", 1, "1.0");
    stage.github.label("acme/app", 1, "working");
    await stage.sync();
    // So many others have changed since that the list of changes doesn't show it.
    stage.clock.skip(hourMs);
    for (let opened = 0; opened < 100; opened += 1) stage.github.openIssue("acme/app", { title: "Noise" });
    await stage.sync();
    expect(statusOf(stage)).toBe("planned");
    act(stage);
    expect(await stage.syncOne()).toMatchObject({ failed: 0, statusWrites: 1 });
    expect(statusOf(stage)).toBe("in_progress");
    stage.mark();
    await stage.sync();
    const list = "labels" in when ? "labels" : "milestones";
    expect(stage.reads()).toEqual([
      "GET /feedback",
      "GET /repos/acme/app/issues",
      `GET /repos/acme/app/${list}`,
    ]);
    expect(stage.github.requests.map(({ status }) => status)).toEqual([304, 304]);
  });

  it("costs nothing more where no issue of ours carries it", async () => {
    const stage = await openLooking({ labels: ["in progress"] }, 1, { repositories });
    stage.github.renameLabel("acme/app", "other", "another");
    await stage.sync();
    expect(stage.reads()).toEqual([
      "GET /feedback",
      "GET /repos/acme/app/issues",
      "GET /repos/acme/app/labels",
    ]);
  });

  it("is asked of the issues themselves where a list lacks what they carry, and is no reason to write", async () => {
    const stage = await openLooking({ milestone: "1.0" }, 1, { repositories });
    stage.github.setMilestone("acme/app", 1, "1.0");
    await stage.sync();
    await stage.sync();
    stage.mark();
    stage.github.failNext({ path: "/milestones", answer: { kind: "answer", status: 200, body: [] } });
    expect(await stage.syncOne()).toMatchObject({ failed: 0, statusWrites: 0 });
    expect(stage.github.requests.filter(({ query }) => query["creator"] !== undefined)).toHaveLength(1);
    expect(statusOf(stage)).toBe("in_progress");
  });

  it("is not asked for where no rule looks at it", async () => {
    const stage = await openPosts(1, { repositories, projects: [lookingAt({ assigned: true })] });
    await stage.sync();
    expect(stage.reads()).toEqual(["GET /feedback", "GET /repos/acme/app/issues"]);
  });

  it("is not taken from another repository that was given the name", async () => {
    const stage = await openLooking({ milestoneState: "closed" }, 1, { repositories });
    stage.github.setMilestone("acme/app", 1, "1.0");
    await stage.sync();
    stage.github.renameRepository("acme/app", "acme/product");
    stage.github.addRepository({ name: "acme/app", private: true, milestones: ["1.0"] });
    stage.github.closeMilestone("acme/app", "1.0");
    expect(await stage.syncOne()).toMatchObject({ failed: 0, statusWrites: 0 });
    stage.github.closeMilestone("acme/product", "1.0");
    await stage.sync();
    expect(statusOf(stage)).toBe("in_progress");
  });
});
