import { describe, expect, it, onTestFinished } from "vitest";
import { createSender } from "../../../src/http/send.ts";
import { createGitHubAppTracker } from "../../../src/tracker/github/app/installations.ts";
import type { IssueWrite, SignalAnswer, SignalWish, Tracker } from "../../../src/tracker/tracker.ts";
import { createAppKey } from "../../support/app-key.ts";
import { validateRequests } from "../../support/openapi.ts";
import { type SandboxGitHub, startSandboxGitHub } from "../../support/sandbox/github/github.ts";
import { until } from "../../support/until.ts";
import { collectPages, createFakeClock, type FakeClock, failureOf, unbounded } from "./setup.ts";

const minuteMs = 60_000;
const key = createAppKey();

interface AppFixture {
  readonly github: SandboxGitHub;
  /** Of the program; the server's own clock goes `skewMs` beside it. */
  readonly clock: FakeClock;
  readonly tracker: Tracker;
  /** What was told to be hidden. */
  readonly concealed: readonly string[];
  /** Paths below the API's root, with method and status, since the last call. */
  seen(): readonly string[];
}

/** Two owners, of which each has an installation of the App with one private repository. */
async function startApp(
  own: { readonly skewMs?: number; readonly appId?: string; readonly repositories?: readonly string[] } = {},
): Promise<AppFixture> {
  const clock = createFakeClock();
  const github = await startSandboxGitHub({
    clock: { now: () => clock.now() + (own.skewMs ?? 0) },
    repositories: [
      { name: "acme/app", private: true },
      { name: "other/web", private: true },
      { name: "other/open" },
    ],
    app: {
      id: 4711,
      slug: "feedback-sync",
      publicKey: key.publicKey,
      installations: [{ owner: "acme" }, { owner: "other" }],
    },
  });
  onTestFinished(async () => {
    await github.stop();
    expect(validateRequests(github.requests)).toEqual([]);
  });
  const concealed: string[] = [];
  const silent = (): void => undefined;
  const tracker = createGitHubAppTracker({
    url: github.url,
    app: { appId: own.appId ?? "4711", privateKey: key.privateKey },
    repositories: own.repositories ?? ["acme/app", "other/web"],
    conceal: (secret) => concealed.push(secret),
    sender: createSender({ proxy: {}, timeoutMs: 5_000, clock }),
    clock,
    random: () => 0.5,
    log: { debug: silent, info: silent, warn: silent, error: silent },
  });
  let from = 0;
  const seen = (): readonly string[] => {
    const fresh = github.requests.slice(from);
    from = github.requests.length;
    return fresh.map(({ method, path, status }) => `${method} ${path} ${status}`);
  };
  return { github, clock, tracker, concealed, seen };
}

const create: IssueWrite = {
  kind: "create-issue",
  title: "A title",
  body: "A body",
  labels: ["feedback"],
  assignees: [],
  milestone: undefined,
  type: undefined,
};

const tokensOf = (seen: readonly string[]): number =>
  seen.filter((line) => line.includes("/access_tokens 201")).length;

