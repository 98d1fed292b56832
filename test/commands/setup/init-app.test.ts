import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { runProgram } from "../../../src/commands/program.ts";
import { type AppOptions, initApp } from "../../../src/commands/setup/init-app.ts";
import { createOpenApiValidator, validateRequests } from "../../support/openapi.ts";
import {
  createOutput,
  createTerminal,
  deadUrl,
  openStage,
  type Ran,
  type RunOptions,
  type Stage,
} from "../stage.ts";

/** A command that waits for a browser, and what it has said so far. */
interface Started {
  /** What it asks a person to open. */
  readonly address: Promise<string>;
  readonly ended: Promise<Ran>;
}

/** Runs the command beside the test; where `waitMs` is set, for so long at most. */
function start(stage: Stage, args: readonly string[], options: RunOptions = {}, waitMs?: number): Started {
  const { promise: address, resolve: found } = Promise.withResolvers<string>();
  const out = createOutput(options);
  const err = createOutput(options);
  const write = (text: string): void => {
    err.write(text);
    const [shown] = /^http:\/\/127\.0\.0\.1:\d+\/\S+$/m.exec(err.text()) ?? [];
    if (shown !== undefined) found(shown);
  };
  const terminal = createTerminal({
    args: ["init", "--github-app", ...args],
    env: { ...stage.env, BOARDSYNC_CONFIG: undefined, ...options.env },
    cwd: stage.folder,
    out,
    err: { ...err, write },
    signal: options.signal ?? new AbortController().signal,
    ask: options.ask,
    askSecret: options.askSecret,
  });
  const options_: AppOptions = { githubUrl: stage.story.github.url };
  const code = waitMs === undefined ? runProgram(terminal) : initApp(terminal, options_, waitMs);
  const ended = code.then((done) => ({
    ...{ code: done, out: out.text(), err: err.text() },
    json: () => JSON.parse(out.text()),
  }));
  return { address, ended };
}

interface Form {
  readonly action: string;
  readonly manifest: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** What the page would post, as a browser reads it. */
async function openForm(address: string): Promise<Form> {
  const answer = await fetch(address);
  expect(answer.status).toBe(200);
  const page = await answer.text();
  const read = (pattern: RegExp): string =>
    (pattern.exec(page)?.[1] ?? "")
      .replaceAll(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)))
      .replaceAll("&quot;", '"')
      .replaceAll("&lt;", "<")
      .replaceAll("&gt;", ">")
      .replaceAll("&amp;", "&");
  const text = read(/name="manifest" value="([^"]*)"/);
  return { action: read(/<form action="([^"]*)" method="post">/), manifest: JSON.parse(text), text };
}

/** Posts the form, and gives the address that GitHub sends the browser back to. */
async function agree({ action, text }: Form): Promise<string> {
  const body = new URLSearchParams({ manifest: text });
  const answer = await fetch(action, { method: "POST", body, redirect: "manual" });
  expect(answer.status).toBe(302);
  return answer.headers.get("location") ?? "";
}

/** The status that a page of another name gets which leads to the same address. */
function statusFor(host: string, address: URL): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    get(address, { headers: { host } }, (answer) => resolve(answer.resume().statusCode)).on("error", reject);
  });
}

function github(stage: Stage): readonly string[] {
  return ["--github-url", stage.story.github.url];
}

