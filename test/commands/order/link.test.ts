import { describe, expect, it } from "vitest";
import { openStage, type Stage } from "../stage.ts";

/** A story in step: p1 of the app has acme/app#1. */
async function openStory(): Promise<Stage> {
  const stage = await openStage();
  expect((await stage.run(["sync"])).code).toBe(0);
  return stage;
}

async function linksOf(stage: Stage, post: string): Promise<unknown> {
  const { json } = await stage.run(["unlink", post, "--json"]);
  return (json() as { readonly issues: unknown }).issues;
}

describe("boardsync link", () => {
  it("asks GitHub for the issue, and the next run links it", async () => {
    const stage = await openStory();
    const { number } = stage.story.github.openIssue("acme/app", { title: "By hand", author: "ada" });
    const linked = await stage.run(["link", "acme-app/p1", `ACME/app#${number}`]);
    expect(linked).toMatchObject({ code: 0, err: "" });
    expect(linked.out).toContain(`acme-app/p1: the next run links it to acme/app#${number}`);
    expect(linked.out).toContain(
      "It stays linked to acme/app#1, too; `several: all` says which issue decides.",
    );
    expect((await stage.run(["link", "p1", `acme/app#${number}`])).out).toContain("asked for already");
    expect((await stage.run(["sync"])).code).toBe(0);
    expect((await stage.run(["link", "p1", `acme/app#${number}`])).out).toContain("is linked to");
    expect(await linksOf(stage, "p1")).toEqual(["acme/app#1", `acme/app#${number}`]);
  });

  it("exits 143 where SIGTERM ends its look at the issue, and asks for nothing", async () => {
    const stage = await openStory();
    const ran = await stage.run(["link", "p1", "acme/app#2"], { signal: AbortSignal.abort("SIGTERM") });
    expect(ran).toMatchObject({ code: 143, out: "" });
    expect(await linksOf(stage, "p1")).toEqual(["acme/app#1"]);
  });

  it("is asked for once, also where no run has found the issue's repository yet", async () => {
    const stage = await openStage();
    const file = stage.writeConfig("first.yaml", (text) =>
      text.replace(/^ {2}- project: acme-api\n(?: {4}.*\n)*/m, ""),
    );
    expect((await stage.run(["--config", file, "sync"])).code).toBe(0);
    const { number } = stage.story.github.openIssue("acme/api", { title: "By hand", author: "ada" });
    const linked = await stage.run(["link", "acme-app/p1", `acme/api#${number}`]);
    expect(linked.out).toContain(`the next run links it to acme/api#${number}`);
    const again = await stage.run(["link", "acme-app/p1", `acme/api#${number}`]);
    expect(again.out).toBe("acme-app/p1: that is asked for already, and the next run does it.\n");
  });

  it("takes the issue as it is at the command: what happens to it before the next run is told", async () => {
    const stage = await openStory();
    const { github, board } = stage.story;
    const { number } = github.openIssue("acme/app", { title: "By hand", author: "ada" });
    expect((await stage.run(["unlink", "p1"])).code).toBe(0);
    expect((await stage.run(["sync"])).code).toBe(0);
    expect((await stage.run(["link", "p1", `acme/app#${number}`])).code).toBe(0);
    github.close("acme/app", number, "completed");
    expect((await stage.run(["sync"])).code).toBe(0);
    expect(board.notifications.map(({ post, to }) => [post, to])).toEqual([["p1", "completed"]]);
    await stage.run(["sync"]);
    expect(board.notifications).toHaveLength(1);
  });

  it("takes the address of an issue's page, and none of another site or of a pull request", async () => {
    const stage = await openStory();
    const { github } = stage.story;
    const { number } = github.openIssue("acme/app", { title: "By hand", author: "ada" });
    const page = `${new URL(github.url).origin}/acme/app`;
    const linked = await stage.run(["link", "p1", `${page}/issues/${number}?a=b#issuecomment-1`]);
    expect(linked.out).toContain(`the next run links it to acme/app#${number} as that is now`);
    expect((await stage.run(["link", "p1", `${page}/pull/${number}`])).err).toContain("is a pull request");
    const elsewhere = await stage.run(["link", "p1", `https://github.com/acme/app/issues/${number}`]);
    expect(elsewhere).toMatchObject({ code: 2, err: expect.stringContaining("is on github.com") });
  });

  it("takes a post that no run has seen yet, and says so where the board does not list it either", async () => {
    const stage = await openStory();
    const { github, board } = stage.story;
    const { number } = github.openIssue("acme/app", { title: "By hand", author: "ada" });
    const post = board.addPost("acme-app", { title: "New", status: "planned" });
    const linked = await stage.run(["link", `acme-app/${post}`, `acme/app#${number}`]);
    expect(linked).toMatchObject({ code: 0, out: expect.stringContaining("No run has seen this post yet") });
    expect((await stage.run(["link", "acme-app/nowhere", `acme/app#${number}`])).code).toBe(0);
    const { code, out } = await stage.run(["sync"]);
    expect(code).toBe(1);
    expect(out).toContain("the board does not list this post");
    expect(await linksOf(stage, post)).toEqual([`acme/app#${number}`]);
    expect((await stage.run(["sync"])).code).toBe(0);
  });

  it("says so where it could not ask", async () => {
    const stage = await openStory();
    const linked = await stage.run(["link", "p1", "acme/app#2", "--json"], {
      env: { GITHUB_TOKEN: undefined },
    });
    expect(linked.code).toBe(0);
    expect(linked.json()).toMatchObject({
      project: "acme-app",
      post: "p1",
      issue: "acme/app#2",
      requested: true,
    });
    expect(linked.out).toContain("the next run does that");
  });

  it.each([
    ["an issue that is not there", "acme/app#99", "There is no issue acme/app#99 that the token can see"],
    [
      "a repository that no project names",
      "acme/other#1",
      "names acme/other, so nothing of acme/other#1 would be read",
    ],
    ["what is no issue", "acme/app", "`acme/app` is no issue. Write OWNER/REPO#NUMBER"],
    ["the number 0", "acme/app#0", "`acme/app#0` is no issue"],
  ])("refuses %s", async (_, issue, words) => {
    const stage = await openStory();
    const refused = await stage.run(["link", "p1", issue]);
    expect([refused.code, refused.out]).toEqual([2, ""]);
    expect(refused.err).toContain(words);
  });

  it("refuses a pull request, a deleted issue, and one that was moved, each with what to do", async () => {
    const stage = await openStory();
    const { github } = stage.story;
    const pull = github.openPullRequest("acme/app", { title: "A change", author: "ada" });
    const gone = github.openIssue("acme/app", { title: "Gone", author: "ada" });
    github.deleteIssue("acme/app", gone.number);
    const moved = github.openIssue("acme/app", { title: "Moved", author: "ada" });
    const there = github.transfer("acme/app", moved.number, "acme/api");
    const errors = [];
    for (const { number } of [pull, gone, moved]) {
      const refused = await stage.run(["link", "p1", `acme/app#${number}`]);
      expect(refused.code).toBe(2);
      errors.push(refused.err);
    }
    expect(errors[0]).toContain("it may be a pull request");
    expect(errors[1]).toContain("was deleted");
    expect(errors[2]).toContain(`was moved to acme/api#${there.number}. Link that one.`);
  });

  it("asks for nothing when GitHub can't be reached", async () => {
    const stage = await openStory();
    await stage.story.github.stop();
    expect(await stage.run(["link", "p1", "acme/app#2"])).toMatchObject({ code: 3, out: "" });
    expect(await linksOf(stage, "p1")).toEqual(["acme/app#1"]);
  });
});

