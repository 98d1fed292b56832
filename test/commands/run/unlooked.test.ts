/** @module-tag long */

import { describe, expect, it } from "vitest";
import { primaryLimit, secondaryLimit } from "../../support/sandbox/github/faults.ts";
import type { Ran, Stage } from "../stage.ts";
import { openStage } from "../stage.ts";

const inAnHour = (): number => Date.now() + 3_600_000;
const isList = ({ method, path }: { readonly method: string; readonly path: string }): boolean =>
  method === "GET" && path.includes("/feedback");
const isPatch = ({ method }: { readonly method: string }): boolean => method === "PATCH";
const always = 1000;

/** Two linked posts of the first project want a status, of which 128 and 74 voters would hear; the first PATCH was put off. */
async function openWaiting(): Promise<Stage> {
  const stage = await openStage();
  stage.writeConfig("boardsync.yaml", (config) =>
    config
      .replace(/^board:\n/, "board:\n  retries: 0\n")
      .replace(
        /issue: \{ labels: \[feedback\] \}\n {4}rules:/,
        "$&\n      - when: { pullRequest: merged }\n        set: { roadmapColumn: IN_PROGRESS }",
      ),
  );
  await stage.run(["sync"]);
  stage.story.github.close("acme/app", 1, "completed");
  stage.story.github.close("acme/app", 2, "completed");
  stage.story.board.failNext({ kind: "answer", status: 429 }, { when: isPatch, times: 2 });
  const { json } = await stage.run(["sync", "--json", "-p", "acme-app"]);
  expect(json()).toMatchObject({ projects: [{ waiting: 2, statusWrites: 0 }] });
  return stage;
}

interface Case {
  readonly name: string;
  readonly meet: (stage: Stage) => unknown;
  readonly code: string;
  /** Whether it says when it ends. */
  readonly hasEnd?: boolean;
  readonly exits: readonly [plan: number, sync: number];
}

const board = (status: number, headers: Readonly<Record<string, string>> = {}, body?: unknown) =>
  ({ kind: "answer", status, headers, body }) as const;

const cases: readonly Case[] = [
  {
    name: "429 of the board with an end",
    meet: ({ story }) => story.board.failNext(board(429, { "retry-after": "3600" }), { times: always }),
    code: "board.limited",
    hasEnd: true,
    exits: [1, 0],
  },
  {
    name: "429 of the board without an end",
    meet: ({ story }) => story.board.failNext(board(429), { times: always }),
    code: "board.limited",
    exits: [1, 0],
  },
  {
    name: "a limit of the board in a 403",
    meet: ({ story }) =>
      story.board.failNext(board(403, { "retry-after": "3600" }, { error: "Too many requests" }), {
        times: always,
      }),
    code: "board.limited",
    hasEnd: true,
    exits: [1, 0],
  },
  {
    name: "a limit of the board in a 422",
    meet: ({ story }) =>
      story.board.failNext(board(422, { "retry-after": "3600" }, { error: "Rate limit exceeded" }), {
        times: always,
      }),
    code: "board.limited",
    hasEnd: true,
    exits: [1, 0],
  },
  {
    name: "429 of the board in an earlier run",
    meet: async (stage) => {
      stage.story.board.failNext(board(429, { "retry-after": "3600" }), { when: isList });
      await stage.run(["sync"]);
    },
    code: "board.limited",
    hasEnd: true,
    exits: [1, 0],
  },
  {
    name: "GitHub's secondary limit with an end",
    meet: ({ story }) => story.github.failNext({ answer: secondaryLimit(3_600), times: always }),
    code: "tracker.limited",
    hasEnd: true,
    exits: [1, 0],
  },
  {
    name: "GitHub's secondary limit in a 429",
    meet: ({ story }) => story.github.failNext({ answer: secondaryLimit(3_600, 429), times: always }),
    code: "tracker.limited",
    hasEnd: true,
    exits: [1, 0],
  },
  {
    name: "GitHub's primary limit",
    meet: ({ story }) => story.github.failNext({ answer: primaryLimit(inAnHour()), times: always }),
    code: "tracker.limited",
    hasEnd: true,
    exits: [1, 0],
  },
  {
    name: "GitHub's limit in a 422",
    meet: ({ story }) =>
      story.github.failNext({
        answer: board(
          422,
          { "retry-after": "3600" },
          { message: "You have exceeded a secondary rate limit." },
        ),
        times: always,
      }),
    code: "tracker.limited",
    hasEnd: true,
    exits: [1, 0],
  },
  {
    name: "GitHub's limit of an earlier run",
    meet: async (stage) => {
      stage.story.github.failNext({ answer: primaryLimit(inAnHour()) });
      await stage.run(["sync"]);
    },
    code: "tracker.limited",
    hasEnd: true,
    exits: [1, 0],
  },
  {
    name: "a limit of GitHub's that comes while it reads",
    meet: ({ story }) =>
      story.github.failNext({ path: "/graphql", answer: secondaryLimit(3_600), times: always }),
    code: "tracker.limited",
    hasEnd: true,
    exits: [1, 0],
  },
  {
    name: "503 of the board",
    meet: ({ story }) => story.board.failNext(board(503), { times: always }),
    code: "board.unreachable",
    exits: [3, 3],
  },
  {
    name: "503 of the board with an end",
    meet: ({ story }) => story.board.failNext(board(503, { "retry-after": "3600" }), { times: always }),
    code: "board.",
    hasEnd: true,
    exits: [3, 3],
  },
  {
    name: "a connection that the board resets",
    meet: ({ story }) => story.board.failNext({ kind: "reset" }, { times: always }),
    code: "board.unreachable",
    exits: [3, 3],
  },
  {
    name: "401 of the board",
    meet: ({ story }) => story.board.failNext(board(401), { times: always }),
    code: "board.unauthorized",
    exits: [3, 3],
  },
  {
    name: "403 of the board",
    meet: ({ story }) => story.board.failNext(board(403), { times: always }),
    code: "board.unauthorized",
    exits: [3, 3],
  },
  {
    name: "401 of GitHub",
    meet: ({ story }) =>
      story.github.failNext({ answer: board(401, {}, { message: "Bad credentials" }), times: always }),
    code: "tracker.unauthorized",
    exits: [3, 3],
  },
];

