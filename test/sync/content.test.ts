import { describe, expect, it } from "vitest";
import { addPlanned, minuteMs, openStage, type Stage, standardProject } from "../support/stage.ts";

async function openPair(changes: Readonly<Record<string, unknown>> = {}): Promise<Stage> {
  const stage = await openStage({ projects: [{ ...standardProject, ...changes }] });
  addPlanned(stage, [{ title: "Export", description: "To CSV." }]);
  await stage.sync();
  stage.mark();
  return stage;
}

function bodyOf(stage: Stage): string {
  return stage.github.issue("acme/app", 1).body ?? "";
}

describe("a post that people edit", () => {
  it("updates title and block of its issue, once", async () => {
    const stage = await openPair();
    stage.board.editPost("acme-app", "p1", { title: "Export to Excel", description: "To XLSX." });
    expect(await stage.syncOne()).toMatchObject({ issueWrites: 1, postWrites: 0, failed: 0 });
    expect(stage.github.issue("acme/app", 1).title).toBe("Export to Excel");
    expect(bodyOf(stage)).toContain("To XLSX.");
    expect(bodyOf(stage)).not.toContain("To CSV.");
    expect(stage.writes()).toEqual(["PATCH /repos/acme/app/issues/1"]);
    await stage.sync();
    expect(stage.writes()).toHaveLength(1);
  });

  it("leaves what people wrote above and below the block to the letter", async () => {
    const stage = await openPair();
    const written = `Our notes\r\n\r\n${bodyOf(stage).replaceAll("\n", "\r\n")}\r\nMore, with a trailing blank \r\n`;
    stage.github.edit("acme/app", 1, { body: written });
    stage.board.editPost("acme-app", "p1", { description: "To XLSX." });
    expect(await stage.syncOne()).toMatchObject({ issueWrites: 1, parked: 0 });
    expect(bodyOf(stage)).toMatch(/^Our notes\r\n\r\n<!-- boardsync:v1 /);
    expect(bodyOf(stage)).toContain("To XLSX.");
    expect(bodyOf(stage).endsWith("\r\nMore, with a trailing blank \r\n")).toBe(true);
  });

  it("is cut to the room that people leave in the issue, and whole again when they make room", async () => {
    const stage = await openPair();
    const note = `\n${"note ".repeat(10_000)}`;
    stage.github.edit("acme/app", 1, { body: `${bodyOf(stage)}${note}` });
    const description = "All of it. ".repeat(3_000);
    stage.board.editPost("acme-app", "p1", { description });
    expect(await stage.syncOne()).toMatchObject({ result: "ok", issueWrites: 1, parked: 0 });
    expect(bodyOf(stage)).toMatch(/^<!-- boardsync:v1 [^\n]*-->\nAll of it\./);
    expect(bodyOf(stage)).toContain("(cut; the whole text is in the post)");
    expect(bodyOf(stage).endsWith(note)).toBe(true);
    expect(await stage.plan()).toEqual([]);
    for (let run = 0; run < 2; run += 1)
      expect(await stage.syncOne()).toMatchObject({ result: "ok", issueWrites: 0 });
    stage.github.edit("acme/app", 1, { body: bodyOf(stage).replace(note, "\nshort") });
    expect(await stage.syncOne()).toMatchObject({ result: "ok", issueWrites: 1, parked: 0 });
    expect(bodyOf(stage)).toContain(description.trim());
    expect(bodyOf(stage)).not.toContain("(cut;");
    expect(await stage.syncOne()).toMatchObject({ issueWrites: 0 });
  });

  it("is the notice alone where people leave next to no room, until they make some", async () => {
    const stage = await openPair();
    const note = "n".repeat(65_535 - Buffer.byteLength(bodyOf(stage)));
    stage.github.edit("acme/app", 1, { body: `${bodyOf(stage)}${note}` });
    stage.board.editPost("acme-app", "p1", { description: `To XLSX. ${"And more. ".repeat(50)}` });
    expect(await stage.syncOne()).toMatchObject({ result: "ok", parked: 0, issueWrites: 1 });
    expect(bodyOf(stage)).toContain("-->\n… (cut; the whole text is in the post)\n");
    expect(bodyOf(stage).endsWith(note)).toBe(true);
    stage.clock.skip(minuteMs);
    stage.github.edit("acme/app", 1, { body: bodyOf(stage).replace(note, "\nshort") });
    expect(await stage.syncOne()).toMatchObject({ result: "ok", parked: 0, issueWrites: 1 });
    expect(bodyOf(stage)).toContain("To XLSX. And more.");
  });

  it("goes on by itself where people take their words out of the block again", async () => {
    const stage = await openPair();
    const before = bodyOf(stage);
    stage.github.edit("acme/app", 1, { body: before.replace("To CSV.", "To CSV, with headers.") });
    stage.board.editPost("acme-app", "p1", { description: "To XLSX." });
    expect(await stage.syncOne()).toMatchObject({ parked: 1 });
    stage.github.edit("acme/app", 1, { body: before });
    expect(await stage.syncOne()).toMatchObject({ result: "ok", parked: 0, issueWrites: 1 });
    expect(bodyOf(stage)).toContain("To XLSX.");
  });

  it("is held for an issue whose block people edited, and said once", async () => {
    const stage = await openPair();
    stage.github.edit("acme/app", 1, { body: bodyOf(stage).replace("To CSV.", "To CSV, with headers.") });
    stage.board.editPost("acme-app", "p1", { description: "To XLSX." });
    expect(await stage.sync()).toMatchObject({
      result: "partial",
      projects: [
        { parked: 1, failed: 1, errors: [{ post: "p1", issue: "acme/app#1", code: "tracker.edited" }] },
      ],
    });
    expect(await stage.sync()).toMatchObject({ result: "held", projects: [{ parked: 1, errors: [] }] });
    expect(stage.writes()).toEqual([]);
    expect(bodyOf(stage)).toContain("with headers");
  });

  it("waits no more once it says again what the issue says", async () => {
    const stage = await openPair();
    stage.github.edit("acme/app", 1, { body: bodyOf(stage).replace("To CSV.", "To CSV, with headers.") });
    stage.board.editPost("acme-app", "p1", { description: "To XLSX." });
    await stage.sync();
    stage.board.editPost("acme-app", "p1", { description: "To CSV." });
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ parked: 0 }] });
  });

  it("leaves a title that people changed to them, and updates the block", async () => {
    const stage = await openPair();
    stage.github.edit("acme/app", 1, { title: "CSV export (Q3)" });
    stage.board.editPost("acme-app", "p1", { title: "Export to Excel", description: "To XLSX." });
    expect(await stage.syncOne()).toMatchObject({ issueWrites: 1 });
    expect(stage.github.issue("acme/app", 1).title).toBe("CSV export (Q3)");
    expect(bodyOf(stage)).toContain("To XLSX.");
    stage.mark();
    stage.board.editPost("acme-app", "p1", { title: "Export to Numbers" });
    expect(await stage.syncOne()).toMatchObject({ issueWrites: 0, failed: 0 });
    expect(stage.writes()).toEqual([]);
  });

  it("changes nothing where only the address of a picture is signed anew", async () => {
    const stage = await openPair();
    const sign = (time: number): string =>
      `Like this: ![picture](https://files.example.com/1.png?X-Amz-Date=${time}&X-Amz-Signature=${`${time}a`.repeat(32)})`;
    stage.board.editPost("acme-app", "p1", { description: sign(1) });
    expect(await stage.syncOne()).toMatchObject({ issueWrites: 1 });
    stage.board.editPost("acme-app", "p1", { description: sign(2) });
    expect(await stage.syncOne()).toMatchObject({ issueWrites: 0 });
    expect(bodyOf(stage)).toContain("Like this: [picture](https://files.example.com/1.png)");
  });

  it("changes nothing with `content: once`", async () => {
    const stage = await openPair({ content: "once" });
    stage.board.editPost("acme-app", "p1", { description: "To XLSX." });
    await stage.sync();
    expect(stage.writes()).toEqual([]);
    expect(bodyOf(stage)).toContain("To CSV.");
  });

  it("goes on after the state was lost, and starts from what the post says when its issue is found", async () => {
    const stage = await openPair();
    stage.loseState();
    await stage.sync();
    expect(stage.writes()).toEqual([]);
    stage.board.editPost("acme-app", "p1", { description: "To XLSX." });
    stage.clock.skip(15 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ issueWrites: 1 });
    expect(bodyOf(stage)).toContain("To XLSX.");
  });

  it("overwrites nothing that people wrote before the state was lost", async () => {
    const stage = await openPair();
    stage.github.edit("acme/app", 1, { body: bodyOf(stage).replace("To CSV.", "To CSV, with headers.") });
    stage.loseState();
    await stage.sync();
    expect(stage.writes()).toEqual([]);
    stage.board.editPost("acme-app", "p1", { description: "To XLSX." });
    expect(await stage.syncOne()).toMatchObject({ parked: 1, errors: [{ code: "tracker.edited" }] });
    expect(bodyOf(stage)).toContain("with headers");
  });

  it("never changes the text of an issue that a trusted account opened", async () => {
    const stage = await openPair();
    const body = bodyOf(stage);
    stage.github.deleteIssue("acme/app", 1);
    stage.github.openIssue("acme/app", { title: "Mine", body, author: "old-bot" });
    stage.loseState();
    stage.reconfigure({ config: { tracker: { trustedAuthors: ["old-bot"] } } });
    expect(await stage.syncOne()).toMatchObject({ adopted: 1 });
    stage.mark();
    stage.board.editPost("acme-app", "p1", { description: "To XLSX." });
    await stage.sync();
    expect(stage.writes()).toEqual([]);
  });
});

