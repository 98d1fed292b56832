import { describe, expect, it } from "vitest";
import { type AnnounceOptions, announceRun } from "../../src/daemon/announce.ts";
import { bodyFor } from "../../src/daemon/channels.ts";
import { composeDigest, type DigestPart, isDigestDue } from "../../src/daemon/digest.ts";
import { dayMs, hourMs } from "../../src/model/time.ts";
import type { RunReport } from "../../src/sync/ground/reports.ts";
import { addPlanned, openStage, type Stage } from "../support/stage.ts";
import { createMemoryLog } from "./memory-log.ts";

const part: DigestPart = {
  project: "acme-app",
  opened: 12,
  told: 5,
  known: 1340,
  unknown: 0,
  held: 2,
  parked: 1,
  quarantined: 3,
  paused: 6,
  failed: 4,
};
const calm: DigestPart = {
  project: "web",
  opened: 0,
  told: 0,
  known: 0,
  unknown: 0,
  held: 0,
  parked: 0,
  quarantined: 0,
  paused: 0,
  failed: 0,
};

describe("a digest", () => {
  it("says in one message what was opened and told, what waits and what fails", () => {
    expect(composeDigest([part, calm], Date.UTC(2026, 2, 1, 9)).split("\n")).toEqual([
      "*boardsync* since 2026-03-01:",
      "• acme-app: 12 issues opened, 5 changes of status, 1,340 voters notified; 2 to approve, 1 to retry, 3 to release, 6 paused, 4 failed in the last run.",
      "• web: 0 issues opened, nobody notified; nothing needs you.",
    ]);
    const one = { ...calm, opened: 1, told: 1, known: 1, unknown: 0 };
    expect(composeDigest([{ ...one, told: 2, known: 3, unknown: 1 }], 0)).toContain(
      "2 changes of status, at least 3 voters",
    );
    expect(composeDigest([one, { ...one, known: 0, unknown: 1 }], 0)).toContain(
      "1 issue opened, 1 change of status, 1 voter notified; nothing needs you.\n• web: 1 issue opened, 1 change of status, voters notified;",
    );
  });

  it("commands no chat", () => {
    expect(composeDigest([{ ...calm, project: "<!channel> *b*\n" }], 0)).toContain(
      "• &lt;!channel&gt; 'b' :",
    );
  });

  it.each([
    ["never", 400 * dayMs, false],
    ["daily", 23 * hourMs, false],
    ["daily", 24 * hourMs - 60_000, true],
    ["weekly", 6 * dayMs, false],
    ["weekly", 7 * dayMs, true],
  ] as const)("that comes %s is due after %d ms: %s", (rhythm, age, expected) => {
    expect(isDigestDue(rhythm, 1000, 1000 + age)).toBe(expected);
  });
});

describe("the body of a message", () => {
  const text = "*boardsync* a &amp; b\n• &lt;c&gt;";

  it("is what each kind of reader takes", () => {
    expect(bodyFor("slack", "notice", text)).toEqual({ text });
    expect(bodyFor("generic", "digest", text)).toEqual({ about: "digest", text: "boardsync a & b\n• <c>" });
    expect(bodyFor("discord", "notice", text)).toEqual({
      content: "**boardsync** a & b\n• <c>",
      allowed_mentions: { parse: [] },
    });
    expect(bodyFor("teams", "notice", text)).toMatchObject({
      type: "message",
      attachments: [
        {
          contentType: "application/vnd.microsoft.card.adaptive",
          content: {
            type: "AdaptiveCard",
            body: [
              { type: "TextBlock", text: "**boardsync** a & b", wrap: true },
              { type: "TextBlock", text: "• <c>", wrap: true },
            ],
          },
        },
      ],
    });
  });

  it("is cut to what Discord takes, and never in the middle of a character", () => {
    const { content } = Object(bodyFor("discord", "notice", `${"x".repeat(1998)}😀${"x".repeat(50)}`));
    expect([content.length, content.isWellFormed(), content.at(-1)]).toEqual([2000, true, "…"]);
  });

  it.each([
    ["long lines", "x".repeat(98)],
    ["many short ones", "x"],
    ["letters of several bytes", "完".repeat(98)],
  ])("is cut to what Teams takes with all that stands around it: %s", (_, line) => {
    const whole = Array.from({ length: 4000 }, () => `• ${line}`).join("\n");
    const card = JSON.stringify(bodyFor("teams", "notice", whole));
    expect(card).toContain(`${line}","wrap":true},{"type":"TextBlock","text":"…"}]`);
    const size = Buffer.byteLength(card);
    expect(size).toBeGreaterThan(23_000);
    expect(size).toBeLessThan(25_000);
  });
});

describe("the digest of a running program", () => {
  /** Announces a run as the daemon does; gives what was sent. */
  function announcer(stage: Stage, status: () => number = () => 200) {
    const bodies: string[] = [];
    const options: AnnounceOptions = {
      heartbeat: undefined,
      notices: { url: "https://hooks.example.com/s3cret", kind: "generic", digest: "daily" },
      projects: ["acme-app", "not-run-yet"],
      ledger: stage.ledger,
      clock: stage.clock,
      log: createMemoryLog(),
      send: async ({ body }) => {
        bodies.push(String(body));
        return { kind: "answer", status: status(), headers: {}, body: "" } as never;
      },
      version: "1.2.3",
      command: "boardsync",
      signal: new AbortController().signal,
    };
    return {
      bodies,
      announce: async (report?: RunReport) => announceRun(report ?? (await stage.sync()), options),
    };
  }

  it("comes a day after it was turned on, once a day, and counts from the last one", async () => {
    const stage = await openStage();
    const { bodies, announce } = announcer(stage);
    addPlanned(stage, 2);
    await announce();
    await announce();
    stage.github.close("acme/app", 1, "completed");
    await announce();
    expect(bodies).toEqual([]);
    stage.clock.skip(dayMs);
    await announce();
    expect(bodies.map((body) => JSON.parse(body))).toEqual([
      {
        about: "digest",
        text: expect.stringMatching(
          /^boardsync since \S+:\n• acme-app: 0 issues opened, 1 change of status, 3 voters notified; nothing needs you\.\n• not-run-yet: 0 issues opened, nobody notified; nothing needs you\.$/,
        ),
      },
    ]);
    await announce();
    stage.clock.skip(hourMs);
    await announce();
    expect(bodies).toHaveLength(1);
    addPlanned(stage, 1);
    stage.clock.skip(dayMs);
    await announce();
    expect(bodies[1]).toContain("acme-app: 1 issue opened, nobody notified;");
  });

  it("is sent by one of two replicas whose runs end at once", async () => {
    const stage = await openStage();
    const { bodies, announce } = announcer(stage);
    await announce();
    stage.clock.skip(dayMs);
    const report = await stage.sync();
    await Promise.all([announce(report), announce(report)]);
    expect(bodies).toHaveLength(1);
  });

  it("that was refused comes with the next run, whole", async () => {
    const stage = await openStage();
    let status = 503;
    const { bodies, announce } = announcer(stage, () => status);
    await announce();
    addPlanned(stage, 2);
    stage.clock.skip(dayMs);
    await announce();
    status = 204;
    await announce();
    await announce();
    expect(bodies).toHaveLength(2);
    expect(bodies[1]).toContain("2 issues opened");
  });
});