describe("a GitHub App", () => {
  it("acts as its bot, in every installation", async () => {
    const { tracker, github } = await startApp();
    expect(await tracker.account(unbounded())).toEqual({ login: "feedback-sync[bot]" });
    for (const name of ["acme/app", "other/web"]) {
      const repository = await tracker.repository(name, unbounded());
      expect(await tracker.write(repository, create)).toMatchObject({ kind: "applied" });
      expect(github.issue(name, 1)).toMatchObject({ author: "feedback-sync[bot]", labels: ["feedback"] });
    }
  });

  it("looks for each owner's installation once, and asks for a token once an hour", async () => {
    const { tracker, clock, seen } = await startApp();
    for (let times = 0; times < 3; times += 1) {
      await tracker.repository("acme/app", unbounded());
      await tracker.repository("other/web", unbounded());
    }
    const first = seen();
    expect(first.filter((line) => line.endsWith("/installation 200"))).toHaveLength(2);
    expect(tokensOf(first)).toBe(2);
    clock.pass(54 * minuteMs);
    await tracker.repository("acme/app", unbounded());
    expect(tokensOf(seen())).toBe(0);
    clock.pass(2 * minuteMs);
    await tracker.repository("acme/app", unbounded());
    expect(tokensOf(seen())).toBe(1);
    expect(tracker.requests).toBe(first.length + 1 + 2);
  });

  it("asks for a token once, however many requests wait for it", async () => {
    const { tracker, seen } = await startApp();
    await Promise.all(["a", "b", "c"].map(() => tracker.repository("acme/app", unbounded())));
    expect(tokensOf(seen())).toBe(1);
  });

  it("gives one of them its token though another that had asked for it is ended", async () => {
    const { tracker, seen } = await startApp();
    const ended = new AbortController();
    const [one, other] = [ended.signal, new AbortController().signal].map((signal) =>
      tracker.repository("acme/app", { ...unbounded(), signal }),
    );
    const failed = failureOf(Promise.resolve(one));
    ended.abort();
    expect((await failed).fault).toBe("aborted");
    expect(await other).toMatchObject({ name: "acme/app" });
    expect(tokensOf(seen())).toBe(1);
  });

  it("may write where its permissions say so, whatever push access a repository shows", async () => {
    const { tracker, github, clock } = await startApp();
    expect(await tracker.repository("acme/app", unbounded())).toMatchObject({ canPush: true });
    github.app.setPermissions("acme", { issues: "read", metadata: "read" });
    clock.pass(56 * minuteMs);
    expect(await tracker.repository("acme/app", unbounded())).toMatchObject({ canPush: false });
  });

  it("tells every token and signature before it is used, whatever their length", async () => {
    const { tracker, github, concealed } = await startApp();
    await tracker.repository("acme/app", unbounded());
    await tracker.repository("other/web", unbounded());
    expect(github.app.tokens).toHaveLength(2);
    expect(concealed).toEqual(expect.arrayContaining([...github.app.tokens]));
    expect(concealed.filter((secret) => secret.startsWith("eyJ"))).toHaveLength(1);
  });

  it("shows no token that a server echoes", async () => {
    const { tracker, github } = await startApp();
    const repository = await tracker.repository("acme/app", unbounded());
    const echo = { message: `No: ${github.app.tokens[0]}`, documentation_url: "https://docs.github.com" };
    github.failNext({ answer: { kind: "answer", status: 403, body: echo }, times: 2 });
    const error = await failureOf(tracker.repository("acme/app", unbounded()));
    expect(error.message).toContain("No: [redacted]");
    expect(await tracker.write(repository, create)).toMatchObject({ message: "No: [redacted]" });
  });
});

