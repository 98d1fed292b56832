import { describe, expect, it } from "vitest";
import type { PostId, ProjectId } from "../../src/model/post.ts";
import type { BoardStyleOptions } from "../support/sandbox/board/style.ts";
import { addPlanned, hourMs, minuteMs, openStage, type Stage, standardProject } from "../support/stage.ts";

const project = "prj_app" as ProjectId;
const p1 = "p1" as PostId;
const canary = "canary: call Ada";

async function openPair(note: string | null = null, style: BoardStyleOptions = {}): Promise<Stage> {
  const stage = await openStage({ projects: [{ ...standardProject, backlink: true }], style });
  addPlanned(stage, [{ title: "Export", internalNote: note }]);
  await stage.sync();
  return stage;
}

function noteOf(stage: Stage): string | null | undefined {
  return stage.board.post("acme-app", "p1")?.internalNote;
}

function notePatches(stage: Stage): readonly unknown[] {
  return stage.patches().flatMap(({ body }) => (JSON.stringify(body).includes("internalNote") ? [body] : []));
}

async function link(stage: Stage, number: number): Promise<void> {
  await stage.ledger.commit([
    {
      kind: "add-request",
      request: {
        kind: "link",
        project,
        at: stage.clock.now(),
        post: p1,
        repository: "acme/app",
        number,
      },
    },
  ]);
  await stage.sync();
}

async function unlink(stage: Stage, number: number): Promise<void> {
  const repositoryId = stage.ledger.memory.repository("acme/app")?.repository.id ?? 0;
  const issues = [{ repositoryId, number }];
  await stage.ledger.commit([
    { kind: "add-request", request: { kind: "unlink", project, at: stage.clock.now(), post: p1, issues } },
  ]);
  await stage.sync();
}

