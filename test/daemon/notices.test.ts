import { describe, expect, it } from "vitest";
import { type Cause, composeMessage, findCauses, pickNews } from "../../src/daemon/notices.ts";
import type { WaitingRow } from "../../src/ledger/rows.ts";
import type { RepositoryName } from "../../src/model/issue.ts";
import type { PostId } from "../../src/model/post.ts";
import type { ProjectReport } from "../../src/sync/ground/reports.ts";
import { judgeProject } from "../../src/sync/tell/project-state.ts";
import { readReport } from "../../src/sync/tell/stored-report.ts";

const hour = 3_600_000;
const now = Date.parse("2026-03-06T12:00:00Z");

function reportOf(more: Partial<ProjectReport> = {}): ProjectReport {
  return {
    project: "acme-app",
    repo: "acme/app" as RepositoryName,
    result: "ok",
    posts: 9,
    issues: 9,
    created: 0,
    adopted: 0,
    issueWrites: 0,
    postWrites: 0,
    statusWrites: 0,
    waiting: 1,
    held: 0,
    parked: 0,
    quarantined: 0,
    skipped: 1,
    failed: 0,
    requests: { board: 1, tracker: 1 },
    errors: [],
    ...more,
  };
}

function waitingOf(kind: WaitingRow["kind"], ...posts: readonly string[]): readonly WaitingRow[] {
  return posts.map((post) => ({
    post: post as PostId,
    issues: [],
    kind,
    cause: "guard",
    code: undefined,
    message: "a private title",
    since: now,
    title: "a private title",
    planned: undefined,
    until: undefined,
  }));
}

describe("what a person should hear of", () => {
  it("is nothing where all is in step, or only waits by itself", () => {
    expect(findCauses(reportOf(), waitingOf("waiting", "p1"))).toEqual([]);
  });

  it("is what is held, parked, quarantined and failing, with what to do", () => {
    const report = reportOf({
      held: 2,
      parked: 1,
      quarantined: 1,
      failed: 3,
      errors: [
        { post: "p5", code: "board.rejected", message: "a private title" },
        { post: "p4", code: "board.rejected", message: "a private title" },
        { code: "tracker.unreachable", message: "no connection", advice: "Look at the proxy." },
        { post: "p3", code: "board.rejected", message: "parked, and said as that" },
      ],
    });
    const waiting = [
      ...waitingOf("held", "p2", "p1", "p2"),
      ...waitingOf("parked", "p3").map((row) => ({ ...row, code: "board.rejected" })),
      ...waitingOf("quarantined", "p9"),
    ];
    const sentences = findCauses(report, waiting).map(({ sentence }) => sentence);
    expect(sentences).toEqual([
      "acme-app: 2 to approve (p1, p2). Next: `boardsync status` shows why, and the ways out.",
      "acme-app: 1 to retry (p3). Next: `boardsync status` says why, `boardsync retry POST` tries again.",
      "acme-app: 1 to release (p9). Next: `boardsync release POST` ends it.",
      "acme-app: 2 failed with board.rejected (p4, p5). Next: `boardsync status` says more.",
      "acme-app: 1 failed with tracker.unreachable. Next: Look at the proxy.",
    ]);
    expect(sentences.join()).not.toContain("private");
  });

  it("says of what is held what would be written, and how many voters would hear, without a word of the post", () => {
    const planned = {
      place: "acme/app#1",
      changes: [
        { field: "status", from: "planned", to: "in_progress" },
        { field: "title", to: "a private title" },
      ],
      notifies: 202,
    };
    const waiting = waitingOf("held", "p1").map((row) => ({ ...row, planned }));
    const [cause] = findCauses(reportOf({ held: 1 }), waiting);
    expect(cause?.sentence).toContain(
      "acme-app: 1 to approve (p1)\n   p1: status: planned → in_progress, title; 202 voters to notify. Next: ",
    );
    const many = Array.from({ length: 30 }, () => waiting).flat();
    const [group] = findCauses(reportOf({ held: 30 }), many);
    expect(group?.sentence).toContain("\n   30 alike, such as p1; 6,060 voters to notify. Next: ");
    expect(`${cause?.sentence}${group?.sentence}`).not.toContain("private");
  });

  it("is that a guard holds the whole project", () => {
    const [cause] = findCauses(reportOf({ held: 1, hold: "The board shrank." }), []);
    expect(cause?.sentence).toMatch(/^acme-app: the whole project needs you\. /);
  });

  it("names five posts at most", () => {
    const ids = ["a", "b", "c", "d", "e", "f", "g"];
    const [cause] = findCauses(reportOf({ held: 7 }), waitingOf("held", ...ids));
    expect(cause?.sentence).toContain("7 to approve (a, b, c, d, e, …)");
  });

  it("holds no id that commands a chat, calls people, or passes for another line", () => {
    const hostile = "<!channel> @here `x` *b*\n• all is well";
    const [cause] = findCauses(reportOf({ held: 1 }), waitingOf("held", hostile));
    expect(cause?.sentence).toContain("(&lt;!channel&gt; @\u200bhere 'x' 'b' • all is well)");
    const [long] = findCauses(reportOf({ held: 1 }), waitingOf("held", "x".repeat(5000)));
    expect(long?.sentence.length).toBeLessThan(250);
  });
});

describe("a cause is said", () => {
  const cause: Cause = { cause: "acme-app/held", sentence: "2 held" };
  const isSaid = (ageMs: number, state = cause.sentence): boolean =>
    pickNews([cause], [{ cause: cause.cause, state, at: now - ageMs }], now).length === 1;

  it("when it is new", () => {
    expect(pickNews([cause], [{ cause: "other/held", state: "2 held", at: now }], now)).toEqual([cause]);
  });

  it.each([
    ["not again within the hour, whatever has changed", hour - 1, "1 held", false],
    ["again after an hour where it has changed", hour, "1 held", true],
    ["not again after an hour where it is the same", hour, "2 held", false],
    ["not again within the day where it is the same", 24 * hour - 1, "2 held", false],
    ["again after a day", 24 * hour, "2 held", true],
    ["again where it was said by a clock that was set back", -1, "2 held", true],
  ])("%s", (_case, ageMs, state, expected) => {
    expect(isSaid(ageMs, state)).toBe(expected);
  });
});

it("a message has twenty lines at most, and says how many there are more", () => {
  const causes = Array.from({ length: 25 }, (_, index) => ({
    cause: `${index}`,
    sentence: `cause ${index}`,
  }));
  const state = judgeProject({
    now,
    counts: undefined,
    parked: [],
    report: readReport({ hold: "It shrank." }),
    lastSuccessAt: now,
  });
  const lines = composeMessage(causes, [{ project: "acme@app", state }]).split("\n");
  expect(lines).toHaveLength(22);
  expect(lines[0]).toBe("*boardsync* acme@\u200bapp: needs you (1 action).");
  expect(lines[1]).toBe("• cause 0");
  expect(lines.at(-1)).toBe("… and 5 more: `boardsync status` has them all.");
});
