import { describe, expect, it } from "vitest";
import type { IssueRef } from "../../src/model/issue.ts";
import type { PostId } from "../../src/model/post.ts";
import { openPosts, twoRepositories } from "../support/setups.ts";
import { addPlanned, minuteMs, openStage, type Stage, standardProject } from "../support/stage.ts";

const patches = { when: ({ method }: { readonly method: string }) => method === "PATCH" };

const p1 = "p1" as PostId;

/** Whose request it is, and since when. */
function asked({ ledger, clock }: Stage) {
  const project = ledger.memory.project("acme-app")?.id;
  if (project === undefined) throw new Error("The project has not run yet.");
  return { project, at: clock.now() };
}

/** The first issue of the first repository. */
function issueOf({ ledger }: Stage): IssueRef {
  return { repositoryId: ledger.memory.repository("acme/app")?.repository.id ?? 0, number: 1 };
}

/** One post in step, whose issue is then closed as completed. */
async function openClosed(options: Parameters<typeof openPosts>[1] = {}): Promise<Stage> {
  const stage = await openPosts(1, options);
  stage.github.close("acme/app", 1, "completed");
  return stage;
}

describe("the explanation of a post without an issue", () => {
  it("names every condition, met or not, and what would make it an issue", async () => {
    const stage = await openStage();
    stage.board.addPost("acme-app", { title: "A pony", status: "open" });
    await stage.sync();
    expect(await stage.explain("p1")).toMatchObject({
      project: "acme-app",
      post: "p1",
      title: "A pony",
      standing: { kind: "skipped", reason: "status is `open`; select.statuses wants planned, in_progress" },
      select: {
        isSelected: false,
        repo: "acme/app",
        conditions: [
          { name: "select.archived", holds: true },
          { name: "select.statuses", wants: "planned, in_progress", shows: "status is `open`", holds: false },
        ],
      },
      issues: [],
      rules: { issue: null, rule: null, message: "No issue is linked, so no rule is asked." },
      fields: [],
      waits: [],
      actions: [],
      next: [expect.stringContaining("until the post fulfils every condition of `select`")],
      writes: [],
    });
  });

  it("that is held names the repository of its route, the reason, and the command that frees it", async () => {
    const stage = await openStage({ ...twoRepositories, config: { guard: { issues: 0 } } });
    addPlanned(stage, [{ categoryId: "cat_api" }]);
    await stage.sync();
    const { select, standing, waits, actions, next } = await stage.explain("p1");
    expect(select).toMatchObject({ isSelected: true, repo: "acme/api" });
    expect(standing.kind).toBe("wanted");
    expect(waits).toMatchObject([{ kind: "held", command: "boardsync approve acme-app p1" }]);
    expect(actions).toMatchObject([{ kind: "create-issue", issue: "acme/api", held: waits[0]?.message }]);
    expect(next[0]).toMatch(/^When a person lets it go, the next run opens an issue in acme\/api /);
  });

  it("says that a person has unlinked it", async () => {
    const stage = await openPosts(1);
    await stage.ledger.commit([
      {
        kind: "add-request",
        request: { kind: "unlink", ...asked(stage), post: p1, issues: [issueOf(stage)] },
      },
    ]);
    expect((await stage.explain("p1")).waits).toMatchObject([
      { kind: "asked", message: "The next run carries out `boardsync unlink`." },
    ]);
    await stage.sync();
    expect((await stage.explain("p1")).next).toEqual([
      expect.stringContaining("`boardsync link acme-app/p1 OWNER/REPO#NUMBER`"),
    ]);
  });

  it("whose issue can be opened nowhere now says so of what comes next", async () => {
    const stage = await openStage();
    addPlanned(stage, 1);
    stage.github.archive("acme/app");
    await stage.sync();
    expect((await stage.explain("p1")).next).toEqual([
      expect.stringMatching(/^Once nothing is in its way any more, the next run opens an issue/),
    ]);
    stage.github.archive("acme/app", false);
    await stage.sync();
    expect((await stage.explain("p1")).next.join()).not.toContain("in its way");
  });

  it("that a template fails on says so", async () => {
    const body = "{% if post.title == 'endless' %}{% for i in (1..100000000) %}x{% endfor %}{% endif %}";
    const stage = await openStage({ projects: [{ ...standardProject, issue: { body } }] });
    addPlanned(stage, [{ title: "endless" }]);
    await stage.sync();
    const { next, actions } = await stage.explain("p1");
    expect(actions).toEqual([]);
    expect(next).toEqual([
      expect.stringMatching(/^A template of the config fails on this post, .*Correct the template/),
    ]);
  });
});

