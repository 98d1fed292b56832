import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { acquireState } from "../../../src/ledger/sqlite/lock.ts";
import { makeFindings } from "../../support/setups.ts";
import { openStage, type Stage } from "../stage.ts";

/** A story in step, whose state is gone. */
async function openLost(): Promise<Stage> {
  const stage = await openStage();
  expect((await stage.run(["sync"])).code).toBe(0);
  for (const name of readdirSync(stage.folder).filter((file) => file.startsWith("state.db"))) {
    rmSync(join(stage.folder, name));
  }
  return stage;
}

describe("boardsync rebuild", () => {
  it("links what carries our mark, without any state, and says what is next", async () => {
    const stage = await openLost();
    const rebuilt = await stage.run(["rebuild"]);
    expect(rebuilt.code).toBe(0);
    expect(rebuilt.out).toContain("│ project  │ posts │ links kept │ links found │ differ │");
    expect(rebuilt.out).toContain("6 issues linked by their marks, 0 links kept; nothing was written");
    expect(rebuilt.out).toContain("New issues wait until ");
    expect(rebuilt.out).toContain("Next: `boardsync plan`.");
    expect((await stage.run(["plan"])).out).toContain("Both sides are in step.");
    const again = await stage.run(["rebuild"]);
    expect(again.out).toContain("all 6 links were known already");
    expect((await stage.run(["rebuild", "--quiet"])).out).toBe("");
  });

  it("rebuilds the projects that are named", async () => {
    const stage = await openLost();
    const rebuilt = await stage.run(["rebuild", "--project", "acme-api", "--json"]);
    expect(rebuilt.json()).toEqual({
      run: 1,
      result: "ok",
      startedAt: expect.any(String),
      durationMs: expect.any(Number),
      projects: [
        {
          project: "acme-api",
          repo: "acme/api",
          posts: 4,
          kept: 0,
          found: 2,
          ...makeFindings(),
          waitsUntil: expect.any(String),
          requests: { board: expect.any(Number), tracker: expect.any(Number) },
          errors: [],
        },
      ],
    });
  });

  it("says of each kind of finding what to do, and exits 4 where a person has to do it", async () => {
    const stage = await openLost();
    const { github, board } = stage.story;
    const { body } = github.issue("acme/app", 1);
    github.openIssue("acme/app", { title: "Forged", body, author: "mallory" });
    github.deleteIssue("acme/app", 1);
    github.edit("acme/app", 2, { body: `<!-- Read this first! -->\n${github.issue("acme/app", 2).body}` });
    const foreign = (github.issue("acme/app", 3).body ?? "").replace(/board=[0-9a-f]{4}/, "board=0000");
    github.openIssue("acme/app", { title: "Theirs", body: foreign, author: github.login });
    github.edit("acme/api", 1, { body: `${github.issue("acme/api", 1).body}\nAnd a word of mine.` });
    board.removePost("acme-api", "p9");
    const rebuilt = await stage.run(["rebuild"]);
    expect(rebuilt.code).toBe(4);
    for (const said of [
      "stranger: acme/app#5 carries the mark of post p1, and was opened by mallory: not taken; the post has no issue",
      "`tracker.trustedAuthors`",
      "unreadable: the mark of acme/app#2 can't be read, so it is not linked",
      "orphan: acme/api#2 carries the mark of post p9, which the board does not list",
      "other board: 1 issue of ours",
      "edited: acme/api#1 was linked to post p11, and its text was edited by octocat",
    ]) {
      expect(rebuilt.out.replaceAll(/\s+/g, " ")).toContain(said);
    }
  });

  it("shows no more lines of a kind than a person reads", async () => {
    const stage = await openLost();
    const { github } = stage.story;
    const { body } = github.issue("acme/app", 1);
    for (let twin = 0; twin < 25; twin += 1) {
      github.openIssue("acme/app", { title: "Forged", body, author: "mallory" });
    }
    const rebuilt = await stage.run(["rebuild"]);
    expect(rebuilt.code).toBe(0);
    expect(rebuilt.out.match(/stranger: /g)).toHaveLength(20);
    expect(rebuilt.out).toContain("acme-app: and 5 more; `--json` has them all.");
  });

  it("says that the board has shrunk, which holds the project", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    for (const post of ["p1", "p2", "p3", "p4"]) stage.story.board.removePost("acme-app", post);
    const rebuilt = await stage.run(["rebuild"]);
    expect(rebuilt.code).toBe(4);
    expect(rebuilt.out).toContain("acme-app: needs you: ");
  });

  it("fails where a side can't be asked, and leaves the state in recovery", async () => {
    const stage = await openLost();
    const refused = await stage.run(["rebuild"], { env: { GITHUB_TOKEN: "wrong-token-0123456789" } });
    expect(refused.code).toBe(3);
    expect(refused.out).toContain("Nothing was rebuilt");
    const asJson = await stage.run(["rebuild", "--json"], {
      env: { GITHUB_TOKEN: "wrong-token-0123456789" },
    });
    expect(asJson.json()).toMatchObject({ error: { code: "tracker.unauthorized" } });
    expect((await stage.run(["rebuild"])).code).toBe(0);
  });

  it("needs the state for itself", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    const options = { now: Date.now(), version: "1.2.3" };
    const lock = acquireState(join(stage.folder, "state.db"), "daemon, process 1 on host box", options);
    onTestFinished(() => lock.release());
    const refused = await stage.run(["rebuild", "--json"]);
    expect(refused.code).toBe(5);
    expect(refused.json()).toMatchObject({ error: { code: "state.held" } });
  });
});