describe("an update of an issue that goes wrong", () => {
  it.each([
    ["was applied", true, []],
    ["was not applied", false, ["PATCH /repos/acme/app/issues/1"]],
  ])("is looked at again when the answer is lost and it %s", async (_, applied, further) => {
    const stage = await openPair();
    stage.github.failNext({ method: "PATCH", applied, answer: { kind: "answer", status: 502 } });
    stage.board.editPost("acme-app", "p1", { description: "To XLSX." });
    const report = await stage.syncOne();
    expect(report).toMatchObject({ issueWrites: 0, waiting: 1, errors: [{ code: "tracker.unknown" }] });
    stage.mark();
    stage.clock.skip(15 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ waiting: 0, failed: 0 });
    expect(stage.writes()).toEqual(further);
    expect(bodyOf(stage)).toContain("To XLSX.");
    expect(await stage.sync()).toMatchObject({ result: "ok" });
  });

  it("and arrives late replaces no newer text: that waits until it can't arrive any more", async () => {
    const stage = await openPair();
    stage.github.failNext({ method: "PATCH", applied: "late", answer: { kind: "reset" } });
    stage.board.editPost("acme-app", "p1", { description: "To XLSX." });
    await stage.sync();
    stage.board.editPost("acme-app", "p1", { description: "To ODS." });
    expect(await stage.syncOne()).toMatchObject({ issueWrites: 0, waiting: 1, failed: 0 });
    stage.github.landLate();
    stage.clock.skip(15 * minuteMs);
    expect(await stage.syncOne()).toMatchObject({ issueWrites: 2, parked: 0 });
    expect(bodyOf(stage)).toContain("To ODS.");
    expect(await stage.sync()).toMatchObject({ result: "ok" });
  });

  it.each([
    ["is refused", { kind: "answer", status: 422, body: { message: "no" } }, "tracker.rejected", 1, 1],
    [
      "meets a dead token",
      { kind: "answer", status: 401, body: { message: "Bad credentials" } },
      "tracker.unauthorized",
      0,
      2,
    ],
  ] as const)(
    "that %s is said, and parked where sending it again is no use",
    async (_, answer, code, parked, sent) => {
      const stage = await openPair();
      stage.github.failNext({ method: "PATCH", answer });
      stage.board.editPost("acme-app", "p1", { description: "To XLSX." });
      expect(await stage.syncOne()).toMatchObject({ parked, errors: [{ post: "p1", code }] });
      await stage.sync();
      expect(stage.writes()).toHaveLength(sent);
    },
  );

  it("waits where a limit is hit, which is no failure", async () => {
    const stage = await openPair();
    const headers = { "retry-after": "60" };
    const body = { message: "You have exceeded a secondary rate limit." };
    stage.github.failNext({ method: "PATCH", answer: { kind: "answer", status: 403, headers, body } });
    stage.board.editPost("acme-app", "p1", { description: "To XLSX." });
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ waiting: 1, failed: 0 }] });
    stage.clock.skip(60_000);
    expect(await stage.syncOne()).toMatchObject({ waiting: 0, issueWrites: 1 });
  });

  it("waits where a limit is hit while its issue is read, and so does what comes after it", async () => {
    const stage = await openPair();
    addPlanned(stage, 1);
    await stage.sync();
    const headers = { "retry-after": "3600" };
    const body = { message: "You have exceeded a secondary rate limit." };
    const answer = { kind: "answer", status: 403, headers, body } as const;
    stage.github.failNext({ method: "GET", path: /issues\/1$/, answer });
    for (const post of ["p1", "p2"]) stage.board.editPost("acme-app", post, { description: "Changed." });
    expect(await stage.sync()).toMatchObject({ result: "ok", projects: [{ waiting: 2, failed: 0 }] });
    stage.clock.skip(3_600_000);
    expect(await stage.syncOne()).toMatchObject({ waiting: 0, issueWrites: 2 });
  });

  it("is postponed with the pace, and is not prepared anew", async () => {
    const stage = await openPair();
    stage.reconfigure({ config: { tracker: { pace: { writesPerHour: 1 } } } });
    stage.board.editPost("acme-app", "p1", { description: "To XLSX." });
    expect(await stage.syncOne()).toMatchObject({ waiting: 1, issueWrites: 0 });
    expect(await stage.syncOne()).toMatchObject({ waiting: 1 });
    stage.clock.skip(3_600_000);
    expect(await stage.syncOne()).toMatchObject({ waiting: 0, issueWrites: 1 });
  });

  it("is nothing any more when its post says again what the issue says", async () => {
    const stage = await openPair();
    stage.reconfigure({ config: { tracker: { pace: { writesPerHour: 1 } } } });
    stage.board.editPost("acme-app", "p1", { description: "To XLSX." });
    await stage.sync();
    stage.board.editPost("acme-app", "p1", { description: "To CSV." });
    expect(await stage.syncOne()).toMatchObject({ waiting: 0, issueWrites: 0 });
    const id = stage.ledger.memory.project("acme-app")?.id;
    expect(id && (await stage.ledger.journal.open(id))).toEqual([]);
  });

  it("finds its work done where somebody has done it by hand", async () => {
    const stage = await openPair();
    stage.github.edit("acme/app", 1, { body: bodyOf(stage).replace("To CSV.", "To XLSX.") });
    stage.board.editPost("acme-app", "p1", { description: "To XLSX." });
    expect(await stage.syncOne()).toMatchObject({ issueWrites: 0, parked: 0 });
    expect(stage.writes()).toEqual([]);
    stage.mark();
    await stage.sync();
    expect(stage.reads()).toEqual([
      "GET /feedback",
      "GET /repos/acme/app/issues",
      "GET /repos/acme/app/labels",
    ]);
  });

  it("fails for its own post alone when its issue can't be read", async () => {
    const stage = await openPair();
    addPlanned(stage, [{ title: "Another" }]);
    await stage.sync();
    stage.github.failNext({
      method: "GET",
      path: /issues\/1$/,
      times: 9,
      answer: { kind: "answer", status: 502 },
    });
    stage.board.editPost("acme-app", "p1", { description: "To XLSX." });
    stage.board.editPost("acme-app", "p2", { description: "Changed." });
    addPlanned(stage, 1);
    const report = await stage.syncOne();
    expect(report).toMatchObject({ issueWrites: 1, created: 1, failed: 1 });
    expect(report.errors).toMatchObject([{ post: "p1", code: "tracker.unreachable" }]);
    expect(stage.github.issue("acme/app", 2).body).toContain("Changed.");
  });
});

