/** @module-tag long */
import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { StateError } from "../../src/errors.ts";
import type { SentChange } from "../../src/ledger/change.ts";
import type { Ledger } from "../../src/ledger/ledger.ts";
import { withParts } from "../simulation/with-parts.ts";
import { startStory } from "../support/sandbox/story.ts";
import { addPlanned, openStage } from "../support/stage.ts";

const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));

const unshare = "/usr/bin/unshare";
/** A shell that may mount what only it sees. */
const shell = ["-Urm", "sh", "-ec"] as const;
const canMount =
  existsSync(unshare) && spawnSync(unshare, [...shell, "mount -t tmpfs none /mnt"]).status === 0;

/** Runs a script in which `boardsync` is the real program and `disk` a file system of 4 MiB that holds the state. */
async function onSmallDisk(script: string) {
  const story = await startStory({ now: Date.now });
  const folder = mkdtempSync(join(tmpdir(), "boardsync-disk-"));
  onTestFinished(async () => {
    await story.close();
    rmSync(folder, { recursive: true, force: true });
  });
  mkdirSync(join(folder, "disk"));
  writeFileSync(join(folder, "c.yaml"), `${story.config}state: disk/state.db\nhttp: false\n`);
  const child = spawn(
    unshare,
    [
      ...shell,
      `mount -t tmpfs -o size=4m none disk
      boardsync() { "${process.execPath}" "${main}" "$@" --log-level error || echo "exit $?"; }
      fill() { dd if=/dev/zero of=disk/fill bs=64k 2>/dev/null || true; }
      ${script}`,
    ],
    {
      cwd: folder,
      env: {
        PATH: process.env["PATH"],
        BOARD_API_KEY: story.board.key,
        GITHUB_TOKEN: story.github.token,
        BOARDSYNC_CONFIG: "c.yaml",
      },
    },
  );
  let [out, err] = ["", ""];
  child.stdout.on("data", (chunk) => {
    out += chunk;
  });
  child.stderr.on("data", (chunk) => {
    err += chunk;
  });
  await new Promise((resolve) => child.on("close", resolve));
  const writes = [...story.github.requests, ...story.board.requests].filter(({ method }) => method !== "GET");
  return { out, err, writes: writes.length };
}

describe.runIf(canMount)("a full disk", () => {
  it("before the first run: one sentence, and nothing is sent", async () => {
    const { out, err, writes } = await onSmallDisk("fill; boardsync sync");
    expect(out).toBe("exit 1\n");
    expect(err).toMatch(
      /^The disk of the state file \S+ is full: free some space; nothing can be sent before\.\n$/,
    );
    expect(writes).toBe(0);
  });

  it("between two runs: nothing is sent, the state can be read, and all goes on when there is space", async () => {
    const { out, err, writes } = await onSmallDisk(`
      boardsync sync --project acme-app > /dev/null
      fill; boardsync sync --json | grep code; boardsync status > /dev/null; echo read
      rm disk/fill; boardsync sync | tail -1`);
    expect(out).toMatch(/^ *"code": "state\.unusable",\nread\nRun 2, \S+ s: in step\.\n$/);
    expect(err).toContain("is full: free some space; nothing can be sent before.");
    expect(writes).toBe(6);
  });
});

it.each<["board" | "tracker", SentChange["kind"], string]>([
  ["board", "mark-sent", "that it is sent"],
  ["tracker", "pace-write", "the time of the write"],
  ["tracker", "mark-sent", "that it is sent"],
])("nothing leaves to the %s where the state can't take (%s) %s, and nothing is lost", async (side, line) => {
  const stage = await openStage();
  addPlanned(stage, 1);
  if (side === "board") {
    await stage.sync();
    stage.github.close("acme/app", 1, "completed");
  }
  stage.mark();
  const full = (): never => {
    throw new StateError("The disk is full.");
  };
  stage.bend((world) => {
    const { ledger } = world;
    const commitSent: Ledger["commitSent"] = (lines, of) =>
      lines.some(({ kind }) => kind === line) ? full() : ledger.commitSent(lines, of);
    return { ...world, ledger: withParts(ledger, { commitSent }) };
  });
  await expect(stage.sync()).rejects.toThrow("The disk is full.");
  expect(stage.writes()).toEqual([]);
  stage.bend((world) => world);
  expect(await stage.sync()).toMatchObject({ result: "ok" });
  expect(stage.writes()).toHaveLength(1);
});
