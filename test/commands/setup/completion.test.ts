/** @module-tag long */
import { execFileSync, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { runCommand } from "../stage.ts";

const main = fileURLToPath(new URL("../../../src/main.ts", import.meta.url));

/** What is offered for the last of some words. */
async function offered(...words: readonly string[]): Promise<readonly string[]> {
  const { code, out, err } = await runCommand(["__complete", "--", ...words], { env: {}, cwd: "/" });
  expect({ code, err }).toEqual({ code: 0, err: "" });
  return out.split("\n").slice(0, -1);
}

describe("what is offered", () => {
  it.each<[readonly string[], readonly string[]]>([
    [["st"], ["status", "state"]],
    [["re"], ["retry", "release", "resume", "rebuild"]],
    [["help", "hea"], ["health"]],
    [["help", "sto"], ["stop"]],
    [["help", "tracker.rej"], ["tracker.rejected"]],
    [["--log-level", "w"], ["warn"]],
    [
      ["--quiet", "sta"],
      ["status", "state"],
    ],
    [["sync", "--a"], ["--adopt"]],
    [["sync", "--con"], ["--config"]],
    [
      ["completion", ""],
      ["bash", "zsh", "fish"],
    ],
    [["backup", ""], []],
    [["--config", ""], []],
    [["explain", ""], []],
    [["state", "c"], ["copy"]],
    [["sync", "--project", ""], []],
  ])("after %j: %j", async (words, expected) => {
    expect(await offered(...words)).toEqual(expected);
  });

  it("are all commands at first, and none that is hidden", async () => {
    const found = await offered("");
    expect(found).toEqual(
      expect.arrayContaining(["init", "check", "plan", "sync", "explain", "history", "help"]),
    );
    expect(found).not.toContain("__complete");
  });
});

describe("the script", () => {
  it("for bash completes what is typed", async () => {
    const { out } = await runCommand(["completion", "bash"], { env: {}, cwd: "/" });
    const script = `boardsync() { "${process.execPath}" "${main}" "$@"; }
${out}
COMP_WORDS=(boardsync sync --ad); COMP_CWORD=2; _boardsync; printf '%s\\n' "\${COMPREPLY[@]}"
COMP_WORDS=(boardsync statu); COMP_CWORD=1; _boardsync; printf '%s\\n' "\${COMPREPLY[@]}"
complete -p boardsync`;
    const printed = execFileSync("bash", ["--norc", "-c", script], { encoding: "utf8" });
    expect(printed).toBe("--adopt\nstatus\ncomplete -o default -F _boardsync boardsync\n");
  });

  it.each([
    ["zsh", "compdef _boardsync boardsync"],
    ["fish", "complete -c boardsync -f -a '(__boardsync_complete)'"],
  ])("for %s asks the same command, and is read by the shell where it is there", async (shell, line) => {
    const { code, out } = await runCommand(["completion", shell], { env: {}, cwd: "/" });
    expect(code).toBe(0);
    expect(out).toContain(line);
    expect(out).toContain("boardsync __complete -- ");
    const { error, status } = spawnSync(shell, ["-n"], { input: out });
    if (error === undefined) expect(status).toBe(0);
  });

  it("is in the one document of JSON, where that is asked for", async () => {
    const plain = await runCommand(["completion", "bash"], { env: {}, cwd: "/" });
    const { json } = await runCommand(["--json", "completion", "bash"], { env: {}, cwd: "/" });
    expect(json()).toEqual({ shell: "bash", script: plain.out });
  });

  it("for another shell is refused with those that there are", async () => {
    const { code, err } = await runCommand(["completion", "tcsh"], { env: {}, cwd: "/" });
    expect(code).toBe(2);
    expect(err).toContain("Allowed choices are bash, zsh, fish.");
  });
});
