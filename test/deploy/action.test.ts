/** @module-tag long */
import { existsSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { orders, parseOrder } from "../../config/deploy/action/words.ts";
import { openStage as openCommands } from "../commands/stage.ts";
import { startSandboxBoard } from "../support/sandbox/board/board.ts";
import { startSandboxGitHub } from "../support/sandbox/github/github.ts";
import { root } from "./files.ts";
import { checkOut, type Played, type Runner, readAction, startRunner } from "./runner.ts";

/** A board with posts, a repository, and a workspace with the config that joins them. */
async function openStage(runner: Runner, titles: readonly string[], settings = "") {
  const board = await startSandboxBoard({ projects: [{ id: "acme-app" }] });
  const github = await startSandboxGitHub({ repositories: [{ name: "acme/app", private: true }] });
  onTestFinished(async () => {
    await board.close();
    await github.stop();
  });
  const posts = titles.map((title) => board.addPost("acme-app", { title, votes: 3 }));
  writeFileSync(
    join(runner.workspace, "boardsync.yaml"),
    `
board: { url: "${board.url}", retries: 0 }
tracker: { url: "${github.url}", pace: { minIntervalMs: 0 } }
waits: { create: 0s }
${settings}
projects:
  - { project: acme-app, repo: acme/app }
`,
  );
  const secrets = { "board-api-key": board.key, "github-token": github.token };
  const play = (inputs: Readonly<Record<string, string>> = {}): Promise<Played> =>
    runner.play({ ...secrets, ...inputs });
  return {
    board,
    github,
    posts,
    play,
    titlesOpened: () => github.issues("acme/app").map(({ title }) => title),
  };
}

/** A runner whose action stands in this checkout, with the packages that are installed here. */
const startHere = (): Runner => startRunner({ code: root, isInstalled: true });

function summaryOf({ outputs }: Played): Record<string, unknown> {
  return JSON.parse(outputs["summary"] ?? "");
}

describe("the action", () => {
  it("opens one issue a post in two runs: the second goes on with the state of the first", async () => {
    const runner = startHere();
    const { play, titlesOpened, github } = await openStage(runner, ["Dark mode", "Offline mode"]);
    const first = await play();
    expect(first.failed, first.log).toBe(false);
    expect(summaryOf(first)).toMatchObject({ run: 1, result: "ok", posts: 2, opened: 2, held: 0 });
    expect(first.outputs["exit-code"]).toBe("0");
    expect(first.summary).toContain("| acme-app | acme&#47;app | 2 | 2 | 2 |");
    github.clearRequests();

    const second = await play();
    expect(summaryOf(second)).toMatchObject({ run: 2, result: "ok", opened: 0, issues: 2 });
    expect(titlesOpened().toSorted()).toEqual(["Dark mode", "Offline mode"]);
    expect(
      github.requests.filter(({ path }) => path.endsWith("/issues")).map(({ method }) => method),
    ).toEqual(["GET"]);
    expect(runner.caches).toEqual(["boardsync-state-run-101-1", "boardsync-state-run-102-1"]);
  });

  it("passes with a warning where something waits for a person, and carries out the order that it names", async () => {
    const runner = startHere();
    const titles = ["A", "B", "C", "<img src=//evil> | ::error::x"];
    const { play, titlesOpened } = await openStage(runner, titles, "guard: { issues: 1 }");
    const held = await play();
    expect(held.failed, held.log).toBe(false);
    expect(held.outputs["exit-code"]).toBe("4");
    const [warning = ""] = /^::warning .*$/m.exec(held.log) ?? [];
    const [, order = ""] = /`([^`]+)`/.exec(warning) ?? [];
    expect(order).toBe("approve acme-app");
    expect(held.summary).toContain("| acme-app | A | to approve |");
    expect(held.summary).not.toMatch(/<img|\| ::error/);

    const before = titlesOpened().length;
    const freed = await play({ order });
    expect(freed.failed, freed.log).toBe(false);
    expect(summaryOf(freed)).toMatchObject({ result: "ok", opened: titles.length - before, held: 0 });
    expect(titlesOpened()).toHaveLength(titles.length);
  });

  it("fails where something waits for a person, if that is asked for", async () => {
    const runner = startHere();
    const { play } = await openStage(runner, ["A", "B", "C"], "guard: { issues: 1 }");
    const { failed, log, outputs } = await play({ "fail-on": "held" });
    expect(failed).toBe(true);
    expect(outputs["exit-code"]).toBe("4");
    expect(log).toMatch(/^::error title=boardsync::acme-app needs you: 3 to approve\. .*`approve acme-app`/m);
  });

  it("fails where a run failed in part, and keeps the state that it wrote", async () => {
    const runner = startHere();
    const { play, github, titlesOpened } = await openStage(runner, ["A", "B"]);
    github.failNext({
      method: "POST",
      path: "/issues",
      answer: { kind: "answer", status: 422, body: { message: "no" } },
    });
    const { failed, log, outputs } = await play();
    expect(failed, log).toBe(true);
    expect(outputs["exit-code"]).toBe("1");
    expect(log).toMatch(/^::error title=boardsync::/m);
    expect(runner.caches).toHaveLength(1);
    expect(titlesOpened()).toHaveLength(1);
  });

  it("says what is wrong with the config, and fails", async () => {
    const runner = startHere();
    const { play } = await openStage(runner, ["A"], "lables: 1");
    const { failed, log, outputs, summary } = await play();
    expect(failed).toBe(true);
    expect(outputs["exit-code"]).toBe("2");
    expect(log).toMatch(/^::error title=boardsync::.*lables/m);
    expect(summary).toContain("lables");
  });

  it("shows neither secret, and signs in with the one that is given of token and App", async () => {
    const runner = startHere();
    const { play, board, github } = await openStage(runner, ["A"]);
    const { log, outputs, summary } = await play();
    const shown = [log, summary, ...Object.values(outputs)].join("\n");
    expect(shown).not.toContain(board.key);
    expect(shown).not.toContain(github.token);
    const both = await play({ "github-app-id": "1", "github-app-private-key": "no key" });
    expect(both.log).toMatch(/^::error title=boardsync::.*GITHUB_APP_ID/m);
  });

  it.each([
    [{ order: "daemon" }, "`order` must begin with one of approve"],
    [{ order: "$(touch stolen); approve" }, "`order` must begin with one of approve"],
    [{ "fail-on": "never" }, "`fail-on` is either"],
    [{ projects: "$(touch stolen)" }, "touch"],
    [{ order: "approve acme-app; touch stolen" }, "The order was not carried out"],
  ])("refuses %j", async (inputs, sentence) => {
    const runner = startHere();
    const { play, titlesOpened } = await openStage(runner, ["A"]);
    const { failed, log } = await play(inputs);
    expect(failed, log).toBe(true);
    expect(/^::error .*$/m.exec(log)?.[0]).toContain(sentence);
    expect(titlesOpened()).toEqual([]);
    expect(existsSync(join(runner.workspace, "stolen"))).toBe(false);
  });

  it.each(orders)("gives `%s` without a question, where the command would ask one", async (order) => {
    const stage = await openCommands();
    const { out } = await stage.run([order, "--help"]);
    expect(out).toContain("Usage: ");
    expect(parseOrder(`${order} acme-app`).includes("--yes")).toBe(out.includes("--yes"));
  });

  it("pauses and resumes without a question", async () => {
    const runner = startHere();
    const { play, posts } = await openStage(runner, ["A"]);
    await play();
    for (const order of ["pause", "resume"]) {
      const { failed, log } = await play({ order: `${order} acme-app/${posts[0]}` });
      expect(failed, log).toBe(false);
    }
  });

  it("takes some of the projects", async () => {
    const runner = startHere();
    const { play } = await openStage(runner, ["A"]);
    const { failed, log, outputs } = await play({ projects: "acme-app, other" });
    expect(failed, log).toBe(true);
    expect(outputs["exit-code"]).toBe("2");
    expect((await play({ projects: " acme-app " })).outputs["exit-code"]).toBe("0");
  });
});

describe("the code of the action", () => {
  it("runs from a folder that the runner has checked out for it", async () => {
    const code = checkOut();
    symlinkSync(join(root, "node_modules"), join(code, "node_modules"));
    const runner = startRunner({ code, isInstalled: true });
    const { play, titlesOpened } = await openStage(runner, ["A"]);
    const { failed, log } = await play();
    expect(failed, log).toBe(false);
    expect(titlesOpened()).toEqual(["A"]);
  });

  it("installs what its lock file names, and runs with nothing else", { tags: "long" }, async () => {
    const runner = startRunner({ code: checkOut(), isInstalled: false });
    const { play, titlesOpened } = await openStage(runner, ["A"]);
    const { failed, log } = await play();
    expect(failed, log).toBe(false);
    expect(titlesOpened()).toEqual(["A"]);
  });

  it("puts no expression into a script: what a person typed can't become a command", () => {
    const { runs } = readAction(join(root, "config/deploy/action/action.yml"));
    const scripts = runs.steps.flatMap(({ run }) => run ?? []);
    expect(scripts).toHaveLength(2);
    expect(scripts.filter((script) => script.includes("$" + "{{"))).toEqual([]);
    expect(scripts[0]).toMatch(/^npm ci .*--ignore-scripts/);
  });
});
