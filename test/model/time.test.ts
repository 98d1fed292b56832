import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { describeLength, readInstant } from "../../src/model/time.ts";

const ten = Date.UTC(2026, 0, 31, 10);
const midnight = Date.UTC(2026, 0, 31);

/** Ways to write a time, and the moment that each of them means. */
const spellings: readonly (readonly [unknown, number])[] = [
  ["2026-01-31", midnight],
  ["2026-01-31T10:00:00Z", ten],
  ["2026-01-31T10:00:00z", ten],
  ["2026-01-31T10:00:00", ten],
  ["2026-01-31T10:00", ten],
  ["2026-01-31 10:00", ten],
  ["2026-01-31 10:00:00", ten],
  ["2026-01-31 10:00:00.123456", ten + 123],
  ["2026-01-31T10:00:00,5", ten + 500],
  ["2026-01-31 10:00:00 UTC", ten],
  ["2026-01-31 10:00:00+00", ten],
  ["2026-01-31T12:00:00+02:00", ten],
  ["2026-01-31T05:00:00-0500", ten],
  ["2026-01-31 15:30:00 +05:30", ten],
  [" 2026-01-31T10:00:00 ", ten],
  ["2026/01/31", midnight],
  ["2026/01/31 10:00:00", ten],
  ["Sat, 31 Jan 2026 10:00:00 GMT", ten],
  ["Sat, 31 Jan 2026 10:00:00", ten],
  ["Sat, 31 Jan 2026 12:00:00 +0200", ten],
  ["Saturday, 31-Jan-26 10:00:00 GMT", ten],
  ["Sat Jan 31 10:00:00 2026", ten],
  ["Sat Jan 31 2026 12:00:00 GMT+0200 (Eastern European Standard Time)", ten],
  ["Jan 31, 2026", midnight],
  ["Jan 31, 2026 10:00 AM", ten],
  [ten, ten],
  [ten / 1000, ten],
  [String(ten), ten],
  [String(ten / 1000), ten],
  [-3600, -3_600_000],
];

const unreadable: readonly unknown[] = [
  "",
  "soon",
  "1.5",
  "-5",
  "31",
  "2026-13-01",
  "9".repeat(200),
  null,
  true,
  {},
];

describe("a time that others write", () => {
  it.each(spellings)("%j means the same everywhere", (text, at) => {
    expect(readInstant(text)).toBe(at);
  });

  it.each(unreadable)("%j is none", (text) => {
    expect(readInstant(text)).toBeNaN();
  });

  it.each(["America/Los_Angeles", "Asia/Kolkata", "Pacific/Auckland", "UTC"])(
    "means the same in %s, and `select.createdAfter` takes the same posts",
    (zone) => {
      const load = (path: string): string =>
        JSON.stringify(new URL(`../../src/${path}`, import.meta.url).href);
      const script = `
        const { readInstant } = await import(${load("model/time.ts")});
        const { pickRecord } = await import(${load("board/http/answer/record.ts")});
        const { selectPost } = await import(${load("plan/select.ts")});
        const { readRetryAfter } = await import(${load("http/headers.ts")});
        const settings = { select: { archived: false, isArchivedDefault: true, createdAfter: "2026-01-31T00:00:00.000Z" } };
        const times = ["2026-01-30 23:59:59", "2026-01-31 00:00:00", "2026-01-31", "2026-01-30T23:30", "1769817600", 1769817599];
        const now = Date.UTC(2026, 0, 31, 9);
        const later = "Sat Jan 31 10:00:00 2026";
        console.log(JSON.stringify({
          zone: new Date(0).getTimezoneOffset(),
          instants: ${JSON.stringify(spellings.map(([text]) => text))}.map(readInstant),
          selected: times.map((createdAt) => {
            const { post } = pickRecord({ id: "p1", createdAt }, "id", {});
            return selectPost(post, settings, { seen: new Set(["createdAt"]), now }).isSelected;
          }),
          retry: [{}, { date: "Sat Jan 31 09:00:00 2026" }].map((more) => readRetryAfter({ "retry-after": later, ...more }, now)),
        }));`;
      const { stdout, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
        env: { ...process.env, TZ: zone },
        encoding: "utf8",
      });
      expect(stderr).toBe("");
      expect(JSON.parse(stdout)).toEqual({
        zone: { "America/Los_Angeles": 480, "Asia/Kolkata": -330, "Pacific/Auckland": -720, UTC: 0 }[zone],
        instants: spellings.map(([, at]) => at),
        selected: [false, true, true, false, true, false],
        retry: [ten, ten],
      });
    },
  );
});

/** `Date.parse` and `new Date(text)` read what names no zone in the machine's own. */
it.each(["board", "tracker", "plan"])("nothing in src/%s reads a time in the machine's zone", (room) => {
  const folder = join(import.meta.dirname, "../../src", room);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) =>
    name.endsWith(".ts"),
  );
  const found = files.filter((name) => /\bDate\.parse\(/.test(readFileSync(join(folder, name), "utf8")));
  expect(files).not.toEqual([]);
  expect(found).toEqual([]);
});

it.each([
  [1999, "1999 ms"],
  [2000, "2 seconds"],
  [60_000, "1 minute"],
  [7_200_000, "2 hours"],
  [259_200_000, "3 days"],
])("a length of %d ms is said as %j", (ms, words) => {
  expect(describeLength(ms)).toBe(words);
});
