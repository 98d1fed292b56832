import { describe, expect, it, vi } from "vitest";
import { systemClock } from "../../src/commands/clock.ts";
import { openStage, type Stage } from "./stage.ts";

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
    vi.spyOn(systemClock, "sleep").mockResolvedValue();
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
    expect(retried.out).toContain("a person unlinked it");
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