describe("boardsync unlink", () => {
  it("ends all links of a post, and the next run opens no other issue", async () => {
    const stage = await openStory();
    const ended = await stage.run(["unlink", "p1"]);
    expect(ended).toMatchObject({ code: 0, err: "" });
    expect(ended.out).toContain("acme-app/p1: the next run ends its link to acme/app#1");
    expect(ended.out).toContain("It then stays without an issue");
    expect((await stage.run(["sync"])).code).toBe(0);
    expect((await stage.run(["unlink", "p1"])).out).toBe("acme-app/p1: it is linked to no issue.\n");
    const retried = await stage.run(["retry", "p1"]);
    expect(retried.out).toContain("a person wanted no issue for it");
    expect((await stage.run(["sync"])).code).toBe(0);
    expect(await linksOf(stage, "p1")).toHaveLength(1);
  });

  it("ends one of several, and says nothing of another issue", async () => {
    const stage = await openStory();
    await stage.run(["link", "p1", "acme/app#2"]);
    await stage.run(["sync"]);
    const ended = await stage.run(["unlink", "p1", "acme/app#1"]);
    expect(ended.out).not.toContain("without an issue");
    await stage.run(["sync"]);
    expect(await linksOf(stage, "p1")).toEqual(["acme/app#2"]);
  });

  it("refuses an issue that the post is not linked to, and names those that it is", async () => {
    const stage = await openStory();
    const refused = await stage.run(["unlink", "p1", "acme/app#2"]);
    expect(refused).toMatchObject({ code: 2, out: "" });
    expect(refused.err).toContain("acme-app/p1 is not linked to acme/app#2. It is linked to: acme/app#1.");
  });
});

describe("the later word of a person counts before a run has done the earlier one:", () => {
  it("`link` after `unlink` keeps the link", async () => {
    const stage = await openStory();
    await stage.run(["unlink", "p1"]);
    const linked = await stage.run(["link", "p1", "acme/app#1", "--json"]);
    expect(linked.json()).toMatchObject({ requested: true });
    expect(linked.out).not.toContain("It stays linked to");
    expect((await stage.run(["sync"])).code).toBe(0);
    expect(await linksOf(stage, "p1")).toEqual(["acme/app#1"]);
  });

  it("`retry` after `unlink` opens a new issue", async () => {
    const stage = await openStory();
    const before = stage.story.github.issues("acme/app").length;
    await stage.run(["unlink", "p1"]);
    expect((await stage.run(["retry", "p1"])).out).toContain("a person wanted no issue for it");
    expect((await stage.run(["sync"])).code).toBe(0);
    expect(stage.story.github.issues("acme/app")).toHaveLength(before + 1);
  });

  it("`unlink` after `link` ends the one, and is asked for once", async () => {
    const stage = await openStory();
    await stage.run(["link", "p1", "acme/app#2"]);
    const ended = await stage.run(["unlink", "p1", "acme/app#2"]);
    expect(ended.out).toContain("the next run ends its link to acme/app#2;");
    expect((await stage.run(["unlink", "p1", "acme/app#1", "--json"])).json()).toMatchObject({
      ...{ requested: true, issues: ["acme/app#1"] },
    });
    const again = await stage.run(["unlink", "p1"]);
    expect(again.out).toBe("acme-app/p1: that is asked for already, and the next run does it.\n");
    expect((await stage.run(["sync"])).code).toBe(0);
    expect((await stage.run(["unlink", "p1"])).out).toContain("it is linked to no issue");
  });
});