const inStep = /in step|nothing to do/i;
const shown = ({ out }: Ran): string => out;

describe("a side that can't be looked at is never called in step", () => {
  it.each(cases)("($name) by `plan`, in words and in its exit code", async (one) => {
    const stage = await openWaiting();
    await one.meet(stage);
    const args = ["-p", "acme-app"];
    const ran = await stage.run(["plan", ...args], { columns: 240 });
    expect(shown(ran)).not.toMatch(inStep);
    expect(shown(ran)).toContain(one.code);
    if (one.hasEnd === true) expect(shown(ran)).toMatch(/could not look until (?:[\w ]+, )?\d\d:\d\d/);
    expect(shown(ran)).toContain("Later, by themselves, 2 actions (202 voters to notify)");
    expect(ran.code).toBe(one.exits[0]);
    expect(await stage.run(["plan", "--detailed-exitcode", ...args])).toMatchObject({ code: one.exits[0] });
  });

  it.each(cases)("($name) by `plan --json`: errors, and what waits as later", async (one) => {
    const stage = await openWaiting();
    await one.meet(stage);
    const { code, json } = await stage.run(["plan", "--json", "-p", "acme-app"]);
    expect(code).toBe(one.exits[0]);
    const until = one.hasEnd === true ? { until: expect.any(String) } : {};
    const notBefore = one.hasEnd === true ? { notBefore: expect.any(String) } : {};
    const later = { kind: "patch-post", when: "later", ...notBefore };
    expect(json()).toMatchObject({
      projects: [
        {
          project: "acme-app",
          actions: [
            { ...later, post: "p1", notifies: 128 },
            { ...later, post: "p2", notifies: 74 },
          ],
          errors: [{ code: expect.stringContaining(one.code), ...until }],
        },
      ],
    });
  });

  it.each(cases)("($name) by `sync` and the `status` after it, which list the same", async (one) => {
    const stage = await openWaiting();
    await one.meet(stage);
    const ran = await stage.run(["sync", "-p", "acme-app"], { columns: 240 });
    expect(shown(ran)).not.toMatch(inStep);
    expect(ran.code).toBe(one.exits[1]);
    const json = (await stage.run(["sync", "--json", "-p", "acme-app"])).json();
    expect(json).toMatchObject({ projects: [{ waiting: expect.any(Number), postWrites: 0 }] });
    expect(JSON.stringify(json)).toContain(one.code);
    const { projects } = (await stage.run(["status", "--json"])).json() as {
      readonly projects: readonly Record<string, unknown>[];
    };
    expect(projects[0]).toMatchObject({ waiting: [{ post: "p1" }, { post: "p2" }] });
    expect(projects[0]?.["state"]).not.toBe("in-sync");
    expect((await stage.run(["status"], { columns: 240 })).out.split("\n")[5]).not.toMatch(inStep);
  });
});

