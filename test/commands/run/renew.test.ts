/** @module-tag long */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type Line, startDaemon } from "../daemon-stage.ts";
import { openStage, type Stage } from "../stage.ts";

const found = "New secrets were found, and are used from now on";
const next = "sandbox-second-token";

const write = (stage: Stage, name: string, text: string): void =>
  writeFileSync(join(stage.folder, name), text);

/** A daemon that has no token but the one in `.env`, after its first runs. */
async function startWithDotEnv(stage: Stage) {
  write(stage, ".env", `GITHUB_TOKEN=${stage.story.github.token}\n`);
  const daemon = startDaemon(stage, [], { GITHUB_TOKEN: undefined });
  await daemon.ranAll();
  return daemon;
}

/** The token of the stage counts no more, another one does. */
function replaceToken({ story: { github } }: Stage): void {
  github.addToken(next);
  github.revokeToken(github.token);
}

const isFinished = ({ msg }: Line): boolean => msg === "Project finished";

describe("a secret that is replaced while the daemon runs", () => {
  it("is read anew from `.env`, and the project runs again with the new one", async () => {
    const stage = await openStage();
    stage.writeConfig("boardsync.yaml", (config) =>
      config.replace(/^schedule: .*$/m, 'schedule: "*/2 * * * * *"'),
    );
    const daemon = await startWithDotEnv(stage);
    write(stage, ".env", `GITHUB_TOKEN=${next}\n`);
    replaceToken(stage);
    await daemon.findLine(({ msg }) => msg === found);
    const again = daemon.lines.length;
    expect((await daemon.findLine((line) => isFinished(line), again))["result"]).toBe("ok");
    expect(daemon.lines.some((line) => JSON.stringify(line).includes(next))).toBe(false);
    // Whatever quotes it from now on is covered, too.
    const unknown = { kind: "answer", status: 400, body: { message: `Not for ${next}` } } as const;
    stage.story.board.failNext(unknown, { times: 9 });
    const failed = await daemon.findLine(({ level }) => level === "error", again);
    expect(failed["message"]).toContain("[redacted]");
    expect(failed["message"]).not.toContain(next);
  });

  it("fails no run any more once a person has put a new one in its place", async () => {
    const stage = await openStage();
    const daemon = await startWithDotEnv(stage);
    replaceToken(stage);
    const refused = await stage.run(["sync", "--project", "acme-app"]);
    expect(refused.code).toBe(3);
    expect(refused.out).toContain("A daemon finds a new one in `.env`");
    write(stage, ".env", `GITHUB_TOKEN=${next}\n`);
    const from = daemon.lines.length;
    expect((await stage.run(["sync", "--project", "acme-app"], { env: { GITHUB_TOKEN: next } })).code).toBe(
      0,
    );
    expect(daemon.lines.slice(from).filter(({ level }) => level === "error")).toEqual([]);
  });

  it("carries an order out with the new one where that is there already", async () => {
    const stage = await openStage();
    await startWithDotEnv(stage);
    replaceToken(stage);
    write(stage, ".env", `GITHUB_TOKEN=${next}\n`);
    expect((await stage.run(["sync", "--project", "acme-app"], { env: { GITHUB_TOKEN: next } })).code).toBe(
      0,
    );
  });

  it("is read anew from the file that a variable names: the board's key", async () => {
    const stage = await openStage();
    write(stage, "key", "wrong-board-key\n");
    const env = { BOARD_API_KEY: undefined, BOARD_API_KEY_FILE: "key" };
    const daemon = startDaemon(stage, [], env);
    await daemon.ranAll();
    expect(daemon.lines.some(({ code }) => code === "board.unauthorized")).toBe(true);
    write(stage, "key", `${stage.story.board.key}\n`);
    const from = daemon.lines.length;
    expect((await stage.run(["sync"])).code).toBe(0);
    expect(daemon.lines.slice(from).some(({ msg }) => msg === found)).toBe(true);
  });

  it("goes on with the old one, and says why, where what is there can't be used", async () => {
    const stage = await openStage();
    const daemon = await startWithDotEnv(stage);
    replaceToken(stage);
    rmSync(join(stage.folder, ".env"));
    for (let time = 0; time < 2; time += 1) expect((await stage.run(["sync"])).code).toBe(3);
    const said = daemon.lines.filter(({ msg }) =>
      msg.startsWith("The secrets were read anew and can't be used"),
    );
    expect(said.map(({ problems }) => problems)).toEqual([
      [expect.stringContaining("GITHUB_TOKEN is not set")],
    ]);
    write(stage, ".env", `GITHUB_TOKEN=${next}\n`);
    expect((await stage.run(["sync"])).code).toBe(0);
  });
});
