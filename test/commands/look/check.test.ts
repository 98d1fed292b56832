import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { boardHash } from "../../../src/plan/text/marker.ts";
import { featureOs } from "../../support/mcp/dialects.ts";
import { hostMcp } from "../../support/mcp/server.ts";
import { deadUrl, openStage } from "../stage.ts";

describe("check", () => {
  it("says line by line that all is well, writes nothing, and exits 0", async () => {
    const stage = await openStage();
    const { code, out } = await stage.run(["check"]);
    expect(code).toBe(0);
    const lines = out.trimEnd().split("\n");
    expect(lines.slice(0, -1).every((line) => /^[✓!] \S+: /.test(line))).toBe(true);
    expect(out).toContain("✓ board: The key is accepted; it sees 2 projects");
    expect(out).toContain("✓ tracker: The token is accepted");
    expect(out).toContain("✓ acme-app: Statuses seen: planned (4), open (3), completed (1).");
    expect(out).toContain("! acme-app: No post has the status `in_progress` of select.statuses");
    expect(lines.at(-1)).toMatch(
      /^All is well, \d things? to know \(!\)\. Nothing was written\. Next: `boardsync plan`\.$/,
    );
    expect(stage.story.github.requests.every(({ method }) => method === "GET")).toBe(true);
    expect(stage.story.board.requests.every(({ method }) => method === "GET")).toBe(true);
  });

  it("says in one pass whatever is wrong, and exits 1", async () => {
    const stage = await openStage();
    stage.story.github.disableIssues("acme/api");
    const file = stage.writeConfig("wrong.yaml", (config) =>
      config
        .replace("labels: [feedback]", "labels: [wishes], milestone: Backlog")
        .replace("- project: acme-api", "- project: acme-ipa"),
    );
    const { code, out } = await stage.run(["check", "-c", file]);
    expect(code).toBe(1);
    expect(out).toMatch(/^! acme-app: acme\/app has no label "wishes"; it is/m);
    expect(out).toMatch(/^✗ acme-app: acme\/app has no milestone "Backlog".* \[tracker\.milestone\]$/m);
    expect(out).toMatch(/^✗ acme-ipa: .*acme-api.* \[board\.project\]$/m);
    expect(out).toMatch(/^✗ acme-ipa: Issues are switched off in acme\/api.* \[tracker\.no-issues\]$/m);
    expect(out).toMatch(
      /\n3 things to mend \(✗\), \d things? to know \(!\)\. Nothing was written\. Mend them, then check again\.\n$/,
    );
  });

  it("doesn't call it nothing to do where a limit kept it from looking", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    const file = stage.writeConfig("once.yaml", (config) =>
      config.replace(/( {2}url: .*\n)/, "$1  retries: 0\n"),
    );
    stage.story.board.failNext(
      { kind: "answer", status: 429, headers: { "retry-after": "3600" } },
      { when: ({ path }) => path.startsWith("/feedback"), times: 9 },
    );
    const { out } = await stage.run(["check", "-c", file]);
    expect(out).toMatch(/^! acme-app: Nothing could be planned: the board wants no request before .+\.$/m);
    expect(out).not.toContain("nothing to do");
  });

  it("fails of a config of which no project could ever run: two entries are one project of the board", async () => {
    const stage = await openStage();
    const file = stage.writeConfig("twice.yaml", (config) =>
      config.replace("- project: acme-api", "- project: prj_app"),
    );
    const { code, out } = await stage.run(["check", "-c", file]);
    expect(code).toBe(1);
    for (const [one, other] of [
      ["acme-app", "prj_app"],
      ["prj_app", "acme-app"],
    ])
      expect(out).toMatch(
        new RegExp(`^✗ ${one}: \`${one}\` and \`${other}\` are the same .* \\[board\\.project\\]$`, "m"),
      );
    expect(out).not.toContain("All is well");
    expect((await stage.run(["sync", "-c", file])).code).toBe(1);
  });

  it("shows the board's own tools where the config has `board.mcp`, with the place of what doesn't fit", async () => {
    const stage = await openStage();
    const host = await hostMcp(featureOs);
    const file = stage.writeConfig("mcp.yaml", (config) =>
      config.replace(
        /( {2}url: .*\n)/,
        `$1  mcp:\n    url: ${host.url}\n    tools:\n      changelogCreate: { name: create_changelog, args: { titel: x, state: draft } }\n`,
      ),
    );
    const { code, out } = await stage.run(["check", "-c", file]);
    expect(code).toBe(1);
    expect(out).toMatch(/^✓ board: The MCP server has 5 tools: list_buckets, /m);
    expect(out).toMatch(
      /^✗ board: .*mcp\.yaml:\d+:\d+: changelogCreate\.args\.titel: is no argument of the tool/m,
    );
    expect(out).toMatch(
      /^✓ board: Below board\.mcp\.tools you may add, .*`categories: \{ name: list_buckets \}`/m,
    );
    expect(host.called()).toEqual([]);
  });

  it("says that a repository is public", async () => {
    const stage = await openStage();
    stage.story.github.setPrivate("acme/app", false);
    const { out } = await stage.run(["check"]);
    expect(out).toMatch(/^! acme-app: acme\/app is public: titles and descriptions/m);
  });

  it("exits 3 with a refused token, looks at the board all the same, and says what to do", async () => {
    const stage = await openStage();
    const { code, out } = await stage.run(["check"], { env: { GITHUB_TOKEN: "wrong-token-0123" } });
    expect(code).toBe(3);
    expect(out).toMatch(/^✗ tracker: .* \[tracker\.unauthorized\]$/m);
    expect(out).toContain("✓ acme-app: 8 posts");
    expect(out).toContain("→ Put a valid token into GITHUB_TOKEN");
  });

  it("exits 3 where the board is down", async () => {
    const stage = await openStage();
    const file = stage.writeConfig("down.yaml", (config) =>
      config.replace(/ {2}url: .*\n/, `  url: ${deadUrl}\n  retries: 0\n`),
    );
    const { code, json } = await stage.run(["check", "--json", "-c", file]);
    expect(code).toBe(3);
    expect(json()).toMatchObject({ result: "failed", error: { code: "board.unreachable" } });
  });

  it("prints the findings as JSON, without an error where all is well", async () => {
    const stage = await openStage();
    const { code, json } = await stage.run(["check", "--json"]);
    expect(code).toBe(0);
    const lists = { findings: expect.any(Array), ahead: expect.any(Array) };
    expect(json()).toEqual({ result: "ok", ...lists, categories: [] });
    expect(json()).toMatchObject({
      findings: expect.arrayContaining([
        { level: "ok", subject: "board", message: expect.stringContaining("2 projects") },
        { level: "warning", subject: "acme-app", code: "board.status", message: expect.any(String) },
      ]),
    });
  });

  it("lists the categories in use, which rules call by name, and fails of a name that no post shows", async () => {
    const stage = await openStage();
    stage.story.board.restyle({ categoryNames: { cat_1: "Billing" } });
    stage.story.board.addPost("acme-api", { categoryId: "cat_1" });
    const named = (name: string): string =>
      stage.writeConfig(`${name}.yaml`, (config) =>
        config.replace("select: { statuses: [planned] }", `select: { categories: [${name}] }`),
      );
    const { code, out } = await stage.run(["check", "-c", named("Billing")], { columns: 200 });
    expect(code).toBe(0);
    expect(out).toContain("✓ acme-api: Categories in use: cat_1 “Billing” (1).\n");
    const wrong = named("Biling");
    const checked = await stage.run(["check", "-c", wrong], { columns: 200 });
    expect(checked.code).toBe(1);
    expect(checked.out).toMatch(/✗ acme-api: .* `Biling` of select\.categories — did you mean `Billing`\?/);
    const { json } = await stage.run(["check", "--json", "-c", wrong]);
    const categories = [{ project: "acme-api", id: "cat_1", name: "Billing", posts: 1 }];
    expect(json()).toMatchObject({ result: "failed", categories });
    const { err } = await stage.run(["plan", "-c", wrong]);
    expect(err).toMatch(
      /"settings":\["select\.categories: Biling"\].*No post shows these values of the config/,
    );
  });

  it("says what the first sync would do, and leaves no trace of having looked", async () => {
    const stage = await openStage();
    const before = readdirSync(stage.folder);
    const { out } = await stage.run(["check"]);
    expect(out).toContain("✓ acme-app: The first sync: 4 issues opened, no voter to notify.\n");
    expect(out).toContain("✓ acme-api: The first sync: 2 issues opened, no voter to notify.\n");
    expect(readdirSync(stage.folder)).toEqual(before);
    const { json } = await stage.run(["check", "--json"]);
    expect(json()).toMatchObject({
      ahead: [
        {
          project: "acme-app",
          isFirst: true,
          opened: 4,
          linked: 0,
          changed: 0,
          patched: 0,
          notified: 0,
          unseenVotes: 0,
          putOff: [],
          held: 0,
        },
        { project: "acme-api", opened: 2 },
      ],
    });
  });

  it("says what the next sync would do, how many would hear of it, and what is held", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    stage.story.github.close("acme/app", 1, "completed");
    stage.story.board.editPost("acme-app", "p2", { title: "Another title" });
    const { out } = await stage.run(["check"]);
    expect(out).toContain("✓ acme-api: The next sync: nothing to do, no voter to notify.\n");
    expect(out).toContain(
      "✓ acme-app: The next sync: 1 write to issues that are there, 1 post patched, 128 voters to notify.\n",
    );
    expect((await stage.run(["check", "-q"])).out).not.toContain("next sync");
    const file = stage.writeConfig("careful.yaml", (config) => `${config}guard: { statuses: 0 }\n`);
    expect((await stage.run(["check", "-c", file])).out).toContain(
      "1 write to issues that are there, no voter to notify; 1 further write to approve.\n",
    );
    stage.story.board.restyle({ hidden: ["votes"] });
    expect((await stage.run(["check"])).out).toContain(
      "voters to notify, the board doesn't show how many.\n",
    );
  });

  it("tells of issues with marks of another address of the board, and of which", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    const old = "https://feedback.old.example/api/v1";
    for (const number of [1, 2]) {
      const { body } = stage.story.github.issue("acme/app", number);
      const marked = (body ?? "").replace(/board=[0-9a-f]{16}/, `board=${boardHash(old)}`);
      stage.story.github.edit("acme/app", number, {
        body: `${marked}\nAsked for on https://feedback.old.example/p/1`,
      });
    }
    const lost = { env: { BOARDSYNC_STATE: join(stage.folder, "lost.db") } };
    const { code, out } = await stage.run(["check"], lost);
    expect(code).toBe(0);
    expect(out).toMatch(
      /^! acme-app: New issues wait for `boardsync approve`: 2 issues carry marks of another address of the board \(https:\/\/feedback\.old\.example\/api\/v1\).*`board\.formerUrls`.*\[tracker\.other-address\]$/m,
    );
    const { json } = await stage.run(["check", "--json"], lost);
    expect(json()).toMatchObject({
      ahead: [{ held: 2, otherAddress: expect.stringContaining(old) }, { otherAddress: null }],
    });
    const named = stage.writeConfig("named.yaml", (config) =>
      config.replace("board:\n", `board:\n  formerUrls: [${old}]\n`),
    );
    const again = await stage.run(["check", "-c", named], lost);
    expect(again.out).not.toContain("another address");
    expect(again.out).toContain("acme-app: The first sync: 4 issues linked by the mark in them");
  });

  it("tells of issues in a repository that the config no longer names: a new state would not find them", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    const [own, route] = ["repo: acme/app", "route: [{ category: no-post-has-it, repo: acme/app }]"];
    const moved = stage.writeConfig("moved.yaml", (config) => config.replace(own, "repo: acme/api"));
    const said =
      /^! acme-app: acme\/app has issues of posts, and the config no longer names it\..*\[tracker\.unnamed\]$/m;
    expect((await stage.run(["check", "-c", moved])).out).toMatch(said);
    const named = stage.writeConfig("named.yaml", (config) =>
      config.replace(own, `repo: acme/api\n    ${route}`),
    );
    for (const config of [[], ["-c", named]])
      expect((await stage.run(["check", ...config])).out).not.toContain("tracker.unnamed");
  });

  it("looks at what the runs mean by a name, and says where that is called otherwise by now", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    const { github, board } = stage.story;
    github.renameRepository("acme/app", "acme/renamed");
    github.addRepository({ name: "acme/app", private: true });
    const renamed = await stage.run(["check"]);
    expect(renamed.out).toMatch(
      /^! acme-app: acme\/app is called acme\/renamed now; .*\[tracker\.renamed\]$/m,
    );
    const projects = [
      { id: "prj_app", slug: "acme-old", name: "Acme App" },
      { id: "prj_new", slug: "acme-app", name: "Another" },
      { id: "prj_api", slug: "acme-api", name: "Acme API" },
    ];
    const isProjects = ({ path }: { path: string }) => path === "/projects";
    board.failNext({ kind: "answer", status: 200, body: { projects } }, { times: 9, when: isProjects });
    const moved = await stage.run(["check"]);
    expect(moved.code).toBe(1);
    expect(moved.out).toContain(
      "✗ acme-app: `acme-app` now means another project of the board (prj_new, it was prj_app).",
    );
    expect(moved.out).not.toContain("acme-app: The next sync");
  });

  it("says once what became of a label that a rule looks at and a run has found: renamed, it is not missing", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    const { github } = stage.story;
    const findingsOf = async (): Promise<readonly string[]> => {
      const { out } = await stage.run(["check"]);
      return out.split("\n").filter((line) => line.includes("[tracker.label]"));
    };
    expect(await findingsOf()).toEqual([]);
    github.renameLabel("acme/app", "in progress", "doing");
    expect(await findingsOf()).toEqual([
      expect.stringContaining('! acme-app: acme/app calls the label "in progress" "doing" now.'),
    ]);
    github.deleteLabel("acme/app", "doing");
    expect(await findingsOf()).toEqual([
      expect.stringContaining('✗ acme-app: The label "in progress" of acme/app was deleted'),
    ]);
  });

  it("looks ahead past a project that is wrong, and says the rest where the state can't be read", async () => {
    const stage = await openStage();
    const file = stage.writeConfig("wrong.yaml", (config) =>
      config.replace("- project: acme-api", "- project: acme-ipa"),
    );
    const wrong = await stage.run(["check", "-c", file]);
    expect(wrong.code).toBe(1);
    expect(wrong.out).toContain("✓ acme-app: The first sync: 4 issues opened");
    expect(wrong.out).not.toContain("acme-ipa: The first sync");
    writeFileSync(join(stage.folder, "state.db"), "no database ".repeat(1000));
    const { code, out } = await stage.run(["check"]);
    expect(code).toBe(1);
    expect(out).toMatch(/^✗ state: The state file \S+ is not a SQLite database: .* \[state\.unusable\]$/m);
    expect(out).toContain("✓ acme-app:");
    expect(out).not.toContain("first sync");
  });

  it("says only what is wrong or worth knowing with --quiet", async () => {
    const stage = await openStage();
    const { out } = await stage.run(["check", "--quiet"]);
    expect(out).toMatch(/^(?:! .*\n)+$/);
  });

  it("breaks its lines at words on a terminal", async () => {
    const stage = await openStage();
    const { out } = await stage.run(["check"], { isTerminal: true, columns: 60 });
    expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(60);
    expect(out).toContain("✓ board: The key is accepted; it sees 2 projects: acme-app\n  (prj_app), ");
  });

  it("exits 143 after SIGTERM", async () => {
    const stage = await openStage();
    expect(await stage.run(["check"], { signal: AbortSignal.abort("SIGTERM") })).toMatchObject({ code: 143 });
  });
});
