import { describe, expect, it, onTestFinished } from "vitest";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import { boardHash, formatMarker } from "../../src/plan/text/marker.ts";
import { foreseeHeld } from "../../src/sync/orders/approve.ts";
import { listNext, listNow } from "../support/listing.ts";
import { startSandboxBoard } from "../support/sandbox/board/board.ts";
import type { BoardStyleOptions } from "../support/sandbox/board/style.ts";
import { lookingAt } from "../support/setups.ts";
import { addPlanned, hourMs, minuteMs, openStage, type Stage, standardProject } from "../support/stage.ts";

const project = "prj_app" as ProjectId;

interface MarkedIssue {
  readonly board: string;
  readonly project?: string;
  readonly post: string;
  readonly author?: string;
  readonly before?: string;
}

/** Opens an issue that carries a mark, as an earlier life of boardsync would have done it. */
function openMarked(stage: Stage, { board, post, author, before = "", ...rest }: MarkedIssue): void {
  const mark = formatMarker({
    board: boardHash(board),
    project: (rest.project ?? project) as ProjectId,
    posts: [post as PostId],
  });
  const page = `https://${new URL(board).host}/p/${post}`;
  stage.github.openIssue("acme/app", {
    title: `Issue of ${post}`,
    body: `${before}${mark}\nText\n\n${page}\n`,
    author: author ?? stage.github.login,
  });
}

async function openBoard(posts: number): Promise<Stage> {
  const stage = await openStage({ config: { waits: { create: "0s" } } });
  addPlanned(stage, posts);
  return stage;
}

async function approve(stage: Stage, ...posts: readonly string[]): Promise<void> {
  const seen = await foreseeHeld(stage, { key: "acme-app", project }, posts, false);
  if ("asks" in seen) await stage.ledger.commit(seen.asks({ at: stage.clock.now() }));
}

const former = "https://feedback.old.example/api/v1";