describe("the explanation of a pair in step", () => {
  it("shows issue, rules, both sides of each field, and the writes; asks neither side", async () => {
    const stage = await openClosed();
    await stage.sync();
    await stage.sync();
    stage.clock.skip(3 * minuteMs);
    stage.mark();
    const story = await stage.explain("p1");
    expect([...stage.reads(), ...stage.writes()]).toEqual([]);
    expect(story.facts).toEqual({
      board: { at: expect.any(String), ageSeconds: 180 },
      tracker: { at: expect.any(String), ageSeconds: 180 },
    });
    expect(story.issues).toMatchObject([
      {
        issue: "acme/app#1",
        origin: "opened",
        facts: { state: "closed", stateReason: "completed", labels: ["feedback"] },
        duplicateOf: null,
        remarks: ["boardsync opened it."],
        match: 1,
      },
    ]);
    expect(story.rules).toEqual({ issue: "acme/app#1", rule: 1, message: "Rule 1 matches acme/app#1." });
    expect(story.fields[0]).toEqual({
      field: "status",
      asks: { kind: "value", value: "completed" },
      rule: 1,
      shows: "completed",
      isSeen: true,
      agreed: { asks: { kind: "value", value: "completed" }, shows: "completed" },
      lastNotOurs: "planned",
      pendingSince: null,
    });
    expect(story.writes.map(({ kind, outcome }) => [kind, outcome])).toEqual([
      ["patch-post", "applied"],
      ["create-issue", "applied"],
    ]);
    expect(story.writes[0]).toMatchObject({
      side: "board",
      fields: [{ field: "status", before: "planned", value: "completed" }, { field: "roadmapColumn" }],
    });
    expect(story.next).toEqual([
      "Nothing: what the rules ask for is done. It is looked at again when the post or its issue changes.",
    ]);
  });

  it("tells what the next run would write, and how many voters hear of it", async () => {
    const stage = await openClosed({ projects: [{ ...standardProject, writes: "issues" }] });
    await stage.sync();
    expect((await stage.explain("p1")).next).toEqual(["`writes: issues`: nothing is written to the board."]);
    stage.reconfigure({ projects: [{ ...standardProject, writes: "none" }] });
    expect((await stage.explain("p1")).next.at(-1)).toBe(
      "`writes: none`: nothing is written to either side.",
    );
    stage.reconfigure({ projects: [standardProject] });
    const { actions, next } = await stage.explain("p1");
    expect(actions).toMatchObject([{ kind: "patch-post", notifies: 3 }]);
    expect(next[0]).toBe("The config has changed since the last run, and this goes by the new one.");
    expect(next[1]).toMatch(
      /^The next run writes to the post: status → completed, .*; 3 voters to notify\.$/,
    );
  });

  it("says that other rules hold what they alone would change", async () => {
    const stage = await openClosed();
    stage.reconfigure({ projects: [{ ...standardProject, whenNoRule: "keep" }] });
    expect((await stage.explain("p1")).next[0]).toContain(
      "needs you: `boardsync approve acme-app` lets it go",
    );
  });

  it("says why two sides that differ are left alone", async () => {
    const stage = await openClosed();
    await stage.sync();
    await stage.sync();
    stage.board.editPost("acme-app", "p1", { status: "planned" });
    await stage.sync();
    const { waits, next } = await stage.explain("p1");
    expect(waits).toMatchObject([
      { kind: "said", command: null, message: expect.stringContaining("it stays so") },
    ]);
    expect(next).toEqual([expect.stringContaining("it stays so until the issue changes")]);
  });
});

