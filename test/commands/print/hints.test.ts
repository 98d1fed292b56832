import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openStage, type RunOptions } from "../stage.ts";

const command = "docker compose exec boardsync boardsync";
const atTerminal: RunOptions = { command, isTerminal: true, columns: 80 };

/** Every command that stands in a text as one to type: between back-ticks, behind an arrow, or as an example. */
function commandsIn(text: string): readonly string[] {
  const unbroken = text.replaceAll(/(?<=\S)\n *(?=\S)/g, " ");
  const typed = [...unbroken.matchAll(/(?<=`|→ |Usage: )[^`\n]*?boardsync [a-z[]+/g)].map(([found]) => found);
  const examples = [...text.matchAll(/^ {2}([^`\n]*boardsync [a-z]+)/gm)].map(([, found = ""]) => found);
  return [...typed, ...examples];
}

describe("hints print the command as the program was started", () => {
  it.each([
    ["no state yet", ["status"]],
    ["no config", ["plan", "--config", "nowhere.yaml"]],
    ["a wrong argument", ["undo", "nope"]],
    ["what comes next", ["plan"]],
    ["help", ["--help"]],
    ["help of a command", ["plan", "--help"]],
  ])("%s", async (_, args) => {
    const { run } = await openStage();
    const { out, err } = await run(args, atTerminal);
    const found = commandsIn(`${out}${err}`);
    expect(found).not.toEqual([]);
    expect(found.filter((typed) => !typed.startsWith(command))).toEqual([]);
  });

  it("also the command that ends a wait, and what explain and the page show of it", async () => {
    const { run, writeConfig, story } = await openStage();
    const file = writeConfig("held.yaml", (config) => `guard: { statuses: 0 }\n${config}`);
    const env = { BOARDSYNC_CONFIG: file };
    await run(["sync"], { env });
    story.github.close("acme/app", 1, "completed");
    await run(["sync"], { env });
    const status = await run(["status"], { ...atTerminal, env });
    expect(status.out).toContain(`→ let it go: ${command} approve acme-app p1`);
    const explained = await run(["explain", "p1"], { ...atTerminal, env });
    expect(explained.out).toContain(`→ ${command} approve acme-app p1`);
  });

  it("names the config that was named, which else would be another one", async () => {
    const { run, writeConfig } = await openStage();
    const file = writeConfig("my own.yaml", (config) => config);
    const planned = await run(["plan", "-c", file], { isTerminal: true, columns: 500 });
    expect(planned.out).toContain(`Next: \`boardsync --config '${file}' sync\` does it.`);
    const flags = ["--project", "acme-app=acme/app", "--output", "made.yaml", "--force"];
    const board = /url: (\S+)/.exec(readFileSync(file, "utf8"))?.[1] ?? "";
    const made = await run(["init", "--board-url", board, ...flags], { env: { GITHUB_TOKEN: undefined } });
    expect(made.out).toContain("Then: `boardsync --config made.yaml check`");
  });

  it("leaves JSON as scripts know it", async () => {
    const { run, writeConfig, story } = await openStage();
    const env = {
      BOARDSYNC_CONFIG: writeConfig("held.yaml", (config) => `guard: { statuses: 0 }\n${config}`),
    };
    await run(["sync"], { env });
    story.github.close("acme/app", 1, "completed");
    await run(["sync"], { env });
    const as = async (name: string) => (await run(["status", "--json"], { env, command: name })).out;
    const [one, other] = [await as("boardsync"), await as(command)];
    expect(one).toContain('"command": "boardsync approve acme-app');
    expect(other).not.toContain("docker");
  });
});