describe("an issue that is not where it was", () => {
  it("deleted: the board is left alone, and no other issue is opened", async () => {
    const stage = await openPair();
    stage.github.deleteIssue("acme/app", 1);
    stage.board.editPost("acme-app", "p1", { description: "To XLSX." });
    await stage.sync();
    stage.board.editPost("acme-app", "p1", { title: "Again" });
    expect(await stage.sync()).toMatchObject({
      result: "held",
      projects: [{ created: 0, issues: 1, parked: 1 }],
    });
    expect(stage.writes()).toEqual([]);
    expect(stage.github.issues("acme/app")).toEqual([]);
  });

  it("deleted unseen: the next full look notices", async () => {
    const stage = await openPair();
    stage.github.deleteIssue("acme/app", 1);
    stage.clock.skip(7 * 3_600_000);
    const message = expect.stringContaining("was deleted, or made a discussion (410)");
    expect(await stage.syncOne()).toMatchObject({
      parked: 1,
      errors: [{ code: "tracker.deleted", message }],
    });
    expect(stage.log.join()).toContain("A linked issue is not where it was");
    expect(stage.writes()).toEqual([]);
  });

  it("moved to another repository: nothing is written there, and it waits for a person", async () => {
    const stage = await openPair();
    stage.github.addRepository({ name: "acme/other", private: true });
    stage.github.transfer("acme/app", 1, "acme/other");
    stage.board.editPost("acme-app", "p1", { description: "To XLSX." });
    expect(await stage.syncOne()).toMatchObject({ parked: 1, errors: [{ code: "tracker.moved" }] });
    expect(await stage.sync()).toMatchObject({ result: "held", projects: [{ errors: [] }] });
    expect(stage.writes()).toEqual([]);
  });

  it("hidden from us: that is said as long as it lasts", async () => {
    const stage = await openPair();
    stage.board.editPost("acme-app", "p1", { description: "To XLSX." });
    stage.github.failNext({
      method: "GET",
      path: /issues\/1$/,
      answer: { kind: "answer", status: 404, body: { message: "Not Found" } },
    });
    expect(await stage.syncOne()).toMatchObject({
      errors: [{ post: "p1", issue: "acme/app#1", code: "tracker.missing" }],
    });
    expect(await stage.syncOne()).toMatchObject({ issueWrites: 1, failed: 0 });
  });
});

