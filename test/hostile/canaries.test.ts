/** @module-tag long */

import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openStage, type Ran, type Stage } from "../commands/stage.ts";
import { createAppKey } from "../support/app-key.ts";

const people = {
  authorName: "Canary Person",
  authorEmail: "canary@private.example",
  internalNote: "canary-internal-note",
};
const wrongSecrets = { BOARD_API_KEY: "canary-wrong-key-123", GITHUB_TOKEN: "canary-wrong-token-123" };

/** A board that gives away in its refusals whatever it knows of a post and of who asked. */
function gossip(stage: Stage): object {
  const { key } = stage.story.board;
  const record = { id: "p1", ...people, voters: [people.authorEmail], key };
  return { feedback: record, headers: { authorization: `Bearer ${key}` } };
}

/** Every command that is there, after a history in which everything goes wrong once. */
async function playAll(stage: Stage): Promise<readonly Ran[]> {
  const ran: Ran[] = [];
  const { board, github } = stage.story;
  const trace = ["--log-level", "trace"];
  const run = async (...args: string[]): Promise<void> => {
    for (const isTerminal of [false, true]) {
      ran.push(await stage.run([...args, ...trace], { isTerminal, columns: 60 }));
    }
    ran.push(await stage.run([...args, "--json", ...trace]));
  };
  const isPatch = { when: ({ method }: { method: string }) => method === "PATCH" };
  for (const { id } of board.posts("acme-app")) board.editPost("acme-app", id, people);
  await run("check");
  await run("plan");
  github.failNext({
    method: "POST",
    path: /issues$/,
    applied: true,
    answer: { kind: "answer", status: 502 },
  });
  await run("sync");
  for (const [number, status] of [
    [1, 422],
    [2, 409],
    [3, 500],
    [4, 404],
  ] as const) {
    github.close("acme/app", number, "completed");
    board.failNext({ kind: "answer", status, body: gossip(stage) }, isPatch);
    await run("sync");
  }
  for (const status of [200, 400, 401, 403, 404, 429, 500]) {
    board.failNext(
      { kind: "answer", status, body: gossip(stage) },
      { when: ({ path }) => path === "/feedback" },
    );
    ran.push(await stage.run(["sync", ...trace]));
  }
  board.failNext({ kind: "truncate" }, { when: ({ path }) => path === "/feedback", times: 4 });
  await run("sync");
  const words = `${people.authorEmail} (key ${board.key}) may not do this.`;
  board.failNext({ kind: "answer", status: 400, body: { error: { message: words } } }, { times: 4 });
  await run("sync");
  const echo = { message: `Bad credentials: ${github.token}`, documentation_url: github.token };
  github.failNext({ answer: { kind: "answer", status: 403, body: echo }, times: 2 });
  await run("sync");
  for (const args of [["plan"], ["check"], ["sync"]])
    ran.push(await stage.run([...args, ...trace], { env: wrongSecrets }));
  await run("status");
  await run("health");
  for (const id of ["p1", "p2"]) await run("retry", id);
  await run("approve", "acme-app", "--yes");
  await run("backup", "copy.db");
  ran.push(await stage.run(["sync", ...trace], { env: { BOARDSYNC_STATE: stage.file } }));
  return ran;
}

/** Everywhere that a secret could have got to. */
function lookEverywhere(stage: Stage, ran: readonly Ran[]): Readonly<Record<string, string>> {
  const { board, github } = stage.story;
  const files = readdirSync(stage.folder).filter((name) => statSync(join(stage.folder, name)).isFile());
  expect(files).toEqual(expect.arrayContaining(["state.db", "state.db.lock", "copy.db"]));
  return {
    stdout: ran.map(({ out }) => out).join("\n"),
    stderr: ran.map(({ err }) => err).join("\n"),
    "requests to GitHub": JSON.stringify(
      github.requests.map(({ path, query, body }) => ({ path, query, body })),
    ),
    "requests to the board": JSON.stringify(
      board.requests.map(({ path, query, body }) => ({ path, query, body })),
    ),
    ...Object.fromEntries(files.map((name) => [name, readFileSync(join(stage.folder, name), "latin1")])),
  };
}