describe("a repository of a GitHub App", () => {
  it("that is known by its id alone is looked for at the owners of the config", async () => {
    const known = await startApp();
    const { id } = await known.tracker.repository("other/web", unbounded());
    const fresh = await startApp();
    expect(await fresh.tracker.repository(id, unbounded())).toMatchObject({
      name: "other/web",
      canPush: true,
    });
    expect(await fresh.tracker.readIssue({ repositoryId: id, number: 1 }, unbounded())).toEqual({
      kind: "missing",
    });
  });

  it("is asked for by its own owner's token, though another one sees it, too", async () => {
    const { tracker, github } = await startApp({ repositories: ["acme/app", "other/open"] });
    github.app.setPermissions("acme", { issues: "read", metadata: "read" });
    const { id } = await tracker.repository("other/open", unbounded());
    const fresh = await startApp({ repositories: ["acme/app", "other/open"] });
    fresh.github.app.setPermissions("acme", { issues: "read", metadata: "read" });
    expect(await fresh.tracker.repository(id, unbounded())).toMatchObject({
      name: "other/open",
      canPush: true,
    });
  });

  it("that nobody shows is missing", async () => {
    const { tracker } = await startApp();
    expect(await failureOf(tracker.repository(999_999, unbounded()))).toMatchObject({ fault: "missing" });
    expect(await tracker.readIssue({ repositoryId: 999_999, number: 1 }, unbounded())).toEqual({
      kind: "missing",
    });
  });

  it("of an owner without the App says where to install it, and what it needs", async () => {
    const { tracker, github } = await startApp();
    github.app.uninstall("acme");
    const error = await failureOf(tracker.repository("acme/app", unbounded()));
    expect(error.code).toBe("tracker.missing");
    expect(error.message).toMatch(/not installed on acme.*include acme\/app.*Issues \(read and write\)/);
    await expect(tracker.repository("other/web", unbounded())).resolves.toBeDefined();
  });

  it("that the installation no longer includes is told as that, as nobody has a token to change", async () => {
    const { tracker, github } = await startApp({ repositories: ["other/web", "other/open"] });
    const repository = await tracker.repository("other/web", unbounded());
    github.app.uninstall("other");
    github.app.install({ owner: "other", repositories: ["other/open"] });
    await tracker.repository("other/open", unbounded());
    const reads = [
      tracker.repository("other/web", unbounded()),
      tracker.labels(repository, undefined, unbounded()),
    ];
    for (const read of reads) {
      const { code, message } = await failureOf(read);
      expect(code).toBe("tracker.missing");
      expect(message).toBe(
        "GitHub answered 404 for other/web: it does not exist or the GitHub App's installation on other does not include it.",
      );
    }
  });

  it("of a suspended installation says so", async () => {
    const { tracker, github, clock } = await startApp();
    github.app.suspend("acme");
    expect(await failureOf(tracker.repository("acme/app", unbounded()))).toMatchObject({
      code: "tracker.unauthorized",
      message: expect.stringContaining("installation on acme is suspended"),
    });
    github.app.suspend("acme", false);
    const repository = await tracker.repository("acme/app", unbounded());
    github.app.suspend("acme");
    clock.pass(56 * minuteMs);
    expect(await tracker.write(repository, create)).toMatchObject({
      kind: "unauthorized",
      message: expect.stringContaining("suspended"),
    });
    expect(github.issues("acme/app")).toEqual([]);
  });

  it("is found again after the App was installed anew", async () => {
    const { tracker, github } = await startApp();
    await tracker.repository("acme/app", unbounded());
    github.app.uninstall("acme");
    github.app.install({ owner: "acme" });
    expect(await tracker.repository("acme/app", unbounded())).toMatchObject({ name: "acme/app" });
  });

  it("that went to another owner is found there", async () => {
    const { tracker, github } = await startApp();
    const { id } = await tracker.repository("acme/app", unbounded());
    github.renameRepository("acme/app", "other/moved");
    expect(await tracker.repository(id, unbounded())).toMatchObject({
      id,
      name: "other/moved",
      canPush: true,
    });
  });
});

describe("signals of issues of several owners", () => {
  const wish = {
    pullRequests: true,
    subIssues: false,
    released: false,
    duplicates: false,
    projects: [],
    facts: false,
  };

  it("come in the order of the question, whoever owns them", async () => {
    const { tracker, github } = await startApp();
    const ids: string[] = [];
    for (const name of ["other/web", "acme/app", "other/web"]) {
      github.openIssue(name, { title: `In ${name}` });
      const repository = await tracker.repository(name, unbounded());
      const [page] = await collectPages(tracker, repository, { kind: "latest", etag: undefined });
      ids.push(page?.issues[0]?.issue.nodeId ?? "");
    }
    const asked = [ids[2] ?? "", "I_unknown", ...ids.slice(0, 2)];
    const expected = asked.map((nodeId) =>
      nodeId === "I_unknown"
        ? { nodeId, signals: {}, fault: "missing" }
        : { nodeId, signals: { pullRequests: { kind: "known", value: [] } } },
    );
    expect(await readAll(tracker, asked)).toEqual(expected);
    // Also where they are not where they are known to be.
    const repositories = new Map([
      ...asked.map((id) => [id, "acme/app"] as const),
      ["I_unknown", "third/app"],
    ]);
    expect(await readAll(tracker, asked, { repositories })).toEqual(expected);
  });

  it("are asked of nobody else where their owner is known", async () => {
    const { tracker, github, seen } = await startApp();
    const repositories = new Map<string, string>();
    for (const name of ["other/web", "acme/app"]) {
      github.openIssue(name, { title: `In ${name}` });
      const repository = await tracker.repository(name, unbounded());
      const [page] = await collectPages(tracker, repository, { kind: "latest", etag: undefined });
      repositories.set(page?.issues[0]?.issue.nodeId ?? "", name);
    }
    const [web = "", app = ""] = repositories.keys();
    seen();
    await readAll(tracker, [web], { repositories });
    await readAll(tracker, [app], { repositories });
    expect(seen()).toEqual(["POST /graphql 200", "POST /graphql 200"]);
    expect(await readAll(tracker, [web, app], { repositories })).toMatchObject([
      { nodeId: web },
      { nodeId: app },
    ]);
    expect(seen()).toHaveLength(2);
  });

  async function readAll(
    tracker: AppFixture["tracker"],
    nodeIds: readonly string[],
    more: Partial<SignalWish> = {},
  ): Promise<readonly SignalAnswer[]> {
    const answers: SignalAnswer[] = [];
    for await (const page of tracker.readSignals(nodeIds, { ...wish, ...more }, unbounded()))
      answers.push(...page);
    return answers;
  }
});

