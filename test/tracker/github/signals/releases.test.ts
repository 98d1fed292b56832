import { describe, expect, it } from "vitest";
import type { SandboxFixture } from "../setup.ts";
import { known, place, readOne, readSignals, startLinked, unknown } from "../signal-setup.ts";

async function isReleased(fixture: SandboxFixture, number = 1) {
  return (await readOne(fixture, number, { released: true })).signals.isReleased;
}

/** An issue whose pull request is merged. */
async function startMerged(options?: Parameters<typeof startLinked>[0]): Promise<SandboxFixture> {
  const fixture = await startLinked(options);
  fixture.github.mergePullRequest("acme/app", 2);
  return fixture;
}

describe("an issue", () => {
  it("is released when a published release contains the merge of its pull request, and not before", async () => {
    const fixture = await startLinked();
    const { github, clock } = fixture;
    expect(await isReleased(fixture)).toEqual(known(false));
    github.publishRelease("acme/app", { tag: "v1" });
    clock.pass(1_000);
    github.mergePullRequest("acme/app", 2);
    expect(await isReleased(fixture)).toEqual(known(false));
    clock.pass(1_000);
    github.publishRelease("acme/app", { tag: "v2" });
    expect(await isReleased(fixture)).toEqual(known(true));
  });

  it("is not released by a draft, a pre-release, or a release of another line", async () => {
    const fixture = await startMerged();
    const { github } = fixture;
    github.openPullRequest("acme/app", { title: "A fix" });
    github.mergePullRequest("acme/app", 3);
    github.publishRelease("acme/app", { tag: "v2", isDraft: true });
    github.publishRelease("acme/app", { tag: "v2-rc", isPrerelease: true });
    github.publishRelease("acme/app", { tag: "v1.1", contains: [3] });
    expect(await isReleased(fixture)).toEqual(known(false));
  });

  it("is in the tags that contain all of its merges, oldest first", async () => {
    const fixture = await startMerged();
    const { github, clock } = fixture;
    const tags = async (tagsOf = "acme/APP") => (await readOne(fixture, 1, { released: true, tagsOf })).tags;
    expect(await tags()).toEqual(known([]));
    github.publishRelease("acme/app", { tag: "v2-rc", isPrerelease: true });
    clock.pass(1_000);
    github.openPullRequest("acme/app", { title: "Part two" });
    github.linkPullRequest(place(1), place(3));
    clock.pass(1_000);
    github.mergePullRequest("acme/app", 3);
    expect(await tags()).toEqual(known([]));
    for (const tag of ["v2", "v3"]) {
      clock.pass(1_000);
      github.publishRelease("acme/app", { tag });
    }
    github.publishRelease("acme/app", { tag: "v1.1", contains: [2] });
    expect(await tags()).toEqual(known(["v2", "v3"]));
    expect(await tags("acme/lib")).toEqual(known([]));
    expect((await readOne(fixture, 1, { released: true })).tags).toBeUndefined();
  });

  it("is in no known tag where a release has lost its own, or its pull requests can't be read", async () => {
    const fixture = await startMerged();
    fixture.github.publishRelease("acme/app", { tag: "v1" });
    fixture.github.deleteTag("acme/app", "v1");
    expect((await readOne(fixture, 1, { released: true, tagsOf: "acme/app" })).tags).toEqual(
      unknown(/release of acme\/app has no tag/),
    );
  });

  it("is released by an older release, too, when the newest is of another line", async () => {
    const fixture = await startMerged();
    const { github } = fixture;
    github.openPullRequest("acme/app", { title: "A fix" });
    github.mergePullRequest("acme/app", 3);
    github.publishRelease("acme/app", { tag: "v2", contains: [2] });
    for (let patch = 1; patch <= 12; patch += 1) {
      github.publishRelease("acme/app", { tag: `v1.${patch}`, contains: [3] });
    }
    expect(await isReleased(fixture)).toEqual(known(true));
  });

  it("is released when all of its merged pull requests are, whatever becomes of the open ones", async () => {
    const fixture = await startMerged({ repositories: [{ name: "acme/app" }, { name: "acme/lib" }] });
    const { github } = fixture;
    for (const title of ["Part two", "Part three"]) github.openPullRequest("acme/lib", { title });
    for (const number of [1, 2]) github.linkPullRequest(place(1), place(number, "acme/lib"));
    github.mergePullRequest("acme/lib", 1);
    github.publishRelease("acme/app", { tag: "v1" });
    expect(await isReleased(fixture)).toEqual(known(false));
    github.publishRelease("acme/lib", { tag: "v1" });
    expect(await isReleased(fixture)).toEqual(known(true));
  });

  it("is unknown to be released where a release has lost its tag, unless another one contains the merge", async () => {
    const fixture = await startMerged();
    fixture.github.publishRelease("acme/app", { tag: "v1" });
    fixture.github.deleteTag("acme/app", "v1");
    expect(await isReleased(fixture)).toEqual(unknown(/release of acme\/app has no tag/));
    fixture.github.publishRelease("acme/app", { tag: "v2" });
    expect(await isReleased(fixture)).toEqual(known(true));
  });

  it("is unknown to be released on a server that does not compare by GraphQL, which is asked once", async () => {
    const fixture = await startMerged({ quirks: { graphQLLacks: ["Ref.compare"] } });
    fixture.github.publishRelease("acme/app", { tag: "v1" });
    expect(await isReleased(fixture)).toEqual(unknown(/newer GitHub Enterprise Server/));
    const before = fixture.tracker.requests;
    expect(await isReleased(fixture)).toEqual(unknown(/newer GitHub Enterprise Server/));
    expect(fixture.tracker.requests).toBe(before + 1);
  });

  it("beyond a hundred releases since its merge is unknown to be released, and known where fewer were made", async () => {
    const fixture = await startMerged();
    const { github, clock } = fixture;
    github.openPullRequest("acme/app", { title: "A fix" });
    github.mergePullRequest("acme/app", 3);
    clock.pass(1_000);
    for (let patch = 1; patch <= 101; patch += 1) {
      github.publishRelease("acme/app", { tag: `v1.${patch}`, contains: [3] });
    }
    expect(await isReleased(fixture)).toEqual(unknown(/more than 100 releases/));
    clock.pass(1_000);
    github.openIssue("acme/app", { title: "Later" });
    github.openPullRequest("acme/app", { title: "For later" });
    github.linkPullRequest(place(4), place(5));
    github.mergePullRequest("acme/app", 5);
    expect(await isReleased(fixture, 4)).toEqual(known(false));
  });
});