describe("issues of ours with marks of another address of the board", () => {
  it.each([
    { address: former, told: former },
    { address: "http://feedback.old.example/api/v1", told: "http://feedback.old.example/api/v1" },
    { address: "https://feedback.old.example:8443/api/v1", told: "https://feedback.old.example:8443/api/v1" },
    { address: "HTTPS://Feedback.OLD.example:443/api/v1/", told: former },
    { address: "https://feedback.old.example", told: "https://feedback.old.example" },
    {
      address: "https://feedback.old.example/some/where",
      told: `board=${boardHash("https://feedback.old.example/some/where")}`,
    },
  ])("hold the new issues of their posts, and say so: $address", async ({ address, told }) => {
    const stage = await openBoard(3);
    openMarked(stage, { board: address, post: "p1" });
    openMarked(stage, { board: address, post: "p2" });
    const planned = await stage.plan();
    expect(planned.map(({ post, when }) => `${post} ${when}`).sort()).toEqual([
      "p1 held",
      "p2 held",
      "p3 now",
    ]);
    const [held] = planned.filter(({ when }) => when === "held");
    expect(held?.held).toContain("2 issues carry marks");
    expect(held?.held).toContain(told);
    expect(held?.held).toContain("`board.formerUrls`");
    for (let run = 0; run < 2; run += 1) {
      expect(await stage.sync()).toMatchObject({ result: "held", projects: [{ adopted: 0, held: 2 }] });
      expect(stage.log.at(-1) + stage.log.join("\n")).toContain("another address of the board");
    }
    expect(stage.github.issues("acme/app")).toHaveLength(3);
    stage.reconfigure({ config: { waits: { create: "0s" }, board: { formerUrls: [address] } } });
    expect(await stage.syncOne()).toMatchObject({ adopted: 2, created: 0, held: 0 });
    expect(await stage.syncOne()).toMatchObject({ adopted: 0, created: 0, held: 0, issues: 3 });
    expect(stage.ledger.copiedAt).toBeUndefined();
  });

  it("are linked at once where the config names the address from the beginning", async () => {
    const stage = await openBoard(2);
    openMarked(stage, { board: former, post: "p1" });
    stage.reconfigure({ config: { board: { formerUrls: [`${former}/`] } } });
    expect(await stage.syncOne()).toMatchObject({ adopted: 1, held: 0 });
    stage.clock.skip(30 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ created: 1, held: 0 });
  });

  it("need nobody once they are linked, also while a signal can't be read", async () => {
    const stage = await openStage({ projects: [lookingAt({ pullRequest: "open" })] });
    addPlanned(stage, 2);
    for (let run = 0; run < 2; run += 1) await stage.sync();
    stage.loseState();
    const url = stage.board.url.replace("127.0.0.1", "localhost");
    stage.reconfigure({ config: { board: { url } } });
    expect(await stage.syncOne()).toMatchObject({ held: 2 });
    stage.reconfigure({ config: { board: { url, formerUrls: [stage.board.url] } } });
    const answer = { kind: "answer", status: 403, body: { message: "Resource not accessible" } } as const;
    stage.github.failNext({ path: /graphql/u, times: 50, answer });
    for (let run = 0; run < 2; run += 1) await stage.sync();
    expect(await stage.syncOne()).toMatchObject({ issues: 2, held: 0 });
  });

  it("are looked through once for an address that the config comes to name", async () => {
    const stage = await openBoard(1);
    openMarked(stage, { board: former, post: "p1" });
    await stage.sync();
    stage.reconfigure({ config: { waits: { create: "0s" }, board: { formerUrls: [former] } } });
    await stage.sync();
    stage.mark();
    await stage.sync();
    expect(stage.github.requests.flatMap(({ query }) => query["creator"] ?? [])).toEqual([]);
  });

  it("that a person lets go get another issue, one by one", async () => {
    const stage = await openBoard(2);
    for (const post of ["p1", "p2"]) openMarked(stage, { board: former, post });
    await stage.sync();
    await approve(stage, "p1");
    expect(await stage.syncOne()).toMatchObject({ created: 1, held: 1 });
    expect(await stage.syncOne()).toMatchObject({ created: 0, held: 1 });
  });

  it("are another board's for good when a person has approved the whole project", async () => {
    const stage = await openBoard(2);
    openMarked(stage, { board: former, post: "p1" });
    expect(await stage.syncOne()).toMatchObject({ created: 1, held: 1 });
    await approve(stage);
    expect(await stage.syncOne()).toMatchObject({ created: 1, held: 0 });
    // The other board goes on, and has the same ids.
    openMarked(stage, { board: former, post: "p3" });
    addPlanned(stage, 1);
    expect(await stage.syncOne()).toMatchObject({ created: 1, held: 0 });
    openMarked(stage, { board: "https://third.example/api/v1", post: "p4" });
    addPlanned(stage, 1);
    expect(await stage.syncOne()).toMatchObject({ created: 0, held: 1 });
  });

  it("hold what was approved before they were seen", async () => {
    const stage = await openStage({ config: { waits: { create: "0s" }, guard: { issues: 1 } } });
    addPlanned(stage, 2);
    expect(await stage.syncOne()).toMatchObject({ created: 0, held: 2 });
    await approve(stage);
    openMarked(stage, { board: former, post: "p1" });
    expect(await stage.syncOne()).toMatchObject({ created: 1, held: 1 });
  });

  it("hold nothing any more when their marks are gone", async () => {
    const stage = await openBoard(1);
    openMarked(stage, { board: former, post: "p1" });
    expect(await stage.syncOne()).toMatchObject({ created: 0, held: 1 });
    stage.github.edit("acme/app", 1, { body: "A note of our own" });
    expect(await stage.syncOne()).toMatchObject({ created: 1, held: 0 });
  });

  it("hold nothing of a post that has its issue: only the address has changed, and the state is there", async () => {
    const stage = await openBoard(2);
    await stage.sync();
    for (const number of [1, 2]) {
      const { body = "" } = stage.github.issue("acme/app", number);
      stage.github.edit("acme/app", number, {
        body: (body ?? "").replace(boardHash(stage.board.url), boardHash(former)),
      });
    }
    addPlanned(stage, 1);
    expect(await stage.syncOne()).toMatchObject({ created: 1, held: 0, failed: 0 });
  });

  it.each([
    { name: "of another project", issue: { board: former, post: "p1", project: "prj_other" } },
    { name: "of a post that this board does not have", issue: { board: former, post: "p77" } },
    { name: "by a stranger", issue: { board: former, post: "p1", author: "mallory" } },
    { name: "that are quoted below other text", issue: { board: former, post: "p1", before: "See: " } },
    { name: "by a stranger, with our own address", issue: { board: "ours", post: "p1", author: "mallory" } },
  ])("hold and link nothing $name", async ({ issue }) => {
    const stage = await openBoard(1);
    openMarked(stage, { ...issue, board: issue.board === "ours" ? stage.board.url : issue.board });
    stage.reconfigure({
      config: { waits: { create: "0s" } },
      projects: [
        {
          ...standardProject,
          issue: { labels: ["feedback"], postUrl: "https://pages.example/{{ post.id }}" },
        },
      ],
    });
    expect(await stage.syncOne()).toMatchObject({ adopted: 0, created: 1, held: 0 });
  });

  it("by a stranger are not believed either where `board.formerUrls` names the address", async () => {
    const stage = await openBoard(1);
    openMarked(stage, { board: former, post: "p1", author: "mallory" });
    stage.reconfigure({ config: { waits: { create: "0s" }, board: { formerUrls: [former] } } });
    expect(await stage.syncOne()).toMatchObject({ adopted: 0, created: 1 });
  });

  it("are linked by a rebuild that knows the address, and told of by one that does not", async () => {
    const stage = await openBoard(1);
    openMarked(stage, { board: former, post: "p1" });
    expect(await stage.rebuild()).toMatchObject({ projects: [{ found: 0, otherBoards: 1 }] });
    stage.reconfigure({ config: { waits: { create: "0s" }, board: { formerUrls: [former] } } });
    expect(await stage.rebuild()).toMatchObject({ projects: [{ found: 1, otherBoards: 0 }] });
  });
});