describe("the internal note of a post with an issue", () => {
  it.each([
    ["nothing", null, "Tracked in acme/app#1"],
    ["text", canary, `${canary}\nTracked in acme/app#1`],
    ["text with a line end", `${canary}\n`, `${canary}\nTracked in acme/app#1`],
    ["Windows' line ends", `a\r\n${canary}`, `a\r\n${canary}\r\nTracked in acme/app#1`],
    ["our line from a life before", "Tracked in acme/app#7\nmore", "Tracked in acme/app#1\nmore"],
  ])("that holds %s gets one line, by the next run, and mails nobody", async (_, before, after) => {
    const stage = await openPair(before);
    expect(noteOf(stage)).toBe(before);
    expect(await stage.syncOne()).toMatchObject({ postWrites: 1, statusWrites: 0, failed: 0 });
    expect(noteOf(stage)).toBe(after);
    expect(notePatches(stage)).toEqual([{ internalNote: after }]);
    expect(stage.board.notifications).toEqual([]);
    stage.mark();
    for (let run = 0; run < 3; run += 1) expect(await stage.sync()).toMatchObject({ result: "ok" });
    expect(stage.writes()).toEqual([]);
  });

  it("is one line also where the repository was renamed, and the state lost", async () => {
    const stage = await openPair(canary);
    await stage.sync();
    stage.github.renameRepository("acme/app", "acme/new");
    stage.loseState();
    for (let run = 0; run < 4; run += 1) {
      stage.clock.skip(hourMs);
      await stage.sync();
    }
    expect(noteOf(stage)).toBe(`${canary}\nTracked in acme/new#1`);
  });

  it("names every issue, and none any more when the last link is ended", async () => {
    const stage = await openPair(canary);
    await stage.sync();
    stage.github.openIssue("acme/app", { title: "By hand", author: "ada" });
    await link(stage, 2);
    await stage.sync();
    expect(noteOf(stage)).toBe(`${canary}\nTracked in acme/app#1, acme/app#2`);
    await unlink(stage, 1);
    await stage.sync();
    expect(noteOf(stage)).toBe(`${canary}\nTracked in acme/app#2`);
    await unlink(stage, 2);
    await stage.sync();
    expect(noteOf(stage)).toBe(canary);
  });

  it("is null again when it held nothing but our line", async () => {
    const stage = await openPair();
    await stage.sync();
    await unlink(stage, 1);
    await stage.sync();
    expect(noteOf(stage)).toBeNull();
  });

  it("keeps what people write around the line, and is not fought over when they take it away", async () => {
    const stage = await openPair();
    await stage.sync();
    await stage.sync();
    stage.board.editPost("acme-app", "p1", { internalNote: canary });
    stage.mark();
    for (let run = 0; run < 3; run += 1) await stage.sync();
    expect(stage.writes()).toEqual([]);
    stage.github.openIssue("acme/app", { title: "By hand", author: "ada" });
    await link(stage, 2);
    await stage.sync();
    expect(noteOf(stage)).toBe(`${canary}\nTracked in acme/app#1, acme/app#2`);
  });

  it("that did not take the line is said once, and not written again", async () => {
    const stage = await openPair();
    stage.board.failNext(
      { kind: "answer", status: 200, body: {} },
      { when: ({ method }) => method === "PATCH" },
    );
    await stage.sync();
    stage.mark();
    for (let run = 0; run < 3; run += 1) await stage.sync();
    expect(stage.writes()).toEqual([]);
    expect(stage.log.filter((line) => line.includes("did not stick"))).toHaveLength(1);
  });

  it("is found to say it already after the state was lost", async () => {
    const stage = await openPair(canary);
    await stage.sync();
    stage.loseState();
    stage.mark();
    for (let run = 0; run < 3; run += 1) await stage.sync();
    expect(stage.writes()).toEqual([]);
  });

  it.each([
    ["is hidden", { showsPrivate: false }],
    ["is never shown", { hidden: ["internalNote"] }],
  ])("is left alone where it %s", async (_, style) => {
    const stage = await openPair(canary, style);
    await stage.sync();
    await stage.sync();
    expect(notePatches(stage)).toEqual([]);
  });

  it("counts as empty where it is left out and other records show theirs", async () => {
    const stage = await openPair(null, { omitsNull: true });
    stage.board.addPost("acme-app", { title: "Other", internalNote: "x" });
    await stage.sync();
    expect(noteOf(stage)).toBe("Tracked in acme/app#1");
  });

  it.each([
    ["archived", { isArchived: true }],
    ["gone", undefined],
  ])("is left alone while the post is %s", async (_, fields) => {
    const stage = await openPair(canary);
    if (fields === undefined) stage.board.removePost("acme-app", "p1");
    else stage.board.editPost("acme-app", "p1", fields);
    await stage.sync();
    await stage.sync();
    expect(notePatches(stage)).toEqual([]);
  });

  it.each([{ backlink: false }, { writes: "issues" }, { writes: "none" }])(
    "is left alone with %o, and written when that changes",
    async (changes) => {
      const stage = await openStage({ projects: [{ ...standardProject, backlink: true }] });
      addPlanned(stage, 1);
      await stage.sync();
      stage.reconfigure({ projects: [{ ...standardProject, backlink: true, ...changes }] });
      await stage.sync();
      expect(notePatches(stage)).toEqual([]);
      stage.reconfigure({ projects: [{ ...standardProject, backlink: true }] });
      await stage.sync();
      expect(noteOf(stage)).toBe("Tracked in acme/app#1");
    },
  );

  it("is in the plan with nothing but our line, and no plan writes it", async () => {
    const stage = await openPair(canary);
    expect(await stage.plan()).toMatchObject([
      {
        kind: "patch-note",
        post: "p1",
        issue: "acme/app#1",
        fields: { internalNote: "Tracked in acme/app#1" },
        reason: "the issues of the post have changed since its note was last written",
        notifies: 0,
        when: "now",
      },
    ]);
    expect(noteOf(stage)).toBe(canary);
  });

  it("is not in a plan that puts the post into quarantine, as it is not written then", async () => {
    const projects = [{ ...standardProject, backlink: true }];
    const stage = await openStage({ projects, config: { guard: { flips: 0 } } });
    addPlanned(stage, 1);
    await stage.sync();
    stage.github.close("acme/app", 1, "completed");
    stage.board.editPost("acme-app", "p1", { title: "Another title" });
    const planned = (await stage.plan()).map(({ kind, letGoBy }) => [kind, letGoBy]);
    expect(planned).toEqual([
      ["update-issue", undefined],
      ["patch-post", "release"],
    ]);
    expect(await stage.syncOne()).toMatchObject({ issueWrites: 1, postWrites: 0, quarantined: 1 });
  });

  it("waits, and is said to, while its post is about to get another issue, and the plan says the same", async () => {
    const stage = await openPair();
    await stage.sync();
    const repositoryId = stage.ledger.memory.repository("acme/app")?.repository.id ?? 0;
    const at = stage.clock.now();
    await stage.ledger.commit([
      {
        kind: "add-request",
        request: {
          kind: "unlink",
          project,
          at,
          post: p1,
          issues: [{ repositoryId, number: 1 }],
        },
      },
      { kind: "add-request", request: { kind: "retry", project, at, posts: [p1] } },
    ]);
    expect((await stage.plan()).map(({ kind }) => kind)).toEqual(["create-issue"]);
    expect(await stage.syncOne()).toMatchObject({ created: 1, postWrites: 0, waiting: 1 });
    expect(noteOf(stage)).toBe("Tracked in acme/app#1");
    expect(await stage.syncOne()).toMatchObject({ postWrites: 1, waiting: 0 });
    expect(noteOf(stage)).toBe("Tracked in acme/app#2");
  });

  it("is in no log, no message, no file and no request to GitHub", async () => {
    const stage = await openPair(canary);
    const body = { error: { message: `${canary} is too long`, internalNote: canary } };
    const isPatch = { when: ({ method }: { readonly method: string }) => method === "PATCH" };
    for (const status of [500, 429, 401, 422]) {
      stage.board.failNext({ kind: "answer", status, body }, isPatch);
      await stage.sync();
      stage.clock.skip(10 * minuteMs);
    }
    await stage.sync();
    expect(notePatches(stage)).toHaveLength(4);
    const seen = [stage.log.join("\n"), stage.stateBytes(), JSON.stringify(stage.github.requests)];
    expect(seen.map((text) => text.includes("canary"))).toEqual([false, false, false]);
    const lines = await stage.ledger.journal.history(project, p1, 1);
    expect(lines).toMatchObject([{ kind: "patch-note", fields: [{ value: "Tracked in acme/app#1" }] }]);
  });
});