describe("what people write while boardsync waits for the pace", () => {
  /** Something happens in the first wait of the next run that is as long as that. */
  function atWait(stage: Stage, leastMs: number, act: () => void): void {
    let isOver = false;
    stage.bend((world) => ({
      ...world,
      clock: {
        now: world.clock.now,
        sleep(ms, signal) {
          if (ms >= leastMs && !isOver) {
            isOver = true;
            act();
          }
          return world.clock.sleep(ms, signal);
        },
      },
    }));
  }

  it("is kept in the issue's body", async () => {
    const stage = await openStage({ config: { tracker: { pace: { minIntervalMs: 1000 } } } });
    addPlanned(stage, 2);
    await stage.sync();
    for (const post of ["p1", "p2"]) stage.board.editPost("acme-app", post, { description: "To XLSX." });
    atWait(stage, 500, () => {
      const { body } = stage.github.issue("acme/app", 2);
      stage.github.edit("acme/app", 2, { body: `${body}\n\nOur plan: ask the customer first.` });
    });
    expect(await stage.syncOne()).toMatchObject({ issueWrites: 2, failed: 0 });
    expect(stage.github.issue("acme/app", 2).body).toContain("To XLSX.");
    expect(stage.github.issue("acme/app", 2).body).toContain("Our plan: ask the customer first.");
  });

  it("is kept before a write is repeated with another token", async () => {
    const stage = await openStage({ app: [{ owner: "acme" }] });
    addPlanned(stage, 1);
    await stage.sync();
    stage.board.editPost("acme-app", "p1", { description: "To XLSX." });
    stage.atNextWrite("tracker", "before", () => {
      stage.clock.skip(minuteMs);
      stage.github.app.revokeTokens("acme");
    });
    atWait(stage, 0, () => {
      stage.github.edit("acme/app", 1, { body: `${bodyOf(stage)}\n\nOur plan.` });
    });
    expect(await stage.syncOne()).toMatchObject({ issueWrites: 1, failed: 0 });
    expect(bodyOf(stage)).toContain("To XLSX.");
    expect(bodyOf(stage)).toContain("Our plan.");
  });

  it("is kept between two changes that a board rule asks for", async () => {
    const decline = { when: { status: "declined" }, set: { milestone: "Never", addLabels: ["in progress"] } };
    const stage = await openStage({
      repositories: [
        { name: "acme/app", private: true, labels: ["feedback"], milestones: ["Never", "Next"] },
      ],
      projects: [{ ...standardProject, boardRules: [decline] }],
    });
    addPlanned(stage, 1);
    await stage.sync();
    stage.board.editPost("acme-app", "p1", { status: "declined" });
    stage.atNextWrite("tracker", "after", () => stage.github.setMilestone("acme/app", 1, "Next"));
    await stage.sync();
    expect(stage.github.issue("acme/app", 1).milestone).toBe("Next");
  });
});
