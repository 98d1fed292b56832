/** @module-tag long */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLogLines } from "../../../src/commands/print/log-lines.ts";
import { StateError } from "../../../src/errors.ts";
import { escapeControls } from "../../../src/escape.ts";
import { createLog, type Log, redactor } from "../../../src/log.ts";
import { createOutput } from "../stage.ts";

/** A log at a terminal. */
function givenLog(isReported = false, hasColours = false) {
  const err = { ...createOutput({ isTerminal: true, hasColours }), command: "npx boardsync" };
  const log = createLog({
    level: "debug",
    isShown: true,
    redact: redactor([]),
    write: createLogLines(err, isReported),
  });
  return { log, text: err.text };
}

const clock = /^\d\d:\d\d:\d\d /;

/** What one event says, without the time before it. */
function told(fields: object, message: string, level: keyof Log = "info"): string {
  const { log, text } = givenLog();
  log[level](fields, message);
  expect(text()).toMatch(clock);
  return text().replace(clock, "").trimEnd();
}

describe("a line of the log at a terminal", () => {
  it.each<[fields: object, message: string, expected: string]>([
    [{}, "A webhook came", "A webhook came"],
    [
      { project: "acme-app", reason: "The board shows 3 of 40 posts." },
      "Nothing is written until a person has looked at the board",
      "acme-app: Nothing is written until a person has looked at the board: The board shows 3 of 40 posts.",
    ],
    [
      { run: 3, project: "acme-app", post: "p1", issue: "acme/app#2", repo: "acme/app" },
      "Issue opened",
      "acme-app, post p1, acme/app#2: Issue opened",
    ],
    [{ repo: "acme/app", now: "acme/web" }, "Renamed", "acme/app: Renamed (now acme/web)"],
    [
      {
        project: "a",
        post: "p1",
        change: { status: "completed", onRoadmap: false },
        reason: "closed",
        voters: 96,
      },
      "Post patched",
      "a, post p1: Post patched: closed (change status completed, onRoadmap false, voters 96)",
    ],
    [
      { project: "a", cause: "guard", changes: 40, voters: 4179, reason: "40 issues were closed" },
      "Changes need you; `boardsync status` shows the ways out",
      "a: Changes need you; `npx boardsync status` shows the ways out: 40 issues were closed (cause guard, changes 40, voters 4,179)",
    ],
    [
      { project: "a", post: "p1", issue: "acme/app#2", voters: null, reason: "status becomes `completed`" },
      "What settles will notify voters; `boardsync pause` stops it",
      "a, post p1, acme/app#2: What settles will notify voters; `npx boardsync pause` stops it: status becomes `completed` (voters none)",
    ],
    [{ problems: ["one", "two"] }, "Refused", "Refused: one; two"],
    [
      { aheadMs: 61_500, line: null, sizes: [1, 2000] },
      "Odd",
      "Odd (ahead 61.5 s, line none, sizes 1, 2,000)",
    ],
    [
      { hint: "`boardsync approve`" },
      "Held until `boardsync approve`",
      "Held until `npx boardsync approve` (hint `npx boardsync approve`)",
    ],
    [{ err: new StateError("The disk is full.") }, "Ended", "Ended: The disk is full."],
  ])("of %j", (fields, message, expected) => {
    expect(told(fields, message)).toBe(expected);
  });

  it("names a level where there is something to look at, in colours where they are wanted", () => {
    expect(told({}, "Said", "warn")).toBe("WARN Said");
    expect(told({}, "Said", "error")).toBe("ERROR Said");
    const { log, text } = givenLog(false, true);
    log.error({ title: "\u001b[41m" }, "Said");
    expect(text()).toContain("\u001b[31mERROR\u001b[39m Said (title <1b>[41m)");
  });

  it("names times by the clock", () => {
    expect(told({ at: new Date(Date.now() + 301_000).toISOString() }, "Next run")).toMatch(
      /^Next run \(at .*\d\d:\d\d(?: UTC)? \(in 5 minutes\)\)$/,
    );
  });

  it("shows the stack of a mistake of ours, line by line, and its cause", () => {
    const line = told({ err: new Error("no", { cause: new Error("refused") }) }, "A mistake", "error");
    expect(line).toMatch(/^ERROR A mistake: no\n {2}Error: no\n {2}at /);
    expect(line).toMatch(/\n {2}Error: refused\n {2}at /);
  });

  it("keeps what people wrote from looking like further lines", () => {
    const forged = "fine\n12:00:00 ERROR forged";
    const line = told({ title: forged, err: new Error(forged) }, forged);
    expect(line).not.toMatch(/^12:00:00/m);
    expect(line).toContain("fine 12:00:00 ERROR forged");
  });

  it("passes no control character on, whatever is in it", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ noUnicodeString: false })),
        fc.string({ unit: "binary" }),
        (data, message) => {
          const { log, text } = givenLog();
          log.info({ ...data, err: new Error(message), data }, message);
          expect(text()).toBe(escapeControls(text()));
        },
      ),
    );
  });
});

