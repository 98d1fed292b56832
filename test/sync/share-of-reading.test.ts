/** @module-tag long */
import { describe, expect, it } from "vitest";
import type { ListWishes } from "../../src/board/board.ts";
import { RemoteError } from "../../src/errors.ts";
import type { Repository } from "../../src/model/issue.ts";
import type { ProjectId } from "../../src/model/post.ts";
import type { ReadBounds } from "../../src/model/surroundings.ts";
import type { IssueQuery, IssueWrite, Tracker } from "../../src/tracker/tracker.ts";
import { withParts } from "../simulation/with-parts.ts";
import {
  addPlanned,
  hourMs,
  openStage,
  type Stage,
  type StageOptions,
  standardProject,
} from "../support/stage.ts";

const second = 1000;

/** Posts two a page, and a time that each page of the list, and each write to an issue, takes. */
interface Slowness {
  readonly pageMs: number;
  readonly writeMs: number;
  /** Of each page of issues. */
  issuesMs?: number;
}

async function openSlow(posts: number, slowness: Slowness, options: StageOptions = {}): Promise<Stage> {
  const stage = await openStage({
    style: { pageSize: 2 },
    ...options,
    config: { budget: "5s", guard: { issues: 100 }, ...options.config },
  });
  addPlanned(stage, posts);
  stage.bend((world) => ({
    ...world,
    board: withParts(world.board, {
      async *listPosts(project: ProjectId, bounds: ReadBounds, wishes?: ListWishes) {
        for await (const page of world.board.listPosts(project, bounds, wishes)) {
          stage.clock.skip(slowness.pageMs);
          yield page;
        }
      },
    }),
    tracker: withParts(world.tracker, {
      async *listIssues(repository: Repository, query: IssueQuery, bounds: ReadBounds) {
        for await (const page of world.tracker.listIssues(repository, query, bounds)) {
          stage.clock.skip(slowness.issuesMs ?? 0);
          yield page;
        }
      },
      write(repository: Repository, write: IssueWrite) {
        stage.clock.skip(slowness.writeMs);
        return world.tracker.write(repository, write);
      },
    }),
  }));
  return stage;
}

/** Runs until all issues are open, or so often; how many each run has opened. */
async function openAll(stage: Stage, posts: number, most: number): Promise<readonly number[]> {
  const opened: number[] = [];
  while (stage.github.issues("acme/app").length < posts && opened.length < most) {
    opened.push((await stage.syncOne()).created);
  }
  return opened;
}

describe("a list that is longer than a run's time", () => {
  it.each([
    ["a page a second", 1000, 100, 8],
    ["a page in half a second", 500, 100, 6],
    ["pages that take more than reading may have", 3000, 100, 15],
    ["writes that take long", 1000, 800, 15],
  ])(
    "keeps no run from writing, which looks at GitHub in some of its time: %s",
    async (_, pageMs, writeMs, most) => {
      const stage = await openSlow(28, { pageMs, writeMs });
      const created = await openAll(stage, 28, 30);
      const [first = 0, ...others] = created;
      // A page may take all of the time that is left.
      expect(pageMs > 1000 || first > 0).toBe(true);
      expect(others.every((one) => one > 0)).toBe(true);
      expect(created.length).toBeLessThan(most);
      expect(stage.github.issues("acme/app")).toHaveLength(28);
    },
  );

  it("lets all go in the run after the one in which it has no end, in another process, too", async () => {
    const stage = await openSlow(10, { pageMs: 1000, writeMs: 50 });
    expect(await stage.syncOne()).toMatchObject({ created: 8, posts: 8 });
    stage.restart();
    expect(await stage.syncOne()).toMatchObject({ created: 2, posts: 2 });
  });

  it("is read as before where nothing is to be written", async () => {
    const stage = await openSlow(8, { pageMs: 1000, writeMs: 50 });
    await openAll(stage, 8, 5);
    for (let run = 0; run < 3; run += 1) await stage.sync();
    expect(await stage.syncOne()).toMatchObject({ posts: 8, failed: 0 });
  });

  it("is read as before where what is due only waits for a person", async () => {
    const stage = await openSlow(8, { pageMs: 1000, writeMs: 50 }, { config: { guard: { issues: 2 } } });
    expect(await stage.syncOne()).toMatchObject({ posts: 8, held: 8, failed: 0 });
    expect(await stage.syncOne()).toMatchObject({ posts: 8, held: 8, failed: 0 });
  });

  it("keeps no post from being patched that a part of it shows", async () => {
    const stage = await openSlow(28, { pageMs: 1000, writeMs: 10 });
    await openAll(stage, 28, 30);
    for (const number of [1, 9, 28]) stage.github.close("acme/app", number, "completed");
    let patched = 0;
    for (let run = 0; run < 16 && patched < 3; run += 1) patched += (await stage.syncOne()).postWrites;
    expect(patched).toBe(3);
    for (let run = 0; run < 16; run += 1) expect((await stage.syncOne()).postWrites).toBe(0);
  });

  it("opens no issue for a post that neither this list nor the one before has shown", async () => {
    const stage = await openSlow(28, { pageMs: 1000, writeMs: 800 });
    await stage.syncOne();
    await stage.syncOne();
    for (let post = 27; post <= 28; post += 1) stage.board.removePost("acme-app", `p${post}`);
    for (let run = 0; run < 30; run += 1) await stage.sync();
    const titles = stage.github.issues("acme/app").map(({ title }) => title);
    expect(titles).toHaveLength(26);
    expect(titles).not.toContain("Post 28");
  });
});