describe("beside it", () => {
  const limit = (stage: Stage, when = isList): void =>
    stage.story.board.failNext(board(429, { "retry-after": "3600" }), { when, times: always });

  it("a project that was looked at is told as ever by plan, and the other one's waits follow later", async () => {
    const stage = await openWaiting();
    const isOfApp = (request: { readonly method: string; readonly path: string; readonly query?: unknown }) =>
      isList(request) && JSON.stringify(request).includes("prj_app");
    stage.story.board.failNext(board(503), { when: isOfApp, times: always });
    const ran = await stage.run(["plan"], { columns: 240 });
    expect(ran.code).toBe(1);
    expect(ran.out).toContain("acme-api: nothing to do.\n");
    expect(ran.out).toMatch(/✗ acme-app: .*\[board\.unreachable\]/);
    expect(ran.out).toContain("Later, by themselves, 2 actions (202 voters to notify)");
    expect(ran.out).not.toContain("in step");
  });

  it("a plan that is stopped before it has looked at all is not in step", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    const stop = new AbortController();
    stop.abort("SIGINT");
    const ran = await stage.run(["plan"], { signal: stop.signal });
    expect(ran).toMatchObject({
      code: 130,
      out: expect.stringContaining("Not looked at: acme-app, acme-api.\n"),
    });
    expect(ran.out).not.toMatch(inStep);
  });

  it("a board that shrank is not in step, though nothing is decided", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    for (const post of ["p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8"])
      stage.story.board.removePost("acme-app", post);
    const { out } = await stage.run(["plan", "-p", "acme-app"], { columns: 240 });
    expect(out).toContain("acme-app: needs you (1 action).\n");
    expect(out).not.toMatch(inStep);
  });

  it("a saved plan of which nothing could be looked at is told as put off, and is no success", async () => {
    const stage = await openWaiting();
    await stage.run(["plan", "--out", "plan.json", "-p", "acme-app"]);
    limit(stage);
    const ran = await stage.run(["apply", "plan.json"], { columns: 240 });
    expect(ran.code).toBe(1);
    expect(ran.out).toContain("Of 2 actions of the plan: 2 put off");
    const { json } = await stage.run(["apply", "plan.json", "--json"]);
    expect(json()).toMatchObject({
      result: "partial",
      projects: [
        { actions: [{ outcome: "waiting", message: expect.stringContaining("the board wants no") }, {}] },
      ],
    });
  });

  it("nothing is adopted, or undone, without a word and an exit code", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    limit(stage);
    for (const args of [
      ["sync", "--adopt"],
      ["undo", "1", "--yes"],
    ]) {
      const ran = await stage.run(args, { columns: 240 });
      expect(ran.code).toBe(1);
      expect(ran.out).toContain("[board.limited]");
      expect(ran.out).not.toMatch(/in step|nothing to undo/);
    }
  });

  it("check says of each project that the next sync could not be looked at", async () => {
    const stage = await openWaiting();
    stage.story.board.failNext(board(429, { "retry-after": "3600" }), { when: isList });
    await stage.run(["sync", "-p", "acme-app"]);
    const { out } = await stage.run(["check"], { columns: 240 });
    expect(out).toMatch(/! acme-app: Nothing could be planned: the board wants no request before/);
    expect(out).not.toMatch(inStep);
    const json = (await stage.run(["check", "--json"])).json();
    expect(json).toMatchObject({ ahead: [{ project: "acme-app", putOff: [{ code: "board.limited" }] }, {}] });
  });

  it("explain says that the last run could not look, and why", async () => {
    const stage = await openStage();
    await stage.run(["sync"]);
    limit(stage);
    await stage.run(["sync"]);
    const { out } = await stage.run(["explain", "p1"], { columns: 240 });
    expect(out).toMatch(/The last run did not get through, so this goes by older facts: the board wants no/);
  });
});