function expectNone(places: Readonly<Record<string, string>>, secrets: readonly string[]): void {
  for (const [place, text] of Object.entries(places)) {
    for (const secret of secrets) {
      const at = text.toLowerCase().indexOf(secret.toLowerCase());
      expect(at === -1 ? "" : text.slice(Math.max(0, at - 200), at + 50), `${secret} in ${place}`).toBe("");
    }
  }
}

it("no name, address, note, key or token of anybody is in what any command prints, writes or sends", async () => {
  const stage = await openStage();
  const ran = await playAll(stage);
  expect(ran.some(({ err }) => err.includes("HTTP 422"))).toBe(true);
  const { board, github } = stage.story;
  const secrets = [
    ...Object.values(people),
    "canary",
    board.key,
    github.token,
    ...Object.values(wrongSecrets),
  ];
  expectNone(lookEverywhere(stage, ran), secrets);
});

it("a note that `backlink` changes goes back to the board, and nowhere else", async () => {
  const stage = await openStage();
  stage.writeConfig("boardsync.yaml", (config) => config.replace(/^( +)repo: .*$/gm, "$&\n$1backlink: true"));
  const ran = await playAll(stage);
  const { "requests to the board": sent = "", ...places } = lookEverywhere(stage, ran);
  const { board, github } = stage.story;
  expect(
    board.posts("acme-app").some(({ internalNote }) => internalNote?.includes("\nTracked in ") === true),
  ).toBe(true);
  expectNone(places, [...Object.values(people), "canary", board.key, github.token]);
  expectNone({ sent }, [people.authorName, people.authorEmail, board.key, github.token]);
});

it("no key, token or signature of a GitHub App is in what any command prints or writes, though the server tells it to everybody", async () => {
  const { privateKey, publicKey } = createAppKey();
  const app = { id: 4711, slug: "feedback-sync", publicKey, installations: [{ owner: "acme" }] };
  const stage = await openStage(app);
  const { github } = stage.story;
  const env = {
    GITHUB_TOKEN: undefined,
    GITHUB_APP_ID: "4711",
    GITHUB_APP_PRIVATE_KEY: privateKey.trim().replaceAll("\n", "\\n"),
  };
  const ran: Ran[] = [];
  const run = async (...args: string[]): Promise<void> => {
    for (const options of [{ env, isTerminal: true, columns: 60 }, { env }]) {
      const before = github.app.tokens.length;
      // Each process has tokens of its own, which are known only when the answer is made.
      const body = {
        toJSON: () => ({
          message: `Ask with ${github.app.tokens.slice(before).join()}`,
          documentation_url: privateKey,
        }),
      };
      const path = /^\/repos\/acme\/app(?:\/issues)?$/;
      github.failNext({ path, answer: { kind: "answer", status: 403, body } });
      const form = options.isTerminal === true ? [] : ["--json"];
      ran.push(await stage.run([...args, ...form, "--log-level", "trace"], options));
    }
  };
  await run("check");
  await run("plan");
  await run("sync");
  ran.push(await stage.run(["sync"], { env }));
  await run("status");
  ran.push(await stage.run(["sync"], { env: { ...env, GITHUB_APP_PRIVATE_KEY: privateKey.slice(0, 600) } }));
  ran.push(await stage.run(["sync"], { env: { ...env, GITHUB_TOKEN: github.token } }));
  expect(github.issues("acme/app").length, ran[6]?.err).toBeGreaterThan(0);
  expect(ran.slice(-2).map(({ code }) => code)).toEqual([2, 2]);
  const files = readdirSync(stage.folder).filter((name) => statSync(join(stage.folder, name)).isFile());
  const everything = [
    ...ran.flatMap(({ out, err }) => [out, err]),
    ...files.map((name) => readFileSync(join(stage.folder, name), "latin1")),
  ].join("\n");
  expect(everything).toMatch(/Ask with\s+\[redacted\]/);
  expect(github.app.tokens.length).toBeGreaterThanOrEqual(6);
  const keyLines = privateKey.split("\n").filter((line) => line.length > 20 && !line.startsWith("-----"));
  for (const secret of [...github.app.tokens, ...keyLines]) expect(everything).not.toContain(secret);
  expect(everything).not.toMatch(/eyJ[\w-]{10}/);
});