describe("a tracker that takes longer to be read than half of a run", () => {
  /** Eight posts, of which a few have their issues: the others are still to be opened. */
  async function openHalf(): Promise<{ stage: Stage; slowness: Slowness }> {
    const slowness: Slowness = { pageMs: 0, writeMs: 2000 };
    const stage = await openSlow(8, slowness, { config: { fullEvery: "1h" } });
    expect((await stage.syncOne()).created).toBe(3);
    slowness.issuesMs = 2000;
    return { stage, slowness };
  }

  const addIssues = (stage: Stage, count: number, author: string): void => {
    for (let issue = 0; issue < count; issue += 1) {
      stage.github.openIssue("acme/app", { title: `Other ${issue}`, author });
      stage.clock.skip(10 * second);
    }
  };

  it("has its full look when nothing else is to be done, and new issues are opened meanwhile", async () => {
    const { stage, slowness } = await openHalf();
    addIssues(stage, 800, stage.github.login);
    slowness.issuesMs = 0;
    await stage.sync();
    slowness.issuesMs = 500;
    stage.clock.skip(2 * hourMs);
    const isSaid = (): boolean => stage.log.some((line) => line.includes("The full look at linked issues"));
    expect(await stage.syncOne()).toMatchObject({ created: 2, failed: 0 });
    expect(isSaid()).toBe(true);
    const before = stage.ledger.memory.repository("acme/app")?.fullAt ?? 0;
    for (let run = 0; run < 3; run += 1) await stage.sync();
    expect(stage.ledger.memory.repository("acme/app")?.fullAt).toBeGreaterThan(before);
  });

  it("is caught up with over several runs, from where each had to stop", async () => {
    const { stage } = await openHalf();
    addIssues(stage, 350, "somebody");
    const created: number[] = [];
    for (let run = 0; run < 8; run += 1) created.push((await stage.syncOne()).created);
    expect(created).toEqual([0, 0, 0, 1, 2, 2, 0, 0]);
  });

  it("keeps no issue from being opened where what others show beside their records takes too long", async () => {
    const rule = { when: { pullRequest: "open" }, set: { status: "in_progress" } };
    const stage = await openSlow(
      8,
      { pageMs: 0, writeMs: 2000 },
      { projects: [{ ...standardProject, rules: [rule] }] },
    );
    expect((await stage.syncOne()).created).toBe(3);
    let isSlow = true;
    stage.bend((world) => ({
      ...world,
      tracker: withParts(world.tracker, {
        readSignals(...[nodes, wish, bounds]: Parameters<Tracker["readSignals"]>) {
          if (!isSlow) return world.tracker.readSignals(nodes, wish, bounds);
          stage.clock.skip(bounds.until - stage.clock.now());
          throw new RemoteError("tracker", "aborted", "No time is left in this run to read signals.");
        },
      }),
    }));
    expect(await stage.syncOne()).toMatchObject({ created: 5, failed: 0, putOff: [{ code: "run.budget" }] });
    isSlow = false;
    expect(await stage.syncOne()).toMatchObject({ failed: 0, waiting: 0 });
  });
});
