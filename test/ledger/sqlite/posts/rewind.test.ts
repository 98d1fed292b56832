import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { tables } from "../../../../src/ledger/sql/schema.ts";
import { timeNames } from "../../../../src/ledger/sql/stamp.ts";
import { createLedger } from "../../../../src/ledger/sqlite/sqlite.ts";
import { openStore } from "../../../../src/ledger/sqlite/store.ts";
import { timesOf } from "../../../../src/plan/pace.ts";
import { createPost, hourMs, noon, paceWrite, postId, project, pullPosts } from "../../samples.ts";
import { createFolder, options } from "../folder.ts";

it("nothing that happened or is to be done lies ahead of a clock that was set back", async () => {
  const store = openStore(join(createFolder(), "state.db"), options);
  onTestFinished(() => store.close());
  const ledger = createLedger(store);
  const late = noon + hourMs;
  const run = (await ledger.runs.begin(late)).run;
  await pullPosts(ledger, [createPost("a"), createPost("b")], run, late);
  await ledger.commit([
    {
      kind: "record-row",
      project,
      post: postId("a"),
      record: {
        base: {},
        standing: { kind: "linked", reason: "x" },
        notes: [{ kind: "waiting", cause: "pace", message: "y", since: late }],
        due: late + hourMs,
      },
    },
    { kind: "release", project, post: postId("b"), at: late },
  ]);
  await paceWrite(ledger, { at: late });
  await ledger.commit([
    { kind: "remember-account", account: { login: "bot", since: late, checkedAt: late } },
    { kind: "remember-sizes", sizes: [{ name: "signals", size: 25, until: late }] },
  ]);
  await ledger.commit([{ kind: "limit", side: "board", budget: "", until: late + 60_000, at: late }]);
  await ledger.commit([{ kind: "limit", side: "tracker", budget: "", until: noon + 30_000, at: noon - 1 }]);
  expect((await ledger.runs.begin(late)).aheadMs).toBe(0);
  expect((await ledger.rows.due(project, noon, undefined, 9)).map(({ post }) => post.id)).not.toContain("a");

  expect((await ledger.runs.begin(noon)).aheadMs).toBe(hourMs);
  expect(timesOf(await ledger.pace.writes(noon - hourMs, ""))).toEqual({ all: [noon], creates: [noon] });
  expect(ledger.memory.account()?.checkedAt).toBe(noon);
  expect(await ledger.pace.limit("board", "")).toBe(noon + 60_000);
  expect(await ledger.pace.limit("tracker", "")).toBe(noon + 30_000);
  expect((await ledger.rows.due(project, noon, undefined, 9)).map(({ post }) => post.id)).toContain("a");
  expect((await ledger.rows.row(project, postId("a"), noon))?.seenAt).toBe(0);
  const dump = store.database
    .prepare<[], { name: string }>(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
    )
    .all()
    .map(({ name }) => JSON.stringify(store.database.prepare(`SELECT * FROM ${name}`).all()));
  for (const time of [late, late + hourMs]) expect(dump.join()).not.toContain(String(time));
  expect((await ledger.runs.begin(noon)).aheadMs).toBe(0);
});

/** Numbers of the state that are no times. */
const noTimes = `
  attempts canonical_number canonical_repository create created creates failures id is_create is_due is_echo is_approved
  is_gone is_own is_status is_unsure issue intent missing missing_run notifies number others page pages position post posts
  project repository run runs to_number to_repository votes voters writes`.split(/\s+/);

it("of every number in the state is known whether it is a time", () => {
  const numbers = tables.flatMap(({ name, columns }) =>
    columns.filter((column) => column.isNumber).map((column) => [name, column.name] as const),
  );
  const others = numbers.filter(([, name]) => !timeNames.test(name) && !noTimes.includes(name));
  // `until` goes with the time at which it was said, quiet runs by the hour; a form may be kept for longer; the rest are no moments.
  expect(others.map((of) => of.join("."))).toEqual([
    "limits.until",
    "orders.until",
    "quiet_runs.hour",
    "quiet_runs.longest_ms",
    "used_forms.until",
  ]);
});