describe("init --github-app", () => {
  it("makes an App in the browser and stores its id, key and secret, with which `check` passes", async () => {
    const stage = await openStage();
    const { story, folder } = stage;
    const hook = "https://sync.acme.example/webhooks/github";
    const args = [...github(stage), "--organization", "acme", "--webhook-url", hook];
    const { address, ended } = start(stage, args);
    const form = await openForm(await address);
    expect(form.action).toMatch(
      /^http:\/\/127\.0\.0\.1:\d+\/organizations\/acme\/settings\/apps\/new\?state=[\w-]{43}$/,
    );
    expect(form.manifest).toEqual({
      name: "boardsync-acme",
      url: `${story.github.url}/acme`,
      redirect_url: new URL("/callback", await address).href,
      public: false,
      default_permissions: { issues: "write", metadata: "read", pull_requests: "read" },
      hook_attributes: { url: hook, active: true },
      default_events: ["issues", "label", "milestone", "repository", "pull_request"],
    });
    const back = await fetch(await agree(form));
    const page = await back.text();
    expect(back.status).toBe(200);
    const ran = await ended;
    expect(ran.code).toBe(0);
    expect(ran.out).toContain("✓ The App boardsync-acme is made: ");
    expect(ran.out).toContain(`${story.github.url}/apps/boardsync-acme/installations/new\n`);
    const lines = [
      "GITHUB_APP_ID_FILE=secrets/github-app-id",
      "GITHUB_APP_PRIVATE_KEY_FILE=secrets/github-app-private-key.pem",
      "GITHUB_WEBHOOK_SECRET_FILE=secrets/github-webhook-secret",
    ];
    expect(ran.out).toContain(`\n${lines.join("\n")}\n`);

    const files = ["github-app-id", "github-app-private-key.pem", "github-webhook-secret"];
    const [id = "", key = "", secret = ""] = files.map((file) =>
      readFileSync(join(folder, "secrets", file), "utf8"),
    );
    expect(files.map((file) => statSync(join(folder, "secrets", file)).mode & 0o777)).toEqual([
      0o600, 0o600, 0o600,
    ]);
    expect(statSync(join(folder, "secrets")).mode & 0o777).toBe(0o700);
    expect(id).toMatch(/^\d+\n$/);
    for (const line of [...key.split("\n").slice(1, -2), secret.trim()]) {
      expect(ran.out + ran.err + page).not.toContain(line);
    }
    expect(
      validateRequests(story.github.requests.filter(({ path }) => path.endsWith("/conversions"))),
    ).toEqual([]);

    story.github.app.install({ owner: "acme" });
    const env = Object.fromEntries(lines.map((line) => line.split("=")));
    const checked = await stage.run(["check"], { env: { ...env, GITHUB_TOKEN: undefined } });
    expect(checked.out).toContain(
      "✓ tracker: The token is accepted; issues will be opened by boardsync-acme[bot].",
    );
    expect(checked.code).toBe(0);
  });

  it("asks at a terminal which GitHub it is, and where webhooks go; without, the App has none", async () => {
    const stage = await openStage();
    const answers = [stage.story.github.url, "http://acme.example/hook", ""];
    const asked: string[] = [];
    const ask = (question: string): Promise<string> => {
      asked.push(question.slice(0, 24));
      return Promise.resolve(answers.shift() ?? "");
    };
    const { address, ended } = start(stage, ["--json"], { ask });
    const form = await openForm(await address);
    expect(asked).toEqual([
      "GitHub: empty for github",
      "Where GitHub reaches the",
      "Where GitHub reaches the",
    ]);
    expect(new URL(form.action).pathname).toBe("/settings/apps/new");
    // GitHub refuses `hook_attributes` without an address.
    expect(Object.keys(form.manifest)).not.toContain("hook_attributes");
    expect((await fetch(await agree(form))).status).toBe(200);
    const ran = await ended;
    expect(ran.json()).toEqual({
      app: {
        id: expect.stringMatching(/^\d+$/),
        name: expect.stringMatching(/^boardsync-[0-9a-f]{6}$/),
        page: expect.stringContaining("/apps/boardsync-"),
        installPage: expect.stringMatching(/\/installations\/new$/),
      },
      environment: {
        GITHUB_APP_ID_FILE: "secrets/github-app-id",
        GITHUB_APP_PRIVATE_KEY_FILE: "secrets/github-app-private-key.pem",
      },
    });
    expect(readdirSync(join(stage.folder, "secrets"))).toEqual([
      "github-app-id",
      "github-app-private-key.pem",
    ]);
  });

  it("asks for the permissions that the rules of the config need, at the GitHub that it names", async () => {
    const stage = await openStage();
    const file = stage.writeConfig("rules.yaml", (config) =>
      config.replace(
        /^ {4}rules:.*\n/m,
        "$&      - when: { released: true }\n        set: { onRoadmap: false }\n      - when: { projectStatus: { project: 1, is: Done } }\n        set: { onRoadmap: true }\n",
      ),
    );
    const controller = new AbortController();
    const { address, ended } = start(stage, ["--config", file], { signal: controller.signal });
    const { action, manifest } = await openForm(await address);
    expect(new URL(action).origin).toBe(stage.story.github.url);
    expect(manifest["default_permissions"]).toEqual({
      issues: "write",
      metadata: "read",
      pull_requests: "read",
      contents: "read",
      organization_projects: "read",
    });
    controller.abort("SIGINT");
    await ended;
  });

  it("refuses a wrong state, a missing code, and strangers' names for this machine", async () => {
    const stage = await openStage();
    const { address, ended } = start(stage, github(stage));
    const form = await openForm(await address);
    const back = new URL(await agree(form));
    const requests = stage.story.github.requests.length;
    for (const [change, status] of [
      [{ state: "x".repeat(43) }, 403],
      [{ state: "" }, 403],
      [{ code: "" }, 400],
      [{ code: "../app" }, 400],
    ] as const) {
      const other = new URL(back);
      for (const [name, value] of Object.entries(change)) other.searchParams.set(name, value);
      expect((await fetch(other)).status).toBe(status);
    }
    expect((await fetch(new URL("/", back))).status).toBe(404);
    expect((await fetch(back, { method: "HEAD" })).status).toBe(405);
    expect(await statusFor("board.example", back)).toBe(403);
    expect(await statusFor("board.example", new URL(await address))).toBe(403);
    expect(stage.story.github.requests).toHaveLength(requests);
    expect(existsSync(join(stage.folder, "secrets/github-app-id"))).toBe(false);
    expect((await fetch(back)).status).toBe(200);
    expect((await ended).code).toBe(0);
  });

  it("says so where GitHub does not know the code, and stores nothing", async () => {
    const stage = await openStage();
    const { address, ended } = start(stage, github(stage));
    const back = new URL(await agree(await openForm(await address)));
    back.searchParams.set("code", "0123456789abcdef");
    expect((await fetch(back)).status).toBe(502);
    const ran = await ended;
    expect(ran).toMatchObject({ code: 3, out: "" });
    expect(ran.err).toMatch(
      /GitHub does not know the code of the new App \(404\).* If the App was made, delete it/,
    );
    expect(readdirSync(join(stage.folder, "secrets"))).toEqual([]);
  });

  it("says what to do where GitHub's answer with the key is lost", async () => {
    const stage = await openStage();
    const { address, ended } = start(stage, github(stage));
    const form = await openForm(await address);
    stage.story.github.failNext({ path: "/conversions", applied: true, answer: { kind: "reset" } });
    expect((await fetch(await agree(form))).status).toBe(502);
    const ran = await ended;
    expect(ran.code).toBe(3);
    expect(ran.err).toContain(
      "If the App was made, delete it (Settings → Developer settings → GitHub Apps), and begin again.",
    );
  });

  it("ends at a signal, and when nobody comes, and stores nothing", async () => {
    const stage = await openStage();
    const controller = new AbortController();
    const stopped = start(stage, github(stage), { signal: controller.signal });
    const address = await stopped.address;
    controller.abort("SIGINT");
    expect(await stopped.ended).toMatchObject({
      code: 130,
      out: "",
      err: expect.stringMatching(/\nNothing was stored\.\n$/),
    });
    await expect(fetch(address)).rejects.toThrow();
    const left = start(stage, [], {}, 1);
    expect(await left.ended).toMatchObject({
      code: 3,
      err: expect.stringContaining("Nobody came back from GitHub in time, so nothing was stored."),
    });
    expect(readdirSync(join(stage.folder, "secrets"))).toEqual([]);
  });

  it("never replaces a key, and finds that out before it begins", async () => {
    const stage = await openStage();
    mkdirSync(join(stage.folder, "keys"));
    writeFileSync(join(stage.folder, "keys/github-app-private-key.pem"), "mine");
    const ran = await stage.run(["init", "--github-app", "--secrets", "keys", ...github(stage)]);
    expect(ran).toMatchObject({ code: 2, out: "" });
    expect(ran.err).toBe(
      "keys/github-app-private-key.pem is there already, and a key is never replaced: move it away, or name another folder with `--secrets DIR`.\n",
    );
    expect(readFileSync(join(stage.folder, "keys/github-app-private-key.pem"), "utf8")).toBe("mine");
  });

  it.each([
    [["--github-app", "--organization", "a/b"], "`--organization a/b`: write the organization's login"],
    [["--github-app", "--webhook-url", "http://acme.example/hook"], "the address of webhooks must be https"],
    [["--github-app", "--secrets", "boardsync.yaml"], "boardsync.yaml can't be written (EEXIST)."],
    [
      ["--organization", "acme", "--secrets", "keys"],
      "`--organization`, `--secrets`: only together with `--github-app`.",
    ],
  ])("exits 2 with %j", async (args, words) => {
    const stage = await openStage();
    const ran = await stage.run(["init", "--github-url", stage.story.github.url, ...args]);
    expect(ran).toMatchObject({ code: 2, out: "", err: expect.stringContaining(words) });
  });
});