describe("the token of an installation", () => {
  it("is renewed in the middle of a long list", async () => {
    const { tracker, github, clock, seen } = await startApp();
    const repository = await tracker.repository("acme/app", unbounded());
    for (let count = 0; count < 250; count += 1) {
      github.openIssue("acme/app", { title: `Issue ${count}`, author: "feedback-sync[bot]" });
    }
    seen();
    let issues = 0;
    const query = { kind: "by", author: "feedback-sync[bot]", createdSince: undefined } as const;
    for await (const page of tracker.listIssues(repository, query, unbounded())) {
      issues += page.issues.length;
      clock.pass(40 * minuteMs);
    }
    expect(issues).toBe(250);
    expect(seen().filter((line) => line.includes("401"))).toEqual([]);
  });

  it("that is refused early is replaced, and a read repeated once", async () => {
    const { tracker, github, clock, seen } = await startApp();
    await tracker.repository("acme/app", unbounded());
    clock.pass(minuteMs);
    github.app.revokeTokens("acme");
    seen();
    expect(await tracker.repository("acme/app", unbounded())).toMatchObject({ name: "acme/app" });
    expect(seen().map((line) => line.split(" ").at(-1))).toEqual(["401", "201", "200"]);
  });

  it("that is refused while it is new is tried again a second later", async () => {
    const { tracker, github, clock, seen } = await startApp();
    const body = { message: "Bad credentials", documentation_url: "https://docs.github.com/rest" };
    github.failNext({ path: /^\/repos\/acme\/app$/, answer: { kind: "answer", status: 401, body } });
    await tracker.repository("acme/app", unbounded());
    expect(clock.sleeps).toEqual([1_000]);
    expect(tokensOf(seen())).toBe(1);
  });

  it("that is refused for a write is replaced, and the write is not sent a second time", async () => {
    const { tracker, github, clock, seen } = await startApp();
    const repository = await tracker.repository("acme/app", unbounded());
    clock.pass(minuteMs);
    github.app.revokeTokens("acme");
    seen();
    expect(await tracker.write(repository, create)).toMatchObject({ kind: "unauthorized", againAfterMs: 0 });
    expect(seen()).toEqual(["POST /repos/acme/app/issues 401"]);
    expect(await tracker.write(repository, create)).toMatchObject({ kind: "applied" });
    expect(github.issues("acme/app")).toHaveLength(1);
  });

  it.each(["reset", "hang", "truncate"] as const)(
    "that can't be had (%s) means that a write has not left",
    async (kind) => {
      const { tracker, github, clock, seen } = await startApp();
      const repository = await tracker.repository("acme/app", unbounded());
      clock.pass(56 * minuteMs);
      seen();
      const before = github.requests.length;
      github.failNext({ path: "/access_tokens", answer: { kind } });
      const writing = tracker.write(repository, create);
      if (kind === "hang") {
        await until(() => github.requests.length === before + 1);
        clock.passDeadlines();
      }
      expect(await writing).toMatchObject({ kind: "unsent" });
      expect(seen().filter((line) => line.startsWith("POST /repos"))).toEqual([]);
    },
  );

  it("that can't be had for the moment is asked for again by a read", async () => {
    const { tracker, github } = await startApp();
    github.failNext({
      path: "/access_tokens",
      answer: { kind: "answer", status: 502, body: "<html>" },
      times: 2,
    });
    expect(await tracker.repository("acme/app", unbounded())).toMatchObject({ name: "acme/app" });
  });

  it("makes lists unconditional when it changes: a 200 is normal then", async () => {
    const { tracker, clock } = await startApp();
    const repository = await tracker.repository("acme/app", unbounded());
    const ask = async (etag: string | undefined) =>
      (await collectPages(tracker, repository, { kind: "latest", etag }))[0];
    const first = await ask(undefined);
    expect(await ask(first?.etag)).toMatchObject({ isUnchanged: true });
    clock.pass(56 * minuteMs);
    const later = await ask(first?.etag);
    expect(later).toMatchObject({ isUnchanged: false });
    expect(await ask(later?.etag)).toMatchObject({ isUnchanged: true });
  });
});

