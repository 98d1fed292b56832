import { describe, expect, it } from "vitest";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import { inProgress, openLooking, openPosts, roadmap } from "../support/setups.ts";
import { hourMs, minuteMs, type Stage } from "../support/stage.ts";

/** GitHub's times are whole seconds, and its lists lag: two changes in a second look alike until the list has caught up. */

const one = { repository: "acme/app", number: 1 };
const lagMs = 2 * minuteMs;

type Change = (github: Stage["github"]) => void;

const label: Change = (github) => github.label("acme/app", 1, "in progress");
const complete: Change = (github) => github.close("acme/app", 1, "completed");
const drop: Change = (github) => {
  github.reopen("acme/app", 1);
  github.close("acme/app", 1, "not_planned");
};

/** Issue #1 is changed twice within a second, and the list shows neither. Returns when it was changed last. */
function changeTwice({ github, clock }: Stage, first: Change, second: Change): number {
  github.setLag({ listMs: lagMs });
  clock.skip(5 * minuteMs);
  clock.skip(1000 - (clock.now() % 1000));
  first(github);
  clock.skip(500);
  second(github);
  return clock.now();
}

/** The next run, for which time is a minute further, is shown the first of two changes only. */
function showHalf({ clock }: Stage, changedAt: number): void {
  clock.skip(changedAt + lagMs - 250 - minuteMs - clock.now());
}

function statuses(stage: Stage): readonly unknown[] {
  return stage.patches().map(({ body }) => (body as { readonly status?: unknown }).status);
}

describe("an issue that changed twice in a second", () => {
  it.each([
    ["was labelled, and closed", label, complete, "completed"],
    ["was closed, and closed for another reason", complete, drop, "closed"],
  ])("is not taken back to what a list shows that lags: it %s", async (_, first, second, status) => {
    const stage = await openPosts(2);
    const changedAt = changeTwice(stage, first, second);
    // A person's `link` reads the issue itself.
    await stage.ledger.commit([
      {
        kind: "add-request",
        request: {
          ...{ kind: "link", project: "prj_app" as ProjectId, post: "p2" as PostId },
          ...{ ...one, at: stage.clock.now() },
        },
      },
    ]);
    await stage.sync();
    expect(statuses(stage)).toEqual([status]);
    showHalf(stage, changedAt);
    stage.mark();
    await stage.sync();
    expect(statuses(stage)).toEqual([]);
    expect(stage.reads().filter((read) => read.endsWith("/issues/1"))).toHaveLength(1);
    stage.clock.skip(lagMs);
    stage.mark();
    await stage.sync();
    await stage.sync();
    expect(stage.writes()).toEqual([]);
  });

  it("is what its signals were read with, also where the list shows the half of it", async () => {
    const stage = await openLooking(inProgress);
    stage.github.addToProject(roadmap, one);
    const changedAt = changeTwice(stage, label, complete);
    stage.github.setProjectStatus(roadmap, one, "In progress");
    showHalf(stage, changedAt);
    await stage.sync();
    expect(statuses(stage)).toEqual(["completed"]);
  });
});

it("a label that was deleted is taken from the list, and no issue is asked for by itself", async () => {
  const count = 12;
  const stage = await openPosts(count);
  stage.clock.skip(7 * hourMs);
  await stage.sync();
  stage.mark();
  stage.github.deleteLabel("acme/app", "feedback");
  stage.clock.skip(7 * hourMs);
  expect(await stage.syncOne()).toMatchObject({ failed: 0 });
  expect(stage.reads().filter((read) => /\/issues\/\d/u.test(read))).toEqual([]);
  const row = await stage.ledger.rows.row("prj_app" as ProjectId, "p1" as PostId, stage.clock.now());
  expect(row?.links[0]?.known?.issue.labels).toEqual([]);
});
