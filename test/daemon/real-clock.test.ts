/** @module-tag long */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { compiled } from "../support/compiled.ts";
import { startStory } from "../support/sandbox/story.ts";
import { until } from "../support/until.ts";

/**
 * The real process under clocks that libfaketime sets (Debian's package of this name); without it the same is held by
 * `timekeeper.test.ts`, with a clock of its own.
 */
const library = findLibrary();

function findLibrary(): string | undefined {
  try {
    const places = readdirSync("/usr/lib", { withFileTypes: true }).filter((place) => place.isDirectory());
    const found = places.flatMap(({ name }) =>
      readdirSync(join("/usr/lib", name))
        .filter((inner) => inner === "faketime")
        .map((inner) => join("/usr/lib", name, inner, "libfaketimeMT.so.1")),
    );
    return found[0];
  } catch {
    return undefined;
  }
}

describe.runIf(library !== undefined)("a daemon whose clock is set while it runs", () => {
  it.each([
    ["back by ten minutes", "+0", "-600"],
    ["back by a year", "+0", "-365d"],
    ["ahead by a year", "+0", "+365d"],
    ["from 1970 to now", "-20400d", "+0"],
  ])("%s goes on", async (_, first, then) => {
    const daemon = await startDaemon(first);
    await until(() => daemon.runs() >= 2);
    daemon.setClock(then);
    const before = daemon.runs();
    await until(() => daemon.runs() >= before + 3);
    await until(() => /The clock (was set back|went ahead)/.test(daemon.said()));
    const answer = await fetch(`${await daemon.address()}/readyz`);
    expect(answer.status).toBe(200);
  });
});

it.runIf(library !== undefined)(
  "a daemon that is started anew after the clock was an hour ahead runs",
  async () => {
    const first = await startDaemon("+3600");
    await until(() => first.runs() >= 2);
    const second = await first.restart("+0");
    await until(() => second.runs() >= 2);
  },
);

/** A daemon that runs every second, by a clock that a file sets. */
async function startDaemon(offset: string) {
  const story = await startStory({ now: Date.now });
  onTestFinished(() => story.close());
  const folder = mkdtempSync(join(tmpdir(), "boardsync-clock-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const clock = join(folder, "clock");
  const setClock = (to: string): void => writeFileSync(clock, to);
  writeFileSync(
    join(folder, "c.yaml"),
    `${story.config}state: state.db\nschedule: "* * * * * *"\nhttp: { port: 0 }\n`,
  );
  const env = {
    ...compiled,
    BOARD_API_KEY: story.board.key,
    GITHUB_TOKEN: story.github.token,
    BOARDSYNC_CONFIG: "c.yaml",
    LD_PRELOAD: library,
    FAKETIME_TIMESTAMP_FILE: clock,
    FAKETIME_NO_CACHE: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
  };
  const start = (at: string) => {
    setClock(at);
    const process = startProcess(folder, env);
    const restart = async (later: string) => {
      await process.stop();
      return start(later);
    };
    return { ...process, setClock, restart };
  };
  return start(offset);
}

function startProcess(cwd: string, env: NodeJS.ProcessEnv) {
  const main = fileURLToPath(new URL("../../src/main.ts", import.meta.url));
  const child = spawn(process.execPath, [main, "daemon"], { cwd, env });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  onTestFinished(() => void child.kill("SIGKILL"));
  let said = "";
  child.stderr.on("data", (chunk) => {
    said += chunk;
  });
  return {
    said: () => said,
    runs: () => said.split("Project finished").length - 1,
    async address() {
      await until(() => /127\.0\.0\.1:\d+/.test(said));
      return `http://${/127\.0\.0\.1:\d+/.exec(said)?.[0]}`;
    },
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}