describe("the limits of an installation", () => {
  it("stop nobody else", async () => {
    const { tracker, github } = await startApp();
    const [app, web] = await Promise.all(
      ["acme/app", "other/web"].map((name) => tracker.repository(name, unbounded())),
    );
    if (app === undefined || web === undefined) throw new Error("Both should be there.");
    github.app.setLimits("acme", { requestsPerHour: 1 });
    expect(await tracker.write(app, create)).toMatchObject({ kind: "limited" });
    expect(await tracker.write(web, create)).toMatchObject({ kind: "applied" });
    expect([tracker.budgetOf("Acme/app"), tracker.budgetOf("other/web")]).toEqual(["acme", "other"]);
  });
});

describe("the clock of the server", () => {
  it.each([-30, -5, 5, 30])(
    "may be %i minutes beside ours: the App signs by the server's",
    async (minutes) => {
      const { tracker, seen } = await startApp({ skewMs: minutes * minuteMs });
      expect(await tracker.account(unbounded())).toEqual({ login: "feedback-sync[bot]" });
      await tracker.repository("acme/app", unbounded());
      expect(seen().filter((line) => line.endsWith(" 401")).length).toBeLessThanOrEqual(1);
    },
  );

  it("is not blamed for a key that is not the App's", async () => {
    const { tracker, seen } = await startApp({ appId: "4712" });
    const error = await failureOf(tracker.account(unbounded()));
    expect(error.code).toBe("tracker.unauthorized");
    expect(error.message).toContain("The key must be one of this App's");
    expect(seen()).toEqual(["GET /app 401"]);
  });

  it("is named where GitHub complains of it in spite of that", async () => {
    const { tracker, github } = await startApp();
    const message = "'Expiration time' claim ('exp') is too far in the future";
    github.failNext({ path: "/app", times: 9, answer: { kind: "answer", status: 401, body: { message } } });
    const error = await failureOf(tracker.account(unbounded()));
    expect(error.message).toBe(
      `GitHub does not accept the App (401): ${message}. The clock of this machine is wrong: set it.`,
    );
  });
});

describe("an installation that may not do something", () => {
  it.each([
    [403, "Although you appear to have the correct authorization credentials, `acme` has an IP allow list."],
    [422, "The permissions requested are not granted to this installation."],
  ])("is told in GitHub's words, and no key is blamed: %i", async (status, message) => {
    const { tracker, github } = await startApp();
    const answer = { kind: "answer", status, body: { message } } as const;
    github.failNext({ path: "/access_tokens", times: 9, answer });
    const error = await failureOf(tracker.repository("acme/app", unbounded()));
    expect(error).toMatchObject({ code: "tracker.unauthorized", detail: "forbidden" });
    expect(error.message).toBe(`GitHub does not accept the App (${status}): ${message}`);
  });
});
