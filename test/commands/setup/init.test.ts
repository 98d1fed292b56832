import { existsSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { matchStatuses } from "../../../src/commands/setup/init-config.ts";
import { offerDotEnv } from "../../../src/commands/setup/init-dotenv.ts";
import { loadEnvironment } from "../../../src/config/environment.ts";
import { readTextFile } from "../../../src/config/files.ts";
import { featureOs } from "../../support/mcp/dialects.ts";
import { hostMcp } from "../../support/mcp/server.ts";
import { validateRequests } from "../../support/openapi.ts";
import { listenHttp } from "../../support/servers.ts";
import { createOutput, createTerminal, deadUrl, openStage, type RunOptions, type Stage } from "../stage.ts";

const pairs = ["--project", "acme-app=acme/app", "--project", "acme-api=acme/api"];
const noFile = { BOARDSYNC_CONFIG: undefined };
const nothing = { BOARDSYNC_CONFIG: undefined, BOARD_API_KEY: undefined, GITHUB_TOKEN: undefined };
const noToken = { GITHUB_TOKEN: undefined };

/** Answers questions in order, by hand; remembers what was asked. */
function answering(answers: readonly string[], ...secrets: readonly string[]) {
  const left = [...answers];
  const hidden = [...secrets];
  const asked: string[] = [];
  const ask = (question: string): Promise<string> => {
    asked.push(question);
    return Promise.resolve(left.shift() ?? "");
  };
  const askSecret = (question: string): Promise<string> => {
    asked.push(question);
    return Promise.resolve(hidden.shift() ?? "");
  };
  return { asked, options: { ask, askSecret, isTerminal: true } satisfies RunOptions };
}

function flags({ story }: Stage, ...more: readonly string[]): readonly string[] {
  return ["init", "--board-url", story.board.url, "--github-url", story.github.url, ...pairs, ...more];
}

function readConfig(stage: Stage, file = "config/boardsync.yaml"): string {
  return readFileSync(join(stage.folder, file), "utf8");
}

it("exits 130 after SIGINT, and has written nothing", async () => {
  const stage = await openStage();
  const ran = await stage.run(flags(stage), { env: noFile, signal: AbortSignal.abort("SIGINT") });
  expect(ran).toMatchObject({ code: 130, out: "" });
  expect(existsSync(join(stage.folder, "config"))).toBe(false);
});

describe("init with flags", () => {
  it("asks nothing, and writes a commented config that says what the board uses", async () => {
    const stage = await openStage();
    const ran = await stage.run(flags(stage), { env: noFile });
    expect(ran).toMatchObject({ code: 0, err: "" });
    expect(ran.out).toMatch(
      /^config\/boardsync\.yaml is written\. It holds no secret\.\n`boardsync check` says of it:\n✓ board: /,
    );
    expect(ran.out).toMatch(/\nAll is well[^\n]*Next: `boardsync plan`\.\n$/);
    expect(ran.out).toContain(
      "\n\nOne of the issues, as it will be (`boardsync plan --show POST` shows another):\np1: a new issue in acme/app\n",
    );
    expect(ran.out).toContain("\n  title: Dark mode\n  labels: feedback\n  text (");
    expect(ran.out).toContain("\n  │ - the **editor** first\n");
    const text = readConfig(stage);
    expect(text).toContain("    select: { statuses: [planned] }\n");
    expect(text).toContain("        set: { status: completed, roadmapColumn: COMPLETED }\n");
    expect(text.match(/^ {4}select: /gm)).toHaveLength(2);
    expect(text.match(/^ *#/gm)?.length).toBeGreaterThan(8);
    expect(text).not.toContain(stage.story.board.key);
    expect(statSync(join(stage.folder, "config/boardsync.yaml")).mode & 0o777).toBe(0o644);
  });

  it("proposes the tools of the board's MCP server as lines to say yes to, and calls none", async () => {
    const stage = await openStage();
    const host = await hostMcp(featureOs);
    const origin = await listenHttp((request, response) => {
      const to = request.url?.startsWith("/api/mcp") ? new URL(host.url) : new URL(stage.story.board.url);
      const chunks: Buffer[] = [];
      const passOn = async (): Promise<void> => {
        const { host: _, connection: __, ...headers } = request.headers;
        const answer = await fetch(new URL(request.url ?? "", to), {
          method: request.method ?? "GET",
          headers: Object.entries(headers).map(([name, value]): [string, string] => [name, String(value)]),
          ...(chunks.length > 0 && { body: Buffer.concat(chunks) }),
        });
        const body = Buffer.from(await answer.arrayBuffer());
        const type = answer.headers.get("content-type") ?? "application/json";
        response.writeHead(answer.status, { "content-type": type }).end(body);
      };
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => void passOn());
    });
    const own = flags(stage).map((flag) => (flag === stage.story.board.url ? `${origin}/api/v1` : flag));
    await stage.run(own, { env: noFile });
    const text = readConfig(stage);
    expect(text).toContain("  # mcp:\n  #   tools:\n  #     categories: { name: list_buckets }\n");
    expect(host.called()).toEqual([]);
    const agreed = text.replaceAll(
      /^ {2}# ( *(?:mcp|tools|categories|changelog\w+|feedback\w+): ?.*\n)/gm,
      "  $1",
    );
    writeFileSync(join(stage.folder, "agreed.yaml"), agreed);
    const { out } = await stage.run(["check", "-c", "agreed.yaml"]);
    expect(out).toMatch(
      /^✓ board: `changelogCreate` is served by `create_changelog` \(schema: [0-9a-f]{16}\)\.$/m,
    );
    expect(out).not.toContain("✗");
    // What the person has said yes to is asked for the categories; nothing else is.
    expect(host.called()).toEqual(["list_buckets"]);
  });

  it("writes what passes `check`, and syncs as it stands", async () => {
    const stage = await openStage();
    await stage.run(flags(stage, "--output", "new.yaml"), { env: noFile });
    const text = readConfig(stage, "new.yaml").replace("tracker:\n", "$&  pace: { minIntervalMs: 0 }\n");
    writeFileSync(join(stage.folder, "new.yaml"), `${text}\nstate: new.db\n`);
    const checked = await stage.run(["check", "-c", "new.yaml"]);
    expect(checked.out).not.toContain("✗");
    expect(checked.out).toContain(
      "✓ acme-api: No post here has the status `completed` of rules[0].set.status yet; posts of other projects have.\n",
    );
    expect(checked.code).toBe(0);
    const [first = "", second = ""] = text.split("  - project: acme-api");
    const shouted = `${first}  - project: acme-api${second.replace("status: completed", "status: Completed")}`;
    writeFileSync(join(stage.folder, "shouted.yaml"), shouted);
    expect((await stage.run(["check", "-c", "shouted.yaml"])).out).toContain(
      "✗ acme-api: No post here has the status `Completed` of rules[0].set.status; posts of other projects spell it `completed`. Write it so. [board.status]\n",
    );
    expect(await stage.run(["sync", "-c", "new.yaml"])).toMatchObject({ code: 0 });
    expect(stage.story.github.issues("acme/app")).toHaveLength(4);
  });

  it("writes no file called `-`", async () => {
    const stage = await openStage();
    const { code, err } = await stage.run(["init", "--output", "-"]);
    expect([code, err]).toEqual([2, expect.stringContaining("`--output -` is no file: name one")]);
  });

  it("prints what it has written, and what `check` says of it, as one JSON", async () => {
    const stage = await openStage();
    const { json } = await stage.run(flags(stage, "--json"), { env: noFile });
    expect(json()).toEqual({
      file: "config/boardsync.yaml",
      board: stage.story.board.url,
      projects: [
        {
          project: "acme-app",
          repo: "acme/app",
          statuses: ["planned", "open", "completed"],
        },
        {
          project: "acme-api",
          repo: "acme/api",
          statuses: ["planned", "open"],
        },
      ],
      result: "ok",
      findings: expect.arrayContaining([expect.objectContaining({ level: "ok", subject: "board" })]),
      categories: [],
      ahead: [expect.objectContaining({ project: "acme-app", isFirst: true }), expect.anything()],
    });
  });

  it("names the categories of the first posts in the config, with their ids", async () => {
    const stage = await openStage();
    stage.story.board.restyle({ categoryNames: { cat_1: "Billing: all" } });
    for (const categoryId of ["cat_2", "cat_1", "cat_1"])
      stage.story.board.addPost("acme-app", { categoryId });
    expect(await stage.run(flags(stage, "--force"))).toMatchObject({ code: 0 });
    expect(readFileSync(stage.file, "utf8")).toContain(
      "    # Categories in use, for `select.categories` and `route`: cat_1 “Billing: all” (2), cat_2 (1).\n",
    );
  });

  it.each([
    ["no post there has it yet", undefined, "statuses: [planned]"],
    ["no post there shows a status", [{ id: "p1", title: "One", votes: 3 }], "minVotes: 10"],
    ["no post is there", [], "statuses: [planned]"],
  ])("sets a status that posts of another project show where %s", async (_, feedback, select) => {
    const stage = await openStage();
    if (feedback !== undefined) {
      const fault = { kind: "answer", status: 200, body: { feedback } } as const;
      stage.story.board.failNext(fault, { times: 1, when: ({ query }) => query["project"] === "prj_api" });
    }
    expect(await stage.run(flags(stage, "--force"))).toMatchObject({ code: 0 });
    const [, , second] = readFileSync(stage.file, "utf8").split("  - project: ");
    expect(second).toContain(`select: { ${select} }`);
    expect(second).toContain("set: { status: completed, roadmapColumn: COMPLETED }");
    expect(second).toContain("set: { status: planned, roadmapColumn: PLANNED }");
  });

  it("says what the first sync would do, and counts the posts whose page an issue names", async () => {
    const stage = await openStage();
    const { board, github } = stage.story;
    const [post] = board.posts("acme-app").filter(({ status }) => status === "planned");
    github.openIssue("acme/app", {
      title: "CSV",
      body: `See ${new URL(board.url).origin}/p/${post?.id}.`,
      author: "ada",
    });
    const ran = await stage.run(flags(stage), { env: noFile });
    expect(ran.out).toMatch(
      /^✓ acme-app: The first sync: \d issues? opened, .*1 further write to approve \(1 because an issue names the post's page/m,
    );
    expect(ran.out).not.toContain("into the environment");
    const { json } = await stage.run(flags(stage, "--force", "--json"), { env: noFile });
    expect(json()).toMatchObject({ ahead: [{ project: "acme-app", named: 1 }, { named: 0 }] });
    expect(github.requests.filter(({ method, path }) => method !== "GET" && path !== "/graphql")).toEqual([]);
  });

  it("writes a config without a token, too, and says what is to be set before `check`", async () => {
    const stage = await openStage();
    const ran = await stage.run(flags(stage), { env: { ...noFile, ...noToken } });
    expect(ran).toMatchObject({ code: 0, err: "" });
    expect(ran.out).toBe(
      `config/boardsync.yaml is written. It holds no secret.
→ Put GITHUB_TOKEN=… into the environment, or into .env in this folder.
→ Then: \`boardsync check\`, \`boardsync plan\`, \`boardsync sync\`.
`,
    );
    expect(stage.story.github.requests).toEqual([]);
    expect(readdirSync(stage.folder)).toEqual(["boardsync.yaml", "config"]);
    const { json } = await stage.run(flags(stage, "--json", "--force"), { env: noToken });
    expect(Object.keys(Object(json()))).toEqual(["file", "board", "projects"]);
  });

  it("writes the config all the same where `check` finds a repository that is not there, and exits 1", async () => {
    const stage = await openStage();
    const { github, board } = stage.story;
    github.addRepository({ name: "acme/old", archived: true, hasIssues: false, canPush: false });
    const args = ["init", "--board-url", board.url, "--github-url", github.url];
    const ran = await stage.run([...args, "-p", "acme-app=acme/ap", "-p", "acme-api=acme/old"], {
      env: noFile,
    });
    expect(ran).toMatchObject({ code: 1, err: "" });
    expect(ran.out).toContain("✗ acme-app: GitHub answered 404 for acme/ap");
    expect(ran.out).toContain("✗ acme-api: acme/old is archived, so nothing can be written there.");
    expect(readConfig(stage)).toContain("    repo: acme/ap\n");
    expect(validateRequests(github.requests)).toEqual([]);
  });

  it.each([
    ["https://ghe.acme.example", "https://ghe.acme.example/api/v3"],
    ["ghe.acme.example/", "https://ghe.acme.example/api/v3"],
    ["https://ghe.acme.example/api/v3/", "https://ghe.acme.example/api/v3"],
    ["https://acme.ghe.com", "https://api.acme.ghe.com"],
    ["https://api.acme.ghe.com", "https://api.acme.ghe.com"],
    ["http://127.0.0.1:8080", "http://127.0.0.1:8080"],
    ["https://github.com", undefined],
    ["api.github.com", undefined],
  ])("takes --github-url %s for the API at %s", async (address, url) => {
    const stage = await openStage();
    const args = ["init", "--board-url", stage.story.board.url, ...pairs, "--github-url", address];
    expect(await stage.run(args, { env: { ...noFile, ...noToken } })).toMatchObject({ code: 0 });
    const text = readConfig(stage);
    if (url === undefined) expect(text).not.toContain("tracker:");
    else expect(text).toMatch(new RegExp(`^tracker:\n  url: "?${url}"?$`, "m"));
  });

  it("writes the config for a board whose list it can't make out, with what `check` says to put into it", async () => {
    const stage = await openStage();
    const post = { id: "p1", title: "Dark mode", description: "", status: "planned" };
    const body = { ideas: [post], wishes: [post] };
    stage.story.board.failNext(
      { kind: "answer", status: 200, body },
      { times: 9, when: ({ path }) => path === "/feedback" },
    );
    const ran = await stage.run(flags(stage), { env: noFile });
    expect(ran).toMatchObject({ code: 1, err: "" });
    expect(ran.out).toContain("Set board.list.items to the path of the list: `list: { items: ideas }`");
    const text = readConfig(stage).replace(/^( {2}url: .*)$/m, "$1\n  list: { items: ideas }");
    writeFileSync(join(stage.folder, "mended.yaml"), text);
    expect((await stage.run(["check", "-c", "mended.yaml"])).out).toContain("1 post, found under ideas");
  });

  it("writes how the list goes on where only asking the board has shown that", async () => {
    const stage = await openStage();
    stage.story.board.restyle({ paging: { kind: "silent", param: "skip" }, pageSize: 10 });
    for (let post = 0; post < 12; post += 1) stage.story.board.addPost("acme-app", { status: "planned" });
    const ran = await stage.run(flags(stage, "--json", "--force"));
    expect(ran).toMatchObject({ code: 0, err: "" });
    expect(readFileSync(stage.file, "utf8")).toContain("\n  paging: { kind: offset, param: skip }\n");
  });

  it("names the JSON Schema where it lies beside the file", async () => {
    const stage = await openStage();
    writeFileSync(join(stage.folder, "boardsync.schema.json"), "{}");
    await stage.run(flags(stage, "-o", "new.yaml"));
    expect(readConfig(stage, "new.yaml")).toMatch(
      /^# yaml-language-server: \$schema=\.\/boardsync\.schema\.json\n/,
    );
  });

  it("never replaces a file, but for --force", async () => {
    const stage = await openStage();
    const before = readFileSync(stage.file, "utf8");
    const refused = await stage.run(flags(stage));
    expect(refused).toMatchObject({ code: 2, out: "" });
    expect(refused.err).toMatch(/boardsync\.yaml is there already: `--force` replaces it/);
    expect(readFileSync(stage.file, "utf8")).toBe(before);
    expect(await stage.run(flags(stage, "--force", "--quiet"))).toMatchObject({ code: 0, out: "" });
    expect(readFileSync(stage.file, "utf8")).toContain("Written by `boardsync init`");
  });

  it.each<[string, (stage: Stage) => readonly string[], RunOptions["env"], string]>([
    ["no address", () => ["init", ...pairs], {}, "There is nobody to ask here: say it with `--board-url`."],
    ["no key", (stage) => flags(stage), { BOARD_API_KEY: undefined }, "say it with `BOARD_API_KEY`"],
    [
      "a key with a space in it",
      (stage) => flags(stage),
      { BOARD_API_KEY: "a b" },
      "BOARD_API_KEY: the value holds a space",
    ],
    ["no project", ({ story }) => ["init", "--board-url", story.board.url], {}, "say it with `--project`"],
    [
      "an address that is none",
      () => ["init", "--board-url", "feedback", ...pairs],
      {},
      "the board's address must be an address",
    ],
    [
      "an address with a password, which is not shown",
      () => ["init", "--board-url", "https://me:secret@feedback.example.com/v1?key=secret", ...pairs],
      {},
      "`…@feedback.example.com/v1…`: the board's address must not hold a user name or password",
    ],
    [
      "an empty address",
      () => ["init", "--board-url", "", ...pairs],
      {},
      "error: option '--board-url <url>' has an empty value",
    ],
    [
      "plain http",
      () => ["init", "--board-url", "http://feedback.example.com", ...pairs],
      {},
      "must be https",
    ],
    [
      "an unknown project",
      ({ story }) => ["init", "--board-url", story.board.url, "--project", "acme=acme/app"],
      {},
      "The board has no project `acme`",
    ],
    [
      "a project twice",
      (stage) => flags(stage, "--project", "prj_app=acme/other"),
      {},
      "`acme-app` stands in line 19 already",
    ],
    [
      "a GitHub at plain http",
      (stage) => flags(stage, "--github-url", "http://github.example.com/api/v3"),
      {},
      "`http://github.example.com/api/v3`: GitHub's address must be https",
    ],
    [
      "half a pair",
      ({ story }) => ["init", "--board-url", story.board.url, "--project", "acme-app"],
      {},
      "write PROJECT=OWNER/REPO",
    ],
    [
      "a repository that is none",
      ({ story }) => ["init", "--board-url", story.board.url, "--project", "acme-app=app"],
      {},
      "must be a repository as `owner/name`",
    ],
  ])("exits 2 with %s, and writes nothing", async (_, args, env, words) => {
    const stage = await openStage();
    const before = readdirSync(stage.folder);
    const { code, out, err } = await stage.run(args(stage), { env: { ...noFile, ...env } });
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(words);
    expect(readdirSync(stage.folder)).toEqual(before);
  });

  it.each([
    ["the board is down", { board: deadUrl }, {}],
    ["the board refuses the key", {}, { BOARD_API_KEY: "wrong-key-0123456789" }],
  ])("exits 3 where %s, and writes nothing", { tags: "long" }, async (_, sides: { board?: string }, env) => {
    const stage = await openStage();
    const args = ["init", "--board-url", sides.board ?? stage.story.board.url, ...pairs];
    expect((await stage.run(args, { env: { ...noFile, ...env } })).code).toBe(3);
    expect(readdirSync(stage.folder)).toEqual(["boardsync.yaml"]);
  });

  it("exits 1 where GitHub refuses the token, as the config is written by then", async () => {
    const stage = await openStage();
    const env = { ...noFile, GITHUB_TOKEN: "ghp_wrong" };
    const ran = await stage.run(flags(stage), { env });
    expect(ran).toMatchObject({ code: 1, out: expect.stringContaining("[tracker.unauthorized]") });
    expect(readConfig(stage)).toContain("repo: acme/app\n");
  });
});

describe("init at a terminal", () => {
  it("asks for address, key and repositories, again where an answer won't do", async () => {
    const stage = await openStage();
    const { url, key } = stage.story.board;
    const { asked, options } = answering(["feedback", url, "acme", "acme/app", ""], key, "");
    const ran = await stage.run(["init"], { ...options, env: nothing });
    expect(ran.code).toBe(0);
    expect(asked.map((question) => question.slice(0, 34))).toEqual([
      "The address of the board's API, su",
      "The address of the board's API, su",
      "The board's API key (Settings → AP",
      "The repository of Acme App (acme-a",
      "The repository of Acme App (acme-a",
      "The repository of Acme API (acme-a",
      "A GitHub token (for github.com; it",
      "Write BOARD_API_KEY into .env, whi",
    ]);
    expect(ran.err).toContain("`acme`: it must be a repository as `owner/name`");
    expect(readConfig(stage).match(/project: .*/g)).toEqual(["project: acme-app"]);
    expect(ran.out + ran.err + readConfig(stage)).not.toContain(key);
    expect(ran.out).toContain("→ Put BOARD_API_KEY=… and GITHUB_TOKEN=… into the environment");
  });

  it.each([0, 1, 2, 4])("writes nothing where the input ends after %i answers", async (count) => {
    const stage = await openStage();
    const { url, key } = stage.story.board;
    const answers = [url, key, "acme/app", ""].slice(0, count);
    const ask = (): Promise<string | undefined> => Promise.resolve(answers.shift());
    const ran = await stage.run(["init"], { env: nothing, ask, askSecret: ask, isTerminal: true });
    expect(ran).toMatchObject({ code: 2, err: expect.stringContaining("Nothing was written.") });
    expect(existsSync(join(stage.folder, "config"))).toBe(false);
  });

  it("asks again for a key that the board refuses, and checks with what was typed", async () => {
    const stage = await openStage();
    const { board, github } = stage.story;
    const secrets = ["wrong-key-0123456789", board.key, "a b", github.token];
    const { asked, options } = answering([board.url, "acme/app", ""], ...secrets);
    const ran = await stage.run(["init", "--github-url", github.url], { ...options, env: nothing });
    expect(ran.code).toBe(0);
    expect(asked.filter((question) => question.startsWith("The board's API key"))).toHaveLength(2);
    expect(asked.filter((question) => question.startsWith("A GitHub token (for http"))).toHaveLength(2);
    expect(ran.err).toMatch(
      /^The board refused the key \(HTTP 401\).*\nThe token: the value holds a space.*\n$/,
    );
    expect(ran.out).toContain("acme-app: The first sync: ");
    for (const secret of secrets.filter((one) => one.length > 3))
      expect(ran.out + ran.err + readConfig(stage)).not.toContain(secret);
  });

  it.each([
    ["an address where nobody answers", { BOARD_API_KEY: undefined }, deadUrl],
    ["a key of the environment that is refused", { BOARD_API_KEY: "wrong-key-0123456789" }, undefined],
  ])("exits 3 with %s, and writes nothing", { tags: "long" }, async (_, env, url) => {
    const stage = await openStage();
    const { options } = answering([url ?? stage.story.board.url], stage.story.board.key);
    const ran = await stage.run(["init"], { ...options, env: { ...nothing, ...env } });
    expect(ran).toMatchObject({ code: 3, out: "" });
    expect(readdirSync(stage.folder)).toEqual(["boardsync.yaml"]);
  });

  it("ends with 3 where a key is refused again and again", async () => {
    const stage = await openStage();
    const wrong = "wrong-key-0123456789";
    const { asked, options } = answering([], wrong, wrong, wrong, wrong, wrong);
    const ran = await stage.run(flags(stage), { ...options, env: { ...noFile, BOARD_API_KEY: undefined } });
    expect(ran.code).toBe(3);
    expect(asked).toHaveLength(5);
    expect(readdirSync(stage.folder)).toEqual(["boardsync.yaml"]);
  });

  it.each([
    ["y", true],
    ["", false],
  ])("asks before it replaces a file, and takes %j for an answer", async (answer, isReplaced) => {
    const stage = await openStage();
    const { asked, options } = answering([answer]);
    const { code, out } = await stage.run(flags(stage), options);
    expect(code).toBe(0);
    expect(asked).toEqual([
      expect.stringMatching(/boardsync\.yaml is there already\. Replace it\? \[y\/N\] $/),
    ]);
    expect(readFileSync(stage.file, "utf8").includes("Written by")).toBe(isReplaced);
    expect(out === "Nothing was written.\n").toBe(!isReplaced);
  });

  it("gives up after a few answers that won't do", async () => {
    const stage = await openStage();
    const { asked, options } = answering(["a", "", "c", "d", "e", "f"]);
    expect((await stage.run(["init"], { ...options, env: noFile })).code).toBe(2);
    expect(asked).toHaveLength(5);
  });

  it("writes nothing where every project is left out", async () => {
    const stage = await openStage();
    const { options } = answering([stage.story.board.url, "", ""]);
    const { code, err } = await stage.run(["init"], { ...options, env: noFile });
    expect(code).toBe(2);
    expect(err).toContain(
      "No project was chosen, so nothing was written. The board shows: acme-app, acme-api.",
    );
  });
});

describe("init, once keys were typed", () => {
  /** What is typed, and an answer to the offer. */
  async function type(stage: Stage, answer: string, board = stage.story.board) {
    const { github } = stage.story;
    const given = answering([board.url, "acme/app", "", answer], board.key, github.token);
    const ran = await stage.run(["init", "--github-url", github.url], { ...given.options, env: nothing });
    const shown = ran.out + ran.err + given.asked.join("");
    for (const secret of [board.key, github.token]) expect(shown).not.toContain(secret);
    return { ...ran, isAsked: given.asked.some((question) => question.includes(".env")) };
  }

  it("writes them into .env, which nobody else can read, and which the next command needs alone", async () => {
    const stage = await openStage();
    const { board, github } = stage.story;
    const ran = await type(stage, "y");
    expect(ran.code).toBe(0);
    expect(ran.out).toMatch(
      /\n\.env is written\. Only you can read it; keep it out of git: write \.env into \.gitignore\.\n$/,
    );
    const file = join(stage.folder, ".env");
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(file, "utf8")).toBe(`BOARD_API_KEY=${board.key}\nGITHUB_TOKEN=${github.token}\n`);
    expect(await stage.run(["check"], { env: nothing })).toMatchObject({ code: 0 });
  });

  it("says where .gitignore keeps it out of git", async () => {
    const stage = await openStage();
    writeFileSync(join(stage.folder, ".gitignore"), "node_modules\n.env\n");
    expect((await type(stage, "yes")).out).toContain(
      "Only you can read it; .gitignore keeps it out of git.\n",
    );
  });

  it.each(["", "n"])("writes none where the answer is %j, and says what to set", async (answer) => {
    const stage = await openStage();
    const ran = await type(stage, answer);
    expect(ran).toMatchObject({ code: 0, isAsked: true });
    expect(ran.out).toContain("→ Put BOARD_API_KEY=… and GITHUB_TOKEN=… into the environment, or into .env");
    expect(readdirSync(stage.folder)).not.toContain(".env");
  });

  it("leaves a .env alone that is there, and says so", async () => {
    const stage = await openStage();
    const file = join(stage.folder, ".env");
    writeFileSync(file, "OTHER=1\n", { mode: 0o640 });
    const ran = await type(stage, "y");
    expect(ran).toMatchObject({ code: 0, isAsked: false });
    expect(ran.out).toContain(".env is there already, and was left as it is.\n→ Put BOARD_API_KEY=… and");
    expect(readFileSync(file, "utf8")).toBe("OTHER=1\n");
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  it.each(["a#key=0123456789", "it's-a-#key", `both'"and#`])(
    "quotes the key %s so that it is read again",
    async (key) => {
      const stage = await openStage();
      const terminal = createTerminal({ cwd: stage.folder, ask: () => Promise.resolve("y") });
      await offerDotEnv(terminal, terminal.out, { BOARD_API_KEY: key });
      const source = { env: {}, cwd: stage.folder, readText: readTextFile };
      expect(loadEnvironment(source)).toEqual({ BOARD_API_KEY: key });
    },
  );

  it("says what can't be kept, and never writes over a .env that came while it asked", async () => {
    const stage = await openStage();
    const file = join(stage.folder, ".env");
    const terminal = createTerminal({
      cwd: stage.folder,
      ask: () => {
        writeFileSync(file, "OTHER=1\n");
        return Promise.resolve("y");
      },
    });
    const [first, second] = [createOutput(), createOutput()];
    await offerDotEnv(terminal, first, { BOARD_API_KEY: "typed-0123456789" });
    expect(readFileSync(file, "utf8")).toBe("OTHER=1\n");
    const every = createTerminal({
      cwd: mkdtempSync(join(tmpdir(), "boardsync-")),
      ask: () => Promise.resolve("y"),
    });
    await offerDotEnv(every, second, { BOARD_API_KEY: `a#'"\`b` });
    for (const { text } of [first, second]) {
      expect(text()).toContain("Nothing is kept: ");
      expect(text()).toContain("→ Put BOARD_API_KEY=… into the environment");
    }
  });

  it("writes no .env without a terminal, nor of keys that the environment has", async () => {
    const stage = await openStage();
    await stage.run(flags(stage), { env: noFile });
    const { asked, options } = answering([]);
    await stage.run(flags(stage, "--force"), { ...options, env: noFile });
    expect(asked).toEqual([]);
    expect(readdirSync(stage.folder)).not.toContain(".env");
  });
});

describe("a board whose statuses have no common word", () => {
  it.each([
    ["selects only new posts", [], /select: \{ createdAfter: \d{4}-\d\d-\d\d \}/],
    ["selects by votes where there is no time", ["createdAt"], /select: \{ minVotes: 10 \}/],
    ["selects what is not archived at worst", ["createdAt", "votes"], /select: \{ archived: false \}/],
  ])("%s", async (_, hidden, select) => {
    const stage = await openStage();
    for (const { id } of stage.story.board.posts("acme-app")) {
      stage.story.board.editPost("acme-app", id, { status: "Reifezeit: 2 # mehr" });
    }
    stage.story.board.restyle({ hidden });
    const args = ["init", "--board-url", stage.story.board.url, "--project", "acme-app=acme/app"];
    expect((await stage.run(args, { env: { ...noFile, ...noToken } })).code).toBe(0);
    const text = readConfig(stage);
    expect(text).toMatch(select);
    expect(text).toContain('Statuses in use on the board: "Reifezeit: 2 # mehr".');
    expect(text).not.toMatch(/set: \{ status/);
  });
});

it.each([
  [
    ["Planned", "In Progress", "Done", "Declined"],
    { planned: "Planned", inProgress: "In Progress", completed: "Done", closed: "Declined" },
  ],
  [["done", "completed"], { completed: "completed" }],
  [["won't do", "in-development", "open"], { inProgress: "in-development", closed: "won't do" }],
  [["open", "under review"], {}],
])("the statuses %j mean %j", (statuses, meanings) => {
  expect(matchStatuses(statuses)).toEqual(meanings);
});

it("says in the config which statuses of the board it does not know, so that rules set none", async () => {
  const stage = await openStage();
  expect(await stage.run(flags(stage, "--force"))).toMatchObject({ code: 0 });
  expect(readFileSync(stage.file, "utf8")).toContain(
    "    # No status in use on the board is known to mean declined, in progress. So not every rule sets `status`:\n    # add `status: …` to `set` with the board's own word, or voters are not notified.\n    rules:\n",
  );
  const feedback = [{ id: "p1", title: "One", status: "open", roadmapColumn: "PLANNED" }];
  stage.story.board.failNext(
    { kind: "answer", status: 200, body: { feedback } },
    { times: 2, when: ({ query }) => query["project"] !== undefined },
  );
  expect(await stage.run(flags(stage, "--force"))).toMatchObject({ code: expect.any(Number) });
  expect(readFileSync(stage.file, "utf8")).toContain(
    "known to mean completed, declined, in progress, planned. So no rule sets `status`:\n",
  );
});