describe("the daemon's first lines", () => {
  it("say what it runs, on which config and state", () => {
    const fields = {
      version: "1.2.3",
      projects: ["a", "b"],
      config: "/etc/boardsync.yaml",
      state: "/data/s.db",
    };
    expect(told(fields, "Daemon started")).toBe(
      "boardsync 1.2.3 runs a, b. Config /etc/boardsync.yaml, state /data/s.db.",
    );
    expect(told({ ...fields, projects: [] }, "Daemon started")).toContain("runs no project.");
    const many = Array.from({ length: 200 }, (_, index) => `p${index}`);
    expect(told({ ...fields, projects: many }, "Daemon started")).toContain("p8, p9 and 190 more. Config");
  });
});

describe("a run", () => {
  const none = { created: 0, adopted: 0, issueWrites: 0, postWrites: 0, statusWrites: 0, failed: 0, held: 0 };

  it.each<[fields: object, expected: string]>([
    [none, "acme-app: Run 7 has ended: nothing was written."],
    [
      { ...none, created: 3, postWrites: 1200, statusWrites: 1, voters: 128, failed: 11, held: 2, parked: 1 },
      "acme-app: Run 7 has ended: 3 issues opened, 1,200 posts changed, 1 of them with a new status, 128 voters notified; 11 failed, 2 to approve, 1 to retry.",
    ],
    [
      { ...none, adopted: 1, issueWrites: 2 },
      "acme-app: Run 7 has ended: 1 issue adopted, 2 issues changed.",
    ],
  ])("is told in one sentence: %j", (fields, expected) => {
    expect(told({ run: 7, project: "acme-app", repo: "acme/app", ...fields }, "Project finished")).toBe(
      expected,
    );
  });

  it("names failures that are alike once, with their number and what to do", () => {
    const { log, text } = givenLog();
    for (let number = 1; number <= 11; number += 1)
      log.error(
        {
          run: 1,
          project: "acme-app",
          post: `p${number}`,
          issue: `acme/app#${number}`,
          code: "tracker.missing",
          message: `acme/app#${number} is not found (404).`,
          advice: "Look for it.",
        },
        "Failed",
      );
    log.error(
      { project: "acme-app", code: "board.rejected", post: "p12", message: "The board said no." },
      "Failed",
    );
    log.info({ run: 1, project: "acme-app", failed: 12 }, "Project finished");
    expect(text().replaceAll(/^\d\d:\d\d:\d\d /gm, "")).toBe(
      [
        "ERROR acme-app, 11 posts: The issue is not found (404). [tracker.missing] (p1, p2, p3, p4, p5 and 6 more)",
        "ERROR acme-app, post p12: The board said no. [board.rejected]",
        "→ Look for it.",
        "acme-app: Run 1 has ended: nothing was written; 12 failed.",
        "",
      ].join("\n"),
    );
  });

  it("tells failures that nothing follows, too", async () => {
    const { log, text } = givenLog();
    log.error({ project: "a", code: "board.unreachable", message: "The board is down." }, "Failed");
    log.error({ project: "b", code: "board.unreachable", message: "The board is down." }, "Failed");
    expect(text()).toBe("");
    await Promise.resolve();
    expect(text()).toMatch(/ ERROR a and b: The board is down\. \[board\.unreachable\]\n$/);
  });

  it("leaves them to the report that follows on the same screen", async () => {
    const { log, text } = givenLog(true);
    log.error({ project: "a", code: "board.unreachable", message: "The board is down." }, "Failed");
    await Promise.resolve();
    log.warn({ project: "a" }, "Said");
    expect(text().replace(clock, "")).toBe("WARN a: Said\n");
  });
});