it("the sandbox's answer with the key is as GitHub describes it, and its page refuses what GitHub refuses", async () => {
  const stage = await openStage();
  const { url } = stage.story.github;
  const post = (manifest: object): Promise<Response> =>
    fetch(`${url}/settings/apps/new?state=s`, {
      method: "POST",
      body: new URLSearchParams({ manifest: JSON.stringify(manifest) }),
      redirect: "manual",
    });
  const good = { name: "one", url: "https://acme.example", redirect_url: "http://127.0.0.1:1/back" };
  for (const bad of [
    { ...good, url: undefined },
    { ...good, hook_attributes: { active: false } },
    { ...good, name: "n".repeat(35) },
    { ...good, default_events: ["issues"] },
  ]) {
    expect((await post(bad)).status).toBe(422);
  }
  const back = new URL((await post(good)).headers.get("location") ?? "");
  expect(back.searchParams.get("state")).toBe("s");
  const path = `/app-manifests/${back.searchParams.get("code")}/conversions`;
  const redeem = () => fetch(`${url}${path}`, { method: "POST", headers: { "user-agent": "test" } });
  const answer = await redeem();
  const request = { method: "POST", path, query: {}, body: undefined };
  expect(createOpenApiValidator().checkAnswer(request, answer.status, await answer.json())).toEqual([]);
  expect((await redeem()).status).toBe(404);
});

it("no board and no key is needed for an App", async () => {
  const stage = await openStage();
  const { ended } = start(stage, ["--github-url", deadUrl], {
    env: { BOARD_API_KEY: undefined, GITHUB_TOKEN: undefined },
    signal: AbortSignal.abort("SIGINT"),
  });
  expect((await ended).code).toBe(130);
});