describe("comparisons", () => {
  it("are made once for each merge and release, 25 in a request", async () => {
    const fixture = await startMerged();
    const { github, tracker } = fixture;
    const ids = Array.from({ length: 40 }, (_, index) => {
      const issue = github.openIssue("acme/app", { title: `${index}` });
      const pullRequest = github.openPullRequest("acme/app", { title: `For ${index}` });
      github.linkPullRequest(place(issue.number), place(pullRequest.number));
      github.mergePullRequest("acme/app", pullRequest.number);
      return `I_${issue.id}`;
    });
    github.publishRelease("acme/app", { tag: "v1" });
    const answers = await readSignals(fixture, ids, { released: true });
    expect(answers.every(({ signals }) => signals.isReleased?.kind === "known")).toBe(true);
    // One for the issues, one for the releases, two for 40 comparisons.
    expect(tracker.requests).toBe(4);
    await readSignals(fixture, ids, { released: true });
    expect(tracker.requests).toBe(6);
  });

  it("end at twenty requests in one call, and go on in the next", async () => {
    const fixture = await startMerged();
    const { github, tracker } = fixture;
    github.openPullRequest("acme/app", { title: "A fix" });
    github.mergePullRequest("acme/app", 3);
    const ids = Array.from({ length: 12 }, (_, index) => {
      const issue = github.openIssue("acme/app", { title: `${index}` });
      const pullRequest = github.openPullRequest("acme/app", { title: `For ${index}` });
      github.linkPullRequest(place(issue.number), place(pullRequest.number));
      github.mergePullRequest("acme/app", pullRequest.number);
      return `I_${issue.id}`;
    });
    for (let patch = 1; patch <= 60; patch += 1) {
      github.publishRelease("acme/app", { tag: `v1.${patch}`, contains: [3] });
    }
    const first = await readSignals(fixture, ids, { released: true });
    expect(first[0]?.signals.isReleased).toEqual(unknown(/later runs go on/));
    expect(tracker.requests).toBe(22);
    const second = await readSignals(fixture, ids, { released: true });
    expect(second.map(({ signals }) => signals.isReleased)).toEqual(ids.map(() => known(false)));
  });

  it("that were made before one fails are not made again", async () => {
    const fixture = await startMerged();
    const { github, tracker, clock } = fixture;
    for (let count = 0; count < 4; count += 1) {
      const issue = github.openIssue("acme/app", { title: `${count}` });
      const pullRequest = github.openPullRequest("acme/app", { title: `For ${count}` });
      github.linkPullRequest(place(issue.number), place(pullRequest.number));
      github.mergePullRequest("acme/app", pullRequest.number);
    }
    github.publishRelease("acme/app", { tag: "v1" });
    tracker.sizes?.take([{ name: "comparisons", size: 2, until: clock.now() + 3_600_000 }]);
    const ids = github.issues("acme/app").map(({ id }) => `I_${id}`);
    const ask = () => readSignals(fixture, ids, { released: true });
    // The issues, the releases, and two comparisons.
    github.failNext({ path: "/graphql", after: 3, answer: { kind: "answer", status: 401, body: {} } });
    await expect(ask()).rejects.toMatchObject({ fault: "unauthorized" });
    expect(tracker.requests).toBe(4);
    await ask();
    // Three are left.
    expect(tracker.requests).toBe(8);
  });
});
