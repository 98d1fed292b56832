import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openLedger } from "../../../src/ledger/sqlite/sqlite.ts";
import type { PostId, ProjectId } from "../../../src/model/post.ts";
import { until } from "../../support/until.ts";
import { openStage, type Stage } from "../stage.ts";

/** The story after its first sync. */
async function openSynced(): Promise<Stage> {
  const stage = await openStage();
  expect((await stage.run(["sync"])).code).toBe(0);
  return stage;
}

const withoutSecrets = { env: { BOARD_API_KEY: undefined, GITHUB_TOKEN: undefined } };

describe("explain", () => {
  it("shows on the post what has just been written there, which no list has shown yet", async () => {
    const stage = await openSynced();
    stage.story.github.close("acme/app", 1, "completed");
    await stage.run(["sync"]);
    const { out } = await stage.run(["explain", "p1"]);
    expect(out).toMatch(/│ status +│ completed +│ completed +│/);
    expect(out).toContain("status is `completed`\n");
    expect(out).toContain("boardsync has just written to the post.");
  });

  it("tells the story of a post without secrets and without either side", async () => {
    const stage = await openSynced();
    stage.story.github.close("acme/app", 1, "completed");
    await stage.run(["sync"]);
    await stage.run(["sync"]);
    await stage.story.close();
    const { code, out } = await stage.run(["explain", "p1"], withoutSecrets);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^acme-app\/p1 {2}Dark mode\nLinked to #1\nAs last seen: the board (just now|\d+ seconds ago) \((?:[\w ]+, )?\d\d:\d\d(?: UTC)?\), GitHub/,
    );
    expect(out).toContain(
      "\nSelect: not selected. The post has its issue already, so this no longer matters\n",
    );
    expect(out).toContain("✗ select.statuses wants planned, in_progress; status is `completed`\n");
    expect(out).toMatch(
      /\nIssue acme\/app#1\nIt is closed as completed; labels feedback; changed last (just now|\d+ seconds ago) \((?:[\w ]+, )?\d\d:\d\d(?: UTC)?\)\.\n/,
    );
    expect(out).toContain("✓ rule 1 sets status: completed, roadmapColumn: COMPLETED ← decides\n");
    expect(out).toContain("    ✓ state: closed – it shows: closed\n");
    expect(out).toContain("    ✗ labels: in progress – it shows: feedback\n");
    expect(out).toMatch(/│ status +│ completed +│ completed +│ completed +│ completed +│ planned +│/);
    expect(out).toContain("\nWhat happens next\n→ Nothing: what the rules ask for is done.");
    expect(out).toMatch(
      /\), run 2: acme\/app#1\n {4}patch-post: status: planned → completed,\s+roadmapColumn:\s+PLANNED →/,
    );
  });

  it("shows every fact of an issue, and the one that it is a duplicate of", async () => {
    const stage = await openSynced();
    const { github } = stage.story;
    const place = (number: number) => ({ repository: "acme/app", number });
    github.assign("acme/app", 1, "dana");
    github.unlabel("acme/app", 1, "feedback");
    github.closeAsDuplicate(place(1), place(2));
    await stage.run(["sync"]);
    const { out } = await stage.run(["explain", "p1"]);
    expect(out).toMatch(
      /\nIt is closed as duplicate; assigned to dana; changed last (just now|\d+ seconds ago) \((?:[\w ]+, )?\d\d:\d\d(?: UTC)?\)\.\n/,
    );
    expect(out).toContain("It was closed in favour of acme/app#2, which counts for it.\n");
    expect(out).toContain("No rule matches acme/app#2, of which acme/app#1 is a duplicate.\n");
  });

  it("asks nobody but says what it can while an issue can't be read, or a rule names no condition", async () => {
    const stage = await openSynced();
    const file = stage.writeConfig("last.yaml", (config) =>
      config.replace("      - when: { labels: [in progress] }\n        set", "      - set"),
    );
    stage.story.github.deleteIssue("acme/app", 1);
    const { out } = await stage.run(["explain", "p2", "-c", file]);
    expect(out).toContain("    it names no condition, so it always holds\n");
    expect(out).toContain("→ The config has changed since the last run, and this goes by the new one.");
  });

  it("finds the post of an issue, by the repository's name in any case", async () => {
    const stage = await openSynced();
    const { out } = await stage.run(["explain", "Acme/App#2"]);
    expect(out).toMatch(/^acme-app\/p2 {2}Export to CSV\n/);
    expect(out).toContain("No rule matches acme/app#2.");
  });

  it("says of a post that is not selected which condition it fails", async () => {
    const stage = await openSynced();
    const { out } = await stage.run(["explain", "acme-app/p5"]);
    expect(out).toContain("\nSelect: not selected\n");
    expect(out).toContain("✗ select.statuses wants planned, in_progress; status is `open`");
    expect(out).toContain("→ Nothing, until the post fulfils every condition of `select`");
  });

  it("names what is held, with the command that frees it", async () => {
    const stage = await openSynced();
    stage.writeConfig("boardsync.yaml", (config) => `${config}guard: { statuses: 0 }\n`);
    stage.story.github.close("acme/app", 1, "completed");
    await stage.run(["sync"]);
    const { out } = await stage.run(["explain", "p1"]);
    expect(out).toMatch(
      /^! needs you, since (?:[\w ]+, )?\d\d:\d\d(?: UTC)? \(.+\): .*`guard\.statuses`.*\n→ boardsync approve acme-app p1$/m,
    );
    expect(out).toContain("→ When a person lets it go, the next run writes to the post: status → completed");
  });

  it("names what is parked, with its code", async () => {
    const stage = await openSynced();
    stage.story.github.close("acme/app", 1, "completed");
    stage.story.board.failNext(
      { kind: "answer", status: 422, body: { error: "No\u001b[2J" } },
      { when: ({ method }) => method === "PATCH" },
    );
    await stage.run(["sync"]);
    const { out } = await stage.run(["explain", "p1"], { hasColours: true });
    expect(out).toContain("[board.rejected]");
    expect(out).not.toContain("\u001b[2J");
    expect(out).toContain("boardsync retry acme-app/p1");
  });

  it("prints one document, with an entry for every post of an issue", async () => {
    const stage = await openSynced();
    const { code, json } = await stage.run(["explain", "acme/app#1", "--json"]);
    expect(code).toBe(0);
    expect(json()).toMatchObject({
      posts: [
        { project: "acme-app", post: "p1", standing: { kind: "linked" }, issues: [{ issue: "acme/app#1" }] },
      ],
    });
  });

  it("prints nothing with --quiet", async () => {
    const stage = await openSynced();
    expect(await stage.run(["explain", "p1", "--quiet"])).toMatchObject({ code: 0, out: "" });
  });

  it("fits a narrow terminal", async () => {
    const stage = await openSynced();
    const { out } = await stage.run(["explain", "p1"], { isTerminal: true, columns: 60 });
    expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(60);
  });

  it("shows every board rule, and what they ask of the issue", async () => {
    const stage = await openSynced();
    stage.story.board.editPost("acme-app", "p1", { isArchived: true });
    const boardRules = "    boardRules:\n      - { when: { archived: true }, set: { state: closed } }\n";
    const file = stage.writeConfig("two-way.yaml", (config) =>
      config.replace("    rules:", `    writes: none\n${boardRules}    rules:`),
    );
    await stage.run(["sync", "-c", file]);
    const { out } = await stage.run(["explain", "p1", "-c", file]);
    expect(out).toContain("\nWhat the post makes of its issues\n");
    expect(out).toContain("✓ rule 1 sets state: closed ← decides\n    ✓ missing: false – it shows: listed\n");
    expect(out).toMatch(/│ acme\/app#1 │ state │ closed \(rule 1\) +│ open +│/);
  });

  it("works beside a running daemon", async () => {
    const stage = await openSynced();
    const stop = new AbortController();
    const running = stage.run(["daemon"], { signal: stop.signal });
    await until(async () => {
      const { code, out } = await stage.run(["explain", "p1"]);
      expect(code).toBe(0);
      return /^The daemon runs this project next in \d+ .+ \(.+\), or when a webhook asks\.$/m.test(out);
    });
    stop.abort("SIGTERM");
    expect((await running).code).toBe(0);
  });
});

