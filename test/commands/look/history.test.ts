import { describe, expect, it } from "vitest";
import { openStage, type Stage } from "../stage.ts";

/** Issues opened by the first run; the second has told of one that was closed. */
async function openWritten(): Promise<Stage> {
  const stage = await openStage();
  await stage.run(["sync"]);
  stage.story.github.close("acme/app", 1, "completed");
  await stage.run(["sync"]);
  return stage;
}

interface Line {
  readonly run: number;
  readonly project: string;
  readonly post: string;
  readonly voters: number | null;
  readonly kind: string;
}

async function linesOf(stage: Stage, ...args: readonly string[]): Promise<readonly Line[]> {
  const { json } = await stage.run(["history", ...args, "--json"]);
  return (json() as { readonly writes: readonly Line[] }).writes;
}

describe("history", () => {
  it("lists every write to either side, newest first, over all projects", async () => {
    const stage = await openWritten();
    const lines = await linesOf(stage);
    expect(lines.map(({ run, kind }) => `${run} ${kind}`)).toEqual([
      "2 patch-post",
      ...Array.from({ length: 6 }, () => "1 create-issue"),
    ]);
    expect(new Set(lines.map(({ project }) => project))).toEqual(new Set(["acme-app", "acme-api"]));
    expect(lines[0]).toEqual({
      project: "acme-app",
      post: "p1",
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      run: 2,
      side: "board",
      kind: "patch-post",
      issue: "acme/app#1",
      fields: [
        { field: "status", before: "planned", value: "completed" },
        { field: "roadmapColumn", before: "PLANNED", value: "COMPLETED" },
      ],
      reason: "issue #1 closed as completed → rule 1",
      outcome: "applied",
      message: null,
      voters: 128,
      approved: false,
    });
    expect(lines.slice(1).map(({ voters }) => voters)).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it("shows a block a write, without secrets and without either side", async () => {
    const stage = await openWritten();
    await stage.story.close();
    const env = { BOARD_API_KEY: undefined, GITHUB_TOKEN: undefined };
    const { code, out } = await stage.run(["history"], { env, columns: 200 });
    expect(code).toBe(0);
    expect(out).toMatch(
      /^(just now|\d+ seconds ago) \((?:[\w ]+, )?\d\d:\d\d(?: UTC)?\), run 2: acme-app\/p1 → acme\/app#1\n {4}patch-post: status: planned → completed, .*; 128 voters notified\n {4}issue #1 closed as completed → rule 1\n/,
    );
    expect(out).toMatch(/\n7 writes\.\n$/);
  });

  it.each([["p1"], ["acme-app/p1"], ["acme/app#1"]])("of %s alone", async (name) => {
    const stage = await openWritten();
    expect((await linesOf(stage, name)).map(({ kind }) => kind)).toEqual(["patch-post", "create-issue"]);
  });

  it("shows the newest so many, and says that there are more", async () => {
    const stage = await openWritten();
    const { out, code } = await stage.run(["history", "--limit", "1"]);
    expect(code).toBe(0);
    expect(out).toMatch(/\n1 write; there are more, `--limit` shows them\.\n$/);
    expect((await stage.run(["history", "--limit", "1", "--json"])).json()).toMatchObject({
      writes: [{ kind: "patch-post" }],
      hasMore: true,
    });
  });

  it.each([
    ["1h", 7],
    ["2020-01-31", 7],
    ["2999-01-31", 0],
  ])("since %s", async (since, expected) => {
    const stage = await openWritten();
    expect(await linesOf(stage, "--since", since)).toHaveLength(expected);
  });

  it("names what a write was refused for, and that a person let one go", async () => {
    const stage = await openWritten();
    stage.writeConfig("boardsync.yaml", (config) => `${config}guard: { statuses: 0 }\n`);
    stage.story.github.close("acme/app", 2, "completed");
    await stage.run(["sync"]);
    await stage.run(["approve", "acme-app", "--yes"]);
    const body = { error: { message: "No such\nstatus\u001b[2J." } };
    stage.story.board.failNext(
      { kind: "answer", status: 422, body },
      { when: ({ method }) => method === "PATCH" },
    );
    await stage.run(["sync"]);
    const { out } = await stage.run(["history", "p2"], { columns: 300 });
    expect(out).toMatch(/rule 1; approved\n {4}rejected: .*No such status/);
    expect(out).not.toContain("\u001b");
  });

  it("says that nothing was written", async () => {
    const stage = await openStage();
    stage.writeConfig("boardsync.yaml", (config) =>
      config.replaceAll("statuses: [planned", "statuses: [none"),
    );
    await stage.run(["sync"]);
    expect((await stage.run(["history", "p5"])).out).toBe("Nothing was written.\n");
    expect((await stage.run(["history", "--quiet"])).out).toBe("");
  });

  it("fits a narrow terminal", async () => {
    const stage = await openWritten();
    const { out } = await stage.run(["history"], { isTerminal: true, columns: 60 });
    expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(60);
  });

  it.each([
    [["p55"], "No project of the config has a post `p55` — did you mean `p5`?"],
    [["--limit", "0"], "it is a number from 1 to 100000."],
    [["--limit", "many"], "it is a number from 1 to 100000."],
    [
      ["--since", "yesterday"],
      "`--since yesterday` is no time. Write a day such as `2026-01-31`, a time such as `2026-01-31T09:00:00Z`",
    ],
    [["p1", "p2"], "too many arguments"],
  ])("exits 2 with %j", async (args, words) => {
    const stage = await openWritten();
    const { code, out, err } = await stage.run(["history", ...args]);
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(words);
  });
});