describe("the explanation of what waits", () => {
  it("names the time until which a change settles", async () => {
    const stage = await openClosed({ config: { settle: "10m" } });
    await stage.sync();
    const { next, fields, actions } = await stage.explain("p1");
    const notBefore = new Date(stage.clock.now() + 10 * minuteMs).toISOString();
    expect(actions).toMatchObject([{ kind: "patch-post", when: "later", notBefore }]);
    expect(fields[0]?.pendingSince).toBe(new Date(stage.clock.now()).toISOString());
    expect(next[0]).toContain(`unless the issue changes again before ${notBefore}`);
    expect(next.at(-1)).toBe("3 voters to notify, unless `boardsync pause acme-app/p1` stops it.");
  });

  it("names the refusal of what is parked, its code and `retry`; and that it is asked for", async () => {
    const stage = await openClosed();
    stage.board.failNext({ kind: "answer", status: 422, body: { error: "No such status" } }, patches);
    await stage.sync();
    const parked = await stage.explain("p1");
    expect(parked.waits).toMatchObject([
      { kind: "parked", code: "board.rejected", command: "boardsync retry acme-app/p1" },
    ]);
    expect(parked.next).toEqual(["It needs you: `boardsync retry acme-app/p1`."]);
    await stage.ledger.commit([
      { kind: "add-request", request: { kind: "retry", ...asked(stage), posts: [p1] } },
    ]);
    expect((await stage.explain("p1")).next).toContain("The next run carries out `boardsync retry`.");
    await stage.ledger.commit([
      { kind: "add-request", request: { kind: "discard", ...asked(stage), posts: [p1] } },
    ]);
    expect((await stage.explain("p1")).next).toContain(
      "The next run carries out `boardsync approve --discard`.",
    );
  });

  it("names the quarantine and `release`", async () => {
    const stage = await openClosed({ config: { guard: { flips: 0 } } });
    await stage.sync();
    expect((await stage.explain("p1")).waits).toMatchObject([
      { kind: "quarantined", command: "boardsync release acme-app/p1", since: expect.any(String) },
    ]);
  });

  it("says of a lost answer when it is looked up", async () => {
    const stage = await openClosed({ config: { waits: { patch: "30m" } } });
    stage.board.failNext({ kind: "answer", status: 502 }, patches);
    await stage.sync();
    const { waits, next } = await stage.explain("p1");
    const from = new Date(stage.clock.now() + 30 * minuteMs).toISOString();
    expect(waits).toMatchObject([
      { kind: "unknown", command: null, message: expect.stringContaining(`It is looked up from ${from} on`) },
    ]);
    expect(next).toContain(waits[0]?.message);
  });

  it("names what a rule asks for that can't be read", async () => {
    const rules = [{ when: { pullRequest: "merged" }, set: { status: "completed" } }];
    const stage = await openPosts(1, { projects: [{ ...standardProject, rules }] });
    await stage.ledger.commit([
      {
        kind: "store-signals",
        issue: issueOf(stage),
        signals: {
          pullRequests: { kind: "unknown", message: "the token may not" },
        },
        isFill: false,
      },
    ]);
    const { issues, rules: said, fields, next } = await stage.explain("p1");
    expect(issues[0]?.rules[0]).toMatchObject({
      verdict: "unknown",
      conditions: [{ name: "pullRequest", shows: "can't be read: the token may not", verdict: "unknown" }],
    });
    expect(said).toMatchObject({ issue: null, rule: null, message: expect.stringContaining("Undecided: ") });
    expect(fields[0]?.asks).toBeNull();
    expect(next[0]).toContain("Nothing is decided until that is known");
  });

  it("says that a copy was put back", async () => {
    const stage = await openPosts(1);
    await stage.backUp();
    stage.putBack();
    expect((await stage.explain("p1")).next[0]).toContain("This state was restored from a copy");
  });

  it("says that the board lists a post no more", async () => {
    const stage = await openPosts(3);
    stage.board.removePost("acme-app", "p1");
    await stage.sync();
    expect((await stage.explain("p1")).next[0]).toContain("missing from the last complete list");
    await stage.sync();
    expect((await stage.explain("p1")).next[0]).toContain("missing from two complete lists");
  });
});