describe("a change of an internal note that goes wrong", () => {
  it("says that the key may not change notes where the board forbids that alone", async () => {
    const stage = await openPair(canary);
    stage.board.failNext(
      { kind: "answer", status: 403, body: { message: "Needs another plan" } },
      { when: ({ method }) => method === "PATCH" },
    );
    const message = expect.stringContaining("does not let this key change internal notes");
    expect(await stage.syncOne()).toMatchObject({
      errors: [{ post: "p1", code: "board.unauthorized", message }],
    });
  });

  it.each([
    ["was applied", true, 1],
    ["was not applied", false, 2],
  ])("is read again when the answer is lost and it %s", async (_, applied, sent) => {
    const stage = await openPair(canary);
    stage.board.failNext({ kind: "reset", applied }, { when: ({ method }) => method === "PATCH" });
    expect(await stage.syncOne()).toMatchObject({ errors: [{ post: "p1", code: "board.unknown" }] });
    await stage.sync();
    expect(notePatches(stage)).toHaveLength(1);
    stage.clock.skip(2 * minuteMs);
    await stage.sync();
    await stage.sync();
    expect(notePatches(stage)).toHaveLength(sent);
    expect(noteOf(stage)).toBe(`${canary}\nTracked in acme/app#1`);
    expect(await stage.sync()).toMatchObject({ result: "ok" });
  });

  it.each([
    [422, "board.note", 1],
    [404, "board.missing", 1],
    [401, "board.unauthorized", 2],
  ])("is said when the board answers %i", async (status, code, sent) => {
    const stage = await openPair();
    stage.board.failNext({ kind: "answer", status }, { when: ({ method }) => method === "PATCH" });
    const report = await stage.syncOne();
    expect(report.errors).toMatchObject([{ post: "p1", code }]);
    await stage.sync();
    await stage.sync();
    expect(notePatches(stage)).toHaveLength(status === 404 ? 2 : sent);
  });

  it("waits, and is said to, where the board limits requests", async () => {
    const stage = await openPair();
    const headers = { "retry-after": "60" };
    stage.board.failNext(
      { kind: "answer", status: 429, headers },
      { when: ({ method }) => method === "PATCH" },
    );
    expect(await stage.syncOne()).toMatchObject({
      ...{ result: "ok", postWrites: 0, waiting: 1, failed: 0 },
      putOff: [{ code: "board.limited" }],
    });
    stage.clock.skip(2 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ postWrites: 1, waiting: 0 });
  });

  it("waits, and is said to, where writes are turned off before it has left", async () => {
    const stage = await openPair();
    stage.bend((world) => ({
      ...world,
      ledger: Object.assign(Object.create(world.ledger), {
        assertHeld: async () => {
          stage.reconfigure({ projects: [{ ...standardProject, backlink: true, writes: "none" }] });
          await world.ledger.assertHeld();
        },
      }),
    }));
    expect(await stage.syncOne()).toMatchObject({
      ...{ postWrites: 0, waiting: 1, failed: 0 },
      putOff: [{ code: "config.changed" }],
    });
    expect(notePatches(stage)).toEqual([]);
  });

  /** A run of two creates, a minute apart, which has the note of `p1` still to write. */
  async function openLong(): Promise<Stage> {
    const tracker = { pace: { minIntervalMs: 61_000 } };
    const projects = [{ ...standardProject, backlink: true }];
    const stage = await openStage({ projects, config: { tracker } });
    addPlanned(stage, 1);
    await stage.sync();
    addPlanned(stage, 2);
    return stage;
  }

  it("reads the note once more where the run has taken long since it read it", async () => {
    const stage = await openLong();
    expect(await stage.syncOne()).toMatchObject({ created: 2, postWrites: 1, waiting: 0, failed: 0 });
    expect(noteOf(stage)).toBe("Tracked in acme/app#1");
  });

  it("waits, and is said to, where people have edited the note in that time", async () => {
    const stage = await openLong();
    stage.atNextWrite("tracker", "after", () => {
      stage.board.editPost("acme-app", "p1", { internalNote: "Ask sales" });
    });
    expect(await stage.syncOne()).toMatchObject({ created: 2, postWrites: 0, waiting: 1, failed: 0 });
    expect(noteOf(stage)).toBe("Ask sales");
    expect(await stage.syncOne()).toMatchObject({ postWrites: 3, waiting: 0 });
    expect(noteOf(stage)).toBe("Ask sales\nTracked in acme/app#1");
  });

  it.each([
    [429, { result: "ok", waiting: 1, failed: 0, putOff: [{ code: "board.limited" }] }],
    [500, { result: "partial", waiting: 0, errors: [{ post: "p1", code: "board.unreachable" }] }],
  ])("stops nothing else where that look gets a %i", async (status, said) => {
    const stage = await openLong();
    stage.atNextWrite("tracker", "after", () => {
      stage.board.failNext({ kind: "answer", status }, { when: ({ method }) => method === "GET" });
    });
    expect(await stage.syncOne()).toMatchObject({ created: 2, postWrites: 0, ...said });
  });

  it("leaves the note for the next run when the process dies in the middle of it", async () => {
    const stage = await openPair(canary);
    stage.crashAt("board", "after");
    await expect(stage.sync()).rejects.toThrow("died");
    stage.restart();
    stage.clock.skip(3 * minuteMs);
    await stage.sync();
    stage.clock.skip(3 * minuteMs);
    await stage.sync();
    expect(noteOf(stage)).toBe(`${canary}\nTracked in acme/app#1`);
    expect(await stage.ledger.journal.open(project)).toEqual([]);
  });
});