describe("what nobody can explain is one sentence, and exits 2", () => {
  it.each([
    ["p55", "No project of the config has a post `p55` — did you mean `p5`?\n"],
    ["acme-app/p55", "No project of the config has a post `acme-app/p55` — did you mean `acme-app/p5`?\n"],
    ["acme-api/p1", "No project of the config has a post `acme-api/p1` — did you mean `acme-api/p10`?\n"],
    [
      "nothing-like-it",
      "No project of the config has a post `nothing-like-it`. `boardsync status` lists what waits.\n",
    ],
    ["acme/app#22", "acme/app#22 is linked to no post of the config — did you mean `acme/app#2`?\n"],
    ["acme/app#7777", "acme/app#7777 is linked to no post of the config.\n"],
  ])("%s", async (name, words) => {
    const stage = await openSynced();
    expect(await stage.run(["explain", name])).toMatchObject({ code: 2, out: "", err: words });
    expect((await stage.run(["explain", name, "--json"])).json()).toEqual({
      error: { code: "config", message: words.trimEnd() },
    });
  });

  it("names the candidates of an ambiguous id, each of which is one", async () => {
    const stage = await openSynced();
    const ledger = openLedger(join(stage.folder, "state.db"), { now: 0, version: "1" });
    const pull = await ledger.pulls.begin("prj_api" as ProjectId, 2, 0);
    await ledger.commit([
      { kind: "store-posts", pull, posts: [{ id: "p1" as PostId, values: { title: "Another" } }], at: 0 },
    ]);
    ledger.close();
    expect(await stage.run(["explain", "p1"])).toMatchObject({
      code: 2,
      err: "`p1` is ambiguous. Write one of: acme-app/p1, acme-api/p1.\n",
    });
    expect((await stage.run(["explain", "acme-api/p1"])).out).toMatch(/^acme-api\/p1 {2}Another\n/);
  });

  it("before any run", async () => {
    const stage = await openStage();
    expect(await stage.run(["explain", "p1"])).toMatchObject({
      code: 2,
      err: expect.stringMatching(
        /^No run yet: .* Next: `boardsync plan`, then `boardsync sync`\. If there was one: `boardsync help lost`\.\n$/,
      ),
    });
  });

  it.each([[[]], [["p1", "p2"]]])("with the arguments %j", async (args) => {
    const stage = await openStage();
    expect((await stage.run(["explain", ...args])).code).toBe(2);
  });
});

