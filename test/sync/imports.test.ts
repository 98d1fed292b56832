import { beforeEach, describe, expect, it } from "vitest";
import type { BoardTools } from "../../src/board/tools.ts";
import type { NewRequest } from "../../src/ledger/orders.ts";
import type { RepositoryName } from "../../src/model/issue.ts";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import type { World } from "../../src/sync/ground/world.ts";
import { describePlanned as describeWaiting } from "../../src/sync/tell/waiting-lines.ts";
import { createIssue } from "../ledger/samples.ts";
import { type ImportStage, importing, openImports, tools } from "../support/import-stage.ts";
import { twoProjects } from "../support/setups.ts";
import { hourMs, minuteMs, standardProject } from "../support/stage.ts";

const project = "prj_app" as ProjectId;

describe("an issue that a maintainer labels", () => {
  let stage: ImportStage;
  const posts = () => stage.board.posts("acme-app").map(({ id, title }) => [id, title]);
  const links = async (post: string) =>
    (await stage.ledger.rows.row(project, post as PostId, stage.clock.now()))?.links.map(
      ({ link }) => link.issue.number,
    );
  const call = (number: number) =>
    stage.ledger.toolCalls
      .list(project, "feedbackCreate")
      .then((calls) => calls.find(({ subject }) => subject.endsWith(`#${number}`)));
  const ask = (request: Omit<NewRequest, "project" | "at">): Promise<void> =>
    stage.ledger.commit([
      { kind: "add-request", request: { project, at: stage.clock.now(), ...request } as NewRequest },
    ]);
  const approve = async (): Promise<void> => {
    const held = await stage.ledger.rows.held(project);
    const actions = held.map(({ post, kind, signature }) => ({ post, kind, signature }));
    await ask({ kind: "approve", actions, isWhole: true } as never);
  };
  const wish = (title: string, facts: object = {}) =>
    stage.github.openIssue("acme/app", {
      title,
      body: `We want ${title}.`,
      author: "maintainer",
      labels: ["idea"],
      ...facts,
    });

  beforeEach(async () => {
    stage = await openImports();
  });

  it("stays a post when its run is undone, which says so", async () => {
    wish("CSV export");
    const { run } = await stage.sync();
    const { carried, report } = await stage.run({ kind: "undo", run, agreed: [] });
    const message =
      "Not undone: create-post: a post that an issue has become stays: only the board can remove it. It stays as it is.";
    expect([...carried.values()].flat()).toMatchObject([
      { post: "acme/app#1", issue: "acme/app#1", outcome: "refused", message },
    ]);
    expect(report.projects[0]?.errors).toMatchObject([{ code: "undo.refused", message }]);
  });

  it("becomes one post, linked, with the issue's address in it", async () => {
    wish("CSV export");
    expect(await stage.plan()).toMatchObject([
      {
        kind: "create-post",
        post: "acme/app#1",
        issue: "acme/app#1",
        fields: { title: "CSV export" },
        when: "now",
      },
    ]);
    expect(stage.calls).toEqual([]);
    expect(await stage.syncOne()).toMatchObject({ result: "ok", made: 1, created: 0 });
    const address = `${stage.github.url}/acme/app/issues/1`;
    expect(stage.calls).toEqual([
      { title: "CSV export", description: `We want CSV export.\n\n${address}`, category: "billing" },
    ]);
    stage.mark();
    expect(await stage.syncOne()).toMatchObject({ result: "ok", postWrites: 0, created: 0 });
    await stage.syncOne();
    expect(await links("p1")).toEqual([1]);
    expect([stage.writes(), posts(), stage.github.issues("acme/app").length]).toEqual([
      [],
      [["p1", "CSV export"]],
      1,
    ]);
  });

  it("costs one conditional request where nothing has changed, and nothing where no import is configured", async () => {
    wish("CSV export");
    await stage.sync();
    await stage.sync();
    const lists = async (one: ImportStage) => {
      one.mark();
      await one.sync();
      return one.reads().filter((read) => read === "GET /repos/acme/app/issues").length;
    };
    expect(await lists(stage)).toBe(2);
    const off = await openImports({ projects: [standardProject] });
    off.github.openIssue("acme/app", { title: "CSV export", author: "maintainer", labels: ["idea"] });
    await off.sync();
    expect(await lists(off)).toBe(1);
    expect(off.calls).toEqual([]);
  });

  it("is told of by votes, rules and labels like any other pair from then on", async () => {
    stage.reconfigure({
      projects: [{ ...importing, issue: { labels: ["feedback"], voteLabels: { 5: "votes: 5+" } } }],
    });
    wish("CSV export");
    await stage.sync();
    stage.board.editPost("acme-app", "p1", { votes: 7 });
    await stage.sync();
    expect(stage.github.issue("acme/app", 1)).toMatchObject({
      labels: ["idea", "votes: 5+"],
      body: "We want CSV export.",
    });
    stage.github.close("acme/app", 1, "completed");
    await stage.sync();
    expect(stage.board.post("acme-app", "p1")).toMatchObject({ status: "completed" });
  });

  it.each<[string, object, boolean]>([
    ["is closed", { state: "closed" }, false],
    ["lacks the label", { labels: ["feedback"] }, false],
    ["was opened by a stranger with a form", { author: "ada" }, false],
    ["was opened by an account that is gone", { author: null }, false],
    ["has the label in another case", { labels: ["Idea"] }, true],
  ])("becomes a post or not: one that %s", async (_, facts, isMade) => {
    wish("CSV export", facts);
    if ("state" in facts) stage.github.close("acme/app", 1);
    await stage.sync();
    await stage.sync();
    expect(stage.calls).toHaveLength(isMade ? 1 : 0);
  });

  it.each<[string, (one: ImportStage) => void, number]>([
    ["a maintainer labels", ({ github }) => github.label("acme/app", 1, "idea"), 1],
    ["a program labels", ({ github }) => github.labelBy("labeler[bot]", "acme/app", 1, "idea"), 0],
    ["its author labels", ({ github }) => github.labelBy("ada", "acme/app", 1, "idea"), 0],
  ])("of a stranger that %s", async (_, label, made) => {
    wish("CSV export", { author: "ada", labels: [] });
    await stage.sync();
    label(stage);
    await stage.sync();
    expect(stage.calls).toHaveLength(made);
    stage.mark();
    await stage.sync();
    expect(stage.reads().filter((read) => read.endsWith("/events"))).toEqual([]);
  });

  it("of a stranger is taken with `fromAnyone`", async () => {
    stage.reconfigure({ projects: [{ ...importing, import: { labels: ["idea"], fromAnyone: true } }] });
    wish("CSV export", { author: "ada" });
    await stage.sync();
    expect(stage.calls).toHaveLength(1);
  });

  it("of a stranger becomes one as soon as the config takes it, though its list has not changed", async () => {
    wish("CSV export", { author: "stranger" });
    for (let run = 0; run < 2; run += 1) await stage.sync();
    stage.reconfigure({ projects: [{ ...importing, import: { ...importing.import, fromAnyone: true } }] });
    await stage.sync();
    expect(posts()).toEqual([["p1", "CSV export"]]);
  });

  it("becomes one with the next full look once another project has ended its link, though its list has not changed", async () => {
    wish("CSV export");
    const repositoryId = 1001;
    const issue = createIssue(1, { repositoryId });
    const of = { project: "prj_web" as ProjectId, post: "w1" as PostId };
    const link = { post: of.post, issue: { repositoryId, number: 1 }, origin: "adopted" } as const;
    await stage.ledger.commit([{ kind: "link", project: of.project, link, issue, content: undefined }]);
    for (let run = 0; run < 2; run += 1) await stage.sync();
    await stage.ledger.commit([{ ...of, kind: "end-links", issues: [link.issue], at: stage.clock.now() }]);
    await stage.sync();
    expect(posts()).toEqual([]);
    stage.clock.skip(7 * hourMs);
    await stage.sync();
    expect(posts()).toEqual([["p1", "CSV export"]]);
  });

  it("has a text that is fit for customers", async () => {
    wish("@ada: CSV", {
      body: "<!-- Please fill in. -->\nAsk @ada or mail ada@example.com.\n<script>alert(1)</script>\nghp_0123456789abcdef0123456789abcdef0123",
    });
    await stage.sync();
    const [{ title, description } = {}] = stage.calls;
    expect(title).toBe("@\u200Bada: CSV");
    expect(description).toBe(
      `Ask @\u200Bada or mail [e-mail].\n<\u200Bscript>alert(1)<\u200B/script>\n[secret]\n\n${stage.github.url}/acme/app/issues/1`,
    );
  });

  it("becomes none while another post is linked to it, and none again once a person has unlinked its own", async () => {
    wish("CSV export");
    stage.board.addPost("acme-app", { title: "Export", status: "open" });
    await stage.adopt();
    const issue = (await stage.ledger.imports.known(project))[0]?.issue;
    expect([stage.calls, issue]).toEqual([[], undefined]);
    await ask({ kind: "link", post: "p1", repository: "acme/app", number: 1 } as never);
    await stage.sync();
    expect(stage.calls).toEqual([]);
    wish("Dark mode");
    await stage.sync();
    await stage.sync();
    expect(await links("p2")).toEqual([2]);
    const repositoryId = stage.ledger.memory.repository("acme/app")?.repository.id ?? 0;
    await ask({ kind: "unlink", post: "p2", issues: [{ repositoryId, number: 2 }] } as never);
    await stage.sync();
    await stage.sync();
    expect([await links("p2"), stage.calls.length]).toEqual([[], 1]);
    expect(stage.github.issues("acme/app")).toHaveLength(2);
  });

  it("becomes none again, and is in nobody's way, where a person unlinks its post before a list has shown it", async () => {
    wish("CSV export");
    await stage.sync();
    const repositoryId = stage.ledger.memory.repository("acme/app")?.repository.id ?? 0;
    await ask({ kind: "unlink", post: "p1", issues: [{ repositoryId, number: 1 }] } as never);
    for (let run = 0; run < 3; run += 1) {
      await stage.sync();
      stage.clock.skip(hourMs);
    }
    expect([await links("p1"), stage.calls.length]).toEqual([[], 1]);
    expect(await stage.ledger.imports.known(project)).toEqual([]);
    expect(stage.github.issues("acme/app")).toHaveLength(1);
  });

  it("becomes one once a person has taken it from another post", async () => {
    stage.board.addPost("acme-app", { title: "Export", status: "open" });
    await stage.sync();
    wish("CSV export");
    await ask({ kind: "link", post: "p1", repository: "acme/app", number: 1 } as never);
    await stage.sync();
    await stage.sync();
    expect([await links("p1"), stage.calls]).toEqual([[1], []]);
    const repositoryId = stage.ledger.memory.repository("acme/app")?.repository.id ?? 0;
    await ask({ kind: "unlink", post: "p1", issues: [{ repositoryId, number: 1 }] } as never);
    await stage.sync();
    await stage.sync();
    expect(await links("p2")).toEqual([1]);
  });

  it.each<[string, object]>([
    ["writes: none", { writes: "none" }],
    ["writes: issues", { writes: "issues" }],
  ])("becomes none with %s", async (_, part) => {
    stage.reconfigure({ projects: [{ ...importing, ...part }] });
    wish("CSV export");
    expect(await stage.syncOne()).toMatchObject({ held: 0 });
    await approve();
    await stage.sync();
    expect(stage.calls).toEqual([]);
  });

  it("becomes none while the project, or it itself, is paused", async () => {
    const at = stage.clock.now();
    await stage.sync();
    await stage.ledger.commit([{ kind: "pause-whole", project, at }]);
    wish("CSV export");
    await stage.sync();
    expect(stage.calls).toEqual([]);
  });

  it("is held by the guard, and goes when a person approves it as it was shown", async () => {
    stage.reconfigure({ config: { board: { mcp: { tools } }, guard: { issues: 0 } } });
    for (const title of ["One", "Two", "Three"]) wish(title);
    expect(await stage.syncOne()).toMatchObject({ result: "held", held: 3, postWrites: 0 });
    expect(await stage.plan()).toMatchObject(
      Array.from({ length: 3 }, () => ({ when: "held", letGoBy: "approve" })),
    );
    const waits = await stage.ledger.rows.waiting(project, 9);
    expect(waits.map(({ planned }) => describeWaiting(planned, true))).toEqual(
      ["One", "Two", "Three"].map((title) => `new post: “${title}”`),
    );
    expect(describeWaiting(waits[0]?.planned, false)).toBe("new post");
    await approve();
    stage.github.edit("acme/app", 2, { title: "Another" });
    expect(await stage.syncOne()).toMatchObject({ held: 1, made: 2 });
    expect(posts().map(([, title]) => title)).toEqual(["One", "Three"]);
    await ask({ kind: "discard", posts: ["acme/app#2"] } as never);
    expect(await stage.syncOne()).toMatchObject({ result: "ok", held: 0 });
    await stage.sync();
    expect(stage.calls).toHaveLength(2);
    expect((await stage.explain("acme/app#2")).standing.kind).toBe("skipped");
    stage.reconfigure({ config: { board: { mcp: { tools } } } });
    await ask({ kind: "retry", posts: ["acme/app#2"] } as never);
    await stage.sync();
    expect(posts().map(([, title]) => title)).toEqual(["One", "Three", "Another"]);
  });

  it("stays approved while its repository can't be read", async () => {
    stage = await openImports({
      repositories: [
        { name: "acme/app", private: true, labels: ["feedback", "idea"], collaborators: ["maintainer"] },
        { name: "acme/api", private: true, labels: ["feedback"] },
      ],
      projects: [{ ...importing, route: [{ category: "cat_api", repo: "acme/api" }] }],
      config: { guard: { issues: 0 } },
    });
    wish("One");
    expect(await stage.syncOne()).toMatchObject({ held: 1 });
    await approve();
    const { id } = stage.ledger.memory.repository("acme/app" as RepositoryName)?.repository ?? {};
    const path = new RegExp(`^/(?:repos/acme/app|repositories/${id})(?:/|$)`);
    const answer = { kind: "answer", status: 403, body: { message: "Forbidden" }, headers: {} } as const;
    stage.github.failNext({ method: "GET", path, times: 1, answer });
    expect(await stage.syncOne()).toMatchObject({ result: "partial" });
    expect(stage.calls).toEqual([]);
    expect(await stage.syncOne()).toMatchObject({ result: "ok", made: 1 });
  });

  it("that a pause has held up is discarded with its end, also one that nobody has seen before", async () => {
    const at = stage.clock.now();
    await stage.ledger.commit([{ kind: "pause-whole", project, at }]);
    wish("One");
    await stage.sync();
    expect(await stage.ledger.rows.waiting(project, 9)).toMatchObject([
      { post: "acme/app#1", kind: "paused", cause: "project-paused" },
    ]);
    wish("Two");
    await ask({ kind: "resume-project", isDiscard: true } as never);
    await stage.sync();
    wish("Three");
    stage.faults.push("unsent");
    await stage.sync();
    await stage.ledger.commit([{ kind: "pause", project, post: "acme/app#3" as PostId, at }]);
    await stage.sync();
    await ask({ kind: "resume-discard", posts: ["acme/app#3"] } as never);
    stage.calls.length = 0;
    for (let run = 0; run < 2; run += 1) await stage.sync();
    expect([stage.calls, await stage.ledger.rows.waiting(project, 9)]).toEqual([[], []]);
  });

  it("is wanted again by a `retry` that was asked for after its `discard`, also where one run takes up both", async () => {
    stage.reconfigure({ config: { board: { mcp: { tools } }, guard: { issues: 0 } } });
    wish("One");
    expect(await stage.syncOne()).toMatchObject({ held: 1 });
    for (const kind of ["discard", "retry"]) {
      await ask({ kind, posts: ["acme/app#1"] } as never);
      stage.clock.skip(minuteMs);
    }
    expect(await stage.syncOne()).toMatchObject({ held: 1, skipped: 0 });
    expect((await stage.explain("acme/app#1")).standing.kind).toBe("wanted");
  });

  it("is held still where its title, or the name of its repository, is another one by now", async () => {
    const guarded = (issues: number) => ({ board: { mcp: { tools } }, guard: { issues }, fullEvery: "1h" });
    stage.reconfigure({ config: guarded(1) });
    wish("One");
    wish("Two");
    expect(await stage.syncOne()).toMatchObject({ held: 2 });
    stage.reconfigure({ config: guarded(50) });
    stage.github.edit("acme/app", 1, { title: "Another" });
    stage.github.renameRepository("acme/app", "acme/product");
    stage.clock.skip(2 * hourMs);
    expect(await stage.syncOne()).toMatchObject({ held: 2, postWrites: 0 });
    await approve();
    expect(await stage.syncOne()).toMatchObject({ held: 0, made: 2 });
  });

  it("is held no more once its label is gone", async () => {
    stage.reconfigure({ config: { board: { mcp: { tools } }, guard: { issues: 0 } } });
    wish("CSV export");
    expect(await stage.syncOne()).toMatchObject({ held: 1 });
    stage.github.unlabel("acme/app", 1, "idea");
    expect(await stage.syncOne()).toMatchObject({ result: "ok", held: 0 });
  });

  it("is looked at once more right before: a label that was taken away counts", async () => {
    wish("One");
    wish("Two");
    stage.beforeAnswer = () => stage.github.unlabel("acme/app", 2, "idea");
    await stage.sync();
    expect(posts()).toEqual([["p1", "One"]]);
  });

  it("becomes none where a person pauses it right before the call", async () => {
    stage.bend((world) => {
      const readIssue: typeof world.tracker.readIssue = async (...asked) => {
        const at = stage.clock.now();
        await stage.ledger.commit([{ kind: "pause", project, post: "acme/app#1" as PostId, at }]);
        return world.tracker.readIssue(...asked);
      };
      return {
        ...world,
        tools: stage.port,
        tracker: Object.assign(Object.create(world.tracker), { readIssue }),
      };
    });
    wish("One");
    await stage.sync();
    expect([stage.calls, (await call(1))?.state]).toEqual([[], "PREPARED"]);
    expect(await stage.ledger.rows.waiting(project, 9)).toMatchObject([{ kind: "paused", cause: "paused" }]);
  });

  it("that was moved meanwhile becomes none in its old place", async () => {
    wish("One");
    wish("Two");
    stage.beforeAnswer = () => stage.github.deleteIssue("acme/app", 2);
    expect(await stage.syncOne()).toMatchObject({ result: "ok" });
    expect(posts()).toEqual([["p1", "One"]]);
  });

  it("that moves after it has become a post becomes no second one", async () => {
    stage = await openImports({
      repositories: ["acme/app", "acme/api"].map((name) => ({
        ...{ name, private: true, labels: ["feedback", "idea"], collaborators: ["maintainer"] },
      })),
      projects: [{ ...importing, route: [{ status: "never", repo: "acme/api" }] }],
    });
    wish("CSV export");
    await stage.sync();
    await stage.sync();
    stage.github.transfer("acme/app", 1, "acme/api");
    // Nothing of the post says any more what it was made of.
    stage.board.editPost("acme-app", "p1", { title: "Exports", description: "As a table." });
    await stage.sync();
    stage.clock.skip(7 * hourMs);
    await stage.sync();
    await stage.sync();
    expect(stage.calls).toHaveLength(1);
    expect(await links("p1")).toEqual([1]);
    expect(await stage.syncOne()).toMatchObject({ held: 0 });
  });

  it("is held where a post names it, or is called so", async () => {
    wish("CSV export");
    wish("Dark mode");
    stage.board.addPost("acme-app", { title: "csv EXPORT", status: "open" });
    stage.board.addPost("acme-app", {
      title: "Night",
      status: "open",
      description: `As in ${stage.github.url}/acme/app/issues/2.`,
    });
    expect(await stage.syncOne()).toMatchObject({ held: 2, postWrites: 0 });
    expect(await stage.plan()).toMatchObject([
      { cause: "named", held: expect.stringContaining("boardsync link acme-app/p1 acme/app#1") },
      { cause: "named", held: expect.stringContaining("boardsync approve acme-app acme/app#2") },
    ]);
    await approve();
    expect(await stage.syncOne()).toMatchObject({ held: 0, made: 2 });
  });

  it("becomes no second post, and its post no second issue, after the state was lost", async () => {
    wish("CSV export");
    await stage.sync();
    await stage.sync();
    stage.loseState();
    for (let run = 0; run < 3; run += 1) {
      stage.clock.skip(hourMs);
      await stage.sync();
    }
    expect([stage.calls.length, stage.github.issues("acme/app").length]).toEqual([1, 1]);
    expect(await stage.plan()).toMatchObject([
      { kind: "create-issue", post: "p1", cause: "named" },
      { kind: "create-post", post: "acme/app#1", cause: "named" },
    ]);
  });

  it("becomes one after the state was lost only once a late request of that life would show", async () => {
    stage.board.addPost("acme-app", { title: "Other", status: "planned" });
    expect(await stage.syncOne()).toMatchObject({ created: 1 });
    wish("CSV export");
    stage.loseState();
    expect(await stage.syncOne()).toMatchObject({ waiting: 1, errors: [] });
    stage.clock.skip(10 * minuteMs);
    await stage.sync();
    expect(stage.calls).toEqual([]);
    stage.clock.skip(10 * minuteMs);
    await stage.sync();
    expect(stage.calls).toHaveLength(1);
  });

  it("becomes no second one where the board lists nothing for once, after the state was lost", async () => {
    wish("CSV export");
    await stage.sync();
    stage.loseState();
    expect(await stage.syncOne()).toMatchObject({ held: 2 });
    stage.board.removePost("acme-app", "p1");
    for (let run = 0; run < 3; run += 1) {
      stage.clock.skip(hourMs);
      await stage.sync();
    }
    stage.board.restorePost("acme-app", "p1");
    expect(await stage.syncOne()).toMatchObject({ held: 2 });
    expect(stage.calls).toHaveLength(1);
  });

  it.each(["no id", "wrong answer"] as const)(
    "is linked by its address where the answer has %s",
    async (fault) => {
      stage.board.addPost("acme-app", { title: "Other", status: "open" });
      await stage.sync();
      wish("CSV export");
      stage.faults.push(fault);
      await stage.sync();
      await stage.sync();
      expect([await links("p1"), await links("p2"), stage.calls.length]).toEqual([[], [1], 1]);
      expect(await stage.ledger.imports.known(project)).toEqual([]);
    },
  );

  it("is not what the answer names while that may be what another issue of its title has become", async () => {
    for (const title of ["CSV export", "CSV  Export"]) wish(title);
    stage.faults.push("answer lost", "wrong answer");
    await stage.sync();
    stage.clock.skip(hourMs);
    for (let run = 0; run < 2; run += 1) await stage.sync();
    expect([await links("p1"), await links("p2"), stage.calls.length]).toEqual([[1], [2], 2]);
  });

  it("is not what the answer names where that is what another issue has just become", async () => {
    for (const title of ["CSV export", "Dark mode"]) wish(title);
    stage.beforeAnswer = () => {
      stage.beforeAnswer = undefined;
      stage.faults.push("wrong answer");
    };
    for (let run = 0; run < 2; run += 1) await stage.sync();
    expect([await links("p1"), await links("p2"), stage.calls.length]).toEqual([[1], [2], 2]);
  });

  it("is parked where the board refuses it, until it changes", async () => {
    wish("CSV export");
    stage.faults.push("rejected");
    expect(await stage.syncOne()).toMatchObject({
      result: "partial",
      parked: 1,
      errors: [{ code: "board.tool" }],
    });
    expect(await stage.syncOne()).toMatchObject({ result: "held", parked: 1 });
    stage.github.edit("acme/app", 1, { title: "Export" });
    expect(await stage.syncOne()).toMatchObject({ result: "ok", parked: 0, made: 1 });
    expect(posts()).toEqual([["p1", "Export"]]);
  });

  it.each(["unsent", "limited"] as const)("is made later where the call was %s", async (fault) => {
    wish("CSV export");
    stage.faults.push(fault);
    await stage.sync();
    expect(stage.calls).toEqual([]);
    stage.clock.skip(hourMs);
    await stage.sync();
    expect(posts()).toEqual([["p1", "CSV export"]]);
  });

  it("that is refused for the key each time stands in no other's way", async () => {
    for (const title of ["Bad", "Good", "Better"]) wish(title);
    stage.faults.push("unauthorized");
    expect(await stage.syncOne()).toMatchObject({ errors: [{ code: "board.unauthorized" }] });
    stage.faults.push("lost", "lost");
    await stage.sync();
    expect(stage.calls.slice(0, 2).map(({ title }) => title)).toEqual(["Good", "Better"]);
  });

  it.each(["answer lost", "other id", undefined] as const)(
    "gets no second issue where the board takes links out of texts: %s",
    async (fault) => {
      wish("CSV export");
      if (fault !== undefined) stage.faults.push(fault);
      const strip = (): void => {
        for (const { id } of stage.board.posts("acme-app"))
          stage.board.editPost("acme-app", String(id), { description: "We want it." });
      };
      stage.beforeAnswer = strip;
      await stage.sync();
      strip();
      // A state that is lost knows no more of the call than what the board and the issues show.
      if (fault === undefined) stage.loseState();
      for (let run = 0; run < 4; run += 1) {
        await stage.sync();
        stage.clock.skip(20 * minuteMs);
      }
      expect(stage.github.issues("acme/app")).toHaveLength(1);
      const held = (await stage.ledger.rows.waiting(project, 9)).filter(({ kind }) => kind === "held");
      expect(held.map(({ cause }) => cause)).toContain("named");
      if (fault !== "other id") return;
      const message = expect.stringContaining("does not list it: feedback_p1 is not there");
      expect(await stage.ledger.rows.waiting(project, 9)).toContainEqual(
        expect.objectContaining({ kind: "parked", message }),
      );
    },
  );

  describe("whose answer was lost", () => {
    it("is taken as soon as a list shows its post, which gets no issue of its own", async () => {
      wish("CSV export");
      stage.faults.push("answer lost");
      expect(await stage.syncOne()).toMatchObject({ result: "partial", errors: [{ code: "board.unknown" }] });
      expect(await stage.syncOne()).toMatchObject({ result: "ok", created: 0, made: 1 });
      expect([await links("p1"), stage.calls.length, stage.github.issues("acme/app").length]).toEqual([
        [1],
        1,
        1,
      ]);
      expect(await call(1)).toMatchObject({ state: "DONE", result: "p1" });
    });

    it("is found where its repository has another name by now, and its post gets no issue", async () => {
      stage.reconfigure({ config: { board: { mcp: { tools } }, fullEvery: "1h" } });
      wish("CSV export");
      stage.faults.push("answer lost");
      await stage.sync();
      stage.github.renameRepository("acme/app", "acme/product");
      stage.clock.skip(2 * hourMs);
      await stage.sync();
      await stage.sync();
      const issues = stage.github.issues("acme/product");
      expect([await links("p1"), stage.calls.length, issues.length]).toEqual([[1], 1, 1]);
    });

    it("tells its post nothing where it is gone by then: its voters are not notified", async () => {
      const rules = [{ when: { state: "open" }, set: { status: "in_progress" } }];
      stage.reconfigure({ projects: [{ ...importing, rules }] });
      wish("CSV export");
      stage.faults.push("answer lost");
      await stage.sync();
      stage.github.deleteIssue("acme/app", 1);
      await stage.sync();
      await stage.sync();
      expect([await links("p1"), stage.calls.length]).toEqual([[1], 1]);
      expect(stage.patches()).toEqual([]);
    });

    it("is looked up where the answer shows another post", async () => {
      wish("CSV export");
      stage.faults.push("other title");
      expect(await stage.syncOne()).toMatchObject({ errors: [{ code: "board.unknown" }] });
      await stage.sync();
      expect([await links("p1"), stage.calls.length]).toEqual([[1], 1]);
    });

    it("is parked for a person after five calls without an answer or a post", async () => {
      wish("CSV export");
      stage.faults.push(...Array.from({ length: 9 }, () => "lost" as const));
      for (let run = 0; run < 20; run += 1) {
        await stage.sync();
        stage.clock.skip(hourMs);
      }
      expect(stage.calls).toHaveLength(5);
      const message = expect.stringContaining("5 calls got no answer, and made none");
      expect(await stage.ledger.rows.waiting(project, 9)).toMatchObject([{ kind: "parked", message }]);
    });

    it("is made once more when it provably was not, and not before", async () => {
      wish("CSV export");
      stage.faults.push("lost");
      await stage.sync();
      stage.clock.skip(5 * minuteMs);
      expect(await stage.syncOne()).toMatchObject({ waiting: 1 });
      expect(stage.calls).toHaveLength(1);
      stage.clock.skip(15 * minuteMs);
      await stage.sync();
      expect(posts()).toEqual([["p1", "CSV export"]]);
      expect(stage.calls).toHaveLength(2);
    });

    it("is not made once more because the board suddenly lists nothing", async () => {
      stage.board.addPost("acme-app", { title: "Export", status: "open" });
      await stage.sync();
      wish("CSV export");
      stage.faults.push("answer lost");
      await stage.sync();
      const [first, made] = stage.board.posts("acme-app").map(({ id }) => id);
      for (const id of [first, made]) stage.board.removePost("acme-app", String(id));
      stage.clock.skip(hourMs);
      expect(await stage.syncOne()).toMatchObject({ parked: 1, errors: [{ code: "board.unsure" }] });
      for (const id of [first, made]) stage.board.restorePost("acme-app", String(id));
      expect(await stage.syncOne()).toMatchObject({ parked: 0 });
      expect([await links("p2"), stage.calls.length]).toEqual([[1], 1]);
    });

    it("is parked where another new post is called so, until a person says which it is", async () => {
      wish("CSV export");
      stage.faults.push("lost");
      await stage.sync();
      stage.board.addPost("acme-app", { title: "CSV export", status: "open" });
      stage.clock.skip(hourMs);
      expect(await stage.syncOne()).toMatchObject({ parked: 1, errors: [{ code: "board.unsure" }] });
      expect(await stage.syncOne()).toMatchObject({ result: "held", parked: 1 });
      expect(stage.calls).toHaveLength(1);
      await ask({ kind: "retry", posts: ["acme/app#1"] } as never);
      expect(await stage.syncOne()).toMatchObject({ held: 1, parked: 0 });
      await approve();
      await stage.sync();
      expect(stage.calls).toHaveLength(2);
    });

    it("is parked where a moderator has written its post anew, which gets no issue, until a person links it", async () => {
      stage.board.addPost("acme-app", { title: "Other", status: "open" });
      await stage.sync();
      wish("CSV export");
      stage.faults.push("answer lost");
      await stage.sync();
      stage.board.editPost("acme-app", "p2", { title: "Tables", description: "For Excel." });
      expect(await stage.syncOne()).toMatchObject({ held: 1, parked: 0, created: 0 });
      stage.clock.skip(hourMs);
      const parked = [{ code: "board.unsure", message: expect.stringContaining("it may be p2") }];
      expect(await stage.syncOne()).toMatchObject({ held: 1, parked: 1, errors: parked });
      // What comes later is another one.
      stage.clock.skip(hourMs);
      stage.board.addPost("acme-app", { title: "Dark mode", status: "planned" });
      expect(await stage.syncOne()).toMatchObject({ held: 1, parked: 1, created: 1 });
      await ask({ kind: "link", post: "p2", repository: "acme/app", number: 1 } as never);
      await stage.sync();
      expect(await stage.syncOne()).toMatchObject({ result: "ok", held: 0, parked: 0 });
      expect([await links("p2"), stage.calls.length]).toEqual([[1], 1]);
    });

    it("is not in doubt for the post of another one that is found, and holds new posts no longer than needed", async () => {
      wish("CSV export");
      wish("Dark mode");
      stage.faults.push("lost", "answer lost");
      await stage.sync();
      stage.board.addPost("acme-app", {
        title: "Night",
        status: "planned",
        createdAt: "2020-01-01T00:00:00Z",
      });
      expect(await stage.syncOne()).toMatchObject({ held: 0, created: 1, made: 1 });
      stage.clock.skip(hourMs);
      expect(await stage.syncOne()).toMatchObject({ held: 0, parked: 0, made: 1 });
      expect(stage.calls).toHaveLength(3);
    });

    it("is over once a person links the post", async () => {
      wish("CSV export");
      stage.faults.push("lost");
      await stage.sync();
      stage.board.addPost("acme-app", { title: "CSV export", status: "open" });
      stage.clock.skip(hourMs);
      await stage.sync();
      await ask({ kind: "link", post: "p1", repository: "acme/app", number: 1 } as never);
      await stage.sync();
      expect(await stage.syncOne()).toMatchObject({ result: "ok", parked: 0 });
      expect(await call(1)).toMatchObject({ state: "DONE", result: "p1" });
    });
  });

  it("is made by one of two projects that ask for it", async () => {
    stage = await openImports({
      boardProjects: [
        { id: "prj_app", slug: "acme-app", name: "App" },
        { id: "prj_web", slug: "acme-web", name: "Web" },
      ],
      projects: [importing, { ...importing, project: "acme-web" }],
    });
    wish("CSV export");
    await stage.sync();
    await stage.sync();
    expect(stage.calls).toHaveLength(1);
  });

  it("is made by one of two replicas that have one of these projects each, also where its answer is lost", async () => {
    const made: string[] = [];
    const portOf = (key: string): BoardTools => ({
      purposes: new Set(["feedbackCreate"]),
      requests: 0,
      list: () => Promise.reject(new Error("no list")),
      call: async () => {
        made.push(key);
        return { kind: "unknown", message: "The answer broke off." };
      },
    });
    stage = await openImports({
      boardProjects: twoProjects,
      projects: [importing, { ...importing, project: "acme-api" }],
    });
    let world: World | undefined;
    stage.bend((one) => {
      world = one;
      return one;
    });
    stage.board.addPost("acme-api", { title: "Post", status: "planned" });
    await stage.sync();
    await stage.sync();
    const runOf = async (key: string): Promise<void> => {
      if (world === undefined) throw new Error("no run yet");
      await stage.run("sync", { ...world, tools: portOf(key) }, [key]);
    };
    wish("CSV export");
    stage.github.label("acme/app", 1, "in progress");
    // The one has decided, and writes something else first; meanwhile the other one decides the same.
    stage.atNextWrite("board", "before", () => runOf("acme-app"));
    await runOf("acme-api");
    expect(made).toEqual(["acme-app"]);
  });

  it("is told of by explain", async () => {
    stage.reconfigure({ config: { board: { mcp: { tools } }, guard: { issues: 0 } } });
    wish("CSV export");
    await stage.sync();
    const story = await stage.explain("acme/app#1");
    expect(story.standing).toEqual({
      kind: "wanted",
      reason: "the issue is to become a post (`import`)",
    });
    expect(story.next).toEqual(["It needs you: `boardsync approve acme-app acme/app#1`."]);
  });
});