describe("`board.url` comes to be another board, which counts its posts as this one does", () => {
  const boardRules = [{ when: { status: "declined" }, set: { state: "closed", reason: "not_planned" } }];
  const titles = ["One", "Two", "Three", "Four"];
  const others = ["Uno", "Due", "Tre", "Quattro"];

  async function openOther(style: BoardStyleOptions, hours: number, ofOther = style): Promise<Stage> {
    const stage = await openStage({ style, projects: [{ ...standardProject, boardRules }] });
    addPlanned(
      stage,
      titles.map((title) => ({ title })),
    );
    await stage.sync();
    await stage.sync();
    stage.clock.skip(hours * hourMs);
    const other = await startSandboxBoard({
      projects: [{ id: project, slug: "acme-app", name: "Another" }],
      key: stage.board.key,
      now: stage.clock.now,
      style: ofOther,
    });
    onTestFinished(() => other.close());
    for (const title of others)
      other.addPost("acme-app", { title, status: "declined", description: "Nobody's business there." });
    other.addPost("acme-app", { title: "Cinque", status: "planned" });
    stage.mark();
    stage.reconfigure({ config: { board: { url: other.url } } });
    return stage;
  }

  it.each<[string, BoardStyleOptions, number]>([
    ["shows no time of creation", { hidden: ["createdAt"] }, 48],
    ["is as old by some hours", {}, 5],
  ])("and %s: all is held, and nothing of it gets into an issue", async (_, style, hours) => {
    const stage = await openOther(style, hours);
    for (let run = 0; run < 3; run += 1) {
      const { hold, errors } = await stage.syncOne();
      expect([hold, errors]).toEqual([expect.stringContaining("other titles for 4 of 4 posts"), []]);
    }
    expect((await stage.explain("p1")).next[0]).toMatch(/^The last run has held all .* `boardsync approve`/);
    expect(stage.writes()).toEqual([]);
    stage.reconfigure({ config: {} });
    expect(await stage.syncOne()).toMatchObject({ failed: 0, held: 0 });
    expect(stage.writes()).toEqual([]);
  });

  it("and a post came to its head while it was read: each post is counted once, and nothing of it is stored", async () => {
    const style = { hidden: ["createdAt"] } as const;
    let asked = 0;
    // Four requests a run: three pages, and the first one once more.
    const stage = await openOther(style, 1, {
      ...style,
      ...{ pageSize: 2, paging: { kind: "page", told: "hasMore" } },
      arrange: (posts) => posts.toReversed().slice(asked++ % 4 === 0 ? 1 : 0),
    });
    for (let run = 0; run < 3; run += 1) {
      const { hold, errors } = await stage.syncOne();
      expect([hold, errors]).toEqual([expect.stringContaining("other titles for 4 of 4 posts"), []]);
    }
    expect(asked).toBe(12);
    const rows = await stage.ledger.rows.rows(project, ["p1", "p4"] as never, stage.clock.now());
    expect(rows.map(({ post }) => post.values.title)).toEqual(["One", "Four"]);
  });

  it("or its posts all have new titles: a person says that they are the same", async () => {
    const stage = await openOther({ hidden: ["createdAt"] }, 1);
    await stage.sync();
    await approve(stage);
    expect((await stage.syncOne()).hold).toBeUndefined();
    await stage.sync();
    const issues = stage.github.issues("acme/app").map(({ title, state }) => `${title} ${state}`);
    expect(issues).toEqual([...others.map((title) => `${title} closed`), "Cinque open"]);
    expect(await stage.ledger.requests.pending(project)).toEqual([]);
  });

  it("and an approval that runs have not needed for a day answers nothing any more", async () => {
    const stage = await openOther({ hidden: ["createdAt"] }, 1);
    await stage.sync();
    await approve(stage);
    expect(await stage.ledger.requests.pending(project)).toMatchObject([{ kind: "accept-size" }]);
    // The right address again, whose lists never come to their end.
    stage.reconfigure({ config: {} });
    listNext(stage, { ...(await listNow(stage)), total: 99 }, 99);
    for (let run = 0; run < 3; run += 1) {
      stage.clock.skip(20 * hourMs);
      await stage.sync();
    }
    expect(await stage.ledger.requests.pending(project)).toEqual([]);
  });

  it("is not what a board looks like of which people change some titles", async () => {
    const stage = await openStage({ style: { hidden: ["createdAt"] } });
    addPlanned(stage, 4);
    await stage.sync();
    for (const post of ["p1", "p2"]) stage.board.editPost("acme-app", post, { title: `New ${post}` });
    expect(await stage.syncOne()).toMatchObject({ issueWrites: 2, held: 0 });
  });
});