it("nothing stands twice in the story of a post", async () => {
  const stage = await openSynced();
  const file = stage.writeConfig("careful.yaml", (config) => `${config}guard: { statuses: 0 }\n`);
  for (const issue of [1, 2]) stage.story.github.close("acme/app", issue, "completed");
  await stage.run(["sync", "-c", file]);
  await stage.run(["approve", "acme-app", "p2", "--discard", "--yes"]);
  const asked = await stage.run(["explain", "p2", "-c", file]);
  await stage.run(["sync", "-c", file]);
  const held = await stage.run(["explain", "p1", "-c", file]);
  const differs = await stage.run(["explain", "p2", "-c", file]);
  for (const { out } of [asked, held, differs]) {
    const sentences = out
      .split("\n")
      .flatMap((line) => /^(?:[!…≠] .*?\): |→ )(.+?)\.?$/.exec(line)?.[1] ?? []);
    expect(sentences.length).toBeGreaterThan(0);
    expect(sentences).toEqual([...new Set(sentences)]);
    expect(out.match(/boardsync --config \S+ approve acme-app/g) ?? []).toHaveLength(
      out === differs.out ? 0 : 1,
    );
  }
  expect(differs.out).toMatch(/^≠ differs, since .*: status is `planned` on the board/m);
});
