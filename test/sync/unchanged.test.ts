import { describe, expect, it } from "vitest";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { inOrder } from "../../src/select.ts";
import { withParts } from "../simulation/with-parts.ts";
import type { BoardStyleOptions } from "../support/sandbox/board/style.ts";
import {
  addPlanned,
  hourMs,
  minuteMs,
  openStage,
  type Stage,
  type StageOptions,
  standardProject,
} from "../support/stage.ts";

const isPatch = { when: ({ method }: { readonly method: string }) => method === "PATCH" };
const closes = {
  ...standardProject,
  rules: [{ when: { state: "closed" }, set: { status: "completed" } }],
};

/** Five planned posts on pages of two, whose issues are open, and nothing left to do. */
async function openQuiet(style: BoardStyleOptions, options: StageOptions = {}): Promise<Stage> {
  const stage = await openStage({ projects: [closes], ...options, style: { pageSize: 2, ...style } });
  addPlanned(stage, 5);
  for (let run = 0; run < 3; run += 1) await stage.sync();
  stage.mark();
  return stage;
}

/** How each page of the next run is asked for: as such, or only if it has changed. */
async function looks(stage: Stage, run: () => Promise<unknown> = stage.sync): Promise<readonly string[]> {
  const before = stage.board.requests.length;
  await run();
  const pages = stage.board.requests.slice(before).filter(({ path }) => path === "/feedback");
  return pages.map(({ headers }) => ("if-none-match" in headers ? "if changed" : "as such"));
}

const conditional = ["if changed", "if changed", "if changed"];
const unconditional = ["as such", "as such", "as such"];
/** A board whose pages are compared, and one that says itself that they are the same. */
const bothWays = [["none"], ["etag"]] as const;

describe("an idle run", () => {
  it("asks for pages only if they have changed, and reports them all the same", async () => {
    const stage = await openQuiet({ validators: "etag" });
    expect(await looks(stage)).toEqual(conditional);
    expect(await stage.sync()).toMatchObject({
      result: "ok",
      projects: [{ posts: 5, issues: 5, requests: { board: 3 } }],
    });
    expect(stage.writes()).toEqual([]);
  });

  it("asks so in another process, too, and when it only plans", async () => {
    const stage = await openQuiet({ validators: "etag" });
    stage.restart();
    expect(await looks(stage, stage.plan)).toEqual(conditional);
    expect(await looks(stage)).toEqual(conditional);
  });

  it("writes nothing to the state for pages that are the same", async () => {
    const written = async (pageSize: number): Promise<number> => {
      const stage = await openQuiet({ pageSize });
      stage.restart();
      await stage.sync();
      const before = stage.writtenBytes();
      await stage.sync();
      return stage.writtenBytes() - before;
    };
    expect(await written(1)).toBe(await written(5));
  });
});

describe("pages are asked for as such", () => {
  it("every `fullEvery`, so that a board whose tags are wrong is not believed for ever", async () => {
    const stage = await openQuiet({ validators: "stuck-etag" });
    stage.board.editPost("acme-app", "p3", { status: "declined" });
    const id = stage.ledger.memory.project("acme-app")?.id;
    const status = async (): Promise<unknown> =>
      id && (await stage.ledger.rows.row(id, "p3" as never, 0))?.post.values.status;
    expect([await looks(stage), await status()]).toEqual([conditional, "planned"]);
    stage.clock.skip(6 * hourMs);
    expect([await looks(stage), await status()]).toEqual([unconditional, "declined"]);
  });

  it("by `rebuild`, and with a state that was lost", async () => {
    const stage = await openQuiet({ validators: "etag" });
    expect(await looks(stage, stage.rebuild)).toEqual(unconditional);
    stage.loseState();
    expect(await looks(stage)).toEqual(unconditional);
    expect(await looks(stage)).toEqual(conditional);
  });

  it("with other settings for the board", async () => {
    const stage = await openQuiet({ validators: "etag" });
    stage.reconfigure({ config: { board: { fields: { url: "link" } } } });
    expect(await looks(stage)).toEqual(unconditional);
  });

  it("where a post was written to since, and all of them while a note has to be changed", async () => {
    const stage = await openQuiet({ validators: "etag" });
    stage.github.close("acme/app", 3, "completed");
    expect(await looks(stage)).toEqual(conditional);
    expect(await looks(stage)).toEqual(["if changed", "as such", "if changed"]);
    stage.reconfigure({ projects: [{ ...closes, backlink: true }] });
    expect(await looks(stage)).toEqual(unconditional);
    expect(stage.board.post("acme-app", "p5")?.internalNote).toBe("Tracked in acme/app#5");
  });
});