describe("the explanation of an issue that is not where it was", () => {
  it("tells a deletion", async () => {
    const stage = await openPosts(1);
    stage.github.deleteIssue("acme/app", 1);
    stage.clock.skip(7 * 60 * minuteMs);
    await stage.sync();
    const { issues, rules, waits } = await stage.explain("p1");
    expect(issues[0]).toMatchObject({ match: null });
    expect(issues[0]?.remarks[1]).toMatch(/^It is deleted, seen at \d{4}-/);
    expect(rules.message).toContain("Undecided");
    expect(waits).toMatchObject([{ kind: "parked", code: "tracker.deleted" }]);
  });

  it("tells a transfer out of reach", async () => {
    const stage = await openPosts(1, {
      repositories: [
        { name: "acme/app", private: true, labels: ["feedback", "in progress"] },
        { name: "acme/elsewhere", private: true },
      ],
    });
    stage.github.transfer("acme/app", 1, "acme/elsewhere");
    stage.clock.skip(7 * 60 * minuteMs);
    await stage.sync();
    expect((await stage.explain("p1")).issues[0]?.remarks).toContainEqual(
      expect.stringMatching(/^It was moved to acme\/elsewhere#1, seen at /),
    );
  });
});

describe("the explanation of an issue that can't be relied on", () => {
  it("tells that it is not found, at first and for good", async () => {
    const stage = await openPosts(6, { config: { fullEvery: "1m" } });
    stage.github.convertToDiscussion("acme/app", 1);
    stage.clock.skip(7 * 60 * minuteMs);
    await stage.sync();
    expect((await stage.explain("p1")).issues[0]?.remarks).toContainEqual(
      expect.stringMatching(/^It was not found at \d{4}-.*; it is asked for again before that counts\.$/),
    );
    stage.clock.skip(11 * minuteMs);
    await stage.sync();
    const { issues } = await stage.explain("p1");
    expect(issues[0]?.remarks).toContainEqual(
      expect.stringMatching(/^It is not found any more, first seen at /),
    );
    expect(issues[0]).toMatchObject({ facts: null, match: null, rules: [] });
  });

  it("tells that its repository is paused", async () => {
    const stage = await openPosts(1);
    const memory = stage.ledger.memory.repository("acme/app");
    if (memory === undefined) throw new Error("The repository was read.");
    await stage.ledger.commit([
      { kind: "remember-repository", memory: { ...memory, pausedAt: stage.clock.now() } },
    ]);
    expect((await stage.explain("p1")).issues[0]).toMatchObject({
      facts: null,
      match: null,
      remarks: [
        "boardsync opened it.",
        expect.stringMatching(/^Many issues of its repository were not found at /),
        "Can't be decided: issue #1 can't be read.",
      ],
    });
  });
});

describe("the explanation of board rules", () => {
  it("holds the post against each, and shows what they ask of its issue", async () => {
    const boardRules = [{ when: { archived: true }, set: { state: "closed", addLabels: ["declined"] } }];
    const stage = await openPosts(1, { projects: [{ ...standardProject, boardRules }] });
    stage.board.editPost("acme-app", "p1", { isArchived: true });
    stage.reconfigure({ projects: [{ ...standardProject, boardRules, writes: "none" }] });
    await stage.sync();
    stage.reconfigure({ projects: [{ ...standardProject, boardRules }] });
    const { boardRules: views, issueFields, actions, next } = await stage.explain("p1");
    expect(views).toMatchObject([{ rule: 1, verdict: "holds" }]);
    expect(issueFields).toMatchObject([
      { issue: "acme/app#1", field: "state", asks: { kind: "value", value: "closed" }, shows: "open" },
      { issue: "acme/app#1", field: "label:declined", asks: { kind: "value", value: true }, shows: false },
    ]);
    expect(actions).toMatchObject([{ kind: "change-issue", issue: "acme/app#1", notifies: 0 }]);
    expect(next.join()).toContain("The next run changes acme/app#1: state → closed");
  });
});

describe("the explanation of several issues", () => {
  it("names the one that decides, and by which setting", async () => {
    const stage = await openPosts(1);
    stage.github.openIssue("acme/app", { title: "By a person", labels: ["in progress"] });
    await stage.ledger.commit([
      {
        kind: "add-request",
        request: { kind: "link", ...asked(stage), post: p1, repository: "acme/app", number: 2 },
      },
    ]);
    await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    await stage.sync();
    const { issues, rules } = await stage.explain("p1");
    expect(issues.map(({ issue, match, origin }) => [issue, match, origin])).toEqual([
      ["acme/app#1", 1, "opened"],
      ["acme/app#2", 3, "adopted"],
    ]);
    expect(issues[1]?.remarks).toEqual(["It was there already, and was linked by its mark or by a person."]);
    expect(rules).toMatchObject({
      issue: "acme/app#2",
      rule: 3,
      message: "Rule 3 matches acme/app#2 (`several: all`).",
    });
  });

  it("names the further posts that an issue stands for", async () => {
    const stage = await openPosts(2);
    await stage.ledger.commit([
      {
        kind: "add-request",
        request: {
          kind: "link",
          ...asked(stage),
          post: "p2" as PostId,
          repository: "acme/app",
          number: 1,
        },
      },
    ]);
    await stage.sync();
    expect((await stage.explain("p1")).issues[0]?.remarks).toContain(
      "It is the issue of other posts, too: p2.",
    );
  });

  it("lets the issue count that another one is a duplicate of", async () => {
    const stage = await openPosts(2);
    const place = (number: number) => ({ repository: "acme/app", number });
    stage.github.close("acme/app", 2, "completed");
    stage.github.closeAsDuplicate(place(1), place(2));
    await stage.sync();
    const { issues, rules } = await stage.explain("p1");
    expect(issues).toMatchObject([{ issue: "acme/app#1", duplicateOf: "acme/app#2", match: 1 }]);
    expect(rules.message).toBe("Rule 1 matches acme/app#2, of which acme/app#1 is a duplicate.");
  });
});

it("is none of a post that nobody knows", async () => {
  const stage = await openPosts(1);
  await expect(stage.explain("p9")).rejects.toThrow("no post p9");
});