describe("on a page that is byte for byte what it was", () => {
  it.each(bothWays)("a write that did not stick is noticed, once: %s", async (validators) => {
    const stage = await openQuiet({ validators });
    stage.github.close("acme/app", 3, "completed");
    stage.board.failNext({ kind: "answer", status: 204 }, isPatch);
    for (let run = 0; run < 4; run += 1) await stage.sync();
    expect(stage.patches()).toHaveLength(1);
    expect(stage.log.filter((line) => line.includes("did not stick"))).toHaveLength(1);
  });

  it.each(bothWays)("a post that the board said it did not know is there again: %s", async (validators) => {
    const stage = await openQuiet({ validators });
    stage.github.close("acme/app", 3, "completed");
    stage.board.failNext({ kind: "answer", status: 404 }, isPatch);
    expect(await stage.syncOne()).toMatchObject({ failed: 1, errors: [{ code: "board.missing" }] });
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1, failed: 0 });
  });

  it.each(bothWays)("a write whose answer was lost is found not to have arrived: %s", async (validators) => {
    const stage = await openQuiet({ validators });
    stage.github.close("acme/app", 3, "completed");
    stage.board.failNext({ kind: "answer", status: 502 }, isPatch);
    await stage.sync();
    stage.clock.skip(3 * minuteMs);
    // The listing that says so is a new look at an old page.
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1, waiting: 0, failed: 0 });
    expect(stage.board.notifications).toHaveLength(1);
  });

  it.each(bothWays)("a post is written to as soon as its issue asks for it: %s", async (validators) => {
    const stage = await openQuiet({ validators });
    stage.restart();
    stage.github.close("acme/app", 1, "completed");
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1, waiting: 0 });
    stage.github.reopen("acme/app", 1);
    expect(await stage.syncOne()).toMatchObject({ statusWrites: 1, waiting: 0 });
    expect(stage.board.post("acme-app", "p1")?.status).toBe("planned");
  });

  it.each(bothWays)("rules that have changed are decided by: %s", async (validators) => {
    const stage = await openQuiet({ validators });
    const set = { status: "in_progress", roadmapColumn: "IN_PROGRESS" };
    stage.reconfigure({ projects: [{ ...closes, rules: [{ when: { state: "open" }, set }] }] });
    expect(await stage.syncOne()).toMatchObject({ held: 5, posts: 5 });
  });
});

describe("a post that is not listed any more", () => {
  it.each(bothWays)("is missing after two complete pulls beside pages that stay: %s", async (validators) => {
    const stage = await openQuiet({ validators });
    const id = stage.ledger.memory.project("acme-app")?.id;
    const missing = async (post: string): Promise<unknown> =>
      id && (await stage.ledger.rows.row(id, post as never, 0))?.missing;
    stage.board.removePost("acme-app", "p5");
    const counts: unknown[] = [];
    for (let run = 0; run < 3; run += 1) {
      await stage.sync();
      counts.push([await missing("p1"), await missing("p5")]);
    }
    expect(counts).toEqual([
      [0, 1],
      [0, 2],
      [0, 2],
    ]);
  });

  it.each(bothWays)(
    "is not missing from a pull that broke off behind a page that stays: %s",
    async (validators) => {
      const stage = await openQuiet({ validators });
      const second = { when: ({ query }: { readonly query: object }) => "cursor" in query };
      stage.board.failNext({ kind: "answer", status: 500 }, second);
      expect(await stage.syncOne()).toMatchObject({ posts: 2, errors: [{ code: "board.incomplete" }] });
      // What lies behind the break has to be read again, and no post is taken for deleted.
      expect(await stage.syncOne()).toMatchObject({ posts: 5, failed: 0 });
      expect(stage.writes()).toEqual([]);
    },
  );
});

describe("a process that dies between two pages", () => {
  it.each(bothWays)("leaves pages that tell the truth: %s", async (validators) => {
    const stage = await openQuiet({ validators });
    for (const post of ["p1", "p3", "p5"]) stage.board.editPost("acme-app", post, { status: "in_progress" });
    let pages = 0;
    stage.bend((world) => {
      const commit: Ledger["commit"] = async (changes) => {
        const isPage = changes.some(({ kind }) => kind === "store-posts");
        if (isPage) pages += 1;
        if (isPage && pages === 2) throw new Error("killed");
        await world.ledger.commit(changes);
      };
      return { ...world, ledger: withParts(world.ledger, { commit }) };
    });
    await stage.sync();
    stage.bend((world) => world);
    stage.restart();
    await stage.sync();
    const id = stage.ledger.memory.project("acme-app")?.id;
    const statuses = await inOrder(
      ["p1", "p3", "p5"],
      async (post) => id && (await stage.ledger.rows.row(id, post as never, 0))?.post.values.status,
    );
    expect(statuses).toEqual(["in_progress", "in_progress", "in_progress"]);
    expect(stage.writes()).toEqual([]);
  });
});
